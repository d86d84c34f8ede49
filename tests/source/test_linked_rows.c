/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of linked tables by whose they are, against a reference that looks at all rows for each person; and that no
 * person moves another: without one person's rows, and with a new person who takes keys that orphans name, the
 * records of all others are the same to the last bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records/persons/linked_rows.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/sanitized.h"

/* persons <- visits <- drugs <- doses, visits <- tests, persons <- cards. A row has a number that is its own, may be
 * missing, and another by which rows of most tables are ordered. */
enum { PERSONS, VISITS, DRUGS, DOSES, TESTS, CARDS, TABLES };
static const int parent_of[TABLES] = {-1, PERSONS, VISITS, DRUGS, VISITS, PERSONS};
static const int cap_of[TABLES] = {1, 3, 4, 3, 2, 2};
static const bool ordered[TABLES] = {false, true, true, false, true, false};
static const char *const name_of[TABLES] = {"persons", "visits", "drugs", "doses", "tests", "cards"};

#define MOST_ROWS 64
#define MOST_OWNERS 64 /* persons: bits of a set */
#define MISSING (-1)

typedef struct row {
    int table, key, named; /* keys are small numbers, alike in all tables; or MISSING */
    int value, turn;
} row;

typedef struct world {
    row rows[MOST_ROWS];
    size_t count;
} world;

static sbl_facts facts;
static sbl_person_batch batch;

static int make_facts(void **state)
{
    char text[8192];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"resources\":[");
    (void)state;
    for (int t = 0; t < TABLES; t++) {
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "%s{\"name\":\"%s\",\"schema\":{\"fields\":[{\"name\":\"key\"},{\"name\":\"named\","
            "\"semblance\":{\"role\":\"ignore\"}},{\"name\":\"value\",\"type\":\"integer\","
            "\"constraints\":{\"minimum\":0,\"maximum\":9999}},{\"name\":\"turn\",\"type\":"
            "\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,\"required\":true}}],"
            "\"primaryKey\":\"key\"",
            t > 0 ? "," : "", name_of[t]);
        if (t > 0)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   ",\"foreignKeys\":[{\"fields\":\"named\",\"reference\":{"
                                   "\"resource\":\"%s\",\"fields\":\"key\"}}],\"semblance\":{"
                                   "\"max_rows_per_unit\":%d%s}",
                                   name_of[parent_of[t]], cap_of[t], ordered[t] ? ",\"order\":\"turn\"" : "");
        at += (size_t)snprintf(text + at, sizeof text - at, "}}");
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "]}");
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, at, "dp.json", &err) != SBL_OK ||
        sbl_facts_of_table(&facts, schema, &err) != SBL_OK ||
        sbl_person_batch_make(&batch, &facts, &err) != SBL_OK)
        fail_msg("%s", err.message);
    return 0;
}

AROUND(drop_facts)
{
    sbl_person_batch_clear(&batch);
    sbl_facts_clear(&facts);
}

ALL_TESTS(make_facts, drop_facts)

/* ---- what is given ---- */

/* A person in words: of each table its rows with their parents. */
typedef struct record {
    char text[1024];
} record;

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static sbl_unit_tag tag_of(int id)
{
    return id == MISSING ? (sbl_unit_tag){0}
                         : (sbl_unit_tag){(uint64_t)(id + 1) * 0x9E3779B97F4A7C15U,
                                          .high = (uint64_t)(id + 1) * 0xC2B2AE3D27D4EB4FU};
}

static void put_row(double *numeric, uint32_t *codes, int value, int turn)
{
    numeric[0] = value / 9999.0;
    numeric[1] = turn / 9.0;
    codes[0] = 0;
}

static sbl_status take_table(sbl_linked_rows *rows, const world *w, int table, sbl_error *err)
{
    double numeric[2 * MOST_ROWS];
    uint32_t codes[MOST_ROWS];
    sbl_unit_tag units[MOST_ROWS], keys[MOST_ROWS];
    uint8_t misfits[2 * MOST_ROWS] = {0};
    sbl_records all = {.numeric = numeric, .codes = codes, .units = units, .keys = keys, .misfits = misfits};
    sbl_linked_rows_begin(rows, (size_t)table);
    for (size_t i = 0; i < w->count; i++) {
        const row *one = &w->rows[i];
        if (one->table != table) continue;
        put_row(numeric + 2 * all.rows, codes + all.rows, one->value, one->turn);
        units[all.rows] = tag_of(table == PERSONS ? one->key : one->named);
        keys[all.rows++] = tag_of(one->key);
    }
    return sbl_linked_rows_take(rows, &all, err);
}

static void tell_row(record *to, const sbl_events *events, size_t at, size_t t)
{
    const double *numeric = events->numeric + at * 2 * TABLES;
    const uint32_t *codes = events->codes + at * TABLES;
    const size_t length = strlen(to->text);
    for (size_t i = 0; i < TABLES; i++)
        if (i != t) assert_true(numeric[2 * i] == 0 && numeric[2 * i + 1] == 0 && codes[i] == 0);
    assert_int_equal(codes[t], 0);
    (void)snprintf(to->text + length, sizeof to->text - length, " %.0f^%u", numeric[2 * t] * 9999.0,
                   events->parents[at]);
}

static void tell_person(record *to, const sbl_records *records, size_t p)
{
    const uint32_t *starts = records->events.starts + p * TABLES;
    to->text[0] = '\0';
    for (size_t t = 0; t < TABLES; t++) {
        (void)strcat(to->text, "|");
        for (size_t at = starts[t]; at < starts[t + 1]; at++) tell_row(to, &records->events, at, t);
    }
    assert_int_equal(starts[1] - starts[0], 1);
}

/* All persons of a world, sorted. */
static size_t give(record *records, const world *w)
{
    sbl_linked_rows *rows;
    sbl_error err = {0};
    assert_ok(sbl_linked_rows_new(&rows, &facts, &err));
    for (int t = 0; t < TABLES; t++) assert_ok(take_table(rows, w, t, &err));
    const size_t persons = sbl_linked_rows_persons(rows);
    sbl_person_batch_empty(&batch);
    for (size_t p = 0; p < persons; p++) sbl_linked_rows_give(rows, &batch, p);
    const sbl_records all = sbl_person_batch_records(&batch);
    assert_int_equal(all.rows, persons);
    for (size_t p = 0; p < persons; p++) {
        const sbl_records slice = sbl_records_slice(&all, &facts, p, 1);
        tell_person(&records[p], &slice, 0);
        for (size_t q = 0; q < p && !sbl_tag_is_nobody(all.units[p]); q++)
            assert_memory_not_equal(&all.units[p], &all.units[q], sizeof all.units[p]);
    }
    sbl_linked_rows_free(rows);
    qsort(records, persons, sizeof *records, compare);
    return persons;
}

/* ---- the reference ---- */

/* Who a row is of: a set of persons, each of which is a text. Of an orphan the set is empty. */
typedef struct owned {
    char names[MOST_OWNERS][24];
    size_t names_count;
    uint64_t of[MOST_ROWS];
} owned;

static uint64_t person_named(owned *o, const char *format, int number)
{
    char text[24];
    size_t i = 0;
    (void)snprintf(text, sizeof text, format, number);
    while (i < o->names_count && strcmp(o->names[i], text) != 0) i++;
    if (i == o->names_count) (void)memcpy(o->names[o->names_count++], text, sizeof text);
    assert_true(o->names_count <= MOST_OWNERS);
    return (uint64_t)1 << i;
}

static uint64_t owners_of_key(const world *w, const owned *o, int table, int key)
{
    uint64_t all = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->rows[i].table == table && w->rows[i].key == key) all |= o->of[i];
    return all;
}

static void find_owners(owned *o, const world *w)
{
    *o = (owned){0};
    for (int t = 0; t < TABLES; t++)
        for (size_t i = 0; i < w->count; i++) {
            const row *one = &w->rows[i];
            if (one->table != t) continue;
            if (t != PERSONS)
                o->of[i] = one->named != MISSING ? owners_of_key(w, o, parent_of[t], one->named) : 0;
            else
                o->of[i] = one->key != MISSING ? person_named(o, "person %d", one->key)
                                               : person_named(o, "alone %d", (int)i);
        }
}

/* One person's rows: of each table those that count, and the place of each row's parent. */
typedef struct expected {
    size_t rows[TABLES][8];
    size_t count[TABLES];
    size_t parents[MOST_ROWS];
    size_t places[MOST_ROWS];
} expected;

/* The first of the person's rows that count with the key; MOST_ROWS: there is none. */
static size_t find_parent(const world *w, const expected *e, int table, int key)
{
    size_t first = MOST_ROWS;
    for (size_t i = 0; i < e->count[table]; i++) {
        const size_t at = e->rows[table][i];
        if (w->rows[at].key == key && at < first) first = at;
    }
    return first;
}

static bool comes_before(const world *w, const expected *e, size_t a, size_t b)
{
    const int t = w->rows[a].table;
    if (e->parents[a] != e->parents[b]) return e->parents[a] < e->parents[b];
    if (ordered[t] && w->rows[a].turn != w->rows[b].turn) return w->rows[a].turn < w->rows[b].turn;
    return a < b;
}

static void collect(expected *e, const world *w, const owned *o, uint64_t who, int t)
{
    size_t *rows = e->rows[t];
    const int above = parent_of[t];
    for (size_t i = 0; i < w->count && e->count[t] < (size_t)cap_of[t]; i++) {
        if (w->rows[i].table != t || (o->of[i] & who) == 0) continue;
        if (above > PERSONS) {
            const size_t parent = find_parent(w, e, above, w->rows[i].named);
            if (parent == MOST_ROWS) continue; /* beyond its cap */
            e->parents[i] = e->places[parent];
        }
        rows[e->count[t]++] = i;
    }
    for (size_t i = 1; i < e->count[t]; i++)
        for (size_t k = i; k > 0 && comes_before(w, e, rows[k], rows[k - 1]); k--) {
            const size_t swap = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = swap;
        }
    for (size_t i = 0; i < e->count[t]; i++) e->places[rows[i]] = i;
}

static void expect_person(record *to, const world *w, const owned *o, uint64_t who)
{
    expected e = {0};
    to->text[0] = '\0';
    for (int t = 0; t < TABLES; t++) collect(&e, w, o, who, t);
    for (int t = 0; t < TABLES; t++) {
        (void)strcat(to->text, "|");
        for (size_t i = 0; i < e.count[t]; i++) {
            const size_t length = strlen(to->text), at = e.rows[t][i];
            (void)snprintf(to->text + length, sizeof to->text - length, " %d^%zu", w->rows[at].value,
                           e.parents[at]);
        }
    }
}

static size_t expect_all(record *records, const world *w, const owned *o)
{
    for (size_t p = 0; p < o->names_count; p++) expect_person(&records[p], w, o, (uint64_t)1 << p);
    qsort(records, o->names_count, sizeof *records, compare);
    return o->names_count;
}

/* ---- worlds ---- */

static uint64_t seed;

static int below(int bound)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (int)((seed >> 33) % (uint64_t)bound);
}

/* Few keys, so that much is shared, dangling, missing or twice. */
static row any_row(int keys, int value)
{
    return (row){.table = below(TABLES),
                 .key = below(keys + 1) - 1,
                 .named = below(keys + 1) - 1,
                 .value = value,
                 .turn = below(3)};
}

static void make_world(world *w)
{
    const int keys = 1 + below(6);
    w->count = 0;
    const size_t rows = (size_t)(1 + below(40));
    for (; w->count < rows; w->count++) w->rows[w->count] = any_row(keys, (int)w->count + 1);
}

static void expect_equal(const record *got, size_t count, const record *wanted, size_t many)
{
    for (size_t i = 0; i < count && i < many; i++) assert_string_equal(got[i].text, wanted[i].text);
    assert_int_equal(count, many);
}

TEST(persons_are_what_the_reference_says)
{
    static record got[MOST_OWNERS], wanted[MOST_OWNERS];
    static world w;
    static owned o;
    seed = 1;
    for (int i = 0; i < (sanitized ? 400 : 4000); i++) {
        make_world(&w);
        find_owners(&o, &w);
        expect_equal(got, give(got, &w), wanted, expect_all(wanted, &w, &o));
    }
}

/* A person leaves with every row that is nobody else's. */
static void leave(world *left, const world *w, const owned *o, uint64_t who)
{
    left->count = 0;
    for (size_t i = 0; i < w->count; i++)
        if (o->of[i] != who) left->rows[left->count++] = w->rows[i];
}

/* What was given before, less one record, was given after. */
static void expect_without(const record *before, const record *own, const record *after, size_t count)
{
    size_t at = 0;
    while (at < count && strcmp(before[at].text, own->text) != 0) at++;
    for (size_t k = 0; k < count; k++) assert_string_equal(after[k].text, before[k < at ? k : k + 1].text);
}

TEST(without_one_person_all_others_are_the_same)
{
    static record before[MOST_OWNERS], after[MOST_OWNERS], own;
    static world w, left;
    static owned o;
    seed = 2;
    for (int i = 0; i < (sanitized ? 50 : 500); i++) {
        make_world(&w);
        find_owners(&o, &w);
        const size_t persons = give(before, &w);
        for (size_t p = 0; p < o.names_count; p++) {
            leave(&left, &w, &o, (uint64_t)1 << p);
            expect_person(&own, &w, &o, (uint64_t)1 << p);
            assert_int_equal(give(after, &left), persons - 1);
            expect_without(before, &own, after, persons - 1);
        }
    }
}

/* ---- a person comes ---- */

enum { NEWCOMER = 1000 }; /* the values of its rows begin here */

static void insert(world *w, size_t place, row one)
{
    memmove(w->rows + place + 1, w->rows + place, (w->count++ - place) * sizeof *w->rows);
    w->rows[place] = one;
}

/* Is every row that came with the newcomer its own, or of nobody? */
static bool is_by_itself(const world *w, owned *o, int key)
{
    find_owners(o, w);
    const uint64_t who = person_named(o, "person %d", key);
    for (size_t i = 0; i < w->count; i++)
        if (w->rows[i].value >= NEWCOMER && (o->of[i] & ~who) != 0) return false;
    return true;
}

/* A person who takes a key that no root row has, and brings rows with any keys that are in no other person's rows. */
static bool join(world *with, const world *w, owned *o, int *key)
{
    const int keys = 6;
    *with = *w;
    *key = below(keys);
    for (size_t i = 0; i < w->count; i++)
        if (w->rows[i].table == PERSONS && w->rows[i].key == *key) return false;
    insert(with, (size_t)below((int)with->count + 1),
           (row){.table = PERSONS, .key = *key, .named = MISSING, .value = NEWCOMER});
    for (int tries = 1; tries < 20; tries++) {
        const world before = *with;
        row one = any_row(keys, NEWCOMER + tries);
        if (parent_of[one.table] == PERSONS && below(2) == 0) one.named = *key;
        insert(with, (size_t)below((int)with->count + 1), one);
        if (!is_by_itself(with, o, *key)) *with = before;
    }
    return is_by_itself(with, o, *key);
}

TEST(a_person_who_takes_the_keys_that_orphans_name_moves_nobody_else)
{
    static record before[MOST_OWNERS], after[MOST_OWNERS], own;
    static world w, with;
    static owned o;
    size_t joined = 0, adopted = 0;
    seed = 4;
    for (int i = 0; i < (sanitized ? 200 : 2000); i++) {
        int key;
        make_world(&w);
        if (!join(&with, &w, &o, &key)) continue;
        const uint64_t who = person_named(&o, "person %d", key);
        for (size_t r = 0; r < with.count; r++) adopted += with.rows[r].value < NEWCOMER && o.of[r] == who;
        expect_person(&own, &with, &o, who);
        const size_t persons = give(before, &w);
        assert_int_equal(give(after, &with), persons + 1);
        expect_without(after, &own, before, persons);
        joined++;
    }
    assert_true(joined > 50 && adopted > joined);
}

/* ---- by hand ---- */

static void expect(const row *rows, size_t count, const char *const *wanted, size_t persons)
{
    static record got[MOST_OWNERS];
    world w = {.count = count};
    memcpy(w.rows, rows, count * sizeof *rows);
    const size_t given = give(got, &w);
    for (size_t i = 0; i < given && i < persons; i++) assert_string_equal(got[i].text, wanted[i]);
    assert_int_equal(given, persons);
}
#define EXPECT(rows, ...)                                                          \
    expect(rows, sizeof rows / sizeof rows[0], (const char *const[]){__VA_ARGS__}, \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* One person with rows in every table. */
static const row whole_person[] = {{DRUGS, 1, 8, 31, 0},       {VISITS, 8, 5, 21, 2},
                                   {DRUGS, 2, 7, 32, 1},       {VISITS, 7, 5, 22, 1},
                                   {DRUGS, 3, 8, 33, 1},       {PERSONS, 5, MISSING, 11, 0},
                                   {CARDS, MISSING, 5, 61, 0}, {DOSES, MISSING, 3, 41, 0},
                                   {DOSES, MISSING, 2, 42, 0}, {TESTS, MISSING, 8, 51, 0}};

TEST(a_whole_person_is_one_record_in_the_order_of_its_parents)
{
    EXPECT(whole_person, "| 11^0| 22^0 21^0| 32^0 31^1 33^1| 42^0 41^2| 51^1| 61^0");
}

TEST(a_root_row_that_is_there_twice_counts_once_and_a_child_row_as_often_as_it_is_there)
{
    const row rows[] = {{PERSONS, 5, MISSING, 11, 0},
                        {PERSONS, 5, MISSING, 12, 0},
                        {VISITS, 8, 5, 21, 0},
                        {VISITS, 8, 5, 21, 0},
                        {DRUGS, 1, 8, 31, 0}};
    EXPECT(rows, "| 11^0| 21^0 21^0| 31^0|||");
}

TEST(a_root_row_without_a_key_is_a_person_and_other_rows_without_one_are_nobodys)
{
    const row rows[] = {{PERSONS, MISSING, MISSING, 11, 0}, {PERSONS, MISSING, MISSING, 12, 0},
                        {VISITS, 8, MISSING, 21, 0},        {VISITS, MISSING, MISSING, 22, 0},
                        {DRUGS, MISSING, 8, 31, 0},         {DOSES, MISSING, MISSING, 41, 0}};
    EXPECT(rows, "| 11^0|||||", "| 12^0|||||");
}

/* Persons 5 and 6 and visit 5 are three things. Visit 8 is nobody's, and so is what refers to it. */
TEST(a_row_that_names_a_key_of_no_person_adds_nothing)
{
    const row rows[] = {{VISITS, 8, 5, 21, 0},      {VISITS, 9, 5, 22, 0},       {DRUGS, 1, 5, 31, 0},
                        {TESTS, MISSING, 5, 51, 0}, {DRUGS, 2, 8, 32, 0},        {DOSES, MISSING, 2, 41, 0},
                        {CARDS, 6, 5, 61, 0},       {PERSONS, 6, MISSING, 11, 0}};
    EXPECT(rows, "| 11^0|||||");
}

TEST(a_person_who_takes_the_key_has_the_rows_that_name_it)
{
    const row rows[] = {{VISITS, 8, 5, 21, 0},        {DRUGS, 2, 8, 32, 0},
                        {DOSES, MISSING, 2, 41, 0},   {PERSONS, 6, MISSING, 11, 0},
                        {PERSONS, 5, MISSING, 12, 0}, {DRUGS, 3, 9, 33, 0}};
    EXPECT(rows, "| 11^0|||||", "| 12^0| 21^0| 32^0| 41^0||");
}

TEST(a_row_that_names_a_key_of_several_persons_counts_with_each)
{
    const row rows[] = {{PERSONS, 5, MISSING, 11, 0}, {PERSONS, 6, MISSING, 12, 0}, {VISITS, 8, 5, 21, 0},
                        {VISITS, 8, 6, 22, 0},        {VISITS, 8, 7, 23, 0},        {DRUGS, 1, 8, 31, 0},
                        {DOSES, MISSING, 1, 41, 0}};
    EXPECT(rows, "| 11^0| 21^0| 31^0| 41^0||", "| 12^0| 22^0| 31^0| 41^0||");
}

TEST(a_row_that_names_a_row_beyond_its_cap_does_not_count)
{
    const row rows[] = {{PERSONS, 5, MISSING, 11, 0}, {VISITS, 1, 5, 21, 0},     {VISITS, 2, 5, 22, 0},
                        {VISITS, 3, 5, 23, 0},        {VISITS, 4, 5, 24, 0},     {DRUGS, 9, 4, 31, 0},
                        {DRUGS, MISSING, 3, 32, 0},   {DOSES, MISSING, 9, 41, 0}};
    EXPECT(rows, "| 11^0| 21^0 22^0 23^0| 32^2|||");
}

/* ---- many rows ---- */

/* Everybody shares one key, and everything hangs on it: time grows with what is kept. */
TEST(a_key_that_all_have_takes_no_longer)
{
    const size_t persons = sanitized ? 2000 : 20000, deep = 10 * persons;
    sbl_linked_rows *rows;
    sbl_error err = {0};
    double numeric[2] = {0};
    uint32_t code = 0;
    uint8_t misfits[2] = {0};
    sbl_unit_tag unit, shared = tag_of(1);
    const sbl_records one = {
        .numeric = numeric, .codes = &code, .misfits = misfits, .units = &unit, .keys = &shared, .rows = 1};
    assert_ok(sbl_linked_rows_new(&rows, &facts, &err));
    for (size_t t = 0; t < TABLES; t++) {
        sbl_linked_rows_begin(rows, t);
        for (size_t i = 0; i < (t < DRUGS ? persons : deep); i++) {
            unit = t < DRUGS ? tag_of((int)i) : t == CARDS ? tag_of(3) : shared;
            assert_ok(sbl_linked_rows_take(rows, &one, &err));
        }
    }
    assert_int_equal(sbl_linked_rows_persons(rows), persons);
    sbl_person_batch_empty(&batch);
    sbl_linked_rows_give(rows, &batch, persons - 1);
    const sbl_records given = sbl_person_batch_records(&batch);
    assert_int_equal(given.events.starts[TABLES], 1 + 1 + cap_of[DRUGS] + cap_of[DOSES] + cap_of[TESTS]);
    sbl_linked_rows_free(rows);
}

/* ---- memory ---- */

static sbl_status take_world(const world *w)
{
    sbl_linked_rows *rows;
    sbl_status status = sbl_linked_rows_new(&rows, &facts, NULL);
    for (int t = 0; t < TABLES && status == SBL_OK; t++) status = take_table(rows, w, t, NULL);
    sbl_linked_rows_free(rows);
    return status;
}

TEST(any_allocation_may_fail)
{
    static world w = {.count = sizeof whole_person / sizeof whole_person[0]};
    memcpy(w.rows, whole_person, sizeof whole_person);
    for (long n = 0; sbl_test_fail_next(&n);)
        if (!sbl_test_no_memory(take_world(&w))) assert_true(n > 10);
}
