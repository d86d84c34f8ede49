/* A set of images in memory, and what models of images are fed. NOT PRIVATE where they are real. */
#ifndef SBL_EVALUATE_IMAGE_DATA_H
#define SBL_EVALUATE_IMAGE_DATA_H

#include "evaluate/learner.h"
#include "image/image_set.h"

/* Borrowed. */
typedef struct sbl_image_data {
    sbl_image_shape shape;
    size_t count;
    size_t classes;         /* 0: no labels */
    const uint8_t *pixels;  /* (count, height, width, channels) */
    const uint32_t *labels; /* (count), below classes; NULL without */
} sbl_image_data;

/* `count` of the images, drawn by the seed without replacement, in their order; count is at most
 * images->count. index (count). */
void sbl_image_choose(uint32_t *index, size_t count, const sbl_image_data *images, uint64_t seed);

/* out (count, size): pixels in [0,1] of images index[0] ..., or first ... where index is NULL. */
void sbl_image_floats(float *out, const sbl_image_data *images, const uint32_t *index, size_t first,
                      size_t count);

/* What images are that know each pixel of a class and nothing else: as many images as index names,
 * with their labels, every number of every pixel copied from an image of the same class that is
 * drawn anew for it. Owner: the caller, sbl_image_floor_clear() */
sbl_status sbl_image_floor(sbl_image_data *floor, const sbl_image_data *real, const uint32_t *index,
                           size_t rows, uint64_t seed, sbl_error *err);
void sbl_image_floor_clear(sbl_image_data *floor);

/* A small convolutional network: two blocks of 3 x 3 convolution, batch normalisation, ReLU and
 * 2 x 2 maximum, then a dense layer; Adam on batches of 100 with softmax cross-entropy, about 1000
 * steps (3 to 50 passes) under cosine decay.
 *
 * Out: scores (test->count, classes): log probabilities up to a constant
 * In:  train  learns from the `rows` images index[0] ..., which are labelled */
sbl_status sbl_image_learn_cnn(double *scores, const sbl_image_data *train, const uint32_t *index,
                               size_t rows, const sbl_image_data *test, uint64_t seed,
                               sbl_error *err);

/* A map from images to feature vectors, with the name that its distances carry. */
typedef struct sbl_image_encoder {
    const char *name;
    size_t width;
    void *state;
    /* features (count, width) of images (count, size) with pixels in [0,1]; count is at most
     * SBL_IMAGE_ENCODE_ROWS. */
    sbl_status (*encode)(void *state, float *features, const float *images, size_t count,
                         sbl_error *err);
    void (*free)(void *state);
} sbl_image_encoder;

#define SBL_IMAGE_ENCODE_ROWS ((size_t)100)

/* Three 3 x 3 convolutions of stride 2 with random weights of a fixed seed and leaky ReLU between
 * them, averaged over the four quarters of the image: 128 features that know nothing of any data
 * set (random embeddings, Naeem et al. 2020).
 * Owner of both kinds: the caller, encoder->free(encoder->state). */
sbl_status sbl_image_encoder_random(sbl_image_encoder *encoder, sbl_image_shape shape,
                                    sbl_error *err);

/* A frozen network from a file (encoder/encoder.h), named after it. */
sbl_status sbl_image_encoder_file(sbl_image_encoder *encoder, const char *path,
                                  sbl_image_shape shape, sbl_error *err);

/* features (count, width) of `count` of the images, drawn by the seed; count is at most what there
 * are. */
sbl_status sbl_image_encode_some(float *features, const sbl_image_encoder *encoder,
                                 const sbl_image_data *images, size_t count, uint64_t seed,
                                 sbl_error *err);

/* The Frechet distance (image_frechet.h) between the features of `count` images of each set, drawn
 * by the seed; 2 <= count <= what each has. */
sbl_status sbl_image_frechet(double *distance, const sbl_image_encoder *encoder,
                             const sbl_image_data *first, const sbl_image_data *second,
                             size_t count, uint64_t seed, sbl_error *err);

#endif
