/* SPDX-License-Identifier: Apache-2.0 */
/* Sigmoids and softmaxes of a table's outputs, the draw of one-hot codes for training, and the way
 * back. Numbers lie by columns (as base/compute/fourier.h wants them), outputs by rows; the change of
 * layout is done here, 16 rows at a time. */
#include "after/train/output_heads.h"

#include <string.h>

#include "base/compute/threads.h"
#include "base/compute/vector_math.h"
#include "base/random/model_rng.h"

#define CHUNK 64 /* rows that one thread takes at a time */

/* logits (T) -> probabilities (T), head by head. */
SBL_CLONES static void softmax_row(float *restrict p, const float *restrict logits,
                                   const sbl_record_shape *shape)
{
    for (size_t k = 0; k < shape->categorical; k++) {
        float largest = logits[shape->offsets[k]];
        for (size_t j = shape->offsets[k] + 1; j < shape->offsets[k + 1]; j++)
            largest = logits[j] > largest ? logits[j] : largest;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) p[j] = logits[j] - largest;
    }
    for (size_t j = 0; j < shape->onehot; j++) p[j] = sbl_fast_exp(p[j]);
    for (size_t k = 0; k < shape->categorical; k++) {
        float sum = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) sum += p[j];
        float inverse = 1 / sum;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) p[j] *= inverse;
    }
}

void sbl_output_heads_forward(float *numbers, size_t padded_rows, float *probabilities, const float *outputs,
                              const sbl_record_shape *shape, size_t rows)
{
    size_t width = shape->numeric + shape->onehot;
    SBL_OMP(omp parallel for schedule(static, CHUNK))
    for (size_t r = 0; r < rows; r++) {
        const float *row = outputs + r * width;
        for (size_t i = 0; i < shape->numeric; i++)
            numbers[i * padded_rows + r] = 1 / (1 + sbl_fast_exp(-row[i]));
        softmax_row(probabilities + r * shape->onehot, row + shape->numeric, shape);
    }
}

void sbl_output_heads_draw(float *onehot, size_t padded_rows, const float *probabilities,
                           const sbl_record_shape *shape, size_t rows, uint64_t seed, size_t step)
{
    size_t chunks = (rows + CHUNK - 1) / CHUNK;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sbl_model_rng rng;
        size_t first = chunk * CHUNK, last_row = chunk + 1 < chunks ? first + CHUNK : padded_rows;
        for (size_t j = 0; j < shape->onehot; j++)
            memset(onehot + j * padded_rows + first, 0, (last_row - first) * sizeof *onehot);
        sbl_model_rng_init(&rng, seed, SBL_RNG_TRAIN_CODES, (uint64_t)step << 24 | chunk);
        for (size_t r = first; r < rows && r < first + CHUNK; r++) {
            const float *p = probabilities + r * shape->onehot;
            for (size_t k = 0; k < shape->categorical; k++) {
                size_t entry = shape->offsets[k], last = shape->offsets[k + 1] - 1;
                float left = (float)sbl_model_rng_u32(&rng) * 0x1p-32f - p[entry];
                while (left >= 0 && entry < last) left -= p[++entry];
                onehot[entry * padded_rows + r] = 1;
            }
        }
    }
}

/* dp (T) = d_class + the row's column of d_entries; d logit_j = p_j (dp_j - sum_i p_i dp_i). */
SBL_CLONES static void softmax_row_backward(float *d_logits, const float *dp, const float *p,
                                            const sbl_record_shape *shape)
{
    for (size_t k = 0; k < shape->categorical; k++) {
        float mean = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) mean += p[j] * dp[j];
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            d_logits[j] = p[j] * (dp[j] - mean);
    }
}

/* GROUP rows from row `first` on: their d_entries, by columns, into d_outputs by rows. */
SBL_CLONES static void turn(float *restrict d_outputs, const float *restrict d_entries, size_t padded_rows,
                            const float *restrict d_class, const sbl_record_shape *shape, size_t rows)
{
    size_t width = shape->numeric + shape->onehot;
    for (size_t j = 0; j < shape->onehot; j++)
        for (size_t r = 0; r < rows; r++)
            d_outputs[r * width + shape->numeric + j] = d_class[j] + d_entries[j * padded_rows + r];
}

#define GROUP 16

/* The same rows: d_outputs -= own p. */
SBL_CLONES static void take_own(float *restrict d_outputs, const float *restrict p, float own,
                                const sbl_record_shape *shape, size_t rows)
{
    const size_t width = shape->numeric + shape->onehot;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < shape->onehot; j++)
            d_outputs[r * width + shape->numeric + j] -= own * p[r * shape->onehot + j];
}

static void backward_group(float *d_outputs, const sbl_heads_gradient *g, const float *numbers,
                           const float *probabilities, const sbl_record_shape *shape, size_t c, size_t first,
                           size_t rows)
{
    const float *d_class = g->d_class + c * shape->onehot, own = g->own != NULL ? g->own[c] : 0;
    size_t width = shape->numeric + shape->onehot, padded = g->padded_rows;
    float *group = d_outputs + first * width;
    if (g->d_entries) turn(group, g->d_entries + first, padded, d_class, shape, rows);
    if (g->d_entries && own != 0) take_own(group, probabilities + first * shape->onehot, own, shape, rows);
    for (size_t r = 0; r < rows; r++) {
        float *row = group + r * width;
        for (size_t i = 0; i < shape->numeric; i++) {
            float y = numbers[i * padded + first + r];
            row[i] = g->d_numbers[i * padded + first + r] * y * (1 - y);
        }
        float *logits = row + shape->numeric;
        softmax_row_backward(logits, g->d_entries ? logits : d_class,
                             probabilities + (first + r) * shape->onehot, shape);
    }
}

void sbl_output_heads_backward(float *d_outputs, const sbl_heads_gradient *gradient, const float *numbers,
                               const float *probabilities, const sbl_record_shape *shape,
                               const size_t *starts)
{
    SBL_OMP(omp parallel if (starts[shape->classes] > CHUNK))
    for (size_t c = 0; c < shape->classes; c++) {
        SBL_OMP(omp for schedule(dynamic, 2) nowait)
        for (size_t first = starts[c]; first < starts[c + 1]; first += GROUP) {
            size_t left = starts[c + 1] - first;
            backward_group(d_outputs, gradient, numbers, probabilities, shape, c, first,
                           left < GROUP ? left : GROUP);
        }
    }
}
