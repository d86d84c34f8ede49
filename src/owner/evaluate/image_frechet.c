/* SPDX-License-Identifier: Apache-2.0 */
/* Means and covariances, and tr (S1 S2)^(1/2) by two symmetric eigenproblems, on one thread, because LAPACK's sums depend on
 * their number. Of an evaluation: the synthetic images, the floor, real ones and noise, each against the test images. */
#include "owner/evaluate/image_frechet.h"

#include <math.h>

#include "base/alloc.h"
#include "base/compute/lapack.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "owner/evaluate/image_study.h"
#include "owner/fidelity/compared_tables.h"

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
        for (size_t a = 0; a < w; a++) g->mean[a] += ((double)rows[i * w + a] - g->mean[a]) / (double)(i + 1);
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
    SBL_CHECK(sbl_symmetric_eigen(first, values, w, err)); /* rows of first: V */
    drop_rounding(values, w);
    multiply(product, first, second, w); /* V S2 */
    for (size_t a = 0; a < w; a++)
        for (size_t b = a; b < w; b++) {
            double sum = 0;
            for (size_t c = 0; c < w; c++) sum += product[a * w + c] * first[b * w + c];
            inner[a * w + b] = sum * sqrt(values[a]) * sqrt(values[b]);
        }
    SBL_CHECK(sbl_symmetric_eigen(inner, values, w, err));
    drop_rounding(values, w);
    *out = 0;
    for (size_t a = 0; a < w; a++) *out += sqrt(values[a]);
    return SBL_OK;
}

sbl_status sbl_frechet_distance(double *distance, const float *first, size_t first_count, const float *second,
                                size_t second_count, size_t width, sbl_error *err)
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
    SBL_TRY(root_trace(&root, g1.covariance, g2.covariance, values, arena + 2 * square, arena + 3 * square,
                       width, err));
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

/* The test images' features, and room for those of what is compared with them. */
typedef struct comparison {
    const sbl_image_study *study;
    const sbl_image_encoder *encoder;
    size_t count; /* images of each */
    float *real, *other;
    uint64_t part; /* of PARTS: how far it has come */
} comparison;

#define PARTS (SBL_SIDE_COUNT + 2) /* the test images, what is compared with them, and noise */

static sbl_status encode_next(float *features, comparison *c, const sbl_image_data *images, sbl_error *err)
{
    const sbl_progress_span span = sbl_progress_part(&c->study->progress, c->part++, PARTS);
    return sbl_image_encode_some(features, c->encoder, images, c->count, c->study->options->seed, &span, err);
}

static sbl_status distance_of(double *distance, comparison *c, const sbl_image_data *images, sbl_error *err)
{
    SBL_CHECK(encode_next(c->other, c, images, err));
    return sbl_frechet_distance(distance, c->other, c->count, c->real, c->count, c->encoder->width, err);
}

static sbl_status distance_of_noise(double *distance, comparison *c, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_data noise;
    SBL_TRY(sbl_image_noise(&noise, c->study->test->shape, c->count, c->study->options->seed, err));
    SBL_TRY(distance_of(distance, c, &noise, err));
done:
    sbl_image_floor_clear(&noise);
    return status;
}

static sbl_status measure_sides(double distances[SBL_SIDE_COUNT], double *noise, const sbl_image_study *s,
                                const sbl_image_encoder *encoder, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = count * encoder->width;
    comparison c = {.study = s, .encoder = encoder, .count = count};
    SBL_ALLOC(c.real, size, "the features of images");
    SBL_ALLOC(c.other, size, "the features of images");
    SBL_TRY(encode_next(c.real, &c, s->test, err));
    for (int side = 0; side < SBL_SIDE_COUNT; side++)
        if (s->sides[side].images != NULL)
            SBL_TRY(distance_of(&distances[side], &c, s->sides[side].images, err));
    SBL_TRY(distance_of_noise(noise, &c, err));
done:
    sbl_free_wiped(c.real, size * sizeof *c.real);
    sbl_free_wiped(c.other, size * sizeof *c.other);
    return status;
}

static json_t *text_or_null(const char *text) { return text != NULL ? json_string(text) : json_null(); }

/* The feature space, by all that tells it from others. */
static json_t *describe(const sbl_image_encoder *encoder, size_t images)
{
    return json_pack("{s:s,s:o,s:o,s:o,s:I,s:I}", "encoder", encoder->name, "sha256",
                     text_or_null(encoder->hash), "trained_on", text_or_null(encoder->origin), "side",
                     encoder->side != 0 ? json_integer((json_int_t)encoder->side) : json_null(), "width",
                     (json_int_t)encoder->width, "images", (json_int_t)images);
}

sbl_status sbl_image_measure_frechet(json_t **result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_encoder own = {0};
    const sbl_image_encoder *encoder = s->options->encoder;
    double distances[SBL_SIDE_COUNT] = {NAN, NAN, NAN}, noise = NAN;
    const size_t count = images_of_each(s);
    if (encoder == NULL) {
        SBL_TRY(sbl_image_encoder_random(&own, s->test->shape, err));
        encoder = &own;
    }
    if (count >= 2) SBL_TRY(measure_sides(distances, &noise, s, encoder, count, err));
    json_t *measured = describe(encoder, count);
    measured = sbl_json_put(measured, "distance", sbl_triple_json(distances));
    measured = sbl_json_put(measured, "noise", sbl_number_json(noise));
    *result = sbl_json_put(*result, "frechet", measured);
done:
    if (own.free != NULL) own.free(own.state);
    return status;
}
