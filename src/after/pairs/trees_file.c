/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and their sets are in preorder, as the builder received them (tree_shape.c). The same builder reads the
 * file, and refuses anything that is not a tree. */
#include "after/pairs/trees_file.h"

#include <string.h>

#include "base/alloc.h"

#define LEAF UINT32_MAX

typedef struct packed {
    uint32_t *targets, *trees, *items, *sets;
} packed;

/* The items of one tree from place `at` on. Returns the place after them. */
static size_t pack_tree(uint32_t *items, size_t at, const sbl_trees *trees, size_t t)
{
    int32_t waiting[SBL_TREE_DEPTH + 1];
    size_t count = 0;
    waiting[count++] = trees->trees[t].root;
    while (count > 0) {
        const int32_t i = waiting[--count];
        items[at++] = i < 0 ? LEAF : trees->nodes[i].column;
        if (i < 0) continue;
        waiting[count++] = trees->nodes[i].right;
        waiting[count++] = trees->nodes[i].left;
    }
    return at;
}

sbl_status sbl_trees_pack(sbl_tensor tensors[SBL_TREES_TENSORS], sbl_pool *pool, const sbl_potts *potts,
                          sbl_error *err)
{
    const sbl_trees *trees = &potts->trees;
    const size_t items = trees->node_count + trees->leaf_count;
    packed p;
    size_t at = 0;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, p.targets, trees->target_count, 2, "a model file");
    SBL_POOL(pool, p.trees, trees->tree_count, 2, "a model file");
    SBL_POOL(pool, p.items, items, 1, "a model file");
    SBL_POOL(pool, p.sets, trees->set_words, 2, "a model file");
    for (size_t g = 0; g < trees->target_count; g++) {
        p.targets[2 * g] = trees->targets[g].column;
        p.targets[2 * g + 1] = trees->targets[g].cells;
    }
    for (size_t t = 0; t < trees->tree_count; t++) {
        const size_t begin = at;
        at = pack_tree(p.items, at, trees, t);
        p.trees[2 * t] = trees->trees[t].target;
        p.trees[2 * t + 1] = (uint32_t)(at - begin);
    }
    for (size_t w = 0; w < trees->set_words; w++) {
        p.sets[2 * w] = (uint32_t)trees->sets[w];
        p.sets[2 * w + 1] = (uint32_t)(trees->sets[w] >> 32);
    }
    const sbl_tensor made[SBL_TREES_TENSORS] = {
        {"tree_targets", 2, {trees->target_count, 2}, p.targets, SBL_TENSOR_U32},
        {"trees", 2, {trees->tree_count, 2}, p.trees, SBL_TENSOR_U32},
        {"tree_items", 1, {items, 0}, p.items, SBL_TENSOR_U32},
        {"tree_sets", 1, {2 * trees->set_words, 0}, p.sets, SBL_TENSOR_U32},
        {"phi", 1, {trees->entry_count, 0}, potts->phi, SBL_TENSOR_F32},
        {"tree_target_of", 1, {trees->target_of_count, 0}, trees->target_of, SBL_TENSOR_U16}};
    memcpy(tensors, made, sizeof made);
done:
    return status;
}

/* ---- back ---- */

typedef struct unpacking {
    const sbl_safetensors *file;
    const char *path;
    sbl_trees trees;
    size_t at;   /* of the next item */
    size_t word; /* of the next set */
} unpacking;

static sbl_status impossible(const unpacking *u, const char *name, sbl_error *err)
{
    return sbl_tensor_impossible(u->path, name, err);
}

/* Of any length; columns 0: of one dimension. */
static const sbl_tensor *find(const unpacking *u, const char *name, sbl_tensor_type type, size_t columns)
{
    return sbl_safetensors_find(u->file, name, type, sbl_safetensors_length(u->file, name), columns);
}

static sbl_status unpack_targets(unpacking *u, sbl_error *err)
{
    const sbl_tensor *targets = find(u, "tree_targets", SBL_TENSOR_U32, 2);
    const sbl_tensor *of = find(u, "tree_target_of", SBL_TENSOR_U16, 0);
    size_t at = 0;
    if (targets == NULL || of == NULL) return impossible(u, "tree_targets", err);
    const uint32_t *facts = targets->data;
    for (size_t g = 0; g < targets->shape[0]; g++) {
        const uint32_t column = facts[2 * g];
        if (column >= u->trees.column_count || u->trees.codes[column] > of->shape[0] - at ||
            facts[2 * g + 1] > u->trees.codes[column])
            return impossible(u, "tree_targets", err);
        SBL_CHECK(
            sbl_trees_add_target(&u->trees, column, facts[2 * g + 1], (const uint16_t *)of->data + at, err));
        at += u->trees.codes[column];
    }
    if (at != of->shape[0]) return impossible(u, "tree_target_of", err);
    return SBL_OK;
}

static sbl_status unpack_split(unpacking *u, uint32_t column, uint64_t *set, sbl_error *err)
{
    const sbl_tensor *sets = find(u, "tree_sets", SBL_TENSOR_U32, 0);
    if (sets == NULL || column >= u->trees.column_count) return impossible(u, "tree_items", err);
    const size_t words = sbl_tree_set_words(u->trees.codes[column]);
    const uint32_t *half = sets->data;
    if (2 * words > sets->shape[0] || u->word > sets->shape[0] / 2 - words)
        return impossible(u, "tree_sets", err);
    for (size_t w = 0; w < words; w++, u->word++)
        set[w] = half[2 * u->word] | (uint64_t)half[2 * u->word + 1] << 32;
    return sbl_trees_split(&u->trees, column, set, err);
}

static sbl_status unpack_trees(unpacking *u, sbl_error *err)
{
    const sbl_tensor *trees = find(u, "trees", SBL_TENSOR_U32, 2);
    const sbl_tensor *items = find(u, "tree_items", SBL_TENSOR_U32, 0);
    uint64_t *set = NULL;
    uint32_t most = 1;
    sbl_status status = SBL_OK;
    if (trees == NULL || items == NULL) return impossible(u, "trees", err);
    for (size_t j = 0; j < u->trees.column_count; j++)
        if (u->trees.codes[j] > most) most = u->trees.codes[j];
    SBL_ALLOC(set, sbl_tree_set_words(most), "a model file");
    const uint32_t *facts = trees->data, *item = items->data;
    for (size_t t = 0; t < trees->shape[0]; t++) {
        SBL_TRY(sbl_trees_begin(&u->trees, facts[2 * t], err));
        if (facts[2 * t + 1] > items->shape[0] - u->at) SBL_TRY(impossible(u, "trees", err));
        for (const size_t end = u->at + facts[2 * t + 1]; u->at < end; u->at++)
            SBL_TRY(item[u->at] == LEAF ? sbl_trees_leaf(&u->trees, err)
                                        : unpack_split(u, item[u->at], set, err));
        if (!sbl_trees_is_whole(&u->trees)) SBL_TRY(impossible(u, "tree_items", err));
    }
    if (u->at != items->shape[0]) SBL_TRY(impossible(u, "tree_items", err));
done:
    sbl_free(set);
    return status;
}

static sbl_status unpack_phi(sbl_potts *potts, const unpacking *u, sbl_error *err)
{
    const sbl_tensor *phi = sbl_safetensors_find(u->file, "phi", SBL_TENSOR_F32, u->trees.entry_count, 0);
    if (phi == NULL) return impossible(u, "phi", err);
    const float *values = phi->data;
    if (!sbl_all_finite(values, u->trees.entry_count)) return impossible(u, "phi", err);
    const sbl_status status = sbl_potts_add_trees(potts, &u->trees, 0, u->trees.tree_count, err);
    if (status == SBL_OK) memcpy(potts->phi, values, u->trees.entry_count * sizeof *values);
    return status;
}

sbl_status sbl_trees_unpack(sbl_potts *potts, const sbl_safetensors *file, const char *path, sbl_error *err)
{
    unpacking u = {.file = file, .path = path};
    uint32_t *codes = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(codes, potts->count, "a model file");
    for (size_t j = 0; j < potts->count; j++) codes[j] = potts->columns[j].codes;
    SBL_TRY(sbl_trees_init(&u.trees, codes, potts->count, err));
    SBL_TRY(unpack_targets(&u, err));
    SBL_TRY(unpack_trees(&u, err));
    const sbl_tensor *sets = find(&u, "tree_sets", SBL_TENSOR_U32, 0);
    if (sets == NULL || 2 * u.word != sets->shape[0] || u.trees.tree_count == 0)
        SBL_TRY(impossible(&u, "tree_sets", err));
    SBL_TRY(unpack_phi(potts, &u, err));
done:
    sbl_free(codes);
    sbl_trees_clear(&u.trees);
    return status == SBL_EARG ? SBL_EINPUT : status;
}
