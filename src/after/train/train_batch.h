/* SPDX-License-Identifier: Apache-2.0 */
/* The batch of one training step: latents and classes into the network, its outputs as a generated batch of
 * records, and the generated batch's gradient back to the outputs. Rows are sorted by class. Legend: R rows,
 * d numbers, T one-hot entries, C classes. */
#ifndef SBL_TRAIN_TRAIN_BATCH_H
#define SBL_TRAIN_TRAIN_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "after/losses/loss.h"
#include "after/model/generator.h"
#include "base/error.h"

#define SBL_BATCH_LEAST 8      /* rows of a class that takes part */
#define SBL_BATCH_LEAST_CELL 4 /* of a cell of a class */

/* starts (C + 1): class c gets rows starts[c] .. starts[c + 1] - 1: about batch (balance / active +
 * (1 - balance) share), at least `least`; classes of share 0 get none.
 * Returns the number of rows, starts[C]. */
size_t sbl_train_batch_starts(size_t *starts, const double *shares, size_t classes, size_t batch,
                              double balance, size_t least);

/* What a class of images may take in a frozen network before it goes through in parts, which takes a half
 * more of its work: on the host, whose memory is others', too, and on a device. */
#define SBL_BATCH_HOST_BYTES ((double)((size_t)1 << 30))
#define SBL_BATCH_DEVICE_BYTES (8 * SBL_BATCH_HOST_BYTES)

typedef struct sbl_train_batch {
    const sbl_generator *generator; /* borrowed */
    sbl_generated generated;        /* what features see; its arrays are those below */
    sbl_generated whole;      /* the same records by classes of the data, where the generator has cells */
    sbl_facts whole_facts;    /* classes, kind and shape, borrowed */
    float *network_inputs;    /* (R, inputs): latents, then the class's code */
    float *placed_inputs;     /* the same as a tensor: themselves on the host */
    size_t ahead;             /* the step, plus one, whose latents are drawn, not placed; 0: none */
    size_t *starts;           /* (C + 1) */
    double *shares, *weights; /* (C) */
    float *inputs;            /* tables (d + T, padded): numbers, then drawn codes */
    float *expected;          /* tables (R, T) */
    float *pixels;            /* images (R, d): a tensor */
    sbl_pool pool;            /* of all these but the tensors */
    sbl_tensors tensors;
} sbl_train_batch;

/* shares (C) are copied; a class weighs share^-power in the loss. on: of tables the host's.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_train_batch_init(sbl_train_batch *batch, const sbl_generator *generator, const sbl_backend *on,
                                const double *shares, size_t rows, double balance, double power,
                                sbl_error *err);
void sbl_train_batch_clear(sbl_train_batch *batch);

/* The latents of a step: a function of seed, step and place. */
void sbl_train_batch_draw_latents(sbl_train_batch *batch, uint64_t seed, size_t step);
/* Draws them before they are asked for, while a device is at work; on the host nothing. */
void sbl_train_batch_draw_ahead(sbl_train_batch *batch, uint64_t seed, size_t step);
/* The generated batch of the network's outputs, codes drawn by seed and step; its gradients become zero. */
void sbl_train_batch_forward(sbl_train_batch *batch, const float *outputs, uint64_t seed, size_t step);
/* The gradient of the outputs that the generated batch came from. */
void sbl_train_batch_backward(const sbl_train_batch *batch, float *d_outputs, const float *outputs);

#endif
