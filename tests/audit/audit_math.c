/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/audit_math.h"

#include <math.h>

double normal_quantile(double probability)
{
    double low = -40;
    double high = 40;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2.0)) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double log_binomial(uint64_t k, uint64_t n, double p)
{
    const double n_ = (double)n;
    const double k_ = (double)k;
    if (p <= 0) return k == 0 ? 0 : -INFINITY;
    if (p >= 1) return k == n ? 0 : -INFINITY;
    return lgamma(n_ + 1) - lgamma(k_ + 1) - lgamma(n_ - k_ + 1) + k_ * log(p) + (n_ - k_) * log1p(-p);
}

static double binomial_lower_tail(uint64_t k, uint64_t n, double p)
{
    double total = 0;
    for (uint64_t i = 0; i <= k; i++) total += exp(log_binomial(i, n, p));
    return total;
}

double binomial_upper_tail(uint64_t k, uint64_t n, double p)
{
    double total = 0;
    for (uint64_t i = k; i <= n; i++) total += exp(log_binomial(i, n, p));
    return total;
}

double clopper_pearson_upper(uint64_t k, uint64_t n, double gamma)
{
    double low = (double)k / (double)n;
    double high = 1;
    if (k == n) return 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (binomial_lower_tail(k, n, middle) >= gamma)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* p-value of "epsilon holds" given v right guesses:
 * P[Bin(r, q) >= v] + 2 m delta max_i P[v > Bin(r, q) >= v - i] / i,  q = 1 / (1 + e^-eps). */
static double p_value(double epsilon, uint64_t v, uint64_t r, uint64_t m, double delta)
{
    const double q = 1 / (1 + exp(-epsilon));
    double worst = 0;
    double below = 0;
    for (uint64_t i = 1; i <= v; i++) {
        below += exp(log_binomial(v - i, r, q));
        if (below / (double)i > worst) worst = below / (double)i;
    }
    return binomial_upper_tail(v, r, q) + 2 * (double)m * delta * worst;
}

double one_run_epsilon(uint64_t correct, uint64_t guesses, uint64_t canaries, double delta, double alpha)
{
    double low = 0;
    double high = 40;
    if (p_value(0, correct, guesses, canaries, delta) > alpha) return 0;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (p_value(middle, correct, guesses, canaries, delta) <= alpha)
            low = middle;
        else
            high = middle;
    }
    return low;
}
