/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for NAME.ledger next to every name of the data (data_names.h), else chooses the first name, in byte
 * order, whose folder is writable. Two ledgers, or hard links in folders that are not known, are refused
 * rather than guessed: charges to different ledgers would never be added up. */
#include "run/pipeline/ledger_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "door/ledger/ledger_book.h"
#include "semblance/files.h"

#define USUAL_DELTA \
    "1e-05" /* of a ledger whose first release is pure: for those that come later \
             */

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

/* For a link, the ledger that it leads to, by its one name. A link that leads nowhere stays, and opening it reports
 * the error. */
static sbl_status follow_link(bool *broken, sbl_text *path, const char *input, sbl_error *err)
{
    char real[PATH_MAX];
    *broken = realpath(path->data, real) == NULL;
    if (*broken) return SBL_OK;
    sbl_text_clear(path);
    sbl_text_printf(path, "%s", shorten(real, input));
    return sbl_text_check(path, "a file name", err);
}

/* For messages: the input, or the first table of several that have no package. */
static const char *shown(const sbl_data_places *places)
{
    for (size_t t = 0; places->input == NULL && t < places->table_count; t++)
        if (places->tables[t] != NULL) return places->tables[t];
    return places->input != NULL ? places->input : "the data";
}

static sbl_status fail_two(const char *input, const char *one, const char *other, sbl_error *err)
{
    return sbl_fail_hint(
        err, SBL_EINPUT, SBL_HINT_LEDGER_SHARE, NULL,
        "%s has two ledgers, %s and %s, and neither has the total cost: name the one to charge", input, one,
        other);
}

/* The one that is there. */
static sbl_status find_ledger(sbl_ledger_choice *choice, const sbl_data_names *names, const char *input,
                              sbl_error *err)
{
    sbl_text other = {0};
    bool broken = false, first_broken = false;
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < names->count; i++) {
        sbl_text *path = choice->is_there ? &other : &choice->path;
        name_ledger(path, names->items[i].path, input);
        SBL_TRY(sbl_text_check(path, "a file name", err));
        if (!sbl_store_entry_exists(sbl_file_item(path->data))) continue;
        SBL_TRY(follow_link(&broken, path, input, err));
        if (choice->is_there && (strcmp(choice->path.data, other.data) == 0 ||
                                 (broken && first_broken))) /* all lead to one that is gone */
            continue;
        if (choice->is_there) {
            status = fail_two(input, choice->path.data, other.data, err);
            goto done;
        }
        choice->is_there = true;
        first_broken = broken;
    }
done:
    sbl_text_clear(&other);
    return status;
}

/* The first name of this kind next to which a file can be made; NULL: there is none. */
static const char *find_place(const sbl_data_names *names, sbl_name_kind kind)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *path = names->items[i].path;
        if (names->items[i].kind == kind && !sbl_path_is_symbolic(path) && folder_is_writable(path))
            return path;
    }
    return NULL;
}

/* One that can be made, where none is there; choice->path stays empty where none can. */
static sbl_status place_ledger(sbl_ledger_choice *choice, const sbl_data_names *names, const char *input,
                               sbl_error *err)
{
    sbl_text_clear(&choice->path);
    if (names->elsewhere)
        return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_LEDGER_SHARE, NULL,
                             "%s has other names (hard links) in other folders, where its ledger may be: "
                             "name the ledger to charge",
                             input);
    const char *place = find_place(names, SBL_NAME_OWN);
    if (place == NULL) place = find_place(names, SBL_NAME_PART);
    if (place != NULL) name_ledger(&choice->path, place, input);
    return sbl_text_check(&choice->path, "a file name", err);
}

/* The data's own; choice->path stays empty where there is none and none can be made. */
static sbl_status choose_beside(sbl_ledger_choice *choice, const sbl_data_places *places, sbl_error *err)
{
    sbl_data_names names = {0};
    const char *input = shown(places);
    sbl_status status = SBL_OK;
    choice->store = sbl_file_item(input).store;
    SBL_TRY(sbl_data_names_find(&names, places, err));
    SBL_TRY(find_ledger(choice, &names, input, err));
    if (!choice->is_there) SBL_TRY(place_ledger(choice, &names, input, err));
done:
    sbl_data_names_clear(&names);
    return status;
}

/* ---- links to it ---- */

/* From the folder of `name` to the ledger, relative where the folder of one holds the other, so that they can be moved
 * together; else the full path. */
static void find_way(sbl_text *way, const char *name, const char *ledger)
{
    const size_t here = (size_t)(strrchr(name, '/') - name) + 1;
    const size_t there = (size_t)(strrchr(ledger, '/') - ledger) + 1;
    const size_t shorter = here < there ? here : there;
    if (shorter == 1 || strncmp(name, ledger, shorter) != 0) {
        sbl_text_printf(way, "%s", ledger);
        return;
    }
    for (const char *at = name + shorter; (at = strchr(at, '/')) != NULL; at++) sbl_text_printf(way, "../");
    sbl_text_printf(way, "%s", ledger + shorter);
}

/* Is the ledger that of a folder around this name, where it is looked for anyway? */
static bool is_of_holder(const char *name, const char *ledger)
{
    const size_t folder = strlen(ledger) - (sizeof SBL_ENDING_LEDGER - 1);
    return strcmp(ledger + folder, SBL_ENDING_LEDGER) == 0 && strncmp(name, ledger, folder) == 0 &&
           name[folder] == '/' && sbl_name_is_in_folders(name);
}

/* NAME.ledger as a link to the ledger at this full path. That it cannot be made is not reported: the ledger that is charged
 * is right all the same. Another ledger that appeared there since is refused. */
static sbl_status link_beside(const char *name, const char *ledger, const char *input, sbl_error *err)
{
    char real[PATH_MAX];
    sbl_text path = {0}, way = {0};
    sbl_status status = SBL_OK;
    if (is_of_holder(name, ledger)) return SBL_OK;
    sbl_text_printf(&path, "%s" SBL_ENDING_LEDGER, name);
    find_way(&way, name, ledger);
    SBL_TRY(sbl_text_check(&path, "a file name", err));
    SBL_TRY(sbl_text_check(&way, "a file name", err));
    if (strcmp(path.data, ledger) != 0 && symlink(way.data, path.data) != 0 && errno == EEXIST &&
        realpath(path.data, real) != NULL && strcmp(real, ledger) != 0)
        status = fail_two(input, ledger, path.data, err);
    errno = 0; /* not reported */
done:
    sbl_text_clear(&path);
    sbl_text_clear(&way);
    return status;
}

sbl_status sbl_ledger_link(const sbl_ledger_choice *choice, const sbl_data_places *places, sbl_error *err)
{
    char ledger[PATH_MAX];
    sbl_data_names names = {0};
    sbl_status status = SBL_OK;
    if (!choice->beside || realpath(choice->path.data, ledger) == NULL) return SBL_OK;
    SBL_TRY(sbl_data_names_find(&names, places, err));
    for (size_t i = 0; i < names.count; i++)
        if (names.items[i].kind != SBL_NAME_AROUND && !sbl_path_is_symbolic(names.items[i].path))
            SBL_TRY(link_beside(names.items[i].path, ledger, shown(places), err));
done:
    sbl_data_names_clear(&names);
    return status;
}

sbl_status sbl_ledger_choose(sbl_ledger_choice *choice, sbl_store_entry given, const sbl_data_places *places,
                             sbl_store_entry stem, sbl_error *err)
{
    *choice = (sbl_ledger_choice){.store = given.store, .is_there = given.store != NULL};
    if (choice->is_there) {
        sbl_text_printf(&choice->path, "%s", given.name);
        return sbl_text_check(&choice->path, "a file name", err);
    }
    SBL_CHECK(choose_beside(choice, places, err));
    choice->beside = choice->path.data != NULL;
    if (choice->beside) return SBL_OK;
    choice->store = stem.store;
    choice->fell_back = true;
    sbl_text_printf(&choice->path, "%s" SBL_ENDING_LEDGER, stem.name);
    SBL_CHECK(sbl_text_check(&choice->path, "a file name", err));
    choice->is_there = sbl_store_entry_exists(sbl_ledger_chosen(choice));
    return SBL_OK;
}

sbl_status sbl_ledger_make_unlimited(sbl_store_entry ledger, sbl_neighbours neighbours,
                                     uint64_t rows_per_unit, double delta, bool test_key, sbl_error *err)
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
