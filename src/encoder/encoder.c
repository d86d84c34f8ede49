#include "encoder/encoder.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "encoder/encoder_parts.h"

#define SIDE SBL_ENCODER_SIDE
#define CHANNELS SBL_ENCODER_CHANNELS
#define MAX_IMAGE_SIDE ((size_t)128)

static void unprepare(sbl_encoder *e)
{
    for (size_t i = 0; i < e->stage_count; i++) {
        sbl_net_room_clear(&e->stages[i].room);
        sbl_net_room_clear(&e->stages[i].skip_work);
    }
    sbl_free_wiped(e->input, e->rows * SIDE * SIDE * CHANNELS * sizeof *e->input);
    sbl_free(e->sums);
    sbl_free(e->resample_rows);
    sbl_free(e->resample_columns);
    e->input = e->sums = e->resample_rows = e->resample_columns = NULL;
    e->rows = 0;
}

void sbl_encoder_free(sbl_encoder *encoder)
{
    if (encoder == NULL) return;
    unprepare(encoder);
    for (size_t i = 0; i < encoder->stage_count; i++) {
        sbl_net_clear(&encoder->stages[i].net);
        sbl_net_clear(&encoder->stages[i].skip);
    }
    sbl_free(encoder->fc_weight);
    sbl_free(encoder->fc_bias);
    sbl_free(encoder);
}

const char *sbl_encoder_name(const sbl_encoder *encoder) { return encoder->name; }
size_t sbl_encoder_width(const sbl_encoder *encoder) { return encoder->width; }
size_t sbl_encoder_classes(const sbl_encoder *encoder) { return encoder->classes; }

/* weights (SIDE, from): a tent around each new pixel's centre, as wide as the wider of an old and a
 * new pixel. It is linear interpolation when an image grows and an average when it shrinks. */
static float *resampling(size_t from)
{
    const float scale = (float)from / (float)SIDE, support = scale > 1 ? scale : 1;
    float *weights = sbl_alloc_array(SIDE * from, sizeof *weights);
    for (size_t to = 0; weights != NULL && to < SIDE; to++) {
        float *row = weights + to * from, sum = 0;
        const float centre = ((float)to + 0.5f) * scale;
        for (size_t i = 0; i < from; i++) {
            row[i] = fmaxf(0, 1 - fabsf((float)i + 0.5f - centre) / support);
            sum += row[i];
        }
        for (size_t i = 0; i < from; i++) row[i] /= sum;
    }
    return weights;
}

sbl_status sbl_encoder_prepare(sbl_encoder *e, sbl_volume image, size_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    unprepare(e);
    e->sum_size = 0;
    if (image.height - 1 >= MAX_IMAGE_SIDE || image.width - 1 >= MAX_IMAGE_SIDE ||
        (image.channels != 1 && image.channels != CHANNELS) || rows == 0)
        return sbl_fail(err, SBL_EARG, "an encoder takes grey or RGB images up to 128 x 128");
    e->image = image;
    e->rows = rows;
    for (size_t i = 0; i < e->stage_count; i++) {
        sbl_encoder_stage *stage = &e->stages[i];
        const size_t size = sbl_volume_size(stage->net.output);
        SBL_TRY(sbl_net_room_init(&stage->room, &stage->net, rows, SBL_NET_SAMPLE, err));
        if (stage->has_skip)
            SBL_TRY(sbl_net_room_init(&stage->skip_work, &stage->skip, rows, SBL_NET_SAMPLE, err));
        if (stage->residual && size > e->sum_size) e->sum_size = size;
    }
    e->resample_rows = resampling(image.height);
    e->resample_columns = resampling(image.width);
    e->input = sbl_alloc_array(rows, SIDE * SIDE * CHANNELS * sizeof *e->input);
    /* Two in turn: a block's input is the sum that the block before it left. */
    e->sums = sbl_alloc_array(rows, 2 * e->sum_size * sizeof *e->sums);
    if (e->resample_rows == NULL || e->resample_columns == NULL || e->input == NULL ||
        e->sums == NULL)
        SBL_TRY(sbl_fail(err, SBL_EMEM, "out of memory for an encoder of images"));
done:
    if (status != SBL_OK) unprepare(e);
    return status;
}

/* out (SIDE, SIDE, 3): resampled, repeated in all channels, and normalised. */
static void prepare_image(float *out, const sbl_encoder *e, const float *image)
{
    float line[MAX_IMAGE_SIDE * SBL_ENCODER_CHANNELS];
    const size_t height = e->image.height, width = e->image.width, channels = e->image.channels;
    for (size_t y = 0; y < SIDE; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t i = 0; i < height; i++) {
            const float weight = e->resample_rows[y * height + i];
            const float *from = image + i * width * channels;
            if (weight == 0) continue;
            for (size_t j = 0; j < width * channels; j++) line[j] += weight * from[j];
        }
        for (size_t x = 0; x < SIDE; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = e->resample_columns + x * width;
                float sum = 0;
                for (size_t j = 0; j < width; j++)
                    sum += weights[j] * line[j * channels + (channels == 1 ? 0 : c)];
                out[(y * SIDE + x) * CHANNELS + c] = (sum - e->mean[c]) / e->deviation[c];
            }
    }
}

/* sums (rows, output), where it is needed. */
static const float *run_stage(sbl_encoder_stage *stage, float *sums, const float *x, size_t rows)
{
    const float *y = sbl_net_forward(&stage->net, &stage->room, x, rows, false);
    if (!stage->residual) return y;
    const size_t count = rows * sbl_volume_size(stage->net.output);
    const float *other =
        stage->has_skip ? sbl_net_forward(&stage->skip, &stage->skip_work, x, rows, false) : x;
    for (size_t i = 0; i < count; i++) sums[i] = fmaxf(y[i] + other[i], 0);
    return sums;
}

static void pixel_means(float *features, const float *y, sbl_volume v, size_t rows)
{
    const size_t pixels = v.height * v.width;
    memset(features, 0, rows * v.channels * sizeof *features);
    for (size_t i = 0; i < rows; i++)
        for (size_t p = 0; p < pixels; p++)
            for (size_t c = 0; c < v.channels; c++)
                features[i * v.channels + c] +=
                    y[(i * pixels + p) * v.channels + c] / (float)pixels;
}

void sbl_encoder_run(sbl_encoder *e, float *features, float *logits, const float *images,
                     size_t rows)
{
    const float *x = e->input;
    for (size_t i = 0; i < rows; i++)
        prepare_image(e->input + i * SIDE * SIDE * CHANNELS, e,
                      images + i * sbl_volume_size(e->image));
    for (size_t i = 0; i < e->stage_count; i++)
        x = run_stage(&e->stages[i], e->sums + i % 2 * e->rows * e->sum_size, x, rows);
    pixel_means(features, x, e->stages[e->stage_count - 1].net.output, rows);
    for (size_t i = 0; logits != NULL && i < rows; i++)
        for (size_t k = 0; k < e->classes; k++) {
            float sum = e->fc_bias[k];
            for (size_t c = 0; c < e->width; c++)
                sum += e->fc_weight[k * e->width + c] * features[i * e->width + c];
            logits[i * e->classes + k] = sum;
        }
}
