/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan of mepf takes, and what plan and certificate say of it. */
#ifndef SBL_METHODS_MEPF_DESCRIBE_H
#define SBL_METHODS_MEPF_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "public/features/encoder_choice.h"
#include "run/methods/network_method.h"

/* The encoder of a round, whichever feature has it; NULL: none has. */
const sbl_encoded *sbl_mepf_encoded(const sbl_round *round);

/* The three below: run/methods/method.h has what they are asked for. The time of as many steps as the noise
 * allows, and the memory. */
sbl_status sbl_mepf_cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                         const sbl_synth_options *options, sbl_error *err);
void sbl_mepf_explain(sbl_text *words, json_t *object, const sbl_facts *facts, const sbl_round *first,
                      uint64_t n, const sbl_synth_options *options);
void sbl_mepf_assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first);

/* ---- which blocks mepf releases, by the words of its option `embedding` ---- */

typedef struct sbl_mepf_embedding {
    bool pixels, perceptual, hermite;
    size_t moments; /* 0, 1, 2 */
    bool signs;     /* of the moments: before the ReLUs */
} sbl_mepf_embedding;

/* "pixels+signed-moments" and the like. best: what that word stands for, in others.
 * Returns: SBL_OK; SBL_EARG: not known, twice, or nothing of what the network sees */
sbl_status sbl_mepf_embedding_read(sbl_mepf_embedding *embedding, const char *text, const char *best,
                                   sbl_error *err);

#endif
