/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to the nearest double, the same in every locale. */
#ifndef SBL_ROWS_DECIMAL_H
#define SBL_ROWS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole of text (no NUL needed) in the usual forms: sign, digits, point, exponent. No blanks,
 * no hexadecimal, no words. Correctly rounded; too large becomes infinite. */
bool sbl_decimal_parse(double *value, const char *text, size_t length);

#define SBL_DECIMAL_MOST_DIVISOR 27 /* 5^27 < 2^63 */

/* mantissa / 10^divisor, correctly rounded, by 128-bit division. */
double sbl_decimal_divide(uint64_t mantissa, unsigned divisor);

extern const double sbl_powers_of_ten[23]; /* all exact */

/* The same by one floating-point division of two exact numbers where they are exact (Clinger 1990,
 * "How to read floating point numbers accurately"). */
static inline double sbl_decimal_quotient(uint64_t mantissa, unsigned divisor)
{
    if (mantissa <= UINT64_C(1) << 53 && divisor <= 22) return (double)mantissa / sbl_powers_of_ten[divisor];
    return sbl_decimal_divide(mantissa, divisor);
}

#endif
