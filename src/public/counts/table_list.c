/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of tables, checked as it is read, and their blocks. */
#include "public/counts/table_list.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"

#define LEVELS_AN_OCTAVE 16 /* precisions are rounded down by 4 % at most, and all alike at best */
#define MOST_MAPS 100000
#define MOST_TABLES (1u << 24)

/* ---- parameters ---- */

static json_t *map_to_json(const sbl_pairs_map *map, size_t cells)
{
    json_t *of = json_array();
    for (size_t c = 0; c < cells; c++) of = sbl_json_append(of, json_integer((json_int_t)map->of[c]));
    return of == NULL ? NULL
                      : json_pack("{s:i, s:I, s:I, s:o}", "level", (int)map->level, "column",
                                  (json_int_t)map->column, "cells", (json_int_t)map->cells, "of", of);
}

static json_t *table_to_json(const sbl_pairs_table *table)
{
    const json_int_t second = table->second == SBL_PAIRS_NO_MAP ? -1 : (json_int_t)table->second;
    return json_pack("[I, I, I]", (json_int_t)table->first, second,
                     (json_int_t)floor(LEVELS_AN_OCTAVE * log2(table->precision) + 1e-9));
}

json_t *sbl_table_list_to_json(json_t *parameters, const sbl_pairs_plan *plan,
                               const sbl_pairs_column *columns)
{
    json_t *maps = json_array(), *tables = json_array();
    for (size_t m = 0; m < plan->map_count; m++)
        maps = sbl_json_append(maps, map_to_json(&plan->maps[m], columns[plan->maps[m].column].cells));
    for (size_t t = 0; t < plan->table_count; t++)
        tables = sbl_json_append(tables, table_to_json(&plan->tables[t]));
    parameters = sbl_json_put(parameters, "maps", maps);
    return sbl_json_put(parameters, "tables", tables);
}

/* ---- reading them back ---- */

/* What is read into, and what it is checked against. */
typedef struct reading {
    sbl_table_list *list;
    const sbl_pairs_column *columns;
    size_t count;
    const char *name;
} reading;

static sbl_status unknown(const reading *in, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know", in->name);
}

static bool read_whole(uint64_t *value, const json_t *number, uint64_t most)
{
    const json_int_t whole = json_integer_value(number);
    if (!json_is_integer(number) || whole < 0 || (uint64_t)whole > most) return false;
    *value = (uint64_t)whole;
    return true;
}

static sbl_status read_map(const reading *in, const json_t *entry, sbl_error *err)
{
    const json_t *of = json_object_get(entry, "of");
    uint64_t level;
    uint64_t column;
    uint64_t cells;
    uint64_t value = 0;
    uint32_t *values = NULL;
    sbl_status status = SBL_OK;
    if (json_object_size(entry) != 4 || !json_is_array(of) ||
        !read_whole(&level, json_object_get(entry, "level"), SBL_PAIRS_GROUPS) ||
        !read_whole(&column, json_object_get(entry, "column"), in->count - 1) ||
        !read_whole(&cells, json_object_get(entry, "cells"), SBL_PAIRS_MOST_CELLS))
        return unknown(in, err);
    const size_t fine = in->columns[column].cells;
    SBL_ALLOC(values, fine, "a plan");
    if (json_array_size(of) != fine) SBL_TRY(unknown(in, err));
    for (size_t c = 0; c < fine; c++) {
        if (!read_whole(&value, json_array_get(of, c), SBL_PAIRS_MOST_CELLS)) SBL_TRY(unknown(in, err));
        values[c] = (uint32_t)value;
    }
    const sbl_pairs_map map = {(sbl_pairs_level)level, (uint32_t)column, (uint32_t)cells, values};
    SBL_TRY(sbl_pairs_plan_add_map(&in->list->plan, NULL, &map, fine, err));
done:
    sbl_free(values);
    return status;
}

static sbl_status read_table(const reading *in, const json_t *entry, size_t t, sbl_error *err)
{
    sbl_table_list *tables = in->list;
    const size_t maps = tables->plan.map_count;
    const json_t *second = json_array_get(entry, 1);
    const json_t *level = json_array_get(entry, 2);
    uint64_t first;
    uint64_t other = SBL_PAIRS_NO_MAP;
    if (json_array_size(entry) != 3 || maps == 0 || !read_whole(&first, json_array_get(entry, 0), maps - 1) ||
        !json_is_integer(level) || json_integer_value(level) > 0 ||
        json_integer_value(level) < -64 * LEVELS_AN_OCTAVE)
        return unknown(in, err);
    if (json_integer_value(second) != -1 && !read_whole(&other, second, maps - 1)) return unknown(in, err);
    tables->levels[t] = (int)json_integer_value(level);
    return sbl_pairs_plan_add_table(&tables->plan, (uint32_t)first, (uint32_t)other,
                                    exp2((double)tables->levels[t] / LEVELS_AN_OCTAVE), err);
}

static sbl_status read_lists(const reading *in, const json_t *parameters, sbl_error *err)
{
    sbl_table_list *tables = in->list;
    json_t *maps;
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&maps, parameters, "maps", in->name, err));
    SBL_TRY(sbl_json_get_array(&list, parameters, "tables", in->name, err));
    const size_t count = json_array_size(list);
    if (json_array_size(maps) > MOST_MAPS || count < 1 || count > MOST_TABLES) return unknown(in, err);
    SBL_POOL(&tables->pool, tables->levels, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->block_of, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->amounts, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->bounds, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->offset, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->widths, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->sizes, count, 1, "a plan");
    for (size_t m = 0; m < json_array_size(maps); m++) SBL_TRY(read_map(in, json_array_get(maps, m), err));
    for (size_t t = 0; t < count; t++) SBL_TRY(read_table(in, json_array_get(list, t), t, err));
done:
    return status;
}

/* Are maps onto their cells, and tables over maps of two columns, or one? */
static sbl_status check_plan(const reading *in, sbl_error *err)
{
    const sbl_pairs_setting setting = {.columns = in->columns,
                                       .count = in->count,
                                       .label = SBL_PAIRS_NO_COLUMN,
                                       .rows = 1,
                                       .mu = 1,
                                       .sensitivity2 = 1};
    return sbl_pairs_plan_check(&in->list->plan, &setting, err);
}

/* Is the table of columns that stand apart? */
static bool is_apart(const sbl_pairs_plan *plan, size_t t, uint32_t apart)
{
    const sbl_pairs_table *table = &plan->tables[t];
    return plan->maps[table->first].column < apart &&
           (table->second == SBL_PAIRS_NO_MAP || plan->maps[table->second].column < apart);
}

/* Noise is the same in all of a block: a table of half the precision has 2^(-1/2) of the amount. */
static uint32_t amount_of(int level, int top, uint32_t unit)
{
    const double amount = unit * exp2((double)(level - top) / (2.0 * LEVELS_AN_OCTAVE));
    return unit == 1 || amount < 1.0 ? 1 : (uint32_t)amount;
}

/* The largest level: tables of it have the whole unit. */
static int top_level(const sbl_table_list *tables)
{
    int top = tables->levels[0];
    for (size_t t = 1; t < tables->plan.table_count; t++)
        if (tables->levels[t] > top) top = tables->levels[t];
    return top;
}

/* Blocks in the order in which their first tables come. */
static sbl_status make_blocks(sbl_table_list *tables, sbl_table_rule rule, sbl_error *err)
{
    const size_t count = tables->plan.table_count;
    const int top = top_level(tables);
    sbl_status status = SBL_OK;
    int *found;
    tables->unit = rule.unit;
    SBL_ALLOC(found, count, "a plan");
    for (size_t t = 0; t < count; t++) {
        const int mark = rule.unit == 1 ? tables->levels[t] : is_apart(&tables->plan, t, rule.apart);
        size_t b = 0;
        while (b < tables->block_count && found[b] != mark) b++;
        if (b == tables->block_count) found[tables->block_count++] = mark;
        const size_t entries = sbl_pairs_table_entries(&tables->plan, t);
        tables->block_of[t] = b;
        tables->offset[t] = tables->widths[b];
        if (entries > UINT32_MAX - 1 - tables->widths[b])
            SBL_FAIL(err, SBL_EARG, "the tables of a release hold too many counts");
        tables->widths[b] += entries;
        tables->sizes[b]++;
        tables->amounts[t] = amount_of(tables->levels[t], top, rule.unit);
        tables->bounds[b] += (uint64_t)tables->amounts[t] * tables->amounts[t];
    }
done:
    sbl_free(found);
    return status;
}

sbl_status sbl_table_list_read(sbl_table_list *list, const json_t *parameters,
                               const sbl_pairs_column *columns, size_t count, sbl_table_rule rule,
                               const char *name, sbl_error *err)
{
    const reading in = {list, columns, count, name};
    SBL_CHECK(read_lists(&in, parameters, err));
    SBL_CHECK(check_plan(&in, err));
    return make_blocks(list, rule, err);
}

void sbl_table_list_clear(sbl_table_list *list)
{
    sbl_pairs_plan_clear(&list->plan);
    sbl_pool_clear(&list->pool);
    *list = (sbl_table_list){0};
}

/* ---- blocks ---- */

void sbl_table_list_describe(const sbl_table_list *list, const char *name, sbl_block *blocks, double *weights)
{
    for (size_t b = 0; b < list->block_count; b++) {
        blocks[b] = (sbl_block){.width = list->widths[b],
                                .nonnegative = true,
                                .bound2 = list->bounds[b],
                                .scale = (double)list->unit};
        (void)snprintf(blocks[b].name, sizeof blocks[b].name, "%s.%zu", name, b + 1);
    }
    for (size_t t = 0; t < list->plan.table_count; t++) {
        blocks[list->block_of[t]].bound1 += list->amounts[t];
        weights[list->block_of[t]] = sqrt(list->plan.tables[t].precision) / list->amounts[t];
    }
}

size_t sbl_table_list_largest(const sbl_table_list *list)
{
    size_t largest = 1;
    for (size_t b = 0; b < list->block_count; b++)
        if (list->sizes[b] > largest) largest = list->sizes[b];
    return largest;
}
