/* The inside of an encoder, shared by its reader and its use. */
#ifndef SBL_MODEL_ENCODER_PARTS_H
#define SBL_MODEL_ENCODER_PARTS_H

#include <stdbool.h>

#include "encoder/encoder.h"

#define SBL_ENCODER_CHANNELS ((size_t)3)
#define SBL_ENCODER_MAX_STAGES 33
#define SBL_ENCODER_NAME_SIZE 96

/* y = net(x), or relu(net(x) + skip(x)) where residual; a skip without layers is x itself. */
typedef struct sbl_encoder_stage {
    bool residual, has_skip;
    sbl_net net, skip;
    sbl_net_room room, skip_work;
} sbl_encoder_stage;

struct sbl_encoder {
    char name[SBL_ENCODER_NAME_SIZE];
    float mean[SBL_ENCODER_CHANNELS], deviation[SBL_ENCODER_CHANNELS];
    sbl_encoder_stage stages[SBL_ENCODER_MAX_STAGES];
    size_t stage_count;
    size_t width, classes;
    float *fc_weight; /* (classes, width) */
    float *fc_bias;   /* (classes) */
    /* Set by prepare. */
    sbl_volume image;
    size_t rows;
    float *resample_rows;    /* (side, image.height) */
    float *resample_columns; /* (side, image.width) */
    float *input;            /* (rows, side, side, 3) */
    size_t sum_size;         /* of the largest residual output */
    float *sums;             /* (2, rows, sum_size) */
};

#endif
