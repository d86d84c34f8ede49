/* SPDX-License-Identifier: Apache-2.0 */
/* Make the n-th allocation fail. Build the test with fail_alloc.c and WRAP sbl_alloc_array (and
 * sbl_resize_array where growth should fail too); both share one counter.
 *
 *     for (long n = 0; sbl_test_fail_next(&n);)
 *         if (sbl_test_no_memory(thing(&out, &err))) assert_null(out);
 *
 * For a set-up in the body that must not fail, call sbl_test_fail_alloc(0) before and sbl_test_fail_alloc(n) after it. */
#ifndef SBL_TESTS_SUPPORT_FAIL_ALLOC_H
#define SBL_TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/status.h"

/* The n-th allocation from now on fails, once; 0: none does. */
void sbl_test_fail_alloc(long n);
/* The condition of a loop in whose n-th turn the n-th allocation fails; n begins at 0. False after a turn in which
 * none failed. */
bool sbl_test_fail_next(long *n);
/* Does what sbl_test_fail_end() does, and checks the status of a call: SBL_EMEM if an allocation failed, otherwise
 * SBL_OK. */
#define sbl_test_no_memory(status) sbl_test_status_fits(status, __FILE__, __LINE__)
bool sbl_test_status_fits(sbl_status status, const char *file, int line);

/* Has it failed since sbl_test_fail_alloc was called? */
bool sbl_test_alloc_failed(void);
/* The same, and from now on none fails. */
bool sbl_test_fail_end(void);

/* For ALL_TESTS(sbl_test_watch_json, NULL): memory of JSON values, with a counter of its own. Jansson
 * can do without some of its allocations, so that a failure need not be an error; then nothing may
 * be missing. */
int sbl_test_watch_json(void **state);
void sbl_test_fail_json(long n);
bool sbl_test_json_failed(void);

#endif
