/* SPDX-License-Identifier: Apache-2.0 */
/* How strongly two columns of one table go together.
 *
 *   category, category   Cramer's V: sqrt(chi^2 / (n (min(r, c) - 1))), r and c the numbers of
 *                        values that occur, missing being a value; not corrected for bias
 *   category, number     correlation ratio: sqrt(between-class sum of squares / total)
 *   number, number       Pearson's correlation, with its sign
 * A row counts where the numbers of the pair are present. NaN where a measure does not exist: one
 * of the columns is constant on those rows; a spread that is only rounding counts as none. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/tally.h"

/* A frame by columns, for going over pairs. */
typedef struct columnar {
    const sbl_view *view;
    size_t rows;
    double *numbers; /* (count, rows): linear scale; zeros for categories */
    uint32_t *codes; /* (count, rows): of a number, 1 where it is missing */
} columnar;

/* For one thread. */
typedef struct workspace {
    sbl_tally tally;
    double *sums; /* (2, largest number of codes + 1) */
} workspace;

static const char *measure_of(const sbl_view *view, size_t i, size_t j)
{
    const bool first = view->columns[i].numeric;
    const bool second = view->columns[j].numeric;
    if (first && second) return "pearson";
    return first || second ? "correlation_ratio" : "cramers_v";
}

static void columnar_clear(columnar *table)
{
    if (table->view != NULL) {
        const size_t cells = table->rows * table->view->count;
        sbl_free_wiped(table->numbers, cells * sizeof *table->numbers);
        sbl_free_wiped(table->codes, cells * sizeof *table->codes);
    }
    *table = (columnar){0};
}

static sbl_status columnar_init(columnar *table, const sbl_view *view, const sbl_frame *frame, sbl_error *err)
{
    const size_t rows = frame->rows;
    *table = (columnar){.view = view, .rows = rows};
    table->numbers = sbl_alloc_array(rows, view->count * sizeof *table->numbers);
    table->codes = sbl_alloc_array(rows, view->count * sizeof *table->codes);
    if (table->numbers == NULL || table->codes == NULL) {
        columnar_clear(table);
        return sbl_no_memory(err, "associations");
    }
    for (size_t c = 0; c < view->count; c++) {
        const sbl_view_column *column = &view->columns[c];
        for (size_t row = 0; row < rows; row++) {
            if (column->numeric) table->numbers[c * rows + row] = sbl_view_linear(column, frame, row);
            table->codes[c * rows + row] =
                column->numeric ? sbl_view_apart(column, frame, row) != 0 : sbl_view_code(column, frame, row);
        }
    }
    return SBL_OK;
}

/* Below this share of the sum of squares about the middle of the range, a spread is rounding. */
#define NO_SPREAD 1e-24

static double pearson(const columnar *table, size_t i, size_t j)
{
    const double *x = table->numbers + i * table->rows;
    const double *y = table->numbers + j * table->rows;
    const uint32_t *absent_x = table->codes + i * table->rows;
    const uint32_t *absent_y = table->codes + j * table->rows;
    double mean_x = 0.0;
    double mean_y = 0.0;
    double count = 0.0;
    for (size_t row = 0; row < table->rows; row++) {
        if (absent_x[row] + absent_y[row] != 0) continue;
        mean_x += x[row];
        mean_y += y[row];
        count += 1.0;
    }
    mean_x /= count; /* NaN where no row counts; the answer is then NaN */
    mean_y /= count;
    double xx = 0.0;
    double yy = 0.0;
    double xy = 0.0;
    for (size_t row = 0; row < table->rows; row++) {
        if (absent_x[row] + absent_y[row] != 0) continue;
        const double dx = x[row] - mean_x;
        const double dy = y[row] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    if (!(xx > NO_SPREAD * count) || !(yy > NO_SPREAD * count)) return NAN;
    return fmax(-1.0, fmin(1.0, xy / sqrt(xx * yy)));
}

static double correlation_ratio(double *sums, const columnar *table, size_t category, size_t number)
{
    const uint32_t size = table->view->columns[category].cells;
    const uint32_t *codes = table->codes + category * table->rows;
    const double *y = table->numbers + number * table->rows;
    const uint32_t *absent = table->codes + number * table->rows;
    double *counts = sums + size;
    double mean = 0.0;
    double count = 0.0;
    size_t classes = 0;
    memset(sums, 0, 2 * size * sizeof *sums);
    for (size_t row = 0; row < table->rows; row++) {
        if (absent[row] != 0) continue;
        sums[codes[row]] += y[row];
        counts[codes[row]] += 1.0;
        mean += y[row];
        count += 1.0;
    }
    mean /= count;
    double between = 0.0;
    double total = 0.0;
    for (uint32_t code = 0; code < size; code++) {
        if (counts[code] == 0.0) continue;
        const double distance = sums[code] / counts[code] - mean;
        between += counts[code] * distance * distance;
        classes++;
    }
    for (size_t row = 0; row < table->rows; row++)
        if (absent[row] == 0) total += (y[row] - mean) * (y[row] - mean);
    if (classes < 2 || !(total > NO_SPREAD * count)) return NAN;
    return fmin(1.0, sqrt(between / total));
}

static size_t values_that_occur(double *counts, const uint32_t *codes, uint32_t size, size_t rows)
{
    size_t occurring = 0;
    memset(counts, 0, size * sizeof *counts);
    for (size_t row = 0; row < rows; row++) counts[codes[row]] += 1.0;
    for (uint32_t code = 0; code < size; code++) occurring += counts[code] != 0.0;
    return occurring;
}

/* chi^2 / n = sum over cells n_ij^2 / (n_i n_j) - 1. */
static sbl_status cramers_v(double *value, workspace *space, const columnar *table, size_t i, size_t j)
{
    const sbl_view_column *columns = table->view->columns;
    double *counts[2] = {space->sums, space->sums + columns[i].cells};
    sbl_tally_input input = {
        .way = 2, .sizes = {columns[i].cells, columns[j].cells}, .tables = 1, .rows = {table->rows}};
    input.codes[0][0] = table->codes + i * table->rows;
    input.codes[0][1] = table->codes + j * table->rows;
    const size_t first = values_that_occur(counts[0], input.codes[0][0], columns[i].cells, table->rows);
    const size_t second = values_that_occur(counts[1], input.codes[0][1], columns[j].cells, table->rows);
    const size_t smaller = first < second ? first : second;
    *value = NAN;
    if (smaller < 2) return SBL_OK;
    const sbl_status status = sbl_tally_count(&space->tally, &input, NULL);
    if (status != SBL_OK) return status;
    double sum = -1.0;
    for (size_t cell = 0; cell < space->tally.cells; cell++) {
        uint32_t codes[SBL_TALLY_MAX_WAY];
        const double count = space->tally.counts[cell];
        if (count == 0.0) continue;
        sbl_tally_codes(codes, &space->tally, &input, cell);
        sum += count / counts[0][codes[0]] * (count / counts[1][codes[1]]);
    }
    *value = fmin(1.0, sqrt(fmax(0.0, sum) / (double)(smaller - 1)));
    return SBL_OK;
}

static sbl_status associate(double *value, workspace *space, const columnar *table, size_t i, size_t j)
{
    const bool first = table->view->columns[i].numeric;
    const bool second = table->view->columns[j].numeric;
    if (!first && !second) return cramers_v(value, space, table, i, j);
    if (first && second)
        *value = pearson(table, i, j);
    else
        *value = correlation_ratio(space->sums, table, first ? j : i, first ? i : j);
    return SBL_OK;
}

/* Matrices of all tables, (columns, columns) each; NULL for a table that does not exist. */
typedef struct matrices {
    double *of[SBL_ROLE_COUNT];
    size_t columns;
} matrices;

static size_t widest(const sbl_view *view)
{
    size_t widest_column = 1;
    for (size_t c = 0; c < view->count; c++)
        if (view->columns[c].cells > widest_column) widest_column = view->columns[c].cells;
    return widest_column;
}

static void fill_row(double *matrix, workspace *space, const columnar *table, size_t i, bool *failed)
{
    const size_t columns = table->view->count;
    for (size_t j = i; j < columns; j++) {
        double value;
        if (associate(&value, space, table, i, j) != SBL_OK) {
            SBL_OMP(omp atomic write)
            *failed = true;
            return;
        }
        matrix[i * columns + j] = matrix[j * columns + i] = value;
    }
}

static bool fill_matrix(double *matrix, const sbl_view *view, const sbl_frame *frame, int threads,
                        const sbl_progress_span *progress)
{
    columnar table = {0};
    bool failed = columnar_init(&table, view, frame, NULL) != SBL_OK;
    const size_t width = 2 * widest(view);
    workspace *spaces = sbl_alloc_array((size_t)threads, sizeof *spaces);
    for (int t = 0; spaces != NULL && t < threads; t++) {
        spaces[t].sums = sbl_alloc_array(width, sizeof *spaces[t].sums);
        failed = failed || spaces[t].sums == NULL;
    }
    if (!failed && spaces != NULL) {
        SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic))
        for (long i = 0; i < (long)view->count; i++)
            if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)i, view->count))
                fill_row(matrix, &spaces[sbl_thread_index()], &table, (size_t)i, &failed);
    }
    for (int t = 0; spaces != NULL && t < threads; t++) {
        sbl_tally_clear(&spaces[t].tally);
        sbl_free_wiped(spaces[t].sums, width * sizeof *spaces[t].sums);
    }
    failed = failed || spaces == NULL;
    sbl_free(spaces);
    columnar_clear(&table);
    return !failed;
}

static bool compute(matrices *all, const sbl_tables *tables, const sbl_view *view)
{
    bool good = true;
    all->columns = view->count;
    for (size_t t = 0; good && t < SBL_ROLE_COUNT; t++) {
        if (tables->frames[t].rows == 0) continue;
        const sbl_progress_span progress = sbl_progress_part(&tables->progress, t, SBL_ROLE_COUNT);
        all->of[t] = sbl_alloc_array(view->count, view->count * sizeof *all->of[t]);
        good = all->of[t] != NULL &&
               fill_matrix(all->of[t], view, &tables->frames[t], tables->threads, &progress);
    }
    return good;
}

static void compare(double *mean, double *largest, const matrices *all, const sbl_tables *tables,
                    sbl_pair pair)
{
    sbl_table_role side[2];
    double sum = 0;
    size_t pairs = 0;
    *mean = *largest = NAN;
    if (!sbl_tables_pair(side, tables, pair)) return;
    for (size_t i = 0; i < all->columns; i++)
        for (size_t j = i + 1; j < all->columns; j++) {
            const double a = all->of[side[0]][i * all->columns + j];
            const double b = all->of[side[1]][i * all->columns + j];
            if (isnan(a) && isnan(b)) continue;
            const double difference = fabs((isnan(a) ? 0.0 : a) - (isnan(b) ? 0.0 : b));
            sum += difference;
            *largest = fmax(*largest, difference);
            pairs++;
        }
    if (pairs != 0) *mean = sum / (double)pairs;
}

static json_t *matrix_json(const double *matrix, size_t columns)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < columns; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < columns; j++)
            row = sbl_json_append(row, sbl_number_json(matrix[i * columns + j]));
        rows = sbl_json_append(rows, row);
    }
    return rows;
}

static json_t *measure_json(const sbl_view *view)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < view->count; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < view->count; j++)
            row = sbl_json_append(row, json_string(measure_of(view, i, j)));
        rows = sbl_json_append(rows, row);
    }
    return rows;
}

/* The names of all columns, or of those that have no association with themselves: all their values are
 * equal. */
static json_t *names_json(const sbl_view *view, const double *constant_in)
{
    json_t *names = json_array();
    for (size_t c = 0; c < view->count; c++)
        if (constant_in == NULL || isnan(constant_in[c * view->count + c]))
            names = sbl_json_append(names, json_string(view->columns[c].column->name));
    return names;
}

static json_t *to_json(const matrices *all, const sbl_view *view, const sbl_triple mean,
                       const sbl_triple largest)
{
    const double *real = all->of[SBL_ROLE_REAL];
    const double *synthetic = all->of[SBL_ROLE_SYNTHETIC];
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:s}}", "names", names_json(view, NULL),
                     "real", matrix_json(real, view->count), "synthetic", matrix_json(synthetic, view->count),
                     "measure", measure_json(view), "mean_difference", sbl_triple_json(mean),
                     "largest_difference", sbl_triple_json(largest), "constant", "real",
                     names_json(view, real), "synthetic", names_json(view, synthetic), "why",
                     "a constant column goes together with nothing: its associations are null");
}

sbl_status sbl_measure_association(json_t **result, const sbl_tables *tables, const sbl_view *view,
                                   sbl_error *err)
{
    matrices all = {0};
    sbl_triple mean, largest;
    *result = NULL;
    if (compute(&all, tables, view)) {
        for (sbl_pair p = 0; p < SBL_PAIR_COUNT; p++) compare(&mean[p], &largest[p], &all, tables, p);
        *result = to_json(&all, view, mean, largest);
    }
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_free(all.of[t]);
    return *result != NULL ? SBL_OK : sbl_no_memory(err, "associations");
}
