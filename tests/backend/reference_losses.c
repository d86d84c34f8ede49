/* SPDX-License-Identifier: Apache-2.0 */
/* The reference: losses of class means, and their gradients. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/reference_parts.h"

/* The mean that is matched, and what is remembered. */
static double match(float *past, double decay, double own, double plain)
{
    if (past == NULL) return own;
    const double before = (double)*past;
    *past = (float)(decay * before + (1 - decay) * plain);
    return decay * before + (1 - decay) * own;
}

/* ---- orthogonal Fourier features ---- */

/* Entry (row, column) of a Hadamard matrix. */
static double hadamard(size_t row, size_t column)
{
    return __builtin_parityll((unsigned long long)(row & column)) ? -1 : 1;
}

static void times_hadamard(double *v, size_t n)
{
    double *sums = calloc(n, sizeof *sums);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sums[i] += hadamard(i, j) * v[j];
    memcpy(v, sums, n * sizeof *v);
    free(sums);
}

/* Phases, in turns, of block b. */
static void phases_of(double *v, const sbl_orthogonal_job *j, size_t b, size_t row)
{
    const size_t n = j->size;
    const float *signs = j->signs + 3 * b * n;
    for (size_t i = 0; i < n; i++)
        v[i] = i < j->columns ? (double)j->x[row * j->columns + i] * (double)signs[2 * n + i] : 0;
    for (size_t pass = 2; pass-- > 0;) {
        times_hadamard(v, n);
        for (size_t i = 0; i < n; i++) v[i] *= (double)signs[pass * n + i];
    }
    times_hadamard(v, n);
    for (size_t i = 0; i < n; i++) v[i] *= (double)j->lengths[b * n + i];
}

static void phases_back(const sbl_orthogonal_job *j, double *v, size_t b, size_t row)
{
    const size_t n = j->size;
    const float *signs = j->signs + 3 * b * n;
    for (size_t i = 0; i < n; i++) v[i] *= (double)j->lengths[b * n + i];
    for (size_t pass = 0; pass < 2; pass++) {
        times_hadamard(v, n);
        for (size_t i = 0; i < n; i++) v[i] *= (double)signs[pass * n + i];
    }
    times_hadamard(v, n);
    for (size_t i = 0; i < j->columns; i++)
        j->d_x[row * j->columns + i] += (float)(v[i] * (double)signs[2 * n + i]);
}

/* One class, one block. */
static double orthogonal_class(const sbl_orthogonal_job *j, size_t b, size_t c)
{
    const double turn = 6.283185307179586;
    const size_t n = j->size, first = j->starts[c], rows = j->starts[c + 1] - first;
    double *phases = calloc(rows * n + n, sizeof *phases), loss = 0;
    for (size_t r = 0; r < rows; r++) phases_of(phases + r * n, j, b, first + r);
    for (size_t f = 0; f < n; f++) {
        const bool used = b * n + f < j->frequencies;
        double sums[2] = {0}, off[2];
        for (size_t r = 0; r < rows; r++) {
            sums[0] += cos(turn * phases[r * n + f]);
            sums[1] += sin(turn * phases[r * n + f]);
        }
        for (size_t k = 0; k < 2; k++) {
            const size_t at = ((b * j->classes + c) * 2 + k) * n + f;
            off[k] = match(j->past != NULL ? j->past + at : NULL, (double)j->decay,
                           (double)j->row_weight[c] * sums[k], (double)j->mean_weight[c] * sums[k]) -
                     (double)j->target[at];
            if (used) loss += (double)j->class_weight[c] * off[k] * off[k];
        }
        for (size_t r = 0; r < rows; r++) {
            const double t = turn * phases[r * n + f];
            phases[r * n + f] = used ? 2 * (double)j->class_weight[c] * (double)j->row_weight[c] * turn *
                                           (off[1] * cos(t) - off[0] * sin(t))
                                     : 0;
        }
    }
    for (size_t r = 0; r < rows; r++) phases_back(j, phases + r * n, b, first + r);
    free(phases);
    return loss;
}

static double orthogonal(void *device, const sbl_orthogonal_job *j)
{
    (void)device;
    reference_unlock();
    for (size_t b = 0; b < j->blocks; b++)
        for (size_t c = 0; c < j->classes; c++) reference_keep_loss(orthogonal_class(j, b, c));
    reference_lock();
    return 0;
}

/* ---- moments of activations ---- */

/* Layers that have one norm: all, or this one. */
typedef struct layers {
    size_t first, last, at; /* at: of the first one's numbers among all */
} layers;

static layers layers_of(const sbl_moments_job *j, size_t l)
{
    layers found = {l, j->alike ? l + 1 : j->layers, 0};
    for (size_t k = 0; k < l; k++) found.at += j->sizes[k];
    return found;
}

/* phi of a row and a moment, of these layers; returns the norm before, times the root of how many norms
 * there are. */
static double phi_of(double *phi, const sbl_moments_job *j, layers of, size_t row, size_t moment)
{
    double norm2 = 0;
    size_t at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) {
            const double e = (double)j->values[l][row * j->sizes[l] + i];
            phi[at] = moment > 0 ? e * e : e;
            norm2 += phi[at] * phi[at];
        }
    const double length = sqrt(norm2 * (double)(j->alike ? j->layers : 1));
    for (size_t i = of.at; i < at; i++) phi[i] = norm2 > 0 ? phi[i] / length : 0;
    return length;
}

static void moments_back(const sbl_moments_job *j, const double *g, layers of, size_t row, size_t moment,
                         double *phi)
{
    const double length = phi_of(phi, j, of, row, moment);
    const double norms = j->alike ? (double)j->layers : 1;
    double along = 0;
    size_t at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) along += norms * g[at] * phi[at];
    at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) {
            float *d = &j->d_values[l][row * j->sizes[l] + i];
            const double e = (double)j->values[l][row * j->sizes[l] + i];
            const double slope = length > 0 ? (g[at] - along * phi[at]) / length : 0;
            *d = (float)((moment > 0 ? (double)*d : 0) + (moment > 0 ? 2 * e : 1) * slope);
        }
}

/* One class, one moment: sums (width) of phi over its rows, which become the residual times what it weighs.
 * phi (width): to work in. */
static void moments_residual(const sbl_moments_job *j, size_t c, size_t moment, double *phi, double *sums)
{
    const size_t step = j->alike ? 1 : j->layers, first = (c * j->moments + moment) * j->width;
    const double row = (double)j->row_weight[c], weight = (double)j->class_weight[c];
    for (size_t r = j->starts[c]; r < j->starts[c + 1]; r++) {
        for (size_t l = 0; l < j->layers; l += step) phi_of(phi, j, layers_of(j, l), r, moment);
        for (size_t i = 0; i < j->width; i++) sums[i] += phi[i];
    }
    for (size_t i = 0; i < j->width && sbl_moments_ends(j->part); i++) {
        const size_t at = first + i;
        const double off = match(j->past != NULL ? j->past + at : NULL, (double)j->decay, row * sums[i],
                                 (double)j->mean_weight[c] * sums[i]) -
                           (double)j->target[at];
        reference_keep_loss(weight * off * off);
        sums[i] = 2 * weight * row * off;
    }
}

/* front: sums, then residuals. */
static void moments_class(const sbl_moments_job *j, size_t c, size_t moment, double *phi, double *sums)
{
    const size_t step = j->alike ? 1 : j->layers;
    const bool begins = j->part == SBL_MOMENTS_ALL || j->part == SBL_MOMENTS_FIRST;
    float *front = j->front + (c * j->moments + moment) * j->width;
    if (j->starts[c] == j->starts[c + 1]) return;
    for (size_t i = 0; i < j->width; i++) sums[i] = begins ? 0 : (double)front[i];
    if (j->part != SBL_MOMENTS_AGAIN) moments_residual(j, c, moment, phi, sums);
    for (size_t i = 0; i < j->width; i++) front[i] = (float)sums[i];
    for (size_t r = j->starts[c]; r < j->starts[c + 1] && sbl_moments_goes_back(j->part); r++)
        for (size_t l = 0; l < j->layers; l += step) moments_back(j, sums, layers_of(j, l), r, moment, phi);
}

static double moments(void *device, const sbl_moments_job *j)
{
    double *phi = calloc(j->width, sizeof *phi), *sums = calloc(j->width, sizeof *sums);
    (void)device;
    reference_unlock();
    for (size_t c = 0; c < j->classes; c++)
        for (size_t moment = 0; moment < j->moments; moment++) moments_class(j, c, moment, phi, sums);
    reference_lock();
    free(phi);
    free(sums);
    return 0;
}

void reference_losses(sbl_backend *table)
{
    table->orthogonal = orthogonal;
    table->moments = moments;
}
