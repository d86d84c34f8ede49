/* SPDX-License-Identifier: Apache-2.0 */
/* Puts given means and second moments into blocks as the door would have released them, without
 * noise. */
#include "support/ron_release.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "support/cmocka_all.h"

void ron_record(sbl_unit_record *record, size_t numeric, bool mixed, size_t classes, bool targeted,
                bool centred)
{
    static const size_t cardinalities[] = {3, 2};
    sbl_record_shape shape;
    sbl_error err = {0};
    assert_ok(sbl_record_shape_init(&shape, numeric, cardinalities, mixed ? 2 : 0, classes, &err));
    assert_ok(sbl_unit_record_init(record, &shape, targeted ? 0 : SBL_NO_TARGET, 0.5, centred, &err));
    sbl_record_shape_clear(&shape);
}

static sbl_block *add_block(sbl_release *release, const char *name, size_t width, size_t columns,
                            double deviation)
{
    sbl_block *block = &release->blocks[release->block_count++];
    (void)snprintf(block->name, sizeof block->name, "%s", name);
    block->width = width;
    block->per_class = columns > 1;
    /* value / (multiplier * scale) = estimate, noise of 2^56 on value */
    block->multiplier = 1;
    block->scale = ldexp(1.0, SBL_NOISE_SCALE_BITS) / deviation;
    block->offset = release->value_count;
    release->value_count += width * columns;
    return block;
}

static void put(sbl_release *release, const sbl_block *block, size_t at, double value)
{
    release->values[block->offset + at] = (sbl_i128)(value * block->scale);
}

sbl_release *ron_release(const sbl_ron_plan *plan, const double *means, const double *second,
                         const double *sizes, uint64_t n, double deviation)
{
    const size_t classes = plan->record.shape.classes, size = plan->moments;
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    sbl_block *mean = NULL, *squares = NULL, *products = NULL, *counts = NULL;
    release->n = n;
    release->classes = classes;
    release->blocks = sbl_alloc_array(4, sizeof *release->blocks);
    if (means) mean = add_block(release, SBL_RON_MEAN, plan->width, classes, deviation);
    if (second) squares = add_block(release, SBL_RON_SQUARES, size, classes, deviation);
    if (second && size > 1)
        products = add_block(release, SBL_RON_PRODUCTS, size * (size - 1) / 2, classes, deviation / sqrt(2));
    release->counts = means && plan->options.counts;
    if (release->counts) counts = add_block(release, "counts", classes, 1, deviation);
    release->values = sbl_alloc_array(release->value_count, sizeof *release->values);
    for (size_t c = 0; c < classes; c++) {
        size_t next = 0;
        if (counts) put(release, counts, c, sizes[c]);
        for (size_t i = 0; means && i < plan->width; i++)
            put(release, mean, c * plan->width + i, means[c * plan->width + i] * sizes[c]);
        for (size_t i = 0; second && i < size; i++) {
            const double *row = second + (c * size + i) * size;
            put(release, squares, c * size + i, row[i] * sizes[c]);
            for (size_t j = i + 1; j < size; j++)
                put(release, products, c * products->width + next++, row[j] * sizes[c]);
        }
    }
    return release;
}
