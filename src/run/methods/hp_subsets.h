/* SPDX-License-Identifier: Apache-2.0 */
/* The subsets of columns whose product kernel hp releases: public. */
#ifndef SBL_METHODS_HP_SUBSETS_H
#define SBL_METHODS_HP_SUBSETS_H

#include "base/json.h"
#include "run/methods/hp_functions.h"
#include "run/methods/method.h"

extern const sbl_option sbl_option_products;
extern const sbl_option sbl_option_subsets;

/* subsets: an array of arrays of coordinates (public/features/hermite_basis.h), owned by the caller; empty where
 * there is nothing to multiply. Those that the option subsets names ("age+ward,ward+drug"), else
 * as many as the option products says, each of `size` columns: all where there are no more, else drawn from the
 * seed; of images, pixels that are near each other.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_hp_subsets(json_t **subsets, const sbl_facts *facts, size_t size,
                          const sbl_synth_options *options, sbl_error *err);
/* Numbers of the outer products of all subsets, and of the metric's. */
double sbl_hp_width(const json_t *subsets, const sbl_facts *facts, const sbl_hp_functions *functions);

#endif
