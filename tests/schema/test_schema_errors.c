/* SPDX-License-Identifier: Apache-2.0 */
/* Every refusal is one line that names the column and says what to do. */
#include <stdio.h>
#include <string.h>

#include "public/schema/encoding_layout.h"
#include "public/schema/schema_type.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static void expect(const char *text, const char *message)
{
    sbl_schema *schema = (sbl_schema *)1;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s.json", &err), SBL_EINPUT);
    assert_null(schema);
    if (strstr(err.message, message) == NULL || strncmp(err.message, "s.json", 6) != 0 ||
        strpbrk(err.message, "\r\n") != NULL)
        fail_msg("got '%s', expected '%s' in it", err.message, message);
}

/* The same for the one column x, whose JSON is given without the name. */
static void expect_field(const char *rest, const char *message)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{\"fields\":[{\"name\":\"x\",%s}]}", rest);
    expect(text, message);
    expect(text, "column 'x'");
}

#define BOUNDED "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9}"
#define CHOICE "\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}"

TEST(shape_of_the_file_is_checked)
{
    expect("", "JSON");
    expect("[]", "JSON object");
    expect("{}", "'fields' is missing");
    expect("{\"fields\":{}}", "'fields' must be a list");
    expect("{\"fields\":[]}", "describe each column");
    expect("{\"fields\":[3]}", "fields[0] is not an object");
    expect("{\"fields\":[{\"type\":\"integer\"}]}", "fields[0] has no name");
    expect("{\"fields\":[{\"name\":\"\"}]}", "fields[0] has no name");
    expect("{\"fields\":[{\"name\":\"a\\nb\"}]}", "control character");
    expect("{\"fields\":[{\"name\":\"x\"," BOUNDED "},{\"name\":\"x\"," BOUNDED "}]}",
           "'x' is described twice");
    expect("{\"fields\":[{\"name\":\"x\",\"semblance\":{\"role\":\"ignore\"}}]}", "every column is ignored");
}

TEST(missing_facts_are_asked_for)
{
    expect_field("\"type\":\"integer\"", "add constraints.minimum and constraints.maximum");
    expect_field("\"type\":\"number\",\"constraints\":{\"minimum\":0}", "add constraints.maximum");
    expect_field("\"type\":\"number\",\"constraints\":{\"maximum\":0}", "add constraints.minimum");
    expect_field("\"type\":\"string\"", "add constraints.enum");
    expect_field("\"type\":\"string\",\"constraints\":{\"minimum\":0,\"maximum\":1}", "add constraints.enum");
    expect_field("\"type\":\"date\"", "add constraints.minimum and constraints.maximum");
    expect_field("\"constraints\":{}", "has no type");
}

TEST(contradictions_are_refused)
{
    expect_field("\"type\":\"integer\",\"constraints\":{\"minimum\":3,\"maximum\":2}",
                 "minimum above its maximum");
    expect_field("\"type\":\"integer\",\"constraints\":{\"minimum\":0.5,\"maximum\":2}", "not whole numbers");
    expect_field("\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":1e17}", "role 'ignore'");
    expect_field("\"type\":\"number\",\"constraints\":{\"minimum\":-1e308,\"maximum\":1e308}",
                 "too far apart");
    expect_field("\"type\":\"number\",\"constraints\":{\"minimum\":\"0\",\"maximum\":1}",
                 "minimum that is not a number");
    expect_field("\"type\":\"date\",\"constraints\":{\"minimum\":0,\"maximum\":1}", "not a date");
    expect_field(
        "\"type\":\"date\",\"constraints\":{\"minimum\":\"2020-01-01\",\"maximum\":"
        "\"2020-02-30\"}",
        "maximum that is not a date");
    expect_field("\"type\":\"datetime\",\"constraints\":{\"minimum\":0,\"maximum\":1}", "not a datetime");
    expect_field("\"type\":\"string\",\"constraints\":{\"enum\":[]}", "empty list of categories");
    expect_field("\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",1]}",
                 "category number 2 that is not of type string");
    expect_field("\"type\":\"integer\",\"constraints\":{\"enum\":[1,2.5]}", "category number 2");
    expect_field("\"type\":\"integer\",\"constraints\":{\"enum\":[\"one\"]}", "category number 1");
    expect_field("\"type\":\"number\",\"constraints\":{\"enum\":[\"inf\"]}", "category number 1");
    expect_field("\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\",\"a\"]}",
                 "lists a category twice");
    expect_field("\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"\"]}",
                 "category number 2 among its missingValues");
    expect_field("\"type\":\"boolean\",\"trueValues\":[\"x\"],\"falseValues\":[\"x\"]", "both");
    expect_field("\"type\":\"boolean\",\"trueValues\":[]", "empty list of trueValues");
    expect_field("\"type\":\"boolean\",\"constraints\":{\"enum\":[true]}", "remove the list");
}

TEST(unknown_options_are_refused_by_name)
{
    expect_field(BOUNDED ",\"semblance\":{\"bins\":5}", "semblance.bins");
    expect_field(BOUNDED ",\"semblance\":{\"a\\nb\":5}", "semblance.a?b");
    expect_field(BOUNDED ",\"semblance\":{\"role\":\"key\"}", "semblance.role");
    expect_field(BOUNDED ",\"semblance\":{\"transform\":\"sqrt\"}", "semblance.transform");
    expect_field(BOUNDED ",\"semblance\":[]", "'semblance'");
    expect_field(CHOICE ",\"semblance\":{\"other\":\"c\"}", "semblance.other");
    expect_field(CHOICE ",\"semblance\":{\"other\":1}", "semblance.other");
    expect_field(BOUNDED ",\"semblance\":{\"other\":\"c\"}", "semblance.other");
    expect_field(CHOICE ",\"semblance\":{\"transform\":\"log\"}", "which is for numbers");
    expect_field(CHOICE ",\"semblance\":{\"decimals\":1}", "semblance.decimals");
    expect_field(BOUNDED ",\"semblance\":{\"decimals\":1}", "semblance.decimals");
    expect_field(
        "\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":1},"
        "\"semblance\":{\"decimals\":23}",
        "from 0 to 22");
    expect_field(
        "\"type\":\"number\",\"constraints\":{\"minimum\":0.1,\"maximum\":0.2},"
        "\"semblance\":{\"decimals\":0}",
        "no value with this number of");
    expect("{\"fields\":[{\"name\":\"x\"," BOUNDED "}],\"semblance\":{\"bins\":1}}", "semblance.bins");
    expect("{\"fields\":[{\"name\":\"x\"," BOUNDED "}],\"semblance\":3}", "'semblance'");
}

TEST(parts_of_the_standard_that_change_meaning_are_refused)
{
    expect_field("\"type\":\"year\"", "type that is not supported");
    expect_field(BOUNDED ",\"groupChar\":\"x\"", "groupChar");
    expect_field(BOUNDED ",\"groupChar\":\".\"", "the same character as decimalChar and groupChar");
    expect_field(BOUNDED ",\"decimalChar\":\";\"", "decimalChar");
    expect_field(CHOICE ",\"bareNumber\":false", "is not a number");
    expect_field(BOUNDED ",\"semblance\":{\"suffix\":\"%\"}", "suffix, which needs \"bareNumber\"");
    expect_field(BOUNDED ",\"bareNumber\":false,\"semblance\":{\"suffix\":\"m2\"}",
                 "suffix that is not a text");
    expect_field(BOUNDED ",\"bareNumber\":false,\"semblance\":{\"prefix\":\"\"}",
                 "prefix that is not a text");
    expect_field(BOUNDED ",\"bareNumber\":false,\"semblance\":{\"prefix\":\"no.\"}",
                 "prefix that is not a text");
    expect("{\"dialect\":{\"lineTerminator\":\"\\r\"},\"fields\":[{\"name\":\"x\"," BOUNDED "}]}",
           "dialect.lineTerminator");
    expect_field(
        "\"type\":\"date\",\"format\":\"%d/%m\",\"constraints\":{\"minimum\":"
        "\"2020-01-01\",\"maximum\":\"2020-02-01\"}",
        "not a pattern of a date like %d.%m.%Y");
    expect_field("\"type\":\"integer\",\"constraints\":{\"min\":0}", "did you mean minimum?");
    expect_field("\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"exclusiveMaximum\":9}",
                 "exclusiveMaximum");
    expect_field(
        "\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"
        "\"unique\":true}",
        "unique");
    expect_field("\"type\":\"integer\",\"constraints\":[]", "'constraints'");
    expect_field("\"type\":\"integer\",\"constraints\":{\"required\":1}", "'required'");
    expect_field(CHOICE ",\"categoriesOrdered\":1", "categoriesOrdered");
    expect_field(BOUNDED ",\"missingValues\":\"\"", "missingValues");
    expect_field(BOUNDED ",\"missingValues\":[1]", "missingValues");
    expect_field(BOUNDED ",\"semblance\":{\"per\":\"row\"}", "only 'unit' is known");
    expect_field(BOUNDED ",\"semblance\":{\"per\":1}", "only 'unit' is known");
}

static void expect_label(const char *options, const char *message)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "{\"fields\":[{\"name\":\"n\"," BOUNDED "},{\"name\":\"c\"," CHOICE
                   "},{\"name\":\"i\",\"semblance\":{\"role\":\"ignore\"}}],\"semblance\":{%s}}",
                   options);
    expect(text, message);
}

TEST(labels_must_fit_their_task)
{
    expect_label("\"label\":\"z\"", "'z' is not one of the columns");
    expect_label("\"label\":\"i\"", "role 'ignore'");
    expect_label("\"label\":3", "'label' must be a string");
    expect_label("\"label\":\"c\",\"task\":\"ranking\"", "semblance.task must be");
    expect_label("\"label\":\"c\",\"task\":1", "'task' must be a string");
    expect_label("\"label\":\"c\",\"task\":\"none\"", "remove one");
    expect_label("\"task\":\"classification\"", "add semblance.label");
    expect_label("\"label\":\"n\",\"task\":\"classification\"", "list its classes");
    expect_label("\"label\":\"c\",\"task\":\"regression\"", "set semblance.task to classification");
}

TEST(unit_needs_a_column_and_a_number_of_rows)
{
    expect_label("\"unit\":\"nobody\",\"max_rows_per_unit\":3",
                 "semblance.unit 'nobody' is not one of the columns");
    expect_label("\"unit\":7,\"max_rows_per_unit\":3", "unit");
    expect_label("\"unit\":\"n\",\"label\":\"n\",\"max_rows_per_unit\":3",
                 "is the column that identifies the person");
    static const char *const bad[] = {"0", "1025", "-1", "1.5", "\"3\"", "null"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[96];
        (void)snprintf(text, sizeof text, "\"unit\":\"n\",\"max_rows_per_unit\":%s", bad[i]);
        expect_label(text, "semblance.max_rows_per_unit must be a whole number from 1 to 1024");
    }
}

TEST(unreadable_file_is_an_error)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_read(&schema, "/nonexistent/schema.json", &err), SBL_EIO);
    assert_null(schema);
    sbl_schema_free(NULL);
}

TEST(lack_of_memory_is_reported_and_leaves_nothing)
{
    static const char text[] =
        "{\"fields\":[{\"name\":\"n\"," BOUNDED "},{\"name\":\"c\"," CHOICE
        "},{\"name\":\"b\",\"type\":\"boolean\"},{\"name\":\"m\",\"missingValues\":[\"NA\"]"
        "," BOUNDED "}],\"semblance\":{\"label\":\"c\"}}";
    for (long n = 1;; n++) {
        sbl_schema *schema;
        sbl_heads heads = {0};
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_schema_parse(&schema, text, strlen(text), "s.json", NULL);
        if (status == SBL_OK) status = sbl_heads_init(&heads, schema, NULL);
        const bool failed = sbl_test_alloc_failed();
        sbl_heads_clear(&heads);
        sbl_schema_free(schema);
        if (!failed) {
            assert_ok(status);
            assert_true(n > 20);
            break;
        }
        assert_int_equal(status, SBL_EMEM);
    }
    sbl_test_fail_alloc(0);
}
