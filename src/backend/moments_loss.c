/* loss = w |v sum_r phi(x_r) - target|^2 for phi1 and, if it is there, for phi2, of the rows of one
 * class. With g = 2 w v (residual), the same for all rows,
 *     d loss / d e = (g1 - (g1 . phi1) phi1) / |e| + 2 e (g2 - (g2 . phi2) phi2) / |e^2|.
 * Rows are split over threads where each is one thread's work, coordinates where rows are added up: no
 * sum depends on the number of threads. */
#include <math.h>

#include "backend/cpu.h"
#include "compute/threads.h"

#define LANES 16 /* sums side by side: the order of additions is fixed, and compilers may use it */
#define PIECE SBL_MOMENTS_PIECE /* coordinates that one thread adds up over rows */

typedef sbl_moments_job job;

SBL_CLONES static void add_powers(double sums[2], const float *restrict e, size_t count)
{
    float squares[LANES] = {0}, fourths[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const float square = e[i + k] * e[i + k];
            squares[k] += square;
            fourths[k] += square * square;
        }
    for (; i < count; i++) {
        squares[0] += e[i] * e[i];
        fourths[0] += e[i] * e[i] * e[i] * e[i];
    }
    for (size_t k = 0; k < LANES; k++) {
        sums[0] += (double)squares[k];
        sums[1] += (double)fourths[k];
    }
}

void sbl_add_powers(double sums[2], const float *e, size_t count) { add_powers(sums, e, count); }

float sbl_inverse_root(double sum) { return sum > 0 && isfinite(sum) ? (float)(1 / sqrt(sum)) : 0; }

static void find_norms(const job *j, size_t row)
{
    double sums[2] = {0};
    for (size_t l = 0; l < j->layers; l++)
        add_powers(sums, j->values[l] + row * j->sizes[l], j->sizes[l]);
    j->factors[2 * row] = sbl_inverse_root(sums[0]);
    j->factors[2 * row + 1] = sbl_inverse_root(sums[1]);
}

/* A piece of a layer's coordinates: their sums over the rows. e: of the first row. */
SBL_CLONES static void piece_sums(float sums[PIECE], const float *restrict e, size_t stride,
                                  size_t count, const float *factors, size_t rows, bool squared)
{
    for (size_t r = 0; r < rows; r++, e += stride) {
        const float factor = factors[2 * r + squared];
        if (squared)
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i] * e[i];
        else
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i];
    }
}

/* Number i of the mean that is matched, and what is remembered of it. */
static inline float mean_of(const job *j, size_t i, float sum)
{
    const float own = j->row_weight * sum, all = j->mean_weight * sum;
    if (j->past == NULL) return own;
    const float past = j->past[i];
    j->past[i] = j->decay * past + (1 - j->decay) * all;
    return j->decay * past + (1 - j->decay) * own;
}

/* The residual and the loss of those coordinates, which begin at `first`. */
static double piece_residual(const job *j, const float *sums, size_t first, size_t count)
{
    const float *target = j->target + first;
    float *front = j->front + first;
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        const float residual = mean_of(j, first + i, sums[i]) - target[i];
        loss += (double)j->class_weight * (double)residual * (double)residual;
        front[i] = 2 * j->class_weight * j->row_weight * residual;
    }
    return loss;
}

/* One layer, one moment; at: where the layer begins among the coordinates. */
static double layer_residual(const job *j, size_t layer, size_t at, size_t moment)
{
    const size_t size = j->sizes[layer], first = moment * j->width + at;
    const size_t pieces = (size + PIECE - 1) / PIECE;
    const float *values = j->values[layer];
    double sum = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t p = 0; p < pieces; p++) {
        const size_t from = p * PIECE, count = size - from < PIECE ? size - from : PIECE;
        float sums[PIECE] = {0};
        piece_sums(sums, values + from, size, count, j->factors, j->rows, moment > 0);
        j->losses[p] = piece_residual(j, sums, first + from, count);
    }
    for (size_t p = 0; p < pieces; p++) sum += j->losses[p];
    return sum;
}

/* sums += (g1 . e, g2 . e^2) of one row's layer; g2 may be NULL. */
SBL_CLONES static void add_products(double sums[2], const float *restrict g1,
                                    const float *restrict g2, const float *restrict e, size_t count)
{
    float first[LANES] = {0}, second[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) first[k] += g1[i + k] * e[i + k];
    for (; i < count; i++) first[0] += g1[i] * e[i];
    for (i = 0; g2 != NULL && i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) second[k] += g2[i + k] * e[i + k] * e[i + k];
    for (; g2 != NULL && i < count; i++) second[0] += g2[i] * e[i] * e[i];
    for (size_t k = 0; k < LANES; k++) {
        sums[0] += (double)first[k];
        sums[1] += (double)second[k];
    }
}

/* d = f1 g1 - a1 e + e (f2 g2 - a2 e^2), with the factors of the formula above in f and a. */
SBL_CLONES static void write_gradient(float *restrict d, const float *restrict g1,
                                      const float *restrict g2, const float *restrict e,
                                      size_t count, const float f[2], const float a[2])
{
    const float f1 = f[0], f2 = f[1], a1 = a[0], a2 = a[1];
    if (g2 == NULL)
        for (size_t i = 0; i < count; i++) d[i] = f1 * g1[i] - a1 * e[i];
    else
        for (size_t i = 0; i < count; i++)
            d[i] = f1 * g1[i] - a1 * e[i] + e[i] * (f2 * g2[i] - a2 * e[i] * e[i]);
}

/* One row, all layers. */
static void row_gradient(const job *j, size_t row)
{
    const float *g1 = j->front, *g2 = j->moments > 1 ? j->front + j->width : NULL;
    const float i1 = j->factors[2 * row], i2 = j->factors[2 * row + 1];
    double sums[2] = {0};
    for (size_t k = 0, at = 0; k < j->layers; at += j->sizes[k++])
        add_products(sums, g1 + at, g2 != NULL ? g2 + at : NULL, j->values[k] + row * j->sizes[k],
                     j->sizes[k]);
    const float f[2] = {i1, 2 * i2};
    const float a[2] = {(float)sums[0] * i1 * i1 * i1, 2 * (float)sums[1] * i2 * i2 * i2};
    for (size_t k = 0, at = 0; k < j->layers; at += j->sizes[k++]) {
        const size_t size = j->sizes[k];
        write_gradient(j->d_values[k] + row * size, g1 + at, g2 != NULL ? g2 + at : NULL,
                       j->values[k] + row * size, size, f, a);
    }
}

double sbl_moments_loss(const sbl_moments_job *j)
{
    double loss = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) find_norms(j, r);
    for (size_t moment = 0; moment < j->moments; moment++)
        for (size_t k = 0, at = 0; k < j->layers; at += j->sizes[k++])
            loss += layer_residual(j, k, at, moment);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) row_gradient(j, r);
    return loss;
}
