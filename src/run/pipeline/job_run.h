/* SPDX-License-Identifier: Apache-2.0 */
/* A job at work: what run, plan and resume have in common. The public facts and the names of its files come first, before any
 * record is read; whatever can be refused is refused there. */
#ifndef SBL_PIPELINE_JOB_RUN_H
#define SBL_PIPELINE_JOB_RUN_H

#include "after/model/model.h"
#include "base/text.h"
#include "run/pipeline/data_names.h"
#include "run/pipeline/job.h"
#include "run/pipeline/kept.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/replicates.h"
#include "run/pipeline/rounds.h"

#define SBL_MOST_ASSUMPTIONS 16

/* Begins as {.job, .options}; all else is zero. */
typedef struct sbl_run {
    const sbl_job *job;
    const sbl_synth_options *options;
    sbl_synth_options planning; /* the same, with the number of records where it is known */
    sbl_facts facts;
    sbl_facts planned; /* of the releases that a stopped run left: their features borrow it */
    sbl_source *source;
    bool keeps;                /* the source keeps its records between rounds */
    sbl_facts header;          /* of a table without a schema */
    sbl_file_stamp look;       /* at its file: it must not change between the rounds */
    sbl_rounds discover;       /* that find its schema; their method is NULL where there is one */
    sbl_rounds rounds;         /* of the method; it is NULL before there is a schema */
    sbl_image_files images;    /* of the output */
    sbl_package_files package; /* of the output, where it is linked tables */
    sbl_store_entry release, certificate;
    sbl_store_entry checkpoint; /* of training, where the method has one */
    sbl_store_entry schema;     /* where a schema that is discovered goes */
    sbl_text names[4];          /* of these */
    sbl_text remarks;           /* on it, for people */
    uint64_t public_rows;       /* or declared; 0: unknown */
    bool advised;               /* the warnings of the plan were reported */
    char persons[24];           /* that a plan of linked tables is for: planning borrows it */
    double shares[2 * SBL_MOST_ROUNDS];
    size_t round_count;
    const char *assumptions[SBL_MOST_ASSUMPTIONS];
    size_t assumption_count;
    sbl_text classes, also;              /* two of them */
    const char *tables[SBL_MOST_TABLES]; /* files of linked tables */
    size_t table_count;
    bool in_parts; /* records are summed elsewhere: job->data is NULL */
    bool one_site; /* so they are, at sites, and it is declared that no person is at two */
    sbl_publish *publish;
    sbl_model *model;
    sbl_kept kept;              /* of its relations */
    sbl_release **known;        /* of a run that was stopped; what is used is NULL */
    const sbl_release **listed; /* (known_count): the same, borrowed */
    size_t known_count;
} sbl_run;

void sbl_run_clear(sbl_run *r);

/* ---- what the job asks for ---- */

bool sbl_run_draws(const sbl_job *job);
/* Of a job that has some. */
sbl_replicate_files sbl_run_replicates(const sbl_job *job);
/* Where the records are; NULL: in memory. */
const char *sbl_run_input(const sbl_job *job);
/* The same with the files of linked tables; borrows r. */
sbl_data_places sbl_run_places(const sbl_run *r);
/* Can the table be read once only? */
bool sbl_run_is_stream(const sbl_job *job);
/* Is there no schema yet? */
bool sbl_run_discovers(const sbl_job *job);
/* The part of the budget that a schema may cost. */
double sbl_run_discover_share(const sbl_run *r);

/* ---- before any record is read (job_run.c) ---- */

/* A table's facts are its schema's, unless that is to be discovered; images say theirs in their
 * container, which is opened. */
sbl_status sbl_run_find_facts(sbl_run *r, sbl_error *err);

/* ---- its files (run_files.c) ---- */

/* The other files of a run are named after its output, or after its model. */
sbl_status sbl_run_name_files(sbl_run *r, sbl_error *err);
/* Every file of a run at once: what is written must be none of the others, and must be writable
 * before anything is charged for it. */
sbl_status sbl_run_check_files(const sbl_run *r, sbl_error *err);
/* What is read more than once must be a file: seen before it is opened. */
sbl_status sbl_run_check_rereading(const sbl_run *r, sbl_error *err);
/* What the certificate assumes to be public, beside what it says of every release. */
sbl_status sbl_run_list_assumptions(sbl_run *r, sbl_error *err);
/* Of all rounds of the run that are planned by now: those that discover a schema, then the method's. */
void sbl_run_list_shares(sbl_run *r);
sbl_publish_facts sbl_run_publish_facts(const sbl_run *r);
/* Opens the records where that has not been done. */
sbl_status sbl_run_open_source(sbl_run *r, sbl_error *err);

/* ---- the schema, where there is none (run_discover.c) ---- */

/* The plan of the first round that discovers it, from the header and, where that is public, the
 * number of rows.
 * Returns: SBL_OK; SBL_EARG for a stream or a pure run; SBL_EINPUT, SBL_EIO, SBL_EMEM */
sbl_status sbl_run_plan_discovery(sbl_run *r, sbl_error *err);
/* SBL_EBUDGET where the noise would be too large to tell anything of as many rows as there are. */
sbl_status sbl_run_check_discovery(const sbl_run *r, const sbl_publish_facts *facts, sbl_error *err);
/* [1] to [4] for the last of these rounds. */
sbl_status sbl_run_gather_asked(sbl_gathered *gathered, const sbl_run *r, const sbl_round *round,
                                const char *charged, sbl_error *err);
/* After the first of these releases, before anything is spent on others: do columns look as if commas were decimal marks,
 * which was not told?   Returns: SBL_OK; SBL_EINPUT with SBL_HINT_COMMAS; SBL_EMEM */
sbl_status sbl_run_check_commas(const sbl_run *r, sbl_error *err);
/* All are released: the schema on disk and, where the run continues with it, its facts. */
sbl_status sbl_run_conclude_discovery(sbl_run *r, sbl_error *err);

/* ---- the rounds and their outputs (job.c) ---- */

/* The method's rounds, as far as they can be planned: the first. n: the number of records to plan for, where
 * it was stated; else 0. */
sbl_status sbl_run_plan_rounds(sbl_run *r, uint64_t n, sbl_error *err);
/* Would the fit to them be refused? */
sbl_status sbl_run_check_method(const sbl_run *r, sbl_error *err);
/* The warnings of the plan, once in a run. n: the number of records, public or declared; 0: neither. */
sbl_status sbl_run_advise(sbl_run *r, uint64_t n, sbl_error *err);
/* What the first release says of the data, before anything is built on it. */
sbl_status sbl_run_look_at_health(sbl_run *r, sbl_error *err);
/* The rounds of discovery that are left (more: there are some), the schema, and the plan of the rest
 * of the run. What fails after a release says how to continue. */
sbl_status sbl_run_discover(sbl_run *r, bool more, sbl_error *err);
/* What the last plan of the method says of the rest of the run is followed from here on: shares that it
 * divided anew, and what it tells of it. */
sbl_status sbl_run_follow_plan(sbl_run *r, sbl_error *err);
/* The rounds that are left, the model and the records; of a run that only discovers a schema, the last
 * certificate.
 * In:  more       is there a round left?
 * Out: statement  begins with what is to be said of a schema that was discovered (sbl_free); may be NULL */
sbl_status sbl_run_complete(sbl_run *r, sbl_statement *statement, bool more, sbl_error *err);

/* ---- what is reported, and where training keeps its place (job_run.c) ---- */

/* A failure after the charge: what was paid for is kept, and the message says where it is; the hint
 * (SBL_HINT_TRAIN, SBL_HINT_RESUME) how to go on from it. Returns the status; SBL_OK is left alone.
 * err may be NULL. */
sbl_status sbl_run_keeps_release(sbl_status status, const char *release_path, sbl_hint hint, sbl_error *err);

/* Of data that has a name, "-" included: say that its ledger is not its own, where that is so. */
void sbl_run_report_ledger(const sbl_publish *publish, const char *input, const sbl_synth_options *options);

/* Where training keeps its place: as the options say, else beside the release. name: is filled; the item
 * borrows it. */
sbl_status sbl_checkpoint_name(sbl_store_entry *checkpoint, sbl_text *name, const sbl_synth_options *options,
                               sbl_store_entry release, sbl_error *err);

#endif
