/* SPDX-License-Identifier: Apache-2.0 */
/* The table of persons refers to no other but short lists, and no row of it has a large share of the rows that refer to it: wards have,
 * patients have not. Short lists may be public. Every other table belongs to one parent: of
 * several, the one that is below the others. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/package_links.h"

#define WHAT "keys"
#define MOST_LOOKUP 1000  /* keys of a table that may be public */
#define LOOKUP_ROWS 10    /* rows that refer to one of its rows, on average */
#define LOOKUP_SHARE 0.02 /* of the rows refer to the same one */

static const char *path_of(const sbl_inspected_files *files, size_t f) { return files->items[f].table.name; }

static const char *column_of(const sbl_inspected_files *files, size_t f, size_t c)
{
    return files->items[f].columns.items[c];
}

/* ---- bad packages ---- */

static bool same_columns(const sbl_inspected_file *a, const sbl_inspected_file *b)
{
    if (a->columns.count != b->columns.count) return false;
    for (size_t c = 0; c < a->columns.count; c++)
        if (strcmp(a->columns.items[c], b->columns.items[c]) != 0) return false;
    return true;
}

static sbl_status check_columns(const sbl_inspected_files *files, sbl_error *err)
{
    for (size_t f = 0; f < files->count; f++)
        for (size_t g = 0; g < f; g++)
            if (same_columns(&files->items[f], &files->items[g]))
                return sbl_fail(err, SBL_EINPUT,
                                "%s and %s have the same columns, so that they are parts of one table: give "
                                "them as one, with a "
                                "comma between their names",
                                path_of(files, g), path_of(files, f));
    return SBL_OK;
}

/* Do most cells of a column look so, and few of another? */
static bool differ(uint64_t own, uint64_t cells, uint64_t other, uint64_t others)
{
    return 2 * own > cells && 2 * other <= others;
}

/* How two columns are written that should hold the same keys, if that may be why they do not. */
static const char *writing_of(const sbl_key_column *a, const sbl_key_column *b)
{
    if (differ(a->pointed, a->cells, b->pointed, b->cells) ||
        differ(b->pointed, b->cells, a->pointed, a->cells))
        return ": one of them has numbers such as 1001.0 and the other one does not, so write both in one "
               "way";
    const uint64_t zeros = a->zero_led > b->zero_led ? a->zero_led : b->zero_led;
    if (zeros > 0 && (a->zero_led == 0 || b->zero_led == 0) && a->plain > 0 && b->plain > 0)
        return ": one of them has leading zeros and the other one does not, so write both in one way";
    return NULL;
}

/* The rows of one of two columns that hold a key of the other, if that was counted and they are most; else NULL. */
static const sbl_key_link *link_of(const sbl_inspected_files *files, size_t f, size_t c, size_t g, size_t d)
{
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        const bool down = link->from == f && link->column == c && link->to == g && link->key == d;
        const bool up = link->from == g && link->column == d && link->to == f && link->key == c;
        if ((down || up) && link->cells > 0 && 2 * link->found > link->cells) return link;
    }
    return NULL;
}

/* Of two columns with one name that do not hold the same keys. */
static sbl_status fail_shared(const sbl_inspected_files *files, size_t f, size_t c, size_t to, size_t key,
                              sbl_error *err)
{
    const char *why = writing_of(&files->items[f].keys[c], &files->items[to].keys[key]);
    const sbl_key_link *link = link_of(files, f, c, to, key);
    const char *name = column_of(files, f, c);
    if (why == NULL && link != NULL)
        return sbl_fail(err, SBL_EINPUT,
                        "%s and %s share the column '%.100s', but only %.3g %% of the rows of %s hold one of "
                        "the other's: "
                        "at least 99 %% are needed, so remove the rows without a key, correct the keys, or "
                        "leave out a file",
                        path_of(files, f), path_of(files, to), name,
                        100.0 * (double)link->found / (double)link->cells, path_of(files, link->from));
    return sbl_fail(
        err, SBL_EINPUT,
        "%s and %s share the column '%.100s', but the values of neither are nearly all among unique "
        "values of the other%s",
        path_of(files, f), path_of(files, to), name,
        why != NULL ? why : ": correct the keys, or leave out a file");
}

/* Of a file that no key links to the others. A column with the name of a key is the likely reason. */
static sbl_status fail_unlinked(const sbl_inspected_files *files, size_t f, sbl_error *err)
{
    const sbl_inspected_file *file = &files->items[f];
    for (size_t c = 0; c < file->columns.count; c++)
        for (size_t to = 0; to < files->count; to++)
            for (size_t key = 0; key < files->items[to].columns.count; key++)
                if (to != f && strcmp(file->columns.items[c], column_of(files, to, key)) == 0)
                    return fail_shared(files, f, c, to, key, err);
    return sbl_fail(err, SBL_EINPUT,
                    "%s: no column of it holds the keys of another file, and no other file holds its keys: "
                    "correct the keys, or "
                    "leave it out",
                    path_of(files, f));
}

/* ---- root and look-up tables ---- */

/* Does it refer to a table that is not a look-up table? */
static bool has_parent(const sbl_inspected_files *files, size_t f)
{
    for (size_t i = 0; i < files->link_count; i++)
        if (files->links[i].good && files->links[i].from == f && !files->items[files->links[i].to].lookup)
            return true;
    return false;
}

/* The largest share of the rows of another table that one row of it has; 0: no table refers to it. */
static double top_share(const sbl_inspected_files *files, size_t f)
{
    double share = 0;
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        uint32_t most = 0;
        if (!link->good || link->to != f) continue;
        for (size_t k = 1; k <= files->items[f].keys[link->key].tags.count; k++)
            if (link->children[k] > most) most = link->children[k];
        const double own = (double)most / (double)link->cells;
        if (own > share) share = own;
    }
    return share;
}

/* Is it a short list, each row of which many rows of every table that refers to it share? */
static bool is_lookup(const sbl_inspected_files *files, size_t f)
{
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        if (link->good && link->to == f && link->cells < LOOKUP_ROWS * files->items[f].rows) return false;
    }
    return !has_parent(files, f) && files->items[f].rows <= MOST_LOOKUP &&
           top_share(files, f) >= LOOKUP_SHARE;
}

/* Of several tables that refer to no other, the one whose rows share the least. */
static sbl_status find_root(size_t *root, sbl_inspected_files *files, sbl_error *err)
{
    double least = 2;
    *root = files->count;
    for (size_t f = 0; f < files->count; f++) files->items[f].lookup = is_lookup(files, f);
    for (size_t f = 0; f < files->count; f++) {
        const double share = top_share(files, f);
        if (files->items[f].lookup || has_parent(files, f)) continue;
        if (share == 0) return fail_unlinked(files, f, err);
        if (share >= least) continue;
        least = share;
        *root = f;
    }
    if (*root == files->count)
        return sbl_fail(err, SBL_EINPUT,
                        "no file is the table of persons, which others refer to and which refers to none: "
                        "correct the keys, or add it");
    for (size_t f = 0; f < files->count; f++) {
        if (f == *root || has_parent(files, f)) continue;
        if (files->items[f].rows > MOST_LOOKUP)
            return sbl_fail(err, SBL_EINPUT,
                            "%s and %s both refer to no other file, and neither is a short list that may be "
                            "public: leave out one of "
                            "them",
                            path_of(files, *root), path_of(files, f));
        files->items[f].lookup = true;
    }
    return SBL_OK;
}

/* ---- parents ---- */

/* Is a file among those that another refers to, directly or through others? */
static bool is_above(const sbl_inspected_files *files, size_t upper, size_t lower, size_t depth)
{
    for (size_t i = 0; depth > 0 && i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        if (link->good && link->from == lower &&
            (link->to == upper || is_above(files, upper, link->to, depth - 1)))
            return true;
    }
    return false;
}

/* Is there a parent below this one? */
static bool is_passed(const sbl_inspected_files *files, const sbl_key_link *link)
{
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *other = &files->links[i];
        if (other != link && other->good && other->from == link->from && !files->items[other->to].lookup &&
            is_above(files, link->to, other->to, files->count))
            return true;
    }
    return false;
}

static sbl_status find_parent(sbl_inspected_files *files, size_t f, sbl_error *err)
{
    sbl_inspected_file *file = &files->items[f];
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        if (!link->good || link->from != f || files->items[link->to].lookup || is_passed(files, link))
            continue;
        if (file->parent != SBL_NO_TABLE)
            return sbl_fail(err, SBL_EINPUT,
                            "%s holds keys of %s and of %s, and neither is below the other: leave out the "
                            "one that does not own its "
                            "rows",
                            path_of(files, f), path_of(files, file->parent), path_of(files, link->to));
        file->parent = link->to;
        file->parent_key = link->column;
        file->link = i;
    }
    if (file->parent == SBL_NO_TABLE) return fail_unlinked(files, f, err);
    sbl_inspected_file *parent = &files->items[file->parent];
    const size_t key = files->links[file->link].key;
    if (parent->key != SBL_NO_COLUMN && parent->key != key)
        return sbl_fail(
            err, SBL_EINPUT,
            "%s has two keys that other files hold, '%.100s' and '%.100s': use one of them in all files",
            path_of(files, file->parent), column_of(files, file->parent, parent->key),
            column_of(files, file->parent, key));
    parent->key = key;
    return SBL_OK;
}

/* Is the root at the end of the chain? */
static sbl_status check_chain(const sbl_inspected_files *files, size_t f, size_t root, sbl_error *err)
{
    size_t at = f;
    for (size_t steps = 0; at != root && steps < files->count; steps++) at = files->items[at].parent;
    return at == root
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT,
                          "%s holds keys of files that hold its own, in a circle: leave out one of them",
                          path_of(files, f));
}

/* The key of a look-up table is that of any link to it. */
static void name_lookups(sbl_inspected_files *files)
{
    for (size_t i = 0; i < files->link_count; i++)
        if (files->links[i].good && files->items[files->links[i].to].lookup)
            files->items[files->links[i].to].key = files->links[i].key;
}

sbl_status sbl_package_choose_tree(sbl_inspected_files *files, sbl_error *err)
{
    size_t root;
    SBL_CHECK(check_columns(files, err));
    sbl_package_judge_links(files);
    SBL_CHECK(find_root(&root, files, err));
    for (size_t f = 0; f < files->count; f++)
        if (f != root && !files->items[f].lookup) SBL_CHECK(find_parent(files, f, err));
    for (size_t f = 0; f < files->count; f++)
        if (!files->items[f].lookup) SBL_CHECK(check_chain(files, f, root, err));
    name_lookups(files);
    if (files->items[root].key == SBL_NO_COLUMN) return fail_unlinked(files, root, err);
    return SBL_OK;
}

size_t sbl_package_order(size_t *order, const sbl_inspected_files *files)
{
    size_t count = 0;
    for (size_t f = 0; f < files->count; f++)
        if (!files->items[f].lookup && files->items[f].parent == SBL_NO_TABLE) order[count++] = f;
    for (size_t at = 0; at < count; at++)
        for (size_t f = 0; f < files->count; f++)
            if (!files->items[f].lookup && files->items[f].parent == order[at]) order[count++] = f;
    return count;
}
