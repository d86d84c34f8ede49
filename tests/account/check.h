/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with its prerequisites, and comparisons of numbers by relative difference. */
#ifndef SBL_TESTS_ACCOUNT_CHECK_H
#define SBL_TESTS_ACCOUNT_CHECK_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "support/cmocka_all.h"

static inline long double relative_difference(long double value, long double exact)
{
    if (value == exact) return 0.0L;
    return fabsl(value - exact) / fmaxl(fabsl(exact), 1e-4000L);
}

#define assert_near(value, exact, tolerance)                                              \
    do {                                                                                  \
        const long double value_ = (value), exact_ = (exact);                             \
        if (!(relative_difference(value_, exact_) <= (tolerance)))                        \
            fail_msg("%s is %.20Lg, not %.20Lg (relative %.2Lg)", #value, value_, exact_, \
                     relative_difference(value_, exact_));                                \
    } while (0)

/* On the given side of the exact number, or equal to it. */
#define assert_at_most(value, exact)                                                        \
    do {                                                                                    \
        const long double value_ = (value), exact_ = (exact);                               \
        if (!(value_ <= exact_)) fail_msg("%s is %.20Lg > %.20Lg", #value, value_, exact_); \
    } while (0)
#define assert_at_least(value, exact)                                                       \
    do {                                                                                    \
        const long double value_ = (value), exact_ = (exact);                               \
        if (!(value_ >= exact_)) fail_msg("%s is %.20Lg < %.20Lg", #value, value_, exact_); \
    } while (0)

/* Refused with this status and a message in the house style: one line, no full stop. */
#define assert_refused(expression, expected, err)                     \
    do {                                                              \
        (err).message[0] = '\0';                                      \
        assert_int_equal((expression), (expected));                   \
        assert_int_equal((err).status, (expected));                   \
        assert_true((err).message[0] != '\0');                        \
        assert_null(strchr((err).message, '\n'));                     \
        assert_true((err).message[strlen((err).message) - 1] != '.'); \
    } while (0)

#endif
