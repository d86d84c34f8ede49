/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen floats at a time; built for AVX-512 F, DQ and VL. */
#define KERNEL_NAME avx512
#define KERNEL_WIDTH 16
#define KERNEL_ROWS 8
#include "base/compute/kernels_of_variant.h"
