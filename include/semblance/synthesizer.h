/* The main job: records in, a model out, and records drawn from it.
 *
 *     sbl_synthesizer *synth;
 *     sbl_synthesizer_new(&synth, &err);
 *     sbl_synthesizer_fit(synth, data, schema, &options, &err);      (data.h, schema.h, options.h)
 *     draw.path = "synthetic.csv";                                   (an sbl_sample_options)
 *     sbl_synthesizer_sample(synth, &draw, &err);
 *     sbl_synthesizer_free(synth);
 *
 * Options are those of every fit (options.h). Where things are kept, unless sbl_synthesizer_write_to() names files:
 *   ledger       ledger_path names a file that is there (sbl_ledger_init()), and is charged before any noise
 *                exists: the way to keep several runs over one data set within one budget. Without one the
 *                handle has a ledger of its own, to which all its fits are charged: after the first the scope of
 *                the certificate is "this run only", after any other it states what all of them cost together.
 *                Nobody adds up what other handles cost. For data of other people use a new handle
 *   release      release_path, certificate_path: each release is on disk there before the next begins. Without
 *                them releases and certificate are kept in the handle
 *   model        in the handle
 * Records that are in a file (sbl_data_open()) have their ledger beside it.
 *
 * A handle is one call's at a time: while a call works with it, every other one, from another thread or from a
 * callback of the first, returns SBL_EBUSY and changes nothing, functions that lend a text give NULL while the handle
 * changes, and sbl_synthesizer_free() takes effect when that call ends. Different handles are free of each other.
 * Nothing is global, nothing is printed. A handle holds nothing private: no record, no exact sum, no key of any noise. */
#ifndef SEMBLANCE_SYNTHESIZER_H
#define SEMBLANCE_SYNTHESIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/arrow.h"
#include "semblance/data.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/schema.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sbl_synthesizer sbl_synthesizer;

/* Returns: SBL_OK; SBL_EARG, SBL_EMEM
 * Owner:   the caller; sbl_synthesizer_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_new(sbl_synthesizer **synth, sbl_error *err);
SBL_API void sbl_synthesizer_free(sbl_synthesizer *synth); /* NULL is fine */

/* ---- files ---- */

typedef enum sbl_images_format { SBL_IMAGES_IDX = 0, SBL_IMAGES_PNG } sbl_images_format;

/* Files that a fit writes; set up by sbl_output_init(). Texts are borrowed for as long as the handle writes to
 * them. Beside the records, or the model where there are none, stand NAME.release, NAME.certificate.json and
 * NAME.schema.json (of a table whose schema is discovered), unless the options name them; the ledger of records
 * that are in a file stands beside that. */
typedef struct sbl_output {
    size_t struct_size; /* set by sbl_output_init() */
    const char *
        records; /* the synthetic table (Parquet when it ends in .parquet, .pq or .parq, else CSV, gzip when it
                          * ends in .gz; "-": standard output), or the folder of synthetic images; default NULL: none are drawn, and the model is needed */
    const char *model; /* default NULL: it goes into no file */
    uint64_t rows;     /* to be drawn, exactly; default 0: as many as were fitted */
    sbl_images_format
        format;          /* of images; default SBL_IMAGES_IDX: images-idx3-ubyte.gz (images-idx4-ubyte.gz for
                               * RGB) and labels-idx1-ubyte.gz; PNG: one subfolder per class */
    const char *preview; /* a PNG of some images of every class; default NULL: none */
    const char *schema;  /* the file of the schema, which none of these may replace; default NULL: none */
    uint64_t persons;    /* in place of rows: so many persons with all their rows; default 0: rows count. Of
                          * a model of histories, else SBL_EARG */
    const char *
        engine; /* of Parquet: the path of DuckDB's library (libduckdb.so), which writes it; default NULL: found
                          * as sbl_data_options.engine is */
} sbl_output;

#define sbl_output_init(pointer) SBL_STRUCT_INIT(pointer)

/* Let the next fits and resumes of the handle write into files, and train write its model there; NULL: into
 * memory again. What was fitted is the handle's, too: the model, if it goes into a file, and the guarantee in words.
 * Returns: SBL_OK; SBL_EARG, SBL_EBUSY */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_write_to(sbl_synthesizer *synth, const sbl_output *output,
                                                         sbl_error *err);

/* ---- before any record is read ---- */

/* What a fit of n records would release first: blocks, noise, memory. Reads no record. How long a run takes is
 * rehearsed on made-up records, which may take some seconds, unless no_estimate.
 * Out:     text    for people, or one JSON object; sbl_free()
 * In:      schema  of a table; or NULL, with images
 *          data    of images, whose pixels are not read; of a table may be NULL: nothing counts but how it is written
 *          n       0: of images their number, where it is public
 * Returns: SBL_OK; SBL_EARG, SBL_EINPUT, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_plan(char **text, const sbl_schema *schema, sbl_data *data,
                                                     uint64_t n, bool json, const sbl_synth_options *options,
                                                     sbl_error *err);

/* ---- fit ---- */

/* Fit records. Whatever the handle held before is gone, also on failure, but for what its fits cost: without ledger_path
 * this one is charged to the same ledger. With another release_path than before that would be another one, and is
 * refused (SBL_EARG); so is another relation of neighbours, by the ledger (SBL_EINPUT).
 * In:      schema  of a table; NULL of images. NULL of a table: a part of the budget (discover_share) discovers one
 *                  first (sbl_synthesizer_schema()); a stream that can be read once is held in memory for that
 *          options epsilon is needed. progress: asked while records are read and while a model is trained or fitted
 * Returns: SBL_OK; SBL_ESTOPPED when progress asked for it; SBL_EBUDGET: nothing was drawn; SBL_EARG, SBL_EINPUT,
 *          SBL_EIO, SBL_EMEM, SBL_EENTROPY. After a failure the handle holds the releases
 *          that were paid for (sbl_synthesizer_release()), unless release_path names files for them: with all of
 *          them sbl_synthesizer_train() goes on, with some sbl_synthesizer_resume(), and neither pays again.
 *          From files sbl_synthesizer_resume() goes on, with the same release_path
 * Privacy: reads records; what the handle holds afterwards is differentially private */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_fit(sbl_synthesizer *synth, sbl_data *data,
                                                    const sbl_schema *schema,
                                                    const sbl_synth_options *options, sbl_error *err);

/* Go on with a fit that was stopped between two of its releases. Arguments as they were.
 * Returns: as above; SBL_EARG when the handle holds no release */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_resume(sbl_synthesizer *synth, sbl_data *data,
                                                       const sbl_schema *schema,
                                                       const sbl_synth_options *options, sbl_error *err);

/* A model again from the releases that the handle holds, at no cost: post-processing. Of the options those of
 * training count.
 * Returns: SBL_OK; SBL_EARG when the handle holds no release; SBL_EINPUT when not all of the run are there;
 *          SBL_ESTOPPED, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_train(sbl_synthesizer *synth,
                                                      const sbl_synth_options *options, sbl_error *err);

/* ---- what it holds ---- */

/* The model as the bytes of a file (docs/FORMATS.md), and back; the program reads the same files.
 * Returns: SBL_OK; SBL_EARG when there is none; SBL_EINPUT for bytes that are no model; SBL_EIO, SBL_EMEM
 * Owner:   of bytes the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_save(const sbl_synthesizer *synth, uint8_t **bytes,
                                                     size_t *size, sbl_error *err);
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_save_file(const sbl_synthesizer *synth, const char *path,
                                                          bool overwrite, sbl_error *err);
/* In place of whatever the handle held, but for what its fits cost. A model brings its certificate; releases are no
 * part of it. */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_load(sbl_synthesizer *synth, const uint8_t *bytes,
                                                     size_t size, sbl_error *err);
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_load_file(sbl_synthesizer *synth, const char *path,
                                                          sbl_error *err);

/* What the handle holds. */
typedef struct sbl_synthesizer_facts {
    size_t struct_size; /* the caller sets it; the library fills no more than that */
    size_t releases;    /* that it holds */
    bool has_model;     /* there is a model to draw from; else all below is 0 and NULL */
    bool images;        /* else a table */
    const char *method; /* that the model was fitted by; borrowed from the handle */
    uint64_t rows;      /* records that it was fitted to: public, or their noisy number; of linked tables
                    * persons, the rows of the root */
    uint64_t height;    /* of images; else 0 */
    uint64_t width;     /* likewise */
    uint64_t channels;  /* likewise */
    uint64_t classes;   /* of images: 0 without labels; of a table: 1 without a label of classes */
    size_t tables;      /* that are linked; 0: one table, or images */
} sbl_synthesizer_facts;

/* Returns: SBL_OK; SBL_EARG, SBL_EBUSY, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_get_facts(sbl_synthesizer *synth,
                                                          sbl_synthesizer_facts *facts, sbl_error *err);

/* The schema of what is drawn: the one of the fit, or the one that was discovered. Of a model of a table.
 * Returns: SBL_OK; SBL_EARG when there is none; SBL_EMEM   Owner: the caller; sbl_schema_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_schema(sbl_schema **schema, sbl_synthesizer *synth,
                                                       sbl_error *err);

/* One of the releases that the handle holds, from 0, as the bytes of a file.
 * Returns: SBL_OK; SBL_EARG past the last; SBL_EMEM   Owner: the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_release(const sbl_synthesizer *synth, uint8_t **bytes,
                                                        size_t *size, size_t index, sbl_error *err);

typedef enum sbl_synthesizer_item {
    SBL_TEXT_CERTIFICATE, /* JSON. After a fit it lists the hash of the model; of a model that was loaded it is the one
                      * of before it was saved */
    SBL_TEXT_STATEMENT, /* the guarantee in words, several lines */
    SBL_TEXT_LEDGER /* of all fits of this handle without ledger_path, as the text of a file: to hold their
                      * certificates against (sbl_certificate_verify()) */
} sbl_synthesizer_item;

/* Borrowed until the handle changes; NULL when there is none. */
SBL_API const char *sbl_synthesizer_text(const sbl_synthesizer *synth, sbl_synthesizer_item item);

/* ---- drawing: costs nothing, any number of times ---- */

/* A buffer for one column; all structs of a list have the same struct_size. */
typedef struct sbl_column_buffer {
    size_t struct_size;   /* set by sbl_column_buffer_init() */
    const char *name;     /* of the column; needed */
    sbl_values_type type; /* numbers: SBL_VALUES_DOUBLE, _FLOAT or _INT64 (rounded); dates: SBL_VALUES_DATE
                           * or _DOUBLE; datetimes: SBL_VALUES_DATETIME or _DOUBLE; categories:
                           * SBL_VALUES_CODE, booleans SBL_VALUES_BOOL too */
    void *
        values; /* (rows) of the type; needed. Of a missing value: some value, of a code the number of categories */
    uint8_t *missing; /* (rows), 1 where the value is missing; NULL: not wanted */
} sbl_column_buffer;

#define sbl_column_buffer_init(pointer) SBL_STRUCT_INIT(pointer)

/* What is drawn and where it goes: exactly one of path, stream, streams, columns and pixels is given. Set up
 * by sbl_sample_options_init(). */
typedef struct sbl_sample_options {
    size_t struct_size; /* set by sbl_sample_options_init() */
    uint64_t
        rows; /* default 0: as many as were fitted (or their noisy number); to be said for columns and pixels */
    uint64_t seed;     /* public; default 0. The same model, rows, seed and where give the same records */
    const char *where; /* one condition a line, "COLUMN=VALUE", "age > 80": rows that hold all; of a model of
                         * histories persons with all their rows who have, for each line, a row that
                         * holds it; of images "label=CLASS". Default NULL: none */
    unsigned threads;  /* 1 to 1024; default 0: as many as OpenMP would use. Holds for the call */
    sbl_progress progress; /* default NULL. Not asked by a stream: whoever reads it may stop */
    void *context;

    /* Into a file: rows as CSV, the same bytes as the program writes, gzip where it ends in .gz, "-": standard
     * output; Parquet where it ends in .parquet, .pq or .parq (see engine); images as files in a folder. */
    const char *path;
    bool overwrite;           /* default false */
    sbl_images_format format; /* of images, as in sbl_output */
    const char *preview;

    /* As an Arrow stream, drawn while it is read: integers are int64, numbers double, dates date32, datetimes
     * timestamp[s] (with zone UTC where the schema says so), booleans bool, strings utf8. The caller's to release;
     * it does not need the handle any more. Its error is text of ours. */
    struct ArrowArrayStream *stream;

    /* Into buffers: the columns that are asked for, the same rows as of a stream. */
    const sbl_column_buffer *columns;
    size_t column_count;

    /* Images into buffers. */
    uint8_t *pixels;  /* (rows, height, width, channels) */
    uint32_t *labels; /* (rows); NULL: not wanted */

    /* In place of rows: so many persons with all their rows, into path or stream; default 0: rows count, and
     * exactly so many are drawn, so that the last person may lack some of its own. Of a model of histories, else
     * SBL_EARG. */
    uint64_t persons;

    /* Linked tables as Arrow streams: one for each table, in the order of the schema's, all of the same persons. They
     * are drawn by the call and held until each is released. Of a model of linked tables, which goes into
     * these or into path, a folder; else SBL_EARG. */
    struct ArrowArrayStream *streams; /* (stream_count) */
    size_t stream_count;              /* as many as there are tables (sbl_synthesizer_facts) */

    const char *engine; /* of a path of Parquet, as in sbl_output */
} sbl_sample_options;

#define sbl_sample_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Draw records.
 * Returns: SBL_OK; SBL_EARG: there is no model, or not of this kind; where; no such column, or a type that it has
 *          not; SBL_EIO, SBL_ESTOPPED, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_sample(sbl_synthesizer *synth,
                                                       const sbl_sample_options *options, sbl_error *err);

/* ---- schemas and networks, by their files ---- */

/* Discover the schema of a table that nobody has described: names from the header, types, bounds and
 * categories from up to four releases (docs/mechanisms/discover.md), written to output as a Table
 * Schema that says so. Of the options those of the guarantee and the files count.
 * Out:     statement  the guarantee in words, after a line for each column of which nothing could be
 *                     discovered (sbl_free); may be NULL
 * In:      resume     go on with a run that was stopped: what is on disk is not paid for again
 * Privacy: reads records; releases, certificate and schema are differentially private.
 * Returns: SBL_OK; SBL_EBUDGET, also where the noise would hide everything; SBL_EARG for a stream or
 *          a pure guarantee; SBL_EINPUT, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_suggest(char **statement, sbl_data *input, const char *output,
                                                   bool resume, const sbl_synth_options *options,
                                                   sbl_error *err);

/* The owner's word on a schema that was guessed: what it says is public. Proposals that it holds
 * (docs/FORMATS.md) are taken or dropped.
 * In:  take    "all", "none", or numbers from 1 and kinds, separated by commas; NULL: it holds none
 *      output  where the accepted schema goes, which may be schema_path itself; NULL: nowhere.
 *              overwrite: as of the options
 * Out: schema  Table Schema JSON; words  what was done, one line; both sbl_free()
 * Returns: SBL_OK; SBL_EARG for proposals that nothing was said of, or that are none; SBL_EINPUT, also
 *          where what was taken makes no schema; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_accept(char **schema, char **words, const char *schema_path,
                                                  const char *take, const char *output, bool overwrite,
                                                  sbl_error *err);

/* What a frozen network is: layers, shapes, counts, hash, and what it was trained on.
 * In:  path  a safetensors file; NULL or "vgg-s": the one that is built in
 *      side  of its input in pixels, 16 to 256; 0: 32
 * Out: text for people, or one JSON object; sbl_free
 * Returns: SBL_OK; SBL_EINPUT for what is no such network; SBL_EARG, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_images_encoder_show(char **text, const char *path, uint64_t side,
                                                        bool json, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
