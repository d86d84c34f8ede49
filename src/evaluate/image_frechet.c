/* Means and covariances, then tr (S1 S2)^(1/2) by two symmetric eigenproblems. Run on one thread,
 * because LAPACK's sums depend on their number. */
#include "evaluate/image_frechet.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/lapack.h"
#include "compute/threads.h"

#define ROUNDING 2.2e-16

/* Mean and covariance (divisor n - 1) of w features. */
typedef struct gaussian {
    double *mean;       /* (w) */
    double *covariance; /* (w, w) */
} gaussian;

static void gaussian_fit(gaussian *g, const float *rows, size_t count, size_t w)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < w; a++)
            g->mean[a] += ((double)rows[i * w + a] - g->mean[a]) / (double)(i + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < w; a++) {
            const double difference = (double)rows[i * w + a] - g->mean[a];
            for (size_t b = 0; b <= a; b++)
                g->covariance[a * w + b] += difference * ((double)rows[i * w + b] - g->mean[b]);
        }
    for (size_t a = 0; a < w; a++)
        for (size_t b = 0; b <= a; b++) {
            g->covariance[a * w + b] /= (double)(count - 1);
            g->covariance[b * w + a] = g->covariance[a * w + b];
        }
}

static double trace(const double *matrix, size_t w)
{
    double sum = 0;
    for (size_t a = 0; a < w; a++) sum += matrix[a * w + a];
    return sum;
}

/* out (w, w) += left right, all dense. */
static void multiply(double *out, const double *left, const double *right, size_t w)
{
    for (size_t a = 0; a < w; a++)
        for (size_t c = 0; c < w; c++) {
            const double factor = left[a * w + c];
            for (size_t b = 0; b < w; b++) out[a * w + b] += factor * right[c * w + b];
        }
}

/* Eigenvalues (w, rising) of a matrix that has none below zero: what is left of them by rounding is
 * zero, so that its root, which is much larger, does not count. */
static void drop_rounding(double *values, size_t w)
{
    const double least = ROUNDING * (double)w * fmax(values[w - 1], 0);
    for (size_t a = 0; a < w; a++) values[a] = values[a] > least ? values[a] : 0;
}

/* tr (S1 S2)^(1/2) is the sum of the singular values of S1^(1/2) S2^(1/2), and with S1 = V' L V
 * that of the roots of the eigenvalues of L^(1/2) V S2 V' L^(1/2), which is symmetric. */
static sbl_status root_trace(double *out, double *first, const double *second, double *values,
                             double *product, double *inner, size_t w, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_symmetric_eigen(first, values, w, err)); /* rows of first: V */
    drop_rounding(values, w);
    multiply(product, first, second, w); /* V S2 */
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++) {
            double sum = 0;
            for (size_t c = 0; c < w; c++) sum += product[a * w + c] * first[b * w + c];
            inner[a * w + b] = sum * sqrt(values[a]) * sqrt(values[b]);
        }
    SBL_TRY(sbl_symmetric_eigen(inner, values, w, err));
    drop_rounding(values, w);
    *out = 0;
    for (size_t a = 0; a < w; a++) *out += sqrt(values[a]);
done:
    return status;
}

sbl_status sbl_frechet_distance(double *distance, const float *first, size_t first_count,
                                const float *second, size_t second_count, size_t width,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t square = width * width, size = 4 * square + 3 * width;
    const int threads = sbl_thread_limit();
    double sum = 0, root;
    *distance = 0;
    if (first_count < 2 || second_count < 2)
        return sbl_fail(err, SBL_EARG, "a Frechet distance needs at least 2 images on each side");
    double *arena = sbl_alloc_array(size, sizeof *arena);
    if (arena == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a Frechet distance of %zu features",
                        width);
    double *values = arena + 4 * square;
    gaussian g1 = {.mean = values + width, .covariance = arena};
    gaussian g2 = {.mean = values + 2 * width, .covariance = arena + square};
    gaussian_fit(&g1, first, first_count, width);
    gaussian_fit(&g2, second, second_count, width);
    for (size_t a = 0; a < width; a++) sum += (g1.mean[a] - g2.mean[a]) * (g1.mean[a] - g2.mean[a]);
    sum += trace(g1.covariance, width) + trace(g2.covariance, width);
    sbl_thread_set(1); /* LAPACK's sums depend on the number of threads */
    SBL_TRY(root_trace(&root, g1.covariance, g2.covariance, values, arena + 2 * square,
                       arena + 3 * square, width, err));
    *distance = fmax(sum - 2 * root, 0);
done:
    sbl_thread_set(threads);
    sbl_free_wiped(arena, size * sizeof *arena);
    return status;
}
