/* Synthetic images against real ones: what models that learned from them are worth on real images,
 * a Frechet distance in the space of a named encoder, nearest real neighbours, and grids to look
 * at.
 *
 * NOT PRIVATE: all of it comes from real images, and some of it shows them. */
#ifndef SBL_EVALUATE_IMAGE_UTILITY_H
#define SBL_EVALUATE_IMAGE_UTILITY_H

#include <jansson.h>

#include "evaluate/image_data.h"
#include "evaluate/image_options.h"

/* The "images" object of the evaluation document (docs/FORMATS.md): shape, classes, rows, scores,
 * missing, chance, frechet, closest, neighbours, grids. Of every TRIPLE
 *     synthetic  is learned from (or measured on) the synthetic images,
 *     floor      on images of independent pixels (sbl_image_floor) made from train,
 *     ceiling    on train itself.
 * Neighbours are sought in train, or in test where there is none.
 *
 * In:      train  may be NULL: floors and ceilings are then null
 * Returns: SBL_OK; SBL_EINPUT: different shapes or numbers of classes, no images; SBL_EARG,
 *          SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_evaluate_images(json_t **result, const sbl_image_data *synthetic,
                               const sbl_image_data *train, const sbl_image_data *test,
                               const sbl_image_utility_options *options, sbl_error *err);

#endif
