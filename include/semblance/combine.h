/* SPDX-License-Identifier: Apache-2.0 */
/* One estimate and its confidence interval from an analysis of M replicates. No data, no state.
 *
 * Replicates are synthetic tables, each drawn from its own draw of the posterior given all releases of a run. The same
 * analysis of each gives an estimate and a variance, as if the replicate were a real table:
 *
 *     sbl_combined combined = {.struct_size = sizeof combined};
 *     sbl_combine(&combined, estimates, variances, 20, NULL, &err);
 *     printf("%g (%g to %g)\n", combined.estimate, combined.low, combined.high);
 *
 * The interval is for the population that the real rows are a sample of: it covers sampling, privacy noise and the
 * uncertainty of the model. docs/mechanisms/inference.md has the formula and its proof. One table that was drawn from
 * one fitted model is not a replicate.
 *
 * Stability: experimental: it may change in any version (docs/C.md). */
#ifndef SEMBLANCE_COMBINE_H
#define SEMBLANCE_COMBINE_H

#include <stddef.h>

#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sbl_combine_options {
    /* Set by sbl_combine_options_init(). */
    size_t struct_size;
    /* Confidence level, above 0 and below 1. Default (0): 0.95. */
    double level;
    /* Rows of one replicate divided by rows of the real table. Default (0): 1. */
    double row_ratio;
} sbl_combine_options;

#define sbl_combine_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* The caller sets struct_size before the call; the library fills no more than that. */
typedef struct sbl_combined {
    size_t struct_size;
    /* The mean of the estimates. */
    double estimate;
    /* The interval. */
    double low;
    double high;
    double standard_error;
    /* Of Student's t distribution; may be infinite. */
    double degrees_of_freedom;
    /* The share of the interval's width, 0 to 1, that the usual interval of the real table would not have. */
    double privacy_share;
    /* The variance of the estimates between replicates, and the mean of the given variances. */
    double between;
    double within;
} sbl_combined;

/* Combine the results of `count` replicates.
 * In:      estimates, variances  (count) finite; variances are not negative; count >= 2
 *          options               may be NULL
 * Returns: SBL_OK; SBL_EARG for one replicate, a number that is not finite, a negative variance, or an option out of
 *          range */
SBL_API SBL_MUST_USE sbl_status sbl_combine(sbl_combined *combined, const double *estimates,
                                            const double *variances, size_t count,
                                            const sbl_combine_options *options, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
