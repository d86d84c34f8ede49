/* Parts of evaluate that a whole document shows only dimly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fidelity/distance.h"
#include "fidelity/measures.h"
#include "support/cmocka_all.h"

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

static void column_sets_are_all_or_a_sample_without_repeats(void **state)
{
    (void)state;
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
static void sampled_sets_are_uniform(void **state)
{
    size_t seen[4][4] = {{0}};
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        size_t count;
        uint64_t of;
        uint32_t *sets = sbl_column_sets(&count, &of, 4, 2, seed % 2 ? 3 : 2, seed);
        for (size_t i = 0; i < count; i++) seen[sets[2 * i]][sets[2 * i + 1]]++;
        free(sets);
    }
    for (size_t i = 0; i < 4; i++) /* limit 3: picked, limit 2: drawn; 10000 of each */
        for (size_t j = i + 1; j < 4; j++)
            assert_in_range(seen[i][j], 5000 + 3333 - 354, 5000 + 3333 + 354);
}

static void row_samples_have_no_repeats_and_are_whole_where_they_fit(void **state)
{
    size_t count;
    unsigned char seen[100] = {0};
    (void)state;
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

static void wide_tables_are_compared_on_fewer_rows(void **state)
{
    (void)state;
    assert_int_equal(sbl_row_limit(4000, 32), 4000);
    assert_int_equal(sbl_row_limit(4000, 128), 2000);
    assert_int_equal(sbl_row_limit(20, 100000), 16);
}

static void sample_distances_know_ties_and_ends(void **state)
{
    const double a[] = {0.0, 0.0, 0.5, 1.0};
    const double b[] = {0.5, 0.5};
    double ks;
    double wasserstein;
    (void)state;
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

static void numbers_that_are_not_finite_become_null(void **state)
{
    const sbl_triple triple = {.value = {1.5, NAN, INFINITY}, .exists = {true, true, false}};
    (void)state;
    json_t *json = sbl_triple_json(&triple);
    assert_true(json_number_value(json_object_get(json, "synthetic")) == 1.5);
    assert_true(json_is_null(json_object_get(json, "floor")));
    assert_true(json_is_null(json_object_get(json, "ceiling")));
    json_decref(json);
    json = sbl_number_json(-INFINITY);
    assert_true(json_is_null(json));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_sets_are_all_or_a_sample_without_repeats),
        cmocka_unit_test(sampled_sets_are_uniform),
        cmocka_unit_test(row_samples_have_no_repeats_and_are_whole_where_they_fit),
        cmocka_unit_test(wide_tables_are_compared_on_fewer_rows),
        cmocka_unit_test(sample_distances_know_ties_and_ends),
        cmocka_unit_test(numbers_that_are_not_finite_become_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
