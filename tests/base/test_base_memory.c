/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation, wiping, and what growing texts do when memory runs out. */
#include "base/alloc.h"

#include "base/cmocka_plain.h"
#include "base/file.h"
#include "base/text.h"
#include "support/fail_alloc.h"

TEST(memory_comes_zeroed_and_grows)
{
    unsigned char *block = sbl_alloc_array(100, 10);
    assert_non_null(block);
    for (int i = 0; i < 1000; i++) assert_int_equal(block[i], 0);
    block[999] = 7;
    block = sbl_resize_array(block, 5000, 1);
    assert_non_null(block);
    assert_int_equal(block[999], 7);
    sbl_free(block);
    sbl_free(NULL);
}

TEST(a_count_of_zero_is_a_valid_block)
{
    void *block = sbl_alloc_array(0, 8);
    assert_non_null(block);
    block = sbl_resize_array(block, 0, 8);
    assert_non_null(block);
    sbl_free(block);
}

TEST(a_product_that_overflows_is_refused)
{
    char *block = sbl_alloc_array(4, 1);
    assert_null(sbl_alloc_array(SIZE_MAX / 2 + 1, 2));
    assert_null(sbl_resize_array(block, SIZE_MAX / 2 + 1, 2));
    memcpy(block, "abc", 4); /* still ours */
    assert_string_equal(block, "abc");
    sbl_free(block);
}

TEST(wiping_overwrites_every_byte)
{
    unsigned char secret[33];
    memset(secret, 0xa5, sizeof secret);
    sbl_wipe(secret, sizeof secret - 1);
    for (size_t i = 0; i + 1 < sizeof secret; i++) assert_int_equal(secret[i], 0);
    assert_int_equal(secret[32], 0xa5);
    sbl_wipe(NULL, 0);
    sbl_free_wiped(NULL, 10);
    sbl_free_wiped(sbl_alloc_array(10, 1), 10);
}

TEST(a_pool_frees_what_came_from_it_and_refuses_what_overflows)
{
    sbl_pool pool = {0};
    double *rows = sbl_pool_array(&pool, 3, 5, sizeof *rows);
    char *none = sbl_pool_array(&pool, 0, 5, 1);
    assert_non_null(rows);
    assert_non_null(none);
    for (int i = 0; i < 15; i++) assert_true(rows[i] == 0);
    assert_int_equal((uintptr_t)rows % SBL_LINE, 0);
    assert_null(sbl_pool_array(&pool, SIZE_MAX / 2 + 1, 2, 1));
    assert_null(sbl_pool_array(&pool, SIZE_MAX, 1, 1));
    sbl_test_fail_alloc(1);
    assert_null(sbl_pool_array(&pool, 1, 1, 1));
    sbl_test_fail_alloc(0);
    sbl_pool_clear(&pool); /* a leak is for the sanitizers to see */
    assert_null(pool.last);
    sbl_pool_clear(&pool);
}

TEST(lines_are_zeroed_and_refuse_what_overflows)
{
    for (size_t count = 0; count < 200; count += 7) {
        char *array = sbl_lines_array(count, 1);
        assert_non_null(array);
        assert_int_equal((uintptr_t)array % SBL_LINE, 0);
        for (size_t i = 0; i < count; i++) assert_int_equal(array[i], 0);
        memset(array, 0xff, count); /* one byte more is for the sanitizers to see */
        sbl_lines_free(array);
    }
    sbl_lines_free(NULL);
    assert_null(sbl_lines_array(SIZE_MAX / 2 + 1, 2));
    assert_null(sbl_lines_array(SIZE_MAX - 8, 1));
    sbl_test_fail_alloc(1);
    assert_null(sbl_lines_array(1, 1));
    sbl_test_fail_alloc(0);
}

TEST(a_text_without_memory_fails_once_and_for_good)
{
    sbl_text text = {0};
    sbl_test_fail_alloc(1);
    sbl_text_append(&text, "abc", 3);
    assert_true(text.failed && text.data == NULL);
    sbl_text_clear(&text);
    sbl_test_fail_alloc(1);
    sbl_text_printf(&text, "%0400d", 1);
    assert_true(text.failed);
    sbl_test_fail_alloc(0);
    sbl_text_clear(&text);
}

TEST(files_report_a_lack_of_memory)
{
    sbl_error err;
    uint8_t *bytes;
    size_t size;
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_file_read(&bytes, &size, "/proc/self/cmdline", 100, &err), SBL_EMEM);
    assert_null(bytes);
    sbl_test_fail_alloc(1);
    assert_int_equal(
        sbl_file_write("unwritten", "x", 1, (sbl_file_write_options){.mode = 0600, .overwrite = false}, &err),
        SBL_EMEM);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_sync_folder_of("somewhere", &err), SBL_EMEM);
    sbl_test_fail_alloc(0);
}
