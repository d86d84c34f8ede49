/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile neighbours among linked tables: two packages that differ in one person, and in no row of anybody else. What
 * they have in common is hostile as well: orphans that refer to the keys of the person, keys that several persons
 * have, root rows with one key, missing keys, keys in several spellings. docs/mechanisms/histories.md says why such a
 * pair are neighbours. */
#ifndef SBL_AUDIT_LINKED_NEIGHBOURS_H
#define SBL_AUDIT_LINKED_NEIGHBOURS_H

#include "owner/audit/linked_records.h"
#include "semblance/account.h"

#define SBL_PAIR_FIRST 1u  /* the package with the person */
#define SBL_PAIR_SECOND 2u /* with another person (replace-one), or without (add-remove) */

typedef struct sbl_package_pair {
    sbl_package_rows rows; /* of both */
    const char *name;      /* the kind of the person, a literal */
} sbl_package_pair;

/* All there are, and of how many kinds. */
size_t sbl_package_pair_count(void);
size_t sbl_package_pair_kinds(void);
/* Pair `number` of one relation, from a fixed seed. sbl_package_write() reports a lack of memory.
 * Owner: the caller; sbl_package_rows_clear() for its rows */
sbl_package_pair sbl_package_pair_make(size_t number, sbl_neighbours neighbours);

/* The given number of persons, with the faults of the pairs: the package that releases are made of. */
sbl_package_rows sbl_package_crowd(size_t persons);

#endif
