/* SPDX-License-Identifier: Apache-2.0 */
/* What the library takes from LAPACK: OpenBLAS, which is opened when it is first needed. */
#ifndef SBL_COMPUTE_LAPACK_H
#define SBL_COMPUTE_LAPACK_H

#include <stddef.h>

#include "base/error.h"

/* A library of a wheel, beside ours: it needs OpenBLAS and LIBLINEAR, so that a wheel contains both. */
#define SBL_NUMERIC_LIBRARY "libsemblance-numeric.so"

/* Eigenvalues (ascending) and eigenvectors of a symmetric matrix. matrix (n, n): only its upper
 * triangle (j >= i) is read; row k then holds the eigenvector of values[k].
 * Returns: SBL_OK; SBL_EARG for n = 0 or too large, or an entry that is not finite, or no OpenBLAS here; SBL_EMEM */
sbl_status sbl_symmetric_eigen(double *matrix, double *values, size_t n, sbl_error *err);

/* Name, version and options of OpenBLAS in its own words; NULL: it cannot be opened. */
const char *sbl_lapack_version(void);

/* Would sbl_symmetric_eigen() find OpenBLAS, and memory for it?   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_lapack_check(sbl_error *err);

/* Does the system grant the buffers that OpenBLAS takes when it is loaded? To be asked before anything loads it: without
 * them it never returns.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_lapack_check_room(sbl_error *err);

#endif
