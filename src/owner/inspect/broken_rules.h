/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows of a table break each constraint of its schema, counted while the table is read.
 * NOT PRIVATE: for the owner's eyes, before a release. */
#ifndef SBL_INSPECT_BROKEN_RULES_H
#define SBL_INSPECT_BROKEN_RULES_H

#include "base/text.h"
#include "owner/inspect/person_rules.h"
#include "owner/inspect/rows_above.h"
#include "public/rows/row_batch.h"
#include "public/rules/rules.h"

typedef struct sbl_broken_rules {
    const sbl_rules *rules; /* borrowed; NULL: there are none */
    uint64_t *rows;         /* (rules): that break each */
    double *full;           /* (capacity, columns) */
    size_t capacity;        /* values that full holds */
    /* For one of linked tables: the rows of the parent table, where some constraint of the package names columns of
     * tables above, and those of this table, where others refer to it. Borrowed, set after the beginning. */
    const sbl_rows_above *above;
    sbl_rows_above *kept;
    sbl_person_rules persons; /* rows that are held against the ones before at the end */
    bool failed;              /* out of memory */
} sbl_broken_rules;

/* Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_broken_rules_begin(sbl_broken_rules *broken, const sbl_rules *rules, const sbl_schema *schema,
                                  sbl_error *err);
void sbl_broken_rules_clear(sbl_broken_rules *broken); /* wipes */

/* Count the rows of a batch. Where it keeps the faults of cells, a cell that does not fit its column
 * counts as missing: it is the column's fault and not the rule's. */
void sbl_broken_rules_take(sbl_broken_rules *broken, const sbl_batch *batch);

/* When all rows were taken: one line per rule. Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_broken_rules_describe(sbl_text *text, sbl_broken_rules *broken, sbl_error *err);

#endif
