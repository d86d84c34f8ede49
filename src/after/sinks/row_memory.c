/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows, and begins anew with every chunk of whole persons. */
#include "after/sinks/row_memory.h"

#include <string.h>

#include "base/alloc.h"

#define FIRST_ROWS 4096
#define WHAT "rows of linked tables"

static sbl_status grow(sbl_row_memory *memory, sbl_error *err)
{
    const size_t capacity = memory->capacity != 0 ? 2 * memory->capacity : FIRST_ROWS;
    double *rows = NULL;
    bool *left_out = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(rows, capacity * memory->width, WHAT);
    SBL_ALLOC(left_out, capacity, WHAT);
    if (memory->count > 0) {
        memcpy(rows, memory->rows, memory->count * memory->width * sizeof *rows);
        memcpy(left_out, memory->left_out, memory->count * sizeof *left_out);
    }
    sbl_free(memory->rows);
    sbl_free(memory->left_out);
    memory->rows = rows;
    memory->left_out = left_out;
    memory->capacity = capacity;
    rows = NULL;
    left_out = NULL;
done:
    sbl_free(rows);
    sbl_free(left_out);
    return status;
}

sbl_status sbl_row_memory_add(sbl_row_memory *memory, const double *row, size_t own, const double *above,
                              bool left_out, sbl_error *err)
{
    if (memory->count == memory->capacity) SBL_CHECK(grow(memory, err));
    double *to = memory->rows + memory->count * memory->width;
    memcpy(to, row, own * sizeof *to);
    if (above != NULL) memcpy(to + own, above, (memory->width - own) * sizeof *to);
    memory->left_out[memory->count++] = left_out;
    return SBL_OK;
}

const double *sbl_row_memory_find(const sbl_row_memory *memory, uint64_t number)
{
    if (number < memory->first || number - memory->first >= memory->count) return NULL;
    return memory->rows + (number - memory->first) * memory->width;
}

bool sbl_row_memory_left_out(const sbl_row_memory *memory, uint64_t number)
{
    return sbl_row_memory_find(memory, number) != NULL && memory->left_out[number - memory->first];
}

void sbl_row_memory_forget(sbl_row_memory *memory)
{
    memory->first += memory->count;
    memory->count = 0;
}

void sbl_row_memory_clear(sbl_row_memory *memory)
{
    sbl_free(memory->rows);
    sbl_free(memory->left_out);
    *memory = (sbl_row_memory){0};
}
