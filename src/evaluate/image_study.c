/* Small helpers of the files that make up an evaluation of images: setting JSON members with one
 * failure for all of them, and triples of numbers. */
#include "evaluate/image_study.h"

#include "evaluate/utility_scores.h"

sbl_status sbl_image_fail_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for the evaluation of images");
}

sbl_status sbl_image_set(json_t *object, const char *name, json_t *value, sbl_error *err)
{
    return json_object_set_new(object, name, value) == 0 ? SBL_OK : sbl_image_fail_memory(err);
}

sbl_status sbl_image_append(json_t *array, json_t *value, sbl_error *err)
{
    return json_array_append_new(array, value) == 0 ? SBL_OK : sbl_image_fail_memory(err);
}

json_t *sbl_image_triple(const double values[SBL_SIDE_COUNT])
{
    return json_pack("{s:o,s:o,s:o}", "synthetic", sbl_utility_number(values[SBL_SIDE_SYNTHETIC]),
                     "floor", sbl_utility_number(values[SBL_SIDE_FLOOR]), "ceiling",
                     sbl_utility_number(values[SBL_SIDE_REAL]));
}
