/* SPDX-License-Identifier: Apache-2.0 */
/* Which course the budget allows, by the noise that a sketch of all pairs would have. */
#include "public/counts/pairs_plan.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define SKETCH_FROM 2.5  /* groups a column; below, the sketch's noise costs more than it tells */
#define LABEL_FROM 2.0   /* the same for the label's pairs alone */
#define FINE_SKETCH 4.0  /* from here on less of the budget finds the pairs, more measures them */
#define CELL_NOISES 1.2  /* noises that a sketch cell holds on average */
#define PROBE_SHARE 0.2  /* of mu^2, at which the resolutions are computed */
#define ALL_SHARE 0.65   /* of mu^2 to pair tables, in one release */
#define PROBE_FROM 6.0   /* groups a column: below, the sketch's model is too coarse a yardstick */
#define LABEL_GROUPS 2.7 /* over the groups a column of a sketch: of mu^2, to the label's pairs; */
#define LABEL_SLOPE 0.09 /* without a sketch, times those of a sketch of the label's pairs; */
#define LABEL_LEAST 0.2  /* no less */
#define LABEL_MOST 0.3   /* and no more: it is taken from all other pairs */
#define LEAST_CELLS 24
#define MOST_CELLS 128
#define MOST_SENSITIVITY2 (4.0 * 1024.0 * 1024.0) /* 1024 rows of a person */

static double groups_at(const sbl_pairs_setting *s, double tables)
{
    const double noise = sbl_pairs_unit_noise(s) * sqrt(tables / PROBE_SHARE);
    /* To 2^-20: what a course depends on is the same on machines whose mu differs in its last bit. */
    return nearbyint(0x1p20 * sqrt(s->rows / (CELL_NOISES * noise))) * 0x1p-20;
}

double sbl_pairs_unit_noise(const sbl_pairs_setting *setting)
{
    return sqrt(setting->sensitivity2) / setting->mu;
}

/* A tree for the label needs two columns to ask. */
static bool takes_forest(const sbl_pairs_setting *s, double resolution)
{
    return s->forest != SBL_FOREST_NEVER && s->count > 2 &&
           (s->forest == SBL_FOREST_ALWAYS || resolution >= PROBE_FROM);
}

static double clip(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* Where pairs with the label are all that is bought beside columns. The less noise, the more a share of the budget tells
 * of the label, and the less the columns need it. */
static double label_share(const sbl_pairs_setting *s, double resolution)
{
    return s->label_share > 0 ? s->label_share : clip(LABEL_SLOPE * resolution, LABEL_LEAST, LABEL_MOST);
}

/* Beside a sketch: more where noise is large, since most other pairs teach little then. */
static double label_least(const sbl_pairs_setting *s, double resolution)
{
    return s->label_share > 0 ? s->label_share : clip(LABEL_GROUPS / resolution, LABEL_LEAST, LABEL_MOST);
}

static void set_shares(sbl_pairs_shape *shape, double first, double second, double third)
{
    shape->share[0] = first;
    shape->share[1] = second;
    shape->share[2] = third;
    shape->rounds = third > 0 ? 3 : second > 0 ? 2 : 1;
}

sbl_pairs_shape sbl_pairs_shape_of(const sbl_pairs_setting *s)
{
    const double k = (double)s->count, pairs = k * (k - 1) / 2;
    sbl_pairs_shape shape = {.course = SBL_PAIRS_ONE_WAY};
    set_shares(&shape, 1, 0, 0);
    if (s->count < 2) return shape;
    const bool labelled = s->label != SBL_PAIRS_NO_COLUMN;
    shape.resolution = groups_at(s, pairs);
    shape.label_resolution = labelled ? groups_at(s, k - 1) : 0;
    shape.label_share = labelled ? label_least(s, shape.resolution) : 0;
    const bool sketch = shape.resolution >= SKETCH_FROM;
    if (sketch && s->one_round) {
        shape.course = SBL_PAIRS_ALL;
        shape.pair_share = ALL_SHARE;
    } else if (sketch && takes_forest(s, shape.resolution)) {
        shape.course = SBL_PAIRS_SKETCH;
        shape.forest = true;
        set_shares(&shape, 0.33, 0.14, 0.49); /* and .04 for the probe */
    } else if (sketch && shape.resolution < FINE_SKETCH) {
        shape.course = SBL_PAIRS_SKETCH;
        set_shares(&shape, 0.4, 0.2, 0.4);
    } else if (sketch && shape.resolution < PROBE_FROM) {
        shape.course = SBL_PAIRS_SKETCH;
        set_shares(&shape, 0.33, 0.08, 0.59);
    } else if (sketch) {
        shape.course = SBL_PAIRS_SKETCH;
        set_shares(&shape, 0.33, 0.14, 0.53);
    } else if (shape.label_resolution >= LABEL_FROM) {
        shape.course = SBL_PAIRS_LABEL;
        shape.pair_share = label_share(s, shape.label_resolution);
        if (!s->one_round) set_shares(&shape, 1 - shape.pair_share, shape.pair_share, 0);
    }
    return shape;
}

static sbl_status column_check(const sbl_pairs_column *column, size_t number, sbl_error *err)
{
    if (column->cells < 1 || column->cells > SBL_PAIRS_MOST_CELLS)
        return sbl_fail(err, SBL_EARG,
                        "column %zu has %zu values, but 'pairs' takes 1 to %u per column: declare fewer "
                        "categories, or ignore it",
                        number + 1, (size_t)column->cells, SBL_PAIRS_MOST_CELLS);
    if (column->ordered > column->cells || (column->kind == SBL_PAIRS_CATEGORIES) != (column->ordered == 0))
        return sbl_fail(err, SBL_EARG, "column %zu: the cells in order do not fit its kind", number + 1);
    return SBL_OK;
}

sbl_status sbl_pairs_setting_check(const sbl_pairs_setting *s, sbl_error *err)
{
    if (s->count < 1 || !s->columns) return sbl_fail(err, SBL_EARG, "the table has no columns");
    if (s->label != SBL_PAIRS_NO_COLUMN && s->label >= s->count)
        return sbl_fail(err, SBL_EARG, "the label is not one of the columns");
    for (size_t i = 0; i < s->target_count; i++)
        if (i >= SBL_FOREST_TARGETS || s->targets[i] >= s->count)
            return sbl_fail(err, SBL_EARG, "a target is not one of the columns, or they are too many");
    if (!(s->label_share >= 0) || !(s->label_share <= SBL_PAIRS_LABEL_SHARE))
        return sbl_fail(err, SBL_EARG, "the share of the label's pairs must be at most %g",
                        SBL_PAIRS_LABEL_SHARE);
    if (!(s->rows >= 1) || !(s->rows < 0x1p53))
        return sbl_fail(err, SBL_EARG, "the number of rows must be at least 1");
    if (!(s->mu > 0) || !isfinite(s->mu) || !(s->sensitivity2 >= 1) ||
        !(s->sensitivity2 <= MOST_SENSITIVITY2))
        return sbl_fail(err, SBL_EARG, "the budget must be finite and above 0");
    for (size_t j = 0; j < s->count; j++) {
        const sbl_status status = column_check(&s->columns[j], j, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

size_t sbl_pairs_bins(double rows, size_t columns, double mu, double sensitivity2)
{
    const double noises = rows * mu / sqrt(sensitivity2 * (double)columns);
    /* The same number on every machine, unless it is within 1e-9 of a step. */
    const double bins = 8 * floor(2.6 * pow(noises, 0.63) / 8 * (1 + 1e-9));
    if (!(bins >= LEAST_CELLS)) return LEAST_CELLS;
    return bins > MOST_CELLS ? MOST_CELLS : (size_t)bins;
}

sbl_pairs_column sbl_pairs_column_of(const sbl_bins_column *cells)
{
    sbl_pairs_column column = {.kind = SBL_PAIRS_CATEGORIES,
                               .cells = (uint32_t)cells->count,
                               .missing = sbl_bins_missing(cells) != SBL_NO_CELL};
    column.levels = (uint32_t)cells->levels;
    column.ancestors = cells->ancestors;
    if (cells->kind == SBL_HEAD_NUMERIC || cells->ordered) {
        column.kind = cells->kind == SBL_HEAD_NUMERIC ? SBL_PAIRS_NUMBER : SBL_PAIRS_RANKS;
        column.ordered = (uint32_t)cells->intervals;
    }
    return column;
}

/* Lists of maps and tables that grow, and the check of a plan that came from a file: every map
 * must be onto, every table over two different columns, and precisions must add up to at most 1. */

void sbl_pairs_plan_clear(sbl_pairs_plan *plan)
{
    sbl_pool_clear(&plan->pool);
    sbl_free(plan->maps);
    sbl_free(plan->tables);
    *plan = (sbl_pairs_plan){0};
}

sbl_status sbl_pairs_plan_add_map(sbl_pairs_plan *plan, uint32_t *place, const sbl_pairs_map *map,
                                  size_t fine_cells, sbl_error *err)
{
    sbl_status status = SBL_OK;
    uint32_t *of;
    if (plan->map_count == plan->map_capacity) {
        SBL_RESIZE(plan->maps, 2 * plan->map_capacity + 16, "the plan of a release");
        plan->map_capacity = 2 * plan->map_capacity + 16;
    }
    SBL_POOL(&plan->pool, of, fine_cells, 1, "the plan of a release");
    memcpy(of, map->of, fine_cells * sizeof *of);
    if (place) *place = (uint32_t)plan->map_count;
    plan->maps[plan->map_count] = *map;
    plan->maps[plan->map_count++].of = of;
done:
    return status;
}

sbl_status sbl_pairs_plan_add_table(sbl_pairs_plan *plan, uint32_t first, uint32_t second, double precision,
                                    sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (plan->table_count == plan->table_capacity) {
        SBL_RESIZE(plan->tables, 2 * plan->table_capacity + 16, "the plan of a release");
        plan->table_capacity = 2 * plan->table_capacity + 16;
    }
    plan->tables[plan->table_count++] = (sbl_pairs_table){first, second, precision};
done:
    return status;
}

size_t sbl_pairs_table_entries(const sbl_pairs_plan *plan, size_t t)
{
    const sbl_pairs_table *table = &plan->tables[t];
    const size_t rows = plan->maps[table->first].cells;
    return table->second == SBL_PAIRS_NO_MAP ? rows : rows * plan->maps[table->second].cells;
}

static bool map_fits(const sbl_pairs_map *map, const sbl_pairs_setting *setting, uint8_t *taken)
{
    if (map->column >= setting->count || map->level > SBL_PAIRS_GROUPS) return false;
    const uint32_t fine = setting->columns[map->column].cells;
    if (map->cells < 1 || map->cells > fine) return false;
    memset(taken, 0, map->cells);
    for (uint32_t c = 0; c < fine; c++) {
        if (map->of[c] >= map->cells) return false;
        if (map->level == SBL_PAIRS_COARSE && c > 0 && map->of[c] < map->of[c - 1]) return false;
        taken[map->of[c]] = 1;
    }
    return memchr(taken, 0, map->cells) == NULL;
}

static bool tables_fit(const sbl_pairs_plan *plan)
{
    double sum = 0;
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        if (table->first >= plan->map_count || !(table->precision > 0)) return false;
        if (table->second != SBL_PAIRS_NO_MAP &&
            (table->second >= plan->map_count ||
             plan->maps[table->first].column >= plan->maps[table->second].column))
            return false;
        sum += table->precision;
    }
    return sum <= 1 + 1e-9;
}

sbl_status sbl_pairs_plan_check(const sbl_pairs_plan *plan, const sbl_pairs_setting *setting, sbl_error *err)
{
    sbl_status status = SBL_OK;
    uint8_t *taken;
    bool fits = true;
    SBL_ALLOC(taken, SBL_PAIRS_MOST_CELLS, "the plan of a release");
    for (size_t m = 0; fits && m < plan->map_count; m++) fits = map_fits(&plan->maps[m], setting, taken);
    if (!fits || !tables_fit(plan))
        SBL_FAIL(err, SBL_EINPUT, "the plan of a release does not match the columns");
done:
    sbl_free(taken);
    return status;
}
