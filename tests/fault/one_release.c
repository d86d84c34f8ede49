/* SPDX-License-Identifier: Apache-2.0 */
#include "fault/one_release.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "door/ledger/ledger_book.h"
#include "door/privatise/privatise.h"
#include "door/release/release.h"
#include "run/pipeline/publish.h"
#include "semblance/account.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define EPSILON 1.0
#define DELTA 1e-5

void make_ledger_for_two(const char *folder)
{
    sbl_error err;
    static double epsilon; /* the same for all ledgers of a test */
    double mu;
    sbl_ledger_facts facts = {.neighbours = SBL_REPLACE_ONE, .rows_per_unit = 1};
    facts.test_key = sbl_door_is_test_build();
    if (epsilon == 0) {
        assert_ok(sbl_gdp_mu(&mu, EPSILON, DELTA, &err));
        /* sqrt(2.5) mu: two fit, three do not. */
        assert_ok(sbl_mixed_epsilon(&epsilon, mu * 1.5811388300841898, 0, 0, DELTA, &err));
    }
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%.6f", epsilon);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "1e-05");
    assert_ok(sbl_ledger_create(sbl_file_item(in_folder(folder, "data.ledger")), &facts, &err));
}

static sbl_status sum_of_four(sbl_sum **sum, const sbl_layout *layout, sbl_error *err)
{
    static const double records[8] = {0, 1, 1, 0, 0, 1, 1, 0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_sum_new(sum, layout, err));
    SBL_TRY(sbl_sum_begin_rows(*sum, NULL, 4, err));
    SBL_TRY(sbl_sum_add_f64(*sum, 0, 0, 2, records, 2, err));
    SBL_TRY(sbl_sum_end_rows(*sum, err));
done:
    return status;
}

/* The steps of every run, without the threads of one: a process that is traced has one. */
sbl_status release_once(const char *folder, const char *name, sbl_error *err)
{
    static const double weight = 1.0;
    char text[] = "{\"round\":1}", certificate[300], release[300], ledger[300];
    sbl_block block = {.name = "h", .width = 2, .nonnegative = true, .bound2 = 1, .bound1 = 1, .scale = 1.0};
    sbl_layout layout = {.blocks = &block, .block_count = 1, .classes = 1, .rows_cap = SBL_ROWS_CAP_DEFAULT};
    const sbl_plan plan = {.round = 1, .share = 1.0, .text = text};
    sbl_gathered gathered = {0};
    sbl_publish *publish = NULL;
    sbl_release *made = NULL;
    sbl_status status = SBL_OK;
    (void)snprintf(release, sizeof release, "%s/%s", folder, name);
    (void)snprintf(certificate, sizeof certificate, "%s/%s.json", folder, name);
    (void)snprintf(ledger, sizeof ledger, "%s/data.ledger", folder);
    const sbl_publish_facts facts = {SBL_DATA_TABLE,
                                     .method = "one",
                                     .epsilon = EPSILON,
                                     .delta = DELTA,
                                     .rounds = 1,
                                     .ledger = sbl_file_item(ledger),
                                     .release = sbl_file_item(release),
                                     .certificate = sbl_file_item(certificate)};
    SBL_TRY(sbl_sha256(layout.plan_hash, text, strlen(text), NULL, 0, err));
    SBL_TRY(sbl_publish_open(&publish, &facts, &layout, &weight, 1.0, 4, err));
    SBL_TRY(sum_of_four(&gathered.sum, &layout, err));
    SBL_TRY(sbl_publish_next(publish, &made, &gathered, &plan, &weight, err));
    SBL_TRY(sbl_publish_finish(publish, NULL, &(sbl_publish_made){0}, err));
done:
    sbl_gathered_clear(&gathered);
    sbl_publish_close(publish);
    sbl_release_free(made);
    return status;
}

size_t charges_in(const char *folder)
{
    sbl_ledger_view view;
    sbl_error err;
    const sbl_status status = sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.ledger")), &err);
    if (status != SBL_OK) print_error("%s\n", err.message);
    assert_ok(status);
    const size_t charges = (size_t)view.totals.releases;
    sbl_ledger_view_clear(&view);
    return charges;
}

bool exists_in(const char *folder, const char *name)
{
    struct stat facts;
    return lstat(in_folder(folder, name), &facts) == 0;
}

/* Charged, and not recorded as if it had never been written. */
static bool ledger_has(const char *folder, const char *rid)
{
    sbl_ledger_view view;
    bool found = false;
    assert_ok(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.ledger")), NULL));
    for (size_t i = 0; i < view.line_count; i++)
        found = found || (view.lines[i].op == SBL_LEDGER_RESERVE && !view.lines[i].voided &&
                          strcmp(view.lines[i].rid, rid) == 0);
    sbl_ledger_view_clear(&view);
    return found;
}

void assert_no_release_without_charge(const char *folder)
{
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        size_t size;
        char *bytes = slurp(in_folder(folder, entry->d_name), &size);
        if (bytes == NULL) continue;
        /* Any file that starts like a release, whatever its name and however much of it is there.
         */
        if (size >= 6 && memcmp(bytes, "SBLREL", 6) == 0) {
            char *rid = NULL;
            for (size_t i = 0; i + 40 < size && rid == NULL; i++)
                if (memcmp(bytes + i, "\"rid\":\"", 7) == 0) rid = bytes + i + 7;
            if (rid != NULL) {
                rid[32] = '\0';
                assert_true(ledger_has(folder, rid));
            } else {
                assert_true(charges_in(folder) >= 1);
            }
        }
        free(bytes);
    }
    (void)closedir(list);
}

bool leftovers_in(const char *folder)
{
    bool found = false;
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
        found = found || strstr(entry->d_name, ".tmp") != NULL;
    (void)closedir(list);
    return found;
}
