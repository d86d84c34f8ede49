/* SPDX-License-Identifier: Apache-2.0 */
/* [5] of a run in parts: the one step that charges and draws noise. It goes the way of any round (publish.h); what is
 * different is where the sum comes from, a file that the plan's key has sealed. */
#include <string.h>

#include "base/alloc.h"
#include "run/pipeline/job_run.h"
#include "run/pipeline/shards.h"
#include "run/pipeline/shards_plan.h"
#include "semblance/files.h"

/* The whole sum, of which nothing is missing. */
static sbl_status read_sum(sbl_sum **sum, const sbl_shards_planned *planned, sbl_store_entry file,
                           sbl_error *err)
{
    const sbl_layout *layout = &planned->features.layout;
    sbl_part part = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_part_load(&part, &planned->file, layout, file, err));
    SBL_TRY(sbl_shards_check_names(planned, &part, err));
    SBL_TRY(sbl_part_is_all(&part, &planned->file, file.name, err));
    SBL_TRY(sbl_part_give(sum, &part, layout, file.name, err));
done:
    sbl_part_clear(&part);
    return status;
}

/* x.release has x.certificate.json, anything else NAME.certificate.json. */
static sbl_status name_certificate(sbl_run *r, const char *release, sbl_error *err)
{
    const char *given = r->options->certificate_path;
    const size_t length = strlen(release);
    const size_t ending = strlen(SBL_ENDING_RELEASE);
    const bool ends = length > ending && strcmp(release + length - ending, SBL_ENDING_RELEASE) == 0;
    if (given != NULL)
        sbl_text_printf(&r->names[0], "%s", given);
    else
        sbl_text_printf(&r->names[0], "%.*s" SBL_ENDING_CERTIFICATE, (int)(ends ? length - ending : length),
                        release);
    r->release = sbl_file_item(release);
    r->certificate = sbl_file_item(r->names[0].data);
    return sbl_text_check(&r->names[0], "a file name", err);
}

/* The round of the plan and those before it, whose releases are there. */
static sbl_status rebuild_rounds(sbl_run *r, const sbl_shards_planned *planned, const char *path,
                                 sbl_error *err)
{
    bool more = false;
    sbl_status status = SBL_OK;
    if (planned->plan.round == 1)
        return sbl_rounds_of_plan(&r->rounds, &r->facts, planned->file.plan, planned->file.why, r->options,
                                  path, err);
    SBL_TRY(sbl_releases_load(&r->known, &r->known_count, r->release, err));
    /* Later ones are of a run that is over, and are refused where they would be replaced. */
    while (r->known_count >= planned->plan.round) sbl_release_free(r->known[--r->known_count]);
    SBL_ALLOC(r->listed, r->known_count, "the releases");
    for (size_t i = 0; i < r->known_count; i++) r->listed[i] = r->known[i];
    SBL_TRY(sbl_rounds_of_releases(&r->rounds, &r->facts, r->known, r->known_count, r->options,
                                   r->release.name, err));
    r->rounds.by_auto = planned->file.why[0] != '\0';
    memcpy(r->rounds.why, planned->file.why, strnlen(planned->file.why, SBL_WHY_SIZE - 1));
    SBL_TRY(sbl_rounds_next(&more, &r->rounds, r->options, err));
    if (!more || strcmp(r->rounds.items[r->rounds.count - 1].plan.text, planned->file.plan) != 0)
        status = sbl_fail(err, SBL_EINPUT, "%s is not the plan that follows %s", path, r->release.name);
done:
    return status;
}

/* Where the number of rows is public, all rounds have the same: seen before anything is charged. What else of the records
 * changes between rounds cannot be seen. */
static sbl_status check_rows(const sbl_run *r, uint64_t rows, const char *sum, sbl_error *err)
{
    const uint64_t before = r->known_count > 0 ? r->listed[0]->n : 0; /* 0: it is private */
    return before == 0 || before == rows ? SBL_OK
                                         : sbl_fail(err, SBL_EINPUT,
                                                    "%s has another number of rows than the earlier "
                                                    "releases: the table changed between rounds",
                                                    sum);
}

static sbl_status open_publish(sbl_run *r, uint64_t rows, sbl_error *err)
{
    const sbl_round *round = &r->rounds.items[r->rounds.count - 1];
    SBL_CHECK(sbl_run_list_assumptions(r, err));
    sbl_run_list_shares(r);
    const sbl_publish_facts facts = sbl_run_publish_facts(r);
    return r->known_count > 0 ? sbl_publish_resume(&r->publish, &facts, r->listed, r->known_count, err)
                              : sbl_publish_open(&r->publish, &facts, &round->features.layout,
                                                 round->features.weights, round->plan.share, rows, err);
}

static sbl_status check_names(const sbl_run *r, sbl_store_entry sum, sbl_store_entry plan, sbl_error *err)
{
    const char *path = sbl_store_entry_path(plan);
    sbl_text key = {0};
    sbl_status status = path != NULL ? sbl_plan_file_name_key(&key, path, err) : SBL_OK;
    const sbl_named_file files[] = {
        {"the sum", sbl_store_entry_path(sum), false}, {"the plan", path, false},
        {"the key of the plan", key.data, false},      {"the ledger", r->options->ledger_path, false},
        {"the release", r->release.name, true},        {"the certificate", r->certificate.name, true}};
    if (status == SBL_OK) status = sbl_files_check(files, sizeof files / sizeof files[0], err);
    sbl_text_clear(&key);
    return status;
}

sbl_status sbl_shards_release(char **statement, bool brief, sbl_store_entry sum, sbl_store_entry plan,
                              const char *release, const sbl_synth_options *options, sbl_error *err)
{
    sbl_job job = {.kind = SBL_DATA_TABLE, .options = options};
    sbl_synth_options filled = *options;
    sbl_run r = {.job = &job, .options = &filled, .in_parts = true};
    sbl_shards_planned planned;
    sbl_gathered gathered = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(sbl_shards_open(&planned, plan, options, err));
    sbl_shards_fill(&filled, &planned.file);
    job.kind = planned.facts.kind;
    r.one_site = planned.file.one_site;
    r.planning = filled;
    r.planning.expected_rows = planned.file.rows;
    SBL_TRY(name_certificate(&r, release, err));
    SBL_TRY(check_names(&r, sum, plan, err));
    SBL_TRY(rebuild_rounds(&r, &planned, plan.name, err));
    SBL_TRY(read_sum(&gathered.sum, &planned, sum, err));
    SBL_TRY(check_rows(&r, sbl_sum_rows(gathered.sum), sum.name, err));
    SBL_TRY(open_publish(&r, sbl_sum_rows(gathered.sum), err));
    sbl_round *round = &r.rounds.items[r.rounds.count - 1];
    SBL_TRY(
        sbl_publish_next(r.publish, &round->release, &gathered, &round->plan, round->features.weights, err));
    SBL_TRY(sbl_publish_finish(r.publish, brief ? NULL : statement, &(sbl_publish_made){0}, err));
    const char *certificate = sbl_publish_certificate(r.publish);
    if (brief && statement != NULL)
        SBL_TRY(sbl_certificate_shorten(statement, certificate, strlen(certificate), "the certificate", err));
    if (r.rounds.count == 1) SBL_TRY(sbl_run_look_at_health(&r, err));
done:
    if (status != SBL_OK && statement != NULL) {
        sbl_free(*statement);
        *statement = NULL;
    }
    sbl_gathered_clear(&gathered);
    sbl_shards_close(&planned);
    sbl_run_clear(&r);
    return status;
}
