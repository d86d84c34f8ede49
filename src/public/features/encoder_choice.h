/* SPDX-License-Identifier: Apache-2.0 */
/* What all features of a frozen encoder's activations share: which network, by its hash; how an image
 * becomes its input; which activations are used. All of it is public, and in the plan:
 *     {"encoder":SHA-256, "layers":[2,4,6], "origin":"what it was trained on", "side":32, ...}
 * and, if they apply, "fit":"resize", "layers_alike":true, "mirrored":true. The network is the built-in
 * one, or the file that facts->encoder_path names.
 *
 * An image is put in the middle of a black square of `side` pixels, the smallest of 16, 32, 64 and 128
 * that it fits into (a larger one is resampled to 128), or is resampled to a side that the user asked
 * for. Grey is repeated in three channels, and the network's own mean and deviation are subtracted.
 * Nothing of this is learnt from the data. */
#ifndef SBL_FEATURES_ENCODER_CHOICE_H
#define SBL_FEATURES_ENCODER_CHOICE_H

#include "base/encoder/encoder.h"
#include "base/json.h"
#include "public/plan/facts.h"

#define SBL_ENCODED_MOST_LAYERS SBL_ENCODER_MAX_ACTIVATIONS /* all that a network can have */

typedef struct sbl_encoded {
    sbl_encoder *encoder;
    const sbl_facts *facts;                 /* borrowed */
    size_t layers[SBL_ENCODED_MOST_LAYERS]; /* numbers of activations, from 0, rising */
    size_t layer_count;
    size_t side; /* of the network's input */
    bool resize; /* an image is resampled to it; else put in its middle */
    bool signs;  /* activations are taken before their ReLU: sbl_encoded_take_signed() */
    /* Of moments (records/features/activation_moments.c): */
    bool alike; /* each layer has length 1 by itself, so that all of them weigh alike */
    /* The mean of an image and its mirror image, left to right; training mirrors every second row of a class
     * instead. */
    bool mirrored;
} sbl_encoded;

/* The activations used by default. */
typedef enum sbl_encoded_layers {
    SBL_ENCODED_ALL,
    SBL_ENCODED_WIDE,  /* all but bottlenecks: those of fewer channels than the next of their size */
    SBL_ENCODED_SCALES /* the last one of each of the three largest sizes */
} sbl_encoded_layers;

/* What may be asked for; zeros: all activations, padded, as they are. */
typedef struct sbl_encoded_ask {
    const uint64_t *layers; /* (layer_count): numbers from 1, as `encoder show` lists them */
    size_t layer_count;     /* 0: by the rule */
    sbl_encoded_layers rule;
    size_t side; /* images are resampled to it, 16 to 256 (base/encoder/encoder.h); 0: padded */
    /* Where side is 0: that of a network whose first layer shrinks what it sees, which was made for larger
     * images; 0: padded. */
    size_t enlarged;
    /* By the rule, layers alike: deviation of the noise on a class's mean; layers that would drown in it are left
     * out, the last size excepted; 0: none is. */
    double noise;
    bool alike, mirrored;
} sbl_encoded_ask;

/* From the encoder of facts->encoder_path, or the built-in one.
 * Returns: SBL_OK, SBL_EINPUT, SBL_EARG, ... */
sbl_status sbl_encoded_choose(sbl_encoded *encoded, const sbl_facts *facts, const sbl_encoded_ask *ask,
                              sbl_error *err);
void sbl_encoded_take_signed(sbl_encoded *encoded);
/* From a plan. members: how many the parameters have, beside those that are there where they are not
 * as usual; four of them are read here. */
sbl_status sbl_encoded_read(sbl_encoded *encoded, const sbl_facts *facts, const json_t *parameters,
                            size_t members, const char *feature, sbl_error *err);
void sbl_encoded_clear(sbl_encoded *encoded);
/* Are images that are called so, by a title or by the name of their files, those that the network was trained on?
 * NULL: not said.   Returns: SBL_OK; SBL_EINPUT: they are, so that it is not public to them */
sbl_status sbl_encoded_check_name(const sbl_encoded *encoded, const char *called, sbl_error *err);

/* The four members and what is not as usual; the caller adds its own. NULL when out of memory. */
json_t *sbl_encoded_parameters(const sbl_encoded *encoded);

/* backward: for training, where every second image enters mirrored if the plan says so. Of records both
 * images are run, one after the other. */
sbl_status sbl_encoded_workspace(sbl_encoder_workspace **workspace, const sbl_encoded *encoded, size_t rows,
                                 bool backward, const sbl_backend *on, sbl_error *err);

/* Activation l of those that are taken. */
const sbl_encoder_activation *sbl_encoded_layer(const sbl_encoded *encoded, size_t l);
/* Numbers of all activations that are taken. */
size_t sbl_encoded_width(const sbl_encoded *encoded);

#endif
