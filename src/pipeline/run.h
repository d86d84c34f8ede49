/* A job at work: what run, plan and resume have in common. The public facts and the names of its files come first, before any
 * record is read; whatever can be refused is refused there. */
#ifndef SBL_PIPELINE_RUN_H
#define SBL_PIPELINE_RUN_H

#include "base/text.h"
#include "model/model.h"
#include "pipeline/buy.h"
#include "pipeline/job.h"
#include "pipeline/publish.h"
#include "pipeline/rounds.h"

#define SBL_MOST_ASSUMPTIONS 16

/* Begins as {.job, .options}; all else is zero. */
typedef struct sbl_run {
    const sbl_job *job;
    const sbl_synth_options *options;
    sbl_synth_options planning; /* the same, with the number of records where it is known */
    sbl_facts facts;
    sbl_facts planned; /* of the releases that a stopped run left: their features borrow it */
    sbl_source *source;
    sbl_rounds rounds;
    sbl_image_files images; /* of the output */
    sbl_text release, certificate;
    sbl_text checkpoint;  /* of training, where the method has one */
    sbl_text schema;      /* where a schema that is bought goes */
    sbl_text remarks;     /* on it, for people */
    sbl_buy *buy;         /* NULL: there is a schema */
    uint64_t public_rows; /* or declared; 0: nobody knows */
    double shares[SBL_MOST_ROUNDS + SBL_BUY_MOST_ROUNDS];
    size_t round_count;
    const char *assumptions[SBL_MOST_ASSUMPTIONS];
    size_t assumption_count;
    sbl_text classes, also; /* two of them */
    sbl_publish *publish;
    sbl_model *model;
    sbl_release **known;        /* of a run that was stopped; what is used is NULL */
    const sbl_release **listed; /* (known_count): the same, whoever owns them */
    size_t known_count;
} sbl_run;

void sbl_run_clear(sbl_run *r);

/* ---- what the job asks for ---- */

bool sbl_run_draws(const sbl_job *job);
/* Can the table be read once only? */
bool sbl_run_is_stream(const sbl_job *job);
/* Is there a table to be read, or is this a plan? */
bool sbl_run_has_table(const sbl_job *job);
/* Is there no schema yet? */
bool sbl_run_buys(const sbl_job *job);
/* The part of the budget that a schema may cost. */
double sbl_run_discover_share(const sbl_run *r);

/* ---- before any record is read (run.c) ---- */

/* A table's facts are its schema's, unless that is to be bought; images say theirs in their
 * container, which is opened. Out: origin  of images, what was found out about their place */
sbl_status sbl_run_find_facts(sbl_run *r, sbl_image_origin *origin, sbl_error *err);
/* The other files of a run are named after its output, or after its model. */
sbl_status sbl_run_name_files(sbl_run *r, sbl_error *err);
/* Every file of a run at once: what is written must be none of the others, and must be writable
 * before anything is charged for it. */
sbl_status sbl_run_check_files(const sbl_run *r, sbl_error *err);
/* What is read more than once must be a file: seen before it is opened. */
sbl_status sbl_run_check_rereading(const sbl_run *r, sbl_error *err);
/* What the certificate assumes to be public, beside what it says of every release. */
void sbl_run_list_assumptions(sbl_run *r, const sbl_image_origin *origin);
/* Of all rounds of the run that are planned by now: those that buy a schema, then the method's. */
void sbl_run_list_shares(sbl_run *r);
sbl_publish_facts sbl_run_publish_facts(const sbl_run *r);
/* Opens the records where that has not been done. */
sbl_status sbl_run_open_source(sbl_run *r, sbl_error *err);

/* ---- the rounds and what is made of them (job.c) ---- */

/* [1] to [5] for the schema, where there is none: rounds of their own, at the beginning of the run. */
sbl_status sbl_run_buy_facts(sbl_run *r, sbl_error *err);
/* The schema is bought and paid for; what fails after that goes on with `resume`. */
sbl_status sbl_run_go_on_with_bought(sbl_run *r, sbl_error *err);
/* The rounds that are left, the model and the records.
 * In:  more       is there a round left?
 * Out: statement  begins with what is to be said of a schema that was bought (sbl_free); may be NULL */
sbl_status sbl_run_complete(sbl_run *r, char **statement, bool more, sbl_error *err);

#endif
