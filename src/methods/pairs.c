/* pairs: one-way tables, a sketch of all pairs, precise tables of the pairs that the sketch shows to
 * be worth it; and the distribution of largest entropy that agrees with them, whose state is the
 * synthetic rows (docs/mechanisms/pairs.md). One to three releases: how many, and what each may
 * spend, follows from public facts; what is measured next follows from the releases before it. */
#include <math.h>

#include "base/memory.h"
#include "features/tables.h"
#include "methods/auto.h"
#include "methods/method.h"
#include "methods/pairs_ground.h"
#include "options/option_row.h"
#include "options/options.h"
#include "pairs/forest_selection.h"
#include "pairs/selection.h"
#include "sample/pairs_kind.h"

static const sbl_option *const own_options[] = {&sbl_option_rounds, &sbl_option_expect_rows,
                                                &sbl_option_histories, &sbl_option_expect_persons,
                                                NULL};

sbl_status sbl_pairs_look(sbl_pairs_outlook *outlook, const sbl_facts *facts,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ground_setting(&setting, facts, options, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    sbl_pairs_setting probed = g.setting;
    probed.forest = SBL_FOREST_PROBED;
    *outlook =
        (sbl_pairs_outlook){.columns = g.setting.count,
                            .rows = g.setting.rows,
                            .bytes = sbl_pairs_selection_bytes(&g.setting),
                            .limit = SBL_GROUND_MEMORY,
                            .words = sbl_ground_course(sbl_pairs_shape_of(&g.setting).course),
                            .forest = sbl_pairs_shape_of(&probed).forest &&
                                      sbl_forest_selection_bytes(&probed) <= SBL_GROUND_MEMORY};
done:
    sbl_ground_clear(&g);
    return status;
}

/* ---- a selection of the releases so far ---- */

static const sbl_table_list *tables_of(const sbl_round *round)
{
    return round->features.items[0].made;
}

static sbl_status take_round(sbl_pairs_selection *selection, double *rows, const sbl_round *round,
                             bool is_first, sbl_error *err)
{
    sbl_table_values values = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_table_values_read(&values, tables_of(round), round->release,
                                  round->features.items[0].block, err));
    if (is_first) {
        *rows = sbl_ground_rows(round, &values);
        sbl_pairs_selection_set_rows(selection, *rows);
    }
    SBL_TRY(sbl_pairs_selection_take(selection, &tables_of(round)->plan, values.values,
                                     values.noise, err));
done:
    sbl_table_values_clear(&values);
    return status;
}

static sbl_status selection_of(sbl_pairs_selection **selection, double *rows, const sbl_ground *g,
                               const sbl_round *rounds, size_t count, sbl_progress_span progress,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    *rows = g->setting.rows;
    SBL_TRY(sbl_pairs_selection_new(selection, &g->setting, SBL_GROUND_MEMORY, err));
    sbl_pairs_selection_set_progress(*selection, progress);
    for (size_t r = 0; r < count; r++)
        SBL_TRY(take_round(*selection, rows, &rounds[r], r == 0, err));
done:
    return status;
}

/* ---- the method ---- */

#define FIT_PARTS 5 /* of a fit, of which the first is the choice of pairs */

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_ground_setting(&setting, facts, options, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    const sbl_pairs_shape shape = sbl_pairs_shape_of(&g.setting);
    *count = shape.rounds;
    for (size_t r = 0; r < shape.rounds; r++) shares[r] = shape.share[r];
done:
    sbl_ground_clear(&g);
    return status;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_pairs_selection *selection = NULL;
    sbl_ground g = {0};
    double rows;
    sbl_progress_listener listener = sbl_ground_listener(options);
    sbl_status status = SBL_OK;
    SBL_TRY(count == 0 ? sbl_ground_setting(&setting, facts, options, err)
                       : sbl_ground_read(&setting, &before[0].plan, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    SBL_TRY(selection_of(&selection, &rows, &g, before, count,
                         sbl_progress_begin(&listener, "choosing"), err));
    const sbl_pairs_plan *wanted = sbl_pairs_selection_plan(selection);
    if (wanted == NULL || wanted->table_count == 0) goto done;
    SBL_TRY(sbl_ground_write(next, &setting, err));
    SBL_TRY(sbl_plan_add(next, "tables", sbl_tables_parameters(wanted, &g.cells), 1.0, err));
done:
    sbl_pairs_selection_free(selection);
    sbl_ground_clear(&g);
    return status;
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds,
                      size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                      sbl_error *err)
{
    (void)checkpoint;
    sbl_pairs_setting setting;
    sbl_pairs_selection *selection = NULL;
    sbl_pairs_model pairs = {0};
    sbl_model *made = NULL;
    sbl_ground g = {0};
    double rows;
    sbl_progress_listener listener = sbl_ground_listener(options);
    const sbl_progress_span whole = sbl_progress_begin(&listener, "fitting");
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(sbl_ground_read(&setting, &made_rounds[0].plan, err));
    SBL_TRY(sbl_ground_lay(&g, facts, &setting, err));
    /* The releases are taken once more, with the choice of pairs that the sketch led to. */
    SBL_TRY(selection_of(&selection, &rows, &g, made_rounds, count,
                         sbl_progress_range(&whole, 0, 1, FIT_PARTS, NULL), err));
    sbl_pairs_selection_set_progress(selection,
                                     sbl_progress_range(&whole, 1, FIT_PARTS, FIT_PARTS, NULL));
    SBL_TRY(sbl_pairs_selection_fit(selection, &pairs, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_pairs, &made_rounds[count - 1].plan, err));
    made->rows = rows;
    SBL_TRY(sbl_model_of_pairs(made, &pairs, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    sbl_pairs_model_clear(&pairs);
    sbl_pairs_selection_free(selection);
    sbl_ground_clear(&g);
    return status;
}

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    sbl_pairs_setting setting;
    sbl_ground g = {0};
    (void)options;
    (void)n;
    if (sbl_ground_read(&setting, &first->plan, NULL) != SBL_OK ||
        sbl_ground_lay(&g, facts, &setting, NULL) != SBL_OK)
        return;
    const sbl_pairs_shape shape = sbl_pairs_shape_of(&g.setting);
    const size_t bytes = sbl_pairs_selection_bytes(&g.setting);
    if (object != NULL) {
        (void)json_object_set_new(object, "course", json_string(sbl_ground_course(shape.course)));
        (void)json_object_set_new(object, "memory", json_integer((json_int_t)bytes));
    } else {
        sbl_text_printf(text, "\n%zu columns, planned for %.0f rows: %s\n", g.setting.count,
                        setting.rows, sbl_ground_course(shape.course));
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
    if (sbl_ground_read(&setting, &first->plan, NULL) != SBL_OK ||
        sbl_ground_lay(&g, facts, &setting, NULL) != SBL_OK)
        return;
    if (sbl_pairs_selection_seconds(&about->seconds, &about->processor, &g.setting,
                                    options->threads, NULL) != SBL_OK)
        about->seconds = about->processor = 0.0;
    about->bytes = (double)sbl_pairs_selection_bytes(&g.setting);
    sbl_ground_clear(&g);
}

static const char *const also_public[] = {
    "the grid of the tables' cells, and the number of rows that it was planned for", NULL};

const sbl_method sbl_method_pairs = {
    .name = "pairs",
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
