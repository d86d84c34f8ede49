/* SPDX-License-Identifier: Apache-2.0 */
/* Privacy arithmetic. No data, no state: numbers in, numbers out.
 *
 *     double mu, epsilon;
 *     sbl_gdp_mu(&mu, 1, 1e-5, &err);                         what (1, 1e-5) allows
 *     sbl_mixed_epsilon(&epsilon, mu, 0, 0, 1e-6, &err);      the same at another delta
 *
 * mu is the parameter of Gaussian differential privacy: noise of standard deviation sigma on a sum
 * of sensitivity Delta is mu = Delta / sigma private. Releases compose exactly: mu^2 adds up.
 * A mu to spend is rounded down. An epsilon or delta that was spent is rounded up.
 *
 * Stability: stable (docs/C.md). */
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
    SBL_ADD_REMOVE = 1   /* one row is present or absent; n is private */
} sbl_neighbours;

/* "replace-one", "add-remove". */
SBL_API const char *sbl_neighbours_name(sbl_neighbours neighbours);

/* The largest mu that is (epsilon, delta) private, rounded down.
 * In: epsilon > 0 finite; 0 < delta < 1.   Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_gdp_mu(double *mu, double epsilon, double delta, sbl_error *err);

/* mu for a group of rows: one person has `rows` rows. An add-remove mu is at most that of two rows under
 * replace-one: remove, then add. */
SBL_API double sbl_gdp_group(double mu, uint64_t rows);

/* The smallest delta for which a mu-Gaussian-private mechanism, composed with `parts` pure ones of epsilon0
 * each, is (epsilon, delta) private (Balle-Wang 2018, theorem 8; every pure part is dominated by randomised
 * response). In: mu >= 0, epsilon0 >= 0, parts <= 1000 (0: none), any finite epsilon; NaN otherwise.
 * Accurate to about 1e-14 relative; not rounded. */
SBL_API double sbl_mixed_delta(double mu, double epsilon0, unsigned parts, double epsilon);

/* The smallest epsilon for that mixture at delta, rounded up. With mu = 0 it is
 * parts * epsilon0 at most, whatever delta is; delta may then be 0.  Returns: SBL_OK, SBL_EARG */
SBL_API SBL_MUST_USE sbl_status sbl_mixed_epsilon(double *epsilon, double mu, double epsilon0, unsigned parts,
                                                  double delta, sbl_error *err);

#ifdef __cplusplus
}
#endif

#endif
