/* SPDX-License-Identifier: Apache-2.0 */
/* Frequencies are taken block by block: the rows' cosines and sines; the classes' sums and residuals, some
 * frequencies of one class at a time; the rows' gradients. Cosines and sines of one block stay in the
 * cache of the core that made them. A class is added up piece by piece and the rows of a piece in order,
 * so that results do not depend on threads. */
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/hadamard.h"
#include "base/compute/threads.h"

#define TWO_PI 0x1.921fb6p+2f
#define SPAN 128 /* frequencies of a class that one thread takes at a time */

typedef sbl_orthogonal_job job;

static sbl_hadamard block_of(const job *j, size_t b)
{
    return (sbl_hadamard){.columns = j->columns,
                          .size = j->size,
                          .signs = j->signs + 3 * b * j->size,
                          .lengths = j->lengths + b * j->size};
}

/* Frequencies of a block that count. */
static size_t used_of(const job *j, size_t b)
{
    const size_t left = j->frequencies - b * j->size;
    return left < j->size ? left : j->size;
}

/* Some frequencies of a class, first .. first + count - 1 of a block, of cosines or of sines. */
typedef struct span {
    size_t first, count;
} span;

static span span_at(const job *j, size_t number)
{
    const size_t first = number * SPAN;
    return (span){first, j->size - first < SPAN ? j->size - first : SPAN};
}

static size_t spans_of(const job *j) { return (j->size + SPAN - 1) / SPAN; }

/* sums = those of the rows of a class, values (R, n) being their cosines or sines. */
SBL_CLONES static void sum_rows(float *restrict sums, const float *restrict values, const job *j, size_t c,
                                span of)
{
    memset(sums, 0, of.count * sizeof *sums);
    for (size_t p = 0; p < j->piece_count; p++) {
        const sbl_row_piece *piece = &j->pieces[p];
        float own[SPAN] = {0};
        if (piece->class != c) continue;
        for (size_t r = piece->first; r < piece->first + piece->count; r++)
            for (size_t f = 0; f < of.count; f++) own[f] += values[r * j->size + of.first + f];
        for (size_t f = 0; f < of.count; f++) sums[f] += own[f];
    }
}

/* Turns the sums of a class, from entry `first` of its history on, into means. Sums of earlier steps replace
 * rows that this step does not have. */
static void class_means(const job *j, float *means, size_t c, size_t first, size_t count)
{
    float *past = j->past != NULL ? j->past + first : NULL;
    for (size_t i = 0; i < count; i++)
        means[i] = sbl_matched_mean(past != NULL ? past + i : NULL, j->decay, j->row_weight[c] * means[i],
                                    j->mean_weight[c] * means[i]);
}

/* Residuals of a class, and what its rows' cosines and sines are multiplied by in
 * d loss / d t = 2 w_c v_c 2 pi (res_sin cos - res_cos sin), t in turns. */
static void class_residuals(const job *j, size_t c, size_t b, span of)
{
    const size_t n = j->size, first = (b * j->classes + c) * 2 * n + of.first, used = used_of(j, b);
    const float *target = j->target + first;
    float *front = j->front + c * 2 * n + of.first;
    float *residuals = j->residuals + c * 2 * n + of.first;
    const float factor = 2 * j->class_weight[c] * j->row_weight[c] * TWO_PI;
    sum_rows(residuals, j->cosines, j, c, of);
    sum_rows(residuals + n, j->sines, j, c, of);
    class_means(j, residuals, c, first, of.count);
    class_means(j, residuals + n, c, first + n, of.count);
    for (size_t f = 0; f < of.count; f++) {
        const bool counts = of.first + f < used;
        residuals[f] = counts ? residuals[f] - target[f] : 0;
        residuals[n + f] = counts ? residuals[n + f] - target[n + f] : 0;
        front[f] = counts ? factor * residuals[n + f] : 0;
        front[n + f] = counts ? -factor * residuals[f] : 0;
    }
}

/* The loss of a class in a block, added to that of the blocks before it. */
static void class_loss(const job *j, size_t c, size_t used)
{
    const float *on_cosine = j->residuals + c * 2 * j->size, *on_sine = on_cosine + j->size;
    double loss = j->losses[c]; /* one line holds those of all classes: it is written once */
    for (size_t f = 0; f < used; f++)
        loss += (double)j->class_weight[c] *
                ((double)on_cosine[f] * (double)on_cosine[f] + (double)on_sine[f] * (double)on_sine[f]);
    j->losses[c] = loss;
}

/* For one row; overwrites its cosines. */
static void row_gradient(const job *j, size_t r, size_t c, const sbl_hadamard *block)
{
    const size_t n = block->size;
    float *cosines = j->cosines + r * n;
    const float *front = j->front + c * 2 * n;
    sbl_hadamard_gradient(j->d_x + r * block->columns, cosines, j->sines + r * n, front, front + n, block,
                          cosines);
}

/* Rows are one thread's in each block, so that the team meets twice in a block alone. */
double sbl_orthogonal_loss(const sbl_orthogonal_job *j)
{
    const size_t spans = spans_of(j);
    double sum = 0;
    memset(j->losses, 0, j->classes * sizeof *j->losses);
    SBL_OMP(omp parallel)
    for (size_t b = 0; b < j->blocks; b++) {
        const sbl_hadamard block = block_of(j, b);
        SBL_OMP(omp for schedule(static))
        for (size_t r = 0; r < j->rows; r++)
            sbl_hadamard_phases(j->cosines + r * j->size, j->sines + r * j->size, j->x + r * j->columns,
                                &block);
        SBL_OMP(omp for schedule(static))
        for (size_t i = 0; i < j->classes * spans; i++)
            class_residuals(j, i / spans, b, span_at(j, i % spans));
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t c = 0; c < j->classes; c++) class_loss(j, c, used_of(j, b));
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t r = 0; r < j->rows; r++) row_gradient(j, r, sbl_class_of_row(j->starts, r), &block);
    }
    for (size_t c = 0; c < j->classes; c++) sum += j->losses[c];
    return sum;
}
