/* SPDX-License-Identifier: Apache-2.0 */
/* The main job, for any kind of data and any method: records -> features -> sums -> door -> releases
 * -> model -> records. Tables and images differ in where they come from and go to, in nothing else.
 */
#ifndef SBL_PIPELINE_JOB_H
#define SBL_PIPELINE_JOB_H

#include "after/sinks/sink.h"
#include "base/error.h"
#include "base/store/store.h"
#include "door/release/release.h"
#include "public/plan/facts.h"
#include "public/schema/schema_type.h"
#include "records/source/data_source.h"
#include "records/source/source.h"
#include "run/pipeline/sample_size.h"
#include "semblance/files.h"
#include "semblance/options.h"

/* What is asked for; texts are borrowed. src/run/api has checked it: nothing that is needed is NULL, and
 * options are of our size, in range and, where the method is known before a file is read, all used
 * by it. */
typedef struct sbl_job {
    sbl_data_kind kind;
    sbl_data *data; /* the records; NULL: the plan of a table, which is that of its schema */
    /* Tables. */
    const sbl_schema *schema; /* of the table; NULL: a schema is discovered */
    const char *schema_path;  /* its file, which is not to be overwritten; may be NULL */
    /* Where a discovered schema goes if nothing else is made from the table. None: it is kept with the rest, and the
     * run continues with it. */
    sbl_store_entry discovered;
    const char *output; /* a CSV or Parquet file, or "-"; NULL: the model is all that is wanted */
    /* Answers to questions (run/methods/ask.h): a CSV or JSON file, or "-", which the caller writes. NULL: none. */
    const char *answers;
    const char *engine; /* DuckDB's library, where that is Parquet; NULL: found */
    /* Images. */
    sbl_image_folder folder; /* .folder NULL: the model is all that is wanted */
    /* Both. */
    /* Where what the options name no path for is kept: release, certificate, ledger, checkpoint, the schema that
     * is discovered. NULL: in files that are named after the output, or the model. */
    const sbl_store *store;
    sbl_store_entry model;  /* none: it is not kept */
    sbl_store_entry fitted; /* the same, for the report that follows; none: it is not kept */
    sbl_amount amount;      /* to be drawn */
    uint64_t replicates;    /* 0, or the number of tables to write into the folder `output` (replicates.h) */
    const sbl_synth_options *options;
} sbl_job;

/* The names of what a run keeps in a store of its own; its ledger is RELEASE.ledger. */
#define SBL_KEPT_RELEASE "release"
#define SBL_KEPT_LEDGER SBL_KEPT_RELEASE SBL_ENDING_LEDGER
#define SBL_KEPT_CHECKPOINT SBL_KEPT_RELEASE SBL_ENDING_CHECKPOINT
#define SBL_KEPT_CERTIFICATE "certificate.json"
#define SBL_KEPT_SCHEMA "schema.json"
#define SBL_KEPT_MODEL "model"
#define SBL_KEPT_FITTED "fitted" /* the model of a run that wrote none, for pictures of its report */

/* The guarantee in words, after remarks on a schema that was discovered; sbl_statement_clear(). */
typedef struct sbl_statement {
    char *whole;
    char *brief;
} sbl_statement;
void sbl_statement_clear(sbl_statement *statement);

/* Out: statement  may be NULL */
sbl_status sbl_job_run(sbl_statement *statement, const sbl_job *job, sbl_error *err);
/* What the first round would release for n records; n = 0: as many as the container says, where
 * that is public. Opens no record. */
sbl_status sbl_job_plan(char **text, const sbl_job *job, uint64_t n, bool json, sbl_error *err);
/* Go on with a run that was stopped after some of its releases: those that are kept. Nothing that was paid for is paid for again. */
sbl_status sbl_job_resume(sbl_statement *statement, const sbl_job *job, sbl_error *err);

/* [6] again: a model from the releases of a run. certificate: of them, for the model; may be none. */
sbl_status sbl_train_from(sbl_store_entry release, sbl_store_entry certificate, sbl_store_entry model,
                          const sbl_synth_options *options, sbl_error *err);
/* [7] to [9] again: records of a model file, which is read once; a table's go to output (engine: as
 * of a job), images to folder. NULL: that kind of data is not wanted, and a model of it is refused. */
sbl_status sbl_sample_from(sbl_store_entry from, const char *output, const char *engine,
                           const sbl_image_folder *folder, const sbl_amount *amount, const char *where,
                           const sbl_synth_options *options, sbl_error *err);

/* The releases of a run that are kept, from the first on, owned by the caller (each by
 * sbl_release_free, the list by sbl_free).   Returns: SBL_OK; what reading the first one gives */
sbl_status sbl_releases_load(sbl_release ***releases, size_t *count, sbl_store_entry first, sbl_error *err);
/* The certificate of `count` releases, for a model of them (sbl_free). `from` may be none.
 * Returns: SBL_OK; SBL_EINPUT if it does not hold, or is that of other releases */
sbl_status sbl_releases_certificate(char **certificate, sbl_store_entry from, sbl_store_entry first,
                                    size_t count, sbl_error *err);

#endif
