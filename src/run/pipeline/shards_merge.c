/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of one plan, added up: in any order, exactly. What is refused depends on names, sizes and seals. */
#include "base/alloc.h"
#include "run/pipeline/shards.h"
#include "run/pipeline/shards_plan.h"

/* What was merged so far. */
typedef struct merging {
    sbl_sum *sum;   /* of parts that are not masked; NULL: none yet */
    sbl_part total; /* the ids of all, and the words of masked ones */
    size_t count;   /* of files */
} merging;

static sbl_status add_ids(sbl_part *total, const sbl_part *part, const char *path, sbl_error *err)
{
    for (size_t i = 0; i < part->id_count; i++) SBL_CHECK(sbl_part_add_id(total, &part->ids[i], path, err));
    return SBL_OK;
}

/* Masked words add up modulo 2^64; what is too large is seen when all are there. */
static sbl_status add_masked(sbl_part *total, sbl_part *part, const char *path, sbl_error *err)
{
    if (total->ids[0].attempt != part->ids[0].attempt)
        return sbl_fail(err, SBL_EINPUT, "%s: the sites masked their sums for different attempts", path);
    if (total->words == NULL) {
        total->words = part->words;
        total->word_count = part->word_count;
        part->words = NULL;
        part->word_count = 0;
        return SBL_OK;
    }
    for (size_t i = 0; i < total->word_count; i++) total->words[i] += part->words[i];
    return SBL_OK;
}

static sbl_status add_plain(merging *m, const sbl_part *part, const sbl_layout *layout, const char *path,
                            sbl_error *err)
{
    sbl_sum *sum = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_part_give(&sum, part, layout, path, err));
    if (m->sum == NULL) {
        m->sum = sum;
        sum = NULL;
    } else {
        SBL_TRY(sbl_sum_merge(m->sum, sum, err));
    }
done:
    sbl_sum_free(sum);
    return status;
}

static sbl_status merge_file(merging *m, const sbl_shards_planned *planned, sbl_store_entry file,
                             sbl_error *err)
{
    const char *path = file.name;
    const sbl_layout *layout = &planned->features.layout;
    sbl_part part = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_part_load(&part, &planned->file, layout, file, err));
    SBL_TRY(sbl_shards_check_names(planned, &part, err));
    if (m->count > 0 && part.masked != m->total.masked)
        SBL_FAIL(err, SBL_EINPUT, "%s: masked sums cannot be merged with unmasked ones", path);
    SBL_TRY(add_ids(&m->total, &part, path, err));
    m->total.masked = part.masked;
    m->count++;
    status = part.masked ? add_masked(&m->total, &part, path, err) : add_plain(m, &part, layout, path, err);
done:
    sbl_part_clear(&part);
    return status;
}

/* The sum of all files; of masked ones nothing is a sum before all are there. */
static sbl_status finish_merge(merging *m, const sbl_shards_planned *planned, const char *path,
                               sbl_error *err)
{
    if (m->total.masked) {
        SBL_CHECK(sbl_part_is_all(&m->total, &planned->file, path, err));
        m->total.masked = false;
        SBL_CHECK(sbl_part_give(&m->sum, &m->total, &planned->features.layout, path, err));
    }
    return sbl_part_take(&m->total, m->sum, err);
}

static sbl_status check_merged(const sbl_store_entry *sums, size_t count, sbl_store_entry plan,
                               sbl_store_entry output, bool overwrite, sbl_error *err)
{
    for (size_t i = 0; i < count; i++)
        SBL_CHECK(sbl_shards_check_files(sbl_store_entry_path(sums[i]), plan, NULL, output, overwrite, err));
    return SBL_OK;
}

sbl_status sbl_shards_merge(const sbl_store_entry *sums, size_t count, sbl_store_entry plan,
                            sbl_store_entry output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_shards_planned planned;
    merging m = {.count = 0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_shards_open(&planned, plan, options, err));
    SBL_TRY(check_merged(sums, count, plan, output, options->overwrite, err));
    for (size_t i = 0; i < count; i++) SBL_TRY(merge_file(&m, &planned, sums[i], err));
    SBL_TRY(finish_merge(&m, &planned, output.name, err));
    SBL_TRY(
        sbl_part_save(&m.total, &planned.file, &planned.features.layout, output, options->overwrite, err));
done:
    sbl_sum_free(m.sum);
    sbl_part_clear(&m.total);
    sbl_shards_close(&planned);
    return status;
}
