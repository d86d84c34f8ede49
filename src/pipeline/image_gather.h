/* [1] to [4] for images in one pass: read, map to features, sum. */
#ifndef SBL_PIPELINE_IMAGE_GATHER_H
#define SBL_PIPELINE_IMAGE_GATHER_H

#include "accumulate/sum.h"
#include "base/status.h"
#include "pipeline/image_recipe.h"

/* Privacy: reads records; the sum must go through the door. name is for messages. */
sbl_status sbl_gather_images(sbl_sum **sum, sbl_image_reader *reader, const char *name,
                             const sbl_image_recipe *recipe, const sbl_synth_options *options,
                             sbl_error *err);

#endif
