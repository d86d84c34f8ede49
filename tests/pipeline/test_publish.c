/* SPDX-License-Identifier: Apache-2.0 */
/* A run of several releases: charged one by one to one ledger, listed in one certificate, taken up
 * again where it was stopped, and held to its shares. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "door/ledger/ledger_book.h"
#include "door/privatise/privatise.h"
#include "run/pipeline/ledger_place.h"
#include "run/pipeline/publish.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/verify_with.h"

#define PLAN "{\"round\":1}"
#define ROUNDS 3

static char release_path[300], certificate_path[300], input[300];

static int fresh(void **state)
{
    (void)state;
    temp_folder_make(folder);
    (void)snprintf(release_path, sizeof release_path, "%s/r", folder);
    (void)snprintf(certificate_path, sizeof certificate_path, "%s/c.json", folder);
    (void)snprintf(input, sizeof input, "%s/data.csv", folder);
    FILE *file = fopen(input, "w");
    (void)fputs("x\n", file);
    return fclose(file);
}

static sbl_layout layout_of(sbl_block *block)
{
    sbl_layout layout = {.blocks = block, .block_count = 1, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    *block = (sbl_block){
        .name = "histogram", .width = 2, .nonnegative = true, .bound2 = 1, .bound1 = 1, .scale = 1.0};
    assert_ok(sbl_sha256(layout.plan_hash, PLAN, strlen(PLAN), NULL, 0, NULL));
    return layout;
}

static sbl_sum *sum_of_rows(size_t rows)
{
    static const double record[2] = {0.0, 1.0};
    sbl_block block;
    const sbl_layout layout = layout_of(&block);
    sbl_sum *sum = NULL;
    assert_ok(sbl_sum_new(&sum, &layout, NULL));
    for (size_t r = 0; r < rows; r++) {
        assert_ok(sbl_sum_begin_rows(sum, NULL, 1, NULL));
        assert_ok(sbl_sum_add_f64(sum, 0, 0, 2, record, 2, NULL));
        assert_ok(sbl_sum_end_rows(sum, NULL));
    }
    return sum;
}

static const double shares[ROUNDS] = {0.2, 0.3, 0.5};

static sbl_publish_facts facts_of(double delta)
{
    return (sbl_publish_facts){SBL_DATA_TABLE,
                               .method = "rounds",
                               .epsilon = 1.0,
                               .delta = delta,
                               .shares = shares,
                               .rounds = ROUNDS,
                               .input = input,
                               .release = sbl_file_item(release_path),
                               .certificate = sbl_file_item(certificate_path)};
}

static const double weight = 1.0;
static sbl_release *made[ROUNDS]; /* the run's, which they must outlive */

static sbl_status open_run(sbl_publish **run, const sbl_publish_facts *facts, sbl_error *err)
{
    sbl_block block;
    const sbl_layout layout = layout_of(&block);
    return sbl_publish_open(run, facts, &layout, &weight, facts->shares != NULL ? facts->shares[0] : 1.0, 0,
                            err);
}

/* Round number `round`, which spends this share. */
static sbl_status next(sbl_publish *run, size_t round, double share, sbl_error *err)
{
    char text[] = PLAN;
    const sbl_plan plan = {.round = round, .share = share, .text = text};
    sbl_gathered gathered = {.sum = sum_of_rows(5)};
    sbl_release *release = NULL;
    const sbl_status status = sbl_publish_next(run, &release, &gathered, &plan, &weight, err);
    assert_null(gathered.sum);
    if (release != NULL) made[round - 1] = release;
    return status;
}

static void close_run(sbl_publish *run)
{
    sbl_publish_close(run);
    for (size_t r = 0; r < ROUNDS; r++) {
        sbl_release_free(made[r]);
        made[r] = NULL;
    }
}
FREES(close_run);

static void expect_listed(size_t releases)
{
    char *statement = NULL;
    char words[64];
    sbl_error err = {0};
    char ledger[320];
    (void)snprintf(ledger, sizeof ledger, "%s.ledger", input);
    assert_ok_or_say(verify_with(&statement, certificate_path, ledger, &err));
    (void)snprintf(words, sizeof words, "over ALL releases (%zu)", releases);
    assert_non_null(strstr(statement, words));
    sbl_free(statement);
}

static bool exists(const char *ending)
{
    char path[320];
    struct stat facts;
    (void)snprintf(path, sizeof path, "%s%s", release_path, ending);
    return stat(path, &facts) == 0;
}

/* ---- two runs make the first ledger ---- */

static const char *winners_budget; /* NULL: there is no other run */

sbl_status __real_sbl_ledger_make_unlimited(sbl_store_entry ledger, sbl_neighbours neighbours,
                                            uint64_t rows_per_unit, double delta, bool test_key,
                                            sbl_error *err);
sbl_status __wrap_sbl_ledger_make_unlimited(sbl_store_entry ledger, sbl_neighbours neighbours,
                                            uint64_t rows_per_unit, double delta, bool test_key,
                                            sbl_error *err);

static void make_winner(sbl_store_entry ledger, const char *epsilon)
{
    sbl_ledger_facts facts = {.rows_per_unit = 1, .test_key = sbl_door_is_test_build()};
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%s", epsilon);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "1e-5");
    assert_ok(sbl_ledger_create(ledger, &facts, NULL));
}

/* The other run is a moment faster. */
sbl_status __wrap_sbl_ledger_make_unlimited(sbl_store_entry ledger, sbl_neighbours neighbours,
                                            uint64_t rows_per_unit, double delta, bool test_key,
                                            sbl_error *err)
{
    if (winners_budget != NULL) make_winner(ledger, winners_budget);
    return __real_sbl_ledger_make_unlimited(ledger, neighbours, rows_per_unit, delta, test_key, err);
}

/* late: the other run makes the ledger after the last look for it. */
static void lose_the_race(const char *epsilon, bool late, sbl_status expected)
{
    const sbl_publish_facts facts = facts_of(1e-5);
    FREED(close_run) sbl_publish *run = NULL;
    CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
    sbl_error err = {0};
    char path[320];
    (void)snprintf(path, sizeof path, "%s.ledger", input);
    (void)remove_folder(NULL);
    assert_int_equal(fresh(NULL), 0);
    assert_ok(open_run(&run, &facts, &err));
    (void)snprintf(path, sizeof path, "%s.ledger", input);
    if (late)
        winners_budget = epsilon;
    else
        make_winner(sbl_file_item(path), epsilon);
    const sbl_status status = next(run, 1, shares[0], &err);
    winners_budget = NULL;
    if (status != expected) fail_msg("%s", err.message);
    assert_ok(sbl_ledger_read(&view, sbl_file_item(path), NULL));
    assert_string_equal(view.budget.epsilon, epsilon);
    assert_int_equal(view.totals.releases, expected == SBL_OK ? 1 : 0);
    assert_int_equal(exists(""), expected == SBL_OK);
}

TEST(loser_of_the_race_for_the_first_ledger_charges_the_winners)
{
    for (int late = 0; late < 2; late++) {
        lose_the_race("3", late != 0, SBL_OK);
        lose_the_race("none", late != 0, SBL_OK);
        lose_the_race("0.001", late != 0, SBL_EBUDGET);
    }
}

TEST(each_release_is_listed_as_soon_as_it_is_paid_for)
{
    for (int pure = 0; pure < 2; pure++) {
        const sbl_publish_facts facts = facts_of(pure ? 0.0 : 1e-5);
        FREED(close_run) sbl_publish *run = NULL;
        CLEARED(sbl_ledger_view_clear) sbl_ledger_view view;
        sbl_error err = {0};
        double epsilon;
        (void)remove_folder(NULL);
        (void)fresh(NULL);
        assert_ok(open_run(&run, &facts, NULL));
        for (size_t r = 0; r < ROUNDS; r++) {
            assert_ok_or_say(next(run, r + 1, shares[r], &err));
            expect_listed(r + 1);
        }
        assert_true(exists("") && exists(".2") && exists(".3") && !exists(".4"));
        assert_int_equal(next(run, ROUNDS + 1, 0.1, NULL), SBL_EINTERNAL); /* one too many */
        assert_ok(sbl_ledger_read(&view, sbl_file_item(sbl_publish_ledger(run)), NULL));
        assert_ok(sbl_totals_epsilon(&epsilon, &view.totals, facts.delta, NULL));
        assert_true(epsilon <= 1.0 && epsilon > 0.999);
    }
}

/* The releases on disk, as a run that goes on finds them. */
static size_t load_all(sbl_release *releases[ROUNDS])
{
    size_t count = 0;
    for (; count < ROUNDS; count++) {
        sbl_text name = {0};
        sbl_store_entry item;
        assert_ok(sbl_publish_item(&item, &name, sbl_file_item(release_path), count + 1, NULL));
        const sbl_status status = sbl_release_load(&releases[count], item, NULL);
        sbl_text_clear(&name);
        if (status != SBL_OK) break;
    }
    return count;
}

TEST(stopped_run_is_taken_up_and_not_paid_for_again)
{
    sbl_publish_facts facts = facts_of(1e-5);
    sbl_publish *run = NULL;
    sbl_release *releases[ROUNDS];
    assert_ok(open_run(&run, &facts, NULL));
    assert_ok(next(run, 1, shares[0], NULL));
    close_run(run);
    for (size_t r = 1; r <= ROUNDS; r++) {
        sbl_error err = {0};
        const size_t count = load_all(releases);
        assert_int_equal(count, r);
        assert_ok_or_say(sbl_publish_resume(&run, &facts, (const sbl_release *const *)releases, count, &err));
        expect_listed(r);
        if (r < ROUNDS) assert_ok(next(run, r + 1, shares[r], NULL));
        if (r == ROUNDS) assert_ok(sbl_publish_finish(run, NULL, &(sbl_publish_made){0}, NULL));
        close_run(run);
        for (size_t i = 0; i < count; i++) sbl_release_free(releases[i]);
    }
    /* A release whose bytes were changed is not gone on from. */
    assert_int_equal(load_all(releases), ROUNDS);
    FILE *file = fopen(release_path, "ab");
    (void)fputc('x', file);
    (void)fclose(file);
    assert_int_equal(sbl_publish_resume(&run, &facts, (const sbl_release *const *)releases, ROUNDS, NULL),
                     SBL_EINPUT);
    assert_null(run);
    for (size_t i = 0; i < ROUNDS; i++) sbl_release_free(releases[i]);
}

TEST(release_spends_a_part_of_its_share_and_never_more)
{
    const sbl_publish_facts facts = facts_of(1e-5);
    sbl_publish *run = NULL;
    sbl_ledger_view view;
    assert_ok(open_run(&run, &facts, NULL));
    assert_int_equal(next(run, 1, 0.3, NULL), SBL_EINTERNAL);
    assert_int_equal(next(run, 1, -0.1, NULL), SBL_EINTERNAL);
    assert_int_equal(next(run, 2, 0.3, NULL), SBL_EINTERNAL); /* out of turn */
    assert_ok(next(run, 1, 0.05, NULL));
    assert_ok(next(run, 2, 0.3, NULL));
    assert_ok(sbl_ledger_read(&view, sbl_file_item(sbl_publish_ledger(run)), NULL));
    const double ratio = sbl_fixed96_to_double_up(view.lines[2].entry.charge.mu2) /
                         sbl_fixed96_to_double_up(view.lines[0].entry.charge.mu2);
    assert_true(ratio > 5.99 && ratio < 6.01);
    sbl_ledger_view_clear(&view);
    close_run(run);
    /* Shares that exceed the whole are no plan. */
    static const double greedy[2] = {0.6, 0.5}, none[2] = {0.0, 0.5};
    sbl_publish_facts bad = facts_of(1e-5);
    bad.rounds = 2;
    bad.shares = greedy;
    assert_int_equal(open_run(&run, &bad, NULL), SBL_EINTERNAL);
    bad.shares = none;
    assert_int_equal(open_run(&run, &bad, NULL), SBL_EINTERNAL);
    bad.shares = NULL;
    assert_int_equal(open_run(&run, &bad, NULL), SBL_EINTERNAL);
    assert_null(run);
}

TEST(what_is_refused_without_data_is_refused_at_opening)
{
    sbl_publish *run = NULL;
    sbl_error err = {0};
    char ledger[320];
    sbl_ledger_facts limited = {.rows_per_unit = 1, .test_key = true};
    (void)snprintf(ledger, sizeof ledger, "%s/limited", folder);
    (void)snprintf(limited.budget.epsilon, sizeof limited.budget.epsilon, "0.9");
    (void)snprintf(limited.budget.delta, sizeof limited.budget.delta, "1e-05");
    assert_ok(sbl_ledger_create(sbl_file_item(ledger), &limited, NULL));
    static const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int what = 0; what < 13; what++) {
        sbl_publish_facts facts = facts_of(1e-5);
        sbl_status expected = SBL_EARG;
        if (what == 0) facts.delta = 1e-40; /* beyond the arithmetic */
        if (what >= 8 && what < 12) facts.epsilon = bad[what - 8];
        if (what == 12) facts.delta = NAN;
        if (what == 1) facts.delta = 0.01;
        if (what == 2) facts.delta = 2.0;
        if (what == 3) facts.ledger = sbl_file_item(ledger), expected = SBL_EBUDGET; /* for the whole run */
        if (what == 4)
            facts.ledger = sbl_file_item(ledger), facts.neighbours = SBL_ADD_REMOVE, expected = SBL_EINPUT;
        if (what == 5) facts.certificate = sbl_file_item(input), facts.overwrite = true;
        if (what == 6)
            facts.release = sbl_file_item(ledger), facts.overwrite = true, facts.rounds = 1,
            facts.shares = NULL;
        if (what == 7) facts.ledger = sbl_file_item("/nonexistent/l"), expected = SBL_EIO;
        assert_int_equal(open_run(&run, &facts, &err), expected);
        assert_null(run);
        assert_null(strchr(err.message, '\n'));
    }
    assert_false(exists("") || exists(".2"));
}

/* Of 2^20 people a delta of 2^-20 could show one. */
TEST(delta_of_one_over_n_is_refused_before_the_charge)
{
    sbl_publish_facts facts = facts_of(1e-3);
    sbl_publish *run = NULL;
    sbl_error err = {0};
    char text[] = PLAN;
    const sbl_plan plan = {.round = 1, .share = shares[0], .text = text};
    sbl_release *release = NULL;
    assert_ok(open_run(&run, &facts, NULL));
    sbl_gathered gathered = {.sum = sum_of_rows(1000)};
    assert_int_equal(sbl_publish_next(run, &release, &gathered, &plan, &weight, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "1/n for n = 1000"));
    assert_int_not_equal(access(sbl_publish_ledger(run), F_OK), 0);
    gathered.sum = sum_of_rows(0);
    assert_int_equal(sbl_publish_next(run, &release, &gathered, &plan, &weight, &err), SBL_EINPUT);
    gathered.sum = sum_of_rows(999);
    assert_ok(sbl_publish_next(run, &release, &gathered, &plan, &weight, &err));
    sbl_release_free(release);
    sbl_publish_close(run);
}

EACH_TEST(fresh, remove_folder)
