/* From the outputs of a network to a record: a sigmoid per number, a softmax per categorical
 * column. Legend: R rows, d numbers, T one-hot entries, C classes; outputs are (R, d + T). */
#ifndef SBL_NN_OUTPUT_HEADS_H
#define SBL_NN_OUTPUT_HEADS_H

#include <stddef.h>

#include "nn/record_shape.h"

/* numbers (d, padded_rows), by columns, rows beyond R untouched; probabilities (R, T). */
void sbl_output_heads_forward(float *numbers, size_t padded_rows, float *probabilities,
                              const float *outputs, const sbl_record_shape *shape, size_t rows);

/* d_outputs from the gradients of the numbers (d, padded_rows) and of the probabilities, which are
 * the same for all rows of a class: d_probabilities (C, T). starts (C + 1). */
void sbl_output_heads_backward(float *d_outputs, const float *d_numbers, size_t padded_rows,
                               const float *d_probabilities, const float *numbers,
                               const float *probabilities, const sbl_record_shape *shape,
                               const size_t *starts);

#endif
