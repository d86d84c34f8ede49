/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of single columns.
 *
 * Total variation over the public cells. Kolmogorov-Smirnov sup |F - G| and Wasserstein-1
 * integral |F - G| of the two empirical distribution functions for numbers and dates, over the
 * values that are present and within the bounds, in units of the declared range. Histograms for people: at most 40 bars,
 * and some of what stands apart; real beside synthetic. Cells of the synthetic table that its schema does not foresee: a table
 * that this program wrote has none. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "base/order.h"
#include "owner/fidelity/axis.h"
#include "owner/fidelity/measures.h"

/* The share of rows in each cell. */
static json_t *shares_json(const sbl_axis *axis, const sbl_frame *frame)
{
    double shares[SBL_AXIS_CELLS(SBL_HISTOGRAM_CELLS)] = {0};
    json_t *list = json_array();
    for (size_t row = 0; row < frame->rows; row++) shares[sbl_axis_cell(axis, frame, row)] += 1.0;
    for (size_t cell = 0; cell < axis->count; cell++)
        list = sbl_json_append(list, sbl_number_json(shares[cell] / (double)frame->rows));
    return list;
}

/* Real beside synthetic; NULL when out of memory. */
static json_t *histogram_json(const sbl_view_column *column, const sbl_frame *real,
                              const sbl_frame *synthetic)
{
    const sbl_frame *const tables[2] = {real, synthetic};
    sbl_axis axis;
    json_t *histogram = NULL;
    if (sbl_axis_init(&axis, column, SBL_HISTOGRAM_CELLS, SBL_HISTOGRAM_BINS, tables, 2))
        histogram = json_pack("{s:o, s:o, s:o}", "labels", sbl_axis_labels(&axis), "real",
                              shares_json(&axis, real), "synthetic", shares_json(&axis, synthetic));
    sbl_axis_clear(&axis);
    return histogram;
}

sbl_status sbl_measure_histograms(json_t **result, const sbl_frame *frame, const sbl_view *view,
                                  sbl_error *err)
{
    json_t *list = json_array();
    for (size_t c = 0; c < view->count; c++) {
        const sbl_view_column *column = &view->columns[c];
        sbl_axis axis;
        json_t *one = NULL;
        if (sbl_axis_init(&axis, column, SBL_HISTOGRAM_CELLS, SBL_HISTOGRAM_BINS, &frame, 1))
            one = json_pack("{s:s, s:o, s:o}", "name", column->column->name, "labels", sbl_axis_labels(&axis),
                            "shares", shares_json(&axis, frame));
        sbl_axis_clear(&axis);
        list = sbl_json_append(list, one);
    }
    *result = list;
    return list != NULL ? SBL_OK : sbl_no_memory(err, "histograms");
}

typedef struct column_result {
    sbl_triple tvd, ks, wasserstein;
    bool failed;
} column_result;

void sbl_sample_distances(double *ks, double *wasserstein, const double *a, size_t count_a, const double *b,
                          size_t count_b)
{
    size_t i = 0;
    size_t j = 0;
    double last = 0.0;
    double difference = 0.0; /* F - G between the last value and the next */
    *ks = *wasserstein = 0.0;
    while (i < count_a || j < count_b) {
        const double value = j == count_b || (i < count_a && a[i] < b[j]) ? a[i] : b[j];
        *wasserstein += fabs(difference) * (value - last);
        while (i < count_a && a[i] == value) i++;
        while (j < count_b && b[j] == value) j++;
        difference = (double)i / (double)count_a - (double)j / (double)count_b;
        if (fabs(difference) > *ks) *ks = fabs(difference);
        last = value;
    }
}

void sbl_sample_triples(sbl_triple ks, sbl_triple wasserstein, double *const values[SBL_ROLE_COUNT],
                        const size_t counts[SBL_ROLE_COUNT], const sbl_tables *tables)
{
    for (sbl_pair p = 0; p < SBL_PAIR_COUNT; p++) {
        sbl_table_role side[2];
        ks[p] = wasserstein[p] = NAN;
        if (sbl_tables_pair(side, tables, p) && counts[side[0]] != 0 && counts[side[1]] != 0)
            sbl_sample_distances(&ks[p], &wasserstein[p], values[side[0]], counts[side[0]], values[side[1]],
                                 counts[side[1]]);
    }
}

/* The values that are present, sorted. Owner: the caller, wiped by rows. NULL: out of memory. */
static double *sorted_values(size_t *count, const sbl_view_column *column, const sbl_frame *frame)
{
    double *values = sbl_alloc_array(frame->rows, sizeof *values);
    *count = 0;
    if (values == NULL) return NULL;
    for (size_t row = 0; row < frame->rows; row++)
        if (sbl_view_apart(column, frame, row) == 0) values[(*count)++] = sbl_view_linear(column, frame, row);
    qsort(values, *count, sizeof *values, sbl_double_order);
    return values;
}

static void measure_numbers(column_result *result, const sbl_view_column *column, const sbl_tables *tables)
{
    double *values[SBL_ROLE_COUNT] = {0};
    size_t counts[SBL_ROLE_COUNT] = {0};
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        values[t] = sorted_values(&counts[t], column, &tables->frames[t]);
        if (values[t] == NULL) result->failed = true;
    }
    if (!result->failed) sbl_sample_triples(result->ks, result->wasserstein, values, counts, tables);
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        sbl_free_wiped(values[t], tables->frames[t].rows * sizeof **values);
}

static void measure_cells(column_result *result, const sbl_view_column *column, const sbl_tables *tables)
{
    const sbl_view one = {.columns = (sbl_view_column *)(uintptr_t)column, .count = 1};
    sbl_tally_input input = {.way = 1, .sizes = {column->cells}, .tables = SBL_ROLE_COUNT};
    uint32_t *cells[SBL_ROLE_COUNT] = {0};
    sbl_tally tally = {0};
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        cells[t] = sbl_view_cells(&one, &tables->frames[t]);
        if (cells[t] == NULL) result->failed = true;
        input.codes[t][0] = cells[t];
        input.rows[t] = tables->frames[t].rows;
    }
    if (!result->failed) result->failed = sbl_tally_triple(result->tvd, &tally, &input, tables) != SBL_OK;
    sbl_tally_clear(&tally);
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_free_wiped(cells[t], input.rows[t] * sizeof **cells);
}

static json_t *column_json(const column_result *result, const sbl_view_column *column,
                           const sbl_tables *tables)
{
    const bool numeric = column->numeric;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o}", "name", column->column->name, "kind",
        sbl_column_kind_name(column->column->kind), "tvd", sbl_triple_json(result->tvd), "ks",
        numeric ? sbl_triple_json(result->ks) : json_null(), "wasserstein",
        numeric ? sbl_triple_json(result->wasserstein) : json_null(), "histogram",
        histogram_json(column, &tables->frames[SBL_ROLE_REAL], &tables->frames[SBL_ROLE_SYNTHETIC]));
}

sbl_status sbl_measure_columns(json_t **result, const sbl_tables *tables, const sbl_view *view,
                               sbl_error *err)
{
    column_result *results = NULL;
    json_t *list = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(results, view->count, "the measures of columns");
    SBL_OMP(omp parallel for num_threads(tables->threads) schedule(dynamic))
    for (long c = 0; c < (long)view->count; c++) {
        if (!sbl_progress_team_goes_on(&tables->progress, sbl_thread_index(), (uint64_t)c, view->count))
            continue;
        measure_cells(&results[c], &view->columns[c], tables);
        if (view->columns[c].numeric) measure_numbers(&results[c], &view->columns[c], tables);
    }
    list = json_array();
    for (size_t c = 0; c < view->count; c++)
        list = sbl_json_append(
            list, results[c].failed ? NULL : column_json(&results[c], &view->columns[c], tables));
    if (list == NULL) status = sbl_no_memory(err, "the measures of columns");
done:
    sbl_free(results);
    *result = list;
    return status;
}

static uint64_t faults(const sbl_column_diagnosis *column)
{
    uint64_t sum = 0;
    for (int fault = SBL_CELL_MISSING_REQUIRED; fault < SBL_CELL_FAULT_COUNT; fault++)
        sum += column->cells[fault];
    return sum;
}

sbl_status sbl_measure_domain(json_t **result, const sbl_diagnosis *diagnosis, const sbl_schema *schema,
                              sbl_error *err)
{
    json_t *columns = json_array();
    uint64_t cells = 0;
    for (size_t c = 0; c < schema->column_count; c++) {
        const uint64_t count = faults(&diagnosis->columns[c]);
        if (schema->columns[c].kind == SBL_COLUMN_IGNORED || count == 0) continue;
        columns = sbl_json_append(
            columns, json_pack("{s:s, s:I}", "name", schema->columns[c].name, "cells", (json_int_t)count));
        cells += count;
    }
    const uint64_t rows =
        diagnosis->rows_with_few_cells + diagnosis->rows_with_extra_cells + diagnosis->rows_too_long;
    *result = json_pack("{s:I, s:I, s:o}", "cells", (json_int_t)cells, "rows", (json_int_t)rows, "columns",
                        columns);
    return *result != NULL ? SBL_OK : sbl_no_memory(err, "counts of cells");
}
