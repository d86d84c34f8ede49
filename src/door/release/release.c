/* SPDX-License-Identifier: Apache-2.0 */
/* A release in memory: freeing it, finding a block, and estimates in feature units. */
#include "door/release/release.h"

#include <math.h>

#include "base/alloc.h"

void sbl_release_free(sbl_release *release)
{
    if (release == NULL) return;
    for (size_t i = 0; release->keys != NULL && i < release->value_count; i++)
        sbl_free(release->keys[i].text);
    sbl_free(release->keys);
    sbl_free(release->plan);
    sbl_free(release->blocks);
    sbl_free(release->values);
    sbl_free(release);
}

size_t sbl_release_columns(const sbl_release *release, const sbl_block *block)
{
    return sbl_block_columns(block, release->classes);
}

const sbl_block *sbl_release_find(const sbl_release *release, const char *name)
{
    const size_t b = sbl_block_find(release->blocks, release->block_count, name);
    return b < release->block_count ? &release->blocks[b] : NULL;
}

double sbl_release_estimate(const sbl_release *release, const sbl_block *block, size_t column,
                            size_t coordinate)
{
    const sbl_i128 value = release->values[block->offset + column * block->width + coordinate];
    return (double)value / ((double)block->multiplier * block->scale);
}

/* The variance of discrete noise of scale t = 2^56 differs from that of the continuous law, t^2
 * (Gaussian) or 2 t^2 (Laplace), by less than a double can tell. */
double sbl_release_noise_deviation(const sbl_release *release, const sbl_block *block)
{
    const double deviation = release->mechanism == SBL_DISCRETE_LAPLACE ? sqrt(2.0) : 1.0;
    return ldexp(deviation, SBL_NOISE_SCALE_BITS) / ((double)block->multiplier * block->scale);
}
