/* SPDX-License-Identifier: Apache-2.0 */
/* P[|T| > t] = I_x(nu / 2, 1 / 2), x = nu / (nu + t^2), with the regularised incomplete beta function I by its continued
 * fraction (Abramowitz and Stegun 26.5.8, evaluated as Lentz does). t is found by bisection of its logarithm. For many
 * degrees of freedom, the expansion around the normal quantile z (26.7.5). */
#include "after/combine/student.h"

#include <math.h>

#define BISECTIONS 64
#define TERMS 100000
#define MANY_DEGREES 1e5 /* from here on the expansion's next term is below 1e-14 */
#define LARGEST_LOG 690.0

/* ln B(h, 1/2). lgamma() loses digits in the difference for large h; its asymptotic series does not. */
static double log_beta_half(double h)
{
    const double log_root_pi = 0.57236494292470008707; /* ln Gamma(1/2) */
    if (h < 50.0) return lgamma(h) + log_root_pi - lgamma(h + 0.5);
    const double one = 1.0 / h, cube = one * one * one;
    return log_root_pi - (0.5 * log(h) - one / 8.0 + cube / 192.0 - cube * one * one / 640.0);
}

static double away_from_zero(double number) { return fabs(number) < 1e-300 ? 1e-300 : number; }

/* The fraction of I_x(a, b), quick for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), value = d;
    for (int i = 1; i < TERMS; i++) {
        const double m = i;
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= d * c;
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1.0) < 1e-16) break;
    }
    return value;
}

/* P[|T| > e^log_t]. */
static double both_tails(double log_t, double degrees)
{
    const double h = degrees / 2.0, ratio = exp(2.0 * log_t - log(degrees)); /* t^2 / nu */
    const double log_x = -log1p(ratio), log_y = log_x + log(ratio), x = exp(log_x), y = exp(log_y);
    const double front = exp(h * log_x + 0.5 * log_y - log_beta_half(h));
    if (x < (h + 1.0) / (h + 2.5)) return front * beta_fraction(x, h, 0.5) / h;
    return 1.0 - front * beta_fraction(y, 0.5, h) / 0.5;
}

static double normal_central(double level)
{
    double low = 0.0, high = 40.0;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2.0;
        if (erfc(middle / sqrt(2.0)) > 1.0 - level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double sbl_student_central(double level, double degrees)
{
    double low = -LARGEST_LOG / 2.0, high = LARGEST_LOG / 2.0; /* of ln t; t^2 is a finite number */
    if (degrees >= MANY_DEGREES) {
        const double z = normal_central(level), z2 = z * z, one = 1.0 / degrees;
        return z + z * (z2 + 1.0) / 4.0 * one + z * (5.0 * z2 * z2 + 16.0 * z2 + 3.0) / 96.0 * one * one;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2.0;
        if (both_tails(middle, degrees) > 1.0 - level)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}
