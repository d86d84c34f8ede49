/* SPDX-License-Identifier: Apache-2.0 */
/* How often noise alone has a sound column named: releases of counts that are all 0, with the noise of either mechanism from a
 * generator of the test's own, are read and reported as a run does. */
#include <math.h>
#include <string.h>

#include "records/features/counts.h"
#include "run/pipeline/health.h"
#include "support/cmocka_all.h"
#include "support/sanitized.h"

ALL_TESTS(NULL, NULL)

#define MOST_COLUMNS 1000
#define DEVIATION 5.75 /* of the noise on a count of cells */

/* splitmix64, and a number in (0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* Of scale 1: normal (Box and Muller), or Laplace. */
static double noise(uint64_t *state, bool pure)
{
    const double u = uniform(state), v = uniform(state);
    return pure ? (v < 0.5 ? log(u) : -log(u)) : sqrt(-2.0 * log(u)) * cos(2.0 * acos(-1.0) * v);
}

static void hear(void *context, sbl_advice_kind kind, const char *line)
{
    assert_true(kind == SBL_ADVICE_SCHEMA && line != NULL);
    ++*(size_t *)context;
}

/* Runs of `runs` in which a line is said: of so many columns and rows, with `misfits` cells of the first that do not fit. */
static size_t runs_with_a_line(size_t runs, size_t columns, uint64_t rows, bool pure, double misfits)
{
    static sbl_i128 values[MOST_COLUMNS];
    const sbl_facts facts = {.kind = SBL_DATA_TABLE, .columns = columns};
    const double scale = DEVIATION / (pure ? sqrt(2.0) : 1.0); /* of Laplace noise */
    sbl_block block = {
        .width = columns, .multiplier = (uint64_t)ldexp(1.0 / scale, SBL_NOISE_SCALE_BITS), .scale = 1.0};
    const sbl_release release = {.mechanism = pure ? SBL_DISCRETE_LAPLACE : SBL_DISCRETE_GAUSSIAN,
                                 .n = rows,
                                 .classes = 1,
                                 .blocks = &block,
                                 .block_count = 1,
                                 .values = values,
                                 .value_count = columns};
    uint64_t state = 1000 * columns + rows + (pure ? 1 : 0);
    size_t heard = 0, lines = 0;
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.pure = pure;
    options.advice = hear;
    options.context = &lines;
    (void)strcpy(block.name, SBL_HEALTH);
    for (size_t run = 0; run < runs; run++) {
        sbl_certified_health *figures;
        size_t count;
        for (size_t k = 0; k < columns; k++)
            values[k] = (sbl_i128)ldexp(noise(&state, pure), SBL_NOISE_SCALE_BITS);
        values[0] += (sbl_i128)(misfits * (double)block.multiplier);
        lines = 0;
        assert_ok(sbl_health_read(&figures, &count, &release, &facts, NULL));
        sbl_health_report(figures, count, &facts, false, &options);
        sbl_free(figures);
        if (lines > 0) heard++;
    }
    return heard;
}

static const struct {
    size_t columns, runs;
} cases[] = {{1, 200000}, {25, 50000}, {100, 20000}};

/* One run of 1,000, within four deviations of the number of such runs: shares are coarse parts of 10,000 here, and nothing
 * is rounded off that counts. */
TEST(noise_names_a_sound_column_in_one_run_of_a_thousand)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int pure = 0; pure < 2; pure++) {
            const size_t runs = cases[i].runs / (sanitized ? 50 : 1);
            const double expected = 0.001 * (double)runs;
            const size_t found = runs_with_a_line(runs, cases[i].columns, 10, pure != 0, 0.0);
            if (fabs((double)found - expected) > 4.0 * sqrt(expected))
                fail_msg("%zu columns, %s: %zu of %zu runs", cases[i].columns, pure ? "Laplace" : "Gaussian",
                         found, runs);
        }
}

/* Where noise is a few parts of 10,000 of the cells, or less than one of them, what is rounded off is on the safe side. */
TEST(rounding_makes_no_alarm)
{
    static const uint64_t rows[] = {1000, 100000, 130000, 1000000, 1000000000};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int pure = 0; pure < 2; pure++) {
            const size_t runs = sanitized ? 1000 : 20000;
            const double most = 0.001 * (double)runs + 4.0 * sqrt(0.001 * (double)runs);
            const size_t found = runs_with_a_line(runs, 25, rows[i], pure != 0, 0.0);
            if ((double)found > most)
                fail_msg("%llu rows: %zu of %zu runs", (unsigned long long)rows[i], found, runs);
        }
}

/* A column by eight deviations of noise (of Laplace noise twelve) is named all the same, among 25. */
TEST(column_that_is_wrong_is_named)
{
    assert_true(runs_with_a_line(1000, 25, 1000, false, 8.0 * DEVIATION) >= 999);
    assert_true(runs_with_a_line(1000, 25, 1000, true, 12.0 * DEVIATION) >= 990);
}

/* Quantiles by Python's statistics.NormalDist, and ln by hand. */
TEST(deviations_follow_from_the_number_of_columns)
{
    assert_true(fabs(sbl_health_deviations(1, false) - 3.090232306167813) < 1e-9);
    assert_true(fabs(sbl_health_deviations(25, false) - 3.944284999713348) < 1e-9);
    assert_true(fabs(sbl_health_deviations(1000, false) - 4.753323322661528) < 1e-9);
    assert_true(fabs(sbl_health_deviations(1, true) - 4.394391528811166) < 1e-9);
    assert_true(fabs(sbl_health_deviations(1000, true) - 9.278558782293906) < 1e-9);
}
