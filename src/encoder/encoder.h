/* A frozen public feature extractor: a convolutional classifier whose averaged last activations are
 * the features of an image. Trained by somebody on public data; nothing here learns.
 *
 * Read from a safetensors file that describes itself in its metadata (docs/FORMATS.md):
 *     vgg     convolutions with ReLU and 2 x 2 maxima in the order of "layers"
 *     resnet  "stem", then blocks relu(conv2(relu(conv1(x))) + skip(x)), where a block with a skip
 *             convolution of its own has stride 2 (He et al. 2016)
 * both with batch normalisation folded into the convolutions, then the mean over all pixels (the
 * features) and the dense layer "fc" (the logits). */
#ifndef SBL_MODEL_ENCODER_H
#define SBL_MODEL_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "nn/net.h"

/* Images of any size are resampled to this side: bilinear, averaging where they shrink. */
#define SBL_ENCODER_SIDE ((size_t)32)

typedef struct sbl_encoder sbl_encoder;

/* Returns: SBL_OK; SBL_EINPUT: no such file, an architecture that is not known, shapes that do not
 *          fit together, weights that are not finite; SBL_EIO, SBL_EMEM
 * Owner:   the caller, sbl_encoder_free() */
sbl_status sbl_encoder_load(sbl_encoder **encoder, const char *path, sbl_error *err);
/* The part of loading without the file (fuzzed). */
sbl_status sbl_encoder_decode(sbl_encoder **encoder, const uint8_t *bytes, size_t size,
                              const char *path, sbl_error *err);
void sbl_encoder_free(sbl_encoder *encoder);

/* The file's name without folder and ending, and the beginning of its SHA-256: what results carry.
 */
const char *sbl_encoder_name(const sbl_encoder *encoder);
size_t sbl_encoder_width(const sbl_encoder *encoder);
/* 0: there is no "fc". */
size_t sbl_encoder_classes(const sbl_encoder *encoder);

/* Make room for batches of up to `rows` images of a shape: grey or RGB, sides 1 to 128. */
sbl_status sbl_encoder_prepare(sbl_encoder *encoder, sbl_volume image, size_t rows, sbl_error *err);

/* images (rows, image volume), pixels in [0,1]; grey is repeated in all three channels.
 * Out: features (rows, width); logits (rows, classes), may be NULL */
void sbl_encoder_run(sbl_encoder *encoder, float *features, float *logits, const float *images,
                     size_t rows);

#endif
