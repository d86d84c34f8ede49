/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the person of a row from the cell of the unit column.
 *
 * A person is an id: the bytes of the cell without blanks around them, whatever bytes and however many. A
 * whole number is one id with or without a fraction of zeros, and zero has no sign (7 and 7.0, 0 and -0.0),
 * because that is how a column changes that went through floating point. So the spelling that a file format
 * or a library chooses never splits one person into two. Only a cell without an id has no person. */
#ifndef SBL_ROWS_UNIT_ID_H
#define SBL_ROWS_UNIT_ID_H

#include "base/siphash.h"

/* Longer ids are not numbers. */
#define SBL_UNIT_SHORT 64

/* An id that comes byte by byte. Privacy: as secret as the cell. */
typedef struct sbl_unit_id {
    const uint8_t *key; /* borrowed */
    char first[SBL_UNIT_SHORT];
    size_t length;         /* from the first byte that is not a blank */
    size_t end;            /* to the last one */
    sbl_siphash_state all; /* of more than SBL_UNIT_SHORT bytes */
    sbl_siphash_state ended;
} sbl_unit_id;

void sbl_unit_id_begin(sbl_unit_id *id, const uint8_t key[SBL_SIPHASH_KEY_SIZE]);
void sbl_unit_id_add(sbl_unit_id *id, char byte);
sbl_unit_tag sbl_unit_id_end(sbl_unit_id *id); /* both 0: no person. Wipes */

/* A whole id in one call. */
sbl_unit_tag sbl_unit_id_of(const uint8_t key[SBL_SIPHASH_KEY_SIZE], const char *text, size_t length);

#endif
