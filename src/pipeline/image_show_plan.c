/* What a fit of images would release, before any image is read. */
#include <string.h>

#include "pipeline/image_recipe.h"
#include "pipeline/method.h"
#include "pipeline/recipe.h"

sbl_status sbl_images_plan(char **text, const sbl_image_input *input, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_image_reader *reader = NULL;
    sbl_image_facts facts = {0};
    sbl_image_recipe images = {0};
    sbl_status status = SBL_OK;
    *text = NULL;
    /* How many images there are is public under replace-one only. */
    if (n == 0 && options->neighbours == SBL_ADD_REMOVE)
        return sbl_fail(err, SBL_EARG, "under add-remove the number of images must be stated: --n");
    SBL_TRY(sbl_image_input_open(&reader, &facts, input, options->neighbours, err));
    SBL_TRY(sbl_image_recipe_build(&images, &facts, input->balanced, options, err));
    if (n == 0) n = sbl_image_reader_count(reader);
    sbl_recipe recipe = {
        .method = &sbl_method_merf, .layout = images.layout, .text = images.plan.json};
    memcpy(recipe.weights, images.weights, sizeof images.weights);
    SBL_TRY(sbl_recipe_show(text, &recipe, n, json, options, err));
done:
    sbl_image_recipe_clear(&images);
    sbl_image_facts_clear(&facts);
    sbl_image_close(reader);
    return status;
}
