/* SPDX-License-Identifier: Apache-2.0 */
/* [3] Sums the features of a slice block of frequencies by block. Phases come from base/compute/hadamard.h. */
#include "records/features/orthogonal.h"

#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

void sbl_orthogonal_rows(const sbl_orthogonal *frequencies, float *features, size_t stride, const float *x,
                         size_t x_stride, size_t rows, size_t b, float *scratch)
{
    const sbl_hadamard block = sbl_orthogonal_block(frequencies, b);
    for (size_t r = 0; r < rows; r++)
        sbl_hadamard_pairs(features + r * stride, x + r * x_stride, &block, scratch);
}

sbl_status sbl_orthogonal_add(sbl_sum *sum, size_t block, const sbl_orthogonal *frequencies, float *features,
                              const float *x, size_t rows, sbl_error *err)
{
    const size_t n = frequencies->size;
    float *scratch = features + rows * 2 * n;
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, features, 2 * n, x, frequencies->columns, rows, b, scratch);
        SBL_CHECK(sbl_sum_add_f32(sum, block, 2 * b * n, 2 * sbl_orthogonal_used(frequencies, b), features,
                                  2 * n, err));
    }
    return SBL_OK;
}

/* ---- the feature ---- */

static void describe(const void *made, sbl_block *block, double *weight)
{
    sbl_fourier_describe(block, weight, "rff", ((const sbl_orthogonal *)made)->frequencies);
}

/* Pixels (slice, d), features (slice, 2 n), scratch (n). */
static size_t workspace_bytes(const void *made)
{
    const sbl_orthogonal *frequencies = made;
    const size_t n = frequencies->size; /* at most 2^16, as d */
    return (sbl_slice_rows(frequencies->facts) * (frequencies->columns + 2 * n) + n) * sizeof(float);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_orthogonal *frequencies = made;
    const size_t size = frequencies->columns, slice = sbl_slice_rows(frequencies->facts);
    float *pixels = workspace, *features = pixels + slice * size;
    for (size_t i = 0; i < records->rows * size; i++) pixels[i] = (float)records->pixels[i] / 255.0f;
    return sbl_orthogonal_add(sum, block, frequencies, features, pixels, records->rows, err);
}

const sbl_feature sbl_feature_orthogonal = {
    .name = SBL_ORTHOGONAL,
    .make = sbl_orthogonal_make,
    .free = sbl_orthogonal_free,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
