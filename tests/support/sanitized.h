/* SPDX-License-Identifier: Apache-2.0 */
/* Is memory looked at by a sanitizer? Then the network engine takes fifty times as long, and what a long training or many
 * runs come to is what the plain build has found already. Tests that are long for the sake of such a result run the same
 * code for a shorter time and leave the result to the plain build. */
#ifndef SBL_TESTS_SUPPORT_SANITIZED_H
#define SBL_TESTS_SUPPORT_SANITIZED_H

#include <stdbool.h>

#ifdef SBL_TEST_SANITIZED
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

#endif
