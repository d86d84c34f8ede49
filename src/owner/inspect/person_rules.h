/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows of a table break each constraint that looks at the person's row before: rows are kept, as far as
 * such constraints look at them, until the table is read, and put in order by person. NOT PRIVATE: for `schema
 * check`. Memory: 32 bytes and those columns, 8 bytes each, for every row. */
#ifndef SBL_INSPECT_PERSON_RULES_H
#define SBL_INSPECT_PERSON_RULES_H

#include "public/rows/row_batch.h"
#include "public/rules/rules.h"

typedef struct sbl_person_row sbl_person_row;

typedef struct sbl_person_rules {
    const sbl_rules *rules; /* borrowed; NULL: none looks back, and nothing is kept */
    const sbl_schema *schema;
    size_t *columns; /* (width): that are looked at */
    size_t width;
    sbl_person_row *rows; /* (capacity) */
    double *values;       /* (capacity, width) */
    size_t count, capacity;
} sbl_person_rules;

/* Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_person_rules_begin(sbl_person_rules *kept, const sbl_rules *rules, const sbl_schema *schema,
                                  sbl_error *err);
void sbl_person_rules_clear(sbl_person_rules *kept); /* wipes */

/* Row `row` of a batch; full: as constraints see it. False: out of memory. */
bool sbl_person_rules_take(sbl_person_rules *kept, const sbl_batch *batch, size_t row, const double *full);

/* Adds to broken (rules) the rows that break each.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_person_rules_count(uint64_t *broken, sbl_person_rules *kept, sbl_error *err);

#endif
