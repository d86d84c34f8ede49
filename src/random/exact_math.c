/* Argument reduction and fixed polynomials, evaluated by Horner's rule: where each series stops,
 * and what is left, is said at its function. Compiled without contraction; no libm call may be
 * added here, since its last bits differ between systems. */
#include "random/exact_math.h"

#include <stdint.h>
#include <string.h>

static const double ln2_high = 0x1.62e42fefa38p-1; /* 41 bits: k * ln2_high is exact */
static const double ln2_low = 0x1.ef35793c7673p-45;

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = 2^k m with m in [sqrt 1/2, sqrt 2); ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716:
 * eleven odd powers leave less than 0.1716^22 / 23 < 1e-18. */
double sbl_exact_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
    if (m > 0x1.6a09e667f3bcdp0) {
        m *= 0.5;
        k++;
    }
    static const double terms[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9, 2.0 / 11,
                                   2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    double s = (m - 1) / (m + 1), s2 = s * s, p = 0;
    for (int i = 10; i >= 0; i--) p = p * s2 + terms[i];
    return k * ln2_high + (k * ln2_low + s * p);
}

/* x = k ln 2 + r, |r| <= 0.347; Taylor to r^13. */
double sbl_exact_exp(double x)
{
    if (x < -700) return 0;
    if (x > 700) x = 700;
    double shifted = x * 0x1.71547652b82fep0;
    int k = (int)(shifted + (shifted >= 0 ? 0.5 : -0.5));
    double r = (x - k * ln2_high) - k * ln2_low;
    static const double inverse[] = {1.0,      1.0 / 2,  1.0 / 3, 1.0 / 4, 1.0 / 5,
                                     1.0 / 6,  1.0 / 7,  1.0 / 8, 1.0 / 9, 1.0 / 10,
                                     1.0 / 11, 1.0 / 12, 1.0 / 13};
    double p = 1;
    for (int n = 13; n >= 1; n--) p = 1 + p * (r * inverse[n - 1]);
    return p * from_bits((uint64_t)(k + 1023) << 52);
}

/* sin(2 pi a) for |a| <= 1/8 and cos likewise, by Taylor series in y = 2 pi a, |y| <= pi / 4. */
static void small_sincos(double *sine, double *cosine, double a)
{
    static const double sine_terms[] = {
        1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
        1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    static const double cosine_terms[] = {1.0,
                                          -1.0 / 2,
                                          1.0 / 24,
                                          -1.0 / 720,
                                          1.0 / 40320,
                                          -1.0 / 3628800,
                                          1.0 / 479001600,
                                          -1.0 / 87178291200.0,
                                          1.0 / 20922789888000.0};
    double y = a * 0x1.921fb54442d18p2, y2 = y * y, s = 0, c = 0;
    for (int i = 7; i >= 0; i--) s = s * y2 + sine_terms[i];
    for (int i = 8; i >= 0; i--) c = c * y2 + cosine_terms[i];
    *sine = s * y;
    *cosine = c;
}

void sbl_exact_sincos_turns(double *sine, double *cosine, double t)
{
    int quarter = (int)(4 * t + 0.5);
    double s, c;
    small_sincos(&s, &c, t - 0.25 * quarter);
    switch (quarter & 3) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
        break;
    }
}
