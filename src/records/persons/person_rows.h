/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that wait in memory until their person is complete: encoded, in segments, each with the number of
 * the same person's row before it. Privacy: records; freed wiped. */
#ifndef SBL_PERSONS_PERSON_ROWS_H
#define SBL_PERSONS_PERSON_ROWS_H

#include "public/rows/encoded_records.h"

#define SBL_NO_ROW 0 /* rows are numbered from 1 */

/* Begins as {.facts}. */
typedef struct sbl_person_rows {
    const sbl_facts *facts; /* borrowed */
    sbl_drawn *segments;
    size_t segment_count;
    uint32_t *before; /* (rows that there is memory for): the one before; of a free one, the next free */
    uint32_t used;    /* rows that were ever used */
    uint32_t free;    /* the first free one among them */
} sbl_person_rows;

/* Keep row `row` of the batch; before: of its person, SBL_NO_ROW for the first.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_person_rows_keep(sbl_person_rows *rows, uint32_t *kept, uint32_t before,
                                const sbl_records *batch, size_t row, sbl_error *err);
/* One row; borrowed. */
sbl_records sbl_person_rows_at(const sbl_person_rows *rows, uint32_t row);
static inline uint32_t sbl_person_rows_before(const sbl_person_rows *rows, uint32_t row)
{
    return rows->before[row - 1];
}
/* It is not needed any more. */
void sbl_person_rows_drop(sbl_person_rows *rows, uint32_t row);
/* None of them is; their memory stays. */
void sbl_person_rows_drop_all(sbl_person_rows *rows);
void sbl_person_rows_clear(sbl_person_rows *rows);

/* Bytes of one row. */
size_t sbl_person_rows_bytes(const sbl_facts *facts);

#endif
