/* Rows are cut into pieces of one class. Frequencies are taken block by block: the pieces' cosines and
 * sines and their sums; the classes' residuals; the pieces' gradients. Cosines and sines of one block
 * stay in the cache of the core that made them. Pieces are added up in order, so that results do not
 * depend on threads. */
#include <string.h>

#include "backend/cpu.h"
#include "compute/hadamard.h"
#include "compute/threads.h"

#define TWO_PI 0x1.921fb6p+2f

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

/* Cosines and sines of the rows of a piece, and their sums. */
static void piece_phases(const job *j, size_t p, const sbl_hadamard *block)
{
    const sbl_row_piece *piece = &j->pieces[p];
    const size_t n = block->size;
    float *restrict sums = j->sums + p * 2 * n;
    memset(sums, 0, 2 * n * sizeof *sums);
    for (size_t r = piece->first; r < piece->first + piece->count; r++) {
        float *restrict cosines = j->cosines + r * n, *restrict sines = j->sines + r * n;
        sbl_hadamard_phases(cosines, sines, j->x + r * block->columns, block);
        for (size_t f = 0; f < n; f++) sums[f] += cosines[f];
        for (size_t f = 0; f < n; f++) sums[n + f] += sines[f];
    }
}

/* Sums of a class become its means; those of the steps before stand in for rows that this step
 * does not have. */
static void class_means(const job *j, size_t c, size_t b)
{
    const size_t n = j->size, first = (b * j->classes + c) * 2 * n;
    float *means = j->front + c * 2 * n;
    const float row = j->row_weight[c], plain = j->mean_weight[c], decay = j->decay;
    for (size_t i = 0; i < 2 * n; i++) {
        const float own = row * means[i], all = plain * means[i];
        if (j->past == NULL) {
            means[i] = own;
            continue;
        }
        const float past = j->past[first + i];
        j->past[first + i] = decay * past + (1 - decay) * all;
        means[i] = decay * past + (1 - decay) * own;
    }
}

/* Residuals of a class: loss, and what its rows' cosines and sines are multiplied by in
 * d loss / d t = 2 w_c v_c 2 pi (res_sin cos - res_cos sin), t in turns. */
static void class_residuals(const job *j, size_t c, size_t b, size_t used)
{
    const size_t n = j->size;
    const float *target = j->target + (b * j->classes + c) * 2 * n;
    float *front = j->front + c * 2 * n;
    const float row = j->row_weight[c], weight = j->class_weight[c];
    const float factor = 2 * weight * row * TWO_PI;
    memset(front, 0, 2 * n * sizeof *front);
    for (size_t p = 0; p < j->piece_count; p++)
        if (j->pieces[p].class == c)
            for (size_t i = 0; i < 2 * n; i++) front[i] += j->sums[p * 2 * n + i];
    class_means(j, c, b);
    for (size_t f = 0; f < used; f++) {
        const float on_cosine = front[f] - target[f];
        const float on_sine = front[n + f] - target[n + f];
        j->losses[c] += (double)weight *
                        ((double)on_cosine * (double)on_cosine + (double)on_sine * (double)on_sine);
        front[f] = factor * on_sine;
        front[n + f] = -factor * on_cosine;
    }
    for (size_t f = used; f < n; f++) front[f] = front[n + f] = 0;
}

static void piece_gradient(const job *j, size_t p, const sbl_hadamard *block)
{
    const sbl_row_piece *piece = &j->pieces[p];
    const size_t n = block->size;
    const float *front = j->front + piece->class * 2 * n;
    for (size_t r = piece->first; r < piece->first + piece->count; r++)
        sbl_hadamard_gradient(j->d_x + r * block->columns, j->cosines + r * n, j->sines + r * n,
                              front, front + n, block, j->scratch + p * n);
}

double sbl_orthogonal_loss(const sbl_orthogonal_job *j)
{
    double sum = 0;
    memset(j->losses, 0, j->classes * sizeof *j->losses);
    for (size_t b = 0; b < j->blocks; b++) {
        const sbl_hadamard block = block_of(j, b);
        const size_t used = used_of(j, b);
        SBL_OMP(omp parallel)
        {
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < j->piece_count; p++) piece_phases(j, p, &block);
            SBL_OMP(omp for schedule(static))
            for (size_t c = 0; c < j->classes; c++) class_residuals(j, c, b, used);
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < j->piece_count; p++) piece_gradient(j, p, &block);
        }
    }
    for (size_t c = 0; c < j->classes; c++) sum += j->losses[c];
    return sum;
}
