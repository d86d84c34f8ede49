/* SPDX-License-Identifier: Apache-2.0 */
/* Whole persons on their way into the sum: the rows of a person are put together whatever the order of
 * the input, and no person has a part in what another adds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/plan.h"
#include "run/pipeline/gather.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "visits.h"

FREES(sbl_source_close);

enum { MOST_ROWS = 4000, K = 5, WARDS = 4 };

/* Rows of a table; whose they are is 1, 2, 3, ...; 0: nobody says. */
typedef struct table {
    size_t rows;
    sbl_unit_tag units[MOST_ROWS];
    uint32_t codes[MOST_ROWS];
    double numeric[MOST_ROWS];
    uint8_t misfits[2 * MOST_ROWS];
} table;

static sbl_facts facts, ordered; /* by reading; by day */
static sbl_plan plan;
static sbl_features features;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 29);
}

static sbl_unit_tag tag_of(uint64_t who)
{
    uint64_t state = who;
    const uint64_t low = next_random(&state);
    return who == 0 ? (sbl_unit_tag){0} : (sbl_unit_tag){low, next_random(&state)};
}

static void make_facts(sbl_facts *made, const char *order)
{
    char json[512];
    sbl_schema *schema;
    sbl_error err = {0};
    (void)snprintf(json, sizeof json,
                   "{\"fields\": [{\"name\": \"ward\", \"type\": \"string\", \"constraints\": {\"enum\": "
                   "[\"a\", \"b\", \"c\", \"d\"], \"required\": true}}, {\"name\": \"day\", \"type\": "
                   "\"number\", \"constraints\": {\"minimum\": 0, \"maximum\": 1, \"required\": true}}, "
                   "{\"name\": \"id\", \"type\": \"string\"}], \"semblance\": {\"unit\": \"id\", "
                   "\"max_rows_per_unit\": 5%s}}",
                   order);
    if (sbl_schema_parse(&schema, json, strlen(json), "test", &err) != SBL_OK ||
        sbl_facts_of_table(made, schema, &err) != SBL_OK)
        fail_msg("%s", err.message);
}

static int setup(void **state)
{
    const sbl_feature *const more[] = {&feature_visits, NULL};
    sbl_error err = {0};
    (void)state;
    make_facts(&facts, "");
    make_facts(&ordered, ", \"order\": \"day\"");
    if (sbl_plan_init(&plan, "test", &err) != SBL_OK ||
        sbl_plan_add(&plan, "visits", json_object(), 1.0, &err) != SBL_OK ||
        sbl_plan_add(&plan, "health", json_pack("{s:b}", "total", 1), 1.0, &err) != SBL_OK ||
        sbl_plan_finish(&plan, &facts, &err) != SBL_OK ||
        sbl_features_make(&features, &plan, &facts, more, &err) != SBL_OK)
        fail_msg("%s", err.message);
    return 0;
}

AROUND(teardown)
{
    sbl_features_clear(&features);
    sbl_plan_clear(&plan);
    sbl_facts_clear(&facts);
    sbl_facts_clear(&ordered);
}

/* ---- tables ---- */

static void add_row(table *t, uint64_t who, uint32_t ward, double day)
{
    assert_true(t->rows < MOST_ROWS);
    t->units[t->rows] = tag_of(who);
    t->codes[t->rows] = ward;
    t->numeric[t->rows] = day;
    t->rows++;
}

/* What a person's row number i holds depends on the person and i alone. */
static void add_row_of(table *t, uint64_t who, uint64_t i)
{
    uint64_t seed = 1000 * who + i;
    const uint32_t ward = (uint32_t)(next_random(&seed) % WARDS);
    add_row(t, who, ward, (double)(next_random(&seed) % 7) / 8.0);
}

/* Persons 1 .. count but `without`; person p has sizes[p] rows, mixed by the seed and never out of the
 * person's own order. seed 0: each person's rows follow each other; 1: the same, the last person first. */
static void mix(table *t, const size_t *sizes, uint64_t count, uint64_t without, uint64_t seed)
{
    size_t left = 0;
    size_t given[200] = {0};
    t->rows = 0;
    for (uint64_t p = 1; p <= count; p++) left += p != without ? sizes[p] : 0;
    for (uint64_t at = 0; left > 0; left--) {
        uint64_t p = seed == 1 ? count - at : at + 1;
        if (seed > 1) p = 1 + next_random(&seed) % count;
        while (p == without || given[p] == sizes[p]) {
            at += seed <= 1;
            p = seed == 1 ? count - at : seed == 0 ? at + 1 : 1 + next_random(&seed) % count;
        }
        add_row_of(t, p, given[p]++);
    }
}

static sbl_source *source_with(const sbl_facts *of, const table *t, bool stream)
{
    const sbl_records records = {
        .numeric = t->numeric, .codes = t->codes, .units = t->units, .misfits = t->misfits, .rows = t->rows};
    sbl_source *rows, *persons;
    assert_ok(sbl_source_open_memory(&rows, &records, "a table", of, NULL));
    rows->can_rewind = !stream;
    assert_ok(sbl_source_open_persons(&persons, rows, NULL));
    return persons;
}

static sbl_source *source_of(const table *t, bool stream) { return source_with(&facts, t, stream); }

/* The next persons, past the work before the first. */
static sbl_status read_persons(sbl_source *source, const sbl_records **batch, sbl_error *err)
{
    sbl_status status;
    do {
        status = sbl_source_read(source, batch, err);
    } while (status == SBL_OK && source->working);
    return status;
}

/* ---- sums ---- */

static size_t value_count(void)
{
    size_t values = 0;
    for (size_t b = 0; b < features.layout.block_count; b++) values += features.layout.blocks[b].width;
    return values;
}

/* All sums of all blocks, side by side; free. */
static int64_t *sums_of_source(sbl_source *source, unsigned threads)
{
    sbl_synth_options options;
    sbl_error err = {0};
    sbl_sum *sum = NULL;
    sbl_synth_options_init(&options);
    options.threads = threads;
    options.neighbours = SBL_ADD_REMOVE;
    assert_ok_or_say(sbl_gather(&sum, source, &features, "nothing", &options, &err));
    int64_t *values = calloc(value_count(), sizeof *values);
    size_t at = 0;
    for (size_t b = 0; b < features.layout.block_count; b++) {
        const size_t width = features.layout.blocks[b].width;
        memcpy(values + at, sbl_sum_values(sum, b), width * sizeof *values);
        at += width;
    }
    sbl_sum_free(sum);
    return values;
}

static int64_t *sums_of(const table *t, bool stream)
{
    sbl_source *source = source_of(t, stream);
    int64_t *values = sums_of_source(source, stream ? 1 : 2);
    sbl_source_close(source);
    return values;
}

static void assert_same(int64_t *a, int64_t *b)
{
    assert_memory_equal(a, b, value_count() * sizeof *a);
    free(b);
}

static void random_sizes(size_t *sizes, uint64_t count, uint64_t *seed)
{
    for (uint64_t p = 1; p <= count; p++)
        sizes[p] = 1 + next_random(seed) % (next_random(seed) % 4 == 0 ? 30 : 4);
}

TEST(the_order_of_the_input_changes_nothing)
{
    static table t;
    size_t sizes[200] = {0};
    uint64_t seed = 5;
    random_sizes(sizes, 150, &seed);
    mix(&t, sizes, 150, 0, 0);
    FREED(free) int64_t *grouped = sums_of(&t, false);
    assert_same(grouped, sums_of(&t, true));
    for (uint64_t how = 1; how < 6; how++) {
        mix(&t, sizes, 150, 0, how);
        assert_same(grouped, sums_of(&t, false));
        assert_same(grouped, sums_of(&t, true));
    }
}

/* Whatever the others are and wherever they stand, one person more or less is that person's own sums. */
TEST(nobody_else_is_moved)
{
    static table t;
    for (uint64_t round = 1; round <= 60; round++) {
        size_t sizes[200] = {0};
        uint64_t seed = 77 * round;
        const uint64_t count = 2 + next_random(&seed) % 40;
        random_sizes(sizes, count, &seed);
        const uint64_t who = 1 + next_random(&seed) % count;
        mix(&t, sizes, count, 0, 2 + next_random(&seed));
        FREED(free) int64_t *with = sums_of(&t, round % 2 == 0);
        /* The same table without the rows of one. */
        static table rest, own;
        rest.rows = own.rows = 0;
        for (size_t r = 0; r < t.rows; r++) {
            const bool is = memcmp(&t.units[r], &(sbl_unit_tag){tag_of(who).low, tag_of(who).high},
                                   sizeof t.units[r]) == 0;
            table *to = is ? &own : &rest;
            add_row(to, 0, t.codes[r], t.numeric[r]);
            to->units[to->rows - 1] = t.units[r];
        }
        FREED(free) int64_t *without = sums_of(&rest, false);
        FREED(free) int64_t *alone = sums_of(&own, false);
        for (size_t i = 0; i < value_count(); i++) assert_int_equal(with[i] - without[i], alone[i]);
    }
}

TEST(a_person_adds_its_first_rows_by_hand)
{
    static table t;
    t.rows = 0;
    /* a: wards 1 2 1 1 3 | 0 0: the last two come after five. b: ward 3. Two of nobody. */
    const uint64_t who[] = {1, 1, 2, 0, 1, 1, 0, 1, 1, 1};
    const uint32_t ward[] = {1, 2, 3, 0, 1, 1, 0, 3, 0, 0};
    for (size_t r = 0; r < 10; r++) add_row(&t, who[r], ward[r], 0.5);
    const uint32_t u = VISITS_UNIT, fifth = u / 5;
    const int64_t expected[] = {/* wards */ 2 * u,
                                3 * fifth,
                                fifth,
                                u + fifth,
                                /* position */ fifth + 3 * u,
                                fifth,
                                fifth,
                                fifth,
                                fifth,
                                /* before and this */ 0,
                                0,
                                0,
                                0,
                                0,
                                u / 4,
                                u / 4,
                                u / 4,
                                0,
                                u / 4,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                /* number */ 3 * u,
                                0,
                                0,
                                0,
                                u,
                                /* misfits of two columns, persons */ 0,
                                0,
                                4};
    assert_int_equal(value_count(), sizeof expected / sizeof *expected);
    for (int stream = 0; stream < 2; stream++) {
        FREED(free) int64_t *sums = sums_of(&t, stream != 0);
        assert_memory_equal(sums, expected, sizeof expected);
    }
}

/* Rows that go back in time are put in order, those of a day in the order of reading; which rows enter is
 * settled before, by reading. */
TEST(events_are_in_order)
{
    static table t;
    const sbl_records *batch;
    uint64_t seed = 4;
    for (int round = 0; round < 50; round++) {
        t.rows = 0;
        for (uint32_t r = 0; r < 40; r++)
            add_row(&t, 1 + next_random(&seed) % 6, r % WARDS, (double)(next_random(&seed) % 4) / 4);
        for (size_t r = 0; r < t.rows; r++) t.codes[r] = (uint32_t)r; /* to know them by */
        sbl_source *source = source_with(&ordered, &t, round % 2 == 0);
        size_t events = 0;
        assert_ok(read_persons(source, &batch, NULL));
        for (size_t p = 0; p < batch->rows; p++)
            for (uint32_t e = batch->events.starts[p]; e < batch->events.starts[p + 1]; e++) {
                const uint32_t row = batch->events.codes[e];
                size_t before = 0;
                for (size_t r = 0; r < row; r++) before += t.units[r].low == t.units[row].low;
                assert_true(before < K);
                assert_true(t.units[row].low == batch->units[p].low);
                assert_true(t.numeric[row] == batch->events.numeric[e]);
                if (e == batch->events.starts[p]) continue;
                const uint32_t last = batch->events.codes[e - 1];
                assert_true(t.numeric[last] < t.numeric[row] ||
                            (t.numeric[last] == t.numeric[row] && last < row));
            }
        events = batch->events.starts[batch->rows];
        for (uint64_t who = 1; who <= 6; who++) {
            size_t own = 0;
            for (size_t r = 0; r < t.rows; r++) own += t.units[r].low == tag_of(who).low;
            events -= own < K ? own : K;
        }
        assert_int_equal(events, 0); /* and all are there */
        sbl_source_close(source);
    }
}

/* A column is wrong for a person where at least half of its cells that count are. */
TEST(misfits_are_the_persons)
{
    static table t;
    t.rows = 0;
    const uint64_t who[] = {1, 1, 1, 2, 2, 3, 4, 4, 4, 4, 4, 4, 4};
    const uint8_t day[] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1};
    for (size_t r = 0; r < 13; r++) {
        t.misfits[2 * t.rows + 1] = day[r];
        add_row(&t, who[r], 0, 0.5);
    }
    FREED(free) int64_t *sums = sums_of(&t, false);
    const int64_t *health = sums + value_count() - 3;
    assert_int_equal(health[0], 0);
    assert_int_equal(health[1], 2); /* 2: half; 3: all */
    assert_int_equal(health[2], 4);
    memset(t.misfits, 0, sizeof t.misfits);
}

TEST(every_round_reads_the_same)
{
    static table t;
    size_t sizes[200] = {0};
    uint64_t seed = 9;
    random_sizes(sizes, 100, &seed);
    mix(&t, sizes, 100, 0, 12345);
    for (int stream = 0; stream < 2; stream++) {
        FREED(sbl_source_close) sbl_source *source = source_of(&t, stream != 0);
        assert_true(source->can_rewind);
        assert_ok(sbl_source_rewind(source, NULL)); /* before the first */
        FREED(free) int64_t *first = sums_of_source(source, 1);
        const sbl_records *batch;
        for (int round = 0; round < 3; round++) {
            assert_ok(sbl_source_rewind(source, NULL));
            assert_same(first, sums_of_source(source, 3));
            assert_ok(read_persons(source, &batch, NULL)); /* past the end */
            assert_int_equal(batch->rows, 0);
        }
        assert_ok(sbl_source_rewind(source, NULL));
        assert_ok(read_persons(source, &batch, NULL)); /* and from the middle */
        assert_ok(sbl_source_rewind(source, NULL));
        assert_same(first, sums_of_source(source, 2));
    }
}

/* Rows that are not those that were counted. */
TEST(a_table_that_changes_is_refused)
{
    static table t;
    const sbl_records *batch;
    sbl_error err = {0};
    for (int how = 0; how < 3; how++) {
        t.rows = 0;
        for (size_t r = 0; r < 10; r++) add_row_of(&t, 1 + r % 3, r);
        FREED(sbl_source_close) sbl_source *source = source_of(&t, false);
        assert_ok(read_persons(source, &batch, NULL));
        assert_ok(sbl_source_rewind(source, NULL));
        if (how > 0) t.units[0] = how == 1 ? tag_of(99) : tag_of(2); /* somebody new; one less */
        const sbl_status status = read_persons(source, &batch, &err);
        assert_int_equal(status, how == 0 ? SBL_OK : SBL_EINPUT);
        if (how > 0) assert_non_null(strstr(err.message, "changed after the first reading"));
    }
}

/* ---- many rows ---- */

/* A source of rows out of nothing: all of one person but every thousandth. */
typedef struct endless {
    sbl_unit_tag units[8192];
    uint32_t codes[8192];
    double numeric[8192];
    uint64_t left;
} endless;

enum { TEN_MILLION = 10000000 };

static sbl_status read_endless(sbl_source *source, sbl_error *err)
{
    endless *e = source->state;
    (void)err;
    source->batch = (sbl_records){.units = e->units, .codes = e->codes, .numeric = e->numeric};
    for (; source->batch.rows < 8192 && e->left > 0; source->batch.rows++, e->left--)
        e->units[source->batch.rows] = tag_of(e->left % 1000 == 0 ? 2 + e->left % 7000 : 1);
    return SBL_OK;
}

static sbl_status rewind_endless(sbl_source *source, sbl_error *err)
{
    (void)err;
    ((endless *)source->state)->left = TEN_MILLION;
    return SBL_OK;
}

static void close_endless(sbl_source *source) { (void)source; }

static size_t asked_for;
void *__real_sbl_locked_alloc(size_t count, size_t size);
void *__wrap_sbl_locked_alloc(size_t count, size_t size);
void *__wrap_sbl_locked_alloc(size_t count, size_t size)
{
    asked_for += count * size;
    return __real_sbl_locked_alloc(count, size);
}

TEST(ten_million_rows_of_a_person_take_the_memory_of_k)
{
    static const sbl_source_kind kind = {
        .read = read_endless, .rewind = rewind_endless, .close = close_endless};
    static endless e = {.left = TEN_MILLION};
    for (int stream = 0; stream < 2; stream++) {
        sbl_source *rows, *persons;
        asked_for = 0;
        e.left = TEN_MILLION;
        assert_ok(sbl_source_new(&rows, &kind, 0, "rows", &facts, NULL));
        rows->state = &e;
        rows->can_rewind = stream == 0;
        assert_ok(sbl_source_open_persons(&persons, rows, NULL));
        int64_t *sums = sums_of_source(persons, 1);
        assert_int_equal(sums[value_count() - 1], 8);               /* persons */
        assert_int_equal(sums[value_count() - 4], 8 * VISITS_UNIT); /* of five rows each */
        assert_true(asked_for < 200000);                            /* two tables of tags */
        free(sums);
        sbl_source_close(persons);
    }
}

static int stop_at_third(void *context, const char *phase, uint64_t step, uint64_t steps, double loss)
{
    (void)phase;
    (void)steps;
    (void)loss;
    assert_int_equal(step, 0); /* how many there are is private */
    return ++*(int *)context == 3;
}

TEST(counting_can_be_stopped)
{
    static const sbl_source_kind kind = {
        .read = read_endless, .rewind = rewind_endless, .close = close_endless};
    static endless e = {.left = TEN_MILLION};
    int calls = 0;
    sbl_source *rows, *persons;
    sbl_sum *sum = NULL;
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.neighbours = SBL_ADD_REMOVE;
    options.progress = stop_at_third;
    options.context = &calls;
    assert_ok(sbl_source_new(&rows, &kind, 0, "rows", &facts, NULL));
    rows->state = &e;
    rows->can_rewind = true;
    assert_ok(sbl_source_open_persons(&persons, rows, NULL));
    assert_int_equal(sbl_gather(&sum, persons, &features, "nothing", &options, NULL), SBL_ESTOPPED);
    assert_true(e.left > TEN_MILLION - 3 * 8192); /* after two batches of the first reading */
    sbl_source_close(persons);
}

TEST(lack_of_memory_is_reported)
{
    static table t;
    size_t sizes[200] = {0};
    uint64_t seed = 21;
    random_sizes(sizes, 100, &seed);
    mix(&t, sizes, 100, 0, 999);
    const sbl_records records = {.numeric = t.numeric, .codes = t.codes, .units = t.units, .rows = t.rows};
    size_t failures = 0;
    for (int stream = 0; stream < 2; stream++)
        for (long n = 1;; n++) {
            sbl_source *rows, *persons;
            const sbl_records *batch;
            assert_ok(sbl_source_open_memory(&rows, &records, "t", &facts, NULL));
            rows->can_rewind = stream == 0;
            sbl_test_fail_alloc(n);
            sbl_status status = sbl_source_open_persons(&persons, rows, NULL);
            if (status == SBL_OK) status = read_persons(persons, &batch, NULL);
            sbl_test_fail_alloc(0);
            sbl_source_close(persons);
            if (status == SBL_OK) break;
            assert_int_equal(status, SBL_EMEM);
            failures++;
        }
    assert_in_range(failures, 10, 60);
}

/* ---- plans ---- */

TEST(features_of_rows_and_of_persons_do_not_mix)
{
    const sbl_feature *const more[] = {&feature_visits, NULL};
    sbl_error err = {0};
    CLEARED(sbl_plan_clear) sbl_plan mixed;
    sbl_features made;
    assert_int_equal(features.layout.rows_per_unit, 1);
    assert_ok(sbl_plan_init(&mixed, "test", NULL));
    assert_ok(sbl_plan_add(&mixed, "visits", json_object(), 1.0, NULL));
    assert_ok(sbl_plan_add(&mixed, "onehot", json_object(), 1.0, NULL));
    assert_ok(sbl_plan_finish(&mixed, &facts, NULL));
    assert_int_equal(sbl_features_make(&made, &mixed, &facts, more, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "'visits' of whole persons with 'onehot' of rows"));
}

ALL_TESTS(setup, teardown)
