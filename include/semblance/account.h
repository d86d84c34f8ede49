/* Privacy arithmetic. No data, no state: numbers in, numbers out.
 *
 * mu is the parameter of Gaussian differential privacy: noise of standard deviation sigma on a sum
 * of sensitivity Delta is mu = Delta / sigma private. Releases compose exactly: mu^2 adds up.
 * A mu that is returned as something to spend is rounded down, an epsilon or delta that is reported
 * as spent is rounded up; never the other way. */
#ifndef SEMBLANCE_ACCOUNT_H
#define SEMBLANCE_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "semblance/export.h"
#include "semblance/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sbl_neighbours {
    SBL_REPLACE_ONE = 0, /* one row has another value; the number of rows n is public */
    SBL_ADD_REMOVE = 1   /* one row is there or not; n is private */
} sbl_neighbours;

/* "replace-one", "add-remove". */
SBL_API const char *sbl_neighbours_name(sbl_neighbours neighbours);

/* The smallest delta for which a mu-Gaussian-private mechanism is (epsilon, delta) private
 * (Balle-Wang 2018, theorem 8; Dong-Roth-Su). In: mu >= 0, epsilon any finite number.
 * Accurate to about 1e-14 relative; not rounded. NaN for arguments outside these. */
SBL_API double sbl_gdp_delta(double mu, double epsilon);

/* The smallest epsilon >= 0 for which mu is (epsilon, delta) private, rounded up.
 * In: mu >= 0 finite; 0 < delta < 1.   Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_gdp_epsilon(double *epsilon, double mu, double delta,
                                                sbl_error *err);

/* The largest mu that is (epsilon, delta) private, rounded down.
 * In: epsilon > 0 finite; 0 < delta < 1.   Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_gdp_mu(double *mu, double epsilon, double delta,
                                           sbl_error *err);

/* sqrt(sum mu_i^2), rounded up; NaN when mu is NULL and count is not 0. */
SBL_API double sbl_gdp_compose(const double *mu, size_t count);

/* mu for a group of rows: one person owns `rows` rows. */
SBL_API double sbl_gdp_group(double mu, uint64_t rows);

/* Any add-remove mu is at most twice as large under replace-one (remove, then add). */
SBL_API double sbl_gdp_replace_from_add_remove(double mu);

/* delta of a mu-Gaussian-private part composed with `parts` pure parts of epsilon0 each: every
 * pure part is dominated by randomised response. In: epsilon0 >= 0, parts <= 1000; NaN otherwise.
 */
SBL_API double sbl_mixed_delta(double mu, double epsilon0, unsigned parts, double epsilon);

/* The smallest epsilon for that mixture at delta, rounded up. With mu = 0 it is
 * parts * epsilon0 at most, whatever delta is; delta may then be 0.  Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_mixed_epsilon(double *epsilon, double mu, double epsilon0,
                                                  unsigned parts, double delta, sbl_error *err);

/* The split of mu^2 between releases that minimises sum_i weight_i coordinates_i Delta_i^2 /
 * mu_i^2: share_i = Delta_i sqrt(weight_i coordinates_i) / sum of the same. Shares sum to at
 * most 1. In: positive finite entries.   Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_optimal_split(double *shares, const double *sensitivity,
                                                  const double *weight, const double *coordinates,
                                                  size_t count, sbl_error *err);

/* What the discrete Gaussian of scale 2^56 and its samplers may add to (epsilon, delta) beyond the
 * continuous Gaussian: the bridge lemma with L = 100 for the epsilon and delta, and the
 * constant-flow sampler's statistical distance for the delta. Computed from the actual number of
 * draws. */
typedef struct sbl_allowance {
    double epsilon;
    double delta;
} sbl_allowance;

SBL_API sbl_allowance sbl_discretisation_allowance(uint64_t draws, uint64_t releases,
                                                   double epsilon);

#ifdef __cplusplus
}
#endif

#endif
