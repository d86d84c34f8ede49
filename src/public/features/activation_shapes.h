/* SPDX-License-Identifier: Apache-2.0 */
/* What features of activations are made of (records/features/activation_moments.c, records/features/perceptual.c): the
 * encoder, its layers, their sizes and frequencies, from the parameters of a plan. */
#ifndef SBL_FEATURES_ACTIVATION_SHAPES_H
#define SBL_FEATURES_ACTIVATION_SHAPES_H

#include "public/features/encoder_choice.h"
#include "public/features/orthogonal_frequencies.h"

#define SBL_MOMENTS "moments"
#define SBL_SIGNED_MOMENTS "signed-moments"
#define SBL_POOLED_MOMENTS "pooled-moments"
#define SBL_PERCEPTUAL "perceptual-rff"

typedef struct sbl_moments_feature {
    sbl_encoded encoded;
    size_t width; /* D */
    size_t count; /* 1: phi1; 2: phi1 and phi2 */
    bool pooled;  /* one sum over all records, whatever their class */
} sbl_moments_feature;

/* NULL when out of memory. */
json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count);

/* As of sbl_feature: made is an sbl_moments_feature. */
sbl_status sbl_moments_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err);
sbl_status sbl_signed_moments_make(void **made, const sbl_facts *facts, const json_t *parameters,
                                   sbl_error *err);
sbl_status sbl_pooled_moments_make(void **made, const sbl_facts *facts, const json_t *parameters,
                                   sbl_error *err);
void sbl_moments_free(void *made);

typedef struct sbl_perceptual {
    sbl_encoded encoded;
    sbl_volume volumes[SBL_ENCODED_MOST_LAYERS]; /* of the activations that are taken */
    size_t width;                                /* P */
    sbl_orthogonal frequencies;
} sbl_perceptual;

/* scales are absolute; features even. NULL when out of memory. */
json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features, const double *scales,
                                  size_t scale_count, uint64_t seed);

/* As of sbl_feature: made is an sbl_perceptual. */
sbl_status sbl_perceptual_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err);
void sbl_perceptual_free(void *made);

/* Where the images that the workspace last ran have their points. values: room for SBL_ENCODED_MOST_LAYERS. */
sbl_points_job sbl_perceptual_points(const sbl_perceptual *made, const float **values,
                                     const sbl_encoder_workspace *workspace, size_t rows);

#endif
