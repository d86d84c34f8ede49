/* SPDX-License-Identifier: Apache-2.0 */
/* Holds a relation against rows, and against rows whose cells are mixed: the left side of one row, the right side of another. */
#include <math.h>

#include "owner/inspect/rule_relations.h"
#include "public/schema/calendar.h"

#define EQUAL 1e-9
#define DAY 86400.0 /* seconds */

static double days_of(const sbl_column *column, double value)
{
    return column->kind == SBL_COLUMN_DATETIME ? floor(value / DAY) : value;
}

static double year_of(double days)
{
    char text[SBL_DATE_LENGTH];
    if (isnan(days)) return NAN;
    (void)sbl_date_format(text, (int64_t)days);
    return (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
}

void sbl_relations_find_years(sbl_rule_relations *s, const sbl_rule_block *block)
{
    const size_t columns = s->view->count;
    for (size_t c = 0; c < columns; c++) {
        const sbl_column *facts = sbl_relation_facts(s, c);
        if (facts->kind != SBL_COLUMN_DATE && facts->kind != SBL_COLUMN_DATETIME) continue;
        for (size_t row = 0; row < block->rows; row++) {
            const size_t at = row * columns + c;
            s->years[at] = year_of(days_of(facts, block->values[at]));
        }
    }
}

/* Of an order of a date and a datetime both sides are days. */
static bool is_by_days(const sbl_rule_relations *s, const sbl_relation *r)
{
    return sbl_relation_facts(s, r->a)->kind != sbl_relation_facts(s, r->b)->kind;
}

static double left_side(const sbl_rule_relations *s, const sbl_relation *r, const sbl_rule_block *block,
                        size_t row)
{
    const double *values = block->values + row * s->view->count;
    if (r->kind == SBL_RELATION_TOTAL) return values[r->a];
    if (r->kind != SBL_RELATION_ORDER) return values[r->c];
    return is_by_days(s, r) ? days_of(sbl_relation_facts(s, r->a), values[r->a]) : values[r->a];
}

/* NaN: it depends on a missing value. */
static double right_side(const sbl_rule_relations *s, const sbl_relation *r, const sbl_rule_block *block,
                         size_t row)
{
    const double *values = block->values + row * s->view->count;
    const double *years = s->years + row * s->view->count;
    switch (r->kind) {
    case SBL_RELATION_SUM:
        return values[r->a] + values[r->b];
    case SBL_RELATION_PRODUCT:
        return values[r->a] * values[r->b];
    case SBL_RELATION_DAYS:
        return values[r->b] - values[r->a];
    case SBL_RELATION_YEAR:
        return years[r->a];
    case SBL_RELATION_BORN:
        return years[r->a] - values[r->b];
    case SBL_RELATION_AGE:
        return years[r->a] - years[r->b];
    case SBL_RELATION_TOTAL:
        return r->center - values[r->b];
    default:
        return is_by_days(s, r) ? days_of(sbl_relation_facts(s, r->b), values[r->b]) : values[r->b];
    }
}

/* As public/rules/rules.c compares them. */
static bool holds(const sbl_rule_relations *s, const sbl_relation *r, double left, double right)
{
    if (r->kind == SBL_RELATION_ORDER) return left <= right;
    const sbl_column *column = sbl_relation_facts(s, r->c);
    if (column->decimals >= 0) right = nearbyint(right * column->scale) / column->scale;
    return fabs(left - right) <= EQUAL * fmax(1, fmax(fabs(left), fabs(right)));
}

/* Is the relation more than "c = a" here? */
static bool tells(const sbl_rule_relations *s, const sbl_relation *r, const sbl_rule_block *block, size_t row,
                  double left, double right)
{
    const double *values = block->values + row * s->view->count;
    const double a = values[r->a];
    const double b = values[r->b];
    if (r->kind == SBL_RELATION_ORDER) return left < right;
    if (r->kind == SBL_RELATION_SUM) return a != 0 && b != 0;
    if (r->kind == SBL_RELATION_PRODUCT) return a != 0 && b != 0 && fabs(a) != 1 && fabs(b) != 1;
    return r->kind != SBL_RELATION_DAYS || values[r->c] != 0;
}

/* Where a difference is counted; SBL_RELATION_PLACES: nowhere. */
static size_t place_of(double left, double right)
{
    const double difference = left - right;
    return fabs(difference) <= SBL_RELATION_NEAR ? (size_t)(difference + SBL_RELATION_NEAR)
                                                 : (size_t)SBL_RELATION_PLACES;
}

static void take_near(sbl_relation *r, double left, double right, double mixed, uint64_t person)
{
    const size_t place = place_of(left, right);
    if (place < SBL_RELATION_PLACES) {
        r->near[place]++;
        r->persons |= sbl_rule_person_bit(person);
    }
    r->broken += place == SBL_RELATION_PLACES;
    if (isnan(mixed)) return;
    const size_t other = place_of(left, mixed);
    if (other < SBL_RELATION_PLACES) r->mixed[other]++;
    r->apart += other == SBL_RELATION_PLACES;
}

static void take_exact(const sbl_rule_relations *s, sbl_relation *r, const sbl_rule_block *block, size_t row,
                       double left, double right, double mixed)
{
    const bool good = holds(s, r, left, right);
    const bool telling = good && tells(s, r, block, row, left, right);
    r->broken += !good;
    r->telling += telling;
    if (telling) r->persons |= sbl_rule_person_bit(block->persons[row]);
    r->apart += !isnan(mixed) && !holds(s, r, left, mixed);
}

void sbl_relation_test(const sbl_rule_relations *s, sbl_relation *r, const sbl_rule_block *block)
{
    for (size_t row = 0; row < block->rows; row++) {
        const double left = left_side(s, r, block, row);
        if (r->kind == SBL_RELATION_TOTAL && isnan(r->center))
            r->center = left + block->values[row * s->view->count + r->b];
        const double right = right_side(s, r, block, row);
        if (isnan(left) || isnan(right)) continue;
        const double mixed = right_side(s, r, block, (row + block->rows / 2) % block->rows);
        r->rows++;
        if (sbl_relation_has_tolerance(r))
            take_near(r, left, right, mixed, block->persons[row]);
        else
            take_exact(s, r, block, row, left, right, mixed);
    }
}
