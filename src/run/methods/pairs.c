/* SPDX-License-Identifier: Apache-2.0 */
/* pairs: one-way tables, a sketch of all pairs, precise tables of the pairs that the sketch shows to
 * be worth it; and the distribution of largest entropy that agrees with them, whose state is the
 * synthetic rows (docs/mechanisms/pairs.md). One to three releases: how many, and what each may
 * spend, follows from public facts; what is measured next follows from the releases before it.
 *
 * forest: the same, and tables of leaf x label of trees that are grown on the model's own rows, round after
 * round (docs/mechanisms/forest.md). Up to six releases. A small paid probe of trees comes third: under auto
 * it decides whether the rest of the budget buys forests or precise tables of pairs; by name there are
 * forests whatever it says. Where the budget allows no sketch of all pairs, the course is that of pairs.
 *
 * Both are one frame: a selection that never has trees is that of pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "after/forest/forest.h"
#include "after/pairs/pairs_posterior.h"
#include "after/sample/pairs_kind.h"
#include "base/alloc.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "records/features/leaves.h"
#include "records/features/marginal_counts.h"
#include "run/methods/auto.h"
#include "run/methods/forest_describe.h"
#include "run/methods/method.h"
#include "run/methods/pairs_setup.h"

#define EXPECTED "expected" /* what a probe's model expects of its tables, and of how many rows */
#define EXPECTED_ROWS "expected_rows"

static const sbl_option *const pairs_options[] = {&sbl_option_rounds,
                                                  &sbl_option_target_share,
                                                  &sbl_option_expect_rows,
                                                  &sbl_option_histories,
                                                  &sbl_option_expect_persons,
                                                  &sbl_option_keep_records,
                                                  NULL};
static const sbl_option *const forest_options[] = {
    &sbl_option_rounds,    &sbl_option_targets,        &sbl_option_target_share, &sbl_option_expect_rows,
    &sbl_option_histories, &sbl_option_expect_persons, &sbl_option_keep_records, NULL};

/* By its name forest has trees, whatever a probe says. */
static sbl_forest_use use_of(const sbl_synth_options *options)
{
    const bool by_auto = options->method == NULL || strcmp(options->method, SBL_METHOD_AUTO) == 0;
    return by_auto ? SBL_FOREST_PROBED : SBL_FOREST_ALWAYS;
}

sbl_status sbl_pairs_look(sbl_pairs_outlook *outlook, const sbl_facts *facts,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setup g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_pairs_setup_of_options(&g, facts, options, SBL_FOREST_PROBED, err));
    const bool probed =
        sbl_pairs_shape_of(&g.setting).forest && sbl_forest_selection_bytes(&g.setting) <= SBL_GROUND_MEMORY;
    g.setting.forest = SBL_FOREST_NEVER;
    *outlook = (sbl_pairs_outlook){.columns = g.setting.count,
                                   .rows = g.setting.rows,
                                   .bytes = sbl_pairs_selection_bytes(&g.setting),
                                   .limit = SBL_GROUND_MEMORY,
                                   .words = sbl_pairs_setup_course(sbl_pairs_shape_of(&g.setting).course),
                                   .forest = probed};
done:
    sbl_pairs_setup_clear(&g);
    return status;
}

/* ---- a selection of the releases so far ---- */

/* A release as the selection takes it; the arrays are this one's own. */
typedef struct taken {
    sbl_table_values tables;
    double *leaves;
    uint32_t *expected;
    sbl_forest_release release;
} taken;

static void clear_taken(taken *t)
{
    sbl_table_values_clear(&t->tables);
    sbl_free(t->leaves);
    sbl_free(t->expected);
}

/* For a probe's plan. */
static sbl_status read_expected(taken *t, const sbl_plan *plan, sbl_error *err)
{
    const json_t *list = json_object_get(plan->settings, EXPECTED);
    const json_int_t rows = json_integer_value(json_object_get(plan->settings, EXPECTED_ROWS));
    const size_t entries = t->release.trees->entry_count;
    sbl_status status = SBL_OK;
    if (list == NULL) return SBL_OK; /* no probe */
    if (json_array_size(list) != entries || rows < 1 || rows > UINT32_MAX)
        return sbl_fail(err, SBL_EINPUT, "the plan: field '" EXPECTED "' does not fit its trees");
    SBL_ALLOC(t->expected, entries, "a release");
    for (size_t i = 0; i < entries; i++) {
        const json_int_t count = json_integer_value(json_array_get(list, i));
        if (count < 0 || count > rows)
            SBL_FAIL(err, SBL_EINPUT, "the plan: field '" EXPECTED "' does not fit its rows");
        t->expected[i] = (uint32_t)count;
    }
    t->release.expected = t->expected;
    t->release.expected_rows = (size_t)rows;
done:
    return status;
}

static sbl_status read_round(taken *t, const sbl_round *round, sbl_error *err)
{
    for (size_t i = 0; i < round->features.count; i++) {
        const sbl_feature_instance *item = &round->features.items[i];
        if (item->kind == &sbl_feature_tables) {
            const sbl_table_list *list = item->made;
            SBL_CHECK(sbl_table_values_read(&t->tables, list, round->release, item->block, err));
            t->release.tables = &list->plan;
            t->release.values = t->tables.values;
            t->release.noise = t->tables.noise;
        } else if (item->kind == &sbl_feature_leaves) {
            const sbl_leaves *leaves = item->made;
            SBL_CHECK(sbl_leaves_values(&t->leaves, &t->release.leaf_noise, &leaves->trees, round->release,
                                        item->block, err));
            t->release.trees = &leaves->trees;
            t->release.codes = &leaves->codes;
            t->release.leaf_values = t->leaves;
            SBL_CHECK(read_expected(t, &round->plan, err));
        }
    }
    return SBL_OK;
}

static sbl_status take_round(sbl_forest_selection *selection, double *rows, const sbl_round *round,
                             bool is_first, sbl_error *err)
{
    taken t = {0};
    sbl_status status;
    SBL_TRY(read_round(&t, round, err));
    if (is_first && t.release.tables != NULL) {
        *rows = sbl_pairs_setup_rows(round, &t.tables);
        sbl_forest_selection_set_rows(selection, *rows);
    }
    SBL_TRY(sbl_forest_selection_take(selection, &t.release, err));
done:
    clear_taken(&t);
    return status;
}

static sbl_status selection_of(sbl_forest_selection **selection, double *rows, const sbl_pairs_setup *g,
                               const sbl_round *rounds, size_t count, sbl_progress_span progress,
                               sbl_error *err)
{
    *rows = g->setting.rows;
    SBL_CHECK(sbl_forest_selection_new(selection, &g->setting, SBL_GROUND_MEMORY, err));
    sbl_forest_selection_set_progress(*selection, progress);
    for (size_t r = 0; r < count; r++) SBL_CHECK(take_round(*selection, rows, &rounds[r], r == 0, err));
    return SBL_OK;
}

/* ---- plans ---- */

static sbl_status rounds_of(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                            const sbl_synth_options *options, sbl_forest_use use, sbl_error *err)
{
    sbl_pairs_setup g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_pairs_setup_of_options(&g, facts, options, use, err));
    *count = sbl_forest_shares(shares, &g.setting);
done:
    sbl_pairs_setup_clear(&g);
    return status;
}

static sbl_status rounds_of_pairs(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                                  const sbl_synth_options *options, sbl_error *err)
{
    return rounds_of(shares, count, facts, options, SBL_FOREST_NEVER, err);
}

static sbl_status rounds_of_forest(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                                   const sbl_synth_options *options, sbl_error *err)
{
    return rounds_of(shares, count, facts, options, use_of(options), err);
}

/* A unit of leaves and one of tables are both a 1 of a record: their weights are the roots of the shares of
 * one table of each. Alone, any weight does. */
static sbl_status add_features(sbl_plan *next, const sbl_forest_plan *wanted,
                               const sbl_forest_selection *selection, const sbl_bins *cells, sbl_error *err)
{
    sbl_pairs_plan codes = {0};
    sbl_status status = SBL_OK;
    if (wanted->tables != NULL)
        SBL_TRY(sbl_plan_add(next, "tables", sbl_tables_parameters(wanted->tables, cells), 1.0, err));
    if (wanted->trees != NULL) {
        const double each = wanted->trees_share / (double)wanted->trees->tree_count;
        SBL_TRY(sbl_forest_selection_codes(selection, &codes, err));
        SBL_TRY(sbl_plan_add(next, "leaves", sbl_leaves_parameters(wanted->trees, &codes, cells),
                             wanted->tables != NULL ? sqrt(each) : 1.0, err));
    }
done:
    sbl_pairs_plan_clear(&codes);
    return status;
}

static sbl_status write_expected(sbl_plan *next, const sbl_forest_plan *wanted, sbl_error *err)
{
    json_t *list = json_array();
    if (wanted->expected_rows == 0) {
        json_decref(list);
        return SBL_OK;
    }
    for (size_t i = 0; i < wanted->trees->entry_count; i++)
        list = sbl_json_append(list, json_integer((json_int_t)wanted->expected[i]));
    SBL_CHECK(sbl_plan_set(next, EXPECTED, list, err));
    return sbl_plan_set(next, EXPECTED_ROWS, json_integer((json_int_t)wanted->expected_rows), err);
}

static sbl_status write_answer(sbl_plan *next, const sbl_forest_plan *wanted, const sbl_pairs_setup *g,
                               const sbl_facts *facts, sbl_error *err)
{
    char plain[SBL_FOREST_ANSWER_SIZE];
    sbl_text line = {0};
    sbl_status status = SBL_OK;
    if (wanted->answer == SBL_FOREST_NOT_ASKED) return SBL_OK;
    sbl_forest_answer_line(&line, wanted, g, facts);
    if (line.failed) SBL_TRY(sbl_no_memory(err, "a plan"));
    (void)snprintf(plain, sizeof plain, "%s", line.data);
    SBL_TRY(sbl_plan_set(next, SBL_PLAN_DECIDED, json_string(plain), err));
done:
    sbl_text_clear(&line);
    return status;
}

static sbl_status write_plan(sbl_plan *next, const sbl_forest_plan *wanted,
                             const sbl_forest_selection *selection, const sbl_pairs_setup *g,
                             const sbl_facts *facts, sbl_error *err)
{
    SBL_CHECK(sbl_pairs_setup_write(next, &g->setting, err));
    SBL_CHECK(write_answer(next, wanted, g, facts, err));
    SBL_CHECK(write_expected(next, wanted, err));
    SBL_CHECK(add_features(next, wanted, selection, &g->cells, err));
    memcpy(next->rest, wanted->rest, wanted->rest_count * sizeof *next->rest);
    next->rest_count = wanted->rest_count;
    return SBL_OK;
}

static sbl_status plan_of(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                          const sbl_round *before, size_t count, sbl_forest_use use, sbl_error *err)
{
    sbl_forest_selection *selection = NULL;
    sbl_forest_plan wanted;
    sbl_pairs_setup g = {0};
    double rows;
    sbl_progress_listener listener = sbl_pairs_setup_listener(options);
    sbl_status status = SBL_OK;
    SBL_TRY(count == 0 ? sbl_pairs_setup_of_options(&g, facts, options, use, err)
                       : sbl_pairs_setup_of_plan(&g, facts, &before[0].plan, err));
    SBL_TRY(
        selection_of(&selection, &rows, &g, before, count, sbl_progress_begin(&listener, "choosing"), err));
    SBL_TRY(sbl_forest_selection_plan(selection, &wanted, err));
    if (wanted.tables != NULL || wanted.trees != NULL)
        SBL_TRY(write_plan(next, &wanted, selection, &g, facts, err));
done:
    sbl_forest_selection_free(selection);
    sbl_pairs_setup_clear(&g);
    return status;
}

static sbl_status plan_of_pairs(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                                const sbl_round *before, size_t count, sbl_error *err)
{
    return plan_of(next, facts, options, before, count, SBL_FOREST_NEVER, err);
}

static sbl_status plan_of_forest(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                                 const sbl_round *before, size_t count, sbl_error *err)
{
    return plan_of(next, facts, options, before, count, use_of(options), err);
}

/* ---- the fit ---- */

#define FIT_PARTS 5 /* of a fit, of which the first is the choice of pairs */

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    (void)checkpoint;
    sbl_forest_selection *selection = NULL;
    sbl_pairs_model fitted = {0};
    sbl_model *made = NULL;
    sbl_pairs_setup g = {0};
    double rows;
    sbl_progress_listener listener = sbl_pairs_setup_listener(options);
    const sbl_progress_span whole = sbl_progress_begin(&listener, "fitting");
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(sbl_pairs_setup_of_plan(&g, facts, &made_rounds[0].plan, err));
    SBL_TRY(selection_of(&selection, &rows, &g, made_rounds, count,
                         sbl_progress_range(&whole, 0, 1, FIT_PARTS, NULL), err));
    sbl_forest_selection_set_progress(selection, sbl_progress_range(&whole, 1, FIT_PARTS, FIT_PARTS, NULL));
    SBL_TRY(sbl_forest_selection_fit(selection, &fitted, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_pairs, &made_rounds[count - 1].plan, err));
    made->rows = rows;
    SBL_TRY(sbl_model_of_pairs(made, &fitted, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    sbl_pairs_model_clear(&fitted);
    sbl_forest_selection_free(selection);
    sbl_pairs_setup_clear(&g);
    return status;
}

/* ---- draws from the posterior ---- */

/* A selection that all releases were taken by, and the fit of it. */
typedef struct refits {
    sbl_forest_selection *selection;
    sbl_pairs_posterior *posterior;
    sbl_pairs_setup setup;
    bool brief;
} refits;

static void refit_free(void *state)
{
    refits *r = state;
    if (r == NULL) return;
    sbl_pairs_posterior_free(r->posterior);
    sbl_forest_selection_free(r->selection);
    sbl_pairs_setup_clear(&r->setup);
    sbl_free(r);
}

static sbl_status refit_new(void **state, const sbl_facts *facts, const sbl_round *made_rounds, size_t count,
                            const sbl_model *fitted, bool brief, const sbl_synth_options *options,
                            sbl_error *err)
{
    refits *made = NULL;
    double rows;
    sbl_status status = SBL_OK;
    *state = NULL;
    (void)options;
    SBL_ALLOC(made, 1, "a posterior");
    made->brief = brief;
    SBL_TRY(sbl_pairs_setup_of_plan(&made->setup, facts, &made_rounds[0].plan, err));
    SBL_TRY(
        selection_of(&made->selection, &rows, &made->setup, made_rounds, count, (sbl_progress_span){0}, err));
    SBL_TRY(sbl_forest_posterior_new(&made->posterior, made->selection, sbl_model_pairs(fitted), err));
    *state = made;
    made = NULL;
done:
    refit_free(made);
    return status;
}

static sbl_status move_round(refits *r, double *rows, const sbl_round *round, size_t number, sbl_error *err)
{
    taken t = {0};
    sbl_status status;
    SBL_TRY(read_round(&t, round, err));
    if (number == 0 && t.release.tables != NULL) *rows = sbl_pairs_setup_rows(round, &t.tables);
    SBL_TRY(sbl_forest_selection_move(r->selection, number, &t.release, err));
done:
    clear_taken(&t);
    return status;
}

static sbl_status refit(sbl_model **model, void *state, const sbl_round *moved, size_t count, uint64_t number,
                        sbl_error *err)
{
    refits *r = state;
    sbl_pairs_model fitted = {0};
    sbl_model *made = NULL;
    double rows = r->setup.setting.rows;
    sbl_status status = SBL_OK;
    *model = NULL;
    for (size_t i = 0; i < count; i++) SBL_TRY(move_round(r, &rows, &moved[i], i, err));
    SBL_TRY(sbl_forest_posterior_draw(r->posterior, r->selection, &fitted, number, rows, r->brief, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_pairs, &moved[count - 1].plan, err));
    made->rows = rows;
    SBL_TRY(sbl_model_of_pairs(made, &fitted, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    sbl_pairs_model_clear(&fitted);
    return status;
}

/* ---- words ---- */

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    sbl_pairs_setup g = {0};
    (void)n, (void)options;
    if (sbl_pairs_setup_of_plan(&g, facts, &first->plan, NULL) != SBL_OK) return;
    const size_t bytes = sbl_forest_selection_bytes(&g.setting);
    if (object != NULL) {
        (void)json_object_set_new(object, "course", json_string(sbl_forest_course(&g.setting)));
        (void)json_object_set_new(object, "memory", json_integer((json_int_t)bytes));
    } else {
        sbl_text_printf(text, "\n%zu columns, planned for %.0f rows: %s\n", g.setting.count, g.setting.rows,
                        sbl_forest_course(&g.setting));
        sbl_text_printf(text, "fitting takes at most %.0f MB\n", ceil((double)bytes / 1e6));
    }
    sbl_pairs_setup_explain_error(text, object, &g.setting);
    sbl_pairs_setup_clear(&g);
}

static void warn(sbl_text *text, const sbl_facts *facts, const sbl_round *first, const char *records,
                 const sbl_synth_options *options)
{
    sbl_pairs_setup g = {0};
    if (sbl_pairs_setup_of_plan(&g, facts, &first->plan, NULL) == SBL_OK)
        sbl_pairs_setup_warn(text, &g.setting, records, options);
    sbl_pairs_setup_clear(&g);
}

static sbl_status cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                       const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setup g = {0};
    (void)n; /* the plan has it */
    const sbl_status status = sbl_pairs_setup_of_plan(&g, facts, &first->plan, err);
    if (status != SBL_OK) return status;
    const bool probed = g.setting.forest == SBL_FOREST_PROBED && sbl_pairs_shape_of(&g.setting).forest;
    if (sbl_forest_selection_seconds(&about->seconds, &about->processor, &g.setting, !probed,
                                     options->threads, NULL) != SBL_OK)
        about->seconds = about->processor = 0.0;
    about->bytes = sbl_forest_selection_usual_bytes(&g.setting, !probed);
    if (probed && sbl_forest_selection_seconds(&about->forest_seconds, &about->forest_processor, &g.setting,
                                               true, options->threads, NULL) == SBL_OK)
        about->forest_bytes = sbl_forest_selection_usual_bytes(&g.setting, true);
    sbl_pairs_setup_clear(&g);
    return SBL_OK;
}

static const char *const also_public[] = {
    "the grid of the tables' cells, and the number of rows that it was planned for", NULL};

const sbl_method sbl_method_pairs = {
    .name = "pairs",
    .tables = true,
    .wants_rows = true,
    .options = pairs_options,
    .also_public = also_public,
    .rounds = rounds_of_pairs,
    .plan = plan_of_pairs,
    .explain = explain,
    .warn = warn,
    .cost = cost,
    .fit = fit,
    .replicates = true,
    .refit_new = refit_new,
    .refit = refit,
    .refit_free = refit_free,
};

const sbl_method sbl_method_forest = {
    .name = "forest",
    .tables = true,
    .wants_rows = true,
    .options = forest_options,
    .also_public = also_public,
    .rounds = rounds_of_forest,
    .plan = plan_of_forest,
    .explain = explain,
    .warn = warn,
    .cost = cost,
    .fit = fit,
    .replicates = true,
    .refit_new = refit_new,
    .refit = refit,
    .refit_free = refit_free,
};
