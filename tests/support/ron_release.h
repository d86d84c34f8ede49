/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of a RON-Gauss plan made by hand: exact moments of given Gaussians, noise of a given
 * size said to be on them. */
#ifndef SBL_TESTS_SUPPORT_RON_RELEASE_H
#define SBL_TESTS_SUPPORT_RON_RELEASE_H

#include "door/release/release.h"
#include "public/rows/projection.h"

/* A record of `numeric` numbers, categories of 3 and 2 codes where mixed, `classes` classes; the
 * first number is the target where targeted. */
void ron_record(sbl_unit_record *record, size_t numeric, bool mixed, size_t classes, bool targeted,
                bool centred);

/* means (C, width) and second (C, moments, moments) per record, sizes (C). deviation: of the noise
 * that the blocks' multipliers stand for, in rows; none is added. A second release of normalise has
 * no means: pass NULL. */
sbl_release *ron_release(const sbl_ron_plan *plan, const double *means, const double *second,
                         const double *sizes, uint64_t n, double deviation);

#endif
