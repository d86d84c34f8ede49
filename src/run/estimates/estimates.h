/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics with intervals from the releases of a run: draws from the posterior, a table of each, the statistic of each
 * table, and the combining rule. Post-processing: nothing is charged. */
#ifndef SBL_ESTIMATES_ESTIMATES_H
#define SBL_ESTIMATES_ESTIMATES_H

#include "base/store/store.h"
#include "run/estimates/query.h"
#include "run/estimates/query_rows.h"
#include "semblance/combine.h"

#define SBL_ESTIMATE_DRAWS 40
#define SBL_ESTIMATE_LEVEL 0.95

/* One of them. */
typedef struct sbl_estimated {
    size_t query;
    uint32_t group;
    bool difference; /* from queries->against */
    bool known;      /* there were rows enough in every draw */
    sbl_combined combined;
} sbl_estimated;

typedef struct sbl_estimates {
    const sbl_queries *queries;          /* borrowed */
    const sbl_estimate_options *options; /* borrowed; draws and level are set */
    sbl_estimated *items;
    size_t count;
} sbl_estimates;

/* In:      options  draws and level are set and checked
 * Out:     text     in the form of options; sbl_free() */
sbl_status sbl_estimates_make(char **text, sbl_store_entry release, const sbl_estimate_options *options,
                              sbl_error *err);

/* The text of them. */
sbl_status sbl_estimates_write(char **text, const sbl_estimates *estimates, sbl_error *err);

#endif
