/* Is a sum the sum of its records, whatever stands beside them? For records put at the first, a
 * middle and the last place of a slice and of a batch, over numbers of threads and sizes of batches:
 *     sum of all  -  sum without the record  =  the record's own sum,  in every bit.
 * Where up to k rows of a person count, a person's k + 1 rows in the place of the record: k there, one
 * at the end; whose rows count among the others may not change. */
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
