/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of mepf, from public facts alone: channels, size and classes of the images, about how many there
 * are, and how large the noise is. This is the only place for these numbers; how they were chosen:
 * docs/mechanisms/mepf.md. */
#ifndef SBL_METHODS_MEPF_DEFAULTS_H
#define SBL_METHODS_MEPF_DEFAULTS_H

#include "public/features/encoder_choice.h"
#include "records/features/features.h"
#include "run/methods/network_method.h"

typedef struct sbl_mepf_defaults {
    const char *embedding;     /* what "best" stands for */
    sbl_encoded_layers layers; /* whose moments are taken */
    size_t enlarged;           /* these three: public/features/encoder_choice.h */
    double noise;
    bool alike, mirrored;
    bool early_stopping;
} sbl_mepf_defaults;

/* options: epsilon, delta, neighbours and expected_rows; 0 of these: 10000. */
sbl_mepf_defaults sbl_mepf_defaults_of(const sbl_facts *facts, const sbl_synth_options *options);

/* Cells of a class that noise of this size leaves (docs/mechanisms/mepf.md#cells); 1: classes are not divided. options:
 * replace-one, and expected_rows, which is not 0; blocks: how many a release by cells has, each with this number of features;
 * share: its part of mu^2. */
size_t sbl_mepf_cells_of_noise(const sbl_facts *facts, const sbl_synth_options *options, size_t blocks,
                               size_t features, double share);

/* How the generator is trained towards these features. options: which one it is. */
sbl_generate_rule sbl_mepf_rule(const sbl_facts *facts, const sbl_features *features,
                                const sbl_synth_options *options);

#endif
