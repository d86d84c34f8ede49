/* SPDX-License-Identifier: Apache-2.0 */
/* A noise key for a real line in a real ledger, once. Built twice, as test_noise_token.c is. */
#include "door/ledger/ledger_book.h"
#include "door/noise/noise.h"
#include "ledger/ledger_kit.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

static sbl_reserve_token *reserve(bool test_key)
{
    const char *path = in_folder(folder, test_key ? "test.ledger" : "real.ledger");
    sbl_ledger_facts facts = kit_facts("1", "1e-5");
    facts.test_key = test_key;
    assert_ok(sbl_ledger_create(sbl_file_item(path), &facts, NULL));
    sbl_ledger_entry entry = kit_gaussian(1);
    entry.test_key = test_key;
    sbl_reserve_token *token;
    assert_ok(sbl_ledger_reserve(&token, sbl_file_item(path), &entry, NULL));
    return token;
}

TEST(reservation_gives_one_key_and_no_second)
{
    sbl_reserve_token *token = reserve(sbl_noise_is_test_build());
    sbl_noise *noise;
    int64_t drawn[3] = {0};
    assert_ok(sbl_noise_open(&noise, token, NULL));
    assert_ok(sbl_noise_gaussian(noise, drawn, 3, NULL));
    assert_true(drawn[0] != 0 && drawn[1] != 0 && drawn[2] != 0);
    sbl_noise_close(noise);
    assert_int_equal(sbl_noise_open(&noise, token, NULL), SBL_EINTERNAL);
    assert_null(noise);
    sbl_reserve_token_free(token);
}

TEST(reservation_of_the_other_kind_gives_no_key)
{
    sbl_reserve_token *token = reserve(!sbl_noise_is_test_build());
    sbl_noise *noise;
    assert_int_equal(sbl_noise_open(&noise, token, NULL), SBL_EINTERNAL);
    assert_null(noise);
    sbl_reserve_token_free(token);
}

EACH_TEST(make_folder, remove_folder)
