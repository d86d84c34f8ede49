/* The inside of an evaluation of images: what its parts share. */
#ifndef SBL_EVALUATE_IMAGE_STUDY_H
#define SBL_EVALUATE_IMAGE_STUDY_H

#include <jansson.h>

#include "evaluate/image_options.h"

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

sbl_status sbl_image_fail_memory(sbl_error *err);
/* These take value; NULL is a failure of the allocator. */
sbl_status sbl_image_set(json_t *object, const char *name, json_t *value, sbl_error *err);
sbl_status sbl_image_append(json_t *array, json_t *value, sbl_error *err);
/* TRIPLE of one number per side; NaN becomes null. */
json_t *sbl_image_triple(const double values[SBL_SIDE_COUNT]);

/* Learn from the `rows` images index[0] ..., which have labels, by learners/cnn.h.
 * Out: scores (test->count, classes) */
sbl_status sbl_image_learn_cnn(double *scores, const sbl_image_data *train, const uint32_t *index,
                               size_t rows, const sbl_image_data *test, uint64_t seed,
                               const sbl_progress_span *progress, sbl_error *err);

/* The parts; each sets members of result. One that s->progress stopped may say that all went well: its members are then
 * not whole. */
sbl_status sbl_image_score_models(json_t *result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_measure_frechet(json_t *result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_measure_closest(json_t *result, const sbl_image_study *s, sbl_error *err);
sbl_status sbl_image_draw_pictures(json_t *result, const sbl_image_study *s, sbl_error *err);

#endif
