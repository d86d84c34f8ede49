/* The floor of an evaluation of images. NOT PRIVATE: made from real images. */
#ifndef SBL_EVALUATE_IMAGE_FLOOR_H
#define SBL_EVALUATE_IMAGE_FLOOR_H

#include "base/status.h"
#include "evaluate/image_data.h"

/* What images are that know each pixel of a class and nothing else: as many images as index names,
 * with their labels, every number of every pixel copied from an image of the same class that is
 * drawn anew for it. Owner: the caller, sbl_image_floor_clear() */
sbl_status sbl_image_floor(sbl_image_data *floor, const sbl_image_data *real, const uint32_t *index,
                           size_t rows, uint64_t seed, sbl_error *err);
void sbl_image_floor_clear(sbl_image_data *floor);

#endif
