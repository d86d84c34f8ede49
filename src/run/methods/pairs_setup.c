/* SPDX-License-Identifier: Apache-2.0 */
/* The public cells of a selection and its setting: read off options before the first release, and off the
 * first plan ever after. */
#include "run/methods/pairs_setup.h"

#include <math.h>
#include <string.h>

#include "after/pairs/error_forecast.h"
#include "base/alloc.h"
#include "public/options/option_defaults.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"

static const char *const on_or_off[] = {"on", "off", NULL};

const sbl_option sbl_option_histories =
    SBL_SETTING("histories", SBL_OPTION_CHOICE, "H", SBL_TABLES, SBL_STEPS_PLAN,
                "where the schema names a unit: on, method auto fits persons with all their rows; "
                "off, rows, of "
                "which each costs as much as a person's first",
                .choices = on_or_off, SBL_STANDARD_TABLES("on"));

const sbl_option sbl_option_expect_persons =
    SBL_SETTING("expect-persons", SBL_OPTION_WHOLE, "N", SBL_TABLES, SBL_STEPS_PLAN,
                "about how many persons, for rules of public sizes only, where whole persons are "
                "fitted",
                .range = &sbl_range_count, SBL_STANDARD_WORDS("a quarter of the rows"));

static const sbl_option_range one_to_three = {1, 3, false, "a whole number from 1 to 3"};

const sbl_option sbl_option_rounds = SBL_SETTING(
    "rounds", SBL_OPTION_WHOLE, "R", SBL_TABLES, SBL_STEPS_PLAN,
    "1: one release, from one reading of the data, which may then be a stream", .range = &one_to_three,
    SBL_STANDARD_WORDS("up to 3, of method forest up to 6; 1 for a stream"));

static const sbl_option_range megabytes = {0, 1 << 24, false, "a whole number from 0 to 16777216"};

const sbl_option sbl_option_keep_records =
    SBL_SETTING("keep-records", SBL_OPTION_WHOLE, "MIB", SBL_TABLES, SBL_STEPS_PLAN,
                "memory for the encoded records, which later releases then read from there, and which is "
                "wiped afterwards; if it "
                "is not enough, and with 0, each release reads the data again",
                .range = &megabytes, SBL_STANDARD_TABLES("256"));

const sbl_option sbl_option_targets =
    SBL_SETTING("targets", SBL_OPTION_TEXT, "LIST", SBL_TABLES, SBL_STEPS_PLAN,
                "columns that forests are for, e.g. sex,ward",
                SBL_STANDARD_WORDS("the label, or those that a probe names"));

static const sbl_option_range label_shares = {0.01, SBL_PAIRS_LABEL_SHARE, false, "a number from .01 to .45"};

const sbl_option sbl_option_target_share =
    SBL_SETTING("target-share", SBL_OPTION_NUMBER, "S", SBL_TABLES, SBL_STEPS_PLAN,
                "the part of the budget that pairs with the label get at least: more for models that "
                "learn it, less for all other pairs of columns",
                .range = &label_shares, SBL_STANDARD_WORDS("by a public rule, .2 where noise is small"));

void sbl_pairs_setup_clear(sbl_pairs_setup *g)
{
    sbl_bins_clear(&g->cells);
    sbl_free(g->columns);
    g->columns = NULL; /* a ground that could not be laid is cleared twice */
}

/* The column of the cells that a head of the record is in. */
static size_t cells_of_head(const sbl_bins *cells, const sbl_head *head)
{
    for (size_t k = 0; k < cells->count; k++)
        if (cells->columns[k].kind == head->kind && cells->columns[k].index == head->index) return k;
    return SBL_PAIRS_NO_COLUMN;
}

static size_t label_of(const sbl_bins *cells, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    return heads->label != SBL_NO_HEAD ? cells_of_head(cells, &heads->items[heads->label])
                                       : SBL_PAIRS_NO_COLUMN;
}

const char *sbl_pairs_setup_name(const sbl_pairs_setup *g, const sbl_facts *facts, size_t column)
{
    for (size_t h = 0; h < facts->heads.count; h++) {
        const sbl_head *head = &facts->heads.items[h];
        if (!head->indicator && cells_of_head(&g->cells, head) == column)
            return facts->schema->columns[head->column].name;
    }
    return "";
}

/* The columns that were named for forests. */
static sbl_status read_targets(sbl_pairs_setup *g, const sbl_facts *facts, const char *text, sbl_error *err)
{
    while (text != NULL) {
        const size_t length = strcspn(text, ",");
        size_t column = 0;
        while (column < g->setting.count) {
            const char *name = sbl_pairs_setup_name(g, facts, column);
            if (strncmp(name, text, length) == 0 && name[length] == '\0') break;
            column++;
        }
        if (column == g->setting.count)
            return sbl_fail(err, SBL_EARG, "targets: '%.*s' is not a fitted column",
                            (int)(length < 60 ? length : 60), text);
        for (size_t i = 0; i < g->setting.target_count; i++)
            if (g->setting.targets[i] == column)
                return sbl_fail(err, SBL_EARG, "targets: a column is named twice");
        if (g->setting.target_count == SBL_FOREST_TARGETS)
            return sbl_fail(err, SBL_EARG, "targets: name at most %d columns", SBL_FOREST_TARGETS);
        g->setting.targets[g->setting.target_count++] = column;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return SBL_OK;
}

static size_t count_columns(const sbl_facts *facts)
{
    size_t columns = 0;
    for (size_t h = 0; h < facts->heads.count; h++) columns += facts->heads.items[h].indicator ? 0 : 1;
    return columns;
}

/* setting: rows, mu, sensitivity2, one_round, forest and seed are set. */
static sbl_status lay(sbl_pairs_setup *g, const sbl_facts *facts, const sbl_pairs_setting *setting,
                      sbl_error *err)
{
    const size_t bins =
        sbl_pairs_bins(setting->rows, count_columns(facts), setting->mu, setting->sensitivity2);
    sbl_status status = SBL_OK;
    *g = (sbl_pairs_setup){.setting = *setting};
    SBL_TRY(sbl_bins_init_joint(&g->cells, facts->schema, &facts->heads, bins, SBL_PAIRS_SINGLES,
                                SBL_PAIRS_LINEAR(bins), err));
    SBL_ALLOC(g->columns, g->cells.count, "a plan");
    for (size_t k = 0; k < g->cells.count; k++) g->columns[k] = sbl_pairs_column_of(&g->cells.columns[k]);
    g->setting.columns = g->columns;
    g->setting.count = g->cells.count;
    g->setting.label = label_of(&g->cells, facts);
    SBL_TRY(sbl_pairs_setting_check(&g->setting, err));
done:
    if (status != SBL_OK) sbl_pairs_setup_clear(g);
    return status;
}

static sbl_status setting_of(sbl_pairs_setting *setting, const sbl_facts *facts,
                             const sbl_synth_options *options, sbl_error *err)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    const uint64_t rows = sbl_facts_rows_per_unit(facts);
    const double times = rows != 0 ? (double)rows : 1.0;
    const uint64_t n = sbl_rows_are_public(options->neighbours, rows) ? options->expected_rows : 0;
    *setting = (sbl_pairs_setting){
        .rows = (double)(options->expected_rows != 0 ? options->expected_rows : SBL_DEFAULT_EXPECTED_ROWS),
        .sensitivity2 = times * times * (add_remove ? 1.0 : 2.0),
        .one_round = sbl_setting_whole(options, &sbl_option_rounds, SBL_TABLES) == 1,
        .label_share = sbl_setting_given(options, sbl_option_target_share.name) != NULL
                           ? sbl_setting_number(options, &sbl_option_target_share, SBL_TABLES)
                           : 0.0,
        .seed = options->seed};
    return sbl_gdp_mu(&setting->mu, options->epsilon, sbl_delta_of_options(options, n), err);
}

sbl_status sbl_pairs_setup_of_options(sbl_pairs_setup *g, const sbl_facts *facts,
                                      const sbl_synth_options *options, sbl_forest_use use, sbl_error *err)
{
    sbl_pairs_setting setting;
    sbl_status status;
    *g = (sbl_pairs_setup){0};
    SBL_TRY(setting_of(&setting, facts, options, err));
    setting.forest = use;
    SBL_TRY(lay(g, facts, &setting, err));
    if (setting.label_share > 0.0 && g->setting.label == SBL_PAIRS_NO_COLUMN)
        SBL_FAIL(err, SBL_EARG,
                 "option 'target-share' is for tables with a label: name one in the schema, or leave it out");
    if (use != SBL_FOREST_NEVER)
        SBL_TRY(read_targets(g, facts, sbl_setting_given(options, sbl_option_targets.name), err));
done:
    if (status != SBL_OK) sbl_pairs_setup_clear(g);
    return status;
}

const char *sbl_pairs_setup_course(sbl_pairs_course course)
{
    static const char *const words[] = {
        [SBL_PAIRS_ONE_WAY] = "one-way tables only: at this budget pairs would drown in noise",
        [SBL_PAIRS_LABEL] = "one-way tables and pairs with the label",
        [SBL_PAIRS_SKETCH] = "one-way tables, a sketch of all pairs, precise tables of some",
        [SBL_PAIRS_ALL] = "one-way tables and all pairs over a public grid"};
    return words[course];
}

/* ---- the setting in a plan ---- */

#define USE "forest" /* when there are trees; a plan without it is one of pairs */
#define TARGETS "targets"
#define LABEL_SHARE "label_share" /* where the owner chose it */

static const char *const use_words[] = {
    [SBL_FOREST_NEVER] = "never", [SBL_FOREST_PROBED] = "probed", [SBL_FOREST_ALWAYS] = "always"};

static sbl_status write_trees(sbl_plan *plan, const sbl_pairs_setting *setting, sbl_error *err)
{
    json_t *list;
    if (setting->forest == SBL_FOREST_NEVER) return SBL_OK;
    SBL_CHECK(sbl_plan_set(plan, USE, json_string(use_words[setting->forest]), err));
    if (setting->target_count == 0) return SBL_OK;
    list = json_array();
    for (size_t i = 0; i < setting->target_count; i++)
        list = sbl_json_append(list, json_integer((json_int_t)setting->targets[i]));
    return sbl_plan_set(plan, TARGETS, list, err);
}

sbl_status sbl_pairs_setup_write(sbl_plan *plan, const sbl_pairs_setting *setting, sbl_error *err)
{
    SBL_CHECK(sbl_plan_set(plan, "rows", json_real(setting->rows), err));
    SBL_CHECK(sbl_plan_set(plan, "mu", json_real(setting->mu), err));
    SBL_CHECK(sbl_plan_set(plan, "sensitivity2", json_real(setting->sensitivity2), err));
    SBL_CHECK(sbl_plan_set(plan, "one_round", json_boolean(setting->one_round), err));
    if (setting->label_share > 0.0)
        SBL_CHECK(sbl_plan_set(plan, LABEL_SHARE, json_real(setting->label_share), err));
    SBL_CHECK(sbl_plan_set(plan, "seed", json_sprintf("%llu", (unsigned long long)setting->seed), err));
    return write_trees(plan, setting, err);
}

static sbl_status read_trees(sbl_pairs_setting *setting, const sbl_plan *plan, sbl_error *err)
{
    const json_t *list = json_object_get(plan->settings, TARGETS);
    const char *use;
    if (json_object_get(plan->settings, USE) == NULL) return SBL_OK;
    const sbl_status status = sbl_json_get_string(&use, plan->settings, USE, "the plan", err);
    if (status != SBL_OK) return status;
    while (strcmp(use, use_words[setting->forest]) != 0)
        if (++setting->forest > SBL_FOREST_ALWAYS)
            return sbl_fail(err, SBL_EINPUT, "the plan: field '" USE "' is unknown");
    if (json_array_size(list) > SBL_FOREST_TARGETS)
        return sbl_fail(err, SBL_EINPUT, "the plan: field '" TARGETS "' is too long");
    for (; setting->target_count < json_array_size(list); setting->target_count++)
        setting->targets[setting->target_count] =
            (size_t)json_integer_value(json_array_get(list, setting->target_count));
    return SBL_OK;
}

static sbl_status read_setting(sbl_pairs_setting *setting, const sbl_plan *plan, sbl_error *err)
{
    const char *seed;
    *setting = (sbl_pairs_setting){0};
    SBL_CHECK(sbl_json_get_double(&setting->rows, plan->settings, "rows", "the plan", err));
    SBL_CHECK(sbl_json_get_double(&setting->mu, plan->settings, "mu", "the plan", err));
    SBL_CHECK(sbl_json_get_double(&setting->sensitivity2, plan->settings, "sensitivity2", "the plan", err));
    SBL_CHECK(sbl_json_get_bool(&setting->one_round, plan->settings, "one_round", "the plan", err));
    if (json_object_get(plan->settings, LABEL_SHARE) != NULL)
        SBL_CHECK(sbl_json_get_double(&setting->label_share, plan->settings, LABEL_SHARE, "the plan", err));
    SBL_CHECK(sbl_json_get_string(&seed, plan->settings, "seed", "the plan", err));
    if (!sbl_text_to_u64(&setting->seed, seed))
        return sbl_fail(err, SBL_EINPUT, "the plan: field 'seed' is not a number");
    return read_trees(setting, plan, err);
}

sbl_status sbl_pairs_setup_of_plan(sbl_pairs_setup *g, const sbl_facts *facts, const sbl_plan *plan,
                                   sbl_error *err)
{
    sbl_pairs_setting setting;
    const sbl_status status = read_setting(&setting, plan, err);
    *g = (sbl_pairs_setup){0};
    return status == SBL_OK ? lay(g, facts, &setting, err) : status;
}

double sbl_pairs_setup_rows(const sbl_round *first, const sbl_table_values *values)
{
    const sbl_table_list *list = first->features.items[0].made;
    const sbl_pairs_plan *plan = &list->plan;
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

sbl_progress_listener sbl_pairs_setup_listener(const sbl_synth_options *options)
{
    return (sbl_progress_listener){.progress = options->progress, .context = options->context};
}

/* ---- what is to be expected ---- */

static json_t *known_or_null(double value) { return value > 0.0 ? json_real(value) : json_null(); }

static void write_error(sbl_text *text, const sbl_pairs_expected *e)
{
    sbl_text_printf(text,
                    "by noise alone a column will be off by about %.2g %% of the rows, a pair of "
                    "columns by %.2g",
                    100.0 * e->column, 100.0 * e->pair_least);
    if (e->pair > 0.0) sbl_text_printf(text, " to %.2g", 100.0 * e->pair);
    sbl_text_printf(text, " %%");
    if (e->label > 0.0) sbl_text_printf(text, ", one with the label by up to %.2g %%", 100.0 * e->label);
    if (e->hidden > 0.0 && e->hidden < 1.0)
        sbl_text_printf(text,
                        "\ntwo columns whose relation shows in fewer than %.2g %% of the rows may "
                        "come out independent\n",
                        100.0 * e->hidden);
    else
        sbl_text_printf(text, "\n");
}

void sbl_pairs_setup_explain_error(sbl_text *text, json_t *object, const sbl_pairs_setting *setting)
{
    sbl_pairs_expected expected;
    if (setting->count < 2 || sbl_pairs_expect(&expected, setting, NULL) != SBL_OK) return;
    if (object == NULL) {
        write_error(text, &expected);
        return;
    }
    (void)json_object_set_new(object, "expected_error",
                              json_pack("{s:f, s:f, s:o, s:o, s:f}", "column", expected.column, "pair_least",
                                        expected.pair_least, "pair", known_or_null(expected.pair), "label",
                                        known_or_null(expected.label), "hidden", expected.hidden));
}

/* Are pairs of all columns measured? The number of columns and the budget decide, not their categories. */
static bool measures_pairs(const sbl_pairs_setting *setting)
{
    const sbl_pairs_course course = sbl_pairs_shape_of(setting).course;
    return course == SBL_PAIRS_SKETCH || course == SBL_PAIRS_ALL;
}

#define MOST_EPSILON 100.0

double sbl_told_epsilon(double epsilon)
{
    const double unit = pow(10.0, floor(log10(epsilon)) - 1.0);
    return unit * ceil(epsilon / unit);
}

/* The epsilon from which on pairs are measured, rounded up to two digits; 0: it would promise nothing. */
static double enough_epsilon(const sbl_pairs_setting *setting, double epsilon, double delta)
{
    sbl_pairs_setting more = *setting;
    while (epsilon <= MOST_EPSILON) {
        epsilon *= SBL_STEP_OF_EPSILON;
        const double told = sbl_told_epsilon(epsilon);
        if (sbl_gdp_mu(&more.mu, told, delta, NULL) != SBL_OK) return 0.0;
        if (measures_pairs(&more)) return told;
    }
    return 0.0;
}

/* How many columns have their pairs measured; below 2: none at this budget. */
static size_t enough_columns(const sbl_pairs_setting *setting)
{
    sbl_pairs_setting fewer = *setting;
    while (fewer.count > 1 && !measures_pairs(&fewer)) {
        fewer.count--;
        if (fewer.label != SBL_PAIRS_NO_COLUMN) fewer.label = 0;
    }
    return fewer.count;
}

void sbl_pairs_setup_warn(sbl_text *text, const sbl_pairs_setting *setting, const char *records,
                          const sbl_synth_options *options)
{
    const bool labelled = sbl_pairs_shape_of(setting).course == SBL_PAIRS_LABEL;
    if (setting->count < (labelled ? 3 : 2) || measures_pairs(setting)) return;
    const double epsilon = enough_epsilon(setting, options->epsilon, options->delta);
    const size_t columns = enough_columns(setting);
    sbl_text_printf(text,
                    "WARNING: at this epsilon %s are too few to measure all pairs of %zu columns: "
                    "%s come out independent of each other",
                    records, setting->count, labelled ? "all columns but the label" : "all columns");
    if (epsilon > 0.0) sbl_text_printf(text, "; take epsilon %g", epsilon);
    if (columns > 1)
        sbl_text_printf(text, "%s at most %zu columns", epsilon > 0.0 ? ", or" : "; take", columns);
    if (epsilon == 0.0 && columns < 2) sbl_text_printf(text, "; only more rows help");
    sbl_text_printf(text, "\n");
}
