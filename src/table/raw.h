/* A CSV table whose columns nobody has described: names from the header, cells as texts. What is a
 * row and what is a cell is the same as for a table with a schema (reader.h).
 *
 * The header is a fact of the container and public. A line that may be a record is no header: one
 * with an empty name, a name twice or a name that reads as a number or a date is refused, and no
 * message quotes it. */
#ifndef SBL_TABLE_RAW_H
#define SBL_TABLE_RAW_H

#include "schema/schema.h"
#include "table/reader.h"

/* Called for every cell of the header's columns, in any order and, where a row straddles the pieces
 * in which a file is read, more than once for the same place: the last call counts. text is NULL for
 * a cell that is not there or cannot be read; it is followed by readable bytes (SBL_CSV_PADDING).
 * Privacy: a cell of a record. */
typedef void (*sbl_raw_cell)(void *context, size_t row, size_t column, const char *text,
                             size_t length);

/* names: (columns), valid UTF-8, sbl_strings_clear(). dialect: NULL is the usual one; it has a header.
 * Returns: SBL_OK, SBL_EINPUT (container fault), SBL_EIO, SBL_EMEM */
sbl_status sbl_table_open_raw(sbl_table_reader **reader, sbl_strings *names, const char *path,
                              const sbl_dialect *dialect, sbl_error *err);
sbl_status sbl_table_open_raw_memory(sbl_table_reader **reader, sbl_strings *names,
                                     const void *bytes, size_t size, const char *name,
                                     const sbl_dialect *dialect, sbl_error *err);

/* Read up to most rows, each cell to the callback; *rows is 0 at the end. */
sbl_status sbl_table_read_raw(sbl_table_reader *reader, size_t *rows, size_t most,
                              sbl_raw_cell cell, void *context, sbl_error *err);

#endif
