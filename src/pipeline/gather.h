/* [1] to [4] in one pass: read rows, encode them, map them to features, sum. */
#ifndef SBL_PIPELINE_GATHER_H
#define SBL_PIPELINE_GATHER_H

#include "accumulate/sum.h"
#include "base/status.h"
#include "pipeline/recipe.h"

/* Privacy: reads records; the sum must go through the door. */
sbl_status sbl_gather(sbl_sum **sum, const char *input, const sbl_recipe *recipe,
                      const sbl_synth_options *options, sbl_error *err);

#endif
