/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the rows of each person (unit) in the order of reading: 0 is the first.
 *
 * The number of a row depends on the rows of its own person and their order only. So code that counts the
 * rows with a number below k counts at most k rows of every person, and changing the rows of one person
 * changes no other person's numbers (docs/mechanisms/unit.md). Privacy: tags are as secret as the cells
 * they were made from; they are kept in locked pages, which are wiped. Memory grows with the number of
 * persons, not with the number of rows. */
#ifndef SBL_ACCUMULATE_PERSON_ROWS_KEPT_H
#define SBL_ACCUMULATE_PERSON_ROWS_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/kinds.h"

typedef struct sbl_units sbl_units;

/* No person has been seen yet. rows_per_unit: k, 1 .. SBL_ROWS_PER_UNIT_MAX.
 * Owner: the caller; sbl_units_free() */
sbl_status sbl_units_new(sbl_units **units, uint64_t rows_per_unit, sbl_error *err);
void sbl_units_free(sbl_units *units); /* wipes; NULL is fine */

/* unit_rows[r]: the number of rows of the same person before row r, at most k. A row without an id is a
 * person of its own. Batches come in the order of reading, each once.
 * Returns: SBL_OK, SBL_EMEM: then no index of the batch may be used */
sbl_status sbl_units_index_rows(sbl_units *units, uint32_t *unit_rows, const sbl_unit_tag *tags, size_t rows,
                                sbl_error *err);

#endif
