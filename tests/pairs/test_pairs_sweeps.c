/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps draw from the model, feedback holds rows to targets, threads change nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "after/counts/spread.h"
#include "after/pairs/chow_liu.h"
#include "after/pairs/feedback.h"
#include "base/compute/threads.h"
#include "support/cmocka_all.h"
#include "support/near.h"

#define COLUMNS 3
#define ROWS 60000

static const uint32_t codes[COLUMNS] = {2, 3, 11}, groups[COLUMNS] = {2, 2, 3};
#define JOINT (2 * 3 * 11)

/* Blocks 0-1 and 1-2 over codes, 0-2 over groups; parameters that are far from 0. */
static void make_potts(sbl_potts *potts)
{
    sbl_error err = {0};
    assert_ok(sbl_potts_init(potts, codes, groups, COLUMNS, &err));
    for (uint32_t v = 0; v < 3; v++) potts->columns[1].group_of[v] = v > 0;
    for (uint32_t v = 0; v < 11; v++) potts->columns[2].group_of[v] = (uint16_t)(v % 3);
    for (uint32_t v = 0; v < 2; v++) potts->columns[0].group_of[v] = (uint16_t)v;
    assert_ok(sbl_potts_add(potts, 0, 1, false, &err));
    assert_ok(sbl_potts_add(potts, 1, 2, false, &err));
    assert_ok(sbl_potts_add(potts, 0, 2, true, &err));
    for (size_t i = 0; i < potts->bias_count; i++) potts->bias[i] = 0.4f * sinf((float)(3 * i));
    for (size_t i = 0; i < potts->theta_count; i++) potts->theta[i] = 1.2f * cosf((float)(5 * i));
}

/* The joint distribution by adding up all 66 states. */
static void exact_joint(double *joint, const sbl_potts *potts)
{
    double total = 0;
    for (uint32_t a = 0; a < 2; a++)
        for (uint32_t b = 0; b < 3; b++)
            for (uint32_t c = 0; c < 11; c++) {
                const float *theta = potts->theta;
                const double energy = (double)(potts->bias[a] + potts->bias[2 + b] + potts->bias[5 + c]) +
                                      (double)theta[potts->blocks[0].at + a * 3 + b] +
                                      (double)theta[potts->blocks[1].at + b * 11 + c] +
                                      (double)theta[potts->blocks[2].at + a * 3 + c % 3];
                total += joint[(a * 3 + b) * 11 + c] = exp(energy);
            }
    for (size_t i = 0; i < JOINT; i++) joint[i] /= total;
}

static uint16_t *start_rows(const sbl_potts *potts)
{
    uint16_t *rows = calloc(ROWS * 2 * COLUMNS, sizeof *rows);
    float shares[2 + 3 + 11];
    sbl_error err = {0};
    for (size_t i = 0; i < 16; i++) shares[i] = 1;
    assert_ok(sbl_start_independent(potts, rows, ROWS, shares, 1, &err));
    return rows;
}

TEST(plain_sweeps_draw_from_the_model)
{
    CLEARED(sbl_potts_clear) sbl_potts potts;
    sbl_error err = {0};
    double joint[JOINT], seen[JOINT] = {0};
    make_potts(&potts);
    exact_joint(joint, &potts);
    FREED(free) uint16_t *rows = start_rows(&potts);
    const sbl_feedback_rule rule = {.sweeps = 12, .seed = 9};
    assert_ok(sbl_feedback_none(&potts, rows, ROWS, 0, &rule, &err));
    for (size_t r = 0; r < ROWS; r++) {
        const uint16_t *row = rows + r * 2 * COLUMNS;
        assert_int_equal(row[COLUMNS + 2], potts.columns[2].group_of[row[2]]);
        seen[(row[0] * 3u + row[1]) * 11u + row[2]] += 1.0 / ROWS;
    }
    for (size_t i = 0; i < JOINT; i++) /* five standard deviations */
        assert_near(seen[i], joint[i], 5 * sqrt(joint[i] / ROWS) + 1e-4);
}

/* Targets of the blocks and shares of the columns of a joint distribution. */
static void targets_of(float *targets, float *shares, const sbl_potts *potts, const double *joint)
{
    memset(targets, 0, potts->theta_count * sizeof *targets);
    memset(shares, 0, potts->bias_count * sizeof *shares);
    for (uint32_t a = 0; a < 2; a++)
        for (uint32_t b = 0; b < 3; b++)
            for (uint32_t c = 0; c < 11; c++) {
                const float p = (float)joint[(a * 3 + b) * 11 + c];
                shares[a] += p;
                shares[2 + b] += p;
                shares[5 + c] += p;
                targets[potts->blocks[0].at + a * 3 + b] += p;
                targets[potts->blocks[1].at + b * 11 + c] += p;
                targets[potts->blocks[2].at + a * 3 + c % 3] += p;
            }
}

/* From a start that knows nothing: the rows meet the targets far closer than sampling would, and
 * the parameters alone, without feedback, draw what the true model draws. */
TEST(feedback_finds_the_model_and_holds_its_tables)
{
    sbl_potts truth, potts;
    sbl_error err = {0};
    double joint[JOINT], found[JOINT];
    float targets[64 + 32], shares[16];
    make_potts(&truth);
    make_potts(&potts);
    exact_joint(joint, &truth);
    assert_true(potts.theta_count <= sizeof targets / sizeof *targets);
    targets_of(targets, shares, &potts, joint);
    memset(potts.theta, 0, potts.theta_count * sizeof *potts.theta);
    for (size_t i = 0; i < 16; i++) potts.bias[i] = logf(shares[i]);
    uint16_t *rows = start_rows(&potts);
    const sbl_feedback_goal goal = {.shares = shares, .targets = targets};
    const sbl_feedback_rule rule = {.sweeps = 60, .gain = 4, .step = 0.2f, .seed = 3};
    assert_ok(sbl_feedback_run(&potts, rows, ROWS, &goal, &rule, &err));
    uint32_t counts[96], ones[16];
    assert_ok(sbl_potts_count(&potts, counts, ones, rows, ROWS, &err));
    double gap = 0, sampling = 0;
    for (size_t i = 0; i < potts.theta_count; i++) {
        gap += fabs(counts[i] / (double)ROWS - (double)targets[i]);
        sampling += 0.8 * sqrt((double)targets[i] / ROWS);
    }
    assert_true(gap < 0.4 * sampling);
    exact_joint(found, &potts);
    for (size_t i = 0; i < JOINT; i++) assert_near(found[i], joint[i], 0.05 * joint[i] + 1e-3);
    free(rows);
    sbl_potts_clear(&truth);
    sbl_potts_clear(&potts);
}

/* Copies of rows of a model, swept once: rows of the same model, whose tables are those of the rows, and which
 * are other rows. */
TEST(redrawn_copies_are_rows_of_the_model_with_the_same_tables)
{
    CLEARED(sbl_potts_clear) sbl_potts potts;
    sbl_error err = {0};
    sbl_feedback_held *held;
    double joint[JOINT], seen[JOINT] = {0}, chi2 = 0, gap = 0, sampling = 0;
    uint32_t wanted[96], counts[96], ones[16];
    const size_t bytes = ROWS * 2 * COLUMNS * sizeof(uint16_t);
    make_potts(&potts);
    exact_joint(joint, &potts);
    FREED(free) uint16_t *rows = start_rows(&potts);
    FREED(free) uint16_t *copy = malloc(bytes);
    const sbl_feedback_rule rule = {.sweeps = 12, .seed = 9};
    assert_ok(sbl_feedback_none(&potts, rows, ROWS, 0, &rule, &err));
    assert_ok(sbl_potts_count(&potts, wanted, ones, rows, ROWS, &err));
    assert_ok(sbl_feedback_hold(&held, &potts, rows, ROWS, &err));
    memcpy(copy, rows, bytes);
    const sbl_feedback_rule again = {.sweeps = 1, .first_sweep = 20, .seed = 9};
    assert_ok(sbl_feedback_redraw(held, copy, &again, &err));
    sbl_feedback_held_free(held);
    assert_ok(sbl_potts_count(&potts, counts, ones, copy, ROWS, &err));
    for (size_t i = 0; i < potts.theta_count; i++) {
        gap += fabs((double)counts[i] - wanted[i]);
        sampling += 0.8 * sqrt((double)wanted[i]);
    }
    assert_true(gap < 0.5 * sampling);
    size_t same = 0;
    for (size_t r = 0; r < ROWS; r++) {
        const uint16_t *row = copy + r * 2 * COLUMNS, *old = rows + r * 2 * COLUMNS;
        same += memcmp(row, old, 2 * COLUMNS * sizeof *row) == 0;
        seen[(row[0] * 3u + row[1]) * 11u + row[2]]++;
    }
    for (size_t i = 0; i < JOINT; i++)
        chi2 += (seen[i] - ROWS * joint[i]) * (seen[i] - ROWS * joint[i]) / (ROWS * joint[i]);
    assert_true(chi2 < JOINT - 1 + 5 * sqrt(2.0 * (JOINT - 1)));
    assert_true(same < ROWS / 2);
}

static uint16_t *run_with_threads(int threads)
{
    sbl_potts truth, potts;
    sbl_error err = {0};
    double joint[JOINT];
    float targets[96], shares[16];
    make_potts(&truth);
    make_potts(&potts);
    exact_joint(joint, &truth);
    targets_of(targets, shares, &potts, joint);
    uint16_t *rows = start_rows(&potts);
    const sbl_feedback_goal goal = {.shares = shares, .targets = targets};
    const sbl_feedback_rule rule = {.sweeps = 5, .gain = 4, .step = 0.2f, .seed = 3};
    sbl_thread_set(threads);
    assert_ok(sbl_feedback_run(&potts, rows, ROWS, &goal, &rule, &err));
    assert_ok(sbl_feedback_none(&potts, rows, ROWS, 0, &rule, &err));
    sbl_feedback_held *held;
    assert_ok(sbl_feedback_hold(&held, &potts, rows, ROWS, &err));
    assert_ok(sbl_feedback_redraw(held, rows, &rule, &err));
    sbl_feedback_held_free(held);
    sbl_potts_clear(&truth);
    sbl_potts_clear(&potts);
    return rows;
}

TEST(threads_do_not_change_a_row)
{
    const int before = sbl_thread_limit();
    uint16_t *one = run_with_threads(1), *two = run_with_threads(2), *many = run_with_threads(16);
    sbl_thread_set(before);
    assert_memory_equal(one, two, ROWS * 2 * COLUMNS * sizeof *one);
    assert_memory_equal(one, many, ROWS * 2 * COLUMNS * sizeof *one);
    free(one);
    free(two);
    free(many);
}

/* By public sizes alone. Those of small states are what they always were, and with them their rows. */
TEST(shards_follow_from_rows_and_tables)
{
    assert_int_equal(sbl_feedback_shards(2047, 0), 1);
    assert_int_equal(sbl_feedback_shards(2048, 0), 4);
    assert_int_equal(sbl_feedback_shards(8191, 0), 4);
    assert_int_equal(sbl_feedback_shards(8192, 0), 8);
    assert_int_equal(sbl_feedback_shards(16383, 0), 8);
    assert_int_equal(sbl_feedback_shards(16384, 0), 16);
    assert_int_equal(sbl_feedback_shards(100000, 0), 16);
    assert_int_equal(sbl_feedback_shards(100000, ((size_t)1 << 20) + 1), 8);
    assert_int_equal(sbl_feedback_shards(100000, (size_t)1 << 30), 4);
    assert_int_equal(sbl_feedback_last_shards(1), 1);
    assert_int_equal(sbl_feedback_last_shards(4), 1);
    assert_int_equal(sbl_feedback_last_shards(16), 4);
}

TEST(fixed_columns_keep_their_codes)
{
    CLEARED(sbl_potts_clear) sbl_potts potts;
    sbl_error err = {0};
    double joint[JOINT], seen[2 * 11] = {0}, wanted[2 * 11], total = 0;
    const uint8_t fixed[COLUMNS] = {0, 1, 0};
    make_potts(&potts);
    exact_joint(joint, &potts);
    FREED(free) uint16_t *rows = start_rows(&potts);
    for (size_t r = 0; r < ROWS; r++) rows[r * 2 * COLUMNS + 1] = 2;
    sbl_potts_set_groups(&potts, rows, ROWS);
    const sbl_feedback_rule rule = {.sweeps = 10, .seed = 4, .fixed = fixed};
    assert_ok(sbl_feedback_none(&potts, rows, ROWS, 0, &rule, &err));
    for (size_t r = 0; r < ROWS; r++) {
        const uint16_t *row = rows + r * 2 * COLUMNS;
        assert_int_equal(row[1], 2);
        seen[row[0] * 11 + row[2]] += 1.0 / ROWS;
    }
    for (size_t i = 0; i < 22; i++) total += wanted[i] = joint[(i / 11 * 3 + 2) * 11 + i % 11];
    for (size_t i = 0; i < 22; i++)
        assert_near(seen[i], wanted[i] / total, 5 * sqrt(wanted[i] / total / ROWS) + 1e-4);
}

TEST(parts_of_a_job_are_the_rows_of_the_whole)
{
    CLEARED(sbl_potts_clear) sbl_potts potts;
    sbl_error err = {0};
    make_potts(&potts);
    uint16_t *whole = start_rows(&potts), *parts = start_rows(&potts);
    const sbl_feedback_rule rule = {.sweeps = 3, .seed = 8};
    assert_ok(sbl_feedback_none(&potts, whole, ROWS, 0, &rule, &err));
    for (size_t begin = 0; begin < ROWS; begin += 7001) {
        const size_t count = begin + 7001 < ROWS ? 7001 : ROWS - begin;
        assert_ok(sbl_feedback_none(&potts, parts + begin * 2 * COLUMNS, count, begin, &rule, &err));
    }
    assert_memory_equal(whole, parts, ROWS * 2 * COLUMNS * sizeof *whole);
    free(whole);
    free(parts);
}

/* A chain 0 - 1 - 2 whose third pair is weak: the tree is the chain, and its rows have the tables.
 */
TEST(the_tree_takes_the_strong_pairs_and_draws_their_tables)
{
    static const uint32_t three[3] = {2, 3, 4}, one[3] = {1, 1, 1};
    CLEARED(sbl_potts_clear) sbl_potts potts;
    sbl_error err = {0};
    assert_ok(sbl_potts_init(&potts, three, one, 3, &err));
    assert_ok(sbl_potts_add(&potts, 0, 1, false, &err));
    assert_ok(sbl_potts_add(&potts, 0, 2, false, &err));
    assert_ok(sbl_potts_add(&potts, 1, 2, false, &err));
    double joint[24], total = 0;
    float shares[9] = {0}, targets[6 + 8 + 12] = {0};
    const double strength[3] = {1e9, 1e9, 1e9};
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b < 3; b++)
            for (size_t c = 0; c < 4; c++)
                total += joint[(a * 3 + b) * 4 + c] = exp((a == b) * 1.5 + (b == c) * 1.2);
    for (size_t i = 0; i < 24; i++) {
        const size_t a = i / 12, b = i / 4 % 3, c = i % 4;
        const float p = (float)(joint[i] / total);
        shares[a] += p, shares[2 + b] += p, shares[5 + c] += p;
        targets[a * 3 + b] += p, targets[6 + a * 4 + c] += p, targets[14 + b * 4 + c] += p;
    }
    FREED(free) uint16_t *rows = calloc(ROWS * 6, sizeof *rows);
    assert_ok(sbl_start_tree(&potts, rows, ROWS, shares, targets, strength, 2, &err));
    double chosen[3] = {0};
    for (size_t b = 0; b < 3; b++)
        for (size_t i = 0; i < (size_t)(b == 0 ? 6 : b == 1 ? 8 : 12); i++)
            chosen[b] += fabs((double)potts.theta[potts.blocks[b].at + i]);
    assert_true(chosen[0] > 1 && chosen[2] > 1);
    assert_near(chosen[1], 0, 0);
    uint32_t counts[26], ones[9];
    assert_ok(sbl_potts_count(&potts, counts, ones, rows, ROWS, &err));
    const int threads = sbl_thread_limit();
    for (int team = 1; team <= 16; team += team == 1 ? 2 : 13) {
        FREED(free) uint16_t *others = calloc(ROWS * 6, sizeof *others);
        uint32_t their_counts[26], their_ones[9];
        sbl_thread_set(team);
        assert_ok(sbl_start_tree(&potts, others, ROWS, shares, targets, strength, 2, &err));
        assert_memory_equal(others, rows, ROWS * 6 * sizeof *rows);
        assert_ok(sbl_potts_count(&potts, their_counts, their_ones, rows, ROWS, &err));
        assert_memory_equal(their_counts, counts, sizeof counts);
        assert_memory_equal(their_ones, ones, sizeof ones);
    }
    sbl_thread_set(threads);
    for (size_t i = 0; i < 9; i++) {
        const size_t column = i < 2 ? 0 : i < 5 ? 1 : 2, code = i - (i < 2 ? 0 : i < 5 ? 2 : 5);
        uint32_t plainly = 0;
        for (size_t r = 0; r < ROWS; r++) plainly += rows[r * 6 + column] == code;
        assert_int_equal(ones[i], plainly);
    }
    for (size_t i = 0; i < 26; i++) /* quotas within quotas: a few rows; 6 .. 13 are sampled */
        assert_near(counts[i] / (double)ROWS, (double)targets[i], i >= 6 && i < 14 ? 6e-3 : 3e-4);
}

/* A star: eight columns whose parent is the first, at two desks and more. */
TEST(the_rows_of_a_tree_do_not_depend_on_threads)
{
    enum { NUMBER = 9, CODES = 3, LINES = 500 };
    uint32_t sizes[NUMBER], ones[NUMBER];
    float shares[NUMBER * CODES], targets[(NUMBER - 1) * CODES * CODES];
    double strength[NUMBER - 1];
    sbl_potts potts;
    sbl_error err = {0};
    for (size_t j = 0; j < NUMBER; j++) sizes[j] = CODES, ones[j] = 1;
    for (size_t i = 0; i < NUMBER * CODES; i++) shares[i] = 1.0f / CODES;
    assert_ok(sbl_potts_init(&potts, sizes, ones, NUMBER, &err));
    for (uint32_t j = 1; j < NUMBER; j++) {
        assert_ok(sbl_potts_add(&potts, 0, j, false, &err));
        strength[j - 1] = 1e9;
        for (size_t i = 0; i < CODES * CODES; i++)
            targets[(j - 1) * CODES * CODES + i] = i % (CODES + 1) == 0 ? 0.25f : 0.25f / 6;
    }
    uint16_t *one = NULL;
    const int threads = sbl_thread_limit();
    for (int team = 1; team <= 16; team += team == 1 ? 2 : 13) {
        uint16_t *rows = calloc(LINES * 2 * NUMBER, sizeof *rows);
        size_t equal = 0;
        sbl_thread_set(team);
        assert_ok(sbl_start_tree(&potts, rows, LINES, shares, targets, strength, 5, &err));
        for (size_t r = 0; r < LINES; r++)
            for (size_t j = 1; j < NUMBER; j++) equal += rows[r * 2 * NUMBER] == rows[r * 2 * NUMBER + j];
        assert_near((double)equal / (LINES * (NUMBER - 1)), 0.75, 0.01);
        if (one == NULL) {
            one = rows;
            continue;
        }
        assert_memory_equal(rows, one, LINES * 2 * NUMBER * sizeof *rows);
        free(rows);
    }
    sbl_thread_set(threads);
    free(one);
    sbl_potts_clear(&potts);
}

TEST(quotas_are_within_one_of_their_shares)
{
    const float shares[4] = {0.1f, 0.45f, 0, 0.45f};
    uint16_t drawn[1001];
    size_t counts[4] = {0}, changes = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 1, SBL_RNG_OTHER, 0);
    sbl_quotas(drawn, 1001, shares, 4, true, &rng);
    for (size_t i = 0; i < 1001; i++) {
        counts[drawn[i]]++;
        changes += i > 0 && drawn[i] != drawn[i - 1];
    }
    for (size_t v = 0; v < 4; v++) assert_near(counts[v], 1001 * (double)shares[v], 1.001);
    assert_true(changes > 300); /* in random order */
}
