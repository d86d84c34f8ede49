/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of the two printed tables and of the mpmath vectors, from the public functions. */
#include <stdbool.h>

#include "account/check.h"
#include "account/vector_file.h"
#include "semblance/account.h"

#define TOLERANCE 1e-10L

static vector_file exact;
static vector_file printed;

AROUND(read_files)
{
    vector_file_read(&exact, "account.csv");
    vector_file_read(&printed, "account_printed.csv");
}

static double mu_of(double epsilon, double delta)
{
    double mu;
    assert_ok(sbl_gdp_mu(&mu, epsilon, delta, NULL));
    return mu;
}

static double epsilon_of(double mu, double delta)
{
    double epsilon;
    assert_ok(sbl_mixed_epsilon(&epsilon, mu, 0, 0, delta, NULL));
    return epsilon;
}

static double mixed_epsilon_of(const double *a)
{
    double epsilon;
    assert_ok(sbl_mixed_epsilon(&epsilon, a[0], a[1], (unsigned)a[2], a[3], NULL));
    return epsilon;
}

/* What the library says about a row, or false when the row is about something else. */
static bool compute(long double *value, const vector_row *row)
{
    const double *a = row->argument;
    if (strcmp(row->quantity, "mu") == 0)
        *value = mu_of(a[0], a[1]);
    else if (strcmp(row->quantity, "sigma") == 0)
        *value = sqrtl(a[2]) / mu_of(a[0], a[1]);
    else if (strcmp(row->quantity, "delta") == 0)
        *value = sbl_mixed_delta(a[0], 0, 0, a[1]);
    else if (strcmp(row->quantity, "epsilon") == 0)
        *value = epsilon_of(a[0], a[1]);
    else if (strcmp(row->quantity, "epsilon_sigma") == 0)
        *value = epsilon_of(1.0 / a[0], a[1]);
    else if (strcmp(row->quantity, "mixed") == 0)
        *value = sbl_mixed_delta(a[0], a[1], (unsigned)a[2], a[3]);
    else if (strcmp(row->quantity, "mixed_epsilon") == 0)
        *value = mixed_epsilon_of(a);
    else if (strcmp(row->quantity, "naive") == 0)
        *value = sbl_mixed_delta(a[0], 0, 0, a[3] - a[1]);
    else if (strcmp(row->quantity, "discrete_gdp") == 0)
        *value = sbl_mixed_delta(a[1] / a[0], 0, 0, a[2]);
    else
        return false;
    return true;
}

static size_t compare_all(const vector_file *file, long double tolerance)
{
    size_t compared = 0;
    for (size_t i = 0; i < file->count; i++) {
        const vector_row *row = &file->rows[i];
        long double value;
        if (!compute(&value, row)) continue;
        compared++;
        if (!(relative_difference(value, row->value) <= tolerance))
            fail_msg("%s(%g,%g,%g,%g) is %.18Lg, not %.18Lg", row->quantity, row->argument[0],
                     row->argument[1], row->argument[2], row->argument[3], value, row->value);
    }
    return compared;
}

TEST(every_exact_vector_is_met_to_1e_10) { assert_true(compare_all(&exact, TOLERANCE) >= 600); }

TEST(every_printed_table_value_is_met_to_1e_10) { assert_int_equal(compare_all(&printed, TOLERANCE), 293); }

TEST(printed_tables_and_mpmath_agree_on_every_common_row)
{
    static const char *const common[] = {"mu",    "sigma",      "delta",   "epsilon", "epsilon_sigma",
                                         "mixed", "laplace_1d", "discrete"};
    size_t rows = 0;
    for (size_t i = 0; i < printed.count; i++)
        for (size_t c = 0; c < sizeof common / sizeof common[0]; c++) {
            const vector_row *row = &printed.rows[i];
            if (strcmp(row->quantity, common[c]) != 0) continue;
            const double *a = row->argument;
            assert_near(row->value, vector_value(&exact, row->quantity, a[0], a[1], a[2], a[3]), 1e-11L);
            rows++;
        }
    assert_int_equal(rows, 293);
}

TEST(deltas_are_accurate_to_1e_14)
{
    for (size_t i = 0; i < exact.count; i++) {
        const vector_row *row = &exact.rows[i];
        const double *a = row->argument;
        if (strcmp(row->quantity, "delta") == 0)
            assert_near(sbl_mixed_delta(a[0], 0, 0, a[1]), row->value, 1e-14L);
        if (strcmp(row->quantity, "mixed") == 0)
            assert_near(sbl_mixed_delta(a[0], a[1], (unsigned)a[2], a[3]), row->value, 1e-14L);
    }
}

TEST(mu_is_rounded_down_and_sigma_up)
{
    for (size_t i = 0; i < exact.count; i++) {
        const vector_row *row = &exact.rows[i];
        const double *a = row->argument;
        if (strcmp(row->quantity, "mu") == 0) assert_at_most(mu_of(a[0], a[1]), row->value);
        if (strcmp(row->quantity, "sigma") == 0) assert_at_least(sqrtl(a[2]) / mu_of(a[0], a[1]), row->value);
    }
}

TEST(epsilon_is_rounded_up)
{
    for (size_t i = 0; i < exact.count; i++) {
        const vector_row *row = &exact.rows[i];
        const double *a = row->argument;
        if (strcmp(row->quantity, "epsilon") == 0) assert_at_least(epsilon_of(a[0], a[1]), row->value);
        if (strcmp(row->quantity, "mixed_epsilon") == 0) assert_at_least(mixed_epsilon_of(a), row->value);
    }
}

TEST(randomised_response_bounds_the_exact_laplace_mixture)
{
    size_t rows = 0;
    for (size_t i = 0; i < exact.count; i++) {
        const vector_row *row = &exact.rows[i];
        const double *a = row->argument;
        if (strcmp(row->quantity, "laplace_1d") != 0) continue;
        const double bound = sbl_mixed_delta(a[0], a[1], 1, a[3]);
        assert_at_least(bound, row->value);
        assert_at_most(bound, row->value * 1.31L); /* within 3 to 30 percent */
        assert_at_most(bound, sbl_mixed_delta(a[0], 0, 0, a[3] - a[1]));
        rows++;
    }
    assert_int_equal(rows, 5);
}

TEST(composed_sigmas_3_4_12_give_the_printed_epsilon)
{
    const double mu = sqrt(1.0 / 9.0 + 1.0 / 16.0 + 1.0 / 144.0);
    assert_near(mu, vector_value(&printed, "compose_sigma", 3, 4, 12, 0), 1e-11L);
    assert_near(epsilon_of(mu, 1e-5), vector_value(&printed, "epsilon_of_sigmas_3_4_12", 1e-5, 0, 0, 0),
                1e-11L);
}

TEST(a_group_of_five_rows_gives_the_printed_epsilon)
{
    const double mu = sbl_gdp_group(mu_of(1.0, 1e-5), 5);
    assert_near(epsilon_of(mu, 1e-5), vector_value(&printed, "group_epsilon", 1, 1e-5, 5, 0), 2e-8L);
}

ALL_TESTS(read_files, NULL)
