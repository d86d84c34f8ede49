/* SPDX-License-Identifier: Apache-2.0 */
/* Public facts: what a schema or an image set says of an encoded record, and that their text gives
 * them back. */
#include <string.h>

#include "base/alloc.h"
#include "public/plan/facts.h"
#include "support/cmocka_all.h"
#include "support/data_kit.h"
#include "support/fail_alloc.h"

static char *text_of(const sbl_facts *facts)
{
    json_t *object = sbl_facts_to_json(facts);
    char *text = object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return text;
}

TEST(label_of_a_table_is_its_class_and_no_category)
{
    sbl_facts facts;
    data_facts(&facts, DATA_LABELLED);
    assert_int_equal(facts.kind, SBL_DATA_TABLE);
    assert_int_equal(facts.classes, 2);
    assert_int_equal(facts.label_column, 0); /* sick stands before income's mark and the ward */
    assert_int_equal(facts.heads.categorical_count, 3);
    assert_int_equal(facts.shape.categorical, 2);
    assert_int_equal(facts.shape.classes, 2);
    assert_int_equal(facts.shape.numeric, 3);
    assert_int_equal(facts.code_columns[0], 1);
    assert_int_equal(facts.code_columns[1], 2);
    assert_int_equal(facts.shape.cardinalities[0], 2);
    assert_int_equal(facts.shape.cardinalities[1], 4); /* missing is one more */
    sbl_facts_clear(&facts);
    assert_null(facts.schema);
}

TEST(table_without_a_class_has_one)
{
    for (data_case c = DATA_REGRESSION; c <= DATA_CATEGORIES; c++) {
        sbl_facts facts;
        data_facts(&facts, c);
        assert_int_equal(facts.classes, 1);
        assert_int_equal(facts.shape.classes, 1);
        assert_int_equal(facts.label_column, SBL_NO_HEAD);
        assert_int_equal(facts.shape.categorical, facts.heads.categorical_count);
        for (size_t k = 0; k < facts.shape.categorical; k++) assert_int_equal(facts.code_columns[k], k);
        sbl_facts_clear(&facts);
    }
}

TEST(images_are_their_values_and_their_classes)
{
    sbl_facts facts;
    data_facts(&facts, DATA_DIGITS);
    assert_int_equal(facts.kind, SBL_DATA_IMAGES);
    assert_true(facts.classes == 3 && facts.shape.numeric == 20 && facts.shape.categorical == 0);
    assert_null(facts.schema);
    assert_string_equal(facts.images.names[1], "dog");
    sbl_facts_clear(&facts);
    data_facts(&facts, DATA_COLOURS);
    assert_true(facts.classes == 1 && facts.shape.numeric == 27 && facts.images.classes == 0);
    sbl_facts_clear(&facts);
}

TEST(balance_is_a_fact_of_two_classes_and_more)
{
    for (size_t classes = 0; classes < 4; classes++) {
        sbl_image_facts images;
        sbl_facts facts;
        assert_ok(sbl_image_facts_init(&images, 2, 2, 1, classes, NULL, NULL));
        assert_ok(sbl_facts_of_images(&facts, &images, true, NULL));
        assert_int_equal(facts.balanced, classes > 1);
        sbl_facts_clear(&facts);
        sbl_image_facts_clear(&images);
    }
}

TEST(text_gives_back_the_facts)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        sbl_facts facts, again;
        sbl_error err = {0};
        data_facts(&facts, c);
        json_t *object = sbl_facts_to_json(&facts);
        assert_ok_or_say(sbl_facts_from_json(&again, object, "here", &err));
        char *own = text_of(&facts), *their = text_of(&again);
        assert_string_equal(own, their);
        assert_int_equal(again.kind, facts.kind);
        assert_int_equal(again.classes, facts.classes);
        assert_int_equal(again.label_column, facts.label_column);
        assert_int_equal(again.shape.numeric, facts.shape.numeric);
        assert_int_equal(again.shape.onehot, facts.shape.onehot);
        assert_int_equal(again.heads.count, facts.heads.count);
        sbl_free(own);
        sbl_free(their);
        json_decref(object);
        sbl_facts_clear(&again);
        sbl_facts_clear(&facts);
    }
}

TEST(text_of_no_facts_is_refused)
{
    static const char *const texts[] = {
        "{}",
        "{\"kind\":1}",
        "{\"kind\":\"sound\"}",
        "{\"kind\":\"table\"}",
        "{\"kind\":\"table\",\"schema\":3}",
        "{\"kind\":\"table\",\"schema\":{}}",
        "{\"kind\":\"table\",\"schema\":{\"fields\":[]}}",
        "{\"kind\":\"images\"}",
        "{\"kind\":\"images\",\"balanced\":1,\"images\":{}}",
        "{\"kind\":\"images\",\"balanced\":true,\"images\":{}}",
        "{\"kind\":\"images\",\"balanced\":true,\"images\":[]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sbl_facts facts;
        sbl_error err = {0};
        json_t *object = json_loads(texts[i], 0, NULL);
        if (sbl_facts_from_json(&facts, object, "f.json", &err) != SBL_EINPUT)
            fail_msg("taken: %s", texts[i]);
        assert_true(facts.schema == NULL && facts.images.names == NULL);
        assert_true(strncmp(err.message, "f.json", 6) == 0 || strstr(err.message, "f.json"));
        json_decref(object);
    }
}

TEST(lack_of_memory_leaves_nothing)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        sbl_facts facts, again;
        data_facts(&facts, c);
        json_t *object = sbl_facts_to_json(&facts);
        for (long n = 1;; n++) {
            sbl_test_fail_alloc(n);
            const sbl_status status = sbl_facts_from_json(&again, object, "here", NULL);
            if (!sbl_test_alloc_failed()) break;
            assert_int_equal(status, SBL_EMEM);
            assert_true(again.schema == NULL && again.code_columns == NULL);
        }
        sbl_test_fail_alloc(0);
        sbl_facts_clear(&again);
        json_decref(object);
        sbl_facts_clear(&facts);
    }
}

/* A text that lacks a fact is worse than none. */
TEST(text_under_lack_of_memory_is_whole_or_not_there)
{
    for (data_case c = 0; c < DATA_CASES; c++) {
        sbl_facts facts;
        data_facts(&facts, c);
        char *whole = text_of(&facts);
        for (long n = 1;; n++) {
            sbl_test_fail_json(n);
            char *text = text_of(&facts);
            const bool failed = sbl_test_json_failed();
            sbl_test_fail_json(0);
            if (text != NULL) assert_string_equal(text, whole);
            sbl_free(text);
            if (!failed) break;
        }
        sbl_free(whole);
        sbl_facts_clear(&facts);
    }
}

ALL_TESTS(sbl_test_watch_json, NULL)
