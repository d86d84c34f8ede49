/* marginals: independent columns given the class, from noisy histograms. The floor that every other
 * method must beat. */
#include "features/counts.h"
#include "methods/method.h"
#include "options/defaults.h"
#include "sample/marginals_sampler.h"
#include "train/marginals_fit.h"

/* Of a grid, one cell per value: a running count of values passes through at most four times as many
 * cells as one of bins, so that its noise at most doubles (docs/mechanisms/marginals.md). Bins that
 * are given hold for every number: no grid of more values has one cell per value. */
static sbl_status plan(sbl_plan *next, const sbl_facts *facts, const sbl_synth_options *options,
                       const sbl_round *rounds, size_t count, sbl_error *err)
{
    (void)facts;
    (void)rounds;
    if (count > 0) return SBL_OK;
    const size_t bins = options->bins != 0 ? options->bins : SBL_DEFAULT_BINS;
    const size_t singles = options->bins != 0 ? options->bins : SBL_DEFAULT_SINGLES;
    return sbl_plan_add(next, "cells", sbl_cells_parameters(bins, singles), 1.0, err);
}

static sbl_status fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                      size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                      sbl_error *err)
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
    if (cells == NULL)
        return sbl_fail(err, SBL_EINPUT, "a plan of method 'marginals' without cells");
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
    .also_public = also_public,
    .plan = plan,
    .fit = fit,
};
