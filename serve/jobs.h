/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, each in a process that a thread waits for: one at a time for each data set, and a few at all. The page may be closed meanwhile.
 * How far a run is can be asked; it can be stopped, and what it left on disk can be resumed, also by another start of
 * the server (runs.h). */
#ifndef SBL_SERVE_JOBS_H
#define SBL_SERVE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "semblance/options.h"
#include "semblance/status.h"
#include "served_folder.h"

#define SBL_MOST_JOBS 32    /* that are remembered */
#define SBL_MOST_RUNNING 4  /* at a time */
#define SBL_JOB_ADVICE 8192 /* bytes of advice that are kept */

typedef enum sbl_serve_job_state {
    SBL_JOB_NONE, /* this start of the server knows of none */
    SBL_JOB_RUNNING,
    SBL_JOB_DONE,
    SBL_JOB_STOPPED,
    SBL_JOB_FAILED
} sbl_serve_job_state;

/* What is told of a job. While records are read there is no number of them, nor any other that depends on them. */
typedef struct sbl_serve_job_facts {
    sbl_serve_job_state state;
    char what[32]; /* "reading", "fitting", ... */
    uint64_t step; /* of steps; both 0: not known */
    uint64_t steps;
    sbl_status status;                    /* of a failure, */
    char message[SBL_ERROR_MESSAGE_SIZE]; /* and why */
    char advice[SBL_JOB_ADVICE];          /* lines for a person, public */
} sbl_serve_job_facts;

typedef struct sbl_serve_jobs sbl_serve_jobs;

/* Where jobs work. */
typedef struct sbl_serve_place {
    int root;           /* the folder that is served */
    const char *engine; /* DuckDB's library; NULL: found where libraries are */
    const char *policy; /* that every run keeps; NULL: none */
} sbl_serve_place;

/* The work of a job (sbl_serve_run_work; a fuzzer has one that does nothing): reports into the callbacks that it is given, and ends soon when progress says so. */
typedef sbl_status (*sbl_serve_job_work)(const sbl_serve_place *place, const char *run, sbl_progress progress,
                                         sbl_advice advice, void *context, sbl_error *err);

sbl_status sbl_serve_jobs_new(sbl_serve_jobs **jobs, sbl_serve_place place, sbl_serve_job_work work,
                              sbl_error *err);
/* Stops what runs, and waits for it. */
void sbl_serve_jobs_free(sbl_serve_jobs *jobs);

/* Would sbl_serve_jobs_start() begin work on this input now? SBL_EBUSY: no. */
sbl_status sbl_serve_jobs_check(sbl_serve_jobs *jobs, const char *input, sbl_error *err);
/* Begin work on a run of an input. SBL_EBUSY: one of that input is running, or too many are. */
sbl_status sbl_serve_jobs_start(sbl_serve_jobs *jobs, const char *input, const char *run, sbl_error *err);
/* Ask a run to stop; it does so by itself. SBL_EARG: it is not running. */
sbl_status sbl_serve_jobs_stop(sbl_serve_jobs *jobs, const char *run, sbl_error *err);
/* What is known of a run. */
sbl_serve_job_facts sbl_serve_jobs_look(sbl_serve_jobs *jobs, const char *run);

#endif
