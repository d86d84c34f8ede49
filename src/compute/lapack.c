/* dsyevd of LAPACK, called by its Fortran name: first for the sizes of its workspace, then for the
 * eigenvectors. A matrix that is not finite is refused before LAPACK sees it. */
#include "compute/lapack.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"

#define LARGEST 16384

/* The Fortran routine; the last two are the lengths of the first two, as gfortran passes them. */
void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info,
             size_t job_length, size_t uplo_length);

/* OpenBLAS alone has it; we link with no other (cmake/SblDependencies.cmake). */
char *openblas_get_config(void);

const char *sbl_lapack_version(void) { return openblas_get_config(); }

static bool is_finite(const double *matrix, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            if (!isfinite(matrix[i * n + j])) return false;
    return true;
}

sbl_status sbl_symmetric_eigen(double *matrix, double *values, size_t n, sbl_error *err)
{
    const int size = (int)n;
    int info = 0;
    int integer_room = 0;
    double buffer = 0.0;
    const int ask = -1;
    if (n < 1 || n > LARGEST || !is_finite(matrix, n))
        return sbl_fail(err, SBL_EARG, "eigenvalues need a finite matrix of 1 to %d rows", LARGEST);
    /* By columns, as Fortran reads it, our upper triangle is the lower one; eigenvectors come back
     * as columns, which are our rows. */
    dsyevd_("V", "L", &size, matrix, &size, values, &buffer, &ask, &integer_room, &ask, &info, 1,
            1);
    const int length = (int)buffer;
    double *work = sbl_alloc_array((size_t)length, sizeof *work);
    int *integers = sbl_alloc_array((size_t)integer_room, sizeof *integers);
    sbl_status status = SBL_OK;
    if (work == NULL || integers == NULL)
        status = sbl_no_memory(err, "eigenvalues");
    else
        dsyevd_("V", "L", &size, matrix, &size, values, work, &length, integers, &integer_room,
                &info, 1, 1);
    sbl_free(work);
    sbl_free(integers);
    if (status == SBL_OK && info != 0)
        status = sbl_fail(err, SBL_EARG, "the eigenvalues of a matrix were not found");
    return status;
}
