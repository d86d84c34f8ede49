/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The course of `pairs` from release to release: what each one said is kept by column and
 * pair, and the next plan is made from it. Codes and plans are in measurement_plan_codes.c and measurement_plan_plans.c,
 * the fit is in measurement_plan_fit.c. */
#include "after/pairs/measurement_plan.h"

#include <math.h>
#include <string.h>

#include "after/counts/bin_codes.h"
#include "after/pairs/feedback.h"
#include "after/pairs/gibbs.h"
#include "after/pairs/pairs_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/random/model_rng.h"

#define MOST_STATE 100000    /* rows */
#define MOST_CELLS 4000000.0 /* rows times columns, but not at the cost of */
#define ENOUGH_STATE 20000   /* rows */
#define LABEL_PART 0.85      /* of the precise tables, to the label's pairs at most */

size_t sbl_selection_state_rows(const sbl_pairs_setting *setting)
{
    const double wide = fmax(floor(MOST_CELLS / (double)setting->count), ENOUGH_STATE);
    return (size_t)llround(fmax(1, fmin(setting->rows, fmin(wide, MOST_STATE))));
}

void sbl_pairs_selection_free(sbl_pairs_selection *selection)
{
    if (selection == NULL) return;
    for (size_t j = 0; selection->columns && j < selection->setting.count; j++)
        sbl_pairs_histogram_clear(&selection->columns[j].histogram);
    sbl_pairs_plan_clear(&selection->plan);
    sbl_pool_clear(&selection->pool);
    sbl_free(selection);
}

static sbl_status column_init(sbl_known_column *column, const sbl_pairs_column *facts, uint32_t number,
                              sbl_pool *pool, sbl_error *err)
{
    sbl_status status = SBL_OK;
    column->codes = (sbl_pairs_map){.column = number};
    column->groups = (sbl_pairs_map){.column = number};
    SBL_POOL(pool, column->fine, facts->cells, 1, "the tables of a selection");
    SBL_POOL(pool, column->codes.of, facts->cells, 1, "the tables of a selection");
    SBL_POOL(pool, column->groups.of, facts->cells, 1, "the tables of a selection");
done:
    return status;
}

double sbl_selection_label_part(const sbl_pairs_shape *shape)
{
    if (!(shape->share[2] > 0)) return 0;
    return fmin(shape->label_share / shape->share[2], LABEL_PART);
}

static sbl_status selection_init(sbl_pairs_selection *selection, const sbl_pairs_setting *setting,
                                 sbl_error *err)
{
    const size_t count = setting->count;
    sbl_pool *pool = &selection->pool;
    sbl_status status = SBL_OK;
    selection->setting = *setting;
    selection->shape = sbl_pairs_shape_of(setting);
    selection->state_rows = sbl_selection_state_rows(setting);
    selection->pair_count = count * (count - 1) / 2;
    selection->precise_share = selection->shape.share[2];
    selection->label_part = sbl_selection_label_part(&selection->shape);
    SBL_POOL(pool, selection->facts, count, 1, "the tables of a selection");
    SBL_POOL(pool, selection->columns, count, 1, "the tables of a selection");
    SBL_POOL(pool, selection->pairs, selection->pair_count, 1, "the tables of a selection");
    memcpy(selection->facts, setting->columns, count * sizeof *selection->facts);
    selection->setting.columns = selection->facts;
    for (size_t j = 0; j < count; j++)
        SBL_TRY(column_init(&selection->columns[j], &selection->facts[j], (uint32_t)j, pool, err));
    SBL_TRY(sbl_pairs_plan_one_way(
        &selection->plan, &selection->setting,
        selection->shape.share[0] - (selection->shape.rounds == 1 ? selection->shape.pair_share : 0), err));
    if (selection->shape.rounds == 1 && selection->shape.course != SBL_PAIRS_ONE_WAY)
        SBL_TRY(sbl_selection_plan_public(selection, err));
done:
    return status;
}

sbl_status sbl_pairs_selection_new(sbl_pairs_selection **selection, const sbl_pairs_setting *setting,
                                   size_t limit, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_pairs_selection *made = NULL;
    *selection = NULL;
    SBL_TRY(sbl_pairs_setting_check(setting, err));
    const size_t bytes = sbl_pairs_selection_bytes(setting);
    if (limit > 0 && bytes > limit)
        SBL_FAIL(err, SBL_EARG,
                 "'pairs' over %zu columns may take %.1f GB, more than the limit of %.1f "
                 "GB; ignore columns or merge categories",
                 setting->count, (double)bytes / 1e9, (double)limit / 1e9);
    SBL_ALLOC(made, 1, "the tables of a selection");
    SBL_TRY(selection_init(made, setting, err));
    *selection = made;
    made = NULL;
done:
    sbl_pairs_selection_free(made);
    return status;
}

void sbl_pairs_selection_set_rows(sbl_pairs_selection *selection, double rows)
{
    selection->setting.rows = rows >= 1 ? rows : 1;
    selection->state_rows = sbl_selection_state_rows(&selection->setting);
}

void sbl_pairs_selection_set_progress(sbl_pairs_selection *selection, sbl_progress_span progress)
{
    selection->progress = progress;
}

const sbl_pairs_plan *sbl_pairs_selection_plan(const sbl_pairs_selection *selection)
{
    return selection->round < selection->shape.rounds ? &selection->plan : NULL;
}

/* ---- taking a release ---- */

static sbl_status take_one_way(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                               const double *const *values, const double *noise, sbl_error *err)
{
    const size_t tested = sbl_pairs_missing_count(selection->facts, selection->setting.count);
    for (size_t j = 0; j < selection->setting.count; j++) {
        sbl_known_column *column = &selection->columns[j];
        sbl_pairs_histogram_clear(&column->histogram);
        SBL_CHECK(sbl_pairs_histogram_init(&column->histogram, plan, (uint32_t)j, selection->facts[j].cells,
                                           values, noise, err));
        SBL_CHECK(sbl_pairs_histogram_denoise(&column->histogram, selection->facts[j].ordered,
                                              selection->setting.rows, err));
        SBL_CHECK(sbl_pairs_histogram_test_missing(&column->histogram, &selection->facts[j], tested, err));
        memcpy(column->fine, column->histogram.counts, selection->facts[j].cells * sizeof(double));
        SBL_CHECK(
            sbl_pairs_histogram_project(column->fine, &column->histogram, selection->setting.rows, err));
    }
    return SBL_OK;
}

/* Codes and groups as in the plan. */
static sbl_status take_maps(sbl_pairs_selection *selection, const sbl_pairs_plan *plan, sbl_error *err)
{
    bool any = false;
    for (size_t m = 0; m < plan->map_count; m++) {
        const sbl_pairs_map *map = &plan->maps[m];
        sbl_known_column *column = &selection->columns[map->column];
        sbl_pairs_map *own = map->level == SBL_PAIRS_CODES    ? &column->codes
                             : map->level == SBL_PAIRS_GROUPS ? &column->groups
                                                              : NULL;
        if (!own) continue;
        any = true;
        own->level = map->level;
        own->cells = map->cells;
        memcpy(own->of, map->of, selection->facts[map->column].cells * sizeof *own->of);
    }
    return any ? sbl_selection_index_codes(selection, err) : SBL_OK;
}

static sbl_status keep(double **to, const double *values, size_t count, sbl_pool *pool, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(pool, *to, count, 1, "the tables of a selection");
    memcpy(*to, values, count * sizeof **to);
done:
    return status;
}

static sbl_status take_pair(sbl_pairs_selection *selection, const sbl_pairs_plan *plan, size_t t,
                            const double *values, double noise, sbl_error *err)
{
    const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
    const sbl_pairs_map *second = &plan->maps[plan->tables[t].second];
    const size_t p = sbl_pairs_index(first->column, second->column, selection->setting.count);
    sbl_known_pair *pair = &selection->pairs[p];
    const size_t entries = sbl_pairs_table_entries(plan, t);
    if (first->level == SBL_PAIRS_GROUPS && second->level == SBL_PAIRS_GROUPS) {
        selection->sketch_noise2 = noise * noise;
        return keep(&pair->sketch, values, entries, &selection->pool, err);
    }
    if (first->level != SBL_PAIRS_CODES || second->level != SBL_PAIRS_CODES)
        return sbl_fail(err, SBL_EINPUT, "a table of the release mixes two kinds of bins");
    pair->variance = noise * noise;
    return keep(&pair->table, values, entries, &selection->pool, err);
}

static sbl_status take_tables(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, sbl_error *err)
{
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
        if (plan->tables[t].second != SBL_PAIRS_NO_MAP) {
            SBL_CHECK(take_pair(selection, plan, t, values[t], noise[t], err));
        } else if (first->level == SBL_PAIRS_CODES) {
            sbl_known_column *column = &selection->columns[first->column];
            column->again_variance = noise[t] * noise[t];
            SBL_CHECK(keep(&column->again, values[t], first->cells, &selection->pool, err));
        }
    }
    return SBL_OK;
}

static sbl_status plan_next(sbl_pairs_selection *selection, sbl_error *err)
{
    sbl_pairs_plan_clear(&selection->plan);
    if (selection->round == selection->shape.rounds) return SBL_OK;
    if (selection->shape.course == SBL_PAIRS_LABEL) return sbl_selection_plan_label(selection, err);
    if (selection->round == 1) return sbl_selection_plan_sketch(selection, err);
    /* Trees are over codes: these are final before the first of them is grown. What is measured
     * precisely is planned once their probe has spoken (forest_selection.c). */
    if (selection->shape.forest) return sbl_selection_refine_codes(selection, err);
    return sbl_selection_plan_precise(selection, err);
}

static bool noise_is_sound(const double *noise, size_t count)
{
    for (size_t t = 0; t < count; t++)
        if (!(noise[t] > 0) || !isfinite(noise[t])) return false;
    return true;
}

sbl_status sbl_pairs_selection_take(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                                    const double *const *values, const double *noise, sbl_error *err)
{
    if (selection->round >= selection->shape.rounds)
        return sbl_fail(err, SBL_EINPUT,
                        "there are more releases than the method has rounds: give those of one run");
    SBL_CHECK(sbl_pairs_plan_check(plan, &selection->setting, err));
    if (!noise_is_sound(noise, plan->table_count))
        return sbl_fail(err, SBL_EINPUT, "a table of the release has no noise");
    if (selection->round == 0) {
        SBL_CHECK(take_one_way(selection, plan, values, noise, err));
        if (selection->shape.rounds > 1 || selection->shape.course == SBL_PAIRS_ONE_WAY)
            SBL_CHECK(sbl_selection_make_codes(selection, err));
    }
    SBL_CHECK(take_maps(selection, plan, err));
    SBL_CHECK(take_tables(selection, plan, values, noise, err));
    if (selection->round == 1 && selection->shape.course == SBL_PAIRS_SKETCH)
        SBL_CHECK(sbl_selection_choose(selection, err));
    selection->round++;
    return plan_next(selection, err);
}

/* How much memory a selection takes, at most or usually, from public facts alone. */

#define USUAL_CODES 24   /* of a number */
#define USUAL_TABLES 2.0 /* precise ones, for each column */

/* Codes of a column that a fit usually has: light ones are merged. */
static double codes_of(const sbl_pairs_column *column)
{
    if (column->kind == SBL_PAIRS_NUMBER)
        return fmin(column->ordered, USUAL_CODES) + column->cells - column->ordered;
    return fmin(column->cells, SBL_PAIRS_MOST_CODES);
}

/* Codes of a column at most. */
static double most_codes(const sbl_pairs_column *column)
{
    if (column->kind == SBL_PAIRS_NUMBER)
        return fmin(column->ordered, SBL_PAIRS_MOST_NUMBER_CODES) + column->cells - column->ordered;
    return fmin(column->cells, SBL_PAIRS_MOST_CODES);
}

double sbl_selection_codes(const sbl_pairs_setting *setting, bool usually)
{
    double codes = 0;
    for (size_t j = 0; j < setting->count; j++)
        codes += usually ? codes_of(&setting->columns[j]) : most_codes(&setting->columns[j]);
    return codes;
}

static double bytes_of(const sbl_pairs_setting *setting, bool usually)
{
    const sbl_pairs_shape shape = sbl_pairs_shape_of(setting);
    const double groups = fmin(fmax(shape.resolution, 3), SBL_SELECTION_MOST_GROUPS);
    double codes = 0, squares = 0, cells = 0, coarse = 0, coarse_squares = 0;
    double largest = 0, second = 0;
    const double merged = shape.course == SBL_PAIRS_SKETCH
                              ? fmax(1, 1 / sbl_selection_merge_threshold(setting, &shape))
                              : INFINITY;
    for (size_t j = 0; j < setting->count; j++) {
        const sbl_pairs_column *column = &setting->columns[j];
        const double m = usually ? fmin(codes_of(column), merged) : most_codes(column);
        const double g = fmin(m, groups);
        second = fmax(second, fmin(m, largest));
        largest = fmax(largest, m);
        codes += m;
        squares += m * m;
        coarse += g;
        coarse_squares += g * g;
        cells += setting->columns[j].cells;
    }
    double entries = 0, sketched = 0;
    if (shape.course == SBL_PAIRS_LABEL)
        entries = codes * most_codes(&setting->columns[setting->label]);
    else if (shape.course != SBL_PAIRS_ONE_WAY)
        entries = (codes * codes - squares) / 2;
    if (shape.course == SBL_PAIRS_SKETCH) {
        sketched = (coarse * coarse - coarse_squares) / 2;
        entries = fmin(entries,
                       usually ? USUAL_TABLES * codes * codes / (double)setting->count
                               : SBL_SELECTION_TABLES_PER_COLUMN * (double)setting->count * largest * second);
    }
    const double state =
        4.0 * (double)setting->count * (double)sbl_selection_state_rows(setting) * sizeof(uint16_t);
    const double pairs = (double)setting->count * (double)setting->count / 2 * 1024;
    /* Of more than four shards: each block by either column, in whole vectors. */
    const double shards =
        fmin(SBL_FEEDBACK_SHARDS * (2 * entries + SBL_GIBBS_LANES * (double)setting->count * codes),
             (double)SBL_FEEDBACK_MOST_TABLES);
    return 100 * entries + 100 * sketched + state + pairs + 64 * cells + shards * (double)sizeof(float);
}

size_t sbl_pairs_selection_bytes(const sbl_pairs_setting *setting)
{
    const double bytes = bytes_of(setting, false);
    return bytes < 0x1p60 ? (size_t)bytes : SIZE_MAX;
}

double sbl_pairs_selection_usual_bytes(const sbl_pairs_setting *setting) { return bytes_of(setting, true); }

/* About how long a fit takes on this machine: a rehearsal on a made-up model of as many columns and
 * codes. Its sweeps are timed over few rows, and the state's rows and the sweeps of a run multiply
 * that. Processor time, which does not grow with what else the machine does. */

#define REHEARSED_CODES 64u /* of a column at most: beyond, time grows with them */
#define ROWS 2000           /* one shard has them */
#define FEW_SWEEPS 1
#define MORE_SWEEPS 5
#define TIMES 3
#define SWEEPS 24     /* of a run over the state: 18 of the fit; choices of pairs over fewer tables */
#define PASS_SWEEPS 1 /* of a further pass of drawn rows */
#define LAST 0.1      /* of the sweeps, in fewer shards: the last of each run */
#define SECONDS_BESIDE 0.05

/* Other columns that each has a table with; where only the label has some, they are those with it. */
static size_t tables_a_column(const sbl_pairs_setting *setting, sbl_pairs_course course)
{
    const size_t others = setting->count - 1;
    if (course == SBL_PAIRS_ONE_WAY || course == SBL_PAIRS_LABEL) return 0;
    if (course == SBL_PAIRS_ALL || others < SBL_SELECTION_TABLES_PER_COLUMN) return others;
    return SBL_SELECTION_TABLES_PER_COLUMN;
}

static sbl_status add_block(sbl_potts *potts, uint32_t a, uint32_t b, sbl_error *err)
{
    return sbl_potts_add(potts, a < b ? a : b, a < b ? b : a, false, err);
}

/* times: what the codes that are left out would take more. */
static sbl_status make_potts(sbl_potts *potts, double *times, const sbl_pairs_setting *setting,
                             sbl_error *err)
{
    const uint32_t count = (uint32_t)setting->count;
    const sbl_pairs_course course = sbl_pairs_shape_of(setting).course;
    const size_t reach = (tables_a_column(setting, course) + 1) / 2;
    uint32_t *sizes;
    double all = 0, some = 0;
    sbl_status status = SBL_OK;
    SBL_ALLOC(sizes, 2 * (size_t)count, "a rehearsal");
    for (uint32_t j = 0; j < count; j++) {
        const double codes = codes_of(&setting->columns[j]);
        sizes[j] = (uint32_t)fmin(codes, REHEARSED_CODES);
        sizes[count + j] = 1;
        all += codes;
        some += sizes[j];
    }
    *times = all / some;
    SBL_TRY(sbl_potts_init(potts, sizes, sizes + count, count, err));
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t d = 1; d <= reach && d < count; d++) {
            const uint32_t other = (j + d) % count;
            if (2 * d == count && other < j) continue; /* half of a round is met twice */
            SBL_TRY(add_block(potts, j, other, err));
        }
    for (uint32_t j = 0; course == SBL_PAIRS_LABEL && j < count; j++)
        if (j != setting->label) SBL_TRY(add_block(potts, j, (uint32_t)setting->label, err));
done:
    sbl_free(sizes);
    return status;
}

typedef struct rehearsal {
    sbl_potts potts;
    uint16_t *rows;
    float *shares, *targets;
    sbl_pool pool; /* of rows, shares and targets */
} rehearsal;

static sbl_status fill(rehearsal *r, sbl_error *err)
{
    const size_t width = sbl_potts_row(&r->potts);
    sbl_model_rng rng;
    sbl_status status = SBL_OK;
    SBL_POOL(&r->pool, r->rows, ROWS, width, "a rehearsal");
    SBL_POOL(&r->pool, r->shares, r->potts.bias_count, 1, "a rehearsal");
    SBL_POOL(&r->pool, r->targets, r->potts.theta_count + 1, 1, "a rehearsal");
    sbl_model_rng_init(&rng, 1, SBL_RNG_PAIRS, 0);
    for (size_t j = 0; j < r->potts.count; j++) {
        const sbl_potts_column *column = &r->potts.columns[j];
        for (size_t v = 0; v < column->codes; v++) r->shares[column->bias_at + v] = 1 / (float)column->codes;
        for (size_t row = 0; row < ROWS; row++)
            r->rows[row * width + j] = (uint16_t)sbl_model_rng_below(&rng, column->codes);
    }
    for (size_t b = 0; b < r->potts.block_count; b++) {
        const sbl_potts_block *block = &r->potts.blocks[b];
        const size_t entries =
            (size_t)r->potts.columns[block->first].codes * r->potts.columns[block->second].codes;
        for (size_t i = 0; i < entries; i++) r->targets[block->at + i] = 1 / (float)entries;
    }
done:
    return status;
}

/* The fastest of a few sweeps, since the first warms up. */
static sbl_status time_sweeps(double *seconds, rehearsal *r, size_t sweeps, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *seconds = INFINITY;
    const sbl_feedback_goal goal = {.shares = r->shares, .targets = r->targets};
    const sbl_feedback_rule rule = {.sweeps = sweeps, .gain = 4, .step = 0.2f, .seed = 1};
    for (int time = 0; time < TIMES && status == SBL_OK; time++) {
        const double started = sbl_thread_seconds();
        status = sbl_feedback_run(&r->potts, r->rows, ROWS, &goal, &rule, err);
        *seconds = fmin(*seconds, sbl_thread_seconds() - started);
    }
    return status;
}

sbl_status sbl_pairs_selection_seconds(double *seconds, double *processor, const sbl_pairs_setting *setting,
                                       size_t threads, sbl_error *err)
{
    rehearsal r = {0};
    double times = 1, few = 0, more = 0;
    sbl_status status;
    *seconds = *processor = 0;
    SBL_TRY(make_potts(&r.potts, &times, setting, err));
    SBL_TRY(fill(&r, err));
    SBL_TRY(time_sweeps(&few, &r, FEW_SWEEPS, err));
    SBL_TRY(time_sweeps(&more, &r, MORE_SWEEPS, err));
    const double state = (double)sbl_selection_state_rows(setting);
    const double passes = fmax(setting->rows / state, 1) - 1;
    const double a_row = fmax(more - few, 0) / (ROWS * (MORE_SWEEPS - FEW_SWEEPS));
    const double swept = times * a_row * state * (SWEEPS + PASS_SWEEPS * passes);
    const size_t shards = sbl_feedback_shards((size_t)state, 0);
    const double used = fmax((double)threads, 1);
    const double last = fmin(used, (double)sbl_feedback_last_shards(shards));
    *processor = SECONDS_BESIDE + swept;
    *seconds = SECONDS_BESIDE + swept * (LAST / last + (1 - LAST) / fmin(used, (double)shards));
done:
    sbl_potts_clear(&r.potts);
    sbl_pool_clear(&r.pool);
    return status;
}
