/* SPDX-License-Identifier: Apache-2.0 */
/* Whose row each is: keyed hashes of ids, as they are read, become numbers of persons. */
#ifndef SBL_FIDELITY_ROW_PERSONS_H
#define SBL_FIDELITY_ROW_PERSONS_H

#include "public/rows/row_batch.h"

/* The tags of the rows so far. Zero-initialise.   Privacy: as secret as the ids. */
typedef struct sbl_row_tags {
    sbl_unit_tag *tags;
    size_t count, capacity;
} sbl_row_tags;

/* Those of some rows, after what is there.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_tags_add(sbl_row_tags *list, const sbl_unit_tag *tags, size_t count, sbl_error *err);
void sbl_row_tags_clear(sbl_row_tags *list); /* wipes */

/* Persons 0, 1, 2, ... in the order of their first rows; a row without a person counts as its own.
 * Out:     persons  (count), sbl_free(); NULL if no row names a person
 *          total    how many there are
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_persons(uint32_t **persons, size_t *total, const sbl_row_tags *list, sbl_error *err);

#endif
