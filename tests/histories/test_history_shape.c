/* SPDX-License-Identifier: Apache-2.0 */
/* What is public of histories: bases, contexts, weights, times; and what one event sees of those before. */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "public/counts/history_tree.h"
#include "public/schema/schema_type.h"

static const char stays[] =
    "{\"fields\":[{\"name\":\"id\"},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"],\"required\":"
    "true},"
    "\"semblance\":{\"per\":\"unit\"}},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"],"
    "\"required\":true}},"
    "{\"name\":\"day\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2023-01-01\",\"maximum\":"
    "\"2023-12-31\",\"required\":true}},"
    "{\"name\":\"cost\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"
    "\"required\":true}}],"
    "\"semblance\":{\"unit\":\"id\",\"max_rows_per_unit\":%d%s}}";

typedef struct fixed {
    sbl_schema *schema;
    sbl_heads heads;
    sbl_history_tree tree;
    sbl_history_shape shape; /* its link */
} fixed;

static void begin(fixed *f, int most, bool timed)
{
    char text[2048];
    (void)snprintf(text, sizeof text, stays, most, timed ? ",\"order\":\"day\"" : "");
    assert_ok(sbl_schema_parse(&f->schema, text, strlen(text), "test", NULL));
    assert_ok(sbl_heads_init(&f->heads, f->schema, NULL));
    assert_ok(sbl_history_tree_init(&f->tree, f->schema, &f->heads, 24, 128, 8, true, NULL));
    assert_int_equal(f->tree.link_count, 1);
    f->shape = f->tree.links[0];
}

static void end(fixed *f)
{
    sbl_history_tree_clear(&f->tree);
    sbl_heads_clear(&f->heads);
    sbl_schema_free(f->schema);
}

TEST(a_person_s_columns_come_first_and_time_becomes_a_gap)
{
    fixed f;
    begin(&f, 50, true);
    const sbl_history_shape *s = &f.shape;
    assert_int_equal(s->person_count, 3); /* sex, number of rows, first day */
    assert_int_equal(s->base_count, 6);   /* gap, ward, cost */
    assert_int_equal(s->span, 365);
    assert_int_equal(s->columns[0].cells, 2); /* sex */
    assert_int_equal(s->columns[4].cells, 3); /* ward */
    assert_int_equal(s->sides[s->previous + 1].base, 4);
    assert_int_equal(sbl_history_sort_of(s, 0, 1), SBL_OF_PERSONS);
    assert_int_equal(sbl_history_sort_of(s, 0, 4), SBL_OF_EVENTS);
    assert_int_equal(sbl_history_sort_of(s, 3, SBL_HISTORY_NONE), SBL_OF_STEPS);
    assert_int_equal(sbl_history_sort_of(s, 4, s->previous + 1), SBL_OF_STEPS);
    end(&f);
    begin(&f, 1, false);
    uint32_t sides[32];
    assert_int_equal(f.shape.person_count, 2);
    /* With one event there is nothing before, no place, and no number to tell. */
    assert_int_equal(sbl_history_contexts_of(&f.shape, 4, sides), 3); /* sex, ward, day */
    end(&f);
}

TEST(no_person_weighs_more_than_its_share)
{
    for (size_t m = 1; m <= 1024; m++) {
        const double all = (double)m * sbl_history_weight(m, SBL_OF_EVENTS);
        const double steps = (double)(m - 1) * sbl_history_weight(m, SBL_OF_STEPS);
        assert_true(all <= SBL_HISTORY_UNIT * sbl_history_share(m));
        assert_true(m == 1 || steps <= SBL_HISTORY_UNIT * sbl_history_share(m - 1));
        assert_true(sbl_history_share(m) <= 1.7);
        assert_true(m > 1 || sbl_history_weight(m, SBL_OF_STEPS) == 0);
    }
    assert_int_equal(sbl_history_weight(7, SBL_OF_PERSONS), SBL_HISTORY_UNIT);
    assert_int_equal(sbl_history_weight(1, SBL_OF_EVENTS), SBL_HISTORY_UNIT);
}

TEST(every_number_of_events_is_in_the_range_of_its_cell)
{
    static const int mosts[] = {1, 2, 50, 64, 65, 300, 1024};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        CLEARED(end) fixed f;
        size_t after = 1;
        begin(&f, mosts[i], false);
        const uint32_t cells = f.shape.columns[f.shape.count_base].cells;
        for (uint32_t c = 0; c < cells; c++) {
            size_t low, high;
            sbl_history_count_range(&f.shape, c, &low, &high);
            assert_int_equal(low, after);
            assert_true(low <= high);
            for (size_t m = low; m <= high; m++) assert_int_equal(sbl_history_count_cell(&f.shape, m), c);
            after = high + 1;
        }
        assert_int_equal(after, mosts[i] + 1);
    }
}

TEST(a_gap_of_a_cell_is_in_that_cell_and_within_the_window)
{
    for (size_t to_come = 1; to_come <= 40; to_come += 13)
        for (uint64_t left = 0; left <= 100000; left = left * 10 + 7)
            for (uint32_t cell = 0; cell <= 40; cell++)
                for (double u = 0.01; u < 1.0; u += 0.07) {
                    const uint64_t gap = sbl_history_gap(cell, u, left, to_come);
                    assert_true(gap <= left);
                    assert_int_equal(gap == 0, cell == 0 || left == 0);
                    const uint32_t back = sbl_history_pace(gap, left, to_come);
                    /* Where a step is finer than a cell; else it is one of its neighbours'. */
                    if (left > 70000) assert_true(abs((int)back - (int)cell) <= 1);
                }
}

TEST(times_come_back_from_their_places)
{
    CLEARED(end) fixed f;
    begin(&f, 50, true);
    for (uint64_t step = 0; step < f.shape.span; step++) {
        assert_int_equal(sbl_history_step_of(&f.shape, sbl_history_place_of(&f.shape, step)), step);
        const uint32_t cell = sbl_history_first_cell(&f.shape, step);
        for (double u = 0.0; u < 1.0; u += 0.25)
            assert_int_equal(sbl_history_first_cell(&f.shape, sbl_history_first_step(&f.shape, cell, u)),
                             cell);
    }
    assert_int_equal(sbl_history_step_of(&f.shape, NAN), 0);
    assert_int_equal(sbl_history_step_of(&f.shape, 2.0), 364);
}

/* Wards a, b, b, c, a; costs 1, 3, 8, 0, 0; days 0, 0, 10, 200, 364. */
TEST(an_event_sees_its_own_person_s_past_and_nothing_else)
{
    static const uint16_t wards[] = {0, 1, 1, 2, 0}, costs[] = {1, 3, 8, 0, 0};
    static const uint64_t steps[] = {0, 0, 10, 200, 364};
    CLEARED(end) fixed f;
    sbl_history_past past;
    CLEARED(sbl_pool_clear) sbl_pool pool = {0};
    begin(&f, 50, true);
    const sbl_history_shape *s = &f.shape;
    uint32_t codes[8];
    uint16_t rows[5 * 32] = {0};
    for (size_t b = 0; b < s->base_count; b++) codes[b] = s->columns[b].cells;
    assert_ok(sbl_history_past_init(&past, &pool, s, codes, NULL));
    for (int twice = 0; twice < 2; twice++) { /* nothing is left of a person who is done */
        for (size_t r = 0; r < 5; r++) {
            uint16_t *row = rows + r * s->side_count;
            row[4] = wards[r];
            row[5] = costs[r];
            sbl_history_look_back(&past, row, steps + (r > 0 ? r - 1 : 0), r, 5);
        }
        const uint16_t *last = rows + 4 * s->side_count, *second = rows + s->side_count;
        assert_int_equal(last[s->previous + 1], 2);
        assert_int_equal(last[s->memory + 1], 1); /* b, twice */
        assert_int_equal(last[s->memory + 2], 3); /* (1 + 3 + 8 + 0) / 4 */
        assert_int_equal(last[s->calendar], 200 * 12 / 365);
        assert_int_equal(last[s->position], 3);          /* the fifth */
        assert_int_equal(second[s->previous], codes[3]); /* no gap before it */
        assert_int_equal(second[s->memory], codes[3]);
        assert_int_equal(second[s->memory + 1], 0);
        sbl_history_forget(&past, rows, 5);
    }
}

TEST(a_schema_without_a_unit_has_no_histories)
{
    static const char text[] = "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}]}";
    sbl_schema *schema;
    CLEARED(sbl_heads_clear) sbl_heads heads;
    sbl_history_tree tree;
    sbl_error err = {0};
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "test", NULL));
    assert_ok(sbl_heads_init(&heads, schema, NULL));
    assert_int_equal(sbl_history_tree_init(&tree, schema, &heads, 24, 128, 8, true, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "semblance.unit"));
    sbl_schema_free(schema);
}
