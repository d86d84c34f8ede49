/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers: the type of released values and of every privacy charge.
 *
 * Charges are fixed point: an unsigned integer numerator over 2^96 ("fixed96"), so that every
 * implementation reproduces a ledger's running sums bit for bit. */
#ifndef SBL_BASE_INT128_H
#define SBL_BASE_INT128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 sbl_i128;
__extension__ typedef unsigned __int128 sbl_u128;

#define SBL_U128_MAX (~(sbl_u128)0)
#define SBL_FIXED96_ONE ((sbl_u128)1 << 96)

/* Room for the decimal digits of any 128-bit integer, a sign and the final NUL. */
#define SBL_INT128_TEXT_SIZE 41

/* Decimal text, which is returned. */
char *sbl_u128_to_text(char text[SBL_INT128_TEXT_SIZE], sbl_u128 value);

/* Exactly the decimal form sbl_u128_to_text writes: no sign, no space, no leading zero. */
bool sbl_u128_from_text(sbl_u128 *value, const char *text, size_t length);

/* Checked arithmetic: false, and *result untouched, on overflow. */
static inline bool sbl_u128_add(sbl_u128 *result, sbl_u128 a, sbl_u128 b)
{
    if (b > SBL_U128_MAX - a) return false;
    *result = a + b;
    return true;
}

static inline bool sbl_u128_mul(sbl_u128 *result, sbl_u128 a, sbl_u128 b)
{
    if (a != 0 && b > SBL_U128_MAX / a) return false;
    *result = a * b;
    return true;
}

/* ceil(a b / c), exact however large a b is.
 * In: a <= c, so that the result is at most b; c >= 1 */
sbl_u128 sbl_u128_mul_div_up(sbl_u128 a, sbl_u128 b, sbl_u128 c);

/* floor(sqrt(value)) and ceil(sqrt(value)), exact. */
uint64_t sbl_u128_sqrt_floor(sbl_u128 value);
sbl_u128 sbl_u128_sqrt_ceil(sbl_u128 value);

#endif
