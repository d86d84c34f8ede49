/* What a plan of mepf takes, and what plan and certificate say of it. */
#ifndef SBL_METHODS_MEPF_DESCRIBE_H
#define SBL_METHODS_MEPF_DESCRIBE_H

#include "records/features/encoder_features.h"
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

#endif
