/* cmocka with its prerequisites. */
#ifndef SBL_TESTS_BASE_CMOCKA_PLAIN_H
#define SBL_TESTS_BASE_CMOCKA_PLAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#endif
