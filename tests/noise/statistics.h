/* SPDX-License-Identifier: Apache-2.0 */
/* Test statistics for samples of known law. Limits are for p <= 2e-11 each, so that 50 of them give
 * a false alarm with probability below 1e-9. */
#ifndef SBL_TESTS_NOISE_STATISTICS_H
#define SBL_TESTS_NOISE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#define LIMIT_Z 6.71
#define LIMIT_P 2e-11
#define LIMIT_CHI2_32 115.8
#define LIMIT_CHI2_63 167.5
#define LIMIT_CHI2_255 433.6

/* Pearson's sum over cells; expected[i] > 0. */
double chi_square(const uint64_t *observed, const double *expected, size_t cells);

/* Of two samples of the same size: chi-square with cells - 1 degrees of freedom. */
double chi_square_two_samples(const uint64_t *a, const uint64_t *b, size_t cells);

/* (hits - n p) / sqrt(n p (1 - p)) */
double z_of_count(uint64_t hits, uint64_t n, double p);

/* The normal deviate of a chi-square variable with n degrees of freedom (Wilson and Hilferty 1931).
 */
double z_of_chi_square(double value, double n);

/* Two-sided exact binomial tail: twice the smaller of P(X <= hits), P(X >= hits). */
double binomial_p_value(uint64_t hits, uint64_t n, double p);

/* The x at which the standard normal distribution function is p. */
double normal_quantile(double p);

/* The number of bounds (rising) that are <= x. */
size_t cell_of(double x, const double *bounds, size_t count);

#endif
