/* The projection Q of a RON-Gauss plan, kept in double for the model and in single for the
 * records, and its product with points; normalisation sends what has no direction to e_1. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/gemm.h"
#include "features/haar.h"
#include "features/ron.h"

#define SHORTEST 0x1p-40

sbl_status sbl_ron_rotation_init(sbl_ron_rotation *rotation, const sbl_ron_plan *plan,
                                 sbl_error *err)
{
    const size_t m = plan->record.dimensions;
    const size_t p = plan->options.dimensions;
    const bool all =
        plan->options.geometry == SBL_RON_CLIP || plan->options.space == SBL_RON_ORIGINAL;
    *rotation = (sbl_ron_rotation){.count = all ? m : p};
    if (p == m) return SBL_OK;
    rotation->rows = sbl_alloc_array(rotation->count, m * sizeof *rotation->rows);
    rotation->packed = sbl_alloc_array(rotation->count, m * sizeof *rotation->packed);
    if (rotation->rows == NULL || rotation->packed == NULL) {
        sbl_ron_rotation_clear(rotation);
        return sbl_fail(err, SBL_EMEM, "out of memory for a projection");
    }
    const sbl_status status =
        sbl_haar_rows(rotation->rows, rotation->count, m, plan->options.seed, err);
    for (size_t i = 0; i < rotation->count * m; i++) rotation->packed[i] = (float)rotation->rows[i];
    if (status != SBL_OK) sbl_ron_rotation_clear(rotation);
    return status;
}

void sbl_ron_rotation_clear(sbl_ron_rotation *rotation)
{
    sbl_free(rotation->rows);
    sbl_free(rotation->packed);
    *rotation = (sbl_ron_rotation){0};
}

void sbl_ron_normalise(float *x, size_t count)
{
    double square = 0.0;
    for (size_t i = 0; i < count; i++) square += (double)x[i] * (double)x[i];
    const double length = sqrt(square);
    if (length >= SHORTEST && length <= 0x1p60) {
        for (size_t i = 0; i < count; i++) x[i] = (float)((double)x[i] / length);
    } else { /* NaN too */
        memset(x, 0, count * sizeof *x);
        x[0] = 1.0F;
    }
}

void sbl_ron_rotate(float *features, size_t stride, const sbl_ron_plan *plan,
                    const sbl_ron_rotation *rotation, const float *points, size_t coordinates,
                    const float *targets, size_t rows, float *workspace)
{
    const size_t m = plan->record.dimensions;
    float *rotated = features + plan->targets;
    if (rotation->packed == NULL) {
        for (size_t r = 0; r < rows; r++)
            memcpy(rotated + r * stride, points + r * m, coordinates * sizeof *points);
    } else {
        const sbl_gemm_shape shape = {.m = rows,
                                      .n = coordinates,
                                      .k = m,
                                      .a_stride = m,
                                      .b_stride = m,
                                      .c_stride = stride,
                                      .b_transposed = true};
        sbl_gemm(rotated, points, rotation->packed, &shape, workspace);
    }
    for (size_t r = 0; plan->targets != 0 && r < rows; r++) features[r * stride] = targets[r];
}
