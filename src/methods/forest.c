/* forest: what pairs measures, and tables of leaf x label of trees that are grown on the model's own rows,
 * round after round (docs/mechanisms/forest.md). Up to six releases. A small paid probe of trees comes
 * third: under auto it decides whether the rest of the budget buys forests or precise tables of pairs; by
 * name there are forests whatever it says. Where the budget allows no sketch of all pairs, or there is no
 * label, the course is that of pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "features/leaves.h"
#include "features/tables.h"
#include "methods/auto.h"
#include "methods/method.h"
#include "methods/pairs_ground.h"
#include "options/option_row.h"
#include "options/options.h"
#include "pairs/forest_selection.h"
#include "sample/pairs_kind.h"

#define USE "forest" /* the setting that says when there are trees */

static const sbl_option *const own_options[] = {&sbl_option_rounds, &sbl_option_expect_rows,
                                                &sbl_option_histories, &sbl_option_expect_persons,
                                                NULL};

/* ---- settings ---- */

static const char *const use_words[] = {
    [SBL_FOREST_NEVER] = "never", [SBL_FOREST_PROBED] = "probed", [SBL_FOREST_ALWAYS] = "always"};

static sbl_status setting_of_options(sbl_pairs_setting *setting, const sbl_facts *facts,
                                     const sbl_synth_options *options, sbl_error *err)
{
    const bool by_auto = options->method == NULL || strcmp(options->method, SBL_METHOD_AUTO) == 0;
    const sbl_status status = sbl_ground_setting(setting, facts, options, err);
    setting->forest = by_auto ? SBL_FOREST_PROBED : SBL_FOREST_ALWAYS;
    return status;
}

static sbl_status write_setting(sbl_plan *plan, const sbl_pairs_setting *setting, sbl_error *err)
{
    const sbl_status status = sbl_ground_write(plan, setting, err);
    return status == SBL_OK ? sbl_plan_set(plan, USE, json_string(use_words[setting->forest]), err)
                            : status;
}

static sbl_status read_setting(sbl_pairs_setting *setting, const sbl_plan *plan, sbl_error *err)
{
    const char *use;
    sbl_status status;
    SBL_TRY(sbl_ground_read(setting, plan, err));
    SBL_TRY(sbl_json_get_string(&use, plan->settings, USE, "the plan", err));
    for (size_t i = 0; i < sizeof use_words / sizeof *use_words; i++)
        if (strcmp(use, use_words[i]) == 0) {
            setting->forest = (sbl_forest_use)i;
            return SBL_OK;
        }
    status = sbl_fail(err, SBL_EINPUT, "the plan: field '" USE "' is unknown");
done:
    return status;
}

/* ---- a selection of the releases so far ---- */

/* A release as the selection takes it; the arrays are this one's own. */
typedef struct taken {
    sbl_table_values tables;
    double *leaves;
    sbl_forest_release release;
} taken;

static void clear_taken(taken *t)
{
    sbl_table_values_clear(&t->tables);
    sbl_free(t->leaves);
}

static sbl_status read_round(taken *t, const sbl_round *round, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t i = 0; i < round->features.count; i++) {
        const sbl_feature_instance *item = &round->features.items[i];
        if (item->kind == &sbl_feature_tables) {
            const sbl_table_list *list = item->made;
            SBL_TRY(sbl_table_values_read(&t->tables, list, round->release, item->block, err));
            t->release.tables = &list->plan;
            t->release.values = t->tables.values;
            t->release.noise = t->tables.noise;
        } else if (item->kind == &sbl_feature_leaves) {
            const sbl_leaves *leaves = item->made;
            SBL_TRY(sbl_leaves_values(&t->leaves, &t->release.leaf_noise, leaves, round->release,
                                      item->block, err));
            t->release.trees = &leaves->trees;
            t->release.codes = &leaves->codes;
            t->release.leaf_values = t->leaves;
        }
    }
done:
    return status;
}

static sbl_status take_round(sbl_forest_selection *selection, double *rows, const sbl_round *round,
                             bool is_first, sbl_error *err)
{
    taken t = {0};
    sbl_status status;
    SBL_TRY(read_round(&t, round, err));
    if (is_first && t.release.tables != NULL) {
        *rows = sbl_ground_rows(round, &t.tables);
        sbl_forest_selection_set_rows(selection, *rows);
    }
    SBL_TRY(sbl_forest_selection_take(selection, &t.release, err));
done:
    clear_taken(&t);
    return status;
}

static sbl_status selection_of(sbl_forest_selection **selection, double *rows, const sbl_ground *g,
                               const sbl_round *rounds, size_t count, sbl_progress_span progress,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    *rows = g->setting.rows;
    SBL_TRY(sbl_forest_selection_new(selection, &g->setting, SBL_GROUND_MEMORY, err));
    sbl_forest_selection_set_progress(*selection, progress);
    for (size_t r = 0; r < count; r++)
        SBL_TRY(take_round(*selection, rows, &rounds[r], r == 0, err));
done:
    return status;
}

/* ---- plans ---- */

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(setting_of_options(&setting, facts, options, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    const sbl_pairs_shape shape = sbl_pairs_shape_of(&g.setting);
    *count = sbl_forest_shares(shares, &shape);
done:
    sbl_ground_clear(&g);
    return status;
}

/* What the probe decided and why: numbers of its release, nothing else. */
static sbl_status write_answer(sbl_plan *next, const sbl_forest_plan *wanted, sbl_error *err)
{
    char line[256];
    const sbl_forest_surprise *grown = &wanted->found[0], *blind = &wanted->found[1];
    if (wanted->answer == SBL_FOREST_NOT_ASKED) return SBL_OK;
    (void)snprintf(line, sizeof line,
                   "the probe of trees %s: pairs leave %.3f unexplained (grown trees, %.1f errors) "
                   "and %.3f (blind ones, %.1f errors); forests from .06 and 3 errors on",
                   wanted->answer == SBL_FOREST_YES  ? "asks for forests"
                   : wanted->answer == SBL_FOREST_NO ? "asks for precise pairs"
                                                     : "is overruled by the method's name",
                   grown->effect, grown->energy / grown->error, blind->effect,
                   blind->energy / blind->error);
    return sbl_plan_set(next, SBL_PLAN_DECIDED, json_string(line), err);
}

/* A unit of leaves and one of tables are both a 1 of a record: their weights are the roots of the shares of
 * one table of each. Alone, any weight does. */
static sbl_status add_features(sbl_plan *next, const sbl_forest_plan *wanted,
                               const sbl_forest_selection *selection, const sbl_cells *cells,
                               sbl_error *err)
{
    sbl_pairs_plan codes = {0};
    sbl_status status = SBL_OK;
    if (wanted->tables != NULL)
        SBL_TRY(
            sbl_plan_add(next, "tables", sbl_tables_parameters(wanted->tables, cells), 1.0, err));
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

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_forest_selection *selection = NULL;
    sbl_forest_plan wanted;
    sbl_ground g = {0};
    double rows;
    sbl_progress_listener listener = sbl_ground_listener(options);
    sbl_status status = SBL_OK;
    SBL_TRY(count == 0 ? setting_of_options(&setting, facts, options, err)
                       : read_setting(&setting, &before[0].plan, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    SBL_TRY(selection_of(&selection, &rows, &g, before, count,
                         sbl_progress_begin(&listener, "choosing"), err));
    SBL_TRY(sbl_forest_selection_plan(selection, &wanted, err));
    if (wanted.tables == NULL && wanted.trees == NULL) goto done;
    SBL_TRY(write_setting(next, &setting, err));
    SBL_TRY(write_answer(next, &wanted, err));
    SBL_TRY(add_features(next, &wanted, selection, &g.cells, err));
    memcpy(next->rest, wanted.rest, wanted.rest_count * sizeof *next->rest);
    next->rest_count = wanted.rest_count;
done:
    sbl_forest_selection_free(selection);
    sbl_ground_clear(&g);
    return status;
}

/* ---- the fit ---- */

#define FIT_PARTS 5 /* of a fit, of which the first is the choice of pairs */

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds,
                      size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                      sbl_error *err)
{
    (void)checkpoint;
    sbl_pairs_setting setting;
    sbl_forest_selection *selection = NULL;
    sbl_pairs_model fitted = {0};
    sbl_model *made = NULL;
    sbl_ground g = {0};
    double rows;
    sbl_progress_listener listener = sbl_ground_listener(options);
    const sbl_progress_span whole = sbl_progress_begin(&listener, "fitting");
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(read_setting(&setting, &made_rounds[0].plan, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    SBL_TRY(selection_of(&selection, &rows, &g, made_rounds, count,
                         sbl_progress_range(&whole, 0, 1, FIT_PARTS, NULL), err));
    sbl_forest_selection_set_progress(selection,
                                      sbl_progress_range(&whole, 1, FIT_PARTS, FIT_PARTS, NULL));
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
    sbl_ground_clear(&g);
    return status;
}

/* ---- words ---- */

static const char *course_of(const sbl_pairs_setting *setting)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(setting);
    if (!shape.forest) return sbl_ground_course(shape.course);
    return setting->forest == SBL_FOREST_ALWAYS
               ? "one-way tables, a sketch of all pairs, a probe of trees, precise tables of some "
                 "pairs and three forests"
               : "one-way tables, a sketch of all pairs, a probe of trees; as that says, precise "
                 "tables of some pairs, or fewer of them and three forests";
}

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    (void)options;
    (void)n;
    if (read_setting(&setting, &first->plan, NULL) != SBL_OK ||
        sbl_ground_lay(&g, facts, &setting, NULL) != SBL_OK)
        return;
    const size_t bytes = sbl_forest_selection_bytes(&g.setting);
    if (object != NULL) {
        (void)json_object_set_new(object, "course", json_string(course_of(&g.setting)));
        (void)json_object_set_new(object, "memory", json_integer((json_int_t)bytes));
    } else {
        sbl_text_printf(text, "\n%zu columns, planned for %.0f rows: %s\n", g.setting.count,
                        setting.rows, course_of(&g.setting));
        sbl_text_printf(text, "fitting takes at most %.0f MB\n", ceil((double)bytes / 1e6));
    }
    sbl_ground_clear(&g);
}

static void cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                 const sbl_synth_options *options)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    (void)n; /* the plan has it */
    if (read_setting(&setting, &first->plan, NULL) != SBL_OK ||
        sbl_ground_lay(&g, facts, &setting, NULL) != SBL_OK)
        return;
    if (sbl_forest_selection_seconds(&about->seconds, &about->processor, &g.setting,
                                     options->threads, NULL) != SBL_OK)
        about->seconds = about->processor = 0.0;
    about->bytes = (double)sbl_forest_selection_bytes(&g.setting);
    sbl_ground_clear(&g);
}

static const char *const also_public[] = {
    "the grid of the tables' cells, and the number of rows that it was planned for", NULL};

const sbl_method sbl_method_forest = {
    .name = "forest",
    .tables = true,
    .wants_rows = true,
    .options = own_options,
    .also_public = also_public,
    .rounds = rounds,
    .plan = plan,
    .explain = explain,
    .cost = cost,
    .fit = fit,
};
