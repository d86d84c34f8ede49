/* SPDX-License-Identifier: Apache-2.0 */
/* The number of random Fourier features of merf: as given, the default, or with `features auto` the number that balances
 * what noise costs and what random features cost (docs/mechanisms/bounds.md). From public facts alone. */
#ifndef SBL_METHODS_MERF_FEATURES_H
#define SBL_METHODS_MERF_FEATURES_H

#include "run/methods/method.h"

/* Is the number of features to be chosen, so that a number of records is needed? */
bool sbl_features_are_auto(const sbl_synth_options *options);

/* SBL_EARG: it is to be chosen, and `rows`, the number of records that is public or declared, is 0. */
sbl_status sbl_features_check_rows(const sbl_synth_options *options, sbl_data_kinds kind, uint64_t rows,
                                   sbl_error *err);

/* In-out: next  its share and counts are set. Gets the setting "rows" where the number is chosen.
 * Returns: SBL_OK; SBL_EARG for an odd number, and as sbl_features_check_rows() of options->expected_rows */
sbl_status sbl_merf_features(size_t *features, sbl_plan *next, const sbl_facts *facts,
                             const sbl_synth_options *options, sbl_error *err);

/* The line of a certificate on a number that was chosen (assume of run/methods/method.h). */
void sbl_merf_assume(sbl_text *text, const sbl_facts *facts, const sbl_round *first);

#endif
