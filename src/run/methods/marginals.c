/* SPDX-License-Identifier: Apache-2.0 */
/* marginals: independent columns given the class, from noisy histograms. The floor that every other
 * method must beat. */
#include "after/sample/marginals_sampler.h"
#include "after/train/marginals_fit.h"
#include "public/options/option_row.h"
#include "public/options/option_values.h"
#include "records/features/counts.h"
#include "run/methods/method.h"

#define BINS 32     /* of a number */
#define SINGLES 128 /* values of an integer that are counted one by one */

static const sbl_option_range up_to_4096 = {1, 4096, false, "a whole number from 1 to 4096"};

static const sbl_option bins_option = SBL_SETTING(
    "bins", SBL_OPTION_WHOLE, "B", SBL_TABLES, SBL_STEPS_PLAN,
    "equal bins of a number; integers are counted value by value where they have no more values "
    "than that",
    .range = &up_to_4096,
    SBL_STANDARD_WORDS(SBL_SHOW(BINS) "; integers of up to " SBL_SHOW(SINGLES) " values one by one"));

static const sbl_option *const own_options[] = {&bins_option, &sbl_option_pure, NULL};

/* For a grid, one bin per value: a running count of values passes through at most four times as many
 * bins, so its noise at most doubles (docs/mechanisms/marginals.md). A given number of bins holds for every
 * number: no grid with more values has one bin per value. */
static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    const size_t bins = (size_t)sbl_setting_whole(options, &bins_option, SBL_TABLES);
    (void)facts;
    (void)rounds;
    if (count > 0) return SBL_OK;
    return sbl_plan_add(next, "cells",
                        bins != 0 ? sbl_bins_parameters(bins, bins) : sbl_bins_parameters(BINS, SINGLES), 1.0,
                        err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                      const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    (void)checkpoint;
    const sbl_round *only = &rounds[count - 1];
    const sbl_feature_instance *cells = sbl_features_find(&only->features, "cells");
    sbl_marginals_model marginals = {0};
    sbl_model *made = NULL;
    sbl_status status = SBL_OK;
    (void)facts;
    (void)options;
    *model = NULL;
    if (cells == NULL) return sbl_fail(err, SBL_EINPUT, "a plan of method 'marginals' without cells");
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_marginals, &only->plan, err));
    SBL_TRY(sbl_marginals_fit(&marginals, &made->rows, cells->made, only->release, err));
    SBL_TRY(sbl_model_of_marginals(made, &marginals, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    return status;
}

static const char *const also_public[] = {"histogram bins", NULL};

const sbl_method sbl_method_marginals = {
    .name = "marginals",
    .tables = true,
    .pure = true,
    .options = own_options,
    .also_public = also_public,
    .plan = plan,
    .fit = fit,
    .replicates = true,
};
