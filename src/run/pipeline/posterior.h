/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Draws from the posterior of a model, given the releases of its run: what replicates are made of.
 *
 * A draw is a fit to moved releases (docs/mechanisms/inference.md). Each released number is moved by noise of the
 * law that it has, and by the error of sampling: the difference between the sums of records that are drawn again,
 * with replacement, from a synthetic table of the model and the sums of that table. Only releases and what was made
 * of them enter, and public randomness: post-processing, which costs nothing. */
#ifndef SBL_PIPELINE_POSTERIOR_H
#define SBL_PIPELINE_POSTERIOR_H

#include "after/model/model.h"
#include "base/error.h"
#include "run/pipeline/rounds.h"
#include "semblance/options.h"

#define SBL_REPLICATES_LEAST 2
#define SBL_REPLICATES_MOST 1000

typedef struct sbl_posterior sbl_posterior;

/* Does the method have draws? SBL_EARG names those that do. */
sbl_status sbl_posterior_check(const sbl_method *method, sbl_error *err);
/* Is the number one of replicates? 0: none are wanted. */
sbl_status sbl_replicates_check(uint64_t replicates, sbl_error *err);

/* rounds: all released; fitted: their model. Both are borrowed until it is freed; the model is drawn from.
 * brief: for pictures, with fewer sweeps where sweeps are slow.   Owner: the caller, sbl_posterior_free() */
sbl_status sbl_posterior_new(sbl_posterior **posterior, const sbl_rounds *rounds, sbl_model *fitted,
                             bool brief, const sbl_synth_options *options, sbl_error *err);
void sbl_posterior_free(sbl_posterior *posterior); /* NULL is fine */

/* Draw `number`, from 0: a pure function of releases, seed and number.   Owner: the caller, sbl_model_free() */
sbl_status sbl_posterior_draw(sbl_posterior *posterior, sbl_model **model, uint64_t number, sbl_error *err);

#endif
