/* SPDX-License-Identifier: Apache-2.0 */
/* Eight processes want the last of one budget. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define PROCESSES 8

/* Every child tries `tries` times, commits what it gets, and exits with how often it was granted;
 * 100 more on any answer but yes and no. */
static int child_main(const char *path, const sbl_ledger_entry *entry, int tries)
{
    const uint8_t out[SBL_SHA256_SIZE] = {9};
    int granted = 0;
    for (int i = 0; i < tries; i++) {
        sbl_reserve_token *token = NULL;
        const sbl_status status = sbl_ledger_reserve(&token, sbl_file_item(path), entry, NULL);
        if ((status == SBL_OK) != (token != NULL)) return 100;
        if (status != SBL_OK && status != SBL_EBUDGET) return 100;
        if (token == NULL) continue;
        granted++;
        if (sbl_ledger_commit(token, out, NULL) != SBL_OK) return 100;
        sbl_reserve_token_free(token);
    }
    return granted;
}

static void race(const sbl_ledger_facts *facts, const sbl_ledger_entry *entry, int tries, int expected)
{
    char folder[256];
    char path[512];
    pid_t children[PROCESSES];
    int gate[2];
    int granted = 0;
    temp_folder_make(folder);
    (void)snprintf(path, sizeof path, "%s/l", folder);
    assert_ok(sbl_ledger_create(sbl_file_item(path), facts, NULL));
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char byte;
            (void)close(gate[1]);
            (void)!read(gate[0], &byte, 1); /* all start when the gate closes */
            _exit(child_main(path, entry, tries));
        }
    }
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int result = 0;
        assert_int_equal(waitpid(children[i], &result, 0), children[i]);
        assert_true(WIFEXITED(result));
        assert_true(WEXITSTATUS(result) < 100);
        granted += WEXITSTATUS(result);
    }
    assert_int_equal(granted, expected);
    sbl_ledger_view view;
    sbl_error err = {0};
    assert_ok_or_say(sbl_ledger_read(&view, sbl_file_item(path), &err));
    assert_int_equal(view.totals.releases, expected);
    assert_int_equal(view.line_count, 2 * expected);
    assert_false(view.torn);
    for (size_t i = 0; i < view.line_count; i++)
        if (view.lines[i].op == SBL_LEDGER_RESERVE) assert_true(view.lines[i].committed);
    sbl_ledger_view_clear(&view);
    temp_folder_remove(folder);
}

/* 1 / (8/64) = 8, exact in the ledger's integers. */
TEST(pure_budget_grants_exactly_floor_of_budget_over_charge)
{
    const sbl_ledger_facts facts = kit_facts("1", "0");
    const sbl_ledger_entry entry = kit_laplace(8);
    race(&facts, &entry, 3, 8);
    const sbl_ledger_entry seventh = kit_laplace(9); /* 64 / 9 = 7.1 */
    race(&facts, &seventh, 3, 7);
}

/* mu(1, 1e-5)^2 = 0.0718514 holds 4 charges of (8/64)^2 = 0.015625. */
TEST(gaussian_budget_grants_exactly_floor_of_budget_over_charge)
{
    const sbl_ledger_facts facts = kit_facts("1", "1e-05");
    const sbl_ledger_entry entry = kit_gaussian(8);
    race(&facts, &entry, 3, 4);
}

TEST(last_single_charge_goes_to_one_process)
{
    const sbl_ledger_facts facts = kit_facts("1", "1e-05");
    const sbl_ledger_entry entry = kit_gaussian(17); /* 0.2656 of 0.26805 */
    race(&facts, &entry, 1, 1);
}
