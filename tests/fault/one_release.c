#include "fault/one_release.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ledger/ledger.h"
#include "privatise/privatise.h"
#include "release/release.h"
#include "semblance/summary.h"
#include "support/temp_folder.h"

#define EPSILON 1.0
#define DELTA 1e-5

void make_ledger_for_two(const char *folder)
{
    sbl_error err;
    double mu, epsilon;
    sbl_ledger_facts facts = {.neighbours = SBL_REPLACE_ONE, .rows_per_unit = 1};
    facts.test_key = sbl_door_is_test_build();
    assert_int_equal(sbl_gdp_mu(&mu, EPSILON, DELTA, &err), SBL_OK);
    /* sqrt(2.5) mu: two fit, three do not. */
    assert_int_equal(sbl_gdp_epsilon(&epsilon, mu * 1.5811388300841898, DELTA, &err), SBL_OK);
    (void)snprintf(facts.budget.epsilon, sizeof facts.budget.epsilon, "%.6f", epsilon);
    (void)snprintf(facts.budget.delta, sizeof facts.budget.delta, "1e-05");
    assert_int_equal(
        sbl_ledger_create(sbl_file_item(in_folder(folder, "data.ledger")), &facts, &err), SBL_OK);
}

sbl_status release_once(const char *folder, const char *name, sbl_error *err)
{
    static const sbl_summary_column columns[2] = {{"age", 0, 100}, {"weight", 20, 200}};
    static const uint32_t bins[4] = {0, 1, 2, 1};
    static const double values[8] = {33, 70, 54, 81, 12, 40, 70, 66};
    const sbl_summary_records records = {bins, values, 4};
    char certificate[300];
    char release[300];
    char ledger[300];
    sbl_summary_options options;
    sbl_summary *summary = NULL;
    (void)snprintf(release, sizeof release, "%s/%s", folder, name);
    (void)snprintf(certificate, sizeof certificate, "%s/%s.json", folder, name);
    (void)snprintf(ledger, sizeof ledger, "%s/data.ledger", folder);
    sbl_summary_options_init(&options);
    options.epsilon = EPSILON;
    options.delta = DELTA;
    options.release_path = release;
    options.certificate_path = certificate;
    options.ledger_path = ledger;
    const sbl_status status = sbl_summary_release(&summary, 3, columns, 2, &records, &options, err);
    sbl_summary_free(summary);
    return status;
}

size_t charges_in(const char *folder)
{
    sbl_ledger_view view;
    sbl_error err;
    const sbl_status status =
        sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.ledger")), &err);
    if (status != SBL_OK) print_error("%s\n", err.message);
    assert_int_equal(status, SBL_OK);
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
    assert_int_equal(sbl_ledger_read(&view, sbl_file_item(in_folder(folder, "data.ledger")), NULL),
                     SBL_OK);
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
