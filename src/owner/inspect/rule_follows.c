/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, for each category of one column, the values of another: a category, or a number that is 0 or not. A value that nearly always
 * occurs, and would not by chance, follows. Where every category leads to a value, the one column determines the other. */
#include "owner/inspect/rule_follows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define WHAT "constraints"
#define MOST_COLUMNS 30      /* of few categories; and of numbers */
#define MANY_CATEGORIES 1000 /* of a column from which something follows */
#define MOST_MANY 4          /* columns of more than few categories */
#define LONGEST 900          /* bytes of a list of categories: the language allows 1000 for a constraint */
#define MOST_PARTS 12        /* constraints of one rule */
#define ALL_ROWS 0.99        /* with a category that leads somewhere: the column is determined */

static bool is_few(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_CATEGORY && column->categories.count >= 2 &&
           column->categories.count <= SBL_FOLLOWS_FEW;
}

static bool is_many(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_CATEGORY && column->categories.count > SBL_FOLLOWS_FEW &&
           column->categories.count <= MANY_CATEGORIES;
}

static bool may_be_zero(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_NUMBER && column->minimum <= 0 && column->maximum >= 0;
}

static sbl_status add_pair(sbl_rule_follows *follows, size_t from, size_t to, sbl_error *err)
{
    const sbl_rule_column *columns = follows->view->columns;
    sbl_follows_pair *made = &follows->pairs[follows->count];
    if (from == to || (columns[from].table != NULL && columns[to].table != NULL)) return SBL_OK;
    made->from = from;
    made->to = to;
    made->codes = is_few(columns[to].facts) ? columns[to].facts->categories.count : 2;
    made->cells = sbl_alloc_array(columns[from].facts->categories.count, made->codes * sizeof *made->cells);
    if (made->cells == NULL) return sbl_no_memory(err, WHAT);
    follows->count++;
    return SBL_OK;
}

/* Columns from which something may follow, and those that may. */
typedef struct sides {
    size_t from[MOST_COLUMNS + MOST_MANY], to[2 * MOST_COLUMNS];
    size_t from_count, to_count;
} sides;

static void find_sides(sides *s, const sbl_rule_view *view)
{
    size_t few = 0, many = 0, zeros = 0;
    for (size_t c = 0; c < view->count; c++) {
        const sbl_column *facts = view->columns[c].facts;
        if (!view->columns[c].used) continue;
        if (is_few(facts) && few++ < MOST_COLUMNS) s->from[s->from_count++] = s->to[s->to_count++] = c;
        if (is_many(facts) && many++ < MOST_MANY) s->from[s->from_count++] = c;
        if (may_be_zero(facts) && zeros++ < MOST_COLUMNS) s->to[s->to_count++] = c;
    }
}

sbl_status sbl_rule_follows_new(sbl_rule_follows **made, const sbl_rule_view *view, sbl_error *err)
{
    sbl_rule_follows *follows = NULL;
    sides s = {0};
    sbl_status status = SBL_OK;
    *made = NULL;
    find_sides(&s, view);
    SBL_ALLOC(follows, 1, WHAT);
    follows->view = view;
    SBL_ALLOC(follows->pairs, s.from_count * s.to_count + 1, WHAT);
    for (size_t i = 0; i < s.from_count; i++)
        for (size_t j = 0; j < s.to_count; j++) SBL_TRY(add_pair(follows, s.from[i], s.to[j], err));
    *made = follows;
    follows = NULL;
done:
    sbl_rule_follows_free(follows);
    return status;
}

void sbl_rule_follows_free(sbl_rule_follows *follows)
{
    if (follows == NULL) return;
    for (size_t i = 0; follows->pairs != NULL && i < follows->count; i++) {
        const sbl_follows_pair *p = &follows->pairs[i];
        const size_t size = sbl_follows_facts(follows, p->from)->categories.count * p->codes;
        sbl_free_wiped(p->cells, size * sizeof *p->cells);
    }
    sbl_free(follows->pairs);
    sbl_free(follows);
}

void sbl_rule_follows_take(sbl_rule_follows *follows, const sbl_rule_block *block)
{
    for (size_t i = 0; i < follows->count; i++) {
        const sbl_follows_pair *p = &follows->pairs[i];
        const bool category = sbl_follows_facts(follows, p->to)->kind == SBL_COLUMN_CATEGORY;
        for (size_t row = 0; row < block->rows; row++) {
            const double *values = block->values + row * follows->view->count;
            const double value = values[p->to];
            if (isnan(values[p->from]) || isnan(value)) continue;
            const size_t code = category ? (size_t)value : (size_t)(value != 0);
            sbl_rule_cell *cell = &p->cells[(size_t)values[p->from] * p->codes + code];
            cell->rows++;
            cell->persons |= sbl_rule_person_bit(block->persons[row]);
        }
    }
}

/* ---- how it reads ---- */

static bool put_effect(sbl_text *text, const sbl_rule_follows *follows, const sbl_follows_pair *p,
                       size_t code)
{
    const sbl_column *to = sbl_follows_facts(follows, p->to);
    const bool good = sbl_rule_name(text, &follows->view->columns[p->to]);
    sbl_text_printf(text, " = ");
    if (to->kind == SBL_COLUMN_CATEGORY) return sbl_rule_category(text, to->categories.items[code]) && good;
    sbl_text_printf(text, "0");
    return good;
}

/* "if a = 'x' then b = 'y'", "if a in ('x', 'z') then ..."; list: of `count` categories. */
static sbl_status add_part(json_t *parts, const sbl_rule_follows *follows, const sbl_follows_pair *p,
                           size_t code, const sbl_text *list, size_t count, sbl_error *err)
{
    sbl_text text = {0};
    sbl_status status = SBL_OK;
    if (count == 0) return SBL_OK;
    sbl_text_printf(&text, "if ");
    bool good = sbl_rule_name(&text, &follows->view->columns[p->from]);
    sbl_text_printf(&text, count > 1 ? " in (%s) then " : " = %s then ", list->data);
    good = put_effect(&text, follows, p, code) && good;
    if (!good) goto done; /* a name that no constraint can hold */
    SBL_TRY(sbl_text_check(&text, WHAT, err));
    if (json_array_append_new(parts, json_string(text.data)) != 0) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    sbl_text_clear(&text);
    return status;
}

/* The constraints that say it, as many as its list of categories needs. */
static sbl_status add_parts(json_t *parts, const sbl_rule_follows *follows, const sbl_follows_pair *p,
                            size_t code, const sbl_follows_cause *cause, sbl_error *err)
{
    const sbl_strings *names = &sbl_follows_facts(follows, p->from)->categories;
    sbl_text list = {0};
    size_t count = 0;
    sbl_status status = SBL_OK;
    for (size_t v = 0; v < names->count; v++) {
        sbl_text one = {0};
        if (!cause->chosen[v] || !sbl_rule_category(&one, names->items[v])) continue;
        if (count > 0 && list.length + one.length > LONGEST) {
            status = add_part(parts, follows, p, code, &list, count, err);
            count = list.length = 0;
        }
        sbl_text_printf(&list, "%s%s", count++ > 0 ? ", " : "", one.data);
        sbl_text_clear(&one);
        if (status != SBL_OK) goto done;
    }
    SBL_TRY(add_part(parts, follows, p, code, &list, count, err));
done:
    sbl_text_clear(&list);
    return status;
}

/* How many bytes the chosen categories begin with in common. */
static size_t common_prefix(const sbl_strings *names, const bool *chosen)
{
    const char *first = NULL;
    size_t length = 0;
    for (size_t v = 0; v < names->count; v++) {
        size_t same = 0;
        if (!chosen[v]) continue;
        if (first == NULL) length = strlen(first = names->items[v]);
        while (same < length && names->items[v][same] == first[same]) same++;
        length = same;
    }
    while (length > 0 && ((unsigned char)first[length] & 0xC0) == 0x80) length--; /* whole characters */
    return length;
}

/* The first of the chosen categories. */
static size_t first_of(const bool *chosen)
{
    size_t v = 0;
    while (!chosen[v]) v++;
    return v;
}

/* "if a is one of 50 categories that begin with 'O' then b = 'y'". */
static void put_long(sbl_text *words, const sbl_rule_follows *follows, const sbl_follows_pair *p, size_t code,
                     const sbl_follows_cause *cause)
{
    const sbl_strings *names = &sbl_follows_facts(follows, p->from)->categories;
    const size_t length = common_prefix(names, cause->chosen);
    const char *first = names->items[first_of(cause->chosen)];
    sbl_text_printf(words, "if ");
    (void)sbl_rule_name(words, &follows->view->columns[p->from]);
    sbl_text_printf(words, " is one of %zu categories ", cause->count);
    if (length > 0)
        sbl_text_printf(words, "that begin with '%.*s' then ", (int)length, first);
    else
        sbl_text_printf(words, "('%s', ...) then ", first);
    (void)put_effect(words, follows, p, code);
}

/* What the constraints say, in words: the constraint itself where there is one, and it is short. */
static void put_words(sbl_text *words, const sbl_rule_follows *follows, const sbl_follows_pair *p,
                      size_t code, const json_t *parts, const sbl_follows_cause *cause, bool determined)
{
    const sbl_rule_column *columns = follows->view->columns;
    if (determined) {
        (void)sbl_rule_name(words, &columns[p->from]);
        sbl_text_printf(words, " determines ");
        (void)sbl_rule_name(words, &columns[p->to]);
    } else if (json_array_size(parts) == 1 && cause->count <= SBL_FOLLOWS_FEW) {
        sbl_text_printf(words, "%s", json_string_value(json_array_get(parts, 0)));
    } else {
        put_long(words, follows, p, code, cause);
    }
}

static sbl_status report(sbl_found_rules *found, const sbl_rule_follows *follows, const sbl_follows_pair *p,
                         size_t code, json_t *parts, const sbl_follows_cause *cause, bool determined,
                         sbl_error *err)
{
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    const size_t count = json_array_size(parts);
    if (count == 0 || count > MOST_PARTS) goto done; /* cannot be written */
    put_words(&words, follows, p, code, parts, cause, determined);
    SBL_TRY(sbl_text_check(&words, WHAT, err));
    SBL_TRY(sbl_found_rules_add(found, json_incref(parts), words.data, cause->kept, cause->rows, cause->use,
                                err));
done:
    sbl_text_clear(&words);
    return status;
}

/* ---- what holds ---- */

/* "if a then b" where "if not b then not a" was said already: of two columns of two categories. */
static bool is_said(const sbl_rule_follows *follows, const sbl_follows_pair *p)
{
    return p->to < p->from && sbl_follows_facts(follows, p->to)->kind == SBL_COLUMN_CATEGORY &&
           sbl_follows_facts(follows, p->from)->categories.count == 2 && p->codes == 2;
}

static uint64_t rows_of(const sbl_rule_follows *follows, const sbl_follows_pair *p)
{
    const size_t size = sbl_follows_facts(follows, p->from)->categories.count * p->codes;
    uint64_t rows = 0;
    for (size_t i = 0; i < size; i++) rows += p->cells[i].rows;
    return rows;
}

/* What follows in a pair: code by code, or all of it as one rule where nearly every row has a category that leads somewhere. */
static sbl_status finish_pair(sbl_found_rules *found, const sbl_rule_follows *follows,
                              const sbl_follows_pair *p, sbl_error *err)
{
    const bool category = sbl_follows_facts(follows, p->to)->kind == SBL_COLUMN_CATEGORY;
    const size_t codes = category ? p->codes : 1;
    sbl_follows_cause causes[SBL_FOLLOWS_FEW] = {0};
    sbl_follows_cause all = {0};
    json_t *parts[SBL_FOLLOWS_FEW] = {NULL};
    json_t *whole = json_array();
    sbl_status status = SBL_OK;
    if (whole == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    for (size_t code = 0; code < codes; code++) {
        SBL_TRY(sbl_follows_find_cause(&causes[code], follows, p, code, err));
        parts[code] = json_array();
        if (parts[code] == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
        SBL_TRY(add_parts(parts[code], follows, p, code, &causes[code], err));
        if (json_array_extend(whole, parts[code]) != 0) SBL_TRY(sbl_no_memory(err, WHAT));
        all.rows += causes[code].rows;
        all.kept += causes[code].kept;
        all.use += causes[code].use;
    }
    const bool determined = category && json_array_size(whole) > 1 && json_array_size(whole) <= MOST_PARTS &&
                            (double)all.rows >= ALL_ROWS * (double)rows_of(follows, p);
    if (determined) SBL_TRY(report(found, follows, p, 0, whole, &all, true, err));
    for (size_t code = 0; !determined && code < codes; code++)
        SBL_TRY(report(found, follows, p, code, parts[code], &causes[code], false, err));
done:
    for (size_t code = 0; code < codes; code++) {
        sbl_free(causes[code].chosen);
        json_decref(parts[code]);
    }
    json_decref(whole);
    return status;
}

sbl_status sbl_rule_follows_finish(sbl_found_rules *found, sbl_rule_follows *follows, sbl_error *err)
{
    for (size_t i = 0; i < follows->count; i++)
        if (!is_said(follows, &follows->pairs[i]))
            SBL_CHECK(finish_pair(found, follows, &follows->pairs[i], err));
    return SBL_OK;
}
