/* SPDX-License-Identifier: Apache-2.0 */
/* The chance of so much noise, from the tail of its distribution, against the chance that is allowed. */
#include "public/schema/missing.h"

#include <math.h>

#define ALLOWED 1e-3 /* chance that a table gets an empty cell which no record has */

bool sbl_missing_is_noise(double count, double deviation, bool laplace, size_t columns)
{
    if (!(count > 0)) return true;
    if (!(deviation > 0)) return false;
    const double z = count / deviation;
    const double chance = (laplace ? exp(-z * sqrt(2.0)) : erfc(z / sqrt(2.0))) / 2;
    return chance * (double)columns > ALLOWED;
}

uint32_t sbl_head_missing(const sbl_head *head, const sbl_schema *schema)
{
    if (head->kind != SBL_HEAD_CATEGORICAL || !schema->columns[head->column].missing_allowed)
        return SBL_NO_CODE;
    return head->indicator ? 1 : head->cardinality - 1;
}

size_t sbl_missing_columns(const sbl_schema *schema)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        count += schema->columns[i].kind != SBL_COLUMN_IGNORED && schema->columns[i].missing_allowed;
    return count;
}
