/* mu-Gaussian privacy (docs/mechanisms/accounting.md). */
#include "account/gaussian.h"

#include <math.h>
#include <stdbool.h>

#include "account/erfcx.h"
#include "account/search.h"
#include "base/status.h"
#include "semblance/account.h"

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
    if (epsilon < 0.0L)
        return -expm1l(epsilon) + expl(epsilon) * delta_nonnegative_epsilon(mu, -epsilon);
    return delta_nonnegative_epsilon(mu, epsilon);
}

double sbl_gdp_delta(double mu, double epsilon)
{
    if (!(mu >= 0.0) || !isfinite(epsilon)) return NAN;
    return (double)sbl_gdp_delta_wide(mu, epsilon);
}

sbl_status sbl_gdp_epsilon(double *epsilon, double mu, double delta, sbl_error *err)
{
    if (epsilon == NULL) return sbl_need(epsilon, "epsilon", err);
    *epsilon = 0.0;
    if (!(delta > 0.0)) return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1");
    return sbl_mixed_epsilon(epsilon, mu, 0.0, 0, delta, err);
}

typedef struct mu_question {
    double epsilon;
    double delta;
} mu_question;

static bool deviation_is_enough(double sigma, const void *context)
{
    const mu_question *question = context;
    return sbl_gdp_delta_wide(1.0 / sigma, question->epsilon) * (1.0L + SBL_DELTA_MARGIN) <=
           question->delta;
}

sbl_status sbl_gdp_mu(double *mu, double epsilon, double delta, sbl_error *err)
{
    if (mu == NULL) return sbl_need(mu, "mu", err);
    *mu = 0.0;
    if (!(epsilon > 0.0) || !isfinite(epsilon))
        return sbl_fail(err, SBL_EARG, "epsilon must be positive and finite");
    if (!(delta > 0.0 && delta < 1.0))
        return sbl_fail(err, SBL_EARG, "delta must lie between 0 and 1");
    const mu_question question = {epsilon, delta};
    *mu = 1.0 / sbl_search_edge(deviation_is_enough, &question) * (1.0 - MU_ROUND_DOWN);
    return SBL_OK;
}

double sbl_gdp_compose(const double *mu, size_t count)
{
    long double sum = 0.0L;
    if (mu == NULL && count > 0) return NAN;
    for (size_t i = 0; i < count; i++) sum += (long double)mu[i] * mu[i];
    if (sum == 0.0L) return 0.0;
    /* Each step of the sum and the root are off by less than 2^-63 relative. */
    const long double bound = sqrtl(sum) * (1.0L + (long double)(count + 2) * 0x1p-63L);
    return nextafter((double)bound, INFINITY);
}

double sbl_gdp_group(double mu, uint64_t rows)
{
    const double product = mu * (double)rows;
    /* Two roundings, each by half a unit at most. */
    const bool exact = rows <= UINT64_C(1) << 53 && fma(mu, (double)rows, -product) == 0.0;
    return exact ? product : nextafter(nextafter(product, INFINITY), INFINITY);
}

double sbl_gdp_replace_from_add_remove(double mu) { return 2.0 * mu; }
