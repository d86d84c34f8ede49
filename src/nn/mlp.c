#include "nn/mlp.h"

#include <math.h>

#include "base/memory.h"
#include "base/size.h"
#include "compute/gemm.h"
#include "random/model_rng.h"

static sbl_status check_shape(const sbl_mlp_shape *shape, sbl_error *err)
{
    const size_t largest = (size_t)1 << 24;
    if (shape->depth < 1 || shape->depth > SBL_MLP_MAX_DEPTH)
        return sbl_fail(err, SBL_EARG, "a network needs 1 to %d hidden layers", SBL_MLP_MAX_DEPTH);
    size_t widest = shape->latent > shape->outputs ? shape->latent : shape->outputs;
    size_t narrowest = shape->latent < shape->outputs ? shape->latent : shape->outputs;
    for (size_t l = 0; l < shape->depth; l++) {
        if (shape->hidden[l] > widest) widest = shape->hidden[l];
        if (shape->hidden[l] < narrowest) narrowest = shape->hidden[l];
    }
    if (narrowest < 1 || widest > largest || shape->classes < 1 || shape->classes > largest)
        return sbl_fail(err, SBL_EARG, "a layer's width is out of range (1 to 2^24)");
    return SBL_OK;
}

static size_t take(size_t *next, size_t count)
{
    size_t at = *next;
    *next += count;
    return at;
}

/* Products stay below 2^48 and sums of few of them below 2^53: no overflow in 64 bits. */
static void place_layers(sbl_mlp *mlp)
{
    const sbl_mlp_shape *shape = &mlp->shape;
    size_t in = shape->latent;
    for (size_t l = 0; l <= shape->depth; l++) {
        sbl_mlp_layer *layer = &mlp->layers[l];
        layer->in = in;
        layer->out = in = l < shape->depth ? shape->hidden[l] : shape->outputs;
        layer->weight = take(&mlp->weight_count, layer->out * layer->in);
        if (l == 0 || l == shape->depth)
            layer->class_bias = take(&mlp->weight_count, shape->classes * layer->out);
        if (l == shape->depth) break;
        layer->gamma = take(&mlp->weight_count, layer->out);
        layer->beta = take(&mlp->weight_count, layer->out);
        layer->running_mean = take(&mlp->running_count, layer->out);
        layer->running_variance = take(&mlp->running_count, layer->out);
    }
}

sbl_status sbl_mlp_init(sbl_mlp *mlp, const sbl_mlp_shape *shape, sbl_error *err)
{
    *mlp = (sbl_mlp){.shape = *shape};
    sbl_status status = check_shape(shape, err);
    if (status != SBL_OK) return status;
    place_layers(mlp);
    mlp->weights = sbl_alloc_array(mlp->weight_count, sizeof *mlp->weights);
    mlp->running = sbl_alloc_array(mlp->running_count, sizeof *mlp->running);
    if (!mlp->weights || !mlp->running) {
        sbl_mlp_clear(mlp);
        return sbl_fail(err, SBL_EMEM, "out of memory for a network");
    }
    for (size_t l = 0; l < shape->depth; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        for (size_t j = 0; j < layer->out; j++) {
            mlp->weights[layer->gamma + j] = 1;
            mlp->running[layer->running_variance + j] = 1;
        }
    }
    return SBL_OK;
}

void sbl_mlp_clear(sbl_mlp *mlp)
{
    sbl_free(mlp->weights);
    sbl_free(mlp->running);
    *mlp = (sbl_mlp){0};
}

static void fill_uniform(float *weights, size_t count, double bound, sbl_model_rng *rng)
{
    for (size_t i = 0; i < count; i++)
        weights[i] = (float)(bound * (2 * sbl_model_rng_uniform(rng) - 1));
}

void sbl_mlp_randomise(sbl_mlp *mlp, uint64_t seed)
{
    for (size_t l = 0; l <= mlp->shape.depth; l++) {
        const sbl_mlp_layer *layer = &mlp->layers[l];
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_WEIGHTS, l);
        /* The class counts as one more input of the layers it enters. */
        bool conditional = l == 0 || l == mlp->shape.depth;
        double bound = 1 / sqrt((double)(layer->in + conditional));
        fill_uniform(mlp->weights + layer->weight, layer->out * layer->in, bound, &rng);
        if (conditional)
            fill_uniform(mlp->weights + layer->class_bias, mlp->shape.classes * layer->out, bound,
                         &rng);
    }
}

sbl_batch_norm sbl_mlp_norm(const sbl_mlp *mlp, size_t l)
{
    const sbl_mlp_layer *layer = &mlp->layers[l];
    return (sbl_batch_norm){layer->out, mlp->weights + layer->gamma, mlp->weights + layer->beta,
                            mlp->running + layer->running_mean,
                            mlp->running + layer->running_variance};
}

static float *carve(float **next, size_t count)
{
    float *at = *next;
    *next += (count + 15) / 16 * 16; /* whole cache lines */
    return at;
}

/* Products have a layer's inputs or outputs as their columns. */
static size_t largest_workspace(const sbl_mlp *mlp)
{
    size_t widest = mlp->shape.latent;
    for (size_t l = 0; l <= mlp->shape.depth; l++)
        if (mlp->layers[l].out > widest) widest = mlp->layers[l].out;
    return sbl_gemm_workspace(widest);
}

static void carve_work(sbl_mlp_work *work, const sbl_mlp *mlp, size_t rows, float **next)
{
    const sbl_mlp_shape *shape = &mlp->shape;
    size_t widest = 0;
    work->latent = carve(next, rows * shape->latent);
    for (size_t l = 0; l < shape->depth; l++) {
        size_t width = shape->hidden[l];
        if (width > widest) widest = width;
        work->normal[l] = carve(next, rows * width);
        work->hidden[l] = carve(next, rows * width);
        work->inverse[l] = carve(next, width);
    }
    work->outputs = carve(next, rows * shape->outputs);
    work->d_outputs = carve(next, rows * shape->outputs);
    work->d_hidden[0] = carve(next, rows * widest);
    work->d_hidden[1] = carve(next, rows * widest);
    work->d_weights = carve(next, mlp->weight_count);
    work->workspace = carve(next, largest_workspace(mlp));
}

sbl_status sbl_mlp_work_init(sbl_mlp_work *work, const sbl_mlp *mlp, size_t rows, sbl_error *err)
{
    *work = (sbl_mlp_work){.rows = rows};
    size_t row = mlp->shape.latent + 2 * mlp->shape.outputs + 128, widest = 0, count;
    for (size_t l = 0; l < mlp->shape.depth; l++) {
        row += 3 * mlp->shape.hidden[l];
        if (mlp->shape.hidden[l] > widest) widest = mlp->shape.hidden[l];
    }
    if (rows < 1 || !sbl_size_mul(&count, rows + 16, row + 2 * widest) ||
        !sbl_size_add(&count, count, mlp->weight_count + largest_workspace(mlp) + 512))
        return sbl_fail(err, SBL_EARG, "a batch of %zu rows is out of range", rows);
    work->arena = sbl_alloc_array(count, sizeof *work->arena);
    if (!work->arena) return sbl_fail(err, SBL_EMEM, "out of memory for a batch of %zu rows", rows);
    float *next = work->arena;
    carve_work(work, mlp, rows, &next);
    return SBL_OK;
}

void sbl_mlp_work_clear(sbl_mlp_work *work)
{
    sbl_free(work->arena);
    *work = (sbl_mlp_work){0};
}
