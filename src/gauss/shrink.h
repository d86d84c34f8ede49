/* A covariance from a noisy one: post-processing that needs the noise's size, which is public.
 *
 * The noise on a symmetric matrix of n rows has independent entries of deviation s off the
 * diagonal; its eigenvalues fill [-2 s sqrt(n), 2 s sqrt(n)] (Wigner), while the noise on a single
 * variance does not grow with n. So the covariance is taken to be L + diag(psi) (factor analysis):
 * L has the eigenvectors of (released - diag(psi)), its eigenvalue w becoming sqrt(w^2 - 4 n s^2),
 * which is the best in Frobenius norm for a few large ones in such noise, or 0 where it drowns;
 * psi is what is missing from the released diagonal. A few rounds, starting at psi = 0. Without
 * noise it gives back what came in. */
#ifndef SBL_GAUSS_SHRINK_H
#define SBL_GAUSS_SHRINK_H

#include <stddef.h>

#include "base/status.h"

typedef struct sbl_shrink_rule {
    double diagonal_noise; /* standard deviations of an entry's noise */
    double off_noise;
    double most_trace; /* what the ball leaves for the trace; > 0 */
} sbl_shrink_rule;

#define SBL_VARIANCE_FLOOR 1e-8 /* of a coordinate, in a ball of radius about 1 */

/* covariance (n, n), symmetric, any finite numbers -> a symmetric positive semidefinite one with
 * trace at most most_trace (or n times the floor), in place; root (n, n): its symmetric square
 * root, which does not depend on the signs of eigenvectors. */
sbl_status sbl_shrink_covariance(double *covariance, double *root, size_t n,
                                 const sbl_shrink_rule *rule, sbl_error *err);

#endif
