/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with its prerequisites. */
#ifndef SBL_TESTS_BASE_CMOCKA_PLAIN_H
#define SBL_TESTS_BASE_CMOCKA_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"

#endif
