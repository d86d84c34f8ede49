/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a run: public facts, files and budget are checked, then the rounds are released,
 * the model is fitted, saved and drawn from, and the last certificate names the outputs.
 * A failure after a charge says which release is kept and how to continue from it.
 * resume.c joins this flow where the releases on disk end. */
#include "run/pipeline/job.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "after/answers/answers.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "public/options/option_values.h"
#include "records/source/kept_source.h"
#include "run/methods/merf_features.h"
#include "run/methods/network_method.h"
#include "run/pipeline/draw.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/health.h"
#include "run/pipeline/job_run.h"
#include "run/pipeline/keep_records.h"
#include "run/pipeline/replicates.h"

/* ---- [1] to [5]: rounds; everything after them is post-processing ---- */

/* The first reading keeps the records for those that follow. */
static sbl_status keep_records(sbl_run *r, const sbl_rounds *rounds, sbl_error *err)
{
    const size_t most = sbl_keep_most(rounds, (double)r->public_rows, r->options);
    if (r->keeps || most == 0 || rounds->count == rounds->most) return SBL_OK;
    sbl_source *rows = r->source;
    r->source = NULL;
    r->keeps = true;
    return sbl_source_open_kept(&r->source, rows, most, err);
}

static sbl_status release_round(sbl_run *r, sbl_rounds *rounds, sbl_error *err)
{
    const char *charged = rounds->before + rounds->count > 1 ? "what was released before" : "nothing";
    sbl_round *round = &rounds->items[rounds->count - 1];
    sbl_gathered gathered = {0};
    sbl_status status = SBL_OK;
    if (round->asked == NULL && rounds->count > 1) SBL_TRY(sbl_source_rewind(r->source, err));
    if (round->asked == NULL) SBL_TRY(keep_records(r, rounds, err));
    SBL_TRY(round->asked != NULL
                ? sbl_run_gather_asked(&gathered, r, round, charged, err)
                : sbl_gather(&gathered.sum, r->source, &round->features, charged, r->options, err));
    SBL_TRY(
        sbl_publish_next(r->publish, &round->release, &gathered, &round->plan, round->features.weights, err));
done:
    sbl_gathered_clear(&gathered);
    return status;
}

sbl_status sbl_run_advise(sbl_run *r, uint64_t n, sbl_error *err)
{
    if (r->advised) return SBL_OK;
    r->advised = true;
    /* Where the number is private, the declared one is used. */
    return sbl_rounds_advise(&r->rounds, n != 0 ? n : r->planning.expected_rows, &r->planning, err);
}

sbl_status sbl_run_look_at_health(sbl_run *r, sbl_error *err)
{
    size_t count;
    const sbl_certified_health *figures = sbl_publish_health(r->publish, &count);
    sbl_status status = SBL_OK;
    const bool persons = r->rounds.method->whole_units;
    sbl_health_report(figures, count, r->rounds.facts, persons, r->options);
    SBL_TRY(sbl_run_advise(r, r->rounds.items[0].release->n, err));
    status = sbl_health_check(figures, count, r->rounds.facts, persons, r->options, err);
done:
    return sbl_run_keeps_release(status, r->release.name, SBL_HINT_HEALTH, err);
}

/* What is left of the run is planned anew, by the releases so far. */
static sbl_status plan_rest(sbl_run *r, sbl_error *err)
{
    const sbl_status status = sbl_run_list_assumptions(r, err);
    if (status != SBL_OK) return status;
    sbl_run_list_shares(r);
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    const sbl_publish_rest rest = {.method = facts.method,
                                   .rounds = facts.rounds,
                                   .shares = facts.shares,
                                   .also_public = facts.also_public,
                                   .also_public_count = facts.also_public_count};
    return sbl_publish_replan(r->publish, &rest, err);
}

sbl_status sbl_run_follow_plan(sbl_run *r, sbl_error *err)
{
    const sbl_plan *plan = &r->rounds.items[r->rounds.count - 1].plan;
    return plan->rest_count > 0 ? plan_rest(r, err) : SBL_OK;
}

/* A plan may take a fit to the releases so far, which can fail; they are there. */
static sbl_status plan_next(bool *more, sbl_run *r, sbl_error *err)
{
    const sbl_status status = sbl_rounds_next(more, &r->rounds, r->options, err);
    return sbl_run_keeps_release(status, r->release.name, SBL_HINT_RESUME, err);
}

static sbl_status release_all(sbl_run *r, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (bool more = true; more;) {
        SBL_TRY(release_round(r, &r->rounds, err));
        if (r->rounds.count == 1) SBL_TRY(sbl_run_look_at_health(r, err));
        SBL_TRY(plan_next(&more, r, err));
        if (more) SBL_TRY(sbl_run_follow_plan(r, err));
    }
done:
    sbl_source_forget(r->source);
    return status == SBL_OK || r->rounds.before + r->rounds.count < 2
               ? status
               : sbl_run_keeps_release(status, r->release.name, SBL_HINT_RESUME, err);
}

/* ---- [6] to [9] ---- */

static sbl_status open_sink(sbl_sink **sink, const sbl_run *r, const sbl_facts *facts, sbl_error *err)
{
    const sbl_job *job = r->job;
    const sbl_package_folder package = {
        .folder = job->output, .package = job->schema_path, .outside = sbl_data_tell(job->data).outside};
    if (facts->table_facts != NULL)
        return sbl_sink_open_package(sink, &package, facts, r->options->overwrite, err);
    return job->kind == SBL_DATA_TABLE
               ? sbl_sink_open_table(sink, job->output, job->engine, facts, r->options->overwrite, err)
               : sbl_sink_open_images(sink, &job->folder, sbl_draw_rows(r->model, job->amount.rows), facts,
                                      r->options->overwrite, err);
}

static sbl_status fit_and_draw(sbl_run *r, sbl_error *err)
{
    sbl_sink *sink = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_rounds_fit(&r->model, &r->rounds, r->options, r->checkpoint, err));
    SBL_TRY(sbl_kept_of(&r->kept, &r->rounds, &r->planning, err));
    sbl_kept_report(&r->kept, r->options);
    SBL_TRY(sbl_model_set_certificate(r->model, sbl_publish_certificate(r->publish), err));
    if (r->job->model.store != NULL)
        SBL_TRY(sbl_model_save(r->model, r->job->model, r->options->overwrite, err));
    if (r->job->fitted.store != NULL) SBL_TRY(sbl_model_save(r->model, r->job->fitted, true, err));
    if (r->job->replicates != 0) {
        const sbl_replicate_files wanted = sbl_run_replicates(r->job);
        SBL_TRY(sbl_replicates_draw(&wanted, &r->rounds, r->model, r->options, err));
    } else if (sbl_run_draws(r->job)) {
        SBL_TRY(open_sink(&sink, r, sbl_model_output(r->model), err));
        SBL_TRY(sbl_draw(sink, r->model, &r->job->amount, NULL, r->options, err));
    }
    sbl_generate_forget(r->checkpoint);
done:
    sbl_sink_close(sink);
    /* A file that could not be written, on a full disk say, is what the same command writes when it continues. */
    return sbl_run_keeps_release(status, r->release.name,
                                 status == SBL_EIO ? SBL_HINT_RESUME : SBL_HINT_TRAIN, err);
}

/* A run without a model ends with its answers; what they say follows from the release alone. */
static sbl_status answer(const sbl_run *r, sbl_error *err)
{
    const char *path = r->job->answers;
    if (path == NULL || strcmp(path, "-") == 0) return SBL_OK;
    const sbl_status status = sbl_answers_save(path, r->rounds.items[0].release, r->options->overwrite, err);
    return sbl_run_keeps_release(status, r->release.name, SBL_HINT_NONE, err);
}

/* Is it a file, not a folder or a stream? */
static bool is_file(const char *path)
{
    struct stat seen;
    return path != NULL && strcmp(path, "-") != 0 && stat(path, &seen) == 0 && S_ISREG(seen.st_mode);
}

/* The last certificate names the output files. Look-up tables were public before. */
static sbl_status finish(sbl_run *r, char **statement, sbl_error *err)
{
    const sbl_package_files *package = &r->package;
    sbl_strings replicates = {0};
    const char *candidates[] = {
        r->job->kind == SBL_DATA_TABLE && r->job->replicates == 0 ? r->job->output : NULL,
        r->images.images.data, r->images.labels.data, sbl_store_entry_path(r->schema), r->job->answers};
    const size_t most = sizeof candidates / sizeof candidates[0];
    const char **outputs = NULL;
    size_t count = 0;
    sbl_status status = SBL_OK;
    if (r->job->replicates != 0) {
        const sbl_replicate_files wanted = sbl_run_replicates(r->job);
        SBL_TRY(sbl_replicates_list(&replicates, &wanted, &r->facts, err));
    }
    SBL_ALLOC(outputs, most + package->tables + replicates.count + 1, "a certificate");
    for (size_t i = 0; i < most; i++)
        if (is_file(candidates[i])) outputs[count++] = candidates[i];
    for (size_t t = 0; t < package->tables; t++)
        if (is_file(package->paths[t].data)) outputs[count++] = package->paths[t].data;
    if (package->tables > 0 && is_file(package->paths[package->count - 1].data))
        outputs[count++] = package->paths[package->count - 1].data;
    for (size_t i = 0; i < replicates.count; i++)
        if (is_file(replicates.items[i])) outputs[count++] = replicates.items[i];
    const sbl_publish_made made = {.model = r->model != NULL ? r->job->model : (sbl_store_entry){0},
                                   .trained_on = r->model != NULL ? sbl_model_trained_on(r->model) : NULL,
                                   .outputs = outputs,
                                   .output_count = count,
                                   .relations = &r->kept.told};
    status = sbl_run_keeps_release(sbl_publish_finish(r->publish, statement, &made, err), r->release.name,
                                   SBL_HINT_RESUME, err);
done:
    sbl_free(outputs);
    sbl_strings_clear(&replicates);
    return status;
}

/* ---- the jobs ---- */

/* What is planned by the number of records, where that is public: by a method that wants it, and
 * the delta of who did not say one. n: as stated, or 0; a file is then counted. */
static sbl_status plan_sizes(sbl_run *r, uint64_t n, sbl_error *err)
{
    const bool is_public = sbl_rows_are_public(r->options->neighbours, sbl_facts_rows_per_unit(&r->facts));
    const sbl_method *method;
    SBL_CHECK(sbl_method_find(&method, r->options->method, r->facts.kind, r->options->more_methods, err));
    const bool wants_rows =
        (method->wants_rows || sbl_features_are_auto(r->options)) && r->planning.expected_rows == 0;
    const bool wants_delta = r->planning.delta == 0.0 && !r->options->pure;
    if (is_public && n == 0 && r->source != NULL) n = r->source->count;
    const bool table = r->job->data != NULL && r->job->kind == SBL_DATA_TABLE;
    if (is_public && n == 0 && table) n = sbl_data_tell(r->job->data).count;
    if (is_public && n == 0 && (wants_rows || wants_delta) && table && !sbl_run_is_stream(r->job)) {
        SBL_CHECK(sbl_run_open_source(r, err));
        SBL_CHECK(sbl_source_count(&n, r->source, err));
    }
    if (wants_rows) r->planning.expected_rows = n;
    r->public_rows = is_public && n != 0 ? n : r->planning.expected_rows;
    r->planning.delta = sbl_delta_of_options(r->options, is_public ? n : 0);
    return SBL_OK;
}

/* What was asked for and the chosen method does not do. */
static sbl_status check_chosen(const sbl_run *r, sbl_error *err)
{
    const sbl_method *method = r->rounds.method;
    if (r->rounds.by_auto && method->whole_units && sbl_setting_given(r->options, "rounds") != NULL)
        return sbl_fail(
            err, SBL_EARG,
            "rounds is an option of the method pairs, and %s: choose the method pairs, or leave rounds out",
            r->rounds.why);
    if (!method->whole_units && sbl_facts_look_back(&r->facts))
        return sbl_fail(err, SBL_EARG,
                        "the schema has constraints with 'previous', which the method %s does not satisfy: "
                        "use the method histories, or remove the constraints",
                        method->name);
    if (method->fit == NULL && sbl_run_draws(r->job))
        return sbl_fail(err, SBL_EARG, "method %s answers questions, and draws no records", method->name);
    return sbl_amount_check(&r->job->amount, method->whole_units, r->facts.table_facts != NULL, err);
}

sbl_status sbl_run_plan_rounds(sbl_run *r, uint64_t n, sbl_error *err)
{
    const bool discovered = r->discover.method != NULL;
    const double scale = discovered ? 1.0 - sbl_run_discover_share(r) : 1.0;
    /* Rows that were counted for the schema are not counted again. */
    if (discovered && r->options->neighbours == SBL_REPLACE_ONE) n = r->public_rows;
    r->planning = *r->options;
    /* A stream is read once: where no number of rounds was given, there is one. */
    if (sbl_run_is_stream(r->job) && sbl_setting_given(r->options, "rounds") == NULL)
        SBL_CHECK(sbl_options_set(&r->planning, "rounds", "1", err));
    /* For linked tables, persons are stated: there is no single number of rows. */
    if (r->facts.table_facts != NULL && n != 0 && sbl_setting_given(r->options, "expect-persons") == NULL) {
        (void)snprintf(r->persons, sizeof r->persons, "%llu", (unsigned long long)n);
        SBL_CHECK(sbl_options_set(&r->planning, "expect-persons", r->persons, err));
    }
    SBL_CHECK(plan_sizes(r, n, err));
    SBL_CHECK(sbl_rounds_begin_after(&r->rounds, &r->facts, r->discover.count, scale, &r->planning, err));
    return check_chosen(r, err);
}

sbl_status sbl_run_check_method(const sbl_run *r, sbl_error *err)
{
    const sbl_method *method = r->rounds.method;
    if (r->job->replicates != 0) SBL_CHECK(sbl_posterior_check(method, err));
    return method->check != NULL ? method->check(&r->facts, &r->rounds.items[0], r->options, err) : SBL_OK;
}

/* Everything before the first release of the method: what can be refused is refused here. */
static sbl_status begin_with_schema(sbl_run *r, sbl_error *err)
{
    SBL_CHECK(sbl_run_plan_rounds(r, 0, err));
    SBL_CHECK(sbl_run_check_rereading(r, err));
    SBL_CHECK(sbl_run_check_method(r, err));
    SBL_CHECK(sbl_run_list_assumptions(r, err));
    sbl_run_list_shares(r);
    const sbl_round *first = &r->rounds.items[0];
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    SBL_CHECK(sbl_publish_open(&r->publish, &facts, &first->features.layout, first->features.weights,
                               first->plan.share, r->source != NULL ? r->source->count : 0, err));
    SBL_CHECK(sbl_run_open_source(r, err)); /* reports nothing but a missing file */
    sbl_run_report_ledger(r->publish, facts.input, r->options);
    /* A public number that was not counted yet is known after the first release. */
    if (r->public_rows != 0 ||
        !sbl_rows_are_public(r->options->neighbours, sbl_facts_rows_per_unit(&r->facts)))
        SBL_CHECK(sbl_run_advise(r, r->public_rows, err));
    return sbl_rounds_report_cost(&r->rounds, r->public_rows, sbl_run_draws(r->job) ? &r->job->amount : NULL,
                                  r->options, err);
}

sbl_status sbl_run_discover(sbl_run *r, bool more, sbl_error *err)
{
    sbl_status status = SBL_OK;
    while (more) {
        SBL_TRY(plan_rest(r, err));
        SBL_TRY(release_round(r, &r->discover, err));
        if (r->discover.count == 1) SBL_TRY(sbl_run_check_commas(r, err));
        SBL_TRY(sbl_rounds_next(&more, &r->discover, &r->planning, err));
    }
    SBL_TRY(sbl_run_conclude_discovery(r, err));
    if (r->job->discovered.store != NULL) goto done;
    SBL_TRY(sbl_run_plan_rounds(r, 0, err));
    SBL_TRY(sbl_run_check_method(r, err));
    SBL_TRY(plan_rest(r, err));
done:
    if (status != SBL_OK && err != NULL && err->hint == SBL_HINT_COMMAS) return status;
    return status == SBL_OK || sbl_publish_certificate(r->publish) == NULL
               ? status
               : sbl_run_keeps_release(status, r->release.name, SBL_HINT_RESUME, err);
}

static sbl_status begin_without_schema(sbl_run *r, sbl_error *err)
{
    SBL_CHECK(sbl_run_plan_discovery(r, err));
    SBL_CHECK(sbl_run_list_assumptions(r, err));
    sbl_run_list_shares(r);
    const sbl_round *first = &r->discover.items[0];
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    const bool is_public = facts.neighbours == SBL_REPLACE_ONE;
    SBL_CHECK(sbl_run_check_discovery(r, &facts, err));
    SBL_CHECK(sbl_publish_open(&r->publish, &facts, &first->features.layout, first->features.weights,
                               first->plan.share, is_public ? r->public_rows : 0, err));
    sbl_run_report_ledger(r->publish, facts.input, r->options);
    return sbl_run_discover(r, true, err);
}

void sbl_statement_clear(sbl_statement *statement)
{
    sbl_free(statement->whole);
    sbl_free(statement->brief);
    *statement = (sbl_statement){0};
}

/* What was remarked, and then the guarantee. */
static sbl_status join_statement(char **joined, const sbl_text *remarks, const char *guarantee,
                                 sbl_error *err)
{
    sbl_text text = {0};
    sbl_text_printf(&text, "%s%s", remarks->data != NULL ? remarks->data : "", guarantee);
    const sbl_status status = sbl_text_check(&text, "a statement", err);
    if (status == SBL_OK)
        *joined = sbl_plain_lines(text.data);
    else
        sbl_text_clear(&text);
    return status;
}

sbl_status sbl_run_complete(sbl_run *r, sbl_statement *statement, bool more, sbl_error *err)
{
    sbl_statement own = {0};
    const char *certificate = NULL;
    sbl_status status = SBL_OK;
    if (r->job->discovered.store == NULL) {
        SBL_TRY(sbl_run_open_source(r, err));
        if (more) SBL_TRY(release_all(r, err));
        SBL_TRY(r->rounds.method->fit != NULL ? fit_and_draw(r, err) : answer(r, err));
    }
    SBL_TRY(finish(r, &own.whole, err));
    if (r->remarks.failed) SBL_FAIL(err, SBL_EMEM, "out of memory");
    if (statement == NULL) goto done;
    certificate = sbl_publish_certificate(r->publish);
    SBL_TRY(sbl_certificate_shorten(&own.brief, certificate, strlen(certificate), "the certificate", err));
    SBL_TRY(join_statement(&statement->whole, &r->remarks, own.whole, err));
    SBL_TRY(join_statement(&statement->brief, &r->remarks, own.brief, err));
done:
    if (status != SBL_OK && statement != NULL) sbl_statement_clear(statement);
    sbl_statement_clear(&own);
    return status;
}

sbl_status sbl_job_run(sbl_statement *statement, const sbl_job *job, sbl_error *err)
{
    sbl_run r = {.job = job, .options = job->options};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = (sbl_statement){0};
    /* A schema that is discovered has no unit. */
    if (sbl_run_discovers(job)) SBL_TRY(sbl_amount_check(&job->amount, false, false, err));
    SBL_TRY(sbl_run_find_facts(&r, err));
    SBL_TRY(sbl_run_name_files(&r, err));
    SBL_TRY(sbl_run_check_files(&r, err));
    SBL_TRY(sbl_run_discovers(job) ? begin_without_schema(&r, err) : begin_with_schema(&r, err));
    SBL_TRY(sbl_run_complete(&r, statement, true, err));
done:
    sbl_run_clear(&r);
    return status;
}

sbl_status sbl_job_plan(char **text, const sbl_job *job, uint64_t n, bool json, sbl_error *err)
{
    sbl_job planned = *job;
    sbl_run r = {.job = &planned, .options = job->options};
    sbl_status status = SBL_OK;
    *text = NULL;
    /* How many images there are is public under replace-one only. */
    if (n == 0 && (job->kind == SBL_DATA_TABLE || job->options->neighbours == SBL_ADD_REMOVE))
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ROWS, NULL,
                             "the number of records must be given, and be at least 1");
    SBL_TRY(sbl_run_find_facts(&r, err));
    /* A table's handle has its dialect: that it may be a stream does not concern the plan. */
    if (job->kind == SBL_DATA_TABLE) planned.data = NULL;
    SBL_TRY(sbl_run_plan_rounds(&r, n, err));
    SBL_TRY(sbl_rounds_show(text, &r.rounds, n != 0 ? n : r.source->count, json, &r.planning, err));
done:
    sbl_run_clear(&r);
    return status;
}
