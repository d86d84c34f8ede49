/* SPDX-License-Identifier: Apache-2.0 */
/* A tally counts what is there, whatever the order and the batches, and nothing that is no key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"
#include "public/account/survival.h"
#include "records/accumulate/key_tally.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

FREES(sbl_key_tally_free);

static bool all_hashes_equal;
static bool no_randomness;

uint64_t __real_sbl_siphash(const uint8_t *key, const void *data, size_t size);
uint64_t __wrap_sbl_siphash(const uint8_t *key, const void *data, size_t size);
uint64_t __wrap_sbl_siphash(const uint8_t *key, const void *data, size_t size)
{
    return all_hashes_equal ? 7 : __real_sbl_siphash(key, data, size);
}

sbl_status __real_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err);
sbl_status __wrap_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err);
sbl_status __wrap_sbl_os_random(uint8_t *bytes, size_t size, sbl_error *err)
{
    if (no_randomness) return sbl_fail(err, SBL_EENTROPY, "made to fail");
    return __real_sbl_os_random(bytes, size, err);
}

static const uint8_t plan[SBL_SHA256_SIZE] = {1};

static sbl_text_cell cell(const char *text)
{
    sbl_text_cell made = {.length = (uint8_t)strlen(text)};
    memcpy(made.text, text, made.length);
    return made;
}

static sbl_key_tally *new_tally(size_t columns)
{
    sbl_layout layout;
    sbl_key_tally *tally;
    assert_ok(sbl_key_tally_layout(&layout, columns, 20, plan, NULL));
    assert_int_equal(layout.blocks[0].bound2, columns);
    assert_int_equal(layout.blocks[0].width, SBL_KEYS_MOST);
    assert_ok(sbl_key_tally_new(&tally, &layout, NULL));
    sbl_layout_clear(&layout);
    return tally;
}

TEST(keys_are_counted_by_column_and_sorted)
{
    const sbl_text_cell cells[] = {cell("b"), cell("x"),  cell("a"), cell(""),
                                   cell("b"), cell("ab"), cell("b"), cell("b")};
    size_t count;
    FREED(sbl_key_tally_free) sbl_key_tally *tally = new_tally(2);
    assert_ok(sbl_key_tally_add(tally, cells, 3, NULL));
    assert_ok(sbl_key_tally_add(tally, cells + 6, 1, NULL));
    assert_int_equal(sbl_key_tally_rows(tally), 4);
    const sbl_key_count *keys = sbl_key_tally_sorted(tally, &count);
    assert_int_equal(count, 5);
    static const struct {
        uint32_t column;
        const char *text;
        int64_t count;
    } expected[] = {{0, "a", 1}, {0, "b", 3}, {1, "ab", 1}, {1, "b", 1}, {1, "x", 1}};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(keys[i].column, expected[i].column);
        assert_int_equal(keys[i].count, expected[i].count);
        assert_int_equal(keys[i].length, strlen(expected[i].text));
        assert_memory_equal(sbl_key_tally_text(tally, &keys[i]), expected[i].text, keys[i].length);
    }
    assert_int_equal(sbl_key_tally_add(tally, cells, 1, NULL), SBL_EINTERNAL);
    assert_false(sbl_key_tally_is_whole(tally));
}

TEST(many_keys_keep_their_counts)
{
    enum { KEYS = 5000, ROWS = 20000 };
    static int64_t expected[KEYS];
    char text[32];
    size_t count;
    int64_t total = 0;
    FREED(sbl_key_tally_free) sbl_key_tally *tally = new_tally(1);
    memset(expected, 0, sizeof expected);
    srand(3);
    for (int i = 0; i < ROWS; i++) {
        const int key = rand() % KEYS;
        (void)snprintf(text, sizeof text, "key %06d", key);
        const sbl_text_cell one = cell(text);
        expected[key]++;
        assert_ok(sbl_key_tally_add(tally, &one, 1, NULL));
    }
    const sbl_key_count *keys = sbl_key_tally_sorted(tally, &count);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof text, "%.*s", (int)keys[i].length, sbl_key_tally_text(tally, &keys[i]));
        assert_int_equal(keys[i].count, expected[atoi(text + 4)]);
        total += keys[i].count;
    }
    assert_int_equal(total, ROWS);
}

TEST(what_does_not_fit_is_refused)
{
    sbl_layout layout;
    sbl_key_tally *tally;
    sbl_text_cell long_one = {.length = SBL_TEXT_LONGEST};
    size_t count;
    assert_int_equal(sbl_key_tally_layout(&layout, 0, 20, plan, NULL), SBL_EARG);
    assert_int_equal(sbl_key_tally_layout(&layout, 1, 9, plan, NULL), SBL_EARG);
    assert_int_equal(sbl_key_tally_layout(&layout, 1, 97, plan, NULL), SBL_EARG);
    assert_ok(sbl_key_tally_layout(&layout, 1, 20, plan, NULL));
    layout.blocks[0].survival_bits = 0;
    assert_int_equal(sbl_key_tally_new(&tally, &layout, NULL), SBL_EARG);
    sbl_layout_clear(&layout);
    tally = new_tally(1);
    memset(long_one.text, 'a', sizeof long_one.text);
    assert_ok(sbl_key_tally_add(tally, &long_one, 1, NULL));
    long_one.length = SBL_TEXT_LONGEST + 1;
    assert_ok(sbl_key_tally_add(tally, &long_one, 1, NULL));
    (void)sbl_key_tally_sorted(tally, &count);
    assert_int_equal(count, 1);
    sbl_key_tally_free(tally);
    tally = new_tally(2);
    assert_int_equal(sbl_key_tally_add(tally, NULL, SBL_KEYS_MOST / 2 + 1, NULL), SBL_EINPUT);
    assert_false(sbl_key_tally_is_whole(tally));
    const sbl_text_cell row[] = {cell("a"), cell("b")};
    assert_int_equal(sbl_key_tally_add(tally, row, 1, NULL), SBL_EINTERNAL);
    sbl_key_tally_free(tally);
    tally = new_tally(2);
    assert_ok(sbl_key_tally_add(tally, row, 1, NULL));
    assert_int_equal(sbl_key_tally_add(tally, row, SBL_KEYS_MOST / 2, NULL), SBL_EINPUT);
    sbl_key_tally_free(tally);
}

/* What is told apart is told apart by its column and its text; the hash only says where to look. */
TEST(keys_of_one_hash_are_told_apart)
{
    const sbl_text_cell cells[] = {cell("a"),  cell("a"), cell("b"), cell("aa"),
                                   cell("ab"), cell("b"), cell("a"), cell("ab")};
    size_t count;
    all_hashes_equal = true;
    sbl_key_tally *tally = new_tally(2);
    assert_ok(sbl_key_tally_add(tally, cells, 4, NULL));
    const sbl_key_count *keys = sbl_key_tally_sorted(tally, &count);
    all_hashes_equal = false;
    static const char *const texts[] = {"a", "ab", "b", "a", "aa", "ab", "b"};
    static const int64_t counts[] = {2, 1, 1, 1, 1, 1, 1};
    assert_int_equal(count, 7);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(keys[i].column, i / 3 == 0 ? 0 : 1);
        assert_int_equal(keys[i].count, counts[i]);
        assert_int_equal(keys[i].length, strlen(texts[i]));
        assert_memory_equal(sbl_key_tally_text(tally, &keys[i]), texts[i], keys[i].length);
    }
    /* Sorted again they are the same; and nothing at all can be sorted. */
    assert_ptr_equal(sbl_key_tally_sorted(tally, &count), keys);
    assert_int_equal(count, 7);
    sbl_key_tally_free(tally);
    tally = new_tally(1);
    (void)sbl_key_tally_sorted(tally, &count);
    assert_int_equal(count, 0);
    sbl_key_tally_free(tally);
}

TEST(layout_of_sums_is_no_layout_of_keys)
{
    sbl_layout layout;
    sbl_key_tally *tally;
    assert_int_equal(sbl_key_tally_layout(&layout, SBL_KEYS_MOST + 1, 20, plan, NULL), SBL_EARG);
    for (int fault = 0; fault < 3; fault++) {
        assert_ok(sbl_key_tally_layout(&layout, 1, 20, plan, NULL));
        if (fault == 0) layout.block_count = 0;
        if (fault == 1) layout.counts = true;
        if (fault == 2) layout.rows_per_unit = 2;
        assert_int_equal(sbl_key_tally_new(&tally, &layout, NULL), SBL_EARG);
        assert_null(tally);
        layout.block_count = 1;
        sbl_layout_clear(&layout);
    }
}

/* Keys cannot be summed: nothing enforces their bounds there. */
TEST(layout_of_keys_is_no_layout_of_sums)
{
    CLEARED(sbl_layout_clear) sbl_layout layout;
    sbl_error err = {0};
    assert_ok(sbl_key_tally_layout(&layout, 3, 20, plan, NULL));
    assert_int_equal(sbl_layout_validate(&layout, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "tallied"));
    /* Nor one of persons, whose keys no threshold is proved for. */
    sbl_key_tally *tally = NULL;
    layout.rows_per_unit = 2;
    assert_int_equal(sbl_key_tally_new(&tally, &layout, &err), SBL_EARG);
    assert_null(tally);
}

TEST(failed_allocations_break_the_tally)
{
    const sbl_text_cell one = cell("a");
    sbl_layout layout;
    assert_ok(sbl_key_tally_layout(&layout, 1, 20, plan, NULL));
    for (long n = 1;; n++) {
        sbl_key_tally *tally = NULL;
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_key_tally_new(&tally, &layout, NULL);
        if (status == SBL_OK) {
            status = sbl_key_tally_add(tally, &one, 1, NULL);
            assert_true(sbl_key_tally_is_whole(tally) == (status == SBL_OK));
        }
        const bool failed = sbl_test_fail_end();
        sbl_key_tally_free(tally);
        if (!failed) break;
        assert_int_equal(status, SBL_EMEM);
    }
    no_randomness = true;
    sbl_key_tally *tally = NULL;
    assert_int_equal(sbl_key_tally_new(&tally, &layout, NULL), SBL_EENTROPY);
    assert_null(tally);
    no_randomness = false;
    sbl_layout_clear(&layout);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_key_tally_layout(&layout, 1, 20, plan, NULL), SBL_EMEM);
    sbl_test_fail_alloc(0);
}

/* The vectors of the authors: key 00 01 .. 0f, input 00 01 .. of every length from 0. */
TEST(siphash_agrees_with_its_authors)
{
    static const uint64_t expected[] = {
        UINT64_C(0x726fdb47dd0e0e31), UINT64_C(0x74f839c593dc67fd), UINT64_C(0x0d6c8009d9a94f5a),
        UINT64_C(0x85676696d7fb7e2d), UINT64_C(0xcf2794e0277187b7), UINT64_C(0x18765564cd99a68d),
        UINT64_C(0xcbc9466e58fee3ce), UINT64_C(0xab0200f58b01d137), UINT64_C(0x93f5f5799a932462),
    };
    uint8_t bytes[16];
    for (uint8_t i = 0; i < 16; i++) bytes[i] = i;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(sbl_siphash(bytes, bytes, i) == expected[i]);
    assert_true(sbl_siphash(bytes, bytes, 15) == UINT64_C(0xa129ca6149be45e5));
}
