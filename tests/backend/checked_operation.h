/* SPDX-License-Identifier: Apache-2.0 */
/* An operation that backends are held against each other by, and the numbers that it runs on. */
#ifndef SBL_TESTS_CHECKED_OPERATION_H
#define SBL_TESTS_CHECKED_OPERATION_H

#include "base/backend/backend.h"
#include "base/random/model_rng.h"

#define CHECKED_MOST_ARRAYS 24

/* A run of one operation: arrays in the order in which they are made, read back in the end. */
typedef struct checked_run {
    const sbl_backend *on;
    sbl_tensors tensors;
    sbl_model_rng rng;
    float *arrays[CHECKED_MOST_ARRAYS];
    size_t counts[CHECKED_MOST_ARRAYS], count;
    double loss;
} checked_run;

/* `count` normal numbers, compared in the end; positive: their absolute values. */
float *checked_numbers(checked_run *r, size_t count, bool positive);
float *checked_normals(checked_run *r, size_t count);
/* Room that nobody looks at. */
float *checked_scratch(checked_run *r, size_t count);

typedef struct checked_operation {
    const char *name;
    void (*run)(checked_run *r, size_t variant);
    size_t variants;
} checked_operation;

/* Behind the last there is one without a name. */
extern const checked_operation checked_layers[], checked_losses[], checked_hermite[];

#endif
