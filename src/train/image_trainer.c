/* One training step: draw, forward, loss and gradient, update. Nothing is allocated in a step.
 *
 * The images of a batch are sorted by class and cut into pieces of at most PIECE images of one
 * class. Frequencies are taken block by block: the pieces' cosines and sines and their sums; the
 * classes' residuals; the pieces' gradients. Cosines and sines of one block stay in the cache of
 * the core that made them. Pieces are added up in order, so that results do not depend on threads.
 * Legend: R images, d values of each, C classes, F frequencies in blocks of n. */
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "compute/threads.h"
#include "nn/adam.h"
#include "random/model_rng.h"
#include "train/batch_shares.h"
#include "train/merf_images.h"

#define PIECE 25        /* images */
#define LATENT_CHUNK 64 /* images that share a stream of latents */
#define BALANCE 0.5     /* part of a batch that classes share evenly */
#define CALIBRATION 50  /* batches of the final running statistics */
#define BETA1 0.9       /* of Adam */
#define TWO_PI 0x1.921fb6p+2f

typedef struct batch_piece {
    size_t first, count, class;
} batch_piece;

struct sbl_image_trainer {
    sbl_image_generator *generator; /* borrowed */
    sbl_net_work work;
    sbl_adam adam;
    sbl_orthogonal frequencies;
    uint64_t seed;
    double decay; /* of the average */
    size_t classes, rows, size, updates;
    size_t *starts; /* (C + 1) */
    batch_piece *pieces;
    size_t piece_count;
    float *row_weight;      /* (C): share / (images of the class - 1) */
    float *fourier_weight;  /* (C): w_c / F */
    float *target;          /* (blocks, C, 2, n): cosines, then sines */
    float *inputs;          /* (R, inputs) */
    float *images;          /* (R, d) */
    float *d_images;        /* (R, d) */
    float *d_outputs;       /* (R, outputs) */
    float *cosines, *sines; /* (R, n) of the block at work */
    float *sums;            /* (pieces, 2, n) */
    float *front;           /* (C, 2, n): of cosines and sines in the phases' gradients */
    float *scratch;         /* (pieces, n) */
    double *losses;         /* (C) */
    float *moments;         /* (2, weights) of Adam */
    float *averaged;        /* (weights) */
};

static float *floats(size_t a, size_t b, bool *failed)
{
    size_t count;
    float *array = sbl_size_mul(&count, a, b) ? sbl_alloc_array(count, sizeof *array) : NULL;
    *failed |= array == NULL;
    return array;
}

static sbl_status cut_pieces(sbl_image_trainer *t, sbl_error *err)
{
    t->pieces = sbl_alloc_array(t->rows / PIECE + t->classes, sizeof *t->pieces);
    if (!t->pieces) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    for (size_t c = 0; c < t->classes; c++)
        for (size_t first = t->starts[c]; first < t->starts[c + 1]; first += PIECE) {
            const size_t left = t->starts[c + 1] - first;
            t->pieces[t->piece_count++] = (batch_piece){first, left < PIECE ? left : PIECE, c};
        }
    return SBL_OK;
}

static sbl_status allocate(sbl_image_trainer *t, sbl_error *err)
{
    const size_t weights = t->generator->net.weight_count, n = t->frequencies.size;
    bool failed = false;
    t->row_weight = floats(t->classes, 1, &failed);
    t->fourier_weight = floats(t->classes, 1, &failed);
    t->target = floats(t->frequencies.blocks * t->classes, 2 * n, &failed);
    t->inputs = floats(t->rows, sbl_image_generator_inputs(t->generator), &failed);
    t->images = floats(t->rows, t->size, &failed);
    t->d_images = floats(t->rows, t->size, &failed);
    t->d_outputs = floats(t->rows, sbl_volume_size(t->generator->net.output), &failed);
    t->cosines = floats(t->rows, n, &failed);
    t->sines = floats(t->rows, n, &failed);
    t->sums = floats(t->piece_count, 2 * n, &failed);
    t->front = floats(t->classes, 2 * n, &failed);
    t->scratch = floats(t->piece_count, n, &failed);
    t->moments = floats(2, weights, &failed);
    t->averaged = floats(weights, 1, &failed);
    t->losses = sbl_alloc_array(t->classes, sizeof *t->losses);
    if (failed || !t->losses) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    t->adam = sbl_adam_of(t->moments, t->moments + weights, weights);
    t->adam.beta1 = BETA1;
    return SBL_OK;
}

/* Weights of the classes, their targets by block, and the one-hot part of the inputs. */
static void set_constants(sbl_image_trainer *t, const sbl_image_target *target)
{
    const size_t n = t->frequencies.size, count = t->frequencies.frequencies;
    const size_t inputs = sbl_image_generator_inputs(t->generator), latent = t->generator->latent;
    for (size_t c = 0; c < t->classes; c++) {
        const size_t rows = t->starts[c + 1] - t->starts[c];
        if (rows > 0) {
            t->row_weight[c] = (float)(target->shares[c] / (double)(rows - 1));
            t->fourier_weight[c] = (float)(1 / (target->shares[c] * (double)count));
        }
        for (size_t f = 0; f < count; f++) {
            float *to = t->target + (f / n * t->classes + c) * 2 * n + f % n;
            to[0] = target->rff[(c * count + f) * 2];
            to[n] = target->rff[(c * count + f) * 2 + 1];
        }
        for (size_t r = t->starts[c]; inputs > latent && r < t->starts[c + 1]; r++)
            t->inputs[r * inputs + latent + c] = 1;
    }
}

sbl_status sbl_image_trainer_new(sbl_image_trainer **trainer, sbl_image_generator *generator,
                                 const sbl_image_plan *plan, const sbl_image_target *target,
                                 const sbl_image_train_options *options, sbl_error *err)
{
    sbl_status status;
    *trainer = NULL;
    sbl_image_trainer *t = sbl_alloc_array(1, sizeof *t);
    if (!t) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    t->generator = generator;
    t->seed = options->seed;
    t->decay = options->average;
    t->classes = sbl_image_facts_groups(&plan->facts);
    t->size = sbl_image_facts_size(&plan->facts);
    t->starts = sbl_alloc_array(t->classes + 1, sizeof *t->starts);
    if (!t->starts) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for training");
        goto done;
    }
    t->rows = sbl_batch_starts(t->starts, target->shares, t->classes, options->batch, BALANCE);
    SBL_TRY(sbl_image_plan_frequencies(&t->frequencies, plan, err));
    SBL_TRY(sbl_net_work_init(&t->work, &generator->net, t->rows, SBL_NET_TRAIN, err));
    SBL_TRY(cut_pieces(t, err));
    SBL_TRY(allocate(t, err));
    set_constants(t, target);
    *trainer = t;
done:
    if (status != SBL_OK) sbl_image_trainer_free(t);
    return status;
}

void sbl_image_trainer_free(sbl_image_trainer *t)
{
    if (!t) return;
    float *arrays[] = {t->row_weight, t->fourier_weight, t->target,  t->inputs,  t->images,
                       t->d_images,   t->d_outputs,      t->cosines, t->sines,   t->sums,
                       t->front,      t->scratch,        t->moments, t->averaged};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sbl_free(arrays[i]);
    sbl_free(t->losses);
    sbl_free(t->pieces);
    sbl_free(t->starts);
    sbl_orthogonal_clear(&t->frequencies);
    sbl_net_work_clear(&t->work);
    sbl_free(t);
}

void sbl_image_trainer_draw(sbl_image_trainer *t, size_t step)
{
    const size_t width = sbl_image_generator_inputs(t->generator), latent = t->generator->latent;
    const size_t chunks = (t->rows + LATENT_CHUNK - 1) / LATENT_CHUNK;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, t->seed, SBL_RNG_TRAIN_LATENT, (uint64_t)step << 24 | chunk);
        for (size_t r = chunk * LATENT_CHUNK; r < (chunk + 1) * LATENT_CHUNK && r < t->rows; r++)
            sbl_model_rng_normals(&rng, t->inputs + r * width, latent);
    }
}

/* Cosines and sines of the images of a piece, and their sums. */
static void piece_phases(sbl_image_trainer *t, size_t p, const sbl_hadamard *block)
{
    const batch_piece *piece = &t->pieces[p];
    const size_t n = block->size;
    float *restrict sums = t->sums + p * 2 * n;
    memset(sums, 0, 2 * n * sizeof *sums);
    for (size_t r = piece->first; r < piece->first + piece->count; r++) {
        float *restrict cosines = t->cosines + r * n, *restrict sines = t->sines + r * n;
        sbl_hadamard_phases(cosines, sines, t->images + r * t->size, block);
        for (size_t f = 0; f < n; f++) sums[f] += cosines[f];
        for (size_t f = 0; f < n; f++) sums[n + f] += sines[f];
    }
}

/* Residuals of a class: loss, and what its images' cosines and sines are multiplied by in
 * d loss / d t = 2 w_c v_c 2 pi (res_sin cos - res_cos sin), t in turns. */
static void class_residuals(sbl_image_trainer *t, size_t c, size_t b, size_t used)
{
    const size_t n = t->frequencies.size;
    const float *target = t->target + (b * t->classes + c) * 2 * n;
    float *front = t->front + c * 2 * n;
    const float row = t->row_weight[c], weight = t->fourier_weight[c];
    const float factor = 2 * weight * row * TWO_PI;
    memset(front, 0, 2 * n * sizeof *front);
    for (size_t p = 0; p < t->piece_count; p++)
        if (t->pieces[p].class == c)
            for (size_t i = 0; i < 2 * n; i++) front[i] += t->sums[p * 2 * n + i];
    for (size_t f = 0; f < used; f++) {
        const float on_cosine = row * front[f] - target[f];
        const float on_sine = row * front[n + f] - target[n + f];
        t->losses[c] += (double)weight *
                        ((double)on_cosine * (double)on_cosine + (double)on_sine * (double)on_sine);
        front[f] = factor * on_sine;
        front[n + f] = -factor * on_cosine;
    }
    for (size_t f = used; f < n; f++) front[f] = front[n + f] = 0;
}

static void piece_gradient(sbl_image_trainer *t, size_t p, const sbl_hadamard *block)
{
    const batch_piece *piece = &t->pieces[p];
    const size_t n = block->size;
    const float *front = t->front + piece->class * 2 * n;
    for (size_t r = piece->first; r < piece->first + piece->count; r++)
        sbl_hadamard_gradient(t->d_images + r * t->size, t->cosines + r * n, t->sines + r * n,
                              front, front + n, block, t->scratch + p * n);
}

static double fourier_loss(sbl_image_trainer *t)
{
    double loss = 0;
    memset(t->d_images, 0, t->rows * t->size * sizeof *t->d_images);
    memset(t->losses, 0, t->classes * sizeof *t->losses);
    for (size_t b = 0; b < t->frequencies.blocks; b++) {
        const sbl_hadamard block = sbl_orthogonal_block(&t->frequencies, b);
        const size_t used = sbl_orthogonal_used(&t->frequencies, b);
        SBL_OMP(omp parallel)
        {
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < t->piece_count; p++) piece_phases(t, p, &block);
            SBL_OMP(omp for schedule(static))
            for (size_t c = 0; c < t->classes; c++) class_residuals(t, c, b, used);
            SBL_OMP(omp for schedule(static))
            for (size_t p = 0; p < t->piece_count; p++) piece_gradient(t, p, &block);
        }
    }
    for (size_t c = 0; c < t->classes; c++) loss += t->losses[c];
    return loss;
}

double sbl_image_trainer_loss(sbl_image_trainer *t)
{
    sbl_image_generator *generator = t->generator;
    const float *outputs = sbl_net_forward(&generator->net, &t->work, t->inputs, t->rows, true);
    sbl_image_generator_pixels(t->images, generator, outputs, t->rows, true);
    const double loss = fourier_loss(t);
    sbl_image_generator_backward(t->d_outputs, generator, t->d_images, outputs, t->rows);
    sbl_net_backward(&generator->net, &t->work, t->d_outputs);
    return loss;
}

/* Early averages forget faster: the first weights are random. */
static double decay_at(const sbl_image_trainer *t)
{
    const double early = (1 + (double)t->updates) / (10 + (double)t->updates);
    return early < t->decay ? early : t->decay;
}

void sbl_image_trainer_update(sbl_image_trainer *t, double rate)
{
    sbl_adam_step(&t->adam, t->generator->net.weights, t->work.d_weights, rate);
    sbl_average_weights(t->averaged, t->generator->net.weights, t->generator->net.weight_count,
                        t->updates > 0 ? decay_at(t) : 0);
    t->updates++;
}

void sbl_image_trainer_finish(sbl_image_trainer *t)
{
    sbl_net *net = &t->generator->net;
    if (t->updates > 0) memcpy(net->weights, t->averaged, net->weight_count * sizeof *net->weights);
    for (size_t batch = 0; batch < CALIBRATION; batch++) {
        /* A plain mean over the batches: the k-th one enters with weight 1 / k. */
        for (size_t l = 0; l < net->layer_count; l++)
            if (net->layers[l].ask.kind == SBL_LAYER_BATCH_NORM)
                net->layers[l].ask.momentum = 1 / (double)(batch + 1);
        sbl_image_trainer_draw(t, ((size_t)1 << 30) + batch);
        (void)sbl_net_forward(net, &t->work, t->inputs, t->rows, true);
    }
}

const float *sbl_image_trainer_gradient(const sbl_image_trainer *t) { return t->work.d_weights; }
const float *sbl_image_trainer_images(const sbl_image_trainer *t) { return t->images; }
const size_t *sbl_image_trainer_starts(const sbl_image_trainer *t) { return t->starts; }
