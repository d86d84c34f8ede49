/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the names of a data set: realpath, hard links in its folder, symbolic links on the way to it, each file of a
 * list, each table of a package, the folders around and the ledgers inside of a folder. No file is opened. */
#include "run/pipeline/data_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "semblance/files.h"

#define STDIN "/dev/stdin" /* what "-" means; where it is a file, the file */
#define MOST_LINKS 40      /* as many as a kernel follows */
#define MOST_DEPTH 32      /* folders in folders, as readers of folders follow them */

void sbl_data_names_clear(sbl_data_names *names)
{
    for (size_t i = 0; i < names->count; i++) sbl_free(names->items[i].path);
    sbl_free(names->items);
    *names = (sbl_data_names){0};
}

/* FOLDER (of this number of bytes, with its slash) and a name in it. */
static sbl_status add_name(sbl_data_names *names, sbl_name_kind kind, const char *folder, size_t length,
                           const char *name, sbl_error *err)
{
    sbl_text path = {0};
    sbl_status status = SBL_OK;
    SBL_RESIZE(names->items, names->count + 1, "a file name");
    sbl_text_append(&path, folder, length);
    sbl_text_printf(&path, "%s", name);
    SBL_TRY(sbl_text_check(&path, "a file name", err));
    names->items[names->count++] = (sbl_data_name){path.data, kind};
    return SBL_OK;
done:
    sbl_text_clear(&path);
    return status;
}

/* ---- links ---- */

/* The names of a file that has several, as far as they are in its folder. */
static sbl_status add_links(sbl_data_names *names, sbl_name_kind kind, const char *path,
                            const struct stat *file, sbl_error *err)
{
    const size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    const size_t before = names->count;
    char folder[PATH_MAX];
    struct stat seen;
    sbl_status status = SBL_OK;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    DIR *stream = opendir(folder);
    if (stream == NULL) status = add_name(names, kind, path, length, path + length, err);
    for (const struct dirent *e; stream != NULL && status == SBL_OK && (e = readdir(stream));)
        if (fstatat(dirfd(stream), e->d_name, &seen, AT_SYMLINK_NOFOLLOW) == 0 &&
            seen.st_dev == file->st_dev && seen.st_ino == file->st_ino)
            status = add_name(names, kind, folder, length, e->d_name, err);
    if (stream != NULL) (void)closedir(stream);
    if (names->count - before < file->st_nlink) names->elsewhere = true;
    return status;
}

bool sbl_path_is_symbolic(const char *path)
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
static sbl_status add_symbolic(sbl_data_names *names, sbl_name_kind kind, char item[PATH_MAX], sbl_error *err)
{
    char folder[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
    trim_end(item);
    for (size_t links = 0; links < MOST_LINKS && sbl_path_is_symbolic(item); links++) {
        const char *slash = strrchr(item, '/');
        const size_t length = slash != NULL ? (size_t)(slash - item) + 1 : 0;
        (void)snprintf(next, sizeof next, "%.*s.", (int)length, item);
        const ssize_t size = readlink(item, target, sizeof target - 1);
        if (size < 0 || realpath(next, folder) == NULL) break;
        target[size] = '\0';
        (void)snprintf(next, sizeof next, "%s/%s", folder, item + length);
        SBL_CHECK(add_name(names, kind, next, 0, next, err));
        const int needed = target[0] == '/' ? snprintf(next, sizeof next, "%s", target)
                                            : snprintf(next, sizeof next, "%s/%s", folder, target);
        if (needed < 0 || needed >= PATH_MAX) break;
        memcpy(item, next, (size_t)needed + 1);
        trim_end(item);
    }
    return SBL_OK;
}

/* ---- folders ---- */

static bool is_folder(const char *path)
{
    struct stat seen;
    return stat(path, &seen) == 0 && S_ISDIR(seen.st_mode);
}

bool sbl_name_is_in_folders(const char *path) { return sbl_path_is_parquet_file(path) || is_folder(path); }

/* The folders that hold this name, which is canonical. */
static sbl_status add_holders(sbl_data_names *names, const char *path, sbl_error *err)
{
    for (size_t length = strlen(path); length > 1;) {
        while (path[length - 1] != '/') length--;
        if (--length > 0) SBL_CHECK(add_name(names, SBL_NAME_AROUND, path, length, "", err));
    }
    return SBL_OK;
}

/* The symbolic links among the folders of a name as it is typed. */
static sbl_status add_typed_holders(sbl_data_names *names, const char *item, sbl_error *err)
{
    char folder[PATH_MAX];
    sbl_status status = SBL_OK;
    for (const char *slash = item; status == SBL_OK && (slash = strchr(slash, '/')) != NULL; slash++) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - item), item);
        if (slash > item) status = add_symbolic(names, SBL_NAME_AROUND, folder, err);
    }
    return status;
}

/* One entry of a folder: a part of the data with a ledger next to it, or a link out of the folder.
 * inside: is filled with the entry where it is a folder, else "" */
static sbl_status add_entry(sbl_data_names *names, char inside[PATH_MAX], const char *folder,
                            const char *entry, sbl_error *err)
{
    char real[PATH_MAX];
    const size_t name = strlen(entry), ending = sizeof SBL_ENDING_LEDGER - 1;
    const bool is_ledger = name > ending && strcmp(entry + name - ending, SBL_ENDING_LEDGER) == 0;
    const size_t kept = is_ledger ? name - ending : name;
    const int length = snprintf(inside, PATH_MAX, "%s/%.*s", folder, (int)kept, entry);
    const bool good = length > 0 && length < PATH_MAX && sbl_name_is_in_folders(inside);
    if (good && is_ledger) {
        const sbl_status status = add_name(names, SBL_NAME_AROUND, inside, 0, inside, err);
        inside[0] = '\0';
        return status;
    }
    const bool links = good && sbl_path_is_symbolic(inside) && realpath(inside, real) != NULL;
    if (!good || !is_folder(inside)) inside[0] = '\0';
    return links ? add_name(names, SBL_NAME_PART, real, 0, real, err) : SBL_OK;
}

/* What is inside of a folder, as readers of folders see it: what begins with . or _ is left out.
 * more: turns false where folders are too deep (or a circle of links), which ends the search: reading it fails, too. */
static sbl_status add_inside(sbl_data_names *names, bool *more, const char *folder, int depth, sbl_error *err)
{
    char inside[PATH_MAX];
    sbl_status status = SBL_OK;
    DIR *stream = opendir(folder);
    *more = *more && depth <= MOST_DEPTH;
    for (const struct dirent *e; stream != NULL && *more && (e = readdir(stream)) != NULL;) {
        if (e->d_name[0] == '.' || e->d_name[0] == '_') continue;
        SBL_TRY(add_entry(names, inside, folder, e->d_name, err));
        if (inside[0] != '\0') SBL_TRY(add_inside(names, more, inside, depth + 1, err));
    }
done:
    if (stream != NULL) (void)closedir(stream);
    return status;
}

/* ---- all of them ---- */

/* The names of one file or folder; none where it is neither. item: is changed. */
static sbl_status add_item(sbl_data_names *names, sbl_name_kind kind, char item[PATH_MAX], sbl_error *err)
{
    char real[PATH_MAX];
    struct stat seen;
    bool more = true;
    if (stat(item, &seen) != 0 || !(S_ISREG(seen.st_mode) || S_ISDIR(seen.st_mode)) ||
        realpath(item, real) == NULL)
        return SBL_OK;
    if (sbl_name_is_in_folders(real)) SBL_CHECK(add_typed_holders(names, item, err));
    const size_t own = names->count;
    SBL_CHECK(S_ISREG(seen.st_mode) && seen.st_nlink > 1 ? add_links(names, kind, real, &seen, err)
                                                         : add_name(names, kind, real, 0, real, err));
    SBL_CHECK(add_symbolic(names, kind, item, err));
    const size_t last = names->count;
    for (size_t i = own; sbl_name_is_in_folders(real) && i < last; i++)
        SBL_CHECK(add_holders(names, names->items[i].path, err));
    if (S_ISDIR(seen.st_mode)) SBL_CHECK(add_inside(names, &more, real, 0, err));
    return SBL_OK;
}

/* A file, or the files of a list. */
static sbl_status add_items(sbl_data_names *names, sbl_name_kind kind, const char *input, sbl_error *err)
{
    struct stat seen;
    char item[PATH_MAX];
    const bool is_list = stat(input, &seen) != 0;
    sbl_status status = SBL_OK;
    for (const char *at = input; status == SBL_OK && *at != '\0';) {
        const size_t length = is_list ? strcspn(at, ",") : strlen(at);
        (void)snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (length < sizeof item) status = add_item(names, kind, item, err);
        at += length + (at[length] == ',' ? 1 : 0);
    }
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    const sbl_data_name *one = a, *other = b;
    const int order = strcmp(one->path, other->path);
    return order != 0 ? order : (one->kind > other->kind) - (one->kind < other->kind);
}

/* Each once, as the closest kind that it is. */
static void sort_names(sbl_data_names *names)
{
    size_t kept = 0;
    if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, by_bytes);
    for (size_t i = 0; i < names->count; i++) {
        if (kept == 0 || strcmp(names->items[kept - 1].path, names->items[i].path) != 0)
            names->items[kept++] = names->items[i];
        else
            sbl_free(names->items[i].path);
    }
    names->count = kept;
}

sbl_status sbl_data_names_find(sbl_data_names *names, const sbl_data_places *places, sbl_error *err)
{
    const char *input = places->input;
    const sbl_name_kind kind = input != NULL ? SBL_NAME_PART : SBL_NAME_OWN;
    *names = (sbl_data_names){0};
    if (input != NULL)
        SBL_CHECK(add_items(names, SBL_NAME_OWN, strcmp(input, "-") == 0 ? STDIN : input, err));
    for (size_t t = 0; t < places->table_count; t++)
        if (places->tables[t] != NULL) SBL_CHECK(add_items(names, kind, places->tables[t], err));
    sort_names(names);
    return SBL_OK;
}
