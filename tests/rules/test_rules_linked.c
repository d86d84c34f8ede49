/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints of a linked table on columns of the tables above it: which rows have, what holds, and repairs that leave
 * the rows above as they are. */
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "public/rules/rules.h"
#include "public/schema/schema_type.h"

#define DAY(name, low, high)                                                                                 \
    "{\"name\": \"" name "\", \"type\": \"date\", \"constraints\": {\"required\": true, \"minimum\": \"" low \
    "\", \"maximum\": \"" high "\"}}"
#define KEY(name) "{\"name\": \"" name "\", \"type\": \"integer\"}"
#define LINK(field, table)                                                                 \
    "\"foreignKeys\": [{\"fields\": \"" field "\", \"reference\": {\"resource\": \"" table \
    "\", \"fields\": \"id\"}}]"

/* %s: the constraints of the stays and of the labs. */
static const char package[] =
    "{\"resources\": ["
    "{\"name\": \"patients\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", "
    "{\"name\": \"sex\", \"type\": \"string\", \"constraints\": {\"enum\": [\"f\", \"m\"]}}]}},"
    "{\"name\": \"stays\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", " KEY("patient") ", "
    DAY("arrived", "2020-01-01", "2021-12-31") ", " DAY("left", "2020-01-01", "2022-01-31") "], "
    LINK("patient", "patients") ", \"semblance\": {\"constraints\": [%s]}}},"
    "{\"name\": \"labs\", \"schema\": {\"fields\": [" KEY("stay") ", " DAY("time", "2020-01-01", "2021-06-30") ", "
    "{\"name\": \"test\", \"type\": \"string\", \"constraints\": {\"required\": true, \"enum\": [\"crp\", "
    "\"hcg\"]}}], " LINK("stay", "stays") ", \"semblance\": {\"constraints\": [%s]}}}]}";

enum { LABS = 2, STAY = 0, TIME, TEST_OF, S_ID, PATIENT, ARRIVED, LEFT, P_ID, SEX, COLUMNS };
#define FIRST 18262.0 /* 2020-01-01 */
#define LAST 18808.0  /* 2021-06-30 */

static sbl_status read(sbl_schema **schema, sbl_rules **rules, const char *stays, const char *labs,
                       sbl_error *err)
{
    char text[4096];
    (void)snprintf(text, sizeof text, package, stays, labs);
    *rules = NULL;
    assert_ok(sbl_schema_parse(schema, text, strlen(text), "test", NULL));
    return sbl_rules_new_linked(rules, (*schema)->tables[LABS].schema, *schema, LABS, err);
}

TEST(a_row_has_the_columns_of_the_tables_above_it)
{
    sbl_schema *schema;
    sbl_rules *rules;
    assert_ok(read(&schema, &rules, "", "\"time >= stays.arrived\", \"if patients.sex = m then test != hcg\"",
                   NULL));
    assert_true(sbl_rules_look_above(rules));
    assert_int_equal(sbl_rules_columns(rules), COLUMNS);
    /* Nothing of it is fitted as a difference: the rows above are not at hand where a table is read. */
    assert_int_equal(sbl_rules_differences(rules), 0);
    double row[COLUMNS] = {[TIME] = FIRST + 5, [TEST_OF] = 1, [ARRIVED] = FIRST + 5, [SEX] = 0};
    assert_true(sbl_rules_holds(rules, 0, row) && sbl_rules_holds(rules, 1, row));
    row[ARRIVED]++;
    row[SEX] = 1;
    assert_false(sbl_rules_holds(rules, 0, row) || sbl_rules_holds(rules, 1, row));
    row[ARRIVED] = row[SEX] = NAN; /* an orphan's */
    assert_true(sbl_rules_holds(rules, 0, row) && sbl_rules_holds(rules, 1, row));
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    assert_ok(read(&schema, &rules, "", "\"time >= '2020-02-01'\"", NULL));
    assert_false(sbl_rules_look_above(rules));
    assert_int_equal(sbl_rules_columns(rules), 3);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
}

TEST(what_cannot_hold_is_refused_in_one_line)
{
    static const char *const cases[][3] = {
        {"", "\"time >= stays.arrived\", \"time < stays.arrived\"", "contradicts"},
        {"\"arrived <= left\"", "\"time > stays.left\", \"time < stays.arrived\"",
         "those of the tables above it"},
        {"\"arrived > '2021-07-01'\"", "\"time >= stays.arrived\"", "those of the tables above it"},
        {"", "\"stays.arrived <= stays.left\"", "names no column of its own table"},
        {"", "\"time >= stays.came\"", "'stays.came', which is not a column"},
        {"", "\"time >= arrived\"",
         "names 'arrived', which is not a column of its own table: write stays.arrived"},
        {"", "\"time >= stays.arrived\", \"if sex = m then test != hcg\"", "write patients.sex"},
        {"", "\"test = sex\"", "write patients.sex"},
        {"", "\"time >= stays.patient\"", "has a role"},
        {"", "\"stays.arrived = time + 1\"", "of another table"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_schema *schema;
        sbl_rules *rules;
        sbl_error err = {0};
        assert_int_equal(read(&schema, &rules, cases[i][0], cases[i][1], &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, cases[i][2]));
        assert_null(rules);
        sbl_schema_free(schema);
    }
}

enum { ROWS = 300 };

/* Every stay has one lab result, which comes before it; every third stay is after the last day of lab results. */
TEST(rows_are_repaired_beside_the_rows_above_them)
{
    static double base[ROWS * COLUMNS], full[ROWS * COLUMNS];
    static bool left_out[ROWS];
    uint64_t persons[ROWS];
    const sbl_repair how = {.seed = 1, .column = SBL_NO_COLUMN, .all_stay = true};
    sbl_schema *schema;
    sbl_rules *rules;
    size_t at_ends = 0;
    assert_ok(read(
        &schema, &rules, "\"arrived <= left\"",
        "\"time >= stays.arrived\", \"stays.left >= time\", \"if patients.sex = m then test != hcg\"", NULL));
    for (size_t r = 0; r < ROWS; r++) {
        const double arrived = r % 3 == 2 ? LAST + 1 + (double)r : FIRST + 1 + (double)r;
        const double row[COLUMNS] = {NAN, FIRST, 1, NAN, NAN, arrived, arrived + 30, NAN, r % 2 == 0};
        memcpy(base + r * COLUMNS, row, sizeof row);
        persons[r] = r;
    }
    assert_ok(sbl_rules_repair_persons(rules, base, full, ROWS, persons, &how, left_out, NULL));
    for (size_t r = 0; r < ROWS; r++) {
        const double *row = full + r * COLUMNS, since = row[TIME] - row[ARRIVED];
        assert_true(row[ARRIVED] == (r % 3 == 2 ? LAST : FIRST) + 1 + (double)r);
        assert_true(row[SEX] == (double)(r % 2 == 0));
        assert_int_equal(left_out[r], r % 3 == 2); /* no lab result can follow */
        if (left_out[r]) continue;
        for (size_t i = 0; i < sbl_rules_count(rules); i++) assert_true(sbl_rules_holds(rules, i, row));
        at_ends += since == 0 || since == 30;
    }
    /* Of 200 rows anywhere in 31 days, 13 lie at an end. */
    assert_true(at_ends < 60);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
}

/* Bounds by category in both tables: the number above is bounded by the category beside it, not by one of the labs. */
static const char by_kind[] =
    "{\"resources\": ["
    "{\"name\": \"stays\", \"schema\": {\"primaryKey\": \"id\", \"fields\": [" KEY("id") ", "
    "{\"name\": \"kind\", \"type\": \"string\", \"constraints\": {\"required\": true, \"enum\": [\"a\", \"b\"]}}, "
    "{\"name\": \"cost\", \"type\": \"integer\", \"constraints\": {\"required\": true, \"minimum\": 0, "
    "\"maximum\": 900}, \"semblance\": {\"by\": \"kind\", \"bounds\": {\"a\": {\"minimum\": 0, \"maximum\": 9}}}}], "
    "\"semblance\": {\"constraints\": [%s]}}},"
    "{\"name\": \"labs\", \"schema\": {\"fields\": [" KEY("stay") ", "
    "{\"name\": \"test\", \"type\": \"string\", \"constraints\": {\"required\": true, \"enum\": [\"K\", \"Na\"]}}, "
    "{\"name\": \"value\", \"type\": \"integer\", \"constraints\": {\"required\": true, \"minimum\": 0, "
    "\"maximum\": 500}, \"semblance\": {\"by\": \"test\", \"bounds\": {\"K\": {\"minimum\": 2, \"maximum\": 8}}}}], "
    LINK("stay", "stays") ", \"semblance\": {\"constraints\": [%s]}}}]}";

static sbl_status read_by(sbl_schema **schema, sbl_rules **rules, const char *stays, const char *labs,
                          sbl_error *err)
{
    char text[4096];
    (void)snprintf(text, sizeof text, by_kind, stays, labs);
    *rules = NULL;
    assert_ok(sbl_schema_parse(schema, text, strlen(text), "test", NULL));
    return sbl_rules_new_linked(rules, (*schema)->tables[1].schema, *schema, 1, err);
}

TEST(bounds_by_category_count_in_the_table_they_are_of)
{
    static const char *const cases[][3] = {{"", "\"if test = K then value > stays.cost + 8\"", "by test 'K'"},
                                           {"\"cost >= 300\"", "\"value > stays.cost\"", "by test 'K'"}};
    double row[] = {NAN, 1, 400, NAN, 1, 700}, full[6]; /* 700 is a cost of b */
    sbl_schema *schema;
    sbl_rules *rules;
    assert_ok(read_by(&schema, &rules, "", "\"if stays.cost > 100 then test = Na\"", NULL));
    assert_int_equal(sbl_rules_columns(rules), 6);
    sbl_rules_expand(rules, full, row);
    assert_true(full[5] == 700 && full[2] == 400 && sbl_rules_all_hold(rules, row, full));
    row[4] = 0;
    sbl_rules_expand(rules, full, row);
    assert_true(full[5] == 9);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sbl_error err = {0};
        assert_int_equal(read_by(&schema, &rules, cases[i][0], cases[i][1], &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, cases[i][2]));
        assert_null(rules);
        sbl_schema_free(schema);
    }
}
