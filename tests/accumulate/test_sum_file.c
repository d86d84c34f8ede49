/* Partial-sum files: they come back, merge in any order, and nothing else is let in. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "accumulate/sum.h"
#include "accumulate/sum_fixture.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

enum { HASH_AT = 12, ROWS_AT = 44, COUNT_AT = 52, VALUES_AT = 60, MAC_SIZE = 32 };
static const uint8_t key[SBL_SUM_KEY_SIZE] = {7, 7, 7};
static char folder[256];

static bool hmac_fails;
sbl_status __real_sbl_hmac_sha256(uint8_t *mac, const uint8_t *k, size_t key_size, const void *data,
                                  size_t size, sbl_error *err);
sbl_status __wrap_sbl_hmac_sha256(uint8_t *mac, const uint8_t *k, size_t key_size, const void *data,
                                  size_t size, sbl_error *err);
sbl_status __wrap_sbl_hmac_sha256(uint8_t *mac, const uint8_t *k, size_t key_size, const void *data,
                                  size_t size, sbl_error *err)
{
    if (hmac_fails) return SBL_EINTERNAL;
    return __real_sbl_hmac_sha256(mac, k, key_size, data, size, err);
}

/* A sum of 20 records, its file, and the file's bytes. */
typedef struct saved {
    mixed_layout m;
    sbl_sum *sum;
    const char *path;
    uint8_t *bytes;
    size_t size;
} saved;

static void saved_init(saved *s)
{
    record_set set;
    mixed_layout_init(&s->m);
    record_set_init(&set, 20, 31);
    s->sum = sum_of_all(&set, &s->m.layout);
    record_set_clear(&set);
    s->path = in_folder(folder, "sum");
    assert_int_equal(sbl_sum_save(s->sum, s->path, key, true, NULL), SBL_OK);
    assert_int_equal(sbl_file_read(&s->bytes, &s->size, s->path, 1 << 20, NULL), SBL_OK);
}

static void saved_clear(saved *s)
{
    sbl_sum_free(s->sum);
    sbl_free(s->bytes);
}

static void seal(uint8_t *bytes, size_t size)
{
    assert_int_equal(
        sbl_hmac_sha256(bytes + size - MAC_SIZE, key, sizeof key, bytes, size - MAC_SIZE, NULL),
        SBL_OK);
}

static void expect_refused(const uint8_t *bytes, size_t size, const sbl_layout *layout,
                           const char *words)
{
    sbl_error err = {0};
    sbl_sum *sum = (sbl_sum *)&err;
    assert_int_equal(sbl_sum_decode(&sum, bytes, size, layout, key, "FILE", &err), SBL_EINPUT);
    assert_null(sum);
    assert_non_null(strstr(err.message, "FILE"));
    if (strstr(err.message, words) == NULL) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_null(strchr(err.message, '\n'));
}

static void saved_sum_comes_back_the_same(void **state)
{
    (void)state;
    saved s;
    sbl_sum *back = NULL;
    sbl_error err = {0};
    saved_init(&s);
    if (sbl_sum_load(&back, s.path, &s.m.layout, key, &err) != SBL_OK) fail_msg("%s", err.message);
    assert_true(same_sums(back, s.sum));
    sbl_sum_free(back);
    saved_clear(&s);
}

/* The format is a contract with other machines: little-endian, no padding. */
static void file_has_the_documented_bytes(void **state)
{
    (void)state;
    saved s;
    uint8_t hash[SBL_SHA256_SIZE];
    saved_init(&s);
    const size_t values = sbl_layout_values(&s.m.layout);
    assert_int_equal(s.size, VALUES_AT + 8 * values + MAC_SIZE);
    assert_memory_equal(s.bytes, "SBLSUM1\n\1\0\0\0", 12);
    assert_int_equal(sbl_layout_hash(hash, &s.m.layout, NULL), SBL_OK);
    assert_memory_equal(s.bytes + HASH_AT, hash, sizeof hash);
    assert_memory_equal(s.bytes + ROWS_AT, "\24\0\0\0\0\0\0\0", 8);
    assert_int_equal(sbl_load_u64(s.bytes + COUNT_AT), values);
    assert_int_equal((int64_t)sbl_load_u64(s.bytes + VALUES_AT), sbl_sum_values(s.sum, 0)[0]);
    assert_int_equal((int64_t)sbl_load_u64(s.bytes + VALUES_AT + 8 * (values - 3)),
                     sbl_sum_counts(s.sum)[0]);
    saved_clear(&s);
}

/* Written by tests/fuzz/corpus/make_sum_file.py, which shares no code with the library. */
static void file_made_elsewhere_is_understood(void **state)
{
    (void)state;
    sbl_block blocks[2] = {
        {.name = "a", .width = 2, .per_class = true, .bound2 = 100, .scale = 1},
        {.name = "b", .width = 2, .nonnegative = true, .bound2 = 9, .bound1 = 4, .scale = 1}};
    const sbl_layout layout = {
        .blocks = blocks, .block_count = 2, .classes = 2, .counts = true, .rows_cap = 1000};
    const uint8_t zero_key[SBL_SUM_KEY_SIZE] = {0};
    const int64_t expected[] = {10, -4, 20, 0, 5, 9, 1, 2};
    sbl_sum *sum = NULL;
    sbl_error err = {0};
    if (sbl_sum_load(&sum, SBL_TEST_SOURCE_DIR "/fuzz/corpus/fuzz_sum_file/valid", &layout,
                     zero_key, &err) != SBL_OK)
        fail_msg("%s", err.message);
    assert_memory_equal(sbl_sum_values(sum, 0), expected, sizeof expected);
    assert_int_equal(sbl_sum_rows(sum), 3);
    sbl_sum_free(sum);
}

static void file_is_for_its_owner_only_and_not_overwritten_unasked(void **state)
{
    (void)state;
    saved s;
    struct stat facts;
    sbl_error err = {0};
    saved_init(&s);
    assert_int_equal(stat(s.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(sbl_sum_save(s.sum, s.path, key, false, &err), SBL_EIO);
    assert_non_null(strstr(err.message, s.path));
    assert_int_equal(chmod(s.path, 0644), 0);
    assert_int_equal(sbl_sum_save(s.sum, s.path, key, true, NULL), SBL_OK);
    assert_int_equal(stat(s.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    saved_clear(&s);
}

static void files_merge_in_any_order(void **state)
{
    (void)state;
    enum { FILES = 4 };
    static const size_t orders[3][FILES] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
    mixed_layout m;
    record_set set;
    char name[FILES][16];
    mixed_layout_init(&m);
    record_set_init(&set, 50, 32);
    sbl_sum *expected = sum_of_all(&set, &m.layout);
    for (size_t f = 0; f < FILES; f++) {
        sbl_sum *part = new_sum(&m.layout);
        feed(part, &set, NULL, 50 * f / FILES, 50 * (f + 1) / FILES, 3, false);
        (void)snprintf(name[f], sizeof name[f], "part%zu", f);
        assert_int_equal(sbl_sum_save(part, in_folder(folder, name[f]), key, true, NULL), SBL_OK);
        sbl_sum_free(part);
    }
    for (size_t o = 0; o < 3; o++) {
        sbl_sum *total = new_sum(&m.layout);
        for (size_t f = 0; f < FILES; f++) {
            sbl_sum *part = NULL;
            const char *path = in_folder(folder, name[orders[o][f]]);
            assert_int_equal(sbl_sum_load(&part, path, &m.layout, key, NULL), SBL_OK);
            assert_int_equal(sbl_sum_merge(total, part, NULL), SBL_OK);
            sbl_sum_free(part);
        }
        assert_true(same_sums(total, expected));
        sbl_sum_free(total);
    }
    sbl_sum_free(expected);
    record_set_clear(&set);
}

static void foreign_or_damaged_files_are_refused_in_one_line(void **state)
{
    (void)state;
    saved s;
    saved_init(&s);
    const sbl_layout *layout = &s.m.layout;
    uint8_t *bytes = malloc(s.size + 1);
    assert_non_null(bytes);
    memcpy(bytes, s.bytes, s.size);
    bytes[s.size] = 0;
    expect_refused(bytes, 0, layout, "not a partial-sum file");
    expect_refused(bytes, VALUES_AT - 1, layout, "not a partial-sum file");
    expect_refused(bytes, VALUES_AT, layout, "truncated");
    expect_refused(bytes, s.size - 1, layout, "truncated");
    expect_refused(bytes, s.size + 1, layout, "bytes to spare");
    bytes[0] = 'X';
    expect_refused(bytes, s.size, layout, "not a partial-sum file");
    bytes[0] = 'S';
    bytes[8] = 2;
    expect_refused(bytes, s.size, layout, "version 2");
    bytes[8] = 1;
    (void)sbl_store_u64(bytes + COUNT_AT, UINT64_MAX);
    seal(bytes, s.size);
    expect_refused(bytes, s.size, layout, "truncated");
    memcpy(bytes, s.bytes, s.size);
    s.m.layout.plan_hash[5] ^= 1;
    expect_refused(bytes, s.size, layout, "another plan");
    s.m.layout.plan_hash[5] ^= 1;
    free(bytes);
    saved_clear(&s);
}

static void every_changed_bit_breaks_the_seal(void **state)
{
    (void)state;
    saved s;
    saved_init(&s);
    for (size_t i = ROWS_AT; i < s.size; i++) {
        if (i >= COUNT_AT && i < VALUES_AT) continue; /* a wrong count is "truncated" */
        s.bytes[i] ^= (uint8_t)(1U << (i % 8));
        expect_refused(s.bytes, s.size, &s.m.layout, "seal");
        s.bytes[i] ^= (uint8_t)(1U << (i % 8));
    }
    sbl_sum *sum = NULL;
    const uint8_t other[SBL_SUM_KEY_SIZE] = {1};
    assert_int_equal(sbl_sum_decode(&sum, s.bytes, s.size, &s.m.layout, other, "FILE", NULL),
                     SBL_EINPUT);
    saved_clear(&s);
}

/* Change one number, seal again: only impossible sums may be refused. */
static void expect_after_change(saved *s, size_t at, uint64_t value, bool refused)
{
    sbl_sum *sum = NULL;
    const uint64_t old = sbl_load_u64(s->bytes + at);
    (void)sbl_store_u64(s->bytes + at, value);
    seal(s->bytes, s->size);
    if (refused) {
        expect_refused(s->bytes, s->size, &s->m.layout, "no records can have these sums");
    } else {
        assert_int_equal(sbl_sum_decode(&sum, s->bytes, s->size, &s->m.layout, key, "FILE", NULL),
                         SBL_OK);
        sbl_sum_free(sum);
    }
    (void)sbl_store_u64(s->bytes + at, old);
}

static void impossible_sums_are_refused_even_when_sealed(void **state)
{
    (void)state;
    saved s;
    saved_init(&s);
    const size_t counts_at = VALUES_AT + 8 * (sbl_layout_values(&s.m.layout) - MIXED_CLASSES);
    const uint64_t in_class_0 = (uint64_t)sbl_sum_counts(s.sum)[0];
    const uint64_t limit = in_class_0 << 28;
    assert_true(in_class_0 > 0 && in_class_0 < 20);
    expect_after_change(&s, VALUES_AT, limit, false);
    expect_after_change(&s, VALUES_AT, limit + 1, true);
    expect_after_change(&s, VALUES_AT, -limit, false);
    expect_after_change(&s, VALUES_AT, -limit - 1, true);
    expect_after_change(&s, VALUES_AT, UINT64_C(1) << 63, true);
    /* The second block is nonnegative and not per class: 0 to 20 * floor(sqrt(1000003)). */
    expect_after_change(&s, VALUES_AT + 8 * 39, 20000, false);
    expect_after_change(&s, VALUES_AT + 8 * 39, 20001, true);
    expect_after_change(&s, VALUES_AT + 8 * 39, 0, false);
    expect_after_change(&s, VALUES_AT + 8 * 39, UINT64_MAX, true);
    expect_after_change(&s, ROWS_AT, 19, true);
    expect_after_change(&s, ROWS_AT, 21, true);
    expect_after_change(&s, counts_at, UINT64_MAX, true);
    expect_after_change(&s, counts_at, in_class_0 + 1, true);
    /* Rows and counts that agree, at the cap and one beyond it. */
    const uint64_t missing = SBL_ROWS_CAP_DEFAULT - 20;
    (void)sbl_store_u64(s.bytes + ROWS_AT, SBL_ROWS_CAP_DEFAULT);
    expect_after_change(&s, counts_at, in_class_0 + missing, false);
    (void)sbl_store_u64(s.bytes + ROWS_AT, SBL_ROWS_CAP_DEFAULT + 1);
    expect_after_change(&s, counts_at, in_class_0 + missing + 1, true);
    saved_clear(&s);
}

static void load_names_the_file_that_fails(void **state)
{
    (void)state;
    saved s;
    sbl_sum *sum = (sbl_sum *)&s;
    sbl_error err = {0};
    saved_init(&s);
    const char *large = in_folder(folder, "large");
    const sbl_file_write_options options = {.mode = 0600, .overwrite = true};
    uint8_t *bytes = calloc(s.size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(sbl_file_write(large, bytes, s.size + 1, options, NULL), SBL_OK);
    free(bytes);
    assert_int_equal(sbl_sum_load(&sum, large, &s.m.layout, key, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, large));
    assert_null(sum);
    assert_int_equal(sbl_sum_load(&sum, folder, &s.m.layout, key, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, folder));
    const char *missing = in_folder(folder, "missing");
    assert_int_equal(sbl_sum_load(&sum, missing, &s.m.layout, key, &err), SBL_EIO);
    assert_non_null(strstr(err.message, missing));
    assert_int_equal(truncate(s.path, 100), 0);
    assert_int_equal(sbl_sum_load(&sum, s.path, &s.m.layout, key, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, s.path));
    s.m.layout.rows_cap = 0;
    assert_int_equal(sbl_sum_load(&sum, s.path, &s.m.layout, key, &err), SBL_EARG);
    saved_clear(&s);
}

static void open_batch_is_not_saved(void **state)
{
    (void)state;
    saved s;
    const uint32_t label = 0;
    saved_init(&s);
    assert_int_equal(sbl_sum_begin_rows(s.sum, &label, 1, NULL), SBL_OK);
    const char *path = in_folder(folder, "open");
    assert_int_equal(sbl_sum_save(s.sum, path, key, true, NULL), SBL_EARG);
    assert_int_equal(access(path, F_OK), -1);
    saved_clear(&s);
}

static void failing_hmac_is_reported(void **state)
{
    (void)state;
    saved s;
    sbl_sum *sum = NULL;
    saved_init(&s);
    hmac_fails = true;
    const char *path = in_folder(folder, "unsealed");
    assert_int_equal(sbl_sum_save(s.sum, path, key, true, NULL), SBL_EINTERNAL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(sbl_sum_load(&sum, s.path, &s.m.layout, key, NULL), SBL_EINTERNAL);
    hmac_fails = false;
    saved_clear(&s);
}

static void lack_of_memory_is_reported_at_every_point(void **state)
{
    (void)state;
    saved s;
    saved_init(&s);
    for (int loading = 0; loading < 2; loading++)
        for (long n = 1;; n++) {
            sbl_sum *sum = NULL;
            sbl_test_fail_alloc(n);
            const sbl_status status = loading != 0
                                          ? sbl_sum_load(&sum, s.path, &s.m.layout, key, NULL)
                                          : sbl_sum_save(s.sum, s.path, key, true, NULL);
            const bool failed = sbl_test_alloc_failed();
            sbl_test_fail_alloc(0);
            assert_int_equal(status, failed ? SBL_EMEM : SBL_OK);
            assert_int_equal(sum != NULL, loading != 0 && !failed);
            sbl_sum_free(sum);
            if (!failed) break;
        }
    saved_clear(&s);
}

static int setup(void **state)
{
    (void)state;
    temp_folder_make(folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_sum_comes_back_the_same),
        cmocka_unit_test(file_has_the_documented_bytes),
        cmocka_unit_test(file_made_elsewhere_is_understood),
        cmocka_unit_test(file_is_for_its_owner_only_and_not_overwritten_unasked),
        cmocka_unit_test(files_merge_in_any_order),
        cmocka_unit_test(foreign_or_damaged_files_are_refused_in_one_line),
        cmocka_unit_test(every_changed_bit_breaks_the_seal),
        cmocka_unit_test(impossible_sums_are_refused_even_when_sealed),
        cmocka_unit_test(load_names_the_file_that_fails),
        cmocka_unit_test(open_batch_is_not_saved),
        cmocka_unit_test(failing_hmac_is_reported),
        cmocka_unit_test(lack_of_memory_is_reported_at_every_point),
    };
    return cmocka_run_group_tests_name("sum file", tests, setup, teardown);
}
