/* SPDX-License-Identifier: Apache-2.0 */
/* Aims from releases: shares of the classes, noisy means, and releases of another plan. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "after/train/target.h"
#include "base/alloc.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_release_free);

enum { CLASSES = 3, WIDTH = 12 };

TEST(absurd_counts_still_give_shares)
{
    static const double counts[][3] = {{1e300, 5, -1e300}, {-1e300, -1e299, -1e300}, {1e30, 1e30, 3}};
    for (size_t i = 0; i < 3; i++) {
        double shares[3];
        sbl_project_shares(shares, counts[i], 3, 100);
        double sum = 0;
        for (size_t c = 0; c < 3; c++) {
            assert_true(shares[c] >= 0 && shares[c] <= 1 + 1e-6);
            sum += shares[c];
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
}

TEST(shares_are_the_nearest_on_the_simplex)
{
    double shares[3];
    sbl_project_shares(shares, (const double[]){50, 30, 20}, 3, 100);
    assert_true(fabs(shares[0] - 0.5) < 1e-15 && fabs(shares[2] - 0.2) < 1e-15);
    sbl_project_shares(shares, (const double[]){90, 20, -10}, 3, 100);
    assert_true(fabs(shares[0] - 0.85) < 1e-12 && fabs(shares[1] - 0.15) < 1e-12);
    assert_true(shares[2] == 0);
    sbl_project_shares(shares, (const double[]){-5, -7, -500}, 3, 100);
    assert_true(fabs(shares[0] + shares[1] + shares[2] - 1) < 1e-12);
    assert_true(shares[0] > shares[1] && shares[1] > shares[2] && shares[2] == 0);
    sbl_project_shares(shares, (const double[]){-1e9, 1e9, 0}, 3, 1);
    assert_true(shares[0] == 0 && shares[1] == 1 && shares[2] == 0);
    sbl_project_shares(shares, (const double[]){-INFINITY, 40, 20}, 3, 100); /* is left out */
    assert_true(shares[0] == 0 && fabs(shares[1] - 0.6) < 1e-12 && fabs(shares[2] - 0.4) < 1e-12);
}

/* A release of sums with no noise: multiplier 1, scale 1. */
static sbl_release *plain_release(bool counts, uint64_t n)
{
    sbl_release *release = sbl_alloc_array(1, sizeof *release);
    release->n = n;
    release->classes = CLASSES;
    release->counts = counts;
    release->block_count = counts ? 3 : 2;
    release->blocks = sbl_alloc_array(3, sizeof *release->blocks);
    release->blocks[0] =
        (sbl_block){.name = "rff", .width = WIDTH, .per_class = true, .multiplier = 1, .scale = 1};
    release->blocks[1] = (sbl_block){"onehot",        .width = 2, .per_class = true,
                                     .multiplier = 2, .scale = 1, .offset = WIDTH * CLASSES};
    release->blocks[2] = (sbl_block){
        .name = "counts", .width = CLASSES, .multiplier = 1, .scale = 1, .offset = (WIDTH + 2) * CLASSES};
    release->value_count = (WIDTH + 3) * CLASSES;
    release->values = sbl_alloc_array(release->value_count, sizeof *release->values);
    for (size_t i = 0; i < (WIDTH + 2) * CLASSES; i++) release->values[i] = (sbl_i128)i;
    for (size_t c = 0; c < CLASSES; c++)
        release->values[release->blocks[2].offset + c] = (sbl_i128)(10 * (c + 1));
    return release;
}

TEST(shares_and_the_number_of_records_come_from_counts)
{
    double shares[CLASSES], rows;
    FREED(sbl_release_free) sbl_release *release = plain_release(true, 60);
    assert_ok(sbl_target_shares(shares, &rows, release, CLASSES, false, NULL));
    assert_true(rows == 60);
    for (size_t c = 0; c < CLASSES; c++) assert_true(fabs(shares[c] - (double)(c + 1) / 6) < 1e-12);
    release->n = 0; /* add-remove: the counts say how many */
    assert_ok(sbl_target_shares(shares, &rows, release, CLASSES, false, NULL));
    assert_true(fabs(rows - 60) < 1e-9);
    /* Of classes declared to be equally frequent there is one total. */
    assert_int_equal(sbl_target_shares(shares, &rows, release, CLASSES, true, NULL), SBL_EINPUT);
    (void)snprintf(release->blocks[2].name, sizeof release->blocks[2].name, "total");
    assert_int_equal(sbl_target_shares(shares, &rows, release, CLASSES, true, NULL), SBL_EINPUT);
    release->blocks[2].width = 1;
    release->values[release->blocks[2].offset] = 60;
    assert_ok(sbl_target_shares(shares, &rows, release, CLASSES, true, NULL));
    assert_true(fabs(rows - 60) < 1e-9);
    for (size_t c = 0; c < CLASSES; c++) assert_true(fabs(shares[c] - 1.0 / 3) < 1e-12);
    release->values[release->blocks[2].offset] = -5; /* noise */
    assert_ok(sbl_target_shares(shares, &rows, release, CLASSES, true, NULL));
    assert_true(rows == 1);
}

TEST(shares_need_counts_of_these_classes)
{
    double shares[CLASSES + 1], rows;
    FREED(sbl_release_free) sbl_release *release = plain_release(false, 60);
    assert_int_equal(sbl_target_shares(shares, &rows, release, CLASSES, false, NULL), SBL_EINPUT);
    assert_ok(sbl_target_shares(shares, &rows, release, CLASSES, true, NULL));
    assert_ok(sbl_target_shares(shares, &rows, release, 1, false, NULL));
    assert_true(rows == 60 && shares[0] == 1);
    release->n = 0; /* one class, but nobody knows how many records */
    assert_int_equal(sbl_target_shares(shares, &rows, release, 1, false, NULL), SBL_EINPUT);
    release->counts = true, release->block_count = 3;
    assert_int_equal(sbl_target_shares(shares, &rows, release, CLASSES + 1, false, NULL), SBL_EINPUT);
}

TEST(means_are_sums_over_records_with_blocks_side_by_side)
{
    const char *const names[] = {"rff", "onehot"};
    sbl_target target;
    FREED(sbl_release_free) sbl_release *release = plain_release(true, 60);
    assert_ok(sbl_target_read(&target, release, names, 1, CLASSES, WIDTH, 60, NULL));
    assert_true(fabs((double)target.means[WIDTH + 7] - (WIDTH + 7) / 60.0) < 1e-6);
    assert_true(target.weight == 1);
    const double wide = sbl_release_noise_deviation(release, &release->blocks[0]);
    assert_true(fabs(target.deviation / (wide / 60) - 1) < 1e-12);
    sbl_target_clear(&target);
    assert_ok(sbl_target_read(&target, release, names, 2, CLASSES, WIDTH + 2, 60, NULL));
    for (size_t c = 0; c < CLASSES; c++) {
        const float *own = target.means + c * (WIDTH + 2);
        assert_true(fabs((double)own[3] - (double)(c * WIDTH + 3) / 60) < 1e-6);
        assert_true(fabs((double)own[WIDTH + 1] - (double)(CLASSES * WIDTH + 2 * c + 1) / 120) < 1e-6);
    }
    assert_true(fabs(target.deviation / (wide / 60) - 1) < 1e-12); /* the larger one */
    sbl_target_clear(&target);
}

TEST(blocks_of_another_plan_are_refused)
{
    const char *const names[] = {"rff", "onehot", "none"};
    sbl_target target;
    FREED(sbl_release_free) sbl_release *release = plain_release(true, 60);
    assert_int_equal(sbl_target_read(&target, release, names, 1, CLASSES, WIDTH - 2, 60, NULL), SBL_EINPUT);
    assert_null(target.means);
    assert_int_equal(sbl_target_read(&target, release, names, 1, CLASSES, WIDTH + 1, 60, NULL), SBL_EINPUT);
    assert_int_equal(sbl_target_read(&target, release, names, 2, CLASSES, WIDTH, 60, NULL), SBL_EINPUT);
    assert_int_equal(sbl_target_read(&target, release, names, 1, CLASSES - 1, WIDTH, 60, NULL), SBL_EINPUT);
    assert_int_equal(sbl_target_read(&target, release, names, 3, CLASSES, WIDTH + 3, 60, NULL), SBL_EINPUT);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_target_read(&target, release, names, 1, CLASSES, WIDTH, 60, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_null(target.means);
}
