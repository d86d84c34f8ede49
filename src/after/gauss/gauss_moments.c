/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Reads the blocks of a RON-Gauss release into means and symmetric second moments per
 * class, each with the deviation of its noise. Means are pulled back into the ball; sizes are
 * at least 1. */
#include "after/gauss/gauss_moments.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/lapack.h"

#define LARGEST 1e12 /* noise so large drowns everything; a fit that was paid for must not fail */

static sbl_status find_block(const sbl_block **block, const sbl_release *release, const char *name,
                             size_t width, size_t columns, sbl_error *err)
{
    *block = sbl_release_find(release, name);
    if (*block == NULL || (*block)->width != width || sbl_release_columns(release, *block) != columns)
        return sbl_fail(err, SBL_EINPUT, "the release has no block '%s' with the shape of the plan", name);
    return SBL_OK;
}

static double bounded(double value) { return fmax(-LARGEST, fmin(LARGEST, value)); }

/* Sizes of the classes: the public n where there is one class, else noisy counts, at least 1. */
static sbl_status read_sizes(sbl_gauss_moments *moments, const sbl_ron_plan *plan, const sbl_release *first,
                             sbl_error *err)
{
    const sbl_block *counts;
    double total = 0.0;
    moments->rows = fmax((double)first->n, 1.0);
    if (!plan->options.counts) {
        for (size_t c = 0; c < moments->count; c++)
            moments->classes[c].size = moments->rows / (double)moments->count;
        return SBL_OK;
    }
    const sbl_status status = find_block(&counts, first, "counts", moments->count, 1, err);
    if (status != SBL_OK) return status;
    for (size_t c = 0; c < moments->count; c++) {
        const double count = bounded(sbl_release_estimate(first, counts, 0, c));
        moments->classes[c].size = fmax(count, 1.0);
        total += moments->classes[c].size;
    }
    if (first->n == 0) moments->rows = total;
    return SBL_OK;
}

/* A mean of points of a ball lies in the ball. */
static void into_ball(double *mean, size_t width, double radius)
{
    double square = 0.0;
    for (size_t i = 0; i < width; i++) square += mean[i] * mean[i];
    if (square <= radius * radius) return;
    for (size_t i = 0; i < width; i++) mean[i] *= radius / sqrt(square);
}

static sbl_status read_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan, const sbl_release *first,
                             sbl_error *err)
{
    const sbl_block *block;
    sbl_status status = SBL_OK;
    SBL_TRY(find_block(&block, first, SBL_RON_MEAN, plan->width, moments->count, err));
    for (size_t c = 0; c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        SBL_POOL(&moments->pool, class->mean, plan->width, 1, "a model");
        for (size_t i = 0; i < plan->width; i++)
            class->mean[i] = bounded(sbl_release_estimate(first, block, c, i)) / class->size;
        class->mean_noise = bounded(sbl_release_noise_deviation(first, block)) / class->size;
        into_ball(class->mean, plan->width, plan->radius);
    }
done:
    return status;
}

static void fill_second(sbl_class_moments *class, size_t c, size_t size, const sbl_release *release,
                        const sbl_block *squares, const sbl_block *products)
{
    size_t next = 0;
    for (size_t i = 0; i < size; i++) {
        class->second[i * size + i] = bounded(sbl_release_estimate(release, squares, c, i)) / class->size;
        for (size_t j = i + 1; j < size; j++) {
            const double value = bounded(sbl_release_estimate(release, products, c, next++)) / class->size;
            class->second[i * size + j] = class->second[j * size + i] = value;
        }
    }
    class->diagonal_noise = bounded(sbl_release_noise_deviation(release, squares)) / class->size;
    class->off_noise = products != NULL
                           ? bounded(sbl_release_noise_deviation(release, products)) / class->size
                           : class->diagonal_noise / sqrt(2.0);
}

static sbl_status read_second(sbl_gauss_moments *moments, const sbl_ron_plan *plan, const sbl_release *second,
                              sbl_error *err)
{
    const size_t size = plan->moments;
    const sbl_block *squares;
    const sbl_block *products = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(find_block(&squares, second, SBL_RON_SQUARES, size, moments->count, err));
    if (size > 1)
        SBL_TRY(find_block(&products, second, SBL_RON_PRODUCTS, size * (size - 1) / 2, moments->count, err));
    for (size_t c = 0; c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        SBL_POOL(&moments->pool, class->second, size, size, "a model");
        fill_second(class, c, size, second, squares, products);
    }
done:
    return status;
}

static sbl_status classes_new(sbl_gauss_moments *moments, const sbl_ron_plan *plan, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *moments = (sbl_gauss_moments){.count = plan->record.shape.classes};
    SBL_POOL(&moments->pool, moments->classes, moments->count, 1, "a model");
done:
    return status;
}

sbl_status sbl_gauss_moments_means(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                   const sbl_release *first, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(classes_new(moments, plan, err));
    SBL_TRY(read_sizes(moments, plan, first, err));
    SBL_TRY(read_means(moments, plan, first, err));
done:
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

/* What the first release of normalise said, from the second one's plan. */
static sbl_status copy_centre(sbl_gauss_moments *moments, const sbl_ron_plan *plan, sbl_error *err)
{
    const sbl_ron_centre *centre = &plan->centre;
    const size_t width = plan->width;
    sbl_status status = SBL_OK;
    SBL_TRY(classes_new(moments, plan, err));
    moments->rows = centre->rows;
    for (size_t c = 0; c < moments->count; c++) {
        sbl_class_moments *class = &moments->classes[c];
        class->size = centre->sizes[c];
        SBL_POOL(&moments->pool, class->mean, width, 1, "a model");
        memcpy(class->mean, centre->means + c * width, width * sizeof *class->mean);
    }
done:
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

sbl_status sbl_gauss_moments_read(sbl_gauss_moments *moments, const sbl_ron_plan *plan,
                                  const sbl_release *release, sbl_error *err)
{
    if (plan->options.geometry == SBL_RON_NORMALISE && plan->centre.means == NULL)
        return sbl_fail(err, SBL_EINPUT, "the release holds only means: use the release that followed it");
    sbl_status status = plan->centre.means != NULL ? copy_centre(moments, plan, err)
                                                   : sbl_gauss_moments_means(moments, plan, release, err);
    if (status != SBL_OK) return status;
    status = read_second(moments, plan, release, err);
    if (status != SBL_OK) sbl_gauss_moments_clear(moments);
    return status;
}

void sbl_gauss_moments_clear(sbl_gauss_moments *moments)
{
    sbl_pool_clear(&moments->pool);
    *moments = (sbl_gauss_moments){0};
}

/* [6] Five rounds of eigenvalue shrinkage, w -> sqrt(w^2 - 4 n s^2), against a diagonal rest, a
 * limit on the trace, and the symmetric square root. */

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

typedef struct workspace {
    double *values;   /* (n) */
    double *diagonal; /* (n) as released */
    double *psi;      /* (n) */
    double *released; /* (n, n) */
    double *vectors;  /* (n, n) */
    double *scaled;   /* (n, n) */
} workspace;

/* One round: L of (released - diag(psi)) into covariance, then psi of the released diagonal. */
static sbl_status one_round(double *covariance, workspace *w, size_t n, const sbl_shrink_rule *rule,
                            sbl_error *err)
{
    memcpy(w->vectors, w->released, n * n * sizeof *w->vectors);
    for (size_t i = 0; i < n; i++) w->vectors[i * n + i] -= w->psi[i];
    const sbl_status status = sbl_symmetric_eigen(w->vectors, w->values, n, err);
    if (status != SBL_OK) return status;
    shrink_values(w->values, n, rule->off_noise);
    compose(covariance, w->vectors, w->values, n, itself, w->scaled);
    /* A variance that noise made small or negative is not known to be: a quarter of the noise. */
    const double least = fmax(rule->diagonal_noise / 4.0, SBL_VARIANCE_FLOOR);
    for (size_t i = 0; i < n; i++) w->psi[i] = fmax(w->diagonal[i] - covariance[i * n + i], least);
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

static sbl_status shrink(double *covariance, double *root, size_t n, workspace *w,
                         const sbl_shrink_rule *rule, sbl_error *err)
{
    memcpy(w->released, covariance, n * n * sizeof *covariance);
    for (size_t i = 0; i < n; i++) w->diagonal[i] = covariance[i * n + i];
    for (int round = 0; round < ROUNDS; round++) SBL_CHECK(one_round(covariance, w, n, rule, err));
    for (size_t i = 0; i < n; i++) covariance[i * n + i] += w->psi[i];
    limit_trace(covariance, n, rule->most_trace);
    memcpy(w->vectors, covariance, n * n * sizeof *covariance);
    SBL_CHECK(sbl_symmetric_eigen(w->vectors, w->values, n, err));
    compose(root, w->vectors, w->values, n, root_of, w->scaled);
    return SBL_OK;
}

sbl_status sbl_shrink_covariance(double *covariance, double *root, size_t n, const sbl_shrink_rule *rule,
                                 sbl_error *err)
{
    workspace w;
    sbl_pool pool = {0};
    sbl_status status = SBL_OK;
    SBL_POOL(&pool, w.values, n, 1, "a covariance");
    SBL_POOL(&pool, w.diagonal, n, 1, "a covariance");
    SBL_POOL(&pool, w.psi, n, 1, "a covariance");
    SBL_POOL(&pool, w.released, n, n, "a covariance");
    SBL_POOL(&pool, w.vectors, n, n, "a covariance");
    SBL_POOL(&pool, w.scaled, n, n, "a covariance");
    SBL_TRY(shrink(covariance, root, n, &w, rule, err));
done:
    sbl_pool_clear(&pool);
    return status;
}
