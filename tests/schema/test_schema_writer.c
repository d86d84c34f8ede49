/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: what is put in comes out of the parser, whatever is wrong is refused, and an origin
 * changes no meaning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/schema_writer.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static const char *const missing[] = {"", "NA"};
static const char *const wards[] = {"a", "b", "other"};
static const char *const unknown[] = {"?"};
static const char *const bought[] = {"type", "minimum", "maximum"};

static const sbl_writer_column columns[] = {
    {.name = "age", .type = SBL_TYPE_INTEGER, .required = true, .minimum = -3, .maximum = 90},
    {"cost", .type = SBL_TYPE_NUMBER, .minimum = 0.5, .maximum = 1000, .has_decimals = true, .decimals = 2,
     .log_transform = true, .origin = bought, .origin_count = 3},
    {"ward", .type = SBL_TYPE_STRING, .categories = wards, .category_count = 3, .other = "other",
     .ordered = true},
    {.name = "smoker", .type = SBL_TYPE_BOOLEAN},
    {"born", .type = SBL_TYPE_DATE, .minimum = -365, .maximum = 10957, .missing_values = unknown,
     .missing_count = 1},
    {.name = "seen", .type = SBL_TYPE_DATETIME, .minimum = 0, .maximum = 86399, .utc = true},
    {.name = "id", .type = SBL_TYPE_NONE},
};

static sbl_status write_all(char **text, sbl_schema **schema, bool with_origin, sbl_error *err)
{
    sbl_schema_writer *writer = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_writer_new(&writer, missing, 2, err));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        sbl_writer_column column = columns[i];
        if (!with_origin) column.origin_count = 0;
        SBL_TRY(sbl_schema_writer_add(writer, &column, err));
    }
    SBL_TRY(sbl_schema_writer_set(writer, "label", json_string("ward"), err));
    if (with_origin)
        SBL_TRY(sbl_schema_writer_set(writer, "origin", json_pack("{s:s}", "how", "bought"), err));
    SBL_TRY(sbl_schema_writer_finish(text, schema, writer, "writer", err));
done:
    sbl_schema_writer_free(writer);
    return status;
}

TEST(what_is_put_in_is_what_the_parser_reads)
{
    sbl_error err = {0};
    char *text;
    sbl_schema *s;
    assert_ok_or_say(write_all(&text, &s, true, &err));
    assert_int_equal(s->column_count, 7);
    assert_true(s->columns[0].minimum == -3 && s->columns[0].maximum == 90);
    assert_true(s->columns[0].required && !s->columns[1].required);
    assert_true(s->columns[1].minimum == 0.5 && s->columns[1].maximum == 1000);
    assert_true(s->columns[1].decimals_declared && s->columns[1].decimals == 2);
    assert_true(s->columns[1].log_transform && s->columns[1].missing_allowed);
    assert_int_equal(s->columns[1].missing_values.count, 2);
    assert_int_equal(s->columns[2].fallback_code, 2);
    assert_true(s->columns[2].ordered);
    assert_int_equal(s->columns[3].type, SBL_TYPE_BOOLEAN);
    assert_int_equal(s->columns[4].kind, SBL_COLUMN_DATE);
    assert_true(s->columns[4].minimum == -365 && s->columns[4].maximum == 10957);
    assert_int_equal(s->columns[4].missing_values.count, 1);
    assert_string_equal(s->columns[4].missing_values.items[0], "?");
    assert_int_equal(s->columns[5].kind, SBL_COLUMN_DATETIME);
    assert_true(s->columns[5].utc && s->columns[5].maximum == 86399);
    assert_int_equal(s->columns[6].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->label, 2);
    assert_int_equal(s->task, SBL_TASK_CLASSIFICATION);
    assert_non_null(strstr(text, "\"1969-01-01\""));
    assert_non_null(strstr(text, "\"how\": \"bought\""));
    assert_non_null(strstr(text, "\"origin\": ["));
    assert_true(text[strlen(text) - 1] == '\n');
    sbl_free(text);
    sbl_schema_free(s);
}

/* What the file says of its facts is kept for the certificate; a text that is none is refused. */
TEST(an_origin_is_kept_in_words)
{
    static const char form[] =
        "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}],\"semblance\":{"
        "\"origin\":%s}}";
    static const char *const none[] = {"{}", "\"words\"", "[]", "{\"how\":1}"};
    static const char *const bad[] = {"{\"how\":\"\"}", "{\"how\":\"two\\nlines\"}", "{\"how\":\"\x7f\"}"};
    char text[512], long_text[SBL_ORIGIN_MOST + 2];
    sbl_schema *schema = NULL;
    sbl_error err = {0};
    (void)snprintf(text, sizeof text, form, "{\"how\":\"from the register's code book\"}");
    assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s", NULL));
    assert_string_equal(schema->origin, "from the register's code book");
    sbl_schema_free(schema);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        (void)snprintf(text, sizeof text, form, none[i]);
        assert_ok(sbl_schema_parse(&schema, text, strlen(text), "s", NULL));
        assert_null(schema->origin);
        sbl_schema_free(schema);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)snprintf(text, sizeof text, form, bad[i]);
        assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s", &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "semblance.origin.how must be a text of 1 to 200"));
    }
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    (void)snprintf(text, sizeof text,
                   "{\"fields\":[{\"name\":\"x\",\"type\":\"boolean\"}],\"semblance\":{\"origin\":"
                   "{\"how\":\"%s\"}}}",
                   long_text);
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "s", &err), SBL_EINPUT);
}

TEST(an_origin_changes_no_meaning)
{
    sbl_error err = {0};
    sbl_schema *with, *without;
    uint8_t a[SBL_SHA256_SIZE], b[SBL_SHA256_SIZE];
    assert_ok(write_all(NULL, &with, true, &err));
    assert_ok(write_all(NULL, &without, false, &err));
    assert_ok(sbl_schema_hash(a, with, &err));
    assert_ok(sbl_schema_hash(b, without, &err));
    assert_memory_equal(a, b, sizeof a);
    sbl_schema_free(with);
    sbl_schema_free(without);
}

TEST(what_the_parser_refuses_cannot_be_finished)
{
    sbl_error err = {0};
    sbl_schema_writer *writer;
    char *text = NULL;
    const sbl_writer_column twice = {.name = "age", .type = SBL_TYPE_BOOLEAN};
    const sbl_writer_column no_domain = {.name = "x", .type = SBL_TYPE_STRING};
    assert_ok(sbl_schema_writer_new(&writer, NULL, 0, &err));
    assert_ok(sbl_schema_writer_add(writer, &twice, &err));
    assert_ok(sbl_schema_writer_finish(&text, NULL, writer, "writer", &err));
    assert_null(strstr(text, "\"semblance\""));
    sbl_free(text);
    assert_ok(sbl_schema_writer_add(writer, &twice, &err));
    assert_int_equal(sbl_schema_writer_finish(&text, NULL, writer, "writer", &err), SBL_EINPUT);
    assert_null(text);
    assert_string_equal(err.message, "writer: column 'age' is described twice: remove one");
    sbl_schema_writer_free(writer);
    assert_ok(sbl_schema_writer_new(&writer, NULL, 0, &err));
    assert_ok(sbl_schema_writer_add(writer, &no_domain, &err));
    assert_int_equal(sbl_schema_writer_finish(&text, NULL, writer, "writer", &err), SBL_EINPUT);
    sbl_schema_writer_free(writer);
}

TEST(what_json_cannot_hold_is_refused)
{
    sbl_error err = {0};
    sbl_schema_writer *writer;
    static const char *const bad[] = {"a", "\xff"};
    const sbl_writer_column refused[] = {
        {.name = "\xc3", .type = SBL_TYPE_BOOLEAN},
        {.name = "x", .type = SBL_TYPE_STRING, .categories = bad, .category_count = 2},
        {.name = "x", .type = SBL_TYPE_STRING, .categories = wards, .category_count = 3, .other = "\xff"},
        {.name = "x", .type = SBL_TYPE_NUMBER, .minimum = NAN, .maximum = 1},
        {.name = "x", .type = SBL_TYPE_NUMBER, .minimum = 0, .maximum = INFINITY},
        {.name = "x", .type = SBL_TYPE_INTEGER, .minimum = -1e300, .maximum = 1},
        {.name = "x", .type = SBL_TYPE_DATE, .minimum = 0, .maximum = 1e300},
    };
    assert_ok(sbl_schema_writer_new(&writer, NULL, 0, &err));
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_equal(sbl_schema_writer_add(writer, &refused[i], &err), SBL_EARG);
    assert_int_equal(sbl_schema_writer_set(writer, "origin", NULL, &err), SBL_EMEM);
    assert_int_equal(sbl_schema_writer_set(writer, "label", json_string("\xff"), &err), SBL_EMEM);
    sbl_schema_writer_free(writer);
}

TEST(plain_numbers_are_outside_and_near)
{
    assert_true(sbl_plain_number_down(17.3, 2) == 17 && sbl_plain_number_up(17.3, 2) == 18);
    assert_true(sbl_plain_number_down(-17.3, 2) == -18 && sbl_plain_number_up(-17.3, 2) == -17);
    assert_true(sbl_plain_number_up(99999, 2) == 100000 && sbl_plain_number_up(0, 3) == 0);
    assert_true(sbl_plain_number_up(0.123, 2) == 0.13 && sbl_plain_number_down(0.3, 1) == 0.3);
    assert_true(sbl_plain_number_up(100, 1) == 100 && sbl_plain_number_down(131072, 2) == 130000);
    assert_true(sbl_plain_number_up(1e300, 2) == 1e300 && sbl_plain_number_up(1e-7, 2) == 1e-7);
    srand(7);
    for (int i = 0; i < 20000; i++) {
        const double v = (rand() / (double)RAND_MAX - 0.5) * pow(10, rand() % 24 - 5);
        const int digits = 1 + rand() % 4;
        const double down = sbl_plain_number_down(v, digits), up = sbl_plain_number_up(v, digits);
        assert_true(down <= v && up >= v);
        assert_true(up - down <= 1.0000001 * fabs(v) * pow(10, 1 - digits));
        assert_true(sbl_plain_number_up(-v, digits) == -down);
    }
}

TEST(every_failed_allocation_is_reported)
{
    sbl_error err = {0};
    char *text = NULL;
    sbl_schema *schema = NULL;
    for (long n = 1;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = write_all(&text, &schema, true, &err);
        const bool failed = sbl_test_fail_end();
        if (status == SBL_OK) {
            sbl_free(text);
            sbl_schema_free(schema);
        } else {
            assert_int_equal(status, SBL_EMEM);
            assert_null(text);
            assert_null(schema);
        }
        if (!failed) break;
        assert_int_equal(status, SBL_EMEM);
    }
}
