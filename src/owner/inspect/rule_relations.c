/* SPDX-License-Identifier: Apache-2.0 */
/* Lists every relation of two or three columns of numbers and dates that a constraint could state, and drops each when too many
 * rows break it. Those that are left are reported where rows whose cells are mixed would break them: what holds only because of
 * where the columns lie says nothing. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "owner/inspect/rule_relations.h"

#define WHAT "constraints"
#define MOST_NUMBERS 20  /* columns of a kind that are compared with each other */
#define MOST_BROKEN 0.02 /* of the rows so far: a relation with more and then some is dropped */
#define SOME_BROKEN 8    /* rows */
#define WIDE 10          /* values of a number whose total with another is looked at */

/* ---- candidates ---- */

static bool is_own(const sbl_rule_relations *s, size_t c) { return s->view->columns[c].table == NULL; }

static void add(sbl_rule_relations *s, sbl_relation_kind kind, size_t a, size_t b, size_t c)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity * 2 + 64;
        sbl_relation *items = sbl_resize_array(s->items, capacity, sizeof *items);
        s->failed = s->failed || items == NULL;
        if (items == NULL) return;
        s->items = items;
        s->capacity = capacity;
    }
    s->items[s->count++] = (sbl_relation){.kind = kind, .a = a, .b = b, .c = c, .center = NAN};
}

typedef struct column_list {
    size_t items[MOST_NUMBERS];
    size_t count;
} column_list;

/* The columns of a kind that have values, at most this number. */
static void list_columns(column_list *list, const sbl_rule_relations *s, sbl_column_kind kind)
{
    for (size_t c = 0; c < s->view->count && list->count < MOST_NUMBERS; c++)
        if (s->view->columns[c].used && sbl_relation_facts(s, c)->kind == kind)
            list->items[list->count++] = c;
}

/* Orders of a pair of parents' columns are not reported, but others may follow from them. */
static void add_orders(sbl_rule_relations *s, const column_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < list->count; j++) {
            const size_t a = list->items[i], b = list->items[j];
            if (i == j || sbl_relation_facts(s, a)->decimals != sbl_relation_facts(s, b)->decimals) continue;
            add(s, SBL_RELATION_ORDER, a, b, 0);
        }
}

static bool is_integer(const sbl_rule_relations *s, size_t c)
{
    return sbl_relation_facts(s, c)->type == SBL_TYPE_INTEGER;
}

static bool is_wide(const sbl_rule_relations *s, size_t c)
{
    const sbl_column *facts = sbl_relation_facts(s, c);
    return is_integer(s, c) && facts->maximum - facts->minimum >= WIDE;
}

static void add_sums(sbl_rule_relations *s, const column_list *numbers)
{
    for (size_t k = 0; k < numbers->count; k++)
        for (size_t i = 0; i < numbers->count; i++)
            for (size_t j = i + 1; j < numbers->count; j++) {
                const size_t a = numbers->items[i], b = numbers->items[j], c = numbers->items[k];
                if (i == k || j == k || !is_own(s, c)) continue;
                add(s, SBL_RELATION_SUM, a, b, c);
                add(s, SBL_RELATION_PRODUCT, a, b, c);
            }
    for (size_t i = 0; i < numbers->count; i++)
        for (size_t j = i + 1; j < numbers->count; j++) {
            const size_t a = numbers->items[i], b = numbers->items[j];
            if (is_own(s, a) && is_wide(s, a) && is_wide(s, b)) add(s, SBL_RELATION_TOTAL, a, b, 0);
        }
}

/* A whole number c by the year of a moment, and another moment or number. */
static void add_years(sbl_rule_relations *s, size_t c, size_t moment, const column_list *moments,
                      const column_list *numbers)
{
    add(s, SBL_RELATION_YEAR, moment, 0, c);
    for (size_t i = 0; i < moments->count; i++) {
        const size_t other = moments->items[i];
        if (other == moment) continue;
        add(s, SBL_RELATION_AGE, moment, other, c);
        if (sbl_relation_facts(s, moment)->kind == SBL_COLUMN_DATE &&
            sbl_relation_facts(s, other)->kind == SBL_COLUMN_DATE)
            add(s, SBL_RELATION_DAYS, moment, other, c);
    }
    for (size_t i = 0; i < numbers->count; i++) {
        const size_t b = numbers->items[i];
        if (b == c || !is_integer(s, b)) continue;
        /* Of two columns of one table, that with the larger values is the year; a parent's stays as it is. */
        if (!is_own(s, b) || sbl_relation_facts(s, c)->maximum > sbl_relation_facts(s, b)->maximum)
            add(s, SBL_RELATION_BORN, moment, b, c);
    }
}

static void add_candidates(sbl_rule_relations *s)
{
    column_list numbers = {0}, dates = {0}, moments = {0};
    list_columns(&numbers, s, SBL_COLUMN_NUMBER);
    list_columns(&dates, s, SBL_COLUMN_DATE);
    moments = dates;
    list_columns(&moments, s, SBL_COLUMN_DATETIME);
    add_orders(s, &moments);
    add_orders(s, &numbers);
    add_sums(s, &numbers);
    for (size_t k = 0; k < numbers.count; k++)
        for (size_t i = 0; i < moments.count; i++)
            if (is_integer(s, numbers.items[k]) && is_own(s, numbers.items[k]))
                add_years(s, numbers.items[k], moments.items[i], &moments, &numbers);
}

sbl_status sbl_rule_relations_new(sbl_rule_relations **made, const sbl_rule_view *view, sbl_error *err)
{
    sbl_rule_relations *s = NULL;
    sbl_status status = SBL_OK;
    *made = NULL;
    SBL_ALLOC(s, 1, WHAT);
    s->view = view;
    add_candidates(s);
    if (s->failed) SBL_TRY(sbl_no_memory(err, WHAT));
    *made = s;
    s = NULL;
done:
    sbl_rule_relations_free(s);
    return status;
}

void sbl_rule_relations_free(sbl_rule_relations *s)
{
    if (s == NULL) return;
    sbl_free(s->items);
    sbl_free_wiped(s->years, s->room * s->view->count * sizeof *s->years);
    sbl_free(s);
}

/* ---- rows ---- */

static sbl_status make_room(sbl_rule_relations *s, size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (rows <= s->room) return SBL_OK;
    sbl_free_wiped(s->years, s->room * s->view->count * sizeof *s->years);
    s->room = 0;
    SBL_ALLOC(s->years, rows * s->view->count, WHAT);
    s->room = rows;
done:
    return status;
}

sbl_status sbl_rule_relations_take(sbl_rule_relations *s, const sbl_rule_block *block, sbl_error *err)
{
    size_t kept = 0;
    SBL_CHECK(make_room(s, block->rows, err));
    sbl_relations_find_years(s, block);
    for (size_t i = 0; i < s->count; i++) {
        sbl_relation *r = &s->items[i];
        sbl_relation_test(s, r, block);
        if ((double)r->broken <= SOME_BROKEN + MOST_BROKEN * (double)r->rows) s->items[kept++] = *r;
    }
    s->count = kept;
    return SBL_OK;
}
