/* SPDX-License-Identifier: Apache-2.0 */
/* Cells merge where they are light, and nowhere else. */
#include "after/counts/bin_codes.h"
#include "support/cmocka_all.h"
#include "support/near.h"

TEST(a_spike_of_a_number_stands_alone)
{
    const sbl_pairs_column column = {SBL_PAIRS_NUMBER, 41, 40, false, 0, NULL};
    double shares[41];
    uint32_t of[41];
    sbl_pairs_map map = {.of = of};
    for (size_t c = 0; c < 41; c++) shares[c] = 0.5 / 40;
    shares[17] = 0.4;
    shares[40] = 0.1; /* missing */
    sbl_pairs_merge_codes(&map, &column, shares, 0.01);
    assert_int_equal(of[0], 0);
    for (size_t c = 1; c < 40; c++) {
        assert_true(of[c] == of[c - 1] || of[c] == of[c - 1] + 1);
        if (c != 17) assert_true(of[c] != of[17]);
    }
    assert_int_equal(of[40], map.cells - 1);
    assert_true(of[39] != of[40]);
    assert_true(map.cells <= SBL_PAIRS_NUMBER_CODES + 3);
}

TEST(no_code_of_a_number_is_below_the_threshold)
{
    const sbl_pairs_column column = {SBL_PAIRS_NUMBER, 40, 40, false, 0, NULL};
    double shares[40] = {0}, mass[40] = {0};
    uint32_t of[40];
    sbl_pairs_map map = {.of = of};
    shares[1] = 0.01; /* too light at the left end */
    shares[2] = 0.5;
    shares[20] = 0.2;
    shares[21] = 0.02;
    shares[22] = 0.26;
    shares[39] = 0.01;
    sbl_pairs_merge_codes(&map, &column, shares, 0.05);
    for (size_t c = 0; c < 40; c++) mass[of[c]] += shares[c];
    for (size_t m = 0; m < map.cells; m++) assert_true(mass[m] >= 0.05);
    assert_int_equal(map.cells, 3);
}

TEST(light_categories_become_one)
{
    const sbl_pairs_column column = {SBL_PAIRS_CATEGORIES, 6, 0, false, 0, NULL};
    const double shares[6] = {0.02, 0.5, 0.01, 0.4, 0.03, 0.04};
    uint32_t of[6];
    sbl_pairs_map map = {.of = of};
    const uint32_t merged[6] = {2, 0, 2, 1, 2, 2}, one[6] = {0, 1, 2, 3, 4, 5};
    sbl_pairs_merge_codes(&map, &column, shares, 0.1);
    assert_int_equal(map.cells, 3);
    assert_memory_equal(of, merged, sizeof of);
    sbl_pairs_merge_codes(&map, &column, shares, 0.015); /* a single light one stays */
    assert_int_equal(map.cells, 6);
    assert_memory_equal(of, one, sizeof of);
}

/* Two chapters of three categories, one of one, and a missing value: what is light joins its own chapter, and what is
 * light even so becomes one code. */
TEST(light_categories_join_those_of_their_parent)
{
    const uint32_t chapter[7] = {0, 1, 0, 1, 0, 1, 2};
    const sbl_pairs_column column = {SBL_PAIRS_CATEGORIES, 8, 0, true, 1, chapter};
    const double shares[8] = {0.5, 0.06, 0.05, 0.06, 0.06, 0.05, 0.02, 0.2};
    uint32_t of[8], groups_of[8];
    sbl_pairs_map map = {.of = of}, groups = {.of = groups_of};
    const double mass[5] = {0.5, 0.2, 0.11, 0.17, 0.02};
    assert_ok(sbl_pairs_merge_column(&map, &column, shares, 0.1 / 16, NULL));
    assert_int_equal(map.cells, 5);
    assert_true(of[2] == of[4] && of[1] == of[3] && of[3] == of[5]);
    assert_true(of[0] != of[2] && of[1] != of[2] && of[7] != of[6] && of[6] == 4);
    assert_ok(sbl_pairs_merge_groups(&groups, &map, &column, mass, 4, NULL));
    assert_int_equal(groups.cells, 4);
    assert_true(groups_of[0] == groups_of[2] && groups_of[1] != groups_of[0] && groups_of[7] != groups_of[0]);
    assert_ok(sbl_pairs_merge_groups(&groups, &map, &column, mass, 2,
                                     NULL)); /* the heaviest chapter, and the rest */
    assert_int_equal(groups.cells, 2);
    assert_true(groups_of[0] == groups_of[4] && groups_of[1] == groups_of[7] && groups_of[1] != groups_of[0]);
}

TEST(a_huge_list_of_categories_keeps_the_heaviest)
{
    static double shares[20000];
    static uint32_t of[20000];
    const sbl_pairs_column column = {SBL_PAIRS_CATEGORIES, 20000, 0, false, 0, NULL};
    sbl_pairs_map map = {.of = of};
    for (size_t c = 0; c < 20000; c++) shares[c] = (double)(c + 1) / 200010000.0;
    sbl_pairs_merge_codes(&map, &column, shares, 0);
    assert_int_equal(map.cells, SBL_PAIRS_MOST_CODES);
    assert_int_equal(of[0], map.cells - 1);
    assert_int_equal(of[19999], map.cells - 2);
}

TEST(groups_in_order_have_about_equal_mass)
{
    sbl_error err = {0};
    const sbl_pairs_column column = {SBL_PAIRS_NUMBER, 12, 12, false, 0, NULL};
    uint32_t codes_of[12], of[12];
    double mass[12], sums[4] = {0};
    for (uint32_t c = 0; c < 12; c++) codes_of[c] = c, mass[c] = (c + 1) / 78.0;
    const sbl_pairs_map codes = {SBL_PAIRS_CODES, 0, 12, codes_of};
    sbl_pairs_map groups = {.of = of};
    assert_ok(sbl_pairs_merge_groups(&groups, &codes, &column, mass, 4, &err));
    assert_int_equal(groups.cells, 4);
    for (uint32_t c = 0; c < 12; c++) {
        if (c > 0) assert_true(of[c] >= of[c - 1]);
        sums[of[c]] += mass[c];
    }
    for (size_t g = 0; g < 4; g++) assert_near(sums[g], 0.25, 0.1);
}

TEST(groups_of_categories_are_the_heaviest_and_the_rest)
{
    sbl_error err = {0};
    const sbl_pairs_column column = {SBL_PAIRS_CATEGORIES, 5, 0, false, 0, NULL};
    const double mass[5] = {0.1, 0.3, 0.05, 0.35, 0.2};
    uint32_t codes_of[5] = {0, 1, 2, 3, 4}, of[5];
    const uint32_t wanted[5] = {2, 1, 2, 0, 2}, all[5] = {0, 1, 2, 3, 4};
    const sbl_pairs_map codes = {SBL_PAIRS_CODES, 0, 5, codes_of};
    sbl_pairs_map groups = {.of = of};
    assert_ok(sbl_pairs_merge_groups(&groups, &codes, &column, mass, 3, &err));
    assert_int_equal(groups.cells, 3);
    assert_memory_equal(of, wanted, sizeof of);
    assert_ok(sbl_pairs_merge_groups(&groups, &codes, &column, mass, 5, &err));
    assert_memory_equal(of, all, sizeof of);
}

TEST(public_codes_are_equal_runs)
{
    const sbl_pairs_column column = {SBL_PAIRS_NUMBER, 33, 32, false, 0, NULL};
    uint32_t of[33];
    sbl_pairs_map map = {.of = of};
    sbl_pairs_public_codes(&map, &column, 8);
    assert_int_equal(map.cells, 9);
    for (uint32_t c = 0; c < 32; c++) assert_int_equal(of[c], c / 4);
    assert_int_equal(of[32], 8);
}
