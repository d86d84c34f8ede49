/* SPDX-License-Identifier: Apache-2.0 */
/* [7] to [9]: records of a model into a sink. Post-processing. */
#ifndef SBL_PIPELINE_DRAW_H
#define SBL_PIPELINE_DRAW_H

#include "after/model/model.h"
#include "after/sinks/sink.h"
#include "base/error.h"
#include "run/pipeline/conditions.h"
#include "run/pipeline/sample_size.h"
#include "semblance/options.h"

/* Records of options->seed, as many as asked for; the sink is finished. conditions (borrowed; NULL: none)
 * are of this model. A replicate's model draws with the error of sampling (run/pipeline/resample.h). */
sbl_status sbl_draw(sbl_sink *sink, sbl_model *model, const sbl_amount *amount,
                    const sbl_conditions *conditions, const sbl_synth_options *options, sbl_error *err);

/* As many as asked for, or as the model was fitted to. */
uint64_t sbl_draw_rows(const sbl_model *model, uint64_t asked);

#endif
