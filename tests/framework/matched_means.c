/* `matched-means`: a generator whose numbers have, class by class, the noisy means of the data. */
#include "matched_means.h"

#include "first_moment.h"
#include "methods/generate.h"

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    (void)rounds;
    if (count > 0) return SBL_OK; /* one release */
    /* Where the number of records is private, counts say it too, or their total. */
    next->counts = !facts->balanced && (facts->classes > 1 || add_remove);
    const sbl_status status =
        sbl_plan_add(next, feature_first_moment.name, json_object(), 1.0, err);
    return status == SBL_OK && facts->balanced && add_remove
               ? sbl_plan_add(next, "total", json_object(), 1.0, err)
               : status;
}

static const sbl_feature *const features[] = {&feature_first_moment, NULL};

const sbl_method method_matched_means = {
    .name = "matched-means",
    .tables = true,
    .images = true,
    .features = features,
    .plan = plan,
    .check = sbl_generate_check,
    .fit = sbl_generate_fit,
};
