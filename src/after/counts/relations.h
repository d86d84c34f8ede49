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
typedef struct sbl_relation {
    uint32_t first, second;
    double strength;
} sbl_relation;

typedef struct sbl_relations {
    sbl_relation *items; /* owned */
    size_t count, capacity;
} sbl_relations;

/* Adds the two-way tables of one release; noise: standard deviation of an entry, by table. one_total: all tables
 * count the same records, so that a map's margins are averaged over all tables that have it.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_relations_take(sbl_relations *relations, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, bool one_total,
                              sbl_error *err);
/* One item per pair of columns, the strongest first. */
void sbl_relations_settle(sbl_relations *relations);
void sbl_relations_clear(sbl_relations *relations);

#endif
