/* SPDX-License-Identifier: Apache-2.0 */
/* Eight floats at a time; built for AVX2 with FMA. */
#define KERNEL_NAME avx2
#define KERNEL_WIDTH 8
#define KERNEL_ROWS 4
#include "base/compute/kernels_of_variant.h"
