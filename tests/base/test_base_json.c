/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/alloc.h"
#include "base/cmocka_plain.h"
#include "base/file.h"
#include "support/temp_folder.h"

static json_t *parse(const char *text)
{
    json_t *object;
    assert_ok(sbl_json_parse(&object, text, strlen(text), "f.json", NULL));
    return object;
}

TEST(an_object_is_parsed_and_getters_find_every_type)
{
    json_t *object = parse(
        "{\"o\":{\"x\":1},\"l\":[1,2],\"s\":\"text\",\"u\":9007199254740993,\"r\":0.5,\"i\":3,"
        "\"b\":true,\"n\":\"340282366920938463463374607431768211455\"}");
    json_t *member;
    const char *text;
    uint64_t whole;
    double real;
    bool flag = false;
    sbl_u128 big;
    assert_ok(sbl_json_get_object(&member, object, "o", "f", NULL));
    assert_int_equal(json_object_size(member), 1);
    assert_ok(sbl_json_get_array(&member, object, "l", "f", NULL));
    assert_int_equal(json_array_size(member), 2);
    assert_ok(sbl_json_get_string(&text, object, "s", "f", NULL));
    assert_string_equal(text, "text");
    assert_ok(sbl_json_get_u64(&whole, object, "u", "f", NULL));
    assert_true(whole == UINT64_C(9007199254740993)); /* not through a double */
    assert_ok(sbl_json_get_double(&real, object, "r", "f", NULL));
    assert_true(real == 0.5);
    assert_ok(sbl_json_get_double(&real, object, "i", "f", NULL));
    assert_true(real == 3.0);
    assert_ok(sbl_json_get_bool(&flag, object, "b", "f", NULL));
    assert_true(flag);
    assert_ok(sbl_json_get_u128(&big, object, "n", "f", NULL));
    assert_true(big == SBL_U128_MAX);
    json_decref(object);
}

/* Calls getter number `which` for a field; every output must be zeroed when it fails. */
static sbl_status get(int which, const json_t *object, const char *name, sbl_error *err)
{
    json_t *member = (json_t *)(uintptr_t)&which;
    const char *text = "x";
    uint64_t whole = 7;
    double real = 7.0;
    bool flag = true;
    sbl_u128 big = 7;
    sbl_status status;
    switch (which) {
    case 0:
        status = sbl_json_get_object(&member, object, name, "f.json", err);
        assert_null(member);
        return status;
    case 1:
        status = sbl_json_get_array(&member, object, name, "f.json", err);
        assert_null(member);
        return status;
    case 2:
        status = sbl_json_get_string(&text, object, name, "f.json", err);
        assert_null(text);
        return status;
    case 3:
        status = sbl_json_get_u64(&whole, object, name, "f.json", err);
        assert_true(whole == 0);
        return status;
    case 4:
        status = sbl_json_get_double(&real, object, name, "f.json", err);
        assert_true(real == 0.0);
        return status;
    case 5:
        status = sbl_json_get_bool(&flag, object, name, "f.json", err);
        assert_false(flag);
        return status;
    default:
        status = sbl_json_get_u128(&big, object, name, "f.json", err);
        assert_true(big == 0);
        return status;
    }
}

TEST(getters_name_the_file_and_the_field_that_is_missing_or_wrong)
{
    json_t *object = parse("{\"wrong\":null}");
    for (int which = 0; which <= 6; which++) {
        sbl_error err;
        assert_int_equal(get(which, object, "absent", &err), SBL_EINPUT);
        assert_string_equal(err.message, "f.json: field 'absent' is missing");
        assert_int_equal(get(which, object, "wrong", &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "f.json: field 'wrong' must be"));
    }
    json_decref(object);
}

TEST(numbers_of_the_wrong_kind_are_refused)
{
    sbl_error err;
    json_t *object = parse(
        "{\"negative\":-1,\"real\":1.5,\"text\":\"1\",\"sign\":\"-5\","
        "\"over\":\"340282366920938463463374607431768211456\",\"zero\":\"007\"}");
    assert_int_equal(get(3, object, "negative", &err), SBL_EINPUT);
    assert_int_equal(get(3, object, "real", &err), SBL_EINPUT);
    assert_int_equal(get(3, object, "text", &err), SBL_EINPUT);
    assert_int_equal(get(4, object, "text", &err), SBL_EINPUT);
    assert_int_equal(get(6, object, "negative", &err), SBL_EINPUT);
    assert_int_equal(get(6, object, "sign", &err), SBL_EINPUT);
    assert_int_equal(get(6, object, "over", &err), SBL_EINPUT);
    assert_int_equal(get(6, object, "zero", &err), SBL_EINPUT);
    json_decref(object);
}

TEST(text_that_is_no_object_is_refused_without_quoting_it)
{
    const char *const bad[] = {
        "", "{", "[1]", "\"secret\"", "{\"a\":1,\"a\":2}", "{\"a\":secret}", "{\"a\":1} x", "nul"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sbl_error err;
        json_t *object = (json_t *)(uintptr_t)&err;
        assert_int_equal(sbl_json_parse(&object, bad[i], strlen(bad[i]), "f.json", &err), SBL_EINPUT);
        assert_null(object);
        assert_non_null(strstr(err.message, "f.json"));
        assert_null(strstr(err.message, "secret"));
    }
}

TEST(canonical_text_depends_on_the_facts_only)
{
    json_t *one = parse("{ \"b\": [1, 0.1], \"a\": \"\\u00e9\" }");
    json_t *other = parse("{\"a\":\"\xc3\xa9\",\"b\":[1,0.1]}");
    char *first = sbl_json_canonical(one);
    char *second = sbl_json_canonical(other);
    assert_string_equal(first, second);
    assert_string_equal(first, "{\"a\":\"\\u00E9\",\"b\":[1,0.10000000000000001]}");
    sbl_free(first);
    sbl_free(second);
    json_decref(one);
    json_decref(other);
}

TEST(pretty_text_keeps_the_order_and_ends_with_a_newline)
{
    json_t *object = parse("{\"b\":1,\"a\":2}");
    char *text = sbl_json_pretty(object);
    assert_string_equal(text, "{\n  \"b\": 1,\n  \"a\": 2\n}\n");
    sbl_free(text);
    json_decref(object);
    assert_null(sbl_json_pretty(NULL));
}

TEST(pretty_text_escapes_what_a_terminal_obeys)
{
    json_t *object = parse("{\"a\\u009b\":\"\\u202e\\u007f\\ud83f\\udffe\\n\xc3\xbc\"}");
    char *text = sbl_json_pretty(object);
    json_t *again = parse(text);
    assert_true(json_equal(object, again));
    assert_string_equal(text, "{\n  \"a\\u009b\": \"\\u202e\\u007f\\ud83f\\udffe\\n\xc3\xbc\"\n}\n");
    json_decref(again);
    sbl_free(text);
    json_decref(object);
}

/* The same values come back, whatever stands in strings. */
TEST(pretty_reals_are_the_shortest_that_read_back)
{
    json_t *object = parse(
        "{\"a\":6.9,\"b\":[0.1,1e300,-2.5e-7,3.0,1e22,0.30000000000000004],\"c\":\"6."
        "9000000000000004\","
        "\"d\\\"6.9000000000000004\":true,\"e\":false,\"f\":7}");
    char *text = sbl_json_pretty(object);
    json_t *again = parse(text);
    assert_true(json_equal(object, again));
    assert_non_null(strstr(text, "\"a\": 6.9,"));
    assert_non_null(strstr(text, " 0.1,"));
    assert_non_null(strstr(text, " 3.0,"));
    assert_non_null(strstr(text, " 0.30000000000000004\n"));
    assert_non_null(strstr(text, "\"c\": \"6.9000000000000004\""));
    sbl_free(text);
    json_decref(again);
    json_decref(object);
}

TEST(big_integers_travel_as_strings)
{
    json_t *value = sbl_json_u128(SBL_U128_MAX);
    assert_string_equal(json_string_value(value), "340282366920938463463374607431768211455");
    json_decref(value);
}

TEST(a_file_is_read_with_its_limit)
{
    char folder[256];
    sbl_error err;
    json_t *object;
    temp_folder_make(folder);
    const char *path = in_folder(folder, "a.json");
    assert_ok(sbl_file_write(path, "{\"a\":1}", 7, (sbl_file_write_options){.mode = 0600, .overwrite = false},
                             NULL));
    assert_ok(sbl_json_read(&object, path, 7, NULL));
    assert_int_equal(json_object_size(object), 1);
    json_decref(object);
    assert_int_equal(sbl_json_read(&object, path, 6, &err), SBL_EINPUT);
    assert_null(object);
    assert_int_equal(sbl_json_read(&object, in_folder(folder, "none"), 6, &err), SBL_EIO);
    assert_null(object);
    temp_folder_remove(folder);
}

TEST(what_is_built_is_null_once_a_part_of_it_is)
{
    json_t *list = sbl_json_append(sbl_json_append(json_array(), json_integer(1)), json_true());
    json_t *object = sbl_json_put(json_object(), "list", list);
    char *text = sbl_json_canonical(object);
    assert_string_equal(text, "{\"list\":[1,true]}");
    sbl_free(text);
    assert_null(sbl_json_put(object, "more", NULL));
    assert_null(sbl_json_append(NULL, json_true()));
    assert_null(sbl_json_put(NULL, "a", json_true()));
}
