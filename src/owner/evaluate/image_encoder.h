/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from images to feature vectors: the spaces in which distances between sets of images are measured. */
#ifndef SBL_EVALUATE_IMAGE_ENCODER_H
#define SBL_EVALUATE_IMAGE_ENCODER_H

#include <stddef.h>

#include "base/error.h"
#include "base/progress.h"
#include "owner/evaluate/image_data.h"

/* A map from images to feature vectors, with the name that its distances carry. */
typedef struct sbl_image_encoder {
    const char *name;
    const char *hash;   /* SHA-256 of its file, 64 hexadecimal digits; NULL: it has none */
    const char *origin; /* what its file says it was trained on; NULL: nothing */
    size_t side;        /* of its input, to which images are resampled; 0: as they are */
    size_t width;
    size_t rows; /* images at a time, at most */
    void *state;
    /* features (count, width) of images (count, size) with pixels in [0,1]; count is at most
     * rows. */
    sbl_status (*encode)(void *state, float *features, const float *images, size_t count, sbl_error *err);
    void (*free)(void *state);
} sbl_image_encoder;

/* Three 3 x 3 convolutions of stride 2 with random weights of a fixed seed and leaky ReLU between
 * them, averaged over the four quarters of the image: 128 features that know nothing of any data
 * set (random embeddings, Naeem et al. 2020).
 * Owner of both kinds: the caller, encoder->free(encoder->state). */
sbl_status sbl_image_encoder_random(sbl_image_encoder *encoder, sbl_image_shape shape, sbl_error *err);

/* A frozen network from a file (base/encoder/encoder.h), named after it, or the one that is built in. Its input has a side of 32,
 * or that of larger images. */
sbl_status sbl_image_encoder_file(sbl_image_encoder *encoder, const char *path, sbl_image_shape shape,
                                  sbl_error *err);

/* features (count, width) of `count` of the images, drawn by the seed; count is at most what there
 * are. progress may be NULL.   Returns: SBL_OK, SBL_EMEM, SBL_ESTOPPED, and what the encoder fails with */
sbl_status sbl_image_encode_some(float *features, const sbl_image_encoder *encoder,
                                 const sbl_image_data *images, size_t count, uint64_t seed,
                                 const sbl_progress_span *progress, sbl_error *err);

#endif
