/* SPDX-License-Identifier: Apache-2.0 */
/* mu-Gaussian privacy, alone and composed with pure parts (docs/mechanisms/accounting.md). */
#include "public/account/gaussian.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "semblance/account.h"

/* erfcx by libm's erfc below 20 and by its asymptotic series from there on; differences of it
 * as the integral of a positive function, by the trapezoidal rule in log s, so that nothing
 * cancels. */

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

/* Doubling or halving from 1 until the edge is enclosed, then 50 bisections. The upper end is
 * always one for which the predicate was seen to hold. */

double sbl_search_edge(sbl_holds *holds, const void *context)
{
    double high = 1.0;
    while (high <= DBL_MAX && !holds(high, context)) high *= 2.0;
    if (high > DBL_MAX) return INFINITY;
    double low = high / 2.0;
    while (low > DBL_MIN && holds(low, context)) {
        high = low;
        low /= 2.0;
    }
    for (int step = 0; step < 50; step++) {
        const double middle = low + (high - low) / 2.0;
        if (holds(middle, context))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* mu-Gaussian privacy (docs/mechanisms/accounting.md). */

#define SQRT_HALF 0.7071067811865475244008443621048490393L

/* Taken off a mu that is handed out to be spent, relative. */
#define MU_ROUND_DOWN 1e-12

/* With a = (epsilon/mu - mu/2)/sqrt(2) and b = (epsilon/mu + mu/2)/sqrt(2), b^2 - a^2 = epsilon and
 *     delta = (erfc(a) - e^epsilon erfc(b)) / 2 = e^(-a^2) (erfcx(a) - erfcx(b)) / 2
 * (Balle-Wang 2018, theorem 8). The second form is used until a is clearly negative; from there on
 * e^epsilon erfc(b) = e^(-a^2) erfcx(b) < 0.5 while erfc(a) > 1.5, and nothing cancels. */
static long double delta_nonnegative_epsilon(double mu, long double epsilon)
{
    if (mu == 0.0) return 0.0L;
    const long double width = mu * SQRT_HALF;
    const long double a = (epsilon / mu - mu / 2.0L) * SQRT_HALF;
    if (a > 150.0L) return 0.0L; /* e^-22500: below every extended-precision number */
    const long double scale = expl(-a * a);
    const long double b = (epsilon / mu + mu / 2.0L) * SQRT_HALF;
    if (a < -0.5L) return (erfc((double)a) - scale * sbl_erfcx((double)b)) / 2.0L;
    return scale * sbl_erfcx_drop((double)a, width) / 2.0L;
}

long double sbl_gdp_delta_wide(double mu, long double epsilon)
{
    /* The Gaussian trade-off curve is symmetric: delta(-e) = 1 - exp(-e) + exp(-e) delta(e). */
    if (epsilon < 0.0L) return -expm1l(epsilon) + expl(epsilon) * delta_nonnegative_epsilon(mu, -epsilon);
    return delta_nonnegative_epsilon(mu, epsilon);
}

typedef struct mu_question {
    double epsilon;
    double delta;
} mu_question;

static bool deviation_is_enough(double sigma, const void *context)
{
    const mu_question *question = context;
    return sbl_gdp_delta_wide(1.0 / sigma, question->epsilon) * (1.0L + SBL_DELTA_MARGIN) <= question->delta;
}

sbl_status sbl_gdp_mu(double *mu, double epsilon, double delta, sbl_error *err)
{
    if (mu == NULL) return sbl_need(mu, "mu", err);
    *mu = 0.0;
    if (!(epsilon > 0.0) || !isfinite(epsilon))
        return sbl_fail(err, SBL_EARG, "epsilon must be positive and finite");
    if (!(delta > 0.0 && delta < 1.0)) return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1");
    const mu_question question = {epsilon, delta};
    *mu = 1.0 / sbl_search_edge(deviation_is_enough, &question) * (1.0 - MU_ROUND_DOWN);
    return SBL_OK;
}

double sbl_gdp_group(double mu, uint64_t rows)
{
    const double product = mu * (double)rows;
    /* Two roundings, each by half a unit at most. */
    const bool exact = rows <= UINT64_C(1) << 53 && fma(mu, (double)rows, -product) == 0.0;
    return exact ? product : nextafter(nextafter(product, INFINITY), INFINITY);
}

/* Pure parts composed with a Gaussian part (docs/mechanisms/accounting.md).
 *
 * Any epsilon0-private mechanism is a post-processing of randomised response, whose loss is
 * +-epsilon0 (Kairouz-Oh-Viswanath 2015). With k of them beside mu-Gaussian privacy,
 *     delta(eps) = sum_j C(k,j) q^j (1-q)^(k-j) delta(eps - (2j-k) epsilon0; mu),
 *     q = e^epsilon0 / (1 + e^epsilon0). */

#define MOST_PARTS 1000

long double sbl_mixed_delta_wide(double mu, double epsilon0, unsigned parts, long double epsilon)
{
    const long double log_q = -log1pl(expl(-(long double)epsilon0));
    const long double log_rest = log_q - epsilon0;
    long double log_choose = 0.0L;
    long double sum = 0.0L;
    for (unsigned j = 0; j <= parts; j++) {
        const long double loss = (2.0L * j - parts) * epsilon0;
        const long double weight = expl(log_choose + j * log_q + (parts - j) * log_rest);
        sum += weight * sbl_gdp_delta_wide(mu, epsilon - loss);
        log_choose += logl((parts - j) / (j + 1.0L));
    }
    return sum;
}

static bool is_mixture(double mu, double epsilon0, unsigned parts)
{
    return mu >= 0.0 && epsilon0 >= 0.0 && isfinite(epsilon0) && parts <= MOST_PARTS;
}

double sbl_mixed_delta(double mu, double epsilon0, unsigned parts, double epsilon)
{
    if (!is_mixture(mu, epsilon0, parts) || !isfinite(epsilon)) return NAN;
    return (double)sbl_mixed_delta_wide(mu, epsilon0, parts, epsilon);
}

typedef struct epsilon_question {
    double mu;
    double epsilon0;
    unsigned parts;
    double delta;
} epsilon_question;

static bool epsilon_is_enough(double epsilon, const void *context)
{
    const epsilon_question *question = context;
    return sbl_mixed_delta_wide(question->mu, question->epsilon0, question->parts, epsilon) *
               (1.0L + SBL_DELTA_MARGIN) <=
           question->delta;
}

double sbl_mixed_epsilon_valid(double mu, double epsilon0, unsigned parts, double delta)
{
    const epsilon_question question = {mu, epsilon0, parts, delta};
    if (epsilon_is_enough(0.0, &question)) return 0.0;
    /* Pure composition is the sum, whatever delta is. */
    const double sum = mu == 0.0 ? sbl_gdp_group(epsilon0, parts) : INFINITY;
    return delta == 0.0 ? sum : fmin(sum, sbl_search_edge(epsilon_is_enough, &question));
}

sbl_status sbl_mixed_epsilon(double *epsilon, double mu, double epsilon0, unsigned parts, double delta,
                             sbl_error *err)
{
    if (epsilon == NULL) return sbl_need(epsilon, "epsilon", err);
    *epsilon = 0.0;
    if (!is_mixture(mu, epsilon0, parts) || !isfinite(mu))
        return sbl_fail(err, SBL_EARG,
                        "mu and the pure epsilon must be finite and not negative, with at most %d "
                        "pure parts",
                        MOST_PARTS);
    if (!(delta < 1.0) || !(delta > 0.0 || (delta == 0.0 && mu == 0.0)))
        return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1 (0 for pure parts only)");
    *epsilon = sbl_mixed_epsilon_valid(mu, epsilon0, parts, delta);
    return SBL_OK;
}
