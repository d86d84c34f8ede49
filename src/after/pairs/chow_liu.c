/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Tables shrunk towards independence, Kruskal's spanning tree by their mutual information,
 * then rows drawn from the roots down, each child by quotas within its parent's codes. A column has a
 * stream of random numbers of its own, so that threads may take one each; columns are drawn each in
 * one run and put into the rows at the end. */
#include "after/pairs/chow_liu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/counts/spread.h"
#include "base/alloc.h"
#include "base/compute/threads.h"

#define SCALING_ROUNDS 30
#define LEAST_PART 1e-3 /* of independence, below which no entry of a tree's table falls */
#define MOST_THETA 9.0
#define NO_BLOCK SIZE_MAX
#define STRETCH 256 /* rows that one thread puts together at a time */

static void start_rng(sbl_model_rng *rng, uint64_t seed, size_t column)
{
    sbl_model_rng_init(rng, seed, SBL_RNG_PAIRS, UINT64_C(0xffff) << 40 | column);
}

/* rows of columns (count, row_count), with their groups. */
static void put_together(const sbl_potts *potts, uint16_t *rows, const uint16_t *columns, size_t row_count)
{
    const size_t width = sbl_potts_row(potts);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t first = 0; first < row_count; first += STRETCH) {
        const size_t last = row_count - first < STRETCH ? row_count : first + STRETCH;
        for (size_t j = 0; j < potts->count; j++)
            for (size_t r = first; r < last; r++) rows[r * width + j] = columns[j * row_count + r];
    }
    sbl_potts_set_groups(potts, rows, row_count);
}

static void draw_alone(const sbl_potts *potts, uint16_t *columns, size_t row_count, const float *shares,
                       uint64_t seed, size_t j)
{
    sbl_model_rng rng;
    start_rng(&rng, seed, j);
    sbl_quotas(columns + j * row_count, row_count, shares + potts->columns[j].bias_at,
               potts->columns[j].codes, true, &rng);
}

sbl_status sbl_start_independent(const sbl_potts *potts, uint16_t *rows, size_t row_count,
                                 const float *shares, uint64_t seed, sbl_error *err)
{
    sbl_pool pool = {0};
    uint16_t *columns;
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, columns, potts->count, row_count, "the start of a fit");
    SBL_OMP(omp parallel for schedule(dynamic))
    for (size_t j = 0; j < potts->count; j++) draw_alone(potts, columns, row_count, shares, seed, j);
    put_together(potts, rows, columns, row_count);
done:
    sbl_pool_clear(&pool);
    return status;
}

/* ---- the tree ---- */

typedef struct edge {
    double information;
    size_t block;
} edge;

/* What a child is drawn in: at most one for every three columns, so that the memory of a fit
 * (sbl_pairs_selection_bytes) does not depend on threads. */
#define COLUMNS_A_DESK 3

typedef struct desk {
    uint32_t *sorted; /* (rows): row numbers by the parent's code */
    size_t *begin;    /* (most codes + 1) */
    uint16_t *drawn;  /* (rows) */
    float *shares;    /* (most codes): of a child given its parent */
} desk;

typedef struct tree {
    float *tables; /* as theta: the shrunken tables of the blocks */
    edge *edges;   /* one per block; the tree's own first */
    size_t edge_count;
    uint32_t *parent;  /* (count): of union and find, then of the walk */
    size_t *by;        /* (count): the block that joins a column to its parent */
    uint32_t *queue;   /* (count): columns in the order of the walk */
    size_t *depth;     /* (count): of a column below its root */
    uint16_t *columns; /* (count, rows): codes */
    desk *desks;
    size_t desk_count;
    sbl_pool pool; /* of all these */
} tree;

static sbl_status tree_init(tree *t, const sbl_potts *potts, size_t row_count, sbl_error *err)
{
    const size_t desks = potts->count / COLUMNS_A_DESK, threads = (size_t)sbl_thread_limit();
    size_t most = 0;
    sbl_status status = SBL_OK;
    for (size_t j = 0; j < potts->count; j++)
        if (potts->columns[j].codes > most) most = potts->columns[j].codes;
    SBL_POOL(&t->pool, t->tables, potts->theta_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->edges, potts->block_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->parent, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->by, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->queue, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->depth, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->columns, potts->count, row_count, "the start of a fit");
    t->desk_count = desks < 1 ? 1 : desks < threads ? desks : threads;
    SBL_POOL(&t->pool, t->desks, t->desk_count, 1, "the start of a fit");
    for (size_t i = 0; i < t->desk_count; i++) {
        SBL_POOL(&t->pool, t->desks[i].sorted, row_count, 1, "the start of a fit");
        SBL_POOL(&t->pool, t->desks[i].begin, most + 1, 1, "the start of a fit");
        SBL_POOL(&t->pool, t->desks[i].drawn, row_count, 1, "the start of a fit");
        SBL_POOL(&t->pool, t->desks[i].shares, most, 1, "the start of a fit");
    }
done:
    return status;
}

static void scale_table(float *t, size_t rows, size_t columns, const float *p, const float *q)
{
    for (int round = 0; round < SCALING_ROUNDS; round++) {
        for (size_t i = 0; i < rows; i++) {
            float sum = 0;
            for (size_t j = 0; j < columns; j++) sum += t[i * columns + j];
            const float factor = sum > 0 ? p[i] / sum : 0;
            for (size_t j = 0; j < columns; j++) t[i * columns + j] *= factor;
        }
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t i = 0; i < rows; i++) sum += t[i * columns + j];
            const float factor = sum > 0 ? q[j] / sum : 0;
            for (size_t i = 0; i < rows; i++) t[i * columns + j] *= factor;
        }
    }
}

/* The believed table of a block, and the mutual information in it. */
static double believe(float *t, const float *target, size_t rows, size_t columns, const float *p,
                      const float *q, double strength)
{
    double information = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const double free = (double)p[i] * (double)q[j], part = strength * free;
            const double moved = free + ((double)target[i * columns + j] - free) * part / (part + 1);
            t[i * columns + j] = (float)fmax(moved, LEAST_PART * free);
        }
    scale_table(t, rows, columns, p, q);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const double entry = (double)t[i * columns + j], free = (double)p[i] * (double)q[j];
            if (entry > 0 && free > 0) information += entry * log(entry / free);
        }
    return information;
}

static int more_information(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->information != y->information) return x->information > y->information ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static uint32_t root_of(uint32_t *parent, uint32_t j)
{
    while (parent[j] != j) j = parent[j] = parent[parent[j]];
    return j;
}

/* Kruskal: edges by falling information, those that close a ring left out. */
static void choose_edges(tree *t, const sbl_potts *potts)
{
    size_t kept = 0;
    qsort(t->edges, t->edge_count, sizeof *t->edges, more_information);
    for (size_t j = 0; j < potts->count; j++) t->parent[j] = (uint32_t)j;
    for (size_t e = 0; e < t->edge_count; e++) {
        const sbl_potts_block *block = &potts->blocks[t->edges[e].block];
        const uint32_t a = root_of(t->parent, block->first);
        const uint32_t b = root_of(t->parent, block->second);
        if (a == b || !(t->edges[e].information > 0)) continue;
        t->parent[a] = b;
        t->edges[kept++] = t->edges[e];
    }
    t->edge_count = kept;
}

static void set_theta(sbl_potts *potts, const tree *t, size_t b, const float *shares)
{
    const sbl_potts_block *block = &potts->blocks[b];
    const float *p = shares + potts->columns[block->first].bias_at;
    const float *q = shares + potts->columns[block->second].bias_at;
    const size_t rows = potts->columns[block->first].codes;
    const size_t columns = potts->columns[block->second].codes;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const size_t at = block->at + i * columns + j;
            const double free = (double)p[i] * (double)q[j];
            const double theta = log(((double)t->tables[at] + 1e-9) / (free + 1e-9));
            potts->theta[at] = (float)fmax(-MOST_THETA, fmin(MOST_THETA, theta));
        }
}

/* Row numbers by the code that a column has in them. */
static void sort_rows(desk *d, const uint16_t *column, size_t row_count, size_t codes)
{
    memset(d->begin, 0, (codes + 1) * sizeof *d->begin);
    for (size_t r = 0; r < row_count; r++) d->begin[column[r] + 1]++;
    for (size_t v = 0; v < codes; v++) d->begin[v + 1] += d->begin[v];
    for (size_t r = 0; r < row_count; r++) d->sorted[d->begin[column[r]]++] = (uint32_t)r;
    for (size_t v = codes; v > 0; v--) d->begin[v] = d->begin[v - 1];
    d->begin[0] = 0;
}

/* A column given its parent: the rows of each of the parent's codes get quotas of their own. */
static void draw_child(const tree *t, desk *d, const sbl_potts *potts, size_t row_count, uint32_t child,
                       uint64_t seed)
{
    const sbl_potts_block *block = &potts->blocks[t->by[child]];
    const uint32_t parent = block->first == child ? block->second : block->first;
    const size_t columns = potts->columns[block->second].codes;
    const uint32_t codes = potts->columns[child].codes;
    uint16_t *made = t->columns + child * row_count;
    sbl_model_rng rng;
    start_rng(&rng, seed, child);
    sort_rows(d, t->columns + parent * row_count, row_count, potts->columns[parent].codes);
    for (size_t v = 0; v < potts->columns[parent].codes; v++) {
        const size_t size = d->begin[v + 1] - d->begin[v];
        const uint32_t *members = d->sorted + d->begin[v];
        for (size_t c = 0; c < codes; c++)
            d->shares[c] = t->tables[block->at + (block->first == child ? c * columns + v : v * columns + c)];
        sbl_quotas(d->drawn, size, d->shares, codes, true, &rng);
        for (size_t i = 0; i < size; i++) made[members[i]] = d->drawn[i];
    }
}

/* Breadth first from each column that has no parent yet. Returns how deep the trees are. */
static size_t walk(tree *t, const sbl_potts *potts)
{
    size_t head = 0, tail = 0, deepest = 0;
    for (size_t j = 0; j < potts->count; j++) t->parent[j] = UINT32_MAX;
    for (uint32_t root = 0; root < potts->count; root++) {
        if (t->parent[root] != UINT32_MAX) continue;
        t->parent[root] = root;
        t->by[root] = NO_BLOCK;
        t->queue[tail++] = root;
        for (; head < tail; head++) {
            const uint32_t j = t->queue[head];
            if (t->depth[j] > deepest) deepest = t->depth[j];
            for (size_t e = 0; e < t->edge_count; e++) {
                const sbl_potts_block *block = &potts->blocks[t->edges[e].block];
                if (block->first != j && block->second != j) continue;
                const uint32_t other = block->first == j ? block->second : block->first;
                if (t->parent[other] != UINT32_MAX) continue;
                t->parent[other] = j;
                t->depth[other] = t->depth[j] + 1;
                t->by[other] = t->edges[e].block;
                t->queue[tail++] = other;
            }
        }
    }
    return deepest;
}

/* The columns of one depth, in turns with those at other desks: their parents are drawn already. */
static void draw_depth(const tree *t, size_t number, const sbl_potts *potts, size_t row_count,
                       const float *shares, uint64_t seed, size_t depth)
{
    size_t turn = 0;
    for (size_t i = 0; i < potts->count; i++) {
        const uint32_t j = t->queue[i];
        if (t->depth[j] != depth || turn++ % t->desk_count != number) continue;
        if (t->by[j] == NO_BLOCK)
            draw_alone(potts, t->columns, row_count, shares, seed, j);
        else
            draw_child(t, &t->desks[number], potts, row_count, j, seed);
    }
}

static void draw_rows(tree *t, const sbl_potts *potts, uint16_t *rows, size_t row_count, const float *shares,
                      uint64_t seed)
{
    const size_t deepest = walk(t, potts);
    for (size_t depth = 0; depth <= deepest; depth++) {
        SBL_OMP(omp parallel for schedule(static, 1) if (t->desk_count > 1))
        for (size_t i = 0; i < t->desk_count; i++) draw_depth(t, i, potts, row_count, shares, seed, depth);
    }
    put_together(potts, rows, t->columns, row_count);
}

/* The believed tables of the blocks over codes, and the tree among them. */
static void find_tree(tree *t, const sbl_potts *potts, const float *shares, const float *targets,
                      const double *strength)
{
    for (size_t b = 0; b < potts->block_count; b++)
        if (!potts->blocks[b].grouped) t->edges[t->edge_count++].block = b;
    SBL_OMP(omp parallel for schedule(dynamic))
    for (size_t e = 0; e < t->edge_count; e++) {
        const sbl_potts_block *block = &potts->blocks[t->edges[e].block];
        const sbl_potts_column *first = &potts->columns[block->first];
        const sbl_potts_column *second = &potts->columns[block->second];
        t->edges[e].information =
            believe(t->tables + block->at, targets + block->at, first->codes, second->codes,
                    shares + first->bias_at, shares + second->bias_at, strength[t->edges[e].block]);
    }
    choose_edges(t, potts);
}

sbl_status sbl_start_tree(sbl_potts *potts, uint16_t *rows, size_t row_count, const float *shares,
                          const float *targets, const double *strength, uint64_t seed, sbl_error *err)
{
    tree t = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(tree_init(&t, potts, row_count, err));
    find_tree(&t, potts, shares, targets, strength);
    for (size_t i = 0; i < potts->theta_count; i++) potts->theta[i] = 0;
    for (size_t e = 0; e < t.edge_count; e++) set_theta(potts, &t, t.edges[e].block, shares);
    draw_rows(&t, potts, rows, row_count, shares, seed);
done:
    sbl_pool_clear(&t.pool);
    return status;
}
