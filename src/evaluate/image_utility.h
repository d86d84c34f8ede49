/* Synthetic images against real ones: what models that learned from them are worth on real images,
 * a Frechet distance in the space of a named encoder, nearest real neighbours, and grids to look
 * at.
 *
 * NOT PRIVATE: all of it comes from real images, and some of it shows them. */
#ifndef SBL_EVALUATE_IMAGE_UTILITY_H
#define SBL_EVALUATE_IMAGE_UTILITY_H

#include <jansson.h>

#include "evaluate/image_data.h"

typedef struct sbl_image_utility_options {
    uint64_t seed;      /* of subsamples, orders and weights; public */
    size_t image_limit; /* most training images, 0: 20,000; more are subsampled */
    size_t neighbours;  /* synthetic images whose nearest real ones are sought; at most
                           20 */
    unsigned threads;   /* 0: all */
    const char *models; /* list of logistic, mlp, cnn; NULL: all */
    const sbl_image_encoder *encoder; /* NULL: sbl_image_encoder_random() */
} sbl_image_utility_options;

/* Is every name of the list a known model? It may be NULL.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_image_check_models(const char *list, sbl_error *err);

/* The "images" object of the evaluation document:
 *     {"shape": [height, width, channels], "classes": n,
 *      "rows": {"limit": n, "test": n, "synthetic": {"used": n, "of": n}, "real": {...} | null},
 *      "scores": [{"name": "accuracy of ...", "value": TRIPLE, "why": words where one is null}],
 *      "missing": [...], "frechet": {"encoder": name, "images": n on each side, "distance":
 * TRIPLE}, "neighbours": [{"synthetic": index, "real": [index, ...], "distance": [...]}], "grids":
 * [{"caption", "png_base64"}]} Floor of an accuracy: always the most frequent class of the test
 * images. Neighbours are sought among train where it is given, else in test. In:      train  may be
 * NULL: ceilings are then null Returns: SBL_OK; SBL_EINPUT: different shapes or numbers of classes,
 * no images; SBL_EARG, SBL_EMEM
 */
sbl_status sbl_evaluate_images(json_t **result, const sbl_image_data *synthetic,
                               const sbl_image_data *train, const sbl_image_data *test,
                               const sbl_image_utility_options *options, sbl_error *err);

#endif
