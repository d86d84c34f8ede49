/* SPDX-License-Identifier: Apache-2.0 */
/* A set of images in memory, and the floor of an evaluation that is made of it. NOT PRIVATE where they are real. */
#ifndef SBL_EVALUATE_IMAGE_DATA_H
#define SBL_EVALUATE_IMAGE_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "records/image/image_set.h"

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
/* Images of nothing: every number of every pixel drawn uniformly from 0 to 255; no labels.
 * Owner: the caller, sbl_image_floor_clear(), also after a failure */
sbl_status sbl_image_noise(sbl_image_data *noise, sbl_image_shape shape, size_t count, uint64_t seed,
                           sbl_error *err);
void sbl_image_floor_clear(sbl_image_data *floor);

#endif
