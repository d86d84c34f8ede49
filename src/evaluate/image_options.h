/* What an evaluation of images is asked for. */
#ifndef SBL_EVALUATE_IMAGE_OPTIONS_H
#define SBL_EVALUATE_IMAGE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "evaluate/image_encoder.h"

#define SBL_IMAGE_MAX_NEIGHBOURS 20

typedef struct sbl_image_utility_options {
    uint64_t seed;      /* of subsamples, orders and weights; public */
    size_t image_limit; /* most training images, 0: 20,000; more are subsampled */
    size_t neighbours;  /* synthetic images whose nearest real ones are shown; at most 20 */
    unsigned threads;   /* 0: all */
    const char *models; /* list of logistic, mlp, cnn; NULL: all; "none" */
    const sbl_image_encoder *encoder;  /* NULL: sbl_image_encoder_random() */
    const sbl_progress_span *progress; /* NULL: nobody */
} sbl_image_utility_options;

/* Is every name of the list a known model? It may be NULL.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_image_check_models(const char *list, sbl_error *err);

#endif
