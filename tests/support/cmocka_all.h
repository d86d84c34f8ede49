/* cmocka with the headers it wants before it, and how a test begins. */
#ifndef SBL_TESTS_SUPPORT_CMOCKA_ALL_H
#define SBL_TESTS_SUPPORT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test that needs nothing of its group. */
#define TEST(name) static void name(void **state __attribute__((unused)))

#endif
