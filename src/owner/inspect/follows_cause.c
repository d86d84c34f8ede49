/* SPDX-License-Identifier: Apache-2.0 */
/* A category leads to a code if nearly all of its rows hold it, and would not by chance. Of many categories most are rare. Those that
 * begin with the same characters, as codes of one chapter do, are taken together: all of a group follow if the group does and none of
 * its frequent ones disagrees. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/rule_follows.h"

#define LEAST_OTHERS 0.05 /* of all rows hold something else */
#define LONGEST_PREFIX 3  /* characters */

typedef struct group {
    uint64_t rows, kept, persons; /* persons: of those that are kept */
    size_t categories;
    bool agree; /* no frequent one of them disagrees */
} group;

static void take(group *g, const sbl_follows_pair *pair, size_t v, size_t code)
{
    const sbl_rule_cell *cells = pair->cells + v * pair->codes;
    for (size_t i = 0; i < pair->codes; i++) g->rows += cells[i].rows;
    g->kept += cells[code].rows;
    g->persons |= cells[code].persons;
    g->categories++;
}

static group whole(const sbl_follows_pair *pair, size_t categories, size_t code)
{
    group all = {0};
    for (size_t v = 0; v < categories; v++) take(&all, pair, v, code);
    return all;
}

static bool leads(const group *g, double share)
{
    return g->rows >= SBL_RULE_ROWS && sbl_rule_nearly(g->kept, g->rows) &&
           sbl_rule_persons_suffice(g->persons) && (double)g->kept * -log(share) >= SBL_RULE_SURPRISE;
}

/* How many bytes the first characters of a text have; 0: it is not longer. */
static size_t prefix_of(const char *text, size_t characters)
{
    size_t length = 0;
    for (; characters > 0 && text[length] != '\0'; characters--) do
            length++;
        while (((unsigned char)text[length] & 0xC0) == 0x80);
    return characters == 0 && text[length] != '\0' ? length : 0;
}

static bool is_alike(const char *a, const char *b, size_t length) { return strncmp(a, b, length) == 0; }

/* The group of all categories that begin as v does. */
static group gather(const sbl_rule_follows *follows, const sbl_follows_pair *pair, size_t v, size_t length,
                    size_t code)
{
    const sbl_strings *names = &sbl_follows_facts(follows, pair->from)->categories;
    group all = {.agree = true};
    for (size_t w = 0; w < names->count; w++) {
        group own = {0};
        if (!is_alike(names->items[w], names->items[v], length)) continue;
        take(&own, pair, w, code);
        if (own.rows >= SBL_RULE_ROWS && !sbl_rule_nearly(own.kept, own.rows)) all.agree = false;
        take(&all, pair, w, code);
    }
    return all;
}

/* Choose v, or all that begin as it does with a prefix as short as can be. A prefix that says no more than the group around it is not
 * chosen: of many categories some agree by chance. */
static void choose(sbl_follows_cause *cause, const sbl_rule_follows *follows, const sbl_follows_pair *pair,
                   size_t v, size_t code, double share)
{
    const sbl_strings *names = &sbl_follows_facts(follows, pair->from)->categories;
    group own = {0};
    for (size_t n = 1; names->count > SBL_FOLLOWS_FEW && n <= LONGEST_PREFIX; n++) {
        const size_t length = prefix_of(names->items[v], n);
        if (length == 0) break;
        const group all = gather(follows, pair, v, length, code);
        if (all.agree && all.categories > 1 && all.categories < names->count && leads(&all, share)) {
            for (size_t w = 0; w < names->count; w++)
                if (is_alike(names->items[w], names->items[v], length)) cause->chosen[w] = true;
            return;
        }
        if (all.rows > 0) share = fmax(share, (double)all.kept / (double)all.rows);
    }
    take(&own, pair, v, code);
    if (leads(&own, share)) cause->chosen[v] = true;
}

sbl_status sbl_follows_find_cause(sbl_follows_cause *cause, const sbl_rule_follows *follows,
                                  const sbl_follows_pair *pair, size_t code, sbl_error *err)
{
    const size_t categories = sbl_follows_facts(follows, pair->from)->categories.count;
    const group all = whole(pair, categories, code);
    const double share = all.rows > 0 ? (double)all.kept / (double)all.rows : 1;
    group chosen = {0};
    sbl_status status = SBL_OK;
    *cause = (sbl_follows_cause){0};
    SBL_ALLOC(cause->chosen, categories, "constraints");
    for (size_t v = 0; share <= 1 - LEAST_OTHERS && v < categories; v++)
        if (!cause->chosen[v]) choose(cause, follows, pair, v, code, share);
    for (size_t v = 0; v < categories; v++)
        if (cause->chosen[v]) take(&chosen, pair, v, code);
    cause->count = chosen.categories;
    cause->rows = chosen.rows;
    cause->kept = chosen.kept;
    cause->use = all.rows > 0 ? (double)chosen.rows / (double)all.rows * (1 - share) : 0;
done:
    return status;
}
