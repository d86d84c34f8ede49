/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the rows of each person so far, in a table by the persons' tags. */
#include "records/accumulate/person_rows_kept.h"

#include "base/alloc.h"
#include "base/tag_table.h"

#define TABLE "a table of persons" /* as a lack of memory for it is reported */

struct sbl_units {
    sbl_tag_table seen; /* rows so far, at most k */
    uint64_t rows_per_unit;
};

sbl_status sbl_units_new(sbl_units **units, uint64_t rows_per_unit, sbl_error *err)
{
    sbl_units *made = NULL;
    sbl_status status = SBL_OK;
    *units = NULL;
    if (rows_per_unit == 0 || rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "1 to %d rows of a person can count", SBL_ROWS_PER_UNIT_MAX);
    SBL_ALLOC(made, 1, TABLE);
    made->rows_per_unit = rows_per_unit;
    *units = made;
done:
    return status;
}

void sbl_units_free(sbl_units *units)
{
    if (units == NULL) return;
    sbl_tag_table_clear(&units->seen);
    sbl_free_wiped(units, sizeof *units);
}

sbl_status sbl_units_index_rows(sbl_units *units, uint32_t *unit_rows, const sbl_unit_tag *tags, size_t rows,
                                sbl_error *err)
{
    for (size_t r = 0; r < rows; r++) {
        unit_rows[r] = 0;
        if (sbl_tag_is_nobody(tags[r])) continue;
        uint64_t *seen = sbl_tag_table_at(&units->seen, tags[r]);
        if (seen == NULL) return sbl_no_memory(err, TABLE);
        unit_rows[r] = (uint32_t)*seen;
        *seen += *seen < units->rows_per_unit;
    }
    return SBL_OK;
}
