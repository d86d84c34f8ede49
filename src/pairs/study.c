/* [6] The course of `pairs` from release to release: what each one said is kept by column and
 * pair, and the next plan is made from it. Codes and plans are in study_codes.c and study_plans.c,
 * the fit is in study_fit.c. */
#include "pairs/study.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/study_parts.h"

#define MOST_STATE 100000    /* rows */
#define MOST_CELLS 4000000.0 /* rows times columns, but not at the cost of */
#define ENOUGH_STATE 20000   /* so many rows */

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for the tables of a study");
}

size_t sbl_study_state_rows(const sbl_pairs_setting *setting)
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

void sbl_pairs_study_free(sbl_pairs_study *study)
{
    if (!study) return;
    for (size_t j = 0; study->columns && j < study->setting.count; j++)
        column_clear(&study->columns[j]);
    for (size_t p = 0; study->pairs && p < study->pair_count; p++) {
        sbl_free(study->pairs[p].sketch);
        sbl_free(study->pairs[p].table);
    }
    sbl_free(study->columns);
    sbl_free(study->pairs);
    sbl_free(study->facts);
    sbl_pairs_plan_clear(&study->plan);
    sbl_free(study);
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

static sbl_status study_init(sbl_pairs_study *study, const sbl_pairs_setting *setting,
                             sbl_error *err)
{
    const size_t count = setting->count;
    sbl_status status;
    study->setting = *setting;
    study->shape = sbl_pairs_shape_of(setting);
    study->state_rows = sbl_study_state_rows(setting);
    study->pair_count = count * (count - 1) / 2;
    study->facts = sbl_alloc_array(count, sizeof *study->facts);
    study->columns = sbl_alloc_array(count, sizeof *study->columns);
    study->pairs = sbl_alloc_array(study->pair_count, sizeof *study->pairs);
    if (!study->facts || !study->columns || !study->pairs) return no_memory(err);
    memcpy(study->facts, setting->columns, count * sizeof *study->facts);
    study->setting.columns = study->facts;
    for (size_t j = 0; j < count; j++)
        SBL_TRY(column_init(&study->columns[j], &study->facts[j], (uint32_t)j, err));
    SBL_TRY(sbl_pairs_plan_one_way(
        &study->plan, &study->setting,
        study->shape.share[0] - (study->shape.rounds == 1 ? study->shape.pair_share : 0), err));
    if (study->shape.rounds == 1 && study->shape.course != SBL_PAIRS_ONE_WAY)
        SBL_TRY(sbl_study_plan_public(study, err));
done:
    return status;
}

sbl_status sbl_pairs_study_new(sbl_pairs_study **study, const sbl_pairs_setting *setting,
                               size_t limit, sbl_error *err)
{
    *study = NULL;
    sbl_status status = sbl_pairs_setting_check(setting, err);
    if (status != SBL_OK) return status;
    const size_t bytes = sbl_pairs_study_bytes(setting);
    if (limit > 0 && bytes > limit)
        return sbl_fail(err, SBL_EARG,
                        "'pairs' over %zu columns may take %.1f GB, more than the limit of %.1f "
                        "GB; ignore columns or merge categories",
                        setting->count, (double)bytes / 1e9, (double)limit / 1e9);
    sbl_pairs_study *made = sbl_alloc_array(1, sizeof *made);
    if (!made) return no_memory(err);
    status = study_init(made, setting, err);
    if (status == SBL_OK)
        *study = made;
    else
        sbl_pairs_study_free(made);
    return status;
}

void sbl_pairs_study_set_rows(sbl_pairs_study *study, double rows)
{
    study->setting.rows = rows >= 1 ? rows : 1;
    study->state_rows = sbl_study_state_rows(&study->setting);
}

void sbl_pairs_study_set_watch(sbl_pairs_study *study, sbl_watch watch) { study->watch = watch; }

sbl_pairs_shape sbl_pairs_study_shape(const sbl_pairs_study *study) { return study->shape; }

const sbl_pairs_plan *sbl_pairs_study_plan(const sbl_pairs_study *study)
{
    return study->round < study->shape.rounds ? &study->plan : NULL;
}

/* ---- taking a release ---- */

static sbl_status take_one_way(sbl_pairs_study *study, const sbl_pairs_plan *plan,
                               const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t j = 0; j < study->setting.count; j++) {
        sbl_known_column *column = &study->columns[j];
        sbl_pairs_histogram_clear(&column->histogram);
        SBL_TRY(sbl_pairs_histogram_init(&column->histogram, plan, (uint32_t)j,
                                         study->facts[j].cells, values, noise, err));
        SBL_TRY(sbl_pairs_histogram_silence(&column->histogram, study->facts[j].ordered,
                                            study->setting.rows, err));
        memcpy(column->fine, column->histogram.counts, study->facts[j].cells * sizeof(double));
        SBL_TRY(sbl_pairs_histogram_project(column->fine, &column->histogram, study->setting.rows,
                                            err));
    }
done:
    return status;
}

/* Codes and groups as the plan has them, whoever made it. */
static sbl_status take_maps(sbl_pairs_study *study, const sbl_pairs_plan *plan, sbl_error *err)
{
    bool any = false;
    for (size_t m = 0; m < plan->map_count; m++) {
        const sbl_pairs_map *map = &plan->maps[m];
        sbl_known_column *column = &study->columns[map->column];
        sbl_pairs_map *own = map->level == SBL_PAIRS_CODES    ? &column->codes
                             : map->level == SBL_PAIRS_GROUPS ? &column->groups
                                                              : NULL;
        if (!own) continue;
        any = true;
        own->level = map->level;
        own->cells = map->cells;
        memcpy(own->of, map->of, study->facts[map->column].cells * sizeof *own->of);
    }
    return any ? sbl_study_index_codes(study, err) : SBL_OK;
}

static sbl_status keep(double **to, const double *values, size_t count, sbl_error *err)
{
    sbl_free(*to);
    *to = sbl_alloc_array(count, sizeof **to);
    if (!*to) return no_memory(err);
    memcpy(*to, values, count * sizeof **to);
    return SBL_OK;
}

static sbl_status take_pair(sbl_pairs_study *study, const sbl_pairs_plan *plan, size_t t,
                            const double *values, double noise, sbl_error *err)
{
    const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
    const sbl_pairs_map *second = &plan->maps[plan->tables[t].second];
    const size_t p = sbl_pairs_index(first->column, second->column, study->setting.count);
    sbl_known_pair *pair = &study->pairs[p];
    const size_t entries = sbl_pairs_table_entries(plan, t);
    if (first->level == SBL_PAIRS_GROUPS && second->level == SBL_PAIRS_GROUPS) {
        study->sketch_noise2 = noise * noise;
        return keep(&pair->sketch, values, entries, err);
    }
    if (first->level != SBL_PAIRS_CODES || second->level != SBL_PAIRS_CODES)
        return sbl_fail(err, SBL_EINPUT, "a table of the release is over cells of two kinds");
    pair->variance = noise * noise;
    return keep(&pair->table, values, entries, err);
}

static sbl_status take_tables(sbl_pairs_study *study, const sbl_pairs_plan *plan,
                              const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status = SBL_OK;
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_map *first = &plan->maps[plan->tables[t].first];
        if (plan->tables[t].second != SBL_PAIRS_NO_MAP) {
            SBL_TRY(take_pair(study, plan, t, values[t], noise[t], err));
        } else if (first->level == SBL_PAIRS_CODES) {
            sbl_known_column *column = &study->columns[first->column];
            column->again_variance = noise[t] * noise[t];
            SBL_TRY(keep(&column->again, values[t], first->cells, err));
        }
    }
done:
    return status;
}

static sbl_status plan_next(sbl_pairs_study *study, sbl_error *err)
{
    sbl_pairs_plan_clear(&study->plan);
    if (study->round == study->shape.rounds) return SBL_OK;
    if (study->shape.course == SBL_PAIRS_LABEL) return sbl_study_plan_label(study, err);
    if (study->round == 1) return sbl_study_plan_sketch(study, err);
    return sbl_study_plan_precise(study, err);
}

static bool noise_is_sound(const double *noise, size_t count)
{
    for (size_t t = 0; t < count; t++)
        if (!(noise[t] > 0) || !isfinite(noise[t])) return false;
    return true;
}

sbl_status sbl_pairs_study_take(sbl_pairs_study *study, const sbl_pairs_plan *plan,
                                const double *const *values, const double *noise, sbl_error *err)
{
    sbl_status status;
    if (study->round >= study->shape.rounds)
        return sbl_fail(err, SBL_EINPUT, "there are more releases than the method has rounds");
    SBL_TRY(sbl_pairs_plan_check(plan, &study->setting, err));
    if (!noise_is_sound(noise, plan->table_count))
        return sbl_fail(err, SBL_EINPUT, "a table of the release has no noise");
    if (study->round == 0) {
        SBL_TRY(take_one_way(study, plan, values, noise, err));
        if (study->shape.rounds > 1 || study->shape.course == SBL_PAIRS_ONE_WAY)
            SBL_TRY(sbl_study_make_codes(study, err));
    }
    SBL_TRY(take_maps(study, plan, err));
    SBL_TRY(take_tables(study, plan, values, noise, err));
    if (study->round == 1 && study->shape.course == SBL_PAIRS_SKETCH)
        SBL_TRY(sbl_study_choose(study, err));
    study->round++;
    SBL_TRY(plan_next(study, err));
done:
    return status;
}
