/* cmocka with the headers it wants before it. */
#ifndef SBL_TESTS_SUPPORT_CMOCKA_ALL_H
#define SBL_TESTS_SUPPORT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
