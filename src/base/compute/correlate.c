/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by register tiles. Outputs are cut into panels of as many lanes as a tile has
 * columns (or half of it), the packed weights of a panel into chunks that stay in the first-level
 * cache, and the pixels into tiles of rows. With very few output lanes the vectors lie along the
 * run instead. */
#include "base/compute/correlation.h"

#include <stdbool.h>
#include <string.h>

#include "base/compute/threads.h"
#include "base/compute/variants.h"

#define CHUNK 8192   /* floats of packed weights that stay in the first-level cache */
#define BLOCK 16     /* channels packed at a time: one cache line of each lane */
#define FEW_PIECES 8 /* of taps to pack: threads would cost more than they save */

static size_t round_up(size_t count, size_t to) { return (count + to - 1) / to * to; }

/* With so few lanes, whole vectors of outputs would be mostly empty: the vectors lie along k. */
static bool few(const sbl_kernels *kernels, size_t lanes) { return 8 * lanes <= kernels->tile_columns; }

static size_t panel_width(const sbl_kernels *kernels, size_t lanes, size_t first)
{
    size_t wide = kernels->tile_columns;
    return 2 * (lanes - first) <= wide ? wide / 2 : wide;
}

size_t sbl_packed_size(const sbl_taps *taps)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t length = taps->columns * taps->channels, half = kernels->tile_columns / 2;
    if (few(kernels, taps->lanes)) return taps->lanes * taps->rows * round_up(length, half);
    return round_up(taps->lanes, half) * taps->rows * length;
}

static void pack_few(float *packed, const sbl_taps *taps, size_t padded)
{
    memset(packed, 0, taps->lanes * taps->rows * padded * sizeof *packed);
    for (size_t l = 0; l < taps->lanes; l++)
        for (size_t r = 0; r < taps->rows; r++, packed += padded)
            for (size_t x = 0; x < taps->columns; x++)
                for (size_t k = 0; k < taps->channels; k++)
                    packed[x * taps->channels + k] =
                        taps->first[(ptrdiff_t)l * taps->lane + (ptrdiff_t)r * taps->row_step +
                                    (ptrdiff_t)x * taps->column_step + (ptrdiff_t)k * taps->channel];
}

/* Channels first .. last - 1 of one tap of a panel: out (channels, width). */
static void pack_tap(float *out, const float *tap, const sbl_taps *taps, size_t lanes, size_t width,
                     size_t first, size_t last)
{
    if (lanes < width) memset(out + first * width, 0, (last - first) * width * sizeof *out);
    if (taps->lane == 1) {
        for (size_t k = first; k < last; k++)
            memcpy(out + k * width, tap + (ptrdiff_t)k * taps->channel, lanes * sizeof *out);
        return;
    }
    for (size_t l = 0; l < lanes; l++)
        for (size_t k = first; k < last; k++)
            out[k * width + l] = tap[(ptrdiff_t)l * taps->lane + (ptrdiff_t)k * taps->channel];
}

static size_t pieces_of_panel(const sbl_taps *taps) { return (taps->channels + BLOCK - 1) / BLOCK; }

size_t sbl_tap_pieces(const sbl_taps *taps)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    if (few(kernels, taps->lanes)) return 1;
    return (taps->lanes + kernels->tile_columns - 1) / kernels->tile_columns * pieces_of_panel(taps);
}

sbl_tap_piece sbl_pack_piece(float *packed, const sbl_taps *taps, size_t number)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    const size_t wide = kernels->tile_columns, count = taps->rows * taps->columns;
    const size_t panel = number / pieces_of_panel(taps), lane = panel * wide;
    const size_t first = number % pieces_of_panel(taps) * BLOCK;
    const size_t last = first + BLOCK < taps->channels ? first + BLOCK : taps->channels;
    if (few(kernels, taps->lanes)) {
        pack_few(packed, taps, round_up(taps->columns * taps->channels, wide / 2));
        return (sbl_tap_piece){0};
    }
    const size_t width = panel_width(kernels, taps->lanes, lane);
    const size_t lanes = taps->lanes - lane < width ? taps->lanes - lane : width;
    float *out = packed + lane * taps->channels * count;
    for (size_t t = 0; t < count; t++)
        pack_tap(out + t * taps->channels * width,
                 taps->first + (ptrdiff_t)lane * taps->lane +
                     (ptrdiff_t)(t / taps->columns) * taps->row_step +
                     (ptrdiff_t)(t % taps->columns) * taps->column_step,
                 taps, lanes, width, first, last);
    return (sbl_tap_piece){.lane = lane, .width = width, .first = first, .count = last - first};
}

void sbl_pack_taps(float *packed, const sbl_taps *taps, size_t threads)
{
    const size_t pieces = sbl_tap_pieces(taps);
    (void)threads;
    SBL_OMP(omp parallel for schedule(static) num_threads((int)threads) if (pieces > FEW_PIECES))
    for (size_t piece = 0; piece < pieces; piece++) (void)sbl_pack_piece(packed, taps, piece);
}

/* A place on the grid. */
typedef struct cursor {
    size_t y, x;
    const float *in_image, *in;
    float *out_image, *out;
} cursor;

static inline void advance(cursor *at, const sbl_correlation *c)
{
    at->in += c->in_x;
    at->out += c->out_x;
    if (++at->x < c->grid_width) return;
    at->x = 0;
    if (++at->y == c->grid_height) {
        at->y = 0;
        at->in_image += c->in_image;
        at->out_image += c->out_image;
    }
    at->in = at->in_image + at->y * c->in_y;
    at->out = at->out_image + at->y * c->out_y;
}

/* The next `rows` pixels into the tile; what is missing to a whole tile repeats the first. */
static inline void aim(sbl_run_tile *tile, cursor *at, const sbl_correlation *c, size_t rows,
                       size_t tile_rows, float *spare)
{
    for (size_t m = 0; m < rows; m++) {
        tile->in[m] = at->in;
        tile->out[m] = at->out;
        advance(at, c);
    }
    for (size_t m = rows; m < tile_rows; m++) {
        tile->in[m] = tile->in[0];
        tile->out[m] = spare;
    }
}

/* One part of the runs, for every pixel, for one panel of outputs that is full: a whole one or the
 * half of one. */
static void full_chunk(const sbl_kernels *kernels, sbl_run_tile *tile, cursor at, const sbl_correlation *c,
                       size_t pixels, size_t width)
{
    void (*run)(const sbl_run_tile *) =
        width == kernels->tile_columns ? kernels->run_tile : kernels->run_tile_narrow;
    float spare[SBL_TILE_MOST_COLUMNS] = {0};
    for (size_t done = 0; done < pixels; done += kernels->tile_rows) {
        size_t rows = pixels - done < kernels->tile_rows ? pixels - done : kernels->tile_rows;
        aim(tile, &at, c, rows, kernels->tile_rows, spare);
        run(tile);
    }
}

static void full_panel(const sbl_kernels *kernels, sbl_run_tile *tile, cursor at, const sbl_correlation *c,
                       size_t pixels, size_t width)
{
    size_t most = CHUNK / width;
    size_t piece = c->length <= most ? c->length : most;
    size_t runs_at_once = piece == c->length && piece > 0 ? most / piece : 1;
    const float *weights = tile->weights;
    if (c->runs * c->length == 0) {
        tile->runs = 0;
        full_chunk(kernels, tile, at, c, pixels, width);
        return;
    }
    for (size_t run = 0; run < c->runs; run += runs_at_once) {
        tile->runs = c->runs - run < runs_at_once ? c->runs - run : runs_at_once;
        for (size_t k = 0; k < c->length; k += piece) {
            cursor moved = at;
            moved.in_image = moved.in = at.in + run * c->run_stride + k;
            tile->length = c->length - k < piece ? c->length - k : piece;
            tile->weights = weights + (run * c->length + k) * width;
            full_chunk(kernels, tile, moved, c, pixels, width);
            tile->start = NULL;
        }
    }
}

static inline void copy_lanes(float *to, const float *from, size_t lanes)
{
    if (lanes == 8)
        memcpy(to, from, 8 * sizeof *to);
    else if (lanes == 16)
        memcpy(to, from, 16 * sizeof *to);
    else
        for (size_t l = 0; l < lanes; l++) to[l] = from[l];
}

/* A panel whose last lanes do not exist: by way of a whole tile beside the outputs. */
static void ragged_panel(const sbl_kernels *kernels, sbl_run_tile *tile, cursor at, const sbl_correlation *c,
                         size_t pixels, size_t lanes, size_t width)
{
    float whole[SBL_TILE_MOST_ROWS * SBL_TILE_MOST_COLUMNS] = {0};
    tile->runs = c->runs;
    tile->length = c->length;
    for (size_t done = 0; done < pixels; done += kernels->tile_rows) {
        size_t rows = pixels - done < kernels->tile_rows ? pixels - done : kernels->tile_rows;
        float *out[SBL_TILE_MOST_ROWS];
        aim(tile, &at, c, rows, kernels->tile_rows, whole);
        memcpy(out, tile->out, sizeof out);
        for (size_t m = 0; m < kernels->tile_rows; m++) tile->out[m] = whole + m * width;
        (width == kernels->tile_columns ? kernels->run_tile : kernels->run_tile_narrow)(tile);
        for (size_t m = 0; m < rows; m++) copy_lanes(out[m], whole + m * width, lanes);
    }
}

static void few_lanes(const sbl_kernels *kernels, sbl_run_tile *tile, cursor at, const sbl_correlation *c,
                      size_t pixels)
{
    float spare[SBL_TILE_MOST_COLUMNS];
    tile->runs = c->runs;
    tile->length = round_up(c->length, kernels->tile_columns / 2);
    for (size_t done = 0; done < pixels; done += kernels->tile_rows) {
        size_t rows = pixels - done < kernels->tile_rows ? pixels - done : kernels->tile_rows;
        aim(tile, &at, c, rows, kernels->tile_rows, spare);
        kernels->dot_tile(tile);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
void sbl_correlate(float *out, const float *in, const float *packed, const float *start,
                   const sbl_correlation *c)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t pixels = c->images * c->grid_height * c->grid_width;
    bool is_few = few(kernels, c->lanes);
    for (size_t first = 0; first < c->lanes;) {
        cursor at = {.in_image = in, .in = in, .out_image = out + first, .out = out + first};
        sbl_run_tile tile = {.weights = packed, .start = start + first, .run_stride = c->run_stride};
        if (is_few) {
            few_lanes(kernels, &tile, at, c, pixels);
            packed += c->runs * tile.length;
            first++;
            continue;
        }
        size_t width = panel_width(kernels, c->lanes, first);
        size_t lanes = c->lanes - first < width ? c->lanes - first : width;
        if (lanes == width)
            full_panel(kernels, &tile, at, c, pixels, width);
        else
            ragged_panel(kernels, &tile, at, c, pixels, lanes, width);
        packed += c->runs * c->length * width;
        first += width;
    }
}

/* ---- what all convolutions ask ---- */

void sbl_pad_image(float *out, const float *image, const sbl_padded *p)
{
    size_t line = p->full_width * p->channels, row = p->width * p->channels;
    size_t left = p->before * p->channels, right = line - left - row;
    memset(out, 0, p->before * line * sizeof *out);
    for (size_t y = 0; y < p->height; y++) {
        float *to = out + (p->before + y) * line;
        memset(to, 0, left * sizeof *out);
        memcpy(to + left, image + y * row, row * sizeof *out);
        memset(to + left + row, 0, right * sizeof *out);
    }
    size_t below = p->before + p->height;
    memset(out + below * line, 0, (p->full_height - below) * line * sizeof *out);
}

sbl_padded sbl_pad_inputs(const sbl_conv_shape *s)
{
    return (sbl_padded){s->height,
                        s->width,
                        s->inputs,
                        s->padding,
                        sbl_larger(s->padding + s->height, (s->out_height - 1) * s->stride + s->kernel),
                        sbl_larger(s->padding + s->width, (s->out_width - 1) * s->stride + s->kernel)};
}

/* Where it wins: it saves three (3x3) or two (5x5) of four products, and its transforms cost the
 * less the more channels share them. */
bool sbl_conv_is_winograd(const sbl_conv_shape *s)
{
    return !s->plain && (s->kernel == 3 || s->kernel == 5) && s->stride == 1 &&
           2 * s->padding + 1 == s->kernel && s->out_height == s->height && s->out_width == s->width &&
           s->inputs % 16 == 0 && s->channels % 16 == 0 && s->inputs + s->channels >= 48 && s->height >= 4 &&
           s->width >= 4;
}
