/* SPDX-License-Identifier: Apache-2.0 */
/* [1] to [3] in parts: the exact sums of some of the records, and which part each of them is in. Nothing here draws noise,
 * charges, or says anything of what was summed: messages name files, parts and sites. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/options/option_values.h"
#include "records/shards/mask.h"
#include "run/pipeline/gather.h"
#include "run/pipeline/shards.h"
#include "run/pipeline/shards_plan.h"

static sbl_status add_name(sbl_part *part, const char *name, uint64_t attempt, sbl_error *err)
{
    sbl_part_id id = {{0}, attempt != 0 ? attempt : 1};
    uint64_t number, shares;
    if (!sbl_part_share(&number, &shares, name) && !sbl_is_part_name(name))
        return sbl_fail(err, SBL_EARG, "name the part: 1 to 63 letters, digits, '.', '_', '-', or 'I/M'");
    (void)snprintf(id.name, sizeof id.name, "%s", name);
    return sbl_part_add_id(part, &id, "the sum", err);
}

/* As its files are called, without their folders: what is summed twice by default has one name. A list of files is as many
 * parts, so that none of them can be merged once more by itself. */
static sbl_status add_file_names(sbl_part *part, const char *path, uint64_t attempt, sbl_error *err)
{
    char *names = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_copy_text(&names, path != NULL ? path : "", "a part", err));
    const bool list = sbl_path_is_list(names);
    for (char *at = names; at != NULL;) {
        char *comma = list ? strchr(at, ',') : NULL;
        if (comma != NULL) *comma = '\0';
        const char *slash = strrchr(at, '/');
        SBL_TRY(add_name(part, slash != NULL ? slash + 1 : at, attempt, err));
        at = comma != NULL ? comma + 1 : NULL;
    }
done:
    sbl_free(names);
    return status;
}

/* What the part is called, which says of persons which of them it has. A site is called as the plan says, in time. */
static sbl_status name_part(sbl_part *part, const sbl_shards_planned *planned, const sbl_part_wish *wish,
                            const char *path, sbl_error *err)
{
    const bool units = sbl_facts_rows_per_unit(&planned->facts) != 0;
    uint64_t number, shares;
    if (wish->mask != NULL) return add_name(part, "site", wish->attempt, err);
    if (units && wish->name != NULL && !sbl_part_share(&number, &shares, wish->name))
        return sbl_fail(
            err, SBL_EARG,
            "the schema names a unit, so persons are divided into parts: name the part 'I/M', number I of M");
    if (wish->name == NULL && !units) return add_file_names(part, path, wish->attempt, err);
    return add_name(part, wish->name != NULL ? wish->name : "1/1", wish->attempt, err);
}

/* The images of the data, which are of the plan's size and classes. That they are balanced is the plan's to say. */
static sbl_status open_images(sbl_source **images, sbl_data *data, sbl_shards_planned *planned,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_open(images, data, &planned->read, NULL, NULL, err));
    planned->read.balanced = planned->facts.balanced;
    json_t *planned_for = sbl_facts_to_json(&planned->facts);
    json_t *found = sbl_facts_to_json(&planned->read);
    const bool same = planned_for != NULL && json_equal(planned_for, found);
    json_decref(planned_for);
    json_decref(found);
    if (!same)
        status = sbl_fail(err, SBL_EINPUT, "%s has images of another size, or other classes, than the plan",
                          sbl_data_tell(data).name);
done:
    return sbl_source_opened(images, status);
}

/* The rows of the data; where there is a unit, all who read some of them hash whose row it is with one key. */
static sbl_status open_rows(sbl_source **rows, sbl_data *data, sbl_shards_planned *planned,
                            const sbl_synth_options *options, sbl_error *err)
{
    uint8_t key[SBL_SIPHASH_KEY_SIZE];
    const sbl_data_about about = sbl_data_tell(data);
    sbl_status status = SBL_OK;
    *rows = NULL;
    if (about.kind == SBL_DATA_IMAGES) return open_images(rows, data, planned, err);
    /* How a file is written may differ from part to part: nothing that is summed depends on it. */
    SBL_TRY(sbl_schema_apply_dialect(planned->facts.declared, &about.written, err));
    SBL_TRY(sbl_source_open(rows, data, &planned->facts, options->notice, options->context, err));
    if (sbl_facts_rows_per_unit(&planned->facts) != 0) {
        SBL_TRY(sbl_plan_file_unit_key(key, &planned->file, err));
        SBL_TRY(sbl_source_share_unit_key(*rows, key, err));
    }
done:
    sbl_wipe(key, sizeof key);
    return sbl_source_opened(rows, status);
}

/* The rows of the part: where there is a unit, those of its own persons. Each person is in one part, whatever the
 * files. */
static sbl_status open_source(sbl_source **source, sbl_data *data, sbl_shards_planned *planned,
                              const sbl_part_id *id, const sbl_synth_options *options, sbl_error *err)
{
    uint64_t number = 1, shares = 1;
    SBL_CHECK(open_rows(source, data, planned, options, err));
    if (sbl_facts_rows_per_unit(&planned->facts) != 0) {
        (void)sbl_part_share(&number, &shares, id->name); /* a site has all of its persons */
        SBL_CHECK(sbl_source_open_part(source, *source, number - 1, shares, err));
    }
    if (planned->method->whole_units) SBL_CHECK(sbl_source_open_persons(source, *source, err));
    return SBL_OK;
}

/* Masks are between the sites of the plan, and all of them have masks. */
static sbl_status check_mask(const sbl_plan_file *plan, const char *mask, const char *path, sbl_error *err)
{
    if (mask != NULL && plan->site_count == 0)
        return sbl_fail(err, SBL_EARG, "%s names no sites, so sums are not masked: leave out the mask", path);
    if (mask == NULL && plan->site_count != 0)
        return sbl_fail(
            err, SBL_EARG,
            "%s names sites, whose sums are masked: give the private key of this site as the mask", path);
    return SBL_OK;
}

/* A site is a part by its own name. */
static sbl_status mask_part(sbl_part *part, const sbl_plan_file *plan, const char *mask, sbl_error *err)
{
    size_t site;
    const sbl_status status =
        sbl_mask(part->words, part->word_count, &site, plan, mask, part->ids[0].attempt, err);
    if (status != SBL_OK) return status;
    sbl_part_rename(part, plan->sites[site].name);
    part->masked = true;
    return SBL_OK;
}

sbl_status sbl_shards_sum(sbl_data *data, sbl_store_entry plan, const sbl_part_wish *wish,
                          sbl_store_entry output, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(data);
    sbl_shards_planned planned;
    sbl_synth_options filled = *options;
    sbl_source *source = NULL;
    sbl_sum *sum = NULL;
    sbl_part part = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_shards_open(&planned, plan, options, err));
    sbl_shards_fill(&filled, &planned.file);
    SBL_TRY(check_mask(&planned.file, wish->mask, plan.name, err));
    SBL_TRY(sbl_shards_check_files(about.path, plan, wish->mask, output, options->overwrite, err));
    if (about.is_query)
        SBL_FAIL(err, SBL_EARG,
                 "%s: a part must be a table, not a query, because the certificate of a plan cannot state "
                 "what a query assumes",
                 about.name);
    if (about.kind != planned.facts.kind)
        SBL_FAIL(err, SBL_EARG, "%s is a plan of %s, and %s is not one", plan.name,
                 planned.facts.kind == SBL_DATA_TABLE ? "a table" : "an image set", about.name);
    if (about.labels != NULL)
        SBL_TRY(sbl_shards_check_files(about.labels, plan, NULL, output, options->overwrite, err));
    SBL_TRY(name_part(&part, &planned, wish, about.path, err));
    SBL_TRY(sbl_shards_check_names(&planned, &part, err));
    SBL_TRY(open_source(&source, data, &planned, &part.ids[0], options, err));
    SBL_TRY(sbl_shards_check_name(&planned, source->name, err));
    SBL_TRY(sbl_gather(&sum, source, &planned.features, "nothing", &filled, err));
    SBL_TRY(sbl_part_take(&part, sum, err));
    if (wish->mask != NULL) SBL_TRY(mask_part(&part, &planned.file, wish->mask, err));
    SBL_TRY(sbl_part_save(&part, &planned.file, &planned.features.layout, output, options->overwrite, err));
done:
    sbl_part_clear(&part);
    sbl_sum_free(sum);
    sbl_source_close(source);
    sbl_shards_close(&planned);
    return status;
}

/* ---- which part a row is in ---- */

/* The parts of a batch, behind those that are there. */
static sbl_status add_numbers(uint32_t **numbers, size_t *rows, const sbl_records *batch, uint64_t shares,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (batch->rows == 0) return SBL_OK;
    SBL_RESIZE(*numbers, *rows + batch->rows, "the parts of rows");
    for (size_t r = 0; r < batch->rows; r++)
        (*numbers)[*rows + r] = (uint32_t)sbl_part_of_unit(batch->units[r], shares);
    *rows += batch->rows;
done:
    return status;
}

sbl_status sbl_shards_share(uint32_t **numbers, size_t *rows, sbl_data *data, sbl_store_entry plan,
                            uint64_t shares, const sbl_synth_options *options, sbl_error *err)
{
    sbl_shards_planned planned;
    sbl_source *source = NULL;
    const sbl_records *batch;
    sbl_status status = SBL_OK;
    *numbers = NULL;
    *rows = 0;
    SBL_TRY(sbl_shards_open(&planned, plan, options, err));
    if (sbl_facts_rows_per_unit(&planned.facts) == 0)
        SBL_FAIL(err, SBL_EARG,
                 "%s is for a schema without a unit, so rows can be divided in any way: name the part "
                 "instead of I/M",
                 plan.name);
    if (shares < 1 || shares > SBL_MOST_SHARES)
        SBL_FAIL(err, SBL_EARG, "the number of parts must be from 1 to %llu",
                 (unsigned long long)SBL_MOST_SHARES);
    SBL_TRY(open_rows(&source, data, &planned, options, err));
    SBL_ALLOC(*numbers, 1, "the parts of rows");
    do {
        SBL_TRY(sbl_source_read(source, &batch, err));
        SBL_TRY(add_numbers(numbers, rows, batch, shares, err));
    } while (batch->rows != 0);
done:
    if (status != SBL_OK) {
        sbl_free_wiped(*numbers, *rows * sizeof **numbers);
        *numbers = NULL;
        *rows = 0;
    }
    sbl_source_close(source);
    sbl_shards_close(&planned);
    return status;
}
