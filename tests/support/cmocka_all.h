/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers it wants before it, and how a test is written: a test stands in no list but its file.
 *
 *     TEST(over_budget_is_refused)
 *     {
 *         assert_int_equal(...);
 *     }
 *
 * Once in a file, behind the functions that they name: EACH_TEST(set_up, tear_down) around each test of the file,
 * ALL_TESTS(set_up, tear_down) before the first and after the last one. Either may be NULL. AROUND(set_up) { ... } defines
 * one of them. */
#ifndef SBL_TESTS_SUPPORT_CMOCKA_ALL_H
#define SBL_TESTS_SUPPORT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/json_text.h"
#include "support/owned.h"

/* What support/test_main.c runs, in the order of the lines of a file. */
typedef struct test_entry {
    const char *file;
    int line;
    enum { ONE_TEST, AROUND_EACH, AROUND_ALL } kind;
    struct CMUnitTest test; /* of the other kinds the two functions alone */
} test_entry;

#define LIST_ENTRY(name, kind, function, set_up, tear_down)                                       \
    static const test_entry name##_entry = {                                                      \
        __FILE__, __LINE__, kind, {#name, function, set_up, tear_down, NULL}};                    \
    static const test_entry *const name##_listed __attribute__((section("listed_tests"), used)) = \
        &name##_entry
#define TEST(name)                                \
    static void name(void **state);               \
    LIST_ENTRY(name, ONE_TEST, name, NULL, NULL); \
    static void name(void **state __attribute__((unused)))
#define AROUND(name)                                      \
    static void name##_does(void);                        \
    static int name(void **state __attribute__((unused))) \
    {                                                     \
        name##_does();                                    \
        return 0;                                         \
    }                                                     \
    static void name##_does(void)
/* A call that must succeed; the second says why it did not, by the sbl_error `err` at hand. */
#define assert_ok(call) assert_int_equal(call, SBL_OK)
#define assert_ok_or_say(call)                             \
    do {                                                   \
        if ((call) != SBL_OK) fail_msg("%s", err.message); \
    } while (0)
#define EACH_TEST(set_up, tear_down) LIST_ENTRY(each_test, AROUND_EACH, NULL, set_up, tear_down);
#define ALL_TESTS(set_up, tear_down) LIST_ENTRY(all_tests, AROUND_ALL, NULL, set_up, tear_down);

#endif
