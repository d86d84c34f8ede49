/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Which relations between columns the noisy tables of a run show. A relation is what a two-way table has
 * beyond independent columns; noise alone leaves some of it. Post-processing: reads releases only. */
#ifndef SBL_COUNTS_RELATIONS_H
#define SBL_COUNTS_RELATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "public/counts/pairs_plan.h"

#define SBL_RELATION_SEEN 2.0 /* standard errors above nothing: from here on a relation is not noise */

/* first < second: numbers of columns of the plan. strength: interaction above that of noise and sampling, in its
 * standard errors; the largest of the pair's tables. About normal(0, 1) for independent columns. */
typedef struct sbl_pair_strength {
    uint32_t first, second;
    double strength;
} sbl_pair_strength;

typedef struct sbl_pair_strengths {
    sbl_pair_strength *items; /* owned */
    size_t count, capacity;
} sbl_pair_strengths;

/* Adds the two-way tables of one release; noise: standard deviation of an entry, by table. one_total: all tables
 * count the same records, so that a map's margins are averaged over all tables that have it.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_pair_strengths_take(sbl_pair_strengths *relations, const sbl_pairs_plan *plan,
                                   const double *const *values, const double *noise, bool one_total,
                                   sbl_error *err);
/* The distance from independence (total variation, 0 to 1) at which a relation has that strength in expectation: over
 * even shares, spread over all entries of a table of rows x columns. records: that the table counts. */
double sbl_relation_hidden(double rows, double columns, double noise, double records);
/* One item per pair of columns, the strongest first. */
void sbl_pair_strengths_settle(sbl_pair_strengths *relations);
void sbl_pair_strengths_clear(sbl_pair_strengths *relations);

#endif
