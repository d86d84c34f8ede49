/* SPDX-License-Identifier: Apache-2.0 */
/* loss = sum over classes of w |v sum_r phi(x_r) - target|^2 for phi1 and, if it is there, for phi2. With
 * g = 2 w v (residual), the same for all rows of a class,
 *     d loss / d e = (g1 - (g1 . phi1) phi1) / |e| + 2 e (g2 - (g2 . phi2) phi2) / |e^2|,
 * and where L layers count alike, for each layer's part of e, g and L^(1/2) phi, all of it over L^(1/2).
 * Rows are split over threads where each is one thread's work, classes and coordinates where rows are added
 * up: no sum depends on the number of threads, nor one class's on the classes beside it. */
#include <math.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

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

/* Norms are of all layers together, or of one each. */
static size_t norms_of(const job *j) { return j->alike ? j->layers : 1; }

/* The factors (2, norms) of a row. */
static float *factors_of(const job *j, size_t row) { return j->factors + row * 2 * norms_of(j); }

static void find_norms(const job *j, size_t row)
{
    const size_t norms = norms_of(j);
    float *factors = factors_of(j, row);
    double sums[2] = {0};
    for (size_t l = 0; l < j->layers; l++) {
        if (j->alike) sums[0] = sums[1] = 0;
        add_powers(sums, j->values[l] + row * j->sizes[l], j->sizes[l]);
        if (l + 1 < j->layers && !j->alike) continue;
        factors[j->alike ? l : 0] = sbl_inverse_root(sums[0] * (double)norms);
        factors[norms + (j->alike ? l : 0)] = sbl_inverse_root(sums[1] * (double)norms);
    }
}

/* A piece of a layer's coordinates: their sums over the rows. e, factors: of the first row. */
SBL_CLONES static void piece_sums(float sums[PIECE], const float *restrict e, size_t stride, size_t count,
                                  const float *factors, size_t factor_stride, size_t rows, bool squared)
{
    for (size_t r = 0; r < rows; r++, e += stride, factors += factor_stride) {
        const float factor = *factors;
        if (squared)
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i] * e[i];
        else
            for (size_t i = 0; i < count; i++) sums[i] += factor * e[i];
    }
}

/* The residual and the loss of those coordinates, which begin at `first`. */
static double piece_residual(const job *j, size_t c, const float *sums, size_t first, size_t count)
{
    const float *target = j->target + first, weight = j->class_weight[c];
    float *front = j->front + first, *past = j->past != NULL ? j->past + first : NULL;
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        const float mean = sbl_matched_mean(past != NULL ? past + i : NULL, j->decay,
                                            j->row_weight[c] * sums[i], j->mean_weight[c] * sums[i]);
        const float residual = mean - target[i];
        loss += (double)weight * (double)residual * (double)residual;
        front[i] = 2 * weight * j->row_weight[c] * residual;
    }
    return loss;
}

/* Piece `number` of all layers' pieces, one class, one moment. */
static double piece_loss(const job *j, size_t c, size_t moment, size_t number)
{
    const size_t first = j->starts[c], rows = j->starts[c + 1] - first, norms = norms_of(j);
    size_t l = 0, at = 0, pieces;
    while (number >= (pieces = sbl_moments_pieces(&j->sizes[l], 1))) {
        number -= pieces;
        at += j->sizes[l++];
    }
    const size_t size = j->sizes[l], from = number * PIECE;
    const size_t count = size - from < PIECE ? size - from : PIECE;
    float sums[PIECE] = {0};
    float *front = j->front + (c * j->moments + moment) * j->width + at + from;
    if (rows == 0) return 0;
    if (sbl_moments_goes_on(j->part)) memcpy(sums, front, count * sizeof *sums);
    piece_sums(sums, j->values[l] + first * size + from, size, count,
               factors_of(j, first) + moment * norms + (j->alike ? l : 0), 2 * norms, rows, moment > 0);
    if (sbl_moments_ends(j->part)) return piece_residual(j, c, sums, (size_t)(front - j->front), count);
    memcpy(front, sums, count * sizeof *sums);
    return 0;
}

/* The losses of one class and moment, behind `loss`: layer by layer, in order. */
static double add_losses(const job *j, double loss, const double *losses)
{
    for (size_t l = 0; l < j->layers; l++) {
        const size_t pieces = sbl_moments_pieces(&j->sizes[l], 1);
        double sum = 0;
        for (size_t p = 0; p < pieces; p++) sum += *losses++;
        loss += sum;
    }
    return loss;
}

/* sums += (g1 . e, g2 . e^2) of one row's layer; g2 may be NULL. */
SBL_CLONES static void add_products(double sums[2], const float *restrict g1, const float *restrict g2,
                                    const float *restrict e, size_t count)
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
SBL_CLONES static void write_gradient(float *restrict d, const float *restrict g1, const float *restrict g2,
                                      const float *restrict e, size_t count, const float f[2],
                                      const float a[2])
{
    const float f1 = f[0], f2 = f[1], a1 = a[0], a2 = a[1];
    if (g2 == NULL)
        for (size_t i = 0; i < count; i++) d[i] = f1 * g1[i] - a1 * e[i];
    else
        for (size_t i = 0; i < count; i++)
            d[i] = f1 * g1[i] - a1 * e[i] + e[i] * (f2 * g2[i] - a2 * e[i] * e[i]);
}

/* One row, its layers from `first` to before `last`, which have one norm, number `norm` of the row's. */
static void row_gradient(const job *j, size_t row, size_t first, size_t last, size_t norm, const float *g)
{
    const size_t norms = norms_of(j);
    const float *g1 = g, *g2 = j->moments > 1 ? g + j->width : NULL;
    const float i1 = factors_of(j, row)[norm], i2 = factors_of(j, row)[norms + norm];
    double sums[2] = {0};
    for (size_t k = first, at = 0; k < last; at += j->sizes[k++])
        add_products(sums, g1 + at, g2 != NULL ? g2 + at : NULL, j->values[k] + row * j->sizes[k],
                     j->sizes[k]);
    sums[0] *= (double)norms;
    sums[1] *= (double)norms;
    const float f[2] = {i1, 2 * i2};
    const float a[2] = {(float)sums[0] * i1 * i1 * i1, 2 * (float)sums[1] * i2 * i2 * i2};
    for (size_t k = first, at = 0; k < last; at += j->sizes[k++]) {
        const size_t size = j->sizes[k];
        write_gradient(j->d_values[k] + row * size, g1 + at, g2 != NULL ? g2 + at : NULL,
                       j->values[k] + row * size, size, f, a);
    }
}

static void row_back(const job *j, size_t row)
{
    const float *g = j->front + sbl_class_of_row(j->starts, row) * j->moments * j->width;
    if (!j->alike) row_gradient(j, row, 0, j->layers, 0, g);
    for (size_t l = 0, at = 0; j->alike && l < j->layers; at += j->sizes[l++])
        row_gradient(j, row, l, l + 1, l, g + at);
}

/* The sums of all classes and, behind the last part, the loss. */
static double add_rows(const job *j)
{
    const size_t pieces = sbl_moments_pieces(j->sizes, j->layers);
    const size_t each = j->moments * pieces;
    double loss = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t i = 0; i < j->classes * each; i++)
        j->losses[i] = piece_loss(j, i / each, i % each / pieces, i % pieces);
    for (size_t c = 0; c < j->classes; c++) {
        double sum = 0;
        for (size_t moment = 0; moment < j->moments; moment++)
            sum = add_losses(j, sum, j->losses + c * each + moment * pieces);
        loss += sum;
    }
    return loss;
}

double sbl_moments_loss(const sbl_moments_job *j)
{
    double loss = 0;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) find_norms(j, r);
    if (j->part != SBL_MOMENTS_AGAIN) loss = add_rows(j);
    if (!sbl_moments_goes_back(j->part)) return loss;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < j->rows; r++) row_back(j, r);
    return loss;
}
