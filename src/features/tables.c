/* [3] The feature `tables`: maps and tables of counts from a plan, checked, grouped into one block
 * per level of precision. Each record's cells are found once and looked up in every table. After
 * the door, the noisy counts are read back table by table. */
#include "features/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "features/parameters.h"

#define NAME "tables"
#define LEVELS_AN_OCTAVE 16 /* precisions are rounded down by 4 % at most, and all alike at best */
#define MOST_MAPS 100000
#define MOST_TABLES (1u << 24)

/* ---- parameters ---- */

static json_t *map_to_json(const sbl_pairs_map *map, size_t cells)
{
    json_t *of = json_array();
    for (size_t c = 0; c < cells; c++)
        of = sbl_json_append(of, json_integer((json_int_t)map->of[c]));
    return of == NULL
               ? NULL
               : json_pack("{s:i, s:I, s:I, s:o}", "level", (int)map->level, "column",
                           (json_int_t)map->column, "cells", (json_int_t)map->cells, "of", of);
}

static json_t *table_to_json(const sbl_pairs_table *table)
{
    const json_int_t second = table->second == SBL_PAIRS_NO_MAP ? -1 : (json_int_t)table->second;
    return json_pack("[I, I, I]", (json_int_t)table->first, second,
                     (json_int_t)floor(LEVELS_AN_OCTAVE * log2(table->precision) + 1e-9));
}

json_t *sbl_tables_parameters(const sbl_pairs_plan *plan, const sbl_cells *cells)
{
    json_t *maps = json_array(), *tables = json_array();
    for (size_t m = 0; m < plan->map_count; m++)
        maps = sbl_json_append(
            maps, map_to_json(&plan->maps[m], cells->columns[plan->maps[m].column].count));
    for (size_t t = 0; t < plan->table_count; t++)
        tables = sbl_json_append(tables, table_to_json(&plan->tables[t]));
    json_t *parameters = json_pack("{s:I, s:I, s:I}", "bins", (json_int_t)cells->bins, "singles",
                                   (json_int_t)cells->singles, "linear", (json_int_t)cells->linear);
    parameters = sbl_json_put(parameters, "maps", maps);
    return sbl_json_put(parameters, "tables", tables);
}

/* ---- reading them back ---- */

static sbl_status unknown(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know",
                    NAME);
}

static bool read_whole(uint64_t *value, const json_t *number, uint64_t most)
{
    const json_int_t whole = json_integer_value(number);
    if (!json_is_integer(number) || whole < 0 || (uint64_t)whole > most) return false;
    *value = (uint64_t)whole;
    return true;
}

static sbl_status read_map(sbl_table_list *tables, const json_t *entry, sbl_error *err)
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
        !read_whole(&column, json_object_get(entry, "column"), tables->cells.count - 1) ||
        !read_whole(&cells, json_object_get(entry, "cells"), SBL_PAIRS_MOST_CELLS))
        return unknown(err);
    const size_t fine = tables->cells.columns[column].count;
    SBL_ALLOC(values, fine, "a plan");
    if (json_array_size(of) != fine) SBL_TRY(unknown(err));
    for (size_t c = 0; c < fine; c++) {
        if (!read_whole(&value, json_array_get(of, c), SBL_PAIRS_MOST_CELLS)) SBL_TRY(unknown(err));
        values[c] = (uint32_t)value;
    }
    const sbl_pairs_map map = {(sbl_pairs_level)level, (uint32_t)column, (uint32_t)cells, values};
    SBL_TRY(sbl_pairs_plan_add_map(&tables->plan, NULL, &map, fine, err));
done:
    sbl_free(values);
    return status;
}

static sbl_status read_table(sbl_table_list *tables, const json_t *entry, size_t t, sbl_error *err)
{
    const size_t maps = tables->plan.map_count;
    const json_t *second = json_array_get(entry, 1);
    const json_t *level = json_array_get(entry, 2);
    uint64_t first;
    uint64_t other = SBL_PAIRS_NO_MAP;
    if (json_array_size(entry) != 3 || maps == 0 ||
        !read_whole(&first, json_array_get(entry, 0), maps - 1) || !json_is_integer(level) ||
        json_integer_value(level) > 0 || json_integer_value(level) < -64 * LEVELS_AN_OCTAVE)
        return unknown(err);
    if (json_integer_value(second) != -1 && !read_whole(&other, second, maps - 1))
        return unknown(err);
    tables->levels[t] = (int)json_integer_value(level);
    return sbl_pairs_plan_add_table(&tables->plan, (uint32_t)first, (uint32_t)other,
                                    exp2((double)tables->levels[t] / LEVELS_AN_OCTAVE), err);
}

static sbl_status read_lists(sbl_table_list *tables, const json_t *parameters, sbl_error *err)
{
    json_t *maps;
    json_t *list;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&maps, parameters, "maps", NAME, err));
    SBL_TRY(sbl_json_get_array(&list, parameters, "tables", NAME, err));
    const size_t count = json_array_size(list);
    if (json_array_size(maps) > MOST_MAPS || count < 1 || count > MOST_TABLES) return unknown(err);
    SBL_POOL(&tables->pool, tables->levels, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->block_of, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->offset, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->widths, count, 1, "a plan");
    SBL_POOL(&tables->pool, tables->sizes, count, 1, "a plan");
    for (size_t m = 0; m < json_array_size(maps); m++)
        SBL_TRY(read_map(tables, json_array_get(maps, m), err));
    for (size_t t = 0; t < count; t++) SBL_TRY(read_table(tables, json_array_get(list, t), t, err));
done:
    return status;
}

/* Are maps onto their cells, and tables over maps of two columns, or one? */
static sbl_status check_plan(const sbl_table_list *tables, sbl_error *err)
{
    const sbl_cells *cells = &tables->cells;
    sbl_status status = SBL_OK;
    sbl_pairs_column *columns;
    SBL_ALLOC(columns, cells->count, "a plan");
    for (size_t k = 0; k < cells->count; k++) columns[k] = sbl_pairs_column_of(&cells->columns[k]);
    const sbl_pairs_setting setting = {.columns = columns,
                                       .count = cells->count,
                                       .label = SBL_PAIRS_NO_COLUMN,
                                       .rows = 1,
                                       .mu = 1,
                                       .sensitivity2 = 1};
    SBL_TRY(sbl_pairs_plan_check(&tables->plan, &setting, err));
done:
    sbl_free(columns);
    return status;
}

/* Tables of one level are one block, in the order in which levels come first. */
static sbl_status make_blocks(sbl_table_list *tables, sbl_error *err)
{
    const size_t count = tables->plan.table_count;
    sbl_status status = SBL_OK;
    int *found;
    SBL_ALLOC(found, count, "a plan");
    for (size_t t = 0; t < count; t++) {
        size_t b = 0;
        while (b < tables->block_count && found[b] != tables->levels[t]) b++;
        if (b == tables->block_count) found[tables->block_count++] = tables->levels[t];
        const size_t entries = sbl_pairs_table_entries(&tables->plan, t);
        tables->block_of[t] = b;
        tables->offset[t] = tables->widths[b];
        if (entries > UINT32_MAX - 1 - tables->widths[b])
            SBL_FAIL(err, SBL_EARG, "the tables of a release hold too many counts");
        tables->widths[b] += entries;
        tables->sizes[b]++;
    }
done:
    sbl_free(found);
    return status;
}

static void free_made(void *made)
{
    sbl_table_list *tables = made;
    sbl_pairs_plan_clear(&tables->plan);
    sbl_cells_clear(&tables->cells);
    sbl_pool_clear(&tables->pool);
    sbl_free(tables);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    sbl_status status = SBL_OK;
    sbl_table_list *tables;
    SBL_ALLOC(tables, 1, "a plan");
    tables->facts = facts;
    if (facts->kind != SBL_DATA_TABLE)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of tables", NAME);
    SBL_TRY(sbl_parameters_are(parameters, 5, NAME, err));
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", NAME, err));
    SBL_TRY(sbl_cells_init_joint(&tables->cells, facts->schema, &facts->heads, bins, singles,
                                 linear, err));
    SBL_TRY(read_lists(tables, parameters, err));
    SBL_TRY(check_plan(tables, err));
    SBL_TRY(make_blocks(tables, err));
    *made = tables;
    tables = NULL;
done:
    if (tables != NULL) free_made(tables);
    return status;
}

/* ---- blocks ---- */

static size_t count_blocks(const void *made) { return ((const sbl_table_list *)made)->block_count; }

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_table_list *tables = made;
    for (size_t b = 0; b < tables->block_count; b++) {
        blocks[b] = (sbl_block){.width = tables->widths[b],
                                .nonnegative = true,
                                .bound2 = tables->sizes[b],
                                .bound1 = tables->sizes[b],
                                .scale = 1.0};
        (void)snprintf(blocks[b].name, sizeof blocks[b].name, NAME ".%zu", b + 1);
    }
    for (size_t t = 0; t < tables->plan.table_count; t++)
        weights[tables->block_of[t]] = sqrt(tables->plan.tables[t].precision);
}

/* ---- records ---- */

static size_t largest_block(const sbl_table_list *tables)
{
    size_t largest = 1;
    for (size_t b = 0; b < tables->block_count; b++)
        if (tables->sizes[b] > largest) largest = tables->sizes[b];
    return largest;
}

/* Cells of the columns (slice, K), entries (slice, tables of the largest block). */
static size_t workspace_bytes(const void *made)
{
    const sbl_table_list *tables = made;
    return sbl_slice_rows(tables->facts) * (tables->cells.count + largest_block(tables)) *
           sizeof(uint32_t);
}

static void find_cells(uint32_t *found, const sbl_cells *cells, const sbl_records *records)
{
    for (size_t r = 0; r < records->rows; r++) {
        const double *numeric = records->numeric + r * cells->numeric_count;
        const uint32_t *codes = records->codes + r * cells->categorical_count;
        for (size_t k = 0; k < cells->count; k++)
            found[r * cells->count + k] =
                (uint32_t)sbl_cells_find(&cells->columns[k], numeric, codes);
    }
}

/* The entry of one record in table t. */
static uint32_t entry_of(const sbl_table_list *tables, size_t t, const uint32_t *cells)
{
    const sbl_pairs_table *table = &tables->plan.tables[t];
    const sbl_pairs_map *first = &tables->plan.maps[table->first];
    size_t entry = first->of[cells[first->column]];
    if (table->second != SBL_PAIRS_NO_MAP) {
        const sbl_pairs_map *second = &tables->plan.maps[table->second];
        entry = entry * second->cells + second->of[cells[second->column]];
    }
    return (uint32_t)(tables->offset[t] + entry);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_table_list *tables = made;
    uint32_t *cells = workspace,
             *entries = cells + sbl_slice_rows(tables->facts) * tables->cells.count;
    find_cells(cells, &tables->cells, records);
    for (size_t b = 0; b < tables->block_count; b++) {
        const size_t per_row = tables->sizes[b];
        size_t place = 0;
        for (size_t t = 0; t < tables->plan.table_count; t++) {
            if (tables->block_of[t] != b) continue;
            for (size_t r = 0; r < records->rows; r++)
                entries[r * per_row + place] = entry_of(tables, t, cells + r * tables->cells.count);
            place++;
        }
        const sbl_status status = sbl_sum_add_ones(sum, block + b, entries, per_row, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_tables = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};

/* ---- after the door ---- */

void sbl_table_values_clear(sbl_table_values *values)
{
    sbl_pool_clear(&values->pool);
    *values = (sbl_table_values){0};
}

sbl_status sbl_table_values_read(sbl_table_values *out, const sbl_table_list *tables,
                                 const sbl_release *release, size_t block, sbl_error *err)
{
    const size_t count = tables->plan.table_count;
    sbl_status status = SBL_OK;
    size_t total = 0;
    size_t at = 0;
    for (size_t b = 0; b < tables->block_count; b++) total += tables->widths[b];
    SBL_POOL(&out->pool, out->all, total, 1, "the tables of a release");
    SBL_POOL(&out->pool, out->values, count, 1, "the tables of a release");
    SBL_POOL(&out->pool, out->noise, count, 1, "the tables of a release");
    for (size_t t = 0; t < count; t++) {
        const sbl_block *from = &release->blocks[block + tables->block_of[t]];
        const size_t entries = sbl_pairs_table_entries(&tables->plan, t);
        out->values[t] = out->all + at;
        out->noise[t] = sbl_release_noise_deviation(release, from);
        for (size_t i = 0; i < entries; i++)
            out->all[at + i] = sbl_release_estimate(release, from, 0, tables->offset[t] + i);
        at += entries;
    }
done:
    if (status != SBL_OK) sbl_table_values_clear(out);
    return status;
}
