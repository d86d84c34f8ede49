/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics that are asked of drawn tables, checked against the schema before anything is drawn. */
#ifndef SBL_ESTIMATES_QUERY_H
#define SBL_ESTIMATES_QUERY_H

#include "base/error.h"
#include "public/plan/facts.h"
#include "run/pipeline/conditions.h"
#include "semblance/estimate.h"

#define SBL_MOST_BY 4
#define SBL_MOST_GROUPS 10000
#define SBL_NO_GROUP ((uint32_t)-1)

typedef enum sbl_statistic {
    SBL_STATISTIC_COUNT,
    SBL_STATISTIC_SHARE,
    SBL_STATISTIC_MEAN,
    SBL_STATISTIC_QUANTILE,
    SBL_STATISTIC_CORRELATION
} sbl_statistic;

typedef struct sbl_query {
    sbl_statistic kind;
    size_t column; /* of the schema; not of a count */
    size_t other;  /* of a correlation: the second column */
    uint32_t code; /* of a share: the category */
    double order;  /* of a quantile */
} sbl_query;

typedef struct sbl_queries {
    const sbl_schema *schema; /* of the table, borrowed */
    size_t table;             /* of linked tables; else 0 */
    sbl_query *items;
    size_t count;
    size_t by[SBL_MOST_BY]; /* columns of categories */
    size_t by_count;
    size_t groups;    /* at least 1 */
    uint32_t against; /* the group that the others are compared with, or SBL_NO_GROUP */
    sbl_conditions where;
} sbl_queries;

/* facts: of what is drawn, borrowed.
 * Returns: SBL_OK; SBL_EARG names the option and the column; SBL_EMEM   Owner: the caller, sbl_queries_clear() */
sbl_status sbl_queries_read(sbl_queries *queries, const sbl_estimate_options *asked, const sbl_facts *facts,
                            sbl_error *err);
void sbl_queries_clear(sbl_queries *queries);

/* How many groups a column makes: its categories, and missing where that is allowed. */
size_t sbl_query_groups_of(const sbl_column *column);
/* Which of them a group is, by the place of the column in `by`. The last column changes fastest. */
uint32_t sbl_query_code_of(const sbl_queries *queries, uint32_t group, size_t place);

#endif
