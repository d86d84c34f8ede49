/* SPDX-License-Identifier: Apache-2.0 */
/* An image on its way to a frozen network's input: resampled or padded by two matrices, repeated in all
 * channels, normalised. Linear but for a constant, so that the way back is the transpose. */
#include <string.h>

#include "base/alloc.h"
#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

#define CHANNELS SBL_RESIZED_CHANNELS

/* out (side, side, 3) of one image. */
static void resize_one(float *out, const float *image, const sbl_resizing *by, const float *columns)
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
                const float *weights = columns + x * width;
                float sum = 0;
                for (size_t j = 0; j < width; j++)
                    sum += weights[j] * line[j * channels + (channels == 1 ? 0 : c)];
                out[(y * side + x) * CHANNELS + c] = (sum - by->mean[c]) / by->deviation[c];
            }
    }
    sbl_wipe(line, width * channels * sizeof *line);
}

/* d_image += the transpose of d_out. */
static void resize_one_back(float *d_image, const float *d_out, const sbl_resizing *by, const float *columns)
{
    float line[SBL_MOST_SIDE * CHANNELS];
    const size_t height = by->image.height, width = by->image.width;
    const size_t channels = by->image.channels, side = by->side;
    for (size_t y = 0; y < side; y++) {
        memset(line, 0, width * channels * sizeof *line);
        for (size_t x = 0; x < side; x++)
            for (size_t c = 0; c < CHANNELS; c++) {
                const float *weights = columns + x * width;
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

/* Where row r of all the runs is in the batch, and its number in its run. */
typedef struct place {
    size_t row, number;
} place;

static place place_of(const sbl_row_run *runs, size_t r)
{
    while (r >= runs->count) r -= (runs++)->count;
    return (place){runs->first + r, r};
}

static size_t rows_of(const sbl_row_run *runs, size_t count)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++) rows += runs[i].count;
    return rows;
}

static const float *columns_of(const sbl_resizing *by, place at)
{
    return by->mirrored_columns != NULL && at.number % 2 == 1 ? by->mirrored_columns : by->columns;
}

void sbl_resize_forward(float *out, const float *images, const sbl_resizing *by, const sbl_row_run *runs,
                        size_t run_count)
{
    const size_t size = sbl_volume_size(by->image), whole = by->side * by->side * CHANNELS;
    const size_t rows = rows_of(runs, run_count);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        const place at = place_of(runs, r);
        resize_one(out + r * whole, images + at.row * size, by, columns_of(by, at));
    }
}

void sbl_resize_backward(float *d_images, const float *d_out, const sbl_resizing *by, const sbl_row_run *runs,
                         size_t run_count)
{
    const size_t size = sbl_volume_size(by->image), whole = by->side * by->side * CHANNELS;
    const size_t rows = rows_of(runs, run_count);
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++) {
        const place at = place_of(runs, r);
        resize_one_back(d_images + at.row * size, d_out + r * whole, by, columns_of(by, at));
    }
}
