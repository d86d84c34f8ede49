/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a discovered schema in order: which are needed, what part of the budget each gets,
 * what its release says of every column (verdicts.c), and the schema that comes out. No record is
 * seen. */
#include "after/discover/discovery.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/schema_writer.h"

/* What is left after the votes is shared out in this proportion: a threshold for keys lies far above
 * the noise, so that they need the most. */
static const double weights[SBL_DISCOVER_STEPS] = {0.0, 0.2, 0.25, 0.4};
static const char *const step_names[] = {"votes", "ranges", "bins", "keys", "done"};

const char *sbl_discover_step_name(sbl_discover_step step) { return step_names[step]; }

void sbl_discovery_clear(sbl_discovery *discovery)
{
    for (size_t c = 0; discovery->columns != NULL && c < discovery->names.count; c++)
        sbl_strings_clear(&discovery->columns[c].categories);
    sbl_free(discovery->columns);
    sbl_free(discovery->probes);
    sbl_free(discovery->texts);
    sbl_strings_clear(&discovery->names);
    *discovery = (sbl_discovery){0};
}

/* How numbers are written is the same for every probe of the table. */
static void mark_probes(sbl_discovery *discovery)
{
    const sbl_written *written = &discovery->written;
    for (size_t c = 0; c < discovery->names.count; c++) {
        discovery->probes[c].decimal_char = written->decimal_char;
        discovery->probes[c].group_char = written->group_char;
    }
}

sbl_status sbl_discovery_init(sbl_discovery *discovery, sbl_strings *names, const sbl_written *written,
                              sbl_error *err)
{
    *discovery = (sbl_discovery){.names = *names, .written = *written};
    *names = (sbl_strings){0};
    const size_t count = discovery->names.count;
    sbl_status status = SBL_OK;
    SBL_ALLOC(discovery->columns, count, "the columns of a table");
    SBL_ALLOC(discovery->probes, count, "the columns of a table");
    SBL_ALLOC(discovery->texts, count, "the columns of a table");
    for (size_t c = 0; c < count; c++) discovery->probes[c].kind = SBL_PROBE_TYPE;
    mark_probes(discovery);
done:
    if (status != SBL_OK) sbl_discovery_clear(discovery);
    return status;
}

/* ---- what comes next ---- */

static bool has_range(const sbl_discovered *column)
{
    return column->type != SBL_TYPE_STRING && column->type != SBL_TYPE_BOOLEAN;
}

static bool is_needed(const sbl_discovery *discovery, sbl_discover_step step)
{
    for (size_t c = 0; c < discovery->names.count; c++) {
        const sbl_discovered *column = &discovery->columns[c];
        if (step == SBL_DISCOVER_KEYS ? column->type == SBL_TYPE_STRING : has_range(column)) return true;
    }
    return false;
}

size_t sbl_discovery_shares(double shares[SBL_DISCOVER_STEPS], const sbl_discovery *discovery, double whole)
{
    double total = 0.0;
    size_t count = 0;
    const bool voted = discovery->step > SBL_DISCOVER_VOTES;
    if (!voted) shares[count++] = SBL_DISCOVER_VOTES_SHARE * whole;
    for (int step = SBL_DISCOVER_RANGES; step < SBL_DISCOVER_DONE; step++)
        if (!voted || is_needed(discovery, (sbl_discover_step)step)) total += weights[step];
    for (int step = SBL_DISCOVER_RANGES; step < SBL_DISCOVER_DONE; step++)
        if (!voted || (is_needed(discovery, (sbl_discover_step)step) && step >= (int)discovery->step))
            shares[count++] = (1.0 - SBL_DISCOVER_VOTES_SHARE) * whole * weights[step] / total;
    return count;
}

static sbl_probe probe_of(const sbl_discovered *column, sbl_discover_step step)
{
    if (step == SBL_DISCOVER_KEYS)
        return (sbl_probe){.kind = column->type == SBL_TYPE_STRING ? SBL_PROBE_TEXT : SBL_PROBE_NONE};
    if (!has_range(column)) return (sbl_probe){0};
    if (step == SBL_DISCOVER_BINS) return sbl_bins_of_range(column);
    const bool dates = column->type == SBL_TYPE_DATE || column->type == SBL_TYPE_DATETIME;
    return (sbl_probe){
        .kind = dates ? SBL_PROBE_YEAR : SBL_PROBE_MAGNITUDE, .type = column->type, .format = column->format};
}

static void go_on(sbl_discovery *discovery)
{
    do {
        discovery->step = (sbl_discover_step)(discovery->step + 1);
    } while (discovery->step < SBL_DISCOVER_DONE && !is_needed(discovery, discovery->step));
    discovery->text_count = 0;
    for (size_t c = 0; c < discovery->names.count; c++) {
        discovery->probes[c] = probe_of(&discovery->columns[c], discovery->step);
        if (discovery->columns[c].type == SBL_TYPE_STRING) discovery->texts[discovery->text_count++] = c;
    }
    mark_probes(discovery);
}

json_t *sbl_discovery_probes(const sbl_discovery *discovery)
{
    json_t *list = json_array();
    for (size_t c = 0; c < discovery->names.count; c++) {
        const sbl_probe *probe = &discovery->probes[c];
        json_t *item = probe->kind == SBL_PROBE_BINS
                           ? json_pack("[f, f, I]", probe->low, probe->width, (json_int_t)probe->bins)
                       : probe->format != NULL ? json_string(probe->format)
                                               : json_null();
        if (probe->kind == SBL_PROBE_BINS && probe->format != NULL)
            item = sbl_json_append(item, json_string(probe->format));
        list = sbl_json_append(list, item);
    }
    return list;
}

/* ---- conclusions ---- */

static void conclude(sbl_discovered *column, const sbl_probe *probe, sbl_discover_step step,
                     const double *counts, double noise)
{
    if (step == SBL_DISCOVER_VOTES)
        sbl_verdict_of_votes(column, counts, noise);
    else if (step == SBL_DISCOVER_RANGES)
        sbl_verdict_of_ranges(column, probe, counts, noise);
    else
        sbl_verdict_of_bins(column, probe, counts, noise);
}

static sbl_status take_cells(sbl_discovery *discovery, const sbl_release *release, sbl_error *err)
{
    const sbl_block *block = sbl_release_find(release, "cells");
    size_t most = 0;
    size_t total = 0;
    size_t offset = 0;
    for (size_t c = 0; c < discovery->names.count; c++) {
        const size_t answers = sbl_probe_answers(&discovery->probes[c]);
        total += answers;
        if (answers > most) most = answers;
    }
    if (block == NULL || block->width != total || block->per_class)
        return sbl_fail(err, SBL_EINPUT,
                        "a release lacks the answers of its step: use the release files of this run");
    double *counts = sbl_alloc_array(most, sizeof *counts);
    if (counts == NULL) return sbl_no_memory(err, "a release");
    const double noise = sbl_release_noise_deviation(release, block);
    for (size_t c = 0; c < discovery->names.count; c++) {
        const size_t answers = sbl_probe_answers(&discovery->probes[c]);
        if (answers == 0) continue;
        for (size_t i = 0; i < answers; i++) counts[i] = sbl_release_estimate(release, block, 0, offset + i);
        conclude(&discovery->columns[c], &discovery->probes[c], discovery->step, counts, noise);
        offset += answers;
    }
    sbl_free(counts);
    return SBL_OK;
}

/* A name for all other texts that is none of those that were named. */
static const char *name_of_others(const sbl_strings *categories)
{
    static const char *const names[] = {"other", "(other)", "[other]", "<other>", "_other_"};
    for (size_t i = 0; i + 1 < sizeof names / sizeof names[0]; i++)
        if (!sbl_strings_contain(categories, names[i])) return names[i];
    return names[sizeof names / sizeof names[0] - 1];
}

/* Texts that were named, and whether there seem to be more than these. */
static sbl_status take_column_keys(sbl_discovered *column, const sbl_release *release, size_t place,
                                   sbl_error *err)
{
    const sbl_block *block = &release->blocks[0];
    const double noise = sbl_release_noise_deviation(release, block);
    size_t count = 0;
    double named = 0.0;
    for (size_t i = 0; i < release->value_count; i++) count += release->keys[i].column == place;
    if (!sbl_strings_reserve(&column->categories, count + 1)) return sbl_no_memory(err, "categories");
    for (size_t i = 0; i < release->value_count; i++) {
        if (release->keys[i].column != place) continue;
        if (!sbl_strings_add(&column->categories, release->keys[i].text))
            return sbl_no_memory(err, "categories");
        named += sbl_release_estimate(release, block, 0, i);
    }
    const double spread = hypot(column->present_noise, noise * sqrt((double)count));
    if (count > 0 && column->present - named < 2.0 * spread) return SBL_OK;
    column->other = name_of_others(&column->categories);
    return sbl_strings_add(&column->categories, column->other) ? SBL_OK : sbl_no_memory(err, "categories");
}

static sbl_status take_keys(sbl_discovery *discovery, const sbl_release *release, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (release->keys == NULL || release->blocks[0].bound2 != discovery->text_count)
        return sbl_fail(err, SBL_EINPUT,
                        "a release lacks the texts of its step: use the release files of this run");
    for (size_t i = 0; i < discovery->text_count && status == SBL_OK; i++)
        status = take_column_keys(&discovery->columns[discovery->texts[i]], release, i, err);
    return status;
}

sbl_status sbl_discovery_take(sbl_discovery *discovery, const sbl_release *release, sbl_error *err)
{
    const sbl_status status = discovery->step == SBL_DISCOVER_KEYS ? take_keys(discovery, release, err)
                                                                   : take_cells(discovery, release, err);
    if (status == SBL_OK) go_on(discovery);
    return status;
}

const char *sbl_discovery_commas(size_t *count, const sbl_discovery *discovery)
{
    const char *first = NULL;
    *count = 0;
    for (size_t c = discovery->names.count; c-- > 0;) {
        if (!discovery->columns[c].commas) continue;
        first = discovery->names.items[c];
        (*count)++;
    }
    return first;
}

/* ---- the schema ---- */

static sbl_status draft_column(sbl_schema_writer *writer, const char *name, const sbl_discovered *found,
                               const sbl_written *written, sbl_error *err)
{
    static const char *const of_bounds[] = {"type", "minimum", "maximum", "required", "format"};
    static const char *const of_categories[] = {"type", "enum", "required"};
    static const char *const of_truths[] = {"type", "required"};
    sbl_writer_column column = {
        .name = name, .type = found->type, .required = !found->nullable, .other = found->other};
    const char *words[SBL_MISSING_WORDS];
    if (found->nullable && found->missing_word != 0) {
        /* The most frequent one first: it is what will be written. */
        memcpy(words, sbl_missing_words, sizeof words);
        words[0] = sbl_missing_words[found->missing_word];
        words[found->missing_word] = sbl_missing_words[0];
        column.missing_values = words;
        column.missing_count = SBL_MISSING_WORDS;
    }
    if (found->type == SBL_TYPE_STRING) {
        column.categories = (const char *const *)found->categories.items;
        column.category_count = found->categories.count;
        column.origin = of_categories;
        column.origin_count = 3;
    } else if (found->type == SBL_TYPE_BOOLEAN) {
        column.origin = of_truths;
        column.origin_count = 2;
    } else {
        column.minimum = found->low;
        column.maximum = found->high;
        column.has_decimals = found->type == SBL_TYPE_NUMBER && found->decimals >= 0;
        column.decimals = found->decimals;
        if (found->type == SBL_TYPE_NUMBER || found->type == SBL_TYPE_INTEGER) {
            column.decimal_char = written->decimal_char;
            if (!sbl_bounds_are_years(found->type, found->low, found->high))
                column.group_char = written->group_char;
        }
        column.format = found->format;
        column.origin = of_bounds;
        column.origin_count = found->format != NULL ? 5 : 4;
    }
    return sbl_schema_writer_add(writer, &column, err);
}

sbl_status sbl_discovery_finish(char **text, sbl_schema **schema, const sbl_discovery *discovery,
                                json_t *origin, sbl_error *err)
{
    sbl_schema_writer *writer = NULL;
    sbl_status status = SBL_OK;
    *text = NULL;
    *schema = NULL;
    status = sbl_schema_writer_new(&writer, sbl_missing_words, SBL_MISSING_WORDS, err);
    if (status != SBL_OK) {
        json_decref(origin);
        return status;
    }
    SBL_TRY(sbl_schema_writer_set(writer, "origin", origin, err));
    sbl_schema_writer_dialect(writer, &discovery->written.dialect);
    for (size_t c = 0; c < discovery->names.count; c++)
        SBL_TRY(draft_column(writer, discovery->names.items[c], &discovery->columns[c], &discovery->written,
                             err));
    SBL_TRY(sbl_schema_writer_finish(text, schema, writer, "the discovered schema", err));
done:
    sbl_schema_writer_free(writer);
    return status;
}

/* Was nothing found of it but that it is there? */
static bool is_nothing(const sbl_discovered *column)
{
    return column->type == SBL_TYPE_STRING ? column->categories.count < 2 : column->unseen;
}

/* Names of the columns that became nothing, texts or others, and why; count: names so far. */
static void put_nothings(sbl_text *text, const sbl_discovery *discovery, bool texts, const char *why,
                         size_t *count)
{
    bool any = false;
    for (size_t c = 0; c < discovery->names.count; c++) {
        const sbl_discovered *column = &discovery->columns[c];
        if (!is_nothing(column) || (column->type == SBL_TYPE_STRING) != texts) continue;
        sbl_text_printf(text, "%s'%s'", *count == 0 ? "columns that became nothing: " : ", ",
                        discovery->names.items[c]);
        (*count)++;
        any = true;
    }
    if (any) sbl_text_printf(text, " (%s)", why);
}

void sbl_discovery_remark(sbl_text *text, const sbl_discovery *discovery)
{
    size_t count = 0;
    put_nothings(text, discovery, true, "no text is frequent enough to be named: every value becomes 'other'",
                 &count);
    put_nothings(text, discovery, false, "no value stands out of the noise: the bounds mean nothing", &count);
    if (count > 0) sbl_text_printf(text, "\n");
    for (size_t c = 0; c < discovery->names.count; c++)
        if (discovery->columns[c].either_order)
            sbl_text_printf(text,
                            "column '%s': whether days or months come first could not be told; it "
                            "is taken for %s\n",
                            discovery->names.items[c], discovery->columns[c].format);
}

bool sbl_discovery_can_tell(double noise, double n) { return SBL_DISCOVER_LEAST_ROWS * noise <= n; }
