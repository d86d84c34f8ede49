/* SPDX-License-Identifier: Apache-2.0 */
/* A record as a point of the unit ball, both directions in one file; derived from public facts
 * alone, so that synthetic points go back to the columns they came from.
 *
 * Every one of the M columns gets the same share 1/M of the squared norm, which it uses up at its
 * extreme values; so the whole domain lies in the unit ball and touches its surface.
 * - A number u in [0,1] is one coordinate, (2u - 1) / sqrt(M); not centred: u / sqrt(M).
 * - A category of K codes is K - 1 coordinates: its one-hot vector less the public centre
 *   (1/K, ..., 1/K), which lies in a space of K - 1 dimensions and has norm sqrt(1 - 1/K), in the
 *   orthonormal basis h_j = (1, ..., 1, -j, 0, ..., 0) / sqrt(j (j + 1)), j = 1 .. K - 1 (Helmert),
 *   times sqrt(K / (K - 1) / M). A category of one code says nothing and takes no share.
 * - A regression target is kept apart: y = a (2u - 1), |y| <= a. */
#ifndef SBL_ROWS_UNIT_RECORD_H
#define SBL_ROWS_UNIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "public/schema/encoding_layout.h"

#define SBL_NO_TARGET ((size_t)-1)

typedef struct sbl_unit_record {
    sbl_record_shape shape; /* its numeric columns hold the target too */
    size_t target;          /* which of them, or SBL_NO_TARGET */
    double target_radius;   /* a; 0 without a target */
    bool centred;
    size_t dimensions; /* m: coordinates of a point, without the target */
    size_t columns;    /* M */
} sbl_unit_record;

/* The shape is copied. Returns: SBL_OK; SBL_EARG when no column but the target says anything, or
 * the radius is not in (0, 1024]; SBL_EMEM */
sbl_status sbl_unit_record_init(sbl_unit_record *record, const sbl_record_shape *shape, size_t target,
                                double target_radius, bool centred, sbl_error *err);
void sbl_unit_record_clear(sbl_unit_record *record);

/* As JSON, owned by the caller; NULL when out of memory. And back: where (a path) is for messages.
 */
json_t *sbl_unit_record_to_json(const sbl_unit_record *record);
sbl_status sbl_unit_record_from_json(sbl_unit_record *record, const json_t *object, const char *where,
                                     sbl_error *err);

/* One record to a point (m). numeric: (shape.numeric), any doubles: they are clamped to [0,1], NaN
 * is 0. codes: category of column k at codes[columns[k]], or codes[k] when columns is NULL; one
 * that does not exist is category 0. Returns y, or 0 without a target.
 * Privacy: a point is a record. */
double sbl_unit_record_encode(const sbl_unit_record *record, float *point, const double *numeric,
                              const uint32_t *codes, const size_t *columns);

/* Back: numeric (shape.numeric) clamped to [0,1], the target among them. For every category its
 * proportions, the point's one-hot vector (K entries that add up to 1, not all in [0,1]), plus
 * offsets (shape.onehot; NULL: zeros); the code is that of the largest. proportions: room for the
 * most categories that a column has. */
void sbl_unit_record_decode(const sbl_unit_record *record, double *numeric, uint32_t *codes,
                            const float *point, double y, const float *offsets, float *proportions);

/* The proportions of one categorical column, from its coordinates. */
void sbl_unit_record_proportions(const sbl_unit_record *record, float *proportions, size_t column,
                                 const float *coordinates);

#endif
