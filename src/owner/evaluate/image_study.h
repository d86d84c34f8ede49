/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic images against real ones: what models that learned from them are worth on real images,
 * a Frechet distance in the space of a named encoder, nearest real neighbours, and grids to look
 * at.
 *
 * NOT PRIVATE: all of it comes from real images, and some of it shows them. */
#ifndef SBL_EVALUATE_IMAGE_STUDY_H
#define SBL_EVALUATE_IMAGE_STUDY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "owner/evaluate/image_encoder.h"

#define SBL_IMAGE_MAX_NEIGHBOURS 20

typedef struct sbl_image_utility_options {
    uint64_t seed;                     /* of subsamples, orders and weights; public */
    size_t image_limit;                /* most training images, 0: 20,000; more are subsampled */
    size_t neighbours;                 /* synthetic images whose nearest real ones are shown; at most 20 */
    unsigned threads;                  /* 0: all */
    const char *models;                /* list of logistic, mlp, cnn; NULL: all; "none" */
    const sbl_image_encoder *encoder;  /* NULL: sbl_image_encoder_random() */
    const sbl_progress_span *progress; /* NULL: no listener */
} sbl_image_utility_options;

/* Is every name of the list a known model? It may be NULL.   Returns: SBL_OK, SBL_EARG */
sbl_status sbl_image_check_models(const char *list, sbl_error *err);

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
sbl_status sbl_evaluate_images(json_t **result, const sbl_image_data *synthetic, const sbl_image_data *train,
                               const sbl_image_data *test, const sbl_image_utility_options *options,
                               sbl_error *err);

/* ---- inside ---- */

/* What is compared with the test images. */
enum { SBL_SIDE_SYNTHETIC, SBL_SIDE_FLOOR, SBL_SIDE_REAL, SBL_SIDE_COUNT };

typedef struct sbl_image_side {
    const sbl_image_data *images; /* NULL: there is none */
    uint32_t *index;              /* (rows): the images to learn from */
    size_t rows;
} sbl_image_side;

typedef struct sbl_image_study {
    sbl_image_side sides[SBL_SIDE_COUNT];
    const sbl_image_data *test;
    const sbl_image_utility_options *options;
    size_t limit; /* of images to learn from */
    unsigned threads;
    sbl_progress_span progress; /* of the part that is being measured */
} sbl_image_study;

/* Learn from the `rows` images index[0] ..., which have labels, by owner/learners/network.h.
 * Out: scores (test->count, classes) */
sbl_status sbl_image_learn_cnn(double *scores, const sbl_image_data *train, const uint32_t *index,
                               size_t rows, const sbl_image_data *test, uint64_t seed,
                               const sbl_progress_span *progress, sbl_error *err);

/* The parts; each puts members into result, which is NULL from then on where there was no memory. One that s->progress stopped may say that all went well: its members are then
 * not whole. */
sbl_status sbl_image_score_models(json_t **result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_measure_frechet(json_t **result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_measure_closest(json_t **result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_draw_pictures(json_t **result, const sbl_image_study *s, sbl_error *err);

/* The `count` images of real nearest to one image, by the distance of pixels: index (count) and
 * distance (count), the root of the mean squared difference of pixels in [0,1]; nearest first, ties
 * by index. count is at most SBL_MAX_NEIGHBOURS and real->count. */
#define SBL_MAX_NEIGHBOURS 8
void sbl_image_nearest(uint32_t *index, double *distance, size_t count, const uint8_t *image,
                       const sbl_image_data *real);

#endif
