/* SPDX-License-Identifier: Apache-2.0 */
/* The public matrix A of a Mahalanobis kernel over some numbers of a record,
 *     k(x, y) = exp(-(x - y)' A (x - y) / 2),
 * kept as its Cholesky factor L, A = L L'. With z = L' x it is the Gaussian kernel of length 1 in every z_j, so it is a
 * product kernel in the z_j (Vinaroz et al. 2022, appendix C.3), and frequencies of it are L times normal numbers. The
 * matrix is declared by the owner: nothing of it comes from records.
 * In plans: {"columns":[0,2], "factor":[[20],[-6,8]]}, the factor by rows. */
#ifndef SBL_FEATURES_KERNEL_METRIC_H
#define SBL_FEATURES_KERNEL_METRIC_H

#include <stddef.h>

#include "base/error.h"
#include "base/json.h"

#define SBL_METRIC_MOST 8 /* columns */

typedef struct sbl_metric {
    size_t count;                    /* 0: there is none */
    size_t columns[SBL_METRIC_MOST]; /* numbers of a record, rising */
    double factor[SBL_METRIC_MOST][SBL_METRIC_MOST];
} sbl_metric;

/* Replaces a symmetric matrix, whose lower triangle is in metric->factor, by its factor.
 * Returns: SBL_OK; SBL_EARG: it is not positive definite */
sbl_status sbl_metric_factor(sbl_metric *metric, sbl_error *err);

/* z_j of a record in [0,1]^d lies in [low, low + range]. */
void sbl_metric_bounds(double *low, double *range, const sbl_metric *metric, size_t j);

/* NULL when out of memory. */
json_t *sbl_metric_to_json(const sbl_metric *metric);
/* numbers: d. feature: for messages. */
sbl_status sbl_metric_from_json(sbl_metric *metric, const json_t *object, size_t numbers, const char *feature,
                                sbl_error *err);

#endif
