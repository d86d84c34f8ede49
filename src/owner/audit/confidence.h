/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds on what a release gives away, from counts of right and wrong guesses. No data. */
#ifndef SBL_AUDIT_CONFIDENCE_H
#define SBL_AUDIT_CONFIDENCE_H

#include <stdint.h>

/* A bound that is wrong with probability at most 1e-3 rests on two counts; each gets half. */
#define SBL_AUDIT_CONFIDENCE 0.999
#define SBL_AUDIT_SIDE_ERROR ((1.0 - SBL_AUDIT_CONFIDENCE) / 2.0)

/* Clopper-Pearson: the largest p with P[Bin(n, p) <= k] >= gamma, and the smallest p with
 * P[Bin(n, p) >= k] >= gamma. In: k <= n, n >= 1, gamma in (0, 1/2). */
double sbl_clopper_pearson_upper(uint64_t k, uint64_t n, double gamma);
double sbl_clopper_pearson_lower(uint64_t k, uint64_t n, double gamma);

/* The quantile of the standard normal distribution; infinite at 0 and 1. */
double sbl_normal_quantile(double probability);

/* How often a guess "it is the second data set" came, over `runs` releases of each. */
typedef struct sbl_guesses {
    uint64_t runs;
    uint64_t wrong; /* releases of the first data set */
    uint64_t right; /* releases of the second */
} sbl_guesses;

/* No mu-Gaussian-private mechanism has this error pair for a smaller mu (Dong, Roth and Su 2022;
 * as an audit Nasr et al. 2023):  mu = quantile(TPR) - quantile(FPR). At least 0. */
double sbl_guesses_mu(const sbl_guesses *guesses);
/* No (epsilon, delta) private mechanism has it for a smaller epsilon:
 * epsilon = ln((TPR - delta) / FPR). At least 0. */
double sbl_guesses_epsilon(const sbl_guesses *guesses, double delta);

#endif
