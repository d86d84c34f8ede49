/* The images of a generated batch are cut into pieces of at most PIECE images of one class; the loss and its
 * gradient are a backend's (base/backend/shapes.h).
 * Legend: R images, d values of each, C classes, F frequencies in blocks of n. */
#include "records/features/orthogonal.h"

#include <math.h>
#include <string.h>

#include "after/losses/loss_common.h"
#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

#define PIECE 25 /* images */

typedef struct orthogonal_loss {
    sbl_loss common; /* its running mean: (blocks, C, 2, n), of cosines and sines */
    sbl_orthogonal_job job;
    sbl_row_piece *pieces;
    /* (C): share / (images of the class - 1); share / images; of a class and a frequency in the loss */
    float *row_weight, *mean_weight, *class_weight;
    float *target; /* (blocks, C, 2, n): cosines, then sines; on its way to the backend */
} orthogonal_loss;

static sbl_status allocate(orthogonal_loss *l, const sbl_generated *generated, sbl_error *err)
{
    sbl_orthogonal_job *job = &l->job;
    sbl_pool *pool = &l->common.pool;
    sbl_tensors *tensors = &l->common.tensors;
    const size_t n = job->size;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_row_pieces(&l->pieces, &job->piece_count, pool, generated->starts, job->classes, PIECE, err));
    SBL_POOL(pool, l->row_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->mean_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->class_weight, job->classes, 1, "training");
    SBL_POOL(pool, l->target, job->blocks * job->classes, 2 * n, "training");
    SBL_POOL(pool, job->losses, job->classes, 1, "training");
    SBL_TENSOR(tensors, job->cosines, generated->rows, n, "training");
    SBL_TENSOR(tensors, job->sines, generated->rows, n, "training");
    SBL_TENSOR(tensors, job->residuals, job->classes, 2 * n, "training");
    SBL_TENSOR(tensors, job->front, job->classes, 2 * n, "training");
done:
    return status;
}

static void set_constants(orthogonal_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    const size_t n = l->job.size, count = l->job.frequencies, classes = l->job.classes;
    for (size_t c = 0; c < classes; c++) {
        const size_t rows = generated->starts[c + 1] - generated->starts[c];
        if (rows > 1) {
            l->row_weight[c] = (float)(generated->shares[c] / (double)(rows - 1));
            l->mean_weight[c] = (float)(generated->shares[c] / (double)rows);
            l->class_weight[c] = (float)(target->weight * generated->weights[c] / (double)count);
        }
        for (size_t f = 0; f < count; f++) {
            float *to = l->target + (f / n * classes + c) * 2 * n + f % n;
            to[0] = target->means[(c * count + f) * 2];
            to[n] = target->means[(c * count + f) * 2 + 1];
        }
    }
}

/* The numbers as a tensor: themselves on the host. */
static sbl_status place(const float **tensor, sbl_tensors *tensors, const float *numbers, size_t count,
                        sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *made;
    *tensor = numbers;
    if (tensors->on->is_host) return SBL_OK;
    SBL_TENSOR(tensors, made, count, 1, "training");
    tensors->on->write(tensors->on->device, made, numbers, count);
    *tensor = made;
done:
    return status;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const sbl_orthogonal *by = made;
    orthogonal_loss *l = loss;
    sbl_orthogonal_job *job = &l->job;
    sbl_tensors *tensors = &l->common.tensors;
    *job = (sbl_orthogonal_job){.rows = generated->rows,
                                .columns = by->columns,
                                .classes = generated->facts->classes,
                                .frequencies = by->frequencies,
                                .size = by->size,
                                .blocks = by->blocks,
                                .starts = generated->starts};
    SBL_CHECK(allocate(l, generated, err));
    set_constants(l, target, generated);
    const size_t all = job->blocks * job->classes * 2 * job->size;
    SBL_CHECK(place(&job->target, tensors, l->target, all, err));
    SBL_CHECK(place(&job->signs, tensors, by->signs, 3 * job->blocks * job->size, err));
    SBL_CHECK(place(&job->lengths, tensors, by->lengths, job->blocks * job->size, err));
    SBL_CHECK(sbl_running_init(&l->common.running, tensors, target->memory, all, err));
    job->past = l->common.running.past;
    job->pieces = l->pieces;
    job->row_weight = l->row_weight;
    job->mean_weight = l->mean_weight;
    job->class_weight = l->class_weight;
    return SBL_OK;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    orthogonal_loss *l = loss;
    l->job.decay = sbl_running_decay(&l->common.running);
    l->job.x = generated->pixels;
    l->job.d_x = generated->d_pixels;
    const double sum = generated->on->orthogonal(generated->on->device, &l->job);
    l->common.running.steps++;
    return sum;
}

/* [3] Draws lengths (chi with n degrees of freedom, Marsaglia and Tsang 2000) and signs from the
 * public seed, and sums the features of a slice block of frequencies by block. Phases come from
 * base/compute/hadamard.h; the loss is in orthogonal.c. */

#define SIGN_STREAMS ((uint64_t)1 << 40) /* streams from here on are of signs, by block */

static const double two_pi = 6.283185307179586476925;

static sbl_status check_rule(size_t columns, const sbl_orthogonal_rule *rule, sbl_error *err)
{
    if (columns < 1 || columns > SBL_HADAMARD_MOST || rule->frequencies < 1 ||
        rule->frequencies > (size_t)1 << 30)
        return sbl_fail(err, SBL_EARG, "orthogonal features need columns and frequencies");
    return sbl_parameters_scales_check(rule->scales, rule->scale_count, "length scale", err);
}

/* Length of a standard normal vector in `size` dimensions: the root of twice a gamma variable of
 * shape size / 2 (Marsaglia and Tsang 2000). */
static double chi(sbl_model_rng *rng, size_t size)
{
    const double d = (double)size / 2 - 1.0 / 3.0, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = sbl_model_rng_normal(rng), root = 1 + c * x, v = root * root * root;
        const double u = sbl_model_rng_uniform(rng);
        if (v > 0 && sbl_exact_log(u) < x * x / 2 + d - d * v + d * sbl_exact_log(v)) return sqrt(2 * d * v);
    }
}

static void draw(sbl_orthogonal *out, const sbl_orthogonal_rule *rule)
{
    const double n = (double)out->size;
    const double unit = sqrt((double)out->columns / 6) * two_pi * n * sqrt(n);
    sbl_model_rng rng;
    for (size_t f = 0; f < out->frequencies; f++) {
        sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, f);
        out->lengths[f] = (float)(chi(&rng, out->size) / (rule->scales[f % rule->scale_count] * unit));
    }
    for (size_t b = 0; b < out->blocks; b++) {
        float *signs = out->signs + 3 * b * out->size;
        sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, SIGN_STREAMS + b);
        for (size_t i = 0; i < 3 * out->size; i++) signs[i] = sbl_model_rng_u32(&rng) >> 31 ? -1.0f : 1.0f;
    }
}

sbl_status sbl_orthogonal_init(sbl_orthogonal *frequencies, size_t columns, const sbl_orthogonal_rule *rule,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_orthogonal made = {.columns = columns, .frequencies = rule->frequencies, .size = SBL_HADAMARD_LEAST};
    *frequencies = (sbl_orthogonal){0};
    SBL_TRY(check_rule(columns, rule, err));
    while (made.size < columns) made.size *= 2;
    made.blocks = (made.frequencies + made.size - 1) / made.size;
    SBL_POOL(&made.pool, made.signs, made.blocks, 3 * made.size, "Fourier frequencies");
    SBL_POOL(&made.pool, made.lengths, made.blocks, made.size, "Fourier frequencies");
    draw(&made, rule);
    *frequencies = made;
    made.pool = (sbl_pool){0};
done:
    sbl_pool_clear(&made.pool);
    return status;
}

void sbl_orthogonal_clear(sbl_orthogonal *frequencies)
{
    sbl_pool_clear(&frequencies->pool);
    *frequencies = (sbl_orthogonal){0};
}

sbl_hadamard sbl_orthogonal_block(const sbl_orthogonal *frequencies, size_t b)
{
    return (sbl_hadamard){.columns = frequencies->columns,
                          .size = frequencies->size,
                          .signs = frequencies->signs + 3 * b * frequencies->size,
                          .lengths = frequencies->lengths + b * frequencies->size};
}

size_t sbl_orthogonal_used(const sbl_orthogonal *frequencies, size_t b)
{
    size_t left = frequencies->frequencies - b * frequencies->size;
    return left < frequencies->size ? left : frequencies->size;
}

void sbl_orthogonal_rows(const sbl_orthogonal *frequencies, float *features, size_t stride, const float *x,
                         size_t x_stride, size_t rows, size_t b, float *scratch)
{
    const sbl_hadamard block = sbl_orthogonal_block(frequencies, b);
    for (size_t r = 0; r < rows; r++)
        sbl_hadamard_pairs(features + r * stride, x + r * x_stride, &block, scratch);
}

sbl_status sbl_orthogonal_add(sbl_sum *sum, size_t block, const sbl_orthogonal *frequencies, float *features,
                              const float *x, size_t rows, sbl_error *err)
{
    const size_t n = frequencies->size;
    float *scratch = features + rows * 2 * n;
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, features, 2 * n, x, frequencies->columns, rows, b, scratch);
        SBL_CHECK(sbl_sum_add_f32(sum, block, 2 * b * n, 2 * sbl_orthogonal_used(frequencies, b), features,
                                  2 * n, err));
    }
    return SBL_OK;
}

/* ---- the feature ---- */

#define NAME "orthogonal"

json_t *sbl_orthogonal_parameters(const sbl_orthogonal_rule *rule)
{
    return json_pack("{s:I, s:o, s:o}", "features", 2 * (json_int_t)rule->frequencies, "scales",
                     sbl_parameters_from_reals(rule->scales, rule->scale_count), "seed",
                     sbl_parameters_from_seed(rule->seed));
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_orthogonal_rule rule = {0};
    double *scales = NULL;
    sbl_status status = SBL_OK;
    sbl_orthogonal *frequencies;
    SBL_ALLOC(frequencies, 1, "Fourier frequencies");
    SBL_TRY(sbl_parameters_are(parameters, 3, NAME, err));
    SBL_TRY(sbl_parameters_frequencies(&rule.frequencies, &rule.seed, parameters, NAME, err));
    SBL_TRY(
        sbl_parameters_reals(&scales, &rule.scale_count, parameters, "scales", SBL_MOST_SCALES, NAME, err));
    if (facts->kind != SBL_DATA_IMAGES) SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of images", NAME);
    rule.scales = scales;
    SBL_TRY(sbl_orthogonal_init(frequencies, facts->shape.numeric, &rule, err));
    frequencies->facts = facts;
    *made = frequencies;
    frequencies = NULL;
done:
    sbl_free(frequencies);
    sbl_free(scales);
    return status;
}

static void free_made(void *made)
{
    sbl_orthogonal_clear(made);
    sbl_free(made);
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    sbl_fourier_describe(block, weight, "rff", ((const sbl_orthogonal *)made)->frequencies);
}

/* Pixels (slice, d), features (slice, 2 n), scratch (n). */
static size_t workspace_bytes(const void *made)
{
    const sbl_orthogonal *frequencies = made;
    const size_t n = frequencies->size; /* at most 2^16, as d */
    return (sbl_slice_rows(frequencies->facts) * (frequencies->columns + 2 * n) + n) * sizeof(float);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_orthogonal *frequencies = made;
    const size_t size = frequencies->columns, slice = sbl_slice_rows(frequencies->facts);
    float *pixels = workspace, *features = pixels + slice * size;
    for (size_t i = 0; i < records->rows * size; i++) pixels[i] = (float)records->pixels[i] / 255.0f;
    return sbl_orthogonal_add(sum, block, frequencies, features, pixels, records->rows, err);
}

const sbl_feature sbl_feature_orthogonal = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .loss_size = sizeof(orthogonal_loss),
    .loss_init = loss_init,
    .loss_step = loss_step,
    .any_backend = true,
};
