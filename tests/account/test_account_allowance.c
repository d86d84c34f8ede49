/* SPDX-License-Identifier: Apache-2.0 */
/* The discretisation allowance, and the discrete Gaussian it bridges to. */
#include "account/check.h"
#include "account/vector_file.h"
#include "public/account/gaussian.h"
#include "semblance/account.h"

static vector_file exact;
static vector_file printed;

AROUND(read_files)
{
    vector_file_read(&exact, "account.csv");
    vector_file_read(&printed, "account_printed.csv");
}

/* P[Y >= first] for the discrete Gaussian of the given scale, summed from the far tail inward. */
static long double tail(long first, long scale)
{
    long double sum = 0.0L;
    long double total = 0.0L;
    for (long k = 45 * scale; k >= -45 * scale; k--) {
        const long double p = expl(-(long double)(k * k) / (2.0L * scale * scale));
        total += p;
        if (k >= first) sum += p;
    }
    return sum / total;
}

/* One coordinate, integer shift (Canonne-Kamath-Steinke 2020, theorem 7). */
static long double discrete_delta(long scale, long shift, long double epsilon)
{
    const long double centre = epsilon * scale * scale / shift;
    const long low = (long)floorl(centre - shift / 2.0L) + 1;
    const long high = (long)floorl(centre + shift / 2.0L) + 1;
    return tail(low, scale) - expl(epsilon) * tail(high, scale);
}

TEST(discrete_gaussian_meets_the_exact_values)
{
    for (size_t i = 0; i < printed.count; i++) {
        const vector_row *row = &printed.rows[i];
        if (strcmp(row->quantity, "discrete") != 0) continue;
        const double *a = row->argument;
        const long double delta = discrete_delta((long)a[0], (long)a[1], a[2]);
        assert_near(delta, row->value, 1e-13L);
        assert_near(delta, vector_value(&exact, "discrete", a[0], a[1], a[2], 0), 1e-14L);
    }
}

TEST(discrete_gaussian_approaches_gdp_at_the_printed_rate)
{
    size_t rows = 0;
    for (size_t i = 0; i < printed.count; i++) {
        const vector_row *row = &printed.rows[i];
        const double *a = row->argument;
        long double expected = row->value;
        if (strcmp(row->quantity, "discrete_relative_percent") == 0)
            expected /= 100.0L;
        else if (strcmp(row->quantity, "discrete_relative") != 0)
            continue;
        const long double gdp = sbl_mixed_delta(a[1] / a[0], 0, 0, a[2]);
        const long double relative = discrete_delta((long)a[0], (long)a[1], a[2]) / gdp - 1.0L;
        assert_near(relative, expected, 0.03L); /* two printed digits */
        rows++;
    }
    assert_int_equal(rows, 7);
}

/* The bridge lemma at a scale small enough to compute both sides: D = 1, scale 1024, shift 256. */
TEST(discrete_gaussian_at_1024_lies_within_its_bridge_allowance)
{
    const long double s = 1024.0L;
    const long double tail_exponent = 100.0L;
    const long double eta1 = 1.0L / (24.0L * s * s);
    const long double norm = s * sqrtl(1.0L + 2.0L * sqrtl(tail_exponent) + 2.0L * tail_exponent);
    const long double eta2 = (norm + 0.5L) * (norm + 0.5L) / (24.0L * s * s * s * s);
    const long double gdp = sbl_mixed_delta(0.25, 0, 0, (double)(1.0L - eta1 - eta2));
    const long double delta = discrete_delta(1024, 256, 1.0L);
    assert_at_most(delta, expl(eta1) * (gdp + expl(1.0L - tail_exponent)));
    assert_near(delta, 2.92426775507869e-6L, 1e-13L);
}

/* Where GDP alone would be false the lemma still holds: scale 4, shift 1. */
TEST(bridge_lemma_holds_where_gdp_alone_fails)
{
    const long double s = 4.0L;
    const long double epsilon = 0.5L;
    const long double delta = discrete_delta(4, 1, epsilon);
    assert_true(delta > sbl_mixed_delta(0.25, 0, 0, 0.5));
    for (long double tail_exponent = 1.0L; tail_exponent < 12.0L; tail_exponent += 0.5L) {
        const long double eta1 = 1.0L / (24.0L * s * s);
        const long double norm = s * sqrtl(1.0L + 2.0L * sqrtl(tail_exponent) + 2.0L * tail_exponent) + 0.5L;
        const long double eta2 = norm * norm / (24.0L * s * s * s * s);
        const long double reduced = epsilon - eta1 - eta2;
        assert_at_most(delta, expl(eta1) * (sbl_mixed_delta(0.25, 0, 0, (double)reduced) +
                                            expl(reduced - tail_exponent)));
    }
}

TEST(allowance_meets_its_formula_and_rounds_up)
{
    size_t rows = 0;
    for (size_t i = 0; i < exact.count; i++) {
        const vector_row *row = &exact.rows[i];
        if (strncmp(row->quantity, "allowance_", 10) != 0) continue;
        const sbl_allowance a = sbl_discretisation_allowance((uint64_t)row->argument[0],
                                                             (uint64_t)row->argument[1], row->argument[2]);
        const double value = row->quantity[10] == 'e' ? a.epsilon : a.delta;
        assert_near(value, row->value, 1e-11L);
        assert_at_least(value, row->value);
        rows++;
    }
    assert_int_equal(rows, 12);
}

TEST(a_million_draws_cost_1_6e_29_in_epsilon)
{
    assert_near(sbl_discretisation_allowance(1000000, 1, 1.0).epsilon, 1.6e-29L, 0.02L);
    /* 1e5 releases of 1e7 draws at epsilon 10 stay below 1e-12 and 1e-15. */
    const sbl_allowance many = sbl_discretisation_allowance(1000000000000, 100000, 10.0);
    assert_true(many.epsilon < 1e-22 && many.delta < 1e-15);
}

TEST(no_gaussian_draws_cost_nothing)
{
    const sbl_allowance none = sbl_discretisation_allowance(0, 0, 700.0);
    assert_true(none.epsilon == 0.0 && none.delta == 0.0);
}

TEST(allowance_grows_with_draws_releases_and_epsilon)
{
    const sbl_allowance base = sbl_discretisation_allowance(1000, 10, 1.0);
    const sbl_allowance draws = sbl_discretisation_allowance(2000, 10, 1.0);
    const sbl_allowance releases = sbl_discretisation_allowance(1000, 20, 1.0);
    const sbl_allowance epsilon = sbl_discretisation_allowance(1000, 10, 2.0);
    assert_true(draws.epsilon > base.epsilon && draws.delta > base.delta);
    assert_true(releases.epsilon > base.epsilon && releases.delta >= base.delta);
    assert_true(epsilon.delta > base.delta);
    /* A draw belongs to a release, even where a caller counted none. */
    const sbl_allowance one = sbl_discretisation_allowance(1000, 1, 1.0);
    const sbl_allowance zero = sbl_discretisation_allowance(1000, 0, 1.0);
    assert_true(one.epsilon == zero.epsilon && one.delta == zero.delta);
}

TEST(allowance_delta_is_a_probability_for_any_epsilon)
{
    const double epsilons[] = {200.0, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++)
        assert_true(sbl_discretisation_allowance(1, 1, epsilons[i]).delta == 1.0);
}

ALL_TESTS(read_files, NULL)
