/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an encoder, shared by its readers and its use.
 *
 * A safetensors file on its way to become an encoder: layers are planned one by one, then a stage is
 * made of them and filled with the file's tensors. Everything in the file is checked before it is
 * used. */
#ifndef SBL_ENCODER_ENCODER_INTERNAL_H
#define SBL_ENCODER_ENCODER_INTERNAL_H

#include "base/encoder/encoder.h"
#include "base/tensors/tensor_file.h"

#define SBL_ENCODER_CHANNELS ((size_t)SBL_RESIZED_CHANNELS)
#define SBL_ENCODER_MAX_STAGES 51 /* ResNet 152: 50 blocks and what is before them */
#define SBL_ENCODER_ORIGIN_SIZE 160
#define SBL_ENCODER_OF_SUM ((size_t)-1) /* the layer of an activation that is a residual sum */

/* y = net(x), or relu(net(x) + skip(x)) where residual; a skip without layers is x itself. */
typedef struct sbl_encoder_stage {
    bool residual, has_skip;
    sbl_net net, skip;
} sbl_encoder_stage;

struct sbl_encoder {
    char name[SBL_ENCODER_NAME_SIZE], hash[72], origin[SBL_ENCODER_ORIGIN_SIZE], family[32];
    float mean[SBL_ENCODER_CHANNELS], deviation[SBL_ENCODER_CHANNELS];
    size_t side;
    sbl_encoder_stage stages[SBL_ENCODER_MAX_STAGES];
    size_t stage_count;
    sbl_encoder_activation activations[SBL_ENCODER_MAX_ACTIVATIONS];
    size_t activation_count;
    bool before;                /* activations are what goes into the ReLUs */
    size_t width, classes;      /* classes 0: there is no classifier, or none that is read */
    float *fc_weight;           /* (classes, width) */
    float *fc_bias;             /* (classes) */
    sbl_encoder_workspace *own; /* of sbl_encoder_prepare() */
};

/* From an image to the network's input and back. */
typedef struct sbl_encoder_input {
    sbl_resizing by;
    sbl_tensors tensors; /* its matrices */
} sbl_encoder_input;

sbl_status sbl_encoder_input_init(sbl_encoder_input *input, const sbl_encoder *encoder, sbl_volume image,
                                  sbl_encoder_fit fit, bool mirror, const sbl_backend *on, sbl_error *err);
void sbl_encoder_input_clear(sbl_encoder_input *input);

#define SBL_READING_MAX_LAYERS 96
#define SBL_READING_NAME_SIZE 64

/* A planned layer. For a convolution: which tensors fill it. */
typedef struct sbl_reading_layer {
    sbl_layer ask;
    char tensor[SBL_READING_NAME_SIZE]; /* NAME of NAME.weight and NAME.bias; "": no convolution */
    char norm[SBL_READING_NAME_SIZE];   /* a batch norm to be folded in; "": none, a bias is needed */
    /* A 1 x 1 convolution of the same inputs, whose outputs come before, as taps at the centre; "": none. */
    char centre[SBL_READING_NAME_SIZE];
    char activation[SBL_READING_NAME_SIZE]; /* of a ReLU: what its output is called */
    bool reversed; /* the file's inputs are in the opposite order: blue, green, red */
} sbl_reading_layer;

typedef struct sbl_reading {
    sbl_encoder *encoder;
    sbl_tensor_file file;
    const char *where;
    sbl_volume volume; /* behind the last stage */
    sbl_reading_layer layers[SBL_READING_MAX_LAYERS];
    size_t layer_count;
} sbl_reading;

/* The tensor NAME.PART; NULL: there is none. */
const sbl_foreign_tensor *sbl_reading_find(const sbl_reading *r, const char *name, const char *part);

/* ---- plan the layers of the next stage; refused where there is no room or no such tensor ---- */
sbl_status sbl_reading_convolution(sbl_reading *r, const char *tensor, const char *norm, size_t stride,
                                   size_t padding, sbl_error *err);
/* padding as wide as leaves the size */
sbl_status sbl_reading_same(sbl_reading *r, const char *tensor, const char *norm, size_t stride,
                            sbl_error *err);
sbl_status sbl_reading_relu(sbl_reading *r, const char *activation, sbl_error *err);
sbl_status sbl_reading_pool(sbl_reading *r, size_t kernel, size_t stride, size_t padding, sbl_error *err);

/* The next stage: the planned layers, none of which is planned then. */
sbl_status sbl_reading_stage(sbl_reading *r, sbl_error *err);
/* A residual one. skip: the name of a convolution of this stride, "": none. The sum is an activation
 * of this name. */
sbl_status sbl_reading_residual(sbl_reading *r, const char *name, const char *skip, const char *skip_norm,
                                size_t stride, sbl_error *err);

/* A dense layer of the pixel means: logits. Nothing where it is not there. */
sbl_status sbl_reading_head(sbl_reading *r, const char *name, sbl_error *err);

#endif
