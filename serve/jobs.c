/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that wait for runs, and what is known of how far these are. */
#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/output.h"

/* One place of the list. Its thread is joined when the place is used again, and at the end. */
typedef struct job {
    sbl_serve_jobs *jobs;
    char input[SBL_FOLDER_PATH_SIZE];
    char run[SBL_FOLDER_PATH_SIZE];
    pthread_t thread;
    bool has_thread;
    atomic_bool stop;
    sbl_serve_job_facts facts;
    uint64_t number; /* rises from job to job */
} job;

struct sbl_serve_jobs {
    sbl_serve_place place;
    sbl_serve_job_work work;
    pthread_mutex_t lock; /* of all that follows but the flags to stop */
    uint64_t started;
    job list[SBL_MOST_JOBS];
};

sbl_status sbl_serve_jobs_new(sbl_serve_jobs **jobs, sbl_serve_place place, sbl_serve_job_work work,
                              sbl_error *err)
{
    *jobs = calloc(1, sizeof **jobs);
    if (*jobs == NULL) return sbl_cli_fail(err, SBL_EMEM, "out of memory for runs");
    (*jobs)->place = place;
    (*jobs)->work = work;
    (void)pthread_mutex_init(&(*jobs)->lock, NULL);
    return SBL_OK;
}

void sbl_serve_jobs_free(sbl_serve_jobs *jobs)
{
    if (jobs == NULL) return;
    for (size_t i = 0; i < SBL_MOST_JOBS; i++) atomic_store(&jobs->list[i].stop, true);
    for (size_t i = 0; i < SBL_MOST_JOBS; i++)
        if (jobs->list[i].has_thread) (void)pthread_join(jobs->list[i].thread, NULL);
    (void)pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

/* ---- in the thread of a job ---- */

static int on_progress(void *context, const char *what, uint64_t step, uint64_t steps, double loss)
{
    job *own = context;
    (void)loss;
    (void)pthread_mutex_lock(&own->jobs->lock);
    (void)snprintf(own->facts.what, sizeof own->facts.what, "%s", what);
    own->facts.step = steps != 0 ? step : 0; /* without an end it counts records */
    own->facts.steps = steps;
    (void)pthread_mutex_unlock(&own->jobs->lock);
    return atomic_load(&own->stop) ? 1 : 0;
}

static void on_advice(void *context, sbl_advice_kind kind, const char *line)
{
    job *own = context;
    (void)kind;
    (void)pthread_mutex_lock(&own->jobs->lock);
    const size_t used = strlen(own->facts.advice);
    if (used + strlen(line) + 2 <= sizeof own->facts.advice)
        (void)snprintf(own->facts.advice + used, sizeof own->facts.advice - used, "%s\n", line);
    (void)sbl_serve_folder_shorten(own->facts.advice + used, own->jobs->place.root);
    (void)pthread_mutex_unlock(&own->jobs->lock);
}

static void *work(void *context)
{
    job *own = context;
    sbl_error err = {.status = SBL_OK};
    const sbl_status status = own->jobs->work(&own->jobs->place, own->run, on_progress, on_advice, own, &err);
    (void)pthread_mutex_lock(&own->jobs->lock);
    own->facts.state = status == SBL_OK         ? SBL_JOB_DONE
                       : status == SBL_ESTOPPED ? SBL_JOB_STOPPED
                                                : SBL_JOB_FAILED;
    own->facts.status = status;
    if (status != SBL_OK)
        (void)snprintf(own->facts.message, sizeof own->facts.message, "%s",
                       sbl_serve_folder_shorten(err.message, own->jobs->place.root));
    (void)pthread_mutex_unlock(&own->jobs->lock);
    return NULL;
}

/* ---- in threads of requests ---- */

static job *find(sbl_serve_jobs *jobs, const char *run)
{
    for (size_t i = 0; i < SBL_MOST_JOBS; i++)
        if (jobs->list[i].number != 0 && strcmp(jobs->list[i].run, run) == 0) return &jobs->list[i];
    return NULL;
}

/* The place of this run, an empty one, or the oldest that does not run; NULL: all of them run. */
static job *find_place(sbl_serve_jobs *jobs, const char *run)
{
    job *place = find(jobs, run);
    if (place != NULL) return place;
    for (size_t i = 0; i < SBL_MOST_JOBS; i++) {
        job *one = &jobs->list[i];
        if (one->facts.state == SBL_JOB_RUNNING) continue;
        if (place == NULL || one->number < place->number) place = one;
    }
    return place;
}

static sbl_status check_free(sbl_serve_jobs *jobs, const char *input, sbl_error *err)
{
    unsigned running = 0;
    for (size_t i = 0; i < SBL_MOST_JOBS; i++) {
        if (jobs->list[i].facts.state != SBL_JOB_RUNNING) continue;
        running++;
        if (strcmp(jobs->list[i].input, input) == 0)
            return sbl_cli_fail(err, SBL_EBUSY,
                                "%s: another run of this table is not finished; wait for it, or stop it",
                                input);
    }
    if (running >= SBL_MOST_RUNNING)
        return sbl_cli_fail(err, SBL_EBUSY, "%u runs are working already; wait until one ends", running);
    return SBL_OK;
}

static sbl_status start(sbl_serve_jobs *jobs, const char *input, const char *run, sbl_error *err)
{
    sbl_status status = check_free(jobs, input, err);
    job *own = status == SBL_OK ? find_place(jobs, run) : NULL;
    if (own == NULL) return status != SBL_OK ? status : SBL_EBUSY;
    if (own->has_thread) (void)pthread_join(own->thread, NULL); /* it has ended */
    memset(own, 0, sizeof *own);
    atomic_init(&own->stop, false);
    own->jobs = jobs;
    (void)snprintf(own->input, sizeof own->input, "%s", input);
    (void)snprintf(own->run, sizeof own->run, "%s", run);
    own->number = ++jobs->started;
    own->facts.state = SBL_JOB_RUNNING;
    own->has_thread = pthread_create(&own->thread, NULL, work, own) == 0;
    if (own->has_thread) return SBL_OK;
    memset(own, 0, sizeof *own);
    return sbl_cli_fail(err, SBL_EMEM, "the run cannot be started: the system has no free thread");
}

sbl_status sbl_serve_jobs_start(sbl_serve_jobs *jobs, const char *input, const char *run, sbl_error *err)
{
    (void)pthread_mutex_lock(&jobs->lock);
    const sbl_status status = start(jobs, input, run, err);
    (void)pthread_mutex_unlock(&jobs->lock);
    return status;
}

sbl_status sbl_serve_jobs_check(sbl_serve_jobs *jobs, const char *input, sbl_error *err)
{
    (void)pthread_mutex_lock(&jobs->lock);
    const sbl_status status = check_free(jobs, input, err);
    (void)pthread_mutex_unlock(&jobs->lock);
    return status;
}

sbl_status sbl_serve_jobs_stop(sbl_serve_jobs *jobs, const char *run, sbl_error *err)
{
    (void)pthread_mutex_lock(&jobs->lock);
    job *own = find(jobs, run);
    const bool runs = own != NULL && own->facts.state == SBL_JOB_RUNNING;
    if (runs) atomic_store(&own->stop, true);
    (void)pthread_mutex_unlock(&jobs->lock);
    return runs ? SBL_OK : sbl_cli_fail(err, SBL_EARG, "%s: this run is not running", run);
}

sbl_serve_job_facts sbl_serve_jobs_look(sbl_serve_jobs *jobs, const char *run)
{
    sbl_serve_job_facts facts = {.state = SBL_JOB_NONE};
    (void)pthread_mutex_lock(&jobs->lock);
    const job *own = find(jobs, run);
    if (own != NULL) facts = own->facts;
    (void)pthread_mutex_unlock(&jobs->lock);
    return facts;
}
