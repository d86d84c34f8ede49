#include "base/memory.h"
#include "base/size.h"
#include "train/merf_images.h"

sbl_status sbl_image_target_init(sbl_image_target *target, const sbl_image_plan *plan,
                                 sbl_error *err)
{
    const size_t classes = sbl_image_facts_groups(&plan->facts);
    size_t values;
    *target = (sbl_image_target){0};
    if (sbl_size_mul(&values, classes, plan->block.width))
        target->rff = sbl_alloc_array(values, sizeof *target->rff);
    target->shares = sbl_alloc_array(classes, sizeof *target->shares);
    if (!target->rff || !target->shares) {
        sbl_image_target_clear(target);
        return sbl_fail(err, SBL_EMEM, "out of memory for the target of training");
    }
    for (size_t c = 0; c < classes; c++) target->shares[c] = 1 / (double)classes;
    return SBL_OK;
}

void sbl_image_target_clear(sbl_image_target *target)
{
    sbl_free(target->rff);
    sbl_free(target->shares);
    *target = (sbl_image_target){0};
}

/* The number of images: public under replace-one, else the noisy total. */
static double rows_of(const sbl_release *release, const sbl_release_block *block)
{
    double total = 0;
    if (release->n != 0) return (double)release->n;
    for (size_t c = 0; c < block->width; c++) total += sbl_release_estimate(release, block, 0, c);
    return total > 1 ? total : 1;
}

/* Noisy counts and the number of images. Classes that were declared to be equally frequent are. */
static sbl_status read_counts(sbl_image_target *target, const sbl_image_plan *plan,
                              const sbl_release *release, sbl_error *err)
{
    const size_t classes = sbl_image_facts_groups(&plan->facts);
    const bool balanced = plan->options.balanced;
    const sbl_release_block *block =
        sbl_release_find(release, balanced ? SBL_IMAGE_TOTAL : "counts");
    if (!block && ((classes > 1 && !balanced) || release->n == 0))
        return sbl_fail(err, SBL_EINPUT, "the release holds no counts of the classes");
    if (block && (block->width != (balanced ? 1 : classes) || block->columns != 1))
        return sbl_fail(err, SBL_EINPUT, "the release counts other classes than the plan");
    target->rows = rows_of(release, block);
    if (balanced || !block) return SBL_OK;
    for (size_t c = 0; c < classes; c++)
        target->shares[c] = sbl_release_estimate(release, block, 0, c);
    sbl_project_shares(target->shares, target->shares, classes, target->rows);
    return SBL_OK;
}

sbl_status sbl_image_target_from_release(sbl_image_target *target, const sbl_image_plan *plan,
                                         const sbl_release *release, sbl_error *err)
{
    const size_t classes = sbl_image_facts_groups(&plan->facts), width = plan->block.width;
    sbl_status status = sbl_image_target_init(target, plan, err);
    if (status != SBL_OK) return status;
    const sbl_release_block *block = sbl_release_find(release, plan->block.name);
    if (!block || block->width != width || block->columns != classes) {
        status = sbl_fail(err, SBL_EINPUT, "the release has no block '%s' of the plan's shape",
                          plan->block.name);
        goto done;
    }
    SBL_TRY(read_counts(target, plan, release, err));
    for (size_t c = 0; c < classes; c++)
        for (size_t i = 0; i < width; i++)
            target->rff[c * width + i] =
                (float)(sbl_release_estimate(release, block, c, i) / target->rows);
done:
    if (status != SBL_OK) sbl_image_target_clear(target);
    return status;
}
