/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>

double chi_square(const uint64_t *observed, const double *expected, size_t cells)
{
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        const double difference = (double)observed[i] - expected[i];
        sum += difference * difference / expected[i];
    }
    return sum;
}

double chi_square_two_samples(const uint64_t *a, const uint64_t *b, size_t cells)
{
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        const double difference = (double)a[i] - (double)b[i];
        if (a[i] + b[i] != 0) sum += difference * difference / (double)(a[i] + b[i]);
    }
    return sum;
}

double z_of_count(uint64_t hits, uint64_t n, double p)
{
    const double trials = (double)n;
    return ((double)hits - trials * p) / sqrt(trials * p * (1 - p));
}

double z_of_chi_square(double value, double n)
{
    const double variance = 2 / (9 * n);
    return (cbrt(value / n) - (1 - variance)) / sqrt(variance);
}

static double log_binomial(double k, double n, double p)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

double binomial_p_value(uint64_t hits, uint64_t n, double p)
{
    const double trials = (double)n;
    const double odds = p / (1 - p);
    const int up = (double)hits > trials * p;
    double term = exp(log_binomial((double)hits, trials, p));
    double tail = 0;
    for (double k = (double)hits; k >= 0 && k <= trials && term > tail * 1e-17; k += up ? 1 : -1) {
        tail += term;
        term *= up ? (trials - k) / (k + 1) * odds : k / ((trials - k + 1) * odds);
    }
    return fmin(1, 2 * tail);
}

double normal_quantile(double p)
{
    double low = -40;
    double high = 40;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t cell_of(double x, const double *bounds, size_t count)
{
    size_t first = 0;
    while (count > 0) {
        const size_t half = count / 2;
        if (bounds[first + half] <= x) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}
