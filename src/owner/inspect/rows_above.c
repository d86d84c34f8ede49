/* SPDX-License-Identifier: Apache-2.0 */
/* An array of rows that grows, and the numbers of rows by keyed hashes of their keys. */
#include "owner/inspect/rows_above.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_ROWS 4096

void sbl_rows_above_clear(sbl_rows_above *above)
{
    sbl_tag_table_clear(&above->keys);
    sbl_free_wiped(above->rows, above->capacity * above->width * sizeof *above->rows);
    *above = (sbl_rows_above){0};
}

const double *sbl_rows_above_find(const sbl_rows_above *above, sbl_unit_tag key)
{
    const uint64_t *number = sbl_tag_is_nobody(key) ? NULL : sbl_tag_table_find(&above->keys, key);
    return number != NULL ? above->rows + (*number - 1) * above->width : NULL;
}

static bool grow(sbl_rows_above *above)
{
    const size_t capacity = above->capacity != 0 ? 2 * above->capacity : FIRST_ROWS;
    double *rows = sbl_alloc_array(capacity, above->width * sizeof *rows);
    if (rows == NULL) return false;
    if (above->count > 0) memcpy(rows, above->rows, above->count * above->width * sizeof *rows);
    sbl_free_wiped(above->rows, above->capacity * above->width * sizeof *above->rows);
    above->rows = rows;
    above->capacity = capacity;
    return true;
}

bool sbl_rows_above_keep(sbl_rows_above *above, sbl_unit_tag key, const double *row, size_t own,
                         const double *parent)
{
    if (sbl_tag_is_nobody(key)) return true;
    uint64_t *number = sbl_tag_table_at(&above->keys, key);
    if (number == NULL) return false;
    if (*number != 0) return true;
    if (above->count == above->capacity && !grow(above)) return false;
    double *to = above->rows + above->count * above->width;
    memcpy(to, row, own * sizeof *to);
    for (size_t c = own; c < above->width; c++) to[c] = parent != NULL ? parent[c - own] : (double)NAN;
    *number = ++above->count;
    return true;
}
