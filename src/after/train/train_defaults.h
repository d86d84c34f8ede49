/* SPDX-License-Identifier: Apache-2.0 */
/* How a generator is built and trained where nothing else is asked for, by kind of data: the one
 * place where these numbers stand. How they were chosen: docs/mechanisms/merf.md. */
#ifndef SBL_TRAIN_TRAIN_DEFAULTS_H
#define SBL_TRAIN_TRAIN_DEFAULTS_H

#include <stddef.h>

#include "after/model/generator.h"
#include "base/error.h"
#include "public/plan/facts.h"

typedef struct sbl_train_defaults {
    sbl_network network;
    size_t steps;
    size_t batch;       /* rows or images per step */
    size_t most_batch;  /* that may be asked for */
    double rate;        /* Adam's at the start; decays to zero as a cosine */
    double average;     /* decay of the moving average of the weights; 0: the last weights */
    double balance;     /* part of a batch that the classes share evenly */
    double class_power; /* a class weighs share^-power in the loss */
} sbl_train_defaults;

const sbl_train_defaults *sbl_train_defaults_of(sbl_data_kind kind);

/* The residual network of images: hidden takes one number of channels.   Returns: as below */
sbl_status sbl_network_choose_residual(sbl_network *network, const size_t *hidden, size_t count,
                                       sbl_error *err);
/* The dense network of images: hidden takes 1 to 8 sizes; count 0: the usual ones.   Returns: as below */
sbl_status sbl_network_choose_dense(sbl_network *network, const size_t *hidden, size_t count, sbl_error *err);
/* The default network with other hidden sizes; count 0: the default ones. For images, one size is the
 * dense layer's width, three are that and the channels.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_network_choose(sbl_network *network, sbl_data_kind kind, const size_t *hidden, size_t count,
                              sbl_error *err);

#endif
