/* Empirical Bayes for energies: what is left of many noisy numbers that are mostly 0.
 *
 * An observed energy e of true energy u is about normal with mean u and variance se^2 + 4 v u. The
 * distribution of u over the pairs is estimated from all of them, on 33 atoms (0 and a logarithmic
 * grid), by 60 steps of expectation maximisation; each pair then gets its posterior mean. */
#ifndef SBL_PAIRS_BAYES_H
#define SBL_PAIRS_BAYES_H

#include <stddef.h>

#include "base/status.h"

/* means (count) from energies, errors (> 0) and variances v; all (count).
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_bayes_energies(double *means, const double *energies, const double *errors,
                              const double *variances, size_t count, sbl_error *err);

#endif
