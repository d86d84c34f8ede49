/* SPDX-License-Identifier: Apache-2.0 */
/* Two numbers that agree but for rounding. */
#ifndef SBL_TESTS_SUPPORT_NEAR_H
#define SBL_TESTS_SUPPORT_NEAR_H

#include <math.h>

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

#endif
