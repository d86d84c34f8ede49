/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that rows keep: which are found, how they read, and which are not because few rows or few persons would make them up. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "owner/inspect/rule_search.h"
#include "support/cmocka_all.h"
#include "table/table_kit.h"

#define MOST_COLUMNS 8

/* Rows of a schema, one at a time. */
typedef struct rows_kit {
    sbl_schema *schema;
    sbl_rule_column columns[MOST_COLUMNS];
    sbl_rule_view view;
    sbl_rule_search *search;
} rows_kit;

/* parents: this number of columns at the end is of the table "above". */
static void begin(rows_kit *kit, const char *schema, size_t parents)
{
    kit->schema = kit_schema(schema);
    kit->view = (sbl_rule_view){kit->columns, kit->schema->column_count};
    for (size_t c = 0; c < kit->view.count; c++)
        kit->columns[c] = (sbl_rule_column){&kit->schema->columns[c],
                                            c + parents >= kit->view.count ? "above" : NULL, true};
    assert_ok(sbl_rule_search_new(&kit->search, &kit->view, NULL));
}

static void take(rows_kit *kit, const double *rows, const uint64_t *persons, size_t count)
{
    const sbl_rule_block block = {rows, persons, count};
    assert_ok(sbl_rule_search_take(kit->search, &block, NULL));
}

/* What was found, a line each: its words. all: with its constraints. */
static void expect(rows_kit *kit, const char *expected, bool all)
{
    sbl_found_rules found = {0};
    sbl_text shown = {0};
    assert_ok(sbl_rule_search_finish(&found, kit->search, NULL));
    sbl_found_rules_choose(&found);
    for (size_t i = 0; i < found.count; i++) {
        sbl_text_printf(&shown, "%s\n", found.items[i].words);
        for (size_t k = 0; all && k < json_array_size(found.items[i].constraints); k++)
            sbl_text_printf(&shown, "  %s\n",
                            json_string_value(json_array_get(found.items[i].constraints, k)));
    }
    assert_string_equal(shown.data != NULL ? shown.data : "", expected);
    sbl_text_clear(&shown);
    sbl_found_rules_clear(&found);
    sbl_rule_search_free(kit->search);
    sbl_schema_free(kit->schema);
}

/* ---- what follows (rule_follows.c) ---- */

/* Rows of (a, b, n): counts of each of the four pairs of categories, n being 0 where a is its first. */
static void expect_pairs(const char *schema, const int counts[2][2], const char *expected)
{
    rows_kit kit;
    uint64_t number = 0;
    begin(&kit, schema, 0);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < counts[a][b]; i++) {
                const uint64_t person = sbl_rule_row_person(number++);
                take(&kit, (double[]){a, b, a * (i % 3)}, &person, 1);
            }
    expect(&kit, expected, false);
}

static const char plain_schema[] = JSON({"fields":[
    {"name":"sex","type":"string","constraints":{"enum":["m","f"],"required":true}},
    {"name":"ward","type":"string","constraints":{"enum":["none","birth"],"required":true}},
    {"name":"n","type":"integer","constraints":{"minimum":0,"maximum":9,"required":true}}]});

/* 30 rows of one in two: 30 ln 2 = 20.8 nats. 29 are too few, and two exceptions of 62 too many. n is 0 in two
 * rows of three: 61 ln 1.5 = 24.7 nats. */
TEST(a_category_follows_from_thirty_rows_and_few_exceptions)
{
    static const char zeros[] = "if sex = 'm' then n = 0: holds in every row\n";
    expect_pairs(plain_schema, (const int[2][2]){{30, 0}, {0, 30}},
                 "sex determines ward: holds in every row\n");
    expect_pairs(plain_schema, (const int[2][2]){{29, 0}, {0, 29}}, "");
    expect_pairs(plain_schema, (const int[2][2]){{60, 1}, {2, 60}}, zeros);
    expect_pairs(plain_schema, (const int[2][2]){{300, 0}, {200, 2}},
                 "if sex = 'm' then n = 0: holds in every row\n");
    expect_pairs(plain_schema, (const int[2][2]){{400, 1}, {200, 200}},
                 "if sex = 'm' then n = 0: holds in every row\n"
                 "if sex = 'm' then ward = 'none': holds in 99.75 % of rows, and 1 of 401 break it\n");
}

static const char odd_schema[] = JSON({"fields":[
    {"name":"if","type":"string","constraints":{"enum":["a'b","c d"],"required":true}},
    {"name":"home ward","type":"string","constraints":{"enum":["x","y"],"required":true}},
    {"name":"n","type":"integer","constraints":{"minimum":1,"maximum":9,"required":true}}]});

/* A name that is a word of the language is quoted; a category that cannot be written is not spoken of. */
TEST(names_are_quoted_and_what_cannot_be_written_is_left_out)
{
    expect_pairs(odd_schema, (const int[2][2]){{40, 0}, {0, 40}},
                 "if \"if\" = 'c d' then \"home ward\" = 'y': holds in every row\n");
}

/* 10 persons with 30 rows each could make up any rule. */
TEST(few_persons_prove_no_rule)
{
    rows_kit kit;
    begin(&kit, plain_schema, 0);
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t person = i % 10;
        take(&kit, (double[]){person % 2 ? 1 : 0, person % 2 ? 1 : 0, 5}, &person, 1);
    }
    expect(&kit, "", false);
}

/* Codes A00 to A29 and O00 to O29, of which most are rare; O is of women, and Z of women by chance. */
static const char *codes_schema(sbl_text *text)
{
    sbl_text_printf(text, "{\"fields\":[{\"name\":\"code\",\"type\":\"string\",\"constraints\":{\"enum\":[");
    for (int i = 0; i < 60; i++)
        sbl_text_printf(text, "%s\"%c%02d\"", i > 0 ? "," : "", i < 30 ? 'A' : 'O', i % 30);
    sbl_text_printf(
        text,
        "],\"required\":true}},{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"],"
        "\"required\":true}}]}");
    return text->data;
}

TEST(rare_codes_follow_by_what_they_begin_with)
{
    sbl_text schema = {0}, expected = {0};
    rows_kit kit;
    begin(&kit, codes_schema(&schema), 1); /* the sex is the parent's */
    for (uint64_t i = 0; i < 600; i++) {
        const uint64_t person = sbl_rule_row_person(i);
        const double code = (double)(i % 60);
        take(&kit, (double[]){code, code >= 30 ? 0 : (double)(i / 60 % 2)}, &person, 1);
    }
    sbl_text_printf(
        &expected,
        "if code is one of 30 categories that begin with 'O' then above.sex = 'f': holds in every row\n"
        "  if code in (");
    for (int i = 0; i < 30; i++) sbl_text_printf(&expected, "%s'O%02d'", i > 0 ? ", " : "", i);
    sbl_text_printf(&expected, ") then above.sex = 'f'\n");
    expect(&kit, expected.data, true);
    sbl_text_clear(&schema);
    sbl_text_clear(&expected);
}

/* ---- tolerances (rule_relations.c) ---- */

static const char age_schema[] = JSON({"fields":[
    {"name":"came","type":"datetime","constraints":{"minimum":"2019-01-01T00:00:00","maximum":"2023-12-31T00:00:00","required":true}},
    {"name":"age","type":"integer","constraints":{"minimum":0,"maximum":99,"required":true}},
    {"name":"born","type":"date","constraints":{"minimum":"1920-01-01","maximum":"2019-12-31","required":true}}]});

#define YEAR 365.25 /* days */

static void age_row(double *row, int i, int off)
{
    const double came = (49 + i % 5) * YEAR + i * 37 % 360;
    const double born = came - (10 + i * 7 % 80) * YEAR - i * 13 % 365;
    row[0] = came * 86400;
    row[1] = floor((came - born) / YEAR) + off;
    row[2] = floor(born);
}

/* An age is the difference of the years or one less; the birth is the parent's. */
TEST(an_age_agrees_with_two_dates_within_a_year)
{
    rows_kit kit;
    double rows[400][3];
    uint64_t persons[400];
    begin(&kit, age_schema, 1);
    for (int i = 0; i < 400; i++) {
        age_row(rows[i], i, i % 200 == 0 ? 20 : 0);
        persons[i] = sbl_rule_row_person((uint64_t)i);
    }
    take(&kit, rows[0], persons, 400);
    expect(&kit,
           "age >= year(came) - year(above.born) - 1 and age <= year(came) - year(above.born): holds in "
           "99.50 % of rows, "
           "and 2 of 400 break it\n"
           "  age >= year(came) - year(above.born) - 1\n"
           "  age <= year(came) - year(above.born)\n",
           true);
}

static const char moments_schema[] = JSON({"fields":[
    {"name":"taken","type":"date","constraints":{"minimum":"2020-01-01","maximum":"2023-12-31","required":true}},
    {"name":"came","type":"datetime","constraints":{"minimum":"2020-01-01T00:00:00","maximum":"2023-12-31T00:00:00","required":true}},
    {"name":"left","type":"datetime","constraints":{"minimum":"2020-01-01T00:00:00","maximum":"2023-12-31T00:00:00","required":true}}]});

/* The order of two columns of the parent is not said again. A date is compared with the day of a datetime. */
TEST(dates_of_a_parent_enclose_those_of_a_child)
{
    rows_kit kit;
    double rows[500][3];
    uint64_t persons[500];
    begin(&kit, moments_schema, 2);
    for (int i = 0; i < 500; i++) {
        const double came = 18300 + i * 97 % 1000 + 0.5;
        const double left = came + 2 + i % 9;
        rows[i][0] = floor(came) + i % 3;
        rows[i][1] = came * 86400;
        rows[i][2] = left * 86400;
        persons[i] = sbl_rule_row_person((uint64_t)i);
    }
    take(&kit, rows[0], persons, 500);
    expect(&kit,
           "taken <= date(above.left): holds in every row\n"
           "taken >= date(above.came): holds in every row\n",
           false);
}

/* ---- bounds by a category (rule_bounds.c) ---- */

static const char ward_schema[] = JSON({"fields":[
    {"name":"ward","type":"string","constraints":{"enum":["children","surgery","medicine"],"required":true}},
    {"name":"age","type":"integer","constraints":{"minimum":0,"maximum":99,"required":true}}]});

/* Nearly all of the children are below 16. Surgery ends nowhere before the table does. */
TEST(a_ward_has_a_bound_where_its_ages_end)
{
    rows_kit kit;
    begin(&kit, ward_schema, 0);
    for (uint64_t i = 0; i < 1200; i++) {
        const uint64_t person = sbl_rule_row_person(i);
        const double ward = (double)(i % 3);
        const double age = i == 600 ? 40 : ward == 0 ? (double)(i / 3 % 16) : (double)(i / 3 * 7 % 100);
        take(&kit, (double[]){ward, age}, &person, 1);
    }
    expect(&kit, "if ward = 'children' then age <= 15: holds in 99.75 % of rows, and 1 of 400 break it\n",
           false);
}

ALL_TESTS(NULL, NULL)
