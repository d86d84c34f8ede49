/* SPDX-License-Identifier: Apache-2.0 */
/* The two matrices by which an image becomes the network's input: they resample or pad it. The network's
 * public mean and deviation are taken off (base/backend/shapes.h). */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/encoder/encoder_internal.h"

#define CHANNELS SBL_ENCODER_CHANNELS
#define MAX_IMAGE_SIDE ((size_t)SBL_MOST_SIDE)

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

/* A tensor of these numbers. */
static sbl_status place(const float **tensor, sbl_tensors *tensors, const float *numbers, size_t count,
                        sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *made;
    SBL_TENSOR(tensors, made, count, 1, "an encoder of images");
    tensors->on->write(tensors->on->device, made, numbers, count);
    *tensor = made;
done:
    return status;
}

/* Of the mirror image: each new pixel takes from the other end of a line. */
static void turn_round(float *weights, size_t side, size_t from)
{
    for (size_t to = 0; to < side; to++) {
        float *row = weights + to * from;
        for (size_t left = 0, right = from - 1; left < right; left++, right--) {
            const float kept = row[left];
            row[left] = row[right];
            row[right] = kept;
        }
    }
}

sbl_status sbl_encoder_input_init(sbl_encoder_input *input, const sbl_encoder *encoder, sbl_volume image,
                                  sbl_encoder_fit fit, bool mirror, const sbl_backend *on, sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *rows = NULL, *columns = NULL;
    const size_t side = encoder->side;
    const bool pad = fit == SBL_ENCODER_PAD && image.height <= side && image.width <= side;
    *input = (sbl_encoder_input){.tensors = sbl_tensors_on(on)};
    input->by = (sbl_resizing){.image = image, .side = side};
    memcpy(input->by.mean, encoder->mean, sizeof encoder->mean);
    memcpy(input->by.deviation, encoder->deviation, sizeof encoder->deviation);
    if (image.height - 1 >= MAX_IMAGE_SIDE || image.width - 1 >= MAX_IMAGE_SIDE ||
        (image.channels != 1 && image.channels != CHANNELS))
        return sbl_fail(err, SBL_EARG, "an encoder takes grey or RGB images up to %zu x %zu", MAX_IMAGE_SIDE,
                        MAX_IMAGE_SIDE);
    rows = weights_of(side, image.height, pad);
    columns = weights_of(side, image.width, pad);
    if (rows == NULL || columns == NULL) SBL_TRY(sbl_no_memory(err, "an encoder of images"));
    SBL_TRY(place(&input->by.rows, &input->tensors, rows, side * image.height, err));
    SBL_TRY(place(&input->by.columns, &input->tensors, columns, side * image.width, err));
    if (mirror) {
        turn_round(columns, side, image.width);
        SBL_TRY(place(&input->by.mirrored_columns, &input->tensors, columns, side * image.width, err));
    }
done:
    sbl_free(rows);
    sbl_free(columns);
    if (status != SBL_OK) sbl_encoder_input_clear(input);
    return status;
}

void sbl_encoder_input_clear(sbl_encoder_input *input)
{
    sbl_tensors_clear(&input->tensors);
    *input = (sbl_encoder_input){0};
}
