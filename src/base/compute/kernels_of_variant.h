/* SPDX-License-Identifier: Apache-2.0 */
/* All kernels for one instruction set. Included by one file per set. */
#include "base/compute/vector.h"

#include "base/compute/conv_kernel.h"
#include "base/compute/fourier_kernel.h"
#include "base/compute/gemm_kernel.h"
#include "base/compute/hadamard_kernel.h"
#include "base/compute/products_kernel.h"
#include "base/compute/winograd_kernel.h"

#define AS_TEXT(name) #name
#define TEXT_OF(name) AS_TEXT(name)
#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
const sbl_kernels JOINED(sbl_kernels_, KERNEL_NAME) = {
    .name = TEXT_OF(KERNEL_NAME),
    .features = features,
    .fourier_slopes = fourier_slopes,
    .fourier_gradient = fourier_gradient,
    .gemm_tile = gemm_tile,
    .gemm_tile_rows = gemm_tile_rows,
    .tile_rows = KERNEL_ROWS,
    .tile_columns = 2 * WIDTH,
    .run_tile = run_tile,
    .run_tile_narrow = run_tile_narrow,
    .dot_tile = dot_tile,
    .weight_tile = weight_tile,
    .weight_tile_narrow = weight_tile_narrow,
    .winograd_input = winograd_input,
    .winograd_output = winograd_output,
    .winograd_filter = winograd_filter,
    .winograd_gradient = winograd_gradient,
    .winograd_weights = winograd_weights,
    .hadamard_pairs = hadamard_pairs,
    .hadamard_phases = hadamard_phases,
    .hadamard_gradient = hadamard_gradient,
    .products_tile = products_tile,
    .products_put = products_put,
    .product_rows = PRODUCT_ROWS,
    .product_columns = 2 * DOUBLES,
};
