/* SPDX-License-Identifier: Apache-2.0 */
/* Cells that are values in memory, not text of a file. Column by column they get the meaning that the CSV
 * reader (csv.h) gives to the same cell, so a table gives the same rows whichever way it comes.
 *
 *   a number    in a number column is itself: clamped, rounded if the column holds whole numbers. In any other column,
 *               and if it is not finite (nan, inf, -inf), it is its shortest text; if the column has a category or
 *               missing value that is this number with zeros after its point, it is that one
 *   a day, a second  in a date or datetime column is itself. A day in a datetime column is its midnight; a moment in a
 *               date column is its day at midnight, and cannot be read otherwise. Elsewhere it is ISO text
 *   a truth     in a boolean column is its code; elsewhere the text "true" or "false"
 *   a text      is the text of a cell
 *   nothing     is missing, whatever texts the schema has for that
 *
 * If a column has a missing value with digits in it (-999, 1900-01-01), every value goes through its text,
 * as the column would write it, because only the text tells a missing value. */
#ifndef SBL_ROWS_COLUMN_BINDING_H
#define SBL_ROWS_COLUMN_BINDING_H

#include "records/rows/table.h"

typedef struct sbl_binding sbl_binding;

/* Match the columns of a table by their names with the schema (column_match.h). name: of the table, for messages. The
 * schema and options->unit_key are borrowed until sbl_binding_close().
 * Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_binding_open(sbl_binding **typed, const char *const *names, size_t count, const char *name,
                            const sbl_schema *schema, const sbl_table_options *options, sbl_error *err);
void sbl_binding_close(sbl_binding *typed); /* wipes; NULL is fine */

/* The column of the schema that column i of the table is; NULL: it is read past. */
const sbl_column *sbl_binding_column(const sbl_binding *typed, size_t i);
/* Its place in the schema. */
size_t sbl_binding_index(const sbl_binding *typed, size_t i);

/* Does column i say whose row it is? Then it is read past otherwise. */
bool sbl_binding_is_unit(const sbl_binding *typed, size_t i);
/* Is it the row's own key? Likewise. */
bool sbl_binding_is_key(const sbl_binding *typed, size_t i);
/* The person of a row, from its cell of that column, by the whole text that it would have in a CSV file. A
 * missing or empty cell has no person; all unreadable cells are one person.   Privacy: of a cell. */
sbl_unit_tag sbl_binding_unit(const sbl_binding *typed, const sbl_cell *cell);

/* Where the values of one column go: a column of a batch, and what was wrong with each cell. */
typedef struct sbl_binding_target {
    sbl_batch_column *column;
    uint8_t *faults; /* sbl_cell_fault of row r at r * stride; NULL: not kept */
    size_t stride;
} sbl_binding_target;

/* Column i of the table in a batch of the schema. */
sbl_binding_target sbl_binding_in_batch(const sbl_binding *typed, size_t i, sbl_batch *batch);

/* One cell of column i, which is not read past.   Privacy: cells of records. */
void sbl_binding_cell(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                      const sbl_cell *cell);

/* ---- many cells in one call: each becomes what it would be by itself. Faults, if they are kept, must be
 * set to those of good cells before; only those of bad cells are written. ---- */

/* Is a number, day or moment in this column its own value, whatever it is? Then count of them, all finite,
 * can be stored in one call: numbers of a number column, days of a date column, seconds of a datetime
 * column. */
bool sbl_binding_takes_values(const sbl_binding *typed, size_t i);
/* whole: the caller knows that no value has a fraction. */
void sbl_binding_values(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                        const double *values, size_t count, bool whole);

typedef struct sbl_binding_piece {
    const char *text; /* with SBL_CELL_PADDING readable bytes after it; NULL: this row is left as it is */
    size_t length;
} sbl_binding_piece;

void sbl_binding_texts(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                       const sbl_binding_piece *pieces, size_t count);

#endif
