/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: what is refused, what the hash covers, what the scale promises. */
#include <math.h>
#include <string.h>

#include "accumulate/sum_fixture.h"
#include "base/sha256.h"
#include "records/accumulate/layout.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static int hashes_until_failure = -1;
sbl_status __real_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err);
sbl_status __wrap_sbl_sha256(uint8_t *digest, const void *first, size_t first_size, const void *second,
                             size_t second_size, sbl_error *err)
{
    if (hashes_until_failure >= 0 && hashes_until_failure-- == 0) {
        if (err != NULL) err->status = SBL_EINTERNAL;
        return SBL_EINTERNAL;
    }
    return __real_sbl_sha256(digest, first, first_size, second, second_size, err);
}

static void expect_refused(const sbl_layout *layout, const char *words)
{
    sbl_error err = {0};
    assert_int_equal(sbl_layout_validate(layout, &err), SBL_EARG);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' lacks '%s'", err.message, words);
    assert_null(strchr(err.message, '\n'));
}

TEST(layout_well_formed_is_accepted)
{
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    assert_ok(sbl_layout_validate(&mixed.layout, NULL));
    /* On the edge: 2^30 times 2^32 rows, bound1 at its limit, the longest name. */
    mixed.layout.rows_cap = UINT64_C(1) << 32;
    mixed.blocks[0].bound2 = SBL_BOUND2_MAX;
    mixed.blocks[0].bound1 = SBL_BOUND1_MAX;
    memcpy(mixed.blocks[0].name, "abcdefghijklmnopqrstuvwxyz_.-09", SBL_BLOCK_NAME_SIZE);
    assert_ok(sbl_layout_validate(&mixed.layout, NULL));
}

TEST(layout_bad_shape_is_refused)
{
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    sbl_layout bad = mixed.layout;
    bad.blocks = NULL;
    expect_refused(&bad, "at least one block");
    bad = mixed.layout;
    bad.block_count = 0;
    expect_refused(&bad, "at least one block");
    bad = mixed.layout;
    bad.classes = 0;
    expect_refused(&bad, "classes");
    bad.classes = (size_t)UINT32_MAX + 1;
    expect_refused(&bad, "classes");
    bad = mixed.layout;
    bad.rows_cap = 0;
    expect_refused(&bad, "rows_cap");
}

TEST(layout_bad_names_are_refused)
{
    static const char *const names[] = {"", "A", "a b", "a/b", "\xc3\xa9", "a\n"};
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        strcpy(mixed.blocks[1].name, names[i]);
        expect_refused(&mixed.layout, "block 1: name");
    }
    memset(mixed.blocks[1].name, 'a', SBL_BLOCK_NAME_SIZE); /* no final NUL */
    expect_refused(&mixed.layout, "block 1: name");
    strcpy(mixed.blocks[1].name, "signed");
    expect_refused(&mixed.layout, "taken");
    strcpy(mixed.blocks[1].name, "counts");
    expect_refused(&mixed.layout, "taken");
    mixed.layout.counts = false;
    assert_ok(sbl_layout_validate(&mixed.layout, NULL));
}

/* One fault in the grouped block at a time. */
static void expect_block_refused(size_t width, size_t group, uint64_t bound2, uint64_t bound1, double scale,
                                 const char *words)
{
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    mixed.blocks[2].width = width;
    mixed.blocks[2].group = group;
    mixed.blocks[2].bound2 = bound2;
    mixed.blocks[2].bound1 = bound1;
    mixed.blocks[2].scale = scale;
    expect_refused(&mixed.layout, words);
    expect_refused(&mixed.layout, "'grouped'");
}

TEST(layout_bad_block_numbers_are_refused)
{
    expect_block_refused(0, 0, 100, 0, 1, "width is 0");
    expect_block_refused((size_t)SBL_WIDTH_MAX + 1, 0, 100, 0, 1, "width exceeds");
    expect_block_refused(12, 5, 100, 0, 1, "divide");
    expect_block_refused(12, 24, 100, 0, 1, "divide");
    expect_block_refused(12, 4, SBL_BOUND2_MAX + 1, 0, 1, "bound2 exceeds");
    expect_block_refused(12, 4, 100, SBL_BOUND1_MAX + 1, 1, "bound1 exceeds");
    expect_block_refused(12, 4, 100, 0, 0, "scale");
    expect_block_refused(12, 4, 100, 0, -1, "scale");
    expect_block_refused(12, 4, 100, 0, (double)NAN, "scale");
    expect_block_refused(12, 4, 100, 0, (double)INFINITY, "scale");
    expect_block_refused(12, 4, 2, 0, 1, "bound2 is less than 1");
    expect_block_refused(12, 4, 0, 0, 1, "bound2 is less than 1");
    /* Two thirds of a unit would round to 0, and 0 means "no bound". */
    expect_block_refused(12, 4, 100, 2, 1, "bound1 is less than 1");
    /* 2^29 * 2^34 = 2^63: an int64 sum could overflow. */
    expect_block_refused(12, 0, UINT64_C(1) << 58, 0, 1, "2^62");
}

TEST(layout_too_large_for_memory_is_refused)
{
    mixed_layout mixed;
    mixed_layout_init(&mixed);
    mixed.layout.classes = UINT32_MAX;
    mixed.blocks[0].width = (size_t)SBL_WIDTH_MAX;
    expect_refused(&mixed.layout, "too large");
}

TEST(run_bounds_share_the_bound_among_groups)
{
    const sbl_block grouped = {.width = 12, .group = 4, .bound2 = 1000, .bound1 = 100};
    const sbl_run_bounds bounds = sbl_block_run_bounds(&grouped);
    assert_int_equal(bounds.run, 4);
    assert_int_equal(bounds.bound2, 333);
    assert_int_equal(bounds.bound1, 33);
    assert_int_equal(bounds.largest, 18);
    const sbl_block whole = {.width = 12, .bound2 = 1000, .bound1 = 100};
    assert_int_equal(sbl_block_run_bounds(&whole).run, 12);
    assert_int_equal(sbl_block_run_bounds(&whole).bound2, 1000);
    assert_int_equal(sbl_block_run_bounds(&whole).bound1, 100);
    assert_int_equal(sbl_block_run_bounds(&whole).largest, 31);
}

TEST(scale_follows_the_formula)
{
    const double r = 0x1p28;
    const double c = 1 - (32.0 / 2 + 1) / r - 0x1p-20; /* ceil(sqrt(1000)) = 32 */
    assert_true(fabs(sbl_block_scale(1000, GRID_BOUND2, 2) - c * r / 2) <= 1e-6);
    assert_false(sbl_block_scale(1000, 1, 1) > 0); /* the grid is coarser than the rounding */
}

/* Change field number `field` of a layout; 0 changes nothing. */
enum { FIELDS = 15 };
static void change_field(mixed_layout *m, size_t field)
{
    sbl_block *last = &m->blocks[MIXED_BLOCKS - 1];
    if (field == 1) m->layout.block_count--;
    if (field == 2) m->layout.classes++;
    if (field == 3) m->layout.counts = false;
    if (field == 4) m->layout.rows_cap--;
    if (field == 5) m->layout.plan_hash[31] ^= 1;
    if (field == 6) last->name[0] = 'x';
    if (field == 7) last->width += 4;
    if (field == 8) last->group = 0;
    if (field == 9) last->per_class = false;
    if (field == 10) last->nonnegative = true;
    if (field == 11) last->bound2++;
    if (field == 12) last->bound1++;
    if (field == 13) last->scale = nextafter(last->scale, 2e9);
    if (field == 14) m->blocks[0].bound1 = 1;
}

TEST(hash_covers_every_field)
{
    uint8_t hashes[FIELDS][SBL_SHA256_SIZE];
    for (size_t i = 0; i < FIELDS; i++) {
        mixed_layout m;
        mixed_layout_init(&m);
        change_field(&m, i);
        assert_ok(sbl_layout_hash(hashes[i], &m.layout, NULL));
        for (size_t j = 0; j < i; j++) assert_memory_not_equal(hashes[i], hashes[j], SBL_SHA256_SIZE);
    }
}

TEST(hash_ignores_bytes_after_the_name)
{
    mixed_layout a, b;
    uint8_t hash_a[SBL_SHA256_SIZE], hash_b[SBL_SHA256_SIZE];
    mixed_layout_init(&a);
    mixed_layout_init(&b);
    b.blocks[0].name[SBL_BLOCK_NAME_SIZE - 1] = 'x';
    assert_ok(sbl_layout_hash(hash_a, &a.layout, NULL));
    assert_ok(sbl_layout_hash(hash_b, &b.layout, NULL));
    assert_memory_equal(hash_a, hash_b, SBL_SHA256_SIZE);
}

TEST(hash_failure_is_reported)
{
    mixed_layout m;
    uint8_t hash[SBL_SHA256_SIZE];
    sbl_sum *sum = NULL;
    mixed_layout_init(&m);
    for (int n = 0; n < 1 + MIXED_BLOCKS; n++) {
        hashes_until_failure = n;
        assert_int_equal(sbl_layout_hash(hash, &m.layout, NULL), SBL_EINTERNAL);
    }
    hashes_until_failure = 0;
    assert_int_equal(sbl_sum_new(&sum, &m.layout, NULL), SBL_EINTERNAL);
    assert_null(sum);
    hashes_until_failure = -1;
}

TEST(copy_is_deep_and_survives_lack_of_memory)
{
    mixed_layout m;
    sbl_layout copy;
    sbl_error err = {0};
    mixed_layout_init(&m);
    assert_ok(sbl_layout_copy(&copy, &m.layout, &err));
    m.blocks[0].width = 99;
    assert_int_equal(copy.blocks[0].width, 13);
    assert_int_equal(copy.block_count, MIXED_BLOCKS);
    sbl_layout_clear(&copy);
    assert_null(copy.blocks);
    sbl_layout_clear(&copy);
    sbl_test_fail_alloc(1);
    assert_int_equal(sbl_layout_copy(&copy, &m.layout, &err), SBL_EMEM);
    sbl_test_fail_alloc(0);
    assert_null(copy.blocks);
}

TEST(values_counts_classes_where_they_apply)
{
    mixed_layout m;
    mixed_layout_init(&m);
    assert_int_equal(sbl_block_values(&m.layout, 0), 39);
    assert_int_equal(sbl_block_values(&m.layout, 1), 6);
    assert_int_equal(sbl_layout_values(&m.layout), 39 + 6 + 36 + 3);
}
