/* SPDX-License-Identifier: Apache-2.0 */
/* `matched-means`: a generator whose numbers have, class by class, the noisy means of the data. */
#include "matched_means.h"

#include "first_moment.h"
#include "public/options/option_row.h"
#include "run/methods/network_method.h"

/* What a method of the caller's is told by name, as those of the library are. */
static const sbl_option weight_option =
    SBL_SETTING("mean-weight", SBL_OPTION_NUMBER, "W", SBL_BOTH_KINDS, SBL_STEPS_PLAN,
                "weight of the means beside the counts", .range = &sbl_range_positive, SBL_STANDARD("1"));

static const sbl_option *const own_options[] = {&weight_option, SBL_GENERATOR_OPTIONS, NULL};

static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    const bool add_remove = options->neighbours == SBL_ADD_REMOVE;
    (void)rounds;
    if (count > 0) return SBL_OK; /* one release */
    /* Where the number of records is private, counts say it too, or their total. */
    next->counts = !facts->balanced && (facts->classes > 1 || add_remove);
    const double weight = sbl_setting_number(options, &weight_option, sbl_kinds_of(facts));
    const sbl_status status = sbl_plan_add(next, feature_first_moment.name, json_object(), weight, err);
    return status == SBL_OK && facts->balanced && add_remove
               ? sbl_plan_add(next, "total", json_object(), 1.0, err)
               : status;
}

static const sbl_feature *const features[] = {&feature_first_moment, NULL};
static const sbl_loss_kind *const losses[] = {&loss_first_moment, NULL};
static const sbl_generate_rule rule = {.losses = losses};

static sbl_status check(const sbl_facts *facts, const sbl_round *first, const sbl_synth_options *options,
                        sbl_error *err)
{
    return sbl_generate_check_by(facts, first, options, &rule, err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    return sbl_generate_fit_by(model, facts, rounds, count, options, checkpoint, &rule, err);
}

const sbl_method method_matched_means = {
    .name = "matched-means",
    .tables = true,
    .images = true,
    .options = own_options,
    .features = features,
    .plan = plan,
    .check = check,
    .fit = fit,
};
