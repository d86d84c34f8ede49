/* SPDX-License-Identifier: Apache-2.0 */
/* Four floats at a time: SSE2, NEON, or whatever the compiler makes of it. */
#define KERNEL_NAME portable
#define KERNEL_WIDTH 4
#if defined(__aarch64__)
#define KERNEL_ROWS 8 /* 32 registers */
#else
#define KERNEL_ROWS 4
#endif
#include "base/compute/kernels_of_variant.h"
