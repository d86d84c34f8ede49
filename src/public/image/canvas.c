/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting and scaling in integers. Along a side of `to` pixels that are made of `from`, let a unit be 1 / (from to) of it:
 * source pixel s covers [s to, (s + 1) to), pixel p of the set [p from, (p + 1) from), and the part that both cover is the
 * weight of s in p. Weights of a p add up to `from`; so a pixel is its sum over (rows columns), rounded. A sum is at most
 * 255 * 2^25. */
#include "public/image/canvas.h"

#include <string.h>

#include "base/alloc.h"

#define UNDECODABLE 128

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
sbl_status sbl_canvas_open(sbl_canvas *canvas, uint8_t *pixels, sbl_image_shape shape, bool resize,
                           sbl_error *err)
{
    sbl_status status = SBL_OK;
    *canvas = (sbl_canvas){
        .pixels = pixels, .shape = shape, .resize = resize, .line = shape.width * shape.channels};
    if (resize) SBL_ALLOC(canvas->sums, sbl_image_size(shape), "the decoding of images");
done:
    return status;
}

/* The longest side with which a picture of `across` by `along` keeps to the proportions of the set's
 * `across_set` by `along_set`; at least one pixel. */
static size_t side_within(size_t along, size_t across, size_t along_set, size_t across_set)
{
    const size_t fits = across * along_set / across_set;
    if (fits >= along) return along;
    return fits > 0 ? fits : 1;
}

bool sbl_canvas_begin(sbl_canvas *canvas, size_t height, size_t width)
{
    const sbl_image_shape shape = canvas->shape;
    const bool accepted = canvas->resize ? height >= 1 && height <= SBL_PICTURE_SIDE_LIMIT && width >= 1 &&
                                               width <= SBL_PICTURE_SIDE_LIMIT &&
                                               height * width <= SBL_PICTURE_PIXEL_LIMIT
                                         : height == shape.height && width == shape.width;
    if (!accepted) return false;
    canvas->height = height;
    canvas->width = width;
    canvas->rows = side_within(height, width, shape.height, shape.width);
    canvas->columns = side_within(width, height, shape.width, shape.height);
    canvas->top = (height - canvas->rows) / 2;
    canvas->left = (width - canvas->columns) / 2;
    return true;
}

/* (channels) of a pixel in RGB. */
static void put_pixel(uint8_t *out, const uint8_t *rgb, size_t channels)
{
    if (channels == 1)
        *out = (uint8_t)((299U * rgb[0] + 587U * rgb[1] + 114U * rgb[2] + 500U) / 1000U);
    else
        memcpy(out, rgb, 3);
}

/* The units that source pixel s of `from` and pixel p of `to` both cover. */
static uint64_t overlap(size_t s, size_t p, size_t from, size_t to)
{
    const size_t low = s * to > p * from ? s * to : p * from;
    const size_t high = (s + 1) * to < (p + 1) * from ? (s + 1) * to : (p + 1) * from;
    return high - low;
}

/* The last pixel of `to` that source pixel s of `from` reaches into; its first one is s to / from. */
static size_t last_of(size_t s, size_t from, size_t to) { return ((s + 1) * to - 1) / from; }

/* line (shape.width, channels): sums of a row along its columns. */
static void add_along(uint64_t *line, const sbl_canvas *canvas, const uint8_t *rgb)
{
    const size_t from = canvas->columns, to = canvas->shape.width, depth = canvas->shape.channels;
    for (size_t x = 0; x < from; x++) {
        uint8_t value[3];
        put_pixel(value, rgb + 3 * (canvas->left + x), depth);
        for (size_t p = x * to / from; p <= last_of(x, from, to); p++)
            for (size_t c = 0; c < depth; c++) line[p * depth + c] += overlap(x, p, from, to) * value[c];
    }
}

static void add_row(sbl_canvas *canvas, size_t y, const uint8_t *rgb)
{
    uint64_t line[SBL_IMAGE_SIDE_LIMIT * 3] = {0};
    const size_t from = canvas->rows, to = canvas->shape.height;
    add_along(line, canvas, rgb);
    for (size_t p = y * to / from; p <= last_of(y, from, to); p++) {
        const uint64_t weight = overlap(y, p, from, to);
        for (size_t i = 0; i < canvas->line; i++) canvas->sums[p * canvas->line + i] += weight * line[i];
    }
    sbl_wipe(line, sizeof line);
}

void sbl_canvas_row(sbl_canvas *canvas, size_t y, const uint8_t *rgb)
{
    const size_t depth = canvas->shape.channels;
    if (!canvas->resize) {
        uint8_t *out = canvas->pixels + y * canvas->line;
        for (size_t x = 0; x < canvas->width; x++) put_pixel(out + x * depth, rgb + 3 * x, depth);
    } else if (y >= canvas->top && y - canvas->top < canvas->rows) {
        add_row(canvas, y - canvas->top, rgb);
    }
}

void sbl_canvas_finish(sbl_canvas *canvas)
{
    const uint64_t area = (uint64_t)canvas->rows * canvas->columns;
    if (!canvas->resize) return;
    for (size_t i = 0; i < sbl_image_size(canvas->shape); i++)
        canvas->pixels[i] = (uint8_t)((canvas->sums[i] + area / 2) / area);
}

void sbl_canvas_blank(sbl_canvas *canvas)
{
    memset(canvas->pixels, UNDECODABLE, sbl_image_size(canvas->shape));
}

void sbl_canvas_close(sbl_canvas *canvas)
{
    sbl_free_wiped(canvas->sums, sbl_image_size(canvas->shape) * sizeof *canvas->sums);
    *canvas = (sbl_canvas){0};
}
