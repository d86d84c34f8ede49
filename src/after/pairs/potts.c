/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of the Potts model, and counting: each thread counts all rows in some of the tables. */
#include "after/pairs/potts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clones.h"
#include "base/compute/threads.h"
#include "base/size.h"

sbl_status sbl_potts_init(sbl_potts *potts, const uint32_t *codes, const uint32_t *groups, size_t count,
                          sbl_error *err)
{
    sbl_status status = SBL_OK;
    *potts = (sbl_potts){.count = count};
    SBL_POOL(&potts->pool, potts->columns, count, 1, "a model of pairs");
    for (size_t j = 0; j < count; j++) {
        sbl_potts_column *column = &potts->columns[j];
        column->codes = codes[j];
        column->groups = groups[j];
        column->bias_at = potts->bias_count;
        SBL_POOL(&potts->pool, column->group_of, codes[j], 1, "a model of pairs");
        potts->bias_count += codes[j];
    }
    SBL_POOL(&potts->pool, potts->bias, potts->bias_count, 1, "a model of pairs");
done:
    if (status != SBL_OK) sbl_potts_clear(potts);
    return status;
}

void sbl_potts_clear(sbl_potts *potts)
{
    sbl_pool_clear(&potts->pool);
    sbl_free(potts->blocks);
    sbl_free(potts->theta);
    sbl_trees_clear(&potts->trees);
    sbl_free(potts->phi);
    *potts = (sbl_potts){0};
}

/* The capacity that holds `wanted`, with half as much again where it has to grow. */
static size_t capacity_for(size_t capacity, size_t wanted)
{
    size_t larger;
    if (wanted <= capacity) return capacity;
    return sbl_size_add(&larger, wanted, wanted / 2) ? larger : SIZE_MAX;
}

sbl_status sbl_potts_add(sbl_potts *potts, uint32_t first, uint32_t second, bool grouped, sbl_error *err)
{
    const size_t at = potts->theta_count, entries = (size_t)sbl_potts_size(potts, first, grouped) *
                                                    sbl_potts_size(potts, second, grouped);
    const size_t blocks = capacity_for(potts->block_capacity, potts->block_count + 1);
    const size_t theta = capacity_for(potts->theta_capacity, at + entries);
    sbl_status status = SBL_OK;
    if (blocks > potts->block_capacity) SBL_RESIZE(potts->blocks, blocks, "a model of pairs");
    potts->block_capacity = blocks;
    if (theta > potts->theta_capacity) SBL_RESIZE(potts->theta, theta, "a model of pairs");
    potts->theta_capacity = theta;
    memset(potts->theta + at, 0, entries * sizeof *potts->theta);
    potts->blocks[potts->block_count++] = (sbl_potts_block){first, second, grouped, at};
    potts->theta_count += entries;
done:
    return status;
}

sbl_status sbl_potts_add_trees(sbl_potts *potts, const sbl_trees *more, size_t first, size_t count,
                               sbl_error *err)
{
    const size_t before = potts->trees.entry_count;
    sbl_status status = SBL_OK;
    if (potts->trees.column_count == 0)
        SBL_TRY(sbl_trees_init(&potts->trees, more->codes, more->column_count, err));
    SBL_TRY(sbl_trees_append(&potts->trees, more, first, count, err));
    SBL_RESIZE(potts->phi, potts->trees.entry_count, "a model of pairs");
    memset(potts->phi + before, 0, (potts->trees.entry_count - before) * sizeof *potts->phi);
done:
    return status;
}

void sbl_potts_find_leaves(const sbl_potts *potts, uint32_t *leaves, const uint16_t *rows, size_t row_count)
{
    sbl_trees_find(&potts->trees, leaves, rows, row_count, sbl_potts_row(potts));
}

void sbl_potts_count_leaves(const sbl_potts *potts, uint32_t *counts, const uint32_t *leaves,
                            const uint16_t *rows, size_t row_count)
{
    sbl_trees_count(&potts->trees, counts, leaves, rows, row_count, sbl_potts_row(potts));
}

void sbl_potts_set_groups(const sbl_potts *potts, uint16_t *rows, size_t row_count)
{
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < row_count; r++) {
        uint16_t *row = rows + r * sbl_potts_row(potts);
        for (size_t j = 0; j < potts->count; j++) row[potts->count + j] = potts->columns[j].group_of[row[j]];
    }
}

/* Where in a row, and how far apart in the table, the codes of a block are. */
typedef struct cell_rule {
    uint32_t first, second, stride;
    size_t own; /* where its thread counts it */
} cell_rule;

/* Some blocks and some columns, over all rows, counted by one thread in lines of its own: tables of few
 * entries, of which a line holds those of several threads, would go from core to core with every row. */
typedef struct tally {
    size_t first_block, last_block, first_column, last_column;
    size_t table_count, code_count; /* entries of all its blocks and codes of its columns */
    size_t own;                     /* where they are counted: tables, then codes */
} tally;

static size_t table_entries(const sbl_potts *potts, size_t b)
{
    const size_t next = b + 1 < potts->block_count ? potts->blocks[b + 1].at : potts->theta_count;
    return next - potts->blocks[b].at;
}

static cell_rule rule_of(const sbl_potts *potts, size_t b, size_t own)
{
    const sbl_potts_block *block = &potts->blocks[b];
    const uint32_t shift = block->grouped ? (uint32_t)potts->count : 0;
    return (cell_rule){block->first + shift, block->second + shift,
                       sbl_potts_size(potts, block->second, block->grouped), own};
}

/* The tally of shard g, and the rules of its blocks; its counts begin a cache line. */
static tally tally_of(const sbl_potts *potts, cell_rule *rules, size_t g, size_t parts, size_t own)
{
    const size_t blocks = potts->block_count, columns = potts->count;
    tally t = {.first_block = g * blocks / parts,
               .last_block = (g + 1) * blocks / parts,
               .first_column = g * columns / parts,
               .last_column = (g + 1) * columns / parts,
               .own = own};
    for (size_t b = t.first_block; b < t.last_block; b++) {
        rules[b] = rule_of(potts, b, own + t.table_count);
        t.table_count += table_entries(potts, b);
    }
    for (size_t j = t.first_column; j < t.last_column; j++) t.code_count += potts->columns[j].codes;
    return t;
}

static size_t whole_lines(size_t numbers)
{
    const size_t line = SBL_LINE / sizeof(uint32_t);
    return (numbers + line - 1) / line * line;
}

#define TILE 256 /* rows that are read together, column by column */
#define CHAINS 4 /* blocks that are counted side by side: rows with one entry need not wait for each other */

/* Some rows, column by column. */
typedef struct tile {
    uint16_t *columns; /* (places in a row, TILE), of those that the tally reads */
    uint32_t *used;    /* (places in a row) which these are */
    size_t used_count;
} tile;

static void read_tile(const tile *t, const uint16_t *rows, size_t row_count, size_t width)
{
    for (size_t i = 0; i < t->used_count; i++) {
        const uint32_t place = t->used[i];
        for (size_t r = 0; r < row_count; r++) t->columns[place * TILE + r] = rows[r * width + place];
    }
}

SBL_CLONES
static void find_entries(uint32_t *restrict entries, const uint16_t *restrict first,
                         const uint16_t *restrict second, uint32_t stride, size_t row_count)
{
    for (size_t r = 0; r < row_count; r++) entries[r] = first[r] * stride + second[r];
}

/* Blocks rules[0] .. rules[count - 1], at most CHAINS of them. */
static void count_blocks(uint32_t *own, const cell_rule *rules, size_t count, const tile *t, size_t row_count)
{
    uint32_t entries[CHAINS][TILE];
    for (size_t b = 0; b < count; b++)
        find_entries(entries[b], t->columns + rules[b].first * TILE, t->columns + rules[b].second * TILE,
                     rules[b].stride, row_count);
    if (count == CHAINS) {
        uint32_t *a = own + rules[0].own, *b = own + rules[1].own, *c = own + rules[2].own,
                 *d = own + rules[3].own;
        for (size_t r = 0; r < row_count; r++) {
            a[entries[0][r]]++;
            b[entries[1][r]]++;
            c[entries[2][r]]++;
            d[entries[3][r]]++;
        }
        return;
    }
    for (size_t b = 0; b < count; b++)
        for (size_t r = 0; r < row_count; r++) own[rules[b].own + entries[b][r]]++;
}

static void count_tile(const sbl_potts *potts, const cell_rule *rules, const tally *t, uint32_t *own,
                       const tile *of, size_t row_count)
{
    uint32_t *codes = own + t->own + t->table_count;
    for (size_t j = t->first_column; j < t->last_column; j++) {
        for (size_t r = 0; r < row_count; r++) codes[of->columns[j * TILE + r]]++;
        codes += potts->columns[j].codes;
    }
    for (size_t b = t->first_block; b < t->last_block; b += CHAINS)
        count_blocks(own, rules + b, t->last_block - b < CHAINS ? t->last_block - b : CHAINS, of, row_count);
}

/* own: zeros. */
static void count_some(const sbl_potts *potts, const cell_rule *rules, const tally *t, uint32_t *own,
                       const tile *of, const uint16_t *rows, size_t row_count)
{
    const size_t width = sbl_potts_row(potts);
    for (size_t r = 0; r < row_count; r += TILE) {
        const size_t some = row_count - r < TILE ? row_count - r : TILE;
        read_tile(of, rows + r * width, some, width);
        count_tile(potts, rules, t, own, of, some);
    }
}

/* Room for the places that a tally reads. */
static sbl_status make_tile(tile *made, sbl_pool *pool, const sbl_potts *potts, const cell_rule *rules,
                            const tally *t, sbl_error *err)
{
    const size_t width = sbl_potts_row(potts);
    uint8_t *reads;
    sbl_status status = SBL_OK;
    SBL_POOL(pool, made->columns, width, TILE, "a model of pairs");
    SBL_POOL(pool, made->used, width, 1, "a model of pairs");
    SBL_POOL(pool, reads, width, 1, "a model of pairs");
    for (size_t j = t->first_column; j < t->last_column; j++) reads[j] = 1;
    for (size_t b = t->first_block; b < t->last_block; b++)
        reads[rules[b].first] = reads[rules[b].second] = 1;
    for (size_t i = 0; i < width; i++)
        if (reads[i] != 0) made->used[made->used_count++] = (uint32_t)i;
done:
    return status;
}

/* To where all read them. */
static void hand_in(const sbl_potts *potts, const tally *t, uint32_t *counts, uint32_t *ones,
                    const uint32_t *own)
{
    if (t->table_count > 0)
        memcpy(counts + potts->blocks[t->first_block].at, own + t->own, t->table_count * sizeof *counts);
    if (t->code_count > 0)
        memcpy(ones + potts->columns[t->first_column].bias_at, own + t->own + t->table_count,
               t->code_count * sizeof *ones);
}

sbl_status sbl_potts_count(const sbl_potts *potts, uint32_t *counts, uint32_t *ones, const uint16_t *rows,
                           size_t row_count, sbl_error *err)
{
    const size_t parts = (size_t)sbl_thread_limit();
    size_t room = 0;
    sbl_pool pool = {0};
    cell_rule *rules;
    tally *tallies;
    tile *tiles;
    uint32_t *own = NULL;
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, rules, potts->block_count, 1, "a model of pairs");
    SBL_POOL(&pool, tallies, parts, 1, "a model of pairs");
    SBL_POOL(&pool, tiles, parts, 1, "a model of pairs");
    for (size_t g = 0; g < parts; g++) {
        tallies[g] = tally_of(potts, rules, g, parts, room);
        SBL_TRY(make_tile(&tiles[g], &pool, potts, rules, &tallies[g], err));
        room += whole_lines(tallies[g].table_count + tallies[g].code_count);
    }
    own = sbl_lines_array(room, sizeof *own);
    if (own == NULL) {
        status = sbl_no_memory(err, "a model of pairs");
        goto done;
    }
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t g = 0; g < parts; g++) {
        count_some(potts, rules, &tallies[g], own, &tiles[g], rows, row_count);
        hand_in(potts, &tallies[g], counts, ones, own);
    }
done:
    sbl_lines_free(own);
    sbl_pool_clear(&pool);
    return status;
}
