/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parameters of moments and of points in the encoder's space. */
#include "public/features/activation_shapes.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/plan/parameters.h"

json_t *sbl_moments_parameters(const sbl_encoded *encoded, size_t count)
{
    return sbl_json_put(sbl_encoded_parameters(encoded), "moments", json_integer((json_int_t)count));
}

void sbl_moments_free(void *made)
{
    sbl_moments_feature *m = made;
    sbl_encoded_clear(&m->encoded);
    sbl_free(m);
}

/* name: of the feature. */
static sbl_status make_of(void **made, const sbl_facts *facts, const json_t *parameters, const char *name,
                          sbl_error *err)
{
    uint64_t count;
    sbl_status status = SBL_OK;
    sbl_moments_feature *m;
    SBL_ALLOC(m, 1, "features of an encoder");
    SBL_TRY(sbl_encoded_read(&m->encoded, facts, parameters, 5, name, err));
    SBL_TRY(sbl_json_get_u64(&count, parameters, "moments", name, err));
    if (count < 1 || count > 2) SBL_FAIL(err, SBL_EARG, "moments must be 1 or 2");
    if (strcmp(name, SBL_SIGNED_MOMENTS) == 0) sbl_encoded_take_signed(&m->encoded);
    m->pooled = strcmp(name, SBL_POOLED_MOMENTS) == 0;
    m->count = (size_t)count;
    m->width = sbl_encoded_width(&m->encoded);
    *made = m;
    m = NULL;
done:
    if (m != NULL) sbl_moments_free(m);
    return status;
}

sbl_status sbl_moments_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    return make_of(made, facts, parameters, SBL_MOMENTS, err);
}

sbl_status sbl_signed_moments_make(void **made, const sbl_facts *facts, const json_t *parameters,
                                   sbl_error *err)
{
    return make_of(made, facts, parameters, SBL_SIGNED_MOMENTS, err);
}

sbl_status sbl_pooled_moments_make(void **made, const sbl_facts *facts, const json_t *parameters,
                                   sbl_error *err)
{
    return make_of(made, facts, parameters, SBL_POOLED_MOMENTS, err);
}

json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features, const double *scales,
                                  size_t scale_count, uint64_t seed)
{
    json_t *object = sbl_encoded_parameters(encoded);
    object = sbl_json_put(object, "features", json_integer((json_int_t)features));
    object = sbl_json_put(object, "scales", sbl_parameters_from_reals(scales, scale_count));
    return sbl_json_put(object, "seed", sbl_parameters_from_seed(seed));
}

void sbl_perceptual_free(void *made)
{
    sbl_perceptual *p = made;
    sbl_encoded_clear(&p->encoded);
    sbl_orthogonal_clear(&p->frequencies);
    sbl_free(p);
}

sbl_status sbl_perceptual_make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    double *scales = NULL;
    sbl_orthogonal_rule rule = {0};
    sbl_status status = SBL_OK;
    sbl_perceptual *p;
    SBL_ALLOC(p, 1, "features of an encoder");
    SBL_TRY(sbl_encoded_read(&p->encoded, facts, parameters, 7, SBL_PERCEPTUAL, err));
    if (p->encoded.alike || p->encoded.mirrored)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'layers_alike' and 'mirrored' apply only to moments", SBL_PERCEPTUAL);
    SBL_TRY(sbl_parameters_frequencies(&rule.frequencies, &rule.seed, parameters, SBL_PERCEPTUAL, err));
    SBL_TRY(sbl_parameters_reals(&scales, &rule.scale_count, parameters, "scales", SBL_MOST_SCALES,
                                 SBL_PERCEPTUAL, err));
    for (size_t l = 0; l < p->encoded.layer_count; l++) {
        p->volumes[l] = sbl_encoded_layer(&p->encoded, l)->volume;
        p->width += sbl_points_count(p->volumes[l]);
    }
    /* Scales of frequencies are in units of sqrt(P / 6); ours are absolute. */
    for (size_t i = 0; i < rule.scale_count; i++) scales[i] /= sqrt((double)p->width / 6);
    rule.scales = scales;
    SBL_TRY(sbl_orthogonal_init(&p->frequencies, p->width, &rule, err));
    *made = p;
    p = NULL;
done:
    if (p != NULL) sbl_perceptual_free(p);
    sbl_free(scales);
    return status;
}

sbl_points_job sbl_perceptual_points(const sbl_perceptual *made, const float **values,
                                     const sbl_encoder_workspace *workspace, size_t rows)
{
    const sbl_encoded *e = &made->encoded;
    for (size_t l = 0; l < e->layer_count; l++)
        values[l] = sbl_encoder_activation_values(workspace, e->layers[l]);
    return (sbl_points_job){.rows = rows,
                            .layers = e->layer_count,
                            .width = made->width,
                            .volumes = made->volumes,
                            .values = values};
}
