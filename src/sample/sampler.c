#include "sample/sampler.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/gemm.h"
#include "compute/threads.h"
#include "random/exact_math.h"
#include "random/model_rng.h"

#define CHUNK 32 /* rows through the network at a time */

/* y = relu(x W + bias[class]), the last layer without relu. */
typedef struct layer {
    size_t in, out;
    float *weight; /* (in, out) */
    float *bias;   /* (C, out) */
} layer;

struct sbl_sampler {
    sbl_record_shape shape;
    layer layers[SBL_MLP_MAX_DEPTH + 1];
    size_t depth, latent, widest;
    float *class_shares; /* (C) */
    uint64_t seed;
};

/* relu(gamma ((x W^T + V) - m) / sqrt(v + eps) + beta) = relu(x (s W)^T + s (V - m) + beta) */
static void fold_layer(layer *to, const sbl_generator *generator, size_t l)
{
    const sbl_mlp *mlp = &generator->mlp;
    const sbl_mlp_layer *from = &mlp->layers[l];
    size_t depth = mlp->shape.depth;
    for (size_t j = 0; j < to->out; j++) {
        float scale = 1, shift = 0;
        if (l < depth) {
            sbl_batch_norm norm = sbl_mlp_norm(mlp, l);
            scale = norm.gamma[j] / sqrtf(norm.running_variance[j] + SBL_BATCH_NORM_EPSILON);
            shift = norm.beta[j] - norm.running_mean[j] * scale;
        }
        for (size_t i = 0; i < to->in; i++)
            to->weight[i * to->out + j] = mlp->weights[from->weight + j * to->in + i] * scale;
        for (size_t c = 0; c < generator->shape.classes; c++) {
            float bias = 0;
            if (l == 0 || l == depth) bias = mlp->weights[from->class_bias + c * to->out + j];
            to->bias[c * to->out + j] = bias * scale + shift;
        }
    }
}

static sbl_status copy_layers(sbl_sampler *sampler, const sbl_generator *generator, sbl_error *err)
{
    sampler->depth = generator->mlp.shape.depth;
    sampler->latent = sampler->widest = generator->mlp.shape.latent;
    for (size_t l = 0; l <= sampler->depth; l++) {
        layer *to = &sampler->layers[l];
        to->in = generator->mlp.layers[l].in;
        to->out = generator->mlp.layers[l].out;
        if (to->out > sampler->widest) sampler->widest = to->out;
        to->weight = sbl_alloc_array(to->in * to->out, sizeof(float));
        to->bias = sbl_alloc_array(generator->shape.classes * to->out, sizeof(float));
        if (!to->weight || !to->bias) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
        fold_layer(to, generator, l);
    }
    return SBL_OK;
}

sbl_status sbl_sampler_new(sbl_sampler **sampler, const sbl_generator *generator, uint64_t seed,
                           sbl_error *err)
{
    size_t classes = generator->shape.classes;
    sbl_status status;
    *sampler = NULL;
    sbl_sampler *s = sbl_alloc_array(1, sizeof *s);
    if (!s) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    s->seed = seed;
    SBL_TRY(sbl_record_shape_copy(&s->shape, &generator->shape, err));
    SBL_TRY(copy_layers(s, generator, err));
    s->class_shares = sbl_alloc_array(classes, sizeof *s->class_shares);
    if (!s->class_shares) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for sampling");
        goto done;
    }
    memcpy(s->class_shares, generator->class_shares, classes * sizeof *s->class_shares);
    *sampler = s;
done:
    if (status != SBL_OK) sbl_sampler_free(s);
    return status;
}

void sbl_sampler_free(sbl_sampler *sampler)
{
    if (!sampler) return;
    for (size_t l = 0; l <= SBL_MLP_MAX_DEPTH; l++) {
        sbl_free(sampler->layers[l].weight);
        sbl_free(sampler->layers[l].bias);
    }
    sbl_record_shape_clear(&sampler->shape);
    sbl_free(sampler->class_shares);
    sbl_free(sampler);
}

/* x (rows, in) -> y (rows, out) */
static void run_layer(float *y, const float *x, const layer *l, const uint32_t *labels, size_t rows,
                      int relu)
{
    sbl_gemm_exact(y, x, l->weight, rows, l->out, l->in);
    for (size_t r = 0; r < rows; r++) {
        const float *bias = l->bias + labels[r] * l->out;
        float *row = y + r * l->out;
        for (size_t j = 0; j < l->out; j++) {
            float value = row[j] + bias[j];
            row[j] = relu && value < 0 ? 0 : value;
        }
    }
}

/* A category with probability proportional to exp(logit). */
static uint32_t draw_category(const float *logits, size_t count, sbl_model_rng *rng)
{
    float largest = logits[0];
    double total = 0;
    for (size_t j = 1; j < count; j++) largest = logits[j] > largest ? logits[j] : largest;
    for (size_t j = 0; j < count; j++) total += sbl_exact_exp((double)logits[j] - (double)largest);
    double left = sbl_model_rng_uniform(rng) * total;
    for (size_t j = 0; j + 1 < count; j++) {
        left -= sbl_exact_exp((double)logits[j] - (double)largest);
        if (left < 0) return (uint32_t)j;
    }
    return (uint32_t)(count - 1);
}

typedef struct chunk_out {
    double *numbers;
    uint32_t *codes, *labels;
} chunk_out;

/* At most CHUNK rows. buffers: two of (CHUNK, widest). */
static void draw_chunk(const sbl_sampler *s, chunk_out out, float *buffers, uint64_t first,
                       size_t rows, size_t wanted)
{
    sbl_model_rng rngs[CHUNK];
    uint32_t labels[CHUNK];
    float *x = buffers, *y = buffers + CHUNK * s->widest;
    for (size_t r = 0; r < rows; r++) {
        sbl_model_rng_init(&rngs[r], s->seed, SBL_RNG_SAMPLE_ROW, first + r);
        size_t drawn = sbl_model_rng_categorical(&rngs[r], s->class_shares, s->shape.classes);
        labels[r] = (uint32_t)(wanted == SBL_ANY_CLASS ? drawn : wanted);
        sbl_model_rng_normals(&rngs[r], x + r * s->latent, s->latent);
    }
    for (size_t l = 0; l <= s->depth; l++) {
        run_layer(y, x, &s->layers[l], labels, rows, l < s->depth);
        float *swap = x;
        x = y;
        y = swap;
    }
    size_t width = s->layers[s->depth].out, d = s->shape.numeric, columns = s->shape.categorical;
    for (size_t r = 0; r < rows; r++) {
        const float *row = x + r * width;
        for (size_t i = 0; i < d; i++)
            out.numbers[r * d + i] = 1 / (1 + sbl_exact_exp(-(double)row[i]));
        for (size_t k = 0; k < columns; k++)
            out.codes[r * columns + k] =
                draw_category(row + d + s->shape.offsets[k], s->shape.cardinalities[k], &rngs[r]);
        if (out.labels) out.labels[r] = labels[r];
    }
}

/* NOLINTBEGIN(readability-non-const-parameter): written through chunk_out, out of its sight */
sbl_status sbl_sampler_draw(const sbl_sampler *s, double *numbers, uint32_t *codes,
                            uint32_t *labels, uint64_t first, size_t rows, size_t wanted,
                            sbl_error *err)
/* NOLINTEND(readability-non-const-parameter) */
{
    if (wanted != SBL_ANY_CLASS && wanted >= s->shape.classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    size_t each = 2 * CHUNK * s->widest, threads = (size_t)sbl_thread_limit();
    float *buffers = sbl_alloc_array(threads, each * sizeof *buffers);
    if (!buffers) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    size_t chunks = (rows + CHUNK - 1) / CHUNK;
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)threads))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t at = chunk * CHUNK, left = rows - at;
        chunk_out out = {numbers + at * s->shape.numeric, codes + at * s->shape.categorical,
                         labels ? labels + at : NULL};
        draw_chunk(s, out, buffers + (size_t)sbl_thread_index() * each, first + at,
                   left < CHUNK ? left : CHUNK, wanted);
    }
    sbl_free(buffers);
    return SBL_OK;
}
