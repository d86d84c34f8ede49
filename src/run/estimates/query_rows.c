/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that grow while rows come, and rows by group once all of them are there. */
#include "run/estimates/query_rows.h"

#include <math.h>

#include "base/alloc.h"

#define FIRST_ROWS 4096
#define WHAT "rows of a drawn table"

void sbl_query_rows_clear(sbl_query_rows *rows)
{
    for (size_t i = 0; rows->columns != NULL && i < rows->used_count; i++) sbl_free(rows->columns[i]);
    sbl_free(rows->columns);
    sbl_free(rows->used);
    sbl_free(rows->groups);
    sbl_free(rows->persons);
    sbl_free(rows->starts);
    sbl_free(rows->order);
    sbl_free(rows->influence);
    sbl_free(rows->scratch);
    *rows = (sbl_query_rows){0};
}

static void use_column(sbl_query_rows *rows, size_t column)
{
    for (size_t i = 0; i < rows->used_count; i++)
        if (rows->used[i] == column) return;
    rows->used[rows->used_count++] = column;
}

sbl_status sbl_query_rows_begin(sbl_query_rows *rows, const sbl_queries *queries, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(rows->used, 2 * queries->count, WHAT);
    for (size_t i = 0; i < queries->count; i++) {
        const sbl_query *query = &queries->items[i];
        if (query->kind != SBL_STATISTIC_COUNT) use_column(rows, query->column);
        if (query->kind == SBL_STATISTIC_CORRELATION) use_column(rows, query->other);
    }
    SBL_ALLOC(rows->columns, rows->used_count, WHAT);
    SBL_ALLOC(rows->starts, queries->groups + 1, WHAT);
done:
    return status;
}

static sbl_status make_room(sbl_query_rows *rows, size_t more, sbl_error *err)
{
    size_t capacity = rows->capacity != 0 ? rows->capacity : FIRST_ROWS;
    sbl_status status = SBL_OK;
    if (rows->rows + more <= rows->capacity) return SBL_OK;
    while (capacity < rows->rows + more) capacity *= 2;
    for (size_t i = 0; i < rows->used_count; i++) SBL_RESIZE(rows->columns[i], capacity, WHAT);
    SBL_RESIZE(rows->groups, capacity, WHAT);
    SBL_RESIZE(rows->persons, capacity, WHAT);
    SBL_RESIZE(rows->order, capacity, WHAT);
    SBL_RESIZE(rows->influence, capacity, WHAT);
    SBL_RESIZE(rows->scratch, capacity, WHAT);
    rows->capacity = capacity;
done:
    return status;
}

static uint32_t group_of(const sbl_queries *queries, const sbl_batch *batch, size_t row)
{
    uint64_t group = 0;
    for (size_t i = 0; i < queries->where.count; i++)
        if (!sbl_condition_holds(batch, row, &queries->where.items[i])) return SBL_NO_GROUP;
    for (size_t i = 0; i < queries->by_count; i++) {
        const size_t of = sbl_query_groups_of(&queries->schema->columns[queries->by[i]]);
        const uint32_t code = batch->columns[queries->by[i]].codes[row];
        if (code >= of) return SBL_NO_GROUP;
        group = group * of + code;
    }
    return (uint32_t)group;
}

static double value_of(const sbl_batch *batch, size_t column, size_t row)
{
    const sbl_batch_column *from = &batch->columns[column];
    const sbl_column *facts = &batch->schema->columns[column];
    if (from->codes != NULL)
        return from->codes[row] < facts->categories.count ? (double)from->codes[row] : (double)NAN;
    if (from->missing != NULL && from->missing[row] != 0) return (double)NAN;
    return sbl_column_snap(sbl_batch_domain(batch, facts, row), from->values[row]);
}

sbl_status sbl_query_rows_add(sbl_query_rows *rows, const sbl_queries *queries, const sbl_batch *batch,
                              sbl_error *err)
{
    SBL_CHECK(make_room(rows, batch->rows, err));
    for (size_t r = 0; r < batch->rows; r++) {
        const size_t at = rows->rows++;
        rows->groups[at] = group_of(queries, batch, r);
        rows->persons[at] = batch->units != NULL ? batch->units[r].low : 0;
        for (size_t i = 0; i < rows->used_count; i++)
            rows->columns[i][at] = value_of(batch, rows->used[i], r);
    }
    return SBL_OK;
}

sbl_status sbl_query_rows_sort(sbl_query_rows *rows, const sbl_queries *queries, bool whole, sbl_error *err)
{
    SBL_CHECK(make_room(rows, 1, err));
    for (size_t g = 0; g <= queries->groups; g++) rows->starts[g] = 0;
    rows->clusters = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        if (!whole || rows->persons[r] == 0) rows->persons[r] = r + 1;
        rows->clusters += r == 0 || rows->persons[r] != rows->persons[r - 1];
        if (rows->groups[r] != SBL_NO_GROUP) rows->starts[rows->groups[r] + 1]++;
    }
    for (size_t g = 0; g < queries->groups; g++) rows->starts[g + 1] += rows->starts[g];
    for (size_t r = 0; r < rows->rows; r++) /* starts of a group move to its end, */
        if (rows->groups[r] != SBL_NO_GROUP) rows->order[rows->starts[rows->groups[r]]++] = r;
    for (size_t g = queries->groups; g > 0; g--) rows->starts[g] = rows->starts[g - 1]; /* and back */
    rows->starts[0] = 0;
    return SBL_OK;
}
