/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The feature `leaves`: reads trees from a plan, checked by the builder that wrote them. The bins of a
 * record become codes; each tree is then walked as many steps as it is deep, whatever the record, so no
 * time depends on where the walk ends. */
#include "records/features/leaves.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

#define NAME "leaves"
#define MOST_ENTRIES (1u << 26)

/* ---- parameters ---- */

static json_t *codes_to_json(const sbl_pairs_plan *codes, const sbl_bins *cells)
{
    json_t *list = json_array();
    for (size_t k = 0; k < codes->map_count; k++) {
        json_t *of = json_array();
        for (size_t c = 0; c < cells->columns[k].count; c++)
            of = sbl_json_append(of, json_integer((json_int_t)codes->maps[k].of[c]));
        list = sbl_json_append(list, of);
    }
    return list;
}

static json_t *targets_to_json(const sbl_trees *trees)
{
    json_t *list = json_array();
    for (size_t g = 0; g < trees->target_count; g++) {
        const sbl_tree_target *target = &trees->targets[g];
        json_t *of = json_array();
        for (size_t v = 0; v < trees->codes[target->column]; v++)
            of = sbl_json_append(of, json_integer((json_int_t)trees->target_of[target->of_at + v]));
        list = sbl_json_append(list, of == NULL
                                         ? NULL
                                         : json_pack("{s:I, s:I, s:o}", "column", (json_int_t)target->column,
                                                     "cells", (json_int_t)target->cells, "of", of));
    }
    return list;
}

static json_t *trees_to_json(const sbl_trees *trees)
{
    json_t *list = json_array();
    for (size_t t = 0; t < trees->tree_count; t++) {
        sbl_text text = {0};
        sbl_trees_write(&text, trees, t);
        list = sbl_json_append(
            list, text.failed ? NULL : json_pack("[I, s]", (json_int_t)trees->trees[t].target, text.data));
        sbl_text_clear(&text);
    }
    return list;
}

json_t *sbl_leaves_parameters(const sbl_trees *trees, const sbl_pairs_plan *codes, const sbl_bins *cells)
{
    json_t *parameters = json_pack("{s:I, s:I, s:I}", "bins", (json_int_t)cells->bins, "singles",
                                   (json_int_t)cells->singles, "linear", (json_int_t)cells->linear);
    parameters = sbl_json_put(parameters, "codes", codes_to_json(codes, cells));
    parameters = sbl_json_put(parameters, "targets", targets_to_json(trees));
    return sbl_json_put(parameters, "trees", trees_to_json(trees));
}

/* ---- reading them back ---- */

static sbl_status unknown(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "feature '" NAME "' has parameters that this version does not know");
}

static bool read_whole(uint32_t *value, const json_t *number, uint32_t most)
{
    const json_int_t whole = json_integer_value(number);
    if (!json_is_integer(number) || whole < 0 || whole > (json_int_t)most) return false;
    *value = (uint32_t)whole;
    return true;
}

/* A map onto 0 .. the largest value that it has. */
static sbl_status read_map(sbl_leaves *leaves, size_t column, const json_t *of, sbl_error *err)
{
    const size_t cells = leaves->cells.columns[column].count;
    sbl_pairs_map map = {.level = SBL_PAIRS_CODES, .column = (uint32_t)column};
    sbl_status status = SBL_OK;
    SBL_ALLOC(map.of, cells, "a plan");
    if (!json_is_array(of) || json_array_size(of) != cells || cells > SBL_PAIRS_MOST_CELLS)
        SBL_TRY(unknown(err));
    for (size_t c = 0; c < cells; c++) {
        if (!read_whole(&map.of[c], json_array_get(of, c), SBL_PAIRS_MOST_CELLS - 1)) SBL_TRY(unknown(err));
        if (map.of[c] >= map.cells) map.cells = map.of[c] + 1;
    }
    SBL_TRY(sbl_pairs_plan_add_map(&leaves->codes, NULL, &map, cells, err));
done:
    sbl_free(map.of);
    return status;
}

/* Every code is some cell's. */
static sbl_status check_maps(const sbl_leaves *leaves, sbl_error *err)
{
    sbl_pairs_column *columns;
    sbl_status status = SBL_OK;
    SBL_ALLOC(columns, leaves->cells.count, "a plan");
    for (size_t k = 0; k < leaves->cells.count; k++)
        columns[k] = sbl_pairs_column_of(&leaves->cells.columns[k]);
    const sbl_pairs_setting setting = {.columns = columns, .count = leaves->cells.count};
    SBL_TRY(sbl_pairs_plan_check(&leaves->codes, &setting, err));
done:
    sbl_free(columns);
    return status;
}

static sbl_status read_codes(sbl_leaves *leaves, const json_t *parameters, sbl_error *err)
{
    json_t *list;
    uint32_t *codes = NULL;
    sbl_status status;
    SBL_TRY(sbl_json_get_array(&list, parameters, "codes", NAME, err));
    const size_t count = leaves->cells.count;
    if (json_array_size(list) != count) return unknown(err);
    for (size_t k = 0; k < count; k++) SBL_TRY(read_map(leaves, k, json_array_get(list, k), err));
    SBL_TRY(check_maps(leaves, err));
    SBL_ALLOC(codes, count, "a plan");
    for (size_t k = 0; k < count; k++) codes[k] = leaves->codes.maps[k].cells;
    SBL_TRY(sbl_trees_init(&leaves->trees, codes, count, err));
done:
    sbl_free(codes);
    return status;
}

static sbl_status read_target(sbl_leaves *leaves, const json_t *entry, sbl_error *err)
{
    const json_t *list = json_object_get(entry, "of");
    uint16_t *of = NULL;
    uint32_t column = 0, cells = 0, value = 0;
    sbl_status status = SBL_OK;
    if (json_object_size(entry) != 3 || !json_is_array(list) ||
        !read_whole(&column, json_object_get(entry, "column"), (uint32_t)leaves->cells.count - 1) ||
        !read_whole(&cells, json_object_get(entry, "cells"), SBL_PAIRS_MOST_CELLS))
        return unknown(err);
    const size_t codes = leaves->trees.codes[column];
    if (json_array_size(list) != codes || cells < 1) return unknown(err);
    SBL_ALLOC(of, codes, "a plan");
    for (size_t v = 0; v < codes; v++) {
        if (!read_whole(&value, json_array_get(list, v), cells - 1)) SBL_TRY(unknown(err));
        of[v] = (uint16_t)value;
    }
    SBL_TRY(sbl_trees_add_target(&leaves->trees, column, cells, of, err));
done:
    sbl_free(of);
    return status;
}

static sbl_status read_trees(sbl_leaves *leaves, const json_t *parameters, sbl_error *err)
{
    json_t *targets, *list;
    uint32_t target = 0;
    SBL_CHECK(sbl_json_get_array(&targets, parameters, "targets", NAME, err));
    SBL_CHECK(sbl_json_get_array(&list, parameters, "trees", NAME, err));
    const size_t count = json_array_size(list);
    if (json_array_size(targets) < 1 || json_array_size(targets) > SBL_TREES_MOST || count < 1 ||
        count > SBL_TREES_MOST)
        return unknown(err);
    for (size_t g = 0; g < json_array_size(targets); g++)
        SBL_CHECK(read_target(leaves, json_array_get(targets, g), err));
    for (size_t t = 0; t < count; t++) {
        const json_t *entry = json_array_get(list, t);
        const char *text = json_string_value(json_array_get(entry, 1));
        if (json_array_size(entry) != 2 || text == NULL ||
            !read_whole(&target, json_array_get(entry, 0), (uint32_t)leaves->trees.target_count - 1))
            return unknown(err);
        SBL_CHECK(sbl_trees_read(&leaves->trees, target, text, err));
        if (leaves->trees.entry_count > MOST_ENTRIES) return unknown(err);
    }
    return SBL_OK;
}

static void free_made(void *made)
{
    sbl_leaves *leaves = made;
    sbl_trees_clear(&leaves->trees);
    sbl_pairs_plan_clear(&leaves->codes);
    sbl_bins_clear(&leaves->cells);
    sbl_free(leaves);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_leaves *leaves = NULL;
    uint64_t bins, singles, linear;
    sbl_status status = SBL_OK;
    if (facts->kind != SBL_DATA_TABLE) return unknown(err);
    SBL_TRY(sbl_parameters_are(parameters, 6, NAME, err));
    SBL_ALLOC(leaves, 1, "a plan");
    leaves->facts = facts;
    SBL_TRY(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_TRY(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_TRY(sbl_json_get_u64(&linear, parameters, "linear", NAME, err));
    SBL_TRY(sbl_bins_init_joint(&leaves->cells, facts->schema, &facts->heads, bins, singles, linear, err));
    SBL_TRY(read_codes(leaves, parameters, err));
    SBL_TRY(read_trees(leaves, parameters, err));
    *made = leaves;
    leaves = NULL;
done:
    if (leaves != NULL) free_made(leaves);
    return status;
}

/* ---- the block ---- */

static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_trees *trees = &((const sbl_leaves *)made)->trees;
    blocks[0] = (sbl_block){.width = trees->entry_count,
                            .nonnegative = true,
                            .bound2 = trees->tree_count,
                            .bound1 = trees->tree_count,
                            .scale = 1.0};
    (void)snprintf(blocks[0].name, sizeof blocks[0].name, NAME);
    weights[0] = 1.0;
}

/* ---- records ---- */

/* Codes of the columns (slice, K), entries (slice, trees). */
static size_t workspace_bytes(const void *made)
{
    const sbl_leaves *leaves = made;
    return sbl_slice_rows(leaves->facts) * (leaves->cells.count + leaves->trees.tree_count) *
           sizeof(uint32_t);
}

/* The code of each column of one record. */
static void find_codes(uint32_t *codes, const sbl_leaves *leaves, const double *numeric,
                       const uint32_t *categories)
{
    for (size_t k = 0; k < leaves->cells.count; k++)
        codes[k] = leaves->codes.maps[k].of[sbl_bins_find(&leaves->cells.columns[k], numeric, categories)];
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_leaves *leaves = made;
    const sbl_trees *trees = &leaves->trees;
    const sbl_bins *cells = &leaves->cells;
    uint32_t *codes = workspace, *entries = codes + sbl_slice_rows(leaves->facts) * cells->count;
    for (size_t r = 0; r < records->rows; r++) {
        uint32_t *own = codes + r * cells->count;
        find_codes(own, leaves, records->numeric + r * cells->numeric_count,
                   records->codes + r * cells->categorical_count);
        for (size_t t = 0; t < trees->tree_count; t++) {
            const uint32_t leaf = sbl_tree_leaf_of_record(trees, t, own);
            const uint32_t target = trees->targets[trees->trees[t].target].column;
            entries[r * trees->tree_count + t] = (uint32_t)sbl_tree_entry(trees, t, leaf, own[target]);
        }
    }
    return sbl_sum_add_ones(sum, block, entries, trees->tree_count, err);
}

const sbl_feature sbl_feature_leaves = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
};
