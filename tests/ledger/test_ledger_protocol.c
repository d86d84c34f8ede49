/* SPDX-License-Identifier: Apache-2.0 */
/* Reserve, commit, void: what a sound ledger does, and what it refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kinds.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

FREES(sbl_reserve_token_free);

static char path[512];

static int setup(void **state)
{
    const sbl_ledger_facts facts = kit_facts("1", "1e-05");
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/l", folder);
    return sbl_ledger_create(sbl_file_item(path), &facts, NULL) == SBL_OK ? 0 : 1;
}

static sbl_ledger_view read_ledger(const char *at)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    assert_ok_or_say(sbl_ledger_read(&view, sbl_file_item(at), &err));
    return view;
}

/* reserve must fail with status, leave no token and not a byte changed. */
static void expect_refused(const char *at, const sbl_ledger_entry *entry, sbl_status status, const char *part)
{
    sbl_reserve_token *token = (sbl_reserve_token *)1;
    sbl_error err = {0};
    size_t size_before = 0;
    size_t size_after = 0;
    FREED(free) char *before = slurp(at, &size_before);
    assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(at), entry, &err), status);
    assert_null(token);
    assert_int_equal(err.status, status);
    assert_null(strchr(err.message, '\n'));
    if (strstr(err.message, part) == NULL) fail_msg("'%s' lacks '%s'", err.message, part);
    FREED(free) char *after = slurp(at, &size_after);
    assert_int_equal(size_before, size_after);
    if (before != NULL) assert_memory_equal(before, after, size_before);
}

TEST(new_ledger_is_private_verified_and_unspent)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(path);
    assert_int_equal(strlen(view.id), 32);
    assert_int_equal(view.line_count, 0);
    assert_int_equal(view.totals.releases, 0);
    assert_string_equal(view.facts.budget.epsilon, "1");
    assert_string_equal(view.facts.budget.delta, "1e-05");
    assert_false(view.facts.test_key);
    assert_memory_equal(view.head, view.first_hash, SBL_SHA256_SIZE);
}

TEST(create_refuses_an_existing_file_and_leaves_it)
{
    const sbl_ledger_facts facts = kit_facts("2", "1e-06");
    sbl_error err = {0};
    FREED(free) char *before = slurp(path, NULL);
    assert_int_equal(sbl_ledger_create(sbl_file_item(path), &facts, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "exists"));
    FREED(free) char *after = slurp(path, NULL);
    assert_string_equal(before, after);
}

TEST(create_refuses_facts_that_no_line_can_hold)
{
    sbl_ledger_facts facts = kit_facts("0", "1e-06");
    const char *other = in_folder(folder, "other");
    assert_int_equal(sbl_ledger_create(sbl_file_item(other), &facts, NULL), SBL_EARG);
    facts = kit_facts("1", "1e-06");
    facts.rows_per_unit = 2;
    assert_int_equal(sbl_ledger_create(sbl_file_item(other), &facts, NULL), SBL_EINPUT);
    assert_int_not_equal(access(other, F_OK), 0);
    facts.by_person = true;
    for (int i = 0; i < 2; i++) {
        facts.rows_per_unit = i == 0 ? 0 : SBL_ROWS_PER_UNIT_MAX + 1;
        assert_int_equal(sbl_ledger_create(sbl_file_item(other), &facts, NULL), SBL_EINPUT);
    }
    facts.by_person = false;
    facts.rows_per_unit = 1;
    assert_int_equal(sbl_ledger_create(sbl_file_item(in_folder(folder, "no/such")), &facts, NULL), SBL_EIO);
}

/* What a row costs and what a person does is not added up, nor what different numbers of rows do. */
TEST(ledgers_of_rows_and_of_persons_do_not_mix)
{
    static const uint64_t counting[] = {0, 1, 3};
    sbl_error err = {0};
    for (size_t l = 0; l < 3; l++) {
        char at[512];
        sbl_ledger_facts facts = kit_facts("1", "1e-06");
        facts.by_person = counting[l] != 0;
        facts.rows_per_unit = counting[l] != 0 ? counting[l] : 1;
        (void)snprintf(at, sizeof at, "%s/of-%zu", folder, l);
        assert_ok(sbl_ledger_create(sbl_file_item(at), &facts, &err));
        for (size_t e = 0; e < 3; e++) {
            sbl_ledger_entry entry = kit_gaussian(1);
            FREED(sbl_reserve_token_free) sbl_reserve_token *token = NULL;
            const bool once = counting[e] == 1 && counting[l] != 0; /* one record of a person */
            entry.rows_per_unit = counting[e];
            entry.n_public = counting[e] == 0;
            entry.n = entry.n_public ? 1000 : 0;
            assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(at), &entry, &err),
                             l == e || once ? SBL_OK : SBL_EINPUT);
            if (l != e && !once) assert_non_null(strstr(err.message, "use another ledger"));
        }
        CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(at);
        assert_int_equal(view.line_count, counting[l] > 1 ? 2 : 1);
        assert_int_equal(view.lines[0].entry.rows_per_unit, counting[l]);
        assert_int_equal(view.facts.by_person, counting[l] != 0);
    }
}

TEST(reserve_charges_and_the_token_is_good_for_one_key)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *token = NULL;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.line_count, 1);
    assert_string_equal(view.lines[0].rid, sbl_reserve_token_rid(token));
    assert_string_equal(view.id, sbl_reserve_token_ledger_id(token));
    assert_int_equal(sbl_reserve_token_seq(token), 1);
    assert_false(sbl_reserve_token_is_test(token));
    assert_true(view.totals.charge.mu2 == entry.charge.mu2);
    sbl_ledger_view_clear(&view);
    assert_true(sbl_reserve_token_spend(token));
    assert_false(sbl_reserve_token_spend(token));
    assert_false(sbl_reserve_token_spend(token));
    sbl_reserve_token_free(token);
    sbl_reserve_token_free(NULL);
}

TEST(commit_and_void_close_a_reservation_once_and_refund_nothing)
{
    const uint8_t out[SBL_SHA256_SIZE] = {7};
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *one = NULL;
    FREED(sbl_reserve_token_free) sbl_reserve_token *two = NULL;
    sbl_error err = {0};
    assert_ok(sbl_ledger_reserve(&one, sbl_file_item(path), &entry, NULL));
    assert_ok(sbl_ledger_reserve(&two, sbl_file_item(path), &entry, NULL));
    /* Interleaved: the later one first. */
    assert_ok(sbl_ledger_void(two, "error", NULL));
    assert_ok(sbl_ledger_commit(one, out, NULL));
    assert_int_equal(sbl_ledger_commit(one, out, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "no open reservation"));
    assert_int_equal(sbl_ledger_void(one, "error", NULL), SBL_EINPUT);
    assert_int_equal(sbl_ledger_commit(two, out, NULL), SBL_EINPUT);
    sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.line_count, 4);
    assert_true(view.totals.charge.mu2 == 2 * entry.charge.mu2);
    assert_int_equal(view.totals.releases, 2);
    sbl_ledger_view_clear(&view);
    sbl_reserve_token_free(one);
}

TEST(void_takes_only_its_two_reasons)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    FREED(sbl_reserve_token_free) sbl_reserve_token *token = NULL;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    assert_int_equal(sbl_ledger_void(token, "refund", NULL), SBL_EINPUT);
    assert_int_equal(sbl_ledger_void(token, "crash and more", NULL), SBL_EINPUT);
    assert_ok(sbl_ledger_void(token, "crash", NULL));
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(path);
    assert_string_equal(view.lines[1].reason, "crash");
}

TEST(release_over_budget_is_refused_and_changes_nothing)
{
    const sbl_ledger_entry large = kit_gaussian(64);
    const sbl_ledger_entry small = kit_gaussian(12); /* 0.1875^2 twice is under 0.268^2 */
    expect_refused(path, &large, SBL_EBUDGET, path);
    kit_release(path, &small);
    kit_release(path, &small);
    expect_refused(path, &small, SBL_EBUDGET, "epsilon would reach");
}

TEST(pure_budget_takes_laplace_to_the_last_bit_and_no_gaussian)
{
    const sbl_ledger_facts facts = kit_facts("1", "0");
    const char *pure = in_folder(folder, "pure");
    const sbl_ledger_entry half = kit_laplace(32);
    const sbl_ledger_entry gaussian = kit_gaussian(1);
    sbl_ledger_entry least = kit_laplace(0);
    least.joint = 1;
    assert_ok(sbl_charge_from_joint(&least.charge, SBL_DISCRETE_LAPLACE, 1, 0, NULL));
    assert_ok(sbl_ledger_create(sbl_file_item(pure), &facts, NULL));
    expect_refused(pure, &gaussian, SBL_EBUDGET, "budget");
    kit_release(pure, &half);
    kit_release(pure, &half);
    expect_refused(pure, &least, SBL_EBUDGET, "budget");
}

TEST(other_relation_is_refused)
{
    sbl_ledger_entry entry = kit_gaussian(4);
    entry.neighbours = SBL_ADD_REMOVE;
    entry.n_public = false;
    entry.n = 0;
    expect_refused(path, &entry, SBL_EINPUT, "replace-one");
}

TEST(add_remove_ledger_keeps_n_private)
{
    sbl_ledger_facts facts = kit_facts("1", "1e-05");
    const char *at = in_folder(folder, "addremove");
    sbl_ledger_entry entry = kit_gaussian(4);
    facts.neighbours = SBL_ADD_REMOVE;
    entry.neighbours = SBL_ADD_REMOVE;
    assert_ok(sbl_ledger_create(sbl_file_item(at), &facts, NULL));
    expect_refused(at, &entry, SBL_EINPUT, "field 'n'"); /* n given though it is private */
    entry.n_public = false;
    kit_release(at, &entry);
    FREED(free) char *text = slurp(at, NULL);
    assert_non_null(strstr(text, " n=private "));
    assert_null(strstr(text, "n=1000"));
}

TEST(test_key_and_real_ledgers_do_not_mix)
{
    sbl_ledger_facts facts = kit_facts("1", "1e-05");
    const char *at = in_folder(folder, "test");
    sbl_ledger_entry entry = kit_gaussian(4);
    facts.test_key = true;
    assert_ok(sbl_ledger_create(sbl_file_item(at), &facts, NULL));
    expect_refused(at, &entry, SBL_EINPUT, "fixed test key");
    entry.test_key = true;
    expect_refused(path, &entry, SBL_EINPUT, "a real ledger");
    sbl_reserve_token *token = NULL;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(at), &entry, NULL));
    assert_true(sbl_reserve_token_is_test(token));
    sbl_reserve_token_free(token);
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(at);
    assert_true(view.facts.test_key && view.lines[0].entry.test_key);
}

TEST(malformed_entries_are_refused)
{
    sbl_ledger_entry entry = kit_gaussian(4);
    entry.name[0] = ' ';
    expect_refused(path, &entry, SBL_EINPUT, "field 'name'");
    entry = kit_gaussian(4);
    entry.name[0] = '\0';
    expect_refused(path, &entry, SBL_EINPUT, "field 'name'");
    entry = kit_gaussian(4);
    entry.charge.mu2 -= 1; /* less than its joint sensitivity costs */
    expect_refused(path, &entry, SBL_EINPUT, "field 'mu2'");
    entry = kit_gaussian(4);
    entry.charge.delta = SBL_U128_MAX; /* fits a line, but not the budget */
    expect_refused(path, &entry, SBL_EBUDGET, "epsilon");
}

TEST(ledger_that_is_not_one_plain_file_is_refused)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    char linked[512];
    sbl_ledger_view view;
    sbl_error err = {0};
    (void)snprintf(linked, sizeof linked, "%s/link", folder);
    assert_int_equal(symlink(path, linked), 0);
    expect_refused(linked, &entry, SBL_EINPUT, "symbolic link");
    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(linked), NULL), SBL_EINPUT);
    assert_int_equal(unlink(linked), 0);

    assert_int_equal(link(path, linked), 0);
    expect_refused(linked, &entry, SBL_EINPUT, "hard links");
    expect_refused(path, &entry, SBL_EINPUT, "hard links");
    assert_int_equal(unlink(linked), 0);

    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(folder), &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "not a regular file"));
    sbl_reserve_token *token;
    assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(folder), &entry, &err), SBL_EIO);
    assert_null(token);

    assert_int_equal(mkfifo(linked, 0600), 0);
    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(linked), &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "not a regular file"));

    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "none")), &err), SBL_EIO);
    assert_non_null(strstr(err.message, "does not exist"));
    assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(in_folder(folder, "none")), &entry, &err),
                     SBL_EIO);
}

TEST(empty_and_oversized_files_are_refused)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    const char *at = in_folder(folder, "empty");
    sbl_ledger_view view;
    sbl_error err = {0};
    kit_write(at, "", 0);
    expect_refused(at, &entry, SBL_EINPUT, "empty");
    assert_int_equal(truncate(at, (off_t)SBL_LEDGER_SIZE_LIMIT + 1), 0);
    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(at), &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "larger than"));
}

/* Root may write anything, so this one drops its rights first. */
TEST(read_only_file_is_refused_for_charging_and_can_be_read)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_ledger_view view;
    assert_ok(sbl_ledger_read_to_charge(&view, sbl_file_item(path), NULL));
    assert_int_equal(view.line_count, 0);
    sbl_ledger_view_clear(&view);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(path, 0444), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sbl_reserve_token *token;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(9);
        if (sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL) != SBL_EIO || token != NULL)
            _exit(1);
        if (sbl_ledger_read(&view, sbl_file_item(path), NULL) != SBL_OK) _exit(2);
        sbl_ledger_view_clear(&view);
        if (sbl_ledger_read_to_charge(&view, sbl_file_item(path), NULL) != SBL_EIO) _exit(3);
        sbl_ledger_view_clear(&view);
        _exit(0);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

TEST(reading_changes_nothing_and_tells_of_a_torn_line)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    kit_release(path, &entry);
    kit_cut(path, 10);
    FREED(free) char *before = slurp(path, NULL);
    sbl_ledger_view view = read_ledger(path);
    assert_true(view.torn);
    assert_int_equal(view.line_count, 1);
    sbl_ledger_view_clear(&view);
    FREED(free) char *after = slurp(path, NULL);
    assert_string_equal(before, after);
}

/* A RESERVE that lost so many bytes at its end, after a release that is whole. */
static void tear(const sbl_ledger_entry *entry, size_t bytes)
{
    sbl_reserve_token *token = NULL;
    kit_release(path, entry);
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), entry, NULL));
    sbl_reserve_token_free(token);
    kit_cut(path, bytes);
}

TEST(nothing_is_charged_to_a_torn_ledger)
{
    const sbl_ledger_entry entry = kit_gaussian(1);
    tear(&entry, 1);
    expect_refused(path, &entry, SBL_EBUDGET, "torn line");
}

TEST(repair_charges_what_a_torn_line_says)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    tear(&entry, 1);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    kit_release(path, &entry);
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(path);
    assert_false(view.torn);
    assert_int_equal(view.line_count, 5);
    assert_int_equal(view.lines[2].op, SBL_LEDGER_REPAIR);
    assert_int_equal(view.lines[2].basis, SBL_REPAIR_LINE);
    assert_int_equal(view.totals.releases, 3);
    assert_true(view.totals.charge.mu2 == 3 * entry.charge.mu2);
}

TEST(repaired_charge_counts_against_the_budget)
{
    const sbl_ledger_entry entry = kit_gaussian(12);
    tear(&entry, 1);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    expect_refused(path, &entry, SBL_EBUDGET, "epsilon would reach");
}

TEST(repair_of_an_unreadable_line_gives_up_the_rest)
{
    const sbl_ledger_entry entry = kit_gaussian(1);
    tear(&entry, 400);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.lines[2].basis, SBL_REPAIR_REST);
    assert_true(view.exhausted && !view.torn);
    sbl_ledger_view_clear(&view);
    expect_refused(path, &entry, SBL_EBUDGET, "gave up the rest");
}

TEST(repair_takes_what_is_stated)
{
    const sbl_ledger_entry entry = kit_gaussian(1);
    const sbl_charge stated = kit_laplace(3).charge;
    tear(&entry, 400); /* nothing of the charge can be read */
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), &stated, NULL));
    sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.lines[2].basis, SBL_REPAIR_STATED);
    assert_int_equal(view.totals.releases, 2);
    assert_int_equal(view.totals.gaussian_releases, 1);
    assert_true(view.totals.charge.eps0 == stated.eps0);
    sbl_ledger_view_clear(&view);
    kit_release(path, &entry);
}

static void expect_statement(sbl_charge stated, sbl_status expected)
{
    sbl_error err = {0};
    FREED(free) char *before = slurp(path, NULL);
    assert_int_equal(sbl_ledger_append_repair(sbl_file_item(path), &stated, &err), expected);
    FREED(free) char *after = slurp(path, NULL);
    assert_int_equal(strcmp(before, after) == 0, expected != SBL_OK);
    if (expected != SBL_OK) assert_non_null(strstr(err.message, "state at least that cost"));
}

/* Each part of what is stated is held against each part of what stands there. */
TEST(less_than_a_torn_line_says_cannot_be_stated)
{
    sbl_ledger_entry entry = kit_gaussian(4);
    entry.charge.delta = 5;
    tear(&entry, 1);
    sbl_charge less = entry.charge;
    less.mu2--;
    expect_statement(less, SBL_EARG);
    less = entry.charge;
    less.delta--;
    expect_statement(less, SBL_EARG);
    less = entry.charge;
    less.draws--;
    expect_statement(less, SBL_EARG);
    expect_statement(kit_laplace(64).charge, SBL_EARG); /* of the other kind */
    expect_statement(entry.charge, SBL_OK);
    const sbl_ledger_entry pure = kit_laplace(4);
    sbl_reserve_token *token = NULL;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &pure, NULL));
    sbl_reserve_token_free(token);
    kit_cut(path, 1);
    less = pure.charge;
    less.eps0--;
    expect_statement(less, SBL_EARG);
    less.eps0 += 2;
    expect_statement(less, SBL_OK);
}

/* Cut behind mu2, so that the totals are gone: what is there is still the least that it was. */
TEST(less_than_the_digits_of_a_cut_line_cannot_be_stated)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    size_t size;
    tear(&entry, 1);
    char *text = slurp(path, &size);
    const char *eps0 = strstr(strstr(text, "seq=3 "), " eps0=");
    kit_cut(path, size - (size_t)(eps0 - text));
    free(text);
    expect_statement(kit_gaussian(3).charge, SBL_EARG);
    /* And so is what a repair wrote that was torn itself. */
    expect_statement(entry.charge, SBL_OK);
    kit_cut(path, 1);
    expect_statement(kit_gaussian(3).charge, SBL_EARG);
    expect_statement(kit_gaussian(5).charge, SBL_OK);
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.totals.releases, 2);
}

TEST(ledger_without_limit_wants_the_cost_stated)
{
    const sbl_ledger_facts facts = kit_facts(SBL_NO_LIMIT, "1e-05");
    const sbl_ledger_entry entry = kit_gaussian(64);
    sbl_error err = {0};
    assert_int_equal(unlink(path), 0);
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    tear(&entry, 400);
    char *before = slurp(path, NULL);
    assert_int_equal(sbl_ledger_append_repair(sbl_file_item(path), NULL, &err), SBL_EBUDGET);
    assert_non_null(strstr(err.message, "state"));
    char *after = slurp(path, NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), &entry.charge, NULL));
    kit_release(path, &entry);
}

TEST(repair_of_a_whole_ledger_is_refused)
{
    sbl_error err = {0};
    assert_int_equal(sbl_ledger_append_repair(sbl_file_item(path), NULL, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "no torn line"));
}

TEST(commit_waits_for_the_repair_of_what_another_process_tore)
{
    const uint8_t out[SBL_SHA256_SIZE] = {7};
    const sbl_ledger_entry entry = kit_gaussian(4);
    sbl_reserve_token *mine = NULL;
    FREED(sbl_reserve_token_free) sbl_reserve_token *other = NULL;
    assert_ok(sbl_ledger_reserve(&mine, sbl_file_item(path), &entry, NULL));
    assert_ok(sbl_ledger_reserve(&other, sbl_file_item(path), &entry, NULL));
    kit_cut(path, 60);
    assert_int_equal(sbl_ledger_commit(mine, out, NULL), SBL_EBUDGET);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), NULL, NULL));
    assert_ok(sbl_ledger_commit(mine, out, NULL));
    sbl_ledger_view view = read_ledger(path);
    assert_int_equal(view.line_count, 3);
    assert_true(view.lines[0].committed);
    sbl_ledger_view_clear(&view);
    sbl_reserve_token_free(mine);
}

/* A torn line longer than what replaces it: nothing of it may stay. */
TEST(long_torn_line_leaves_nothing_behind)
{
    const sbl_ledger_entry entry = kit_gaussian(4);
    kit_release(path, &entry);
    size_t size;
    FREED(free) char *text = slurp(path, &size);
    FREED(free) char *longer = calloc(1, size + 9000);
    memcpy(longer, text, size);
    memcpy(longer + size, "seq=3 op=RESERVE", 16);
    kit_write(path, longer, size + 8192);
    assert_ok(sbl_ledger_append_repair(sbl_file_item(path), &entry.charge, NULL));
    kit_release(path, &entry);
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view = read_ledger(path);
    assert_false(view.torn);
    assert_int_equal(view.line_count, 5);
    assert_int_equal(view.lines[2].op, SBL_LEDGER_REPAIR);
}

/* ---- limits ---- */

static void expect_limit(const char *epsilon, const char *delta, sbl_u128 mu2, sbl_status status)
{
    sbl_error err = {0};
    sbl_ledger_facts facts = kit_facts(epsilon, delta);
    facts.budget.mu2 = mu2;
    assert_int_equal(sbl_ledger_append_limit(sbl_file_item(path), &facts.budget, &err), status);
    assert_null(strchr(err.message, '\n'));
}

TEST(limit_is_lowered_and_never_raised)
{
    const sbl_ledger_entry small = kit_gaussian(8);
    const sbl_ledger_entry large = kit_gaussian(13);
    expect_limit("1.5", "1e-05", 0, SBL_EARG);
    expect_limit("1", "1e-04", 0, SBL_EARG);
    expect_limit("none", "1e-05", 0, SBL_EARG);
    expect_limit("inf", "1e-05", 0, SBL_EARG);
    expect_limit("0", "1e-05", 0, SBL_EARG);
    expect_limit("0.6", "1e-06", SBL_FIXED96_ONE, SBL_OK);
    expect_limit("0.6", "1e-06", 0, SBL_EARG);
    expect_limit("0.6", "1e-06", SBL_FIXED96_ONE + 1, SBL_EARG);
    expect_limit("0.6", "1e-06", SBL_FIXED96_ONE, SBL_OK);
    expect_refused(path, &large, SBL_EBUDGET, "the budget is epsilon 0.6");
    kit_release(path, &small);
    sbl_ledger_view view = read_ledger(path);
    assert_string_equal(view.budget.epsilon, "0.6");
    assert_string_equal(view.facts.budget.epsilon, "1");
    assert_string_equal(view.lines[0].budget.delta, "1e-06");
    sbl_ledger_view_clear(&view);
    expect_limit("0.01", "1e-06", SBL_FIXED96_ONE, SBL_OK); /* below what is spent: the end */
    expect_refused(path, &small, SBL_EBUDGET, "epsilon");
}

TEST(limit_can_be_set_where_there_was_none)
{
    const sbl_ledger_facts facts = kit_facts(SBL_NO_LIMIT, "1e-06");
    const sbl_ledger_entry large = kit_gaussian(64);
    assert_int_equal(unlink(path), 0);
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    kit_release(path, &large);
    expect_limit("6", "1e-05", 0, SBL_OK);
    expect_limit("7", "1e-05", 0, SBL_EARG);
    expect_refused(path, &large, SBL_EBUDGET, "epsilon would reach");
}

TEST(limit_wants_a_ledger_that_is_there_and_whole)
{
    const sbl_ledger_entry entry = kit_gaussian(1);
    const sbl_ledger_facts lower = kit_facts("0.5", "1e-05");
    tear(&entry, 10);
    expect_limit("0.5", "1e-05", 0, SBL_EBUDGET);
    assert_int_equal(sbl_ledger_append_limit(sbl_file_item("/nowhere/l"), &lower.budget, NULL), SBL_EIO);
    assert_int_equal(sbl_ledger_append_repair(sbl_file_item("/nowhere/l"), NULL, NULL), SBL_EIO);
}

TEST(edited_or_rolled_back_ledger_takes_no_commit)
{
    const uint8_t out[SBL_SHA256_SIZE] = {7};
    const sbl_ledger_entry entry = kit_gaussian(4);
    FREED(sbl_reserve_token_free) sbl_reserve_token *token = NULL;
    sbl_error err = {0};
    size_t size;
    kit_release(path, &entry);
    FREED(free) char *earlier = slurp(path, &size);
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    kit_write(path, earlier, size);
    assert_int_equal(sbl_ledger_commit(token, out, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "older copy"));
    earlier[100] ^= 1;
    kit_write(path, earlier, size);
    assert_int_equal(sbl_ledger_commit(token, out, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "line 1"));
    expect_refused(path, &entry, SBL_EINPUT, "line 1");
}

EACH_TEST(setup, remove_folder)
