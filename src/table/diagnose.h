/* What a table holds that its schema does not foresee, counted per column.
 *
 * NOT PRIVATE: the counts come from the records. For the owner's eyes, before a release; never
 * beside one. No cell is kept or shown. */
#ifndef SBL_TABLE_DIAGNOSE_H
#define SBL_TABLE_DIAGNOSE_H

#include "table/reader.h"

/* What happened to one cell. */
typedef enum sbl_cell_fault {
    SBL_CELL_GOOD,
    SBL_CELL_MISSING,          /* allowed, and declared as missing */
    SBL_CELL_MISSING_REQUIRED, /* a missing value where the schema requires one: constant */
    SBL_CELL_UNPARSEABLE,      /* not of the declared type: missing or constant */
    SBL_CELL_OUT_OF_RANGE,     /* clamped */
    SBL_CELL_OFF_STEP,         /* becomes the nearest multiple of the column's step */
    SBL_CELL_UNKNOWN,          /* not a declared category: `other`, missing or constant */
    SBL_CELL_ABSENT,           /* the row has too few cells: missing or constant */
    SBL_CELL_FAULT_COUNT
} sbl_cell_fault;

/* Did a cell with this fault not fit its column? A value for which the schema declares a category
 * does, and so does a missing one where it may be missing. */
static inline bool sbl_cell_is_misfit(const sbl_column *column, sbl_cell_fault fault)
{
    return fault > SBL_CELL_MISSING && !(fault == SBL_CELL_UNKNOWN && column->other_declared);
}

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

/* Read the whole table. diagnosis is cleared by the caller, also after a failure. Where the file
 * ends inside a quoted cell, the message says in which record it opens. */
sbl_status sbl_table_diagnose(sbl_diagnosis *diagnosis, const char *path, const sbl_schema *schema,
                              const sbl_table_options *options, sbl_error *err);
void sbl_diagnosis_clear(sbl_diagnosis *diagnosis);

/* In words, a line that says NOT PRIVATE first. */
void sbl_diagnosis_describe(sbl_text *text, const sbl_diagnosis *diagnosis,
                            const sbl_schema *schema);

#endif
