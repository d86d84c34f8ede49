/* The smallest complete job, from records to a verified certificate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/ledger.h"
#include "semblance/certificate.h"
#include "semblance/ledger.h"
#include "semblance/summary.h"
#include "support/key_test.h"
#include "support/temp_folder.h"
#include "support/verify_with.h"

#define ROWS 1000
static char folder[256];
static uint32_t bins[ROWS];
static double values[ROWS * 2];
static const sbl_summary_column columns[2] = {{"age", 0, 100}, {"weight", 20, 200}};
static const sbl_summary_records people = {bins, values, ROWS};

static int fresh(void **unused)
{
    (void)unused;
    temp_folder_make(folder);
    sbl_test_key_set(7);
    for (size_t r = 0; r < ROWS; r++) {
        bins[r] = (uint32_t)(r % 10 < 6 ? 0 : r % 10 < 9 ? 1 : 2);
        values[2 * r] = (double)(r % 80);
        values[2 * r + 1] = 60 + (double)(r % 40);
    }
    return 0;
}

static int drop(void **unused)
{
    (void)unused;
    temp_folder_remove(folder);
    return 0;
}

static sbl_summary_options usual(void)
{
    static char release[300], certificate[300];
    sbl_summary_options options;
    (void)snprintf(release, sizeof release, "%s/r", folder);
    (void)snprintf(certificate, sizeof certificate, "%s/c.json", folder);
    sbl_summary_options_init(&options);
    options.epsilon = 1;
    options.release_path = release;
    options.certificate_path = certificate;
    return options;
}

static void assert_refused(const sbl_summary_options *options, const sbl_summary_column *cols,
                           const sbl_summary_records *records, size_t bin_count,
                           sbl_status expected, const char *words)
{
    sbl_error err = {0};
    sbl_summary *summary = NULL;
    assert_int_equal(sbl_summary_release(&summary, bin_count, cols, 2, records, options, &err),
                     expected);
    assert_null(summary);
    if (strstr(err.message, words) == NULL) print_error("%s\n", err.message);
    assert_non_null(strstr(err.message, words));
}

static void estimates_lie_near_the_truth_and_the_certificate_verifies(void **unused)
{
    (void)unused;
    for (int variant = 0; variant < 4; variant++) {
        sbl_error err = {0};
        sbl_summary *summary = NULL;
        char *statement = NULL;
        sbl_summary_options options = usual();
        (void)drop(NULL);
        (void)fresh(NULL);
        options = usual();
        options.pure = variant % 2 == 1;
        options.neighbours = variant < 2 ? SBL_REPLACE_ONE : SBL_ADD_REMOVE;
        const sbl_status status =
            sbl_summary_release(&summary, 3, columns, 2, &people, &options, &err);
        if (status != SBL_OK) print_error("%s\n", err.message);
        assert_int_equal(status, SBL_OK);
        const double truth[3] = {600, 300, 100};
        for (size_t b = 0; b < 3; b++)
            assert_true(fabs(sbl_summary_count(summary, b) - truth[b]) <
                        8 * sbl_summary_count_deviation(summary));
        assert_true(fabs(sbl_summary_mean(summary, 0) - 38.9) <
                    8 * sbl_summary_mean_deviation(summary, 0) + 0.1);
        assert_true(sbl_summary_mean(summary, 1) >= 20 && sbl_summary_mean(summary, 1) <= 200);
        assert_non_null(strstr(sbl_summary_statement(summary), "GUARANTEE: NONE"));
        assert_int_equal(
            verify_with(&statement, options.certificate_path, in_folder(folder, "r.ledger"), &err),
            SBL_OK);
        assert_string_equal(statement, sbl_summary_statement(summary));
        sbl_string_free(statement);
        sbl_summary_free(summary);
    }
}

static void noise_of_counts_has_the_exact_scale(void **unused)
{
    (void)unused;
    sbl_summary *summary = NULL;
    const sbl_summary_options options = usual();
    assert_int_equal(sbl_summary_release(&summary, 3, columns, 2, &people, &options, NULL), SBL_OK);
    /* mu_h^2 + mu_m^2 = mu^2 with the optimal split sqrt2 sqrt3 : 2 sqrt2 of mu^2. */
    const double mu = 0.2680511232112942;
    const double share = sqrt(6) / (sqrt(6) + 2 * sqrt(2));
    assert_true(fabs(sbl_summary_count_deviation(summary) / (sqrt(2) / (mu * sqrt(share))) - 1) <
                1e-5);
    sbl_summary_free(summary);
}

static void bad_records_count_as_public_constants(void **unused)
{
    (void)unused;
    sbl_summary *clean = NULL;
    sbl_summary *dirty = NULL;
    sbl_summary_options options = usual();
    values[0] = 50, values[1] = 200;
    bins[0] = 0;
    assert_int_equal(sbl_summary_release(&clean, 3, columns, 2, &people, &options, NULL), SBL_OK);
    (void)drop(NULL);
    temp_folder_make(folder);
    options = usual();
    sbl_test_key_set(7);
    values[0] = NAN, values[1] = INFINITY; /* the middle of the bounds; the upper bound */
    bins[0] = 4000000000u;                 /* bin 0 */
    assert_int_equal(sbl_summary_release(&dirty, 3, columns, 2, &people, &options, NULL), SBL_OK);
    for (size_t b = 0; b < 3; b++)
        assert_true(sbl_summary_count(clean, b) == sbl_summary_count(dirty, b));
    for (size_t j = 0; j < 2; j++)
        assert_true(sbl_summary_mean(clean, j) == sbl_summary_mean(dirty, j));
    sbl_summary_free(clean);
    sbl_summary_free(dirty);
}

static void bad_arguments_are_refused_before_a_ledger_is_made(void **unused)
{
    (void)unused;
    sbl_summary_options options = usual();
    const sbl_summary_column reversed[2] = {{"age", 100, 0}, {"weight", 20, 200}};
    const sbl_summary_column open[2] = {{"age", 0, INFINITY}, {"weight", 20, 200}};
    const sbl_summary_column unreadable[2] = {{"\xff", 0, 1}, {"weight", 20, 200}};
    const sbl_summary_records none = {bins, values, 0};
    static const double bad_epsilon[] = {0, -1, NAN, INFINITY};
    static const double bad_delta[] = {-1e-5, 1, 2, NAN};
    assert_refused(&options, reversed, &people, 3, SBL_EARG, "'age'");
    assert_refused(&options, open, &people, 3, SBL_EARG, "'age'");
    assert_refused(&options, unreadable, &people, 3, SBL_EARG, "UTF-8");
    assert_refused(&options, columns, &none, 3, SBL_EINPUT, "no rows");
    assert_refused(&options, columns, &people, 0, SBL_EARG, "at least one bin");
    for (size_t i = 0; i < 4; i++) {
        options = usual();
        options.epsilon = bad_epsilon[i];
        assert_refused(&options, columns, &people, 3, SBL_EARG, "epsilon");
        options = usual();
        options.delta = bad_delta[i];
        assert_refused(&options, columns, &people, 3, SBL_EARG, "delta");
    }
    options = usual();
    options.delta = 1e-40;
    assert_refused(&options, columns, &people, 3, SBL_EARG, "delta is too small");
    options = usual();
    options.struct_size = 1;
    assert_refused(&options, columns, &people, 3, SBL_EARG, "options");
    options = usual();
    options.release_path = NULL;
    assert_refused(&options, columns, &people, 3, SBL_EARG, "path");
    assert_null(slurp(in_folder(folder, "r.ledger"), NULL));
}

/* What two runs cost together is one sum, without asking. */
static void second_run_adds_up_in_the_ledger_of_the_first(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    sbl_ledger_view view;
    sbl_summary *summary = NULL;
    sbl_summary_options options = usual();
    for (size_t run = 1; run <= 2; run++) {
        assert_int_equal(sbl_summary_release(&summary, 3, columns, 2, &people, &options, &err),
                         SBL_OK);
        sbl_summary_free(summary);
        options.overwrite = true;
        assert_int_equal(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "r.ledger")), &err),
                         SBL_OK);
        assert_int_equal(view.totals.releases, run);
        sbl_ledger_view_clear(&view);
    }
}

static sbl_status release_into(const char *ledger, const char *name, sbl_error *err)
{
    char release[300], certificate[300];
    sbl_summary *summary = NULL;
    sbl_summary_options options = usual();
    (void)snprintf(release, sizeof release, "%s/%s", folder, name);
    (void)snprintf(certificate, sizeof certificate, "%s/%s.json", folder, name);
    options.release_path = release;
    options.certificate_path = certificate;
    options.ledger_path = ledger;
    const sbl_status status = sbl_summary_release(&summary, 3, columns, 2, &people, &options, err);
    sbl_summary_free(summary);
    return status;
}

static void real_ledger_is_refused_by_a_build_with_a_test_key(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char ledger[300];
    const sbl_ledger_facts facts = {.budget = {.epsilon = "9", .delta = "1e-05"},
                                    .rows_per_unit = 1};
    (void)snprintf(ledger, sizeof ledger, "%s/real.ledger", folder);
    assert_int_equal(sbl_ledger_create(sbl_file_item(ledger), &facts, &err), SBL_OK);
    assert_int_equal(release_into(ledger, "a", &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "test key"));
}

static void shared_ledger_adds_up_and_refuses_what_exceeds_it(void **unused)
{
    (void)unused;
    sbl_error err = {0};
    char ledger[300];
    sbl_ledger_options budget;
    (void)snprintf(ledger, sizeof ledger, "%s/shared.ledger", folder);
    sbl_ledger_options_init(&budget);
    budget.epsilon = "1.5"; /* sqrt(2) mu(1) is epsilon 1.46; sqrt(3) mu(1) is 1.83 */
    assert_int_equal(sbl_ledger_init(ledger, &budget, &err), SBL_OK);
    assert_int_equal(release_into(ledger, "a", &err), SBL_OK);
    assert_int_equal(release_into(ledger, "b", &err), SBL_OK);
    assert_int_equal(release_into(ledger, "c", &err), SBL_EBUDGET);
    /* Both certificates verify against the ledger; an older copy of it does not hold the second. */
    char *statement = NULL;
    assert_int_equal(verify_with(&statement, in_folder(folder, "b.json"), ledger, &err), SBL_OK);
    sbl_string_free(statement);
    char *text = slurp(ledger, NULL);
    char *cut = text;
    for (int line = 0; line < 3; line++) cut = strchr(cut, '\n') + 1;
    FILE *file = fopen(ledger, "w");
    assert_int_equal(fwrite(text, 1, (size_t)(cut - text), file), cut - text);
    (void)fclose(file);
    free(text);
    assert_int_equal(verify_with(&statement, in_folder(folder, "a.json"), ledger, &err), SBL_OK);
    sbl_string_free(statement);
    assert_int_equal(verify_with(&statement, in_folder(folder, "b.json"), ledger, &err),
                     SBL_EINPUT);
    assert_non_null(strstr(err.message, "rolled back"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, drop)
    const struct CMUnitTest tests[] = {
        CASE(estimates_lie_near_the_truth_and_the_certificate_verifies),
        CASE(noise_of_counts_has_the_exact_scale),
        CASE(bad_records_count_as_public_constants),
        CASE(bad_arguments_are_refused_before_a_ledger_is_made),
        CASE(second_run_adds_up_in_the_ledger_of_the_first),
        CASE(real_ledger_is_refused_by_a_build_with_a_test_key),
        CASE(shared_ledger_adds_up_and_refuses_what_exceeds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
