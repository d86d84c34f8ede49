/* SPDX-License-Identifier: Apache-2.0 */
/* A run in parts: its plans, of round 1 from public facts, of a later one from the releases before it. No record is
 * read here. */
#include "run/pipeline/shards.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/options/option_values.h"
#include "run/pipeline/job_run.h"
#include "run/pipeline/shards_plan.h"
#include "semblance/files.h"

/* ---- a plan that was read ---- */

void sbl_shards_close(sbl_shards_planned *planned)
{
    sbl_features_clear(&planned->features);
    sbl_plan_clear(&planned->plan);
    sbl_facts_clear(&planned->facts);
    sbl_facts_clear(&planned->read);
    sbl_plan_file_clear(&planned->file);
}

sbl_status sbl_shards_open(sbl_shards_planned *planned, sbl_store_entry plan,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *planned = (sbl_shards_planned){.method = NULL};
    SBL_TRY(sbl_plan_file_load(&planned->file, plan, err));
    SBL_TRY(sbl_plan_parse(&planned->plan, &planned->facts, planned->file.plan, plan.name, err));
    planned->facts.encoder_path = sbl_setting_given(options, SBL_SETTING_ENCODER);
    SBL_TRY(sbl_method_find(&planned->method, planned->plan.method, planned->facts.kind,
                            options->more_methods, err));
    SBL_TRY(sbl_features_make(&planned->features, &planned->plan, &planned->facts, planned->method->features,
                              err));
    SBL_TRY(sbl_shards_check_name(planned, options->title, err));
done:
    return status == SBL_EARG ? SBL_EINPUT : status;
}

sbl_status sbl_shards_check_name(const sbl_shards_planned *planned, const char *called, sbl_error *err)
{
    for (size_t i = 0; called != NULL && i < planned->features.count; i++) {
        const sbl_feature_instance *item = &planned->features.items[i];
        if (item->kind->check_name != NULL) SBL_CHECK(item->kind->check_name(item->made, called, err));
    }
    return SBL_OK;
}

sbl_status sbl_shards_check_names(const sbl_shards_planned *planned, const sbl_part *part, sbl_error *err)
{
    for (size_t i = 0; i < part->id_count; i++)
        SBL_CHECK(sbl_shards_check_name(planned, part->ids[i].name, err));
    return SBL_OK;
}

void sbl_shards_fill(sbl_synth_options *options, const sbl_plan_file *file)
{
    options->epsilon = file->epsilon;
    options->delta = file->delta;
    options->pure = file->delta == 0.0;
    options->neighbours = file->neighbours;
}

sbl_status sbl_shards_check_files(const char *input, sbl_store_entry plan, const char *mask,
                                  sbl_store_entry output, bool overwrite, sbl_error *err)
{
    const char *path = sbl_store_entry_path(plan);
    sbl_text key = {0};
    sbl_status status = SBL_OK;
    if (path != NULL) SBL_TRY(sbl_plan_file_name_key(&key, path, err));
    const sbl_named_file files[] = {{"the input", input, false},
                                    {"the plan", path, false},
                                    {"the key of the plan", key.data, false},
                                    {"the key of the site", mask, false},
                                    {"the sum", sbl_store_entry_path(output), true}};
    SBL_TRY(sbl_files_check(files, sizeof files / sizeof files[0], err));
    SBL_TRY(sbl_store_entry_check(output, overwrite, err));
done:
    sbl_text_clear(&key);
    return status;
}

/* ---- a new plan ---- */

/* What cannot be summed in parts. anywhere: a person may be at several sites. */
static sbl_status check_facts(const sbl_facts *facts, bool anywhere, sbl_error *err)
{
    if (facts->table_facts != NULL)
        return sbl_fail(err, SBL_EARG, "linked tables cannot be summed in parts: fit them in one process");
    /* A person at two sites would count at each, and no site may tell another who its persons are. */
    if (anywhere && sbl_facts_rows_per_unit(facts) != 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ONE_SITE, NULL,
                             "the schema names a unit, and sites cannot tell whether a person is at two of "
                             "them: declare that all rows of a person are at one site");
    return SBL_OK;
}

sbl_status sbl_shards_plan(const sbl_job *job, uint64_t n, const char *sites, bool one_site,
                           sbl_store_entry output, sbl_error *err)
{
    sbl_job planned = *job;
    sbl_run r = {.job = &planned, .options = job->options};
    sbl_plan_file file = {.rows = n, .one_site = one_site};
    sbl_status status = SBL_OK;
    if (one_site && sites == NULL)
        SBL_FAIL(err, SBL_EARG, "the declaration that persons are at one site needs sites: name them");
    SBL_TRY(sbl_run_find_facts(&r, err));
    SBL_TRY(check_facts(&r.facts, sites != NULL && !one_site, err));
    planned.data = NULL; /* its handle has said how it is written */
    SBL_TRY(sbl_run_plan_rounds(&r, n, err));
    SBL_TRY(sbl_run_check_method(&r, err));
    file.epsilon = r.options->epsilon;
    file.delta = r.planning.delta;
    file.neighbours = r.options->neighbours;
    if (sites != NULL) SBL_TRY(sbl_plan_file_read_sites(&file, sites, err));
    SBL_TRY(sbl_copy_text(&file.why, r.rounds.by_auto ? r.rounds.why : "", "a plan", err));
    SBL_TRY(sbl_copy_text(&file.plan, r.rounds.items[0].plan.text, "a plan", err));
    SBL_TRY(sbl_plan_file_save(&file, NULL, output, r.options->overwrite, err));
done:
    sbl_plan_file_clear(&file);
    sbl_run_clear(&r);
    return status;
}

/* Do the releases end with that of this plan? */
static sbl_status check_last(const sbl_rounds *rounds, const sbl_plan_file *before, const char *before_path,
                             const char *release, sbl_error *err)
{
    return strcmp(rounds->items[rounds->count - 1].plan.text, before->plan) == 0
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s is not the plan of the last release next to %s", before_path,
                          release);
}

static sbl_status save_next(const sbl_rounds *rounds, const sbl_plan_file *before, sbl_store_entry output,
                            bool overwrite, sbl_error *err)
{
    const sbl_round *next = &rounds->items[rounds->count - 1];
    sbl_plan_file file = {.epsilon = before->epsilon,
                          .delta = before->delta,
                          .neighbours = before->neighbours,
                          .rows = before->rows,
                          .one_site = before->one_site};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_copy_text(&file.why, before->why, "a plan", err));
    SBL_TRY(sbl_copy_text(&file.plan, next->plan.text, "a plan", err));
    SBL_ALLOC(file.sites, before->site_count, "a plan");
    for (size_t i = 0; i < before->site_count; i++) file.sites[i] = before->sites[i];
    file.site_count = before->site_count;
    SBL_TRY(sbl_plan_file_save(&file, before, output, overwrite, err));
done:
    sbl_plan_file_clear(&file);
    return status;
}

/* The plan of round K of a run whose first is `first`. name: is filled; the item borrows it. */
static sbl_status name_plan(sbl_store_entry *plan, sbl_text *name, sbl_store_entry first, size_t round,
                            sbl_error *err)
{
    sbl_text_printf(name, round > 1 ? "%s.%zu" : "%s", first.name, round);
    *plan = (sbl_store_entry){first.store, name->data};
    return sbl_text_check(name, "a file name", err);
}

sbl_status sbl_shards_plan_next(bool *more, sbl_store_entry before, const char *release, uint64_t round,
                                sbl_store_entry output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_plan_file file = {.rows = 0};
    sbl_rounds rounds = {.method = NULL};
    sbl_facts facts = {0};
    sbl_release **releases = NULL;
    size_t count = 0;
    sbl_text names[2] = {{0}, {0}};
    sbl_synth_options filled = *options;
    sbl_status status = SBL_OK;
    *more = false;
    SBL_TRY(sbl_releases_load(&releases, &count, sbl_file_item(release), err));
    if (round != 0 && round != count + 1)
        SBL_FAIL(err, SBL_EARG, "%s and the releases next to it are %zu: plan round %zu next", release, count,
                 count + 1);
    if (before.store == NULL) {
        SBL_TRY(name_plan(&before, &names[0], output, count, err));
        SBL_TRY(name_plan(&output, &names[1], output, count + 1, err));
    }
    SBL_TRY(sbl_plan_file_load(&file, before, err));
    sbl_shards_fill(&filled, &file);
    SBL_TRY(sbl_rounds_of_releases(&rounds, &facts, releases, count, &filled, release, err));
    SBL_TRY(check_last(&rounds, &file, before.name, release, err));
    SBL_TRY(sbl_rounds_next(more, &rounds, &filled, err));
    if (*more) SBL_TRY(save_next(&rounds, &file, output, options->overwrite, err));
done:
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    for (size_t i = 0; i < 2; i++) sbl_text_clear(&names[i]);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    sbl_plan_file_clear(&file);
    return status;
}
