/* From the outputs of a network to a record: a sigmoid per number, a softmax per categorical
 * column. Legend: R rows, d numbers, T one-hot entries, C classes; outputs are (R, d + T). */
#ifndef SBL_NN_OUTPUT_HEADS_H
#define SBL_NN_OUTPUT_HEADS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/record_shape.h"

/* numbers (d, padded_rows), by columns, rows beyond R untouched; probabilities (R, T). */
void sbl_output_heads_forward(float *numbers, size_t padded_rows, float *probabilities,
                              const float *outputs, const sbl_record_shape *shape, size_t rows);

/* A category per categorical column and row, drawn from the probabilities, as one-hot columns:
 * onehot (T, padded_rows), which is overwritten. Row r draws from stream (step << 24 | r / 64). */
void sbl_output_heads_draw(float *onehot, size_t padded_rows, const float *probabilities,
                           const sbl_record_shape *shape, size_t rows, uint64_t seed, size_t step);

/* d_outputs from the gradients of the numbers and of the probabilities. The latter have a part that
 * all rows of a class share, d_class (C, T), and a part of each row, d_entries (T, padded_rows),
 * which may be NULL. d_numbers (d, padded_rows); starts (C + 1). */
typedef struct sbl_heads_gradient {
    const float *d_numbers;
    const float *d_entries;
    const float *d_class;
    size_t padded_rows;
} sbl_heads_gradient;

void sbl_output_heads_backward(float *d_outputs, const sbl_heads_gradient *gradient,
                               const float *numbers, const float *probabilities,
                               const sbl_record_shape *shape, const size_t *starts);

#endif
