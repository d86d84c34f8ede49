/* SPDX-License-Identifier: Apache-2.0 */
/* The public facts of an image set: a text that gives them back, and refusals. */
#include "public/schema/encoding_layout.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static const char *const pets[] = {"cat", "dog", "7"};

static sbl_image_facts facts_of(size_t channels, size_t classes, const char *const *names)
{
    sbl_image_facts facts;
    assert_ok(sbl_image_facts_init(&facts, 12, 20, channels, classes, names, NULL));
    return facts;
}

TEST(classes_are_found_by_name_and_by_number_only_without_names)
{
    size_t index = 99;
    sbl_image_facts facts = facts_of(1, 3, pets);
    assert_true(sbl_image_facts_class(&index, &facts, "dog"));
    assert_int_equal(index, 1);
    assert_true(sbl_image_facts_class(&index, &facts, "7"));
    assert_int_equal(index, 2);
    static const char *const no_names[] = {"0", "1", "2", "3", "", "Dog"};
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++)
        assert_false(sbl_image_facts_class(&index, &facts, no_names[i]));
    sbl_image_facts_clear(&facts);
    facts = facts_of(1, 3, NULL);
    for (size_t c = 0; c < 3; c++) {
        assert_true(sbl_image_facts_class(&index, &facts, (const char *[]){"0", "1", "2"}[c]));
        assert_int_equal(index, c);
    }
    static const char *const none[] = {"3", "-1", "", "dog", "1.0", "18446744073709551616"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(sbl_image_facts_class(&index, &facts, none[i]));
    sbl_image_facts_clear(&facts);
    facts = facts_of(1, 0, NULL);
    assert_false(sbl_image_facts_class(&index, &facts, "0"));
    sbl_image_facts_clear(&facts);
}

TEST(impossible_facts_are_refused)
{
    sbl_image_facts facts;
    const size_t bad[][4] = {{0, 5, 1, 2},   {5, 0, 1, 2}, {129, 5, 1, 2},
                             {5, 129, 1, 2}, {5, 5, 2, 2}, {5, 5, 1, 1001}};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(sbl_image_facts_init(&facts, bad[i][0], bad[i][1], bad[i][2], bad[i][3], NULL, NULL),
                         SBL_EARG);
}

static void assert_same(const sbl_image_facts *a, const sbl_image_facts *b)
{
    assert_true(a->height == b->height && a->width == b->width && a->channels == b->channels);
    assert_int_equal(a->classes, b->classes);
    assert_true((a->names == NULL) == (b->names == NULL));
    for (size_t c = 0; a->names != NULL && c < a->classes; c++) assert_string_equal(a->names[c], b->names[c]);
}

TEST(text_and_copy_are_the_same_facts)
{
    for (int i = 0; i < 3; i++) {
        sbl_image_facts facts = facts_of(i == 1 ? 3 : 1, i == 2 ? 0 : 3, i == 0 ? pets : NULL);
        sbl_image_facts again;
        json_t *object = sbl_image_facts_to_json(&facts);
        assert_ok(sbl_image_facts_from_json(&again, object, "here", NULL));
        assert_same(&facts, &again);
        sbl_image_facts_clear(&again);
        assert_ok(sbl_image_facts_copy(&again, &facts, NULL));
        assert_same(&facts, &again);
        sbl_image_facts_clear(&again);
        json_decref(object);
        sbl_image_facts_clear(&facts);
    }
}

TEST(lack_of_memory_leaves_nothing)
{
    sbl_image_facts facts = facts_of(1, 3, pets), again;
    json_t *object = sbl_image_facts_to_json(&facts);
    for (int copy = 0; copy < 2; copy++) {
        for (long n = 0; sbl_test_fail_next(&n);)
            if (sbl_test_no_memory(copy ? sbl_image_facts_copy(&again, &facts, NULL)
                                        : sbl_image_facts_from_json(&again, object, "here", NULL)))
                assert_null(again.names);
        sbl_image_facts_clear(&again);
    }
    json_decref(object);
    sbl_image_facts_clear(&facts);
}
