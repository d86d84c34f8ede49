/* An image on its way to a frozen network's input: resampled or padded by two matrices, repeated in all
 * channels, normalised. Linear but for a constant, so that the way back is the transpose. */
#include <string.h>

#include "backend/cpu.h"
#include "base/memory.h"
#include "compute/threads.h"

#define CHANNELS SBL_RESIZED_CHANNELS

/* out (side, side, 3) of one image. */
static void resize_one(float *out, const float *image, const sbl_resizing *by)
{
    float line[SBL_MOST_SIDE * CHANNELS];
    const size_t height = by->image.height, width = by->image.width;
    const size_t channels = by->image.channels, side = by->side;
    for (size_t y = 0; y < side; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t i = 0; i < height; i++) {
            const float weight = by->rows[y * height + i];
            const float *from = image + i * width * channels;
            if (weight == 0) continue;
            for (size_t j = 0; j < width * channels; j++) line[j] += weight * from[j];
        }
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = by->columns + x * width;
                float sum = 0;
                for (size_t j = 0; j < width; j++)
                    sum += weights[j] * line[j * channels + (channels == 1 ? 0 : c)];
                out[(y * side + x) * CHANNELS + c] = (sum - by->mean[c]) / by->deviation[c];
            }
    }
    sbl_wipe(line, width * channels * sizeof *line);
}

/* d_image += the transpose of d_out. */
static void resize_one_back(float *d_image, const float *d_out, const sbl_resizing *by)
{
    float line[SBL_MOST_SIDE * CHANNELS];
    const size_t height = by->image.height, width = by->image.width;
    const size_t channels = by->image.channels, side = by->side;
    for (size_t y = 0; y < side; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = by->columns + x * width;
                const float d = d_out[(y * side + x) * CHANNELS + c] / by->deviation[c];
                for (size_t j = 0; j < width; j++)
                    line[j * channels + (channels == 1 ? 0 : c)] += weights[j] * d;
            }
        for (size_t i = 0; i < height; i++) {
            const float weight = by->rows[y * height + i];
            float *to = d_image + i * width * channels;
            if (weight == 0) continue;
            for (size_t j = 0; j < width * channels; j++) to[j] += weight * line[j];
        }
    }
}

void sbl_resize_forward(float *out, const float *images, const sbl_resizing *by, size_t rows)
{
    const size_t size = sbl_volume_size(by->image), whole = by->side * by->side * CHANNELS;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) resize_one(out + r * whole, images + r * size, by);
}

void sbl_resize_backward(float *d_images, const float *d_out, const sbl_resizing *by, size_t rows)
{
    const size_t size = sbl_volume_size(by->image), whole = by->side * by->side * CHANNELS;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) resize_one_back(d_images + r * size, d_out + r * whole, by);
}
