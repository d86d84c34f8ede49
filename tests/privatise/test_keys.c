/* SPDX-License-Identifier: Apache-2.0 */
/* Keys through the door: the threshold's delta, what is charged, and that nothing of a key that is
 * not named leaves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha256.h"
#include "door/ledger/ledger_book.h"
#include "door/noise/noise.h"
#include "door/privatise/privatise.h"
#include "public/account/survival.h"
#include "support/cmocka_all.h"
#include "support/door_kit.h"
#include "support/fail_alloc.h"
#include "support/key_test.h"
#include "support/one_folder.h"

static bool no_noise; /* the next key cannot be made */

sbl_status __real_sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err);
sbl_status __wrap_sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err);
sbl_status __wrap_sbl_noise_open(sbl_noise **noise, sbl_reserve_token *token, sbl_error *err)
{
    if (no_noise) return sbl_fail(err, SBL_EENTROPY, "made to fail");
    return __real_sbl_noise_open(noise, token, err);
}

static bool no_draws; /* the key is there, and draws fail */

sbl_status __real_sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err);
sbl_status __wrap_sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err);
sbl_status __wrap_sbl_noise_gaussian(sbl_noise *noise, int64_t *out, size_t count, sbl_error *err)
{
    if (no_draws) return sbl_fail(err, SBL_EINTERNAL, "made to fail");
    return __real_sbl_noise_gaussian(noise, out, count, err);
}

static const char plan[] = "{\"method\":\"keys\"}";

/* Rows of one column: texts[i] comes counts[i] times. */
static sbl_key_tally *tally_of(const char *const *texts, const int *counts, size_t count, size_t columns,
                               unsigned bits)
{
    uint8_t hash[SBL_SHA256_SIZE];
    sbl_layout layout;
    sbl_key_tally *tally;
    assert_ok(sbl_sha256(hash, plan, strlen(plan), NULL, 0, NULL));
    assert_ok(sbl_key_tally_layout(&layout, columns, bits, hash, NULL));
    assert_ok(sbl_key_tally_new(&tally, &layout, NULL));
    sbl_layout_clear(&layout);
    sbl_text_cell *row = calloc(columns, sizeof *row);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < counts[i]; k++) {
            for (size_t c = 0; c < columns; c++) {
                row[c].length = (uint8_t)strlen(texts[i]);
                memcpy(row[c].text, texts[i], row[c].length);
            }
            assert_ok(sbl_key_tally_add(tally, row, 1, NULL));
        }
    free(row);
    return tally;
}

static sbl_status walk(sbl_release **release, sbl_key_tally **tally, uint64_t multiplier,
                       sbl_neighbours neighbours, sbl_mechanism mechanism, sbl_error *err)
{
    char ledger[512], path[512];
    (void)snprintf(ledger, sizeof ledger, "%s/ledger.%d", folder, (int)neighbours);
    (void)snprintf(path, sizeof path, "%s/release", folder);
    const sbl_door_request request = {"keys",
                                      .mechanism = mechanism,
                                      .neighbours = neighbours,
                                      .multipliers = &multiplier,
                                      .plan = plan,
                                      .ledger = sbl_file_item(ledger),
                                      .release = sbl_file_item(path),
                                      .overwrite = true};
    return sbl_privatise_keys(release, tally, &request, err);
}

static sbl_charge last_charge(sbl_neighbours neighbours)
{
    char ledger[512];
    sbl_ledger_view view = {0};
    sbl_charge charge = {0};
    (void)snprintf(ledger, sizeof ledger, "%s/ledger.%d", folder, (int)neighbours);
    assert_ok(sbl_ledger_read(&view, sbl_file_item(ledger), NULL));
    for (size_t i = 0; i < view.line_count; i++)
        if (view.lines[i].op == SBL_LEDGER_RESERVE) charge = view.lines[i].entry.charge;
    sbl_ledger_view_clear(&view);
    return charge;
}

/* The table against the normal tail of the C library: P[N >= Z] <= 2^-bits, and not needlessly far
 * below it. */
TEST(margins_have_the_tail_that_they_promise)
{
    for (unsigned bits = SBL_SURVIVAL_LEAST_BITS; bits <= SBL_SURVIVAL_MOST_BITS; bits++) {
        const double z = ldexp((double)sbl_survival_margin(bits), -SBL_NOISE_SCALE_BITS);
        const double tail = 0.5 * erfc(z / sqrt(2.0));
        assert_true(tail <= ldexp(1.0 + 1e-12, -(int)bits));
        assert_true(tail >= ldexp(1.0 - 1e-12, -(int)bits));
    }
}

TEST(delta_is_that_of_the_keys_of_one_record)
{
    assert_true(sbl_survival_delta(20, 3, SBL_ADD_REMOVE) == (sbl_u128)3 << 76);
    assert_true(sbl_survival_delta(20, 3, SBL_REPLACE_ONE) == (sbl_u128)6 << 76);
    assert_true(sbl_survival_delta(10, SBL_KEYS_MOST, SBL_REPLACE_ONE) == (sbl_u128)1 << 115);
    assert_int_equal(sbl_survival_bits((sbl_u128)6 << 76, 3, SBL_REPLACE_ONE), 20);
    assert_int_equal(sbl_survival_bits(((sbl_u128)6 << 76) - 1, 3, SBL_REPLACE_ONE), 21);
    assert_int_equal(sbl_survival_bits(0, 1, SBL_ADD_REMOVE), 0);
}

/* 40,000 keys that one record each holds: at 10 bits about 39 are named, and no more than chance
 * allows (five deviations); at 30 bits none. */
TEST(rare_keys_are_named_as_rarely_as_promised)
{
    enum { KEYS = 40000 };
    static const unsigned bits[] = {10, 30};
    static const size_t most[] = {39 + 5 * 7, 0};
    for (int i = 0; i < 2; i++) {
        uint8_t hash[SBL_SHA256_SIZE];
        sbl_layout layout;
        sbl_key_tally *tally;
        sbl_release *release;
        sbl_error err = {0};
        assert_ok(sbl_sha256(hash, plan, strlen(plan), NULL, 0, NULL));
        assert_ok(sbl_key_tally_layout(&layout, 1, bits[i], hash, NULL));
        assert_ok(sbl_key_tally_new(&tally, &layout, NULL));
        sbl_layout_clear(&layout);
        for (int k = 0; k < KEYS; k++) {
            sbl_text_cell one = {0};
            one.length = (uint8_t)snprintf(one.text, sizeof one.text, "%d", k);
            assert_ok(sbl_key_tally_add(tally, &one, 1, NULL));
        }
        sbl_test_key_set(77);
        if (walk(&release, &tally, UINT64_C(1) << 56, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, &err))
            fail_msg("%s", err.message);
        assert_null(tally);
        assert_true(release->value_count <= most[i]);
        if (i == 0) assert_true(release->value_count >= 39 - 5 * 7 && release->value_count > 0);
        assert_int_equal(release->blocks[0].width, release->value_count);
        sbl_release_free(release);
    }
}

/* What is public of a release does not depend on the keys that were not named: a record more or less
 * moves the named counts by m each, and the charge not at all. */
TEST(neighbours_differ_by_what_was_charged)
{
    static const char *const texts[] = {"a", "b", "zz"};
    static const sbl_neighbours relations[] = {SBL_REPLACE_ONE, SBL_ADD_REMOVE};
    const uint64_t m = UINT64_C(1) << 54;
    for (int r = 0; r < 2; r++) {
        sbl_release *runs[2];
        sbl_charge charges[2];
        for (int run = 0; run < 2; run++) {
            /* The new record's key is rare and the last one, so that the others' noise is the same;
             * under replace-one it takes the place of one that held "b". */
            const int counts[] = {300, run == 1 && r == 0 ? 499 : 500, run};
            sbl_key_tally *tally = tally_of(texts, counts, 3, 2, 40);
            sbl_test_key_set(5);
            assert_ok(walk(&runs[run], &tally, m, relations[r], SBL_DISCRETE_GAUSSIAN, NULL));
            charges[run] = last_charge(relations[r]);
        }
        /* Two columns of the same texts: a and b of each. */
        assert_int_equal(runs[0]->value_count, 4);
        assert_int_equal(runs[1]->value_count, 4);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(runs[0]->keys[i].column, i / 2);
            assert_string_equal(runs[0]->keys[i].text, texts[i % 2]);
            assert_string_equal(runs[1]->keys[i].text, texts[i % 2]);
        }
        assert_int_equal(charges[0].draws, SBL_KEYS_MOST);
        assert_true(charges[0].mu2 == charges[1].mu2 && charges[0].delta == charges[1].delta);
        /* mu^2 = (2 columns) (2 or 1) m^2 / 2^112, delta = 2 (2 or 1) 2^-40. */
        const sbl_u128 two = relations[r] == SBL_REPLACE_ONE ? 2 : 1;
        assert_true(charges[0].mu2 == (2 * two * m * m) >> 16);
        assert_true(charges[0].delta == 2 * two << 56);
        sbl_release_free(runs[0]);
        sbl_release_free(runs[1]);
    }
}

/* Noise is drawn for every key: the values are the counts plus noise that no key goes without. */
TEST(every_named_count_has_noise)
{
    static const char *const texts[] = {"a", "b", "c"};
    const int counts[] = {400, 500, 600};
    const uint64_t m = UINT64_C(1) << 53;
    sbl_release *release;
    sbl_key_tally *tally = tally_of(texts, counts, 3, 1, 20);
    sbl_test_key_set(9);
    assert_ok(walk(&release, &tally, m, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL));
    assert_int_equal(release->value_count, 3);
    for (size_t i = 0; i < 3; i++) assert_true(release->values[i] != (sbl_i128)m * counts[i]);
    sbl_release_free(release);
}

TEST(release_of_keys_reads_back)
{
    static const char *const texts[] = {"a", "\xc3\xa4", "rare"};
    const int counts[] = {700, 800, 1};
    char path[512];
    sbl_release *release, *again;
    (void)snprintf(path, sizeof path, "%s/release", folder);
    for (int any = 0; any < 2; any++) {
        sbl_key_tally *tally = tally_of(texts, counts, any != 0 ? 3 : 0, 1, 60);
        assert_ok(walk(&release, &tally, UINT64_C(1) << 52, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL));
        assert_ok(sbl_release_load(&again, sbl_file_item(path), NULL));
        assert_int_equal(again->value_count, any != 0 ? 2 : 0);
        assert_int_equal(again->blocks[0].survival_bits, 60);
        for (size_t i = 0; i < again->value_count; i++) {
            assert_string_equal(again->keys[i].text, release->keys[i].text);
            assert_true(again->values[i] == release->values[i]);
        }
        sbl_release_free(release);
        sbl_release_free(again);
    }
}

TEST(pure_and_broken_tallies_are_refused)
{
    static const char *const texts[] = {"a"};
    const int counts[] = {5};
    sbl_release *release;
    sbl_key_tally *tally = tally_of(texts, counts, 1, 1, 20);
    assert_int_equal(walk(&release, &tally, 1, SBL_ADD_REMOVE, SBL_DISCRETE_LAPLACE, NULL), SBL_EARG);
    assert_null(tally);
    tally = tally_of(texts, counts, 1, 1, 20);
    assert_int_equal(sbl_key_tally_add(tally, NULL, SBL_KEYS_MOST + 1, NULL), SBL_EINPUT);
    assert_int_equal(walk(&release, &tally, 1, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL), SBL_EINTERNAL);
    assert_null(release);
    tally = tally_of(texts, counts, 0, 1, 20);
    assert_int_equal(walk(&release, &tally, 1, SBL_REPLACE_ONE, SBL_DISCRETE_GAUSSIAN, NULL), SBL_EINPUT);
}

/* Whatever fails, the tally is gone, and no release is handed out. */
TEST(failures_hand_out_nothing)
{
    static const char *const texts[] = {"a", "b"};
    const int counts[] = {700, 800};
    sbl_release *release;
    for (long n = 1;; n++) {
        sbl_key_tally *tally = tally_of(texts, counts, 2, 1, 20);
        sbl_test_fail_alloc(n);
        const sbl_status status =
            walk(&release, &tally, UINT64_C(1) << 54, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL);
        const bool failed = sbl_test_fail_end();
        assert_null(tally);
        assert_true((release == NULL) == (status != SBL_OK));
        sbl_release_free(release);
        if (!failed) break;
        assert_int_not_equal(status, SBL_OK);
    }
    sbl_key_tally *tally = tally_of(texts, counts, 2, 1, 20);
    no_noise = true;
    assert_int_equal(walk(&release, &tally, UINT64_C(1) << 54, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL),
                     SBL_EENTROPY);
    no_noise = false;
    assert_null(tally);
    assert_null(release);
    tally = tally_of(texts, counts, 2, 1, 20);
    no_draws = true;
    assert_int_equal(walk(&release, &tally, UINT64_C(1) << 54, SBL_ADD_REMOVE, SBL_DISCRETE_GAUSSIAN, NULL),
                     SBL_EINTERNAL);
    no_draws = false;
    assert_null(tally);
    assert_null(release);
}

static int set_up(void **state)
{
    char ledger[512];
    (void)state;
    temp_folder_make(folder);
    for (int r = 0; r < 2; r++) {
        (void)snprintf(ledger, sizeof ledger, "%s/ledger.%d", folder, r);
        make_roomy_ledger(ledger, (sbl_neighbours)r);
    }
    return 0;
}

ALL_TESTS(set_up, remove_folder)
