/* `tables`: any number of tables of counts over public cells or maps of them, one-way and two-way:
 * what the method `pairs` measures (public/counts/pairs_plan.h). Tables only.
 *
 * Bound: a record puts a single 1 into each table. Tables of one precision are one block, so a block
 * of T tables has squared norm and sum T, all entries nonnegative: squared sensitivity of its sum
 * 2 T under replace-one (label changed or not) and T under add-remove; in the L1 norm the same. The
 * maps stand in the parameters: nothing depends on finding them again.
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
    sbl_table_list list;    /* first: whoever reads a release back needs no more */
    const sbl_facts *facts; /* borrowed */
    sbl_bins cells;
} sbl_tables;

/* Of a plan over joint cells of these numbers; NULL when out of memory. */
json_t *sbl_tables_parameters(const sbl_pairs_plan *plan, const sbl_bins *cells);

extern const sbl_feature sbl_feature_tables; /* made: sbl_tables */

#endif
