/* SPDX-License-Identifier: Apache-2.0 */
/* Lags in whole steps of the encoded column: the frame, the codes around it, and back. */
#include "public/counts/history_lag.h"

#include <math.h>

#define DAY 86400.0
#define INSIDE 16                     /* codes within a frame: its two ends and 14 equal parts */
#define NEAREST 262144.0              /* windows are cut this fine near the frame: 2^18 */
#define MOST_SPAN ((uint64_t)1 << 31) /* as of orders (history_tree.c) */
#define WIDEN 1.4142135623730951      /* each distance to the one before */
#define ALIKE 0.5                     /* of the wider window that both must share */

/* ---- which columns ---- */

static bool is_date(const sbl_column *column)
{
    return (column->kind == SBL_COLUMN_DATE || column->kind == SBL_COLUMN_DATETIME) &&
           !column->log_transform && column->decimals >= 0 && column->maximum > column->minimum;
}

static double seconds_of(const sbl_column *column) { return column->kind == SBL_COLUMN_DATE ? DAY : 1.0; }

/* Do two windows share at least half of the wider one? Dates that do not, such as births and visits, tell
 * little of each other. */
static bool are_alike(const sbl_column *a, const sbl_column *b)
{
    const double low = fmax(a->minimum * seconds_of(a), b->minimum * seconds_of(b));
    const double high = fmin(a->maximum * seconds_of(a), b->maximum * seconds_of(b));
    const double wider =
        fmax((a->maximum - a->minimum) * seconds_of(a), (b->maximum - b->minimum) * seconds_of(b));
    return high - low >= ALIKE * wider;
}

/* The column of the bins that is this one of the schema; SBL_LAG_NONE: it has none. */
static size_t cell_of(const size_t *columns, size_t count, size_t column)
{
    for (size_t k = 0; k < count; k++)
        if (columns[k] == column) return k;
    return SBL_LAG_NONE;
}

typedef struct search {
    const sbl_bins *cells;
    const size_t *columns;
    const sbl_schema *schema;
} search;

/* A date of a table, or nothing where the fit has none like `self` there. */
static sbl_lag_date date_at(const search *s, const sbl_linked_table *table, size_t column,
                            const sbl_column *self)
{
    const sbl_lag_date none = {SBL_LAG_NONE, SBL_LAG_NONE, 0, 0.0};
    const sbl_column *facts = &s->schema->columns[column];
    const size_t cell = cell_of(s->columns, s->cells->count, column);
    if (cell == SBL_LAG_NONE) return none;
    if (is_date(facts) && are_alike(facts, self))
        return (sbl_lag_date){cell, SBL_LAG_NONE, 0, seconds_of(facts)};
    if (facts->difference == 0) return none;
    const sbl_lag_date base = date_at(s, table, table->first + facts->base, self);
    if (base.cell == SBL_LAG_NONE || base.base != SBL_LAG_NONE) return none;
    return (sbl_lag_date){cell, base.cell, facts->difference, base.seconds};
}

/* The column of a table that a constraint names; SBL_NO_COLUMN: there is none, or it is not such a date. */
static size_t find_named(const search *s, const sbl_linked_table *table, size_t named, const sbl_column *self)
{
    if (named == 0 || named > table->count) return SBL_NO_COLUMN;
    const size_t column = table->first + named - 1;
    return date_at(s, table, column, self).cell != SBL_LAG_NONE ? column : SBL_NO_COLUMN;
}

/* Where a frame begins: the date that a constraint names, that orders the table, or its first date. */
static size_t find_begin(const search *s, const sbl_linked_table *table, const sbl_column *self)
{
    const size_t named = find_named(s, table, self->begin, self);
    if (named != SBL_NO_COLUMN) return named;
    if (table->order != SBL_NO_COLUMN) {
        const sbl_lag_date order = date_at(s, table, table->order, self);
        if (order.cell != SBL_LAG_NONE) return table->order;
    }
    for (size_t c = table->first; c < table->first + table->count; c++) {
        const sbl_lag_date date = date_at(s, table, c, self);
        if (date.cell != SBL_LAG_NONE && date.base == SBL_LAG_NONE) return c;
    }
    return SBL_NO_COLUMN;
}

/* Where it ends: the date that a constraint names, or the table's first one beside its beginning. */
static sbl_lag_date find_end(const search *s, const sbl_linked_table *table, size_t begin,
                             const sbl_column *self)
{
    const size_t named = find_named(s, table, self->end, self);
    sbl_lag_date end = {SBL_LAG_NONE, SBL_LAG_NONE, 0, 0.0};
    if (named != SBL_NO_COLUMN && named != begin) return date_at(s, table, named, self);
    for (size_t c = table->first; end.cell == SBL_LAG_NONE && c < table->first + table->count; c++)
        if (c != begin) end = date_at(s, table, c, self);
    return end;
}

static double wider(const sbl_lag *lag, double distance)
{
    return distance == 0.0 ? lag->width : fmax(distance + 1.0, floor(distance * WIDEN));
}

static bool set_lag(sbl_lag *lag, const search *s, size_t k, const sbl_linked_table *table, size_t begin,
                    bool own_row)
{
    const size_t column = s->columns[k];
    const sbl_column *self = &s->schema->columns[column];
    const double steps = self->grid_maximum - self->grid_minimum + 1.0;
    if (begin == SBL_NO_COLUMN || begin == column || !(steps <= (double)MOST_SPAN)) return false;
    *lag = (sbl_lag){.self = {k, SBL_LAG_NONE, 0, seconds_of(self)},
                     .begin = date_at(s, table, begin, self),
                     .end = {SBL_LAG_NONE, SBL_LAG_NONE, 0, 0.0},
                     .own_row = own_row,
                     .span = (uint64_t)steps,
                     .width = fmax(1.0, floor(steps / NEAREST)),
                     .inside = 1};
    if (lag->begin.cell == SBL_LAG_NONE) return false;
    if (!own_row) lag->end = find_end(s, table, begin, self);
    if (lag->end.cell != SBL_LAG_NONE) lag->inside = INSIDE;
    for (double distance = 0.0; distance < steps; distance = wider(lag, distance)) lag->far++;
    lag->codes = 2 * lag->far + lag->inside;
    return true;
}

bool sbl_lags_find(sbl_lag *lags, const sbl_bins *cells, const size_t *columns, const sbl_schema *schema)
{
    const search s = {cells, columns, schema};
    bool some = false;
    for (size_t k = 0; k < cells->count; k++) {
        const sbl_linked_table *own = &schema->tables[sbl_schema_table_of(schema, columns[k])];
        const sbl_column *self = &schema->columns[columns[k]];
        if (own->parent == SBL_NO_TABLE || !is_date(self)) continue;
        const sbl_linked_table *parent = &schema->tables[own->parent];
        const bool told = own->order != SBL_NO_COLUMN &&
                          find_named(&s, parent, self->begin, self) == SBL_NO_COLUMN &&
                          set_lag(&lags[k], &s, k, own, own->order, true);
        if (!told && !set_lag(&lags[k], &s, k, parent, find_begin(&s, parent, self), false))
            lags[k] = (sbl_lag){0};
        some = some || lags[k].codes != 0;
    }
    return some;
}

/* ---- the frame ---- */

typedef struct frame {
    double begin, end; /* steps of the encoded column; whole numbers */
} frame;

static double value_at(const sbl_bins *cells, size_t cell, const double *numeric)
{
    const sbl_column *domain = &cells->columns[cell].domain;
    return sbl_column_snap(domain, sbl_column_from_unit(domain, numeric[cells->columns[cell].index]));
}

static double second_at(const sbl_lag_date *date, const sbl_bins *cells, const double *numeric)
{
    const double value = value_at(cells, date->cell, numeric);
    if (date->base == SBL_LAG_NONE) return value * date->seconds;
    return (value_at(cells, date->base, numeric) + date->sign * value) * date->seconds;
}

static double step_at(const sbl_lag *lag, const sbl_bins *cells, double second)
{
    const sbl_column *domain = &cells->columns[lag->self.cell].domain;
    const double whole = second / lag->self.seconds * domain->scale / domain->multiple;
    return floor(whole) - domain->grid_minimum;
}

/* A day ends with its last second where seconds are counted. */
static frame frame_of(const sbl_lag *lag, const sbl_bins *cells, const double *row)
{
    frame f;
    f.begin = f.end = step_at(lag, cells, second_at(&lag->begin, cells, row));
    if (lag->end.cell == SBL_LAG_NONE) return f;
    const double last = second_at(&lag->end, cells, row) + fmax(0.0, lag->end.seconds - lag->self.seconds);
    f.end = fmax(f.begin, step_at(lag, cells, last));
    return f;
}

/* ---- codes ---- */

/* The code of a distance, at least 1. */
static uint32_t distance_code(const sbl_lag *lag, double distance)
{
    uint32_t code = 0;
    for (double edge = lag->width; distance > edge && code + 1 < lag->far; edge = wider(lag, edge)) code++;
    return code;
}

static uint32_t inside_code(const sbl_lag *lag, frame f, double step)
{
    const double parts = lag->inside - 2.0;
    if (step == f.begin) return 0;
    if (step == f.end) return lag->inside - 1;
    return 1 + (uint32_t)floor((step - f.begin - 1.0) * parts / (f.end - f.begin - 1.0));
}

uint32_t sbl_lag_code(const sbl_lag *lag, const sbl_bins *cells, const double *numeric, const uint32_t *codes,
                      const double *above)
{
    const sbl_bins_column *column = &cells->columns[lag->self.cell];
    if (column->domain.missing_allowed && codes[column->indicator] == 1) return lag->codes;
    const frame f = frame_of(lag, cells, lag->own_row ? numeric : above);
    const double step = sbl_column_grid_whole(&column->domain, value_at(cells, lag->self.cell, numeric)) -
                        column->domain.grid_minimum;
    if (step < f.begin) return lag->far - 1 - distance_code(lag, f.begin - step);
    if (step > f.end) return lag->far + lag->inside + distance_code(lag, step - f.end);
    return lag->far + inside_code(lag, f, step);
}

/* ---- and back ---- */

/* The distances of a code: more than low, up to high. The last one has no end. */
static void distances_of(const sbl_lag *lag, uint32_t code, double *low, double *high)
{
    *low = 0.0;
    for (uint32_t c = 0; c < code; c++) *low = wider(lag, *low);
    *high = code + 1 < lag->far ? wider(lag, *low) : (double)lag->span * 2.0;
}

/* A whole number evenly from low to high, as far as it is within `first` and `last`; where that is nothing, evenly
 * within these; where they are nothing either, the nearest step of the window. */
static double evenly(const sbl_lag *lag, double low, double high, double first, double last, double uniform)
{
    const double end = (double)lag->span - 1.0;
    first = fmax(first, 0.0);
    last = fmin(last, end);
    if (first > last) return fmin(fmax(first, 0.0), end);
    low = fmax(low, first);
    high = fmin(high, last);
    if (low > high) {
        low = first;
        high = last;
    }
    return fmin(low + floor(uniform * (high - low + 1.0)), high);
}

static double place_inside(const sbl_lag *lag, frame f, uint32_t code, double uniform)
{
    const double between = f.end - f.begin - 1.0;
    if (code == 0) return f.begin;
    if (code == lag->inside - 1) return f.end;
    if (between < 1.0) return uniform < 0.5 ? f.begin : f.end;
    return f.begin + 1.0 + floor((code - 1 + uniform) * between / (lag->inside - 2.0));
}

double sbl_lag_place(const sbl_lag *lag, const sbl_bins *cells, const double *numeric, const double *above,
                     uint32_t code, double uniform)
{
    const sbl_bins_column *column = &cells->columns[lag->self.cell];
    const frame f = frame_of(lag, cells, lag->own_row ? numeric : above);
    double low, high, step;
    if (code >= lag->codes) return column->low[column->intervals]; /* missing: the column's constant */
    if (code < lag->far) {
        distances_of(lag, lag->far - 1 - code, &low, &high);
        step = evenly(lag, f.begin - high, f.begin - low - 1.0, -INFINITY, f.begin - 1.0, uniform);
    } else if (code < lag->far + lag->inside) {
        step = place_inside(lag, f, code - lag->far, uniform);
        step = evenly(lag, step, step, f.begin, f.end, uniform);
    } else {
        distances_of(lag, code - lag->far - lag->inside, &low, &high);
        step = evenly(lag, f.end + low + 1.0, f.end + high, f.end + 1.0, INFINITY, uniform);
    }
    const double value = sbl_column_grid_value(&column->domain, column->domain.grid_minimum + step);
    return sbl_column_to_unit(&column->domain, value);
}
