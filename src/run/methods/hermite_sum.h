/* SPDX-License-Identifier: Apache-2.0 */
/* The sum kernel of hp as a block of any plan: Hermite features of every number by itself, by the
 * options lengths, order and sensitivity (docs/mechanisms/hp.md). */
#ifndef SBL_METHODS_HERMITE_SUM_H
#define SBL_METHODS_HERMITE_SUM_H

#include "base/error.h"
#include "base/json.h"
#include "public/plan/facts.h"
#include "semblance/options.h"

extern const sbl_option sbl_option_sensitivity;
extern const sbl_option sbl_option_lengths;
extern const sbl_option sbl_option_order;
#define SBL_HERMITE_SUM_OPTIONS &sbl_option_sensitivity, &sbl_option_lengths, &sbl_option_order

/* Parameters of the feature `hermite` with a loss of weight 1, owned by the caller.
 * Returns: SBL_OK; SBL_EARG naming the option; SBL_EMEM */
sbl_status sbl_hermite_sum_parameters(json_t **parameters, const sbl_facts *facts,
                                      const sbl_synth_options *options, sbl_error *err);

#endif
