/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in sweeps: sets of leaves say what walks say, rows are drawn from the model, feedback holds them to leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/pairs/chow_liu.h"
#include "after/pairs/feedback.h"
#include "after/pairs/gibbs_trees.h"
#include "support/cmocka_all.h"

/* ---- sets ---- */

#define WIDE 5
static const uint32_t sizes[WIDE] = {2, 16, 70, 5, 40}; /* trees are for the first or the fourth */

static uint32_t next_number(uint32_t below)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(state >> 8) * below >> 24);
}

/* A random tree: at each node any other column and any of its codes, so that some sides are out of reach. */
static void grow(sbl_trees *trees, uint32_t target, size_t splits)
{
    assert_ok(sbl_trees_begin(trees, target, NULL));
    const uint32_t own = trees->targets[target].column;
    while (!sbl_trees_is_whole(trees)) {
        uint64_t set[2] = {0};
        const uint32_t column = (own + 1 + next_number(WIDE - 1)) % WIDE;
        for (uint32_t v = 0; v < sizes[column]; v++) set[v / 64] |= (uint64_t)next_number(2) << (v % 64);
        if (splits > 0 && next_number(8) > 0 && sbl_trees_split(trees, column, set, NULL) == SBL_OK)
            splits--;
        else
            assert_ok(sbl_trees_leaf(trees, NULL));
    }
}

static void make_trees(sbl_trees *trees)
{
    const uint16_t two[] = {0, 1}, three[] = {0, 1, 1, 2, 0};
    assert_ok(sbl_trees_init(trees, sizes, WIDE, NULL));
    assert_ok(sbl_trees_add_target(trees, 0, 2, two, NULL));
    assert_ok(sbl_trees_add_target(trees, 3, 3, three, NULL));
    for (size_t t = 0; t < 40; t++) grow(trees, t % 3 == 2, t == 0 ? 0 : 40 * t);
    size_t most = 0;
    for (size_t t = 0; t < 40; t++)
        if (trees->trees[t].leaf_count > most) most = trees->trees[t].leaf_count;
    assert_true(most > 128);
}

/* The place of a row's leaf, by a walk. */
static size_t walked(const sbl_gibbs_trees *g, size_t t, const uint16_t *row)
{
    return 64 * g->first_word[t] + sbl_tree_leaf(g->trees, t, row) - g->trees->trees[t].first_leaf;
}

/* Word w of the leaves that a row could have with column j open; SIZE_MAX: with none. */
static uint64_t within_reach(const sbl_gibbs_trees *g, const uint16_t *row, size_t w, size_t j)
{
    uint64_t leaves = g->all[w];
    for (size_t i = 0; i < WIDE; i++)
        if (i != j && g->sets[i] != NULL) leaves &= g->sets[i][row[i] * g->words + w];
    return leaves;
}

static void check_open(const sbl_gibbs_trees *g, size_t t, const uint16_t *row, size_t j)
{
    uint64_t wanted[64] = {0};
    uint16_t other[WIDE];
    const bool asked = sbl_tree_asks(g->trees, sbl_tree_leaf(g->trees, t, row), j);
    memcpy(other, row, sizeof other);
    for (other[j] = 0; other[j] < sizes[j]; other[j]++) {
        const size_t place = walked(g, t, other);
        wanted[place / 64 - g->first_word[t]] |= UINT64_C(1) << (place % 64);
        for (size_t at = 64 * g->first_word[t]; asked && at < 64 * g->first_word[t + 1]; at++) {
            const uint32_t codes = g->codes[j][(size_t)other[j] / 32 * 64 * g->words + at];
            if ((within_reach(g, row, at / 64, j) >> (at % 64) & 1) == 0) continue;
            assert_int_equal(codes >> (other[j] % 32) & 1, at == place);
        }
    }
    for (size_t w = g->first_word[t]; w < g->first_word[t + 1]; w++) {
        const uint64_t left = within_reach(g, row, w, j), own = within_reach(g, row, w, SIZE_MAX);
        const size_t place = walked(g, t, row);
        assert_int_equal(own, place / 64 == w ? UINT64_C(1) << (place % 64) : 0);
        assert_true((wanted[w - g->first_word[t]] & ~left) == 0);
        for (size_t bit = 0; bit < 64; bit++) { /* what no code leads to adds nothing */
            const bool extra = (left & ~wanted[w - g->first_word[t]]) >> bit & 1;
            for (size_t v = 0; asked && extra && v < sizes[j]; v += 32)
                assert_int_equal(g->codes[j][v / 32 * 64 * g->words + 64 * w + bit], 0);
        }
    }
}

TEST(sets_of_leaves_say_what_walks_say)
{
    CLEARED(sbl_trees_clear) sbl_trees trees;
    CLEARED(sbl_pool_clear) sbl_pool pool = {0};
    sbl_gibbs_trees g;
    make_trees(&trees);
    assert_ok(sbl_gibbs_trees_init(&g, &pool, &trees, NULL));
    for (size_t r = 0; r < 60; r++) {
        uint16_t row[WIDE];
        for (size_t j = 0; j < WIDE; j++) row[j] = (uint16_t)next_number(sizes[j]);
        for (size_t t = 0; t < trees.tree_count; t++)
            for (size_t j = 0; j < WIDE; j++) check_open(&g, t, row, j);
    }
}

/* ---- rows ---- */

#define COLUMNS 3
#define ROWS 60000
static const uint32_t codes[COLUMNS] = {
    2, 5, 40}; /* the last one's logits are in memory, the others' in registers */
#define JOINT (2 * 5 * 40)

/* Trees for the first column and for the second, each of which asks all others, and one pair. */
static void make_potts(sbl_potts *potts)
{
    static const uint16_t cells[] = {0, 1, 0, 1, 1};
    static const char *const texts[] = {"2:f0f0f0f0f 1:3 . 2:ff . . 1:c . .", "1:15 2:33333 . . 2:fffff . .",
                                        "0:1 2:ffffffff . 2:100000000f . . 2:5555555555 . ."};
    CLEARED(sbl_trees_clear) sbl_trees trees;
    assert_ok(sbl_potts_init(potts, codes, codes, COLUMNS, NULL));
    for (size_t j = 0; j < COLUMNS; j++)
        for (uint32_t v = 0; v < codes[j]; v++) potts->columns[j].group_of[v] = (uint16_t)v;
    assert_ok(sbl_potts_add(potts, 1, 2, false, NULL));
    assert_ok(sbl_trees_init(&trees, codes, COLUMNS, NULL));
    assert_ok(sbl_trees_add_target(&trees, 0, 2, cells, NULL));
    assert_ok(sbl_trees_add_target(&trees, 1, 2, cells, NULL));
    for (size_t t = 0; t < 3; t++) assert_ok(sbl_trees_read(&trees, t == 2, texts[t], NULL));
    assert_ok(sbl_potts_add_trees(potts, &trees, 0, 3, NULL));
    for (size_t i = 0; i < potts->bias_count; i++) potts->bias[i] = 0.4f * sinf((float)(3 * i));
    for (size_t i = 0; i < potts->theta_count; i++) potts->theta[i] = 0.8f * cosf((float)(5 * i));
    for (size_t i = 0; i < potts->trees.entry_count; i++) potts->phi[i] = 1.5f * sinf((float)(7 * i));
}

/* The joint distribution, and of every row of it the entries of the trees, by adding up all 400 states. */
static void exact_joint(double *joint, size_t (*entries)[3], const sbl_potts *potts)
{
    double total = 0;
    for (uint16_t i = 0; i < JOINT; i++) {
        const uint16_t row[COLUMNS] = {i / 200, i / 40 % 5, i % 40};
        double energy = (double)potts->theta[row[1] * 40 + row[2]];
        for (size_t j = 0; j < COLUMNS; j++)
            energy += (double)potts->bias[potts->columns[j].bias_at + row[j]];
        for (size_t t = 0; t < 3; t++) {
            const uint32_t leaf = sbl_tree_leaf(&potts->trees, t, row);
            entries[i][t] = sbl_tree_entry(&potts->trees, t, leaf, row[t == 2]);
            energy += (double)potts->phi[entries[i][t]];
        }
        total += joint[i] = exp(energy);
    }
    for (size_t i = 0; i < JOINT; i++) joint[i] /= total;
}

static uint16_t *start_rows(const sbl_potts *potts)
{
    uint16_t *rows = calloc(ROWS * 2 * COLUMNS, sizeof *rows);
    float shares[2 + 5 + 40];
    for (size_t i = 0; i < 47; i++) shares[i] = 1;
    assert_ok(sbl_start_independent(potts, rows, ROWS, shares, 1, NULL));
    return rows;
}

static size_t state_of(const uint16_t *row) { return row[0] * 200u + row[1] * 40u + row[2]; }

TEST(plain_sweeps_draw_from_a_model_with_trees)
{
    CLEARED(sbl_potts_clear) sbl_potts potts;
    double joint[JOINT], seen[JOINT] = {0}, chi2 = 0;
    size_t entries[JOINT][3];
    make_potts(&potts);
    exact_joint(joint, entries, &potts);
    FREED(free) uint16_t *rows = start_rows(&potts);
    const sbl_feedback_rule rule = {.sweeps = 20, .seed = 9};
    assert_ok(sbl_feedback_none(&potts, rows, ROWS, 0, &rule, NULL));
    for (size_t r = 0; r < ROWS; r++) seen[state_of(rows + r * 2 * COLUMNS)]++;
    for (size_t i = 0; i < JOINT; i++)
        chi2 += (seen[i] - ROWS * joint[i]) * (seen[i] - ROWS * joint[i]) / (ROWS * joint[i]);
    assert_true(chi2 < JOINT - 1 + 5 * sqrt(2.0 * (JOINT - 1)));
}

TEST(feedback_holds_rows_to_tables_of_leaves)
{
    CLEARED(sbl_potts_clear) sbl_potts truth;
    CLEARED(sbl_potts_clear) sbl_potts potts;
    double joint[JOINT], wanted[64] = {0}, seen[64] = {0}, gap = 0, sampling = 0;
    float shares[47] = {0}, targets[200] = {0}, leaf_targets[64] = {0};
    size_t entries[JOINT][3];
    make_potts(&truth);
    make_potts(&potts);
    assert_true(potts.trees.entry_count <= 64);
    exact_joint(joint, entries, &truth);
    for (size_t i = 0; i < JOINT; i++) {
        shares[i / 200] += (float)joint[i];
        shares[2 + i / 40 % 5] += (float)joint[i];
        shares[7 + i % 40] += (float)joint[i];
        targets[i % 200] += (float)joint[i];
        for (size_t t = 0; t < 3; t++) leaf_targets[entries[i][t]] += (float)joint[i];
        for (size_t t = 0; t < 3; t++) wanted[entries[i][t]] += ROWS * joint[i];
    }
    for (size_t i = 0; i < potts.bias_count; i++) potts.bias[i] = logf(shares[i]);
    memset(potts.theta, 0, potts.theta_count * sizeof *potts.theta);
    memset(potts.phi, 0, potts.trees.entry_count * sizeof *potts.phi);
    FREED(free) uint16_t *rows = start_rows(&potts);
    const sbl_feedback_goal goal = {.shares = shares, .targets = targets, .leaf_targets = leaf_targets};
    const sbl_feedback_rule rule = {.sweeps = 60, .gain = 4, .step = 0.2f, .seed = 3};
    assert_ok(sbl_feedback_run(&potts, rows, ROWS, &goal, &rule, NULL));
    for (size_t r = 0; r < ROWS; r++)
        for (size_t t = 0; t < 3; t++) seen[entries[state_of(rows + r * 2 * COLUMNS)][t]]++;
    for (size_t i = 0; i < potts.trees.entry_count; i++) {
        gap += fabs(seen[i] - wanted[i]);
        sampling += 0.8 * sqrt(wanted[i]);
    }
    assert_true(gap < 0.4 * sampling);
}
