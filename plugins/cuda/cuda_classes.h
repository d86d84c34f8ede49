/* SPDX-License-Identifier: Apache-2.0 */
/* What the losses share: the classes that travel with a launch, and the sum of the losses. */
#ifndef SBL_CUDA_CLASSES_H
#define SBL_CUDA_CLASSES_H

#include "cuda/cuda_internal.h"

#define CUDA_MOST_CLASSES 96 /* MOST_CLASSES of the kernels */

/* struct classes of the kernels */
typedef struct cuda_classes {
    unsigned long long first_class, count, starts[CUDA_MOST_CLASSES + 1];
    float row[CUDA_MOST_CLASSES], mean[CUDA_MOST_CLASSES], weight[CUDA_MOST_CLASSES];
} cuda_classes;

/* From class `first` on, of `all`. */
cuda_classes cuda_classes_from(size_t first, size_t all, const size_t *starts, const float *row,
                               const float *mean, const float *weight);
/* The loss that is collected += these parts. */
void cuda_keep_loss(cuda_device *d, cuda_address parts, unsigned long long count);

#endif
