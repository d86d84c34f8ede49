/* SPDX-License-Identifier: Apache-2.0 */
/* Two feature spaces: a network with random weights of a fixed seed, and a frozen one from a file; features of a random choice
 * of images, some at a time. */
#include "owner/evaluate/image_encoder.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/encoder/encoder.h"
#include "base/nn/net.h"

/* Images that go through a network at a time, and what its activations may take. */
#define ENCODE_ROWS ((size_t)100)
#define ENCODE_BYTES ((double)((size_t)256 << 20))

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

static sbl_status encode(void *state, float *features, const float *images, size_t count, sbl_error *err)
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

sbl_status sbl_image_encoder_random(sbl_image_encoder *encoder, sbl_image_shape shape, sbl_error *err)
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
    SBL_TRY(sbl_net_workspace_init(&e->workspace, &e->net, ENCODE_ROWS, SBL_NET_SAMPLE, err));
    *encoder =
        (sbl_image_encoder){.name = "random convolutional network (3 layers, fixed seed, 128 features)",
                            .width = QUARTERS * CHANNELS,
                            .rows = ENCODE_ROWS,
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

/* Images are not made smaller than they are. */
static size_t input_side(sbl_image_shape shape)
{
    const size_t longest = shape.height > shape.width ? shape.height : shape.width;
    if (longest <= SBL_ENCODER_SIDE) return SBL_ENCODER_SIDE;
    return longest < SBL_ENCODER_MOST_SIDE ? longest : SBL_ENCODER_MOST_SIDE;
}

/* An image's features do not depend on what else goes through with it. */
static size_t rows_at_a_time(const sbl_encoder *encoder)
{
    size_t rows = ENCODE_ROWS;
    while (rows > 1 && sbl_encoder_workspace_bytes(encoder, rows, false) > ENCODE_BYTES) rows /= 2;
    return rows;
}

sbl_status sbl_image_encoder_file(sbl_image_encoder *encoder, const char *path, sbl_image_shape shape,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_encoder *e = NULL;
    const size_t side = input_side(shape);
    *encoder = (sbl_image_encoder){0};
    SBL_TRY(sbl_encoder_load(&e, path, side, err));
    const size_t rows = rows_at_a_time(e);
    SBL_TRY(sbl_encoder_prepare(e, sbl_volume_of(shape.height, shape.width, shape.channels), rows, err));
    *encoder = (sbl_image_encoder){.name = sbl_encoder_name(e),
                                   .hash = sbl_encoder_hash(e),
                                   .origin = sbl_encoder_origin(e),
                                   .side = side,
                                   .width = sbl_encoder_width(e),
                                   .rows = rows,
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
    float *pixels = sbl_alloc_array(encoder->rows, size * sizeof *pixels);
    if (index == NULL || pixels == NULL) SBL_TRY(sbl_no_memory(err, "the features of images"));
    sbl_image_choose(index, count, images, seed);
    for (size_t first = 0; first < count; first += encoder->rows) {
        if (!sbl_progress_goes_on(progress, first, count)) SBL_TRY(sbl_progress_fail(err));
        const size_t left = count - first;
        const size_t rows = left < encoder->rows ? left : encoder->rows;
        sbl_image_floats(pixels, images, index + first, 0, rows);
        SBL_TRY(encoder->encode(encoder->state, features + first * encoder->width, pixels, rows, err));
    }
done:
    sbl_free_wiped(pixels, encoder->rows * size * sizeof *pixels);
    sbl_free(index);
    return status;
}
