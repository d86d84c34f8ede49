#include "nn/output_heads.h"

#include "compute/threads.h"
#include "nn/vector_math.h"

#define CHUNK 64 /* rows that one thread takes at a time */

/* logits (T) -> probabilities (T), head by head. */
SBL_CLONES static void softmax_row(float *restrict p, const float *restrict logits,
                                   const sbl_record_shape *shape)
{
    for (size_t k = 0; k < shape->categorical; k++) {
        float largest = logits[shape->offsets[k]];
        for (size_t j = shape->offsets[k] + 1; j < shape->offsets[k + 1]; j++)
            largest = logits[j] > largest ? logits[j] : largest;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            p[j] = logits[j] - largest;
    }
    for (size_t j = 0; j < shape->onehot; j++) p[j] = sbl_fast_exp(p[j]);
    for (size_t k = 0; k < shape->categorical; k++) {
        float sum = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) sum += p[j];
        float inverse = 1 / sum;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) p[j] *= inverse;
    }
}

void sbl_output_heads_forward(float *numbers, size_t padded_rows, float *probabilities,
                              const float *outputs, const sbl_record_shape *shape, size_t rows)
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

/* d logit_j = p_j (dp_j - sum_i p_i dp_i) */
SBL_CLONES static void softmax_row_backward(float *restrict d_logits, const float *restrict dp,
                                            const float *restrict p, const sbl_record_shape *shape)
{
    for (size_t k = 0; k < shape->categorical; k++) {
        float mean = 0;
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++) mean += p[j] * dp[j];
        for (size_t j = shape->offsets[k]; j < shape->offsets[k + 1]; j++)
            d_logits[j] = p[j] * (dp[j] - mean);
    }
}

void sbl_output_heads_backward(float *d_outputs, const float *d_numbers, size_t padded_rows,
                               const float *d_probabilities, const float *numbers,
                               const float *probabilities, const sbl_record_shape *shape,
                               const size_t *starts)
{
    size_t width = shape->numeric + shape->onehot, onehot = shape->onehot;
    for (size_t c = 0; c < shape->classes; c++) {
        SBL_OMP(omp parallel for schedule(static, CHUNK) if (starts[c + 1] - starts[c] > CHUNK))
        for (size_t r = starts[c]; r < starts[c + 1]; r++) {
            float *row = d_outputs + r * width;
            for (size_t i = 0; i < shape->numeric; i++) {
                float y = numbers[i * padded_rows + r];
                row[i] = d_numbers[i * padded_rows + r] * y * (1 - y);
            }
            softmax_row_backward(row + shape->numeric, d_probabilities + c * onehot,
                                 probabilities + r * onehot, shape);
        }
    }
}
