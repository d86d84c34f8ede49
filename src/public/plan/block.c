/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of moments, counts and persons, with the bounds that follow from their source, and the
 * scale that takes a feature to the integer grid: c R / norm with the public pre-shrink c
 * (docs/mechanisms/fixed-point.md). */
#include "public/plan/block.h"

#include <string.h>

#include "base/int128.h"

size_t sbl_moments_width(sbl_block_kind kind, size_t outer)
{
    return kind == SBL_BLOCK_SQUARES ? outer : outer * (outer - 1) / 2;
}

sbl_block sbl_block_of_moments(const char *name, sbl_block_kind kind, const sbl_block *source, size_t outer)
{
    sbl_block block = {
        .width = sbl_moments_width(kind, outer),
        .per_class = source->per_class,
        .nonnegative = kind == SBL_BLOCK_SQUARES || source->nonnegative,
        .bound2 = source->bound2 * source->bound2,
        .scale = source->scale * source->scale,
        .kind = kind,
        .outer = outer,
    };
    memcpy(block.name, name, strnlen(name, SBL_BLOCK_NAME_SIZE - 1));
    memcpy(block.source, source->name, sizeof block.source);
    return block;
}

sbl_block sbl_block_of_counts(size_t classes)
{
    return (sbl_block){.name = SBL_COUNTS_BLOCK,
                       .width = classes,
                       .nonnegative = true,
                       .bound2 = 1,
                       .bound1 = 1,
                       .scale = 1.0};
}

sbl_block sbl_block_of_persons(uint64_t rows_per_unit)
{
    return (sbl_block){.name = SBL_PERSONS_BLOCK,
                       .width = rows_per_unit,
                       .nonnegative = true,
                       .bound2 = 1,
                       .bound1 = 1,
                       .scale = 1.0,
                       .kind = SBL_BLOCK_PERSONS};
}

size_t sbl_block_columns(const sbl_block *block, size_t classes) { return block->per_class ? classes : 1; }

size_t sbl_block_find(const sbl_block *blocks, size_t count, const char *name)
{
    size_t b = 0;
    while (b < count && strncmp(blocks[b].name, name, SBL_BLOCK_NAME_SIZE) != 0) b++;
    return b;
}

double sbl_block_scale(size_t width, uint64_t bound2, double norm)
{
    const double limit = (double)sbl_u128_sqrt_floor(bound2);
    const double rounding = (double)sbl_u128_sqrt_ceil(width) / 2 + 1;
    const double shrink = 1 - rounding / limit - 0x1p-20;
    return shrink * limit / norm;
}
