/* SPDX-License-Identifier: Apache-2.0 */
/* A generator: a network that turns noise and a class into a record, what is publicly known of
 * these records, and the shares of the classes. Made from a release alone; sampling it costs
 * nothing. Tables and images differ in the network and in the head behind it.
 *
 * A table:  latent, one-hot class -> (dense h_l, batch norm, ReLU) for each hidden layer
 *           -> dense plus a bias per class -> sigmoid per number, softmax per categorical column
 *           (after/train/output_heads.h)
 * Images:   latent, one-hot class -> dense h, batch norm, ReLU -> dense, batch norm, ReLU
 *           -> (H/4, W/4, c_0) -> bilinear x2 -> 5x5 convolution c_1, batch norm, ReLU
 *           -> bilinear x2 -> 5x5 convolution, sigmoid -> pixels (after/train/output_heads.h)
 *           Sides that 4 does not divide are rounded up and the middle is cut out.
 *           Residual ones, for larger images: latent, class -> dense -> (4, 4, c) -> blocks, each
 *           of which halves the channels and doubles the sides until the images fit in:
 *               u = nearest x2 (1x1 convolution (x));
 *               y = u + convolution (ReLU, norm (convolution (ReLU, norm (u))))   (3x3, He et al.)
 *           -> batch norm, ReLU -> 3x3 convolution, sigmoid. As in Harder et al. 2023, but that the
 *           1x1 convolution stands before both ways of a block.
 *           Dense ones: latent, class -> (dense h_l, batch norm, ReLU) for each hidden layer -> dense,
 *           sigmoid -> pixels. As DP-HP draws MNIST (Vinaroz et al. 2022).
 * Where there is one class its code is left out. */
#ifndef SBL_MODEL_GENERATOR_H
#define SBL_MODEL_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/nn/net.h"
#include "base/tensors/safetensors.h"
#include "public/plan/facts.h"

#define SBL_NETWORK_MOST_HIDDEN 8

/* What a generator's network is asked to be. */
typedef struct sbl_network {
    size_t latent;                          /* tables 1 .. 65536, images 1 .. 4096 */
    size_t signs;                           /* of them, so many are -1 or 1, the last: 0 .. latent */
    size_t hidden[SBL_NETWORK_MOST_HIDDEN]; /* tables: widths of 1 to 8 layers, each 1 .. 65536;
                                             * images: h (1 .. 65536), c_0, c_1 (1 .. 1024); of a
                                             * dense network as of tables */
    size_t count;                           /* of hidden */
    bool residual; /* of images: the residual network, hidden[0] = c, 16 .. 1024 and a multiple of
                    * 16; the others count for nothing */
    bool dense;    /* of images: dense layers alone */
} sbl_network;

typedef struct sbl_generator {
    sbl_facts facts; /* kind, classes, shape and images are set; it owns no schema */
    size_t latent;
    size_t signs; /* this number of latents, the last ones, are -1 or 1, the others normal: a network
                          * is continuous, and with normal latents alone it puts records between
                          * clusters, where the data has none */
    size_t cells; /* 0, 1: a class of the facts is one of the data. K (images): it is a cell, and class c
                          * of the data has the cells c K .. c K + K - 1 (public/features/image_cells.h) */
    sbl_net net;  /* input: latent, then the class's one-hot code */
    float *class_shares; /* (C): nonnegative, sum 1 */
} sbl_generator;

/* Numbers of the class's code: none where there is one class. */
static inline size_t sbl_generator_codes(const sbl_facts *facts)
{
    return facts->classes > 1 ? facts->classes : 0;
}

/* The network that is asked for, with zero weights.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_generator_build(sbl_net *net, const sbl_facts *facts, const sbl_network *network,
                               sbl_error *err);

/* Zero weights, equal shares. Of the facts what stands above is copied.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_generator_init(sbl_generator *generator, const sbl_facts *facts, const sbl_network *network,
                              sbl_error *err);
void sbl_generator_clear(sbl_generator *generator);
/* Random first weights; all classes are alike at the outputs of a table's. */
void sbl_generator_randomise(sbl_generator *generator, uint64_t seed);
/* Images: the weights of `whole`, whose classes this one divides into cells: a cell begins as its class. Where `whole`
 * has one class, and so no code of it, the cells' codes keep their weights. Networks that are not alike otherwise: nothing
 * is taken. */
void sbl_generator_divide(sbl_generator *generator, const sbl_generator *whole);
/* Tables: start every softmax at these probabilities, expected (C, T) > 0: its bias becomes their
 * logarithm, and the weights above it are made small. */
void sbl_generator_start_at(sbl_generator *generator, const float *expected);

/* Tables: entry `entry` of the one-hot code of a record is never drawn. */
void sbl_generator_close(sbl_generator *generator, size_t entry);

/* Cells of a class of the data: one where it is not divided. */
static inline size_t sbl_generator_cells(const sbl_generator *generator)
{
    return generator->cells > 1 ? generator->cells : 1;
}

/* Width of the network's input: the latents and the class's code. */
static inline size_t sbl_generator_inputs(const sbl_generator *generator)
{
    return sbl_volume_size(generator->net.input);
}
/* Put the class's code behind the latents of one row of it. */
void sbl_generator_set_class(const sbl_generator *generator, float *input, size_t class);

/* As tensors and metadata (texts under names that begin with "semblance."), and back; where (a
 * path) is for messages. Tensors of `file` are borrowed from the generator, which must outlive
 * them; metadata of `file` that is already there stays.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_generator_to_tensors(sbl_safetensors *file, const sbl_generator *generator, sbl_error *err);
sbl_status sbl_generator_from_tensors(sbl_generator *generator, const sbl_safetensors *file,
                                      const char *where, sbl_error *err);

/* Into a file. extra: an object of strings that is stored beside the generator's own, or NULL. */
sbl_status sbl_generator_save(const sbl_generator *generator, sbl_store_entry to, const json_t *extra,
                              bool overwrite, sbl_error *err);

#endif
