/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of each column, derived from its domain: categories one by one, short grids value by
 * value, anything else by bins whose edges lie in unit coordinates, with both ends and each spike
 * cut out. A record's cell is found by a branch-free binary search, which takes as many steps for
 * every value. */
#include "public/schema/bins.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/spikes.h"

#define MOST_CELLS ((size_t)1 << 24)
#define EDGE_SLACK 1e-9 /* a value that lies on an edge is in the upper bin whatever log1p says */

void sbl_bins_clear(sbl_bins *cells)
{
    sbl_pool_clear(&cells->pool);
    *cells = (sbl_bins){0};
}

/* Unit coordinate of the point between grid values whole - 1 and whole: where rounding to the grid
 * goes from one to the other. Not clamped, but for the logarithm. */
static double half_edge(const sbl_column *domain, double whole)
{
    double range = domain->maximum - domain->minimum;
    double distance = sbl_column_grid_value(domain, whole - 0.5) - domain->minimum;
    if (!domain->log_transform) return distance / range;
    return log1p(distance > 0 ? distance : 0) / log1p(range);
}

static double grid_unit(const sbl_column *domain, double whole)
{
    return sbl_column_to_unit(domain, sbl_column_grid_value(domain, whole));
}

/* How a number is cut: bins of its unit coordinate, and bins of its value where those differ. */
typedef struct cuts {
    size_t bins, linear;
} cuts;

static cuts cuts_of(const sbl_bins *cells, const sbl_column *domain)
{
    const bool both = cells->linear > 0 && domain->log_transform;
    return (cuts){both ? (cells->bins + 1) / 2 : cells->bins, both ? cells->linear : 0};
}

/* The next edge after `edge`, in unit coordinates; 1 when there is none. */
static double next_edge(const sbl_column *domain, cuts c, double edge)
{
    const double bin = floor(edge * (double)c.bins + EDGE_SLACK) + 1;
    double next = bin / (double)c.bins;
    if (c.linear > 0) {
        const double range = domain->maximum - domain->minimum, top = log1p(range);
        const double part = expm1(edge * top) / range; /* of the values below the edge */
        const double step = floor(part * (double)c.linear + EDGE_SLACK) + 1;
        next = fmin(next, log1p(range * step / (double)c.linear) / top);
    }
    return next < 1 - EDGE_SLACK ? next : 1;
}

/* The smallest whole number of the grid that lies at an edge or above; past the end when none. */
static double first_at(const sbl_column *domain, double edge, double slack)
{
    double low = domain->grid_minimum, high = domain->grid_maximum + 1;
    while (low < high) {
        double middle = low + floor((high - low) / 2); /* below high, also past 2^52 */
        if (grid_unit(domain, middle) + slack >= edge)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* First grid value of every cell, ascending, one cell per value. Returns how many. */
static size_t single_starts(double *starts, const sbl_column *domain)
{
    double first = domain->grid_minimum;
    size_t count = (size_t)(domain->grid_maximum - first) + 1;
    for (size_t j = 0; j < count; j++) starts[j] = first + (double)j;
    return count;
}

/* A start among others that ascend, if it is not there yet. Returns how many there are. */
static size_t insert_start(double *starts, size_t count, double start)
{
    size_t place = count;
    for (size_t j = 0; j < count; j++)
        if (starts[j] == start) return count;
    for (; place > 0 && starts[place - 1] > start; place--) starts[place] = starts[place - 1];
    starts[place] = start;
    return count + 1;
}

/* The same of bins, both ends and each spike apart; at most bins + linear + 2 and two a spike. */
static size_t bin_starts(double *starts, const sbl_column *domain, cuts c)
{
    double first = domain->grid_minimum, last = domain->grid_maximum;
    size_t count = 1;
    starts[0] = first;
    starts[count++] = first + 1;
    double edge = next_edge(domain, c, 0);
    while (edge < 1) {
        double start = first_at(domain, edge, EDGE_SLACK / (double)c.bins);
        if (start > starts[count - 1] && start < last) starts[count++] = start;
        edge = next_edge(domain, c, edge);
    }
    if (last > starts[count - 1]) starts[count++] = last;
    for (size_t s = 0; s < domain->spike_count; s++) {
        if (sbl_spike_is_sentinel(domain, s)) continue;
        const double whole = sbl_column_grid_whole(domain, domain->spikes[s]);
        count = insert_start(starts, count, whole);
        if (whole < last) count = insert_start(starts, count, whole + 1);
    }
    return count;
}

static void grid_intervals(sbl_bins_column *column, cuts c)
{
    const sbl_column *domain = &column->domain;
    double *starts = column->low; /* replaced from the left as it is read */
    column->intervals = column->single ? single_starts(starts, domain) : bin_starts(starts, domain, c);
    for (size_t j = 0; j < column->intervals; j++) {
        bool ends = j + 1 == column->intervals;
        double start = starts[j], next = ends ? domain->grid_maximum + 1 : starts[j + 1];
        bool single = next - start == 1;
        if (!ends) column->edges[j] = half_edge(domain, next);
        column->low[j] = single ? grid_unit(domain, start) : half_edge(domain, start);
        column->high[j] = single ? column->low[j] : half_edge(domain, next);
    }
}

/* #{e : edges[e] <= unit} by halving, without a branch that the record decides: as many steps for every value. NaN: 0. */
static size_t cell_of_unit(const sbl_bins_column *column, double unit)
{
    const double *from = column->edges;
    size_t left = column->intervals - 1;
    while (left > 1) {
        const size_t half = left / 2;
        from += half * (size_t)(from[half - 1] <= unit);
        left -= half;
    }
    return (size_t)(from - column->edges) + (left == 1 && *from <= unit);
}

/* Room for one more interval at j: what is there from j on moves up. */
static void open_interval(sbl_bins_column *column, size_t j)
{
    for (size_t i = column->intervals++; i > j; i--) {
        column->low[i] = column->low[i - 1];
        column->high[i] = column->high[i - 1];
        column->edges[i] = column->edges[i - 1];
    }
}

/* The bin that holds a spike becomes what is below, the spike alone, and what is above. */
static void cut_out(sbl_bins_column *column, double spike)
{
    size_t j = cell_of_unit(column, spike);
    if (column->low[j] == column->high[j]) return; /* an end */
    const double after = nextafter(spike, 2);
    if (column->low[j] < spike) {
        open_interval(column, j);
        column->high[j] = column->edges[j] = spike;
        j++;
    }
    open_interval(column, j);
    column->low[j] = column->high[j] = column->low[j + 1] = spike;
    column->edges[j] = after;
}

/* {0}, the bins, {1}, and each spike cut out of its bin. */
static void continuous_intervals(sbl_bins_column *column, cuts c)
{
    size_t count = 1;
    column->low[0] = column->high[0] = 0;
    column->edges[0] = DBL_MIN;
    for (double edge = 0; edge < 1; count++) {
        column->low[count] = edge;
        edge = next_edge(&column->domain, c, edge);
        column->high[count] = column->edges[count] = edge;
    }
    column->low[count] = column->high[count] = 1;
    column->intervals = count + 1;
    for (size_t s = 0; s < column->domain.spike_count; s++)
        if (!sbl_spike_is_sentinel(&column->domain, s))
            cut_out(column, sbl_column_to_unit(&column->domain, column->domain.spikes[s]));
}

/* One more cell, after the intervals, where a record's number is the column's constant. */
static size_t add_apart(sbl_bins_column *column)
{
    const size_t cell = column->count++;
    column->low[cell] = sbl_column_to_unit(&column->domain, column->domain.fallback);
    column->high[cell] = column->low[cell];
    return cell;
}

static sbl_status number_intervals(sbl_bins_column *column, sbl_bins *cells, sbl_error *err)
{
    const sbl_column *domain = &column->domain;
    const bool is_grid = domain->decimals >= 0;
    const cuts c = cuts_of(cells, domain);
    sbl_status status = SBL_OK;
    column->single = is_grid && domain->grid_maximum - domain->grid_minimum < (double)cells->singles;
    const size_t most = (column->single ? cells->singles : c.bins + c.linear) + 3 + 2 * domain->spike_count;
    SBL_POOL(&cells->pool, column->edges, most, 1, "the cells of a column");
    SBL_POOL(&cells->pool, column->low, most, 1, "the cells of a column");
    SBL_POOL(&cells->pool, column->high, most, 1, "the cells of a column");
    if (!(domain->maximum > domain->minimum))
        column->intervals = 1; /* the one value, at 0 */
    else if (is_grid)
        grid_intervals(column, c);
    else
        continuous_intervals(column, c);
    column->count = column->intervals;
    if (domain->missing_allowed) (void)add_apart(column);
    for (size_t s = 0; s < domain->spike_count; s++)
        column->spikes[s] = sbl_spike_is_sentinel(domain, s)
                                ? add_apart(column)
                                : cell_of_unit(column, sbl_column_to_unit(domain, domain->spikes[s]));
done:
    return status;
}

/* The next column of the codes; the label's is passed over. */
static size_t next_code(sbl_bins *cells)
{
    if (cells->categorical_count == cells->label) cells->categorical_count++;
    return cells->categorical_count++;
}

/* The hierarchy's numbers, which are the schema's or those of other cells, become its own. */
static sbl_status own_ancestors(sbl_bins_column *column, sbl_bins *cells, sbl_error *err)
{
    uint32_t *own;
    sbl_status status = SBL_OK;
    if (column->levels == 0) return SBL_OK;
    SBL_POOL(&cells->pool, own, column->levels * column->intervals, 1, "the cells of a column");
    memcpy(own, column->ancestors, column->levels * column->intervals * sizeof *own);
    column->ancestors = own;
done:
    return status;
}

/* Indices, intervals and totals, once kinds, counts and domains are known. */
static sbl_status finish(sbl_bins *cells, sbl_error *err)
{
    cells->total = cells->numeric_count = cells->categorical_count = 0;
    for (size_t k = 0; k < cells->count; k++) {
        sbl_bins_column *column = &cells->columns[k];
        column->indicator = SBL_NO_HEAD;
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            column->index = next_code(cells);
            SBL_CHECK(own_ancestors(column, cells, err));
        } else {
            column->index = cells->numeric_count++;
            if (column->domain.missing_allowed || column->domain.spike_count > 0)
                column->indicator = next_code(cells);
            sbl_status status = number_intervals(column, cells, err);
            if (status != SBL_OK) return status;
        }
        column->offset = cells->total;
        if (column->count < 1 || column->count > MOST_CELLS - cells->total)
            return sbl_fail(err, SBL_EARG,
                            "a marginal must have 1 to %zu bins, and every column at least one", MOST_CELLS);
        cells->total += column->count;
    }
    if (cells->categorical_count == cells->label) cells->categorical_count++;
    if (cells->count == 0 || (cells->label != SBL_NO_HEAD && cells->label > cells->categorical_count))
        return sbl_fail(err, SBL_EARG, "there is no column besides the label");
    return SBL_OK;
}

/* A number with bounds by category is a place within its own category's range: the same bins for all categories.
 * Spikes are sentinels here, since a place is not a value. */
static sbl_column place_domain(const sbl_column *column)
{
    sbl_column domain = {.kind = SBL_COLUMN_NUMBER,
                         .missing_allowed = column->missing_allowed,
                         .maximum = 1,
                         .decimals = -1,
                         .scale = 1,
                         .multiple = 1,
                         .fallback = SBL_PLACE_APART,
                         .spike_count = column->spike_count};
    for (size_t s = 0; s < domain.spike_count; s++) domain.spikes[s] = 2 + (double)s;
    return domain;
}

/* What the cells of a number follow from, and nothing that is owned. */
static sbl_column number_domain(const sbl_column *column)
{
    if (column->by_domains != NULL) return place_domain(column);
    sbl_column domain = {.kind = SBL_COLUMN_NUMBER,
                         .missing_allowed = column->missing_allowed,
                         .minimum = column->minimum,
                         .maximum = column->maximum,
                         .log_transform = column->log_transform,
                         .decimals = column->decimals,
                         .scale = column->scale,
                         .multiple = column->multiple,
                         .grid_minimum = column->grid_minimum,
                         .grid_maximum = column->grid_maximum,
                         .fallback = column->fallback,
                         .spike_count = column->spike_count};
    memcpy(domain.spikes, column->spikes, sizeof domain.spikes);
    return domain;
}

static void take_categories(sbl_bins_column *column, const sbl_column *facts)
{
    column->intervals = column->count - facts->missing_allowed;
    column->levels = facts->levels;
    column->ancestors = facts->ancestors;
}

static void add_heads(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t label)
{
    for (size_t i = 0; i < heads->count; i++) {
        const sbl_head *head = &heads->items[i];
        if (i == label || head->indicator) continue;
        sbl_bins_column *column = &cells->columns[cells->count++];
        column->kind = head->kind;
        column->count = head->cardinality;
        column->ordered = head->ordered;
        if (head->kind == SBL_HEAD_NUMERIC)
            column->domain = number_domain(&schema->columns[head->column]);
        else
            take_categories(column, &schema->columns[head->column]);
    }
}

static sbl_status init(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t bins,
                       size_t singles, size_t linear, sbl_error *err)
{
    *cells =
        (sbl_bins){.bins = bins, .singles = singles, .linear = linear, .classes = 1, .label = SBL_NO_HEAD};
    if (bins < 1 || bins > SBL_CELLS_MAX_BINS)
        return sbl_fail(err, SBL_EARG, "bins must be a number from 1 to %d", SBL_CELLS_MAX_BINS);
    if (singles < bins || singles > SBL_CELLS_MAX_BINS)
        return sbl_fail(err, SBL_EARG, "single values must be a number from bins to %d", SBL_CELLS_MAX_BINS);
    sbl_status status = SBL_OK;
    size_t label = heads->class_count > 1 && linear == 0 ? heads->label : SBL_NO_HEAD;
    if (label != SBL_NO_HEAD) {
        cells->classes = heads->class_count;
        cells->label = heads->items[label].index;
        cells->label_missing = schema->columns[heads->items[label].column].missing_allowed;
    }
    SBL_POOL(&cells->pool, cells->columns, heads->count, 1, "the cells of a table");
    add_heads(cells, schema, heads, label);
    SBL_TRY(finish(cells, err));
done:
    if (status != SBL_OK) sbl_bins_clear(cells);
    return status;
}

sbl_status sbl_bins_copy(sbl_bins *copy, const sbl_bins *cells, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *copy = *cells;
    copy->pool = (sbl_pool){0};
    SBL_POOL(&copy->pool, copy->columns, cells->count, 1, "cells");
    memcpy(copy->columns, cells->columns, cells->count * sizeof *copy->columns);
    SBL_TRY(finish(copy, err));
done:
    if (status != SBL_OK) sbl_bins_clear(copy);
    return status;
}

sbl_status sbl_bins_init(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t bins,
                         size_t singles, sbl_error *err)
{
    return init(cells, schema, heads, bins, singles, 0, err);
}

sbl_status sbl_bins_init_joint(sbl_bins *cells, const sbl_schema *schema, const sbl_heads *heads, size_t bins,
                               size_t singles, size_t linear, sbl_error *err)
{
    if (linear < 1 || linear > SBL_CELLS_MAX_BINS) {
        *cells = (sbl_bins){0};
        return sbl_fail(err, SBL_EARG, "linear bins must be a number from 1 to %d", SBL_CELLS_MAX_BINS);
    }
    return init(cells, schema, heads, bins, singles, linear, err);
}

size_t sbl_bins_find(const sbl_bins_column *column, const double *numeric, const uint32_t *codes)
{
    if (column->kind == SBL_HEAD_CATEGORICAL) {
        size_t code = codes[column->index];
        return code < column->count ? code : 0;
    }
    if (column->indicator != SBL_NO_HEAD) {
        const uint32_t code = codes[column->indicator], first = sbl_spike_code(&column->domain, 0);
        if (column->domain.missing_allowed && code == 1) return column->intervals;
        if (code >= first && code - first < column->domain.spike_count &&
            column->spikes[code - first] >= column->intervals)
            return column->spikes[code - first];
    }
    return cell_of_unit(column, numeric[column->index]);
}

uint32_t sbl_bins_indicator(const sbl_bins_column *column, size_t cell)
{
    if (column->domain.missing_allowed && cell == column->intervals) return 1;
    for (size_t s = 0; s < column->domain.spike_count; s++)
        if (column->spikes[s] == cell) return sbl_spike_code(&column->domain, s);
    return 0;
}

double sbl_bins_place(const sbl_bins_column *column, size_t cell, double uniform)
{
    const double low = column->low[cell];
    const double unit = low + uniform * (column->high[cell] - low);
    if (!(unit >= 0)) return 0;
    return unit <= 1 ? unit : 1;
}
