/* The loss separates over classes: a class at a time goes through the encoder, into the Fourier loss
 * of its points (features/orthogonal.h), and back; so the activations of one class are all that
 * is in memory, and of a large class those of a part of its rows: they are found twice. */
#include "features/perceptual.h"
#include "features/loss_parts.h"

#include <math.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "features/orthogonal.h"
#include "features/parameters.h"

/* [3] Points in the encoder's space (means over a 4 x 4 grid of each layer, scaled to length 1),
 * their derivative for training, and orthogonal Fourier features of the points for the sum. */

#define GRID 4
#define LEAST_LENGTH 1e-6f

/* ---- points ---- */

static size_t grid_of(size_t side) { return side < GRID ? side : GRID; }

static size_t cells_of(sbl_volume v) { return grid_of(v.height) * grid_of(v.width); }

/* Means of a volume over its cells: (cells, channels). Cell g of a side of h pixels has those from
 * floor(g h / G) to below floor((g + 1) h / G). */
static void pool(float *restrict means, const float *restrict x, sbl_volume v)
{
    const size_t down = grid_of(v.height), across = grid_of(v.width), n = v.channels;
    for (size_t cell = 0; cell < down * across; cell++) {
        const size_t i = cell / across, j = cell % across;
        const size_t top = i * v.height / down, bottom = (i + 1) * v.height / down;
        const size_t left = j * v.width / across, right = (j + 1) * v.width / across;
        const float share = 1 / (float)((bottom - top) * (right - left));
        float *mean = means + cell * n;
        memset(mean, 0, n * sizeof *mean);
        for (size_t p = top; p < bottom; p++)
            for (size_t q = left; q < right; q++)
                for (size_t c = 0; c < n; c++) mean[c] += x[(p * v.width + q) * n + c];
        for (size_t c = 0; c < n; c++) mean[c] *= share;
    }
}

/* The transpose; every pixel is in one cell. */
static void unpool(float *restrict dx, const float *restrict d_means, sbl_volume v)
{
    const size_t down = grid_of(v.height), across = grid_of(v.width), n = v.channels;
    for (size_t cell = 0; cell < down * across; cell++) {
        const size_t i = cell / across, j = cell % across;
        const size_t top = i * v.height / down, bottom = (i + 1) * v.height / down;
        const size_t left = j * v.width / across, right = (j + 1) * v.width / across;
        const float share = 1 / (float)((bottom - top) * (right - left));
        for (size_t p = top; p < bottom; p++)
            for (size_t q = left; q < right; q++)
                for (size_t c = 0; c < n; c++)
                    dx[(p * v.width + q) * n + c] = share * d_means[cell * n + c];
    }
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* x / (|x| + least) / sqrt(layers), in place. Returns |x|. */
static float normalise(float *x, size_t count, size_t layers)
{
    const float length = (float)sqrt(dot(x, x, count));
    const float factor = 1 / ((length + LEAST_LENGTH) * sqrtf((float)layers));
    for (size_t i = 0; i < count; i++) x[i] *= factor;
    return length;
}

/* Points (rows, P) of the images that the workspace last ran, and lengths (rows, activations taken) of
 * the averages before they were scaled; may be NULL. */
static void find_points(const sbl_perceptual *made, float *points, float *lengths,
                        const sbl_encoder_workspace *workspace, size_t rows)
{
    const sbl_encoded *e = &made->encoded;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        float *at = points + r * made->width;
        for (size_t l = 0; l < e->layer_count; l++) {
            const sbl_volume v = sbl_encoded_layer(e, l)->volume;
            const float *x = sbl_encoder_activation_values(workspace, e->layers[l]);
            const size_t count = cells_of(v) * v.channels;
            pool(at, x + r * sbl_volume_size(v), v);
            const float length = normalise(at, count, e->layer_count);
            if (lengths != NULL) lengths[r * e->layer_count + l] = length;
            at += count;
        }
    }
}

/* With m the means, n = |m| and q = m / ((n + least) sqrt(layers)) the point:
 * dm = (dq - (dq . m/n) m/n n / (n + least)) / ((n + least) sqrt(layers)), and m/n = q/|q|; the zero
 * vector moves nothing. d: dq, becomes dm. */
static void normalise_back(float *d, const float *q, double n, size_t count, size_t layers)
{
    const double least = LEAST_LENGTH, q2 = dot(q, q, count);
    if (!(n > 0 && q2 > 0)) {
        memset(d, 0, count * sizeof *d);
        return;
    }
    const float along = (float)(dot(d, q, count) / q2 * n / (n + least));
    const float factor = (float)(1 / ((n + least) * sqrt((double)layers)));
    for (size_t i = 0; i < count; i++) d[i] = factor * (d[i] - along * q[i]);
}

/* d_activations (one per activation that is taken, (rows, volume)) from d_points, which is worked
 * on, for these points. */
static void points_back(const sbl_perceptual *made, float *const *d_activations, float *d_points,
                        const float *points, const float *lengths, size_t rows)
{
    const sbl_encoded *e = &made->encoded;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        size_t at = r * made->width;
        for (size_t l = 0; l < e->layer_count; l++) {
            const sbl_volume v = sbl_encoded_layer(e, l)->volume;
            const size_t count = cells_of(v) * v.channels;
            normalise_back(d_points + at, points + at, (double)lengths[r * e->layer_count + l],
                           count, e->layer_count);
            unpool(d_activations[l] + r * sbl_volume_size(v), d_points + at, v);
            at += count;
        }
    }
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
    float *points, *d_points; /* (rows of the largest class, P) */
    float *lengths;           /* (rows, activations taken) */
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
    return rows > 0 ? sbl_loss_new(&part->loss, &sbl_feature_orthogonal, &l->made->frequencies,
                                   &own, &part->generated, err)
                    : SBL_OK;
}

static size_t at_once(const perceptual_loss *l, size_t rows)
{
    return sbl_encoded_rows_at_once(&l->made->encoded, l->network_bytes, rows);
}

/* Of any class: a smaller one may have the larger parts. */
static size_t most_at_once(const perceptual_loss *l, const sbl_target *target,
                           const sbl_generated *generated)
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
    SBL_POOL(&l->common.pool, l->points, rows, l->made->width, "training");
    SBL_POOL(&l->common.pool, l->d_points, rows, l->made->width, "training");
    SBL_POOL(&l->common.pool, l->lengths, rows, l->made->encoded.layer_count, "training");
    SBL_POOL(&l->common.pool, l->classes, l->class_count, 1, "training");
    l->network_bytes = generated->network_bytes;
    SBL_TRY(sbl_encoded_pass_init(&l->pass, &l->common.tensors, &l->made->encoded,
                                  most_at_once(l, target, generated), err));
    for (size_t c = 0; c < l->class_count; c++) SBL_TRY(begin_class(l, c, target, generated, err));
done:
    return status;
}

/* Rows of a class, the first of the batch's images being `images`, to their points. */
static void rows_forward(perceptual_loss *l, const float *images, size_t first, size_t rows)
{
    const size_t size = l->made->encoded.facts->shape.numeric;
    sbl_encoder_forward(l->pass.encoder, images + first * size, rows);
    find_points(l->made, l->points + first * l->made->width,
                l->lengths + first * l->made->encoded.layer_count, l->pass.encoder, rows);
}

static void rows_back(perceptual_loss *l, float *d_images, size_t first, size_t rows)
{
    const size_t size = l->made->encoded.facts->shape.numeric, at = first * l->made->width;
    points_back(l->made, l->pass.d_taken, l->d_points + at, l->points + at,
                l->lengths + first * l->made->encoded.layer_count, rows);
    sbl_encoder_backward(l->pass.encoder, d_images + first * size, l->pass.d_all);
}

/* Parts in order, then back from the last, whose activations are still there. */
static double class_step(perceptual_loss *l, class_part *part, const float *images, float *d_images)
{
    const size_t rows = part->generated.rows, each = at_once(l, rows), last = (rows - 1) / each;
    for (size_t p = 0; p <= last; p++)
        rows_forward(l, images, p * each, p < last ? each : rows - last * each);
    memset(l->d_points, 0, rows * l->made->width * sizeof *l->d_points);
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
            sum += class_step(l, &l->classes[c], generated->pixels + first,
                              generated->d_pixels + first);
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

json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features,
                                  const double *scales, size_t scale_count, uint64_t seed)
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

static sbl_status make(void **made, const sbl_facts *facts, const json_t *parameters,
                       sbl_error *err)
{
    double *scales = NULL;
    sbl_orthogonal_rule rule = {0};
    sbl_status status = SBL_OK;
    sbl_perceptual *p;
    SBL_ALLOC(p, 1, "features of an encoder");
    SBL_TRY(sbl_encoded_read(&p->encoded, facts, parameters, 7, SBL_PERCEPTUAL, err));
    if (p->encoded.alike || p->encoded.mirrored)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'layers_alike' and 'mirrored' are of moments",
                 SBL_PERCEPTUAL);
    SBL_TRY(
        sbl_parameters_frequencies(&rule.frequencies, &rule.seed, parameters, SBL_PERCEPTUAL, err));
    SBL_TRY(sbl_parameters_reals(&scales, &rule.scale_count, parameters, "scales", SBL_MOST_SCALES,
                                 SBL_PERCEPTUAL, err));
    for (size_t l = 0; l < p->encoded.layer_count; l++) {
        const sbl_volume v = sbl_encoded_layer(&p->encoded, l)->volume;
        p->width += cells_of(v) * v.channels;
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
    find_points(p, points, NULL, w->encoder, records->rows);
    return sbl_orthogonal_add(sum, block, &p->frequencies,
                              points + sbl_slice_rows(p->encoded.facts) * p->width, points,
                              records->rows, err);
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
};
