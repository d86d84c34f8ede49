/* SPDX-License-Identifier: Apache-2.0 */
/* A table of fields writes a struct and reads it back; what does not belong is refused by the name of its field. */
#include "base/json_fields.h"

#include <math.h>

#include "base/alloc.h"
#include "base/cmocka_plain.h"
#include "support/fail_alloc.h"

typedef enum colour { RED = 0, GREEN, BLUE } colour;

typedef struct leaf {
    int64_t number;
    char *copy;
} leaf;

typedef struct inside {
    double share, most;
} inside;

typedef struct thing {
    const char *title;
    char name[8];
    uint8_t hash[4];
    colour paint;
    bool second;
    uint64_t count;
    unsigned bits;
    uint64_t decimal;
    sbl_u128 wide;
    inside in;
    double fraction;
    bool flag, sparse;
    leaf *leaves;
    size_t leaf_count;
} thing;

static const char letters[] = "abc";
static const char *const format[] = {"thing", NULL};
static const char *const colours[] = {"", "green", "blue", NULL};
static const char *const sides[] = {"first", "second", NULL};

static bool is_sparse(const void *at) { return ((const thing *)at)->sparse; }

static json_t *write_twice(const void *at)
{
    return json_integer(2 * (json_int_t)((const thing *)at)->count);
}

static sbl_status read_twice(void *at, const json_t *object, const char *where, sbl_error *err)
{
    uint64_t twice;
    SBL_CHECK(sbl_json_get_u64(&twice, object, "twice", where, err));
    return twice == 2 * ((thing *)at)->count ? SBL_OK : sbl_json_fail(where, "twice", "is not twice", err);
}

static const sbl_json_field leaf_fields[] = {
    {"number", SBL_JSON_SIGNED, SBL_JSON_AT(leaf, number)},
    {"copy", SBL_JSON_COPY, SBL_JSON_AT(leaf, copy)},
    {0},
};
static const sbl_json_field inside_fields[] = {
    {"share", SBL_JSON_REAL, SBL_JSON_AT(inside, share)},
    {"most", SBL_JSON_REAL_OR_INF, SBL_JSON_AT(inside, most)},
    {0},
};
#define AT(member) SBL_JSON_AT(thing, member)
static const sbl_json_field fields[] = {
    {"format", SBL_JSON_CONSTANT, SBL_JSON_HERE, .names = format},
    {"version", SBL_JSON_VERSION, SBL_JSON_HERE, .least = 3},
    {"title", SBL_JSON_TEXT, AT(title), .least = 1, .most = 5, .optional = true},
    {"name", SBL_JSON_CHARS, AT(name), .least = 1, .allowed = letters, .wrong = "is no name"},
    {"hash", SBL_JSON_HEX, AT(hash)},
    {"paint", SBL_JSON_CHOICE, AT(paint), .least = 1, .names = colours, .optional = true},
    {"side", SBL_JSON_CHOICE, AT(second), .names = sides},
    {"count", SBL_JSON_WHOLE, AT(count), .least = 1, .most = 9},
    {"bits", SBL_JSON_WHOLE, AT(bits), .optional = true},
    {"decimal", SBL_JSON_DECIMAL, AT(decimal), .most = 100},
    {"wide", SBL_JSON_DECIMAL128, AT(wide)},
    {"in", SBL_JSON_OBJECT, AT(in), .fields = inside_fields},
    {"flag", SBL_JSON_BOOL, AT(flag)},
    {"sparse", SBL_JSON_BOOL, AT(sparse), .optional = true},
    {"fraction", SBL_JSON_REAL, AT(fraction), .when = is_sparse},
    {"leaves", SBL_JSON_LIST, AT(leaves), .counter = offsetof(thing, leaf_count), .item = sizeof(leaf),
     .fields = leaf_fields, .most = 2},
    {"twice", SBL_JSON_OWN, SBL_JSON_HERE, .read = read_twice, .write = write_twice},
    {"again", SBL_JSON_WHOLE, AT(count), .derived = true},
    {0},
};

#define WIDE "340282366920938463463374607431768211455"
/* What every thing has, and the rest of two of them. */
#define COMMON "\"count\":7,\"decimal\":\"100\",\"flag\":true,\"format\":\"thing\","
static const char whole[] =
    "{\"again\":7,\"bits\":5," COMMON
    "\"fraction\":0.25,\"hash\":\"00ff10ab\",\"in\":{\"most\":\"inf\",\"share\":0.5},\"leaves\":[{\"copy\":"
    "\"x\",\"number\":-3},"
    "{\"copy\":\"\",\"number\":4}],\"name\":\"abcabca\",\"paint\":\"blue\",\"side\":\"second\",\"sparse\":"
    "true,"
    "\"title\":\"short\",\"twice\":14,\"version\":3,\"wide\":\"" WIDE "\"}";
static const char least[] = "{\"again\":7," COMMON
                            "\"hash\":\"00ff10ab\",\"in\":{\"most\":2.0,\"share\":0.0},\"leaves\":[],"
                            "\"name\":\"a\",\"side\":\"first\",\"twice\":14,"
                            "\"version\":3,\"wide\":\"0\"}";

static void clear(thing *t)
{
    for (size_t i = 0; i < t->leaf_count; i++) sbl_free(t->leaves[i].copy);
    sbl_free(t->leaves);
    *t = (thing){0};
}

static json_t *parse(const char *text)
{
    json_t *object;
    assert_int_equal(sbl_json_parse(&object, text, strlen(text), "f", NULL), SBL_OK);
    return object;
}

static void expect_same(const char *text)
{
    thing t = {0};
    char *again;
    json_t *object = parse(text);
    assert_int_equal(sbl_json_fields_read(&t, object, fields, "f", NULL), SBL_OK);
    assert_int_equal(sbl_json_fields_text(&again, &t, fields, "a thing", NULL), SBL_OK);
    assert_string_equal(again, text);
    sbl_free(again);
    clear(&t);
    json_decref(object);
}

TEST(what_is_written_is_read_back_to_the_byte)
{
    expect_same(whole);
    expect_same(least);
}

TEST(values_arrive_in_their_members)
{
    thing t = {0};
    json_t *object = parse(whole);
    assert_int_equal(sbl_json_fields_read(&t, object, fields, "f", NULL), SBL_OK);
    assert_string_equal(t.title, "short");
    assert_string_equal(t.name, "abcabca");
    assert_memory_equal(t.hash, "\x00\xff\x10\xab", 4);
    assert_int_equal(t.paint, BLUE);
    assert_true(t.second && t.flag && t.sparse);
    assert_true(t.count == 7 && t.bits == 5 && t.decimal == 100 && t.wide == ~(sbl_u128)0);
    assert_true(t.in.share == 0.5 && isinf(t.in.most) && t.fraction == 0.25);
    assert_int_equal(t.leaf_count, 2);
    assert_true(t.leaves[0].number == -3 && t.leaves[1].number == 4);
    assert_string_equal(t.leaves[0].copy, "x");
    clear(&t);
    json_decref(object);
}

/* Reads a whole thing with this value of one member; NULL: without that member. */
static void expect_refused(const char *name, json_t *value, const char *message)
{
    thing t = {0};
    sbl_error err = {0};
    json_t *object = parse(whole);
    if (value != NULL)
        assert_int_equal(json_object_set_new(object, name, value), 0);
    else
        assert_int_equal(json_object_del(object, name), 0);
    assert_int_equal(sbl_json_fields_read(&t, object, fields, "f", &err), SBL_EINPUT);
    assert_string_equal(err.message, message);
    clear(&t);
    json_decref(object);
}

TEST(a_wrong_value_is_refused_by_the_name_of_its_field)
{
    static const char unfit[] = "f: field 'title' has the wrong length or an invalid character";
    expect_refused("format", json_string("thin"), "f: field 'format' has an unknown value");
    expect_refused("version", json_integer(4), "f: field 'version' is out of range");
    expect_refused("version", json_integer(2), "f: field 'version' is out of range");
    expect_refused("title", json_string(""), unfit);
    expect_refused("title", json_string("longer"), unfit);
    expect_refused("title", json_string("a\n"), unfit);
    expect_refused("name", json_string("d"), "f: field 'name' is no name");
    expect_refused("name", json_string("abcabcab"), "f: field 'name' is no name");
    expect_refused("name", NULL, "f: field 'name' is missing");
    expect_refused("hash", json_string("00ff10"),
                   "f: field 'hash' is not a hexadecimal text of the right length");
    expect_refused("paint", json_string(""), "f: field 'paint' has an unknown value");
    expect_refused("paint", json_integer(1), "f: field 'paint' must be a string");
    expect_refused("side", json_string("third"), "f: field 'side' has an unknown value");
    expect_refused("count", json_integer(0), "f: field 'count' is out of range");
    expect_refused("count", json_integer(10), "f: field 'count' is out of range");
    expect_refused("decimal", json_string("101"), "f: field 'decimal' is out of range");
    expect_refused("decimal", json_string("18446744073709551616"), "f: field 'decimal' is out of range");
    expect_refused("decimal", json_integer(1), "f: field 'decimal' must be a string");
    expect_refused("in", json_integer(1), "f: field 'in' must be an object");
    expect_refused("in", json_pack("{s:s, s:i}", "share", "inf", "most", 1),
                   "f: field 'share' must be a number");
    expect_refused("fraction", NULL, "f: field 'fraction' is missing");
    expect_refused("leaves", json_pack("[{}, {}, {}]"), "f: field 'leaves' is too short or too long");
    expect_refused("leaves", json_pack("[{s:s, s:f}]", "copy", "", "number", 0.5),
                   "f: field 'number' is not a whole number");
    expect_refused("twice", json_integer(13), "f: field 'twice' is not twice");
}

TEST(without_memory_nothing_is_left_out)
{
    thing t = {0};
    sbl_error err;
    char *text = NULL;
    json_t *object = parse(whole);
    sbl_status status = SBL_EMEM;
    for (long n = 1; status == SBL_EMEM; n++) {
        sbl_test_fail_alloc(n);
        status = sbl_json_fields_read(&t, object, fields, "f", &err);
        if (status == SBL_EMEM) clear(&t);
    }
    assert_int_equal(status, SBL_OK);
    status = SBL_EMEM;
    for (long n = 1; status == SBL_EMEM; n++) {
        sbl_test_fail_alloc(n);
        status = sbl_json_fields_text(&text, &t, fields, "a thing", &err);
    }
    sbl_test_fail_alloc(0);
    assert_string_equal(text, whole);
    assert_null(sbl_json_fields_write(NULL, &t, fields));
    sbl_free(text);
    clear(&t);
    json_decref(object);
}
