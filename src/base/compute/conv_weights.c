/* SPDX-License-Identifier: Apache-2.0 */
/* Back to the weights: dw[c][i][run] = sum over pixels of dy[pixel][c] x[run of the pixel, row i].
 * A fixed number of parts of the batch, each adding up in its own copy, then the copies in order:
 * the same sum for any number of threads. */
#include "base/compute/conv.h"
#include "base/compute/correlation.h"
#include "base/compute/threads.h"
#include "base/compute/variants.h"

#define BLOCK_PIXELS 256 /* pixels at a time: a panel of their numbers stays in the first cache */
#define MANY_PARTS 16    /* of the batch, when a copy of dw is small */
#define FEW_PARTS 8
#define SMALL_WEIGHTS 65536

static size_t weight_count(const sbl_conv_shape *s)
{
    return s->channels * s->kernel * s->kernel * s->inputs;
}

static size_t part_count(const sbl_conv_shape *s, size_t rows)
{
    size_t parts = weight_count(s) <= SMALL_WEIGHTS ? MANY_PARTS : FEW_PARTS;
    return parts < rows ? parts : rows;
}

static size_t tiles_of(size_t count, size_t tile) { return (count + tile - 1) / tile; }

/* The rows of a tile are output channels, for one row of taps; or, with so few channels that these
 * fill fewer tiles, the rows of taps, for one channel. */
static bool is_by_taps(const sbl_conv_shape *s)
{
    size_t rows = sbl_kernels_best()->tile_rows;
    return s->stride == 1 &&
           s->channels * tiles_of(s->kernel, rows) < s->kernel * tiles_of(s->channels, rows);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Images worked on together: small ones, so that a tile is worth its loads and stores. */
static size_t block_images(const sbl_conv_shape *s)
{
    size_t pixels = s->out_height * s->out_width;
    return pixels < BLOCK_PIXELS ? BLOCK_PIXELS / pixels : 1;
}

/* dy with kernel - 1 rows of zeros above and below. */
static size_t tall_size(const sbl_conv_shape *s)
{
    return (s->out_height + 2 * (s->kernel - 1)) * s->out_width * s->channels;
}

/* Pixels that lie powers of two apart share few sets of the cache: they are then put side by side,
 * the gradients by tiles of channels and the images by tiles of a run. */
static bool is_packed(const sbl_conv_shape *s)
{
    return !is_by_taps(s) && s->channels % 128 == 0 && s->inputs % 128 == 0;
}

static size_t block_pixels(const sbl_conv_shape *s)
{
    return s->out_width > BLOCK_PIXELS ? s->out_width : BLOCK_PIXELS;
}

static size_t packed_size(const sbl_conv_shape *s)
{
    return block_pixels(s) * (s->channels + SBL_TILE_MOST_COLUMNS);
}

static size_t room_size(const sbl_conv_shape *s)
{
    sbl_padded p = sbl_pad_inputs(s);
    size_t padded = block_images(s) * sbl_padded_size(&p) + SBL_CORRELATION_SLACK;
    size_t more = is_by_taps(s) ? block_images(s) * tall_size(s) : is_packed(s) ? packed_size(s) : 0;
    return sbl_whole_lines(padded) + sbl_whole_lines(more);
}

size_t sbl_conv_weights_workspace(const sbl_conv_shape *s, size_t rows)
{
    if (sbl_conv_is_winograd(s)) return sbl_winograd_weights_workspace(s, rows);
    return part_count(s, rows) * sbl_whole_lines(weight_count(s)) + s->threads * room_size(s);
}

/* One tile, whole or not: `rows` lines of out, stride apart, `lanes` numbers each. */
static void put_tile(sbl_weight_tile *tile, float *out, size_t stride, size_t rows, size_t lanes)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    float whole[SBL_TILE_MOST_ROWS * SBL_TILE_MOST_COLUMNS];
    size_t wide = kernels->tile_columns, width = 2 * lanes <= wide ? wide / 2 : wide;
    for (size_t m = 0; m < kernels->tile_rows; m++) {
        bool inside = m < rows && lanes == width;
        tile->out[m] = inside ? out + m * stride : whole + m * width;
        if (inside) continue;
        for (size_t l = 0; l < width; l++)
            whole[m * width + l] = m < rows && l < lanes ? out[m * stride + l] : 0;
    }
    (width == wide ? kernels->weight_tile : kernels->weight_tile_narrow)(tile);
    if (lanes == width) return;
    for (size_t m = 0; m < rows; m++)
        for (size_t l = 0; l < lanes; l++) out[m * stride + l] = whole[m * width + l];
}

/* One row of taps, all channels. tile->in: the row's runs; g: the pixels' gradients. */
static void tiles_by_channels(float *dw, sbl_weight_tile *tile, const float *g, const sbl_conv_shape *s)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t run = s->kernel * s->inputs;
    const float *in = tile->in;
    for (size_t lane = 0; lane < run; lane += kernels->tile_columns) {
        size_t lanes = smaller(run - lane, kernels->tile_columns);
        tile->in = in + lane;
        for (size_t c = 0; c < s->channels; c += kernels->tile_rows) {
            size_t rows = smaller(s->channels - c, kernels->tile_rows);
            for (size_t m = 0; m < kernels->tile_rows; m++) tile->g[m] = g + c + (m < rows ? m : 0);
            put_tile(tile, dw + c * s->kernel * run + lane, s->kernel * run, rows, lanes);
        }
    }
}

/* out (pixels, width) = the first `width` numbers of every pixel of a tile's images. */
static void pack_pixels(float *out, const float *first, size_t width, const sbl_weight_tile *tile,
                        size_t image, size_t row, size_t step)
{
    for (size_t line = 0; line < tile->images * tile->rows; line++) {
        const float *from = first + line / tile->rows * image + line % tile->rows * row;
        for (size_t x = 0; x < tile->columns; x++, from += step, out += width)
            for (size_t l = 0; l < width; l += 4) memcpy(out + l, from + l, 4 * sizeof *out);
    }
}

/* All rows of taps, all channels, by way of packed copies in buffer. */
static void tiles_packed(float *dw, const sbl_weight_tile *tile, const float *g, size_t line,
                         const sbl_conv_shape *s, float *buffer)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t run = s->kernel * s->inputs, height = kernels->tile_rows, wide = kernels->tile_columns;
    size_t pixels = tile->images * tile->rows * tile->columns;
    float *in = buffer + block_pixels(s) * s->channels;
    sbl_weight_tile packed = {
        .in = in, .images = 1, .rows = 1, .columns = pixels, .g_step = height, .in_step = wide};
    for (size_t c = 0; c < s->channels; c += height)
        pack_pixels(buffer + c * pixels, g + c, height, tile, tile->g_image, tile->g_row, tile->g_step);
    for (size_t i = 0; i < s->kernel; i++)
        for (size_t lane = 0; lane < run; lane += wide) {
            pack_pixels(in, tile->in + i * line + lane, wide, tile, tile->in_image, tile->in_row,
                        tile->in_step);
            for (size_t c = 0; c < s->channels; c += height) {
                for (size_t m = 0; m < height; m++) packed.g[m] = buffer + c * pixels + m;
                put_tile(&packed, dw + (c * s->kernel + i) * run + lane, s->kernel * run, height, wide);
            }
        }
}

/* One channel, all rows of taps: tap row i of image row y meets row y - i of g, which has kernel -
 * 1 rows of zeros above. */
static void tiles_by_taps(float *dw, sbl_weight_tile *tile, const float *g, const sbl_conv_shape *s)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t run = s->kernel * s->inputs;
    const float *in = tile->in;
    for (size_t lane = 0; lane < run; lane += kernels->tile_columns) {
        size_t lanes = smaller(run - lane, kernels->tile_columns);
        tile->in = in + lane;
        for (size_t i = 0; i < s->kernel; i += kernels->tile_rows) {
            size_t rows = smaller(s->kernel - i, kernels->tile_rows);
            for (size_t m = 0; m < kernels->tile_rows; m++)
                tile->g[m] = g + (s->kernel - 1 - i - (m < rows ? m : 0)) * tile->g_row;
            put_tile(tile, dw + i * run + lane, run, rows, lanes);
        }
    }
}

/* All weights, for a block of images with their border and their gradients. */
static void add_images(float *dw, const float *in, const float *g, const sbl_conv_shape *s, size_t images,
                       float *buffer)
{
    sbl_padded p = sbl_pad_inputs(s);
    bool by_taps = is_by_taps(s);
    size_t run = s->kernel * s->inputs, line = p.full_width * s->inputs;
    size_t height = by_taps ? s->out_height + s->kernel - 1 : s->out_height;
    size_t rows = images > 1 || s->out_width > BLOCK_PIXELS ? 1 : BLOCK_PIXELS / s->out_width;
    sbl_weight_tile tile = {.images = images,
                            .columns = s->out_width,
                            .g_image = by_taps ? tall_size(s) : s->out_height * s->out_width * s->channels,
                            .g_row = s->out_width * s->channels,
                            .g_step = s->channels,
                            .in_image = sbl_padded_size(&p),
                            .in_row = s->stride * line,
                            .in_step = s->stride * s->inputs};
    if (images > 1) rows = height;
    for (size_t y = 0; y < height; y += rows) {
        const float *top = in + y * tile.in_row, *slopes = g + y * tile.g_row;
        tile.rows = smaller(height - y, rows);
        tile.in = top;
        if (is_packed(s)) {
            tiles_packed(dw, &tile, slopes, line, s, buffer);
            continue;
        }
        for (size_t i = 0; i < (by_taps ? s->channels : s->kernel); i++) {
            tile.in = by_taps ? top : top + i * line;
            if (by_taps)
                tiles_by_taps(dw + i * s->kernel * run, &tile, slopes + i, s);
            else
                tiles_by_channels(dw + i * run, &tile, slopes, s);
        }
    }
}

/* Images first .. last - 1 into dw. */
static void add_part(float *dw, const float *x, const float *dy, const sbl_conv_shape *s, size_t first,
                     size_t last, float *buffer)
{
    sbl_padded p = sbl_pad_inputs(s);
    size_t in_image = s->height * s->width * s->inputs, border = 0;
    size_t out_image = s->out_height * s->out_width * s->channels, block = block_images(s);
    float *next = buffer;
    float *in = sbl_take_lines(&next, block * sbl_padded_size(&p) + SBL_CORRELATION_SLACK);
    float *tall = next;
    memset(dw, 0, weight_count(s) * sizeof *dw);
    if (is_by_taps(s)) {
        border = (s->kernel - 1) * s->out_width * s->channels;
        memset(tall, 0, block * tall_size(s) * sizeof *tall);
    }
    for (size_t r = first; r < last; r += block) {
        size_t images = smaller(last - r, block);
        for (size_t i = 0; i < images; i++) {
            sbl_pad_image(in + i * sbl_padded_size(&p), x + (r + i) * in_image, &p);
            if (is_by_taps(s))
                memcpy(tall + i * tall_size(s) + border, dy + (r + i) * out_image, out_image * sizeof *dy);
        }
        add_images(dw, in, is_by_taps(s) ? tall : dy + r * out_image, s, images, next);
    }
}

void sbl_conv_backward_weights(float *dw, const float *x, const float *dy, const sbl_conv_shape *s,
                               size_t rows, float *workspace)
{
    size_t count = weight_count(s), parts = part_count(s, rows), stride = sbl_whole_lines(count);
    float *next = sbl_first_line(workspace), *copies = sbl_take_lines(&next, parts * stride);
    size_t buffer = room_size(s);
    if (sbl_conv_is_winograd(s)) {
        sbl_winograd_weights(dw, x, dy, s, rows, sbl_first_line(workspace));
        return;
    }
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)s->threads))
    for (size_t part = 0; part < parts; part++)
        add_part(copies + part * stride, x, dy, s, part * rows / parts, (part + 1) * rows / parts,
                 next + (size_t)sbl_thread_index() * buffer);
    SBL_OMP(omp parallel for schedule(static) num_threads((int)s->threads) if (count > 65536))
    for (size_t first = 0; first < count; first += 4096) {
        size_t last = smaller(first + 4096, count);
        memcpy(dw + first, copies + first, (last - first) * sizeof *dw);
        for (size_t part = 1; part < parts; part++)
            for (size_t e = first; e < last; e++) dw[e] += copies[part * stride + e];
    }
}
