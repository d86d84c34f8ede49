/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, per column, what a table holds that its schema does not foresee.
 *
 * NOT PRIVATE: the counts come from the records. They are for the owner's eyes, before a release, and never
 * published with one. No cell is kept or shown. */
#ifndef SBL_FORMATS_DIAGNOSE_H
#define SBL_FORMATS_DIAGNOSE_H

#include "records/rows/table.h"

/* "missing", "unknown category", ... */
const char *sbl_cell_fault_name(sbl_cell_fault fault);

typedef struct sbl_column_diagnosis {
    uint64_t cells[SBL_CELL_FAULT_COUNT];
} sbl_column_diagnosis;

typedef struct sbl_diagnosis {
    uint64_t rows;
    uint64_t rows_with_few_cells;
    uint64_t rows_with_extra_cells;
    uint64_t rows_too_long;
    uint64_t rows_with_odd_quotes;  /* quotes that a standard writer would have doubled, or none */
    uint64_t rows_of_several_lines; /* line ends inside quoted cells */
    sbl_column_diagnosis *columns;  /* one per column of the schema */
    size_t column_count;
} sbl_diagnosis;

/* Read the whole table. diagnosis is cleared by the caller, also after a failure. Where a file
 * ends inside a quoted cell, the message says in which record it opens.
 * In: see  called with each batch, which has the faults of its cells; NULL: not wanted. Both callbacks get
 *          options->context. */
sbl_status sbl_table_diagnose(sbl_diagnosis *diagnosis, const sbl_table *table, const sbl_schema *schema,
                              const sbl_table_options *options,
                              void (*see)(void *context, const sbl_batch *batch), sbl_error *err);
void sbl_diagnosis_clear(sbl_diagnosis *diagnosis);

/* In words, a line that says NOT PRIVATE first. */
void sbl_diagnosis_describe(sbl_text *text, const sbl_diagnosis *diagnosis, const sbl_schema *schema);

#endif
