/* SPDX-License-Identifier: Apache-2.0 */
/* The public side: making ledgers, looking at them, verifying certificates. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "certificate/certificate_kit.h"
#include "ledger/ledger_kit.h"
#include "semblance/certificate.h"
#include "semblance/ledger.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "support/verify_with.h"

static char path[512];

AROUND(setup)
{
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/l", folder);
}

static sbl_ledger_summary summary_of(const char *at)
{
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary summary = {.struct_size = sizeof summary};
    sbl_error err = {0};
    assert_ok_or_say(sbl_ledger_open(&ledger, at, &err));
    assert_ok(sbl_ledger_get_summary(ledger, &summary, NULL));
    sbl_ledger_close(ledger);
    summary.id = summary.created = summary.head = summary.epsilon = summary.delta = NULL;
    return summary;
}

TEST(new_ledger_has_all_of_its_budget_left)
{
    sbl_ledger_options options;
    double mu;
    sbl_ledger_options_init(&options);
    options.epsilon = "1";
    assert_ok(sbl_ledger_init(path, &options, NULL));
    const sbl_ledger_summary s = summary_of(path);
    assert_ok(sbl_gdp_mu(&mu, 1.0, 1e-5, NULL));
    assert_int_equal(s.neighbours, SBL_REPLACE_ONE);
    assert_true(s.test_key); /* this is a test build */
    assert_false(s.torn);
    assert_int_equal(s.line_count, 0);
    assert_int_equal(s.releases, 0);
    assert_true(s.mu_limit == 0 && s.mu_spent == 0 && s.pure_spent == 0 && s.delta_spent == 0);
    assert_true(s.epsilon_spent == 0);
    assert_true(fabs(s.mu_left / mu - 1) < 1e-11);          /* sbl_gdp_mu keeps 1e-12 back */
    assert_true(s.pure_left >= 1.0 && s.pure_left < 1.001); /* delta pays for a little more */
}

TEST(options_decide_relation_limit_and_kind)
{
    sbl_ledger_options options;
    sbl_ledger_options_init(&options);
    options.epsilon = "1";
    options.mu = 0.125;
    options.neighbours = SBL_ADD_REMOVE;
    assert_ok(sbl_ledger_init(path, &options, NULL));
    sbl_ledger_summary s = summary_of(path);
    assert_true(s.mu_limit == 0.125 && s.mu_left <= 0.125 && s.mu_left > 0.1249999);
    assert_int_equal(s.neighbours, SBL_ADD_REMOVE);

    sbl_ledger_options_init(&options);
    options.epsilon = "0.5";
    options.pure = true;
    const char *pure = in_folder(folder, "pure");
    assert_ok(sbl_ledger_init(pure, &options, NULL));
    s = summary_of(pure);
    assert_true(s.mu_left == 0 && s.pure_left == 0.5);

    sbl_ledger_options_init(&options);
    options.epsilon = "inf";
    const char *open = in_folder(folder, "open");
    assert_ok(sbl_ledger_init(open, &options, NULL));
    s = summary_of(open);
    assert_true(isinf(s.mu_left) && isinf(s.pure_left));
    options.mu = 2;
    const char *limited = in_folder(folder, "limited");
    assert_ok(sbl_ledger_init(limited, &options, NULL));
    s = summary_of(limited);
    assert_true(s.mu_left > 1.999999 && s.mu_left <= 2 && isinf(s.pure_left));
}

static void expect_bad_options(const sbl_ledger_options *options)
{
    sbl_error err = {0};
    assert_int_equal(sbl_ledger_init(path, options, &err), SBL_EARG);
    assert_true(strlen(err.message) > 5);
    assert_int_not_equal(access(path, F_OK), 0);
}

TEST(bad_options_are_refused)
{
    static const char *const bad_epsilon[] = {"-inf", "",    "0",     "-1",
                                              "nan",  "one", "1e999", "1.0000000000000000000000000000000"};
    static const char *const bad_delta[] = {NULL, "", "0", "0.0011", "-0.5", "2", "nan", "x"};
    sbl_ledger_options options;
    for (size_t i = 0; i < 8; i++) {
        sbl_ledger_options_init(&options);
        options.epsilon = bad_epsilon[i];
        expect_bad_options(&options);
        sbl_ledger_options_init(&options);
        options.epsilon = "1";
        options.delta = bad_delta[i];
        expect_bad_options(&options);
    }
    static const double bad_mu[] = {-1, 1e-30, 1e9, NAN, INFINITY};
    for (size_t i = 0; i < 5; i++) {
        sbl_ledger_options_init(&options);
        options.epsilon = "1";
        options.mu = bad_mu[i];
        expect_bad_options(&options);
    }
    sbl_ledger_options_init(&options);
    options.epsilon = "1";
    options.struct_size = 3;
    expect_bad_options(&options);
    expect_bad_options(NULL);
    assert_int_equal(sbl_ledger_init(NULL, &options, NULL), SBL_EARG);
}

TEST(records_tell_what_was_released_and_what_became_of_it)
{
    static const char *const ops[] = {"RESERVE", "COMMIT", "RESERVE", "VOID",  "REPAIR",
                                      "RESERVE", "LIMIT",  "RESERVE", "COMMIT"};
    static const char *const states[] = {"committed", "", "void",      "", "repaired",
                                         "open",      "", "committed", ""};
    kit_make_sample(path);
    sbl_ledger *ledger = NULL;
    assert_ok(sbl_ledger_open(&ledger, path, NULL));
    double before = 0;
    for (size_t i = 0; i < 9; i++) {
        sbl_ledger_record r = {.struct_size = sizeof r};
        assert_ok(sbl_ledger_get_record(ledger, &r, i, NULL));
        assert_int_equal(r.seq, i + 1);
        assert_string_equal(r.op, ops[i]);
        assert_string_equal(r.state, states[i]);
        assert_int_equal(strlen(r.time), 20);
        assert_int_equal(r.name[0] != '\0', states[i][0] != '\0');
        assert_true(r.epsilon_total >= before);
        before = r.epsilon_total;
        if (i == 0) {
            assert_string_equal(r.name, "test.embed+counts");
            assert_string_equal(r.mechanism, "discrete-gaussian");
            assert_true(fabs(r.mu - 0.25) < 1e-12 && r.mu >= 0.25 && r.pure_epsilon == 0);
            assert_int_equal(r.n, 1000);
            assert_int_equal(r.draws, 20);
        }
        if (i == 2) assert_true(r.pure_epsilon == 0.125 && r.mu == 0);
    }
    sbl_ledger_record r = {.struct_size = sizeof r};
    assert_int_equal(sbl_ledger_get_record(ledger, &r, 9, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_get_record(NULL, &r, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_get_record(ledger, NULL, 0, NULL), SBL_EARG);
    r.struct_size = 0;
    assert_int_equal(sbl_ledger_get_record(ledger, &r, 0, NULL), SBL_EARG);
    sbl_ledger_summary s = {.struct_size = sizeof s + 8};
    assert_int_equal(sbl_ledger_get_summary(ledger, &s, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_get_summary(NULL, &s, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_get_summary(ledger, NULL, NULL), SBL_EARG);
    /* A caller built against an older, shorter struct. */
    memset(&s, 0x55, sizeof s);
    s.struct_size = offsetof(sbl_ledger_summary, created);
    assert_ok(sbl_ledger_get_summary(ledger, &s, NULL));
    assert_int_equal(strlen(s.id), 32);
    assert_int_equal(((unsigned char *)&s)[sizeof s - 1], 0x55);
    sbl_ledger_close(ledger);
    sbl_ledger_close(NULL);
}

TEST(limit_and_repair_from_outside)
{
    sbl_ledger_options options;
    sbl_ledger *ledger = NULL;
    sbl_ledger_summary s = {.struct_size = sizeof s};
    sbl_ledger_options_init(&options);
    assert_ok(sbl_ledger_init(path, &options, NULL)); /* no limit */
    assert_ok(sbl_ledger_open(&ledger, path, NULL));
    assert_ok(sbl_ledger_get_summary(ledger, &s, NULL));
    assert_string_equal(s.epsilon, "none");
    assert_true(isinf(s.mu_left) && isinf(s.pure_left));
    sbl_ledger_close(ledger);
    assert_int_equal(sbl_ledger_limit(path, NULL, NULL), SBL_EARG);
    options.epsilon = "3";
    assert_ok(sbl_ledger_limit(path, &options, NULL));
    options.epsilon = "4";
    assert_int_equal(sbl_ledger_limit(path, &options, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_repair(path, 0, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_repair(path, -1, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_ledger_repair(path, 0, NAN, NULL), SBL_EARG);
    size_t size;
    char *text = slurp(path, &size);
    for (int how = 0; how < 3; how++) {
        kit_write(path, text, size);
        FILE *file = fopen(path, "ab");
        (void)fputs("seq=2 op=RES", file);
        (void)fclose(file);
        assert_ok(sbl_ledger_open(&ledger, path, NULL));
        assert_ok(sbl_ledger_get_summary(ledger, &s, NULL));
        assert_true(s.torn && s.mu_left == 0 && s.pure_left == 0);
        sbl_ledger_close(ledger);
        assert_ok(sbl_ledger_repair(path, how == 0 ? 0.25 : 0, how == 1 ? 0.5 : 0, NULL));
        assert_ok(sbl_ledger_open(&ledger, path, NULL));
        assert_ok(sbl_ledger_get_summary(ledger, &s, NULL));
        if (how == 0) assert_true(s.mu_spent >= 0.25 && s.mu_spent < 0.2500001);
        if (how == 1) assert_true(s.pure_spent == 0.5 && s.mu_spent == 0);
        assert_int_equal(s.exhausted, how == 2);
        assert_true(how < 2 || (s.mu_left == 0 && s.pure_left == 0));
        sbl_ledger_close(ledger);
    }
    free(text);
}

/* What is shown as left is granted, and the next larger thing is not. */
TEST(what_is_left_is_granted_and_no_more)
{
    const sbl_ledger_facts facts = kit_facts("1", "1e-05");
    const sbl_ledger_entry small = kit_gaussian(8);
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    kit_release(path, &small);
    const sbl_ledger_summary s = summary_of(path);
    sbl_ledger_entry entry = kit_gaussian(1);
    sbl_reserve_token *token = NULL;
    entry.joint = (sbl_u128)(s.mu_left * s.mu_left * (1 + 1e-6) * 0x1p112);
    assert_ok(sbl_charge_from_joint(&entry.charge, SBL_DISCRETE_GAUSSIAN, entry.joint, 1, NULL));
    assert_int_equal(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL), SBL_EBUDGET);
    entry.joint = (sbl_u128)(s.mu_left * s.mu_left * 0x1p112);
    assert_ok(sbl_charge_from_joint(&entry.charge, SBL_DISCRETE_GAUSSIAN, entry.joint, 1, NULL));
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    sbl_reserve_token_free(token);
    assert_true(summary_of(path).epsilon_spent <= nextafter(1.0, 2.0));
}

TEST(description_is_json_with_all_lines)
{
    char *text = NULL;
    kit_make_sample(path);
    assert_ok(sbl_ledger_describe(&text, path, NULL));
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_int_equal(text[strlen(text) - 1], '\n');
    const json_t *lines = json_object_get(root, "lines");
    assert_int_equal(json_array_size(lines), 9);
    const json_t *first = json_array_get(lines, 0);
    assert_string_equal(json_string_value(json_object_get(first, "op")), "RESERVE");
    assert_string_equal(json_string_value(json_object_get(first, "n")), "1000");
    assert_string_equal(json_string_value(json_object_get(first, "state")), "committed");
    assert_true(json_real_value(json_object_get(first, "mu")) >= 0.25);
    assert_non_null(json_object_get(json_array_get(lines, 1), "out"));
    assert_string_equal(json_string_value(json_object_get(json_array_get(lines, 3), "reason")), "error");
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "totals"), "releases")), "5");
    assert_null(strstr(text, folder));
    json_decref(root);
    sbl_free(text);

    sbl_ledger_facts facts = kit_facts("inf", "1e-05");
    const char *other = in_folder(folder, "other");
    sbl_ledger_entry entry = kit_gaussian(4);
    facts.neighbours = entry.neighbours = SBL_ADD_REMOVE;
    entry.n_public = false;
    assert_ok(sbl_ledger_create(sbl_file_item(other), &facts, NULL));
    kit_release(other, &entry);
    assert_ok(sbl_ledger_describe(&text, other, NULL));
    assert_non_null(strstr(text, "\"mu\": \"inf\""));
    assert_non_null(strstr(text, "\"n\": \"private\""));
    sbl_free(text);
    assert_int_equal(sbl_ledger_describe(&text, in_folder(folder, "none"), NULL), SBL_EIO);
    assert_null(text);
    sbl_free(NULL);
}

TEST(certificate_files_are_verified_with_and_without_ledger)
{
    certified c;
    char *statement = NULL;
    sbl_error err = {0};
    kit_certify(&c, &kit_cases[1]);
    kit_write(path, c.text, strlen(c.text));
    assert_ok(verify_with(&statement, path, NULL, NULL));
    assert_non_null(strstr(statement, "GUARANTEE: (eps="));
    sbl_free(statement);
    assert_ok(verify_with(&statement, path, c.path, NULL));
    sbl_free(statement);
    assert_int_equal(verify_with(&statement, path, in_folder(folder, "none"), &err), SBL_EIO);
    assert_null(statement);
    assert_int_equal(verify_with(&statement, in_folder(folder, "none"), NULL, &err), SBL_EIO);
    kit_cut(c.path, 300);
    assert_int_equal(verify_with(&statement, path, c.path, &err), SBL_EINPUT);
    assert_non_null(strstr(err.message, "rolled back"));
    assert_non_null(strstr(err.message, path));
    kit_clear(&c);
}

EACH_TEST(setup, remove_folder)
