/* SPDX-License-Identifier: Apache-2.0 */
/* Image sets against each other: the whole evaluation as one JSON document of kind "images".
 *
 * NOT PRIVATE: every number is computed from real images, and the document shows some. Knows of no
 * ledger. */
#ifndef SBL_EVALUATE_IMAGE_EVALUATE_H
#define SBL_EVALUATE_IMAGE_EVALUATE_H

#include <jansson.h>

#include "owner/evaluate/image_load.h"

typedef struct sbl_image_request {
    sbl_image_place real; /* a holdout: images that were not fitted */
    sbl_image_place synthetic;
    sbl_image_place train;    /* the fitted images; images NULL: none, and real is halved: models
                                 and floors come from one half, everything is tested on the other */
    const char *models;       /* list of logistic, mlp, cnn; NULL: all; "none" */
    const char *encoder_path; /* of the Frechet distance, or vgg-s; NULL: the random network */
    uint64_t seed;
    unsigned threads; /* 0: all */
    /* As of sbl_evaluate_request. */
    int (*progress)(void *context, const char *what, uint64_t step, uint64_t steps, double loss);
    void *context;
} sbl_image_request;

/* Out:     document  owned by the caller (json_decref); holds no NaN or infinity. Its text is
 *                    sbl_evaluation_text()
 * Returns: SBL_OK; SBL_EARG: options; SBL_EINPUT: a file that is not an image set or encoder, no
 *          images, sets that differ in shape, classes or whether they have labels, one class only
 *          though models are wanted; SBL_EIO, SBL_EMEM, SBL_ESTOPPED */
sbl_status sbl_evaluate_image_files(json_t **document, const sbl_image_request *request, sbl_error *err);

#endif
