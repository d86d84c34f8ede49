/* Finds every name of the input (realpath, hard links in its folder, each file of a list),
 * looks for NAME.ledger beside them, else chooses the first name, in byte order, whose folder
 * is writable. Two ledgers, or hard links in folders that are not known, are refused rather
 * than guessed: charges to different ledgers would never be added up. */
#include "pipeline/ledger_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "ledger/ledger.h"
#include "semblance/files.h"

#define USUAL_DELTA \
    "1e-05" /* of a ledger whose first release is pure: for those that come later \
             */

#define STDIN "/dev/stdin" /* what "-" means; where it is a file, the file */
#define MOST_LINKS 40      /* as many as a kernel follows */

/* ---- the names of a data set ---- */

/* Canonical; a ledger of the data can stand beside each. */
typedef struct name_list {
    char **items;
    size_t count;
    bool elsewhere; /* a file has more names than these, in folders that are not known */
} name_list;

static void clear_names(name_list *names)
{
    for (size_t i = 0; i < names->count; i++) sbl_free(names->items[i]);
    sbl_free(names->items);
}

/* FOLDER (of so many bytes, with its slash) and a name in it. */
static sbl_status add_name(name_list *names, const char *folder, size_t length, const char *name,
                           sbl_error *err)
{
    sbl_text path = {0};
    sbl_status status = SBL_OK;
    SBL_RESIZE(names->items, names->count + 1, "a file name");
    sbl_text_append(&path, folder, length);
    sbl_text_printf(&path, "%s", name);
    SBL_TRY(sbl_text_check(&path, "a file name", err));
    names->items[names->count++] = path.data;
    return SBL_OK;
done:
    sbl_text_clear(&path);
    return status;
}

/* The names of a file that has several, as far as they are in its folder. */
static sbl_status add_links(name_list *names, const char *path, const struct stat *file,
                            sbl_error *err)
{
    const size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    const size_t before = names->count;
    char folder[PATH_MAX];
    struct stat seen;
    sbl_status status = SBL_OK;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    DIR *stream = opendir(folder);
    if (stream == NULL) status = add_name(names, path, length, path + length, err);
    for (const struct dirent *e; stream != NULL && status == SBL_OK && (e = readdir(stream));)
        if (fstatat(dirfd(stream), e->d_name, &seen, AT_SYMLINK_NOFOLLOW) == 0 &&
            seen.st_dev == file->st_dev && seen.st_ino == file->st_ino)
            status = add_name(names, folder, length, e->d_name, err);
    if (stream != NULL) (void)closedir(stream);
    if (names->count - before < file->st_nlink) names->elsewhere = true;
    return status;
}

static bool is_symbolic(const char *path)
{
    struct stat seen;
    return lstat(path, &seen) == 0 && S_ISLNK(seen.st_mode);
}

/* Without slashes at its end, nor the "/." that means the same folder. */
static void trim_end(char *path)
{
    for (size_t length = strlen(path); length > 1; path[--length] = '\0')
        if (path[length - 1] != '/' && (path[length - 1] != '.' || path[length - 2] != '/')) break;
}

/* The symbolic links that lead to it, one after the other. item: is changed. */
static sbl_status add_symbolic(name_list *names, char item[PATH_MAX], sbl_error *err)
{
    char folder[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
    sbl_status status = SBL_OK;
    trim_end(item);
    for (size_t links = 0; links < MOST_LINKS && is_symbolic(item); links++) {
        const char *slash = strrchr(item, '/');
        const size_t length = slash != NULL ? (size_t)(slash - item) + 1 : 0;
        (void)snprintf(next, sizeof next, "%.*s.", (int)length, item);
        const ssize_t size = readlink(item, target, sizeof target - 1);
        if (size < 0 || realpath(next, folder) == NULL) break;
        target[size] = '\0';
        (void)snprintf(next, sizeof next, "%s/%s", folder, item + length);
        SBL_TRY(add_name(names, next, 0, next, err));
        const int needed = target[0] == '/' ? snprintf(next, sizeof next, "%s", target)
                                            : snprintf(next, sizeof next, "%s/%s", folder, target);
        if (needed < 0 || needed >= PATH_MAX) break;
        memcpy(item, next, (size_t)needed + 1);
        trim_end(item);
    }
done:
    return status;
}

/* The names of one file or folder; none where it is neither. item: is changed. */
static sbl_status add_item(name_list *names, char item[PATH_MAX], sbl_error *err)
{
    char real[PATH_MAX];
    struct stat seen;
    sbl_status status = SBL_OK;
    if (stat(item, &seen) != 0 || !(S_ISREG(seen.st_mode) || S_ISDIR(seen.st_mode)) ||
        realpath(item, real) == NULL)
        return SBL_OK;
    SBL_TRY(S_ISREG(seen.st_mode) && seen.st_nlink > 1 ? add_links(names, real, &seen, err)
                                                       : add_name(names, real, 0, real, err));
    SBL_TRY(add_symbolic(names, item, err));
done:
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each once; none where the data has no name. */
static sbl_status find_names(name_list *names, const char *input, sbl_error *err)
{
    struct stat seen;
    char item[PATH_MAX];
    const bool is_list = stat(input, &seen) != 0;
    sbl_status status = SBL_OK;
    for (const char *at = input; status == SBL_OK && *at != '\0';) {
        const size_t length = is_list ? strcspn(at, ",") : strlen(at);
        (void)snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (length < sizeof item) status = add_item(names, item, err);
        at += length + (at[length] == ',' ? 1 : 0);
    }
    if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, by_bytes);
    size_t kept = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (kept == 0 || strcmp(names->items[kept - 1], names->items[i]) != 0)
            names->items[kept++] = names->items[i];
        else
            sbl_free(names->items[i]);
    }
    names->count = kept;
    return status;
}

/* ---- the ledger beside them ---- */

/* Can a file be made in the folder of path? */
static bool folder_is_writable(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path) + 1, path);
    return access(folder, W_OK | X_OK) == 0;
}

/* As short as the input was given: relative to the folder that we are in. */
static const char *shorten(const char *path, const char *input)
{
    char here[PATH_MAX];
    if (input[0] == '/' || getcwd(here, sizeof here) == NULL) return path;
    const size_t length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void name_ledger(sbl_text *path, const char *name, const char *input)
{
    sbl_text_clear(path);
    sbl_text_printf(path, "%s" SBL_ENDING_LEDGER, shorten(name, input));
}

/* A link that stands beside a file of a list, which the ledger serves: the ledger itself. One that leads nowhere stays, and
 * opening it says what is wrong. */
static sbl_status follow_link(sbl_text *path, const char *input, sbl_error *err)
{
    char real[PATH_MAX];
    if (!is_symbolic(path->data) || realpath(path->data, real) == NULL) return SBL_OK;
    sbl_text_clear(path);
    sbl_text_printf(path, "%s", shorten(real, input));
    return sbl_text_check(path, "a file name", err);
}

/* The one that is there. */
static sbl_status find_ledger(sbl_ledger_choice *choice, const name_list *names, const char *input,
                              sbl_error *err)
{
    sbl_text other = {0};
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < names->count; i++) {
        sbl_text *path = choice->is_there ? &other : &choice->path;
        name_ledger(path, names->items[i], input);
        SBL_TRY(sbl_text_check(path, "a file name", err));
        if (!sbl_item_exists(sbl_file_item(path->data))) continue;
        SBL_TRY(follow_link(path, input, err));
        if (choice->is_there && strcmp(choice->path.data, other.data) == 0) continue;
        if (choice->is_there) {
            status = sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_LEDGER_SHARE, NULL,
                                   "%s has two ledgers, %s and %s, and what it cost adds up in "
                                   "neither: name the one to charge",
                                   input, choice->path.data, other.data);
            goto done;
        }
        choice->is_there = true;
    }
done:
    sbl_text_clear(&other);
    return status;
}

/* One that can be made, where none is there; choice->path stays empty where none can. */
static sbl_status place_ledger(sbl_ledger_choice *choice, const name_list *names, const char *input,
                               sbl_error *err)
{
    sbl_text_clear(&choice->path);
    if (names->elsewhere)
        return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_LEDGER_SHARE, NULL,
                             "%s has further names (hard links) in other folders, where its ledger "
                             "may stand: name the ledger",
                             input);
    for (size_t i = 0; i < names->count; i++) {
        if (is_symbolic(names->items[i]) || !folder_is_writable(names->items[i])) continue;
        name_ledger(&choice->path, names->items[i], input);
        break;
    }
    return sbl_text_check(&choice->path, "a file name", err);
}

/* The data's own; choice->path stays empty where there is none and none can be made. */
static sbl_status choose_beside(sbl_ledger_choice *choice, const char *input, sbl_error *err)
{
    name_list names = {0};
    sbl_status status = SBL_OK;
    if (input == NULL) return SBL_OK;
    choice->store = sbl_file_item(input).store;
    SBL_TRY(find_names(&names, strcmp(input, "-") == 0 ? STDIN : input, err));
    SBL_TRY(find_ledger(choice, &names, input, err));
    if (!choice->is_there) SBL_TRY(place_ledger(choice, &names, input, err));
done:
    clear_names(&names);
    return status;
}

/* NAME.ledger as a link to the ledger at this full path: by its name alone where both are in one folder, which can be
 * moved then. That it cannot be made is not told: the ledger that is charged is right all the same. */
static sbl_status link_beside(const char *name, const char *ledger, sbl_error *err)
{
    const size_t folder = (size_t)(strrchr(name, '/') - name) + 1;
    const bool near = strncmp(name, ledger, folder) == 0 && strchr(ledger + folder, '/') == NULL;
    sbl_text path = {0};
    sbl_text_printf(&path, "%s" SBL_ENDING_LEDGER, name);
    const sbl_status status = sbl_text_check(&path, "a file name", err);
    if (status == SBL_OK && strcmp(path.data, ledger) != 0 &&
        symlink(near ? ledger + folder : ledger, path.data) != 0)
        errno = 0; /* not told */
    sbl_text_clear(&path);
    return status;
}

sbl_status sbl_ledger_link_list(const sbl_ledger_choice *choice, const char *input, sbl_error *err)
{
    char ledger[PATH_MAX];
    struct stat seen;
    name_list names = {0};
    sbl_status status = SBL_OK;
    if (!choice->beside || strchr(input, ',') == NULL || stat(input, &seen) == 0 ||
        realpath(choice->path.data, ledger) == NULL)
        return SBL_OK;
    SBL_TRY(find_names(&names, input, err));
    for (size_t i = 0; i < names.count; i++)
        if (!is_symbolic(names.items[i])) SBL_TRY(link_beside(names.items[i], ledger, err));
done:
    clear_names(&names);
    return status;
}

sbl_status sbl_ledger_choose(sbl_ledger_choice *choice, sbl_item given, const char *input,
                             sbl_item stem, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *choice = (sbl_ledger_choice){.store = given.store, .is_there = given.store != NULL};
    if (choice->is_there) {
        sbl_text_printf(&choice->path, "%s", given.name);
        return sbl_text_check(&choice->path, "a file name", err);
    }
    SBL_TRY(choose_beside(choice, input, err));
    choice->beside = choice->path.data != NULL;
    if (choice->beside) goto done;
    choice->store = stem.store;
    choice->fell_back = true;
    sbl_text_printf(&choice->path, "%s" SBL_ENDING_LEDGER, stem.name);
    SBL_TRY(sbl_text_check(&choice->path, "a file name", err));
    choice->is_there = sbl_item_exists(sbl_ledger_chosen(choice));
done:
    return status;
}

sbl_status sbl_ledger_make_unlimited(sbl_item ledger, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key,
                                     sbl_error *err)
{
    sbl_ledger_facts facts = {.neighbours = neighbours,
                              .by_person = rows_per_unit != 0,
                              .rows_per_unit = rows_per_unit != 0 ? rows_per_unit : 1,
                              .test_key = test_key};
    char number[SBL_DOUBLE_TEXT_SIZE];
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%s", SBL_NO_LIMIT);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "%s",
                   delta > 0.0 ? sbl_double_to_text(number, delta) : USUAL_DELTA);
    return sbl_ledger_create(ledger, &facts, err);
}
