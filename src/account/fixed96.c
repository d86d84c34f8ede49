/* Between fixed96 and double, exactly or in the direction named. */
#include <math.h>
#include <stdbool.h>

#include "account/charge.h"

#define DOUBLE_BITS 53

static double to_double(sbl_u128 value, bool up)
{
    int shift = 0;
    while (value >> shift >> DOUBLE_BITS != 0) shift++;
    sbl_u128 top = value >> shift;
    if (up && top << shift != value) top++;
    return ldexp((double)(uint64_t)top, shift - 96);
}

double sbl_fixed96_to_double_up(sbl_u128 value) { return to_double(value, true); }
double sbl_fixed96_to_double_down(sbl_u128 value) { return to_double(value, false); }

static sbl_status from_double(sbl_u128 *value, double number, bool up, sbl_error *err)
{
    int exponent;
    *value = 0;
    if (!(number >= 0.0 && number < 0x1p32))
        return sbl_fail(err, SBL_EARG, "a charge must be at least 0 and less than 2^32");
    /* number = mantissa 2^(exponent - 53), the mantissa an integer of at most 53 bits. */
    const sbl_u128 mantissa = (sbl_u128)ldexp(frexp(number, &exponent), DOUBLE_BITS);
    const int shift = exponent - DOUBLE_BITS + 96;
    if (shift >= 0) {
        *value = mantissa << shift;
        return SBL_OK;
    }
    const int drop = shift < -64 ? 64 : -shift;
    *value = mantissa >> drop;
    if (up && *value << drop != mantissa) ++*value;
    return SBL_OK;
}

sbl_status sbl_fixed96_from_double_up(sbl_u128 *value, double number, sbl_error *err)
{
    return from_double(value, number, true, err);
}

sbl_status sbl_fixed96_from_double_down(sbl_u128 *value, double number, sbl_error *err)
{
    return from_double(value, number, false, err);
}
