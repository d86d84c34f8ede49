/* SPDX-License-Identifier: Apache-2.0 */
/* [6] A node's rows are one run of a list of row numbers. For each column that is tried the node's codes are
 * counted by the target's cell; a scan over the codes in order then finds the cut. All numbers that are
 * compared come from counts by division alone: the same trees on every machine. */
#include "after/forest/tree_grow.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MOST_ROWS 30000 /* that one tree is grown on */
#define LEAST_ROWS 5    /* of a leaf */
#define TRIED 0.4       /* of the columns, at each node */
#define MOST_BLIND 7u   /* columns that a blind tree asks */
#define COPY 0.5        /* of the target's impurity: a column that tells as much is not asked blindly */
#define BLIND (UINT64_C(1) << 48) /* streams of blind trees */

/* A node of a tree that grows, with the best cut that was found for it. */
typedef struct growing {
    size_t begin, end; /* of its rows in the list */
    uint32_t depth;
    uint32_t left, right; /* nodes; 0: a leaf, since the root is never a child */
    double gain;          /* of its best cut; 0: there is none */
    uint32_t column;
    size_t set; /* the cut's first word among sets */
} growing;

typedef struct ranked_code {
    double share;
    uint32_t code;
} ranked_code;

typedef struct grower {
    const sbl_trees *trees;
    const sbl_grow_rows *on;
    uint32_t target_column, cells;
    uint32_t *list, *swap; /* (rows): row numbers, drawn */
    size_t rows;
    uint16_t *cell;     /* (row_count): of the target */
    uint32_t *counts;   /* (most codes, cells) */
    uint32_t *all;      /* (cells): of the node */
    uint32_t *below;    /* (cells) */
    ranked_code *order; /* (most codes) */
    uint32_t *columns;  /* that may be asked, shuffled at each node */
    size_t column_count;
    growing *nodes; /* (2 leaves) */
    uint64_t *sets; /* (2 leaves, most words) */
    size_t words;
    size_t node_count;
    sbl_pool pool;
} grower;

static uint32_t most_codes(const sbl_trees *trees)
{
    uint32_t most = 1;
    for (size_t j = 0; j < trees->column_count; j++)
        if (trees->codes[j] > most) most = trees->codes[j];
    return most;
}

static sbl_status grower_init(grower *g, const sbl_trees *trees, uint32_t target, const sbl_grow_rows *on,
                              uint32_t leaves, sbl_error *err)
{
    const sbl_tree_target *wanted = &trees->targets[target];
    const uint32_t codes = most_codes(trees);
    sbl_status status = SBL_OK;
    *g = (grower){.trees = trees,
                  .on = on,
                  .target_column = wanted->column,
                  .cells = wanted->cells,
                  .rows = on->row_count < MOST_ROWS ? on->row_count : MOST_ROWS,
                  .words = sbl_tree_set_words(codes)};
    SBL_POOL(&g->pool, g->list, g->rows, 1, "trees");
    SBL_POOL(&g->pool, g->swap, g->rows, 1, "trees");
    SBL_POOL(&g->pool, g->cell, on->row_count, 1, "trees");
    SBL_POOL(&g->pool, g->counts, codes, g->cells, "trees");
    SBL_POOL(&g->pool, g->all, g->cells, 1, "trees");
    SBL_POOL(&g->pool, g->below, g->cells, 1, "trees");
    SBL_POOL(&g->pool, g->order, codes, 1, "trees");
    SBL_POOL(&g->pool, g->columns, trees->column_count, 1, "trees");
    SBL_POOL(&g->pool, g->nodes, 2, leaves, "trees");
    SBL_POOL(&g->pool, g->sets, 2 * (size_t)leaves, g->words, "trees");
    for (size_t r = 0; r < on->row_count; r++)
        g->cell[r] = trees->target_of[wanted->of_at + on->rows[r * on->width + wanted->column]];
    for (uint32_t j = 0; j < trees->column_count; j++)
        if (j != wanted->column && trees->codes[j] > 1) g->columns[g->column_count++] = j;
done:
    return status;
}

/* ---- the best cut of a node ---- */

static double square_sum(const uint32_t *counts, uint32_t cells)
{
    double sum = 0;
    for (uint32_t c = 0; c < cells; c++) sum += (double)counts[c] * (double)counts[c];
    return sum;
}

static int by_share(const void *a, const void *b)
{
    const ranked_code *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* The codes of a column in the order in which they are cut. Returns how many there are. */
static size_t put_in_order(grower *g, uint32_t column, uint32_t top)
{
    const uint32_t codes = g->trees->codes[column], ordered = g->on->ordered[column];
    size_t count = 0;
    for (uint32_t v = 0; v < codes; v++) {
        const uint32_t *counts = g->counts + (size_t)v * g->cells;
        uint64_t sum = 0;
        for (uint32_t c = 0; c < g->cells; c++) sum += counts[c];
        if (ordered > 0)
            g->order[count++] = (ranked_code){0, v};
        else if (sum > 0)
            g->order[count++] = (ranked_code){(double)counts[top] / (double)sum, v};
    }
    if (ordered == 0) qsort(g->order, count, sizeof *g->order, by_share);
    return count;
}

static void keep_cut(grower *g, growing *node, uint32_t column, size_t codes, double gain)
{
    uint64_t *set = g->sets + node->set;
    memset(set, 0, g->words * sizeof *set);
    for (size_t i = 0; i < codes; i++) set[g->order[i].code / 64] |= UINT64_C(1) << (g->order[i].code % 64);
    node->column = column;
    node->gain = gain;
}

/* Gini's impurity falls by sum l_c^2 / l + sum r_c^2 / r - sum n_c^2 / n, in rows. */
static void try_column(grower *g, growing *node, uint32_t column, uint32_t top)
{
    const size_t rows = node->end - node->begin, width = g->on->width;
    const uint16_t *codes = g->on->rows + column;
    const double whole = square_sum(g->all, g->cells) / (double)rows;
    memset(g->counts, 0, (size_t)g->trees->codes[column] * g->cells * sizeof *g->counts);
    for (size_t i = node->begin; i < node->end; i++) {
        const size_t r = g->list[i];
        g->counts[(size_t)codes[r * width] * g->cells + g->cell[r]]++;
    }
    const size_t count = put_in_order(g, column, top);
    size_t left = 0, best = 0;
    double gain = node->gain;
    memset(g->below, 0, g->cells * sizeof *g->below);
    for (size_t i = 0; i + 1 < count; i++) {
        const uint32_t *of = g->counts + (size_t)g->order[i].code * g->cells;
        double squares = 0, others = 0;
        for (uint32_t c = 0; c < g->cells; c++) {
            g->below[c] += of[c];
            left += of[c];
            const double l = g->below[c], r = g->all[c] - g->below[c];
            squares += l * l;
            others += r * r;
        }
        if (left < LEAST_ROWS || rows - left < LEAST_ROWS) continue;
        const double fall = squares / (double)left + others / (double)(rows - left) - whole;
        if (fall > gain * (1 + 1e-12) + 1e-9) {
            gain = fall;
            best = i + 1;
        }
    }
    if (best > 0) keep_cut(g, node, column, best, gain);
}

static void find_cut(grower *g, growing *node, sbl_model_rng *rng)
{
    const size_t wanted = (size_t)(TRIED * (double)g->column_count + 0.999);
    uint32_t top = 0;
    memset(g->all, 0, g->cells * sizeof *g->all);
    for (size_t i = node->begin; i < node->end; i++) g->all[g->cell[g->list[i]]]++;
    for (uint32_t c = 1; c < g->cells; c++)
        if (g->all[c] > g->all[top]) top = c;
    if (node->end - node->begin < 2 * LEAST_ROWS || g->all[top] == node->end - node->begin ||
        node->depth >= SBL_TREE_DEPTH)
        return;
    sbl_model_rng_shuffle(rng, g->columns, g->column_count);
    for (size_t i = 0; i < g->column_count && (i < wanted || !(node->gain > 0)); i++)
        try_column(g, node, g->columns[i], top);
}

/* ---- a tree ---- */

/* Rows whose code is in the set come first, each side in the order it had. Returns where the other begins. */
static size_t divide(grower *g, const growing *node)
{
    const uint64_t *set = g->sets + node->set;
    size_t left = node->begin, right = 0;
    for (size_t i = node->begin; i < node->end; i++) {
        const uint32_t r = g->list[i];
        const uint32_t code = g->on->rows[r * g->on->width + node->column];
        if (set[code / 64] >> (code % 64) & 1)
            g->list[left++] = r;
        else
            g->swap[right++] = r;
    }
    memcpy(g->list + left, g->swap, right * sizeof *g->list);
    return left;
}

static uint32_t add_node(grower *g, size_t begin, size_t end, uint32_t depth, sbl_model_rng *rng)
{
    const uint32_t number = (uint32_t)g->node_count++;
    g->nodes[number] = (growing){.begin = begin, .end = end, .depth = depth, .set = number * g->words};
    find_cut(g, &g->nodes[number], rng);
    return number;
}

/* The leaf whose cut helps most; UINT32_MAX where none can be cut. */
static uint32_t best_leaf(const grower *g)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i].left == 0 && g->nodes[i].gain > 0 &&
            (best == UINT32_MAX || g->nodes[i].gain > g->nodes[best].gain))
            best = i;
    return best;
}

static void grow_one(grower *g, uint32_t leaves, sbl_model_rng *rng)
{
    for (size_t i = 0; i < g->rows; i++) g->list[i] = (uint32_t)sbl_model_rng_below(rng, g->on->row_count);
    g->node_count = 0;
    (void)add_node(g, 0, g->rows, 0, rng);
    for (uint32_t have = 1; have < leaves; have++) {
        const uint32_t i = best_leaf(g);
        if (i == UINT32_MAX) break;
        const size_t middle = divide(g, &g->nodes[i]);
        const uint32_t depth = g->nodes[i].depth + 1;
        const uint32_t left = add_node(g, g->nodes[i].begin, middle, depth, rng);
        const uint32_t right = add_node(g, middle, g->nodes[i].end, depth, rng);
        g->nodes[i].left = left;
        g->nodes[i].right = right;
    }
}

static sbl_status write_tree(sbl_trees *trees, uint32_t target, const grower *g, sbl_error *err)
{
    uint32_t waiting[SBL_TREE_DEPTH + 2];
    size_t count = 0;
    SBL_CHECK(sbl_trees_begin(trees, target, err));
    waiting[count++] = 0;
    while (count > 0) {
        const growing *node = &g->nodes[waiting[--count]];
        if (node->left == 0) {
            SBL_CHECK(sbl_trees_leaf(trees, err));
            continue;
        }
        SBL_CHECK(sbl_trees_split(trees, node->column, g->sets + node->set, err));
        waiting[count++] = node->right;
        waiting[count++] = node->left;
    }
    return SBL_OK;
}

sbl_status sbl_trees_grow(sbl_trees *trees, uint32_t target, const sbl_grow_rows *on,
                          const sbl_grow_rule *rule, sbl_error *err)
{
    grower g;
    sbl_status status;
    SBL_TRY(grower_init(&g, trees, target, on, rule->leaves, err));
    for (size_t t = 0; t < rule->trees; t++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, rule->seed, SBL_RNG_TREES, rule->stream + t);
        grow_one(&g, rule->leaves, &rng);
        SBL_TRY(write_tree(trees, target, &g, err));
    }
done:
    sbl_pool_clear(&g.pool);
    return status;
}

/* ---- blind trees ---- */

/* set: the codes below the cut nearest to the middle of the rows. False: all rows have one code. */
static bool halve(uint64_t *set, grower *g, uint32_t column)
{
    uint32_t *counts = g->counts;
    const uint32_t codes = g->trees->codes[column];
    const size_t rows = g->on->row_count;
    size_t sum = 0, best = rows;
    uint32_t cut = 0;
    memset(counts, 0, codes * sizeof *counts);
    for (size_t r = 0; r < rows; r++) counts[g->on->rows[r * g->on->width + column]]++;
    for (uint32_t v = 0; v + 1 < codes; v++) {
        sum += counts[v];
        const size_t off = 2 * sum > rows ? 2 * sum - rows : rows - 2 * sum;
        if (sum > 0 && sum < rows && off < best) {
            best = off;
            cut = v + 1;
        }
    }
    memset(set, 0, g->words * sizeof *set);
    for (uint32_t v = 0; v < cut; v++) set[v / 64] |= UINT64_C(1) << (v % 64);
    return cut > 0;
}

/* Columns in turn: the next `count` of a row that is shuffled again whenever it ends, none twice. */
typedef struct turns {
    uint32_t *queue; /* (count) */
    size_t count, at;
    sbl_model_rng rng;
} turns;

static void take_turn(turns *t, uint8_t *taken, size_t count)
{
    memset(taken, 0, t->count);
    for (size_t have = 0; have < count;) {
        if (t->at == t->count) {
            sbl_model_rng_shuffle(&t->rng, t->queue, t->count);
            t->at = 0;
        }
        const uint32_t i = t->queue[t->at++];
        have += !taken[i];
        taken[i] = 1;
    }
}

/* All paths ask the columns in one order. asked: numbers among the columns that can be halved. */
static sbl_status write_blind(sbl_trees *trees, uint32_t target, const grower *g, const uint32_t *asked,
                              size_t count, const uint64_t *sets, sbl_error *err)
{
    size_t waiting[MOST_BLIND + 2], open = 0;
    SBL_CHECK(sbl_trees_begin(trees, target, err));
    waiting[open++] = 0;
    while (open > 0) {
        const size_t depth = waiting[--open];
        if (depth == count) {
            SBL_CHECK(sbl_trees_leaf(trees, err));
            continue;
        }
        SBL_CHECK(sbl_trees_split(trees, g->columns[asked[depth]], sets + asked[depth] * g->words, err));
        waiting[open++] = depth + 1;
        waiting[open++] = depth + 1;
    }
    return SBL_OK;
}

static size_t whole_log2(uint32_t value)
{
    size_t log = 0;
    while (value >>= 1) log++;
    return log;
}

/* Does a column's half tell the target's cells nearly by itself? What others say of the target would then
 * hide behind it: pairs know it already. */
static bool is_copy(const uint64_t *set, grower *g, uint32_t column)
{
    const size_t rows = g->on->row_count;
    size_t left = 0;
    memset(g->all, 0, g->cells * sizeof *g->all);
    memset(g->below, 0, g->cells * sizeof *g->below);
    for (size_t r = 0; r < rows; r++) {
        const uint32_t code = g->on->rows[r * g->on->width + column];
        const uint32_t in = (uint32_t)(set[code / 64] >> (code % 64)) & 1u;
        g->all[g->cell[r]]++;
        g->below[g->cell[r]] += in;
        left += in;
    }
    const double whole = square_sum(g->all, g->cells) / (double)rows;
    double told = square_sum(g->below, g->cells) / (double)left;
    for (uint32_t c = 0; c < g->cells; c++) g->below[c] = g->all[c] - g->below[c];
    told += square_sum(g->below, g->cells) / (double)(rows - left);
    return told - whole > COPY * ((double)rows - whole);
}

/* Which columns can be halved and asked: they move to the front of g->columns, their cuts into sets. */
static size_t halve_columns(uint64_t *sets, grower *g)
{
    size_t count = 0;
    for (size_t i = 0; i < g->column_count; i++) {
        uint64_t *set = sets + count * g->words;
        if (halve(set, g, g->columns[i]) && !is_copy(set, g, g->columns[i]))
            g->columns[count++] = g->columns[i];
    }
    return count;
}

sbl_status sbl_trees_grow_blind(sbl_trees *trees, uint32_t target, const sbl_grow_rows *on,
                                const sbl_grow_rule *rule, sbl_error *err)
{
    grower g;
    turns t = {0};
    uint8_t *taken;
    uint64_t *sets;
    uint32_t asked[MOST_BLIND];
    size_t wanted = whole_log2(rule->leaves);
    sbl_status status;
    SBL_TRY(grower_init(&g, trees, target, on, 2, err));
    SBL_POOL(&g.pool, t.queue, g.column_count + 1, 1, "trees");
    SBL_POOL(&g.pool, taken, g.column_count + 1, 1, "trees");
    SBL_POOL(&g.pool, sets, g.column_count + 1, g.words, "trees");
    t.count = t.at = halve_columns(sets, &g);
    for (uint32_t i = 0; i < t.count; i++) t.queue[i] = i;
    sbl_model_rng_init(&t.rng, rule->seed, SBL_RNG_TREES, BLIND | rule->stream);
    if (wanted > MOST_BLIND) wanted = MOST_BLIND;
    if (wanted > t.count) wanted = t.count;
    const bool leave_out = 2 * wanted > t.count;
    for (size_t i = 0; i < rule->trees; i++) {
        size_t count = 0;
        take_turn(&t, taken, leave_out ? t.count - wanted : wanted);
        for (uint32_t k = 0; k < t.count; k++)
            if ((taken[k] != 0) != leave_out) asked[count++] = k;
        SBL_TRY(write_blind(trees, target, &g, asked, count, sets, err));
    }
done:
    sbl_pool_clear(&g.pool);
    return status;
}
