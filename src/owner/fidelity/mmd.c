/* SPDX-License-Identifier: Apache-2.0 */
/* Squared maximum mean discrepancy (Gretton, Borgwardt, Rasch, Schoelkopf and Smola 2012, equation
 * 3): the unbiased U-statistic
 *     sum_{i != j} k(x_i, x_j) / (m (m - 1)) + sum_{i != j} k(y_i, y_j) / (n (n - 1))
 *     - 2 sum_{i, j} k(x_i, y_j) / (m n)
 * with k(x, y) = exp(-|x - y|^2 / (2 s^2)) and s^2 = columns / 6, the mean squared distance of two
 * uniform points of the unit cube: public, never fitted to data. May be negative where the tables
 * agree. At most ROWS rows of each table take part, drawn with the public seed. */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "owner/fidelity/distance.h"
#include "owner/fidelity/measures.h"

#define ROWS 4000
#define TILE ((size_t)1024)

/* sum of k over the points from `first` on. */
static double kernel_sum(const sbl_points *points, size_t first, const sbl_points *queries, size_t from,
                         double scale)
{
    double tile[TILE];
    double sum = 0.0;
    for (; first < points->count; first += TILE) {
        const size_t left = points->count - first;
        const size_t count = left < TILE ? left : TILE;
        sbl_distances(tile, points, first, count, queries, from, SBL_METRIC_SQUARED_EUCLID);
        for (size_t i = 0; i < count; i++) sum += exp(-scale * tile[i]);
    }
    return sum;
}

/* Mean of k over all pairs of a and b, or over pairs of different points where they are the same.
 * The sums of the rows are added in order: threads do not change the result. */
static double kernel_mean(double *row_sums, const sbl_points *a, const sbl_points *b, double scale,
                          int threads, const sbl_progress_span *progress)
{
    const bool same = a == b;
    double sum = 0.0;
    (void)threads;
    SBL_OMP(omp parallel for num_threads(threads) schedule(dynamic, 16))
    for (long i = 0; i < (long)a->count; i++)
        if (sbl_progress_team_goes_on(progress, sbl_thread_index(), (uint64_t)i, a->count))
            row_sums[i] = kernel_sum(b, same ? (size_t)i + 1 : 0, a, (size_t)i, scale);
    for (size_t i = 0; i < a->count; i++) sum += row_sums[i];
    const double pairs =
        same ? 0.5 * (double)a->count * (double)(a->count - 1) : (double)a->count * (double)b->count;
    return sum / pairs;
}

static void measure_pairs(sbl_triple squared, double *row_sums, const sbl_points *points,
                          const sbl_tables *tables, double scale)
{
    double within[SBL_ROLE_COUNT];
    const size_t parts = SBL_ROLE_COUNT + SBL_PAIR_COUNT;
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) {
        const sbl_progress_span progress = sbl_progress_part(&tables->progress, t, parts);
        within[t] = points[t].count >= 2
                        ? kernel_mean(row_sums, &points[t], &points[t], scale, tables->threads, &progress)
                        : NAN;
    }
    for (sbl_pair p = 0; p < SBL_PAIR_COUNT; p++) {
        sbl_table_role side[2];
        const sbl_progress_span progress = sbl_progress_part(&tables->progress, SBL_ROLE_COUNT + p, parts);
        squared[p] = NAN;
        if (sbl_tables_pair(side, tables, p) && points[side[0]].count >= 2 && points[side[1]].count >= 2)
            squared[p] = within[side[0]] + within[side[1]] -
                         2.0 * kernel_mean(row_sums, &points[side[0]], &points[side[1]], scale,
                                           tables->threads, &progress);
    }
}

static json_t *to_json(const sbl_triple squared, const sbl_points *points, size_t columns)
{
    char kernel[160];
    (void)snprintf(kernel, sizeof kernel,
                   "Gaussian on encoded records, length^2 = columns / 6 = %.4g; fixed, public",
                   (double)columns / 6.0);
    json_t *result =
        json_pack("{s:s, s:s, s:o, s:{s:I, s:I}}", "kernel", kernel, "estimate",
                  "unbiased, on seeded subsamples of the stated numbers of rows; may be below 0", "squared",
                  sbl_triple_json(squared), "rows", "real", (json_int_t)points[SBL_ROLE_REAL].count,
                  "synthetic", (json_int_t)points[SBL_ROLE_SYNTHETIC].count);
    return isnan(squared[SBL_PAIR_SYNTHETIC])
               ? sbl_json_put(result, "why", json_string("needs two rows of each table"))
               : result;
}

sbl_status sbl_measure_mmd(json_t **result, const sbl_tables *tables, const sbl_view *view, sbl_error *err)
{
    const size_t limit = sbl_row_limit(ROWS, view->count);
    const double scale = 3.0 / (double)view->count; /* 1 / (2 s^2) */
    sbl_points points[SBL_ROLE_COUNT] = {0};
    sbl_triple squared;
    sbl_status status = SBL_OK;
    double *row_sums;
    *result = NULL;
    SBL_ALLOC(row_sums, limit, "a kernel");
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++)
        if (tables->frames[t].rows != 0)
            SBL_TRY(sbl_points_init(&points[t], view, &tables->frames[t], limit, tables->seed,
                                    (uint64_t)SBL_STREAM_KERNEL + ((uint64_t)t << 48), err));
    measure_pairs(squared, row_sums, points, tables, scale);
    *result = to_json(squared, points, view->count);
    if (*result == NULL) status = sbl_no_memory(err, "a kernel");
done:
    for (size_t t = 0; t < SBL_ROLE_COUNT; t++) sbl_points_clear(&points[t]);
    sbl_free_wiped(row_sums, limit * sizeof *row_sums);
    return status;
}
