/* The split of mu^2 that minimises the summed error of several releases: a Lagrange multiplier on
 * sum_i w_i D_i Delta_i^2 / mu_i^2 subject to sum mu_i^2 = mu^2 gives mu_i^2 in proportion to
 * Delta_i sqrt(w_i D_i). */
#include <math.h>
#include <stdbool.h>

#include "base/status.h"
#include "semblance/account.h"

static bool is_positive(double value) { return value > 0.0 && isfinite(value); }

static long double pull(double sensitivity, double weight, double coordinates)
{
    return sensitivity * sqrtl((long double)weight * coordinates);
}

sbl_status sbl_optimal_split(double *shares, const double *sensitivity, const double *weight,
                             const double *coordinates, size_t count, sbl_error *err)
{
    long double total = 0.0L;
    bool acceptable = count > 0;
    if (shares == NULL || sensitivity == NULL || weight == NULL || coordinates == NULL)
        return sbl_fail(err, SBL_EARG, "a split needs its four lists: one of them is NULL");
    for (size_t i = 0; i < count; i++) {
        shares[i] = 0.0;
        acceptable = acceptable && is_positive(sensitivity[i]) && is_positive(weight[i]) &&
                     is_positive(coordinates[i]);
        total += pull(sensitivity[i], weight[i], coordinates[i]);
    }
    if (!acceptable)
        return sbl_fail(err, SBL_EARG,
                        "a split needs positive sensitivities, weights and numbers of coordinates");
    /* 1e-12 less than the exact share, so that sums of shares stay below 1 in doubles too. */
    for (size_t i = 0; i < count; i++)
        shares[i] =
            (double)(pull(sensitivity[i], weight[i], coordinates[i]) / total * (1.0L - 1e-12L));
    return SBL_OK;
}
