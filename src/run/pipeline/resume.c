/* SPDX-License-Identifier: Apache-2.0 */
/* Goes on with a run that was stopped: its releases are read from disk, the rounds are rebuilt
 * from the plans in them and compared with the ledger and with the facts of the data, and the
 * rounds that are left run as in job.c. Nothing that was charged is charged again. */
#include "base/alloc.h"
#include "public/options/option_values.h"
#include "run/pipeline/job.h"
#include "run/pipeline/job_run.h"

/* The releases of the stopped run, which publish and rounds share. */
static sbl_status load_known(sbl_run *r, sbl_error *err)
{
    const sbl_status status = sbl_releases_load(&r->known, &r->known_count, r->release, err);
    if (status == SBL_EIO && err != NULL) {
        const sbl_error reason = *err;
        return sbl_fail(err, status,
                        "%.400s; a run that has released nothing cannot be resumed: start it again",
                        reason.message);
    }
    if (status != SBL_OK) return status;
    r->listed = sbl_alloc_array(r->known_count, sizeof *r->listed);
    if (r->listed == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    for (size_t i = 0; i < r->known_count; i++) r->listed[i] = r->known[i];
    return SBL_OK;
}

/* A run without a schema: as far as the releases go. discovered: of them, those of the schema. */
static sbl_status resume_discovery(sbl_run *r, size_t discovered, sbl_error *err)
{
    bool more;
    SBL_CHECK(sbl_run_plan_discovery(r, err));
    SBL_CHECK(
        sbl_rounds_replay(&more, &r->discover, r->known, discovered, &r->planning, r->release.name, err));
    SBL_CHECK(sbl_run_check_commas(r, err));
    if (r->known_count > discovered) {
        if (more) return sbl_fail(err, SBL_EINPUT, "%s: releases of the schema are missing", r->release.name);
        SBL_CHECK(sbl_run_conclude_discovery(r, err));
        return SBL_OK;
    }
    SBL_CHECK(sbl_run_list_assumptions(r, err));
    sbl_run_list_shares(r);
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    SBL_CHECK(sbl_publish_resume(&r->publish, &facts, r->listed, discovered, err));
    return sbl_run_discover(r, more, err);
}

/* The rounds of the method that are there, and whether there is one more. */
static sbl_status resume_rounds(sbl_run *r, bool *more, sbl_error *err)
{
    SBL_CHECK(sbl_rounds_of_releases(&r->rounds, &r->planned, r->known, r->known_count, r->options,
                                     r->release.name, err));
    r->rounds.facts = &r->facts;
    r->planning = *r->options;
    r->planning.delta = sbl_delta_of_options(r->options, r->rounds.items[0].release->n);
    SBL_CHECK(sbl_run_check_rereading(r, err));
    SBL_CHECK(sbl_rounds_same_facts(&r->rounds, &r->planned, r->release.name, err));
    SBL_CHECK(sbl_run_list_assumptions(r, err));
    sbl_run_list_shares(r);
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    SBL_CHECK(sbl_publish_resume(&r->publish, &facts, r->listed, r->known_count, err));
    SBL_CHECK(sbl_run_open_source(r, err));
    SBL_CHECK(sbl_run_advise(r, r->rounds.items[0].release->n, err));
    SBL_CHECK(sbl_rounds_next(more, &r->rounds, r->options, err));
    if (*more) SBL_CHECK(sbl_run_follow_plan(r, err));
    return SBL_OK;
}

/* Was the run begun as it is resumed: with a schema, without one, or for one? */
static sbl_status check_resumed(const sbl_run *r, size_t discovered, sbl_error *err)
{
    const char *path = r->release.name;
    if (r->job->discovered.store != NULL && discovered != r->known_count)
        return sbl_fail(err, SBL_EINPUT, "%s belongs to another run", path);
    if (sbl_run_discovers(r->job) == (discovered > 0)) return SBL_OK;
    return discovered > 0
               ? sbl_fail(err, SBL_EARG, "%s discovered its schema: resume the run without a schema", path)
               : sbl_fail(err, SBL_EARG, "%s was started with a schema: give the same schema", path);
}

sbl_status sbl_job_resume(sbl_statement *statement, const sbl_job *job, sbl_error *err)
{
    sbl_run r = {.job = job, .options = job->options};
    size_t discovered = 0;
    bool more = true;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = (sbl_statement){0};
    SBL_TRY(sbl_run_find_facts(&r, err));
    SBL_TRY(sbl_run_name_files(&r, err));
    SBL_TRY(load_known(&r, err));
    SBL_TRY(sbl_run_check_files(&r, err));
    SBL_TRY(sbl_rounds_count_discovery(&discovered, r.known, r.known_count, r.release.name, err));
    SBL_TRY(check_resumed(&r, discovered, err));
    if (discovered > 0) SBL_TRY(resume_discovery(&r, discovered, err));
    if (r.known_count > discovered) SBL_TRY(resume_rounds(&r, &more, err));
    SBL_TRY(sbl_run_complete(&r, statement, more, err));
done:
    sbl_run_clear(&r);
    return status;
}
