/* SPDX-License-Identifier: Apache-2.0 */
/* `tables`: any number of marginals over public bins or maps of them, one-way and two-way. The method
 * `pairs` measures them (public/counts/pairs_plan.h). Tables only.
 *
 * Bound: a record adds a single 1 to each marginal. Marginals of one precision are one block, so a block of
 * T marginals has squared norm and sum T, all entries nonnegative. The squared sensitivity of its sum is 2
 * T under replace-one (label changed or not) and T under add-remove, and the same in the L1 norm. The maps
 * are in the parameters: nothing depends on finding them again.
 *
 * Parameters: {"bins": F, "singles": S, "linear": L (public/schema/bins.h, joint)} and those of a list of
 * tables (public/counts/table_list.h). */
#ifndef SBL_FEATURES_MARGINAL_COUNTS_H
#define SBL_FEATURES_MARGINAL_COUNTS_H

#include "public/counts/table_list.h"
#include "public/schema/bins.h"
#include "records/features/feature.h"

/* The feature, made. */
typedef struct sbl_tables {
    sbl_table_list list;    /* first: code that reads a release back needs only this */
    const sbl_facts *facts; /* borrowed */
    sbl_bins cells;
} sbl_tables;

/* For a plan over joint bins of these numbers; NULL when out of memory. */
json_t *sbl_tables_parameters(const sbl_pairs_plan *plan, const sbl_bins *cells);

extern const sbl_feature sbl_feature_tables; /* made: sbl_tables */

#endif
