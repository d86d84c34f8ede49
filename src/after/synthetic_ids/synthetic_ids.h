/* SPDX-License-Identifier: Apache-2.0 */
/* [8] Cells of columns that are not statistics: ids, fakes and constants (public/schema/role.h).
 *
 * A cell is a pure function of the public schema, a public seed, its row's number and, for a name, the synthetic sex. This folder
 * knows of no record and of no table: nothing here can have come from the data. */
#ifndef SBL_SYNTHETIC_IDS_SYNTHETIC_IDS_H
#define SBL_SYNTHETIC_IDS_SYNTHETIC_IDS_H

#include <stdint.h>

#include "base/text.h"
#include "public/schema/schema_type.h"

/* Append the cell of a made column for record `number` (0, 1, ...); rows of one person may share a
 * number. sex: the synthetic row's cell in the column's made_sex; NULL: none. Nothing is appended for a column that is
 * not made. */
void sbl_synthetic_cell(sbl_text *cell, const sbl_schema *schema, size_t column, const char *sex,
                        uint64_t seed, uint64_t number);

/* Appends id `number`: no two numbers below 2^60 have the same. how: as sbl_column.made_as. A
 * pattern has 10^digits ids in an order of its own for each key; numbers beyond are written with as
 * many digits as they need. */
void sbl_synthetic_id(sbl_text *cell, const char *how, uint64_t key, uint64_t number);

/* Appends a fake; the names and the e-mail of one number belong together. sex: as the table writes it ("f", "male"); a
 * first name fits it. NULL, or a word that is not known: any name. */
void sbl_synthetic_fake(sbl_text *cell, const char *what, const char *sex, uint64_t seed, uint64_t number);

/* A permutation of 0 .. count - 1 (count <= 2^60), another for each key; value < count. */
uint64_t sbl_synthetic_permute(uint64_t value, uint64_t count, uint64_t key);

#endif
