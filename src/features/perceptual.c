/* [3] Points in the encoder's space (means over a 4 x 4 grid of each layer, scaled to length 1),
 * their derivative for training, and orthogonal Fourier features of the points for the sum. */
#include "features/perceptual.h"

#include <math.h>
#include <string.h>

#include "accumulate/sum.h"
#include "base/memory.h"
#include "compute/threads.h"
#include "features/parameters.h"

#define GRID 4
#define MOST_SCALES 16
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

void sbl_perceptual_points(const sbl_perceptual *made, float *points, float *lengths,
                           const sbl_encoder_room *workspace, size_t rows)
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

void sbl_perceptual_back(const sbl_perceptual *made, float *const *d_activations, float *d_points,
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

/* ---- the feature ---- */

json_t *sbl_perceptual_parameters(const sbl_encoded *encoded, uint64_t features,
                                  const double *scales, size_t scale_count, uint64_t seed)
{
    json_t *object = sbl_encoded_parameters(encoded);
    if (object != NULL &&
        json_object_set_new(object, "features", json_integer((json_int_t)features)) == 0 &&
        json_object_set_new(object, "scales", sbl_parameters_from_reals(scales, scale_count)) ==
            0 &&
        json_object_set_new(object, "seed", sbl_parameters_from_seed(seed)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* Scales of frequencies are in units of sqrt(P / 6) there; ours are absolute. */
static sbl_status draw_frequencies(sbl_perceptual *p, double *scales, size_t count,
                                   uint64_t features, uint64_t seed, sbl_error *err)
{
    for (size_t i = 0; i < count; i++) scales[i] /= sqrt((double)p->width / 6);
    const sbl_orthogonal_rule rule = {
        .frequencies = features / 2, .scales = scales, .scale_count = count, .seed = seed};
    return sbl_orthogonal_init(&p->frequencies, p->width, &rule, err);
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
    size_t scale_count;
    uint64_t features, seed;
    sbl_status status = SBL_OK;
    sbl_perceptual *p = sbl_alloc_array(1, sizeof *p);
    if (p == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for features of an encoder");
    SBL_TRY(sbl_encoded_read(&p->encoded, facts, parameters, 7, SBL_PERCEPTUAL, err));
    SBL_TRY(sbl_json_get_u64(&features, parameters, "features", SBL_PERCEPTUAL, err));
    SBL_TRY(sbl_parameters_seed(&seed, parameters, SBL_PERCEPTUAL, err));
    SBL_TRY(sbl_parameters_reals(&scales, &scale_count, parameters, "scales", MOST_SCALES,
                                 SBL_PERCEPTUAL, err));
    if (features < 2 || features > 1000000 || features % 2 != 0)
        SBL_FAIL(err, SBL_EARG, "features must be an even number from 2 to 1000000");
    for (size_t l = 0; l < p->encoded.layer_count; l++) {
        const sbl_volume v = sbl_encoded_layer(&p->encoded, l)->volume;
        p->width += cells_of(v) * v.channels;
    }
    SBL_TRY(draw_frequencies(p, scales, scale_count, features, seed, err));
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
    const double norm = sqrt((double)p->frequencies.frequencies);
    *block = (sbl_block){.name = "perceptual",
                         .width = 2 * p->frequencies.frequencies,
                         .group = 2,
                         .per_class = true,
                         .bound2 = SBL_GRID_BOUND2};
    block->scale = sbl_block_scale(block->width, block->bound2, norm);
    *weight = 1 / norm / block->scale;
}

typedef struct perceptual_room {
    sbl_encoder_room *encoder;
    float *numbers; /* pixels (slice, d), points (slice, P), features (slice, 2 n), scratch (n) */
} perceptual_room;

static size_t numbers_of(const sbl_perceptual *p)
{
    const size_t n = p->frequencies.size;
    return sbl_slice_rows(p->encoded.facts) * (p->encoded.facts->shape.numeric + p->width + 2 * n) +
           n;
}

static void workspace_free(void *workspace, const void *made)
{
    perceptual_room *r = workspace;
    sbl_encoder_room_free(r->encoder);
    sbl_free_wiped(r->numbers, numbers_of(made) * sizeof *r->numbers);
    sbl_free(r);
}

static sbl_status workspace_new(void **workspace, const void *made, sbl_error *err)
{
    const sbl_perceptual *p = made;
    sbl_status status = SBL_OK;
    perceptual_room *r = sbl_alloc_array(1, sizeof *r);
    if (r == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for the features of a few images");
    r->numbers = sbl_alloc_array(numbers_of(p), sizeof *r->numbers);
    if (r->numbers == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for the features of a few images");
    SBL_TRY(sbl_encoded_workspace(&r->encoder, &p->encoded, sbl_slice_rows(p->encoded.facts), false,
                                  err));
    *workspace = r;
    r = NULL;
done:
    if (r != NULL) workspace_free(r, made);
    return status;
}

static sbl_status add(sbl_sum *sum, size_t block, const void *made, void *workspace,
                      const sbl_records *records, sbl_error *err)
{
    const sbl_perceptual *p = made;
    const sbl_orthogonal *f = &p->frequencies;
    const sbl_facts *facts = p->encoded.facts;
    const size_t n = f->size, slice = sbl_slice_rows(facts);
    perceptual_room *r = workspace;
    float *pixels = r->numbers, *points = pixels + slice * facts->shape.numeric;
    float *features = points + slice * p->width, *scratch = features + slice * 2 * n;
    sbl_encoded_pixels(pixels, records, facts);
    sbl_encoder_forward(r->encoder, pixels, records->rows);
    sbl_perceptual_points(p, points, NULL, r->encoder, records->rows);
    for (size_t b = 0; b < f->blocks; b++) {
        sbl_orthogonal_rows(f, features, 2 * n, points, p->width, records->rows, b, scratch);
        const sbl_status status = sbl_sum_add_f32(
            sum, block, 2 * b * n, 2 * sbl_orthogonal_used(f, b), features, 2 * n, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

const sbl_feature sbl_feature_perceptual = {
    .name = SBL_PERCEPTUAL,
    .make = make,
    .free = free_made,
    .describe = describe,
    .workspace_new = workspace_new,
    .workspace_free = workspace_free,
    .add = add,
    .loss_new = sbl_perceptual_loss_new,
    .loss_step = sbl_perceptual_loss_step,
    .loss_free = sbl_perceptual_loss_free,
    .loss_memory = sbl_perceptual_loss_memory,
    .costly = true,
};
