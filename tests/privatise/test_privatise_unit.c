/* SPDX-License-Identifier: Apache-2.0 */
/* What a person with several rows moves, and what is charged for it: over 10,000 random persons and
 * the worst ones there are (docs/mechanisms/unit.md). Exact sums, integers, no noise. */
#include <stdio.h>
#include <string.h>

#include "door/ledger/ledger_book.h"
#include "door/privatise/privatise.h"
#include "records/accumulate/person_rows_kept.h"
#include "support/cmocka_all.h"
#include "support/door_kit.h"
#include "support/temp_folder.h"

enum { CLASSES = 2, CELLS = 6, NUMBERS = 3, MOST_ROWS = 8, PERSONS = 10000, MOST_BLOCKS = 4 };

typedef struct row {
    uint32_t label;
    uint32_t cells[2]; /* of a table of 3 and one of 3 */
    double numbers[NUMBERS];
} row;

typedef struct setup {
    uint64_t k;
    bool numbers; /* beside the tables of counts: signed numbers per class, and counts */
    sbl_block blocks[3];
    sbl_layout layout;
    sbl_mechanism mechanism;
    sbl_neighbours neighbours;
    uint64_t multipliers[MOST_BLOCKS];
    sbl_u128 joint;
} setup;

static void prepare(setup *s, uint64_t k, bool numbers, sbl_mechanism mechanism, sbl_neighbours neighbours)
{
    const double weights[][MOST_BLOCKS] = {{1.0, 1.5}, {1.0, 0x1p-10, 1.5, 1.0}};
    sbl_sensitivity sensitivities[MOST_BLOCKS];
    size_t b = 0;
    *s = (setup){.k = k, .numbers = numbers, .mechanism = mechanism, .neighbours = neighbours};
    s->blocks[b++] = (sbl_block){
        .name = "tables", .width = CELLS, .nonnegative = true, .bound2 = 2, .bound1 = 2, .scale = 1.0};
    if (numbers)
        s->blocks[b++] = (sbl_block){"numbers",
                                     .width = NUMBERS,
                                     .per_class = true,
                                     .bound2 = UINT64_C(1) << 20,
                                     .bound1 = UINT64_C(1) << 10,
                                     .scale = 0x1p10};
    s->blocks[b++] = sbl_block_of_persons(k);
    s->layout = (sbl_layout){s->blocks,
                             .block_count = b,
                             .classes = CLASSES,
                             .counts = numbers,
                             .rows_cap = SBL_ROWS_CAP_DEFAULT,
                             .rows_per_unit = k};
    const size_t noisy = sbl_layout_noisy_blocks(&s->layout);
    assert_ok(sbl_layout_sensitivities(sensitivities, &s->layout, mechanism, neighbours, NULL));
    assert_ok(sbl_choose_multipliers(s->multipliers, mechanism, neighbours, sensitivities, weights[numbers],
                                     noisy, 1.0, NULL));
    assert_ok(
        sbl_joint_sensitivity(&s->joint, mechanism, neighbours, sensitivities, s->multipliers, noisy, NULL));
}

/* Adds a row to the sum as its person's turn says. */
static void add_row(sbl_sum *sum, sbl_units *units, uint64_t person, const row *r)
{
    const sbl_unit_tag tag = {.low = person};
    const bool numbers = sbl_sum_layout(sum)->block_count > 2;
    const uint32_t cells[2] = {r->cells[0] % 3, 3 + r->cells[1] % 3};
    uint32_t turn;
    assert_ok(sbl_units_index_rows(units, &turn, &tag, 1, NULL));
    assert_ok(sbl_sum_begin_unit_rows(sum, &r->label, &turn, 1, NULL));
    assert_ok(sbl_sum_add_ones(sum, 0, cells, 2, NULL));
    if (numbers) assert_ok(sbl_sum_add_f64(sum, 1, 0, NUMBERS, r->numbers, NUMBERS, NULL));
    assert_ok(sbl_sum_end_rows(sum, NULL));
}

static sbl_sum *new_sum(const setup *s)
{
    sbl_sum *sum = NULL;
    assert_ok(sbl_sum_new(&sum, &s->layout, NULL));
    return sum;
}

static sbl_sum *sum_of_person(const setup *s, const row *rows, size_t count)
{
    sbl_sum *sum = new_sum(s);
    sbl_units *units = NULL;
    assert_ok(sbl_units_new(&units, s->k, NULL));
    for (size_t r = 0; r < count; r++) add_row(sum, units, 1, &rows[r]);
    sbl_units_free(units);
    return sum;
}

/* The squared length (Laplace: the L1 length) of what a release would move by. b NULL: nobody. */
static sbl_u128 moved(const setup *s, const sbl_sum *a, const sbl_sum *b)
{
    sbl_u128 total = 0;
    for (size_t i = 0; i < sbl_layout_noisy_blocks(&s->layout); i++) {
        const size_t block = sbl_layout_noisy_block(&s->layout, i);
        const bool counts = block == s->layout.block_count;
        const size_t values = counts ? CLASSES : sbl_block_values(&s->layout, block);
        const int64_t *of_a = counts ? sbl_sum_counts(a) : sbl_sum_values(a, block);
        const int64_t *of_b = b == NULL ? NULL : counts ? sbl_sum_counts(b) : sbl_sum_values(b, block);
        for (size_t v = 0; v < values; v++) {
            const int64_t step = of_a[v] - (of_b != NULL ? of_b[v] : 0);
            const sbl_u128 length = (sbl_u128)s->multipliers[i] * (uint64_t)(step < 0 ? -step : step);
            total += s->mechanism == SBL_DISCRETE_GAUSSIAN ? length * length : length;
        }
    }
    return total;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Some persons have one row many times, some are all over the place. */
static size_t random_person(row rows[MOST_ROWS], uint64_t *seed)
{
    const size_t count = 1 + next_random(seed) % MOST_ROWS;
    const bool same = next_random(seed) % 2 == 0;
    for (size_t r = 0; r < count; r++) {
        rows[r] =
            same && r > 0
                ? rows[0]
                : (row){.label = (uint32_t)(next_random(seed) % CLASSES),
                        .cells = {(uint32_t)(next_random(seed) % 3), (uint32_t)(next_random(seed) % 3)}};
        for (size_t j = 0; j < NUMBERS; j++)
            rows[r].numbers[j] =
                same && r > 0 ? rows[0].numbers[j] : (double)(int64_t)next_random(seed) * 0x1p-62;
    }
    return count;
}

/* The two worst: all rows alike, in other cells and with the opposite numbers; of the same label,
 * or of another. */
static void worst_persons(row first[MOST_ROWS], row second[MOST_ROWS], bool other_label)
{
    for (size_t r = 0; r < MOST_ROWS; r++) {
        first[r] = (row){.numbers = {5.0}};
        second[r] = (row){.label = other_label, .cells = {1, 2}, .numbers = {-5.0}};
    }
}

static double reach_of(const setup *s, size_t persons)
{
    row first[MOST_ROWS], second[MOST_ROWS];
    uint64_t seed = 5;
    sbl_u128 most = 0;
    sbl_sum *before = NULL;
    for (size_t p = 0; p < persons; p++) {
        sbl_sum *sum = sum_of_person(s, first, random_person(first, &seed));
        const bool replace = s->neighbours == SBL_REPLACE_ONE;
        const sbl_u128 by = replace && before == NULL ? 0 : moved(s, sum, replace ? before : NULL);
        assert_true(by <= s->joint);
        if (by > most) most = by;
        sbl_sum_free(before);
        before = sum;
    }
    sbl_sum_free(before);
    for (int other_label = 0; other_label < 2; other_label++) {
        worst_persons(first, second, other_label != 0);
        sbl_sum *a = sum_of_person(s, first, MOST_ROWS);
        sbl_sum *b = sum_of_person(s, second, MOST_ROWS);
        const sbl_u128 by = moved(s, a, s->neighbours == SBL_REPLACE_ONE ? b : NULL);
        assert_true(by <= s->joint);
        if (by > most) most = by;
        sbl_sum_free(a);
        sbl_sum_free(b);
    }
    return (double)most / (double)s->joint;
}

TEST(ten_thousand_persons_keep_to_what_is_charged_and_the_worst_reach_it)
{
    for (int relation = 0; relation < 2; relation++)
        for (int pure = 0; pure < 2; pure++) {
            setup s;
            prepare(&s, 3, false, (sbl_mechanism)pure, (sbl_neighbours)relation);
            const double reach = reach_of(&s, PERSONS);
            if (reach != 1.0) fail_msg("of the tables' charge %.9f is used", reach);
            prepare(&s, 3, true, (sbl_mechanism)pure, (sbl_neighbours)relation);
            assert_true(reach_of(&s, PERSONS / 20) > 0.98);
        }
}

/* A person of one row costs what a row does, but that the number of rows is not public. */
TEST(charge_grows_with_the_rows_that_count)
{
    for (int relation = 0; relation < 2; relation++)
        for (int pure = 0; pure < 2; pure++) {
            sbl_sensitivity one[2], many[2];
            const uint64_t m[2] = {1000, 1};
            sbl_u128 of_row, of_person;
            setup s;
            prepare(&s, 5, false, (sbl_mechanism)pure, (sbl_neighbours)relation);
            assert_ok(sbl_layout_sensitivities(many, &s.layout, s.mechanism, s.neighbours, NULL));
            memcpy(one, many, sizeof one);
            one[0].rows_per_unit = one[1].rows_per_unit = 0;
            assert_ok(sbl_joint_sensitivity(&of_row, s.mechanism, s.neighbours, one, m, 1, NULL));
            assert_ok(sbl_joint_sensitivity(&of_person, s.mechanism, s.neighbours, many, m, 2, NULL));
            const uint64_t times = pure ? 5 : 25;
            assert_true(of_person == times * of_row + (s.neighbours == SBL_ADD_REMOVE ? 1 : 0));
        }
}

/* All rows of one person change, in number and in kind: what everybody else adds stays as it was. */
TEST(nobody_else_is_moved)
{
    enum { OTHERS = 60, ROWS = 400 };
    setup s;
    uint64_t seed = 9;
    prepare(&s, 3, true, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE);
    for (int trial = 0; trial < 50; trial++) {
        row own[2][MOST_ROWS];
        row rest[ROWS];
        uint64_t owners[ROWS];
        sbl_sum *sums[2], *alone[2];
        size_t counts[2];
        for (size_t r = 0; r < ROWS; r++) {
            row some[MOST_ROWS];
            (void)random_person(some, &seed);
            rest[r] = some[0];
            owners[r] = 2 + next_random(&seed) % OTHERS;
        }
        const uint64_t order = seed;
        for (int w = 0; w < 2; w++) {
            sbl_units *units = NULL;
            size_t next = 0;
            counts[w] = random_person(own[w], &seed);
            uint64_t places = order;
            assert_ok(sbl_units_new(&units, s.k, NULL));
            sums[w] = new_sum(&s);
            for (size_t r = 0; r < ROWS; r++) {
                if (next < counts[w] && next_random(&places) % 20 == 0)
                    add_row(sums[w], units, 1, &own[w][next++]);
                add_row(sums[w], units, owners[r], &rest[r]);
            }
            while (next < counts[w]) add_row(sums[w], units, 1, &own[w][next++]);
            alone[w] = sum_of_person(&s, own[w], counts[w]);
            sbl_units_free(units);
        }
        for (size_t b = 0; b < s.layout.block_count; b++)
            for (size_t v = 0; v < sbl_block_values(&s.layout, b); v++)
                assert_true(sbl_sum_values(sums[0], b)[v] - sbl_sum_values(sums[1], b)[v] ==
                            sbl_sum_values(alone[0], b)[v] - sbl_sum_values(alone[1], b)[v]);
        for (int w = 0; w < 2; w++) {
            sbl_sum_free(sums[w]);
            sbl_sum_free(alone[w]);
        }
    }
}

/* ---- the door ---- */

TEST(door_keeps_the_number_of_rows_to_itself)
{
    char folder[256];
    temp_folder_make(folder);
    for (int relation = 0; relation < 2; relation++) {
        setup s;
        row some[MOST_ROWS];
        uint64_t seed = 3;
        sbl_release *release = NULL;
        sbl_error err = {0};
        char ledger[320], file[320];
        (void)snprintf(ledger, sizeof ledger, "%s/l%d", folder, relation);
        (void)snprintf(file, sizeof file, "%s/r%d", folder, relation);
        prepare(&s, 3, true, SBL_DISCRETE_GAUSSIAN, (sbl_neighbours)relation);
        assert_ok(sbl_sha256(s.layout.plan_hash, DOOR_KIT_PLAN, strlen(DOOR_KIT_PLAN), NULL, 0, NULL));
        sbl_ledger_facts facts = {s.neighbours, .by_person = true, .rows_per_unit = 3,
                                  .test_key = sbl_door_is_test_build()};
        (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "inf");
        (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "1e-05");
        assert_ok(sbl_ledger_create(sbl_file_item(ledger), &facts, &err));
        const sbl_door_request request = {"unit",
                                          .neighbours = s.neighbours,
                                          .multipliers = s.multipliers,
                                          .plan = DOOR_KIT_PLAN,
                                          .ledger = sbl_file_item(ledger),
                                          .release = sbl_file_item(file),
                                          .overwrite = true};
        /* Five rows, three of which count; and nobody at all, which is a number like any other. */
        for (int nobody = 0; nobody < 2; nobody++) {
            (void)random_person(some, &seed);
            sbl_sum *sum = sum_of_person(&s, some, nobody ? 0 : 5);
            assert_int_equal(sbl_sum_rows(sum), nobody ? 0 : 3);
            assert_ok_or_say(sbl_privatise(&release, &sum, &request, &err));
            assert_int_equal(release->n, 0);
            sbl_release_free(release);
            assert_ok(sbl_release_load(&release, sbl_file_item(file), &err));
            assert_int_equal(release->n, 0);
            assert_int_equal(release->rows_per_unit, 3);
            assert_int_equal(sbl_release_find(release, "persons")->kind, SBL_BLOCK_PERSONS);
            sbl_release_free(release);
        }
        sbl_ledger_view view;
        assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger), NULL));
        assert_false(view.lines[0].entry.n_public);
        assert_true(view.lines[0].entry.joint == s.joint);
        sbl_ledger_view_clear(&view);
    }
    temp_folder_remove(folder);
}

/* Counts of a single class are the number of rows, which is not public here. */
TEST(counts_of_one_class_are_released_with_noise)
{
    setup s;
    sbl_sensitivity found[MOST_BLOCKS];
    prepare(&s, 3, true, SBL_DISCRETE_GAUSSIAN, SBL_REPLACE_ONE);
    s.layout.classes = 1;
    assert_ok(sbl_layout_sensitivities(found, &s.layout, s.mechanism, s.neighbours, NULL));
    assert_int_equal(found[3].one_record, 1);
    s.layout.rows_per_unit = 0;
    assert_int_equal(sbl_layout_sensitivities(found, &s.layout, s.mechanism, s.neighbours, NULL), SBL_EARG);
}
