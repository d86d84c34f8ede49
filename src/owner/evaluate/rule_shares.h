/* SPDX-License-Identifier: Apache-2.0 */
/* Which share of the rows of each table holds each constraint of the schema. NOT PRIVATE: of real
 * tables it is computed from records. */
#ifndef SBL_EVALUATE_RULE_SHARES_H
#define SBL_EVALUATE_RULE_SHARES_H

#include <jansson.h>

#include "owner/fidelity/compared_tables.h"
#include "owner/fidelity/linked_frames.h"

/* A list of {"rule", "real", "synthetic", "train"}, empty where the codec's schema has no
 * constraints; train is null without one, and so is a share of a rule that looks at a person's row before where
 * the table does not say whose its rows are.
 * Returns: SBL_OK; SBL_EINPUT for constraints that are refused; SBL_EMEM */
sbl_status sbl_measure_constraints(json_t **part, const sbl_tables *tables, const sbl_codec *codec,
                                   sbl_error *err);

/* The same for table `table` of linked ones, whose rules may name columns of the tables above it: the rows that have
 * a row in each of these. sets, names (count): the data sets and what they are called; NULL: one is not there. */
sbl_status sbl_measure_linked_constraints(json_t **part, const sbl_linked_plan *plan,
                                          const sbl_linked_set *const *sets, const char *const *names,
                                          size_t count, size_t table, sbl_error *err);

#endif
