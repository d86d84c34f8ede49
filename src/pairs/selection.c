/* [6] The course of `pairs` from release to release: what each one said is kept by column and
 * pair, and the next plan is made from it. Codes and plans are in selection_codes.c and selection_plans.c,
 * the fit is in selection_fit.c. */
#include "pairs/selection.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/selection_parts.h"

#define MOST_STATE 100000    /* rows */
#define MOST_CELLS 4000000.0 /* rows times columns, but not at the cost of */
#define ENOUGH_STATE 20000   /* so many rows */

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for the tables of a selection");
}

size_t sbl_selection_state_rows(const sbl_pairs_setting *setting)
{
    const double wide = fmax(floor(MOST_CELLS / (double)setting->count), ENOUGH_STATE);
    return (size_t)llround(fmax(1, fmin(setting->rows, fmin(wide, MOST_STATE))));
}

static void column_clear(sbl_known_column *column)
{
    sbl_pairs_histogram_clear(&column->histogram);
    sbl_free(column->fine);
    sbl_free(column->codes.of);
    sbl_free(column->groups.of);
    sbl_free(column->group_of);
    sbl_free(column->counts);
    sbl_free(column->variances);
    sbl_free(column->again);
}

void sbl_pairs_selection_free(sbl_pairs_selection *selection)
{
    if (!selection) return;
    for (size_t j = 0; selection->columns && j < selection->setting.count; j++)
        column_clear(&selection->columns[j]);
    for (size_t p = 0; selection->pairs && p < selection->pair_count; p++) {
        sbl_free(selection->pairs[p].sketch);
        sbl_free(selection->pairs[p].table);
    }
    sbl_free(selection->columns);
    sbl_free(selection->pairs);
    sbl_free(selection->facts);
    sbl_pairs_plan_clear(&selection->plan);
    sbl_free(selection);
}

static sbl_status column_init(sbl_known_column *column, const sbl_pairs_column *facts,
                              uint32_t number, sbl_error *err)
{
    column->fine = sbl_alloc_array(facts->cells, sizeof *column->fine);
    column->codes = (sbl_pairs_map){.column = number};
    column->groups = (sbl_pairs_map){.column = number};
    column->codes.of = sbl_alloc_array(facts->cells, sizeof *column->codes.of);
    column->groups.of = sbl_alloc_array(facts->cells, sizeof *column->groups.of);
    return column->fine && column->codes.of && column->groups.of ? SBL_OK : no_memory(err);
}

static sbl_status selection_init(sbl_pairs_selection *selection, const sbl_pairs_setting *setting,
                                 sbl_error *err)
{
    const size_t count = setting->count;
    sbl_status status;
    selection->setting = *setting;
    selection->shape = sbl_pairs_shape_of(setting);
    selection->state_rows = sbl_selection_state_rows(setting);
    selection->pair_count = count * (count - 1) / 2;
    selection->facts = sbl_alloc_array(count, sizeof *selection->facts);
    selection->columns = sbl_alloc_array(count, sizeof *selection->columns);
    selection->pairs = sbl_alloc_array(selection->pair_count, sizeof *selection->pairs);
    if (!selection->facts || !selection->columns || !selection->pairs) return no_memory(err);
    memcpy(selection->facts, setting->columns, count * sizeof *selection->facts);
    selection->setting.columns = selection->facts;
    for (size_t j = 0; j < count; j++)
        SBL_TRY(column_init(&selection->columns[j], &selection->facts[j], (uint32_t)j, err));
    SBL_TRY(
        sbl_pairs_plan_one_way(&selection->plan, &selection->setting,
                               selection->shape.share[0] -
                                   (selection->shape.rounds == 1 ? selection->shape.pair_share : 0),
                               err));
    if (selection->shape.rounds == 1 && selection->shape.course != SBL_PAIRS_ONE_WAY)
        SBL_TRY(sbl_selection_plan_public(selection, err));
done:
    return status;
}

sbl_status sbl_pairs_selection_new(sbl_pairs_selection **selection,
                                   const sbl_pairs_setting *setting, size_t limit, sbl_error *err)
{
    *selection = NULL;
    sbl_status status = sbl_pairs_setting_check(setting, err);
    if (status != SBL_OK) return status;
    const size_t bytes = sbl_pairs_selection_bytes(setting);
    if (limit > 0 && bytes > limit)
        return sbl_fail(err, SBL_EARG,
                        "'pairs' over %zu columns may take %.1f GB, more than the limit of %.1f "
                        "GB; ignore columns or merge categories",
                        setting->count, (double)bytes / 1e9, (double)limit / 1e9);
    sbl_pairs_selection *made = sbl_alloc_array(1, sizeof *made);
    if (!made) return no_memory(err);
    status = selection_init(made, setting, err);
    if (status == SBL_OK)
        *selection = made;
    else
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

sbl_pairs_shape sbl_pairs_selection_shape(const sbl_pairs_selection *selection)
{
    return selection->shape;
}

const sbl_pairs_plan *sbl_pairs_selection_plan(const sbl_pairs_selection *selection)
{
    return selection->round < selection->shape.rounds ? &selection->plan : NULL;
}

/* ---- taking a release ---- */

static sbl_status take_one_way(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                               const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t j = 0; j < selection->setting.count; j++) {
        sbl_known_column *column = &selection->columns[j];
        sbl_pairs_histogram_clear(&column->histogram);
        SBL_TRY(sbl_pairs_histogram_init(&column->histogram, plan, (uint32_t)j,
                                         selection->facts[j].cells, values, noise, err));
        SBL_TRY(sbl_pairs_histogram_denoise(&column->histogram, selection->facts[j].ordered,
                                            selection->setting.rows, err));
        memcpy(column->fine, column->histogram.counts, selection->facts[j].cells * sizeof(double));
        SBL_TRY(sbl_pairs_histogram_project(column->fine, &column->histogram,
                                            selection->setting.rows, err));
    }
done:
    return status;
}

/* Codes and groups as the plan has them, whoever made it. */
static sbl_status take_maps(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                            sbl_error *err)
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

static sbl_status keep(double **to, const double *values, size_t count, sbl_error *err)
{
    sbl_free(*to);
    *to = sbl_alloc_array(count, sizeof **to);
    if (!*to) return no_memory(err);
    memcpy(*to, values, count * sizeof **to);
    return SBL_OK;
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
        return keep(&pair->sketch, values, entries, err);
    }
    if (first->level != SBL_PAIRS_CODES || second->level != SBL_PAIRS_CODES)
        return sbl_fail(err, SBL_EINPUT, "a table of the release is over cells of two kinds");
    pair->variance = noise * noise;
    return keep(&pair->table, values, entries, err);
}

static sbl_status take_tables(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
        if (plan->tables[t].second != SBL_PAIRS_NO_MAP) {
            SBL_TRY(take_pair(selection, plan, t, values[t], noise[t], err));
        } else if (first->level == SBL_PAIRS_CODES) {
            sbl_known_column *column = &selection->columns[first->column];
            column->again_variance = noise[t] * noise[t];
            SBL_TRY(keep(&column->again, values[t], first->cells, err));
        }
    }
done:
    return status;
}

static sbl_status plan_next(sbl_pairs_selection *selection, sbl_error *err)
{
    sbl_pairs_plan_clear(&selection->plan);
    if (selection->round == selection->shape.rounds) return SBL_OK;
    if (selection->shape.course == SBL_PAIRS_LABEL) return sbl_selection_plan_label(selection, err);
    if (selection->round == 1) return sbl_selection_plan_sketch(selection, err);
    return sbl_selection_plan_precise(selection, err);
}

static bool noise_is_sound(const double *noise, size_t count)
{
    for (size_t t = 0; t < count; t++)
        if (!(noise[t] > 0) || !isfinite(noise[t])) return false;
    return true;
}

sbl_status sbl_pairs_selection_take(sbl_pairs_selection *selection, const sbl_pairs_plan *plan,
                                    const double *const *values, const double *noise,
                                    sbl_error *err)
{
    sbl_status status;
    if (selection->round >= selection->shape.rounds)
        return sbl_fail(err, SBL_EINPUT, "there are more releases than the method has rounds");
    SBL_TRY(sbl_pairs_plan_check(plan, &selection->setting, err));
    if (!noise_is_sound(noise, plan->table_count))
        return sbl_fail(err, SBL_EINPUT, "a table of the release has no noise");
    if (selection->round == 0) {
        SBL_TRY(take_one_way(selection, plan, values, noise, err));
        if (selection->shape.rounds > 1 || selection->shape.course == SBL_PAIRS_ONE_WAY)
            SBL_TRY(sbl_selection_make_codes(selection, err));
    }
    SBL_TRY(take_maps(selection, plan, err));
    SBL_TRY(take_tables(selection, plan, values, noise, err));
    if (selection->round == 1 && selection->shape.course == SBL_PAIRS_SKETCH)
        SBL_TRY(sbl_selection_choose(selection, err));
    selection->round++;
    SBL_TRY(plan_next(selection, err));
done:
    return status;
}
