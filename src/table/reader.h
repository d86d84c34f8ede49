/* Rows in: a CSV table, plain or gzip, as a stream of typed batches. Memory does not grow with the
 * number of rows.
 *
 * Two kinds of bad input. The container (gzip data, header, columns) is refused with one line. The
 * content of a record never is: a cell that cannot be read is silently missing where its column may
 * be empty, and else the column's public constant (the midpoint of the bounds, category 0); a value
 * that is no category is the declared `other`, where there is one; numbers are clamped to
 * their bounds, and a row is never dropped. So every byte string is some table, and one record
 * changes one row.
 *
 * What is a row: RFC 4180 records after the header line, whatever their length. Line ends are LF or
 * CRLF; a byte order mark is skipped. A quote that begins a cell opens it and the next one that is
 * not doubled closes it: in between, commas and line ends are characters; anywhere else a quote is
 * one. So where a record ends depends on its own bytes alone, and records put one after the other
 * are read as just these records. Every line is a row, an empty one too: in a table of one column
 * it holds an empty cell, otherwise it has too few cells. Only the end of line that ends the file
 * starts no row. Cells that are not there cannot be read, cells beyond the header's are passed
 * over. In a record longer than 1 MiB none can be read. A file that ends inside a quoted cell is not
 * a sequence of records: a fault of the container. Blanks around a cell count only where a category
 * has them. */
#ifndef SBL_TABLE_READER_H
#define SBL_TABLE_READER_H

#include "table/table.h"

typedef struct sbl_table_reader sbl_table_reader;

#define SBL_RECORD_LIMIT ((size_t)1 << 20)

/* Open path ("-": standard input), check the container and the header. options may be NULL; the
 * schema is borrowed until sbl_table_close. An ignored column may be absent from the file.
 * Returns: SBL_OK, SBL_EINPUT (container fault), SBL_EIO, SBL_EMEM */
sbl_status sbl_table_open(sbl_table_reader **reader, const char *path, const sbl_schema *schema,
                          const sbl_table_options *options, sbl_error *err);

/* The same without a schema: names as of sbl_format.open(), and rows are read as cells.
 * dialect: how it is written. */
sbl_status sbl_table_open_cells(sbl_table_reader **reader, sbl_strings *names, const char *path,
                                const sbl_dialect *dialect, sbl_error *err);
sbl_status sbl_table_read_cells(sbl_table_reader *reader, sbl_cell *cells, bool *more,
                                sbl_error *err);

/* The same for bytes in memory, which are borrowed; name is used in messages. */
sbl_status sbl_table_open_memory(sbl_table_reader **reader, const void *bytes, size_t size,
                                 const char *name, const sbl_schema *schema,
                                 const sbl_table_options *options, sbl_error *err);

/* Read up to batch->capacity rows; batch->rows is 0 at the end. The batch must be of the same
 * schema.   Returns: SBL_OK, SBL_EIO, SBL_EINPUT (truncated or corrupt gzip, an open
 * quote at the end of the file)
 * Privacy: fills the batch with records. */
sbl_status sbl_table_read(sbl_table_reader *reader, sbl_batch *batch, sbl_error *err);

/* Close and wipe; NULL is allowed. */
void sbl_table_close(sbl_table_reader *reader);

#endif
