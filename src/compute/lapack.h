/* What the library takes from LAPACK. */
#ifndef SBL_COMPUTE_LAPACK_H
#define SBL_COMPUTE_LAPACK_H

#include <stddef.h>

#include "base/status.h"

/* Eigenvalues (ascending) and eigenvectors of a symmetric matrix. matrix (n, n): only its upper
 * triangle (j >= i) is read; row k then holds the eigenvector of values[k].
 * Returns: SBL_OK; SBL_EARG for n = 0 or too large, or an entry that is not finite; SBL_EMEM */
sbl_status sbl_symmetric_eigen(double *matrix, double *values, size_t n, sbl_error *err);

/* What gives it: name, version and options in its own words. */
const char *sbl_lapack_version(void);

#endif
