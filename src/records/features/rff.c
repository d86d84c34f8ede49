/* SPDX-License-Identifier: Apache-2.0 */
/* [3] Sums features 512 frequencies at a time, so that a slice's features stay in cache. */
#include "records/features/rff.h"

#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"
#include "records/features/onehot.h"

#define PANEL SBL_FOURIER_PANEL

/* Panels from .. to - 1, all joint or none. */
static void run_panels(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                       size_t from, size_t to, bool joint)
{
    sbl_fourier_panels panels = {.numbers = rff->panels + from * rff->columns * PANEL,
                                 .onehot = joint ? rff->code_panels + from * rff->onehot * PANEL : NULL,
                                 .columns = rff->columns,
                                 .onehot_width = rff->onehot,
                                 .count = to - from};
    if (to > from) sbl_fourier_features(features, stride, rows, &panels);
}

void sbl_rff_tile(const sbl_rff *rff, float *features, size_t stride, const sbl_fourier_rows *rows,
                  size_t first, size_t count)
{
    size_t from = first / PANEL, to = from + sbl_fourier_panel_count(count);
    size_t joint = sbl_fourier_panel_count(rff->joint);
    size_t middle = joint < from ? from : joint < to ? joint : to;
    run_panels(rff, features, stride, rows, from, middle, true);
    run_panels(rff, features + 2 * PANEL * (middle - from), stride, rows, middle, to, false);
}

/* ---- the feature ---- */

#define TILE_FREQUENCIES 512 /* Fourier features of a slice at a time, whole panels */

static void describe(const void *made, sbl_block *block, double *weight)
{
    sbl_fourier_describe(block, weight, SBL_RFF, ((const sbl_rff *)made)->frequencies);
}

/* Numbers (slice, d), features (slice, 2 TILE_FREQUENCIES), one-hot places (slice, K). */
static size_t workspace_bytes(const void *made)
{
    const sbl_rff *rff = made;
    return sbl_slice_rows(rff->facts) *
           ((rff->columns + 2 * TILE_FREQUENCIES) * sizeof(float) + rff->codes * sizeof(uint32_t));
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_rff *rff = made;
    const sbl_facts *facts = rff->facts;
    const size_t slice = sbl_slice_rows(facts);
    float *numbers = workspace, *features = numbers + slice * rff->columns;
    uint32_t *entries = (uint32_t *)(features + slice * 2 * TILE_FREQUENCIES);
    const sbl_fourier_rows rows = {numbers, rff->columns, entries, rff->codes, records->rows};
    for (size_t i = 0; i < records->rows * rff->columns; i++) numbers[i] = (float)records->numeric[i];
    sbl_onehot_entries(entries, &facts->shape, records->codes, facts->heads.categorical_count,
                       facts->code_columns, records->rows);
    for (size_t first = 0; first < rff->frequencies; first += TILE_FREQUENCIES) {
        const size_t left = rff->frequencies - first;
        const size_t count = left < TILE_FREQUENCIES ? left : TILE_FREQUENCIES;
        sbl_rff_tile(rff, features, 2 * TILE_FREQUENCIES, &rows, first, count);
        const sbl_status status =
            sbl_sum_add_f32(sum, block, 2 * first, 2 * count, features, 2 * TILE_FREQUENCIES, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_rff = {
    .name = SBL_RFF,
    .make = sbl_rff_make,
    .free = sbl_rff_free,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
