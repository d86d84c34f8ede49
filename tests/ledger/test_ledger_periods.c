/* SPDX-License-Identifier: Apache-2.0 */
/* From one period to the next: what the successor carries, that there is one successor only, that every point at which the call can be
 * stopped leaves a ledger that is open or one that the same call completes; policies; texts of people; ledgers of version 2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "door/ledger/ledger_line.h"
#include "ledger/faults.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/one_folder.h"

static char old_path[512], next_path[512], pending_path[600];

AROUND(setup)
{
    const sbl_ledger_facts facts = kit_facts("8", "1e-05");
    const sbl_ledger_entry gaussian = kit_gaussian(16), laplace = kit_laplace(8);
    temp_folder_make(folder);
    (void)snprintf(old_path, sizeof old_path, "%s/old.ledger", folder);
    (void)snprintf(next_path, sizeof next_path, "%s/next.ledger", folder);
    (void)snprintf(pending_path, sizeof pending_path, "%s.pending", next_path);
    assert_ok(sbl_ledger_create(sbl_file_item(old_path), &facts, NULL));
    kit_release(old_path, &gaussian);
    kit_release(old_path, &laplace);
}

AROUND(teardown)
{
    faults_set(FAULT_NONE, 0);
    sbl_test_fail_alloc(0);
    temp_folder_remove(folder);
}

static bool is_there(const char *path)
{
    struct stat seen;
    return lstat(path, &seen) == 0;
}

static sbl_status succeed(const char *next, sbl_error *err)
{
    const sbl_ledger_facts facts = kit_facts("2", "1e-06");
    return sbl_ledger_succeed(sbl_file_item(old_path), sbl_file_item(next), &facts, "a new year, 2027", err);
}

static void read(sbl_ledger_view *view, const char *path)
{
    sbl_error err = {0};
    assert_ok_or_say(sbl_ledger_read(view, sbl_file_item(path), &err));
}

static sbl_status reserve(const char *path, const sbl_ledger_entry *entry, sbl_error *err)
{
    sbl_reserve_token *token = NULL;
    const sbl_status status = sbl_ledger_reserve(&token, sbl_file_item(path), entry, err);
    sbl_reserve_token_free(token);
    return status;
}

/* Both ledgers agree: one closed by the other, which carries its totals. */
static void expect_linked(const char *from, const char *to, uint64_t periods)
{
    sbl_ledger_view old, next;
    sbl_totals all;
    read(&old, from);
    read(&next, to);
    const sbl_ledger_past *past = &next.facts.past;
    assert_string_equal(old.next, next.id);
    assert_string_equal(past->id, old.id);
    assert_memory_equal(past->head, old.lines[old.line_count - 1].hash, sizeof past->head);
    assert_int_equal(past->periods, periods);
    assert_ok(sbl_ledger_all_periods(&all, &old.facts.past, &old.totals, NULL));
    assert_true(all.charge.mu2 == past->totals.charge.mu2 && all.charge.eps0 == past->totals.charge.eps0 &&
                all.charge.delta == past->totals.charge.delta);
    assert_int_equal(all.charge.draws, past->totals.charge.draws);
    assert_int_equal(all.releases, past->totals.releases);
    assert_int_equal(all.gaussian_releases, past->totals.gaussian_releases);
    assert_false(is_there(pending_path));
    sbl_ledger_view_clear(&old);
    sbl_ledger_view_clear(&next);
}

TEST(successor_begins_anew_and_carries_what_earlier_periods_cost)
{
    sbl_error err = {0};
    sbl_ledger_view view;
    char third[512];
    assert_ok_or_say(succeed(next_path, &err));
    expect_linked(old_path, next_path, 1);
    read(&view, next_path);
    assert_string_equal(view.budget.epsilon, "2");
    assert_true(view.totals.releases == 0 && view.facts.past.totals.releases == 2);
    assert_true(view.facts.past.totals.charge.mu2 == SBL_FIXED96_ONE / 16);
    sbl_ledger_view_clear(&view);
    read(&view, old_path);
    assert_string_equal(view.lines[view.line_count - 1].why, "a new year, 2027");
    sbl_ledger_view_clear(&view);
    /* A third period carries both. */
    const sbl_ledger_entry more = kit_gaussian(8);
    const sbl_ledger_facts facts = kit_facts("2", "1e-06");
    (void)snprintf(third, sizeof third, "%s/third.ledger", folder);
    kit_release(next_path, &more);
    assert_ok(sbl_ledger_succeed(sbl_file_item(next_path), sbl_file_item(third), &facts, "again", NULL));
    expect_linked(next_path, third, 2);
    read(&view, third);
    assert_true(view.facts.past.totals.charge.mu2 == SBL_FIXED96_ONE / 16 + SBL_FIXED96_ONE / 64);
    assert_int_equal(view.facts.past.totals.releases, 3);
    sbl_ledger_view_clear(&view);
}

TEST(closed_ledger_is_charged_nothing_and_has_one_successor)
{
    sbl_error err = {0};
    size_t before, after;
    const sbl_ledger_entry entry = kit_gaussian(1);
    assert_ok(succeed(next_path, NULL));
    char *text = slurp(old_path, &before);
    assert_int_equal(reserve(old_path, &entry, &err), SBL_EBUDGET);
    assert_non_null(strstr(err.message, "is closed"));
    assert_int_equal(succeed(in_folder(folder, "other.ledger"), &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "has a successor"));
    assert_false(is_there(in_folder(folder, "other.ledger")));
    char *again = slurp(old_path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(text, again, before);
    free(text);
    free(again);
    /* The same call finds it done; another ledger in its place is not taken for it. */
    assert_ok(succeed(next_path, NULL));
    const sbl_ledger_facts facts = kit_facts("2", "1e-06");
    assert_int_equal(remove(next_path), 0);
    assert_ok(sbl_ledger_create(sbl_file_item(next_path), &facts, NULL));
    assert_int_equal(succeed(next_path, &err), SBL_EINPUT);
    /* A file that is none. */
    kit_write(next_path, "hello\n", 6);
    assert_int_equal(succeed(next_path, &err), SBL_EINPUT);
}

/* COMMIT and VOID close what was reserved before; a repair after it cannot add a cost. */
TEST(reservations_may_be_closed_after_the_ledger)
{
    static const uint8_t out[SBL_SHA256_SIZE] = {1};
    const sbl_ledger_entry entry = kit_gaussian(1);
    sbl_reserve_token *token = NULL;
    sbl_error err = {0};
    sbl_ledger_view view;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(old_path), &entry, NULL));
    assert_ok(succeed(next_path, NULL));
    assert_ok(sbl_ledger_commit(token, out, NULL));
    sbl_reserve_token_free(token);
    kit_cut(old_path, 10);
    read(&view, old_path);
    assert_true(view.torn && view.torn_is_known && view.torn_charge.mu2 == 0);
    sbl_ledger_view_clear(&view);
    const sbl_charge stated = {.mu2 = 1, .draws = 1};
    assert_int_equal(sbl_ledger_append_repair(sbl_file_item(old_path), &stated, &err), SBL_EINPUT);
    assert_ok_or_say(sbl_ledger_append_repair(sbl_file_item(old_path), NULL, &err));
    read(&view, old_path);
    assert_true(!view.torn && view.totals.releases == 3);
    sbl_ledger_view_clear(&view);
}

TEST(ledger_whose_cost_is_not_known_has_no_successor)
{
    static const char *const budgets[] = {"inf", "8", "8", "8"};
    const sbl_ledger_entry entry = kit_gaussian(1);
    for (int what = 0; what < 4; what++) {
        sbl_error err = {0};
        sbl_ledger_facts facts = kit_facts(budgets[what], "1e-05");
        assert_int_equal(remove(old_path), 0);
        facts.test_key = what == 3;
        assert_ok(sbl_ledger_create(sbl_file_item(old_path), &facts, NULL));
        if (what == 1 || what == 2) { /* torn; the rest given up */
            kit_release(old_path, &entry);
            FILE *file = fopen(old_path, "ab");
            (void)fputs("seq=3 op=RES", file);
            (void)fclose(file);
        }
        if (what == 2) assert_ok(sbl_ledger_append_repair(sbl_file_item(old_path), NULL, NULL));
        assert_int_equal(succeed(next_path, &err), what == 1 ? SBL_EBUDGET : SBL_EINPUT);
        assert_null(strchr(err.message, '\n'));
        assert_false(is_there(next_path) || is_there(pending_path));
    }
}

TEST(bad_successions_change_nothing)
{
    char longer[SBL_LEDGER_TEXT_SIZE + 1];
    sbl_ledger_facts facts = kit_facts("2", "1e-06");
    const sbl_store_entry old = sbl_file_item(old_path), next = sbl_file_item(next_path);
    size_t before, after;
    char *text = slurp(old_path, &before);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "", NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, longer, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "two\nlines", NULL), SBL_EINPUT);
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "\xff", NULL), SBL_EINPUT);
    facts.rows_per_unit = 2;
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "why", NULL), SBL_EARG);
    facts = kit_facts("-1", "1e-06");
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "why", NULL), SBL_EINPUT);
    kit_write(next_path, "mine", 4);
    facts = kit_facts("2", "1e-06");
    assert_int_equal(sbl_ledger_succeed(old, next, &facts, "why", NULL), SBL_EIO);
    assert_int_equal(sbl_ledger_succeed(sbl_file_item(in_folder(folder, "none")), next, &facts, "why", NULL),
                     SBL_EIO);
    char *again = slurp(old_path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(text, again, before);
    free(text);
    free(again);
}

/* A ledger of persons has a successor of persons, and each period counts its own number of rows. */
TEST(persons_stay_persons)
{
    sbl_ledger_facts facts = kit_facts("8", "1e-05");
    sbl_ledger_view view;
    facts.by_person = true;
    facts.rows_per_unit = 3;
    assert_int_equal(remove(old_path), 0);
    assert_ok(sbl_ledger_create(sbl_file_item(old_path), &facts, NULL));
    facts.rows_per_unit = 5;
    facts.by_person = false; /* that of old counts */
    assert_ok(sbl_ledger_succeed(sbl_file_item(old_path), sbl_file_item(next_path), &facts, "why", NULL));
    read(&view, next_path);
    assert_true(view.facts.by_person && view.facts.rows_per_unit == 5);
    sbl_ledger_view_clear(&view);
}

/* ---- stopped at any point ---- */

/* After a failure: old is open and unchanged in cost, or it is closed and the same call completes it. */
static void expect_whole(void)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    faults_set(FAULT_NONE, 0);
    sbl_test_fail_alloc(0);
    read(&view, old_path);
    const bool torn = view.torn;
    assert_true(!torn || view.next[0] == '\0');
    assert_true(!is_there(next_path) || view.next[0] != '\0');
    sbl_ledger_view_clear(&view);
    if (torn) assert_ok(sbl_ledger_append_repair(sbl_file_item(old_path), &(sbl_charge){0}, NULL));
    assert_ok_or_say(succeed(next_path, &err));
    expect_linked(old_path, next_path, 1);
}

TEST(failure_at_any_step_leaves_one_successor_or_none)
{
    size_t size;
    char *text = slurp(old_path, &size);
    for (fault kind = FAULT_WRITE; kind < FAULT_COUNT; kind++) {
        int hits = 0;
        for (int n = 1; n < 40; n++) {
            (void)remove(next_path);
            (void)remove(pending_path);
            kit_write(old_path, text, size);
            faults_set(kind, n);
            const sbl_status status = succeed(next_path, NULL);
            const bool hit = faults_hit();
            faults_set(FAULT_NONE, 0);
            hits += hit;
            if (!hit) break;
            if (status == SBL_OK) expect_linked(old_path, next_path, 1);
            expect_whole();
        }
        if (kind == FAULT_WRITE || kind == FAULT_FDATASYNC || kind == FAULT_PREAD || kind == FAULT_RANDOM ||
            kind == FAULT_SHA256)
            assert_true(hits > 0);
    }
    free(text);
}

TEST(memory_that_runs_out_leaves_one_successor_or_none)
{
    size_t size;
    char *text = slurp(old_path, &size);
    sbl_status status = SBL_EMEM;
    for (int n = 1; status != SBL_OK && n < 200; n++) {
        (void)remove(next_path);
        (void)remove(pending_path);
        kit_write(old_path, text, size);
        sbl_test_fail_alloc(n);
        status = succeed(next_path, NULL);
        sbl_test_fail_alloc(0);
        if (status != SBL_OK) expect_whole();
    }
    assert_ok(status);
    /* The same while it is completed. */
    char *next = slurp(next_path, &size);
    status = SBL_EMEM;
    for (int n = 1; status != SBL_OK && n < 200; n++) {
        (void)remove(next_path);
        kit_write(pending_path, next, size);
        sbl_test_fail_alloc(n);
        status = succeed(next_path, NULL);
        sbl_test_fail_alloc(0);
    }
    assert_ok(status);
    expect_linked(old_path, next_path, 1);
    free(next);
    free(text);
}

/* The states that a power cut can leave on disk: the pending file alone, the pending file and SUCCEED, both files. */
TEST(each_state_that_a_crash_leaves_is_completed)
{
    size_t old_size, next_size, closed_size;
    char *open_old = slurp(old_path, &old_size);
    assert_ok(succeed(next_path, NULL));
    char *next = slurp(next_path, &next_size), *closed = slurp(old_path, &closed_size);
    for (int at = 0; at < 4; at++) {
        sbl_error err = {0};
        (void)remove(next_path);
        kit_write(old_path, at == 0 ? open_old : closed, at == 0 ? old_size : closed_size);
        kit_write(pending_path, next, next_size);
        if (at == 2) kit_write(next_path, next, next_size);
        if (at == 3) { /* the pending file was lost, which no crash does */
            assert_int_equal(remove(pending_path), 0);
            assert_int_equal(succeed(next_path, &err), SBL_EINPUT);
            continue;
        }
        assert_ok_or_say(succeed(next_path, &err));
        expect_linked(old_path, next_path, 1);
    }
    free(open_old);
    free(next);
    free(closed);
}

/* ---- policies ---- */

static sbl_budget limit(const char *epsilon) { return kit_facts(epsilon, "1e-05").budget; }

TEST(policy_limits_a_period_and_all_of_them)
{
    sbl_error err = {0};
    sbl_ledger_entry entry = kit_gaussian(16); /* mu 0.25, as the earlier period */
    assert_ok(succeed(next_path, NULL));
    sbl_ledger_policy policy = {.period = limit("0.5")};
    entry.policy = &policy;
    assert_int_equal(reserve(next_path, &entry, &err), SBL_EBUDGET);
    assert_non_null(strstr(err.message, "by the policy, "));
    policy = (sbl_ledger_policy){.period = limit("1.2"), .all = limit("1.2")}; /* one fits, both do not */
    assert_int_equal(reserve(next_path, &entry, &err), SBL_EBUDGET);
    policy.all = limit("3");
    assert_ok_or_say(reserve(next_path, &entry, &err));
    policy = (sbl_ledger_policy){0};
    assert_ok_or_say(reserve(next_path, &entry, &err));
}

TEST(sums_that_do_not_fit_are_refused)
{
    sbl_ledger_past past = {.totals.charge.mu2 = ~(sbl_u128)0};
    const sbl_totals one = {.charge.mu2 = 1};
    const sbl_ledger_policy policy = {.all = limit("1")};
    sbl_totals all;
    assert_int_equal(sbl_ledger_all_periods(&all, &past, &one, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_policy_check(&policy, &past, &one, NULL), SBL_EARG);
}

/* ---- texts of people, and version 2 ---- */

TEST(any_text_returns_as_it_was_written)
{
    static const char *const texts[] = {
        "", "-", "--", "a b", "100 %", "%2D", "=h= h=", "Ünïcode \xe2\x82\xac", "\"q\" 'r'"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sbl_ledger_view view;
        sbl_ledger_entry entry = kit_gaussian(1);
        (void)snprintf(entry.who, sizeof entry.who, "%s", texts[i]);
        (void)snprintf(entry.title, sizeof entry.title, "%s", texts[sizeof texts / sizeof texts[0] - 1 - i]);
        kit_release(old_path, &entry);
        read(&view, old_path);
        const sbl_ledger_line *line = &view.lines[view.line_count - 2];
        assert_string_equal(line->entry.who, texts[i]);
        assert_string_equal(line->entry.title, texts[sizeof texts / sizeof texts[0] - 1 - i]);
        sbl_ledger_view_clear(&view);
    }
    /* The longest, every byte of it encoded. */
    sbl_ledger_entry entry = kit_gaussian(1);
    memset(entry.who, ' ', sizeof entry.who - 1);
    memset(entry.title, '%', sizeof entry.title - 1);
    kit_release(old_path, &entry);
    /* What is not a text is refused, and nothing is charged. */
    sbl_error err = {0};
    entry.who[3] = '\n';
    assert_int_equal(reserve(old_path, &entry, &err), SBL_EINPUT);
    entry.who[3] = '\xff';
    assert_int_equal(reserve(old_path, &entry, &err), SBL_EINPUT);
    sbl_ledger_view view;
    read(&view, old_path);
    sbl_ledger_view_clear(&view);
}

static void expect_bad(const char *text, size_t line, const char *key, const char *value, const char *field)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    char *edited = kit_edit(text, line, key, value);
    if (sbl_ledger_parse(&view, edited, strlen(edited), "x", &err) != SBL_EINPUT)
        fail_msg("%s=%s was accepted", key, value != NULL ? value : "(none)");
    if (strstr(err.message, field) == NULL) fail_msg("'%s' lacks '%s'", err.message, field);
    free(edited);
}

TEST(every_text_has_one_form)
{
    static const char *const bad[] = {"%41", "%2d",  "%",      "%2",  "%G0", "%0G", "%00", "%0A",
                                      "%FF", "a%2D", "%2D%2D", "a=b", "a/b", "%7F", NULL};
    char *text = slurp(old_path, NULL);
    char longer[3 * SBL_LEDGER_TEXT_SIZE + 8];
    for (size_t i = 0; bad[i] != NULL; i++) expect_bad(text, 2, "who", bad[i], "field 'who'");
    expect_bad(text, 2, "who", "", "field 'who'");
    expect_bad(text, 2, "title", NULL, "field 'title'");
    memset(longer, 'x', sizeof longer - 1);
    longer[SBL_LEDGER_TEXT_SIZE] = '\0';
    expect_bad(text, 2, "title", longer, "field 'title'");
    longer[SBL_LEDGER_TEXT_SIZE] = 'x';
    longer[sizeof longer - 1] = '\0';
    expect_bad(text, 2, "title", longer, "field 'title'");
    free(text);
}

TEST(first_line_agrees_with_itself)
{
    char *first = slurp(old_path, NULL);
    assert_ok(succeed(next_path, NULL));
    char *second = slurp(next_path, NULL), *closed = slurp(old_path, NULL);
    static const char *const sums[] = {"past_mu2", "past_eps0", "past_delta", "past_draws", "past_releases"};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        expect_bad(first, 1, sums[i], "1", "field 'earlier'");
    expect_bad(first, 1, "earlier", "1", "field 'earlier'");
    expect_bad(first, 1, "prev", "00000000000000000000000000000001", "field 'earlier'");
    expect_bad(second, 1, "earlier", "0", "field 'earlier'");
    expect_bad(second, 1, "prev", "00000000000000000000000000000000", "field 'earlier'");
    expect_bad(second, 1, "past_gaussian", "3", "field 'earlier'");
    expect_bad(first, 1, "v", "1", "does not have version");
    expect_bad(first, 1, "v", "4", "does not have version");
    expect_bad(first, 1, "v", "x", "does not have version");
    expect_bad(closed, 6, "next", "0", "field 'next'");
    expect_bad(closed, 6, "reason", NULL, "field 'reason'");
    /* Two successors in one ledger. */
    char twice[16384], again[2048];
    const char *last = strstr(closed, "seq=5 ");
    (void)snprintf(again, sizeof again, "seq=6 %s", last + strlen("seq=5 "));
    (void)snprintf(twice, sizeof twice, "%s%s", closed, again);
    char *whole = kit_rehash(twice);
    sbl_ledger_view view;
    sbl_error err = {0};
    assert_int_equal(sbl_ledger_parse(&view, whole, strlen(whole), "x", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "field 'op' does not follow"));
    free(whole);
    free(first);
    free(second);
    free(closed);
}

/* A ledger of version 2 has neither predecessor nor texts; it is read, charged in its own form, and succeeded. */
TEST(version_2_is_read_extended_and_succeeded)
{
    static const char *const gone[] = {"earlier",    "prev",          "prev_head",
                                       "past_mu2",   "past_eps0",     "past_delta",
                                       "past_draws", "past_releases", "past_gaussian"};
    sbl_ledger_view view;
    sbl_error err = {0};
    sbl_ledger_entry entry = kit_gaussian(1);
    char *text = slurp(old_path, NULL);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
        char *shorter = kit_edit(text, 1, gone[i], NULL);
        free(text);
        text = shorter;
    }
    for (size_t line = 2; line <= 4; line += 2)
        for (int which = 0; which < 2; which++) {
            char *shorter = kit_edit(text, line, which == 0 ? "who" : "title", NULL);
            free(text);
            text = shorter;
        }
    char *older = kit_edit(text, 1, "v", "2");
    assert_int_equal(sbl_ledger_parse(&view, text, strlen(text), "x", NULL), SBL_EINPUT);
    kit_write(old_path, older, strlen(older));
    (void)snprintf(entry.title, sizeof entry.title, "not written");
    assert_ok_or_say(reserve(old_path, &entry, &err));
    read(&view, old_path);
    assert_int_equal(view.version, 2);
    assert_string_equal(view.lines[view.line_count - 1].entry.title, "");
    sbl_ledger_view_clear(&view);
    assert_ok_or_say(succeed(next_path, &err));
    expect_linked(old_path, next_path, 1);
    free(older);
    free(text);
}

EACH_TEST(setup, teardown)
