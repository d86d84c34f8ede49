/* SPDX-License-Identifier: Apache-2.0 */
/* What each feature sums of a record, and what its blocks say of it: widths, bounds, scales and
 * weights by hand. That bounds hold for any record: test_features.c. */
#include <math.h>

#include "base/alloc.h"
#include "public/questions/question.h"
#include "public/rows/projection.h"
#include "records/accumulate/sum.h"
#include "records/features/counts.h"
#include "records/features/features.h"
#include "records/features/onehot.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/near.h"

FREES(sbl_sum_free);

typedef struct one_feature {
    sbl_facts facts;
    sbl_plan plan;
    sbl_features features;
} one_feature;

static const sbl_block *one_make(one_feature *one, const char *name, size_t variant, data_case data)
{
    sbl_error err = {0};
    *one = (one_feature){0};
    data_facts(&one->facts, data);
    assert_ok(sbl_plan_init(&one->plan, "test", NULL));
    assert_ok(sbl_plan_add(&one->plan, name, data_parameters(name, variant, &one->facts), 1.0, NULL));
    assert_ok(sbl_plan_finish(&one->plan, &one->facts, NULL));
    assert_ok_or_say(sbl_features_make(&one->features, &one->plan, &one->facts, NULL, &err));
    return one->features.layout.blocks;
}

static void one_clear(one_feature *one)
{
    sbl_features_clear(&one->features);
    sbl_plan_clear(&one->plan);
    sbl_facts_clear(&one->facts);
}

/* The sum of these records. */
static sbl_sum *sum_of(const one_feature *one, const sbl_records *records)
{
    sbl_sum *sum;
    sbl_feature_workspaces *workspaces;
    assert_ok(sbl_sum_new(&sum, &one->features.layout, NULL));
    assert_ok(sbl_feature_workspaces_new(&workspaces, &one->features, NULL));
    assert_ok(sbl_features_add(sum, workspaces, records, NULL));
    sbl_feature_workspaces_free(workspaces);
    return sum;
}

/* ---- Fourier features ---- */

TEST(fourier_block_has_pairs_and_weighs_as_one_of_norm_1)
{
    static const struct {
        const char *feature;
        data_case data;
        size_t width;
    } cases[] = {{"rff", DATA_LABELLED, 1046}, {"orthogonal", DATA_DIGITS, 74}};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(one_clear) one_feature one;
        const sbl_block *block = one_make(&one, cases[i].feature, 0, cases[i].data);
        assert_string_equal(block->name, "rff");
        assert_int_equal(block->width, cases[i].width);
        assert_int_equal(block->group, 2);
        assert_true(block->per_class && !block->nonnegative && !block->withheld);
        assert_true(block->bound2 == UINT64_C(1) << 56 && block->bound1 == 0);
        /* weight in grid units, times scale: 1 over the record's norm sqrt(F) */
        const double norm = sqrt((double)cases[i].width / 2);
        assert_near(one.features.weights[0] * block->scale * norm, 1, 1e-12);
        assert_true(block->scale * norm < 0x1p28 && block->scale * norm > 0.9999 * 0x1p28);
    }
}

/* ---- ones ---- */

TEST(onehot_has_one_entry_per_column)
{
    static const size_t cardinalities[] = {3, 2, 5};
    CLEARED(sbl_record_shape_clear) sbl_record_shape shape;
    uint32_t entries[6];
    /* label in the middle; the second row's last code does not exist */
    const uint32_t codes[] = {2, 9, 1, 4, 0, 9, 0, 77};
    const size_t columns[] = {0, 2, 3};
    const uint32_t places[] = {2, 4, 9, 0, 3, 5};
    assert_ok(sbl_record_shape_init(&shape, 0, cardinalities, 3, 1, NULL));
    sbl_onehot_entries(entries, &shape, codes, 4, columns, 2);
    assert_memory_equal(entries, places, sizeof places);
    sbl_onehot_entries(entries, &shape, (const uint32_t[]){2, 1, 4}, 3, NULL, 1);
    assert_memory_equal(entries, places, sizeof places / 2);
}

TEST(onehot_block_counts_the_categories_but_not_the_label)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *block = one_make(&one, "onehot", 0, DATA_LABELLED);
    /* is the income missing: 2; ward: 3 and missing; sick is the label */
    assert_int_equal(block->width, 6);
    assert_true(block->bound2 == 2 && block->bound1 == 2 && block->scale == 1);
    assert_true(block->per_class && block->nonnegative);
    assert_near(one.features.weights[0] * sqrt(2), 1, 1e-15);
    /* codes by columns of the table: sick, no income, ward */
    static const double numeric[2 * 3] = {0};
    static const uint32_t codes[2 * 3] = {1, 1, 2, 0, 0, 9}, labels[] = {1, 0};
    const sbl_records records = {.numeric = numeric, .codes = codes, .labels = labels, .rows = 2};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    static const int64_t expected[2 * 6] = {1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0};
    assert_memory_equal(sbl_sum_values(sum, 0), expected, sizeof expected);
}

TEST(cells_block_states_one_1_per_column)
{
    one_feature one;
    const sbl_block *block = one_make(&one, "cells", 0, DATA_LABELLED);
    const sbl_bins *cells = one.features.items[0].made;
    assert_string_equal(block->name, "cells");
    assert_int_equal(block->width, cells->total);
    assert_true(block->per_class && block->nonnegative && block->scale == 1);
    assert_true(block->bound2 == 4 && block->bound1 == 4);
    assert_true(cells->bins == 8 && cells->singles == 16);
    one_clear(&one);
    block = one_make(&one, "cells", 0, DATA_CATEGORIES);
    assert_false(block->per_class);
    assert_int_equal(block->width, 2 + 4 + 4);
    assert_true(block->bound2 == 3 && block->bound1 == 3);
    one_clear(&one);
}

TEST(cells_mark_the_cells_of_the_values)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *block = one_make(&one, "cells", 0, DATA_LABELLED);
    const sbl_bins *cells = one.features.items[0].made;
    /* age 3, no income, power in the middle, a ward that does not exist, in class 1 */
    static const double numeric[] = {3.0 / 9, 0.2, 0.5};
    static const uint32_t codes[] = {1, 1, 9}, labels[] = {1};
    const sbl_records records = {.numeric = numeric, .codes = codes, .labels = labels, .rows = 1};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    const int64_t *values = sbl_sum_values(sum, 0);
    const size_t marked[] = {3, cells->columns[1].offset + cells->columns[1].count - 1,
                             cells->columns[2].offset + 5, cells->columns[3].offset};
    for (size_t i = 0; i < 2 * block->width; i++) {
        bool one_here = false;
        for (size_t k = 0; k < 4; k++) one_here = one_here || i == block->width + marked[k];
        assert_int_equal(values[i], one_here);
    }
}

TEST(total_counts_records_of_all_classes)
{
    CLEARED(one_clear) one_feature one;
    CLEARED(data_records_clear) data_records records;
    const sbl_block *block = one_make(&one, "total", 0, DATA_DIGITS);
    assert_true(block->width == 1 && block->bound2 == 1 && block->bound1 == 1);
    assert_true(block->scale == 1 && block->nonnegative && !block->per_class);
    data_records_make(&records, &one.facts, 11, 1, true);
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records.all);
    assert_int_equal(sbl_sum_values(sum, 0)[0], 11);
}

/* ---- vectors ---- */

TEST(means_are_numbers_over_the_root_of_their_number)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *block = one_make(&one, "means", 0, DATA_NUMBERS);
    assert_true(block->width == 3 && block->per_class && !block->nonnegative);
    assert_true(block->bound2 == UINT64_C(1) << 56 && block->bound1 == UINT64_C(2) << 28);
    static const double numeric[] = {1, 0, 0.25};
    const sbl_records records = {.numeric = numeric, .codes = (const uint32_t[]){0}, .rows = 1};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    const int64_t *q = sbl_sum_values(sum, 0);
    const double unit = block->scale / sqrt(3);
    assert_near(q[0], unit, 1);
    assert_near(q[1], -unit, 1);
    assert_near(q[2], -unit / 2, 1);
    assert_near(one.features.weights[0], 0x1p-28, 1e-20);
}

/* clip: mean and moments; normalise: the mean first, then moments of what is withheld. */
TEST(ball_has_the_blocks_of_its_release)
{
    static const struct {
        size_t blocks, noisy;
        const char *names[3];
    } cases[] = {{3, 3, {SBL_RON_MEAN, SBL_RON_SQUARES, SBL_RON_PRODUCTS}},
                 {1, 1, {SBL_RON_MEAN}},
                 {3, 2, {"point", SBL_RON_SQUARES, SBL_RON_PRODUCTS}}};
    for (size_t v = 0; v < 3; v++) {
        CLEARED(one_clear) one_feature one;
        const sbl_block *blocks = one_make(&one, "ball", v, DATA_REGRESSION);
        const sbl_layout *layout = &one.features.layout;
        /* age, ward (3 and missing) and drug (4) are 1 + 3 + 3 coordinates, the target one more */
        const size_t width = v == 2 ? 3 : 8;
        assert_int_equal(layout->block_count, cases[v].blocks);
        assert_int_equal(sbl_layout_noisy_blocks(layout), cases[v].noisy);
        for (size_t b = 0; b < cases[v].blocks; b++) assert_string_equal(blocks[b].name, cases[v].names[b]);
        assert_int_equal(blocks[0].width, width);
        assert_true(blocks[0].bound2 == UINT64_C(1) << 28);
        assert_int_equal(blocks[0].bound1, (uint64_t)ceil(sqrt((double)width) * 0x1p14));
        assert_true(blocks[0].scale < 0x1p14 / sqrt(1.25) && blocks[0].scale > 0.99 * 0x1p14 / 1.1181);
        const double *weights = one.features.weights;
        if (v != 2) assert_near(*weights++, 0.5 * 0x1p-14, 1e-15);
        if (v != 1) {
            assert_true(blocks[1].width == 3 && blocks[2].width == 3); /* p = 2 and the target */
            assert_true(blocks[1].bound2 == UINT64_C(1) << 56);
            assert_near(weights[0], 0x1p-28, 1e-20);
            assert_near(weights[1], sqrt(2) * 0x1p-28, 1e-20);
        }
    }
}

/* The first release of normalise is not rotated: the point itself. */
TEST(ball_sums_the_points_of_its_records)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *blocks = one_make(&one, "ball", 1, DATA_NUMBERS);
    static const double numeric[] = {1, 0, 0};
    const sbl_records records = {.numeric = numeric, .codes = (const uint32_t[]){0}, .rows = 1};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    const int64_t *q = sbl_sum_values(sum, 0);
    /* not centred: (1, 0, 0) / sqrt 3, on the sphere (1, 0, 0) */
    assert_near(q[0], blocks[0].scale, 1);
    assert_true(q[1] == 0 && q[2] == 0);
}

/* ---- answers ---- */

/* Whatever a record holds, it adds a one, or three integers that are not negative and add up to the unit, so that no
 * clip changes it; or nothing, where its number is missing. */
TEST(answers_add_one_unit_of_any_record)
{
    for (size_t variant = 0; variant < 3; variant++) {
        CLEARED(one_clear) one_feature one;
        data_records records;
        const sbl_block *block = one_make(&one, SBL_ANSWER_FEATURE, variant, DATA_LABELLED);
        const int64_t unit = (int64_t)block->scale;
        assert_true(block->nonnegative && block->bound2 == (uint64_t)unit * (uint64_t)unit);
        data_records_make(&records, &one.facts, 500, 3, true);
        for (size_t r = 0; r < 500; r++) {
            const sbl_records single = data_slice(&records.all, &one.facts, r, 1);
            FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &single);
            int64_t total = 0;
            for (size_t i = 0; i < block->width; i++) {
                assert_true(sbl_sum_values(sum, 0)[i] >= 0);
                total += sbl_sum_values(sum, 0)[i];
            }
            assert_true(total == unit);
        }
        data_records_clear(&records);
    }
}

/* Age 9 of 0 to 9 is u = 1; a value in the middle is (1/4, 1/2, 1/4). */
TEST(answers_hold_count_sum_and_squares)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *block = one_make(&one, SBL_ANSWER_FEATURE, 2, DATA_NUMBERS);
    static const double numeric[] = {1, 0, 0};
    const sbl_records records = {.numeric = numeric, .codes = (const uint32_t[]){0}, .rows = 1};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    const int64_t *q = sbl_sum_values(sum, 0);
    assert_int_equal(block->width, 3);
    assert_true(q[0] == 0 && q[1] == 0 && q[2] == (int64_t)1 << SBL_GRID_BITS);
}

/* A regression keeps the vector to itself, and its squares are exact where it is 1. */
TEST(regressions_release_squares_and_products)
{
    CLEARED(one_clear) one_feature one;
    const sbl_block *blocks = one_make(&one, SBL_ANSWER_FEATURE, 3, DATA_NUMBERS);
    static const double numeric[] = {1, 0, 1};
    const sbl_records records = {.numeric = numeric, .codes = (const uint32_t[]){0}, .rows = 1};
    FREED(sbl_sum_free) sbl_sum *sum = sum_of(&one, &records);
    assert_int_equal(one.features.layout.block_count, 3);
    assert_true(blocks[0].withheld && blocks[1].kind == SBL_BLOCK_SQUARES);
    for (size_t i = 0; i < blocks[1].width; i++)
        assert_true((double)sbl_sum_values(sum, 1)[i] == blocks[0].scale * blocks[0].scale);
}
