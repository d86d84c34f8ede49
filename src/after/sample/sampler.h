/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Draw encoded records from a generator.
 *
 * Row i of seed k is a pure function of the generator, k, i and the wanted class: any chunking,
 * order or number of threads gives the same rows. Its class and latents come from a stream of its
 * own; batch normalisation uses its running statistics.
 * Rows of a table are the same on every platform, too: nothing is contracted, reordered or left to
 * libm (after/sample/sampler.h). Images go through the network's own kernels in whole runs that begin at
 * multiples of SBL_IMAGE_RUN; other instruction sets may round a pixel to its neighbour. */
#ifndef SBL_SAMPLE_SAMPLER_H
#define SBL_SAMPLE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "after/model/generator.h"
#include "after/model/model.h"
#include "base/alloc.h"
#include "base/error.h"

#define SBL_IMAGE_RUN 64

typedef struct sbl_sampler sbl_sampler;

/* The generator is borrowed until sbl_sampler_free.
 * Returns: SBL_OK; SBL_EINPUT when it is one of a table whose network is not dense layers with
 * batch norms and ReLUs; SBL_EMEM */
sbl_status sbl_sampler_new(sbl_sampler **sampler, sbl_generator *generator, uint64_t seed, sbl_error *err);
void sbl_sampler_free(sbl_sampler *sampler);

/* Into out: of a table codes (rows, K) without the label, and labels (rows, may be NULL).
 * Rows first .. first + rows - 1, below 2^56. wanted: a class, or SBL_ANY_CLASS for the class
 * shares. A wanted class of share 0 is drawn all the same.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_sampler_draw(sbl_sampler *sampler, const sbl_drawn *out, uint64_t first, size_t rows,
                            size_t wanted, sbl_error *err);

/* The model whose state this is; takes the generator, also on failure. */
extern const sbl_model_kind sbl_model_kind_generator;
sbl_status sbl_model_of_generator(sbl_model *model, sbl_generator *generator, sbl_error *err);
/* That of such a model; borrowed. */
const sbl_generator *sbl_model_generator(const sbl_model *model);

/* Some rows of a table before they take their places: the classes they were drawn for, the codes of the
 * other columns, and numbers where a kind wants some. */
typedef struct sbl_row_buffer {
    uint32_t *labels;  /* (capacity) */
    uint32_t *columns; /* (capacity, codes): without the label */
    double *numbers;   /* (capacity, numbers) */
    size_t capacity;
    sbl_pool pool; /* of these */
} sbl_row_buffer;

/* Room for at least this number of rows.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_buffer_hold(sbl_row_buffer *buffer, size_t rows, size_t codes, size_t numbers,
                               sbl_error *err);
/* codes (rows, all): the label is the class a row was drawn for; the other codes stand around it. */
void sbl_row_buffer_place(const sbl_row_buffer *buffer, const sbl_facts *facts, uint32_t *codes, size_t rows);

#endif
