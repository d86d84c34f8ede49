/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit would release, before any record is read. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "public/options/option_values.h"
#include "records/features/counts.h"
#include "records/features/features.h"
#include "records/source/source.h"
#include "run/pipeline/estimate.h"
#include "run/pipeline/plan_bounds.h"
#include "run/pipeline/plan_warnings.h"
#include "run/pipeline/publish.h"
#include "run/pipeline/rounds.h"
#include "semblance/options.h"

/* Which columns a block is of; NULL: of images, or out of memory. */
static const char *of_block(sbl_text *words, const char *block, const sbl_rounds *rounds)
{
    words->length = 0;
    if (rounds->facts->kind != SBL_DATA_TABLE) return NULL;
    sbl_block_describe(words, block, &rounds->items[0].plan, rounds->facts);
    return words->failed ? NULL : words->data;
}

static json_t *blocks_to_json(const sbl_rounds *rounds, const uint64_t *multipliers, size_t count,
                              double records, const sbl_synth_options *options)
{
    const sbl_planned_bounds bounds = {rounds, multipliers, records, options->neighbours};
    const sbl_layout *layout = &rounds->items[0].features.layout;
    json_t *list = json_array();
    sbl_text words = {0};
    for (size_t b = 0; list != NULL && b < count; b++) {
        const sbl_block_facts facts = sbl_block_facts_of(layout, b, multipliers[b], records);
        list = sbl_json_append(
            list, json_pack("{s:s, s:s*, s:I, s:f, s:f, s:o*}", "name", facts.name, "of",
                            of_block(&words, facts.name, rounds), "values", (json_int_t)facts.values,
                            "noise_deviation", facts.deviation, "noise_share", facts.share, "bounds",
                            sbl_plan_bounds_json(&bounds, b)));
    }
    sbl_text_clear(&words);
    return list;
}

/* A line each: its noise, the noise in its means as a part of the signal's bound, and of which columns it
 * is, or the name that it has where there are no columns. */
static void write_blocks(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers, size_t count,
                         double records)
{
    const sbl_layout *layout = &rounds->items[0].features.layout;
    sbl_text words = {0};
    sbl_text_printf(text, "  %10s  %16s  %18s  %s\n", "values", "noise (std)", "noise over signal", "block");
    for (size_t b = 0; b < count; b++) {
        const sbl_block_facts facts = sbl_block_facts_of(layout, b, multipliers[b], records);
        const char *of = of_block(&words, facts.name, rounds);
        sbl_text_printf(text, "  %10zu  %16.4g  %18.3g  ", facts.values, facts.deviation, facts.share);
        /* The number of a block among others of its kind says nothing beside its columns. */
        if (of != NULL)
            sbl_text_printf(text, "%s (%.*s)\n", of, (int)strcspn(facts.name, "."), facts.name);
        else
            sbl_text_printf(text, "%s\n", facts.name);
    }
    sbl_text_clear(&words);
}

/* For linked tables, which are read once: what is kept in memory. */
static void write_kept(sbl_text *text, const sbl_rounds *rounds, uint64_t n)
{
    const sbl_person_bytes bytes = sbl_source_person_bytes(rounds->facts, n);
    const double persons = sbl_planned_records(rounds, n);
    const double most = 1.0 + (double)sbl_facts_rows_per_unit(rounds->facts);
    sbl_text_printf(text,
                    "rows that enter are kept: a person takes at most %.0f bytes, and each row %.0f:\n"
                    "  %.0f MB for %.0f persons with one row of each table, %.0f MB with all that "
                    "can enter\n",
                    bytes.person, bytes.row, ceil(sbl_planned_waiting(rounds, n) / 1e6), persons,
                    ceil(persons * (bytes.person + most * bytes.row) / 1e6));
}

/* What it takes to put the rows of persons together. */
static void write_waiting(sbl_text *text, const sbl_rounds *rounds, uint64_t n)
{
    const sbl_person_bytes bytes = sbl_source_person_bytes(rounds->facts, n);
    sbl_text_printf(
        text,
        "a person takes %.0f bytes, and each row %.0f while it waits for the rest of its person:\n"
        "  at most %.0f MB for %.0f persons with %llu rows in any order (for any number of persons "
        "%.0f MB);\n  few rows wait where those of a person follow each other\n",
        bytes.person, bytes.row, ceil(sbl_planned_waiting(rounds, n) / 1e6), sbl_planned_records(rounds, n),
        (unsigned long long)n, ceil(bytes.all / 1e6));
}

/* In: estimate  NULL: nothing was rehearsed, here and below */
static void write_text(sbl_text *text, const sbl_rounds *rounds, const uint64_t *multipliers, size_t count,
                       uint64_t n, const sbl_estimate *estimate, const sbl_synth_options *options)
{
    const sbl_round *first = &rounds->items[0];
    const sbl_layout *layout = &first->features.layout;
    const bool images = rounds->facts->kind == SBL_DATA_IMAGES;
    const bool linked = rounds->facts->table_facts != NULL;
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    char delta[SBL_DOUBLE_TEXT_SIZE];
    sbl_text_printf(text, "method     %s%s\n", rounds->method->name,
                    rounds->by_auto ? ", chosen by auto" : "");
    if (rounds->by_auto) sbl_text_printf(text, "why        %s\n", rounds->why);
    sbl_text_printf(text, "guarantee  epsilon %s, delta %s, %s neighbours\n",
                    sbl_double_to_text(epsilon, options->epsilon),
                    sbl_double_to_text(delta, sbl_delta_of_options(options, n)),
                    sbl_neighbours_name(options->neighbours));
    if (rounds->method->whole_units)
        sbl_text_printf(text,
                        "unit       one person, with all rows; at most %llu of them enter, as one "
                        "record\n",
                        (unsigned long long)sbl_facts_rows_per_unit(rounds->facts));
    else if (layout->rows_per_unit != 0)
        sbl_text_printf(text, "unit       one person; at most %llu row%s of a person count\n",
                        (unsigned long long)layout->rows_per_unit, layout->rows_per_unit == 1 ? "" : "s");
    else
        sbl_text_printf(text, "unit       one %s; a person with several %ss gets weaker protection\n",
                        sbl_unit_word(rounds), sbl_unit_word(rounds));
    if (linked)
        sbl_text_printf(text, "persons    %.0f, with their child rows\n", sbl_planned_records(rounds, n));
    else if (rounds->method->whole_units)
        sbl_text_printf(text, "rows       %llu, of about %.0f persons (expect-persons says otherwise)\n",
                        (unsigned long long)n, sbl_planned_records(rounds, n));
    else
        sbl_text_printf(text, "rows       %llu, %zu class%s\n", (unsigned long long)n, layout->classes,
                        layout->classes == 1 ? "" : "es");
    if (estimate != NULL && estimate->device[0] != '\0')
        sbl_text_printf(text, "device     %s trains%s%s\n", estimate->device,
                        estimate->why[0] != '\0' ? ": " : "", estimate->why);
    if (rounds->most == 1)
        sbl_text_printf(text, "\none joint release of\n");
    else
        sbl_text_printf(text, "\nthe first of at most %zu releases, %.3g of the budget, of\n", rounds->most,
                        rounds->shares[0]);
    const sbl_planned_bounds bounds = {rounds, multipliers, sbl_planned_records(rounds, n),
                                       options->neighbours};
    write_blocks(text, rounds, multipliers, count, bounds.records);
    sbl_plan_bounds_words(text, &bounds);
    size_t bytes = 0;
    for (size_t b = 0; b < layout->block_count; b++) bytes += 8 * sbl_block_values(layout, b);
    sbl_text_printf(text, "\nsums take %.1f %s for each thread; %s\n",
                    (double)bytes / (bytes < 1000000 ? 1e3 : 1e6), bytes < 1000000 ? "kB" : "MB",
                    images   ? "images are streamed"
                    : linked ? "tables are read once, and what counts of them is kept"
                             : "rows are streamed");
    if (linked)
        write_kept(text, rounds, n);
    else if (rounds->method->whole_units)
        write_waiting(text, rounds, n);
    if (estimate != NULL) {
        sbl_text_printf(text, "a run takes ");
        sbl_estimate_words(text, estimate);
        sbl_text_printf(text, "\n");
    }
    sbl_plan_warnings(text, rounds, multipliers, n, options);
    if (rounds->method->explain != NULL)
        rounds->method->explain(text, NULL, rounds->facts, first, n, options);
}

static json_t *estimate_to_json(const sbl_estimate *estimate)
{
    json_t *told = json_pack("{s:f, s:f, s:f, s:I, s:f}", "reading_seconds", estimate->reading,
                             "fitting_seconds", estimate->fitting, "processor_seconds", estimate->processor,
                             "threads", (json_int_t)estimate->threads, "bytes", estimate->bytes);
    if (estimate->forest_fitting == 0.0) return told;
    return sbl_json_put(
        told, "with_forests",
        json_pack("{s:f, s:f, s:f}", "fitting_seconds", estimate->forest_fitting, "processor_seconds",
                  estimate->forest_processor, "bytes", estimate->forest_bytes));
}

static char *write_json(const sbl_rounds *rounds, const uint64_t *multipliers, size_t count, uint64_t n,
                        const sbl_estimate *estimate, const sbl_synth_options *options)
{
    const sbl_round *first = &rounds->items[0];
    json_t *plan = json_loads(first->plan.text, 0, NULL);
    json_t *root = json_pack(
        "{s:s, s:s, s:f, s:f, s:s, s:I, s:I, s:I, s:o, s:o}", "method", rounds->method->name, "data",
        sbl_data_kind_name(rounds->facts->kind), "epsilon", options->epsilon, "delta",
        sbl_delta_of_options(options, n), "neighbours", sbl_neighbours_name(options->neighbours), "n",
        (json_int_t)n, "rounds", (json_int_t)rounds->most, "classes",
        (json_int_t)first->features.layout.classes, "blocks",
        blocks_to_json(rounds, multipliers, count, sbl_planned_records(rounds, n), options), "plan", plan);
    if (root != NULL && estimate != NULL) root = sbl_json_put(root, "estimate", estimate_to_json(estimate));
    if (root != NULL && first->features.layout.rows_per_unit != 0)
        (void)json_object_set_new(root, "rows_per_unit",
                                  json_integer((json_int_t)first->features.layout.rows_per_unit));
    if (root != NULL && rounds->method->whole_units) {
        (void)json_object_set_new(root, "persons", json_real(sbl_planned_records(rounds, n)));
        (void)json_object_set_new(root, "rows_together",
                                  json_integer((json_int_t)sbl_facts_rows_per_unit(rounds->facts)));
    }
    if (root != NULL && estimate != NULL && estimate->device[0] != '\0') {
        json_t *training = json_pack("{s:s}", "device", estimate->device);
        if (estimate->why[0] != '\0') training = sbl_json_put(training, "why", json_string(estimate->why));
        root = sbl_json_put(root, "training", training);
    }
    if (root != NULL)
        (void)json_object_set_new(root, "warnings", sbl_plan_warnings_json(rounds, multipliers, n, options));
    if (root != NULL && rounds->method->explain != NULL)
        rounds->method->explain(NULL, root, rounds->facts, first, n, options);
    char *text = root != NULL ? sbl_json_pretty(root) : NULL;
    json_decref(root);
    return text;
}

sbl_status sbl_rounds_advise(const sbl_rounds *rounds, uint64_t n, const sbl_synth_options *options,
                             sbl_error *err)
{
    const sbl_features *features = &rounds->items[0].features;
    const sbl_publish_facts facts = {.neighbours = options->neighbours,
                                     .epsilon = options->epsilon,
                                     .delta = options->pure ? 0.0 : options->delta,
                                     .rounds = rounds->most};
    sbl_text words = {0};
    uint64_t *multipliers = NULL;
    sbl_status status = SBL_OK;
    if (options->advice == NULL) return SBL_OK;
    SBL_ALLOC(multipliers, sbl_layout_noisy_blocks(&features->layout), "a plan");
    SBL_TRY(sbl_publish_multipliers(multipliers, &features->layout, features->weights, rounds->shares[0],
                                    &facts, err));
    sbl_plan_warnings(&words, rounds, multipliers, n, options);
    for (char *line = words.data; line != NULL && *line != '\0';) {
        char *feed = strchr(line, '\n');
        if (feed != NULL) *feed = '\0';
        options->advice(options->context, SBL_ADVICE_PLAN, sbl_plain_line(line));
        line = feed != NULL ? feed + 1 : NULL;
    }
done:
    sbl_text_clear(&words);
    sbl_free(multipliers);
    return status;
}

#define SHORT_RUN 10.0 /* seconds: a shorter run needs no estimate */

sbl_status sbl_rounds_report_cost(const sbl_rounds *rounds, uint64_t n, const sbl_amount *drawn,
                                  const sbl_synth_options *options, sbl_error *err)
{
    sbl_estimate estimate;
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (options->advice == NULL || n == 0) return SBL_OK;
    SBL_TRY(sbl_estimate_run(&estimate, rounds, n, drawn, options, err));
    if (estimate.reading + estimate.fitting < SHORT_RUN) goto done;
    sbl_text_printf(&words, "this run takes ");
    sbl_estimate_words(&words, &estimate);
    SBL_TRY(sbl_text_check(&words, "a plan", err));
    options->advice(options->context, SBL_ADVICE_ESTIMATE, words.data);
done:
    sbl_text_clear(&words);
    return status;
}

sbl_status sbl_rounds_show(char **text, const sbl_rounds *rounds, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err)
{
    const sbl_features *features = &rounds->items[0].features;
    const size_t count = sbl_layout_noisy_blocks(&features->layout);
    uint64_t *multipliers = NULL;
    sbl_text words = {0};
    sbl_estimate rehearsed;
    const sbl_estimate *estimate = options->no_estimate ? NULL : &rehearsed;
    const sbl_amount as_many = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    SBL_ALLOC(multipliers, count, "a plan");
    if (n == 0) SBL_FAIL(err, SBL_EARG, "the number of records must be at least 1");
    const sbl_publish_facts facts = {.neighbours = options->neighbours,
                                     .epsilon = options->epsilon,
                                     .delta = sbl_delta_of_options(options, n),
                                     .rounds = rounds->most};
    /* What a fit would refuse for the whole budget is refused here, in the same words. */
    SBL_TRY(sbl_publish_multipliers(multipliers, &features->layout, features->weights, 1.0, &facts, err));
    SBL_TRY(sbl_publish_multipliers(multipliers, &features->layout, features->weights, rounds->shares[0],
                                    &facts, err));
    if (estimate != NULL) SBL_TRY(sbl_estimate_run(&rehearsed, rounds, n, &as_many, options, err));
    if (json) {
        *text = write_json(rounds, multipliers, count, n, estimate, options);
    } else {
        write_text(&words, rounds, multipliers, count, n, estimate, options);
        *text = words.failed ? NULL : sbl_plain_lines(words.data);
        if (!words.failed) words = (sbl_text){0};
    }
    if (*text == NULL) status = sbl_no_memory(err, "a plan");
done:
    sbl_text_clear(&words);
    sbl_free(multipliers);
    return status;
}
