/* [1] to [4] in parts: plans, sums and merges. Nothing here draws noise, charges, or says anything of what was
 * summed: messages name files, parts and sites. */
#include "pipeline/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "options/options.h"
#include "parts/mask.h"
#include "pipeline/gather.h"
#include "pipeline/parts_plan.h"
#include "pipeline/run.h"
#include "semblance/files.h"

/* ---- a plan ---- */

void sbl_parts_close(sbl_parts_planned *planned)
{
    sbl_features_clear(&planned->features);
    sbl_plan_clear(&planned->plan);
    sbl_facts_clear(&planned->facts);
    sbl_plan_file_clear(&planned->file);
}

sbl_status sbl_parts_open(sbl_parts_planned *planned, const char *path,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *planned = (sbl_parts_planned){.method = NULL};
    SBL_TRY(sbl_plan_file_load(&planned->file, path, err));
    SBL_TRY(sbl_plan_parse(&planned->plan, &planned->facts, planned->file.plan, path, err));
    SBL_TRY(sbl_method_find(&planned->method, planned->plan.method, planned->facts.kind,
                            options->more_methods, err));
    SBL_TRY(sbl_features_make(&planned->features, &planned->plan, &planned->facts,
                              planned->method->features, err));
done:
    return status == SBL_EARG ? SBL_EINPUT : status;
}

void sbl_parts_fill(sbl_synth_options *options, const sbl_plan_file *file)
{
    options->epsilon = file->epsilon;
    options->delta = file->delta;
    options->pure = file->delta == 0.0;
    options->neighbours = file->neighbours;
}

/* What cannot be summed in parts. */
static sbl_status check_facts(const sbl_facts *facts, bool sites, sbl_error *err)
{
    if (facts->kind == SBL_DATA_IMAGES)
        return sbl_fail(err, SBL_EARG, "images are not summed in parts: give a table");
    if (facts->table_facts != NULL)
        return sbl_fail(err, SBL_EARG,
                        "linked tables are not summed in parts: fit them in one process");
    /* A person at two sites would count at each, and no site may tell another who its persons are. */
    if (sites && sbl_facts_rows_per_unit(facts) != 0)
        return sbl_fail(err, SBL_EARG,
                        "the schema names a unit: sites cannot tell whether a person is at two of "
                        "them, so that their sums are masked for tables of one row a person only");
    return SBL_OK;
}

sbl_status sbl_parts_plan(const sbl_job *job, uint64_t n, const char *sites, const char *output,
                          sbl_error *err)
{
    sbl_job planned = *job;
    sbl_run r = {.job = &planned, .options = job->options};
    sbl_plan_file file = {.rows = n};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_run_find_facts(&r, err));
    SBL_TRY(check_facts(&r.facts, sites != NULL, err));
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
static sbl_status check_last(const sbl_rounds *rounds, const sbl_plan_file *before,
                             const char *before_path, const char *release, sbl_error *err)
{
    return strcmp(rounds->items[rounds->count - 1].plan.text, before->plan) == 0
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s is not the plan of the last release beside %s",
                          before_path, release);
}

static sbl_status save_next(const sbl_rounds *rounds, const sbl_plan_file *before,
                            const char *output, bool overwrite, sbl_error *err)
{
    const sbl_round *next = &rounds->items[rounds->count - 1];
    sbl_plan_file file = {.epsilon = before->epsilon,
                          .delta = before->delta,
                          .neighbours = before->neighbours,
                          .rows = before->rows};
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

sbl_status sbl_parts_plan_next(bool *more, const char *before, const char *release, uint64_t round,
                               const char *output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_plan_file file = {.rows = 0};
    sbl_rounds rounds = {.method = NULL};
    sbl_facts facts = {0};
    sbl_release **releases = NULL;
    size_t count = 0;
    sbl_synth_options filled = *options;
    sbl_status status = SBL_OK;
    *more = false;
    SBL_TRY(sbl_plan_file_load(&file, before, err));
    sbl_parts_fill(&filled, &file);
    SBL_TRY(sbl_releases_load(&releases, &count, sbl_file_item(release), err));
    SBL_TRY(sbl_rounds_of_releases(&rounds, &facts, releases, count, &filled, release, err));
    if (round != 0 && round != rounds.count + 1)
        SBL_FAIL(err, SBL_EARG, "%s and the releases beside it are %zu: round %zu is next", release,
                 rounds.count, rounds.count + 1);
    SBL_TRY(check_last(&rounds, &file, before, release, err));
    SBL_TRY(sbl_rounds_next(more, &rounds, &filled, err));
    if (*more) SBL_TRY(save_next(&rounds, &file, output, options->overwrite, err));
done:
    for (size_t i = 0; releases != NULL && i < count; i++) sbl_release_free(releases[i]);
    sbl_free(releases);
    sbl_rounds_clear(&rounds);
    sbl_facts_clear(&facts);
    sbl_plan_file_clear(&file);
    return status;
}

/* ---- a sum ---- */

/* The name of a file without its folders: a part that is summed twice by default has one name. */
static const char *name_of(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path;
}

/* What the part is called, which says of persons which of them it has. */
static sbl_status name_part(sbl_part_id *id, const sbl_parts_planned *planned,
                            const sbl_part_wish *wish, const char *path, sbl_error *err)
{
    const bool units = sbl_facts_rows_per_unit(&planned->facts) != 0;
    const char *name = wish->name != NULL ? wish->name : units ? "1/1" : name_of(path);
    uint64_t number, shares;
    const bool numbered = name != NULL && sbl_part_share(&number, &shares, name);
    *id = (sbl_part_id){{0}, wish->attempt != 0 ? wish->attempt : 1};
    if (units && !numbered)
        return sbl_fail(err, SBL_EARG,
                        "the schema names a unit, by which rows are divided: the part is number I "
                        "of M, 'I/M'");
    if (name == NULL || (!numbered && !sbl_is_part_name(name)))
        return sbl_fail(err, SBL_EARG,
                        "name the part: 1 to 63 letters, digits, '.', '_', '-', or 'I/M'");
    (void)snprintf(id->name, sizeof id->name, "%s", name);
    return SBL_OK;
}

/* The rows of the part. Where there is a unit, all who read it hash whose row it is with one key, and only the
 * part's own persons are read: each person is in one part, whatever the files. */
static sbl_status open_source(sbl_source **source, sbl_data *data, sbl_parts_planned *planned,
                              const sbl_part_id *id, const sbl_synth_options *options,
                              sbl_error *err)
{
    uint8_t key[SBL_SIPHASH_KEY_SIZE];
    uint64_t number = 1, shares = 1;
    sbl_source *rows = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_open(&rows, data, &planned->facts, options->notice, options->context, err));
    if (sbl_facts_rows_per_unit(&planned->facts) != 0) {
        sbl_source *all = rows;
        rows = NULL;
        (void)sbl_part_share(&number, &shares, id->name);
        status = sbl_plan_file_unit_key(key, &planned->file, err);
        if (status == SBL_OK) status = sbl_source_share_unit_key(all, key, err);
        sbl_wipe(key, sizeof key);
        if (status != SBL_OK) {
            sbl_source_close(all);
            goto done;
        }
        SBL_TRY(sbl_source_open_part(&rows, all, number - 1, shares, err));
    }
    if (planned->method->whole_units)
        SBL_TRY(sbl_source_open_persons(source, rows, err));
    else
        *source = rows;
done:
    return status;
}

/* Masks are between the sites of the plan, and all of them have masks. */
static sbl_status check_mask(const sbl_plan_file *plan, const char *mask, const char *path,
                             sbl_error *err)
{
    if (mask != NULL && plan->site_count == 0)
        return sbl_fail(err, SBL_EARG, "%s names no sites to mask sums between", path);
    if (mask == NULL && plan->site_count != 0)
        return sbl_fail(err, SBL_EARG,
                        "%s names sites: their sums are masked, each with its own key", path);
    return SBL_OK;
}

/* A site is a part by its own name. */
static sbl_status mask_part(sbl_part *part, const sbl_plan_file *plan, const char *mask,
                            sbl_error *err)
{
    size_t site;
    const sbl_status status =
        sbl_mask(part->words, part->word_count, &site, plan, mask, part->ids[0].attempt, err);
    if (status != SBL_OK) return status;
    (void)snprintf(part->ids[0].name, sizeof part->ids[0].name, "%s", plan->sites[site].name);
    part->masked = true;
    return SBL_OK;
}

/* The sum must be nothing that is read. mask: NULL where there is none. */
static sbl_status check_files(const char *input, const char *plan, const char *mask,
                              const char *output, bool overwrite, sbl_error *err)
{
    sbl_text key = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_file_name_key(&key, plan, err));
    const sbl_named_file files[] = {{"the input", input, false},
                                    {"the plan", plan, false},
                                    {"the key of the plan", key.data, false},
                                    {"the key of the site", mask, false},
                                    {"the sum", output, true}};
    SBL_TRY(sbl_files_check(files, sizeof files / sizeof files[0], err));
    SBL_TRY(sbl_file_check_target(output, overwrite, err));
done:
    sbl_text_clear(&key);
    return status;
}

sbl_status sbl_parts_sum(sbl_data *data, const char *plan, const sbl_part_wish *wish,
                         const char *output, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_data_about about = sbl_data_tell(data);
    sbl_parts_planned planned;
    sbl_synth_options filled = *options;
    sbl_source *source = NULL;
    sbl_sum *sum = NULL;
    sbl_part part = {0};
    sbl_part_id id;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_parts_open(&planned, plan, options, err));
    sbl_parts_fill(&filled, &planned.file);
    SBL_TRY(check_mask(&planned.file, wish->mask, plan, err));
    SBL_TRY(check_files(about.path, plan, wish->mask, output, options->overwrite, err));
    if (about.kind != planned.facts.kind)
        SBL_FAIL(err, SBL_EARG, "%s is a plan of tables, and %s is none", plan, about.name);
    /* Sites are called as the plan says. */
    if (wish->mask != NULL)
        id = (sbl_part_id){{0}, wish->attempt != 0 ? wish->attempt : 1};
    else
        SBL_TRY(name_part(&id, &planned, wish, about.path, err));
    SBL_TRY(sbl_part_add_id(&part, &id, output, err));
    /* How a file is written may differ from part to part: nothing that is summed depends on it. */
    SBL_TRY(sbl_schema_apply_dialect(planned.facts.declared, &about.written, err));
    SBL_TRY(open_source(&source, data, &planned, &id, options, err));
    SBL_TRY(sbl_gather(&sum, source, &planned.features, "nothing", &filled, err));
    SBL_TRY(sbl_part_take(&part, sum, err));
    if (wish->mask != NULL) SBL_TRY(mask_part(&part, &planned.file, wish->mask, err));
    SBL_TRY(sbl_part_save(&part, &planned.file, &planned.features.layout, output,
                          options->overwrite, err));
done:
    sbl_part_clear(&part);
    sbl_sum_free(sum);
    sbl_source_close(source);
    sbl_parts_close(&planned);
    return status;
}

/* ---- a merge ---- */

/* What was merged so far. */
typedef struct merging {
    sbl_sum *sum;   /* of parts that are not masked; NULL: none yet */
    sbl_part total; /* the ids of all, and the words of masked ones */
    size_t count;   /* of files */
} merging;

static sbl_status add_ids(sbl_part *total, const sbl_part *part, const char *path, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < part->id_count; i++)
        SBL_TRY(sbl_part_add_id(total, &part->ids[i], path, err));
done:
    return status;
}

/* Masked words add up modulo 2^64; what is too large is seen when all are there. */
static sbl_status add_masked(sbl_part *total, sbl_part *part, const char *path, sbl_error *err)
{
    if (total->ids[0].attempt != part->ids[0].attempt)
        return sbl_fail(err, SBL_EINPUT, "%s: the sites masked their sums for different attempts",
                        path);
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

static sbl_status add_plain(merging *m, const sbl_part *part, const sbl_layout *layout,
                            const char *path, sbl_error *err)
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

static sbl_status merge_file(merging *m, const sbl_parts_planned *planned, const char *path,
                             sbl_error *err)
{
    const sbl_layout *layout = &planned->features.layout;
    sbl_part part = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_part_load(&part, &planned->file, layout, path, err));
    if (m->count > 0 && part.masked != m->total.masked)
        SBL_FAIL(err, SBL_EINPUT, "%s: masked sums do not go with others", path);
    SBL_TRY(add_ids(&m->total, &part, path, err));
    m->total.masked = part.masked;
    m->count++;
    status = part.masked ? add_masked(&m->total, &part, path, err)
                         : add_plain(m, &part, layout, path, err);
done:
    sbl_part_clear(&part);
    return status;
}

/* The sum of all files; of masked ones nothing is a sum before all are there. */
static sbl_status finish_merge(merging *m, const sbl_parts_planned *planned, const char *path,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (m->total.masked) {
        SBL_TRY(sbl_part_is_all(&m->total, &planned->file, path, err));
        m->total.masked = false;
        SBL_TRY(sbl_part_give(&m->sum, &m->total, &planned->features.layout, path, err));
    }
    SBL_TRY(sbl_part_take(&m->total, m->sum, err));
done:
    return status;
}

static sbl_status check_merged(const char *const *sums, size_t count, const char *plan,
                               const char *output, bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < count; i++)
        SBL_TRY(check_files(sums[i], plan, NULL, output, overwrite, err));
done:
    return status;
}

sbl_status sbl_parts_merge(const char *const *sums, size_t count, const char *plan,
                           const char *output, const sbl_synth_options *options, sbl_error *err)
{
    sbl_parts_planned planned;
    merging m = {.count = 0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_parts_open(&planned, plan, options, err));
    SBL_TRY(check_merged(sums, count, plan, output, options->overwrite, err));
    for (size_t i = 0; i < count; i++) SBL_TRY(merge_file(&m, &planned, sums[i], err));
    SBL_TRY(finish_merge(&m, &planned, output, err));
    SBL_TRY(sbl_part_save(&m.total, &planned.file, &planned.features.layout, output,
                          options->overwrite, err));
done:
    sbl_sum_free(m.sum);
    sbl_part_clear(&m.total);
    sbl_parts_close(&planned);
    return status;
}
