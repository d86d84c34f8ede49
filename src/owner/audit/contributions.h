/* SPDX-License-Identifier: Apache-2.0 */
/* What single records add to the sums of a round: one sum of one record each; where up to k rows of a
 * person count, one sum of a person each, who has the record k + 1 times; and of whole persons one sum of
 * a person each, who has 1, 2 or 1000 rows.
 *
 * Two sorts. Records: hostile ones (neighbours.h) through the round's own features. Features: the
 * layout's blocks fed by hand with vectors that no feature map would give, for the bounds are
 * enforced on the integers and must hold whatever the features are; these reach the bounds. */
#ifndef SBL_AUDIT_CONTRIBUTIONS_H
#define SBL_AUDIT_CONTRIBUTIONS_H

#include "base/error.h"
#include "owner/audit/neighbours.h"
#include "records/accumulate/sum.h"
#include "records/features/features.h"

typedef struct sbl_contributions {
    sbl_sum **sums; /* (count) */
    const char **names;
    uint32_t *labels; /* as they were given, whether there is such a class or not */
    size_t count;
    size_t kinds;
} sbl_contributions;

sbl_status sbl_contributions_of_records(sbl_contributions *made, const sbl_features *features,
                                        const sbl_hostile *hostile, sbl_error *err);
sbl_status sbl_contributions_of_features(sbl_contributions *made, const sbl_layout *layout, sbl_error *err);
void sbl_contributions_clear(sbl_contributions *made);

#endif
