/* SPDX-License-Identifier: Apache-2.0 */
/* Distances from one record to many, by columns so that the loops vectorise.
 *
 * Gower: the mean over columns of |x - y| on the unit scale of a number (its declared transform
 * included), 0 or 1 for a category; a number that is missing in one record only is at distance 1.
 * Squared Euclid: of the encoded record with one-hot codes divided by sqrt(2), so that two
 * different codes are at squared distance 1. */
#ifndef SBL_FIDELITY_DISTANCE_H
#define SBL_FIDELITY_DISTANCE_H

#include "owner/fidelity/compared_tables.h"

typedef enum sbl_metric { SBL_METRIC_GOWER, SBL_METRIC_SQUARED_EUCLID } sbl_metric;

/* Some records of a frame, by columns. */
typedef struct sbl_points {
    const sbl_view *view;
    size_t count;
    double *numbers; /* (numeric_count, count) */
    uint32_t *codes; /* (categorical_count, count) */
    size_t numeric_count, categorical_count;
} sbl_points;

/* At most limit rows of a frame, drawn by seed and stream.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_points_init(sbl_points *points, const sbl_view *view, const sbl_frame *frame, size_t limit,
                           uint64_t seed, uint64_t stream, sbl_error *err);
void sbl_points_clear(sbl_points *points);

/* distances[i]: from point `from` of queries to point first + i of points, i < count. */
void sbl_distances(double *distances, const sbl_points *points, size_t first, size_t count,
                   const sbl_points *queries, size_t from, sbl_metric metric);

/* nearest[q]: the least distance from point q of queries to any of points (not empty). */
void sbl_nearest(double *nearest, const sbl_points *queries, const sbl_points *points, int threads,
                 const sbl_progress_span *progress);

/* How many rows may take part, by the number of columns: `rows` for up to 32 columns, fewer for
 * more, so that the work (rows^2 columns) does not grow. A public rule. */
size_t sbl_row_limit(size_t rows, size_t columns);

#endif
