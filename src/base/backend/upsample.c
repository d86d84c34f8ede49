/* SPDX-License-Identifier: Apache-2.0 */
/* Up-sampling by whole factors. Along one side of n pixels and factor f, output o lies at
 *     o (n - 1) / (n f - 1)             corners on corners
 *     max(0, (o + 1/2) / f - 1/2)       pixels as areas
 * and blends the two pixels around it; nearest takes pixel floor(o / f). Backward is the transpose,
 * image by image. */
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

/* Output o is (1 - weight) of pixel low plus weight of pixel high. */
typedef struct place {
    size_t low, high;
    float weight;
} place;

static place place_of(size_t o, size_t side, const sbl_upsampling *by)
{
    if (by->nearest) return (place){o / by->factor, o / by->factor, 0};
    double at = by->align_corners
                    ? (double)(o * (side - 1)) / (double)(side * by->factor > 1 ? side * by->factor - 1 : 1)
                    : ((double)o + 0.5) / (double)by->factor - 0.5;
    if (at < 0) at = 0;
    size_t low = (size_t)at;
    return (place){low, low + 1 < side ? low + 1 : low, (float)(at - (double)low)};
}

/* The four pixels around an output and their shares. */
typedef struct blend {
    size_t offset[4]; /* in floats */
    float share[4];
} blend;

static blend blend_of(place y, place x, size_t width, size_t channels)
{
    return (blend){{(y.low * width + x.low) * channels, (y.low * width + x.high) * channels,
                    (y.high * width + x.low) * channels, (y.high * width + x.high) * channels},
                   {(1 - y.weight) * (1 - x.weight), (1 - y.weight) * x.weight, y.weight * (1 - x.weight),
                    y.weight * x.weight}};
}

SBL_CLONES static void mix_line(float *restrict out, const float *restrict image, place y,
                                const place *columns, size_t width_out, size_t width, size_t channels)
{
    for (size_t o = 0; o < width_out; o++, out += channels) {
        blend b = blend_of(y, columns[o], width, channels);
        const float *p0 = image + b.offset[0], *p1 = image + b.offset[1];
        const float *p2 = image + b.offset[2], *p3 = image + b.offset[3];
        for (size_t c = 0; c < channels; c++)
            out[c] = b.share[0] * p0[c] + b.share[1] * p1[c] + b.share[2] * p2[c] + b.share[3] * p3[c];
    }
}

SBL_CLONES static void unmix_line(float *restrict image, const float *restrict out, place y,
                                  const place *columns, size_t width_out, size_t width, size_t channels)
{
    for (size_t o = 0; o < width_out; o++, out += channels) {
        blend b = blend_of(y, columns[o], width, channels);
        for (size_t k = 0; k < 4; k++) {
            float *pixel = image + b.offset[k], share = b.share[k];
            for (size_t c = 0; c < channels; c++) pixel[c] += share * out[c];
        }
    }
}

static void column_places(place columns[SBL_MOST_SIDE], const sbl_upsampling *by)
{
    for (size_t o = 0; o < by->out.width; o++) columns[o] = place_of(o, by->in.width, by);
}

void sbl_upsample_forward(float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    place columns[SBL_MOST_SIDE];
    size_t in = sbl_volume_size(by->in), line = by->out.width * by->in.channels;
    column_places(columns, by);
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t l = 0; l < rows * by->out.height; l++)
        mix_line(y + l * line, x + l / by->out.height * in, place_of(l % by->out.height, by->in.height, by),
                 columns, by->out.width, by->in.width, by->in.channels);
}

void sbl_upsample_backward(float *dx, const float *dy, size_t rows, const sbl_upsampling *by)
{
    place columns[SBL_MOST_SIDE];
    size_t in = sbl_volume_size(by->in), line = by->out.width * by->in.channels;
    column_places(columns, by);
    SBL_OMP(omp parallel for schedule(static) if (rows * in > 16384))
    for (size_t r = 0; r < rows; r++) {
        memset(dx + r * in, 0, in * sizeof *dx);
        for (size_t o = 0; o < by->out.height; o++)
            unmix_line(dx + r * in, dy + (r * by->out.height + o) * line, place_of(o, by->in.height, by),
                       columns, by->out.width, by->in.width, by->in.channels);
    }
}
