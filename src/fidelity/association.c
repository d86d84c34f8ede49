/* Pearson, correlation ratio and Cramer's V over columns laid out one after the other. Pairs of
 * categories are counted by the tally; a spread that is only rounding counts as none. */
#include "fidelity/association.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

const char *sbl_association_measure(const sbl_view *view, size_t i, size_t j)
{
    const bool first = view->columns[i].numeric;
    const bool second = view->columns[j].numeric;
    if (first && second) return "pearson";
    return first || second ? "correlation_ratio" : "cramers_v";
}

sbl_status sbl_columnar_init(sbl_columnar *columnar, const sbl_view *view, const sbl_frame *frame,
                             sbl_error *err)
{
    const size_t rows = frame->rows;
    *columnar = (sbl_columnar){.view = view, .rows = rows};
    columnar->numbers = sbl_alloc_array(rows, view->count * sizeof *columnar->numbers);
    columnar->codes = sbl_alloc_array(rows, view->count * sizeof *columnar->codes);
    if (columnar->numbers == NULL || columnar->codes == NULL) {
        sbl_columnar_clear(columnar);
        return sbl_fail(err, SBL_EMEM, "out of memory for associations");
    }
    for (size_t c = 0; c < view->count; c++) {
        const sbl_view_column *column = &view->columns[c];
        for (size_t row = 0; row < rows; row++) {
            if (column->numeric)
                columnar->numbers[c * rows + row] = sbl_view_linear(column, frame, row);
            columnar->codes[c * rows + row] = column->numeric
                                                  ? sbl_view_apart(column, frame, row) != 0
                                                  : sbl_view_code(column, frame, row);
        }
    }
    return SBL_OK;
}

void sbl_columnar_clear(sbl_columnar *columnar)
{
    if (columnar->view != NULL) {
        const size_t cells = columnar->rows * columnar->view->count;
        sbl_free_wiped(columnar->numbers, cells * sizeof *columnar->numbers);
        sbl_free_wiped(columnar->codes, cells * sizeof *columnar->codes);
    }
    *columnar = (sbl_columnar){0};
}

/* Below this share of the sum of squares about the middle of the range, a spread is rounding. */
#define NO_SPREAD 1e-24

static double pearson(const sbl_columnar *columnar, size_t i, size_t j)
{
    const double *x = columnar->numbers + i * columnar->rows;
    const double *y = columnar->numbers + j * columnar->rows;
    const uint32_t *absent_x = columnar->codes + i * columnar->rows;
    const uint32_t *absent_y = columnar->codes + j * columnar->rows;
    double mean_x = 0.0;
    double mean_y = 0.0;
    double count = 0.0;
    for (size_t row = 0; row < columnar->rows; row++) {
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
    for (size_t row = 0; row < columnar->rows; row++) {
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

static double correlation_ratio(double *sums, const sbl_columnar *columnar, size_t category,
                                size_t number)
{
    const uint32_t size = columnar->view->columns[category].cells;
    const uint32_t *codes = columnar->codes + category * columnar->rows;
    const double *y = columnar->numbers + number * columnar->rows;
    const uint32_t *absent = columnar->codes + number * columnar->rows;
    double *counts = sums + size;
    double mean = 0.0;
    double count = 0.0;
    size_t classes = 0;
    memset(sums, 0, 2 * size * sizeof *sums);
    for (size_t row = 0; row < columnar->rows; row++) {
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
    for (size_t row = 0; row < columnar->rows; row++)
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
static sbl_status cramers_v(double *value, sbl_association_room *room, const sbl_columnar *columnar,
                            size_t i, size_t j)
{
    const sbl_view_column *columns = columnar->view->columns;
    double *counts[2] = {room->sums, room->sums + columns[i].cells};
    sbl_tally_input input = {.way = 2,
                             .sizes = {columns[i].cells, columns[j].cells},
                             .tables = 1,
                             .rows = {columnar->rows}};
    input.codes[0][0] = columnar->codes + i * columnar->rows;
    input.codes[0][1] = columnar->codes + j * columnar->rows;
    const size_t first =
        values_that_occur(counts[0], input.codes[0][0], columns[i].cells, columnar->rows);
    const size_t second =
        values_that_occur(counts[1], input.codes[0][1], columns[j].cells, columnar->rows);
    const size_t smaller = first < second ? first : second;
    *value = NAN;
    if (smaller < 2) return SBL_OK;
    const sbl_status status = sbl_tally_count(&room->tally, &input, NULL);
    if (status != SBL_OK) return status;
    double sum = -1.0;
    for (size_t cell = 0; cell < room->tally.cells; cell++) {
        uint32_t codes[SBL_TALLY_MAX_WAY];
        const double count = room->tally.counts[cell];
        if (count == 0.0) continue;
        sbl_tally_codes(codes, &room->tally, &input, cell);
        sum += count / counts[0][codes[0]] * (count / counts[1][codes[1]]);
    }
    *value = fmin(1.0, sqrt(fmax(0.0, sum) / (double)(smaller - 1)));
    return SBL_OK;
}

sbl_status sbl_associate(double *value, sbl_association_room *room, const sbl_columnar *columnar,
                         size_t i, size_t j)
{
    const bool first = columnar->view->columns[i].numeric;
    const bool second = columnar->view->columns[j].numeric;
    if (!first && !second) return cramers_v(value, room, columnar, i, j);
    if (first && second)
        *value = pearson(columnar, i, j);
    else
        *value = correlation_ratio(room->sums, columnar, first ? j : i, first ? i : j);
    return SBL_OK;
}
