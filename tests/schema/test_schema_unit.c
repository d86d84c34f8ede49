/* SPDX-License-Identifier: Apache-2.0 */
/* Whose row it is, which columns are the person's, and what orders a person's rows. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/schema_type.h"
#include "support/cmocka_all.h"

FREES(sbl_schema_free);
FREES(sbl_free);

#define FIELDS                                                                                    \
    "{\"name\":\"patient\",\"semblance\":{\"role\":\"id\"}},"                                     \
    "{\"name\":\"sex\",\"type\":\"string\",\"constraints\":{\"enum\":[\"f\",\"m\"]},"             \
    "\"semblance\":{\"per\":\"unit\"}},"                                                          \
    "{\"name\":\"note\",\"semblance\":{\"role\":\"fake\",\"fake\":\"text\",\"per\":\"unit\"}},"   \
    "{\"name\":\"admitted\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2024-01-01\","       \
    "\"maximum\":\"2024-12-31\",\"required\":true}},"                                             \
    "{\"name\":\"left\",\"type\":\"date\",\"constraints\":{\"minimum\":\"2024-01-01\","           \
    "\"maximum\":\"2024-12-31\"}},"                                                               \
    "{\"name\":\"born\",\"type\":\"integer\",\"constraints\":{\"minimum\":1900,\"maximum\":2024," \
    "\"required\":true},\"semblance\":{\"per\":\"unit\"}},"                                       \
    "{\"name\":\"cost\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":100,"      \
    "\"required\":true},\"semblance\":{\"transform\":\"log\"}},"                                  \
    "{\"name\":\"turn\",\"type\":\"integer\",\"constraints\":{\"minimum\":0,\"maximum\":9,"       \
    "\"required\":true},\"semblance\":{\"spikes\":[0]}}"

enum { PATIENT, SEX, NOTE, ADMITTED, LEFT, BORN, COST, TURN };

static sbl_status parse(sbl_schema **schema, const char *options, sbl_error *err)
{
    char text[4096];
    (void)snprintf(text, sizeof text, "{\"fields\":[" FIELDS "],\"semblance\":{%s}}", options);
    return sbl_schema_parse(schema, text, strlen(text), "s.json", err);
}

static sbl_schema *must(const char *options)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_ok_or_say(parse(&schema, options, &err));
    return schema;
}

static void check_whole(const sbl_schema *schema)
{
    assert_int_equal(schema->unit, PATIENT);
    assert_int_equal(schema->rows_per_unit, 7);
    assert_int_equal(schema->order, ADMITTED);
    for (size_t i = 0; i < schema->column_count; i++)
        assert_int_equal(schema->columns[i].per_unit, i == SEX || i == NOTE || i == BORN);
}

TEST(facts_are_read_written_and_copied)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = must("\"unit\":\"patient\",\"order\":\"admitted\",\"max_rows_per_unit\":7");
    FREED(sbl_schema_free) sbl_schema *copy;
    sbl_error err = {0};
    check_whole(schema);
    assert_ok(sbl_schema_copy(&copy, schema, &err));
    check_whole(copy);
    FREED(sbl_free) char *first = sbl_schema_json(schema);
    FREED(sbl_free) char *second = sbl_schema_json(copy);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "\"order\":\"admitted\""));
}

/* What is not said is not written: plans of schemas without it keep their bytes. */
TEST(what_is_not_declared_is_not_written)
{
    FREED(sbl_schema_free) sbl_schema *schema = must("\"unit\":\"patient\"");
    assert_int_equal(schema->order, SBL_NO_COLUMN);
    assert_int_equal(schema->rows_per_unit, 50);
    for (size_t i = 0; i < schema->column_count; i++) schema->columns[i].per_unit = false;
    FREED(sbl_free) char *text = sbl_schema_json(schema);
    assert_null(strstr(text, "\"order\""));
    assert_null(strstr(text, "\"per\""));
    assert_non_null(strstr(text, "\"max_rows_per_unit\":50"));
}

TEST(each_fact_is_part_of_the_hash)
{
    FREED(sbl_schema_free) sbl_schema *schema = must("\"unit\":\"patient\",\"order\":\"admitted\"");
    uint8_t digests[3][SBL_SHA256_SIZE];
    sbl_error err = {0};
    assert_ok(sbl_schema_hash(digests[0], schema, &err));
    schema->order = SBL_NO_COLUMN;
    assert_ok(sbl_schema_hash(digests[1], schema, &err));
    schema->columns[NOTE].per_unit = false;
    assert_ok(sbl_schema_hash(digests[2], schema, &err));
    assert_memory_not_equal(digests[0], digests[1], SBL_SHA256_SIZE);
    assert_memory_not_equal(digests[1], digests[2], SBL_SHA256_SIZE);
}

TEST(description_says_both)
{
    FREED(sbl_schema_free) sbl_schema *schema = must("\"unit\":\"patient\",\"order\":\"admitted\"");
    CLEARED(sbl_text_clear) sbl_text text = {0};
    sbl_schema_describe(&text, schema, NULL);
    assert_non_null(strstr(text.data, "at most 50 rows of a person count"));
    assert_non_null(strstr(text.data, "[0,1]; orders the rows of a person\n"));
    assert_non_null(strstr(text.data, "made up, text; the same in all rows of a person\n"));
}

static void expect(const char *options, const char *message)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_int_equal(parse(&schema, options, &err), SBL_EINPUT);
    if (strstr(err.message, message) == NULL || strpbrk(err.message, "\r\n") != NULL)
        fail_msg("got '%s', expected '%s' in it", err.message, message);
}

#define ORDER(name) "\"unit\":\"patient\",\"order\":\"" name "\""

TEST(an_order_that_cannot_be_is_refused_by_name)
{
    expect(ORDER("nothing"), "semblance.order 'nothing' is not one of the columns");
    expect("\"unit\":\"patient\",\"order\":3", "order");
    expect(ORDER("patient"), "semblance.order 'patient' is not a number, date or datetime");
    expect(ORDER("sex"), "semblance.order 'sex' is not a number, date or datetime");
    expect(ORDER("born"), "'born' is the same in all rows of a person: remove its semblance.per");
    expect(ORDER("left"), "'left' may be missing: set its constraints.required to true");
    expect(ORDER("cost"), "'cost' has a log scale: remove its semblance.transform");
    expect(ORDER("turn"), "'turn' has values apart: remove its semblance.spikes");
    expect(ORDER("admitted") ",\"label\":\"admitted\"", "'admitted' is the label: name another column");
}

TEST(what_speaks_of_persons_needs_a_unit)
{
    expect("\"order\":\"admitted\"", "semblance.order needs semblance.unit");
    expect("\"max_rows_per_unit\":3", "semblance.max_rows_per_unit needs semblance.unit");
    expect("\"label\":\"cost\"", "column 'sex' has semblance.per 'unit', which needs");
    expect("\"unit\":\"born\"", "column 'born' identifies the person, so it needs no semblance.per");
}
