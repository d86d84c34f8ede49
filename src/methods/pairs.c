/* pairs: one-way tables, a sketch of all pairs, precise tables of the pairs that the sketch shows to
 * be worth it; and the distribution of largest entropy that agrees with them, whose state is the
 * synthetic rows (docs/mechanisms/pairs.md). One to three releases: how many, and what each may
 * spend, follows from public facts; what is measured next follows from the releases before it. */
#include <math.h>

#include "base/memory.h"
#include "features/tables.h"
#include "methods/auto.h"
#include "methods/method.h"
#include "options/defaults.h"
#include "options/option_row.h"
#include "options/options.h"
#include "pairs/selection.h"
#include "sample/pairs_kind.h"

#define MEMORY_LIMIT ((size_t)8 << 30)

static const sbl_option_range one_to_three = {1, 3, false, "a whole number from 1 to 3"};

static const sbl_option rounds_option =
    SBL_SETTING("rounds", SBL_OPTION_WHOLE, "R", SBL_TABLES, SBL_STEPS_PLAN,
                "1: one release, from one reading of the data, which may then be a stream",
                .range = &one_to_three, SBL_STANDARD_WORDS("up to 3; 1 for a stream"));

static const sbl_option *const own_options[] = {&rounds_option, &sbl_option_expect_rows,
                                                &sbl_option_histories, &sbl_option_expect_persons,
                                                NULL};

/* What a selection is made from, public all of it. The cells own what the columns are read off. */
typedef struct ground {
    sbl_cells cells;
    sbl_pairs_column *columns;
    sbl_pairs_setting setting;
} ground;

static void clear_ground(ground *g)
{
    sbl_cells_clear(&g->cells);
    sbl_free(g->columns);
    g->columns = NULL; /* a ground that could not be laid is cleared twice */
}

static size_t label_of(const sbl_cells *cells, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    for (size_t k = 0; heads->label != SBL_NO_HEAD && k < cells->count; k++)
        if (cells->columns[k].kind == heads->items[heads->label].kind &&
            cells->columns[k].index == heads->items[heads->label].index)
            return k;
    return SBL_PAIRS_NO_COLUMN;
}

static size_t count_columns(const sbl_facts *facts)
{
    size_t columns = 0;
    for (size_t h = 0; h < facts->heads.count; h++)
        columns += facts->heads.items[h].indicator ? 0 : 1;
    return columns;
}

/* setting: rows, mu, sensitivity2, one_round and seed are set. */
static sbl_status lay_ground(ground *g, const sbl_facts *facts, const sbl_pairs_setting *setting,
                             sbl_error *err)
{
    const size_t bins =
        sbl_pairs_bins(setting->rows, count_columns(facts), setting->mu, setting->sensitivity2);
    sbl_status status = SBL_OK;
    *g = (ground){.setting = *setting};
    SBL_TRY(sbl_cells_init_joint(&g->cells, facts->schema, &facts->heads, bins, SBL_PAIRS_SINGLES,
                                 SBL_PAIRS_LINEAR(bins), err));
    SBL_ALLOC(g->columns, g->cells.count, "a plan");
    for (size_t k = 0; k < g->cells.count; k++)
        g->columns[k] = sbl_pairs_column_of(&g->cells.columns[k]);
    g->setting.columns = g->columns;
    g->setting.count = g->cells.count;
    g->setting.label = label_of(&g->cells, facts);
    SBL_TRY(sbl_pairs_setting_check(&g->setting, err));
done:
    if (status != SBL_OK) clear_ground(g);
    return status;
}

/* From options: the number of rows is public, or a declared guess. Up to k rows of a person move the
 * tables k times as far as one. */
static sbl_status setting_of_options(sbl_pairs_setting *setting, const sbl_facts *facts,
                                     const sbl_synth_options *options, sbl_error *err)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    const uint64_t rows = sbl_facts_rows_per_unit(facts);
    const double times = rows != 0 ? (double)rows : 1.0;
    const uint64_t n = sbl_rows_are_public(options->neighbours, rows) ? options->expected_rows : 0;
    *setting = (sbl_pairs_setting){
        .rows = (double)(options->expected_rows != 0 ? options->expected_rows
                                                     : SBL_DEFAULT_EXPECTED_ROWS),
        .sensitivity2 = times * times * (add_remove ? 1.0 : 2.0),
        .one_round = sbl_setting_whole(options, &rounds_option, SBL_TABLES) == 1,
        .seed = options->seed};
    return sbl_gdp_mu(&setting->mu, options->epsilon, sbl_delta_of_options(options, n), err);
}

static const char *course_words(sbl_pairs_course course)
{
    static const char *const words[] = {
        [SBL_PAIRS_ONE_WAY] = "one-way tables only: at this budget pairs would drown in noise",
        [SBL_PAIRS_LABEL] = "one-way tables and pairs with the label",
        [SBL_PAIRS_SKETCH] = "one-way tables, a sketch of all pairs, precise tables of some",
        [SBL_PAIRS_ALL] = "one-way tables and all pairs over a public grid"};
    return words[course];
}

sbl_status sbl_pairs_look(sbl_pairs_outlook *outlook, const sbl_facts *facts,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setting setting;
    ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(setting_of_options(&setting, facts, options, err));
    SBL_TRY(lay_ground(&g, facts, &setting, err));
    *outlook = (sbl_pairs_outlook){.columns = g.setting.count,
                                   .rows = g.setting.rows,
                                   .bytes = sbl_pairs_selection_bytes(&g.setting),
                                   .limit = MEMORY_LIMIT,
                                   .words = course_words(sbl_pairs_shape_of(&g.setting).course)};
done:
    clear_ground(&g);
    return status;
}

/* ---- settings stand in the first plan, so that a run can be resumed ---- */

static sbl_status write_setting(sbl_plan *plan, const sbl_pairs_setting *setting, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_plan_set(plan, "rows", json_real(setting->rows), err));
    SBL_TRY(sbl_plan_set(plan, "mu", json_real(setting->mu), err));
    SBL_TRY(sbl_plan_set(plan, "sensitivity2", json_real(setting->sensitivity2), err));
    SBL_TRY(sbl_plan_set(plan, "one_round", json_boolean(setting->one_round), err));
    SBL_TRY(
        sbl_plan_set(plan, "seed", json_sprintf("%llu", (unsigned long long)setting->seed), err));
done:
    return status;
}

static sbl_status read_setting(sbl_pairs_setting *setting, const sbl_plan *plan, sbl_error *err)
{
    const char *seed;
    sbl_status status = SBL_OK;
    *setting = (sbl_pairs_setting){0};
    SBL_TRY(sbl_json_get_double(&setting->rows, plan->settings, "rows", "the plan", err));
    SBL_TRY(sbl_json_get_double(&setting->mu, plan->settings, "mu", "the plan", err));
    SBL_TRY(sbl_json_get_double(&setting->sensitivity2, plan->settings, "sensitivity2", "the plan",
                                err));
    SBL_TRY(sbl_json_get_bool(&setting->one_round, plan->settings, "one_round", "the plan", err));
    SBL_TRY(sbl_json_get_string(&seed, plan->settings, "seed", "the plan", err));
    if (!sbl_text_to_u64(&setting->seed, seed))
        status = sbl_fail(err, SBL_EINPUT, "the plan: field 'seed' is not a number");
done:
    return status;
}

/* ---- a selection of the releases so far ---- */

static const sbl_table_list *tables_of(const sbl_round *round)
{
    return round->features.items[0].made;
}

/* The public number of rows; or every one-way table's sum, averaged by its noise. */
static double rows_of(const sbl_round *first, const sbl_table_values *values)
{
    const sbl_pairs_plan *plan = &tables_of(first)->plan;
    double weighted = 0.0;
    double weights = 0.0;
    if (first->release->n != 0) return (double)first->release->n;
    for (size_t t = 0; t < plan->table_count; t++) {
        const size_t entries = sbl_pairs_table_entries(plan, t);
        const double weight = 1.0 / ((double)entries * values->noise[t] * values->noise[t]);
        double total = 0.0;
        if (plan->tables[t].second != SBL_PAIRS_NO_MAP) continue;
        for (size_t i = 0; i < entries; i++) total += values->values[t][i];
        weighted += weight * total;
        weights += weight;
    }
    return weights > 0.0 ? fmax(1.0, round(weighted / weights)) : 1.0;
}

static sbl_status take_round(sbl_pairs_selection *selection, double *rows, const sbl_round *round,
                             bool is_first, sbl_error *err)
{
    sbl_table_values values = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_table_values_read(&values, tables_of(round), round->release,
                                  round->features.items[0].block, err));
    if (is_first) {
        *rows = rows_of(round, &values);
        sbl_pairs_selection_set_rows(selection, *rows);
    }
    SBL_TRY(sbl_pairs_selection_take(selection, &tables_of(round)->plan, values.values,
                                     values.noise, err));
done:
    sbl_table_values_clear(&values);
    return status;
}

static sbl_status selection_of(sbl_pairs_selection **selection, double *rows, const ground *g,
                               const sbl_round *rounds, size_t count, sbl_progress_span progress,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    *rows = g->setting.rows;
    SBL_TRY(sbl_pairs_selection_new(selection, &g->setting, MEMORY_LIMIT, err));
    sbl_pairs_selection_set_progress(*selection, progress);
    for (size_t r = 0; r < count; r++)
        SBL_TRY(take_round(*selection, rows, &rounds[r], r == 0, err));
done:
    return status;
}

/* ---- the method ---- */

#define FIT_PARTS 5 /* of a fit, of which the first is the choice of pairs */

static sbl_progress_listener watcher_of(const sbl_synth_options *options)
{
    return (sbl_progress_listener){.progress = options->progress, .context = options->context};
}

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_pairs_setting setting;
    ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(setting_of_options(&setting, facts, options, err));
    SBL_TRY(lay_ground(&g, facts, &setting, err));
    const sbl_pairs_shape shape = sbl_pairs_shape_of(&g.setting);
    *count = shape.rounds;
    for (size_t r = 0; r < shape.rounds; r++) shares[r] = shape.share[r];
done:
    clear_ground(&g);
    return status;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_pairs_selection *selection = NULL;
    ground g = {0};
    double rows;
    sbl_progress_listener listener = watcher_of(options);
    sbl_status status = SBL_OK;
    SBL_TRY(count == 0 ? setting_of_options(&setting, facts, options, err)
                       : read_setting(&setting, &before[0].plan, err));
    SBL_TRY(lay_ground(&g, facts, &setting, err));
    SBL_TRY(selection_of(&selection, &rows, &g, before, count,
                         sbl_progress_begin(&listener, "choosing"), err));
    const sbl_pairs_plan *wanted = sbl_pairs_selection_plan(selection);
    if (wanted == NULL || wanted->table_count == 0) goto done;
    SBL_TRY(write_setting(next, &setting, err));
    SBL_TRY(sbl_plan_add(next, "tables", sbl_tables_parameters(wanted, &g.cells), 1.0, err));
done:
    sbl_pairs_selection_free(selection);
    clear_ground(&g);
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
    ground g = {0};
    double rows;
    sbl_progress_listener listener = watcher_of(options);
    const sbl_progress_span whole = sbl_progress_begin(&listener, "fitting");
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(read_setting(&setting, &made_rounds[0].plan, err));
    SBL_TRY(lay_ground(&g, facts, &setting, err));
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
    clear_ground(&g);
    return status;
}

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    sbl_pairs_setting setting;
    ground g = {0};
    (void)options;
    (void)n;
    if (read_setting(&setting, &first->plan, NULL) != SBL_OK ||
        lay_ground(&g, facts, &setting, NULL) != SBL_OK)
        return;
    const sbl_pairs_shape shape = sbl_pairs_shape_of(&g.setting);
    const size_t bytes = sbl_pairs_selection_bytes(&g.setting);
    if (object != NULL) {
        (void)json_object_set_new(object, "course", json_string(course_words(shape.course)));
        (void)json_object_set_new(object, "memory", json_integer((json_int_t)bytes));
    } else {
        sbl_text_printf(text, "\n%zu columns, planned for %.0f rows: %s\n", g.setting.count,
                        setting.rows, course_words(shape.course));
        sbl_text_printf(text, "fitting takes at most %.0f MB\n", ceil((double)bytes / 1e6));
    }
    clear_ground(&g);
}

static void cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                 const sbl_synth_options *options)
{
    sbl_pairs_setting setting;
    ground g = {0};
    (void)n; /* the plan has it */
    if (read_setting(&setting, &first->plan, NULL) != SBL_OK ||
        lay_ground(&g, facts, &setting, NULL) != SBL_OK)
        return;
    if (sbl_pairs_selection_seconds(&about->seconds, &about->processor, &g.setting,
                                    options->threads, NULL) != SBL_OK)
        about->seconds = about->processor = 0.0;
    about->bytes = (double)sbl_pairs_selection_bytes(&g.setting);
    clear_ground(&g);
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
