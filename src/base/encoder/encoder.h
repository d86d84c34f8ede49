/* SPDX-License-Identifier: Apache-2.0 */
/* A frozen public feature extractor: a convolutional network trained on public data, whose activations
 * describe an image. Nothing here learns; gradients pass through it to the image.
 *
 * Read from a safetensors file (docs/FORMATS.md), which names its tensors in one of these ways:
 *     vgg          convolutions with ReLU and 2 x 2 maxima in the order of metadata "layers"
 *     resnet       "stem", then blocks relu(conv2(relu(conv1(x))) + skip(x)), where a block with a
 *                  skip convolution of its own has stride 2 (He et al. 2016)
 *     torchvision  its own names of VGG 11 to 19 and ResNet 18 and 34, as downloaded: batch norm is
 *                  folded into the convolutions here, with the mean and deviation of ImageNet
 *     squeezenet   1.1: a fire module's two expansions are one convolution (Iandola et al. 2016)
 * Every ReLU's output is an activation, in the order of computation; or its input, where signs are
 * wanted. */
#ifndef SBL_ENCODER_ENCODER_H
#define SBL_ENCODER_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/nn/net.h"

/* The usual side of the input; a network of convolutions takes any. */
#define SBL_ENCODER_SIDE ((size_t)32)
#define SBL_ENCODER_LEAST_SIDE ((size_t)16)
#define SBL_ENCODER_MOST_SIDE ((size_t)256)
#define SBL_ENCODER_NAME_SIZE 96
#define SBL_ENCODER_MAX_ACTIVATIONS 151 /* those of ResNet 152; a file with more is refused */

/* The name of the built-in encoder, used instead of a path. */
#define SBL_ENCODER_BUILT_IN "vgg-s"

typedef struct sbl_encoder sbl_encoder;

/* path: of a file, or SBL_ENCODER_BUILT_IN. side: of the network's input, SBL_ENCODER_LEAST_SIDE to SBL_ENCODER_MOST_SIDE.
 * Returns: SBL_OK; SBL_EINPUT: no such file, an architecture that is not known, shapes that do not
 *          fit together, weights that are not finite; SBL_EARG: side; SBL_EIO, SBL_EMEM
 * Owner:   the caller, sbl_encoder_free() */
sbl_status sbl_encoder_load(sbl_encoder **encoder, const char *path, size_t side, sbl_error *err);
/* The part of loading without the file (fuzzed). */
sbl_status sbl_encoder_decode(sbl_encoder **encoder, const uint8_t *bytes, size_t size, const char *path,
                              size_t side, sbl_error *err);
/* The one that is part of the library: vgg-s, six convolutions, trained on CIFAR-10. */
sbl_status sbl_encoder_built_in(sbl_encoder **encoder, size_t side, sbl_error *err);
/* Is it the one of this SHA-256? found: the answer. */
sbl_status sbl_encoder_is_built_in(bool *found, const char *hash, sbl_error *err);
void sbl_encoder_free(sbl_encoder *encoder);

/* The file's name without folder and ending, and the beginning of its SHA-256: what results carry.
 */
const char *sbl_encoder_name(const sbl_encoder *encoder);
/* SHA-256 of the file, 64 hexadecimal digits. */
const char *sbl_encoder_hash(const sbl_encoder *encoder);
/* What the file says of the data that it was trained on (its metadata "trained_on"), printable;
 * "not stated" where it says nothing. */
const char *sbl_encoder_origin(const sbl_encoder *encoder);
/* Was it, by that, trained on the data set that these words name: a title, or the names of files? The
 * set's name; NULL: not that anybody says. called: may be NULL. */
const char *sbl_encoder_saw(const sbl_encoder *encoder, const char *called);
/* "vgg", "resnet", "torchvision vgg", ... */
const char *sbl_encoder_family(const sbl_encoder *encoder);
/* Channels of the last volume: the features that evaluate uses are their means over all pixels. */
size_t sbl_encoder_width(const sbl_encoder *encoder);
/* Multiplications of one image's way through it. */
double sbl_encoder_products(const sbl_encoder *encoder);
size_t sbl_encoder_weights(const sbl_encoder *encoder);

typedef struct sbl_encoder_activation {
    char name[64];     /* of the layer: "conv1", "layer2.0" */
    sbl_volume volume; /* of an image */
    size_t stage, layer;
} sbl_encoder_activation;

/* From now on nothing behind activation i (from 0) is computed: its numbers and those before it stay what they
 * are, to the bit, and later ones are not there to be taken. Before a workspace is made. */
void sbl_encoder_end_at(sbl_encoder *encoder, size_t i);
/* From now on activations are the inputs of the ReLUs, with their signs, instead of the outputs.
 * Call this before making a workspace. */
void sbl_encoder_take_signed(sbl_encoder *encoder);

size_t sbl_encoder_activation_count(const sbl_encoder *encoder);
const sbl_encoder_activation *sbl_encoder_activation_at(const sbl_encoder *encoder, size_t i);

/* ---- batches of images ---- */

/* How an image becomes the input; grey is repeated in all three channels. */
typedef enum sbl_encoder_fit {
    SBL_ENCODER_RESIZE, /* resampled: bilinear, averaging where it shrinks */
    SBL_ENCODER_PAD     /* in the middle of black; resized where it is larger than the input */
} sbl_encoder_fit;

/* Room for batches, one per thread that runs the encoder, which is shared and must outlive it.
 * Privacy: holds records where images are; wiped when freed. */
typedef struct sbl_encoder_workspace sbl_encoder_workspace;

/* image: grey or RGB, sides 1 to 1024. backward: sbl_encoder_backward() will be called. */
sbl_status sbl_encoder_workspace_new(sbl_encoder_workspace **workspace, const sbl_encoder *encoder,
                                     sbl_volume image, sbl_encoder_fit fit, size_t rows, bool backward,
                                     sbl_error *err);
/* The same on a backend, which must outlive it: images, activations and gradients are its tensors.
 * mirror: of each run of a forward pass every second image, from the second on, enters as its mirror image,
 * left to right. */
sbl_status sbl_encoder_workspace_new_on(sbl_encoder_workspace **workspace, const sbl_encoder *encoder,
                                        sbl_volume image, sbl_encoder_fit fit, bool mirror, size_t rows,
                                        bool backward, const sbl_backend *on, sbl_error *err);
void sbl_encoder_workspace_free(sbl_encoder_workspace *workspace);

/* images (rows, image volume), pixels in [0,1]; rows at most those of the workspace, or fewer. An
 * image's activations depend on that image alone, to the bit. */
void sbl_encoder_forward(sbl_encoder_workspace *workspace, const float *images, size_t rows);
/* The same of the images of these runs, one behind the other; the runs stay until the way back is done. */
void sbl_encoder_forward_runs(sbl_encoder_workspace *workspace, const float *images, const sbl_row_run *runs,
                              size_t run_count);
/* (rows, volume of the activation), until the next forward. */
const float *sbl_encoder_activation_values(const sbl_encoder_workspace *workspace, size_t i);
/* d_images, which has the rows of the forward pass where its images had them, += the gradient of a loss
 * whose gradient in activation i is d_activations[i] (rows, volume); NULL: zeros. At most once per
 * forward. */
void sbl_encoder_backward(sbl_encoder_workspace *workspace, float *d_images,
                          const float *const *d_activations);
/* Bytes of such a workspace, about. */
double sbl_encoder_workspace_bytes(const sbl_encoder *encoder, size_t rows, bool backward);

/* ---- features of an evaluation ---- */

/* Make a workspace for batches of up to `rows` images of a shape, resized. */
sbl_status sbl_encoder_prepare(sbl_encoder *encoder, sbl_volume image, size_t rows, sbl_error *err);
/* images (rows, image volume), pixels in [0,1].
 * Out: features (rows, width); logits (rows, classes), may be NULL */
void sbl_encoder_run(sbl_encoder *encoder, float *features, float *logits, const float *images, size_t rows);

#endif
