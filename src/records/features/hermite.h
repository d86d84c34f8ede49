/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite polynomial features (Vinaroz, Charusaie, Harder, Adamczewski and Park 2022; corrected in
 * docs/mechanisms/hp.md) of an encoded record (public/features/hermite_basis.h), all parts side by side, each of norm at
 * most 1, so P parts have norm sqrt(P).
 *
 * Sensitivity of the sum, in units of sqrt(P). Mode `kernel`: coordinates are snapped to public
 * levels, integers come from tables of which every pair is compared (records/accumulate/levels.h): sqrt 2
 * under replace-one. Mode `norm`: any number, the record is clipped: 2. Add-remove: 1 in both.
 * Privacy: length scales and subsets are public; nothing is learned from records. */
#ifndef SBL_FEATURES_HERMITE_H
#define SBL_FEATURES_HERMITE_H

#include "public/features/hermite_basis.h"
#include "records/features/feature.h"

/* From parameters and facts: parts, and where tables are wanted, tables. */
sbl_status sbl_hermite_init(sbl_hermite *hermite, const sbl_facts *facts, const json_t *parameters,
                            bool product, sbl_error *err);
void sbl_hermite_clear(sbl_hermite *hermite);

extern const sbl_feature sbl_feature_hermite;
extern const sbl_feature sbl_feature_hermite_product; /* made: sbl_hermite, of both */

#endif
