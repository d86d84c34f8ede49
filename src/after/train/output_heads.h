/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a generator's last layer: heads of a table's columns, pixels of an image; and back. */
#ifndef SBL_TRAIN_OUTPUT_HEADS_H
#define SBL_TRAIN_OUTPUT_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nn/net.h"
#include "public/schema/encoding_layout.h"

/* numbers (d, padded_rows), by columns, rows beyond R untouched; probabilities (R, T). */
void sbl_output_heads_forward(float *numbers, size_t padded_rows, float *probabilities, const float *outputs,
                              const sbl_record_shape *shape, size_t rows);

/* A category per categorical column and row, drawn from the probabilities, as one-hot columns:
 * onehot (T, padded_rows), which is overwritten. Row r draws from stream (step << 24 | r / 64). */
void sbl_output_heads_draw(float *onehot, size_t padded_rows, const float *probabilities,
                           const sbl_record_shape *shape, size_t rows, uint64_t seed, size_t step);

/* d_outputs from the gradients of the numbers and of the probabilities. The latter have a part that
 * all rows of a class share, d_class (C, T), and a part of each row, d_entries (T, padded_rows),
 * which may be NULL. Of a row of class c, own[c] times its own probabilities are taken off, if there are entries;
 * own (C) may be NULL. d_numbers (d, padded_rows); starts (C + 1). */
typedef struct sbl_heads_gradient {
    const float *d_numbers;
    const float *d_entries;
    const float *d_class;
    size_t padded_rows;
    const float *own;
} sbl_heads_gradient;

void sbl_output_heads_backward(float *d_outputs, const sbl_heads_gradient *gradient, const float *numbers,
                               const float *probabilities, const sbl_record_shape *shape,
                               const size_t *starts);

/* Pixels of an image, of a backend's tensors. training: with the leak, else within [0, 1]. output: at least as high and
 * wide as the images, and of their channels. */
void sbl_pixel_head_forward(const sbl_backend *on, float *pixels, const sbl_image_facts *images,
                            const float *outputs, sbl_volume output, size_t rows, bool training);
/* d_outputs from d_pixels, for the outputs that pixels came from. */
void sbl_pixel_head_backward(const sbl_backend *on, float *d_outputs, const sbl_image_facts *images,
                             const float *d_pixels, const float *outputs, sbl_volume output, size_t rows);

#endif
