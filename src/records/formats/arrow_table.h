/* SPDX-License-Identifier: Apache-2.0 */
/* An Arrow table as it is held: batches of its own, a stream that can be read once, or a callback that
 * gives a new stream for each reading. It is the state of sbl_arrow_format. */
#ifndef SBL_FORMATS_ARROW_TABLE_H
#define SBL_FORMATS_ARROW_TABLE_H

#include "records/rows/table.h"
#include "semblance/data.h"

/* Batches of other types than those before them. */
typedef struct sbl_arrow_turn {
    struct ArrowSchema schema;
    size_t first; /* of the batches */
} sbl_arrow_turn;

typedef struct sbl_arrow_table {
    /* Batches. schema.release is NULL while there are none. */
    struct ArrowSchema schema;
    sbl_arrow_turn *turns; /* (turn_count) where the types change */
    size_t turn_count;
    struct ArrowArray *batches;
    size_t batch_count;
    size_t batch_capacity;
    sbl_values_type *types; /* (schema.n_children) of typed buffers; NULL: batches of a stream */
    /* Streams: a new one for each reading; NULL: there is `stream`, or there are batches. */
    sbl_open_stream open;
    sbl_resume_stream resume; /* NULL: streams have one schema */
    void *context;
    struct ArrowArrayStream stream; /* one, for one reading */
    bool once;                      /* it was given, and may have been read */
} sbl_arrow_table;

extern const sbl_format sbl_arrow_format;

/* For formats whose rows come as a stream of Arrow, a new one for each reading: a reading of it, of which the next three
 * are the further functions. The stream is taken, also on failure. read (columns; NULL: none): which columns the stream
 * has read already (SBL_WAY_READ, of type uint32). */
sbl_status sbl_arrow_stream_cells(void **reading, struct ArrowArrayStream *rows, const sbl_table *table,
                                  const sbl_dialect *dialect, sbl_strings *names, sbl_error *err);
sbl_status sbl_arrow_stream_rows(void **reading, struct ArrowArrayStream *rows, const sbl_table *table,
                                 const bool *read, const sbl_schema *schema, const sbl_table_options *options,
                                 sbl_error *err);
sbl_status sbl_arrow_next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err);
sbl_status sbl_arrow_read_rows(void *state, sbl_batch *rows, sbl_error *err);
void sbl_arrow_close(void *state); /* NULL is fine */

/* A stream, and how to ask at its end whether rows of other types follow. */
typedef struct sbl_arrow_rows {
    struct ArrowArrayStream stream;
    sbl_resume_stream resume; /* NULL: none do */
    void *context;
} sbl_arrow_rows;

/* From the first row on; the caller releases the stream. name is for messages.
 * Returns: SBL_OK; SBL_EARG for a stream that was read already; SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_arrow_table_open(sbl_arrow_table *table, sbl_arrow_rows *rows, const char *name,
                                sbl_error *err);
/* Their types now; the caller releases the schema.   Returns: SBL_OK; SBL_EINPUT: it is not one of a table; SBL_EIO */
sbl_status sbl_arrow_rows_schema(sbl_arrow_rows *rows, struct ArrowSchema *schema, const char *name,
                                 sbl_error *err);
/* The stream has ended: do rows of other types follow? Then *next is their schema, which the caller releases; without a
 * release: none do. before: of the rows so far.   Returns: SBL_OK; SBL_EINPUT: their columns differ; SBL_EIO */
sbl_status sbl_arrow_rows_resume(sbl_arrow_rows *rows, struct ArrowSchema *next,
                                 const struct ArrowSchema *before, const char *name, sbl_error *err);
/* Has the stream all that one is made of? */
bool sbl_arrow_stream_is_whole(const struct ArrowArrayStream *stream);
/* One more batch to keep; takes it, also on failure. */
sbl_status sbl_arrow_table_add(sbl_arrow_table *table, struct ArrowArray *batch, const char *name,
                               sbl_error *err);
/* All that a stream still has becomes batches, which can be read again; the caller releases it. They are checked where
 * they are read. */
sbl_status sbl_arrow_table_keep(sbl_arrow_table *table, sbl_arrow_rows *rows, const char *name,
                                sbl_error *err);
void sbl_arrow_table_free(void *state); /* NULL is fine */

/* A producer's own words may quote cells: what it said is not passed on. */
sbl_status sbl_arrow_stream_failed(const char *name, sbl_error *err);

#endif
