/* SPDX-License-Identifier: Apache-2.0 */
/* Rows out: typed batches to a CSV table, plain or gzip.
 *
 * Columns in the schema's order, ignored ones left out unless they are made, in the schema's dialect and encoding. Numbers
 * are written with the column's decimals and decimal sign and never leave its bounds, dates in their
 * format or ISO 8601, categories as declared, missing values as
 * the first of missingValues. Text that needs it is quoted. The same bytes in every locale. */
#ifndef SBL_SINKS_WRITER_H
#define SBL_SINKS_WRITER_H

#include "base/file.h"
#include "public/rows/row_batch.h"
#include "public/schema/schema_type.h"

typedef struct sbl_table_writer sbl_table_writer;

typedef struct sbl_table_write_options {
    bool overwrite; /* false: an existing file is refused, when opening and again when it is done */
    /* Appends the text of a made column's cell (public/schema/role.h); row counts from 0. NULL: made
     * columns are left out, as ignored ones are. */
    void (*make)(void *context, sbl_text *cell, size_t column, uint64_t row);
    void *context;
    /* A column before the others: its name, and the whole number that each row has when it is written. NULL: none. */
    const char *lead;
    const uint64_t *lead_value;
} sbl_table_write_options;

/* Start a table at path ("-": standard output) with its header; gzip when path ends in .gz. A file
 * appears whole when sbl_table_finish succeeds, or not at all; a pipe or device is written in
 * place. The schema is borrowed until then.   Returns: SBL_OK, SBL_EIO, SBL_EMEM */
sbl_status sbl_table_create(sbl_table_writer **writer, const char *path, const sbl_schema *schema,
                            sbl_table_write_options options, sbl_error *err);

/* SBL_EARG for a name that promises another kind of file than is written. */
sbl_status sbl_table_check_name(const char *path, sbl_error *err);

/* Append the rows of a batch of the same schema. Values outside the bounds are clamped, codes out
 * of range become the column's public constant. */
sbl_status sbl_table_write(sbl_table_writer *writer, const sbl_batch *batch, sbl_error *err);

/* Put the file in place and end the writer, also on failure. */
sbl_status sbl_table_finish(sbl_table_writer *writer, sbl_error *err);

/* As sbl_table_finish(), but the file does not appear yet: it is the caller's, to appear with others
 * (sbl_file_commit_all) or never (sbl_file_discard). SBL_EARG for what is written in place. */
sbl_status sbl_table_hand_over(sbl_table_writer *writer, sbl_pending_file *file, sbl_error *err);

/* End the writer and leave no file; NULL is allowed. */
void sbl_table_abandon(sbl_table_writer *writer);

#endif
