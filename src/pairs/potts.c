/* The arrays of the Potts model, and counting: each thread counts all rows in some of the tables. */
#include "pairs/potts.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "compute/threads.h"

sbl_status sbl_potts_init(sbl_potts *potts, const uint32_t *codes, const uint32_t *groups,
                          size_t count, sbl_error *err)
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

sbl_status sbl_potts_add(sbl_potts *potts, uint32_t first, uint32_t second, bool grouped,
                         sbl_error *err)
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

void sbl_potts_find_leaves(const sbl_potts *potts, uint32_t *leaves, const uint16_t *rows,
                           size_t row_count)
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
    for (size_t r = 0; r < row_count; r++) {
        uint16_t *row = rows + r * sbl_potts_row(potts);
        for (size_t j = 0; j < potts->count; j++)
            row[potts->count + j] = potts->columns[j].group_of[row[j]];
    }
}

/* Where in a row, and how far apart in the table, the codes of a block are. */
typedef struct cell_rule {
    uint32_t first, second, stride;
    size_t at, entries;
} cell_rule;

/* Some blocks and some columns, over all rows. */
typedef struct counting {
    size_t first_block, last_block, first_column, last_column;
} counting;

static void count_some(const sbl_potts *potts, const cell_rule *rules, counting some,
                       uint32_t *counts, uint32_t *ones, const uint16_t *rows, size_t row_count)
{
    for (size_t b = some.first_block; b < some.last_block; b++)
        memset(counts + rules[b].at, 0, rules[b].entries * sizeof *counts);
    for (size_t j = some.first_column; j < some.last_column; j++)
        memset(ones + potts->columns[j].bias_at, 0, potts->columns[j].codes * sizeof *ones);
    for (size_t r = 0; r < row_count; r++) {
        const uint16_t *row = rows + r * sbl_potts_row(potts);
        for (size_t j = some.first_column; j < some.last_column; j++)
            ones[potts->columns[j].bias_at + row[j]]++;
        for (size_t b = some.first_block; b < some.last_block; b++) {
            const cell_rule *rule = &rules[b];
            counts[rule->at + (size_t)row[rule->first] * rule->stride + row[rule->second]]++;
        }
    }
}

static void make_rules(cell_rule *rules, const sbl_potts *potts)
{
    for (size_t b = 0; b < potts->block_count; b++) {
        const sbl_potts_block *block = &potts->blocks[b];
        const uint32_t shift = block->grouped ? (uint32_t)potts->count : 0;
        const uint32_t stride = sbl_potts_size(potts, block->second, block->grouped);
        rules[b] =
            (cell_rule){block->first + shift, block->second + shift, stride, block->at,
                        (size_t)sbl_potts_size(potts, block->first, block->grouped) * stride};
    }
}

sbl_status sbl_potts_count(const sbl_potts *potts, uint32_t *counts, uint32_t *ones,
                           const uint16_t *rows, size_t row_count, sbl_error *err)
{
    const size_t blocks = potts->block_count, columns = potts->count;
    const size_t groups = (size_t)sbl_thread_limit();
    cell_rule *rules = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(rules, blocks, "a model of pairs");
    make_rules(rules, potts);
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t g = 0; g < groups; g++)
        count_some(potts, rules,
                   (counting){g * blocks / groups, (g + 1) * blocks / groups, g * columns / groups,
                              (g + 1) * columns / groups},
                   counts, ones, rows, row_count);
done:
    sbl_free(rules);
    return status;
}
