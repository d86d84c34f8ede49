/* SPDX-License-Identifier: Apache-2.0 */
/* How far two samples of one population are apart by chance: what distances of tables are compared with.
 * NOT PRIVATE, as everything of fidelity/. */
#ifndef SBL_FIDELITY_SAMPLING_NOISE_H
#define SBL_FIDELITY_SAMPLING_NOISE_H

#include "owner/fidelity/column_codes.h"
#include "owner/fidelity/person_events.h"
#include "owner/fidelity/tally.h"

/* The expected total variation distance of tables a and b if their rows were dealt out at random: what a second
 * sample of independent rows would show. */
double sbl_tally_expected(const sbl_tally *tally, size_t a, uint64_t rows_a, size_t b, uint64_t rows_b);

/* effects (codes->columns): how much further apart two samples are, by the standard deviation, because a person's rows
 * resemble each other; at least 1. real, synthetic: rows by persons. by_place: the codes are in their order, otherwise
 * in that of the frames.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_cluster_effects(double *effects, const sbl_codes *codes, const sbl_history_table *real,
                               const sbl_history_table *synthetic, bool by_place, sbl_error *err);

#endif
