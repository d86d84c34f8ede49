/* The arrays of the Potts model, and counting: rows are counted in four parts that are added up,
 * so that the threads change nothing. */
#include "pairs/potts.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "compute/threads.h"

#define COUNTERS 4 /* parts of the rows that are counted apart and then added */

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for a model of pairs");
}

sbl_status sbl_potts_init(sbl_potts *potts, const uint32_t *codes, const uint32_t *groups,
                          size_t count, sbl_error *err)
{
    *potts = (sbl_potts){.count = count};
    potts->columns = sbl_alloc_array(count, sizeof *potts->columns);
    bool good = potts->columns != NULL;
    for (size_t j = 0; good && j < count; j++) {
        sbl_potts_column *column = &potts->columns[j];
        column->codes = codes[j];
        column->groups = groups[j];
        column->bias_at = potts->bias_count;
        column->group_of = sbl_alloc_array(codes[j], sizeof *column->group_of);
        good = column->group_of != NULL;
        potts->bias_count += codes[j];
    }
    potts->bias = good ? sbl_alloc_array(potts->bias_count, sizeof *potts->bias) : NULL;
    if (potts->bias) return SBL_OK;
    sbl_potts_clear(potts);
    return no_memory(err);
}

void sbl_potts_clear(sbl_potts *potts)
{
    for (size_t j = 0; potts->columns && j < potts->count; j++)
        sbl_free(potts->columns[j].group_of);
    sbl_free(potts->columns);
    sbl_free(potts->blocks);
    sbl_free(potts->bias);
    sbl_free(potts->theta);
    *potts = (sbl_potts){0};
}

void sbl_potts_empty(sbl_potts *potts) { potts->block_count = potts->theta_count = 0; }

static bool make_room(void **items, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room) return true;
    size_t larger;
    if (!sbl_size_add(&larger, wanted, wanted / 2)) return false;
    void *moved = sbl_resize_array(*items, larger, size);
    if (!moved) return false;
    *items = moved;
    *room = larger;
    return true;
}

sbl_status sbl_potts_add(sbl_potts *potts, uint32_t first, uint32_t second, bool grouped,
                         sbl_error *err)
{
    const size_t at = potts->theta_count, entries = (size_t)sbl_potts_size(potts, first, grouped) *
                                                    sbl_potts_size(potts, second, grouped);
    void *blocks = potts->blocks, *theta = potts->theta;
    const bool good =
        make_room(&blocks, &potts->block_room, potts->block_count + 1, sizeof *potts->blocks) &&
        make_room(&theta, &potts->theta_room, at + entries, sizeof *potts->theta);
    potts->blocks = blocks;
    potts->theta = theta;
    if (!good) return no_memory(err);
    memset(potts->theta + at, 0, entries * sizeof *potts->theta);
    potts->blocks[potts->block_count++] = (sbl_potts_block){first, second, grouped, at};
    potts->theta_count += entries;
    return SBL_OK;
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
    size_t at;
} cell_rule;

static void count_part(const sbl_potts *potts, const cell_rule *rules, uint32_t *counts,
                       uint32_t *ones, const uint16_t *rows, size_t row_count)
{
    for (size_t r = 0; r < row_count; r++) {
        const uint16_t *row = rows + r * sbl_potts_row(potts);
        for (size_t j = 0; j < potts->count; j++) ones[potts->columns[j].bias_at + row[j]]++;
        for (size_t b = 0; b < potts->block_count; b++) {
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
        rules[b] = (cell_rule){block->first + shift, block->second + shift,
                               sbl_potts_size(potts, block->second, block->grouped), block->at};
    }
}

sbl_status sbl_potts_count(const sbl_potts *potts, uint32_t *counts, uint32_t *ones,
                           const uint16_t *rows, size_t row_count, sbl_error *err)
{
    const size_t entries = potts->theta_count + potts->bias_count;
    cell_rule *rules = sbl_alloc_array(potts->block_count, sizeof *rules);
    uint32_t *parts = sbl_alloc_array(entries, COUNTERS * sizeof *parts);
    if (!rules || !parts) {
        sbl_free(rules);
        sbl_free(parts);
        return no_memory(err);
    }
    make_rules(rules, potts);
    SBL_OMP(omp parallel for schedule(static, 1))
    for (size_t part = 0; part < COUNTERS; part++) {
        const size_t begin = row_count * part / COUNTERS, end = row_count * (part + 1) / COUNTERS;
        uint32_t *own = parts + part * entries;
        count_part(potts, rules, own, own + potts->theta_count, rows + begin * sbl_potts_row(potts),
                   end - begin);
    }
    for (size_t i = 0; i < entries; i++) {
        uint32_t sum = 0;
        for (size_t part = 0; part < COUNTERS; part++) sum += parts[part * entries + i];
        if (i < potts->theta_count)
            counts[i] = sum;
        else
            ones[i - potts->theta_count] = sum;
    }
    sbl_free(rules);
    sbl_free(parts);
    return SBL_OK;
}
