/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of cells and the measures that are made of them. */
#include <math.h>
#include <stdlib.h>

#include "owner/fidelity/distance.h"
#include "owner/fidelity/measures.h"
#include "owner/fidelity/tally.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

enum { ROWS_A = 3000, ROWS_B = 2500 };

static uint64_t mix = 5;

static uint32_t below(uint32_t bound)
{
    mix = mix * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((mix >> 33) % bound);
}

typedef struct problem {
    uint32_t *codes[2][4];
    sbl_tally_input input;
} problem;

static void make_problem(problem *p, size_t way, const uint32_t sizes[4], const uint32_t values[4])
{
    const size_t rows[2] = {ROWS_A, ROWS_B};
    p->input = (sbl_tally_input){.way = way, .tables = 2, .rows = {ROWS_A, ROWS_B}};
    for (size_t i = 0; i < way; i++) {
        p->input.sizes[i] = sizes[i];
        for (size_t t = 0; t < 2; t++) {
            p->codes[t][i] = malloc(rows[t] * sizeof(uint32_t));
            for (size_t r = 0; r < rows[t]; r++) /* spread over the domain, its last code included */
                p->codes[t][i][r] = sizes[i] - 1 - below(values[i]) * (sizes[i] / values[i]);
            p->input.codes[t][i] = p->codes[t][i];
        }
    }
}

static void free_problem(problem *p)
{
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < p->input.way; i++) free(p->codes[t][i]);
}

static bool same_cell(const problem *p, size_t ta, size_t a, size_t tb, size_t b)
{
    for (size_t i = 0; i < p->input.way; i++)
        if (p->codes[ta][i][a] != p->codes[tb][i][b]) return false;
    return true;
}

/* How often the cell of a row occurs in a table, by looking at every row. */
static size_t occurrences(const problem *p, size_t table, size_t row, size_t in)
{
    size_t count = 0;
    for (size_t r = 0; r < p->input.rows[in]; r++) count += same_cell(p, table, row, in, r);
    return count;
}

static void check_counts(const problem *p, const sbl_tally *tally)
{
    uint64_t totals[2] = {0, 0};
    for (size_t cell = 0; cell < tally->cells; cell++)
        for (size_t t = 0; t < 2; t++) totals[t] += tally->counts[t * tally->cells + cell];
    assert_int_equal(totals[0], ROWS_A);
    assert_int_equal(totals[1], ROWS_B);
    for (size_t row = 0; row < ROWS_A; row += 211) {
        size_t found = 0;
        for (size_t cell = 0; cell < tally->cells; cell++) {
            uint32_t codes[4];
            bool same = tally->counts[cell] != 0;
            if (!same) continue;
            sbl_tally_codes(codes, tally, &p->input, cell);
            for (size_t i = 0; i < p->input.way; i++) same = same && codes[i] == p->codes[0][i][row];
            if (!same) continue;
            found++;
            assert_int_equal(tally->counts[cell], occurrences(p, 0, row, 0));
            assert_int_equal(tally->counts[tally->cells + cell], occurrences(p, 0, row, 1));
        }
        assert_int_equal(found, 1);
    }
}

/* Half the L1 distance as a sum over rows: each row of a table stands for 1 / count of its cell. */
static double distance_by_rows(const problem *p)
{
    double sum = 0.0;
    for (size_t t = 0; t < 2; t++)
        for (size_t r = 0; r < p->input.rows[t]; r++) {
            const double own = (double)occurrences(p, t, r, t);
            const double other = (double)occurrences(p, t, r, 1 - t);
            const double shares[2] = {own / (double)p->input.rows[t], other / (double)p->input.rows[1 - t]};
            const double difference = fabs(shares[0] - shares[1]);
            /* a cell of both tables is met from both sides */
            sum += difference / own * (other > 0 ? 0.5 : 1.0);
        }
    return 0.5 * sum;
}

static const uint32_t small_sizes[] = {5, 7, 2, 40}, small_values[] = {5, 7, 2, 9};
static const uint32_t huge_sizes[] = {4000000000u, 3999999999u, 4000000000u, 70000};
static const uint32_t huge_values[] = {23, 19, 21, 11};

TEST(small_domains_are_counted_densely_and_right)
{
    problem p;
    CLEARED(sbl_tally_clear) sbl_tally tally = {0};
    for (size_t way = 1; way <= 4; way++) {
        make_problem(&p, way, small_sizes, small_values);
        assert_ok(sbl_tally_count(&tally, &p.input, NULL));
        assert_false(tally.hashed);
        check_counts(&p, &tally);
        free_problem(&p);
    }
}

TEST(domains_beyond_any_word_are_hashed_and_right)
{
    problem p;
    CLEARED(sbl_tally_clear) sbl_tally tally = {0};
    for (size_t way = 1; way <= 4; way++) { /* the last ones need the table to grow */
        make_problem(&p, way, huge_sizes, huge_values);
        assert_ok(sbl_tally_count(&tally, &p.input, NULL));
        assert_true(tally.hashed);
        assert_true(2 * tally.occupied <= tally.cells);
        check_counts(&p, &tally);
        free_problem(&p);
    }
    assert_true(tally.cells > 4096);
}

TEST(distance_is_half_the_difference_of_shares)
{
    problem p;
    CLEARED(sbl_tally_clear) sbl_tally tally = {0};
    for (int huge = 0; huge < 2; huge++) {
        make_problem(&p, 2, huge ? huge_sizes : small_sizes, huge ? huge_values : small_values);
        assert_ok(sbl_tally_count(&tally, &p.input, NULL));
        const double distance = sbl_tally_distance(&tally, 0, ROWS_A, 1, ROWS_B);
        assert_true(distance > 0.0);
        assert_true(fabs(distance - distance_by_rows(&p)) < 1e-12);
        assert_true(sbl_tally_distance(&tally, 0, ROWS_A, 0, ROWS_A) == 0.0);
        free_problem(&p);
    }
}

TEST(tables_without_a_common_cell_are_at_distance_one)
{
    const uint32_t a[] = {0, 0, 1};
    const uint32_t b[] = {2, 3};
    const sbl_tally_input input = {.way = 1, .sizes = {4}, .tables = 2, .codes = {{a}, {b}}, .rows = {3, 2}};
    CLEARED(sbl_tally_clear) sbl_tally tally = {0};
    assert_ok(sbl_tally_count(&tally, &input, NULL));
    assert_true(sbl_tally_distance(&tally, 0, 3, 1, 2) == 1.0);
}

TEST(allocation_failures_are_reported)
{
    problem p;
    for (int huge = 0; huge < 2; huge++) {
        make_problem(&p, 4, huge ? huge_sizes : small_sizes, huge ? huge_values : small_values);
        for (long n = 0; sbl_test_fail_next(&n);) {
            CLEARED(sbl_tally_clear) sbl_tally tally = {0};
            sbl_error err = {0};
            sbl_test_no_memory(sbl_tally_count(&tally, &p.input, &err));
        }
        free_problem(&p);
    }
}

static bool ascending(const uint32_t *set, size_t way, size_t columns)
{
    for (size_t i = 0; i < way; i++)
        if (set[i] >= columns || (i > 0 && set[i] <= set[i - 1])) return false;
    return true;
}

/* Checks what holds of every list of sets; returns how many there are. */
static size_t check_sets(size_t columns, size_t way, size_t limit, uint64_t seed, uint64_t total)
{
    size_t count;
    uint64_t of;
    uint32_t *sets = sbl_column_sets(&count, &of, columns, way, limit, seed);
    assert_non_null(sets);
    assert_true(of == total);
    for (size_t i = 0; i < count; i++) {
        assert_true(ascending(sets + i * way, way, columns));
        if (i == 0) continue;
        size_t j = 0; /* lexicographic order, no set twice */
        while (j < way && sets[i * way + j] == sets[(i - 1) * way + j]) j++;
        assert_true(j < way && sets[i * way + j] > sets[(i - 1) * way + j]);
    }
    free(sets);
    return count;
}

TEST(column_sets_are_all_or_a_sample_without_repeats)
{
    assert_int_equal(check_sets(15, 4, 2000, 0, 1365), 1365);
    assert_int_equal(check_sets(15, 1, 2000, 0, 15), 15);
    assert_int_equal(check_sets(4, 4, 1, 0, 1), 1);
    assert_int_equal(check_sets(15, 4, 1364, 1, 1365), 1364); /* nearly all */
    assert_int_equal(check_sets(15, 4, 500, 2, 1365), 500);
    assert_int_equal(check_sets(500, 4, 2000, 3, UINT64_C(2573031125)), 2000);
    assert_int_equal(check_sets(100000, 4, 100, 3, UINT64_C(4166416671249975000)), 100);
}

/* Each of the 6 pairs of 4 columns should be in half of the samples of 3 sets; 20000 samples:
 * 5 standard deviations are 354. */
TEST(sampled_sets_are_uniform)
{
    size_t seen[4][4] = {{0}};
    for (uint64_t seed = 0; seed < 20000; seed++) {
        size_t count;
        uint64_t of;
        FREED(free) uint32_t *sets = sbl_column_sets(&count, &of, 4, 2, seed % 2 ? 3 : 2, seed);
        for (size_t i = 0; i < count; i++) seen[sets[2 * i]][sets[2 * i + 1]]++;
    }
    for (size_t i = 0; i < 4; i++) /* limit 3: picked, limit 2: drawn; 10000 of each */
        for (size_t j = i + 1; j < 4; j++) assert_in_range(seen[i][j], 5000 + 3333 - 354, 5000 + 3333 + 354);
}

TEST(row_samples_have_no_repeats_and_are_whole_where_they_fit)
{
    size_t count;
    unsigned char seen[100] = {0};
    uint32_t *rows = sbl_sample_rows(&count, 100, 40, 7, 1);
    assert_int_equal(count, 40);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(rows[i], 0, 99);
        assert_int_equal(seen[rows[i]]++, 0);
    }
    free(rows);
    rows = sbl_sample_rows(&count, 40, 40, 7, 1);
    assert_int_equal(count, 40);
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(rows[i], i);
    free(rows);
}

TEST(wide_tables_are_compared_on_fewer_rows)
{
    assert_int_equal(sbl_row_limit(4000, 32), 4000);
    assert_int_equal(sbl_row_limit(4000, 128), 2000);
    assert_int_equal(sbl_row_limit(20, 100000), 16);
}

TEST(sample_distances_know_ties_and_ends)
{
    const double a[] = {0.0, 0.0, 0.5, 1.0};
    const double b[] = {0.5, 0.5};
    double ks;
    double wasserstein;
    sbl_sample_distances(&ks, &wasserstein, a, 4, b, 2);
    assert_true(ks == 0.5);            /* just below 0.5: F = 1/2, G = 0 */
    assert_true(wasserstein == 0.375); /* 0.5 * 0.5 + 0.25 * 0.5 */
    sbl_sample_distances(&ks, &wasserstein, b, 2, a, 4);
    assert_true(ks == 0.5 && wasserstein == 0.375);
    sbl_sample_distances(&ks, &wasserstein, a, 4, a, 4);
    assert_true(ks == 0.0 && wasserstein == 0.0);
    sbl_sample_distances(&ks, &wasserstein, a, 1, a + 3, 1);
    assert_true(ks == 1.0 && wasserstein == 1.0);
}

TEST(numbers_that_are_not_finite_become_null)
{
    const sbl_triple triple = {1.5, NAN, INFINITY};
    json_t *json = sbl_triple_json(triple);
    assert_true(json_number_value(json_object_get(json, "synthetic")) == 1.5);
    assert_true(json_is_null(json_object_get(json, "floor")));
    assert_true(json_is_null(json_object_get(json, "ceiling")));
    json_decref(json);
    json = sbl_number_json(-INFINITY);
    assert_true(json_is_null(json));
    json_decref(json);
}
