/* Pictures for a report: grids of images as PNG files in base64, and which real images are nearest
 * to synthetic ones.
 *
 * NOT PRIVATE: a grid of real images shows records as they are. */
#ifndef SBL_EVALUATE_IMAGE_PICTURES_H
#define SBL_EVALUATE_IMAGE_PICTURES_H

#include <jansson.h>

#include "evaluate/image_data.h"

/* One place of a grid. */
typedef struct sbl_picture {
    const sbl_image_data *from; /* NULL: empty */
    size_t index;
} sbl_picture;

/* {"caption": ..., "png_base64": ...} of places (rows, columns), all of images of one shape.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_picture_grid(json_t **grid, const char *caption, const sbl_picture *places,
                            size_t rows, size_t columns, sbl_image_shape shape, sbl_error *err);

/* The first images of every class, one row per class; of a set without labels, the first ones. */
#define SBL_PICTURE_COLUMNS 10
#define SBL_PICTURE_ROWS 20 /* at most: further classes are left out */
sbl_status sbl_picture_classes(json_t **grid, const char *caption, const sbl_image_data *images,
                               sbl_error *err);

/* The `count` images of real nearest to one image, by the distance of pixels: index (count) and
 * distance (count), the root of the mean squared difference of pixels in [0,1]; nearest first, ties
 * by index. count is at most SBL_MAX_NEIGHBOURS and real->count. */
#define SBL_MAX_NEIGHBOURS 8
void sbl_image_nearest(uint32_t *index, double *distance, size_t count, const uint8_t *image,
                       const sbl_image_data *real);

#endif
