/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a run in parts: what is needed is there, and options are read as this version knows them. */
#include "semblance/shards.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/store/store.h"
#include "base/text.h"
#include "run/api/api_call.h"
#include "run/pipeline/shards.h"
#include "semblance/files.h"

/* Where the step finds what it reads and puts what it makes. Zero-initialise. */
typedef struct places {
    sbl_store *memory; /* for anything that is not a file */
    sbl_store_entry plan, output;
    sbl_store_entry *sums; /* (sum_count) */
    sbl_strings names;
} places;

static const char plan_name[] = "the plan";
static const char key_name[] = "the plan.key";
static const char output_name[] = "the sum";
static const char new_plan_name[] = "the new plan";
static const char new_key_name[] = "the new plan.key";

static void clear_places(places *p)
{
    sbl_free(p->sums);
    sbl_strings_clear(&p->names);
    sbl_store_memory_free(p->memory);
}

static sbl_status put_text(const places *p, const char *name, const char *text, sbl_error *err)
{
    return sbl_store_entry_write((sbl_store_entry){p->memory, name}, text, strlen(text),
                                 (sbl_file_write_options){.overwrite = true}, err);
}

static sbl_status place_sums(places *p, const sbl_shards *parts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(p->sums, parts->sum_count, "the parts");
    if (!sbl_strings_reserve(&p->names, parts->sum_count)) SBL_TRY(sbl_no_memory(err, "the parts"));
    for (size_t i = 0; i < parts->sum_count; i++) {
        char name[32];
        if (parts->sum_bytes == NULL) {
            p->sums[i] = sbl_file_item(parts->sums[i]);
            continue;
        }
        (void)snprintf(name, sizeof name, "sum %zu", i + 1);
        if (!sbl_strings_add(&p->names, name)) SBL_TRY(sbl_no_memory(err, "the parts"));
        p->sums[i] = (sbl_store_entry){p->memory, p->names.items[p->names.count - 1]};
        SBL_TRY(sbl_store_entry_write(p->sums[i], parts->sum_bytes[i].bytes, parts->sum_bytes[i].size,
                                      (sbl_file_write_options){.overwrite = true}, err));
    }
done:
    return status;
}

static sbl_status make_places(places *p, const sbl_shards *parts, sbl_error *err)
{
    const bool plan = parts->step == SBL_SHARDS_PLAN;
    SBL_CHECK(sbl_store_memory_new(&p->memory, err));
    p->plan = sbl_file_item(parts->plan);
    if (parts->plan_text != NULL) {
        SBL_CHECK(sbl_need(parts->key_text, "key_text", err));
        SBL_CHECK(put_text(p, plan_name, parts->plan_text, err));
        SBL_CHECK(put_text(p, key_name, parts->key_text, err));
        p->plan = (sbl_store_entry){p->memory, plan_name};
    }
    p->output = sbl_file_item(parts->output);
    if (parts->made != NULL) {
        SBL_CHECK(sbl_need(parts->made_size, "made_size", err));
        if (plan) SBL_CHECK(sbl_need(parts->made_key, "made_key", err));
        p->output = (sbl_store_entry){p->memory, plan ? new_plan_name : output_name};
    }
    if (parts->sum_count > 0) SBL_CHECK(place_sums(p, parts, err));
    return SBL_OK;
}

/* What was made in memory, to the caller. */
static sbl_status hand_over(const places *p, const sbl_shards *parts, sbl_error *err)
{
    size_t size;
    if (parts->made == NULL || !sbl_store_entry_exists(p->output)) return SBL_OK;
    SBL_CHECK(sbl_store_entry_read(parts->made, parts->made_size, p->output, SIZE_MAX, err));
    if (parts->step == SBL_SHARDS_PLAN)
        SBL_CHECK(sbl_store_entry_read((uint8_t **)parts->made_key, &size,
                                       (sbl_store_entry){p->memory, new_key_name}, SIZE_MAX, err));
    return SBL_OK;
}

static bool is_of_images(const sbl_data *data)
{
    return data != NULL && sbl_data_tell(data).kind == SBL_DATA_IMAGES;
}

static sbl_status plan_first(const places *p, const sbl_shards *parts, const sbl_synth_options *options,
                             sbl_error *err)
{
    sbl_api_call entry = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (parts->rows == 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ROWS, NULL,
                             "the number of records must be given, and be at least 1");
    const bool images = is_of_images(parts->data);
    if (images && parts->schema != NULL) SBL_FAIL(err, SBL_EARG, "images have no schema: leave it out");
    if (parts->data != NULL) SBL_TRY(sbl_data_use(&used, parts->data, err));
    SBL_TRY(sbl_api_call_begin_fit(&entry, options, images ? SBL_IMAGES : SBL_TABLES, SBL_STEP_PLAN, err));
    const sbl_job job = {.kind = images ? SBL_DATA_IMAGES : SBL_DATA_TABLE,
                         .data = parts->data,
                         .schema = parts->schema,
                         .options = &entry.options};
    SBL_TRY(sbl_shards_plan(&job, parts->rows, parts->sites, parts->persons_at_one_site, p->output, err));
done:
    sbl_api_call_end(&entry);
    sbl_use_end(used);
    return status;
}

static sbl_status plan_next(char **text, const places *p, const sbl_shards *parts,
                            const sbl_synth_options *options, sbl_error *err)
{
    bool more;
    if (parts->made != NULL) SBL_CHECK(sbl_need(p->plan.name, "plan", err));
    SBL_CHECK(sbl_need(parts->release, "release", err));
    SBL_CHECK(sbl_shards_plan_next(&more, p->plan, parts->release, parts->round, p->output, options, err));
    if (!more && text != NULL)
        SBL_CHECK(sbl_copy_text(text, "the run is complete: no round is left\n", "a text", err));
    return SBL_OK;
}

static sbl_status sum_part(const places *p, const sbl_shards *parts, const sbl_synth_options *options,
                           sbl_error *err)
{
    const sbl_part_wish wish = {parts->part, parts->attempt, parts->mask};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_need(parts->data, "data", err));
    SBL_TRY(sbl_need(p->plan.name, "plan", err));
    SBL_TRY(sbl_data_use(&used, parts->data, err));
    SBL_TRY(sbl_shards_sum(parts->data, p->plan, &wish, p->output, options, err));
done:
    sbl_use_end(used);
    return status;
}

static sbl_status share_rows(const places *p, const sbl_shards *parts, const sbl_synth_options *options,
                             sbl_error *err)
{
    uint32_t *numbers = NULL;
    size_t rows = 0;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_need(parts->data, "data", err));
    SBL_TRY(sbl_need(parts->made, "made", err));
    SBL_TRY(sbl_need(p->plan.name, "plan", err));
    SBL_TRY(sbl_data_use(&used, parts->data, err));
    SBL_TRY(sbl_shards_share(&numbers, &rows, parts->data, p->plan, parts->shares, options, err));
    SBL_TRY(sbl_store_entry_write(p->output, numbers, rows * sizeof *numbers,
                                  (sbl_file_write_options){.overwrite = true}, err));
done:
    sbl_free_wiped(numbers, rows * sizeof *numbers);
    sbl_use_end(used);
    return status;
}

static sbl_status join_sums(char **text, const places *p, const sbl_shards *parts,
                            const sbl_synth_options *options, sbl_error *err)
{
    const bool merge = parts->step == SBL_SHARDS_MERGE;
    SBL_CHECK(sbl_need(p->plan.name, "plan", err));
    if (parts->sum_count == 0 || (!merge && parts->sum_count > 1))
        return sbl_fail(
            err, SBL_EARG, "%s",
            merge ? "give at least one part to merge" : "give one sum to release: merge the parts first");
    return merge ? sbl_shards_merge(p->sums, parts->sum_count, p->plan, p->output, options, err)
                 : sbl_shards_release(text, parts->brief, p->sums[0], p->plan, p->output.name, options, err);
}

static sbl_status run_step(char **text, const places *p, const sbl_shards *parts,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_api_call entry = {0};
    sbl_status status = SBL_OK;
    if (parts->step == SBL_SHARDS_PLAN && (parts->schema != NULL || is_of_images(parts->data)))
        return plan_first(p, parts, options, err);
    /* The budget of a run is not an option of these. */
    SBL_TRY(sbl_api_call_begin(&entry, options, SBL_STEP_SAMPLE, err));
    options = &entry.options;
    if (parts->step == SBL_SHARDS_PLAN)
        SBL_TRY(plan_next(text, p, parts, options, err));
    else if (parts->step == SBL_SHARDS_SUM)
        SBL_TRY(sum_part(p, parts, options, err));
    else if (parts->step == SBL_SHARDS_SHARE)
        SBL_TRY(share_rows(p, parts, options, err));
    else
        SBL_TRY(join_sums(text, p, parts, options, err));
done:
    sbl_api_call_end(&entry);
    return status;
}

static sbl_status check_parts(const sbl_shards *parts, sbl_error *err)
{
    if (parts->step < SBL_SHARDS_PLAN || parts->step > SBL_SHARDS_SHARE)
        return sbl_fail(err, SBL_EARG, "this step of a run in shards is unknown");
    if (parts->step == SBL_SHARDS_RELEASE && parts->made != NULL)
        return sbl_fail(err, SBL_EARG,
                        "a release must be written to a file, because its ledger refers to it");
    if (parts->made == NULL && parts->step != SBL_SHARDS_SHARE)
        SBL_CHECK(sbl_need(parts->output, "output", err));
    if (parts->sum_count > 0 && parts->sum_bytes == NULL) SBL_CHECK(sbl_need(parts->sums, "sums", err));
    return SBL_OK;
}

sbl_status sbl_shards_run(char **text, const sbl_shards *parts, const sbl_synth_options *options,
                          sbl_error *err)
{
    sbl_shards ours = {.struct_size = sizeof ours};
    places p = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, parts, "parts", err));
    if (ours.made != NULL) *ours.made = NULL;
    if (ours.made_key != NULL) *ours.made_key = NULL;
    SBL_TRY(check_parts(&ours, err));
    SBL_TRY(make_places(&p, &ours, err));
    SBL_TRY(run_step(text, &p, &ours, options, err));
    SBL_TRY(hand_over(&p, &ours, err));
done:
    clear_places(&p);
    return status;
}
