/* SPDX-License-Identifier: Apache-2.0 */
/* Noisy counts read back from a release: those of a list of tables, and those of the leaves of trees. */
#ifndef SBL_COUNTS_RELEASE_COUNTS_H
#define SBL_COUNTS_RELEASE_COUNTS_H

#include "door/release/release.h"
#include "public/counts/table_list.h"
#include "public/counts/tree_shape.h"

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

/* Noisy counts of all entries of the trees (sbl_free), and their standard deviation. block: the number of the
 * feature's block in the release. */
sbl_status sbl_leaves_values(double **values, double *noise, const sbl_trees *trees,
                             const sbl_release *release, size_t block, sbl_error *err);

#endif
