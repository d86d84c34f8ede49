/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of features, as written in plans: read strictly, so that nothing in a plan is
 * ignored. */
#ifndef SBL_PLAN_PARAMETERS_H
#define SBL_PLAN_PARAMETERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "public/plan/block.h"

/* No more than these members? feature is for messages. */
sbl_status sbl_parameters_are(const json_t *parameters, size_t count, const char *feature, sbl_error *err);
/* A list of 1 to most numbers, owned by the caller (sbl_free). */
sbl_status sbl_parameters_reals(double **values, size_t *count, const json_t *parameters, const char *name,
                                size_t most, const char *feature, sbl_error *err);

/* F of 2 F features, an even number from 2 to 1000000, and the seed of the frequencies. */
sbl_status sbl_parameters_frequencies(size_t *frequencies, uint64_t *seed, const json_t *parameters,
                                      const char *feature, sbl_error *err);
#define SBL_MOST_SCALES 16 /* of frequencies, and deviations of codes */
/* Is there one at least, and are all from 0.001 to 1000? what: one of them, for messages. */
sbl_status sbl_parameters_scales_check(const double *values, size_t count, const char *what, sbl_error *err);

/* The block of F pairs (cos, sin), each held to its share of the bound, and its weight: a unit of the
 * features is `scale` grid units; divided by its norm the block weighs as much as one of norm 1. */
void sbl_fourier_describe(sbl_block *block, double *weight, const char *name, size_t frequencies);

/* And back; NULL when out of memory. A seed is a text: JSON numbers are doubles to most readers. */
json_t *sbl_parameters_from_reals(const double *values, size_t count);
json_t *sbl_parameters_from_seed(uint64_t seed);

#endif
