/* SPDX-License-Identifier: Apache-2.0 */
/* The exact sums of a data set under the plan of a release, for tests that look behind the door. */
#ifndef TESTS_SUPPORT_SUM_KIT_H
#define TESTS_SUPPORT_SUM_KIT_H

#include "records/accumulate/sum.h"
#include "records/features/features.h"
#include "records/source/source.h"

typedef struct planned {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
} planned;

/* From the text of a plan; fails the test when it is none. */
void planned_make(planned *p, const char *text);
void planned_clear(planned *p);

/* Of a CSV table; on this many threads. */
sbl_sum *sum_of_table(const planned *p, const char *path, unsigned threads);
/* Of a source that is open. */
sbl_sum *sum_of_source(const planned *p, sbl_source *source, unsigned threads);

#endif
