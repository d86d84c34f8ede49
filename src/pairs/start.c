/* [6] Tables shrunk towards independence, Kruskal's spanning tree by their mutual information,
 * then rows drawn from the roots down, each child by quotas within its parent's codes. */
#include "pairs/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SCALING_ROUNDS 30
#define LEAST_PART 1e-3 /* of independence, below which no entry of a tree's table falls */
#define MOST_THETA 9.0
#define NO_BLOCK SIZE_MAX

void sbl_start_quotas(uint16_t *codes, size_t count, size_t stride, const float *shares,
                      uint32_t cells, sbl_model_rng *rng)
{
    double total = 0, passed = 0;
    for (uint32_t v = 0; v < cells; v++) total += (double)shares[v];
    const double offset = sbl_model_rng_uniform(rng);
    uint32_t code = 0;
    for (size_t i = 0; i < count; i++) {
        const double wanted = ((double)i + offset) / (double)count * total;
        while (code + 1 < cells && passed + (double)shares[code] <= wanted)
            passed += (double)shares[code++];
        codes[i * stride] = (uint16_t)code;
    }
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)sbl_model_rng_below(rng, i);
        const uint16_t swap = codes[(i - 1) * stride];
        codes[(i - 1) * stride] = codes[k * stride];
        codes[k * stride] = swap;
    }
}

static void start_rng(sbl_model_rng *rng, uint64_t seed, size_t column)
{
    sbl_model_rng_init(rng, seed, SBL_RNG_PAIRS, UINT64_C(0xffff) << 40 | column);
}

void sbl_start_independent(const sbl_potts *potts, uint16_t *rows, size_t row_count,
                           const float *shares, uint64_t seed)
{
    for (size_t j = 0; j < potts->count; j++) {
        const sbl_potts_column *column = &potts->columns[j];
        sbl_model_rng rng;
        start_rng(&rng, seed, j);
        sbl_start_quotas(rows + j, row_count, sbl_potts_row(potts), shares + column->bias_at,
                         column->codes, &rng);
    }
    sbl_potts_set_groups(potts, rows, row_count);
}

/* ---- the tree ---- */

typedef struct edge {
    double information;
    size_t block;
} edge;

typedef struct tree {
    float *tables; /* as theta: the shrunken tables of the blocks */
    edge *edges;   /* one per block; the tree's own first */
    size_t edge_count;
    uint32_t *parent; /* (count): of union and find, then of the walk */
    size_t *by;       /* (count): the block that joins a column to its parent */
    uint32_t *queue;  /* (count) */
    uint32_t *sorted; /* (rows): row numbers by the parent's code */
    size_t *begin;    /* (most codes + 1) */
    uint16_t *drawn;  /* (rows) */
    float *shares;    /* (most codes): of a child given its parent */
    sbl_pool pool;    /* of all these */
} tree;

static sbl_status tree_init(tree *t, const sbl_potts *potts, size_t row_count, sbl_error *err)
{
    size_t most = 0;
    sbl_status status = SBL_OK;
    for (size_t j = 0; j < potts->count; j++)
        if (potts->columns[j].codes > most) most = potts->columns[j].codes;
    SBL_POOL(&t->pool, t->tables, potts->theta_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->edges, potts->block_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->parent, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->by, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->queue, potts->count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->sorted, row_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->begin, most + 1, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->drawn, row_count, 1, "the start of a fit");
    SBL_POOL(&t->pool, t->shares, most, 1, "the start of a fit");
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
            const double moved =
                free + ((double)target[i * columns + j] - free) * part / (part + 1);
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

/* Row numbers by the code that they have in `column`. */
static void sort_rows(tree *t, const sbl_potts *potts, const uint16_t *rows, size_t row_count,
                      uint32_t column)
{
    const size_t width = sbl_potts_row(potts), codes = potts->columns[column].codes;
    memset(t->begin, 0, (codes + 1) * sizeof *t->begin);
    for (size_t r = 0; r < row_count; r++) t->begin[rows[r * width + column] + 1]++;
    for (size_t v = 0; v < codes; v++) t->begin[v + 1] += t->begin[v];
    for (size_t r = 0; r < row_count; r++)
        t->sorted[t->begin[rows[r * width + column]]++] = (uint32_t)r;
    for (size_t v = codes; v > 0; v--) t->begin[v] = t->begin[v - 1];
    t->begin[0] = 0;
}

/* A column given its parent: the rows of each of the parent's codes get quotas of their own. */
static void draw_child(tree *t, const sbl_potts *potts, uint16_t *rows, size_t row_count,
                       uint32_t child, sbl_model_rng *rng)
{
    const sbl_potts_block *block = &potts->blocks[t->by[child]];
    const uint32_t parent = block->first == child ? block->second : block->first;
    const size_t width = sbl_potts_row(potts), columns = potts->columns[block->second].codes;
    const uint32_t codes = potts->columns[child].codes;
    sort_rows(t, potts, rows, row_count, parent);
    for (size_t v = 0; v < potts->columns[parent].codes; v++) {
        const size_t size = t->begin[v + 1] - t->begin[v];
        const uint32_t *members = t->sorted + t->begin[v];
        for (size_t c = 0; c < codes; c++)
            t->shares[c] =
                t->tables[block->at + (block->first == child ? c * columns + v : v * columns + c)];
        sbl_start_quotas(t->drawn, size, 1, t->shares, codes, rng);
        for (size_t i = 0; i < size; i++) rows[members[i] * width + child] = t->drawn[i];
    }
}

/* Breadth first from each column that has no parent yet. */
static void draw_rows(tree *t, const sbl_potts *potts, uint16_t *rows, size_t row_count,
                      const float *shares, uint64_t seed)
{
    size_t head = 0, tail = 0;
    for (size_t j = 0; j < potts->count; j++) t->parent[j] = UINT32_MAX;
    for (uint32_t root = 0; root < potts->count; root++) {
        if (t->parent[root] != UINT32_MAX) continue;
        t->parent[root] = root;
        t->by[root] = NO_BLOCK;
        t->queue[tail++] = root;
        for (; head < tail; head++) {
            const uint32_t j = t->queue[head];
            sbl_model_rng rng;
            start_rng(&rng, seed, j);
            if (t->by[j] == NO_BLOCK)
                sbl_start_quotas(rows + j, row_count, sbl_potts_row(potts),
                                 shares + potts->columns[j].bias_at, potts->columns[j].codes, &rng);
            else
                draw_child(t, potts, rows, row_count, j, &rng);
            for (size_t e = 0; e < t->edge_count; e++) {
                const sbl_potts_block *block = &potts->blocks[t->edges[e].block];
                if (block->first != j && block->second != j) continue;
                const uint32_t other = block->first == j ? block->second : block->first;
                if (t->parent[other] != UINT32_MAX) continue;
                t->parent[other] = j;
                t->by[other] = t->edges[e].block;
                t->queue[tail++] = other;
            }
        }
    }
}

sbl_status sbl_start_tree(sbl_potts *potts, uint16_t *rows, size_t row_count, const float *shares,
                          const float *targets, const double *strength, uint64_t seed,
                          sbl_error *err)
{
    tree t = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(tree_init(&t, potts, row_count, err));
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        const sbl_potts_column *first = &potts->columns[block->first];
        const sbl_potts_column *second = &potts->columns[block->second];
        if (block->grouped) continue;
        const double information =
            believe(t.tables + block->at, targets + block->at, first->codes, second->codes,
                    shares + first->bias_at, shares + second->bias_at, strength[b]);
        t.edges[t.edge_count++] = (edge){information, b};
    }
    for (size_t i = 0; i < potts->theta_count; i++) potts->theta[i] = 0;
    choose_edges(&t, potts);
    for (size_t e = 0; e < t.edge_count; e++) set_theta(potts, &t, t.edges[e].block, shares);
    draw_rows(&t, potts, rows, row_count, shares, seed);
    sbl_potts_set_groups(potts, rows, row_count);
done:
    sbl_pool_clear(&t.pool);
    return status;
}
