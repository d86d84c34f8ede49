/* SPDX-License-Identifier: Apache-2.0 */
/* The design matrix that linear models and the perceptron see: numbers standardised by the training
 * samples (a missing one is 0, the mean), categories one-hot. Numbers on one scale stay as they
 * are. */
#ifndef SBL_LEARNERS_DESIGN_H
#define SBL_LEARNERS_DESIGN_H

#include "owner/learners/learner.h"

typedef struct sbl_design {
    size_t number_count;   /* N */
    size_t category_count; /* K */
    size_t width;          /* N, then the one-hot codes of every category */
    double *mean;          /* (N) */
    double *scale;         /* (N): one over the deviation; 0 for a constant column */
    size_t *offset;        /* (K): place of code 0 */
    double target_mean;    /* of a number to predict; 0 and 1 for classes */
    double target_deviation;
} sbl_design;

/* Statistics of train, which has rows.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_design_init(sbl_design *design, const sbl_samples *train, sbl_error *err);
void sbl_design_clear(sbl_design *design);

/* One number, standardised. */
double sbl_design_number(const sbl_design *design, const sbl_samples *samples, size_t row, size_t number);

/* Dense rows: out (count, width), row i is samples' row rows[i], or first + i where rows is NULL.
 */
void sbl_design_fill(const sbl_design *design, float *out, const sbl_samples *samples, const uint32_t *rows,
                     size_t first, size_t count);

#endif
