/* SPDX-License-Identifier: Apache-2.0 */
/* Measure the quality of a synthetic table or image set: real against synthetic, with a floor and a ceiling.
 *
 *     sbl_evaluate_options options;
 *     char *text;
 *     sbl_evaluate_options_init(&options);
 *     sbl_evaluate(NULL, &text, real, synthetic, NULL, schema, &options, &err);
 *     sbl_free(text);
 *
 * In libsemblance-evaluate, which is linked before libsemblance and is of the same version.
 *
 * NOT PRIVATE: every number is computed from real records, and both outputs say so first. They are for the
 * owner's eyes. Evaluation touches no ledger. docs/EVALUATION.md has the formula of each number.
 *
 * Stability: stable (docs/C.md). */
#ifndef SEMBLANCE_EVALUATE_H
#define SEMBLANCE_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "semblance/arrow.h"
#include "semblance/data.h"
#include "semblance/export.h"
#include "semblance/memory.h"
#include "semblance/options.h"
#include "semblance/status.h"
#include "semblance/synthesizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set up by sbl_evaluate_options_init(). A number 0 or a NULL means the default. */
typedef struct sbl_evaluate_options {
    /* Set by sbl_evaluate_options_init(). */
    size_t struct_size;
    /* A comma-separated list, or "none". Default: all built-in models. */
    const char *models;
    /* Tables: the most sets of columns of each size, up to 100000. Default 2000. */
    uint64_t sets;
    /* Images: the encoder in whose features the Frechet distance is measured, a safetensors file, or "vgg-s",
     * which is built in. Default: a random network of ours. */
    const char *encoder_path;
    /* For samples, shuffles and models; public. Default 0. */
    uint64_t seed;
    /* 1 to 1024, for this call. Default: all. */
    unsigned threads;

    /* Default: none. */
    sbl_notice notice;
    /* Passed to notice and progress. */
    void *context;

    /* Called in the caller's thread, before each part of the study and many times within it: `step` of
     * `steps` of the whole, rising, and the name of the part. A non-zero return value stops the study with
     * SBL_ESTOPPED, within about a second unless a single call of a library takes longer: LIBLINEAR for
     * one class, or the eigenvalues of a Frechet distance in thousands of features. Default: none. */
    sbl_progress progress;

    /* The schema's name in messages. Default: "the schema". */
    const char *schema_name;
} sbl_evaluate_options;

#define sbl_evaluate_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Compare two tables of one schema, or two image sets, in files or in memory. All handles are of one kind. NOT PRIVATE.
 * In:      real         should be a holdout: records of the same source that were not fitted
 *          train        the fitted records. NULL: no disclosure tests, and real records are halved if two sets of them
 *                       are needed (for images, the ceiling's models learn from one half, and all are tested on the
 *                       other)
 *          schema       of a table, or of linked tables, which are handles of sbl_data_link() or of a package and
 *                       are compared with their keys and parents; NULL for images, which bring their size and
 *                       classes; `grey` counts if it is set for real
 * Out:     json    the evaluation document (docs/FORMATS.md), one line: sbl_report() makes a page of it; text  tables for
 *                  people. Each may be NULL: not wanted; sbl_free()
 * Returns: SBL_OK; SBL_EINPUT: a column is missing, a table or set has no records, sets have different shapes or classes,
 *          one has labels and the other has not, there is one class only though models are wanted; SBL_EARG: a handle of
 *          another kind; SBL_EIO, SBL_EMEM; SBL_ESTOPPED if options->progress asked for it */
SBL_API SBL_MUST_USE sbl_status sbl_evaluate(char **json, char **text, sbl_data *real, sbl_data *synthetic,
                                             sbl_data *train, const sbl_schema *schema,
                                             const sbl_evaluate_options *options, sbl_error *err);

/* ---- one table ---- */

/* A histogram of each column of a table, in bins for a picture. At most the first 20,000 rows are read.
 * NOT PRIVATE for real records. For synthetic rows it is public, as they are.
 * Out:     json  "rows": the number of rows that were read; "columns": for each column its "name", the "labels" of the
 *                bars and the "shares" of rows in them; sbl_free()
 * Returns: SBL_OK; SBL_EARG for images and linked tables; SBL_EINPUT: a column is not there, the table has no rows;
 *          SBL_EIO, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_data_histograms(char **json, sbl_data *data, const sbl_schema *schema,
                                                    sbl_error *err);

/* ---- the space of a projected model ---- */

/* What to write of a projected model and of real records; set up by sbl_project_options_init(). At least one of path,
 * stream and matrix is given. */
typedef struct sbl_project_options {
    /* Set by sbl_project_options_init(). */
    size_t struct_size;
    /* Real records in the projected space, NOT PRIVATE: a table with the columns that the model draws, p1, p2, ... and the
     * label. CSV, gzip if the name ends in .gz, Parquet if it ends in .parquet, .pq or .parq, "-" for standard output. */
    const char *path;
    /* The same as an Arrow stream, which holds all rows. The caller releases it. */
    struct ArrowArrayStream *stream;
    /* A file for the schema of that table: sbl_evaluate() takes it with real and synthetic rows. Public. Default NULL:
     * none. */
    const char *schema;
    /* A file for the matrix W of the projection, as CSV (docs/mechanisms/ron-gauss.md). Public. Default NULL: none. */
    const char *matrix;
    /* Default false. */
    bool overwrite;
    /* 1 to 1024, for this call. Default 0: all. */
    unsigned threads;
    /* Called for each column of the table that the model does not have. Default NULL. */
    sbl_notice notice;
    /* Called while records are read. Default NULL. */
    sbl_progress progress;
    /* Passed to notice and progress. */
    void *context;
    /* As in sbl_output. */
    const char *duckdb;
    /* The model's name in messages. Default: "the model". */
    const char *model_name;
} sbl_project_options;

#define sbl_project_options_init(pointer) SBL_STRUCT_INIT(pointer)

/* Project real records in the same way as a model of method ron-gauss with space `projected` projected its own.
 * NOT PRIVATE: every written row is a record. Touches no ledger.
 * In:      synth  holds the model
 *          data   a table with the model's columns, including the label; NULL: only the matrix is wanted
 * Returns: SBL_OK; SBL_EARG: a model of another method or of the original space, no table though rows are wanted;
 *          SBL_EINPUT names the file and the missing column; SBL_EBUSY, SBL_EIO, SBL_EMEM; SBL_ESTOPPED if
 *          options->progress asked for it. On failure no file is left */
SBL_API SBL_MUST_USE sbl_status sbl_project(sbl_synthesizer *synth, sbl_data *data,
                                            const sbl_project_options *options, sbl_error *err);

/* The libraries of some models: "there", or why not.
 * Out:     text  lines "name<TAB>value", as of sbl_build_describe(); sbl_free()
 * Returns: SBL_OK; SBL_EARG, SBL_EMEM */
SBL_API SBL_MUST_USE sbl_status sbl_evaluate_describe_build(char **text, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
