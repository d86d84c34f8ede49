/* The steps of a run in parts: what is needed is there, and options are read as this version knows them. */
#include "semblance/parts.h"

#include "api/entry.h"
#include "base/caller_struct.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/parts.h"
#include "semblance/files.h"

static sbl_status plan_first(const sbl_parts *parts, const sbl_synth_options *options,
                             sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (parts->rows == 0)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_ROWS, NULL,
                             "the number of records must be stated, and be at least 1");
    if (parts->data != NULL) SBL_TRY(sbl_data_use(&used, parts->data, err));
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_PLAN, err));
    const sbl_job job = {.kind = SBL_DATA_TABLE,
                         .data = parts->data,
                         .schema = parts->schema,
                         .options = &entry.options};
    SBL_TRY(sbl_parts_plan(&job, parts->rows, parts->sites, parts->output, err));
done:
    sbl_entry_end(&entry);
    sbl_use_end(used);
    return status;
}

static sbl_status plan_next(char **text, const sbl_parts *parts, const sbl_synth_options *options,
                            sbl_error *err)
{
    bool more;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_need(parts->plan, "plan", err));
    SBL_TRY(sbl_need(parts->release, "release", err));
    SBL_TRY(sbl_parts_plan_next(&more, parts->plan, parts->release, parts->round, parts->output,
                                options, err));
    if (!more && text != NULL)
        SBL_TRY(sbl_copy_text(text, "the run is complete: no round is left\n", "a text", err));
done:
    return status;
}

static sbl_status sum_part(const sbl_parts *parts, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_part_wish wish = {parts->part, parts->attempt, parts->mask};
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_need(parts->data, "data", err));
    SBL_TRY(sbl_need(parts->plan, "plan", err));
    SBL_TRY(sbl_data_use(&used, parts->data, err));
    SBL_TRY(sbl_parts_sum(parts->data, parts->plan, &wish, parts->output, options, err));
done:
    sbl_use_end(used);
    return status;
}

static sbl_status join_sums(char **text, const sbl_parts *parts, const sbl_synth_options *options,
                            sbl_error *err)
{
    const bool merge = parts->step == SBL_PARTS_MERGE;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_need(parts->plan, "plan", err));
    SBL_TRY(sbl_need(parts->sums, "sums", err));
    if (parts->sum_count == 0 || (!merge && parts->sum_count > 1))
        SBL_FAIL(
            err, SBL_EARG, "%s",
            merge ? "there is no part to merge" : "one sum is released: merge the parts first");
    SBL_TRY(
        merge ? sbl_parts_merge(parts->sums, parts->sum_count, parts->plan, parts->output, options,
                                err)
              : sbl_parts_release(text, parts->sums[0], parts->plan, parts->output, options, err));
done:
    return status;
}

sbl_status sbl_parts_run(char **text, const sbl_parts *parts, const sbl_synth_options *options,
                         sbl_error *err)
{
    sbl_parts ours = {.struct_size = sizeof ours};
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, parts, "parts", err));
    SBL_TRY(sbl_need(ours.output, "output", err));
    if (ours.step < SBL_PARTS_PLAN || ours.step > SBL_PARTS_RELEASE)
        SBL_FAIL(err, SBL_EARG, "there is no such step of a run in parts");
    if (ours.step == SBL_PARTS_PLAN && ours.schema != NULL) return plan_first(&ours, options, err);
    /* What a run spends is no option of these. */
    SBL_TRY(sbl_entry_begin(&entry, options, SBL_STEP_SAMPLE, err));
    if (ours.step == SBL_PARTS_PLAN)
        SBL_TRY(plan_next(text, &ours, &entry.options, err));
    else if (ours.step == SBL_PARTS_SUM)
        SBL_TRY(sum_part(&ours, &entry.options, err));
    else
        SBL_TRY(join_sums(text, &ours, &entry.options, err));
done:
    sbl_entry_end(&entry);
    return status;
}
