/* SPDX-License-Identifier: Apache-2.0 */
/* The Hermite functions that hp sees numbers through, by the options lengths, order, product-length, product-order and
 * mahalanobis: public. */
#ifndef SBL_METHODS_HP_FUNCTIONS_H
#define SBL_METHODS_HP_FUNCTIONS_H

#include "base/error.h"
#include "base/json.h"
#include "public/features/hermite_basis.h"
#include "public/plan/facts.h"
#include "semblance/options.h"

extern const sbl_option sbl_option_product_length;
extern const sbl_option sbl_option_product_order;

typedef struct sbl_hp_functions {
    sbl_hermite_function list[SBL_HERMITE_MOST_FUNCTIONS];
    size_t count;
    json_t *columns;   /* as parameters of a feature take it; NULL: all numbers have all of them. Owned */
    sbl_metric metric; /* of the product kernel; its columns' functions are the last of the list */
} sbl_hp_functions;

/* Of the sum kernel, and of the product kernel; cleared on failure.
 * Returns: SBL_OK; SBL_EARG naming the option; SBL_EMEM */
sbl_status sbl_hp_sum_functions(sbl_hp_functions *made, const sbl_facts *facts,
                                const sbl_synth_options *options, sbl_error *err);
sbl_status sbl_hp_product_functions(sbl_hp_functions *made, const sbl_facts *facts,
                                    const sbl_synth_options *options, sbl_error *err);
void sbl_hp_functions_clear(sbl_hp_functions *functions);

/* Values of number i, of all its functions together; of the outer product of the metric, 0 where there is none. */
double sbl_hp_number_width(const sbl_hp_functions *functions, size_t i);
double sbl_hp_metric_width(const sbl_hp_functions *functions);

#endif
