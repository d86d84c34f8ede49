/* SPDX-License-Identifier: Apache-2.0 */
/* The language of constraints: what holds, what is refused, what is computed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/rules/rules.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_schema_free);
FREES(sbl_rules_free);

enum { A, B, C, IN, OUT, LOS, AT, WARD, SEX, HOME, STAGE, SMOKER, ID, KIND, COLUMNS };

static const char fields[] = JSON({"name":"a","type":"integer","constraints":{"minimum":0,"maximum":100,
    "required":true}},{"name":"b","type":"integer","constraints":{"minimum":0,"maximum":100,"required":true}},
    {"name":"c","type":"number","constraints":{"minimum":-1000,"maximum":1000},"semblance":{"decimals":1}},
    {"name":"adm","type":"date","constraints":{"minimum":"2024-01-01","maximum":"2025-12-31",
    "required":true}},
    {"name":"out","type":"date","constraints":{"minimum":"2024-01-01","maximum":"2025-12-31"}},{"name":"los",
    "type":"integer","constraints":{"minimum":0,"maximum":60},"semblance":{"transform":"log","spikes":[0]}},
    {"name":"at","type":"datetime","constraints":{"minimum":"2024-01-01T00:00:00",
    "maximum":"2025-12-31T00:00:00","required":true}},
    {"name":"ward","type":"string","constraints":{"enum":["maternity","surgery","old age"],"required":true}},
    {"name":"sex","type":"string","constraints":{"enum":["female","male"]}},
    {"name":"home ward","type":"string","constraints":{"enum":["surgery","none"],"required":true}},
    {"name":"stage","type":"integer","constraints":{"enum":[1,2,3,4],"required":true}},
    {"name":"smoker","type":"boolean","constraints":{"required":true}},
    {"name":"id","semblance":{"role":"id"}},
    {"name":"kind","type":"string","constraints":{"enum":["x","y"],"required":true}});

static sbl_schema *schema_with(const char *const *rules, size_t count)
{
    sbl_text text = {0};
    sbl_schema *schema;
    sbl_error err = {0};
    sbl_text_printf(&text, "{\"fields\":[%s],\"semblance\":{\"label\":\"kind\",\"constraints\":[", fields);
    for (size_t i = 0; i < count; i++) {
        sbl_text_printf(&text, "%s\"", i > 0 ? "," : "");
        for (const char *p = rules[i]; *p != '\0'; p++) sbl_text_printf(&text, *p == '"' ? "\\\"" : "%c", *p);
        sbl_text_printf(&text, "\"");
    }
    sbl_text_printf(&text, "]}}");
    assert_ok_or_say(sbl_schema_parse(&schema, text.data, text.length, "s.json", &err));
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

/* a 10, b 20, c 1.5, in 2024-03-01, out 2024-03-05, los 4, at 2024-03-01T12:00, surgery, male,
 * home surgery, stage 3, a smoker, kind y */
static void sample_row(double *row)
{
    const double in = 19783;
    const double values[COLUMNS] = {10, 20, 1.5, in, in + 4, 4, in * 86400 + 43200, 1, 1, 0, 2, 1, NAN, 1};
    memcpy(row, values, sizeof values);
}

static void check(const char *rule, bool expected)
{
    double row[COLUMNS];
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(&rule, 1);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    sample_row(row);
    if (sbl_rules_holds(rules, 0, row) != expected)
        fail_msg("'%s' should %shold", rule, expected ? "" : "not ");
    assert_string_equal(sbl_rules_text(rules, 0), rule);
}

TEST(conditions_mean_what_they_say)
{
    static const struct {
        const char *rule;
        bool holds;
    } cases[] = {
        {"a <= b", true},
        {"a < b", true},
        {"a >= b", false},
        {"a > b", false},
        {"a = b", false},
        {"a != b", true},
        {"a + b * 2 <= 50", true},
        {"(a + b) * 2 <= 50", false},
        {"a - -b = 30", true},
        {"a / 4 < 2.5", false},
        {"a / 4 <= 2.5", true},
        {"round(a / 4) = 2", true},
        {"round(a / 8, 2) = 1.25", true},
        {"a / 0 < 1", true},
        {"los = out - adm", true},
        {"los < out - adm", false},
        {"out - adm <= 3", false},
        {"out = adm + 4", true},
        {"out >= '2024-03-05'", true},
        {"'2024-03-06' <= out", false},
        {"year(adm) = 2024", true},
        {"year(at) + 1 = 2025", true},
        {"date(at) = adm", true},
        {"at < '2024-03-01T11:00:00'", false},
        {"at - at < 0.5", true},
        {"at + 1 > at", true},
        {"adm > date('2024-02-29')", true},
        {"ward = surgery", true},
        {"ward != surgery", false},
        {"ward = 'old age'", false},
        {"ward in (maternity, 'old age')", false},
        {"ward in (surgery)", true},
        {"a in (9, 10)", true},
        {"a in (9, b)", false},
        {"stage in (1, 2)", false},
        {"adm in ('2024-03-01', '2024-03-02')", true},
        {"adm in (2024-03-02)", false},
        {"out >= 2024-03-05", true},
        {"2024-03-06 <= out", false},
        {"at > 2024-03-01T10:00:00", true},
        {"at < 2024-03-01T11:00", false},
        {"ward = \"home ward\"", true},
        {"`home ward` = none", false},
        {"stage >= 3", true},
        {"stage = 2", false},
        {"smoker = true", true},
        {"smoker = false", false},
        {"if ward = maternity then sex = female", true},
        {"if ward = surgery then sex = female", false},
        {"if ward = surgery and a < 5 then sex = female", true},
        {"if ward = surgery or a < 5 then sex = female", false},
        {"forbid ward = surgery and sex = male", false},
        {"forbid ward = maternity", true},
        {"not (a > 5 and not b > 5)", true},
        {"not not a > 5", true},
        {"sex is missing", false},
        {"sex is not missing", true},
        {"c is missing or c > 1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check(cases[i].rule, cases[i].holds);
}

/* What hangs on a missing value holds; what does not, does not. */
TEST(missing_values_hold)
{
    static const char *const texts[] = {
        "c > 5",           "sex = female and a < 5", "sex = female or a < 5", "if sex = male then a > 50",
        "los = out - adm", "sex is not missing"};
    static const bool holds[] = {true, false, true, true, true, false};
    double row[COLUMNS];
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(texts, 5);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    sample_row(row);
    row[C] = row[SEX] = row[OUT] = NAN;
    for (size_t i = 0; i < 5; i++) assert_int_equal(sbl_rules_holds(rules, i, row), holds[i]);
}

static void refuse(const char *const *texts, size_t count, const char *because)
{
    sbl_rules *rules;
    sbl_error err = {0};
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(texts, count);
    if (sbl_rules_new(&rules, schema, &err) != SBL_EINPUT) fail_msg("'%s' was taken", texts[0]);
    assert_null(rules);
    if (strstr(err.message, because) == NULL) fail_msg("'%s' is not '%s'", err.message, because);
    assert_null(strpbrk(err.message, "\r\n"));
}

/* Times of day are compared with times, in quotes or as they are, from either side and in lists. */
TEST(times_of_day_are_literals)
{
    static const char format[] =
        "{\"fields\": [{\"name\": \"opens\", \"type\": \"time\", \"format\": \"%%H:%%M\", \"constraints\": "
        "{\"minimum\": "
        "\"06:00\", \"maximum\": \"22:00\", \"required\": true}}, {\"name\": \"closes\", \"type\": \"time\", "
        "\"constraints\": {\"minimum\": \"06:00\", \"maximum\": \"22:00\", \"required\": true}}], "
        "\"semblance\": "
        "{\"constraints\": [\"%s\"]}}";
    static const struct {
        const char *rule;
        double holds, fails; /* hours of opens, closes being at 20 */
    } cases[] = {{"opens >= '12:30'", 12.5, 12.4},
                 {"opens < 12:30", 12.4, 12.5},
                 {"'12:30:36' >= opens", 12.51, 12.52},
                 {"opens in ('07:00', 08:30:00)", 8.5, 8},
                 {"opens < closes", 19, 21},
                 {"if closes > '19:00' then opens != '09:00'", 8, 9}};
    char text[700];
    sbl_schema *schema;
    sbl_rules *rules;
    sbl_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(text, sizeof text, format, cases[i].rule);
        assert_ok(sbl_schema_parse(&schema, text, strlen(text), "test", NULL));
        if (sbl_rules_new(&rules, schema, &err) != SBL_OK) fail_msg("%s: %s", cases[i].rule, err.message);
        assert_true(sbl_rules_holds(rules, 0, (double[]){3600 * cases[i].holds, 72000}));
        assert_false(sbl_rules_holds(rules, 0, (double[]){3600 * cases[i].fails, 72000}));
        sbl_rules_free(rules);
        sbl_schema_free(schema);
    }
    (void)snprintf(text, sizeof text, format, "opens > '25:00'");
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "test", NULL));
    assert_int_equal(sbl_rules_new(&rules, schema, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "has '25:00', which is not a time like '23:59'"));
    sbl_schema_free(schema);
}

TEST(bad_constraints_are_refused)
{
    static const char *const cases[][2] = {
        {"a <= nowhere", "which is not a column"},
        {"\"nowhere\" = 1", "which is not a column"},
        {"ward = maternty", "neither a column nor a category of 'ward'"},
        {"id = 5", "has a role"},
        {"a = adm", "compares a number with a date"},
        {"adm <= at", "compares a date with a datetime"},
        {"adm + adm = adm", "added or subtracted"},
        {"a + ward > 3", "added or subtracted"},
        {"a + nowhere > 3", "which is not a column"},
        {"ward < surgery", "order"},
        {"ward = 3", "cannot be compared"},
        {"a", "a condition"},
        {"a + 1", "a condition"},
        {"if a < 1", "'then'"},
        {"a <", "ends where a value"},
        {"a < 1 b", "its end"},
        {"(a < 1", ")"},
        {"a ? 1", "a condition"},
        {"", "ends where a value"},
        {"a < 'x", "a value"},
        {"a + 1 in (1, 2)", "for columns"},
        {"a in (1, surgery)", "cannot be compared"},
        {"a in (1 2)", ")"},
        {"adm > 2024-13-01", "a date like"},
        {"a > 2024-03-01", "which is not a column, where it cannot be compared"},
        {"ward in (surgery", ")"},
        {"ward in ()", "neither"},
        {"a is 5", "'missing'"},
        {"a + 1 is missing", "before 'is missing'"},
        {"year(a) = 3", "where a date is read"},
        {"round(adm) = 3", "in round()"},
        {"round(a, 1.5) = 3", "digits"},
        {"adm > '2024-13-01'", "a date like"},
        {"a and b", "a condition"},
        {"not a", "a condition"},
        {"-ward = 1", "after a minus"},
        {"a * adm < 5", "in a product"},
        {"12x < a", "a value"},
        {"kind = sex or kind", "condition"},
        {"a = b + a", "derives 'a' from itself"},
        {"a > 200", "no row was found"},
        {"out > '2030-01-01' and out is not missing", "no row was found"},
        {"b = c", "would leave 'b' empty where 'c' is missing"},
        {"a = b + 500", "contradicts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) refuse(cases[i], 1, cases[i][1]);
    static const char *const cycle[] = {"c = a + los", "los = c - a"};
    refuse(cycle, 2, "from itself");
    static const char *const twice[] = {"c = a + b", "c = a - b"};
    refuse(twice, 2, "as another constraint does");
    static const char *const contradiction[] = {"a < b", "b < a"};
    refuse(contradiction, 2, "no row was found");
    static const char *const forbidden[] = {"ward = maternity", "forbid ward = maternity"};
    refuse(forbidden, 2, "no row was found");
    static const char *const ring[] = {"a < b", "b < stage", "stage < a"};
    refuse(ring, 3, "no row was found");
}

/* Neither depth nor length can hurt: a line of limits. */
TEST(limits_are_limits)
{
    char deep[600] = {0};
    for (size_t i = 0; i < 100; i++) strcat(deep, "(");
    strcat(deep, "a");
    const char *text = deep;
    refuse(&text, 1, "nested too deeply");
    deep[0] = '\0';
    for (size_t i = 0; i < 60; i++) strcat(deep, "round(");
    strcat(deep, "a");
    refuse(&text, 1, "nested too deeply");
    char wide[1001] = "a";
    for (size_t i = 0; i < 249; i++) strcat(wide, "+1");
    strcat(wide, " > 0");
    text = wide;
    refuse(&text, 1, "too long");
    char minus[900] = {0};
    memset(minus, '-', 800);
    strcat(minus, "a >= 0");
    check(minus, true);
}

TEST(what_is_computed)
{
    static const char *const texts[] = {"adm <= out", "los = out - adm", "a + b + c = 100"};
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(texts, 3);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    FREED(sbl_schema_free) sbl_schema *fitted;
    assert_int_equal(sbl_rules_differences(rules), 1);
    const sbl_difference d = sbl_rules_difference(rules, 0);
    assert_int_equal(d.column, OUT);
    assert_int_equal(d.base, IN);
    assert_int_equal(d.sign, 1);
    assert_true(sbl_rules_derives(rules, LOS) && sbl_rules_derives(rules, C));
    assert_false(sbl_rules_derives(rules, A) || sbl_rules_derives(rules, OUT));
    assert_ok(sbl_rules_fitted(&fitted, rules, schema, NULL));
    const sbl_column *out = &fitted->columns[OUT];
    assert_int_equal(fitted->columns[LOS].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(out->kind, SBL_COLUMN_NUMBER);
    assert_true(out->minimum == 0 && out->maximum == 60 && out->log_transform);
    assert_true(out->spike_count == 1 && out->missing_allowed);
    assert_int_equal(fitted->constraints.count, 0);
    double base[COLUMNS];
    double full[COLUMNS];
    sample_row(base);
    base[OUT] = 7;
    sbl_rules_expand(rules, full, base);
    assert_true(full[OUT] == base[IN] + 7 && full[LOS] == 7 && full[C] == 70);
    assert_true(sbl_rules_all_hold(rules, base, full));
    base[OUT] = NAN;
    sbl_rules_expand(rules, full, base);
    assert_true(isnan(full[OUT]) && isnan(full[LOS]));
}

/* Chains, two lower bounds of one column, and a limit that says how far. */
TEST(differences_of_differences)
{
    static const char *const texts[] = {"a < b", "b - a <= 7.5", "los <= b"};
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(texts, 3);
    FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
    FREED(sbl_schema_free) sbl_schema *fitted;
    assert_int_equal(sbl_rules_differences(rules), 2);
    assert_ok(sbl_rules_fitted(&fitted, rules, schema, NULL));
    assert_true(fitted->columns[B].minimum == 1 && fitted->columns[B].maximum == 7);
    assert_true(fitted->columns[LOS].minimum == 0 && fitted->columns[LOS].maximum == 100);
    /* los hangs on b, which hangs on a: taken apart in the other order */
    assert_int_equal(sbl_rules_difference(rules, 0).column, LOS);
    assert_int_equal(sbl_rules_difference(rules, 0).sign, -1);
    assert_int_equal(sbl_rules_difference(rules, 1).column, B);
}

TEST(no_constraints_are_no_rules)
{
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(NULL, 0);
    FREED(sbl_rules_free) sbl_rules *rules;
    sbl_text text = {0};
    assert_ok(sbl_rules_new(&rules, schema, NULL));
    assert_null(rules);
    assert_int_equal(sbl_rules_count(rules) + sbl_rules_differences(rules), 0);
    sbl_rules_describe(&text, rules);
    assert_int_equal(text.length, 0);
}

TEST(the_label_stays)
{
    static const char text[] = JSON({"fields":[{"name":"x","type":"integer","constraints":{"minimum":0,
        "maximum":9,"required":true}},
        {"name":"y","type":"integer","constraints":{"minimum":0,"maximum":9,"required":true}}],
        "semblance":{"label":"y","constraints":["%s"]}});
    char whole[1000];
    sbl_schema *schema;
    sbl_rules *rules;
    sbl_error err = {0};
    (void)snprintf(whole, sizeof whole, text, "x <= y");
    assert_ok(sbl_schema_parse(&schema, whole, strlen(whole), "s", &err));
    rules = rules_of(schema);
    assert_int_equal(sbl_rules_difference(rules, 0).column, 0); /* x = y - difference */
    assert_int_equal(sbl_rules_difference(rules, 0).sign, -1);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    (void)snprintf(whole, sizeof whole, text, "y = 3 + x"); /* x = y - 3 */
    assert_ok(sbl_schema_parse(&schema, whole, strlen(whole), "s", &err));
    rules = rules_of(schema);
    assert_true(sbl_rules_derives(rules, 0) && !sbl_rules_derives(rules, 1));
    sbl_rules_free(rules);
    sbl_schema_free(schema);
    (void)snprintf(whole, sizeof whole, text, "y = x * 2");
    assert_ok(sbl_schema_parse(&schema, whole, strlen(whole), "s", &err));
    assert_int_equal(sbl_rules_new(&rules, schema, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "label"));
    sbl_schema_free(schema);
}

/* born is the person's, adm orders the rows, out and los are the event's. */
static sbl_schema *events_with(const char *rule)
{
    static const char text[] = JSON({"fields":[{"name":"who"},{"name":"born","type":"date",
        "constraints":{"minimum":"1950-01-01",
        "maximum":"2020-12-31","required":true},"semblance":{"per":"unit"}},{"name":"adm","type":"date",
        "constraints":{"minimum":"2020-01-01","maximum":"2020-12-31","required":true}},{"name":"out",
        "type":"date","constraints":{"minimum":"2020-01-01","maximum":"2021-12-31","required":true}},
        {"name":"los","type":"integer","constraints":{"minimum":0,"maximum":99,"required":true}},
        {"name":"first","type":"date","constraints":{"minimum":"2020-01-01","maximum":"2020-12-31",
        "required":true},"semblance":{"per":"unit"}}],"semblance":{"unit":"who","order":"%s",
        "constraints":["%s"]}});
    char whole[2000];
    sbl_schema *schema;
    sbl_error err = {0};
    const bool backwards = rule[0] == '!';
    (void)snprintf(whole, sizeof whole, text, backwards ? "out" : "adm", rule + backwards);
    assert_ok_or_say(sbl_schema_parse(&schema, whole, strlen(whole), "s", &err));
    return schema;
}

TEST(the_order_of_rows_and_what_is_the_persons_stay)
{
    enum { WHO, BORN, ADMITTED, LEFT, STAY, FIRST };
    static const struct {
        const char *rule;
        size_t column, base; /* of the difference; none: the rule is left to repair */
    } cases[] = {{"adm <= out", LEFT, ADMITTED},
                 {"!adm <= out", ADMITTED, LEFT},
                 {"born <= first", FIRST, BORN},
                 {"first <= out", LEFT, FIRST},
                 {"born <= adm", SBL_NO_COLUMN, SBL_NO_COLUMN},
                 {"adm = out - los", SBL_NO_COLUMN, SBL_NO_COLUMN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED(sbl_schema_free) sbl_schema *schema = events_with(cases[i].rule);
        sbl_schema *fitted;
        sbl_error err = {0};
        FREED(sbl_rules_free) sbl_rules *rules = rules_of(schema);
        assert_int_equal(sbl_rules_differences(rules), cases[i].column == SBL_NO_COLUMN ? 0 : 1);
        if (cases[i].column != SBL_NO_COLUMN) {
            assert_int_equal(sbl_rules_difference(rules, 0).column, cases[i].column);
            assert_int_equal(sbl_rules_difference(rules, 0).base, cases[i].base);
        }
        assert_ok(sbl_rules_fitted(&fitted, rules, schema, &err));
        assert_int_equal(fitted->order, schema->order);
        assert_int_equal(sbl_rules_derives(rules, STAY), strchr(cases[i].rule, '-') != NULL);
        assert_true(fitted->columns[BORN].per_unit && !fitted->columns[LEFT].per_unit);
        sbl_schema_free(fitted);
    }
}

TEST(the_order_of_rows_and_what_is_the_persons_are_not_derived_from_rows)
{
    static const char *const cases[][2] = {
        {"first = adm", "defines 'first', which is constant for a person, by 'adm'"},
        {"adm = out - los * 2", "defines 'adm', which orders the rows of a person"},
        {"born = adm - los * 2", "defines 'born', which is constant for a person, by"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED(sbl_schema_free) sbl_schema *schema = events_with(cases[i][0]);
        sbl_rules *rules;
        sbl_error err = {0};
        assert_int_equal(sbl_rules_new(&rules, schema, &err), SBL_EINPUT);
        if (strstr(err.message, cases[i][1]) == NULL) fail_msg("got '%s'", err.message);
    }
}

TEST(out_of_memory_is_said)
{
    static const char *const texts[] = {"adm <= out", "los = out - adm", "ward in (surgery)",
                                        "c = a + stage"};
    FREED(sbl_schema_free) sbl_schema *schema = schema_with(texts, 4);
    for (long n = 0; sbl_test_fail_next(&n);) {
        FREED(sbl_rules_free) sbl_rules *rules;
        sbl_error err = {0};
        sbl_test_no_memory(sbl_rules_new(&rules, schema, &err));
    }
}

/* How b of "a <= b" is fitted, by what both declare beside bounds from 0 to 100. */
static void fit_ordered(const char *of_a, const char *of_b, size_t differences, const char *said)
{
    CLEARED(sbl_text_clear) sbl_text text = {0};
    CLEARED(sbl_text_clear) sbl_text words = {0};
    sbl_schema *schema, *fitted;
    sbl_error err = {0};
    static const char field[] =
        "{\"name\":\"%s\",\"type\":\"integer\",\"constraints\":{\"minimum\":"
        "0,\"maximum\":100,\"required\":true},\"semblance\":{%s}}";
    sbl_text_printf(&text, "{\"fields\":[");
    sbl_text_printf(&text, field, "a", of_a);
    sbl_text_printf(&text, ",");
    sbl_text_printf(&text, field, "b", of_b);
    sbl_text_printf(&text, "],\"semblance\":{\"constraints\":[\"a < b\", \"b - a <= 45\"]}}");
    assert_ok_or_say(sbl_schema_parse(&schema, text.data, text.length, "s.json", &err));
    sbl_rules *rules = rules_of(schema);
    assert_int_equal(sbl_rules_differences(rules), differences);
    sbl_rules_describe(&words, rules);
    if (said != NULL) assert_non_null(strstr(words.data, said));
    assert_ok(sbl_rules_fitted(&fitted, rules, schema, &err));
    for (double unit = 0; unit <= 1; unit += 0.01) { /* whatever is drawn of both is a row */
        const double base[] = {sbl_column_from_unit(&fitted->columns[0], unit / 2),
                               sbl_column_from_unit(&fitted->columns[1], unit)};
        double full[2];
        sbl_rules_expand(rules, full, base);
        for (size_t c = 0; c < 2; c++) assert_true(sbl_column_snap(&schema->columns[c], full[c]) == full[c]);
        if (differences > 0) assert_true(sbl_rules_all_hold(rules, base, full));
    }
    sbl_schema_free(fitted);
    sbl_rules_free(rules);
    sbl_schema_free(schema);
}

TEST(ordered_columns_of_one_step_differ_by_steps_and_others_are_repaired)
{
    fit_ordered("\"step\":10", "\"step\":10", 1, "difference from a, 10 to 40");
    fit_ordered("\"spikes\":[0]", "", 1, "difference from a, 1 to 45");
    fit_ordered("\"step\":10", "", 0, NULL);
    fit_ordered("\"step\":10", "\"step\":20", 0, NULL);
    fit_ordered("\"spikes\":[999]", "", 0, NULL);
    fit_ordered("", "\"spikes\":[-1]", 0, NULL);
}
