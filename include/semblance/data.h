/* SPDX-License-Identifier: Apache-2.0 */
/* Private records: a table in a CSV, JSON or Parquet file, in a database, as typed column buffers or as an Arrow stream,
 * or images in files or in memory. Everything that reads records takes this handle:
 *
 *     sbl_data *data;
 *     sbl_data_open(&data, "patients.csv", NULL, &err);
 *     ...
 *     sbl_data_free(data);
 *
 * A cell of a table in memory means the same as in a CSV file: nulls are missing, numbers are clamped to
 * their bounds, a value that is not a declared category is `other` or unknown, and no row is ever refused
 * or dropped. The same table as CSV, as an Arrow stream and as typed buffers gives the same sums bit for
 * bit (docs/FORMATS.md says how each type is read). Only the container can be refused: a column that the
 * schema names is missing, two columns share a name, a type has no meaning as a cell, or lengths and
 * buffers contradict each other.
 *
 * Only one call may use a handle at a time. Another call, also one from a callback (sbl_open_stream, a stream's get_next,
 * progress), returns SBL_EBUSY. sbl_data_free() takes effect when the call that reads it ends.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_DATA_H
#define SEMBLANCE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "semblance/arrow.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sbl_data sbl_data;

SBL_API void sbl_data_free(sbl_data *data); /* wipes what was copied; NULL is fine */

/* ---- files ---- */

/* Records in a file. The name decides the format of a table:
 *   .parquet, .pq, .parq         Parquet; also a folder of such files (hive partitions are columns) or a pattern
 *                                (2024-*.parquet)
 *   .json                        JSON, an array of objects; plain or gzip (.json.gz)
 *   .ndjson, .jsonl              JSON, one object per line; plain or gzip
 *   .sav, .zsav, .dta,           files of SPSS, Stata and SAS, if the library ReadStat is there. A value with a label is
 *   .sas7bdat, .xpt              this label
 *   anything else                CSV, plain or gzip; "-" is standard input, which is read once
 * An image set is an IDX file, a comma list of CIFAR files, or a folder of CIFAR, PNG or JPEG files or of the files of
 * a fit. A list of files, a.csv,b.csv (a name with a comma that does not exist as a file), is one table: a header in
 * each, the same columns in all.
 * In:      path     copied, like the texts of options. The call opens nothing, with one exception: if options name a
 *                   table or query, it opens the file to see whether it is SQLite or DuckDB
 *          options  may be NULL
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_data_free() */
SBL_API SBL_MUST_USE sbl_status sbl_data_open(sbl_data **data, const char *path,
                                              const sbl_data_options *options, sbl_error *err);

/* The ledger that a fit of these records is charged to if none is named: the one next to them, or the place where
 * it will be made. Files of a list, of a folder and of a package share the ledger of the whole.
 * Out:     path  NULL: the records have no place for one (in memory, on a server, a stream, a folder that is not
 *                writable)
 * Returns: SBL_OK; SBL_EINPUT: there are two, and --ledger or ledger_path must name one; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_data_ledger(char **path, const sbl_data *data, sbl_error *err);

/* List the tables of a database: a file of SQLite or DuckDB, or a server. Reads its catalogue, and no row.
 * In:      options  name, duckdb, adbc_driver; may be NULL
 * Out:     tables   JSON, in the order of names: [{"kind":"table","name":"people"},...]. Kind "table": give this name as
 *                   sbl_data_options.table. Kind "view" (a view, a virtual or foreign table): only a query can read it
 * Returns: SBL_OK; SBL_EINPUT: not a database, or it cannot be read; SBL_EARG, SBL_EIO, SBL_EMEM
 * Owner:   the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_data_tables(char **tables, const char *path,
                                                const sbl_data_options *options, sbl_error *err);

/* ---- tables: typed buffers, batch by batch ---- */

/* What a buffer holds, one value per row. */
typedef enum sbl_values_type {
    SBL_VALUES_INT8 = 1,
    SBL_VALUES_INT16,
    SBL_VALUES_INT32,
    SBL_VALUES_INT64,
    SBL_VALUES_UINT8,
    SBL_VALUES_UINT16,
    SBL_VALUES_UINT32,
    SBL_VALUES_UINT64,
    SBL_VALUES_FLOAT,    /* float */
    SBL_VALUES_DOUBLE,   /* double; NaN is the cell "nan": missing if the schema says so, otherwise
                          * unreadable */
    SBL_VALUES_BOOL,     /* uint8_t, 0 or not */
    SBL_VALUES_TEXT,     /* const char *, UTF-8 that ends with a NUL; NULL: missing */
    SBL_VALUES_DATE,     /* int32_t, days since 1970-01-01 */
    SBL_VALUES_DATETIME, /* int64_t, seconds since 1970-01-01T00:00:00 */
    SBL_VALUES_CODE      /* uint32_t, for drawn values only: a category's place in
                          * sbl_schema_column.categories */
} sbl_values_type;

/* One column of a batch. All structs of a list have the same struct_size. */
typedef struct sbl_values {
    /* Set by sbl_values_init(). */
    size_t struct_size;
    /* The column's name; required. */
    const char *name;
    sbl_values_type type;
    /* (rows) of the type; required unless rows is 0. */
    const void *values;
    /* (rows), not 0 where the value is missing. Default NULL: none is missing. */
    const uint8_t *missing;
} sbl_values;

#define sbl_values_init(pointer) SBL_STRUCT_INIT(pointer)

/* A table without columns and rows yet.
 * Out:     data  the handle; NULL on failure
 * In:      name  its name in messages; NULL: "the table". Copied
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_data_free() */
SBL_API SBL_MUST_USE sbl_status sbl_data_new(sbl_data **data, const char *name, sbl_error *err);

/* Append rows. The first batch decides the columns and their types; every further batch has the
 * same, in the same order.
 * In:      columns  (count); copied: the caller may change or free them when this returns
 * Returns: SBL_OK; SBL_EARG: a name or a buffer is missing, the columns are not those of the first batch, an
 *          unknown type, a handle of another kind; SBL_EMEM. On failure the table does not change
 * Privacy: takes records */
SBL_API SBL_MUST_USE sbl_status sbl_data_append(sbl_data *data, const sbl_values *columns, size_t count,
                                                size_t rows, sbl_error *err);

/* ---- tables: Arrow ---- */

/* Gives a new stream over the same table, from its first row. Called once for each pass over the table
 * (one to three for a fit, and one more if rows are counted first). Every stream must give the
 * same rows in the same order.
 * Out:     stream  moved to the library, which releases it
 * Returns: 0; otherwise the table counts as unreadable, and the call that reads it fails with SBL_EIO */
typedef int (*sbl_open_stream)(void *context, struct ArrowArrayStream *stream);

/* Called when a stream has ended, to ask whether rows of other types follow. If so, the stream starts again:
 * get_schema() gives the new types, of columns with the same names in the same order. So the batches of a table may
 * differ in their types, and every cell is read by its own type.
 * In:      context  as given with the function
 *          stream   the stream that has ended
 * Returns: 1: rows follow; 0: no more rows; anything else: treated as a failure of get_next() */
typedef int (*sbl_resume_stream)(void *context, struct ArrowArrayStream *stream);

/* Where an Arrow table comes from: an opener, or one stream. Set up by sbl_arrow_source_init(). */
typedef struct sbl_arrow_source {
    /* Set by sbl_arrow_source_init(). */
    size_t struct_size;
    /* Called by the functions that read the table, in the caller's thread. */
    sbl_open_stream open;
    /* Passed to `open`; borrowed until the handle is freed. */
    void *context;
    /* Instead of `open`; moved: the library releases it, also on failure, and its release is NULL
     * afterwards. Only the first call can read it: a fit makes one release from it, as from a pipe, and a
     * method that needs more is refused. */
    struct ArrowArrayStream *stream;
    /* For `stream`: its batches are held in memory (borrowed from the producer, not copied) and can be
     * read again. Default false. */
    bool keep;
    /* The file, folder or pattern that the rows come from: messages name it, and its ledger is the one
     * next to it. Copied. Default NULL: the rows are in memory. */
    const char *path;
    /* Default NULL: a stream has one schema. */
    sbl_resume_stream resume;
} sbl_arrow_source;

#define sbl_arrow_source_init(pointer) SBL_STRUCT_INIT(pointer)

/* A table from Arrow streams. It reads structs of int8 to int64, uint8 to uint64, half, float, double,
 * decimal (32, 64, 128), bool, utf8, large utf8, utf8 view, date32, date64, timestamp of any unit and zone,
 * null, and dictionaries of these. Columns that the schema ignores or does not name may have any type.
 * Texts of a field with the metadata ARROW:extension:name = semblance.cells are cells of differing types
 * (docs/FORMATS.md#cells-of-differing-types).
 * In:      name     as above
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM; with keep also SBL_EINPUT, SBL_EIO. An opener is not called yet */
SBL_API SBL_MUST_USE sbl_status sbl_data_from_arrow(sbl_data **data, const sbl_arrow_source *source,
                                                    const char *name, sbl_error *err);

/* ---- images ---- */

/* Images in memory; set up by sbl_pixels_init(). Everything except pixels and labels is public by declaration. */
typedef struct sbl_pixels {
    /* Set by sbl_pixels_init(). */
    size_t struct_size;
    /* (count, height, width, channels); required unless count is 0. */
    const uint8_t *pixels;
    /* (count). A label that is not a class counts as class 0. Default NULL: images without labels. */
    const uint32_t *labels;
    /* The number of images. */
    uint64_t count;
    /* 1 to 128; required. */
    uint64_t height;
    /* 1 to 128; required. */
    uint64_t width;
    /* 1 (grey) or 3 (RGB). Default 1. */
    uint64_t channels;
    /* 1 to 1000 with labels, default 10; 0 without labels. */
    uint64_t classes;
    /* (classes). Default NULL: classes are numbers. */
    const char *const *class_names;
    /* The classes are declared equally frequent. Default false: noisy counts tell. */
    bool balanced;
} sbl_pixels;

#define sbl_pixels_init(pointer) SBL_STRUCT_INIT(pointer)

/* In:      images  its buffers are borrowed until the handle is freed, names are copied
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM
 * Privacy: takes records */
SBL_API SBL_MUST_USE sbl_status sbl_data_from_pixels(sbl_data **data, const sbl_pixels *images,
                                                     const char *name, sbl_error *err);

/* ---- linked tables ---- */

/* Several tables as one data set, for a schema that is a package (docs/FORMATS.md). Each table has its own handle and the
 * name that the package gives it, in any order. They are read table after table, each once. The handles are in use until
 * the new one is freed. You may free them immediately; they live as long as it does.
 * In:      tables, names  (count); names are copied. names NULL: each table is named after its file (patients.csv is patients)
 *          path           the package's file, for messages and the ledger's place; NULL: records in memory
 * Returns: SBL_OK; SBL_EARG: fewer than 2 or more than 32, one that is not a single table, two of one name; SBL_EBUSY:
 *          one is in use; SBL_EMEM
 * Owner:   the caller; sbl_data_free() */
SBL_API SBL_MUST_USE sbl_status sbl_data_link(sbl_data **data, sbl_data *const *tables,
                                              const char *const *names, size_t count, const char *path,
                                              sbl_error *err);

/* ---- for the owner's eyes: NOT PRIVATE ---- */

/* A first schema for a table without one, read from its records for the owner to edit. For linked tables (sbl_data_link()) a
 * package, with the keys that were found. NOT PRIVATE: its bounds and categories are facts about the records, and using the
 * schema makes them public.
 * In:      data    the file format is detected unless options state it
 *          output  a file for the schema as well; NULL: none. overwrite: an existing file may be replaced.
 *                  Files of a package are named relative to it, and must be in its folder
 * Out:     schema  Table Schema or Data Package JSON; notes  what to check, a line each, NULL: nothing; both
 *                  sbl_free(). notes may be NULL
 * Returns: SBL_OK; SBL_EARG for images and for data that can be read only once; SBL_EINPUT also for linked tables whose keys
 *          do not match; SBL_EIO, SBL_EMEM; SBL_ESTOPPED if the progress of the data's options asked for it */
SBL_API SBL_MUST_USE sbl_status sbl_schema_inspect(char **schema, char **notes, sbl_data *data,
                                                   const char *output, bool overwrite, sbl_error *err);

/* Say what each column of a schema becomes, and what is wrong with the schema. With data, also count the cells that do
 * not fit the schema: NOT PRIVATE, computed from the records, for the owner's eyes only.
 * In:      data  NULL: the schema alone
 * Out:     text  sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_schema_check(char **text, const sbl_schema *schema, sbl_data *data,
                                                 sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
