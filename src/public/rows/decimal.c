/* SPDX-License-Identifier: Apache-2.0 */
/* Up to 19 digits and small powers of ten are exact in a double or in 128-bit integers; anything
 * else is handed to strtod as a normalised text in the C locale, with digits past the 770th as one
 * sticky digit. */
#include "public/rows/decimal.h"

#include <math.h>
#include <string.h>

#include "base/int128.h"
#include "base/text.h"

#define MOST_MANTISSA_DIGITS 19 /* fit in 64 bits */
/* A double's rounding boundary has at most 768 significant digits; what follows only matters as
 * "more than zero". */
#define MOST_SIGNIFICANT 770
#define MOST_EXPONENT INT64_C(100000000)

const double sbl_powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static unsigned bit_length(sbl_u128 value)
{
    const uint64_t high = (uint64_t)(value >> 64);
    const uint64_t low = (uint64_t)value;
    if (high != 0) return 128 - (unsigned)__builtin_clzll(high);
    return low != 0 ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

/* m / 10^k = (m 2^s / 5^k) 2^-(s+k). With m 2^s of 127 bits the quotient has at least 64, so that
 * its first 53 with the remainder as a sticky bit round exactly; the result is never subnormal. */
double sbl_decimal_divide(uint64_t mantissa, unsigned divisor)
{
    uint64_t power = 1;
    if (mantissa == 0) return 0;
    for (unsigned i = 0; i < divisor; i++) power *= 5;
    const unsigned shift = 127 - bit_length(mantissa);
    const sbl_u128 numerator = (sbl_u128)mantissa << shift;
    const sbl_u128 quotient = numerator / power;
    const unsigned extra = bit_length(quotient) - 54; /* keep 53 bits and one to round by */
    const bool sticky = numerator % power != 0 || (quotient & (((sbl_u128)1 << extra) - 1)) != 0;
    uint64_t kept = (uint64_t)(quotient >> extra);
    const bool half = (kept & 1) != 0;
    kept >>= 1;
    if (half && (sticky || (kept & 1) != 0)) kept++;
    return ldexp((double)kept, (int)extra + 1 - (int)shift - (int)divisor);
}

/* What the text says: 0.d1 d2 d3 ... times 10^point. */
typedef struct decimal {
    bool negative;
    char digits[MOST_SIGNIFICANT + 1]; /* without leading zeros; the last one may be the sticky 1 */
    size_t count;
    int64_t point;
} decimal;

static void add_digit(decimal *number, char digit, bool *leading)
{
    if (*leading && digit == '0') return;
    *leading = false;
    if (number->count < MOST_SIGNIFICANT)
        number->digits[number->count++] = digit;
    else if (digit != '0' && number->count == MOST_SIGNIFICANT)
        number->digits[number->count++] = '1';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Exponent after the e: all of the rest, at least one digit, saturating. */
static bool read_exponent(int64_t *exponent, const char *p, const char *end)
{
    const bool negative = p < end && *p == '-';
    int64_t value = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    for (; p < end; p++) {
        if (!is_digit(*p)) return false;
        if (value < MOST_EXPONENT) value = value * 10 + (*p - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

static bool scan(decimal *number, const char *text, const char *end)
{
    const char *p = text;
    bool leading = true;
    bool any = false;
    int64_t exponent = 0;
    number->count = 0;
    number->point = 0;
    number->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && is_digit(*p); p++, any = true) {
        add_digit(number, *p, &leading);
        if (!leading) number->point++;
    }
    const bool fraction = p < end && *p == '.';
    if (fraction) p++;
    for (; fraction && p < end && is_digit(*p); p++, any = true) {
        if (leading && *p == '0') number->point--;
        add_digit(number, *p, &leading);
    }
    if (!any) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        if (!read_exponent(&exponent, p + 1, end)) return false;
        p = end;
    }
    number->point += exponent;
    return p == end;
}

/* Few digits and a small power of ten: exact without the C library. */
static bool small_value(double *value, const decimal *number)
{
    uint64_t mantissa = 0;
    if (number->count > MOST_MANTISSA_DIGITS) return false;
    for (size_t i = 0; i < number->count; i++) mantissa = mantissa * 10 + (uint64_t)(number->digits[i] - '0');
    const int64_t power = number->point - (int64_t)number->count;
    if (power <= 0 && power >= -SBL_DECIMAL_MOST_DIVISOR) {
        *value = sbl_decimal_quotient(mantissa, (unsigned)-power);
        return true;
    }
    if (power > 22 || power < 0 || mantissa > UINT64_C(1) << 53) return false;
    *value = (double)mantissa * sbl_powers_of_ten[power];
    return true;
}

/* "0.DIGITSeEXP" for the C library, in the C locale. */
static bool large_value(double *value, const decimal *number)
{
    char text[MOST_SIGNIFICANT + 40];
    char exponent[24];
    size_t length = 0;
    uint64_t size = (uint64_t)(number->point < 0 ? -number->point : number->point);
    memcpy(text, "0.", 2);
    memcpy(text + 2, number->digits, number->count);
    text[2 + number->count] = 'e';
    text[3 + number->count] = number->point < 0 ? '-' : '+';
    do {
        exponent[length++] = (char)('0' + size % 10);
        size /= 10;
    } while (size != 0);
    for (size_t i = 0; i < length; i++) text[4 + number->count + i] = exponent[length - 1 - i];
    text[4 + number->count + length] = '\0';
    return sbl_text_to_double(value, text);
}

bool sbl_decimal_parse(double *value, const char *text, size_t length)
{
    decimal number;
    double size = 0;
    if (!scan(&number, text, text + length)) return false;
    if (number.count != 0 && !small_value(&size, &number) && !large_value(&size, &number)) return false;
    *value = number.negative ? -size : size;
    return true;
}
