/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text of 128-bit integers, and exact integer square roots and quotients. Integers only,
 * one bit at a time where a product would need more than 128 bits: charges depend on these
 * results, and every platform must get the same ones. */
#include "base/int128.h"

char *sbl_u128_to_text(char text[SBL_INT128_TEXT_SIZE], sbl_u128 value)
{
    char reversed[SBL_INT128_TEXT_SIZE];
    size_t length = 0;
    do {
        reversed[length++] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < length; i++) text[i] = reversed[length - 1 - i];
    text[length] = '\0';
    return text;
}

bool sbl_u128_from_text(sbl_u128 *value, const char *text, size_t length)
{
    sbl_u128 result = 0;
    if (length == 0 || (text[0] == '0' && length > 1)) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (!sbl_u128_mul(&result, result, 10)) return false;
        if (!sbl_u128_add(&result, result, (sbl_u128)(text[i] - '0'))) return false;
    }
    *value = result;
    return true;
}

/* Digit by digit in base 2. Let r be the root so far, with the digits of bit and below still 0, and b = sqrt(bit): root is 2 r b,
 * and remainder is value - r^2, which is below 2 root + 4 bit. The digit is 1 if (r + b)^2 = r^2 + root + bit fits. */
static inline void sqrt_digit(sbl_u128 *remainder, sbl_u128 *root, sbl_u128 bit)
{
    if (*remainder >= *root + bit) {
        *remainder -= *root + bit;
        *root = (*root >> 1) + bit;
    } else {
        *root >>= 1;
    }
}

/* The largest power of 4 that is at most value; 0 for 0. */
static inline sbl_u128 first_digit(sbl_u128 value)
{
    sbl_u128 bit = (sbl_u128)1 << 126;
    while (bit > value) bit >>= 2;
    return bit;
}

uint64_t sbl_u128_sqrt_floor(sbl_u128 value)
{
    sbl_u128 remainder = value;
    sbl_u128 root = 0;
    for (sbl_u128 bit = first_digit(value); bit != 0; bit >>= 2) sqrt_digit(&remainder, &root, bit);
    return (uint64_t)root;
}

sbl_u128 sbl_u128_sqrt_ceil(sbl_u128 value)
{
    const sbl_u128 root = sbl_u128_sqrt_floor(value);
    return root * root == value ? root : root + 1;
}

/* Long division of a b by c, one bit of b at a time: a prefix of b gives quotient q and rest r < c.
 * Doubling r or adding a to it can exceed 128 bits; c - r cannot, and tells whether c is reached.
 */
sbl_u128 sbl_u128_mul_div_up(sbl_u128 a, sbl_u128 b, sbl_u128 c)
{
    if (a == c) return b;
    sbl_u128 q = 0;
    sbl_u128 r = 0;
    for (unsigned bit = 128; bit-- > 0;) {
        const bool doubled = r >= c - r;
        q = 2 * q + doubled;
        r = doubled ? r - (c - r) : r + r;
        if ((b >> bit & 1) == 0) continue;
        const bool reached = r >= c - a;
        q += reached;
        r = reached ? r - (c - a) : r + a;
    }
    return q + (r != 0);
}
