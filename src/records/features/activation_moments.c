/* SPDX-License-Identifier: Apache-2.0 */
/* First and second moments of what a frozen network sees in an image (Harder, Jalali, Sutherland
 * and Park 2023; corrected in docs/mechanisms/mepf.md): with e all activations that are taken, one
 * behind the other,
 *     phi1 = e / |e|,   phi2 = e^2 / |e^2|  (squared by coordinates);   0 where e is 0.
 * Where layers are alike (public/features/encoder_choice.h), with e_l the activations of one of L layers,
 *     phi1 = (e_1 / |e_1|, ..., e_L / |e_L|) / sqrt L,   phi2 the same of squares;
 * and where an image is mirrored phi is the mean of its own and its mirror image's.
 * Activations are outputs of ReLUs, so both are nonnegative, and held to norm 1 and to that sign on
 * every record. Sensitivity of the sum of each: sqrt 2 under replace-one, 1 under add-remove. The
 * feature `signed-moments` takes them before the ReLUs, as the paper does of VGG19: phi1 has both
 * signs, and 2 under replace-one; phi2 is as it was. The feature `pooled-moments` has one sum of all
 * records instead of one for each class, with the same sensitivity.
 * A record is made whole, 16 of them at a time; the matrix of all records never exists.
 *
 * [3] phi1 and phi2 of an image: the encoder runs on a slice of records, norms are summed in a
 * fixed order over 16 lanes, and each row is written out whole, because the bound is on the whole
 * of it. The signed variant differs in where activations are taken and in the block's sign. */
#include <stdio.h>

#include "base/backend/backend_internal.h"
#include "public/features/activation_shapes.h"
#include "records/accumulate/sum.h"
#include "records/features/encoder_records.h"

static size_t count_blocks(const void *made) { return ((const sbl_moments_feature *)made)->count; }

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_moments_feature *m = made;
    for (size_t b = 0; b < m->count; b++) {
        blocks[b] = (sbl_block){.width = m->width,
                                .per_class = !m->pooled,
                                .nonnegative = b > 0 || !m->encoded.signs,
                                .bound2 = SBL_GRID_BOUND2};
        (void)snprintf(blocks[b].name, sizeof blocks[b].name, "phi%zu%s", b + 1, m->pooled ? "-all" : "");
        blocks[b].scale = sbl_block_scale(blocks[b].width, blocks[b].bound2, 1.0);
        weights[b] = 1 / blocks[b].scale;
    }
}

static sbl_status check_name(const void *made, const char *called, sbl_error *err)
{
    return sbl_encoded_check_name(&((const sbl_moments_feature *)made)->encoded, called, err);
}

/* ---- records ---- */

/* What the numbers of each layer of a row are multiplied by, of phi1 and of phi2. */
typedef struct row_factors {
    float of[2][SBL_ENCODED_MOST_LAYERS];
} row_factors;

/* 1 / |e| and 1 / |e^2| of row `row` of the batch that the workspace last ran, or of each layer by
 * itself, over the root of their number; 0 where a norm is 0 or not finite. */
static void find_factors(row_factors *f, const sbl_encoded *encoded, const sbl_encoder_workspace *workspace,
                         size_t row)
{
    const size_t layers = encoded->layer_count;
    const double share = encoded->alike ? (double)layers : 1;
    double sums[2] = {0};
    for (size_t l = 0; l < layers; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]);
        if (encoded->alike) sums[0] = sums[1] = 0;
        sbl_add_powers(sums, e + row * size, size);
        for (size_t b = 0; b < 2; b++) f->of[b][l] = sbl_inverse_root(share * sums[b]);
    }
    for (size_t l = 0; l < layers && !encoded->alike; l++)
        for (size_t b = 0; b < 2; b++) f->of[b][l] = f->of[b][layers - 1];
}

/* phi1 and phi2 of a slice. */
static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    return sbl_encoded_records_new(workspace, &m->encoded,
                                   m->count * sbl_slice_rows(m->encoded.facts) * m->width, err);
}

/* One row of phi1 or, where squared, of phi2; added to what is there for the second of an image and its
 * mirror image, and halved. */
static void write_row(float *phi, const sbl_encoded *encoded, const sbl_encoder_workspace *workspace,
                      size_t row, const float *factors, bool squared, bool second)
{
    for (size_t l = 0; l < encoded->layer_count; l++) {
        const size_t size = sbl_volume_size(sbl_encoded_layer(encoded, l)->volume);
        const float *e = sbl_encoder_activation_values(workspace, encoded->layers[l]) + row * size;
        const float factor = factors[l];
        if (second)
            for (size_t i = 0; i < size; i++) phi[i] = (phi[i] + (squared ? e[i] * e[i] : e[i]) * factor) / 2;
        else
            for (size_t i = 0; i < size; i++) phi[i] = (squared ? e[i] * e[i] : e[i]) * factor;
        phi += size;
    }
}

/* Of all rows that the encoder last ran on. */
static void write_rows(float *features, const sbl_moments_feature *m, const sbl_encoder_workspace *workspace,
                       size_t rows, bool second)
{
    row_factors factors;
    for (size_t row = 0; row < rows; row++) {
        find_factors(&factors, &m->encoded, workspace, row);
        for (size_t b = 0; b < m->count; b++)
            write_row(features + (b * sbl_slice_rows(m->encoded.facts) + row) * m->width, &m->encoded,
                      workspace, row, factors.of[b], b > 0, second);
    }
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_moments_feature *m = made;
    sbl_encoded_records *w = workspace;
    float *features = sbl_encoded_records_run(w, &m->encoded, records);
    write_rows(features, m, w->encoder, records->rows, false);
    if (m->encoded.mirrored) {
        sbl_encoded_records_mirror(w, &m->encoded, records->rows);
        write_rows(features, m, w->encoder, records->rows, true);
    }
    for (size_t b = 0; b < m->count; b++)
        SBL_CHECK(sbl_sum_add_f32(sum, block + b, 0, m->width,
                                  features + b * sbl_slice_rows(m->encoded.facts) * m->width, m->width, err));
    return SBL_OK;
}

#define FEATURE(of_name, of_make)                                                              \
    {                                                                                          \
        .name = (of_name), .make = (of_make), .free = sbl_moments_free, .count = count_blocks, \
        .describe = describe, .check_name = check_name, .workspace_new = workspace_new,        \
        .workspace_free = sbl_encoded_records_free, .add = add                                 \
    }

const sbl_feature sbl_feature_moments = FEATURE(SBL_MOMENTS, sbl_moments_make);
const sbl_feature sbl_feature_signed_moments = FEATURE(SBL_SIGNED_MOMENTS, sbl_signed_moments_make);
const sbl_feature sbl_feature_pooled_moments = FEATURE(SBL_POOLED_MOMENTS, sbl_pooled_moments_make);
