/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations without a ledger. A test that includes this is linked with WRAP
 * sbl_reserve_token_spend sbl_reserve_token_is_test. */
#ifndef SBL_TESTS_NOISE_FAKE_TOKEN_H
#define SBL_TESTS_NOISE_FAKE_TOKEN_H

#include <stdbool.h>

#include "door/ledger/ledger_book.h"

typedef struct fake_token {
    bool spent;
    bool is_test;
} fake_token;

bool __wrap_sbl_reserve_token_spend(sbl_reserve_token *token);
bool __wrap_sbl_reserve_token_is_test(const sbl_reserve_token *token);

bool __wrap_sbl_reserve_token_spend(sbl_reserve_token *token)
{
    fake_token *fake = (fake_token *)token;
    const bool first = !fake->spent;
    fake->spent = true;
    return first;
}

bool __wrap_sbl_reserve_token_is_test(const sbl_reserve_token *token)
{
    return ((const fake_token *)token)->is_test;
}

#endif
