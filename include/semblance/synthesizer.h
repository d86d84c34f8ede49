/* SPDX-License-Identifier: Apache-2.0 */
/* The main job: records in, a model out, and records drawn from it.
 *
 *     sbl_synthesizer *synth;
 *     sbl_synthesizer_new(&synth, &err);
 *     sbl_synthesizer_fit(synth, data, schema, &options, &err);      (data.h, schema.h, options.h)
 *     draw.path = "synthetic.csv";                                   (an sbl_sample_options)
 *     sbl_synthesizer_sample(synth, &draw, &err);
 *     sbl_synthesizer_free(synth);
 *
 * Options are those of every fit (options.h). Unless sbl_synthesizer_write_to() names files, things are kept here:
 *   ledger       ledger_path names an existing ledger (sbl_ledger_init()), which is charged before any noise
 *                exists. Use it to keep several runs over one data set within one budget. Without it, records in
 *                a file (sbl_data_open()) have their ledger next to the file. For other records the handle has its
 *                own ledger, and all its fits are charged to it. The certificate of the first fit says "this run
 *                only"; that of any later fit states what all of them cost together. The costs of other handles
 *                are not added up. For data of other people use a new handle
 *   release      release_path, certificate_path: each release is on disk there before the next begins. Without
 *                them, releases and certificate are kept in the handle
 *   model        in the handle
 *
 * Only one call may use a handle at a time. While a call works with it, every other call, from another thread or
 * from a callback of the first, returns SBL_EBUSY and changes nothing. Functions that lend a text return NULL while
 * the handle changes. sbl_synthesizer_free() takes effect when the working call ends. Different handles are
 * independent. Nothing is global, nothing is printed. A handle holds nothing private: no record, no exact sum, no
 * noise key.
 *
 * Stability: stable (docs/C.md). */
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

/* Files that a fit writes; set up by sbl_output_init(). Texts are borrowed for as long as the handle
 * writes to them. NAME.release, NAME.certificate.json and NAME.schema.json (for a table whose schema is
 * discovered) are next to the records, or next to the model if there are none, unless the options name
 * them. The ledger of records in a file is next to that file. */
typedef struct sbl_output {
    /* Set by sbl_output_init(). */
    size_t struct_size;
    /* The synthetic table, or the folder of synthetic images. A table is Parquet if the name ends in
     * .parquet, .pq or .parq, and CSV otherwise; a name that ends in .gz means gzip, and "-" means
     * standard output. Default NULL: no records are drawn, and `model` is required. */
    const char *records;
    /* Default NULL: the model goes into no file. */
    const char *model;
    /* The exact number of rows to draw. Default 0: as many as were fitted. */
    uint64_t rows;
    /* For images. Default SBL_IMAGES_IDX: images-idx3-ubyte.gz (images-idx4-ubyte.gz for RGB) and
     * labels-idx1-ubyte.gz. PNG: one subfolder per class. */
    sbl_images_format format;
    /* A PNG that shows some images of every class. Default NULL: none. */
    const char *preview;
    /* The file of the schema, which no output may replace. Default NULL: none. */
    const char *schema;
    /* Draw this number of persons, each with all rows, instead of `rows`. Default 0: `rows` counts.
     * Requires a model of histories; SBL_EARG otherwise. */
    uint64_t persons;
    /* The path of DuckDB's library (libduckdb.so), which writes Parquet. Default NULL: found as
     * sbl_data_options.duckdb is. */
    const char *duckdb;
    /* Instead of one table, this number of replicates, 2 to 1000, in the folder `records`: 01.csv, 02.csv, ...;
     * for linked tables folders 01, 02, ... If `records` ends in .csv or .csv.gz, all of them are in this file, with
     * a first column "replicate". Each is drawn from the posterior given the releases, which costs
     * nothing. Methods pairs, forest, histories and marginals. Default 0: one table. */
    uint64_t replicates;
} sbl_output;

#define sbl_output_init(pointer) SBL_STRUCT_INIT(pointer)

/* The next fits and resumes of the handle write into these files, and train writes its model there. NULL: into
 * memory again. The handle still holds the guarantee in words and, if it goes into a file, the model.
 * Returns: SBL_OK; SBL_EARG, SBL_EBUSY */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_write_to(sbl_synthesizer *synth, const sbl_output *output,
                                                         sbl_error *err);

/* ---- before any record is read ---- */

/* Describe what a fit of n records would release first: blocks, noise, memory. Reads no record. Unless no_estimate
 * is set, it rehearses the run on made-up records to estimate its time, which may take some seconds.
 * Out:     text    for people, or one JSON object; sbl_free()
 * In:      schema  for a table; NULL for images
 *          data    for images: their pixels are not read; for a table: only its file format is used, may be NULL
 *          n       0: for images, their number if it is public
 * Returns: SBL_OK; SBL_EARG, SBL_EINPUT, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_plan(char **text, const sbl_schema *schema, sbl_data *data,
                                                     uint64_t n, bool json, const sbl_synth_options *options,
                                                     sbl_error *err);

/* ---- fit ---- */

/* Fit records. This replaces everything in the handle except its ledger, also on failure: without ledger_path the fit
 * is charged to the same ledger as those before. Another release_path than before would mean another ledger and is
 * refused (SBL_EARG). The ledger refuses another relation of neighbours (SBL_EINPUT).
 * In:      schema   for a table; NULL for images. NULL for a table: a part of the budget (discover_share) discovers one
 *                   first (sbl_synthesizer_schema()); a stream that can be read only once is then held in memory
 *          options  epsilon is required. progress is called while records are read and while a model is trained or
 *                   fitted
 * Returns: SBL_OK; SBL_ESTOPPED if progress asked for it; SBL_EBUDGET: nothing was drawn; SBL_EARG, SBL_EINPUT,
 *          SBL_EIO, SBL_EMEM, SBL_EENTROPY. After a failure the handle holds the releases that were paid for
 *          (sbl_synthesizer_release()), unless release_path names files for them. If it holds all of them,
 *          sbl_synthesizer_train() continues; if some, sbl_synthesizer_resume(). Neither pays again.
 *          From files sbl_synthesizer_resume() continues, with the same release_path
 * Privacy: reads records; everything in the handle afterwards is differentially private */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_fit(sbl_synthesizer *synth, sbl_data *data,
                                                    const sbl_schema *schema,
                                                    const sbl_synth_options *options, sbl_error *err);

/* Continue a fit that was stopped between two of its releases. Give the same arguments.
 * Returns: as above; SBL_EARG if the handle holds no release */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_resume(sbl_synthesizer *synth, sbl_data *data,
                                                       const sbl_schema *schema,
                                                       const sbl_synth_options *options, sbl_error *err);

/* Train a model again from the releases in the handle, at no cost: post-processing. Only the options of training
 * apply.
 * Returns: SBL_OK; SBL_EARG if the handle holds no release; SBL_EINPUT if some releases of the run are missing;
 *          SBL_ESTOPPED, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_train(sbl_synthesizer *synth,
                                                      const sbl_synth_options *options, sbl_error *err);

/* ---- what it holds ---- */

/* Save the model as a file, or as the bytes of one (docs/FORMATS.md). The program reads the same files.
 * In:      path       the file; NULL: bytes
 *          overwrite  a file of this name may be replaced
 * Out:     bytes      (size); both NULL if there is a path
 * Returns: SBL_OK; SBL_EARG if there is no model; SBL_EIO, SBL_EMEM
 * Owner:   the caller owns bytes; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_save(const sbl_synthesizer *synth, uint8_t **bytes,
                                                     size_t *size, const char *path, bool overwrite,
                                                     sbl_error *err);
/* Load a model from bytes or from a file. It replaces everything in the handle except its ledger. A model brings its
 * certificate, but no releases.
 * In:      bytes  (size); NULL: the file
 *          path   NULL: bytes
 * Returns: SBL_OK; SBL_EINPUT: not a model; SBL_EARG, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_load(sbl_synthesizer *synth, const uint8_t *bytes,
                                                     size_t size, const char *path, sbl_error *err);

/* What the handle holds. */
typedef struct sbl_synthesizer_facts {
    /* Set by the caller; the library fills no more than that. */
    size_t struct_size;
    /* The number of releases in the handle. */
    size_t releases;
    /* There is a model to draw from. If false, all fields below are 0 and NULL. */
    bool has_model;
    /* true: images; false: a table. */
    bool images;
    /* The method that fitted the model; borrowed from the handle. */
    const char *method;
    /* The number of records that were fitted: the public number, or a noisy one. For linked tables: the
     * number of persons, which are the rows of the root table. */
    uint64_t rows;
    /* The size of an image; 0 for a table. */
    uint64_t height;
    uint64_t width;
    uint64_t channels;
    /* For images: 0 if they have no labels. For a table: 1 if it has no label of classes. */
    uint64_t classes;
    /* The number of linked tables; 0 for a single table or images. */
    size_t tables;
} sbl_synthesizer_facts;

/* Returns: SBL_OK; SBL_EARG, SBL_EBUSY, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_get_facts(sbl_synthesizer *synth,
                                                          sbl_synthesizer_facts *facts, sbl_error *err);

/* The schema of the drawn table: the one of the fit, or the one that was discovered. For a model of a table.
 * Returns: SBL_OK; SBL_EARG if there is none; SBL_EMEM   Owner: the caller; sbl_schema_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_schema(sbl_schema **schema, sbl_synthesizer *synth,
                                                       sbl_error *err);

/* One of the releases that the handle holds, from 0, as the bytes of a file.
 * Returns: SBL_OK; SBL_EARG past the last; SBL_EMEM   Owner: the caller; sbl_free() */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_release(const sbl_synthesizer *synth, uint8_t **bytes,
                                                        size_t *size, size_t index, sbl_error *err);

typedef enum sbl_synthesizer_item {
    /* JSON. After a fit it lists the hash of the model. For a loaded model it is the certificate from
     * before the model was saved. */
    SBL_TEXT_CERTIFICATE,
    /* The guarantee in words, several lines. */
    SBL_TEXT_STATEMENT,
    /* All fits of this handle without ledger_path, as the text of a ledger file: sbl_certificate_verify()
     * compares their certificates with it. */
    SBL_TEXT_LEDGER,
    /* The short statement: the guarantee in symbols and in words, and its cost. */
    SBL_TEXT_STATEMENT_SHORT
} sbl_synthesizer_item;

/* Borrowed until the handle changes; NULL if there is none. */
SBL_API const char *sbl_synthesizer_text(const sbl_synthesizer *synth, sbl_synthesizer_item item);

/* ---- drawing: costs nothing, any number of times ---- */

/* A buffer for one column; all structs of a list have the same struct_size. */
typedef struct sbl_column_buffer {
    /* Set by sbl_column_buffer_init(). */
    size_t struct_size;
    /* The column's name; required. */
    const char *name;
    /* Numbers: SBL_VALUES_DOUBLE, _FLOAT or _INT64 (rounded). Dates: SBL_VALUES_DATE or _DOUBLE. Datetimes:
     * SBL_VALUES_DATETIME or _DOUBLE. Categories: SBL_VALUES_CODE; booleans also SBL_VALUES_BOOL. */
    sbl_values_type type;
    /* (rows) of the type; required. A missing value leaves an arbitrary value here; a missing code is the
     * number of categories. */
    void *values;
    /* (rows), 1 where the value is missing. NULL: not wanted. */
    uint8_t *missing;
} sbl_column_buffer;

#define sbl_column_buffer_init(pointer) SBL_STRUCT_INIT(pointer)

/* What is drawn and where it goes: exactly one of path, stream, streams, columns and pixels is given. Set up
 * by sbl_sample_options_init(). */
typedef struct sbl_sample_options {
    /* Set by sbl_sample_options_init(). */
    size_t struct_size;
    /* Default 0: as many as were fitted, or their noisy number. Required for columns and pixels. */
    uint64_t rows;
    /* Public. The same model, rows, seed and `where` give the same records. Default 0. */
    uint64_t seed;
    /* One condition per line, such as "COLUMN=VALUE" or "age > 80": only rows that satisfy all of them. A
     * model of histories draws persons, with all their rows, who have for each line a row that satisfies
     * it. Images take "label=CLASS". Default NULL: none. */
    const char *where;
    /* 1 to 1024, for this call. Default 0: as many as OpenMP would use. */
    unsigned threads;
    /* Not called for a stream, whose reader may stop at any time. Default NULL. */
    sbl_progress progress;
    void *context;

    /* Into a file: rows as CSV, the same bytes as the program writes (gzip if the name ends in .gz, "-" for
     * standard output), Parquet if it ends in .parquet, .pq or .parq (see `duckdb`), or images as files in a
     * folder. */
    const char *path;
    /* Default false. */
    bool overwrite;
    /* For images, as in sbl_output. */
    sbl_images_format format;
    const char *preview;

    /* As an Arrow stream that draws while it is read: integers are int64, numbers double, dates date32,
     * datetimes timestamp[s] (with zone UTC if the schema says so), booleans bool, strings utf8. The
     * caller releases it. It does not need the handle any more. Its error texts are the library's. */
    struct ArrowArrayStream *stream;

    /* Into buffers: the named columns, with the same rows as a stream. */
    const sbl_column_buffer *columns;
    size_t column_count;

    /* Images into a buffer: (rows, height, width, channels). */
    uint8_t *pixels;
    /* (rows). NULL: not wanted. */
    uint32_t *labels;

    /* Draw this number of persons, each with all rows, instead of `rows`, into `path` or `stream`. Default 0:
     * exactly `rows` rows are drawn, so the last person may lack some rows. Requires a model of histories;
     * SBL_EARG otherwise. */
    uint64_t persons;

    /* Linked tables as Arrow streams: one per table, in the order of the schema, all about the same
     * persons. The call draws them and holds them until each is released. A model of linked tables goes
     * into these or into `path`, a folder; any other model gives SBL_EARG. */
    struct ArrowArrayStream *streams;
    /* The number of tables (sbl_synthesizer_facts). */
    size_t stream_count;

    /* For a Parquet `path`, as in sbl_output. */
    const char *duckdb;

    /* Instead of one table, this number of replicates, 2 to 1000, in the folder or CSV file `path`, as in sbl_output. They
     * are drawn from releases: those of `release`, else those that the handle holds. */
    uint64_t replicates;
    /* With `replicates`: the first release file of a run. The handle needs no model then. Default NULL. */
    const char *release;
} sbl_sample_options;

#define sbl_sample_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Draw records.
 * Returns: SBL_OK; SBL_EARG: there is no model, it is of another kind, `where` is wrong, or a column or its type does
 *          not exist; SBL_EIO, SBL_ESTOPPED, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_synthesizer_sample(sbl_synthesizer *synth,
                                                       const sbl_sample_options *options, sbl_error *err);

/* ---- replicates: what a valid confidence interval needs ---- */

/* Models that are drawn from the posterior given the releases of a run, one after the other, at no cost. Draw one table
 * from each, run the same analysis on all of them and combine the results: the interval then covers the noise and the
 * error of sampling. Only one call may use the handle at a time; every other call returns SBL_EBUSY. */
typedef struct sbl_replicates sbl_replicates;

/* Fit the model of the releases again, and make it ready to be drawn from. Methods pairs, forest, histories and
 * marginals. `synth` is not needed afterwards.
 * In:      synth    holds the releases, unless options->release names them. Its certificate, if there is one, goes into
 *                   every model
 *          options  release, seed, threads, progress and context count; progress is called during this call only.
 *                   The same releases and seed give the same models
 * Returns: SBL_OK; SBL_EARG: there are no releases, or the method has no replicates; SBL_EINPUT: the releases are not
 *          whole, or not those of the certificate; SBL_EIO, SBL_ESTOPPED, SBL_EMEM
 * Owner:   the caller; sbl_replicates_free() */
SBL_API SBL_MUST_USE sbl_status sbl_replicates_new(sbl_replicates **replicates, sbl_synthesizer *synth,
                                                   const sbl_sample_options *options, sbl_error *err);
SBL_API void sbl_replicates_free(sbl_replicates *replicates); /* NULL is fine */

/* The next model, at most 1000 of them. It replaces everything in `into` except its ledger. Give each draw of a table its
 * own seed: the program uses seed + 1, seed + 2, ...
 * Returns: SBL_OK; SBL_EARG after the last; SBL_EBUSY, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_replicates_next(sbl_replicates *replicates, sbl_synthesizer *into,
                                                    sbl_error *err);

/* ---- schemas and networks, by their files ---- */

/* Discover the schema of an undescribed table: names come from the header, types, bounds and
 * categories from up to four releases (docs/mechanisms/discover.md). It is written to output as a Table
 * Schema that states its origin. Only the options of the guarantee and the files apply.
 * Out:     statement  the guarantee in words, after a line for each column about which nothing could be
 *                     discovered (sbl_free); may be NULL
 * In:      resume     continue a run that was stopped: releases on disk are not paid for again
 * Privacy: reads records; releases, certificate and schema are differentially private.
 * Returns: SBL_OK; SBL_EBUDGET, also if the noise would hide everything; SBL_EARG for a stream or
 *          a pure guarantee; SBL_EINPUT, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_discover(char **statement, sbl_data *input, const char *output,
                                                    bool resume, const sbl_synth_options *options,
                                                    sbl_error *err);

/* The owner accepts a schema that was read from the records, and so declares its facts public. Its proposals
 * (docs/FORMATS.md) are taken or dropped.
 * In:  take    "all", "none", or numbers from 1 and kinds, separated by commas; NULL: it has no proposals
 *      output  the file of the accepted schema, which may be schema_path itself; NULL: none.
 *              overwrite: as in the options
 * Out: schema  Table Schema JSON; words  what was done, one line; both sbl_free()
 * Returns: SBL_OK; SBL_EARG if `take` leaves proposals undecided or names ones that do not exist; SBL_EINPUT,
 *          also if the result is not a schema; SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_schema_accept(char **schema, char **words, const char *schema_path,
                                                  const char *take, const char *output, bool overwrite,
                                                  sbl_error *err);

/* Describe an encoder: layers, shapes, counts, hash, and its training data.
 * In:  path  a safetensors file; NULL or "vgg-s": the built-in one
 *      side  of its input in pixels, 16 to 256; 0: 32
 * Out: text for people, or one JSON object; sbl_free
 * Returns: SBL_OK; SBL_EINPUT if it is not such a network; SBL_EARG, SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_images_encoder_show(char **text, const char *path, uint64_t side,
                                                        bool json, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
