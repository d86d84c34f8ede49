/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the worst relations and names them.
 *
 * A distance D of tables with n_a and n_b rows changes by at most 1 / n when one row does. So a second sample exceeds
 * E[D] + sqrt((1 / n_a + 1 / n_b) ln(K / chance) / 2) in one of K relations with at most this chance (McDiarmid and
 * the union bound). Both terms grow with the effect of persons. Relations are ordered by what is beyond E[D]. */
#include "owner/fidelity/worst_relations.h"

#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"

#define CHANCE 0.01
#define MOST_NAMED 5
#define MOST_OF_A_COLUMN 2 /* named relations that one column is in */

sbl_status sbl_relations_add(sbl_relations *relations, const sbl_relation *relation, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (relations->count == relations->room) {
        const size_t room = relations->room != 0 ? 2 * relations->room : 64;
        SBL_RESIZE(relations->items, room, "distances");
        relations->room = room;
    }
    relations->items[relations->count] = *relation;
    relations->items[relations->count].table = relations->table;
    relations->items[relations->count++].parent = relations->parent;
done:
    return status;
}

void sbl_relations_clear(sbl_relations *relations)
{
    sbl_free_wiped(relations->items, relations->room * sizeof *relations->items);
    *relations = (sbl_relations){0};
}

/* ---- names ---- */

static const char *const kind_names[] = {
    [SBL_RELATION_PAIR] = "pair",        [SBL_RELATION_PREVIOUS] = "previous",
    [SBL_RELATION_PERSON] = "person",    [SBL_RELATION_ROWS] = "rows",
    [SBL_RELATION_FIRST] = "first",      [SBL_RELATION_CATEGORY] = "category",
    [SBL_RELATION_CHILDREN] = "children"};

/* For linked tables TABLE.COLUMN: a parent's columns already have such names. */
static void put_column(sbl_text *text, const sbl_relation *r, size_t i)
{
    const sbl_column *column = r->columns[i];
    const bool is_child = r->kind == SBL_RELATION_CHILDREN && i == 0;
    if (r->table != NULL && !column->per_unit && !is_child) sbl_text_printf(text, "%s.", r->table);
    sbl_text_printf(text, "%s", column->name);
}

static void put_first_words(sbl_text *text, const sbl_relation *r)
{
    switch (r->kind) {
    case SBL_RELATION_ROWS:
        sbl_text_printf(text, "number of rows of a person");
        return;
    case SBL_RELATION_FIRST:
        sbl_text_printf(text, "first ");
        put_column(text, r, 0);
        if (r->parent != NULL)
            sbl_text_printf(text, " per row of %s", r->parent);
        else
            sbl_text_printf(text, " of a person");
        return;
    case SBL_RELATION_CHILDREN:
        sbl_text_printf(text, "number of rows of %s per row of %s", r->columns[0]->name, r->table);
        return;
    case SBL_RELATION_PREVIOUS:
        put_column(text, r, 1);
        return;
    case SBL_RELATION_PAIR:
    case SBL_RELATION_PERSON:
    case SBL_RELATION_CATEGORY:
        put_column(text, r, 0);
        return;
    }
}

static void put_words(sbl_text *text, const sbl_relation *r)
{
    put_first_words(text, r);
    if (r->columns[1] == NULL) return;
    sbl_text_printf(text, r->kind == SBL_RELATION_PREVIOUS   ? " with the previous "
                          : r->kind == SBL_RELATION_CATEGORY ? " where "
                                                             : " with ");
    put_column(text, r, r->kind == SBL_RELATION_PREVIOUS ? 0 : 1);
    if (r->kind == SBL_RELATION_CATEGORY) sbl_text_printf(text, " is %s", r->category);
}

/* Takes the text. */
static json_t *text_json(sbl_text *text)
{
    json_t *made = text->failed ? NULL : json_string(text->data);
    sbl_text_clear(text);
    return made;
}

static double expected_of(const sbl_relation *r) { return fmin(r->effect * r->expected, 1.0); }

static json_t *relation_json(const sbl_relation *r)
{
    sbl_text words = {0};
    json_t *columns = json_array();
    put_words(&words, r);
    for (size_t i = 0; i < 2; i++) {
        sbl_text name = {0};
        if (r->columns[i] == NULL || (r->kind == SBL_RELATION_CHILDREN && i == 0)) continue;
        put_column(&name, r, i);
        columns = sbl_json_append(columns, text_json(&name));
    }
    return json_pack("{s:o, s:s, s:o, s:f, s:f}", "what", text_json(&words), "relation", kind_names[r->kind],
                     "columns", columns, "distance", r->distance, "second_sample", expected_of(r));
}

/* ---- the choice ---- */

enum { PAIRS, HISTORIES, PARENTS, GROUPS };
static const char *const group_names[GROUPS] = {"pairs", "histories", "parents"};

/* GROUPS: none. In one table a person's column and one of its rows are a pair of columns. In linked tables the number
 * of child rows says how many rows a parent has, also if it has none. */
static int group_of(const sbl_relation *r)
{
    switch (r->kind) {
    case SBL_RELATION_PAIR:
    case SBL_RELATION_CATEGORY:
        return PAIRS;
    case SBL_RELATION_PREVIOUS:
    case SBL_RELATION_FIRST:
        return HISTORIES;
    case SBL_RELATION_ROWS:
        return r->table != NULL ? GROUPS : HISTORIES;
    case SBL_RELATION_PERSON:
    case SBL_RELATION_CHILDREN:
        return r->table != NULL ? PARENTS : GROUPS;
    }
    return GROUPS;
}

/* Those of a group that are named. */
typedef struct choice {
    const sbl_relation *named[MOST_NAMED];
    size_t count;
} choice;

static bool is_in(const sbl_relation *r, const sbl_column *column)
{
    return column != NULL && (r->columns[0] == column || r->columns[1] == column);
}

static bool may_be_named(const choice *c, const sbl_relation *r)
{
    size_t uses[2] = {0};
    for (size_t k = 0; k < c->count; k++) {
        if (c->named[k] == r) return false;
        for (size_t i = 0; i < 2; i++) uses[i] += is_in(c->named[k], r->columns[i]);
    }
    return uses[0] < MOST_OF_A_COLUMN && uses[1] < MOST_OF_A_COLUMN;
}

/* Adds the worst that may be named; false when there is none. */
static bool choose_next(choice *c, const sbl_relations *relations, int group, size_t group_count)
{
    const sbl_relation *worst = NULL;
    for (size_t i = 0; i < relations->count; i++) {
        const sbl_relation *r = &relations->items[i];
        const double chance = sqrt(r->sizes * log((double)group_count / CHANCE) / 2.0);
        if (group_of(r) != group || !(r->distance > r->effect * (r->expected + chance))) continue;
        if (worst != NULL && r->distance - expected_of(r) <= worst->distance - expected_of(worst)) continue;
        if (may_be_named(c, r)) worst = r;
    }
    if (worst != NULL) c->named[c->count++] = worst;
    return worst != NULL;
}

static json_t *group_json(const sbl_relations *relations, int group)
{
    choice c = {0};
    size_t count = 0;
    for (size_t i = 0; i < relations->count; i++) count += group_of(&relations->items[i]) == group;
    if (count == 0) return json_null();
    json_t *list = json_array();
    while (c.count < MOST_NAMED && choose_next(&c, relations, group, count)) continue;
    for (size_t k = 0; k < c.count; k++) list = sbl_json_append(list, relation_json(c.named[k]));
    return list;
}

sbl_status sbl_measure_worst(json_t **result, const sbl_relations *relations, sbl_error *err)
{
    *result = json_object();
    for (int group = 0; group < GROUPS; group++)
        *result = sbl_json_put(*result, group_names[group], group_json(relations, group));
    return *result != NULL ? SBL_OK : sbl_no_memory(err, "the worst relations");
}
