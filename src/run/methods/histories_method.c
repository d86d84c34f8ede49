/* SPDX-License-Identifier: Apache-2.0 */
/* histories: a person's rows belong together. One-way tables of persons and events, then tables of every
 * column with what it is drawn by: the person, the place in the history, the event before, the events so
 * far (docs/mechanisms/histories.md). A record is a whole person, and costs what one row costs, whatever
 * number of rows it has. Two releases. */
#include <math.h>

#include "after/counts/release_counts.h"
#include "after/histories/history_draw.h"
#include "after/histories/history_forecast.h"
#include "after/histories/history_selection.h"
#include "after/sample/histories_kind.h"
#include "base/alloc.h"
#include "public/options/option_defaults.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "records/features/history_counts.h"
#include "run/methods/method.h"
#include "run/methods/pairs_setup.h"

#define MEMORY_LIMIT ((size_t)8 << 30)
#define ROWS_A_PERSON 4.0 /* where nothing is said of it */
#define MOST_SINGLES 128

static const sbl_option *const own_options[] = {&sbl_option_expect_rows, &sbl_option_expect_persons, NULL};

/* What a selection is made from, public all of it. */
typedef struct ground {
    sbl_history_tree tree;
    sbl_history_setting setting;
} ground;

static void clear_ground(ground *g) { sbl_history_tree_clear(&g->tree); }

/* first: the first plan of the run; NULL: it is being made. */
static sbl_status set_up(ground *g, const sbl_facts *facts, const sbl_history_setting *setting,
                         const sbl_plan *first, sbl_error *err)
{
    const bool follow =
        first == NULL || first->count == 0 || sbl_histories_follow(first->items[0].parameters);
    const size_t bins = sbl_pairs_bins(setting->persons, facts->columns, setting->mu, setting->sensitivity2);
    *g = (ground){.setting = *setting};
    return sbl_history_tree_init(&g->tree, facts->schema, &facts->heads, bins, MOST_SINGLES,
                                 SBL_PAIRS_LINEAR(bins), follow, err);
}

/* From options: how many rows there are is a declared guess, and so is the number of persons. */
static sbl_status setting_of_options(sbl_history_setting *setting, const sbl_synth_options *options,
                                     sbl_error *err)
{
    const double rows =
        (double)(options->expected_rows != 0 ? options->expected_rows : SBL_DEFAULT_EXPECTED_ROWS);
    const double persons = (double)sbl_setting_whole(options, &sbl_option_expect_persons, SBL_TABLES);
    *setting = (sbl_history_setting){.persons = persons > 0.0 ? persons : fmax(1.0, rows / ROWS_A_PERSON),
                                     .sensitivity2 = options->neighbours == SBL_ADD_REMOVE ? 1.0 : 2.0,
                                     .seed = options->seed};
    return sbl_gdp_mu(&setting->mu, options->epsilon, sbl_delta_of_options(options, 0), err);
}

/* ---- settings are in the first plan, so that a run can be resumed ---- */

static sbl_status write_setting(sbl_plan *plan, const sbl_history_setting *setting, sbl_error *err)
{
    SBL_CHECK(sbl_plan_set(plan, "persons", json_real(setting->persons), err));
    SBL_CHECK(sbl_plan_set(plan, "mu", json_real(setting->mu), err));
    SBL_CHECK(sbl_plan_set(plan, "sensitivity2", json_real(setting->sensitivity2), err));
    return sbl_plan_set(plan, "seed", json_sprintf("%llu", (unsigned long long)setting->seed), err);
}

static sbl_status read_setting(sbl_history_setting *setting, const sbl_plan *plan, sbl_error *err)
{
    const json_t *from = plan->settings;
    const char *seed;
    *setting = (sbl_history_setting){0};
    SBL_CHECK(sbl_json_get_double(&setting->persons, from, "persons", "the plan", err));
    SBL_CHECK(sbl_json_get_double(&setting->mu, from, "mu", "the plan", err));
    SBL_CHECK(sbl_json_get_double(&setting->sensitivity2, from, "sensitivity2", "the plan", err));
    SBL_CHECK(sbl_json_get_string(&seed, from, "seed", "the plan", err));
    if (!sbl_text_to_u64(&setting->seed, seed))
        return sbl_fail(err, SBL_EINPUT, "the plan: field 'seed' is not a number");
    return SBL_OK;
}

/* ---- a selection of the releases so far ---- */

static sbl_status take_round(sbl_history_selection *selection, const sbl_round *round, sbl_error *err)
{
    const sbl_histories *made = round->features.items[0].made;
    sbl_table_values values = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_table_values_read(&values, &made->list, round->release, round->features.items[0].block, err));
    SBL_TRY(sbl_history_selection_take(selection, &made->list.plan, made->codes, values.values, values.noise,
                                       err));
done:
    sbl_table_values_clear(&values);
    return status;
}

static sbl_status selection_of(sbl_history_selection **selection, const ground *g, const sbl_round *rounds,
                               size_t count, sbl_error *err)
{
    SBL_CHECK(sbl_history_selection_new(selection, &g->tree, &g->setting, err));
    for (size_t r = 0; r < count; r++) SBL_CHECK(take_round(*selection, &rounds[r], err));
    return SBL_OK;
}

/* ---- the method ---- */

static sbl_status rounds(double shares[SBL_MOST_ROUNDS], size_t *count, const sbl_facts *facts,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_history_setting setting;
    ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(setting_of_options(&setting, options, err));
    SBL_TRY(set_up(&g, facts, &setting, NULL, err));
    if (sbl_history_selection_bytes(&g.tree, &setting) > MEMORY_LIMIT)
        SBL_FAIL(err, SBL_EARG,
                 "histories over %zu columns may need %.1f GB of memory, more than the limit of %.1f GB; "
                 "ignore columns or merge categories",
                 facts->columns, (double)sbl_history_selection_bytes(&g.tree, &setting) / 1e9,
                 (double)MEMORY_LIMIT / 1e9);
    *count = SBL_HISTORY_ROUNDS;
    for (size_t r = 0; r < SBL_HISTORY_ROUNDS; r++) shares[r] = sbl_history_shares[r];
done:
    clear_ground(&g);
    return status;
}

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *before, size_t count, sbl_error *err)
{
    sbl_history_setting setting;
    sbl_history_selection *selection = NULL;
    ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(count == 0 ? setting_of_options(&setting, options, err)
                       : read_setting(&setting, &before[0].plan, err));
    SBL_TRY(set_up(&g, facts, &setting, count > 0 ? &before[0].plan : NULL, err));
    SBL_TRY(selection_of(&selection, &g, before, count, err));
    const sbl_pairs_plan *wanted = sbl_history_selection_plan(selection);
    if (wanted == NULL) goto done;
    SBL_TRY(write_setting(next, &setting, err));
    SBL_TRY(sbl_plan_add(next, "histories",
                         sbl_histories_parameters(wanted, &g.tree, sbl_history_selection_codes(selection)),
                         1.0, err));
done:
    sbl_history_selection_free(selection);
    clear_ground(&g);
    return status;
}

/* Of the state. */
static double rows_a_person(const sbl_history_model *model)
{
    return (double)model->links[0].events / (double)model->persons;
}

static sbl_status fit_rounds(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds,
                             size_t count, bool draw, const sbl_synth_options *options, sbl_error *err)
{
    sbl_history_setting setting;
    sbl_history_selection *selection = NULL;
    sbl_history_model histories = {0};
    sbl_model *made = NULL;
    ground g = {0};
    sbl_progress_listener listener = {.progress = options->progress, .context = options->context};
    const sbl_progress_span whole = sbl_progress_begin(&listener, "fitting");
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(read_setting(&setting, &made_rounds[0].plan, err));
    setting.draw = draw;
    SBL_TRY(set_up(&g, facts, &setting, &made_rounds[0].plan, err));
    SBL_TRY(selection_of(&selection, &g, made_rounds, count, err));
    SBL_TRY(sbl_history_selection_fit(selection, &histories, &whole, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_histories, &made_rounds[count - 1].plan, err));
    /* As many rows as the state has, for all persons that there are; of linked tables as many persons. */
    made->rows = fmax(1.0, round((g.tree.linked ? 1.0 : rows_a_person(&histories)) *
                                 sbl_history_selection_persons(selection)));
    SBL_TRY(sbl_model_of_histories(made, &histories, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    sbl_history_model_clear(&histories);
    sbl_history_selection_free(selection);
    clear_ground(&g);
    return status;
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *made_rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    (void)checkpoint;
    return fit_rounds(model, facts, made_rounds, count, false, options, err);
}

/* ---- draws from the posterior: fits to moved releases ---- */

typedef struct refits {
    const sbl_facts *facts;
    sbl_synth_options options;
} refits;

static void refit_free(void *state) { sbl_free(state); }

static sbl_status refit_new(void **state, const sbl_facts *facts, const sbl_round *made_rounds, size_t count,
                            const sbl_model *fitted, bool brief, const sbl_synth_options *options,
                            sbl_error *err)
{
    refits *made = NULL;
    sbl_status status = SBL_OK;
    (void)made_rounds, (void)count, (void)fitted, (void)brief;
    SBL_ALLOC(made, 1, "a posterior");
    *made = (refits){facts, *options};
done:
    *state = made;
    return status;
}

static sbl_status refit(sbl_model **model, void *state, const sbl_round *moved, size_t count, uint64_t number,
                        sbl_error *err)
{
    const refits *r = state;
    (void)number;
    return fit_rounds(model, r->facts, moved, count, true, &r->options, err);
}

static size_t count_columns(const sbl_history_tree *tree, size_t link)
{
    size_t count = 0;
    for (size_t b = 0; b < tree->base_count; b++)
        count += tree->link_of[b] == link && tree->cell_column[b] != SBL_HISTORY_NONE ? 1 : 0;
    return count;
}

static void describe_links(sbl_text *text, const sbl_history_tree *tree, const sbl_schema *schema,
                           double persons)
{
    const size_t own = count_columns(tree, SBL_HISTORY_NONE);
    if (!tree->linked) {
        const sbl_history_shape *link = &tree->links[0];
        sbl_text_printf(text,
                        "\nhistories: %zu column%s of a person, %zu of an event%s, planned for "
                        "%.0f persons\n",
                        own, own == 1 ? "" : "s", link->base_count - link->person_count,
                        link->span != 0 ? " with the gap before it" : "", persons);
        return;
    }
    sbl_text_printf(text, "\nhistories: '%s' has %zu columns, planned for %.0f rows\n",
                    schema->tables[0].name, own, persons);
    for (size_t l = 0; l < tree->link_count; l++) {
        const sbl_linked_table *table = &schema->tables[l + 1];
        sbl_text_printf(text, "           '%s' refers to '%s', %zu columns%s, at most %zu rows%s\n",
                        table->name, schema->tables[table->parent].name, count_columns(tree, l),
                        tree->links[l].span != 0 ? " and the gap" : "", tree->links[l].most,
                        table->parent == 0 ? "" : " of one of the first table's");
    }
}

static const char *const kinds[][2] = {
    [SBL_RELATION_OF_PERSON] = {"person", "two columns of a person"},
    [SBL_RELATION_OF_ROW] = {"row", "two columns of a row"},
    [SBL_RELATION_ABOVE] = {"above", "a column of a row and one of its person or of a row above it"},
    [SBL_RELATION_PREVIOUS] = {"previous", "a column of a row and one of the rows before it"}};

static void explain_relations(sbl_text *text, json_t *object, const ground *g)
{
    sbl_history_expected e;
    if (sbl_history_expect(&e, &g->tree, &g->setting, NULL) != SBL_OK) return;
    json_t *told =
        json_pack("{s:I, s:I}", "measured", (json_int_t)e.measured, "possible", (json_int_t)e.possible);
    if (object == NULL && e.possible < e.measured)
        sbl_text_printf(text,
                        "at most %zu of %zu relations between columns can stand out from the noise; the "
                        "others come out independent\n",
                        e.possible, e.measured);
    if (object == NULL && e.measured == 0)
        sbl_text_printf(text, "the noise hides every relation: all columns come out independent\n");
    else if (object == NULL)
        sbl_text_printf(text, "a relation may come out independent if it shows in fewer than (medians)\n");
    for (size_t k = 0; k < SBL_HISTORY_RELATIONS; k++) {
        if (e.hidden[k] <= 0.0) continue;
        told = sbl_json_put(told, kinds[k][0], json_real(e.hidden[k]));
        if (object == NULL)
            sbl_text_printf(text, "  %5.3g %% of the persons: %s\n", 100.0 * e.hidden[k], kinds[k][1]);
    }
    if (object != NULL)
        (void)json_object_set_new(object, "expected_relations", told);
    else
        json_decref(told);
}

static void explain(sbl_text *text, json_t *object, const sbl_facts *facts, const sbl_round *first,
                    uint64_t n, const sbl_synth_options *options)
{
    sbl_history_setting setting;
    ground g = {0};
    (void)options;
    (void)n;
    if (read_setting(&setting, &first->plan, NULL) != SBL_OK ||
        set_up(&g, facts, &setting, &first->plan, NULL) != SBL_OK)
        return;
    const double bytes = (double)sbl_history_selection_bytes(&g.tree, &setting);
    if (object != NULL) {
        (void)json_object_set_new(object, "memory", json_integer((json_int_t)bytes));
    } else {
        describe_links(text, &g.tree, facts->schema, setting.persons);
        sbl_text_printf(text, "fitting takes at most %.0f MB\n", ceil(bytes / 1e6));
    }
    explain_relations(text, object, &g);
    clear_ground(&g);
}

/* Measured on one core at 2.6 GHz: to draw a cell of a person or of an event once. A fit draws as many as there are,
 * and no more than its state may have (after/histories/history_selection.c), 31 times. */
#define SECONDS_A_CELL 3.5e-7
#define STATE_PERSONS 100000.0
#define STATE_EVENTS 150000.0
#define DRAWN 31.0

/* Events of a person, by link. For one table it is declared. For linked tables only the largest number that counts
 * is public: we take the geometric mean of one and that. */
static double events_of(const sbl_history_tree *tree, size_t link, double rows, double persons, bool linked)
{
    const double most = (double)tree->links[link].most;
    return linked ? sqrt(most) : fmin(fmax(rows / persons, 1.0), most);
}

static sbl_status cost(sbl_fit_cost *about, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                       const sbl_synth_options *options, sbl_error *err)
{
    sbl_history_setting setting;
    ground g = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(read_setting(&setting, &first->plan, err));
    SBL_TRY(set_up(&g, facts, &setting, &first->plan, err));
    double cells = (double)g.tree.person_count, events = 0.0; /* of a person */
    for (size_t l = 0; l < g.tree.link_count; l++) {
        const sbl_history_shape *link = &g.tree.links[l];
        const double each = events_of(&g.tree, l, (double)n, setting.persons, facts->table_facts != NULL);
        cells += each * (double)(link->base_count - link->person_count);
        events += each;
    }
    const double persons = fmin(fmin(setting.persons, STATE_PERSONS), STATE_EVENTS / fmax(events, 1.0));
    about->processor = SECONDS_A_CELL * DRAWN * cells * persons;
    about->seconds = about->processor / fmin((double)options->threads, SBL_WALK_SHARDS);
    about->bytes = sbl_history_selection_usual_bytes(&g.tree, &setting, events * setting.persons);
done:
    clear_ground(&g);
    return status;
}

static const char *const also_public[] = {
    "the grid of the tables' cells, and the number of persons that it was planned for",
    "which columns are a person's, and which one orders its rows", NULL};

const sbl_method sbl_method_histories = {
    .name = "histories",
    .tables = true,
    .whole_units = true,
    .wants_rows = true,
    .options = own_options,
    .also_public = also_public,
    .rounds = rounds,
    .plan = plan,
    .explain = explain,
    .cost = cost,
    .fit = fit,
    .replicates = true,
    .refit_new = refit_new,
    .refit = refit,
    .refit_free = refit_free,
};
