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

/* How the generator is trained towards these features. options: which one it is. */
sbl_generate_rule sbl_mepf_rule(const sbl_facts *facts, const sbl_features *features,
                                const sbl_synth_options *options);

#endif
