/* SPDX-License-Identifier: Apache-2.0 */
/* A table of records in any format, and the single way to read it: as typed rows of a schema (sbl_rows), or
 * as cells if there is no schema yet (sbl_cell_reader).
 *
 * A format is one small table of functions and works everywhere at once: in a fit, an evaluation, the inspection and
 * the check of a schema, and its discovery. tests/framework/toy_format.c is one. */
#ifndef SBL_ROWS_TABLE_H
#define SBL_ROWS_TABLE_H

#include "base/progress.h"
#include "public/rows/row_batch.h"
#include "public/schema/dialect.h"
#include "public/schema/schema_type.h"
#include "records/rows/cell.h"

typedef struct sbl_format sbl_format;

typedef struct sbl_table {
    const sbl_format *format;
    const char *name; /* for messages; texts are borrowed */
    /* The file, which must not change between two readings. "-": standard input; NULL: no file. */
    const char *path;
    void *state; /* the format's own */
    /* How it is written, whatever a schema declares. NULL: nothing was given. */
    const sbl_data_options *written;
    bool can_rewind;            /* it can be read again from its first row on */
    uint64_t count;             /* of rows, where the container says so; 0: known at the end */
    const sbl_strings *columns; /* declared names, of a format that has none; NULL: not declared */
    /* Called with the number of rows of this reading so far (NOT PRIVATE); may stop it. NULL: none. */
    sbl_progress_listener *listener;
} sbl_table;

#define SBL_RECORD_LIMIT ((size_t)1 << 20)

/* How rows are read by a schema. */
typedef struct sbl_table_options {
    /* Called once for each column of the table that the schema does not describe; name is one line
     * of printable text. NULL: not told. */
    void (*extra_column)(void *context, const char *name);
    void *context;
    /* SBL_SIPHASH_KEY_SIZE secret bytes, borrowed while the table is read: where the schema has a
     * unit, its column must be in the table, and batches say whose row each is, as a keyed hash of the
     * cell (unit_id.h), also in records that are too long. An empty or missing cell has no
     * person. NULL: the column is skipped. */
    const uint8_t *unit_key;
    /* With a unit_key: a column of the schema that is ignored and not the unit must be in the table, too,
     * and batches that keep keys (row_batch.h) have a hash of its cells likewise. */
    bool with_keys;
    size_t key_column;
    bool unit_optional; /* the unit's column may be absent: then no row has a person */
    /* Counts odd rows (diagnose.h). NULL: not asked for. */
    struct sbl_diagnosis *diagnosis;
    size_t record_limit; /* longest record of text whose cells are read; 0: SBL_RECORD_LIMIT. Has no
                            * influence on where a record ends. */
    size_t chunk;        /* bytes read at a time; 0: 256 KiB. Has no influence on what is read. */
} sbl_table_options;

struct sbl_format {
    /* Begin to read cells, from the first row on.
     * In:  dialect  how a text is written, where that matters
     * Out: names    of the columns; one that has none is "". With names_in_records also in: those that are looked
     *               for; none: all that there are, which is NOT PRIVATE */
    sbl_status (*open)(void **reading, const sbl_table *table, const sbl_dialect *dialect, sbl_strings *names,
                       sbl_error *err);
    /* The next row, a cell for each name; they are good until the next call. */
    sbl_status (*next)(void *reading, sbl_cell *cells, bool *more, sbl_error *err);
    void (*close)(void *reading); /* wipes; NULL is fine */

    /* The rest may be NULL. */

    /* How many rows a reading gives, without looking at their cells: just as many as are read, or a refusal.
     * dialect, schema: as of the reading, the latter of cells NULL. NULL: they are read. */
    sbl_status (*count)(uint64_t *rows, const sbl_table *table, const sbl_dialect *dialect,
                        const sbl_schema *schema, sbl_error *err);

    /* The quick way straight into rows of a schema, with the meaning of cells that records/rows/column_binding.h gives. The
     * schema and options (never NULL) are borrowed until close_rows(). batch->rows is 0 at the end. */
    sbl_status (*open_rows)(void **reading, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err);
    sbl_status (*read_rows)(void *reading, sbl_batch *batch, sbl_error *err);
    /* The same by `count` threads: consecutive rows, in the order of the batches. A batch may be empty; the first one is
     * empty only at the end. done() is called for each batch by the thread that filled it. */
    sbl_status (*read_many)(void *reading, sbl_batch *const *batches, size_t count,
                            void (*done)(void *context, size_t batch), void *context, sbl_error *err);
    void (*close_rows)(void *reading); /* wipes; NULL is fine */

    /* How cells are read by this schema, before the first of them, where what the file says of its columns (value
     * labels) and the schema decide that together. SBL_EINPUT: they contradict each other. */
    sbl_status (*match)(void *reading, const sbl_schema *schema, sbl_error *err);
    /* What the file says of its columns, apart from rows: a JSON list of {"name", "title", "labels", "codes",
     * "user_missing"}, for the draft of a schema. */
    sbl_status (*describe)(json_t **columns, const sbl_table *table, sbl_error *err);

    /* Does the header's line end with "\r\n"? Public, as the header is: no record is looked at. */
    bool (*ends_crlf)(const void *reading);
    /* How the table seems to be written, as far as that was not given. NOT PRIVATE */
    sbl_status (*sniff)(sbl_dialect *dialect, const sbl_table *table, const sbl_data_options *given,
                        sbl_error *err);
    void (*drop)(void *state); /* frees the table's state */
    /* Names are in a line that might be a record, and the text itself decides what is a record. */
    bool is_text;
    bool names_in_records;
};

extern const sbl_format sbl_csv_format;
extern const sbl_format sbl_json_format;       /* an array of objects */
extern const sbl_format sbl_json_lines_format; /* an object a line */
extern const sbl_format sbl_statistics_format; /* files of SPSS, Stata and SAS (formats/statistics.h) */
/* The bytes of such a table that is not a file: its state, borrowed while it is read. */
typedef struct sbl_csv_bytes {
    const void *bytes;
    size_t size;
} sbl_csv_bytes;
/* A CSV file, plain or gzip; "-": standard input. Opens nothing. */
sbl_table sbl_csv_table(const char *path);
/* Can this path be read only once: standard input, a pipe, a device? Opens nothing. */
bool sbl_path_is_stream(const char *path);

/* ---- rows of a schema ---- */

typedef struct sbl_rows sbl_rows;

/* Open a table, check its container and its columns. options may be NULL; table, schema and options' texts are
 * borrowed until sbl_rows_close. An ignored column may be absent.
 * Returns: SBL_OK, SBL_EINPUT (container fault), SBL_EIO, SBL_EMEM */
sbl_status sbl_rows_open(sbl_rows **rows, const sbl_table *table, const sbl_schema *schema,
                         const sbl_table_options *options, sbl_error *err);
/* Up to batch->capacity rows of the same schema; batch->rows is 0 at the end.
 * Privacy: fills the batch with records. */
sbl_status sbl_rows_read(sbl_rows *rows, sbl_batch *batch, sbl_error *err);
/* Fills several batches with consecutive rows, one thread per batch; only the first batch if the format cannot. A batch may be
 * empty; the first one is empty only at the end. done() is called by the thread that filled a batch, for every batch that may have
 * rows. `count` is the same in every call.
 * Privacy: fills the batches with records. */
sbl_status sbl_rows_read_many(sbl_rows *rows, sbl_batch *const *batches, size_t count,
                              void (*done)(void *context, size_t batch), void *context, sbl_error *err);
void sbl_rows_close(sbl_rows *rows); /* wipes; NULL is fine */
/* How many rows a reading of the whole table gives.
 * Returns: as of such a reading; a fault of the container that lies beyond the ends of rows may be found by that alone
 * Privacy: their number, which must be public. */
sbl_status sbl_rows_count(uint64_t *count, const sbl_table *table, const sbl_schema *schema, sbl_error *err);

/* ---- cells ---- */

/* A reading of a table without a schema. */
typedef struct sbl_cell_reader {
    const sbl_format *format;
    void *reading;
    sbl_strings names;
    sbl_cell *cells;                 /* (names.count): of the row at hand.   Privacy: records */
    sbl_progress_listener *listener; /* of the table */
    uint64_t rows;                   /* so far */
} sbl_cell_reader;

#define SBL_ROWS_BETWEEN_WORDS 1024 /* to the listener */

/* SBL_ESTOPPED where the listener, who may be NULL, says so. */
sbl_status sbl_report_rows_read(sbl_progress_listener *listener, uint64_t rows, sbl_error *err);

sbl_status sbl_cell_reader_open(sbl_cell_reader *cells, const sbl_table *table, const sbl_dialect *dialect,
                                sbl_error *err);
static inline sbl_status sbl_cell_reader_next(sbl_cell_reader *cells, bool *more, sbl_error *err)
{
    if (cells->listener != NULL && cells->rows++ % SBL_ROWS_BETWEEN_WORDS == 0) {
        const sbl_status status = sbl_report_rows_read(cells->listener, cells->rows - 1, err);
        if (status != SBL_OK) return status;
    }
    return cells->format->next(cells->reading, cells->cells, more, err);
}
void sbl_cell_reader_close(sbl_cell_reader *cells); /* wipes; an empty one is fine */
/* How many rows it gives: sbl_rows_count(). */
sbl_status sbl_cell_reader_count(uint64_t *count, const sbl_table *table, const sbl_dialect *dialect,
                                 sbl_error *err);

/* Can these be the names of columns, each of one? Where a line holds them it may be a record: one with an empty
 * name, a name twice or a name that reads as a number or a date is refused, and no message quotes it.
 * Returns: SBL_OK; SBL_EINPUT */
sbl_status sbl_names_check(const sbl_strings *names, const sbl_table *table, sbl_error *err);

/* "NAME changed after it was read first", SBL_EINPUT. */
sbl_status sbl_source_has_changed(const char *name, sbl_error *err);

#endif
