/* Steps through noisy counts: what stands out stays, what noise explains goes. */
#include <math.h>
#include <string.h>

#include "random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "train/steps.h"

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
    assert_int_equal(sbl_steps_init(&steps, count, &err), SBL_OK);
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
static void two_levels_are_kept_or_merged_by_the_noise(void **state)
{
    (void)state;
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
static void many_small_steps_are_shrunk_together(void **state)
{
    (void)state;
    double values[] = {0, 8, 0, 8};
    fit(values, 4, 16);
    for (size_t j = 0; j < 4; j++) assert_true(fabs(values[j] - (j % 2 ? 5 : 3)) < 1e-12);
}

static void noise_alone_becomes_nearly_even(void **state)
{
    (void)state;
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
static void spike_stands_and_its_neighbours_stay_flat(void **state)
{
    (void)state;
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

static void values_without_noise_are_given_back(void **state)
{
    (void)state;
    double values[COUNT], truth[COUNT];
    for (size_t j = 0; j < COUNT; j++) values[j] = truth[j] = (double)(j * 37 % 101);
    fit(values, COUNT, 1e-6);
    assert_true(distance2(values, truth) < 1e-9);
    double one = 7;
    fit(&one, 1, 1);
    assert_true(one == 7);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    sbl_steps steps;
    sbl_error err = {0};
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_steps_init(&steps, 5, &err);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
        assert_null(steps.sums);
    }
    sbl_test_fail_alloc(0);
    sbl_steps_clear(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_levels_are_kept_or_merged_by_the_noise),
        cmocka_unit_test(many_small_steps_are_shrunk_together),
        cmocka_unit_test(noise_alone_becomes_nearly_even),
        cmocka_unit_test(spike_stands_and_its_neighbours_stay_flat),
        cmocka_unit_test(values_without_noise_are_given_back),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
