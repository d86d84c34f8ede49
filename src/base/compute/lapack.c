/* SPDX-License-Identifier: Apache-2.0 */
/* dsyevd of LAPACK, called by its Fortran name: first for the sizes of its workspace, then for the
 * eigenvectors. A matrix that is not finite is refused before LAPACK sees it.
 *
 * OpenBLAS, which contains LAPACK, is opened by the first call that needs it and stays loaded. When it is loaded it
 * takes a buffer for every thread, and tries again without end where the system refuses one (seen in OpenBLAS 0.3.21).
 * So the same amount of memory is asked for first, and given back. */
#include "base/compute/lapack.h"

#include <math.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "base/library.h"

#define LARGEST 16384
#define OPENBLAS "libopenblas.so.0"
#define BUFFER ((size_t)128 << 20) /* of OpenBLAS, for a thread */
#define MOST_BUFFERS 130           /* of the threads that Debian's OpenBLAS knows, and two */

typedef struct lapack_calls {
    /* The Fortran routine; the last two are the lengths of the first two, as gfortran passes them. */
    void (*dsyevd)(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w,
                   double *work, const int *lwork, int *iwork, const int *liwork, int *info,
                   size_t job_length, size_t uplo_length);
    char *(*config)(void);
} lapack_calls;

static const sbl_library_call calls[] = {
    {"dsyevd_", offsetof(lapack_calls, dsyevd)},
    {"openblas_get_config", offsetof(lapack_calls, config)},
};

static size_t thread_count(void)
{
#ifdef _OPENMP
    const long count = omp_get_max_threads();
#else
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count > 0 ? (size_t)count : 1;
}

/* One by one, as OpenBLAS takes them: a system may refuse their sum and grant each. */
static bool has_room(size_t buffers)
{
    void *taken[MOST_BUFFERS];
    size_t count = 0;
    for (; count < buffers; count++) {
        taken[count] = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (taken[count] == MAP_FAILED) break;
    }
    for (size_t i = 0; i < count; i++) (void)munmap(taken[i], BUFFER);
    return count == buffers;
}

sbl_status sbl_lapack_check_room(sbl_error *err)
{
    const bool loaded = sbl_library_loaded(OPENBLAS);
    const size_t threads = thread_count();
    const size_t wanted = loaded ? 1 : threads + 2; /* one for a call, one for the library itself */
    const size_t buffers = wanted < MOST_BUFFERS ? wanted : MOST_BUFFERS;
    if (has_room(buffers)) return SBL_OK;
    return sbl_fail(err, SBL_EMEM,
                    "OpenBLAS needs %zu MB of address space for %zu threads, which this process may not use: "
                    "raise the limit (ulimit -v) or lower OMP_NUM_THREADS",
                    buffers * (BUFFER >> 20), threads);
}

static sbl_status open_lapack(lapack_calls *lapack, sbl_error *err)
{
    const sbl_status status = sbl_lapack_check_room(err);
    if (status != SBL_OK) return status;
    void *library = sbl_library_open_beside(NULL, SBL_NUMERIC_LIBRARY);
    if (library == NULL) library = sbl_library_open(OPENBLAS);
    if (library == NULL)
        return sbl_fail(err, SBL_EARG,
                        "eigenvalues need OpenBLAS, " OPENBLAS
                        ", which is not installed here (Debian: libopenblas0-openmp)");
    const char *absent = sbl_library_find(lapack, library, calls, sizeof calls / sizeof *calls);
    if (absent != NULL) return sbl_fail(err, SBL_EARG, OPENBLAS " lacks %s", absent);
    return SBL_OK;
}

sbl_status sbl_lapack_check(sbl_error *err)
{
    lapack_calls lapack;
    return open_lapack(&lapack, err);
}

const char *sbl_lapack_version(void)
{
    lapack_calls lapack;
    return open_lapack(&lapack, NULL) == SBL_OK ? lapack.config() : NULL;
}

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
    lapack_calls lapack;
    int info = 0;
    int integer_room = 0;
    double buffer = 0.0;
    const int ask = -1;
    if (n < 1 || n > LARGEST || !is_finite(matrix, n))
        return sbl_fail(err, SBL_EARG, "eigenvalues need a finite matrix of 1 to %d rows", LARGEST);
    const sbl_status opened = open_lapack(&lapack, err);
    if (opened != SBL_OK) return opened;
    /* By columns, as Fortran reads it, our upper triangle is the lower one; eigenvectors come back
     * as columns, which are our rows. */
    lapack.dsyevd("V", "L", &size, matrix, &size, values, &buffer, &ask, &integer_room, &ask, &info, 1, 1);
    const int length = (int)buffer;
    double *work = sbl_alloc_array((size_t)length, sizeof *work);
    int *integers = sbl_alloc_array((size_t)integer_room, sizeof *integers);
    sbl_status status = SBL_OK;
    if (work == NULL || integers == NULL)
        status = sbl_no_memory(err, "eigenvalues");
    else
        lapack.dsyevd("V", "L", &size, matrix, &size, values, work, &length, integers, &integer_room, &info,
                      1, 1);
    sbl_free(work);
    sbl_free(integers);
    if (status == SBL_OK && info != 0)
        status = sbl_fail(err, SBL_EARG, "the eigenvalues of a matrix could not be computed");
    return status;
}
