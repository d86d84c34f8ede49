/* Which of a unit's (a person's) rows a row is, in the order of reading: 0 is the first.
 *
 * The index of a row depends on the rows of its own unit and their order, on nothing else. So whoever
 * counts rows with an index below k counts at most k rows of every unit, and changing one unit's rows
 * changes no other's (docs/mechanisms/unit.md).
 * Privacy: tags are as secret as the cells they were made from; they stand in locked pages, which are
 * wiped. Memory grows with the number of persons, not with that of rows. */
#ifndef SBL_ACCUMULATE_PERSON_ROWS_KEPT_H
#define SBL_ACCUMULATE_PERSON_ROWS_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/kinds.h"

typedef struct sbl_units sbl_units;

/* Nobody has been seen. rows_per_unit: k, 1 .. SBL_ROWS_PER_UNIT_MAX.
 * Owner: the caller; sbl_units_free() */
sbl_status sbl_units_new(sbl_units **units, uint64_t rows_per_unit, sbl_error *err);
void sbl_units_free(sbl_units *units); /* wipes; NULL is fine */

/* unit_rows[r]: how many rows of the same unit came before row r, but k where it is k or more. A tag
 * of nobody is a unit of its own. Batches come in the order of reading, each once.
 * Returns: SBL_OK, SBL_EMEM: then no index of the batch may be used */
sbl_status sbl_units_index_rows(sbl_units *units, uint32_t *unit_rows, const sbl_unit_tag *tags, size_t rows,
                                sbl_error *err);

#endif
