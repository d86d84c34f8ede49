/* SPDX-License-Identifier: Apache-2.0 */
/* Random Fourier features of what a frozen network sees in an image: a characteristic kernel in a
 * perceptual space (docs/mechanisms/mepf.md).
 *
 * Each activation that is taken is averaged over a grid of 4 x 4 cells (fewer where it has fewer
 * pixels), scaled to length 1 and by 1 / sqrt(number of activations), and put behind the others: a
 * point p of P numbers and length at most 1. Of p structured orthogonal random Fourier features are
 * taken (records/features/orthogonal.h), with scales in units of p itself, which has no other.
 * Bound: as for records/features/orthogonal.h: each pair (cos, sin) has norm 1, whatever p is.
 * Sensitivity of the sum, in units of sqrt(F): 2 under replace-one, 1 under add-remove.
 *
 * [3] Points in the encoder's space are a backend's to find (base/backend/shapes.h); of records they are the CPU's, and
 * orthogonal Fourier features of them go into the sum. */
#include "base/backend/backend_internal.h"
#include "public/features/activation_shapes.h"
#include "public/plan/parameters.h"
#include "records/features/encoder_records.h"
#include "records/features/orthogonal.h"

static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_perceptual *p = made;
    sbl_fourier_describe(block, weight, "perceptual", p->frequencies.frequencies);
}

static sbl_status check_name(const void *made, const char *called, sbl_error *err)
{
    return sbl_encoded_check_name(&((const sbl_perceptual *)made)->encoded, called, err);
}

/* Points (slice, P), features (slice, 2 n), scratch (n). */
static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_perceptual *p = made;
    const size_t n = p->frequencies.size;
    return sbl_encoded_records_new(workspace, &p->encoded,
                                   sbl_slice_rows(p->encoded.facts) * (p->width + 2 * n) + n, err);
}

static const sbl_encoded *encoded(const void *made) { return &((const sbl_perceptual *)made)->encoded; }

static sbl_status add_points(sbl_sum *sum, size_t block, const void *made, void *workspace,
                             const float *points, size_t rows, sbl_error *err)
{
    const sbl_perceptual *p = made;
    float *own = sbl_encoded_records_own(workspace, &p->encoded);
    return sbl_orthogonal_add(sum, block, &p->frequencies, own + sbl_slice_rows(p->encoded.facts) * p->width,
                              points, rows, err);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_perceptual *p = made;
    sbl_encoded_records *w = workspace;
    float *points = sbl_encoded_records_run(w, &p->encoded, records);
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_points_job job = sbl_perceptual_points(p, values, w->encoder, records->rows);
    job.points = points;
    sbl_points_forward(&job);
    return add_points(sum, block, made, workspace, points, records->rows, err);
}

const sbl_feature sbl_feature_perceptual = {
    .name = SBL_PERCEPTUAL,
    .make = sbl_perceptual_make,
    .free = sbl_perceptual_free,
    .describe = describe,
    .check_name = check_name,
    .workspace_new = workspace_new,
    .workspace_free = sbl_encoded_records_free,
    .add = add,
    .encoded = encoded,
    .add_points = add_points,
};
