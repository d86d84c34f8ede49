/* SPDX-License-Identifier: Apache-2.0 */
/* A table's head in double, written once more and plainly: the oracle that the float kernels are
 * held to. */
#ifndef SBL_TESTS_NN_REFERENCE_H
#define SBL_TESTS_NN_REFERENCE_H

#include <math.h>
#include <stddef.h>

#include "public/schema/encoding_layout.h"

static inline size_t reference_class(const size_t *starts, size_t row)
{
    size_t c = 0;
    while (row >= starts[c + 1]) c++;
    return c;
}

/* One row of outputs to numbers and probabilities. */
static inline void reference_heads(double *numbers, double *probabilities, const double *outputs,
                                   const sbl_record_shape *shape)
{
    for (size_t i = 0; i < shape->numeric; i++) numbers[i] = 1 / (1 + exp(-outputs[i]));
    for (size_t k = 0; k < shape->categorical; k++) {
        double sum = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            sum += exp(outputs[shape->numeric + j]);
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            probabilities[j] = exp(outputs[shape->numeric + j]) / sum;
    }
}

#endif
