/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that can fail, made to fail in turn at every step of create, reserve, commit and read:
 * never a token without a synced line, never a ledger that cannot be verified, never a charge lost,
 * always one line of explanation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/faults.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

static char path[512];
static char *plain; /* a ledger with one release, one reservation open */
static size_t plain_size;
static sbl_reserve_token *open_token;

static int setup(void **state)
{
    const sbl_ledger_facts facts = kit_facts("8", "1e-05");
    const sbl_ledger_entry entry = kit_gaussian(4);
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/l", folder);
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    kit_release(path, &entry);
    assert_ok(sbl_ledger_reserve(&open_token, sbl_file_item(path), &entry, NULL));
    plain = slurp(path, &plain_size);
    return 0;
}

AROUND(teardown)
{
    free(plain);
    sbl_reserve_token_free(open_token);
    temp_folder_remove(folder);
}

/* The ledger as in setup, with a third RESERVE cut by so many bytes when cut > 0. */
static void restore(size_t cut)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *token = NULL;
    faults_set(FAULT_NONE, 0);
    sbl_test_fail_alloc(0);
    kit_write(path, plain, plain_size);
    if (cut == 0) return;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    sbl_reserve_token_free(token);
    kit_cut(path, cut);
}

static uint64_t releases_now(void)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    faults_set(FAULT_NONE, 0);
    sbl_test_fail_alloc(0);
    assert_ok_or_say(sbl_ledger_read(&view, sbl_file_item(path), &err));
    const uint64_t releases = view.totals.releases;
    sbl_ledger_view_clear(&view);
    return releases;
}

static void check_message(const sbl_error *err, sbl_status status)
{
    assert_int_equal(err->status, status);
    assert_true(strlen(err->message) > 5);
    assert_null(strchr(err->message, '\n'));
}

static bool is_torn_now(void)
{
    sbl_ledger_view view;
    assert_ok(sbl_ledger_read(&view, sbl_file_item(path), NULL));
    const bool torn = view.torn;
    sbl_ledger_view_clear(&view);
    return torn;
}

/* After a failed reserve: charged or not, but verifiable, nothing lost, and good for the next,
 * where need be after a repair. */
static void check_aftermath(uint64_t charged_before)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    uint64_t releases = releases_now();
    if (is_torn_now()) {
        assert_ok(sbl_ledger_append_repair(sbl_file_item(path), &entry.charge, NULL));
        releases = releases_now();
    }
    assert_in_range(releases, charged_before, charged_before + 1);
    kit_release(path, &entry);
    assert_int_equal(releases_now(), releases + 1);
}

TEST(reserve_survives_every_fault)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            sbl_reserve_token *token = (sbl_reserve_token *)1;
            sbl_error err = {0};
            restore(0);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_reserve(&token, sbl_file_item(path), &entry, &err);
            const bool hit = faults_hit();
            if (!hit) {
                assert_ok(status);
                sbl_reserve_token_free(token);
                break;
            }
            assert_int_not_equal(status, SBL_OK);
            assert_null(token);
            check_message(&err, status);
            check_aftermath(2);
        }
    }
}

/* The torn line is a third charge: it may not be lost by a fault while it is being repaired. */
static void repair_under_every_fault(size_t cut)
{
    const sbl_charge stated = kit_gaussian(4).charge;
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            sbl_error err = {0};
            restore(cut);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_append_repair(sbl_file_item(path), &stated, &err);
            const bool hit = faults_hit();
            (void)releases_now();
            if (hit) {
                assert_int_not_equal(status, SBL_OK);
                check_message(&err, status);
                if (is_torn_now()) assert_ok(sbl_ledger_append_repair(sbl_file_item(path), &stated, NULL));
            }
            assert_int_equal(releases_now(), 3);
            if (!hit) break;
        }
    }
}

TEST(repair_survives_every_fault)
{
    repair_under_every_fault(1);
    repair_under_every_fault(300);
}

TEST(limit_survives_every_fault)
{
    const sbl_ledger_facts lower = kit_facts("1", "1e-06");
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            sbl_error err = {0};
            restore(0);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_append_limit(sbl_file_item(path), &lower.budget, &err);
            if (!faults_hit()) {
                assert_ok(status);
                break;
            }
            check_message(&err, status);
            check_aftermath(2);
        }
    }
}

TEST(reserve_survives_every_failed_allocation)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    for (long n = 1;; n++) {
        sbl_reserve_token *token = (sbl_reserve_token *)1;
        sbl_error err = {0};
        restore(0);
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_ledger_reserve(&token, sbl_file_item(path), &entry, &err);
        if (!sbl_test_alloc_failed()) {
            assert_ok(status);
            sbl_reserve_token_free(token);
            break;
        }
        assert_int_equal(status, SBL_EMEM);
        assert_null(token);
        check_message(&err, status);
        check_aftermath(2);
    }
    sbl_test_fail_alloc(0);
}

TEST(commit_survives_every_fault)
{
    const uint8_t out[SBL_SHA256_SIZE] = {7};
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            sbl_error err = {0};
            restore(0);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_commit(open_token, out, &err);
            if (!faults_hit()) {
                assert_ok(status);
                break;
            }
            assert_int_not_equal(status, SBL_OK);
            check_message(&err, status);
            check_aftermath(2);
        }
    }
}

TEST(create_survives_every_fault_and_leaves_no_partial_ledger)
{
    const sbl_ledger_facts facts = kit_facts("1", "1e-05");
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            char fresh[512];
            sbl_error err = {0};
            sbl_ledger_view view;
            (void)snprintf(fresh, sizeof fresh, "%s/new-%d-%d", folder, (int)kind, n);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_create(sbl_file_item(fresh), &facts, &err);
            const bool hit = faults_hit();
            faults_set(FAULT_NONE, 0);
            if (!hit) {
                assert_ok(status);
                break;
            }
            assert_int_not_equal(status, SBL_OK);
            check_message(&err, status);
            /* All or nothing; only the sync of the folder comes after the rename. What cannot be
             * looked at is taken to be there. */
            if (access(fresh, F_OK) == 0) {
                assert_int_equal(kind, FAULT_FSYNC);
                assert_ok(sbl_ledger_read(&view, sbl_file_item(fresh), NULL));
                sbl_ledger_view_clear(&view);
            }
        }
    }
    for (long n = 1;; n++) {
        char fresh[512];
        (void)snprintf(fresh, sizeof fresh, "%s/memory-%ld", folder, n);
        sbl_test_fail_alloc(n);
        const sbl_status status = sbl_ledger_create(sbl_file_item(fresh), &facts, NULL);
        if (!sbl_test_alloc_failed()) break;
        assert_int_equal(status, SBL_EMEM);
    }
    sbl_test_fail_alloc(0);
}

TEST(read_survives_every_fault)
{
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        for (int n = 1;; n++) {
            sbl_ledger_view view;
            sbl_error err = {0};
            restore(0);
            faults_set(kind, n);
            const sbl_status status = sbl_ledger_read(&view, sbl_file_item(path), &err);
            if (!faults_hit()) {
                assert_ok(status);
                sbl_ledger_view_clear(&view);
                break;
            }
            assert_int_not_equal(status, SBL_OK);
            assert_null(view.lines);
            check_message(&err, status);
        }
    }
}

TEST(interrupted_calls_are_made_again)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    for (int n = 1; n <= 3; n++) {
        sbl_reserve_token *token = NULL;
        restore(0);
        faults_interrupt(n);
        assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
        sbl_reserve_token_free(token);
    }
    assert_int_equal(releases_now(), 3);
}

/* The token exists only after write, sync and reading back, in that order. */
TEST(token_comes_after_write_sync_and_reading_back)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *token = NULL;
    restore(0);
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    assert_string_equal(faults_log(), "rwsr");
    sbl_reserve_token_free(token);
    restore(1);
    faults_set(FAULT_NONE, 0);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    assert_string_equal(faults_log(), "rwsr"); /* over the torn line in one write */
}

TEST(full_disk_says_so)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *token = NULL;
    sbl_error err = {0};
    restore(0);
    faults_set(FAULT_SHORT_WRITE, 1);
    assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, &err), SBL_EIO);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "No space left"));
    faults_set(FAULT_NONE, 0);
    size_t size;
    char *text = slurp(path, &size); /* the part that was written was taken back */
    assert_int_equal(size, plain_size);
    free(text);
}

/* Another file comes to bear the name between open and lock. */
TEST(ledger_replaced_while_it_is_opened_is_refused)
{
    restore(0);
    for (fault kind = FAULT_OTHER_INODE; kind <= FAULT_OTHER_DEVICE; kind++) {
        sbl_ledger_view view;
        sbl_error err = {0};
        faults_set(kind, 1);
        assert_int_equal(sbl_ledger_read(&view, sbl_file_item(path), &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "replaced"));
    }
}

ALL_TESTS(setup, teardown)
