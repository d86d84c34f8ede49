/* SPDX-License-Identifier: Apache-2.0 */
/* Do 95 % intervals hold the truth in 95 % of cases? Tables are drawn from a population, noise is added to their exact
 * sums, and both intervals are compared with the table's value and the population's. A planted bug, noise that is
 * thought to be half of what it is, must be seen. The randomness is public and fixed: no run differs from another. */
#include <math.h>
#include <string.h>

#include "after/answers/group_answers.h"
#include "after/answers/regression.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"

#define TABLES 600
#define ROWS 400
#define NOISE 12.0
#define WIDTH 4 /* of (1, x, group, y) */

typedef struct coverage {
    double table, population;
} coverage;

static bool holds(sbl_interval interval, double value)
{
    return interval.low <= value && value <= interval.high;
}

static void count(coverage *covered, const sbl_answer *answer, double table, double population)
{
    covered->table += holds(answer->table, table) ? 1.0 / TABLES : 0.0;
    covered->population += holds(answer->population, population) ? 1.0 / TABLES : 0.0;
}

static void assert_covered(const coverage *covered, const char *what)
{
    if (covered->table < 0.92 || covered->table > 0.98) fail_msg("%s: table %g", what, covered->table);
    if (covered->population < 0.92 || covered->population > 0.98)
        fail_msg("%s: population %g", what, covered->population);
}

/* A group of 30 % of the rows, with values in [0, 100] of mean 30: sums of all and of the group. */
typedef struct drawn_group {
    double parts[3], count, sum;
} drawn_group;

static drawn_group draw_group(sbl_model_rng *rng)
{
    drawn_group g = {0};
    for (size_t r = 0; r < ROWS; r++) {
        const double u = fmin(1.0, -0.3 * log(sbl_model_rng_uniform(rng)));
        if (sbl_model_rng_uniform(rng) >= 0.3) continue;
        g.count += 1.0;
        g.sum += 100.0 * u;
        g.parts[0] += (1.0 - u) * (1.0 - u);
        g.parts[1] += 2.0 * u * (1.0 - u);
        g.parts[2] += u * u;
    }
    return g;
}

/* The mean of min(1, X), X exponential of mean 0.3, is 0.3 (1 - exp(-1 / 0.3)). */
static double true_mean(void) { return 100.0 * 0.3 * (1.0 - exp(-1.0 / 0.3)); }

/* believed: the noise that the intervals are told of, as a part of what it is. */
static void cover_groups(coverage covered[3], double believed)
{
    const sbl_group_facts facts = {
        .noise = believed * NOISE, .tied = 1.0, .n = ROWS, .low = 0.0, .high = 100.0, .sampled = true};
    memset(covered, 0, 3 * sizeof *covered);
    for (size_t t = 0; t < TABLES; t++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, t);
        const drawn_group g = draw_group(&rng);
        double noisy[3];
        for (size_t i = 0; i < 3; i++) noisy[i] = g.parts[i] + NOISE * sbl_model_rng_normal(&rng);
        const sbl_answer answers[3] = {sbl_answer_count(g.count + NOISE * sbl_model_rng_normal(&rng), &facts),
                                       sbl_answer_sum(noisy, &facts), sbl_answer_mean(noisy, &facts)};
        count(&covered[0], &answers[0], g.count, 0.3 * ROWS);
        count(&covered[1], &answers[1], g.sum, 0.3 * ROWS * true_mean());
        count(&covered[2], &answers[2], g.sum / g.count, true_mean());
    }
}

TEST(groups_are_covered)
{
    coverage covered[3];
    cover_groups(covered, 1.0);
    assert_covered(&covered[0], "count");
    assert_covered(&covered[1], "sum");
    assert_covered(&covered[2], "mean");
}

/* Values close to the upper bound: there the noise of the count is more than half of that of the mean. */
TEST(means_at_an_end_are_covered)
{
    const sbl_group_facts facts = {
        .noise = NOISE, .tied = 1.0, .n = ROWS, .low = 0.0, .high = 100.0, .sampled = true};
    coverage covered = {0};
    for (size_t t = 0; t < TABLES; t++) {
        sbl_model_rng rng;
        drawn_group g = {0};
        sbl_model_rng_init(&rng, 8, SBL_RNG_OTHER, t);
        for (size_t r = 0; r < ROWS; r++) {
            const double u = 1.0 - 0.05 * sbl_model_rng_uniform(&rng); /* mean 97.5 */
            g.sum += 100.0 * u;
            g.parts[0] += (1.0 - u) * (1.0 - u);
            g.parts[1] += 2.0 * u * (1.0 - u);
            g.parts[2] += u * u;
        }
        for (size_t i = 0; i < 3; i++) g.parts[i] += NOISE * sbl_model_rng_normal(&rng);
        const sbl_answer answer = sbl_answer_mean(g.parts, &facts);
        count(&covered, &answer, g.sum / ROWS, 97.5);
    }
    assert_covered(&covered, "a mean at an end");
}

TEST(half_the_noise_is_seen)
{
    coverage covered[3];
    cover_groups(covered, 0.5);
    for (size_t i = 0; i < 3; i++) assert_true(covered[i].table < 0.85);
}

/* Two groups that share the public n: the noise of each is halved in variance by the tie. */
TEST(tied_counts_are_covered)
{
    const sbl_group_facts facts = {.noise = NOISE, .tied = 0.5, .n = ROWS, .sampled = true};
    coverage covered = {0};
    for (size_t t = 0; t < TABLES; t++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, 6, SBL_RNG_OTHER, t);
        const double first = draw_group(&rng).count;
        const double a = first + NOISE * sbl_model_rng_normal(&rng);
        const double b = ROWS - first + NOISE * sbl_model_rng_normal(&rng);
        const sbl_answer answer = sbl_answer_count(a - (a + b - ROWS) / 2.0, &facts);
        count(&covered, &answer, first, 0.3 * ROWS);
    }
    assert_covered(&covered, "tied counts");
}

/* An empty group has no estimate and the widest interval; nothing else may be said of it. */
TEST(noise_alone_has_no_mean)
{
    const sbl_group_facts facts = {.noise = NOISE, .tied = 1.0, .low = -5.0, .high = 100.0, .sampled = true};
    for (int sign = -1; sign <= 1; sign++) {
        const double parts[3] = {9.0 * sign, 0.0, 5.0 * sign};
        const sbl_answer answer = sbl_answer_mean(parts, &facts);
        assert_true(isnan(answer.estimate));
        assert_true(answer.table.low == -5.0);
        assert_true(answer.table.high == 100.0);
    }
}

/* ---- regression ---- */

#define POPULATION_X 0.5
#define POPULATION_GROUP (-0.2)

/* x even on [-1, 1], a group of 40 %, y = 0.1 + x / 2 - group / 5 + error. */
static void draw_moments(double exact[WIDTH * WIDTH], sbl_model_rng *rng, size_t rows)
{
    memset(exact, 0, WIDTH * WIDTH * sizeof *exact);
    for (size_t r = 0; r < rows; r++) {
        const double x = 2.0 * sbl_model_rng_uniform(rng) - 1.0;
        const double group = sbl_model_rng_uniform(rng) < 0.4 ? 1.0 : 0.0;
        const double y = 0.1 + POPULATION_X * x + POPULATION_GROUP * group + 0.2 * sbl_model_rng_normal(rng);
        const double z[WIDTH] = {1.0, x, group, y};
        for (size_t i = 0; i < WIDTH; i++)
            for (size_t j = 0; j < WIDTH; j++) exact[i * WIDTH + j] += z[i] * z[j];
    }
}

static void fill_moments(sbl_regression_moments *m, const double *exact, double noise, double believed,
                         sbl_model_rng *rng)
{
    for (size_t i = 0; i < WIDTH; i++)
        for (size_t j = i; j < WIDTH; j++) {
            const double deviation = i == j ? noise : noise / sqrt(2.0);
            const double value =
                exact[i * WIDTH + j] + (rng != NULL ? deviation * sbl_model_rng_normal(rng) : 0.0);
            m->matrix[i * WIDTH + j] = m->matrix[j * WIDTH + i] = value;
            m->noise[i * WIDTH + j] = m->noise[j * WIDTH + i] = believed * deviation;
            m->same[i * WIDTH + j] = m->same[j * WIDTH + i] = i * WIDTH + j;
        }
}

static void cover_regression(coverage covered[2], double believed)
{
    double matrix[WIDTH * WIDTH], noise[WIDTH * WIDTH], exact[WIDTH * WIDTH];
    double intercept[WIDTH - 1] = {1.0};
    size_t same[WIDTH * WIDTH];
    const sbl_regression_moments m = {.width = WIDTH,
                                      .matrix = matrix,
                                      .noise = noise,
                                      .same = same,
                                      .draws = WIDTH * WIDTH,
                                      .intercept = intercept,
                                      .sampled = true};
    const double population[2] = {POPULATION_X, POPULATION_GROUP};
    memset(covered, 0, 2 * sizeof *covered);
    for (size_t t = 0; t < TABLES; t++) {
        sbl_answer table[WIDTH - 1], answers[WIDTH - 1];
        sbl_model_rng rng;
        sbl_regression_moments own = m;
        sbl_model_rng_init(&rng, 7, SBL_RNG_OTHER, t);
        draw_moments(exact, &rng, 3 * ROWS);
        fill_moments(&own, exact, 1e-9, 1.0, NULL);
        assert_int_equal(sbl_regression_answer(table, &own, NULL), SBL_OK);
        fill_moments(&own, exact, NOISE, believed, &rng);
        assert_int_equal(sbl_regression_answer(answers, &own, NULL), SBL_OK);
        for (size_t i = 0; i < 2; i++)
            count(&covered[i], &answers[i + 1], table[i + 1].estimate, population[i]);
    }
}

TEST(regressions_are_covered)
{
    coverage covered[2];
    cover_regression(covered, 1.0);
    assert_covered(&covered[0], "a number");
    assert_covered(&covered[1], "a category");
    cover_regression(covered, 0.5);
    assert_true(covered[0].table < 0.85);
    assert_true(covered[1].table < 0.85);
}
