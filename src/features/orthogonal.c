/* [3] Draws lengths (chi with n degrees of freedom, Marsaglia and Tsang 2000) and signs from the
 * public seed, and sums the features of a slice block of frequencies by block. Phases come from
 * compute/hadamard.h; the loss is in orthogonal_loss.c. */
#include "features/orthogonal.h"

#include <math.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "base/size.h"
#include "features/orthogonal_loss.h"
#include "features/parameters.h"
#include "random/exact_math.h"
#include "random/model_rng.h"

#define SIGN_STREAMS ((uint64_t)1 << 40) /* streams from here on are of signs, by block */

static const double two_pi = 6.283185307179586476925;

static sbl_status check_rule(size_t columns, const sbl_orthogonal_rule *rule, sbl_error *err)
{
    if (columns < 1 || columns > SBL_HADAMARD_MOST || rule->frequencies < 1 ||
        rule->frequencies > (size_t)1 << 30)
        return sbl_fail(err, SBL_EARG, "orthogonal features need columns and frequencies");
    if (rule->scale_count < 1) return sbl_fail(err, SBL_EARG, "no length scale is given");
    for (size_t i = 0; i < rule->scale_count; i++)
        if (!(rule->scales[i] >= 1e-3 && rule->scales[i] <= 1e3))
            return sbl_fail(err, SBL_EARG, "length scale %zu is not between 0.001 and 1000", i);
    return SBL_OK;
}

/* Length of a standard normal vector in `size` dimensions: the root of twice a gamma variable of
 * shape size / 2 (Marsaglia and Tsang 2000). */
static double chi(sbl_model_rng *rng, size_t size)
{
    const double d = (double)size / 2 - 1.0 / 3.0, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = sbl_model_rng_normal(rng), root = 1 + c * x, v = root * root * root;
        const double u = sbl_model_rng_uniform(rng);
        if (v > 0 && sbl_exact_log(u) < x * x / 2 + d - d * v + d * sbl_exact_log(v))
            return sqrt(2 * d * v);
    }
}

static void draw(sbl_orthogonal *out, const sbl_orthogonal_rule *rule)
{
    const double n = (double)out->size;
    const double unit = sqrt((double)out->columns / 6) * two_pi * n * sqrt(n);
    sbl_model_rng rng;
    for (size_t f = 0; f < out->frequencies; f++) {
        sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, f);
        out->lengths[f] =
            (float)(chi(&rng, out->size) / (rule->scales[f % rule->scale_count] * unit));
    }
    for (size_t b = 0; b < out->blocks; b++) {
        float *signs = out->signs + 3 * b * out->size;
        sbl_model_rng_init(&rng, rule->seed, SBL_RNG_FREQUENCIES, SIGN_STREAMS + b);
        for (size_t i = 0; i < 3 * out->size; i++)
            signs[i] = sbl_model_rng_u32(&rng) >> 31 ? -1.0f : 1.0f;
    }
}

sbl_status sbl_orthogonal_init(sbl_orthogonal *frequencies, size_t columns,
                               const sbl_orthogonal_rule *rule, sbl_error *err)
{
    size_t places;
    *frequencies = (sbl_orthogonal){0};
    sbl_status status = check_rule(columns, rule, err);
    if (status != SBL_OK) return status;
    sbl_orthogonal made = {
        .columns = columns, .frequencies = rule->frequencies, .size = SBL_HADAMARD_LEAST};
    while (made.size < columns) made.size *= 2;
    made.blocks = (made.frequencies + made.size - 1) / made.size;
    if (sbl_size_mul(&places, made.blocks, made.size)) {
        made.signs = sbl_alloc_array(places, 3 * sizeof *made.signs);
        made.lengths = sbl_alloc_array(places, sizeof *made.lengths);
    }
    if (!made.signs || !made.lengths) {
        sbl_orthogonal_clear(&made);
        return sbl_fail(err, SBL_EMEM, "out of memory for Fourier frequencies");
    }
    draw(&made, rule);
    *frequencies = made;
    return SBL_OK;
}

void sbl_orthogonal_clear(sbl_orthogonal *frequencies)
{
    sbl_free(frequencies->signs);
    sbl_free(frequencies->lengths);
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

void sbl_orthogonal_rows(const sbl_orthogonal *frequencies, float *features, size_t stride,
                         const float *x, size_t x_stride, size_t rows, size_t b, float *scratch)
{
    const sbl_hadamard block = sbl_orthogonal_block(frequencies, b);
    for (size_t r = 0; r < rows; r++)
        sbl_hadamard_pairs(features + r * stride, x + r * x_stride, &block, scratch);
}

/* ---- the feature ---- */

#define NAME "orthogonal"
#define MOST_SCALES 16

json_t *sbl_orthogonal_parameters(const sbl_orthogonal_rule *rule)
{
    return json_pack("{s:I, s:o, s:o}", "features", 2 * (json_int_t)rule->frequencies, "scales",
                     sbl_parameters_from_reals(rule->scales, rule->scale_count), "seed",
                     sbl_parameters_from_seed(rule->seed));
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    sbl_orthogonal_rule rule = {0};
    double *scales = NULL;
    uint64_t features;
    sbl_status status = SBL_OK;
    sbl_orthogonal *frequencies = sbl_alloc_array(1, sizeof *frequencies);
    if (frequencies == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for Fourier frequencies");
    SBL_TRY(sbl_parameters_are(parameters, 3, NAME, err));
    SBL_TRY(sbl_json_get_u64(&features, parameters, "features", NAME, err));
    SBL_TRY(sbl_parameters_seed(&rule.seed, parameters, NAME, err));
    SBL_TRY(sbl_parameters_reals(&scales, &rule.scale_count, parameters, "scales", MOST_SCALES,
                                 NAME, err));
    if (facts->kind != SBL_DATA_IMAGES)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is one of images", NAME);
    if (features < 2 || features > 1000000 || features % 2 != 0)
        SBL_FAIL(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    rule.frequencies = features / 2;
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

/* As for features/rff.h. */
static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_orthogonal *frequencies = made;
    const double norm = sqrt((double)frequencies->frequencies);
    *block = (sbl_block){.name = "rff",
                         .width = 2 * frequencies->frequencies,
                         .group = 2,
                         .per_class = true,
                         .bound2 = SBL_GRID_BOUND2};
    block->scale = sbl_block_scale(block->width, block->bound2, norm);
    *weight = 1 / norm / block->scale;
}

/* Pixels (slice, d), features (slice, 2 n), scratch (n). */
static size_t workspace_bytes(const void *made)
{
    const sbl_orthogonal *frequencies = made;
    const size_t n = frequencies->size; /* at most 2^16, as d */
    return (sbl_slice_rows(frequencies->facts) * (frequencies->columns + 2 * n) + n) *
           sizeof(float);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_orthogonal *frequencies = made;
    const size_t n = frequencies->size, size = frequencies->columns;
    const size_t slice = sbl_slice_rows(frequencies->facts);
    float *pixels = workspace, *features = pixels + slice * size,
          *scratch = features + slice * 2 * n;
    for (size_t i = 0; i < records->rows * size; i++)
        pixels[i] = (float)records->pixels[i] / 255.0f;
    for (size_t b = 0; b < frequencies->blocks; b++) {
        sbl_orthogonal_rows(frequencies, features, 2 * n, pixels, size, records->rows, b, scratch);
        const sbl_status status = sbl_sum_add_f32(
            sum, block, 2 * b * n, 2 * sbl_orthogonal_used(frequencies, b), features, 2 * n, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status loss_new(void **loss, const void *made, const sbl_target *target,
                           const sbl_generated *generated, sbl_error *err)
{
    return sbl_orthogonal_loss_new(loss, made, target, generated, err);
}

const sbl_feature sbl_feature_orthogonal = {
    .name = NAME,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_bytes = workspace_bytes,
    .add = add,
    .loss_new = loss_new,
    .loss_step = sbl_orthogonal_loss_step,
    .loss_free = sbl_orthogonal_loss_free,
    .loss_memory = sbl_orthogonal_loss_memory,
};
