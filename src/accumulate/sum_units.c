/* Rows of persons who may own several: at most k of a person's rows count, and how many do is
 * counted by person (docs/mechanisms/unit.md). */
#include <string.h>

#include "accumulate/sum_state.h"
#include "base/memory.h"

void sbl_sum_free_turns(sbl_sum *sum)
{
    sbl_free_wiped(sum->turns, sum->turns_size * sizeof *sum->turns);
    sum->turns = NULL;
    sum->turns_size = 0;
}

bool sbl_sum_keep_turns(sbl_sum *sum, const uint32_t *turns, size_t rows)
{
    if (rows > sum->turns_size) {
        sbl_sum_free_turns(sum);
        sum->turns = sbl_alloc_array(rows, sizeof *sum->turns);
        if (sum->turns == NULL) return false;
        sum->turns_size = rows;
    }
    if (rows != 0) memcpy(sum->turns, turns, rows * sizeof *turns);
    return true;
}

/* The person had `turn` rows and has one more: leaves bin `turn`, enters the next. Over all rows of
 * a person the steps cancel but for the last: one person is a 1 in one bin. */
static void count_person(int64_t *persons, uint32_t turn)
{
    persons[turn]++;
    if (turn > 0) persons[turn - 1]--;
}

void sbl_sum_count_persons(sbl_sum *sum)
{
    for (size_t b = 0; b < sum->layout.block_count; b++) {
        if (sum->layout.blocks[b].kind != SBL_BLOCK_PERSONS) continue;
        for (size_t row = 0; row < sum->batch_rows; row++)
            if (sbl_sum_counts_row(sum, row)) count_person(sum->blocks[b].values, sum->turns[row]);
    }
}
