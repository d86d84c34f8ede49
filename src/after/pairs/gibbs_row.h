/* SPDX-License-Identifier: Apache-2.0 */
/* What the trees say of a row while it is drawn: inner loops of gibbs.c. Terms are added in the order of the trees. */
#ifndef SBL_PAIRS_GIBBS_ROW_H
#define SBL_PAIRS_GIBBS_ROW_H

#include <string.h>

#include "after/counts/draw_code.h"
#include "after/pairs/gibbs_trees.h"

#define CHUNK 4 /* vectors of 32 codes */

/* 1 << (8 v + i) at place i of vector v. */
static const whole bits_of[CHUNK] = {
    {0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80},
    {0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000},
    {0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, 0x400000, 0x800000},
    {0x1000000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, INT32_MIN}};

INLINE const uint64_t *set_of(const sbl_gibbs_trees *g, const uint16_t *row, size_t j)
{
    return g->sets[j] + row[j] * g->words;
}

/* The entries of leaves are those at the row's cell of each target. */
INLINE void point_at_cells(const sbl_gibbs_trees *g, const sbl_gibbs_row *r, const uint16_t *row)
{
    for (size_t t = 0; t < g->trees->tree_count; t++) {
        const sbl_tree_target *target = &g->trees->targets[g->trees->trees[t].target];
        const size_t cell = g->trees->target_of[target->of_at + row[target->column]];
        for (size_t w = g->first_word[t]; w < g->first_word[t + 1]; w++) r->at[w] = g->entry_at[w] + cell;
    }
}

/* order: of the columns; NULL: as they are. */
INLINE void begin_row(const sbl_gibbs_trees *g, const sbl_gibbs_row *r, const uint16_t *row,
                      const uint16_t *order)
{
    const size_t words = g->words;
    uint64_t *later = r->later + (g->trees->column_count - 1) * words;
    memcpy(later, g->all, words * sizeof *later);
    for (size_t i = g->trees->column_count - 1; i > 0; i--, later -= words) {
        const size_t j = order ? order[i] : i;
        if (g->sets[j] == NULL) {
            memcpy(later - words, later, words * sizeof *later);
            continue;
        }
        const uint64_t *restrict set = set_of(g, row, j);
        uint64_t *restrict earlier = later - words;
        for (size_t w = 0; w < words; w++) earlier[w] = later[w] & set[w];
    }
    memcpy(r->done, g->all, words * sizeof *r->done);
    point_at_cells(g, r, row);
}

/* Column j is drawn. */
INLINE void end_column(const sbl_gibbs_trees *g, const sbl_gibbs_row *r, const uint16_t *row, size_t j)
{
    if (g->sets[j] != NULL) {
        const uint64_t *restrict set = set_of(g, row, j);
        uint64_t *restrict done = r->done;
        const size_t words = g->words;
        for (size_t w = 0; w < words; w++) done[w] &= set[w];
    }
    for (size_t i = 0; i < g->run_count; i++)
        if (g->runs[i].column == j) {
            point_at_cells(g, r, row);
            break;
        }
}

/* Append to the list the leaves of a run of trees that the row could have with column j open, of the trees where the
 * path to the row's leaf asks it. turn: of the column.   Returns: how many are in the list, before: count */
INLINE size_t list_leaves(const sbl_gibbs_trees *g, const sbl_gibbs_row *r, const sbl_gibbs_run *run,
                          const uint32_t *leaves, size_t j, size_t turn, size_t count)
{
    const uint64_t *restrict later = r->later + turn * g->words, *restrict done = r->done;
    const size_t *restrict first_word = g->first_word;
    uint32_t *restrict list = r->list, *restrict some = r->some, *restrict firsts = r->firsts;
    uint64_t *restrict open = r->open;
    size_t trees = 0, words = 0;
    for (size_t t = run->first; t < run->end; t++) {
        some[trees] = (uint32_t)t;
        trees += sbl_tree_asks(g->trees, leaves[t], j);
    }
    for (size_t i = 0; i < trees; i++)
        for (size_t w = first_word[some[i]]; w < first_word[some[i] + 1]; w++) {
            const uint64_t both = later[w] & done[w];
            open[words] = both;
            firsts[words] = (uint32_t)(64 * w);
            words += both != 0;
        }
    for (size_t i = 0; i < words; i++) {
        uint64_t rest = open[i];
        const size_t more = (size_t)__builtin_popcountll(rest);
        list[count] = firsts[i] + (uint32_t)__builtin_ctzll(rest);
        rest &= rest - 1;
        list[count + 1] = firsts[i] + (uint32_t)__builtin_ctzll(rest | UINT64_C(1) << 63);
        for (size_t k = 2; k < more; k++) {
            rest &= rest - 1;
            list[count + k] = firsts[i] + (uint32_t)__builtin_ctzll(rest);
        }
        count += more;
    }
    return count;
}

/* The row takes another code of column j, whose leaves are in the list: its own follow. */
INLINE void follow(uint32_t *leaves, const sbl_gibbs_trees *g, const sbl_gibbs_row *r, size_t count, size_t j,
                   uint32_t code)
{
    const uint32_t *codes = g->codes[j] + code / 32 * 64 * g->words;
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = r->list[i], w = place / 64;
        uint32_t *leaf = &leaves[g->tree_of[w]];
        *leaf = codes[place] >> (code % 32) & 1 ? g->leaf_at[w] + place % 64 : *leaf;
    }
}

/* logits += the terms of the leaves from `first` to `end` of the list, each for the codes that lead there. codes: for each place. */
INLINE void add_open(lanes *logits, uint32_t vectors, const sbl_gibbs_trees *g, const sbl_gibbs_row *r,
                     const float *phi, size_t first, size_t end, const uint32_t *codes)
{
    const uint32_t *restrict list = r->list, *restrict cells = g->cells;
    const size_t *restrict at = r->at;
    for (size_t i = first; i < end; i++) {
        const uint32_t place = list[i];
        const lanes term = (lanes){0} + phi[at[place / 64] + (size_t)(place % 64) * cells[place / 64]];
        const whole lead = (whole){0} + (int32_t)codes[place];
        for (uint32_t v = 0; v < vectors; v++) logits[v] += (lanes)((whole)term & ((lead & bits_of[v]) != 0));
    }
}

/* The same of any number of codes, in memory. */
INLINE void add_open_long(float *logits, const sbl_gibbs_trees *g, const sbl_gibbs_row *r, const float *phi,
                          size_t first, size_t end, size_t j, uint32_t width)
{
    const uint32_t *codes = g->codes[j];
    for (uint32_t at = 0; at < width; at += CHUNK * LANES, codes += 64 * g->words) {
        lanes some[CHUNK] = {{0}};
        for (uint32_t v = 0; v < CHUNK && at + v * LANES < width; v++)
            some[v] = load(logits + at + v * LANES);
        add_open(some, CHUNK, g, r, phi, first, end, codes);
        for (uint32_t v = 0; v < CHUNK && at + v * LANES < width; v++)
            store(logits + at + v * LANES, some[v]);
    }
}

/* logits of the trees' own target += the row's leaves. */
INLINE void add_own(float *logits, const sbl_gibbs_trees *g, const sbl_gibbs_run *run, const uint32_t *leaves,
                    const float *phi, uint32_t codes)
{
    for (size_t t = run->first; t < run->end; t++) {
        const uint16_t *of = g->trees->target_of + g->trees->targets[g->trees->trees[t].target].of_at;
        const float *of_leaf = phi + g->trees->leaf_at[leaves[t]];
        for (uint32_t v = 0; v < codes; v++) logits[v] += of_leaf[of[v]];
    }
}

#endif
