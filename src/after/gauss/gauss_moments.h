/* SPDX-License-Identifier: Apache-2.0 */
/* Means, second moments and sizes of the classes, read from releases of a RON-Gauss plan. All of it
 * comes from releases; this folder cannot see records. */
#ifndef SBL_GAUSS_GAUSS_MOMENTS_H
#define SBL_GAUSS_GAUSS_MOMENTS_H

#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"
#include "door/release/release.h"
#include "public/rows/projection.h"

/* Per class and record; noise: the standard deviation of the noise on an entry. */
typedef struct sbl_class_moments {
    double size;           /* rows, at least 1 */
    double *mean;          /* (width): y, then the other coordinates, within the ball */
    double mean_noise;     /* clip: in the coordinates of the rotation; normalise: of the record */
    double *second;        /* (moments, moments), symmetric by construction */
    double diagonal_noise; /* of second */
    double off_noise;      /* of second; of the diagonal over sqrt 2 where there are no products */
} sbl_class_moments;

typedef struct sbl_gauss_moments {
    sbl_class_moments *classes;
    size_t count;
    double rows;   /* public, or estimated */
    sbl_pool pool; /* of the arrays */
} sbl_gauss_moments;

/* From the one release of clip, or the second of normalise, whose plan holds the first one's means
 * and sizes. Returns: SBL_OK, SBL_EINPUT when it is another plan's, SBL_EMEM */
sbl_status sbl_gauss_moments_read(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                  const sbl_release *release, sbl_error *err);
/* Means and sizes only: what normalise's first release says. */
sbl_status sbl_gauss_moments_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                   const sbl_release *first, sbl_error *err);
void sbl_gauss_moments_clear(sbl_gauss_moments *moments);

/* A covariance from a noisy one: post-processing that needs the noise's size, which is public.
 *
 * The noise on a symmetric matrix of n rows has independent entries of deviation s off the
 * diagonal; its eigenvalues fill [-2 s sqrt(n), 2 s sqrt(n)] (Wigner), while the noise on a single
 * variance does not grow with n. So the covariance is taken to be L + diag(psi) (factor analysis):
 * L has the eigenvectors of (released - diag(psi)), its eigenvalue w becoming sqrt(w^2 - 4 n s^2),
 * which is the best in Frobenius norm for a few large ones in such noise, or 0 where it drowns;
 * psi is what is missing from the released diagonal. A few rounds, starting at psi = 0. Without
 * noise it gives back what came in. */

typedef struct sbl_shrink_rule {
    double diagonal_noise; /* standard deviations of an entry's noise */
    double off_noise;
    double most_trace; /* what the ball leaves for the trace; > 0 */
} sbl_shrink_rule;

#define SBL_VARIANCE_FLOOR 1e-8 /* of a coordinate, in a ball of radius about 1 */

/* covariance (n, n), symmetric, any finite numbers -> a symmetric positive semidefinite one with
 * trace at most most_trace (or n times the floor), in place; root (n, n): its symmetric square
 * root, which does not depend on the signs of eigenvectors. */
sbl_status sbl_shrink_covariance(double *covariance, double *root, size_t n, const sbl_shrink_rule *rule,
                                 sbl_error *err);

#endif
