/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The inner loop of a fit: columns of a few rows at a time. Each block is stored twice (by either column), because
 * a row reads it from both sides.
 *
 * The rows of a batch are drawn column by column, in an order that the batch shares: how many tables a column has and
 * how wide they are is then the same from row to row, and what one row reads seldom waits for what the row before
 * wrote. Rows of a model with trees that feed back are drawn one by one, because a row leaves the trees' counts while
 * it is drawn. */
#include "after/pairs/gibbs.h"

#include "after/counts/draw_code.h"
#include "after/pairs/gibbs_row.h"
#include "base/clones.h"
#include "base/random/model_rng.h"

#define MOST_COLUMNS_SHUFFLED 4096 /* more are swept in their order */
#define BATCH 16                   /* rows */
#define WORDS 4                    /* of one number of the generator */
#define ORDERS (UINT64_C(1) << 32) /* position in a stream: orders of columns */

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

/* A column while the rows of a batch are drawn. */
typedef struct swept {
    const sbl_gibbs_layout *layout;
    const sbl_gibbs_field *field;
    const sbl_gibbs_view *view, *groups;
    const sbl_gibbs_link *links, *group_links;
    size_t j;
    const uint16_t *group_of;
    uint32_t upper; /* vectors of the groups; 0: no table is over them */
    size_t turn;    /* in the order of drawing */
    float *bias;
    const float *bias_gain; /* NULL: no feedback */
} swept;

INLINE swept sweep_of(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field, size_t j, size_t turn)
{
    const size_t count = layout->potts->count;
    const sbl_gibbs_view *groups = &layout->views[count + j];
    return (swept){.layout = layout,
                   .field = field,
                   .view = &layout->views[j],
                   .groups = groups,
                   .links = layout->links + layout->views[j].first_link,
                   .group_links = layout->links + layout->views[count + j].first_link,
                   .j = j,
                   .turn = turn,
                   .group_of = layout->potts->columns[j].group_of,
                   .upper = groups->link_count > 0 ? groups->lanes / LANES : 0,
                   .bias = field->bias + layout->bias_at[j],
                   .bias_gain = field->bias_gain ? field->bias_gain + layout->bias_at[j] : NULL};
}

/* Logits of the groups, in `upper`. */
INLINE void add_upper(const swept *c, float *upper, const uint16_t *row)
{
    const uint32_t old = row[c->layout->potts->count + c->j];
    add_links(upper, NULL, c->groups, c->group_links, c->field, row);
    if (c->bias_gain) upper[old] += own_part(c->groups, c->group_links, c->field, row, old);
}

/* The row takes another code; its group follows. */
INLINE void take_code(const swept *c, uint16_t *row, uint32_t code)
{
    row[c->j] = (uint16_t)code;
    row[c->layout->potts->count + c->j] = c->group_of[code];
}

/* logits += what the trees say of a column of many codes.   Returns: how many leaves are in the list */
INLINE size_t add_trees(float *logits, const swept *c, const uint32_t *leaves)
{
    const sbl_gibbs_trees *g = &c->layout->trees;
    size_t count = 0;
    for (const sbl_gibbs_run *run = g->runs; run < g->runs + g->run_count; run++) {
        const size_t first = count;
        if (run->column == c->j) {
            add_own(logits, g, run, leaves, c->field->phi, c->view->codes);
            continue;
        }
        count = list_leaves(g, &c->field->row, run, leaves, c->j, c->turn, count);
        if (count > first)
            add_open_long(logits, g, &c->field->row, c->field->phi, first, count, c->j, c->view->lanes);
    }
    return count;
}

/* The same of few codes: logits are in registers; shares: room for them. */
INLINE size_t add_trees_few(lanes *logits, uint32_t vectors, float *shares, const swept *c,
                            const uint32_t *leaves)
{
    const sbl_gibbs_trees *g = &c->layout->trees;
    size_t count = 0;
    for (const sbl_gibbs_run *run = g->runs; run < g->runs + g->run_count; run++) {
        const size_t first = count;
        if (run->column == c->j) {
            for (uint32_t v = 0; v < vectors; v++) store(shares + v * LANES, logits[v]);
            add_own(shares, g, run, leaves, c->field->phi, c->view->codes);
            for (uint32_t v = 0; v < vectors; v++) logits[v] = load(shares + v * LANES);
            continue;
        }
        count = list_leaves(g, &c->field->row, run, leaves, c->j, c->turn, count);
        add_open(logits, vectors, g, &c->field->row, c->field->phi, first, count, g->codes[c->j]);
    }
    return count;
}

/* A column of many codes: its logits are in memory. */
INLINE void draw_long(const swept *c, uint16_t *row, uint32_t *leaves, float uniform)
{
    const sbl_gibbs_view *view = c->view;
    float *logits = c->field->scratch, *upper = logits + c->layout->most_lanes;
    float *sums = upper + c->layout->most_lanes;
    const uint32_t old = row[c->j], old_group = row[c->layout->potts->count + c->j];
    add_links(logits, c->bias, view, c->links, c->field, row);
    if (c->bias_gain) logits[old] += c->bias_gain[old] + own_part(view, c->links, c->field, row, old);
    if (c->upper > 0) {
        add_upper(c, upper, row);
        for (uint32_t v = 0; v < view->codes; v++) logits[v] += upper[c->group_of[v]];
    }
    const size_t open = add_trees(logits, c, leaves);
    const uint32_t code = draw_code(logits, sums, view->codes, view->lanes, uniform);
    if (code == old) return;
    take_code(c, row, code);
    if (open > 0) follow(leaves, &c->layout->trees, &c->field->row, open, c->j, code);
    if (!c->bias_gain) return;
    if (c->group_of[code] != old_group && c->upper > 0)
        feed_back(c->groups, c->group_links, c->field, row, old_group, c->group_of[code]);
    c->bias[old] += c->bias_gain[old];
    c->bias[code] -= c->bias_gain[code];
    feed_back(view, c->links, c->field, row, old, code);
}

#define MOST_VECTORS 4 /* of a column whose logits are in registers */
#define MOST_UPPER 2   /* of its groups, where they are, too */

static const whole places = {0, 1, 2, 3, 4, 5, 6, 7};

/* Numbers of one vector by place, or of two, where places from 8 on are the second's. */
INLINE lanes pick(lanes first, lanes second, uint32_t vectors, whole at)
{
#ifdef __clang__
    float both[2 * LANES];
    lanes picked;
    store(both, first);
    store(both + LANES, second);
    for (size_t i = 0; i < LANES; i++) picked[i] = both[at[i]];
    (void)vectors;
    return picked;
#else
    return vectors == 1 ? __builtin_shuffle(first, at) : __builtin_shuffle(first, second, at);
#endif
}

/* x at the place of a code, 0 elsewhere. */
INLINE lanes only(uint32_t code, uint32_t vector, float x)
{
    const whole here = (places + (int32_t)(vector * LANES)) == (whole){0} + (int32_t)code;
    return (lanes)((whole)((lanes){0} + x) & here);
}

/* As feed_back, of tables whose rows are few vectors: a row is written as it is read, in whole vectors. lost: the
 * gains of the code that the row had. */
INLINE void feed_few(const sbl_gibbs_field *field, const sbl_gibbs_view *view, const sbl_gibbs_link *links,
                     uint32_t vectors, const float *lost, const uint16_t *row, uint32_t from, uint32_t to)
{
    for (size_t q = 0; q < view->link_count; q++) {
        const sbl_gibbs_link *link = &links[q];
        const uint32_t other = row[link->place];
        float *table = field->tables + link->table_at + (size_t)other * vectors * LANES;
        float *mirror = field->tables + link->mirror_at + other;
        const float taken = gain_of(field, link, to, other);
        for (uint32_t v = 0; v < vectors; v++)
            store(table + v * LANES, load(table + v * LANES) + only(from, v, lost[q]) - only(to, v, taken));
        mirror[(size_t)from * link->mirror_stride] += lost[q];
        mirror[(size_t)to * link->mirror_stride] -= taken;
    }
}

/* As add_links and own_part, in registers: sums += the logits of every link.   Returns: what the row's own presence
 * takes from the code it has; lost: of each link */
INLINE float add_few(lanes *sums, const sbl_gibbs_field *field, const sbl_gibbs_view *view,
                     const sbl_gibbs_link *links, uint32_t vectors, float *lost, const uint16_t *row,
                     uint32_t old, bool feeds)
{
    float own = 0;
    for (size_t q = 0; q < view->link_count; q++) {
        const sbl_gibbs_link *link = &links[q];
        const uint32_t other = row[link->place];
        const float *table = field->tables + link->table_at + (size_t)other * vectors * LANES;
        for (uint32_t v = 0; v < vectors; v++) sums[v] += load(table + v * LANES);
        if (feeds) own += lost[q] = gain_of(field, link, old, other);
    }
    return own;
}

/* logits += those of the groups of each code; `upper` vectors hold the groups. lost: as add_few says. */
INLINE void add_few_groups(lanes *logits, const swept *c, uint32_t vectors, uint32_t upper, float *lost,
                           const whole *group_at, const uint16_t *row)
{
    const uint32_t old = row[c->layout->potts->count + c->j];
    lanes sums[MOST_UPPER] = {{0}};
    const float own =
        add_few(sums, c->field, c->groups, c->group_links, upper, lost, row, old, c->bias_gain != NULL);
    if (c->bias_gain)
        for (uint32_t v = 0; v < upper; v++) sums[v] += only(old, v, own);
    for (uint32_t v = 0; v < vectors; v++) logits[v] += pick(sums[0], sums[upper - 1], upper, group_at[v]);
}

/* A column of at most 8 `vectors` codes; vectors is a constant where this is inlined. group_at: (vectors) the group of
 * each code. */
INLINE void draw_short(const swept *c, uint32_t vectors, const whole *group_at, uint16_t *row,
                       uint32_t *leaves, float uniform)
{
    const sbl_gibbs_field *field = c->field;
    float *shares = field->scratch, *groups = shares + c->layout->most_lanes;
    float *lost = groups + 2 * c->layout->most_lanes, *lost_groups = lost + c->layout->most_links;
    const uint32_t old = row[c->j], old_group = row[c->layout->potts->count + c->j];
    const bool feeds = c->bias_gain != NULL, in_memory = c->upper > MOST_UPPER;
    lanes logits[MOST_VECTORS];
    for (uint32_t v = 0; v < vectors; v++) logits[v] = load(c->bias + v * LANES);
    const float own = add_few(logits, field, c->view, c->links, vectors, lost, row, old, feeds);
    if (feeds)
        for (uint32_t v = 0; v < vectors; v++) logits[v] += only(old, v, c->bias_gain[old] + own);
    if (c->upper == 1) add_few_groups(logits, c, vectors, 1, lost_groups, group_at, row);
    if (c->upper == 2) add_few_groups(logits, c, vectors, 2, lost_groups, group_at, row);
    if (in_memory) {
        for (uint32_t v = 0; v < vectors; v++) store(shares + v * LANES, logits[v]);
        add_upper(c, groups, row);
        for (uint32_t v = 0; v < c->view->codes; v++) shares[v] += groups[c->group_of[v]];
        for (uint32_t v = 0; v < vectors; v++) logits[v] = load(shares + v * LANES);
    }
    const size_t open = add_trees_few(logits, vectors, shares, c, leaves);
    const uint32_t code = draw_few(logits, vectors, shares, c->view->codes, uniform);
    if (code == old) return;
    take_code(c, row, code);
    if (open > 0) follow(leaves, &c->layout->trees, &c->field->row, open, c->j, code);
    if (!feeds) return;
    const uint32_t group = c->group_of[code];
    if (in_memory && group != old_group)
        feed_back(c->groups, c->group_links, field, row, old_group, group);
    else if (c->upper > 0 && group != old_group)
        feed_few(field, c->groups, c->group_links, c->upper, lost_groups, row, old_group, group);
    for (uint32_t v = 0; v < vectors; v++)
        store(c->bias + v * LANES, load(c->bias + v * LANES) + only(old, v, c->bias_gain[old]) -
                                       only(code, v, c->bias_gain[code]));
    feed_few(field, c->view, c->links, vectors, lost, row, old, code);
}

/* The columns in random order, so that no column always answers to all others. */
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

/* Rows of one batch, or a part of it. */
typedef struct batch {
    uint16_t *rows;
    uint32_t *leaves; /* of the row; NULL: no trees */
    size_t count;     /* 1 where there are trees */
    uint64_t first;   /* number of the first */
    uint64_t order;   /* number that their order of columns has */
} batch;

/* One column of the rows of a batch. words: one of randomness for each. */
INLINE void sweep_column(const swept *c, const batch *b, const uint32_t *words, uint32_t vectors)
{
    const size_t width = sbl_potts_row(c->layout->potts);
    whole group_at[MOST_VECTORS] = {{0}};
    for (uint32_t v = 0; vectors <= MOST_VECTORS && c->upper > 0 && v < c->view->codes; v++)
        group_at[v / LANES][v % LANES] = c->group_of[v];
    for (size_t r = 0; r < b->count; r++) {
        const float uniform = (float)(words[r] >> 8) * 0x1p-24f;
        if (vectors <= MOST_VECTORS)
            draw_short(c, vectors, group_at, b->rows + r * width, b->leaves, uniform);
        else
            draw_long(c, b->rows + r * width, b->leaves, uniform);
    }
}

INLINE void sweep_column_of(const swept *c, const batch *b, const uint32_t *words)
{
    switch (c->view->lanes / LANES) {
    case 1:
        sweep_column(c, b, words, 1);
        break;
    case 2:
        sweep_column(c, b, words, 2);
        break;
    case 3:
        sweep_column(c, b, words, 3);
        break;
    case 4:
        sweep_column(c, b, words, 4);
        break;
    default:
        sweep_column(c, b, words, MOST_VECTORS + 1);
    }
}

SBL_CLONES static void sweep_batch(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field,
                                   const batch *b, const sbl_gibbs_pass *pass)
{
    const size_t count = layout->potts->count;
    const bool shuffled = count <= MOST_COLUMNS_SHUFFLED, trees = layout->trees.words > 0;
    uint16_t order[MOST_COLUMNS_SHUFFLED];
    uint32_t words[WORDS * BATCH];
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, pass->seed, SBL_RNG_PAIRS, pass->sweep << 40 | b->order);
    rng.position = ORDERS;
    if (shuffled) shuffle(order, count, &rng);
    if (trees) begin_row(&layout->trees, &field->row, b->rows, shuffled ? order : NULL);
    for (size_t i = 0; i < count; i++) {
        const swept c = sweep_of(layout, field, shuffled ? order[i] : i, i);
        const uint32_t *of = words + i % WORDS * b->count;
        if (i % WORDS == 0)
            sbl_model_rng_words(words, b->count, pass->seed, SBL_RNG_PAIRS, pass->sweep << 40 | b->first,
                                i / WORDS);
        if (!pass->fixed || !pass->fixed[c.j]) sweep_column_of(&c, b, of);
        if (trees) end_column(&layout->trees, &field->row, b->rows, c.j);
    }
}

void sbl_gibbs_sweep(const sbl_gibbs_layout *layout, const sbl_gibbs_field *field, uint16_t *rows,
                     size_t row_count, const sbl_gibbs_pass *pass)
{
    const sbl_trees *trees = &layout->potts->trees;
    const bool leave = field->bias_gain != NULL && trees->tree_count > 0;
    const uint64_t most = leave ? 1 : BATCH;
    batch b = {.count = 0};
    for (size_t r = 0; r < row_count; r += b.count) {
        b.first = pass->first + r;
        b.order = b.first / most * most;
        b.count = trees->tree_count > 0 ? 1 : (size_t)(b.order + most - b.first);
        if (b.count > row_count - r) b.count = row_count - r;
        b.rows = rows + r * sbl_potts_row(layout->potts);
        b.leaves = trees->tree_count > 0 ? field->leaves + r * trees->tree_count : NULL;
        if (leave) feed_trees(field, trees, b.rows, b.leaves, 1.0f);
        sweep_batch(layout, field, &b, pass);
        if (leave) feed_trees(field, trees, b.rows, b.leaves, -1.0f);
    }
}
