/* erfcx by libm's erfc below 20 and by its asymptotic series from there on; differences of it
 * as the integral of a positive function, by the trapezoidal rule in log s, so that nothing
 * cancels. */
#include "account/erfcx.h"

#include <math.h>

#define TWO_OVER_SQRT_PI 1.128379167095512573896158903121545172L
#define SQRT_PI 1.772453850905516027298167483341145183

double sbl_erfcx(double x)
{
    if (x < 20.0) {
        /* exp(x^2) with the rounding error of x * x put back; erfc(20) is still a normal number. */
        const double square = x * x;
        const double lost = fma(x, x, -square);
        return exp(square) * (1.0 + lost) * erfc(x);
    }
    /* Asymptotic series 1 - 1/(2x^2) + 1*3/(2x^2)^2 - ...: from x = 20 on, the first term left out
     * is below 2e-17. */
    const double step = 0.5 / x / x;
    double series = 1.0;
    for (int odd = 15; odd >= 1; odd -= 2) series = 1.0 - odd * step * series;
    return series / (x * SQRT_PI);
}

/* erfcx(x) = 2/sqrt(pi) Int_0^inf exp(-s^2 - 2xs) ds, hence
 *     erfcx(x) - erfcx(x + w) = 2/sqrt(pi) Int_0^inf exp(-s^2 - 2xs) (1 - exp(-2ws)) ds,
 * an integral of a positive function: nothing cancels. With s = exp(t) the integrand is analytic
 * for |Im t| < pi/4 and decays at both ends, so the trapezoidal rule converges like
 * exp(-2 pi d / STEP), d < pi/4: about 1e-18 with this step. */
#define STEP 0.09375 /* 3/32: every multiple is exact */

long double sbl_erfcx_drop(double x, long double width)
{
    /* For tiny widths the drop is proportional to the width; scaling keeps denormals out. */
    const double w = (double)fmaxl(width, 1e-150L);
    /* Where exp(-s^2 - 2xs) starts to fall, and where it has fallen below exp(-45). */
    const double bulk = 1.0 / (1.0 + 2.0 * fmax(x, 0.0));
    const double last = sqrt(x * x + 45.0) - x;
    /* Below `first` lies less than 1e-19 of the integral. */
    const double first = bulk * 3e-10 / sqrt(fmax(1.0, 2.0 * w * bulk));
    const int nodes = (int)(log(last / first) / STEP) + 1;
    long double sum = 0.0L;
    for (int i = 0; i <= nodes; i++) {
        const double s = first * exp(STEP * i);
        sum += s * exp(-s * (s + 2.0 * x)) * -expm1(-2.0 * w * s);
    }
    return TWO_OVER_SQRT_PI * STEP * sum * (width / w);
}
