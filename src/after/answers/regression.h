/* SPDX-License-Identifier: Apache-2.0 */
/* Linear regression from noisy second moments, with intervals by a parametric bootstrap of the noise and of
 * sampling (Ferrando, Wang and Sheldon 2022; docs/mechanisms/answers.md). */
#ifndef SBL_ANSWERS_REGRESSION_H
#define SBL_ANSWERS_REGRESSION_H

#include "after/answers/group_answers.h"
#include "base/error.h"

/* Noisy second moments of (1, terms, value), the value last. */
typedef struct sbl_regression_moments {
    size_t width;   /* of the vector */
    double *matrix; /* (width, width), symmetric, in units of records */
    double *noise;  /* (width, width) standard deviation of each entry; 0: known exactly */
    size_t *same;   /* (width, width) entries with the same number, below `draws`, have the same noise */
    size_t draws;
    double *intercept; /* (width - 1): the constant is stated as this combination of the coefficients */
    bool sampled;      /* records are independent draws */
} sbl_regression_moments;

/* Coefficients of the terms of the vector, in its own units; answers: (width - 1). Where the noise hides whether
 * the terms differ, estimates are NaN and intervals are infinite.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_regression_answer(sbl_answer *answers, const sbl_regression_moments *moments, sbl_error *err);

#endif
