/* An image on its way to the network's input: resampled or padded, repeated in all channels, and
 * normalised by the network's public mean and deviation. Linear but for a constant, so that the way
 * back is the transpose. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "encoder/encoder_parts.h"

#define CHANNELS SBL_ENCODER_CHANNELS
#define MAX_IMAGE_SIDE ((size_t)1024)

/* weights (side, from): a tent around each new pixel's centre, as wide as the wider of an old and a
 * new pixel. It is linear interpolation when an image grows and an average when it shrinks. */
static void resample(float *weights, size_t side, size_t from)
{
    const float scale = (float)from / (float)side, support = scale > 1 ? scale : 1;
    for (size_t to = 0; to < side; to++) {
        float *row = weights + to * from, sum = 0;
        const float centre = ((float)to + 0.5f) * scale;
        for (size_t i = 0; i < from; i++) {
            row[i] = fmaxf(0, 1 - fabsf((float)i + 0.5f - centre) / support);
            sum += row[i];
        }
        for (size_t i = 0; i < from; i++) row[i] /= sum;
    }
}

static float *weights_of(size_t side, size_t from, bool pad)
{
    float *weights = sbl_alloc_array(side * from, sizeof *weights);
    if (weights == NULL) return NULL;
    if (!pad)
        resample(weights, side, from);
    else
        for (size_t i = 0; i < from; i++) weights[((side - from) / 2 + i) * from + i] = 1;
    return weights;
}

sbl_status sbl_encoder_input_init(sbl_encoder_input *input, const sbl_encoder *encoder,
                                  sbl_volume image, sbl_encoder_fit fit, sbl_error *err)
{
    const size_t side = encoder->side;
    const bool pad = fit == SBL_ENCODER_PAD && image.height <= side && image.width <= side;
    *input = (sbl_encoder_input){.encoder = encoder, .image = image};
    if (image.height - 1 >= MAX_IMAGE_SIDE || image.width - 1 >= MAX_IMAGE_SIDE ||
        (image.channels != 1 && image.channels != CHANNELS))
        return sbl_fail(err, SBL_EARG, "an encoder takes grey or RGB images up to %zu x %zu",
                        MAX_IMAGE_SIDE, MAX_IMAGE_SIDE);
    input->rows = weights_of(side, image.height, pad);
    input->columns = weights_of(side, image.width, pad);
    if (input->rows != NULL && input->columns != NULL) return SBL_OK;
    sbl_encoder_input_clear(input);
    return sbl_no_memory(err, "an encoder of images");
}

void sbl_encoder_input_clear(sbl_encoder_input *input)
{
    sbl_free(input->rows);
    sbl_free(input->columns);
    *input = (sbl_encoder_input){0};
}

void sbl_encoder_input_make(const sbl_encoder_input *input, float *out, const float *image)
{
    float line[MAX_IMAGE_SIDE * CHANNELS];
    const sbl_encoder *e = input->encoder;
    const size_t height = input->image.height, width = input->image.width;
    const size_t channels = input->image.channels, side = e->side;
    for (size_t y = 0; y < side; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t i = 0; i < height; i++) {
            const float weight = input->rows[y * height + i];
            const float *from = image + i * width * channels;
            if (weight == 0) continue;
            for (size_t j = 0; j < width * channels; j++) line[j] += weight * from[j];
        }
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = input->columns + x * width;
                float sum = 0;
                for (size_t j = 0; j < width; j++)
                    sum += weights[j] * line[j * channels + (channels == 1 ? 0 : c)];
                out[(y * side + x) * CHANNELS + c] = (sum - e->mean[c]) / e->deviation[c];
            }
    }
    sbl_wipe(line, width * channels * sizeof *line);
}

void sbl_encoder_input_back(const sbl_encoder_input *input, float *d_image, const float *d_out)
{
    float line[MAX_IMAGE_SIDE * CHANNELS];
    const sbl_encoder *e = input->encoder;
    const size_t height = input->image.height, width = input->image.width;
    const size_t channels = input->image.channels, side = e->side;
    for (size_t y = 0; y < side; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = input->columns + x * width;
                const float d = d_out[(y * side + x) * CHANNELS + c] / e->deviation[c];
                for (size_t j = 0; j < width; j++)
                    line[j * channels + (channels == 1 ? 0 : c)] += weights[j] * d;
            }
        for (size_t i = 0; i < height; i++) {
            const float weight = input->rows[y * height + i];
            float *to = d_image + i * width * channels;
            if (weight == 0) continue;
            for (size_t j = 0; j < width * channels; j++) to[j] += weight * line[j];
        }
    }
}
