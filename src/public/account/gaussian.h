/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share of the Gaussian and mixed formulas, and what they are made of. */
#ifndef SBL_ACCOUNT_GAUSSIAN_H
#define SBL_ACCOUNT_GAUSSIAN_H

#include <stdbool.h>
#include <stdint.h>

/* Bound on the relative error of the two functions below, several times what the tests measure.
 * A decision against a limit multiplies the computed delta by 1 + this. */
#define SBL_DELTA_MARGIN 1e-13L

/* The delta of a Gaussian in extended range, so that no delta a caller may ask for underflows. Infinite
 * epsilon is allowed. */
long double sbl_gdp_delta_wide(double mu, long double epsilon);

/* sbl_mixed_delta likewise. */
long double sbl_mixed_delta_wide(double mu, double epsilon0, unsigned parts, long double epsilon);

/* sbl_mixed_epsilon for arguments that are known to be valid. */
double sbl_mixed_epsilon_valid(double mu, double epsilon0, unsigned parts, double delta);

/* The scaled complementary error function erfcx(x) = exp(x^2) erfc(x), and differences of it. */

/* In: x >= 0. Relative error below 1e-15. */
double sbl_erfcx(double x);

/* erfcx(x) - erfcx(x + width) without cancellation, however small width is.
 * In: -1/2 <= x <= 150; width > 0. Relative error below 5e-15. */
long double sbl_erfcx_drop(double x, long double width);

/* Bisection that ends on the safe side. */

typedef bool sbl_holds(double x, const void *context);

/* The smallest x > 0 that holds, for a predicate that is false below an edge and true from it on.
 * The x returned was seen to hold and is within 2^-50 relative of the edge (or the edge is below
 * the smallest normal double). INFINITY when no power of two was seen to hold. */
double sbl_search_edge(sbl_holds *holds, const void *context);

/* What the discrete Gaussian of scale 2^56 and its samplers may add to (epsilon, delta) beyond the
 * continuous Gaussian: the bridge lemma with L = 100 for the epsilon and delta, and the
 * constant-flow sampler's statistical distance for the delta. Computed from the actual number of
 * draws. */
typedef struct sbl_allowance {
    double epsilon;
    double delta;
} sbl_allowance;
sbl_allowance sbl_discretisation_allowance(uint64_t draws, uint64_t releases, double epsilon);

#endif
