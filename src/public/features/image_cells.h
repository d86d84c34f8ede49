/* SPDX-License-Identifier: Apache-2.0 */
/* Cells inside the classes of images (docs/mechanisms/mepf.md#cells): which of the K cells of its class an image falls
 * into. An image's point in a frozen encoder's space (as of `perceptual`) is projected onto a few directions, and its
 * cell is the one whose centre is nearest. Directions and centres come from generated images, so they are public, and the
 * plan holds them:
 *     "cells":{"centres":HEX, "dimensions":32, "number":K, "projection":HEX, "space":{an encoder's four members}}
 * centres: float32 (C, K, dimensions), little endian; projection: int8 (dimensions, P). */
#ifndef SBL_FEATURES_IMAGE_CELLS_H
#define SBL_FEATURES_IMAGE_CELLS_H

#include "public/features/activation_shapes.h"

#define SBL_CELLS_SETTING "cells"
#define SBL_CELLS_DIMENSIONS 32
#define SBL_CELLS_MOST 256 /* of a class */

typedef struct sbl_image_cells {
    sbl_perceptual space; /* without frequencies */
    size_t classes, number, dimensions;
    int8_t *projection; /* (dimensions, P) */
    float *centres;     /* (classes, number, dimensions) */
} sbl_image_cells;

/* Cells without directions or centres yet: zeros. encoded: its encoder is taken, also on failure.
 * Returns: SBL_OK; SBL_EARG: number; SBL_EMEM */
sbl_status sbl_image_cells_new(sbl_image_cells **cells, const sbl_facts *facts, sbl_encoded *encoded,
                               size_t number, sbl_error *err);
/* Those of a plan's settings; NULL where it has none.   Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_image_cells_read(sbl_image_cells **cells, const sbl_facts *facts, const json_t *settings,
                                sbl_error *err);
void sbl_image_cells_free(sbl_image_cells *cells); /* NULL is fine */
/* As the plan's setting; NULL when out of memory. */
json_t *sbl_image_cells_to_json(const sbl_image_cells *cells);

/* Their number by the settings of a plan; 1 where it has none. */
size_t sbl_image_cells_number(const json_t *settings);

/* place (dimensions): of an image with this point (P). */
void sbl_image_cells_project(float *place, const sbl_image_cells *cells, const float *point);
/* The nearest of the class's centres, the first of equally near ones. */
size_t sbl_image_cells_nearest(const sbl_image_cells *cells, const float *place, size_t class);

#endif
