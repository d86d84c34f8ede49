/* Cells that come as values in memory, not as text of a file: column by column, with the meaning that the
 * reader (csv.h) gives to the same cell of a CSV table. So the same table gives the same rows whichever way
 * it comes.
 *
 *   a number    in a number column is itself: clamped, rounded where the column holds whole numbers. In any
 *               other column, and where it is not finite (nan, inf, -inf), it is its shortest text; where the column
 *               has a category or missing value that is this number with zeros after its point, it is that one
 *   a day, a second  in a date or datetime column is itself. A day in a datetime column is its midnight; a
 *               moment in a date column is its day at midnight, and cannot be read otherwise. Elsewhere ISO text
 *   a truth     in a boolean column is its code; elsewhere the text "true" or "false"
 *   a text      is the text of a cell
 *   nothing     is missing, whatever texts the schema has for that
 *
 * Where a column has a missing value with digits in it (-999, 1900-01-01) every value goes through its text, as
 * the column would write it, for the text is what tells a missing one. */
#ifndef SBL_TABLE_TYPED_H
#define SBL_TABLE_TYPED_H

#include "records/rows/table.h"

typedef struct sbl_typed sbl_typed;

/* Match the columns of a table by their names with the schema (match.h). name: of the table, for messages. The
 * schema and options->unit_key are borrowed until sbl_typed_close().
 * Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_typed_open(sbl_typed **typed, const char *const *names, size_t count,
                          const char *name, const sbl_schema *schema,
                          const sbl_table_options *options, sbl_error *err);
void sbl_typed_close(sbl_typed *typed); /* wipes; NULL is fine */

/* The column of the schema that column i of the table is; NULL: it is read past. */
const sbl_column *sbl_typed_column(const sbl_typed *typed, size_t i);
/* Its place in the schema. */
size_t sbl_typed_index(const sbl_typed *typed, size_t i);

/* Does column i say whose row it is? Then it is read past otherwise. */
bool sbl_typed_is_unit(const sbl_typed *typed, size_t i);
/* Is it the row's own key? Likewise. */
bool sbl_typed_is_key(const sbl_typed *typed, size_t i);
/* Whose row a cell of that column makes it: by the text that it would have in a CSV file, all of it. A missing or empty
 * one is nobody's; all that cannot be read are one person's.   Privacy: of a cell. */
sbl_unit_tag sbl_typed_unit(const sbl_typed *typed, const sbl_cell *cell);

/* Where the values of one column go: a column of a batch, and what was wrong with each cell. */
typedef struct sbl_typed_target {
    sbl_batch_column *column;
    uint8_t *faults; /* sbl_cell_fault of row r at r * stride; NULL: not kept */
    size_t stride;
} sbl_typed_target;

/* Column i of the table in a batch of the schema. */
sbl_typed_target sbl_typed_in_batch(const sbl_typed *typed, size_t i, sbl_batch *batch);

/* One cell of column i, which is not read past.   Privacy: cells of records. */
void sbl_typed_cell(const sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                    const sbl_cell *cell);

/* ---- many cells at once: what each of them would be by itself. Their faults, where they are kept, must be those
 * of good cells before: those of others alone are written. ---- */

/* Is a number, day or moment in this column its own value, whatever it is? Then count of them, all finite, can be
 * stored at once: numbers of a number column, days of a date column, seconds of a datetime column. */
bool sbl_typed_takes_values(const sbl_typed *typed, size_t i);
/* whole: the caller knows that no value has a fraction. */
void sbl_typed_values(const sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      const double *values, size_t count, bool whole);

typedef struct sbl_typed_piece {
    const char
        *text; /* with SBL_CELL_PADDING readable bytes after it; NULL: this row is left as it is */
    size_t length;
} sbl_typed_piece;

void sbl_typed_texts(const sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                     const sbl_typed_piece *pieces, size_t count);

#endif
