/* Cells that come as values in memory, not as text of a file: column by column, with the meaning that the
 * reader (reader.h) gives to the same cell of a CSV table. So the same table gives the same rows whichever way
 * it comes.
 *
 *   a number    in a number column is itself: clamped, rounded where the column holds whole numbers. In any
 *               other column, and where it is not finite (nan, inf, -inf), it is its shortest text
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "schema/schema.h"
#include "table/batch.h"
#include "table/lookup.h"
#include "table/reader.h"

typedef struct sbl_typed sbl_typed;

/* Match the columns of a table by their names with the schema, as a header is matched: a column that the schema
 * names must be there, unless it is ignored, and once. name: of the table, for messages. options: extra_column
 * counts. The schema is borrowed until sbl_typed_close().
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
/* Whose row a text in that column makes it; an empty one: nobody's.   Privacy: of a cell. */
sbl_unit_tag sbl_typed_unit(const sbl_typed *typed, const char *text, size_t length);

/* Where the values of one column go: a column of a batch, and what was wrong with each cell. */
typedef struct sbl_typed_target {
    sbl_batch_column *column;
    uint8_t *faults; /* sbl_cell_fault of row r at r * stride; NULL: not kept */
    size_t stride;
} sbl_typed_target;

/* Column i of the table in a batch of the schema. */
sbl_typed_target sbl_typed_in_batch(const sbl_typed *typed, size_t i, sbl_batch *batch);

/* One cell of column i, which is not read past.   Privacy: cells of records. */
void sbl_typed_missing(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row);
void sbl_typed_unreadable(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row);
void sbl_typed_number(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      double value);
/* Whole numbers: exact as texts, too. */
void sbl_typed_integer(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                       int64_t value);
void sbl_typed_unsigned(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                        uint64_t value);
void sbl_typed_truth(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                     bool value);
/* Days and seconds since 1970-01-01. utc: the moment has a zone. */
void sbl_typed_day(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                   int64_t days);
void sbl_typed_moment(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      int64_t seconds, bool utc);
/* Digits with a point, as a column with a point writes them: decimals that are no doubles. */
void sbl_typed_decimal(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                       const char *text, size_t length);
/* text must be followed by SBL_LOOKUP_PADDING readable bytes. */
void sbl_typed_text(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                    const char *text, size_t length);

/* ---- many cells at once: what each of them would be by itself. Their faults, where they are kept, must be those
 * of good cells before: those of others alone are written. ---- */

/* Is a number, day or moment in this column its own value, whatever it is? Then count of them, all finite, can be
 * stored at once: numbers of a number column, days of a date column, seconds of a datetime column. */
bool sbl_typed_takes_values(const sbl_typed *typed, size_t i);
/* whole: the caller knows that no value has a fraction. */
void sbl_typed_values(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                      const double *values, size_t count, bool whole);

typedef struct sbl_typed_piece {
    const char *text; /* as sbl_typed_text() takes it; NULL: this row is left as it is */
    size_t length;
} sbl_typed_piece;

void sbl_typed_texts(sbl_typed *typed, size_t i, const sbl_typed_target *to, size_t row,
                     const sbl_typed_piece *pieces, size_t count);

/* The same values as texts for a CSV file (a point, ISO 8601): written to text, without a final NUL; the
 * length. */
#define SBL_TYPED_TEXT_SIZE 64
size_t sbl_typed_number_text(char text[SBL_TYPED_TEXT_SIZE], double value);
size_t sbl_typed_day_text(char text[SBL_TYPED_TEXT_SIZE], int64_t days);
size_t sbl_typed_moment_text(char text[SBL_TYPED_TEXT_SIZE], int64_t seconds, bool utc);

#endif
