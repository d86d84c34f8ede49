/* [6] Five rounds of eigenvalue shrinkage, w -> sqrt(w^2 - 4 n s^2), against a diagonal rest, a
 * limit on the trace, and the symmetric square root. */
#include "gauss/shrink.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/lapack.h"

#define ROUNDS 5

/* sum_k f(values_k) v_k v_k^T, vectors in rows. */
static void compose(double *matrix, const double *vectors, const double *values, size_t n,
                    double (*f)(double), double *scaled)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) scaled[k * n + j] = f(values[k]) * vectors[k * n + j];
    memset(matrix, 0, n * n * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double factor = vectors[k * n + i];
            const double *row = scaled + k * n;
            for (size_t j = i; j < n; j++) matrix[i * n + j] += factor * row[j];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) matrix[i * n + j] = matrix[j * n + i];
}

static double itself(double value) { return value; }

static double root_of(double value) { return value > 0.0 ? sqrt(value) : 0.0; }

/* What of an eigenvalue is not noise. */
static void shrink_values(double *values, size_t n, double off_noise)
{
    const double edge = 2.0 * off_noise * sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        values[i] = values[i] > edge ? sqrt(values[i] * values[i] - edge * edge) : 0.0;
}

typedef struct room {
    double *values;   /* (n) */
    double *diagonal; /* (n) as released */
    double *psi;      /* (n) */
    double *released; /* (n, n) */
    double *vectors;  /* (n, n) */
    double *scaled;   /* (n, n) */
} room;

/* One round: L of (released - diag(psi)) into covariance, then psi of the released diagonal. */
static sbl_status one_round(double *covariance, room *r, size_t n, const sbl_shrink_rule *rule,
                            sbl_error *err)
{
    memcpy(r->vectors, r->released, n * n * sizeof *r->vectors);
    for (size_t i = 0; i < n; i++) r->vectors[i * n + i] -= r->psi[i];
    const sbl_status status = sbl_symmetric_eigen(r->vectors, r->values, n, err);
    if (status != SBL_OK) return status;
    shrink_values(r->values, n, rule->off_noise);
    compose(covariance, r->vectors, r->values, n, itself, r->scaled);
    /* A variance that noise made small or negative is not known to be: a quarter of the noise. */
    const double least = fmax(rule->diagonal_noise / 4.0, SBL_VARIANCE_FLOOR);
    for (size_t i = 0; i < n; i++) r->psi[i] = fmax(r->diagonal[i] - covariance[i * n + i], least);
    return SBL_OK;
}

static void limit_trace(double *matrix, size_t n, double most)
{
    double trace = 0.0;
    for (size_t i = 0; i < n; i++) trace += matrix[i * n + i];
    const double limit = fmax(most, (double)n * SBL_VARIANCE_FLOOR);
    if (trace <= limit) return;
    for (size_t i = 0; i < n * n; i++) matrix[i] *= limit / trace;
}

static sbl_status shrink(double *covariance, double *root, size_t n, room *r,
                         const sbl_shrink_rule *rule, sbl_error *err)
{
    sbl_status status = SBL_OK;
    memcpy(r->released, covariance, n * n * sizeof *covariance);
    for (size_t i = 0; i < n; i++) r->diagonal[i] = covariance[i * n + i];
    for (int round = 0; round < ROUNDS; round++) SBL_TRY(one_round(covariance, r, n, rule, err));
    for (size_t i = 0; i < n; i++) covariance[i * n + i] += r->psi[i];
    limit_trace(covariance, n, rule->most_trace);
    memcpy(r->vectors, covariance, n * n * sizeof *covariance);
    SBL_TRY(sbl_symmetric_eigen(r->vectors, r->values, n, err));
    compose(root, r->vectors, r->values, n, root_of, r->scaled);
done:
    return status;
}

sbl_status sbl_shrink_covariance(double *covariance, double *root, size_t n,
                                 const sbl_shrink_rule *rule, sbl_error *err)
{
    room r = {.values = sbl_alloc_array(n, sizeof(double)),
              .diagonal = sbl_alloc_array(n, sizeof(double)),
              .psi = sbl_alloc_array(n, sizeof(double)),
              .released = sbl_alloc_array(n, n * sizeof(double)),
              .vectors = sbl_alloc_array(n, n * sizeof(double)),
              .scaled = sbl_alloc_array(n, n * sizeof(double))};
    sbl_status status;
    if (r.values == NULL || r.diagonal == NULL || r.psi == NULL || r.released == NULL ||
        r.vectors == NULL || r.scaled == NULL)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a covariance");
    else
        status = shrink(covariance, root, n, &r, rule, err);
    sbl_free(r.values);
    sbl_free(r.diagonal);
    sbl_free(r.psi);
    sbl_free(r.released);
    sbl_free(r.vectors);
    sbl_free(r.scaled);
    return status;
}
