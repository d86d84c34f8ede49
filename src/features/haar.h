/* A uniformly distributed (Haar) orthogonal matrix from a public seed, in double precision.
 *
 * Q of the QR decomposition of a matrix of independent standard normals, with the signs that make
 * the diagonal of R positive, is Haar distributed (Mezzadri 2007). That Q is unique, so it does not
 * matter how it is found; here by Gram-Schmidt done twice, which for such matrices is orthonormal
 * to rounding, with sums in a fixed order: the same bits on every platform and for any number of
 * threads. (RON-Gauss draws uniform entries and leaves the signs to the library; that Q is not
 * Haar: its first direction is nearly the all-ones vector.) */
#ifndef SBL_FEATURES_HAAR_H
#define SBL_FEATURES_HAAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* rows: (count, dimensions), count <= dimensions: the first count rows of a Haar matrix. */
sbl_status sbl_haar_rows(double *rows, size_t count, size_t dimensions, uint64_t seed,
                         sbl_error *err);

/* The orthonormalisation alone: row k less its parts along rows 0 .. k - 1, at length 1, for each k
 * in turn. SBL_EARG when a row is (nearly) dependent on those before it. */
sbl_status sbl_orthonormalise(double *rows, size_t count, size_t dimensions, sbl_error *err);

#endif
