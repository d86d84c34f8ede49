/* SPDX-License-Identifier: Apache-2.0 */
/* Is a sum the sum of its records, whatever the other records are? For records at the first, a middle and the
 * last position of a slice and of a batch, over numbers of threads and batch sizes:
 *     sum of all  -  sum without the record  =  the record's own sum,  in every bit.
 * Where up to k rows of a person count, the k + 1 rows of a person take the record's position: k there, one at
 * the end. Which rows of the others count may not change. */
#ifndef SBL_AUDIT_ADDITIVITY_H
#define SBL_AUDIT_ADDITIVITY_H

#include "owner/audit/contributions.h"

typedef struct sbl_additivity {
    size_t sums;  /* compared, each of them whole */
    size_t equal; /* those in which every value agrees */
} sbl_additivity;

/* whole - without = own, in every value and count. own NULL: nothing. */
bool sbl_sums_add_up(const sbl_sum *whole, const sbl_sum *without, const sbl_sum *own);

/* records: that the others are put between. own: the hostile ones' own sums, row by row. */
sbl_status sbl_additivity_check(sbl_additivity *result, const sbl_features *features, const sbl_facts *facts,
                                const sbl_records *records, const sbl_hostile *hostile,
                                const sbl_contributions *own, sbl_error *err);

#endif
