/* SPDX-License-Identifier: Apache-2.0 */
/* Counts freed of noise by steps, and what training does where nothing else is asked for. */
#include <math.h>
#include <string.h>

#include "after/train/steps.h"
#include "after/train/train_defaults.h"
#include "after/train/trainer.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define COUNT 100

static void add_noise(double *values, double deviation, uint64_t seed)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 0);
    for (size_t j = 0; j < COUNT; j++) values[j] += deviation * sbl_model_rng_normal(&rng);
}

static void fit(double *values, size_t count, double variance)
{
    sbl_steps steps;
    sbl_error err = {0};
    assert_ok(sbl_steps_init(&steps, count, &err));
    sbl_steps_fit(&steps, values, count, variance);
    sbl_steps_clear(&steps);
}

static double distance2(const double *a, const double *b)
{
    double total = 0;
    for (size_t j = 0; j < COUNT; j++) total += (a[j] - b[j]) * (a[j] - b[j]);
    return total;
}

/* By hand: {0, 0, 9, 9} with s = 1: two pieces cost 2 penalties = 4 log 4 = 5.5, one piece 81. At
 * s = 6 one piece costs 81 + 99.8, two 199.6; the rest, 81 < 3 * 36, is noise. */
TEST(two_levels_are_kept_or_merged_by_the_noise)
{
    static const double levels[] = {0, 0, 9, 9};
    double values[4];
    memcpy(values, levels, sizeof levels);
    fit(values, 4, 1);
    assert_memory_equal(values, levels, sizeof levels);
    fit(values, 4, 36);
    for (size_t j = 0; j < 4; j++) assert_true(values[j] == 4.5);
}

/* By hand: {0, 8, 0, 8} with s^2 = 16: one piece, 64 + 44; best two pieces, 42.7 + 88.7. The rest
 * has 64 of which 48 are noise: a quarter of it stays. */
TEST(many_small_steps_are_shrunk_together)
{
    double values[] = {0, 8, 0, 8};
    fit(values, 4, 16);
    for (size_t j = 0; j < 4; j++) assert_true(fabs(values[j] - (j % 2 ? 5 : 3)) < 1e-12);
}

TEST(noise_alone_becomes_nearly_even)
{
    double left = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        double values[COUNT], even[COUNT];
        for (size_t j = 0; j < COUNT; j++) values[j] = even[j] = 10;
        add_noise(values, 20, seed);
        fit(values, COUNT, 400);
        left += distance2(values, even) / (COUNT * 400.0) / 50;
    }
    assert_true(left < 0.25); /* 1 is all of the noise */
}

/* A value that half of 10000 rows share, the others even. */
TEST(spike_stands_and_its_neighbours_stay_flat)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        double values[COUNT], truth[COUNT];
        for (size_t j = 0; j < COUNT; j++) values[j] = truth[j] = j == 40 ? 5050 : 50;
        add_noise(values, 20, seed);
        double noise2 = distance2(values, truth);
        fit(values, COUNT, 400);
        assert_true(fabs(values[40] - 5050) < 100);
        assert_true(distance2(values, truth) < noise2 / 2);
    }
}

TEST(values_without_noise_are_given_back)
{
    double values[COUNT], truth[COUNT];
    for (size_t j = 0; j < COUNT; j++) values[j] = truth[j] = (double)(j * 37 % 101);
    fit(values, COUNT, 1e-6);
    assert_true(distance2(values, truth) < 1e-9);
    double one = 7;
    fit(&one, 1, 1);
    assert_true(one == 7);
}

TEST(lack_of_memory_is_reported)
{
    sbl_steps steps;
    sbl_error err = {0};
    for (long n = 0; sbl_test_fail_next(&n);)
        if (sbl_test_no_memory(sbl_steps_init(&steps, 5, &err))) assert_null(steps.sums);
    sbl_steps_clear(&steps);
}

TEST(each_kind_of_data_has_its_own)
{
    const sbl_train_options table = sbl_train_options_of(SBL_DATA_TABLE);
    const sbl_train_options images = sbl_train_options_of(SBL_DATA_IMAGES);
    assert_true(table.steps == 4000 && table.batch == 1000 && table.rate == 5e-3);
    assert_true(images.steps == 5000 && images.batch == 500 && images.rate == 5e-3);
    assert_true(table.average == 0 && images.average == 0.998);
    assert_true(table.balance == 0.5 && table.class_power == 1);
    assert_true(table.seed == 0 && table.progress == NULL);
}

TEST(hidden_sizes_replace_the_default_ones)
{
    const size_t hidden[] = {7, 6, 5, 4};
    sbl_network network;
    assert_ok(sbl_network_choose(&network, SBL_DATA_TABLE, NULL, 0, NULL));
    assert_true(network.latent == 16 && network.count == 3 && network.hidden[2] == 256);
    assert_ok(sbl_network_choose(&network, SBL_DATA_TABLE, hidden, 4, NULL));
    assert_true(network.count == 4 && network.hidden[0] == 7 && network.hidden[3] == 4);
    assert_ok(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 1, NULL));
    assert_true(network.latent == 32 && network.count == 3);
    assert_true(network.hidden[0] == 7 && network.hidden[1] == 32 && network.hidden[2] == 16);
    assert_ok(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 3, NULL));
    assert_true(network.hidden[1] == 6 && network.hidden[2] == 5);
    assert_ok(sbl_network_choose_dense(&network, NULL, 0, NULL));
    assert_true(network.dense && network.latent == 32 && network.count == 2 && network.hidden[1] == 500);
    assert_ok(sbl_network_choose_dense(&network, hidden, 4, NULL));
    assert_true(network.count == 4 && network.hidden[0] == 7 && network.hidden[3] == 4);
}

TEST(numbers_of_sizes_that_mean_nothing_are_refused)
{
    const size_t hidden[SBL_NETWORK_MOST_HIDDEN + 1] = {0};
    sbl_network network;
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 4, NULL), SBL_EARG);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_TABLE, hidden, SBL_NETWORK_MOST_HIDDEN + 1, NULL),
                     SBL_EARG);
    assert_int_equal(sbl_network_choose_dense(&network, hidden, SBL_NETWORK_MOST_HIDDEN + 1, NULL), SBL_EARG);
}
