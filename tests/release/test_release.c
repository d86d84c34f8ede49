/* SPDX-License-Identifier: Apache-2.0 */
/* The release file: round trips, every refusal, nothing but what the release holds. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "door/release/release.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

FREES(sbl_release_free);

#define PREFIX 16 /* magic, version, length of the header */
#define PLAN "{\"method\":\"test\"}"

static char path[512];
static int hash_left;

sbl_status __real_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err)
{
    if (hash_left != 0 && --hash_left == 0) return sbl_fail(err, SBL_EINTERNAL, "no SHA-256");
    return __real_sbl_sha256(digest, first, first_size, second, second_size, err);
}

AROUND(setup)
{
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/r", folder);
}

/* Two blocks and counts, values at both ends of int128 and in between. */
static sbl_release *make_release(void)
{
    sbl_release *r = sbl_alloc_array(1, sizeof *r);
    (void)snprintf(r->name, sizeof r->name, "test.embed+counts");
    (void)snprintf(r->rid, sizeof r->rid, "0123456789abcdef0123456789abcdef");
    (void)snprintf(r->ledger, sizeof r->ledger, "fedcba9876543210fedcba9876543210");
    r->seq = 3;
    r->n = 1000;
    r->classes = 2;
    r->counts = true;
    r->plan = strdup(PLAN);
    r->block_count = 3;
    r->blocks = sbl_alloc_array(3, sizeof *r->blocks);
    r->blocks[0] = (sbl_block){"embed",
                               .width = 3,
                               .per_class = true,
                               .bound2 = UINT64_C(1) << 56,
                               .bound1 = UINT64_C(1) << 30,
                               .scale = 1.25e8,
                               .multiplier = UINT64_C(1) << 40};
    r->blocks[1] = (sbl_block){"cat.hist_1-x", .width = 4,      .nonnegative = true, .bound2 = 9,
                               .scale = 0.1,   .multiplier = 7, .offset = 6};
    r->blocks[2] = sbl_block_of_counts(2);
    r->blocks[2].multiplier = UINT64_C(1) << 50;
    r->blocks[2].offset = 10;
    r->value_count = 12;
    r->values = sbl_alloc_array(12, sizeof *r->values);
    for (int i = 0; i < 12; i++) r->values[i] = (i - 6) * ((sbl_i128)1 << (10 * i));
    r->values[0] = (sbl_i128)(SBL_U128_MAX >> 1);
    r->values[1] = -r->values[0] - 1;
    return r;
}

static void assert_same(const sbl_release *a, const sbl_release *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->rid, b->rid);
    assert_string_equal(a->ledger, b->ledger);
    assert_int_equal(a->seq, b->seq);
    assert_int_equal(a->mechanism, b->mechanism);
    assert_int_equal(a->neighbours, b->neighbours);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->counts, b->counts);
    assert_int_equal(a->test_key, b->test_key);
    assert_string_equal(a->plan, b->plan);
    assert_int_equal(a->block_count, b->block_count);
    for (size_t i = 0; i < a->block_count; i++) {
        assert_string_equal(a->blocks[i].name, b->blocks[i].name);
        assert_int_equal(a->blocks[i].width, b->blocks[i].width);
        assert_int_equal(a->blocks[i].per_class, b->blocks[i].per_class);
        assert_int_equal(a->blocks[i].nonnegative, b->blocks[i].nonnegative);
        assert_int_equal(a->blocks[i].bound2, b->blocks[i].bound2);
        assert_int_equal(a->blocks[i].bound1, b->blocks[i].bound1);
        assert_true(a->blocks[i].multiplier == b->blocks[i].multiplier);
        assert_true(a->blocks[i].scale == b->blocks[i].scale);
        assert_int_equal(a->blocks[i].offset, b->blocks[i].offset);
    }
    assert_int_equal(a->value_count, b->value_count);
    for (size_t i = 0; i < a->value_count; i++) assert_true(a->values[i] == b->values[i]);
}

static void save(const sbl_release *r)
{
    sbl_error err = {0};
    assert_ok_or_say(sbl_release_save(r, sbl_file_item(path), true, NULL, NULL, &err));
}

TEST(saved_release_loads_back_the_same)
{
    for (int variant = 0; variant < 4; variant++) {
        FREED(sbl_release_free) sbl_release *r = make_release();
        FREED(sbl_release_free) sbl_release *again = NULL;
        uint8_t hash[SBL_SHA256_SIZE];
        uint8_t expected[SBL_SHA256_SIZE];
        size_t size;
        struct stat facts;
        if (variant & 1) {
            r->neighbours = SBL_ADD_REMOVE;
            r->n = 0;
        }
        if (variant & 2) {
            r->mechanism = SBL_DISCRETE_LAPLACE;
            r->test_key = true;
        }
        assert_ok(sbl_release_save(r, sbl_file_item(path), true, hash, NULL, NULL));
        assert_ok(sbl_release_load(&again, sbl_file_item(path), NULL));
        assert_same(r, again);
        FREED(free) char *bytes = slurp(path, &size);
        assert_ok(sbl_sha256(expected, bytes, size, NULL, 0, NULL));
        assert_memory_equal(hash, expected, sizeof hash);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0644);
    }
    sbl_release_free(NULL);
}

TEST(same_release_gives_the_same_bytes)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    size_t one_size;
    size_t two_size;
    save(r);
    FREED(free) char *one = slurp(path, &one_size);
    save(r);
    FREED(free) char *two = slurp(path, &two_size);
    assert_int_equal(one_size, two_size);
    assert_memory_equal(one, two, one_size);
}

TEST(existing_file_is_kept_unless_overwriting)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    sbl_error err = {0};
    save(r);
    assert_int_equal(sbl_release_save(r, sbl_file_item(path), false, NULL, NULL, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists"));
}

/* The header as JSON, to be changed and put back. */
static json_t *header_of(const char *bytes)
{
    const size_t length = sbl_load_u32((const uint8_t *)bytes + 12);
    json_t *header = json_loadb(bytes + PREFIX, length, 0, NULL);
    assert_non_null(header);
    return header;
}

static char *dump(const json_t *header)
{
    return json_dumps(header, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}

static uint8_t *with_header(size_t *size, const char *header, size_t header_size, const uint8_t *values,
                            size_t values_size)
{
    *size = PREFIX + header_size + values_size + SBL_SHA256_SIZE;
    uint8_t *bytes = calloc(1, *size);
    memcpy(bytes, "SBLRELS\n", 8);
    sbl_store_u32(bytes + 8, 2);
    sbl_store_u32(bytes + 12, (uint32_t)header_size);
    memcpy(bytes + PREFIX, header, header_size);
    memcpy(bytes + PREFIX + header_size, values, values_size);
    assert_ok(sbl_sha256(bytes + *size - SBL_SHA256_SIZE, bytes, *size - SBL_SHA256_SIZE, NULL, 0, NULL));
    return bytes;
}

static void expect_refused(const uint8_t *bytes, size_t size, const char *part)
{
    sbl_release *r = (sbl_release *)1;
    sbl_error err = {0};
    const sbl_status status = sbl_release_decode(&r, bytes, size, "x.release", &err);
    assert_int_equal(status, SBL_EINPUT);
    assert_null(r);
    assert_null(strchr(err.message, '\n'));
    assert_non_null(strstr(err.message, "x.release"));
    if (strstr(err.message, part) == NULL) fail_msg("'%s' lacks '%s'", err.message, part);
}

/* Refused when member `name` of the header, or of block `block` (>= 0), becomes value; NULL takes
 * it out. */
static void expect_refused_header(int block, const char *name, json_t *value, const char *part)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    size_t size;
    save(r);
    FREED(free) char *bytes = slurp(path, &size);
    json_auto_t *header = header_of(bytes);
    json_t *object = block < 0 ? header : json_array_get(json_object_get(header, "blocks"), (size_t)block);
    if (value != NULL)
        assert_int_equal(json_object_set_new(object, name, value), 0);
    else
        assert_int_equal(json_object_del(object, name), 0);
    FREED(free) char *text = dump(header);
    uint8_t values[12 * 16] = {0};
    FREED(free) uint8_t *changed = with_header(&size, text, strlen(text), values, sizeof values);
    expect_refused(changed, size, part);
}

TEST(header_lists_the_facts_and_nothing_else)
{
    static const char *const known[] = {"format",  "guarantee", "name",       "rid",       "ledger",
                                        "seq",     "mechanism", "neighbours", "k",         "n",
                                        "classes", "counts",    "plan",       "plan_hash", "blocks"};
    FREED(sbl_release_free) sbl_release *r = make_release();
    save(r);
    char *bytes = slurp(path, NULL);
    json_t *header = header_of(bytes);
    assert_int_equal(json_object_size(header), 15);
    for (size_t i = 0; i < 15; i++) assert_non_null(json_object_get(header, known[i]));
    assert_int_equal(json_object_size(json_array_get(json_object_get(header, "blocks"), 0)), 8);
    json_decref(header);
    free(bytes);
    r->test_key = true;
    save(r);
    bytes = slurp(path, NULL);
    header = header_of(bytes);
    assert_string_equal(json_string_value(json_object_get(header, "guarantee")), "NONE (test key)");
    json_decref(header);
    free(bytes);
}

TEST(every_field_of_the_header_is_checked)
{
    static const char *const fields[] = {"format",  "guarantee", "name",       "rid",       "ledger",
                                         "seq",     "mechanism", "neighbours", "k",         "n",
                                         "classes", "counts",    "plan",       "plan_hash", "blocks"};
    for (size_t i = 0; i < 15; i++) {
        expect_refused_header(-1, fields[i], NULL, fields[i]);
        expect_refused_header(-1, fields[i], json_real(0.5), fields[i]);
    }
    static const char *const block_fields[] = {"name",   "width",  "columns",    "nonnegative",
                                               "bound2", "bound1", "multiplier", "scale"};
    for (size_t i = 0; i < 8; i++) {
        expect_refused_header(0, block_fields[i], NULL, block_fields[i]);
        expect_refused_header(0, block_fields[i], json_null(), block_fields[i]);
    }
    expect_refused_header(0, "pairwise", json_integer(1), "pairwise");
    expect_refused_header(-1, "format", json_string("semblance-model"), "format");
    expect_refused_header(-1, "guarantee", json_string("perfect"), "guarantee");
    expect_refused_header(-1, "name", json_string("a b"), "name");
    expect_refused_header(-1, "name", json_string(""), "name");
    expect_refused_header(
        -1, "name", json_string("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "name");
    expect_refused_header(-1, "rid", json_string("0123"), "rid");
    expect_refused_header(-1, "ledger", json_string("X123456789abcdef0123456789abcdef"), "ledger");
    expect_refused_header(-1, "seq", json_integer(0), "seq");
    expect_refused_header(-1, "seq", json_integer(-1), "seq");
    expect_refused_header(-1, "mechanism", json_string("gauss"), "mechanism");
    expect_refused_header(-1, "neighbours", json_string("add-remove"), "field 'n'");
    expect_refused_header(-1, "n", json_string("private"), "field 'n'");
    expect_refused_header(-1, "n", json_integer(INT64_MAX), "field 'n'");
    expect_refused_header(-1, "k", json_integer(55), "field 'k'");
    expect_refused_header(-1, "classes", json_integer(0), "classes");
    expect_refused_header(-1, "classes", json_integer(3), "columns");
    expect_refused_header(-1, "plan", json_string("{}"), "plan_hash");
    expect_refused_header(-1, "blocks", json_array(), "blocks");
    json_t *too_many = json_array();
    for (int i = 0; i < 65537; i++) json_array_append_new(too_many, json_null());
    expect_refused_header(-1, "blocks", too_many, "blocks");
    expect_refused_header(-1, "sum", json_integer(4), "unknown fields");
    expect_refused_header(1, "norm", json_integer(4), "unknown fields");
    expect_refused_header(-1, "blocks", json_pack("[i]", 1), "name");
    expect_refused_header(0, "name", json_string("Upper"), "name");
    expect_refused_header(0, "name", json_string("counts"), "blocks");
    expect_refused_header(0, "name", json_string("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "name");
    expect_refused_header(2, "name", json_string("count"), "counts");
    expect_refused_header(2, "width", json_integer(3), "counts");
    expect_refused_header(2, "columns", json_integer(2), "counts");
    expect_refused_header(0, "width", json_integer(0), "width");
    expect_refused_header(0, "width", json_integer(4), "its number of values");
    expect_refused_header(0, "columns", json_integer(3), "columns");
    expect_refused_header(0, "multiplier", json_string("0"), "multiplier");
    expect_refused_header(0, "multiplier", json_string("4611686018427387905"), "multiplier");
    expect_refused_header(0, "bound2", json_string("0"), "bound2");
    expect_refused_header(0, "bound2", json_string("1152921504606846977"), "bound2");
    expect_refused_header(0, "bound1", json_string("4611686018427387905"), "bound1");
    expect_refused_header(0, "scale", json_real(0.0), "scale");
    expect_refused_header(0, "scale", json_real(-1.0), "scale");
}

/* A release of a withheld vector's squares and products. */
static sbl_release *make_moments_release(void)
{
    const sbl_block source = {.name = "point", .width = 3, .bound2 = 1 << 20, .scale = 7.0};
    sbl_release *r = make_release();
    r->counts = false;
    r->block_count = 2;
    r->blocks[0] = sbl_block_of_moments("squares", SBL_BLOCK_SQUARES, &source, 3);
    r->blocks[1] = sbl_block_of_moments("products", SBL_BLOCK_PRODUCTS, &source, 3);
    r->blocks[0].multiplier = r->blocks[1].multiplier = 5;
    r->blocks[1].offset = 3;
    r->value_count = 6;
    return r;
}

static void expect_refused_moments(const char *field, json_t *value, const char *words)
{
    FREED(sbl_release_free) sbl_release *r = make_moments_release();
    save(r);
    FREED(free) char *bytes = slurp(path, NULL);
    json_auto_t *header = header_of(bytes);
    json_t *block = json_array_get(json_object_get(header, "blocks"), 1);
    if (value == NULL)
        json_object_del(block, field);
    else
        json_object_set_new(block, field, value);
    FREED(free) char *text = dump(header);
    uint8_t values[6 * 16] = {0};
    size_t size;
    FREED(free) uint8_t *changed = with_header(&size, text, strlen(text), values, sizeof values);
    expect_refused(changed, size, words);
}

TEST(squares_and_products_say_what_they_were_formed_from)
{
    sbl_release *r = make_moments_release();
    sbl_release *again = NULL;
    save(r);
    assert_ok(sbl_release_load(&again, sbl_file_item(path), NULL));
    assert_same(r, again);
    for (size_t b = 0; b < 2; b++) {
        assert_int_equal(again->blocks[b].kind, r->blocks[b].kind);
        assert_string_equal(again->blocks[b].source, "point");
        assert_int_equal(again->blocks[b].outer, 3);
    }
    sbl_release_free(again);
    sbl_release_free(r);
    expect_refused_moments("kind", json_string("cubes"), "kind");
    expect_refused_moments("kind", NULL, "unknown fields");
    expect_refused_moments("source", NULL, "source");
    expect_refused_moments("source", json_string("Point"), "source");
    expect_refused_moments("outer", NULL, "outer");
    expect_refused_moments("outer", json_integer(0), "outer");
    expect_refused_moments("outer", json_integer(4), "outer");
}

TEST(private_n_must_say_so)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    r->neighbours = SBL_ADD_REMOVE;
    save(r);
    FREED(free) char *bytes = slurp(path, NULL);
    json_auto_t *header = header_of(bytes);
    assert_string_equal(json_string_value(json_object_get(header, "n")), "private");
    json_object_set_new(header, "n", json_string("secret"));
    FREED(free) char *text = dump(header);
    uint8_t values[12 * 16] = {0};
    size_t size;
    FREED(free) uint8_t *changed = with_header(&size, text, strlen(text), values, sizeof values);
    expect_refused(changed, size, "field 'n'");
}

/* More values than any memory has, in one block or in all together, are refused before any is
 * allocated. */
TEST(sizes_that_overflow_are_refused)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    size_t size;
    save(r);
    FREED(free) char *bytes = slurp(path, NULL);
    json_auto_t *header = header_of(bytes);
    json_t *blocks = json_object_get(header, "blocks");
    const json_int_t huge = (json_int_t)1 << 53;
    uint8_t values[16] = {0};
    json_object_set_new(header, "counts", json_false());
    json_object_set_new(header, "classes", json_integer(huge));
    json_object_set_new(json_array_get(blocks, 0), "columns", json_integer(huge));
    json_object_set_new(json_array_get(blocks, 0), "width", json_integer(huge));
    char *text = dump(header);
    uint8_t *changed = with_header(&size, text, strlen(text), values, sizeof values);
    expect_refused(changed, size, "too many values");
    free(changed);
    free(text);
    /* 2^53 x 2^10 each: 2048 and more of them do not fit. */
    json_t *many = json_array();
    json_object_set_new(header, "classes", json_integer(1024));
    for (int i = 0; i < 3000; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%d", i);
        json_array_append_new(many, json_pack("{s:s, s:b, s:s, s:s, s:I, s:i, s:s, s:f}", "name", name,
                                              "nonnegative", 0, "bound2", "1", "bound1", "0", "width", huge,
                                              "columns", 1024, "multiplier", "1", "scale", 1.0));
    }
    json_object_set_new(header, "blocks", many);
    text = dump(header);
    changed = with_header(&size, text, strlen(text), values, sizeof values);
    expect_refused(changed, size, "too many values");
    free(changed);
    free(text);
}

TEST(damaged_frame_is_refused)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    size_t size;
    save(r);
    uint8_t *bytes = (uint8_t *)slurp(path, &size);
    for (size_t cut = 0; cut < size; cut += 11) expect_refused(bytes, cut, "");
    for (size_t i = 0; i < size; i += 13) {
        bytes[i] ^= 4;
        expect_refused(bytes, size, "");
        bytes[i] ^= 4;
    }
    expect_refused(bytes, 4, "not a release file");
    expect_refused((const uint8_t *)"PNG.....................................................", 56,
                   "not a release file");
    bytes[8] = 1;
    expect_refused(bytes, size, "version 1, this program knows version 2");
    free(bytes);
    const uint8_t values[32] = {0};
    bytes = with_header(&size, "{}", 2, values, 32);
    sbl_store_u32(bytes + 12, 35); /* one more than there is */
    assert_ok(sbl_sha256(bytes + size - 32, bytes, size - 32, NULL, 0, NULL));
    expect_refused(bytes, size, "header does not fit");
    sbl_store_u32(bytes + 12, 0x7fffffff);
    assert_ok(sbl_sha256(bytes + size - 32, bytes, size - 32, NULL, 0, NULL));
    expect_refused(bytes, size, "header does not fit");
    free(bytes);
}

TEST(values_that_do_not_fill_the_file_are_refused)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    size_t size;
    save(r);
    FREED(free) char *bytes = slurp(path, NULL);
    const size_t header_size = sbl_load_u32((const uint8_t *)bytes + 12);
    static const size_t sizes[] = {0, 11 * 16, 12 * 16 - 1, 12 * 16 + 1, 13 * 16};
    const uint8_t values[13 * 16] = {0};
    for (size_t i = 0; i < 5; i++) {
        FREED(free) uint8_t *changed = with_header(&size, bytes + PREFIX, header_size, values, sizes[i]);
        expect_refused(changed, size, "its number of values");
    }
}

TEST(release_that_could_not_be_loaded_is_not_written)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    sbl_error err = {0};
    r->value_count = 11;
    assert_int_equal(sbl_release_save(r, sbl_file_item(path), true, NULL, NULL, &err), SBL_EINTERNAL);
    r->value_count = 12;
    r->blocks[0].scale = -1;
    assert_int_equal(sbl_release_save(r, sbl_file_item(path), true, NULL, NULL, &err), SBL_EINPUT);
    r->blocks[0].scale = 1;
    r->name[0] = ' ';
    assert_int_equal(sbl_release_save(r, sbl_file_item(path), true, NULL, NULL, &err), SBL_EINPUT);
    struct stat facts;
    assert_int_not_equal(stat(path, &facts), 0);
}

TEST(missing_file_and_folder_are_refused)
{
    sbl_release *r = NULL;
    assert_int_equal(sbl_release_load(&r, sbl_file_item(in_folder(folder, "none")), NULL), SBL_EIO);
    assert_null(r);
    assert_int_equal(sbl_release_load(&r, sbl_file_item(folder), NULL), SBL_EINPUT);
    FREED(sbl_release_free) sbl_release *good = make_release();
    assert_int_equal(
        sbl_release_save(good, sbl_file_item(in_folder(folder, "no/such")), true, NULL, NULL, NULL), SBL_EIO);
}

TEST(estimates_undo_multiplier_and_scale)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    const sbl_block *embed = sbl_release_find(r, "embed");
    const sbl_block *counts = sbl_release_find(r, "counts");
    assert_ptr_equal(embed, &r->blocks[0]);
    assert_ptr_equal(counts, &r->blocks[2]);
    assert_null(sbl_release_find(r, "none"));
    r->values[3 + 2] = (sbl_i128)3 << 70; /* column 1, coordinate 2 */
    assert_true(sbl_release_estimate(r, embed, 1, 2) == 3 * ldexp(1, 30) / 1.25e8);
    r->values[11] = -((sbl_i128)5 << 49);
    assert_true(sbl_release_estimate(r, counts, 0, 1) == -2.5);
    assert_true(sbl_release_noise_deviation(r, counts) == 64);
    r->mechanism = SBL_DISCRETE_LAPLACE;
    assert_true(fabs(sbl_release_noise_deviation(r, counts) - 64 * sqrt(2)) < 1e-12);
}

typedef enum lacking { LACKING_MEMORY, LACKING_JSON_MEMORY, LACKING_HASH, LACKING_KINDS } lacking;

/* The n-th allocation or hash from now on fails. */
static void lack(lacking kind, long n)
{
    sbl_test_fail_alloc(kind == LACKING_MEMORY ? n : 0);
    sbl_test_fail_json(kind == LACKING_JSON_MEMORY ? n : 0);
    hash_left = kind == LACKING_HASH ? (int)n : 0;
}

/* Did it? From now on nothing fails. */
static bool lacked(lacking kind)
{
    const bool failed = kind == LACKING_MEMORY        ? sbl_test_alloc_failed()
                        : kind == LACKING_JSON_MEMORY ? sbl_test_json_failed()
                                                      : hash_left == 0;
    lack(LACKING_MEMORY, 0);
    return failed;
}

TEST(running_out_of_memory_is_a_clean_error)
{
    FREED(sbl_release_free) sbl_release *r = make_release();
    bool failed = true;
    for (lacking kind = 0; kind < LACKING_KINDS; kind++) {
        for (long n = 1; failed; n++) {
            lack(kind, n);
            const sbl_status status = sbl_release_save(r, sbl_file_item(path), true, NULL, NULL, NULL);
            failed = lacked(kind);
            /* Jansson can do without one of its allocations. */
            assert_true((status == SBL_OK) == !failed || kind == LACKING_JSON_MEMORY);
        }
        failed = true;
        for (long n = 1; failed; n++) {
            FREED(sbl_release_free) sbl_release *again = (sbl_release *)1;
            lack(kind, n);
            const sbl_status status = sbl_release_load(&again, sbl_file_item(path), NULL);
            failed = lacked(kind);
            assert_true((status == SBL_OK) == !failed || kind == LACKING_JSON_MEMORY);
            assert_true((status == SBL_OK) == (again != NULL));
            if (again != NULL) assert_same(r, again);
        }
        failed = true;
    }
}

EACH_TEST(setup, remove_folder)
ALL_TESTS(sbl_test_watch_json, NULL)
