/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of the black-box audits. */
#ifndef SBL_TEST_AUDIT_MATH_H
#define SBL_TEST_AUDIT_MATH_H

#include <stdint.h>

/* Quantile of the standard normal distribution. */
double normal_quantile(double probability);

/* Clopper-Pearson: the largest p with P[Bin(n, p) <= k] >= gamma. */
double clopper_pearson_upper(uint64_t k, uint64_t n, double gamma);

/* ln P[Bin(n, p) = k]. */
double log_binomial(uint64_t k, uint64_t n, double p);

/* P[Bin(n, p) >= k]. */
double binomial_upper_tail(uint64_t k, uint64_t n, double p);

/* Lower confidence bound on epsilon from `correct` right guesses out of `guesses`, with `canaries`
 * canaries, at confidence 1 - alpha (Steinke, Nasr, Jagielski 2023, theorem 5.2). */
double one_run_epsilon(uint64_t correct, uint64_t guesses, uint64_t canaries, double delta, double alpha);

#endif
