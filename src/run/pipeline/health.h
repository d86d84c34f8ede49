/* SPDX-License-Identifier: Apache-2.0 */
/* A paid look at the data's health: how many cells of each column did not fit the schema, or how many files of a
 * folder are not an image of the set's shape (docs/mechanisms/health.md). One small block
 * (records/features/counts.h) joins the first release of every method, here and nowhere else. Everything derived
 * from it is post-processing. */
#ifndef SBL_PIPELINE_HEALTH_H
#define SBL_PIPELINE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "door/certificate/certificate_document.h"
#include "door/release/release.h"
#include "public/plan/plan.h"
#include "records/features/features.h"
#include "semblance/options.h"

/* Is it part of this run? It is for a table or a folder of images, unless switched off. */
bool sbl_health_wanted(const sbl_facts *facts, const sbl_synth_options *options);

/* What part of mu^2, or of a pure epsilon, it costs. */
double sbl_health_part(bool pure);
/* Shares of rounds that leave it its part: every share is cut alike, so that all other noise grows
 * alike, by less than 1 %; the first round gets what was cut. */
void sbl_health_take_share(double *shares, size_t count, bool pure);

/* Add the block to the plan of the first round, whose share is still without its part, and raise the
 * share to `share`. Its weight is such that it costs that part and no more.
 * In: more  features beside the list (sbl_features_make) */
sbl_status sbl_health_add(sbl_plan *plan, double share, const sbl_facts *facts,
                          const sbl_feature *const *more, const sbl_synth_options *options, sbl_error *err);

/* What a first release says of it, one entry per column, in the order of the schema (sbl_free;
 * names are borrowed from facts). count 0: it says nothing. */
sbl_status sbl_health_read(sbl_certified_health **figures, size_t *count, const sbl_release *release,
                           const sbl_facts *facts, sbl_error *err);

/* A column is named if its misfits exceed this number of standard deviations of their noise, given the number of
 * columns (at least 1): noise alone names any of them in one run of 1,000, Gaussian or (pure) Laplace. */
double sbl_health_deviations(size_t columns, bool pure);

/* Columns with misfits that stand out of the noise, one line each through options->advice. persons: the
 * records are whole persons, and one that does not fit has at least half of its cells wrong. */
void sbl_health_report(const sbl_certified_health *figures, size_t count, const sbl_facts *facts,
                       bool persons, const sbl_synth_options *options);
/* SBL_EINPUT where a column is clearly all wrong and the options say that it stops the run. */
sbl_status sbl_health_check(const sbl_certified_health *figures, size_t count, const sbl_facts *facts,
                            bool persons, const sbl_synth_options *options, sbl_error *err);

#endif
