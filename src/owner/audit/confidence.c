/* SPDX-License-Identifier: Apache-2.0 */
/* Bisection of the binomial tail, summed from its largest term (lgamma), and of erfc for the normal
 * quantile. An upper bound is the upper end of its interval; a lower one is 1 less an upper one of
 * the other guesses. */
#include "owner/audit/confidence.h"

#include <math.h>

#define BISECTIONS 60

/* P[Bin(n, p) <= k] for p in (0, 1): the terms fall from k downwards wherever it is asked for, which
 * is above k / n. */
static double lower_tail(uint64_t k, uint64_t n, double p)
{
    const double odds = (1.0 - p) / p;
    double term = exp(lgamma((double)n + 1.0) - lgamma((double)k + 1.0) - lgamma((double)(n - k) + 1.0) +
                      (double)k * log(p) + (double)(n - k) * log1p(-p));
    double total = 0.0;
    for (uint64_t i = k;; i--) {
        total += term;
        if (i == 0 || term < total * 1e-17) return total;
        term *= (double)i / (double)(n - i + 1) * odds;
    }
}

double sbl_clopper_pearson_upper(uint64_t k, uint64_t n, double gamma)
{
    double low = (double)k / (double)n;
    double high = 1.0;
    if (k == n) return 1.0;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2.0;
        if (lower_tail(k, n, middle) >= gamma)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double sbl_clopper_pearson_lower(uint64_t k, uint64_t n, double gamma)
{
    return 1.0 - sbl_clopper_pearson_upper(n - k, n, gamma);
}

double sbl_normal_quantile(double probability)
{
    double low = -40.0;
    double high = 40.0;
    if (probability <= 0.0) return -INFINITY;
    if (probability >= 1.0) return INFINITY;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2.0;
        if (0.5 * erfc(-middle / sqrt(2.0)) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2.0;
}

double sbl_guesses_mu(const sbl_guesses *guesses)
{
    const double fpr = sbl_clopper_pearson_upper(guesses->wrong, guesses->runs, SBL_AUDIT_SIDE_ERROR);
    const double tpr = sbl_clopper_pearson_lower(guesses->right, guesses->runs, SBL_AUDIT_SIDE_ERROR);
    return fmax(0.0, sbl_normal_quantile(tpr) - sbl_normal_quantile(fpr));
}

double sbl_guesses_epsilon(const sbl_guesses *guesses, double delta)
{
    const double fpr = sbl_clopper_pearson_upper(guesses->wrong, guesses->runs, SBL_AUDIT_SIDE_ERROR);
    const double tpr = sbl_clopper_pearson_lower(guesses->right, guesses->runs, SBL_AUDIT_SIDE_ERROR);
    return tpr > delta ? fmax(0.0, log((tpr - delta) / fpr)) : 0.0;
}
