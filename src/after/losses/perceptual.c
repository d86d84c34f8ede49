/* The loss separates over classes: a class at a time goes through the encoder, into the Fourier loss
 * of its points (records/features/orthogonal.h), and back; so the activations of one class are all that
 * is in memory, and of a large class those of a part of its rows: they are found twice. */
#include "after/losses/perceptual.h"

#include <math.h>
#include <string.h>

#include "after/losses/loss_common.h"
#include "base/alloc.h"
#include "base/backend/backend_internal.h"
#include "public/plan/parameters.h"
#include "records/accumulate/sum.h"

/* [3] Points in the encoder's space are a backend's to find (base/backend/shapes.h); of records they are the CPU's, and
 * orthogonal Fourier features of them go into the sum. */

/* Where the images that the workspace last ran have their points. */
static sbl_points_job points_of(const sbl_perceptual *made, const float **values,
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

/* ---- the loss ---- */

/* A class as the Fourier loss sees it: points in place of pixels, and no other class. */
typedef struct class_part {
    sbl_facts facts; /* classes = 1, and nothing else */
    size_t starts[2];
    double share, weight;
    sbl_generated generated;
    void *loss; /* NULL: the class has no rows */
} class_part;

typedef struct perceptual_loss {
    sbl_loss common;
    const sbl_perceptual *made;
    sbl_encoded_pass pass;
    float *points, *d_points; /* tensors (rows of the largest class, P) */
    float *lengths;           /* tensor (rows, activations taken) */
    double network_bytes;     /* of a class, before it goes through in parts */
    class_part *classes;
    size_t class_count;
} perceptual_loss;

static void loss_clear(void *loss)
{
    perceptual_loss *l = loss;
    for (size_t c = 0; l->classes != NULL && c < l->class_count; c++)
        sbl_loss_free(&sbl_feature_orthogonal, l->classes[c].loss);
    sbl_encoder_workspace_free(l->pass.encoder);
}

static sbl_status begin_class(perceptual_loss *l, size_t c, const sbl_target *target,
                              const sbl_generated *generated, sbl_error *err)
{
    class_part *part = &l->classes[c];
    const size_t rows = sbl_generated_seen(generated, target->part, c);
    const size_t width = 2 * l->made->frequencies.frequencies;
    const sbl_target own = {.means = target->means + c * width,
                            .deviation = target->deviation,
                            .weight = target->weight,
                            .memory = target->memory};
    part->facts.classes = 1;
    part->starts[1] = rows;
    part->share = generated->shares[c];
    part->weight = generated->weights[c];
    part->generated = (sbl_generated){.on = generated->on,
                                      .facts = &part->facts,
                                      .rows = rows,
                                      .starts = part->starts,
                                      .shares = &part->share,
                                      .weights = &part->weight,
                                      .pixels = l->points,
                                      .d_pixels = l->d_points};
    return rows > 0 ? sbl_loss_new(&part->loss, &sbl_feature_orthogonal, &l->made->frequencies, &own,
                                   &part->generated, err)
                    : SBL_OK;
}

static size_t at_once(const perceptual_loss *l, size_t rows)
{
    return sbl_encoded_rows_at_once(&l->made->encoded, l->network_bytes, rows);
}

/* Of any class: a smaller one may have the larger parts. */
static size_t most_at_once(const perceptual_loss *l, const sbl_target *target, const sbl_generated *generated)
{
    size_t most = 1;
    for (size_t c = 0; c < l->class_count; c++) {
        const size_t rows = at_once(l, sbl_generated_seen(generated, target->part, c));
        if (rows > most) most = rows;
    }
    return most;
}

static sbl_status loss_init(void *loss, const void *made, const sbl_target *target,
                            const sbl_generated *generated, sbl_error *err)
{
    const size_t rows = sbl_generated_most_seen(generated, target->part);
    sbl_status status = SBL_OK;
    perceptual_loss *l = loss;
    l->made = made;
    l->class_count = generated->facts->classes;
    SBL_TENSOR(&l->common.tensors, l->points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->d_points, rows, l->made->width, "training");
    SBL_TENSOR(&l->common.tensors, l->lengths, rows, l->made->encoded.layer_count, "training");
    SBL_POOL(&l->common.pool, l->classes, l->class_count, 1, "training");
    l->network_bytes = generated->network_bytes;
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, &l->made->encoded,
                                  most_at_once(l, target, generated), err));
    for (size_t c = 0; c < l->class_count; c++) SBL_TRY(begin_class(l, c, target, generated, err));
done:
    return status;
}

/* Rows of a class, of which `first` is the first of these. */
static sbl_points_job job_of(const perceptual_loss *l, const float **values, size_t first, size_t rows)
{
    sbl_points_job job = points_of(l->made, values, l->pass.encoder, rows);
    job.points = l->points + first * l->made->width;
    job.d_points = l->d_points + first * l->made->width;
    job.lengths = l->lengths + first * l->made->encoded.layer_count;
    job.d_values = l->pass.d_taken;
    return job;
}

/* images: of the class. */
static void rows_forward(perceptual_loss *l, const float *images, size_t first, size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_encoder_forward(l->pass.encoder, images + first * l->made->encoded.facts->shape.numeric, rows);
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points(on->device, &job);
}

static void rows_back(perceptual_loss *l, float *d_images, size_t first, size_t rows)
{
    const sbl_backend *on = l->common.tensors.on;
    const float *values[SBL_ENCODED_MOST_LAYERS];
    const sbl_points_job job = job_of(l, values, first, rows);
    on->points_back(on->device, &job);
    sbl_encoder_backward(l->pass.encoder, d_images + first * l->made->encoded.facts->shape.numeric,
                         l->pass.d_all);
}

/* Parts in order, then back from the last, whose activations are still there. */
static double class_step(perceptual_loss *l, class_part *part, const float *images, float *d_images)
{
    const size_t rows = part->generated.rows, each = at_once(l, rows), last = (rows - 1) / each;
    const sbl_backend *on = l->common.tensors.on;
    for (size_t p = 0; p <= last; p++)
        rows_forward(l, images, p * each, p < last ? each : rows - last * each);
    on->zero(on->device, l->d_points, rows * l->made->width);
    const double loss = sbl_feature_orthogonal.loss_step(part->loss, &part->generated);
    rows_back(l, d_images, last * each, rows - last * each);
    for (size_t p = last; p-- > 0;) {
        rows_forward(l, images, p * each, each);
        rows_back(l, d_images, p * each, each);
    }
    return loss;
}

static double loss_step(void *loss, sbl_generated *generated)
{
    perceptual_loss *l = loss;
    const size_t size = generated->facts->shape.numeric;
    double sum = 0;
    for (size_t c = 0; c < l->class_count; c++) {
        const size_t first = generated->starts[c] * size;
        if (l->classes[c].generated.rows > 0)
            sum += class_step(l, &l->classes[c], generated->pixels + first, generated->d_pixels + first);
    }
    return sum;
}

/* Of the i-th class that has rows. */
static sbl_running *loss_memory(void *loss, size_t i)
{
    const perceptual_loss *l = loss;
    for (size_t c = 0; c < l->class_count; c++)
        if (l->classes[c].loss != NULL && i-- == 0)
            return sbl_loss_memory(&sbl_feature_orthogonal, l->classes[c].loss, 0);
    return NULL;
}

/* ---- the feature ---- */

json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features, const double *scales,
                                  size_t scale_count, uint64_t seed)
{
    json_t *object = sbl_encoded_parameters(encoded);
    object = sbl_json_put(object, "features", json_integer((json_int_t)features));
    object = sbl_json_put(object, "scales", sbl_parameters_from_reals(scales, scale_count));
    return sbl_json_put(object, "seed", sbl_parameters_from_seed(seed));
}

static void free_made(void *made)
{
    sbl_perceptual *p = made;
    sbl_encoded_clear(&p->encoded);
    sbl_orthogonal_clear(&p->frequencies);
    sbl_free(p);
}

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters, sbl_error *err)
{
    double *scales = NULL;
    sbl_orthogonal_rule rule = {0};
    sbl_status status = SBL_OK;
    sbl_perceptual *p;
    SBL_ALLOC(p, 1, "features of an encoder");
    SBL_TRY(sbl_encoded_read(&p->encoded, facts, parameters, 7, SBL_PERCEPTUAL, err));
    if (p->encoded.alike || p->encoded.mirrored)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'layers_alike' and 'mirrored' are of moments", SBL_PERCEPTUAL);
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
    if (p != NULL) free_made(p);
    sbl_free(scales);
    return status;
}

static void describe(const void *made, sbl_block *block, double *weight)
{
    const sbl_perceptual *p = made;
    sbl_fourier_describe(block, weight, "perceptual", p->frequencies.frequencies);
}

static sbl_status check_name(const void *made, const char *called, sbl_error *err)
{
    return sbl_encoded_check_name(&((const sbl_perceptual *)made)->encoded, called, err);
}

/* Points (slice, P), features (slice, 2 n), scratch (n). */
static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_perceptual *p = made;
    const size_t n = p->frequencies.size;
    return sbl_encoded_records_new(workspace, &p->encoded,
                                   sbl_slice_rows(p->encoded.facts) * (p->width + 2 * n) + n, err);
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_perceptual *p = made;
    sbl_encoded_records *w = workspace;
    float *points = sbl_encoded_records_run(w, &p->encoded, records);
    const float *values[SBL_ENCODED_MOST_LAYERS];
    sbl_points_job job = points_of(p, values, w->encoder, records->rows);
    job.points = points;
    sbl_points_forward(&job);
    return sbl_orthogonal_add(sum, block, &p->frequencies,
                              points + sbl_slice_rows(p->encoded.facts) * p->width, points, records->rows,
                              err);
}

const sbl_feature sbl_feature_perceptual = {
    .name = SBL_PERCEPTUAL,
    .make = make,
    .free = free_made,
    .describe = describe,
    .check_name = check_name,
    .workspace_new = workspace_new,
    .workspace_free = sbl_encoded_records_free,
    .add = add,
    .loss_size = sizeof(perceptual_loss),
    .loss_init = loss_init,
    .loss_step = loss_step,
    .loss_clear = loss_clear,
    .loss_memory = loss_memory,
    .costly = true,
    .any_backend = true,
};
