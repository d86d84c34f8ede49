/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns that hold keys of another file are foreign keys: nearly all of their values are keys, and that is not by chance. Small
 * whole numbers are among the keys of any table that counts its rows, so that they need a name or many keys that agree. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "owner/inspect/package_links.h"

#define NEARLY_ALL 0.99 /* of the values are keys */
#define MANY_KEYS 100
#define PART_NAMED 0.1  /* of many keys are named */
#define MOST_NAMED 0.5  /* of few keys are named */
#define SHORTEST_STEM 3 /* bytes of a table's name without its plural */

/* ---- names ---- */

static bool has_inside(const char *text, const char *part, size_t length)
{
    for (; *text != '\0'; text++)
        if (strncasecmp(text, part, length) == 0) return true;
    return false;
}

/* Do the names say it: customers.id and orders.customer, or one name for both? */
bool sbl_link_is_named(const sbl_inspected_files *files, const sbl_key_link *link)
{
    const char *own = files->items[link->from].columns.items[link->column];
    const char *key = files->items[link->to].columns.items[link->key];
    const char *table = files->items[link->to].name;
    size_t stem = strlen(table);
    if (strcasecmp(own, key) == 0) return true;
    if (stem > 0 && tolower((unsigned char)table[stem - 1]) == 's') stem--;
    return stem >= SHORTEST_STEM && has_inside(own, table, stem);
}

static bool is_plain(const sbl_key_column *key) { return key->plain == key->cells; }

static bool is_good(const sbl_inspected_files *files, const sbl_key_link *link)
{
    const sbl_key_column *key = &files->items[link->to].keys[link->key];
    const double keys = (double)key->tags.count, named = (double)link->named;
    if (link->named < 2 || (double)link->found < NEARLY_ALL * (double)link->cells) return false;
    if (sbl_link_is_named(files, link)) return true;
    /* Rows that are counted from 1 on have the numbers of any longer table. */
    if (is_plain(key) && !files->items[link->from].keys[link->column].dropped) return false;
    if (keys >= MANY_KEYS) return !is_plain(key) || named >= PART_NAMED * keys;
    return !is_plain(key) && named >= MOST_NAMED * keys;
}

static double share_named(const sbl_inspected_files *files, const sbl_key_link *link)
{
    return (double)link->named / (double)files->items[link->to].keys[link->key].tags.count;
}

/* Is the first a better link of a column, or between two files, than the second? */
static bool is_better(const sbl_inspected_files *files, const sbl_key_link *a, const sbl_key_link *b)
{
    const bool x = sbl_link_is_named(files, a), y = sbl_link_is_named(files, b);
    if (x != y) return x;
    return share_named(files, a) > share_named(files, b);
}

/* Two tables with the same keys, one row each, refer to each other: the one with fewer rows refers to the other. */
static bool is_turned(const sbl_inspected_files *files, const sbl_key_link *a, const sbl_key_link *b)
{
    const uint64_t own = files->items[a->from].rows, other = files->items[a->to].rows;
    if (a->from != b->to || a->to != b->from || a->column != b->key || a->key != b->column) return false;
    return own > other || (own == other && a->from < a->to);
}

/* A column refers to one table, and a table to another by one column. */
void sbl_package_judge_links(sbl_inspected_files *files)
{
    for (size_t i = 0; i < files->link_count; i++) files->links[i].good = is_good(files, &files->links[i]);
    for (size_t i = 0; i < files->link_count; i++)
        for (size_t k = 0; k < files->link_count; k++) {
            sbl_key_link *a = &files->links[i], *b = &files->links[k];
            if (i == k || !a->good || !b->good) continue;
            if (is_turned(files, a, b)) a->good = false;
            if (a->from != b->from || (a->to != b->to && a->column != b->column)) continue;
            if (is_better(files, b, a) || (k < i && !is_better(files, a, b))) a->good = false;
        }
}
