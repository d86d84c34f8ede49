/* SPDX-License-Identifier: Apache-2.0 */
/* getrandom(2) through a wrapper that can fail, be interrupted or give a few bytes at a time. */
#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/cmocka_plain.h"
#include "base/os_random.h"

typedef enum behaviour { REAL, INTERRUPTED_ONCE, SHORT, FAILS_LATE, RETURNS_ZERO } behaviour;
static behaviour mode;
static int calls;

ssize_t __real_getrandom(void *buffer, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags);

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags)
{
    assert_int_equal(flags, 0); /* blocking until the pool is ready */
    calls++;
    if (mode == INTERRUPTED_ONCE && calls == 1) {
        errno = EINTR;
        return -1;
    }
    if (mode == FAILS_LATE && calls == 2) {
        errno = ENOSYS;
        return -1;
    }
    if (mode == RETURNS_ZERO) return 0;
    if ((mode == SHORT || mode == FAILS_LATE) && size > 3) size = 3;
    return __real_getrandom(buffer, size, flags);
}

static sbl_status fill(behaviour how, uint8_t *bytes, size_t size, sbl_error *err)
{
    mode = how;
    calls = 0;
    memset(bytes, 0, size);
    return sbl_os_random(bytes, size, err);
}

static bool has_random_tail(const uint8_t *bytes, size_t size)
{
    /* 16 zero bytes by chance: 2^-128. */
    for (size_t i = size - 16; i < size; i++)
        if (bytes[i] != 0) return true;
    return false;
}

TEST(bytes_are_filled_to_the_end)
{
    uint8_t bytes[64];
    const behaviour modes[] = {REAL, INTERRUPTED_ONCE, SHORT};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(fill(modes[i], bytes, sizeof bytes, NULL));
        assert_true(has_random_tail(bytes, sizeof bytes));
    }
    assert_int_equal(calls, 22); /* 64 bytes by threes */
}

TEST(a_failing_source_leaves_nothing_behind)
{
    uint8_t bytes[64];
    const uint8_t nothing[64] = {0};
    const behaviour modes[] = {FAILS_LATE, RETURNS_ZERO};
    for (size_t i = 0; i < 2; i++) {
        sbl_error err;
        assert_int_equal(fill(modes[i], bytes, sizeof bytes, &err), SBL_EENTROPY);
        assert_int_equal(err.status, SBL_EENTROPY);
        assert_memory_equal(bytes, nothing, sizeof bytes);
    }
}

TEST(no_bytes_need_no_call)
{
    uint8_t byte = 7;
    mode = REAL;
    calls = 0;
    assert_ok(sbl_os_random(&byte, 0, NULL));
    assert_int_equal(calls, 0);
    assert_int_equal(byte, 7);
}
