/* SPDX-License-Identifier: Apache-2.0 */
/* The relations that an evaluation names: tables with one broken relation, and halves of one population, which have none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate_kit.h"
#include "owner/fidelity/sampling_noise.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define CATEGORY(name, per)                                  \
    "{\"name\": \"" name                                     \
    "\", \"type\": \"string\", \"constraints\": {\"enum\": " \
    "[\"0\", \"1\", \"2\", \"3\"], \"required\": true}" per "}"
#define NUMBER(name)                                                \
    "{\"name\": \"" name                                            \
    "\", \"type\": \"integer\", \"constraints\": {\"minimum\": 0, " \
    "\"maximum\": 99, \"required\": true}}"
#define PER_UNIT ", \"semblance\": {\"per\": \"unit\"}"

static const char of_rows[] =
    "{\"fields\": [" CATEGORY("a", "") ", " CATEGORY("b", "") ", " CATEGORY("c", "") ", " NUMBER("x") "]}";
static const char of_persons[] =
    "{\"fields\": [{\"name\": \"who\", \"type\": \"string\", \"semblance\": {\"role\": \"id\"}}, " CATEGORY(
        "sex", PER_UNIT) ", " CATEGORY("town", PER_UNIT) ", " NUMBER("day") ", " CATEGORY("ward", "") "], "
    "\"semblance\": {\"unit\": \"who\", \"order\": \"day\", \"max_rows_per_unit\": 9}}";

static kit k;
static uint64_t drawn;

AROUND(set_up)
{
    drawn = 1;
    kit_make(&k);
    k.request.train = NULL;
}

AROUND(tear_down) { kit_clear(&k); }

/* 0 .. bound - 1 (xorshift64*). */
static unsigned below(unsigned bound)
{
    drawn ^= drawn >> 12;
    drawn ^= drawn << 25;
    drawn ^= drawn >> 27;
    return (unsigned)((drawn * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % bound;
}

/* Rows of which b is nearly a; broken: b is as often each value, whatever a is. */
static sbl_text rows_of(size_t rows, bool broken)
{
    sbl_text text = {0};
    sbl_text_printf(&text, "a,b,c,x\n");
    for (size_t i = 0; i < rows; i++) {
        const unsigned a = below(4), near = below(4) == 0 ? below(4) : a;
        sbl_text_printf(&text, "%u,%u,%u,%u\n", a, broken ? below(4) : near, below(4), below(100));
    }
    assert_false(text.failed);
    return text;
}

/* How a table of persons differs from the real one. */
typedef struct persons_shape {
    unsigned rows;   /* 0: one to eight; else this number */
    bool forgetful;  /* a ward does not follow the ward before */
    unsigned starts; /* the least first day */
} persons_shape;

/* Of a person the sex and the town stay, and mostly the ward. */
static sbl_text persons_of(size_t persons, persons_shape shape)
{
    sbl_text text = {0};
    sbl_text_printf(&text, "who,sex,town,day,ward\n");
    for (size_t p = 0; p < persons; p++) {
        const unsigned sex = below(4), town = below(4), rows = shape.rows != 0 ? shape.rows : 1 + below(8);
        unsigned ward = below(4), day = shape.starts + below(20);
        for (unsigned i = 0; i < rows; i++) {
            sbl_text_printf(&text, "p%zu,%u,%u,%u,%u\n", p, sex, town, day, ward);
            if (shape.forgetful || below(4) == 0) ward = below(4);
            day += 1 + below(4);
        }
    }
    assert_false(text.failed);
    return text;
}

static json_t *compare(const char *schema, sbl_text real, sbl_text synthetic)
{
    kit_replace(&k, schema, real.data, synthetic.data, NULL);
    sbl_text_clear(&real);
    sbl_text_clear(&synthetic);
    return kit_evaluate(&k);
}

static const char *what(const json_t *document, const char *path)
{
    const char *words = json_string_value(kit_find(document, path));
    if (words == NULL) fail_msg("no words at %s", path);
    return words;
}

static size_t named(const json_t *document, const char *path)
{
    const json_t *list = kit_find(document, path);
    assert_true(json_is_array(list));
    return json_array_size(list);
}

TEST(the_pair_that_broke_is_named_alone)
{
    json_auto_t *document = compare(of_rows, rows_of(2000, false), rows_of(2000, true));
    char *text = sbl_evaluation_text(document);
    assert_int_equal(named(document, "worst.pairs"), 1);
    assert_string_equal(what(document, "worst.pairs.0.what"), "a with b");
    assert_string_equal(what(document, "worst.pairs.0.relation"), "pair");
    assert_string_equal(what(document, "worst.pairs.0.columns.0"), "a");
    assert_string_equal(what(document, "worst.pairs.0.columns.1"), "b");
    /* 13/16 of real rows have a = b, and 1/4 of the broken ones. */
    assert_true(fabs(kit_number(document, "worst.pairs.0.distance") - 9.0 / 16.0) < 0.05);
    assert_true(kit_number(document, "worst.pairs.0.second_sample") < 0.08);
    assert_true(json_is_null(kit_find(document, "worst.histories")));
    assert_true(json_is_null(kit_find(document, "worst.parents")));
    assert_non_null(strstr(text, "pairs of columns"));
    assert_non_null(strstr(text, "  a with b  "));
    free(text);
}

TEST(a_second_sample_of_rows_has_nothing_to_name)
{
    for (size_t i = 0; i < 20; i++) {
        json_auto_t *document = compare(of_rows, rows_of(500, false), rows_of(500, false));
        char *text = sbl_evaluation_text(document);
        assert_int_equal(named(document, "worst.pairs"), 0);
        assert_non_null(strstr(text, "\nno pair is further off than a second real sample would be\n"));
        free(text);
    }
}

/* A person's rows are not independent: by rows alone, sexes and towns of 60 persons look different. */
TEST(a_second_sample_of_persons_has_nothing_to_name)
{
    for (size_t i = 0; i < 20; i++) {
        json_auto_t *document =
            compare(of_persons, persons_of(60, (persons_shape){0}), persons_of(60, (persons_shape){0}));
        assert_int_equal(named(document, "worst.pairs"), 0);
        assert_int_equal(named(document, "worst.histories"), 0);
    }
}

TEST(what_a_person_forgets_is_named)
{
    json_auto_t *document = compare(of_persons, persons_of(1000, (persons_shape){0}),
                                    persons_of(1000, (persons_shape){.forgetful = true}));
    char *text = sbl_evaluation_text(document);
    assert_int_equal(named(document, "worst.pairs"), 0);
    assert_int_equal(named(document, "worst.histories"), 1);
    assert_string_equal(what(document, "worst.histories.0.what"), "ward with the previous ward");
    assert_non_null(strstr(text, "within a person"));
    free(text);
}

TEST(numbers_of_rows_and_first_times_are_named)
{
    json_auto_t *document = compare(of_persons, persons_of(1000, (persons_shape){0}),
                                    persons_of(1000, (persons_shape){.rows = 4, .starts = 10}));
    const json_t *list = kit_find(document, "worst.histories");
    bool rows = false, first = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *words = what(json_array_get(list, i), "what");
        rows = rows || strcmp(words, "number of rows of a person") == 0;
        first = first || strcmp(words, "first day of a person") == 0;
        if (i > 0)
            assert_true(kit_number(list, "0.distance") - kit_number(list, "0.second_sample") >=
                        kit_number(json_array_get(list, i), "distance") -
                            kit_number(json_array_get(list, i), "second_sample"));
    }
    assert_true(rows && first);
}

/* Of six columns that are all off, each pair is; no column is named more than twice, and no more than five pairs are. */
TEST(at_most_five_are_named_and_no_column_more_than_twice)
{
    static const char schema[] = "{\"fields\": [" CATEGORY("a", "") ", " CATEGORY("b", "") ", " CATEGORY(
        "c", "") ", " CATEGORY("d", "") ", " CATEGORY("e", "") ", " CATEGORY("f", "") "]}";
    sbl_text real = {0}, synthetic = {0};
    size_t uses[6] = {0};
    sbl_text_printf(&real, "a,b,c,d,e,f\n");
    sbl_text_printf(&synthetic, "a,b,c,d,e,f\n");
    for (size_t i = 0; i < 1000; i++) {
        const unsigned one = below(4);
        sbl_text_printf(&real, "%u,%u,%u,%u,%u,%u\n", one, one, one, one, one, one);
        sbl_text_printf(&synthetic, "%u,%u,%u,%u,%u,%u\n", below(4), below(4), below(4), below(4), below(4),
                        below(4));
    }
    json_auto_t *document = compare(schema, real, synthetic);
    assert_int_equal(named(document, "worst.pairs"), 5);
    for (size_t i = 0; i < 5; i++)
        for (size_t c = 0; c < 2; c++) {
            char path[64];
            (void)snprintf(path, sizeof path, "worst.pairs.%zu.columns.%zu", i, c);
            uses[what(document, path)[0] - 'a']++;
        }
    for (size_t c = 0; c < 6; c++) assert_true(uses[c] <= 2);
}

/* The mean of many deals is what is expected, for cells of one row as for large ones. */
TEST(the_expected_distance_is_that_of_rows_dealt_at_random)
{
    enum { ROWS = 400, FIRST = 150, DEALS = 2000 };
    uint32_t codes[ROWS];
    double sum = 0.0, expected = 0.0;
    CLEARED(sbl_tally_clear) sbl_tally tally = {0};
    for (uint32_t i = 0; i < ROWS; i++) codes[i] = i < 40 ? i : i < 100 ? 40 + i % 12 : 60 + i % 2;
    for (size_t d = 0; d < DEALS; d++) {
        for (size_t i = ROWS - 1; i > 0; i--) {
            const size_t other = below((unsigned)i + 1);
            const uint32_t kept = codes[i];
            codes[i] = codes[other];
            codes[other] = kept;
        }
        const sbl_tally_input input = {.way = 1,
                                       .sizes = {62},
                                       .tables = 2,
                                       .codes = {{codes}, {codes + FIRST}},
                                       .rows = {FIRST, ROWS - FIRST}};
        assert_ok(sbl_tally_count(&tally, &input, NULL));
        sum += sbl_tally_distance(&tally, 0, FIRST, 1, ROWS - FIRST);
        expected = sbl_tally_expected(&tally, 0, FIRST, 1, ROWS - FIRST);
    }
    assert_true(fabs(sum / DEALS - expected) < 0.02 * expected);
}

TEST(without_memory_nothing_is_named)
{
    long n = 0;
    json_decref(compare(of_persons, persons_of(20, (persons_shape){0}), persons_of(20, (persons_shape){0})));
    while (sbl_test_fail_next(&n)) {
        json_auto_t *document;
        sbl_test_no_memory(sbl_evaluate_study(&document, &k.request, &k.err));
    }
    assert_true(n > 100);
}

EACH_TEST(set_up, tear_down)
