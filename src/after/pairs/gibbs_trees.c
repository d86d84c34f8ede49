/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of leaves, from the paths of all trees. */
#include "after/pairs/gibbs_trees.h"

#include <string.h>

#define WHAT "the trees of a fit"

/* A step of a path. */
typedef struct step {
    const sbl_tree_node *node;
    bool right;
} step;

static sbl_status make_words(sbl_gibbs_trees *g, sbl_pool *pool, sbl_error *err)
{
    const sbl_trees *trees = g->trees;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, g->first_word, trees->tree_count + 1, 1, WHAT);
    for (size_t t = 0; t < trees->tree_count; t++)
        g->first_word[t + 1] = g->words += (trees->trees[t].leaf_count + 63) / 64;
    SBL_POOL(pool, g->entry_at, g->words, 1, WHAT);
    SBL_POOL(pool, g->cells, g->words, 1, WHAT);
    SBL_POOL(pool, g->tree_of, g->words, 1, WHAT);
    SBL_POOL(pool, g->leaf_at, g->words, 1, WHAT);
    SBL_POOL(pool, g->all, g->words, 1, WHAT);
    SBL_POOL(pool, g->runs, trees->tree_count, 1, WHAT);
    for (size_t t = 0; t < trees->tree_count; t++) {
        const sbl_tree *tree = &trees->trees[t];
        const uint32_t cells = trees->targets[tree->target].cells;
        const uint32_t column = trees->targets[tree->target].column;
        for (size_t w = g->first_word[t]; w < g->first_word[t + 1]; w++) {
            const size_t leaf = 64 * (w - g->first_word[t]), rest = tree->leaf_count - leaf;
            g->entry_at[w] = tree->at + leaf * cells;
            g->cells[w] = cells;
            g->tree_of[w] = (uint32_t)t;
            g->leaf_at[w] = tree->first_leaf + (uint32_t)leaf;
            g->all[w] = rest < 64 ? (UINT64_C(1) << rest) - 1 : ~UINT64_C(0);
        }
        if (g->run_count == 0 || column != g->runs[g->run_count - 1].column)
            g->runs[g->run_count++] = (sbl_gibbs_run){t, t, column};
        g->runs[g->run_count - 1].end = t + 1;
    }
done:
    return status;
}

/* Until a tree asks a column, each of its codes leaves every leaf. */
static sbl_status make_columns(sbl_gibbs_trees *g, sbl_pool *pool, sbl_error *err)
{
    const sbl_trees *trees = g->trees;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, g->sets, trees->column_count, 1, WHAT);
    SBL_POOL(pool, g->codes, trees->column_count, 1, WHAT);
    for (size_t i = 0; i < trees->node_count; i++) {
        const uint32_t j = trees->nodes[i].column, codes = trees->codes[j];
        if (g->sets[j] != NULL) continue;
        SBL_POOL(pool, g->sets[j], codes, g->words, WHAT);
        SBL_POOL(pool, g->codes[j], ((size_t)codes + 31) / 32, 64 * g->words, WHAT);
        for (size_t v = 0; v < codes; v++)
            memcpy(g->sets[j] + v * g->words, g->all, g->words * sizeof *g->all);
    }
done:
    return status;
}

/* 64 codes of a column, from `first` on, that no step of a path sends elsewhere. */
static uint64_t codes_of(const sbl_trees *trees, const step *path, size_t steps, uint32_t column,
                         size_t first)
{
    uint64_t codes = ~UINT64_C(0);
    for (size_t i = 0; i < steps; i++) {
        if (path[i].node->column != column) continue;
        const uint64_t left = trees->sets[path[i].node->set + first / 64];
        codes &= path[i].right ? ~left : left;
    }
    return codes;
}

static bool asked_before(const step *path, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (path[k].node->column == path[i].node->column) return true;
    return false;
}

/* The leaf at a place, and the path to it. */
static void add_leaf(const sbl_gibbs_trees *g, const step *path, size_t steps, size_t place)
{
    const uint64_t bit = UINT64_C(1) << (place % 64);
    for (size_t i = 0; i < steps; i++) {
        const uint32_t j = path[i].node->column, codes = g->trees->codes[j];
        if (asked_before(path, i)) continue;
        for (size_t first = 0; first < codes; first += 64) {
            const size_t many = codes - first < 64 ? codes - first : 64;
            uint64_t lead = codes_of(g->trees, path + i, steps - i, j, first);
            if (many < 64) lead &= (UINT64_C(1) << many) - 1;
            uint32_t *halves = g->codes[j] + first / 32 * 64 * g->words + place;
            halves[0] = (uint32_t)lead;
            if (many > 32) halves[64 * g->words] = (uint32_t)(lead >> 32);
            for (size_t v = 0; v < many; v++)
                if ((lead >> v & 1) == 0) g->sets[j][(first + v) * g->words + place / 64] &= ~bit;
        }
    }
}

/* Its leaves, in preorder. */
static void add_tree(const sbl_gibbs_trees *g, size_t t)
{
    const sbl_trees *trees = g->trees;
    step path[SBL_TREE_DEPTH];
    size_t steps = 0, place = 64 * g->first_word[t];
    for (int32_t at = trees->trees[t].root;;) {
        for (; at >= 0; at = trees->nodes[at].left) path[steps++] = (step){&trees->nodes[at], false};
        add_leaf(g, path, steps, place++);
        while (steps > 0 && path[steps - 1].right) steps--;
        if (steps == 0) return;
        path[steps - 1].right = true;
        at = path[steps - 1].node->right;
    }
}

sbl_status sbl_gibbs_trees_init(sbl_gibbs_trees *g, sbl_pool *pool, const sbl_trees *trees, sbl_error *err)
{
    *g = (sbl_gibbs_trees){.trees = trees};
    if (trees->tree_count == 0) return SBL_OK;
    SBL_CHECK(make_words(g, pool, err));
    SBL_CHECK(make_columns(g, pool, err));
    for (size_t t = 0; t < trees->tree_count; t++) add_tree(g, t);
    return SBL_OK;
}

sbl_status sbl_gibbs_row_init(sbl_gibbs_row *row, sbl_pool *pool, const sbl_gibbs_trees *g, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(pool, row->later, g->trees->column_count, g->words, WHAT);
    SBL_POOL(pool, row->done, g->words, 1, WHAT);
    SBL_POOL(pool, row->at, g->words, 1, WHAT);
    SBL_POOL(pool, row->open, g->words + 1, 1, WHAT);
    SBL_POOL(pool, row->firsts, g->words + 1, 1, WHAT);
    SBL_POOL(pool, row->some, g->trees->tree_count + 1, 1, WHAT);
    SBL_POOL(pool, row->list, 64 * g->words + 2, 1, WHAT);
done:
    return status;
}
