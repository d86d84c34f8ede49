/* Two feature spaces: a network with random weights of a fixed seed, and a frozen one from a file; features of a random choice
 * of images, 100 at a time. Then means and covariances, and tr (S1 S2)^(1/2) by two symmetric eigenproblems, on one
 * thread, because LAPACK's sums depend on their number. */
#include "evaluate/image_frechet.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "compute/lapack.h"
#include "compute/threads.h"
#include "encoder/encoder.h"
#include "evaluate/image_study.h"
#include "fidelity/tables.h"
#include "nn/net.h"

/* ---- feature spaces ---- */

#define ENCODER_SEED 20240
#define CHANNELS 32
#define QUARTERS 4
#define SLOPE 0.2

typedef struct random_encoder {
    sbl_net net;
    sbl_net_workspace workspace;
} random_encoder;

/* Means of each channel over the quarters of a (height, width, channels) volume. A side of one
 * pixel is in both of its halves. */
static void quarter_means(float *features, const float *outputs, sbl_volume v)
{
    for (size_t quarter = 0; quarter < QUARTERS; quarter++) {
        const size_t top = quarter / 2 * (v.height / 2), left = quarter % 2 * (v.width / 2);
        const size_t bottom = top + (v.height + 1) / 2, right = left + (v.width + 1) / 2;
        float *mean = features + quarter * v.channels;
        const float share = 1 / (float)((bottom - top) * (right - left));
        memset(mean, 0, v.channels * sizeof *mean);
        for (size_t y = top; y < bottom; y++)
            for (size_t x = left; x < right; x++)
                for (size_t c = 0; c < v.channels; c++)
                    mean[c] += share * outputs[(y * v.width + x) * v.channels + c];
    }
}

static sbl_status encode(void *state, float *features, const float *images, size_t count,
                         sbl_error *err)
{
    random_encoder *e = state;
    const sbl_volume v = e->net.output;
    const float *outputs = sbl_net_forward(&e->net, &e->workspace, images, count, false);
    (void)err;
    for (size_t i = 0; i < count; i++)
        quarter_means(features + i * QUARTERS * v.channels, outputs + i * sbl_volume_size(v), v);
    return SBL_OK;
}

static void encoder_free(void *state)
{
    random_encoder *e = state;
    if (e == NULL) return;
    sbl_net_workspace_clear(&e->workspace);
    sbl_net_clear(&e->net);
    sbl_free(e);
}

sbl_status sbl_image_encoder_random(sbl_image_encoder *encoder, sbl_image_shape shape,
                                    sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_layer layers[] = {sbl_layer_conv(CHANNELS, 3, 2, 1), sbl_layer_leaky_relu(SLOPE),
                                sbl_layer_conv(CHANNELS, 3, 2, 1), sbl_layer_leaky_relu(SLOPE),
                                sbl_layer_conv(CHANNELS, 3, 2, 1)};
    random_encoder *e = sbl_alloc_array(1, sizeof *e);
    *encoder = (sbl_image_encoder){0};
    if (e == NULL) return sbl_no_memory(err, "an encoder of images");
    SBL_TRY(sbl_net_init(&e->net, sbl_volume_of(shape.height, shape.width, shape.channels), layers,
                         sizeof layers / sizeof *layers, err));
    sbl_net_randomise(&e->net, ENCODER_SEED);
    /* From +- 1 / sqrt(fan in) to the variance 2 / fan in that keeps the size of signals behind a
     * ReLU (He et al. 2015). */
    for (size_t i = 0; i < e->net.weight_count; i++) e->net.weights[i] *= sqrtf(6);
    SBL_TRY(
        sbl_net_workspace_init(&e->workspace, &e->net, SBL_IMAGE_ENCODE_ROWS, SBL_NET_SAMPLE, err));
    *encoder = (sbl_image_encoder){
        .name = "random convolutional network (3 layers, fixed seed, 128 features)",
        .width = QUARTERS * CHANNELS,
        .state = e,
        .encode = encode,
        .free = encoder_free};
done:
    if (status != SBL_OK) encoder_free(e);
    return status;
}

static sbl_status encode_by_file(void *state, float *features, const float *images, size_t count,
                                 sbl_error *err)
{
    (void)err;
    sbl_encoder_run(state, features, NULL, images, count);
    return SBL_OK;
}

static void free_of_file(void *state) { sbl_encoder_free(state); }

sbl_status sbl_image_encoder_file(sbl_image_encoder *encoder, const char *path,
                                  sbl_image_shape shape, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_encoder *e = NULL;
    *encoder = (sbl_image_encoder){0};
    SBL_TRY(sbl_encoder_load(&e, path, SBL_ENCODER_SIDE, err));
    SBL_TRY(sbl_encoder_prepare(e, sbl_volume_of(shape.height, shape.width, shape.channels),
                                SBL_IMAGE_ENCODE_ROWS, err));
    *encoder = (sbl_image_encoder){.name = sbl_encoder_name(e),
                                   .width = sbl_encoder_width(e),
                                   .state = e,
                                   .encode = encode_by_file,
                                   .free = free_of_file};
done:
    if (status != SBL_OK) sbl_encoder_free(e);
    return status;
}

sbl_status sbl_image_encode_some(float *features, const sbl_image_encoder *encoder,
                                 const sbl_image_data *images, size_t count, uint64_t seed,
                                 const sbl_progress_span *progress, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = sbl_image_size(images->shape);
    uint32_t *index = sbl_alloc_array(count, sizeof *index);
    float *pixels = sbl_alloc_array(SBL_IMAGE_ENCODE_ROWS, size * sizeof *pixels);
    if (index == NULL || pixels == NULL) SBL_TRY(sbl_no_memory(err, "the features of images"));
    sbl_image_choose(index, count, images, seed);
    for (size_t first = 0; first < count; first += SBL_IMAGE_ENCODE_ROWS) {
        if (!sbl_progress_goes_on(progress, first, count)) SBL_TRY(sbl_progress_fail(err));
        const size_t left = count - first;
        const size_t rows = left < SBL_IMAGE_ENCODE_ROWS ? left : SBL_IMAGE_ENCODE_ROWS;
        sbl_image_floats(pixels, images, index + first, 0, rows);
        SBL_TRY(
            encoder->encode(encoder->state, features + first * encoder->width, pixels, rows, err));
    }
done:
    sbl_free_wiped(pixels, SBL_IMAGE_ENCODE_ROWS * size * sizeof *pixels);
    sbl_free(index);
    return status;
}

/* ---- the distance ---- */

#define ROUNDING 2.2e-16

/* Mean and covariance (divisor n - 1) of w features. */
typedef struct gaussian {
    double *mean;       /* (w) */
    double *covariance; /* (w, w) */
} gaussian;

static void gaussian_fit(gaussian *g, const float *rows, size_t count, size_t w)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < w; a++)
            g->mean[a] += ((double)rows[i * w + a] - g->mean[a]) / (double)(i + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < w; a++) {
            const double difference = (double)rows[i * w + a] - g->mean[a];
            for (size_t b = 0; b <= a; b++)
                g->covariance[a * w + b] += difference * ((double)rows[i * w + b] - g->mean[b]);
        }
    for (size_t a = 0; a < w; a++)
        for (size_t b = 0; b <= a; b++) {
            g->covariance[a * w + b] /= (double)(count - 1);
            g->covariance[b * w + a] = g->covariance[a * w + b];
        }
}

static double trace(const double *matrix, size_t w)
{
    double sum = 0;
    for (size_t a = 0; a < w; a++) sum += matrix[a * w + a];
    return sum;
}

/* out (w, w) += left right, all dense. */
static void multiply(double *out, const double *left, const double *right, size_t w)
{
    for (size_t a = 0; a < w; a++)
        for (size_t c = 0; c < w; c++) {
            const double factor = left[a * w + c];
            for (size_t b = 0; b < w; b++) out[a * w + b] += factor * right[c * w + b];
        }
}

/* Eigenvalues (w, rising) of a matrix that has none below zero: what is left of them by rounding is
 * zero, so that its root, which is much larger, does not count. */
static void drop_rounding(double *values, size_t w)
{
    const double least = ROUNDING * (double)w * fmax(values[w - 1], 0);
    for (size_t a = 0; a < w; a++) values[a] = values[a] > least ? values[a] : 0;
}

/* tr (S1 S2)^(1/2) is the sum of the singular values of S1^(1/2) S2^(1/2), and with S1 = V' L V
 * that of the roots of the eigenvalues of L^(1/2) V S2 V' L^(1/2), which is symmetric. */
static sbl_status root_trace(double *out, double *first, const double *second, double *values,
                             double *product, double *inner, size_t w, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_symmetric_eigen(first, values, w, err)); /* rows of first: V */
    drop_rounding(values, w);
    multiply(product, first, second, w); /* V S2 */
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++) {
            double sum = 0;
            for (size_t c = 0; c < w; c++) sum += product[a * w + c] * first[b * w + c];
            inner[a * w + b] = sum * sqrt(values[a]) * sqrt(values[b]);
        }
    SBL_TRY(sbl_symmetric_eigen(inner, values, w, err));
    drop_rounding(values, w);
    *out = 0;
    for (size_t a = 0; a < w; a++) *out += sqrt(values[a]);
done:
    return status;
}

sbl_status sbl_frechet_distance(double *distance, const float *first, size_t first_count,
                                const float *second, size_t second_count, size_t width,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t square = width * width, size = 4 * square + 3 * width;
    const int threads = sbl_thread_limit();
    double sum = 0, root;
    *distance = 0;
    if (first_count < 2 || second_count < 2)
        return sbl_fail(err, SBL_EARG, "a Frechet distance needs at least 2 images on each side");
    double *arena = sbl_alloc_array(size, sizeof *arena);
    if (arena == NULL) return sbl_no_memory(err, "a Frechet distance");
    double *values = arena + 4 * square;
    gaussian g1 = {.mean = values + width, .covariance = arena};
    gaussian g2 = {.mean = values + 2 * width, .covariance = arena + square};
    gaussian_fit(&g1, first, first_count, width);
    gaussian_fit(&g2, second, second_count, width);
    for (size_t a = 0; a < width; a++) sum += (g1.mean[a] - g2.mean[a]) * (g1.mean[a] - g2.mean[a]);
    sum += trace(g1.covariance, width) + trace(g2.covariance, width);
    sbl_thread_set(1); /* LAPACK's sums depend on the number of threads */
    SBL_TRY(root_trace(&root, g1.covariance, g2.covariance, values, arena + 2 * square,
                       arena + 3 * square, width, err));
    *distance = fmax(sum - 2 * root, 0);
done:
    sbl_thread_set(threads);
    sbl_free_wiped(arena, size * sizeof *arena);
    return status;
}

/* ---- of an evaluation ---- */

#define FRECHET_LIMIT 5000

/* Equally many images on every side: the distance is biased by their number. */
static size_t images_of_each(const sbl_image_study *s)
{
    size_t count = s->test->count < FRECHET_LIMIT ? s->test->count : FRECHET_LIMIT;
    for (int side = 0; side < SBL_SIDE_COUNT; side++) {
        const sbl_image_data *images = s->sides[side].images;
        if (images != NULL && images->count < count) count = images->count;
    }
    return count;
}

static sbl_status measure_sides(double distances[SBL_SIDE_COUNT], const sbl_image_study *s,
                                const sbl_image_encoder *encoder, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = count * encoder->width;
    float *real = sbl_alloc_array(count, encoder->width * sizeof *real);
    float *other = sbl_alloc_array(count, encoder->width * sizeof *other);
    if (real == NULL || other == NULL) SBL_TRY(sbl_no_memory(err, "the features of images"));
    const sbl_progress_span first = sbl_progress_part(&s->progress, 0, SBL_SIDE_COUNT + 1);
    SBL_TRY(sbl_image_encode_some(real, encoder, s->test, count, s->options->seed, &first, err));
    for (int side = 0; side < SBL_SIDE_COUNT; side++) {
        if (s->sides[side].images == NULL) continue;
        const sbl_progress_span part =
            sbl_progress_part(&s->progress, (uint64_t)side + 1, SBL_SIDE_COUNT + 1);
        SBL_TRY(sbl_image_encode_some(other, encoder, s->sides[side].images, count,
                                      s->options->seed, &part, err));
        SBL_TRY(
            sbl_frechet_distance(&distances[side], other, count, real, count, encoder->width, err));
    }
done:
    sbl_free_wiped(real, size * sizeof *real);
    sbl_free_wiped(other, size * sizeof *other);
    return status;
}

sbl_status sbl_image_measure_frechet(json_t **result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_encoder own = {0};
    const sbl_image_encoder *encoder = s->options->encoder;
    double distances[SBL_SIDE_COUNT] = {NAN, NAN, NAN};
    const size_t count = images_of_each(s);
    if (encoder == NULL) {
        SBL_TRY(sbl_image_encoder_random(&own, s->test->shape, err));
        encoder = &own;
    }
    if (count >= 2) SBL_TRY(measure_sides(distances, s, encoder, count, err));
    *result = sbl_json_put(*result, "frechet",
                           json_pack("{s:s,s:I,s:I,s:o}", "encoder", encoder->name, "width",
                                     (json_int_t)encoder->width, "images", (json_int_t)count,
                                     "distance", sbl_triple_json(distances)));
done:
    if (own.free != NULL) own.free(own.state);
    return status;
}
