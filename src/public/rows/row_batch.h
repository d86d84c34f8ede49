/* SPDX-License-Identifier: Apache-2.0 */
/* Some rows as typed columns: what the reader fills, the codec encodes and the writer writes. */
#ifndef SBL_ROWS_ROW_BATCH_H
#define SBL_ROWS_ROW_BATCH_H

#include "base/kinds.h"
#include "public/schema/schema_type.h"

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

typedef struct sbl_batch_column {
    double *values;   /* numbers, dates, datetimes: within the bounds, also where missing */
    uint8_t *missing; /* numbers, dates, datetimes: 1 where missing; NULL where never allowed */
    uint32_t *codes;  /* categories: 0 .. K-1, and K (sbl_column_missing_code) where missing */
} sbl_batch_column;

typedef struct sbl_batch {
    const sbl_schema *schema;  /* borrowed */
    sbl_batch_column *columns; /* one per column of the schema; ignored ones are empty */
    sbl_unit_tag *units;       /* where a person may own several rows, whose each is: read as a keyed hash
                          * (records/formats/csv.h), written as the number in `low`. NULL: a row is a person */
    sbl_unit_tag *keys;        /* where other tables hang on the rows: each one's own key, as a keyed hash
                          * likewise; both 0: it has none. NULL: not kept */
    size_t capacity;
    size_t rows;
    uint8_t *faults; /* (capacity, columns of the schema): sbl_cell_fault of each
                      * cell that was read; NULL: not kept */
} sbl_batch;

/* Room for capacity rows. Owner: the caller; sbl_batch_free() wipes, since rows are records.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_batch_new(sbl_batch **batch, const sbl_schema *schema, size_t capacity, sbl_error *err);
void sbl_batch_free(sbl_batch *batch);

/* Keep the own keys of rows, too. */
sbl_status sbl_batch_keep_keys(sbl_batch *batch, sbl_error *err);
/* Keep the faults of cells, too. */
sbl_status sbl_batch_keep_faults(sbl_batch *batch, sbl_error *err);
/* Those of one row; NULL where they are not kept. */
static inline uint8_t *sbl_batch_faults(const sbl_batch *batch, size_t row)
{
    return batch->faults != NULL ? batch->faults + row * batch->schema->column_count : NULL;
}

/* Puts numbers with bounds by category into the bounds of their own row's category, and notes where one was out of
 * range. The constant of a cell that could not be read becomes that of its category. Uses the cells of one row at a
 * time. */
void sbl_batch_clip(sbl_batch *batch);
/* How the number of a column of its schema is bounded in this row. */
static inline const sbl_column *sbl_batch_domain(const sbl_batch *batch, const sbl_column *facts, size_t row)
{
    return facts->by_domains != NULL ? sbl_column_by(facts, batch->columns[facts->by].codes[row]) : facts;
}

#endif
