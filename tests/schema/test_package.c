/* SPDX-License-Identifier: Apache-2.0 */
/* Packages of linked tables: read, written, copied; and every one that is refused. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/facts.h"
#include "public/schema/proposals.h"
#include "public/schema/schema_type.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_schema_free);
FREES(sbl_free);

/* Fields of tables; a key is a text unless said otherwise. */
#define KEY(name) "{\"name\":\"" name "\",\"type\":\"string\"}"
#define NUMBER(name)                                          \
    "{\"name\":\"" name                                       \
    "\",\"type\":\"integer\",\"constraints\":{\"minimum\":0," \
    "\"maximum\":9,\"required\":true}}"
#define CHOICE(name) "{\"name\":\"" name "\",\"type\":\"string\",\"constraints\":{\"enum\":[\"a\",\"b\"]}}"
#define TABLE(name, fields, more) "{\"name\":\"" name "\",\"schema\":{\"fields\":[" fields "]" more "}}"
#define PRIMARY(field) ",\"primaryKey\":\"" field "\""
#define LINK(field, table, key) \
    "{\"fields\":\"" field "\",\"reference\":{\"resource\":\"" table "\",\"fields\":\"" key "\"}}"
#define LINKS(links) ",\"foreignKeys\":[" links "]"
#define OPTIONS(options) ",\"semblance\":{" options "}"
#define PACKAGE(tables) "{\"resources\":[" tables "]}"

#define PERSONS TABLE("persons", KEY("id") "," CHOICE("sex") "," NUMBER("age"), PRIMARY("id"))
#define VISITS                                                        \
    TABLE("visits", KEY("visit") "," KEY("person") "," NUMBER("day"), \
          PRIMARY("visit") LINKS(LINK("person", "persons", "id"))     \
              OPTIONS("\"order\":\"day\",\"max_rows_per_unit\":7"))
#define DRUGS TABLE("drugs", KEY("visit") "," CHOICE("drug"), LINKS(LINK("visit", "visits", "visit")))

static sbl_schema *must(const char *text)
{
    sbl_schema *schema;
    sbl_error err = {0};
    if (sbl_schema_parse(&schema, text, strlen(text), "dp.json", &err) != SBL_OK) fail_msg("%s", err.message);
    return schema;
}

/* The tables stand in the wrong order in the file. */
static const char hospital[] = PACKAGE(DRUGS "," VISITS "," PERSONS);

static void check_hospital(const sbl_schema *s)
{
    static const char *const names[] = {"persons.id",    "persons.sex", "persons.age", "visits.visit",
                                        "visits.person", "visits.day",  "drugs.visit", "drugs.drug"};
    assert_int_equal(s->table_count, 3);
    assert_int_equal(s->column_count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_string_equal(s->columns[i].name, names[i]);
        assert_int_equal(s->columns[i].per_unit, i == 1 || i == 2);
        assert_int_equal(sbl_schema_table_of(s, i), i < 3 ? 0 : i < 6 ? 1 : 2);
    }
    assert_int_equal(s->unit, 0);
    assert_int_equal(s->rows_per_unit, 7 + 50);
    assert_int_equal(s->order, SBL_NO_COLUMN);
    assert_int_equal(s->label, SBL_NO_COLUMN);
    const sbl_linked_table *t = s->tables;
    assert_string_equal(t[0].name, "persons");
    assert_true(t[0].parent == SBL_NO_TABLE && t[0].key == 0 && t[0].parent_key == SBL_NO_COLUMN);
    assert_true(t[0].order == SBL_NO_COLUMN && t[0].rows_per_unit == 1);
    assert_true(t[1].parent == 0 && t[1].key == 3 && t[1].parent_key == 4 && t[1].order == 5);
    assert_true(t[1].first == 3 && t[1].count == 3 && t[1].rows_per_unit == 7);
    assert_true(t[2].parent == 1 && t[2].key == SBL_NO_COLUMN && t[2].parent_key == 6);
    assert_true(t[2].first == 6 && t[2].count == 2 && t[2].rows_per_unit == 50);
    for (size_t i = 0; i < 3; i++) {
        const sbl_schema *own = t[i].schema;
        assert_int_equal(own->unit + t[i].first, i == 0 ? t[i].key : t[i].parent_key);
        assert_int_equal(own->rows_per_unit, t[i].rows_per_unit);
    }
    assert_int_equal(s->columns[3].kind, SBL_COLUMN_IGNORED);
    assert_int_equal(s->columns[3].made, SBL_SYNTHETIC_ID);
}

TEST(tables_stand_side_by_side_with_parents_before_children)
{
    FREED(sbl_schema_free) sbl_schema *schema = must(hospital);
    check_hospital(schema);
}

/* The columns side by side and those of the tables own their texts: both are freed. */
TEST(signs_around_numbers_are_copied)
{
    FREED(sbl_schema_free)
    sbl_schema *schema = must(PACKAGE(PERSONS "," TABLE(
        "bills",
        KEY("who") ",{\"name\":\"sum\",\"type\":\"number\",\"constraints\":{\"minimum\":0,\"maximum\":9},"
                   "\"bareNumber\":false,\"semblance\":{\"prefix\":\"EUR \",\"suffix\":\" net\"}}",
        LINKS(LINK("who", "persons", "id")))));
    const sbl_column *wide = &schema->columns[schema->column_count - 1];
    const sbl_column *own = &schema->tables[1].schema->columns[1];
    assert_string_equal(wide->prefix, "EUR ");
    assert_string_equal(wide->suffix, " net");
    assert_ptr_not_equal(wide->prefix, own->prefix);
    assert_ptr_not_equal(wide->suffix, own->suffix);
}

/* Proposals of a package are for one of its tables; a public table comes with the key that refers to it. */
#define PROPOSED(items) "{\"resources\":[" PERSONS "," VISITS "],\"semblance\":{\"proposals\":[" items "]}}"
#define RULE(table)                                                  \
    "{\"kind\":\"constraint\",\"words\":\"w\",\"resource\":\"" table \
    "\",\"semblance\":{\"constraints\":[\"day > 1\"]}}"
#define LIST \
    "{\"kind\":\"public\",\"words\":\"w\",\"resource\":\"persons\",\"fields\":[{\"name\":\"sex\",\"type\":" \
    "\"string\"," \
    "\"constraints\":{\"enum\":[\"a\",\"b\",\"c\"]}}],\"foreignKeys\":[" LINK("sex", "sexes", "sex") "],"           \
    "\"resources\":[{\"name\":\"sexes\",\"semblance\":{\"public\":true},\"schema\":{\"primaryKey\":\"sex\","           \
    "\"fields\":[" KEY("sex") "]}}]}"

static sbl_status accept(json_t **object, const char *text, const char *take, sbl_error *err)
{
    size_t taken, struck;
    *object = NULL;
    const sbl_status status = sbl_json_parse(object, text, strlen(text), "dp.json", err);
    return status != SBL_OK ? status : sbl_proposals_accept(*object, take, &taken, &struck, "dp.json", err);
}

TEST(proposals_of_a_package_go_to_their_tables)
{
    FREED(sbl_schema_free) sbl_schema *draft = must(PROPOSED(RULE("visits") "," LIST));
    assert_int_equal(draft->proposals.count, 2);
    assert_string_equal(draft->proposals.items[0], "constraint: w");
    sbl_error err = {0};
    json_t *object;
    assert_int_equal(accept(&object, PROPOSED(RULE("visits") "," LIST), "all", &err), SBL_OK);
    FREED(sbl_schema_free) sbl_schema *schema = NULL;
    assert_int_equal(sbl_schema_build(&schema, object, "dp.json", &err), SBL_OK);
    json_decref(object);
    assert_int_equal(schema->proposals.count, 0);
    assert_int_equal(schema->tables[1].schema->constraints.count, 1);
    assert_int_equal(schema->columns[1].categories.count, 3);
    assert_int_equal(accept(&object, PROPOSED(RULE("visitors")), "all", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "'visitors'"));
    json_decref(object);
}

TEST(the_canonical_package_reads_back_as_an_equal_schema)
{
    FREED(sbl_schema_free) sbl_schema *schema = must(hospital);
    FREED(sbl_schema_free) sbl_schema *copy;
    sbl_error err = {0};
    uint8_t digests[2][SBL_SHA256_SIZE];
    assert_int_equal(sbl_schema_copy(&copy, schema, &err), SBL_OK);
    check_hospital(copy);
    FREED(sbl_free) char *first = sbl_schema_json(schema);
    FREED(sbl_free) char *second = sbl_schema_json(copy);
    assert_string_equal(first, second);
    assert_int_equal(sbl_schema_hash(digests[0], schema, &err), SBL_OK);
    schema->tables[1].schema->rows_per_unit = 8;
    assert_int_equal(sbl_schema_hash(digests[1], schema, &err), SBL_OK);
    assert_memory_not_equal(digests[0], digests[1], SBL_SHA256_SIZE);
}

TEST(paths_dialects_and_origins_survive)
{
    static const char text[] =
        "{\"resources\":["
        "{\"name\":\"persons\",\"path\":[\"data/p.csv\"],\"dialect\":{\"delimiter\":\";\"},"
        "\"encoding\":\"windows-1252\",\"schema\":{\"fields\":[" KEY("id") "," CHOICE(
            "sex") "]" PRIMARY("id") "}},"
        "{\"name\":\"visits\",\"schema\":{\"fields\":[" KEY("person") "," NUMBER(
            "day") "]" LINKS(LINK("person", "persons", "id"))
            OPTIONS("\"unit\":\"person\",\"origin\":{\"how\":\"guessed from records\"}") "}}]}";
    FREED(sbl_schema_free) sbl_schema *schema = must(text);
    FREED(sbl_schema_free) sbl_schema *copy;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_copy(&copy, schema, &err), SBL_OK);
    assert_string_equal(copy->tables[0].path, "data/p.csv");
    assert_null(copy->tables[1].path);
    assert_int_equal(copy->tables[0].schema->dialect.delimiter, ';');
    assert_string_equal(copy->tables[0].schema->dialect.encoding, "windows-1252");
    assert_true(sbl_origin_is_inspected(copy->origin));
    FREED(sbl_free) char *plain = sbl_schema_json(schema);
    assert_null(strstr(plain, "guessed"));
}

/* An account's card: its key is the account's, so there is one at most. */
TEST(a_key_that_is_the_parents_means_one_row)
{
    FREED(sbl_schema_free)
    sbl_schema *schema =
        must(PACKAGE(PERSONS "," TABLE("cards", KEY("person") "," CHOICE("kind"),
                                       PRIMARY("person") LINKS(LINK("person", "persons", "id")))));
    assert_int_equal(schema->tables[1].rows_per_unit, 1);
    assert_int_equal(schema->tables[1].key, SBL_NO_COLUMN);
    FREED(sbl_schema_free) sbl_schema *copy;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_copy(&copy, schema, &err), SBL_OK);
    assert_int_equal(copy->tables[1].rows_per_unit, 1);
}

/* A key into a look-up table is a category like any other, and the table itself is not made. */
TEST(public_tables_are_not_among_the_tables)
{
    FREED(sbl_schema_free)
    sbl_schema *schema =
        must(PACKAGE("{\"name\":\"towns\",\"semblance\":{\"public\":true},\"schema\":{\"fields\":[" KEY(
            "town") "]" PRIMARY("town") "}}," TABLE("persons", KEY("id") "," CHOICE("town"),
                                                    PRIMARY("id")
                                                        LINKS(LINK("town", "towns", "town"))) "," VISITS));
    assert_int_equal(schema->table_count, 2);
    assert_string_equal(schema->tables[0].name, "persons");
    assert_int_equal(schema->columns[1].kind, SBL_COLUMN_CATEGORY);
    FREED(sbl_free) char *text = sbl_schema_json(schema);
    assert_null(strstr(text, "towns"));
}

TEST(description_has_each_table)
{
    FREED(sbl_schema_free) sbl_schema *schema = must(hospital);
    CLEARED(sbl_text_clear) sbl_text text = {0};
    sbl_schema_describe(&text, schema, NULL);
    assert_non_null(strstr(text.data,
                           "table persons: the root; each row is protected together with "
                           "all rows that refer to it\nid: a key of persons; "));
    assert_non_null(strstr(text.data,
                           "table drugs: its rows refer to those of visits\nvisit: a key of "
                           "visits; "));
}

/* ---- facts ---- */

TEST(heads_of_all_tables_follow_each_other)
{
    static const char text[] = PACKAGE(PERSONS "," TABLE(
        "visits", KEY("person") "," NUMBER("from") "," NUMBER("to") "," CHOICE("ward"),
        LINKS(LINK("person", "persons", "id")) OPTIONS("\"constraints\":[\"to >= from\"]")));
    CLEARED(sbl_facts_clear) sbl_facts facts;
    sbl_error err = {0};
    if (sbl_facts_of_table(&facts, must(text), &err) != SBL_OK) fail_msg("%s", err.message);
    assert_ptr_not_equal(facts.schema, facts.declared);
    assert_int_equal(facts.schema->table_count, 2);
    assert_null(facts.rules);
    assert_non_null(facts.table_facts[1].rules);
    assert_int_equal(sbl_facts_rows_per_unit(&facts), 50);
    assert_int_equal(facts.columns, 2 + 3);
    size_t head = 0, numbers = 0, codes = 0;
    for (size_t t = 0; t < 2; t++) {
        const sbl_heads *own = &facts.table_facts[t].heads;
        for (size_t h = 0; h < own->count; h++, head++) {
            const sbl_head *wide = &facts.heads.items[head];
            const bool number = own->items[h].kind == SBL_HEAD_NUMERIC;
            assert_int_equal(wide->kind, own->items[h].kind);
            assert_int_equal(wide->cardinality, own->items[h].cardinality);
            assert_int_equal(wide->column, own->items[h].column + facts.schema->tables[t].first);
            assert_int_equal(wide->index, own->items[h].index + (number ? numbers : codes));
        }
        numbers += own->numeric_count;
        codes += own->categorical_count;
    }
    assert_int_equal(head, facts.heads.count);
    /* A difference is fitted: not as it is written. */
    assert_true(sbl_facts_fit_column(&facts, 1));
    assert_false(sbl_facts_fit_column(&facts, 0));
    assert_int_not_equal(sbl_facts_fit_column(&facts, 4), sbl_facts_fit_column(&facts, 5));
    json_auto_t *object = sbl_facts_to_json(&facts);
    CLEARED(sbl_facts_clear) sbl_facts again;
    assert_int_equal(sbl_facts_from_json(&again, object, "plan", &err), SBL_OK);
    assert_int_equal(again.heads.count, facts.heads.count);
}

/* ---- refused ---- */

static void expect(const char *text, const char *message)
{
    sbl_schema *schema;
    sbl_error err = {0};
    assert_int_equal(sbl_schema_parse(&schema, text, strlen(text), "dp.json", &err), SBL_EINPUT);
    assert_null(schema);
    if (strstr(err.message, message) == NULL || strpbrk(err.message, "\r\n") != NULL ||
        strncmp(err.message, "dp.json: ", 9) != 0)
        fail_msg("got '%s', expected '%s' in it", err.message, message);
}

TEST(resources_must_be_named_described_tables)
{
    expect(PACKAGE(""), "'resources' must be a list of 2 to 256 tables");
    expect("{\"resources\":{}}", "'resources' must be a list");
    expect(PACKAGE("{}"), "resources[0] needs a name");
    expect(PACKAGE(TABLE("a/b", KEY("id"), "")), "resources[0] needs a name");
    expect(PACKAGE(TABLE("a.b", KEY("id"), "")), "resources[0] needs a name");
    expect(PACKAGE(TABLE("", KEY("id"), "")), "resources[0] needs a name");
    expect(PACKAGE(PERSONS "," PERSONS), "there are two tables 'persons': rename one");
    expect(PACKAGE("{\"name\":\"a\"}"), "table 'a' has no schema with fields");
    expect(PACKAGE("{\"name\":\"a\",\"schema\":\"a.json\"}"), "table 'a': its schema is the name");
    expect(PACKAGE("{\"name\":\"a\",\"path\":[\"a\",\"b\"],\"schema\":{\"fields\":[]}}"),
           "table 'a': its path must name one file");
    expect(PACKAGE("{\"name\":\"a\",\"path\":\"https://x/a.csv\",\"schema\":{\"fields\":[]}}"),
           "table 'a': its path must name one file");
    expect(PACKAGE("{\"name\":\"a\",\"semblance\":{\"unit\":\"b\"},\"schema\":{\"fields\":[]}}"),
           "table 'a': semblance.unit is next to the schema, where only 'public' is allowed");
    expect(PACKAGE("{\"name\":\"a\",\"semblance\":{\"public\":1},\"schema\":{\"fields\":[]}}"),
           "table 'a': semblance.public is not true or false");
    expect(PACKAGE("{\"name\":\"a\",\"semblance\":1,\"schema\":{\"fields\":[]}}"),
           "table 'a': 'semblance' is not an object");
    expect(PACKAGE(PERSONS),
           "fewer than two tables are left to synthesise: give a single table as the input");
}

TEST(keys_must_be_single_and_agree)
{
    expect(PACKAGE(TABLE("a", KEY("id"), ",\"primaryKey\":[\"id\",\"no\"]")),
           "table 'a' has a primaryKey of several fields: name one field");
    expect(PACKAGE(TABLE("a", KEY("id"), PRIMARY("no"))), "its primaryKey 'no' is not one of its fields");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"), ",\"foreignKeys\":{}")),
           "table 'v': its foreignKeys are not a list");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"),
                                     LINKS("{\"fields\":[\"p\",\"q\"],\"reference\":{\"resource\":"
                                           "\"persons\",\"fields\":[\"id\",\"sex\"]}}"))),
           "table 'v' has a foreign key that does not connect one field to one field");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"), LINKS(LINK("q", "persons", "id")))),
           "table 'v': its foreign key 'q' is not one of its fields");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"), LINKS(LINK("p", "people", "id")))),
           "table 'v' refers to 'people', which is not one of the resources");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"), LINKS(LINK("p", "persons", "sex")))),
           "table 'v' refers to 'persons.sex', which is not its primaryKey: refer to 'id'");
    expect(PACKAGE(TABLE("a", KEY("id"), "") "," TABLE("v", KEY("p"), LINKS(LINK("p", "a", "id")))),
           "table 'v' refers to 'a', which has no primaryKey: add it");
    expect(PACKAGE(PERSONS "," TABLE("v", NUMBER("p"), LINKS(LINK("p", "persons", "id")))),
           "'v.p' has type integer, but it refers to 'persons.id' with type string");
    expect(PACKAGE("{\"name\":\"towns\",\"semblance\":{\"public\":true},\"schema\":{\"fields\":[" KEY(
               "t") "]" PRIMARY("t") "}}," TABLE("persons", KEY("id") "," KEY("town"),
                                                 PRIMARY("id") LINKS(LINK("town", "towns", "t")))),
           "'persons.town' refers to the public table 'towns', whose keys are read only if the package is a "
           "file");
    expect(PACKAGE(PERSONS "," TABLE(
               "c", KEY("p") "," CHOICE("x"),
               PRIMARY("p") LINKS(LINK("p", "persons", "id"))) "," TABLE("d", KEY("p") "," CHOICE("x"),
                                                                         LINKS(LINK("p", "c", "p")))),
           "table 'd' refers to 'c', whose key is that of 'persons': refer to 'persons'");
}

TEST(tables_must_hang_on_one_root)
{
    expect(PACKAGE(PERSONS "," TABLE("staff", KEY("id"), PRIMARY("id")) "," TABLE(
               "v", KEY("p") "," KEY("s"), LINKS(LINK("p", "persons", "id") "," LINK("s", "staff", "id")))),
           "table 'v' has keys into 'persons' and 'staff': choose the unit by one of them, and "
           "declare the other table public or remove that key");
    expect(PACKAGE(PERSONS "," TABLE("t", KEY("a") "," KEY("b"),
                                     LINKS(LINK("a", "persons", "id") "," LINK("b", "persons", "id")))),
           "table 't' has keys into 'persons' and 'persons'");
    expect(PACKAGE(TABLE("p", KEY("id") "," KEY("boss"), PRIMARY("id") LINKS(LINK("boss", "", "id")))),
           "table 'p' refers to itself: remove that foreign key");
    expect(PACKAGE(TABLE("p", KEY("id") "," KEY("boss"), PRIMARY("id") LINKS(LINK("boss", "p", "id")))),
           "table 'p' refers to itself");
    expect(PACKAGE(TABLE("a", KEY("id") "," KEY("b"), PRIMARY("id") LINKS(LINK("b", "b", "id"))) "," TABLE(
               "b", KEY("id") "," KEY("a"), PRIMARY("id") LINKS(LINK("a", "a", "id")))),
           "table 'a' refers to tables that refer to each other in a circle");
    expect(
        PACKAGE(PERSONS
                "," TABLE("a", KEY("id") "," KEY("b"), PRIMARY("id") LINKS(LINK("b", "b", "id"))) "," TABLE(
                    "b", KEY("id") "," KEY("a"), PRIMARY("id") LINKS(LINK("a", "a", "id")))),
        "in a circle");
    expect(PACKAGE(PERSONS "," TABLE("x", KEY("id"), PRIMARY("id"))),
           "tables 'persons' and 'x' both have no parent");
}

#define CHILD(options) \
    TABLE("v", KEY("p") "," NUMBER("day"), LINKS(LINK("p", "persons", "id")) OPTIONS(options))

TEST(what_a_table_says_must_agree_with_its_keys)
{
    expect(PACKAGE(PERSONS "," CHILD("\"unit\":\"day\"")),
           "table 'v': semblance.unit is 'day', but the keys make 'p'");
    expect(PACKAGE(PERSONS "," CHILD("\"label\":\"day\"")),
           "table 'v': semblance.label is not for linked tables");
    expect(PACKAGE(PERSONS "," CHILD("\"max_rows_per_unit\":0")),
           "table 'v': semblance.max_rows_per_unit must be a whole number");
    expect(PACKAGE(PERSONS "," CHILD("\"max_rows_per_unit\":1000") "," TABLE(
               "w", KEY("p") "," NUMBER("day"), LINKS(LINK("p", "persons", "id")))),
           "of all tables together is 1050, and the limit is 1024: lower some");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p") "," CHOICE("x"),
                                     LINKS(LINK("p", "persons", "id")) ",\"semblance\":3")),
           "table 'v': 'semblance' is not an object");
    expect(PACKAGE(TABLE("a", KEY("id") "," NUMBER("n"), PRIMARY("id") OPTIONS("\"order\":\"n\"")) "," TABLE(
               "v", KEY("p") "," CHOICE("x"), LINKS(LINK("p", "a", "id")))),
           "table 'a': semblance.order is not for the table of persons");
    expect(
        PACKAGE(
            TABLE("a", KEY("id") "," NUMBER("n"), PRIMARY("id") OPTIONS("\"max_rows_per_unit\":2")) "," TABLE(
                "v", KEY("p") "," CHOICE("x"), LINKS(LINK("p", "a", "id")))),
        "table 'a': semblance.max_rows_per_unit is not 1");
    expect(PACKAGE(PERSONS "," TABLE("v",
                                     KEY("p") ","
                                              "{\"name\":\"k\",\"semblance\":{\"role\":\"ignore\"}}"
                                              "," CHOICE("x"),
                                     PRIMARY("k") LINKS(LINK("p", "persons", "id")))),
           "table 'v': column 'k' is the primaryKey: its semblance.role can only be 'id'");
    expect(PACKAGE(PERSONS "," TABLE("v",
                                     KEY("p") ",{\"name\":\"x\",\"type\":\"boolean\",\"semblance\":{"
                                              "\"per\":\"unit\"}}",
                                     LINKS(LINK("p", "persons", "id")))),
           "table 'v': column 'x' has semblance.per 'unit': move the column to the table of persons");
    expect(PACKAGE(PERSONS "," TABLE("v", KEY("p"), LINKS(LINK("p", "persons", "id")))),
           "table 'v': every column is ignored");
}

/* ---- memory ---- */

static sbl_status read_and_fit(void)
{
    sbl_schema *schema;
    sbl_facts facts = {0};
    sbl_status status = sbl_schema_parse(&schema, hospital, strlen(hospital), "dp.json", NULL);
    if (status == SBL_OK) status = sbl_facts_of_table(&facts, schema, NULL);
    sbl_facts_clear(&facts);
    return status;
}

TEST(any_allocation_may_fail)
{
    for (long n = 0; sbl_test_fail_next(&n);)
        if (!sbl_test_no_memory(read_and_fit())) assert_true(n > 50);
}
