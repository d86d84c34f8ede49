/* SPDX-License-Identifier: Apache-2.0 */
/* Counts a small whole number by the categories of another column. A category has a bound where its values end abruptly: they are
 * frequent up to it and nearly absent beyond, and rows of other categories lie there. */
#include <math.h>

#include "base/alloc.h"
#include "owner/inspect/rule_search.h"

#define WHAT "constraints"
#define MOST_COLUMNS 20 /* of categories; and of numbers */
#define MOST_CATEGORIES 50
#define MOST_VALUES 200
#define LEAST_VALUES 10  /* of a number */
#define LEAST_BEYOND 0.2 /* of all rows lie beyond the bound */
#define LEAST_EDGE 20    /* rows of the category at the bound */
#define MOST_STRAYS 0.1  /* of those at the bound lie beyond */
#define EDGE 40          /* the range of the number by the width of what counts as "at the bound" */

typedef struct pair {
    size_t category, number;
    size_t values;
    uint64_t *rows;    /* (categories, values) */
    uint64_t *persons; /* likewise */
} pair;

struct sbl_rule_bounds {
    const sbl_rule_view *view;
    pair pairs[MOST_COLUMNS * MOST_COLUMNS];
    size_t count;
};

static const sbl_column *facts_of(const sbl_rule_bounds *bounds, size_t c)
{
    return bounds->view->columns[c].facts;
}

static bool is_category(const sbl_column *column)
{
    return column->kind == SBL_COLUMN_CATEGORY && column->categories.count >= 2 &&
           column->categories.count <= MOST_CATEGORIES;
}

static bool is_number(const sbl_column *column)
{
    const double values = column->maximum - column->minimum + 1;
    return column->kind == SBL_COLUMN_NUMBER && column->type == SBL_TYPE_INTEGER && values >= LEAST_VALUES &&
           values <= MOST_VALUES;
}

static sbl_status add_pair(sbl_rule_bounds *bounds, size_t category, size_t number, sbl_error *err)
{
    const sbl_rule_column *columns = bounds->view->columns;
    pair *made = &bounds->pairs[bounds->count];
    sbl_status status = SBL_OK;
    if (columns[category].table != NULL && columns[number].table != NULL) return SBL_OK;
    bounds->count++;
    made->category = category;
    made->number = number;
    made->values = (size_t)(columns[number].facts->maximum - columns[number].facts->minimum) + 1;
    SBL_ALLOC(made->rows, columns[category].facts->categories.count * made->values, WHAT);
    SBL_ALLOC(made->persons, columns[category].facts->categories.count * made->values, WHAT);
done:
    return status;
}

sbl_status sbl_rule_bounds_new(sbl_rule_bounds **made, const sbl_rule_view *view, sbl_error *err)
{
    size_t categories[MOST_COLUMNS], numbers[MOST_COLUMNS];
    size_t category_count = 0, number_count = 0;
    sbl_rule_bounds *bounds = NULL;
    sbl_status status = SBL_OK;
    *made = NULL;
    SBL_ALLOC(bounds, 1, WHAT);
    bounds->view = view;
    for (size_t c = 0; c < view->count; c++) {
        if (!view->columns[c].used) continue;
        if (is_category(view->columns[c].facts) && category_count < MOST_COLUMNS)
            categories[category_count++] = c;
        if (is_number(view->columns[c].facts) && number_count < MOST_COLUMNS) numbers[number_count++] = c;
    }
    for (size_t i = 0; i < category_count; i++)
        for (size_t j = 0; j < number_count; j++) SBL_TRY(add_pair(bounds, categories[i], numbers[j], err));
    *made = bounds;
    bounds = NULL;
done:
    sbl_rule_bounds_free(bounds);
    return status;
}

void sbl_rule_bounds_free(sbl_rule_bounds *bounds)
{
    if (bounds == NULL) return;
    for (size_t i = 0; i < bounds->count; i++) {
        const pair *p = &bounds->pairs[i];
        const size_t size = facts_of(bounds, p->category)->categories.count * p->values;
        sbl_free_wiped(p->rows, size * sizeof *p->rows);
        sbl_free_wiped(p->persons, size * sizeof *p->persons);
    }
    sbl_free(bounds);
}

void sbl_rule_bounds_take(sbl_rule_bounds *bounds, const sbl_rule_block *block)
{
    for (size_t i = 0; i < bounds->count; i++) {
        const pair *p = &bounds->pairs[i];
        const sbl_column *number = facts_of(bounds, p->number);
        for (size_t row = 0; row < block->rows; row++) {
            const double *values = block->values + row * bounds->view->count;
            const double value = values[p->number];
            if (isnan(values[p->category]) || !(value >= number->minimum && value <= number->maximum))
                continue;
            const size_t at = (size_t)values[p->category] * p->values + (size_t)(value - number->minimum);
            p->rows[at]++;
            p->persons[at] |= sbl_rule_person_bit(block->persons[row]);
        }
    }
}

/* ---- bounds ---- */

/* Rows and persons of a run of values, of one category or of all but one. */
typedef struct run {
    uint64_t rows, persons;
} run;

static run run_of(const pair *p, size_t category, size_t first, size_t last)
{
    run found = {0};
    for (size_t x = first; x < last; x++) {
        found.rows += p->rows[category * p->values + x];
        found.persons |= p->persons[category * p->values + x];
    }
    return found;
}

static run run_of_others(const pair *p, size_t categories, size_t but, size_t first, size_t last)
{
    run found = {0};
    for (size_t v = 0; v < categories; v++) {
        const run one = v != but ? run_of(p, v, first, last) : (run){0};
        found.rows += one.rows;
        found.persons |= one.persons;
    }
    return found;
}

/* Values below a bound, and beyond it: at is the first value beyond an upper bound, or the first within a lower one. */
static run beyond_of(const pair *p, size_t v, size_t at, bool upper)
{
    return upper ? run_of(p, v, at, p->values) : run_of(p, v, 0, at);
}

static run edge_of(const pair *p, size_t v, size_t at, bool upper)
{
    const size_t width = p->values / EDGE + 1;
    if (upper) return run_of(p, v, at > width ? at - width : 0, at);
    return run_of(p, v, at, at + width < p->values ? at + width : p->values);
}

static bool is_bound(const pair *p, size_t v, size_t at, bool upper, uint64_t rows)
{
    const run beyond = beyond_of(p, v, at, upper), edge = edge_of(p, v, at, upper);
    return sbl_rule_nearly(rows - beyond.rows, rows) && edge.rows >= LEAST_EDGE &&
           (double)beyond.rows <= MOST_STRAYS * (double)edge.rows;
}

/* The tightest bound; 0: none. */
static size_t find_bound(const pair *p, size_t v, bool upper, uint64_t rows)
{
    for (size_t i = 2; i < p->values; i++) { /* one value: what follows says it (rule_follows.c) */
        const size_t at = upper ? i : p->values - i;
        if (is_bound(p, v, at, upper, rows)) return at;
    }
    return 0;
}

static sbl_status report(sbl_found_rules *found, const sbl_rule_bounds *bounds, const pair *p, size_t v,
                         size_t at, bool upper, uint64_t kept, uint64_t rows, double use, sbl_error *err)
{
    const sbl_column *number = facts_of(bounds, p->number);
    sbl_text text = {0};
    sbl_status status = SBL_OK;
    sbl_text_printf(&text, "if ");
    bool good = sbl_rule_name(&text, &bounds->view->columns[p->category]);
    sbl_text_printf(&text, " = ");
    good = sbl_rule_category(&text, facts_of(bounds, p->category)->categories.items[v]) && good;
    sbl_text_printf(&text, " then ");
    good = sbl_rule_name(&text, &bounds->view->columns[p->number]) && good;
    sbl_text_printf(&text, " %s %.0f", upper ? "<=" : ">=", number->minimum + (double)at - (upper ? 1 : 0));
    if (!good) goto done; /* a name that no constraint can hold */
    SBL_TRY(sbl_text_check(&text, WHAT, err));
    SBL_TRY(sbl_found_rules_add(found, json_pack("[s]", text.data), text.data, kept, rows, use, err));
done:
    sbl_text_clear(&text);
    return status;
}

static sbl_status finish_category(sbl_found_rules *found, const sbl_rule_bounds *bounds, const pair *p,
                                  size_t v, bool upper, sbl_error *err)
{
    const size_t categories = facts_of(bounds, p->category)->categories.count;
    const run own = run_of(p, v, 0, p->values);
    const run others = run_of_others(p, categories, v, 0, p->values);
    const size_t at = own.rows >= SBL_RULE_ROWS ? find_bound(p, v, upper, own.rows) : 0;
    if (at == 0 || others.rows == 0) return SBL_OK;
    const run strays = beyond_of(p, v, at, upper);
    const run within = upper ? run_of(p, v, 0, at) : run_of(p, v, at, p->values);
    const run far =
        upper ? run_of_others(p, categories, v, at, p->values) : run_of_others(p, categories, v, 0, at);
    const double all = (double)own.rows + (double)others.rows;
    const double share = (double)far.rows / all;
    if (share < LEAST_BEYOND || !sbl_rule_persons_suffice(within.persons) ||
        !sbl_rule_persons_suffice(far.persons) || (double)within.rows * -log1p(-share) < SBL_RULE_SURPRISE)
        return SBL_OK;
    return report(found, bounds, p, v, at, upper, own.rows - strays.rows, own.rows,
                  (double)own.rows / all * share, err);
}

/* Does the number take more than a few values? */
static bool is_varied(const pair *p, size_t categories)
{
    size_t values = 0;
    for (size_t x = 0; x < p->values; x++) {
        bool seen = false;
        for (size_t v = 0; v < categories; v++) seen = seen || p->rows[v * p->values + x] > 0;
        values += seen;
    }
    return values >= LEAST_VALUES;
}

sbl_status sbl_rule_bounds_finish(sbl_found_rules *found, sbl_rule_bounds *bounds, sbl_error *err)
{
    for (size_t i = 0; i < bounds->count; i++) {
        const pair *p = &bounds->pairs[i];
        const size_t categories = facts_of(bounds, p->category)->categories.count;
        for (size_t v = 0; is_varied(p, categories) && v < categories; v++) {
            SBL_CHECK(finish_category(found, bounds, p, v, true, err));
            SBL_CHECK(finish_category(found, bounds, p, v, false, err));
        }
    }
    return SBL_OK;
}
