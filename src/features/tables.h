/* `tables`: any number of tables of counts over public cells or maps of them, one-way and two-way:
 * what the method `pairs` measures (pairs/pairs_plan.h). Tables only.
 *
 * Bound: a record puts a single 1 into each table. Tables of one precision are one block, so a block
 * of T tables has squared norm and sum T, all entries nonnegative: squared sensitivity of its sum
 * 2 T under replace-one (label changed or not) and T under add-remove; in the L1 norm the same. The
 * maps stand in the parameters: nothing depends on finding them again.
 *
 * Parameters: {"bins": F, "singles": S, "linear": L (schema/cells.h, joint), "maps": [{"level",
 * "column", "cells", "of": [...]}, ...], "tables": [[first, second or -1, level], ...]}; a table of
 * level l has precision 2^(l / 16). */
#ifndef SBL_FEATURES_TABLES_H
#define SBL_FEATURES_TABLES_H

#include "features/feature.h"
#include "pairs/pairs_plan.h"
#include "release/release.h"
#include "schema/cells.h"

/* The feature, made. */
typedef struct sbl_table_list {
    const sbl_facts *facts; /* borrowed */
    sbl_cells cells;
    sbl_pairs_plan plan; /* precisions rounded down to a level */
    int *levels;         /* (tables) */
    size_t *block_of;    /* (tables): tables of one level are one block */
    size_t *offset;      /* (tables): of its first entry in the block */
    size_t *widths;      /* (blocks): entries */
    size_t *sizes;       /* (blocks): tables */
    size_t block_count;
    sbl_pool pool; /* of the arrays */
} sbl_table_list;

/* Of a plan over joint cells of these numbers; NULL when out of memory. */
json_t *sbl_tables_parameters(const sbl_pairs_plan *plan, const sbl_cells *cells);

/* What a release says of the tables: values[t] (entries of table t), noise[t]; owned by the caller
 * through sbl_table_values_clear. block: the number of the feature's first block in the release. */
typedef struct sbl_table_values {
    double *all;
    const double **values;
    double *noise;
    sbl_pool pool; /* of the arrays */
} sbl_table_values;
sbl_status sbl_table_values_read(sbl_table_values *out, const sbl_table_list *tables,
                                 const sbl_release *release, size_t block, sbl_error *err);
void sbl_table_values_clear(sbl_table_values *values);

extern const sbl_feature sbl_feature_tables; /* made: sbl_table_list */

#endif
