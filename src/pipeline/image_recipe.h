/* Everything public about a fit of images: the plan, the layout of the sums and their weights. Made
 * from the container's facts and options before any image is read, or read back from a release. */
#ifndef SBL_PIPELINE_IMAGE_RECIPE_H
#define SBL_PIPELINE_IMAGE_RECIPE_H

#include "accumulate/layout.h"
#include "base/status.h"
#include "features/image_plan.h"
#include "image/image_set.h"
#include "semblance/images.h"

typedef struct sbl_image_recipe {
    sbl_image_plan plan;
    sbl_orthogonal frequencies;
    sbl_layout layout;
    double weights[2]; /* of the block, then of the counts or the total */
    bool total;        /* a second block, SBL_IMAGE_TOTAL, takes the counts' place */
} sbl_image_recipe;

/* Open an image set and see what its container says. An empty one is refused under replace-one,
 * where the number of images is public; under add-remove it is a set like any other. */
sbl_status sbl_image_input_open(sbl_image_reader **reader, sbl_image_facts *facts,
                                const sbl_image_input *input, sbl_neighbours neighbours,
                                sbl_error *err);

sbl_status sbl_image_recipe_build(sbl_image_recipe *recipe, const sbl_image_facts *facts,
                                  bool balanced, const sbl_synth_options *options, sbl_error *err);
/* From a release's plan text; where is used in messages. */
sbl_status sbl_image_recipe_parse(sbl_image_recipe *recipe, const char *text, const char *where,
                                  sbl_error *err);
void sbl_image_recipe_clear(sbl_image_recipe *recipe);

#endif
