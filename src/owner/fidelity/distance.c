/* SPDX-License-Identifier: Apache-2.0 */
/* Gower and Euclidean distances, column by column over tiles of 1024 points, so that the inner
 * loops are over one column and vectorise. */
#include "owner/fidelity/distance.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"

#define TILE ((size_t)1024) /* points at a time: their distances stay in cache */
#define NARROW 32.0         /* columns */

size_t sbl_row_limit(size_t rows, size_t columns)
{
    if ((double)columns <= NARROW) return rows;
    const double fewer = (double)rows * sqrt(NARROW / (double)columns);
    return fewer > 16.0 ? (size_t)fewer : 16;
}

sbl_status sbl_points_init(sbl_points *points, const sbl_view *view, const sbl_frame *frame, size_t limit,
                           uint64_t seed, uint64_t stream, sbl_error *err)
{
    const sbl_heads *heads = &frame->codec->heads;
    *points = (sbl_points){
        .view = view, .numeric_count = heads->numeric_count, .categorical_count = heads->categorical_count};
    size_t count;
    uint32_t *rows = sbl_sample_rows(&count, frame->rows, limit, seed, stream);
    points->numbers = sbl_alloc_array(count, heads->numeric_count * sizeof *points->numbers);
    points->codes = sbl_alloc_array(count, heads->categorical_count * sizeof *points->codes);
    points->count = count;
    if (rows == NULL || points->numbers == NULL || points->codes == NULL) {
        sbl_free(rows);
        sbl_points_clear(points);
        return sbl_no_memory(err, "distances");
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < heads->numeric_count; c++)
            points->numbers[c * count + i] = frame->numeric[rows[i] * heads->numeric_count + c];
        for (size_t c = 0; c < heads->categorical_count; c++)
            points->codes[c * count + i] = frame->codes[rows[i] * heads->categorical_count + c];
    }
    sbl_free(rows);
    return SBL_OK;
}

void sbl_points_clear(sbl_points *points)
{
    sbl_free_wiped(points->numbers, points->count * points->numeric_count * sizeof *points->numbers);
    sbl_free_wiped(points->codes, points->count * points->categorical_count * sizeof *points->codes);
    *points = (sbl_points){0};
}

SBL_CLONES static void add_codes(double *sums, const uint32_t *codes, uint32_t code, size_t count)
{
    for (size_t i = 0; i < count; i++) sums[i] += codes[i] != code ? 1.0 : 0.0;
}

SBL_CLONES static void add_absolute(double *sums, const double *x, double y, size_t count)
{
    for (size_t i = 0; i < count; i++) sums[i] += fabs(x[i] - y);
}

/* A missing number holds its column's constant in both records, so equal indicators need no care.
 */
SBL_CLONES static void add_absolute_or_missing(double *sums, const double *x, const uint32_t *missing,
                                               double y, uint32_t y_missing, size_t count)
{
    for (size_t i = 0; i < count; i++) sums[i] += missing[i] != y_missing ? 1.0 : fabs(x[i] - y);
}

SBL_CLONES static void add_squares(double *sums, const double *x, double y, size_t count)
{
    for (size_t i = 0; i < count; i++) sums[i] += (x[i] - y) * (x[i] - y);
}

static void gower(double *sums, const sbl_points *points, size_t first, size_t count,
                  const sbl_points *queries, size_t from)
{
    const sbl_view *view = points->view;
    for (size_t c = 0; c < view->count; c++) {
        const sbl_view_column *column = &view->columns[c];
        const double *numbers = points->numbers + column->index * points->count + first;
        const uint32_t *codes = points->codes + column->index * points->count + first;
        if (!column->numeric) {
            add_codes(sums, codes, queries->codes[column->index * queries->count + from], count);
            continue;
        }
        const double y = queries->numbers[column->index * queries->count + from];
        if (column->indicator == SBL_NO_HEAD)
            add_absolute(sums, numbers, y, count);
        else
            add_absolute_or_missing(sums, numbers, points->codes + column->indicator * points->count + first,
                                    y, queries->codes[column->indicator * queries->count + from], count);
    }
    for (size_t i = 0; i < count; i++) sums[i] /= (double)view->count;
}

static void squared_euclid(double *sums, const sbl_points *points, size_t first, size_t count,
                           const sbl_points *queries, size_t from)
{
    for (size_t c = 0; c < points->numeric_count; c++)
        add_squares(sums, points->numbers + c * points->count + first,
                    queries->numbers[c * queries->count + from], count);
    for (size_t c = 0; c < points->categorical_count; c++)
        add_codes(sums, points->codes + c * points->count + first, queries->codes[c * queries->count + from],
                  count);
}

void sbl_distances(double *distances, const sbl_points *points, size_t first, size_t count,
                   const sbl_points *queries, size_t from, sbl_metric metric)
{
    memset(distances, 0, count * sizeof *distances);
    if (metric == SBL_METRIC_GOWER)
        gower(distances, points, first, count, queries, from);
    else
        squared_euclid(distances, points, first, count, queries, from);
}

static double nearest_of(const sbl_points *points, const sbl_points *queries, size_t from)
{
    double tile[TILE];
    double nearest = INFINITY;
    for (size_t first = 0; first < points->count; first += TILE) {
        const size_t left = points->count - first;
        const size_t count = left < TILE ? left : TILE;
        sbl_distances(tile, points, first, count, queries, from, SBL_METRIC_GOWER);
        for (size_t i = 0; i < count; i++)
            if (tile[i] < nearest) nearest = tile[i];
    }
    return nearest;
}

void sbl_nearest(double *nearest, const sbl_points *queries, const sbl_points *points, int threads,
                 const sbl_progress_span *progress)
{
    (void)threads; /* in a build without OpenMP */
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic, 4))
    for (long q = 0; q < (long)queries->count; q++)
        if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)q, queries->count))
            nearest[q] = nearest_of(points, queries, (size_t)q);
}
