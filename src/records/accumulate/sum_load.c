/* SPDX-License-Identifier: Apache-2.0 */
/* [4] Makes a sum from its values. No record is seen here, so nothing can be enforced; it is only checked
 * that the values could be the sums of the given number of rows. */
#include <string.h>

#include "records/accumulate/sum_state.h"

/* Could no sum of records hold this value? */
static bool is_out_of_range(int64_t value)
{
    return value > (int64_t)SBL_SUM_LIMIT || value < -(int64_t)SBL_SUM_LIMIT;
}

/* Is every row counted, in one class? */
static bool counts_are_of(const int64_t *counts, size_t classes, uint64_t rows)
{
    for (size_t c = 0; c < classes; c++) {
        if (counts[c] < 0 || (uint64_t)counts[c] > rows) return false;
        rows -= (uint64_t)counts[c];
    }
    return rows == 0;
}

/* Why these cannot be the values of a sum, or NULL. */
static const char *fault_of(const sbl_sum *sum, const int64_t *values, size_t count, uint64_t rows)
{
    const size_t classes = sum->layout.classes;
    if (count != sum->value_count) return "it holds another number of values than its plan";
    if (rows > sum->layout.rows_cap) return "it has more rows than the plan's row cap";
    for (size_t i = 0; i < count; i++)
        if (is_out_of_range(values[i])) return "a value is larger than any sum can be";
    if (!counts_are_of(values + count - classes, classes, rows))
        return "its counts are not those of its rows";
    return NULL;
}

sbl_status sbl_sum_load(sbl_sum **sum, const sbl_layout *layout, const int64_t *values, size_t count,
                        uint64_t rows, sbl_error *err)
{
    sbl_sum *made = NULL;
    *sum = NULL;
    const sbl_status status = sbl_sum_new(&made, layout, err);
    if (status != SBL_OK) return status;
    const char *fault = fault_of(made, values, count, rows);
    if (fault != NULL) {
        sbl_sum_free(made);
        return sbl_fail(err, SBL_EINPUT, "the sum is damaged: %s", fault);
    }
    memcpy(made->values, values, count * sizeof *values);
    made->rows = rows;
    *sum = made;
    return SBL_OK;
}
