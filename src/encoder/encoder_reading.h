/* A safetensors file on its way to become an encoder: layers are planned one by one, then a stage is
 * made of them and filled with the file's tensors. Everything in the file is checked before it is
 * used. */
#ifndef SBL_ENCODER_ENCODER_READING_H
#define SBL_ENCODER_ENCODER_READING_H

#include "encoder/encoder_parts.h"
#include "tensors/tensor_file.h"

#define SBL_READING_MAX_LAYERS 96
#define SBL_READING_NAME_SIZE 64

/* A layer that is planned. Of a convolution: which tensors fill it. */
typedef struct sbl_reading_layer {
    sbl_layer ask;
    char tensor[SBL_READING_NAME_SIZE]; /* NAME of NAME.weight and NAME.bias; "": no convolution */
    char norm[SBL_READING_NAME_SIZE]; /* a batch norm to be folded in; "": none, a bias is needed */
    char
        centre[SBL_READING_NAME_SIZE]; /* a 1 x 1 convolution of the same inputs, whose outputs come
                                         * before, as taps at the centre; "": none */
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
const sbl_foreign_tensor *sbl_reading_find(const sbl_reading *r, const char *name,
                                           const char *part);

/* ---- plan the layers of the next stage; refused where there is no room or no such tensor ---- */
sbl_status sbl_reading_convolution(sbl_reading *r, const char *tensor, const char *norm,
                                   size_t stride, size_t padding, sbl_error *err);
/* padding as wide as leaves the size */
sbl_status sbl_reading_same(sbl_reading *r, const char *tensor, const char *norm, size_t stride,
                            sbl_error *err);
sbl_status sbl_reading_relu(sbl_reading *r, const char *activation, sbl_error *err);
sbl_status sbl_reading_pool(sbl_reading *r, size_t kernel, size_t stride, size_t padding,
                            sbl_error *err);

/* The next stage: the planned layers, none of which is planned then. */
sbl_status sbl_reading_stage(sbl_reading *r, sbl_error *err);
/* A residual one. skip: the name of a convolution of this stride, "": none. The sum is an activation
 * of this name. */
sbl_status sbl_reading_residual(sbl_reading *r, const char *name, const char *skip,
                                const char *skip_norm, size_t stride, sbl_error *err);

/* A dense layer of the pixel means: logits. Nothing where it is not there. */
sbl_status sbl_reading_head(sbl_reading *r, const char *name, sbl_error *err);

/* ---- families: each reads all stages ---- */
sbl_status sbl_reading_torchvision_vgg(sbl_reading *r, sbl_error *err);
sbl_status sbl_reading_torchvision_resnet(sbl_reading *r, sbl_error *err);
sbl_status sbl_reading_squeezenet(sbl_reading *r, sbl_error *err);

#endif
