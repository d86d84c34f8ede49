/* Make the n-th allocation fail. Build the test with fail_alloc.c and WRAP sbl_alloc_array (and
 * sbl_resize_array where growth should fail too); both share one counter.
 *
 *     for (long n = 1;; n++) {
 *         sbl_test_fail_alloc(n);
 *         status = thing(&err);
 *         if (!sbl_test_alloc_failed()) break;   // thing() needs fewer than n allocations
 *         assert_int_equal(status, SBL_EMEM);
 *     }
 *     sbl_test_fail_alloc(0); */
#ifndef SBL_TESTS_SUPPORT_FAIL_ALLOC_H
#define SBL_TESTS_SUPPORT_FAIL_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The n-th allocation from now on fails, once; 0: none does. */
void sbl_test_fail_alloc(long n);

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
