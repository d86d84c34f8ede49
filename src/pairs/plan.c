/* Lists of maps and tables that grow, and the check of a plan that came from a file: every map
 * must be onto, every table over two different columns, and precisions must add up to at most 1. */
#include "pairs/plan.h"

#include <string.h>

#include "base/memory.h"

void sbl_pairs_plan_clear(sbl_pairs_plan *plan)
{
    for (size_t m = 0; m < plan->map_count; m++) sbl_free(plan->maps[m].of);
    sbl_free(plan->maps);
    sbl_free(plan->tables);
    *plan = (sbl_pairs_plan){0};
}

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for the plan of a release");
}

sbl_status sbl_pairs_plan_add_map(sbl_pairs_plan *plan, uint32_t *place, const sbl_pairs_map *map,
                                  size_t fine_cells, sbl_error *err)
{
    if (plan->map_count == plan->map_room) {
        const size_t room = 2 * plan->map_room + 16;
        sbl_pairs_map *maps = sbl_resize_array(plan->maps, room, sizeof *maps);
        if (!maps) return no_memory(err);
        plan->maps = maps;
        plan->map_room = room;
    }
    uint32_t *of = sbl_alloc_array(fine_cells, sizeof *of);
    if (!of) return no_memory(err);
    memcpy(of, map->of, fine_cells * sizeof *of);
    if (place) *place = (uint32_t)plan->map_count;
    plan->maps[plan->map_count] = *map;
    plan->maps[plan->map_count++].of = of;
    return SBL_OK;
}

sbl_status sbl_pairs_plan_add_table(sbl_pairs_plan *plan, uint32_t first, uint32_t second,
                                    double precision, sbl_error *err)
{
    if (plan->table_count == plan->table_room) {
        const size_t room = 2 * plan->table_room + 16;
        sbl_pairs_table *tables = sbl_resize_array(plan->tables, room, sizeof *tables);
        if (!tables) return no_memory(err);
        plan->tables = tables;
        plan->table_room = room;
    }
    plan->tables[plan->table_count++] = (sbl_pairs_table){first, second, precision};
    return SBL_OK;
}

size_t sbl_pairs_table_entries(const sbl_pairs_plan *plan, size_t t)
{
    const sbl_pairs_table *table = &plan->tables[t];
    const size_t rows = plan->maps[table->first].cells;
    return table->second == SBL_PAIRS_NO_MAP ? rows : rows * plan->maps[table->second].cells;
}

uint32_t sbl_pairs_plan_find(const sbl_pairs_plan *plan, uint32_t column, sbl_pairs_level level)
{
    for (size_t m = 0; m < plan->map_count; m++)
        if (plan->maps[m].column == column && plan->maps[m].level == level) return (uint32_t)m;
    return SBL_PAIRS_NO_MAP;
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

sbl_status sbl_pairs_plan_check(const sbl_pairs_plan *plan, const sbl_pairs_setting *setting,
                                sbl_error *err)
{
    uint8_t *taken = sbl_alloc_array(SBL_PAIRS_MOST_CELLS, 1);
    if (!taken) return no_memory(err);
    bool fits = true;
    for (size_t m = 0; fits && m < plan->map_count; m++)
        fits = map_fits(&plan->maps[m], setting, taken);
    sbl_free(taken);
    if (fits && tables_fit(plan)) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT, "the plan of a release does not fit the columns");
}
