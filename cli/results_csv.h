/* SPDX-License-Identifier: Apache-2.0 */
/* The results of an analysis of replicates, as a CSV file: a row for each replicate and statistic. */
#ifndef SBL_CLI_RESULTS_CSV_H
#define SBL_CLI_RESULTS_CSV_H

#include <stddef.h>

#include "semblance/status.h"

/* One statistic: its name, and its results in the order of the file. */
typedef struct sbl_results_group {
    char *name;
    double *estimates, *variances;
    char **replicates; /* what its rows say in the column replicate; NULL: there is no such column */
    size_t count, capacity;
} sbl_results_group;

typedef struct sbl_results {
    char *text; /* of the file; names point into it */
    sbl_results_group *groups;
    size_t count, capacity;
} sbl_results;

/* Read the file. Columns: estimate; variance, or std.error, std_error, standard_error or se; name or term (without
 * it all rows are one statistic); replicate, optional. Other columns are skipped.
 * Returns: SBL_OK; SBL_EINPUT names the file, and the row or the column; SBL_EIO, SBL_EMEM. Then nothing is left. */
sbl_status sbl_results_read(sbl_results *results, const char *path, sbl_error *err);
void sbl_results_free(sbl_results *results);

#endif
