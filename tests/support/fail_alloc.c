/* SPDX-License-Identifier: Apache-2.0 */
/* Linker wraps (--wrap) around the two allocators, with one countdown, and a malloc for Jansson
 * with another. */
#include "support/fail_alloc.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "support/cmocka_all.h"

static atomic_long left; /* threads may allocate side by side */
static atomic_bool failed;

void sbl_test_fail_alloc(long n)
{
    left = n;
    failed = false;
}

bool sbl_test_alloc_failed(void) { return failed; }

bool sbl_test_fail_end(void)
{
    left = 0;
    return failed;
}

bool sbl_test_fail_next(long *n)
{
    const bool more = *n == 0 || failed;
    sbl_test_fail_alloc(more ? ++*n : 0);
    return more;
}

bool sbl_test_status_fits(sbl_status status, const char *file, int line)
{
    const bool lacked = sbl_test_fail_end();
    _assert_int_equal(status, lacked ? SBL_EMEM : SBL_OK, file, line);
    return lacked;
}

static bool fails_now(void)
{
    if (left <= 0 || atomic_fetch_sub(&left, 1) != 1) return false;
    failed = true;
    return true;
}

/* Weak: a test may wrap one of the two only. */
__attribute__((weak)) void *__real_sbl_alloc_array(size_t count, size_t size);
__attribute__((weak)) void *__real_sbl_resize_array(void *block, size_t count, size_t size);
void *__wrap_sbl_alloc_array(size_t count, size_t size);
void *__wrap_sbl_resize_array(void *block, size_t count, size_t size);

void *__wrap_sbl_alloc_array(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_sbl_alloc_array(count, size);
}

void *__wrap_sbl_resize_array(void *block, size_t count, size_t size)
{
    return fails_now() ? NULL : __real_sbl_resize_array(block, count, size);
}

/* ---- JSON ---- */

static long json_left;
static bool json_failed;

void sbl_test_fail_json(long n)
{
    json_left = n;
    json_failed = false;
}

bool sbl_test_json_failed(void) { return json_failed; }

static void *json_memory(size_t size)
{
    if (json_left > 0 && --json_left == 0) {
        json_failed = true;
        return NULL;
    }
    return malloc(size);
}

int sbl_test_watch_json(void **state)
{
    (void)state;
    json_set_alloc_funcs(json_memory, free);
    return 0;
}
