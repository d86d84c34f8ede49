/* A generator network trained towards the features of a release: what merf does, and every method
 * whose model is a network. */
#ifndef SBL_METHODS_GENERATE_H
#define SBL_METHODS_GENERATE_H

#include "methods/method.h"

/* fit and check of a method (methods/method.h) of one round: every feature of the plan that has a
 * loss is trained against. */
sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                            size_t count, const sbl_synth_options *options, sbl_error *err);
sbl_status sbl_generate_check(const sbl_facts *facts, const sbl_round *first,
                              const sbl_synth_options *options, sbl_error *err);

#endif
