/* The images of a generated batch are cut into pieces of at most PIECE images of one class. Frequencies are
 * taken block by block: the pieces' cosines and sines and their sums; the classes' residuals; the
 * pieces' gradients. Cosines and sines of one block stay in the cache of the core that made them.
 * Pieces are added up in order, so that results do not depend on threads.
 * Legend: R images, d values of each, C classes, F frequencies in blocks of n. */
#include "features/orthogonal_loss.h"

#include <string.h>

#include "base/floats.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "features/running.h"

#define PIECE 25 /* images */
#define TWO_PI 0x1.921fb6p+2f

typedef struct batch_piece {
    size_t first, count, class;
} batch_piece;

typedef struct orthogonal_loss {
    const sbl_orthogonal *frequencies;
    size_t classes;
    batch_piece *pieces;
    size_t piece_count;
    float *row_weight;      /* (C): share / (images of the class - 1) */
    float *mean_weight;     /* (C): share / images of the class */
    sbl_running running;    /* (blocks, C, 2, n): of cosines and sines */
    float *class_weight;    /* (C): of a class and a frequency in the loss */
    float *target;          /* (blocks, C, 2, n): cosines, then sines */
    float *cosines, *sines; /* (R, n) of the block at work */
    float *sums;            /* (pieces, 2, n) */
    float *front;           /* (C, 2, n): of cosines and sines in the phases' gradients */
    float *scratch;         /* (pieces, n) */
    double *losses;         /* (C) */
} orthogonal_loss;

static sbl_status cut_pieces(orthogonal_loss *l, const sbl_generated *generated, sbl_error *err)
{
    l->pieces = sbl_alloc_array(generated->rows / PIECE + l->classes, sizeof *l->pieces);
    if (!l->pieces) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    for (size_t c = 0; c < l->classes; c++)
        for (size_t first = generated->starts[c]; first < generated->starts[c + 1];
             first += PIECE) {
            const size_t left = generated->starts[c + 1] - first;
            l->pieces[l->piece_count++] = (batch_piece){first, left < PIECE ? left : PIECE, c};
        }
    return SBL_OK;
}

static sbl_status allocate(orthogonal_loss *l, const sbl_target *target,
                           const sbl_generated *generated, sbl_error *err)
{
    const size_t n = l->frequencies->size;
    bool failed = false;
    l->row_weight = sbl_floats(l->classes, 1, &failed);
    l->mean_weight = sbl_floats(l->classes, 1, &failed);
    l->class_weight = sbl_floats(l->classes, 1, &failed);
    l->target = sbl_floats(l->frequencies->blocks * l->classes, 2 * n, &failed);
    l->cosines = sbl_floats(generated->rows, n, &failed);
    l->sines = sbl_floats(generated->rows, n, &failed);
    l->sums = sbl_floats(l->piece_count, 2 * n, &failed);
    l->front = sbl_floats(l->classes, 2 * n, &failed);
    l->scratch = sbl_floats(l->piece_count, n, &failed);
    l->losses = sbl_alloc_array(l->classes, sizeof *l->losses);
    failed |=
        !sbl_running_init(&l->running, target->memory, l->frequencies->blocks * l->classes * 2 * n);
    return failed || !l->losses ? sbl_fail(err, SBL_EMEM, "out of memory for training") : SBL_OK;
}

static void set_constants(orthogonal_loss *l, const sbl_target *target,
                          const sbl_generated *generated)
{
    const size_t n = l->frequencies->size, count = l->frequencies->frequencies;
    for (size_t c = 0; c < l->classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        if (rows > 1) {
            l->row_weight[c] = (float)(generated->shares[c] / (double)(rows - 1));
            l->mean_weight[c] = (float)(generated->shares[c] / (double)rows);
            l->class_weight[c] = (float)(target->weight * generated->weights[c] / (double)count);
        }
        for (size_t f = 0; f < count; f++) {
            float *to = l->target + (f / n * l->classes + c) * 2 * n + f % n;
            to[0] = target->means[(c * count + f) * 2];
            to[n] = target->means[(c * count + f) * 2 + 1];
        }
    }
}

sbl_status sbl_orthogonal_loss_new(void **loss, const sbl_orthogonal *frequencies,
                                   const sbl_target *target, const sbl_generated *generated,
                                   sbl_error *err)
{
    sbl_status status = SBL_OK;
    *loss = NULL;
    orthogonal_loss *l = sbl_alloc_array(1, sizeof *l);
    if (!l) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    l->frequencies = frequencies;
    l->classes = generated->facts->classes;
    SBL_TRY(cut_pieces(l, generated, err));
    SBL_TRY(allocate(l, target, generated, err));
    set_constants(l, target, generated);
    *loss = l;
    l = NULL;
done:
    sbl_orthogonal_loss_free(l);
    return status;
}

void sbl_orthogonal_loss_free(void *loss)
{
    orthogonal_loss *l = loss;
    if (!l) return;
    float *arrays[] = {l->row_weight, l->mean_weight, l->class_weight, l->target, l->cosines,
                       l->sines,      l->sums,        l->front,        l->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sbl_free(arrays[i]);
    sbl_running_clear(&l->running);
    sbl_free(l->losses);
    sbl_free(l->pieces);
    sbl_free(l);
}

sbl_running *sbl_orthogonal_loss_memory(void *loss, size_t i)
{
    return i == 0 ? &((orthogonal_loss *)loss)->running : NULL;
}

/* Cosines and sines of the images of a piece, and their sums. */
static void piece_phases(orthogonal_loss *l, const sbl_generated *generated, size_t p,
                         const sbl_hadamard *block)
{
    const batch_piece *piece = &l->pieces[p];
    const size_t n = block->size;
    float *restrict sums = l->sums + p * 2 * n;
    memset(sums, 0, 2 * n * sizeof *sums);
    for (size_t r = piece->first; r < piece->first + piece->count; r++) {
        float *restrict cosines = l->cosines + r * n, *restrict sines = l->sines + r * n;
        sbl_hadamard_phases(cosines, sines, generated->pixels + r * block->columns, block);
        for (size_t f = 0; f < n; f++) sums[f] += cosines[f];
        for (size_t f = 0; f < n; f++) sums[n + f] += sines[f];
    }
}

/* Sums of a class become its means; those of the steps before stand in for images that this step
 * does not have. An image's own part of its mean has no gradient (cos^2 + sin^2 = 1), so the
 * others' mean, over one image fewer, is what is remembered from; the past keeps the plain mean. */
static void class_means(orthogonal_loss *l, size_t c, size_t b)
{
    const size_t n = l->frequencies->size, first = (b * l->classes + c) * 2 * n;
    float *means = l->front + c * 2 * n;
    const float row = l->row_weight[c], plain = l->mean_weight[c];
    const float decay = sbl_running_decay(&l->running);
    for (size_t i = 0; i < 2 * n; i++)
        means[i] =
            sbl_running_mean(&l->running, first + i, decay, row * means[i], plain * means[i]);
}

/* Residuals of a class: loss, and what its images' cosines and sines are multiplied by in
 * d loss / d t = 2 w_c v_c 2 pi (res_sin cos - res_cos sin), t in turns. */
static void class_residuals(orthogonal_loss *l, size_t c, size_t b, size_t used)
{
    const size_t n = l->frequencies->size;
    const float *target = l->target + (b * l->classes + c) * 2 * n;
    float *front = l->front + c * 2 * n;
    const float row = l->row_weight[c], weight = l->class_weight[c];
    const float factor = 2 * weight * row * TWO_PI;
    memset(front, 0, 2 * n * sizeof *front);
    for (size_t p = 0; p < l->piece_count; p++)
        if (l->pieces[p].class == c)
            for (size_t i = 0; i < 2 * n; i++) front[i] += l->sums[p * 2 * n + i];
    class_means(l, c, b);
    for (size_t f = 0; f < used; f++) {
        const float on_cosine = front[f] - target[f];
        const float on_sine = front[n + f] - target[n + f];
        l->losses[c] += (double)weight *
                        ((double)on_cosine * (double)on_cosine + (double)on_sine * (double)on_sine);
        front[f] = factor * on_sine;
        front[n + f] = -factor * on_cosine;
    }
    for (size_t f = used; f < n; f++) front[f] = front[n + f] = 0;
}

static void piece_gradient(orthogonal_loss *l, sbl_generated *generated, size_t p,
                           const sbl_hadamard *block)
{
    const batch_piece *piece = &l->pieces[p];
    const size_t n = block->size;
    const float *front = l->front + piece->class * 2 * n;
    for (size_t r = piece->first; r < piece->first + piece->count; r++)
        sbl_hadamard_gradient(generated->d_pixels + r * block->columns, l->cosines + r * n,
                              l->sines + r * n, front, front + n, block, l->scratch + p * n);
}

double sbl_orthogonal_loss_step(void *loss, sbl_generated *generated)
{
    orthogonal_loss *l = loss;
    double sum = 0;
    memset(l->losses, 0, l->classes * sizeof *l->losses);
    for (size_t b = 0; b < l->frequencies->blocks; b++) {
        const sbl_hadamard block = sbl_orthogonal_block(l->frequencies, b);
        const size_t used = sbl_orthogonal_used(l->frequencies, b);
        SBL_OMP(omp parallel)
        {
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < l->piece_count; p++) piece_phases(l, generated, p, &block);
            SBL_OMP(omp for schedule(static))
            for (size_t c = 0; c < l->classes; c++) class_residuals(l, c, b, used);
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < l->piece_count; p++) piece_gradient(l, generated, p, &block);
        }
    }
    for (size_t c = 0; c < l->classes; c++) sum += l->losses[c];
    l->running.steps++;
    return sum;
}
