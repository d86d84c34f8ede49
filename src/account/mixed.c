/* Pure parts composed with a Gaussian part (docs/mechanisms/accounting.md).
 *
 * Any epsilon0-private mechanism is a post-processing of randomised response, whose loss is
 * +-epsilon0 (Kairouz-Oh-Viswanath 2015). With k of them beside mu-Gaussian privacy,
 *     delta(eps) = sum_j C(k,j) q^j (1-q)^(k-j) delta(eps - (2j-k) epsilon0; mu),
 *     q = e^epsilon0 / (1 + e^epsilon0). */
#include <math.h>
#include <stdbool.h>

#include "account/gaussian.h"
#include "account/search.h"
#include "base/status.h"
#include "semblance/account.h"

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

sbl_status sbl_mixed_epsilon(double *epsilon, double mu, double epsilon0, unsigned parts,
                             double delta, sbl_error *err)
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
