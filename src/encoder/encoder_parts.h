/* The inside of an encoder, shared by its readers and its use. */
#ifndef SBL_ENCODER_ENCODER_PARTS_H
#define SBL_ENCODER_ENCODER_PARTS_H

#include "encoder/encoder.h"

#define SBL_ENCODER_CHANNELS ((size_t)3)
#define SBL_ENCODER_MAX_STAGES 33
#define SBL_ENCODER_MAX_ACTIVATIONS 80
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
    bool before; /* activations are what goes into the ReLUs */
    size_t width, classes;
    float *fc_weight;      /* (classes, width) */
    float *fc_bias;        /* (classes) */
    sbl_encoder_room *own; /* of sbl_encoder_prepare() */
};

/* From an image to the network's input and back: input = (rows x columns) image, normalised. */
typedef struct sbl_encoder_input {
    const sbl_encoder *encoder;
    sbl_volume image;
    float *rows;    /* (side, image.height) */
    float *columns; /* (side, image.width) */
} sbl_encoder_input;

sbl_status sbl_encoder_input_init(sbl_encoder_input *input, const sbl_encoder *encoder,
                                  sbl_volume image, sbl_encoder_fit fit, sbl_error *err);
void sbl_encoder_input_clear(sbl_encoder_input *input);
/* out (side, side, 3) of one image. */
void sbl_encoder_input_make(const sbl_encoder_input *input, float *out, const float *image);
/* d_image += the transpose of d_out. */
void sbl_encoder_input_back(const sbl_encoder_input *input, float *d_image, const float *d_out);

#endif
