/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of the squares and products of a record's integers. */
#ifndef SBL_ACCUMULATE_MOMENTS_H
#define SBL_ACCUMULATE_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records/accumulate/layout.h"

/* Where the moments of one source block go; NULL and 0: there is no such block. */
typedef struct sbl_moments {
    int64_t *squares;
    size_t squares_outer;
    int64_t *products;
    size_t products_outer;
    bool per_class;
    /* Rows of one class whose products are not in the sums yet. */
    double *pending;
    size_t pending_rows;
    size_t pending_class;
} sbl_moments;

/* Room for pending rows. False: out of memory. */
bool sbl_moments_init(sbl_moments *moments);
void sbl_moments_clear(sbl_moments *moments); /* wipes */

/* Adds one enforced record of a class. Afterwards sbl_moments_finish must come before the sums are
 * looked at. Rows of one class should come together. */
void sbl_moments_add(sbl_moments *moments, const int32_t *q, size_t class_index);
void sbl_moments_finish(sbl_moments *moments);

#endif
