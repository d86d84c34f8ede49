/* SPDX-License-Identifier: Apache-2.0 */
/* One reservation, one key; a test reservation never meets a real key, nor the reverse. Built
 * twice: with the test library, and with what ships (SBL_TEST_REAL_KEY). */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "door/noise/noise.h"
#include "fake_token.h"
#include "support/cmocka_all.h"

#ifdef SBL_TEST_REAL_KEY
static const bool test_build = false;
#else
static const bool test_build = true;
#endif

static bool fail_getrandom;
static unsigned getrandom_calls;

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __real_getrandom(void *bytes, size_t size, unsigned flags);

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    getrandom_calls++;
    if (fail_getrandom) {
        errno = ENOSYS;
        return -1;
    }
    return __real_getrandom(bytes, size, flags);
}

static sbl_status open_with(sbl_noise **noise, fake_token *token, sbl_error *err)
{
    return sbl_noise_open(noise, (sbl_reserve_token *)token, err);
}

TEST(build_says_what_it_is) { assert_int_equal(sbl_noise_is_test_build(), test_build); }

TEST(token_spent_twice_is_refused)
{
    fake_token token = {.is_test = test_build};
    sbl_error err;
    sbl_noise *noise;
    assert_ok(open_with(&noise, &token, NULL));
    sbl_noise_close(noise);
    assert_int_equal(open_with(&noise, &token, &err), SBL_EINTERNAL);
    assert_null(noise);
    assert_non_null(strstr(err.message, "spent"));
}

TEST(token_of_the_other_kind_is_refused_and_not_spent)
{
    fake_token token = {.is_test = !test_build};
    sbl_error err;
    sbl_noise *noise;
    getrandom_calls = 0;
    assert_int_equal(open_with(&noise, &token, &err), SBL_EINTERNAL);
    assert_null(noise);
    assert_false(token.spent);
    assert_int_equal(getrandom_calls, 0);
    assert_non_null(strstr(err.message, "test ledger"));
}

#ifdef SBL_TEST_REAL_KEY
TEST(key_comes_from_getrandom_and_differs_each_time)
{
    int64_t drawn[2][64];
    getrandom_calls = 0;
    for (unsigned i = 0; i < 2; i++) {
        fake_token token = {.is_test = false};
        sbl_noise *noise;
        assert_ok(open_with(&noise, &token, NULL));
        assert_int_equal(getrandom_calls, i + 1);
        assert_ok(sbl_noise_gaussian(noise, drawn[i], 64, NULL));
        sbl_noise_close(noise);
    }
    assert_memory_not_equal(drawn[0], drawn[1], sizeof drawn[0]);
}

TEST(getrandom_failure_is_an_entropy_error_and_the_token_stays_spent)
{
    fake_token token = {.is_test = false};
    sbl_error err;
    sbl_noise *noise;
    fail_getrandom = true;
    assert_int_equal(open_with(&noise, &token, &err), SBL_EENTROPY);
    fail_getrandom = false;
    assert_null(noise);
    assert_non_null(strstr(err.message, "getrandom"));
    assert_int_equal(open_with(&noise, &token, NULL), SBL_EINTERNAL);
}
#else
TEST(test_key_asks_the_system_for_nothing)
{
    fake_token token = {.is_test = true};
    sbl_noise *noise;
    fail_getrandom = true;
    getrandom_calls = 0;
    assert_ok(open_with(&noise, &token, NULL));
    fail_getrandom = false;
    assert_int_equal(getrandom_calls, 0);
    sbl_noise_close(noise);
}
#endif
