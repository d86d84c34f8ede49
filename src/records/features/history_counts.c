/* SPDX-License-Identifier: Apache-2.0 */
/* [3] The feature `histories`: a plan becomes marginals over the codes of persons and their events
 * (person_codes.h), and each marginal gets the weights of the events. */
#include "records/features/history_counts.h"

#include "base/alloc.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"
#include "records/features/person_codes.h"

#define NAME "histories"
#define WHAT "the features of a few persons"
#define UNIT ((uint32_t)1 << 20) /* the largest amount of a person in a table */

/* ---- parameters ---- */

static json_t *codes_to_json(const sbl_history_tree *tree, const sbl_pairs_map *codes)
{
    json_t *all = json_array();
    for (size_t b = 0; b < tree->base_count; b++) {
        json_t *of = codes[b].of == NULL ? json_null() : json_array();
        for (size_t c = 0; codes[b].of != NULL && c < tree->columns[b].cells; c++)
            of = sbl_json_append(of, json_integer((json_int_t)codes[b].of[c]));
        all = sbl_json_append(all, of);
    }
    return all;
}

static void make_sides(sbl_pairs_column *sides, const sbl_history_tree *tree, const sbl_pairs_map *codes,
                       uint32_t *counts)
{
    for (size_t b = 0; b < tree->base_count; b++)
        counts[b] = codes[b].of == NULL ? tree->columns[b].cells : codes[b].cells;
    for (size_t s = 0; s < tree->side_count; s++) sides[s] = sbl_tree_side_column(tree, counts, s);
}

json_t *sbl_histories_parameters(const sbl_pairs_plan *plan, const sbl_history_tree *tree,
                                 const sbl_pairs_map *codes)
{
    sbl_pairs_column *sides = sbl_alloc_array(tree->side_count, sizeof *sides);
    uint32_t *counts = sbl_alloc_array(tree->base_count, sizeof *counts);
    const sbl_bins *cells = &tree->cells;
    json_t *parameters = json_pack("{s:I, s:I, s:I}", "bins", (json_int_t)cells->bins, "singles",
                                   (json_int_t)cells->singles, "linear", (json_int_t)cells->linear);
    if (tree->follows) parameters = sbl_json_put(parameters, SBL_HISTORIES_LAGS, json_true());
    parameters = sbl_json_put(parameters, "codes", codes_to_json(tree, codes));
    if (sides != NULL && counts != NULL) {
        make_sides(sides, tree, codes, counts);
        parameters = sbl_table_list_to_json(parameters, plan, sides);
    } else {
        json_decref(parameters);
        parameters = NULL;
    }
    sbl_free(sides);
    sbl_free(counts);
    return parameters;
}

static sbl_status unknown(sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "feature '%s' has parameters that this version does not know", NAME);
}

/* A map onto its codes, or none. */
static sbl_status read_codes(sbl_histories *h, size_t base, const json_t *of, sbl_error *err)
{
    const size_t cells = h->tree.columns[base].cells;
    sbl_pairs_map *map = &h->codes[base];
    uint8_t *taken = NULL;
    sbl_status status = SBL_OK;
    if (json_is_null(of)) return SBL_OK;
    if (!json_is_array(of) || json_array_size(of) != cells) return unknown(err);
    SBL_POOL(&h->pool, map->of, cells, 1, "a plan");
    SBL_ALLOC(taken, cells, "a plan");
    for (size_t c = 0; c < cells; c++) {
        const json_t *code = json_array_get(of, c);
        const json_int_t value = json_integer_value(code);
        if (!json_is_integer(code) || value < 0 || value >= (json_int_t)cells) SBL_TRY(unknown(err));
        map->of[c] = (uint32_t)value;
        taken[value] = 1;
        if (map->of[c] >= map->cells) map->cells = map->of[c] + 1;
    }
    for (size_t v = 0; v < map->cells; v++)
        if (!taken[v]) SBL_TRY(unknown(err));
done:
    sbl_free(taken);
    return status;
}

static sbl_status read_all_codes(sbl_histories *h, const json_t *parameters, sbl_error *err)
{
    json_t *all;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_array(&all, parameters, "codes", NAME, err));
    if (json_array_size(all) != h->tree.base_count) return unknown(err);
    SBL_POOL(&h->pool, h->codes, h->tree.base_count, 1, "a plan");
    SBL_POOL(&h->pool, h->code_counts, h->tree.base_count, 1, "a plan");
    SBL_POOL(&h->pool, h->sides, h->tree.side_count, 1, "a plan");
    for (size_t b = 0; b < h->tree.base_count; b++) SBL_TRY(read_codes(h, b, json_array_get(all, b), err));
    make_sides(h->sides, &h->tree, h->codes, h->code_counts);
done:
    return status;
}

static sbl_status read_tree(sbl_histories *h, const json_t *parameters, sbl_error *err)
{
    uint64_t bins;
    uint64_t singles;
    uint64_t linear;
    SBL_CHECK(sbl_json_get_u64(&bins, parameters, "bins", NAME, err));
    SBL_CHECK(sbl_json_get_u64(&singles, parameters, "singles", NAME, err));
    SBL_CHECK(sbl_json_get_u64(&linear, parameters, "linear", NAME, err));
    const bool follow = sbl_histories_follow(parameters);
    SBL_CHECK(sbl_parameters_are(parameters, follow ? 7 : 6, NAME, err));
    SBL_CHECK(sbl_history_tree_init(&h->tree, h->facts->schema, &h->facts->heads, bins, singles, linear,
                                    follow, err));
    return follow == h->tree.follows ? SBL_OK : unknown(err);
}

static void free_made(void *made)
{
    sbl_histories *h = made;
    sbl_table_list_clear(&h->list);
    sbl_history_tree_clear(&h->tree);
    sbl_pool_clear(&h->pool);
    sbl_free(h);
}

/* Whose sums each table holds; a table that no link has is none of ours. */
static sbl_status find_tables(sbl_histories *h, sbl_error *err)
{
    const sbl_pairs_plan *plan = &h->list.plan;
    sbl_status status = SBL_OK;
    SBL_POOL(&h->pool, h->tables, plan->table_count, 1, "a plan");
    for (size_t t = 0; t < plan->table_count; t++) {
        const sbl_pairs_table *table = &plan->tables[t];
        const bool one = table->second == SBL_PAIRS_NO_MAP;
        h->tables[t] = sbl_tree_table_of(&h->tree, plan->maps[table->first].column,
                                         one ? SBL_HISTORY_NONE : plan->maps[table->second].column);
        if (h->tables[t].first == SBL_NO_SIDE || (!one && h->tables[t].second == SBL_NO_SIDE))
            SBL_TRY(unknown(err));
    }
done:
    return status;
}

static sbl_status make_link(sbl_histories *h, size_t l, sbl_error *err)
{
    const sbl_history_shape *shape = &h->tree.links[l];
    sbl_histories_link *link = &h->links[l];
    sbl_status status = SBL_OK;
    SBL_POOL(&h->pool, link->codes, shape->base_count, 1, "a plan");
    SBL_POOL(&h->pool, link->weights, shape->most + 1, SBL_HISTORY_SORTS, "a plan");
    sbl_link_codes(link->codes, shape, h->code_counts);
    for (size_t m = 1; m <= shape->most; m++)
        for (size_t sort = 0; sort < SBL_HISTORY_SORTS; sort++)
            link->weights[m * SBL_HISTORY_SORTS + sort] = sbl_history_weight(m, (sbl_history_sort)sort);
    for (size_t m = 0; m < h->list.plan.map_count; m++) {
        const size_t side = h->list.plan.maps[m].column;
        link->contexts |= side >= h->tree.base_count && shape->local[side] != SBL_NO_SIDE;
    }
done:
    return status;
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_histories *h;
    SBL_ALLOC(h, 1, "a plan");
    h->facts = facts;
    if (facts->kind != SBL_DATA_TABLE) SBL_FAIL(err, SBL_EINPUT, "feature '%s' is for tables only", NAME);
    SBL_TRY(read_tree(h, parameters, err));
    SBL_TRY(read_all_codes(h, parameters, err));
    SBL_TRY(sbl_table_list_read(&h->list, parameters, h->sides, h->tree.side_count,
                                (sbl_table_rule){UNIT, (uint32_t)h->tree.person_count}, NAME, err));
    SBL_TRY(find_tables(h, err));
    SBL_POOL(&h->pool, h->links, h->tree.link_count, 1, "a plan");
    for (size_t l = 0; l < h->tree.link_count; l++) SBL_TRY(make_link(h, l, err));
    *made = h;
    h = NULL;
done:
    if (h != NULL) free_made(h);
    return status;
}

/* ---- blocks ---- */

static size_t count_blocks(const void *made) { return ((const sbl_histories *)made)->list.block_count; }

/* What a person adds up to, in the L1 norm, is more than one unit: weights are for the L2 norm. */
static void describe(const void *made, sbl_block *blocks, double *weights)
{
    const sbl_histories *h = made;
    sbl_table_list_describe(&h->list, NAME, blocks, weights);
    for (size_t b = 0; b < h->list.block_count; b++) blocks[b].bound1 = 0;
}

/* ---- records ---- */

typedef struct workspace {
    sbl_person_codes codes;
    size_t starts[SBL_PERSON_SLICE + 1];
    uint32_t *entries, *amounts; /* (persons, k, tables of the largest block) */
    sbl_pool pool;
} workspace;

/* What one person adds to table t; returns how many entries. */
static size_t add_table(const sbl_histories *h, const workspace *w, size_t p, size_t t, uint32_t *entries,
                        uint32_t *amounts)
{
    const sbl_pairs_plan *plan = &h->list.plan;
    const sbl_pairs_table *table = &plan->tables[t];
    const sbl_tree_table *of = &h->tables[t];
    const sbl_history_shape *link = &h->tree.links[of->link];
    const sbl_link_rows *from = &w->codes.links[of->link];
    const bool one = table->second == SBL_PAIRS_NO_MAP, persons = of->sort == SBL_OF_PERSONS;
    const sbl_pairs_map *first = &plan->maps[table->first];
    const sbl_pairs_map *second = one ? NULL : &plan->maps[table->second];
    const size_t m = of->sort == SBL_OF_STEPS ? from->later[p] + 1 : from->counts[p];
    const uint32_t weight =
        persons ? SBL_HISTORY_UNIT : h->links[of->link].weights[m * SBL_HISTORY_SORTS + of->sort];
    const uint32_t amount = (uint32_t)((uint64_t)h->list.amounts[t] * weight / SBL_HISTORY_UNIT);
    size_t added = 0;
    for (size_t r = 0; r < (persons ? 1 : from->counts[p]); r++) {
        const size_t at = p * link->most + r;
        const uint16_t *row =
            persons ? w->codes.persons + p * h->tree.person_count : from->rows + at * link->side_count;
        if (of->sort == SBL_OF_STEPS && from->places[at] == 0) continue;
        size_t entry = first->of[row[of->first]];
        if (!one) entry = entry * second->cells + second->of[row[of->second]];
        entries[added] = (uint32_t)(h->list.offset[t] + entry);
        amounts[added++] = amount;
    }
    return added;
}

static sbl_status add_block(sbl_sum *sum, size_t block, size_t b, const sbl_histories *h, workspace *w,
                            const sbl_records *records, sbl_error *err)
{
    size_t at = 0;
    for (size_t p = 0; p < records->rows; p++) {
        w->starts[p] = at;
        for (size_t t = 0; t < h->list.plan.table_count; t++)
            if (h->list.block_of[t] == b) at += add_table(h, w, p, t, w->entries + at, w->amounts + at);
    }
    w->starts[records->rows] = at;
    return sbl_sum_add_sparse(sum, block, w->starts, w->entries, w->amounts, err);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace_of,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_histories *h = made;
    workspace *w = workspace_of;
    if (records->events.starts == NULL || records->rows > SBL_PERSON_SLICE)
        return sbl_fail(err, SBL_EINTERNAL, "histories need whole persons");
    for (size_t p = 0; p < records->rows; p++) sbl_person_codes_fill(&w->codes, h, records, p);
    for (size_t b = 0; b < h->list.block_count; b++)
        SBL_CHECK(add_block(sum, block + b, b, h, w, records, err));
    return SBL_OK;
}

/* ---- workspaces ---- */

/* The largest over the blocks, for one person. */
static size_t most_entries(const sbl_histories *h)
{
    size_t most = 0;
    for (size_t b = 0; b < h->list.block_count; b++) {
        size_t entries = 0;
        for (size_t t = 0; t < h->list.plan.table_count; t++)
            if (h->list.block_of[t] == b)
                entries += h->tables[t].sort == SBL_OF_PERSONS ? 1 : h->tree.links[h->tables[t].link].most;
        if (entries > most) most = entries;
    }
    return most;
}

static void workspace_free(void *workspace_of, const void *made)
{
    const sbl_histories *h = made;
    workspace *w = workspace_of;
    const size_t entries = SBL_PERSON_SLICE * most_entries(h);
    sbl_person_codes_wipe(&w->codes, h);
    if (w->entries != NULL) sbl_wipe(w->entries, entries * sizeof *w->entries);
    /* They tell how many events a person has. */
    if (w->amounts != NULL) sbl_wipe(w->amounts, entries * sizeof *w->amounts);
    sbl_pool_clear(&w->pool);
    sbl_free_wiped(w, sizeof *w);
}

static sbl_status workspace_new(void **workspace_of, const void *made, sbl_error *err)
{
    const sbl_histories *h = made;
    sbl_status status = SBL_OK;
    workspace *w;
    SBL_ALLOC(w, 1, WHAT);
    *workspace_of = w;
    SBL_POOL(&w->pool, w->entries, SBL_PERSON_SLICE, most_entries(h), WHAT);
    SBL_POOL(&w->pool, w->amounts, SBL_PERSON_SLICE, most_entries(h), WHAT);
    SBL_TRY(sbl_person_codes_init(&w->codes, &w->pool, h, err));
done:
    return status;
}

const sbl_feature sbl_feature_histories = {
    .name = NAME,
    .whole_units = true,
    .make = make,
    .free = free_made,
    .count = count_blocks,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
};
