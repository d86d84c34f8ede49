#include "schema/cells.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"

#define MOST_CELLS ((size_t)1 << 24)
#define EDGE_SLACK 1e-9 /* a value that lies on an edge is in the upper bin whatever log1p says */

void sbl_cells_clear(sbl_cells *cells)
{
    for (size_t k = 0; cells->columns && k < cells->count; k++) {
        sbl_free(cells->columns[k].edges);
        sbl_free(cells->columns[k].low);
        sbl_free(cells->columns[k].high);
    }
    sbl_free(cells->columns);
    *cells = (sbl_cells){0};
}

/* Unit coordinate of the point between grid values whole - 1 and whole: where rounding to the grid
 * goes from one to the other. Not clamped, but for the logarithm. */
static double half_edge(const sbl_column *domain, double whole)
{
    double range = domain->maximum - domain->minimum;
    double distance = (whole - 0.5) / domain->scale - domain->minimum;
    if (!domain->log_transform) return distance / range;
    return log1p(distance > 0 ? distance : 0) / log1p(range);
}

static double grid_unit(const sbl_column *domain, double whole)
{
    return sbl_column_to_unit(domain, whole / domain->scale);
}

/* The smallest whole number of the grid that lies in bin `bin` or above; past the end when none. */
static double first_in_bin(const sbl_column *domain, size_t bins, size_t bin)
{
    double low = domain->grid_minimum, high = domain->grid_maximum + 1;
    while (low < high) {
        double middle = floor(low + (high - low) / 2);
        if (grid_unit(domain, middle) * (double)bins + EDGE_SLACK >= (double)bin)
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

/* The same of equal bins, both ends apart; room for bins + 2. */
static size_t bin_starts(double *starts, const sbl_column *domain, size_t bins)
{
    double first = domain->grid_minimum, last = domain->grid_maximum;
    size_t count = 1;
    starts[0] = first;
    starts[count++] = first + 1;
    for (size_t bin = 1; bin < bins; bin++) {
        double start = first_in_bin(domain, bins, bin);
        if (start > starts[count - 1] && start < last) starts[count++] = start;
    }
    if (last > starts[count - 1]) starts[count++] = last;
    return count;
}

static void grid_intervals(sbl_cells_column *column, size_t bins)
{
    const sbl_column *domain = &column->domain;
    double *starts = column->low; /* replaced from the left as it is read */
    column->intervals =
        column->single ? single_starts(starts, domain) : bin_starts(starts, domain, bins);
    for (size_t j = 0; j < column->intervals; j++) {
        bool ends = j + 1 == column->intervals;
        double start = starts[j], next = ends ? domain->grid_maximum + 1 : starts[j + 1];
        bool single = next - start == 1;
        if (!ends) column->edges[j] = half_edge(domain, next);
        column->low[j] = single ? grid_unit(domain, start) : half_edge(domain, start);
        column->high[j] = single ? column->low[j] : half_edge(domain, next);
    }
}

/* {0}, the bins, {1}. */
static void continuous_intervals(sbl_cells_column *column, size_t bins)
{
    column->intervals = bins + 2;
    for (size_t j = 0; j <= bins; j++) {
        double edge = (double)j / (double)bins;
        column->edges[j] = j == 0 ? DBL_MIN : edge;
        column->high[j] = column->low[j + 1] = edge;
    }
    column->low[0] = 0;
    column->high[bins + 1] = 1;
}

static sbl_status number_intervals(sbl_cells_column *column, size_t bins, size_t singles,
                                   sbl_error *err)
{
    const sbl_column *domain = &column->domain;
    const bool is_grid = domain->decimals >= 0;
    column->single = is_grid && domain->grid_maximum - domain->grid_minimum < (double)singles;
    const size_t room = (column->single ? singles : bins) + 3;
    column->edges = sbl_alloc_array(room, sizeof *column->edges);
    column->low = sbl_alloc_array(room, sizeof *column->low);
    column->high = sbl_alloc_array(room, sizeof *column->high);
    if (!column->edges || !column->low || !column->high)
        return sbl_fail(err, SBL_EMEM, "out of memory for the cells of a column");
    if (!(domain->maximum > domain->minimum))
        column->intervals = 1; /* the one value, at 0 */
    else if (is_grid)
        grid_intervals(column, bins);
    else
        continuous_intervals(column, bins);
    column->count = column->intervals;
    if (domain->missing_allowed) {
        column->low[column->count] = sbl_column_to_unit(domain, domain->fallback);
        column->high[column->count] = column->low[column->count];
        column->count++;
    }
    return SBL_OK;
}

/* The next column of the codes; the label's is passed over. */
static size_t next_code(sbl_cells *cells)
{
    if (cells->categorical_count == cells->label) cells->categorical_count++;
    return cells->categorical_count++;
}

sbl_status sbl_cells_finish(sbl_cells *cells, sbl_error *err)
{
    cells->total = cells->numeric_count = cells->categorical_count = 0;
    for (size_t k = 0; k < cells->count; k++) {
        sbl_cells_column *column = &cells->columns[k];
        column->indicator = SBL_NO_HEAD;
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            column->index = next_code(cells);
        } else {
            column->index = cells->numeric_count++;
            if (column->domain.missing_allowed) column->indicator = next_code(cells);
            sbl_status status = number_intervals(column, cells->bins, cells->singles, err);
            if (status != SBL_OK) return status;
        }
        column->offset = cells->total;
        if (column->count < 1 || column->count > MOST_CELLS - cells->total)
            return sbl_fail(err, SBL_EARG,
                            "a table must have 1 to %zu cells, and every column some", MOST_CELLS);
        cells->total += column->count;
    }
    if (cells->categorical_count == cells->label) cells->categorical_count++;
    if (cells->count == 0 ||
        (cells->label != SBL_NO_HEAD && cells->label > cells->categorical_count))
        return sbl_fail(err, SBL_EARG, "there is no column beside the label");
    return SBL_OK;
}

/* What the cells of a number follow from, and nothing that is owned. */
static sbl_column number_domain(const sbl_column *column)
{
    return (sbl_column){.kind = SBL_COLUMN_NUMBER,
                        .missing_allowed = column->missing_allowed,
                        .minimum = column->minimum,
                        .maximum = column->maximum,
                        .log_transform = column->log_transform,
                        .decimals = column->decimals,
                        .scale = column->scale,
                        .grid_minimum = column->grid_minimum,
                        .grid_maximum = column->grid_maximum,
                        .fallback = column->fallback};
}

static void add_heads(sbl_cells *cells, const sbl_schema *schema, const sbl_heads *heads,
                      size_t label)
{
    for (size_t i = 0; i < heads->count; i++) {
        const sbl_head *head = &heads->items[i];
        if (i == label || head->indicator) continue;
        sbl_cells_column *column = &cells->columns[cells->count++];
        column->kind = head->kind;
        column->count = head->cardinality;
        if (head->kind == SBL_HEAD_NUMERIC)
            column->domain = number_domain(&schema->columns[head->column]);
    }
}

sbl_status sbl_cells_init(sbl_cells *cells, const sbl_schema *schema, const sbl_heads *heads,
                          size_t bins, size_t singles, sbl_error *err)
{
    *cells = (sbl_cells){.bins = bins, .singles = singles, .classes = 1, .label = SBL_NO_HEAD};
    if (bins < 1 || bins > SBL_CELLS_MAX_BINS)
        return sbl_fail(err, SBL_EARG, "bins must be a number from 1 to %d", SBL_CELLS_MAX_BINS);
    if (singles < bins || singles > SBL_CELLS_MAX_BINS)
        return sbl_fail(err, SBL_EARG, "single values must be a number from bins to %d",
                        SBL_CELLS_MAX_BINS);
    size_t label = heads->class_count > 1 ? heads->label : SBL_NO_HEAD;
    if (label != SBL_NO_HEAD) {
        cells->classes = heads->class_count;
        cells->label = heads->items[label].index;
    }
    cells->columns = sbl_alloc_array(heads->count, sizeof *cells->columns);
    if (!cells->columns) return sbl_fail(err, SBL_EMEM, "out of memory for the cells of a table");
    add_heads(cells, schema, heads, label);
    sbl_status status = sbl_cells_finish(cells, err);
    if (status != SBL_OK) sbl_cells_clear(cells);
    return status;
}

size_t sbl_cells_find(const sbl_cells_column *column, const double *numeric, const uint32_t *codes)
{
    if (column->kind == SBL_HEAD_CATEGORICAL) {
        size_t code = codes[column->index];
        return code < column->count ? code : 0;
    }
    if (column->indicator != SBL_NO_HEAD && codes[column->indicator] == 1) return column->intervals;
    double unit = numeric[column->index];
    size_t low = 0, high = column->intervals - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (column->edges[middle] <= unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
