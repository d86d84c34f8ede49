/* SPDX-License-Identifier: Apache-2.0 */
/* Records through a frozen encoder (public/features/encoder_choice.h), and the features of its activations. Records never
 * leave the CPU. */
#ifndef SBL_FEATURES_ENCODER_RECORDS_H
#define SBL_FEATURES_ENCODER_RECORDS_H

#include "public/features/encoder_choice.h"
#include "records/features/feature.h"

/* What one thread needs to add records: the encoder's workspace for a slice, and numbers of the
 * feature's own, the pixels of the slice first. Freed wiped (sbl_feature.workspace_free). */
typedef struct sbl_encoded_records {
    sbl_encoder_workspace *encoder;
    float *numbers;
    size_t count;
} sbl_encoded_records;
/* own: numbers beside the pixels. */
sbl_status sbl_encoded_records_new(void **workspace, const sbl_encoded *encoded, size_t own, sbl_error *err);
void sbl_encoded_records_free(void *workspace, const void *made);
/* The feature's own numbers. */
float *sbl_encoded_records_own(sbl_encoded_records *workspace, const sbl_encoded *encoded);
/* Runs the encoder on records. Returns the feature's own numbers. */
float *sbl_encoded_records_run(sbl_encoded_records *workspace, const sbl_encoded *encoded,
                               const sbl_records *records);
/* Once more, on the mirror images of those. */
void sbl_encoded_records_mirror(sbl_encoded_records *workspace, const sbl_encoded *encoded, size_t rows);

/* made: sbl_moments_feature */
extern const sbl_feature sbl_feature_moments, sbl_feature_signed_moments, sbl_feature_pooled_moments;
extern const sbl_feature sbl_feature_perceptual; /* made: sbl_perceptual */

#endif
