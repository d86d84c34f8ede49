/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of docs/mechanisms/bounds.md beside simulations: noise of our own sampler under the test key on mean
 * embeddings, random frequencies of the public generator. The papers' slips are shown by the same draws. */
#include <math.h>
#include <stdlib.h>

#include "base/random/model_rng.h"
#include "door/noise/noise.h"
#include "noise/fake_token.h"
#include "public/plan/bounds.h"
#include "support/cmocka_all.h"
#include "support/key_test.h"
#include "support/near.h"

#define VALUES 200
#define TRIALS 4000
#define BATCH (VALUES + 1)
#define PI 3.14159265358979323846

static int64_t drawn[TRIALS * BATCH];

/* Standard discrete Gaussian noise, as every release has it; row t of BATCH numbers is trial t. */
static int draw_noise(void **state)
{
    (void)state;
    fake_token token = {.is_test = true};
    sbl_noise *noise;
    sbl_test_key_set(44);
    assert_ok(sbl_noise_open(&noise, (sbl_reserve_token *)&token, NULL));
    assert_ok(sbl_noise_gaussian(noise, drawn, TRIALS * BATCH, NULL));
    sbl_noise_close(noise);
    return 0;
}

ALL_TESTS(draw_noise, NULL)

static double noise_at(size_t trial, size_t i) { return ldexp((double)drawn[trial * BATCH + i], -56); }

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *numbers, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += numbers[i];
    return sum / (double)count;
}

/* Of sorted numbers, the part above a bound. */
static double part_above(const double *numbers, size_t count, double bound)
{
    size_t above = 0;
    for (size_t i = 0; i < count; i++) above += numbers[i] > bound;
    return (double)above / (double)count;
}

/* The sum of Fourier features of `records` points on a line, each of length 1, by VALUES / 2 frequencies. */
static void embed(double sum[VALUES], size_t records, double from, double step)
{
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, 0);
    for (size_t f = 0; f < VALUES / 2; f++) {
        const double w = sbl_model_rng_normal(&rng);
        sum[2 * f] = sum[2 * f + 1] = 0;
        for (size_t r = 0; r < records; r++) {
            sum[2 * f] += cos(w * (from + step * (double)r)) / sqrt(VALUES / 2);
            sum[2 * f + 1] += sin(w * (from + step * (double)r)) / sqrt(VALUES / 2);
        }
    }
}

static double length_of(const double *vector)
{
    double sum = 0;
    for (size_t i = 0; i < VALUES; i++) sum += vector[i] * vector[i];
    return sqrt(sum);
}

/* ---- the released mean ---- */

/* Distances of the noisy mean from the true one, over all trials. */
static void simulate(double distances[TRIALS], const sbl_noisy_mean *by)
{
    double sum[VALUES];
    embed(sum, (size_t)by->records, 0, 0.01);
    for (size_t t = 0; t < TRIALS; t++) {
        const double total = by->records + by->count_noise * noise_at(t, VALUES);
        const double divisor = by->count_noise == 0 ? by->records : fmax(total, 1);
        double squared = 0;
        for (size_t i = 0; i < VALUES; i++) {
            const double released = (sum[i] + by->noise * noise_at(t, i)) / divisor;
            squared += (released - sum[i] / by->records) * (released - sum[i] / by->records);
        }
        distances[t] = sqrt(squared);
    }
}

TEST(distances_of_a_mean_over_a_public_number_are_as_expected)
{
    static double distances[TRIALS];
    const sbl_noisy_mean by = {.noise = 7.461, .values = VALUES, .records = 500};
    const sbl_bound bound = sbl_bound_noise(&by, SBL_BOUND_RISK);
    simulate(distances, &by);
    /* The length's deviation is about 1/sqrt 2 of that of one value: sixteen times the mean's error is 2e-3. */
    assert_near(mean_of(distances, TRIALS) / bound.expected, 1, 2e-3);
    const double above = part_above(distances, TRIALS, bound.most);
    assert_true(above <= SBL_BOUND_RISK);
    qsort(distances, TRIALS, sizeof *distances, by_size);
    const double quantile = distances[(size_t)(TRIALS * (1 - SBL_BOUND_RISK))];
    assert_true(quantile <= bound.most && bound.most < 1.05 * quantile); /* a bound, and near */
}

TEST(distances_of_a_mean_over_a_noisy_number_are_within_their_bounds)
{
    static double distances[TRIALS];
    for (int few = 0; few < 2; few++) {
        const sbl_noisy_mean by = {
            .noise = few ? 2.5 : 7.461, .values = VALUES, .records = few ? 20 : 500, .count_noise = 7.461};
        const sbl_bound bound = sbl_bound_noise(&by, SBL_BOUND_RISK);
        simulate(distances, &by);
        assert_true(part_above(distances, TRIALS, bound.most) <= SBL_BOUND_RISK);
        /* Given that the number is within its bound, which fails in half the risk at most. */
        const double off = by.count_noise * sqrt(2 * log(4 / SBL_BOUND_RISK));
        double sum = 0;
        size_t kept = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            if (fabs(by.count_noise * noise_at(t, VALUES)) > off) continue;
            sum += distances[t];
            kept++;
        }
        assert_true((double)kept >= (1 - SBL_BOUND_RISK / 2) * TRIALS);
        assert_true(sum / (double)kept <= bound.expected);
        if (!few) assert_true(bound.expected < 1.15 * sum / (double)kept);
    }
}

/* m(1) = sqrt(2 / pi), m(2) = sqrt(pi / 2), and m(D)^2 lies between D - 1/2 and D - 1/2 + 1 / (7 D). */
TEST(the_mean_length_of_noise_is_that_of_gaussian_vectors)
{
    for (double d = 1; d <= 1e9; d = d < 200 ? d + 1 : d * 3) {
        const sbl_noisy_mean by = {.noise = 1, .values = d, .records = 1};
        const double squared = sbl_bound_noise(&by, 0.5).expected * sbl_bound_noise(&by, 0.5).expected;
        assert_true(squared >= (d - 0.5) * (1 - 1e-9) && squared <= (d - 0.5 + 1 / (7 * d)) * (1 + 1e-9));
    }
    const sbl_noisy_mean two = {.noise = 1, .values = 2, .records = 1};
    assert_near(sbl_bound_noise(&two, 0.5).expected, sqrt(PI / 2), 1e-15);
}

/* ---- random features ---- */

/* MMD^2 of two points at a distance, by F frequencies of seed number t; by their kernel it is 2 - 2 exp(-x^2 / 2). */
static double random_mmd2(size_t frequencies, double distance, uint64_t t)
{
    double sum = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 7, SBL_RNG_OTHER, t);
    for (size_t f = 0; f < frequencies; f++) sum += 2 - 2 * cos(sbl_model_rng_normal(&rng) * distance);
    return sum / (double)frequencies;
}

TEST(random_features_change_a_squared_distance_by_no_more_than_their_bounds)
{
    static double off[TRIALS];
    for (size_t frequencies = 8; frequencies <= 128; frequencies *= 4) {
        const sbl_bound bound = sbl_bound_random_features(2 * (double)frequencies, SBL_BOUND_RISK);
        for (double distance = 0.25; distance <= 16; distance *= 4) {
            const double exact = 2 - 2 * exp(-distance * distance / 2);
            double sum = 0;
            for (size_t t = 0; t < TRIALS; t++) {
                const double found = random_mmd2(frequencies, distance, t);
                sum += found;
                off[t] = fabs(found - exact);
            }
            /* No bias: the deviation of the mean of all trials is at most 2 / sqrt(F TRIALS). */
            assert_near(sum / TRIALS, exact, 5 * 2 / sqrt((double)frequencies * TRIALS));
            assert_true(mean_of(off, TRIALS) <= bound.expected);
            assert_true(part_above(off, TRIALS, bound.most) <= SBL_BOUND_RISK);
            /* Far apart a part of the squared distance is 2 - 2 cos of a uniform angle, of variance 2. */
            if (distance > 4)
                assert_near(mean_of(off, TRIALS) * sqrt((double)frequencies), 2 / sqrt(PI), 0.06);
        }
    }
}

/* ---- the number of features ---- */

static double both_errors(double features, double noise)
{
    return 4 * sqrt(features) * noise + 4 * sqrt(2 / features);
}

TEST(the_balance_makes_the_sum_of_both_errors_smallest)
{
    for (double noise = 2e-6; noise < 1e-2; noise *= 1.7) {
        const size_t chosen = sbl_bound_balance(noise, 128, 1000000);
        const double d = (double)chosen;
        assert_int_equal(chosen % 2, 0);
        assert_true(both_errors(d, noise) <= both_errors(0.9 * d, noise));
        assert_true(both_errors(d, noise) <= both_errors(1.1 * d, noise));
        assert_near(sqrt(d) * noise / sqrt(2 / d), 1, 0.02);
    }
    assert_int_equal(sbl_bound_balance(1, 128, 1000000), 128);
    assert_int_equal(sbl_bound_balance(1e-9, 128, 1000000), 1000000);
    assert_int_equal(sbl_bound_balance(sqrt(2) / 1001.5, 128, 1000000), 1000);
}

/* ---- the papers ---- */

/* |N + a|^2 - |a|^2 of trial t, for noise of a deviation; linear: its part 2 N a. */
static double shift_of_loss(double *linear, size_t t, const double *a, double deviation)
{
    double square = 0;
    *linear = 0;
    for (size_t i = 0; i < VALUES; i++) {
        const double noise = deviation * noise_at(t, i);
        square += noise * noise;
        *linear += 2 * noise * a[i];
    }
    return square + *linear;
}

/* DP-MERF's lemma B.3 prints D s^2 + 4 sqrt 2 s Gamma((D + 1) / 2) / Gamma(D / 2), s = sigma / m, for noise of deviation
 * 2 s. Where the generator agrees with the data, a = 0, the left side is 4 D s^2. */
TEST(the_constants_of_merf_b3_are_those_of_half_the_noise)
{
    const double s = 0.2, none[VALUES] = {0};
    const sbl_noisy_mean one = {.noise = 1, .values = VALUES, .records = 1};
    const double ratio = sbl_bound_noise(&one, 0.5).expected / sqrt(2); /* of the Gamma functions */
    double sum = 0, linear;
    for (size_t t = 0; t < TRIALS; t++) sum += fabs(shift_of_loss(&linear, t, none, 2 * s));
    const double found = sum / TRIALS;
    assert_near(found / (4 * VALUES * s * s), 1, 0.01);
    assert_true(found > 1.5 * (VALUES * s * s + 4 * sqrt(2) * s * ratio)); /* as printed: violated */
    assert_true(found < 4 * VALUES * s * s + 8 * sqrt(2) * s * ratio);     /* as proposition 3.1 has it */
}

/* Two embeddings of the same frequencies, 2 apart at most, and the noise between them. */
static void find_difference(double a[VALUES])
{
    double other[VALUES];
    embed(a, 1, 0, 0);
    embed(other, 1, 30, 0);
    for (size_t i = 0; i < VALUES; i++) a[i] -= other[i];
}

/* The mean of |2 N a| is 2 sqrt(2 / pi) s |a|: DP-MEPF's A.2 prints half of it, and DP-MERF's step by Cauchy and Schwarz
 * is sqrt(pi D / 2) times as much. */
TEST(the_linear_term_has_twice_the_mean_that_mepf_a2_prints)
{
    const double s = 0.01;
    double a[VALUES], sum = 0, linear;
    find_difference(a);
    for (size_t t = 0; t < TRIALS; t++) {
        (void)shift_of_loss(&linear, t, a, s);
        sum += fabs(linear);
    }
    const double printed = sqrt(2 / PI) * s * length_of(a);
    assert_near(sum / TRIALS / printed, 2, 0.06);
    const sbl_noisy_mean one = {.noise = s, .values = VALUES, .records = 1};
    const double by_cauchy = 2 * length_of(a) * sbl_bound_noise(&one, 0.5).expected;
    assert_near(by_cauchy / (sum / TRIALS) / sqrt(PI * VALUES / 2), 1, 0.04);
}

/* A.2 needs no such term: Tr + 2 (|S|_F + sqrt 2 |S^1/2 a|) sqrt(ln(2 / r)) + 2 |S|_op ln(2 / r) holds by itself for
 * Gaussian noise, with ln(4 / r) in the linear part for discrete noise. */
TEST(mepf_a2_holds_without_the_mean_of_the_linear_term)
{
    const double r = 0.05;
    double a[VALUES], linear;
    find_difference(a);
    for (double s = 1e-3; s < 1; s *= 4) {
        const double root = s * length_of(a);
        const double square =
            VALUES * s * s + 2 * sqrt(VALUES) * s * s * sqrt(log(2 / r)) + 2 * s * s * log(2 / r);
        const double gaussian = square + 2 * sqrt(2 * log(2 / r)) * root;
        const double discrete = square + 2 * sqrt(2 * log(4 / r)) * root;
        size_t above = 0;
        for (size_t t = 0; t < TRIALS; t++) above += fabs(shift_of_loss(&linear, t, a, s)) > gaussian;
        assert_true((double)above <= r * TRIALS);
        assert_true(discrete < gaussian + sqrt(2 / PI) * root); /* less than what the paper prints */
    }
}

/* The best of some generators by the noisy loss, when judged by the true one: within 4 |N| of the best there is, and
 * within 4 |N|^2 + 4 |N| MMD. */
TEST(the_best_by_the_noisy_loss_is_within_its_bounds_of_the_best)
{
    enum { GENERATORS = 12 };
    static double means[GENERATORS][VALUES];
    double truth[VALUES], chosen_worse = 0;
    embed(truth, 1, 0, 0);
    for (size_t g = 0; g < GENERATORS; g++) embed(means[g], 1, 0.15 + 0.25 * (double)g, 0);
    for (size_t t = 0; t < TRIALS; t++) {
        const double s = 0.05 * (double)(1 + t % 8);
        double best = INFINITY, taken = INFINITY, least = INFINITY, noise = 0;
        for (size_t i = 0; i < VALUES; i++) noise += s * s * noise_at(t, i) * noise_at(t, i);
        for (size_t g = 0; g < GENERATORS; g++) {
            double loss = 0, noisy = 0;
            for (size_t i = 0; i < VALUES; i++) {
                const double off = truth[i] - means[g][i], seen = off + s * noise_at(t, i);
                loss += off * off;
                noisy += seen * seen;
            }
            if (noisy < least) taken = loss;
            least = fmin(least, noisy);
            best = fmin(best, loss);
        }
        assert_true(taken - best <= 4 * sqrt(noise));
        assert_true(taken - best <= 4 * noise + 4 * sqrt(noise * best));
        chosen_worse += taken > best;
    }
    assert_true(chosen_worse > 0.1 * TRIALS); /* noise does mislead here */
}
