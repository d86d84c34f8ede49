/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on persons: rules that look at the row before, columns of the person that stay the same in all of its
 * rows, an order that does not fall, whatever was drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "base/text.h"
#include "public/rules/parser.h"
#include "public/rules/rules.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_schema_free);
FREES(sbl_rules_free);

enum { WHO, SEX, BORN, SEEN, IN, OUT, WARD, STAGE, AMOUNT, BALANCE, PREVIOUS, COLUMNS };
#define ROWS 4000

#define NUMBER(name, low, high, more)                                                \
    "{\"name\":\"" name "\",\"type\":\"integer\",\"constraints\":{\"minimum\":" #low \
    ",\"maximum\":" #high more "}"
#define OWN ",\"semblance\":{\"per\":\"unit\"}}"
#define NEEDED ",\"required\":true"

static const char fields[] =
    "{\"fields\":[{\"name\":\"who\",\"semblance\":{\"role\":\"id\"}},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"]" NEEDED "}" OWN
    "," NUMBER("born", 1900, 2000, NEEDED) OWN "," NUMBER("seen", 1900, 2020, "") OWN ","
    NUMBER("day", 0, 400, NEEDED) "}," NUMBER("out", 0, 420, NEEDED) "},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"eyes\",\"birth\","
    "\"dead\"]}}," NUMBER("stage", 1, 5, "") "}," NUMBER("amount", -50, 50, NEEDED) "},"
    NUMBER("balance", -1000, 1000, NEEDED) "}," NUMBER("previous", 0, 9, "") "}],"
    "\"semblance\":{\"unit\":\"who\",\"order\":\"day\",\"constraints\":[";

static sbl_schema *parse(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err));
    return schema;
}

static sbl_schema *persons_with(const char *const *rules, size_t count)
{
    sbl_text text = {0};
    sbl_text_printf(&text, "%s", fields);
    for (size_t i = 0; i < count; i++) sbl_text_printf(&text, "%s\"%s\"", i > 0 ? "," : "", rules[i]);
    sbl_text_printf(&text, "]}}");
    sbl_schema *schema = parse(text.data);
    sbl_text_clear(&text);
    return schema;
}

static sbl_rules *rules_of(const sbl_schema *schema)
{
    sbl_rules *rules;
    sbl_error err = {0};
    assert_ok_or_say(sbl_rules_new(&rules, schema, &err));
    return rules;
}

/* ---- what a rule says ---- */

TEST(a_row_is_held_against_the_one_before)
{
    static const struct {
        const char *rule;
        bool holds;
    } cases[] = {
        {"day >= previous out", true},
        {"day > previous out", false},
        {"previous out >= day", true},
        {"previous out > day", false},
        {"day - previous day <= 10", true},
        {"day - previous day < 10", false},
        {"if previous ward = eyes then ward = birth", true},
        {"if previous ward = eyes then ward = eyes", false},
        {"forbid previous ward = eyes and ward = birth", false},
        {"ward != previous ward", true},
        {"ward = previous ward", false},
        {"previous ward in (eyes, dead)", true},
        {"previous ward in (birth)", false},
        {"previous stage is missing", true},
        {"previous stage is not missing", false},
        {"stage > previous stage", true}, /* hangs on a missing value */
        {"balance = previous balance + amount", true},
        {"balance = previous balance + previous amount", false},
        {"previous = 3", true},
        {"previous >= previous previous", true},
        {"previous in (1, 3)", true},
        {"previous is not missing", true},
        {"`previous` < previous `previous`", false},
    };
    const double before[COLUMNS] = {NAN, 0, 1950, 1960, 10, 20, 0, NAN, 7, 100, 3};
    const double row[COLUMNS] = {NAN, 0, 1950, 1960, 20, 25, 1, 2, -30, 70, 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED(sbl_schema_free) sbl_schema *schema = persons_with(&cases[i].rule, 1);
        FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
        if (sbl_rules_holds_after(rules, 0, row, before) != cases[i].holds)
            fail_msg("'%s' should %shold", cases[i].rule, cases[i].holds ? "" : "not ");
        /* The first row has none before it. */
        assert_true(sbl_rules_holds_after(rules, 0, row, NULL) == sbl_rules_holds(rules, 0, row));
        if (sbl_rule_looks_back(rules, 0)) assert_true(sbl_rules_holds(rules, 0, row));
        assert_true(sbl_rule_looks_back(rules, 0) == (i < 18 || i == 19 || i == 22));
        /* Nothing is derived from what a first row has not. */
        for (size_t c = 0; c < COLUMNS && i != 18; c++) assert_false(sbl_rules_derives(rules, c));
    }
}

static void refuse(sbl_schema *schema, const char *because)
{
    sbl_rules *rules;
    sbl_error err = {0};
    if (sbl_rules_new(&rules, schema, &err) != SBL_EINPUT) fail_msg("'%s' was taken", because);
    assert_null(rules);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not '%s'", err.message, because);
    assert_null(strpbrk(err.message, "\r\n"));
    sbl_schema_free(schema);
}

TEST(what_cannot_be_kept_is_refused)
{
    static const char *const bad[][2] = {
        {"day >= previous outt", "names 'outt' after 'previous', which is not a column"},
        {"day >= previous ward", "has a category where it cannot be compared"},
        {"day >= previous who", "names column 'who', which has a role and no values"},
        {"day > previous day + 400", "no two consecutive rows of a person were found"},
        {"previous balance > 1000", "no two consecutive rows of a person were found"},
        {"sex != previous sex", "no two consecutive rows of a person were found"},
        {"day < previous day", "no two consecutive rows of a person were found"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) refuse(persons_with(bad[i], 1), bad[i][1]);
    const char *const rule = "day >= previous out";
    refuse(parse("{\"fields\":[" NUMBER("day", 0, 9, NEEDED) "}," NUMBER(
               "out", 0, 9, NEEDED) "}],"
                                    "\"semblance\":{\"constraints\":[\"day >= previous out\"]}}"),
           "no column identifies the person: name it as semblance.unit");
    /* A condition is of one row. */
    FREED(sbl_schema_free) sbl_schema *schema = persons_with(NULL, 0);
    CLEARED(sbl_program_clear) sbl_program program;
    sbl_error err = {0};
    assert_int_equal(sbl_condition_parse(&program, rule, schema, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "which only constraints can use"));
}

/* ---- drawn persons ---- */

typedef struct drawn {
    double *base, *full, *was;
    uint64_t *persons;
    bool *left_out;
} drawn;

static void drawn_free(drawn *d)
{
    free(d->base);
    free(d->full);
    free(d->was);
    free(d->persons);
    free(d->left_out);
}

/* Persons of 1 to 9 rows of anything, with their own columns alike and days in order. */
static drawn draw(const sbl_rules *rules, const sbl_schema *schema)
{
    drawn d = {calloc(ROWS * COLUMNS, sizeof(double)), calloc(ROWS * COLUMNS, sizeof(double)),
               calloc(ROWS * COLUMNS, sizeof(double)), calloc(ROWS, sizeof(uint64_t)),
               calloc(ROWS, sizeof(bool))};
    sbl_schema *fitted;
    sbl_model_rng rng;
    assert_ok(sbl_rules_fitted(&fitted, rules, schema, NULL));
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, 0);
    for (size_t r = 0, left = 0; r < ROWS; r++) {
        const bool first = left == 0;
        if (first) left = 1 + (size_t)sbl_model_rng_below(&rng, 9);
        d.persons[r] = r == 0 ? 5 : d.persons[r - 1] + first;
        left--;
        double *row = d.base + r * COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++) {
            const sbl_column *column = &fitted->columns[c];
            const double unit = sbl_model_rng_uniform(&rng);
            if (column->kind == SBL_COLUMN_IGNORED || (column->missing_allowed && unit < 0.1))
                row[c] = NAN;
            else if (column->kind == SBL_COLUMN_CATEGORY)
                row[c] = (double)sbl_model_rng_below(&rng, column->categories.count);
            else
                row[c] = sbl_column_from_unit(column, unit * unit);
            if (column->per_unit && !first) row[c] = row[c - COLUMNS];
        }
        if (!first && row[IN] < row[IN - COLUMNS])
            row[IN] = sbl_column_snap(
                &fitted->columns[IN],
                row[IN - COLUMNS] + (400 - row[IN - COLUMNS]) * sbl_model_rng_uniform(&rng) / 3);
    }
    memcpy(d.was, d.base, ROWS * COLUMNS * sizeof(double));
    sbl_schema_free(fitted);
    return d;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Everything that must hold; returns how many rows were left out. */
static size_t expect_all(const sbl_rules *rules, const sbl_schema *schema, const drawn *d)
{
    size_t left_out = 0;
    for (size_t r = 0; r < ROWS; r++) {
        const bool first = r == 0 || d->persons[r] != d->persons[r - 1];
        const double *row = d->full + r * COLUMNS, *before = first ? NULL : row - COLUMNS;
        left_out += d->left_out[r];
        assert_false(first && d->left_out[r]);
        if (!first && d->left_out[r - 1]) assert_true(d->left_out[r]);
        if (d->left_out[r]) continue;
        assert_true(sbl_rules_all_hold(rules, d->base + r * COLUMNS, row));
        for (size_t i = 0; i < sbl_rules_count(rules); i++)
            if (!sbl_rules_holds_after(rules, i, row, before))
                fail_msg("row %zu breaks '%s'", r, sbl_rules_text(rules, i));
        for (size_t c = 0; c < COLUMNS; c++) {
            const sbl_column *column = &schema->columns[c];
            if (column->per_unit && !first) assert_true(same(row[c], before[c]));
            if (isnan(row[c]))
                assert_true(column->missing_allowed || column->kind == SBL_COLUMN_IGNORED);
            else if (sbl_column_is_numeric(column))
                assert_true(sbl_column_snap(column, row[c]) == row[c]);
        }
        if (!first) assert_true(row[IN] >= before[IN]);
    }
    return left_out;
}

static size_t mend(const char *const *texts, size_t count, drawn *d)
{
    const sbl_repair how = {.seed = 5, .first = 77, .column = SBL_NO_COLUMN};
    sbl_schema *schema = persons_with(texts, count);
    sbl_rules *rules = rules_of(schema);
    *d = draw(rules, schema);
    assert_ok(sbl_rules_repair_persons(rules, d->base, d->full, ROWS, d->persons, &how, d->left_out, NULL));
    const size_t left_out = expect_all(rules, schema, d);
    /* The same again gives the same. */
    drawn again = draw(rules, schema);
    assert_ok(sbl_rules_repair_persons(rules, again.base, again.full, ROWS, again.persons, &how,
                                       again.left_out, NULL));
    assert_memory_equal(d->full, again.full, ROWS * COLUMNS * sizeof(double));
    assert_memory_equal(d->left_out, again.left_out, ROWS * sizeof(bool));
    drawn_free(&again);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    return left_out;
}

/* How many cells of a column are what was drawn. */
static size_t untouched(const drawn *d, size_t column)
{
    size_t count = 0;
    for (size_t r = 0; r < ROWS; r++)
        count += same(d->base[r * COLUMNS + column], d->was[r * COLUMNS + column]);
    return count;
}

TEST(stays_do_not_overlap_and_days_are_kept)
{
    static const char *const rules[] = {"day <= out", "out - day <= 20", "day >= previous out"};
    drawn d;
    assert_int_equal(mend(rules, 3, &d), 0);
    /* What comes before gives way: shorter stays, the same days, but where one day has too many. */
    assert_true(untouched(&d, IN) > ROWS * 98 / 100);
    assert_true(untouched(&d, OUT) > ROWS / 3 && untouched(&d, OUT) < ROWS);
    assert_int_equal(untouched(&d, STAGE), ROWS);
    drawn_free(&d);
}

TEST(persons_hold_what_is_said_of_their_own_columns)
{
    static const char *const rules[] = {"seen >= born + 3", "if sex = f then born >= 1930",
                                        "if ward = birth then sex = f", "forbid ward = dead and born > 1980"};
    drawn d;
    assert_int_equal(mend(rules, 4, &d), 0);
    assert_int_equal(untouched(&d, IN), ROWS);
    assert_true(untouched(&d, SEX) > ROWS / 2 && untouched(&d, WARD) > ROWS / 2);
    drawn_free(&d);
}

TEST(what_follows_is_computed_and_what_cannot_follow_ends_a_person)
{
    static const char *const sums[] = {"balance = previous balance + amount",
                                       "if previous ward = dead then ward = dead", "stage >= previous stage",
                                       "stage - previous stage <= 2"};
    drawn d;
    assert_int_equal(mend(sums, 4, &d), 0);
    assert_true(untouched(&d, AMOUNT) > ROWS * 9 / 10);
    drawn_free(&d);
    /* From day 399 on nothing can follow. */
    static const char *const far[] = {"day > previous day + 60"};
    const size_t left_out = mend(far, 1, &d);
    assert_true(left_out > 50 && left_out < ROWS / 2);
    drawn_free(&d);
}

TEST(what_holds_is_left_alone)
{
    static const char *const loose[] = {"day >= previous day", "previous balance <= 1000", "born <= 2000"};
    drawn d;
    assert_int_equal(mend(loose, 3, &d), 0);
    for (size_t c = 0; c < COLUMNS; c++) assert_int_equal(untouched(&d, c), ROWS);
    drawn_free(&d);
}

/* ---- a rare code ---- */

static const char codes[] =
    "{\"fields\":[{\"name\":\"who\",\"semblance\":{\"role\":\"id\"}},"
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"]" NEEDED "}" OWN
    "," NUMBER("born", 1940, 2000, NEEDED) OWN "," NUMBER("age", 0, 90, NEEDED) "},"
    "{\"name\":\"ward\",\"type\":\"string\",\"constraints\":{\"enum\":[\"eyes\",\"skin\",\"birth\"]" NEEDED "}},"
    "{\"name\":\"code\",\"type\":\"string\",\"constraints\":{\"enum\":[\"A\",\"B\",\"O\"]" NEEDED "}}],"
    "\"semblance\":{\"unit\":\"who\",\"constraints\":[\"age >= 2020 - born - 1\",\"age <= 2020 - born\","
    "\"if code = O then ward = birth\",\"if ward = birth then age <= 45\",\"if ward = birth then sex = f\"]}}";

/* Every 25th row has a code of birth in its ward, whatever its sex and age are, and no age fits. The code must not
 * vanish: most of the rows that may not have it find one that may. */
TEST(a_rare_code_moves_to_rows_that_may_have_it)
{
    enum { CODE_SEX = 1, CODE_BORN, CODE_AGE, CODE_WARD, CODE_CODE, CODE_COLUMNS };
    FREED(sbl_schema_free) sbl_schema *schema = parse(codes);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    const sbl_repair how = {.seed = 5, .column = SBL_NO_COLUMN, .all_stay = true};
    double *base = test_calloc((size_t)ROWS * CODE_COLUMNS, sizeof *base);
    double *full = test_calloc((size_t)ROWS * CODE_COLUMNS, sizeof *full);
    uint64_t *persons = test_calloc(ROWS, sizeof *persons);
    bool *left_out = test_calloc(ROWS, sizeof *left_out);
    size_t drawn_codes = 0, left = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 0);
    for (size_t row = 0; row < ROWS; row++) {
        double *cells = base + row * CODE_COLUMNS;
        const bool birth = row % 25 == 0;
        cells[0] = NAN;
        persons[row] = row;
        cells[CODE_SEX] = (double)sbl_model_rng_below(&rng, 2);
        cells[CODE_BORN] = (double)(1940 + sbl_model_rng_below(&rng, 61));
        cells[CODE_AGE] = (double)(19 + sbl_model_rng_below(&rng, 62));
        cells[CODE_WARD] = birth ? 2.0 : (double)sbl_model_rng_below(&rng, 2);
        cells[CODE_CODE] = birth ? 2.0 : (double)sbl_model_rng_below(&rng, 2);
        drawn_codes += birth;
    }
    assert_ok(sbl_rules_repair_persons(rules, base, full, ROWS, persons, &how, left_out, NULL));
    for (size_t row = 0; row < ROWS; row++) {
        assert_true(sbl_rules_all_hold(rules, base + row * CODE_COLUMNS, full + row * CODE_COLUMNS));
        left += full[row * CODE_COLUMNS + CODE_CODE] == 2.0;
    }
    assert_true(left <= drawn_codes && 10 * left >= 7 * drawn_codes);
    test_free(base);
    test_free(full);
    test_free(persons);
    test_free(left_out);
}

TEST(out_of_memory_is_told)
{
    static const char *const texts[] = {"day <= out", "day >= previous out"};
    const sbl_repair how = {.column = SBL_NO_COLUMN};
    FREED(sbl_schema_free) sbl_schema *schema = persons_with(texts, 2);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    CLEARED(drawn_free) drawn d = draw(rules, schema);
    sbl_error err = {0};
    for (long n = 0; sbl_test_fail_next(&n);)
        sbl_test_no_memory(
            sbl_rules_repair_persons(rules, d.base, d.full, 50, d.persons, &how, d.left_out, &err));
}
