/* Where everything lies that a sweep reads: one padded table per block and direction, so that the
 * logits of a column given a neighbour's code are one contiguous run. */
#include "after/pairs/gibbs.h"

#include <string.h>

#include "after/counts/draw_code.h"
#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

static uint32_t padded(uint32_t codes)
{
    return (codes + SBL_GIBBS_LANES - 1) / SBL_GIBBS_LANES * SBL_GIBBS_LANES;
}

static size_t view_of(const sbl_potts *potts, uint32_t column, bool grouped)
{
    return column + (grouped ? potts->count : 0);
}

static void make_views(sbl_gibbs_layout *l)
{
    const sbl_potts *potts = l->potts;
    size_t at = 0;
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        l->views[view_of(potts, block->first, block->grouped)].link_count++;
        l->views[view_of(potts, block->second, block->grouped)].link_count++;
    }
    for (size_t v = 0; v < 2 * potts->count; v++) {
        sbl_gibbs_view *view = &l->views[v];
        view->codes = sbl_potts_size(potts, (uint32_t)(v % potts->count), v >= potts->count);
        view->lanes = padded(view->codes);
        view->first_link = at;
        at += view->link_count;
        if (view->link_count > l->most_links) l->most_links = view->link_count;
        if (view->lanes > l->most_lanes) l->most_lanes = view->lanes;
        view->link_count = 0; /* counts again as links are made */
    }
    for (size_t j = 0; j < potts->count; j++) {
        l->bias_at[j] = l->bias_size;
        l->bias_size += l->views[j].lanes;
    }
}

/* Tables of block b: by the first's code at table_size, by the second's after it. */
static void make_links(sbl_gibbs_layout *l, const sbl_potts_block *block)
{
    const size_t first = view_of(l->potts, block->first, block->grouped);
    const size_t second = view_of(l->potts, block->second, block->grouped);
    sbl_gibbs_view *a = &l->views[first], *b = &l->views[second];
    const size_t by_first = l->table_size, by_second = by_first + (size_t)a->codes * b->lanes;
    l->table_size = by_second + (size_t)b->codes * a->lanes;
    l->gain_size += (size_t)a->codes * b->codes;
    l->links[a->first_link + a->link_count++] = (sbl_gibbs_link){.place = (uint32_t)second,
                                                                 .own_step = b->codes,
                                                                 .other_step = 1,
                                                                 .table_at = by_second,
                                                                 .mirror_at = by_first,
                                                                 .mirror_stride = b->lanes,
                                                                 .gain_at = block->at};
    l->links[b->first_link + b->link_count++] = (sbl_gibbs_link){.place = (uint32_t)first,
                                                                 .own_step = 1,
                                                                 .other_step = b->codes,
                                                                 .table_at = by_first,
                                                                 .mirror_at = by_second,
                                                                 .mirror_stride = a->lanes,
                                                                 .gain_at = block->at};
}

sbl_status sbl_gibbs_layout_init(sbl_gibbs_layout *layout, sbl_pool *pool, const sbl_potts *potts,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    *layout = (sbl_gibbs_layout){.potts = potts};
    SBL_POOL(pool, layout->views, 2, potts->count, "sweeps over rows");
    SBL_POOL(pool, layout->links, 2, potts->block_count, "sweeps over rows");
    SBL_POOL(pool, layout->bias_at, potts->count, 1, "sweeps over rows");
    make_views(layout);
    for (size_t b = 0; b < potts->block_count; b++) make_links(layout, &potts->blocks[b]);
done:
    return status;
}

/* The gains, laid out like theta, say where a block is. */
static const sbl_gibbs_link *link_of(const sbl_gibbs_layout *l, const sbl_potts_block *block)
{
    const sbl_gibbs_view *view = &l->views[view_of(l->potts, block->first, block->grouped)];
    const sbl_gibbs_link *link = l->links + view->first_link;
    size_t low = 0, high = view->link_count - 1; /* links of a view follow the order of blocks */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (link[middle].gain_at < block->at)
            low = middle + 1;
        else
            high = middle;
    }
    return link + low;
}

void sbl_gibbs_set_block(const sbl_gibbs_layout *layout, float *tables, size_t block, const float *dense)
{
    const sbl_potts_block *b = &layout->potts->blocks[block];
    const sbl_gibbs_link *link = link_of(layout, b);
    const sbl_gibbs_view *first = &layout->views[view_of(layout->potts, b->first, b->grouped)];
    const sbl_gibbs_view *second = &layout->views[link->place];
    for (size_t i = 0; i < first->codes; i++) {
        memcpy(tables + link->mirror_at + i * second->lanes, dense + i * second->codes,
               second->codes * sizeof *dense);
        for (size_t j = 0; j < second->codes; j++)
            tables[link->table_at + j * first->lanes + i] = dense[i * second->codes + j];
    }
}

void sbl_gibbs_set_bias(const sbl_gibbs_layout *layout, float *bias, const float *dense)
{
    for (size_t i = 0; i < layout->bias_size; i++) bias[i] = PADDING;
    for (size_t j = 0; j < layout->potts->count; j++)
        memcpy(bias + layout->bias_at[j], dense + layout->potts->columns[j].bias_at,
               layout->views[j].codes * sizeof *bias);
}

size_t sbl_gibbs_scratch(const sbl_gibbs_layout *layout)
{
    return 2 * layout->most_lanes + layout->most_lanes / SBL_GIBBS_LANES;
}

/* [6] The inner loop of a fit. Each block is stored twice (by either column), because a row reads it
 * from both sides. */

#define MOST_COLUMNS_SHUFFLED 4096 /* more are swept in their order */

/* sums = start + the logits of every link, given the codes of a row. */
INLINE void add_links(float *sums, const float *start, const sbl_gibbs_view *view,
                      const sbl_gibbs_link *links, const sbl_gibbs_field *field, const uint16_t *row)
{
    for (size_t q = 0; q < view->link_count; q++)
        field->rows[q] = field->tables + links[q].table_at + (size_t)row[links[q].place] * view->lanes;
    for (uint32_t b = 0; b < view->lanes; b += LANES) {
        lanes sum = start ? load(start + b) : (lanes){0};
        for (size_t q = 0; q < view->link_count; q++) sum += load(field->rows[q] + b);
        store(sums + b, sum);
    }
}

INLINE float gain_of(const sbl_gibbs_field *field, const sbl_gibbs_link *link, uint32_t own, uint32_t other)
{
    return field->gains[link->gain_at + (size_t)own * link->own_step + (size_t)other * link->other_step];
}

/* What the row's own presence in the counts takes from the logits of the code it has. */
INLINE float own_part(const sbl_gibbs_view *view, const sbl_gibbs_link *links, const sbl_gibbs_field *field,
                      const uint16_t *row, uint32_t code)
{
    float sum = 0;
    for (size_t q = 0; q < view->link_count; q++) sum += gain_of(field, &links[q], code, row[links[q].place]);
    return sum;
}

/* A row goes from one code to another: both tables of every link follow. */
INLINE void feed_back(const sbl_gibbs_view *view, const sbl_gibbs_link *links, const sbl_gibbs_field *field,
                      const uint16_t *row, uint32_t from, uint32_t to)
{
    for (size_t q = 0; q < view->link_count; q++) {
        const sbl_gibbs_link *link = &links[q];
        const uint32_t other = row[link->place];
        float *table = field->tables + link->table_at + (size_t)other * view->lanes;
        float *mirror = field->tables + link->mirror_at + other;
        const float left = gain_of(field, link, from, other);
        const float taken = gain_of(field, link, to, other);
        table[from] += left;
        table[to] -= taken;
        mirror[(size_t)from * link->mirror_stride] += left;
        mirror[(size_t)to * link->mirror_stride] -= taken;
    }
}

/* Codes of a column that reach a side of a tree, 64 of them at a time. */
typedef struct tree_walk {
    int32_t node;
    uint64_t codes;
} tree_walk;

/* logits += a tree's term for each of 64 codes of column j, the others being the row's: the walk goes
 * both ways where the tree asks j, each way with the codes that go there. first: of the 64. */
INLINE void walk_open(float *logits, const sbl_trees *trees, size_t t, size_t j, uint32_t first,
                      uint32_t codes, const float *phi, const uint16_t *row)
{
    const sbl_tree_target *target = &trees->targets[trees->trees[t].target];
    const size_t cell = trees->target_of[target->of_at + row[target->column]];
    const uint32_t many = codes - first;
    tree_walk stack[SBL_TREE_DEPTH + 1];
    size_t open = 0;
    stack[open++] = (tree_walk){trees->trees[t].root, many >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << many) - 1};
    while (open > 0) {
        tree_walk at = stack[--open];
        while (at.node >= 0) {
            const sbl_tree_node *node = &trees->nodes[at.node];
            if (node->column != j) {
                at.node = sbl_tree_goes_left(trees, node, row[node->column]) ? node->left : node->right;
                continue;
            }
            const uint64_t left = at.codes & trees->sets[node->set + first / 64];
            const uint64_t right = at.codes & ~left;
            if (left != 0 && right != 0) stack[open++] = (tree_walk){node->right, right};
            at = left != 0 ? (tree_walk){node->left, left} : (tree_walk){node->right, right};
        }
        const float term = phi[trees->leaf_at[-1 - at.node] + cell];
        for (uint64_t rest = at.codes; rest != 0; rest &= rest - 1)
            logits[first + (uint32_t)__builtin_ctzll(rest)] += term;
    }
}

/* logits += what the trees say of column j. */
INLINE void add_trees(float *logits, const sbl_trees *trees, const float *phi, const uint16_t *row,
                      const uint32_t *leaves, size_t j, uint32_t codes)
{
    for (size_t t = 0; t < trees->tree_count; t++) {
        const sbl_tree_target *target = &trees->targets[trees->trees[t].target];
        if (target->column == j) {
            const float *of_leaf = phi + trees->leaf_at[leaves[t]];
            const uint16_t *of = trees->target_of + target->of_at;
            for (uint32_t v = 0; v < codes; v++) logits[v] += of_leaf[of[v]];
        } else if (sbl_tree_asks(trees, leaves[t], j)) {
            for (uint32_t first = 0; first < codes; first += 64)
                walk_open(logits, trees, t, j, first, codes, phi, row);
        }
    }
}

/* Column j of the row has changed: the leaves whose paths ask it. */
INLINE void follow_trees(uint32_t *leaves, const sbl_trees *trees, const uint16_t *row, size_t j)
{
    for (size_t t = 0; t < trees->tree_count; t++)
        if (sbl_tree_asks(trees, leaves[t], j)) leaves[t] = sbl_tree_leaf(trees, t, row);
}

/* A row leaves (sign 1) or enters (sign -1) the counts of the trees' tables. */
INLINE void feed_trees(const sbl_gibbs_field *field, const sbl_trees *trees, const uint16_t *row,
                       const uint32_t *leaves, float sign)
{
    for (size_t t = 0; t < trees->tree_count; t++) {
        const uint32_t target = trees->targets[trees->trees[t].target].column;
        const size_t entry = sbl_tree_entry(trees, t, leaves[t], row[target]);
        field->phi[entry] += sign * field->phi_gain[entry];
    }
}

INLINE void sweep_code(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field, uint16_t *row,
                       uint32_t *leaves, size_t j, float uniform)
{
    const size_t count = layout->potts->count;
    const uint16_t *group_of = layout->potts->columns[j].group_of;
    const sbl_gibbs_view *view = &layout->views[j], *groups = &layout->views[count + j];
    const sbl_gibbs_link *links = layout->links + view->first_link;
    const sbl_gibbs_link *group_links = layout->links + groups->first_link;
    float *logits = field->scratch, *upper = logits + layout->most_lanes;
    float *sums = upper + layout->most_lanes, *bias = field->bias + layout->bias_at[j];
    const uint32_t old = row[j], old_group = row[count + j];
    const bool feedback = field->bias_gain != NULL;
    add_links(logits, bias, view, links, field, row);
    if (feedback)
        logits[old] += field->bias_gain[layout->bias_at[j] + old] + own_part(view, links, field, row, old);
    if (groups->link_count > 0) {
        add_links(upper, NULL, groups, group_links, field, row);
        if (feedback) upper[old_group] += own_part(groups, group_links, field, row, old_group);
        for (uint32_t v = 0; v < view->codes; v++) logits[v] += upper[group_of[v]];
    }
    if (leaves != NULL) add_trees(logits, &layout->potts->trees, field->phi, row, leaves, j, view->codes);
    const uint32_t code = draw_code(logits, sums, view->codes, view->lanes, uniform);
    if (code == old) return;
    row[j] = (uint16_t)code;
    row[count + j] = group_of[code];
    if (leaves != NULL) follow_trees(leaves, &layout->potts->trees, row, j);
    if (!feedback) return;
    const float *gain = field->bias_gain + layout->bias_at[j];
    bias[old] += gain[old];
    bias[code] -= gain[code];
    feed_back(view, links, field, row, old, code);
    if (group_of[code] != old_group && groups->link_count > 0)
        feed_back(groups, group_links, field, row, old_group, group_of[code]);
}

/* The columns of a row in random order, so that no column always answers to all others. */
static void shuffle(uint16_t *order, size_t count, sbl_model_rng *rng)
{
    for (size_t j = 0; j < count; j++) order[j] = (uint16_t)j;
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)((uint64_t)sbl_model_rng_u32(rng) * i >> 32);
        const uint16_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

static float unit_float(sbl_model_rng *rng) { return (float)(sbl_model_rng_u32(rng) >> 8) * 0x1p-24f; }

SBL_CLONES static void gibbs_sweep(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field,
                                   uint16_t *rows, size_t row_count, const sbl_gibbs_pass *pass)
{
    const size_t count = layout->potts->count;
    uint16_t order[MOST_COLUMNS_SHUFFLED];
    const bool shuffled = count <= MOST_COLUMNS_SHUFFLED;
    const sbl_trees *trees = &layout->potts->trees;
    const bool feedback = field->bias_gain != NULL && trees->tree_count > 0;
    for (size_t r = 0; r < row_count; r++) {
        uint16_t *row = rows + r * 2 * count;
        uint32_t *leaves = trees->tree_count > 0 ? field->leaves + r * trees->tree_count : NULL;
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, pass->seed, SBL_RNG_PAIRS, pass->sweep << 40 | (pass->first + r));
        if (shuffled) shuffle(order, count, &rng);
        if (feedback) feed_trees(field, trees, row, leaves, 1.0f);
        for (size_t i = 0; i < count; i++) {
            const size_t j = shuffled ? order[i] : i;
            const float uniform = unit_float(&rng);
            if (pass->fixed && pass->fixed[j]) continue;
            sweep_code(layout, field, row, leaves, j, uniform);
        }
        if (feedback) feed_trees(field, trees, row, leaves, -1.0f);
    }
}

void sbl_gibbs_sweep(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field, uint16_t *rows,
                     size_t row_count, const sbl_gibbs_pass *pass)
{
    gibbs_sweep(layout, field, rows, row_count, pass);
}
