/* SPDX-License-Identifier: Apache-2.0 */
/* Draws lengths (chi with n degrees of freedom, Marsaglia and Tsang 2000) and signs from the public seed. */
#include "public/features/orthogonal_frequencies.h"

#include <math.h>

#include "base/random/model_rng.h"
#include "public/plan/parameters.h"

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

json_t *sbl_orthogonal_parameters(const sbl_orthogonal_rule *rule)
{
    return json_pack("{s:I, s:o, s:o}", "features", 2 * (json_int_t)rule->frequencies, "scales",
                     sbl_parameters_from_reals(rule->scales, rule->scale_count), "seed",
                     sbl_parameters_from_seed(rule->seed));
}

sbl_status sbl_orthogonal_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    sbl_orthogonal_rule rule = {0};
    double *scales = NULL;
    sbl_status status = SBL_OK;
    sbl_orthogonal *frequencies;
    SBL_ALLOC(frequencies, 1, "Fourier frequencies");
    SBL_TRY(sbl_parameters_are(parameters, 3, SBL_ORTHOGONAL, err));
    SBL_TRY(sbl_parameters_frequencies(&rule.frequencies, &rule.seed, parameters, SBL_ORTHOGONAL, err));
    SBL_TRY(sbl_parameters_reals(&scales, &rule.scale_count, parameters, "scales", SBL_MOST_SCALES,
                                 SBL_ORTHOGONAL, err));
    if (facts->kind != SBL_DATA_IMAGES)
        SBL_FAIL(err, SBL_EINPUT, "feature '%s' is for images only", SBL_ORTHOGONAL);
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

void sbl_orthogonal_free(void *made)
{
    sbl_orthogonal_clear(made);
    sbl_free(made);
}
