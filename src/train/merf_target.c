#include "train/merf_target.h"

#include <math.h>

#include "base/memory.h"

sbl_status sbl_merf_target_init(sbl_merf_target *target, const sbl_merf_plan *plan, sbl_error *err)
{
    size_t classes = plan->shape.classes;
    const sbl_feature_block *rff = sbl_merf_plan_find(plan, SBL_FEATURE_RFF);
    const sbl_feature_block *onehot = sbl_merf_plan_find(plan, SBL_FEATURE_ONEHOT);
    *target = (sbl_merf_target){.rows = 1};
    if (rff) target->rff = sbl_alloc_array(classes * rff->width, sizeof *target->rff);
    if (onehot) target->onehot = sbl_alloc_array(classes * onehot->width, sizeof *target->onehot);
    target->shares = sbl_alloc_array(classes, sizeof *target->shares);
    if ((rff && !target->rff) || (onehot && !target->onehot) || !target->shares) {
        sbl_merf_target_clear(target);
        return sbl_fail(err, SBL_EMEM, "out of memory for the target of training");
    }
    for (size_t c = 0; c < classes; c++) target->shares[c] = 1 / (double)classes;
    return SBL_OK;
}

void sbl_merf_target_clear(sbl_merf_target *target)
{
    sbl_free(target->rff);
    sbl_free(target->onehot);
    sbl_free(target->shares);
    *target = (sbl_merf_target){0};
}

/* Michelot's iteration: over the classes still kept, shift all to sum 1, drop those that fell to
 * zero or below, until none does. It always ends, and the class with the largest count is kept. */
void sbl_project_shares(double *shares, const double *counts, size_t classes, double total)
{
    /* Shares of a billion are noise and nothing else; more would lose the 1 to rounding. */
    for (size_t c = 0; c < classes; c++) shares[c] = fmax(-1e9, fmin(1e9, counts[c] / total));
    size_t kept = classes, before;
    do {
        before = kept;
        double sum = 0;
        for (size_t c = 0; c < classes; c++) sum += shares[c] == -INFINITY ? 0 : shares[c];
        double shift = (1 - sum) / (double)kept;
        for (size_t c = 0; c < classes; c++) {
            shares[c] += shift; /* a dropped class stays dropped */
            if (shares[c] <= 0 && shares[c] != -INFINITY) {
                shares[c] = -INFINITY;
                kept--;
            }
        }
    } while (kept != before);
    for (size_t c = 0; c < classes; c++)
        if (shares[c] == -INFINITY) shares[c] = 0;
}

/* values (columns, width) of a block in feature units, over the number of rows. */
static void read_block(float *values, const sbl_release *release, const sbl_release_block *block,
                       double rows)
{
    for (size_t c = 0; c < block->columns; c++)
        for (size_t j = 0; j < block->width; j++)
            values[c * block->width + j] =
                (float)(sbl_release_estimate(release, block, c, j) / rows);
}

static sbl_status find_block(const sbl_release_block **found, const sbl_release *release,
                             const sbl_feature_block *wanted, size_t classes, sbl_error *err)
{
    *found = NULL;
    if (!wanted) return SBL_OK;
    *found = sbl_release_find(release, wanted->name);
    if (!*found || (*found)->width != wanted->width || (*found)->columns != classes)
        return sbl_fail(err, SBL_EINPUT, "the release has no block '%s' of the plan's shape",
                        wanted->name);
    return SBL_OK;
}

/* Noisy counts and the number of rows: public under replace-one, else the noisy total. */
static sbl_status read_counts(sbl_merf_target *target, const sbl_merf_plan *plan,
                              const sbl_release *release, sbl_error *err)
{
    size_t classes = plan->shape.classes;
    const sbl_release_block *block = release->counts ? sbl_release_find(release, "counts") : NULL;
    target->rows = (double)release->n;
    if (!block) {
        if (classes > 1 || release->n == 0)
            return sbl_fail(err, SBL_EINPUT, "the release holds no counts of the classes");
        return SBL_OK;
    }
    if (block->width != classes)
        return sbl_fail(err, SBL_EINPUT, "the release counts other classes than the plan");
    double total = 0;
    for (size_t c = 0; c < classes; c++) {
        target->shares[c] = sbl_release_estimate(release, block, 0, c);
        total += target->shares[c];
    }
    if (release->n == 0) target->rows = total > 1 ? total : 1;
    sbl_project_shares(target->shares, target->shares, classes, target->rows);
    return SBL_OK;
}

sbl_status sbl_merf_target_from_release(sbl_merf_target *target, const sbl_merf_plan *plan,
                                        const sbl_release *release, sbl_error *err)
{
    const sbl_release_block *rff, *onehot;
    sbl_status status = sbl_merf_target_init(target, plan, err);
    if (status != SBL_OK) return status;
    SBL_TRY(
        find_block(&rff, release, sbl_merf_plan_find(plan, SBL_FEATURE_RFF), plan->shape.classes, err));
    SBL_TRY(find_block(&onehot, release, sbl_merf_plan_find(plan, SBL_FEATURE_ONEHOT),
                       plan->shape.classes, err));
    SBL_TRY(read_counts(target, plan, release, err));
    if (rff) read_block(target->rff, release, rff, target->rows);
    if (onehot) {
        read_block(target->onehot, release, onehot, target->rows);
        target->onehot_deviation = sbl_release_noise_deviation(release, onehot) / target->rows;
    }
done:
    if (status != SBL_OK) sbl_merf_target_clear(target);
    return status;
}
