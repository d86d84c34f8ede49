/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Noisy sums of a release become class shares and means. Shares are projected on the simplex
 * by Michelot's iteration; the number of records is the public one or the noisy total, never below
 * 1. */
#include "after/train/target.h"

#include <math.h>

#include "base/alloc.h"
#include "base/size.h"

/* Michelot's iteration: over the classes still kept, shift all to sum 1, drop those that fell to
 * zero or below, until none does. It always ends, and the class with the largest count is kept. */
void sbl_project_shares(double *shares, const double *counts, size_t classes, double total)
{
    /* Shares of a billion are noise and nothing else; more would lose the 1 to rounding. */
    size_t kept = 0, before;
    for (size_t c = 0; c < classes; c++) {
        shares[c] = counts[c] == -INFINITY ? -INFINITY : fmax(-1e9, fmin(1e9, counts[c] / total));
        kept += shares[c] != -INFINITY;
    }
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

/* The number of records: public under replace-one, else the noisy total. */
static double rows_of(const sbl_release *release, const sbl_block *block)
{
    double total = 0;
    if (release->n != 0) return (double)release->n;
    for (size_t c = 0; c < block->width; c++) total += sbl_release_estimate(release, block, 0, c);
    return total > 1 ? total : 1;
}

sbl_status sbl_target_shares(double *shares, double *rows, const sbl_release *release, size_t classes,
                             bool equal, sbl_error *err)
{
    const sbl_block *block = sbl_release_find(release, equal ? SBL_TOTAL_BLOCK : "counts");
    if (!block && ((classes > 1 && !equal) || release->n == 0))
        return sbl_fail(err, SBL_EINPUT, "the release lacks the counts of the classes");
    if (block && (block->width != (equal ? 1 : classes) || sbl_release_columns(release, block) != 1))
        return sbl_fail(err, SBL_EINPUT, "the classes of the release are not those of the plan");
    *rows = rows_of(release, block);
    for (size_t c = 0; c < classes; c++) shares[c] = 1 / (double)classes;
    if (equal || !block) return SBL_OK;
    for (size_t c = 0; c < classes; c++) shares[c] = sbl_release_estimate(release, block, 0, c);
    sbl_project_shares(shares, shares, classes, *rows);
    return SBL_OK;
}

sbl_status sbl_target_init(sbl_target *target, size_t classes, size_t width, sbl_error *err)
{
    size_t count;
    *target = (sbl_target){.weight = 1};
    if (sbl_size_mul(&count, classes, width)) target->means = sbl_alloc_array(count, sizeof *target->means);
    return target->means ? SBL_OK : sbl_no_memory(err, "the target of training");
}

void sbl_target_clear(sbl_target *target)
{
    sbl_free(target->means);
    *target = (sbl_target){0};
}

/* One block into columns at .. of the means. */
static void read_block(sbl_target *target, const sbl_release *release, const sbl_block *block, size_t at,
                       size_t width, double rows)
{
    const double deviation = sbl_release_noise_deviation(release, block) / rows;
    if (deviation > target->deviation) target->deviation = deviation;
    for (size_t c = 0; c < sbl_release_columns(release, block); c++)
        for (size_t j = 0; j < block->width; j++)
            target->means[c * width + at + j] = (float)(sbl_release_estimate(release, block, c, j) / rows);
}

sbl_status sbl_target_read(sbl_target *target, const sbl_release *release, const char *const *blocks,
                           size_t count, size_t classes, size_t width, double rows, sbl_error *err)
{
    size_t at = 0;
    sbl_status status = sbl_target_init(target, classes, width, err);
    if (status != SBL_OK) return status;
    for (size_t b = 0; b < count; b++) {
        const sbl_block *block = sbl_release_find(release, blocks[b]);
        const bool last = b + 1 == count;
        if (!block || sbl_release_columns(release, block) != classes ||
            (last ? block->width != width - at : block->width >= width - at)) {
            sbl_target_clear(target);
            return sbl_fail(err, SBL_EINPUT, "the release has no block '%s' with the shape of the plan",
                            blocks[b]);
        }
        read_block(target, release, block, at, width, rows);
        at += block->width;
    }
    return SBL_OK;
}
