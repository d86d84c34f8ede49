/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Missing values that no record has are not drawn (public/schema/missing.h): a generator's softmax gives every
 * code some probability, so the codes that the release cannot tell from noise are taken out of it. Counts come
 * from the release's one-hot means, summed over the classes, and its counts of the classes. */
#ifndef SBL_TRAIN_MISSING_CODES_H
#define SBL_TRAIN_MISSING_CODES_H

#include "after/model/generator.h"
#include "door/release/release.h"
#include "public/plan/facts.h"

/* shares (C) of a table's classes become 0 where the last class, of records without a label, is noise; the
 * others are projected anew. rows: the number of records, as sbl_target_shares() has it. */
void sbl_missing_take_class(double *shares, double rows, const sbl_facts *facts, const sbl_release *release);
/* The same of all other columns of a table, once the generator is trained. */
void sbl_missing_take_codes(sbl_generator *generator, const sbl_facts *facts, const sbl_release *release);

#endif
