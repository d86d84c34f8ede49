/* [7] Draw images from a generator.
 *
 * Image i of seed k is a pure function of the generator, k, i and the wanted class: its class and
 * latents come from a stream of its own, and networks run on whole runs of images that begin at
 * multiples of SBL_IMAGE_RUN, whatever part of them was asked for. Other instruction sets may round
 * a pixel to its neighbour. Batch normalisation uses its running statistics. */
#ifndef SBL_SAMPLE_IMAGE_SAMPLER_H
#define SBL_SAMPLE_IMAGE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/image_generator.h"
#include "sample/sampler.h" /* SBL_ANY_CLASS */

#define SBL_IMAGE_RUN 64

typedef struct sbl_image_sampler sbl_image_sampler;

/* The generator is borrowed until sbl_image_sampler_free. */
sbl_status sbl_image_sampler_new(sbl_image_sampler **sampler, sbl_image_generator *generator,
                                 uint64_t seed, sbl_error *err);
void sbl_image_sampler_free(sbl_image_sampler *sampler);

/* Images first .. first + count - 1. wanted: a class, or SBL_ANY_CLASS for the class shares.
 * Out: pixels (count, height, width, channels); labels (count), may be NULL. A wanted class of
 * share 0 is drawn all the same. Returns: SBL_OK, SBL_EARG */
sbl_status sbl_image_sampler_draw(sbl_image_sampler *sampler, uint8_t *pixels, uint32_t *labels,
                                  uint64_t first, size_t count, size_t wanted, sbl_error *err);

#endif
