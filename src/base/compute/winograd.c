/* SPDX-License-Identifier: Apache-2.0 */
/* 3x3 correlations in 4x4 tiles with 36 products per tile and pair of channels instead of 144, and
 * 5x5 ones in 2x2 tiles with 36 instead of 100 (Lavin and Gray 2016). Tiles are worked on in
 * blocks: transform the inputs, 36 matrix products, transform back. A tile's numbers do not depend
 * on its block. */
#include "base/compute/correlation.h"
#include "base/compute/threads.h"
#include "base/compute/variants.h"

#define BLOCK_TILES 64
#define COEFFICIENTS SBL_WINOGRAD_COEFFICIENTS

/* Floats from one coefficient of a block to the next. One line more than needed: powers of two
 * would put all 36 lines of a tile into one set of the cache. */
static size_t coefficient_step(size_t channels) { return BLOCK_TILES * channels + 16; }

/* Per thread: coefficients of the inputs and of the outputs of a block. */
static size_t block_room(const sbl_taps *taps)
{
    return sbl_whole_lines(COEFFICIENTS * coefficient_step(taps->channels)) +
           sbl_whole_lines(COEFFICIENTS * coefficient_step(taps->lanes));
}

static size_t coefficient_size(const sbl_taps *taps)
{
    sbl_taps one = *taps;
    one.rows = one.columns = 1;
    return sbl_packed_size(&one);
}

size_t sbl_winograd_workspace(const sbl_taps *taps, size_t threads)
{
    return sbl_whole_lines(sbl_packed_size(taps)) + COEFFICIENTS * sbl_whole_lines(coefficient_size(taps)) +
           sbl_whole_lines(taps->channels) + sbl_whole_lines(taps->lanes + 32) + threads * block_room(taps);
}

/* What every block needs. */
typedef struct job {
    float *out;
    const float *in, *start, *coefficients, *zeros;
    size_t coefficient_size, border, channels, lanes;
    sbl_tiling tiling;
} job;

/* A piece of the filter coefficients, which are 36 times what sbl_pack_taps makes of a 1x1 kernel. */
static void transform_piece(float *coefficients, size_t size, float *packed, const sbl_taps *taps,
                            size_t number)
{
    const sbl_tap_piece piece = sbl_pack_piece(packed, taps, number);
    const size_t before = piece.lane * taps->channels, at = piece.first * piece.width;
    sbl_kernels_best()->winograd_filter(coefficients + before + at, size,
                                        packed + before * taps->rows * taps->columns + at,
                                        taps->channels * piece.width, piece.count * piece.width, taps->rows);
}

static void aim_out(sbl_winograd_tile *tile, const job *j, size_t number)
{
    const sbl_tiling *t = &j->tiling;
    size_t per_image = t->down * t->across, in_image = number % per_image;
    size_t top = in_image / t->across * t->side, left = in_image % t->across * t->side;
    float *pixels = j->out + number / per_image * t->height * t->width * j->lanes;
    for (size_t y = 0; y < t->side; y++)
        for (size_t x = 0; x < t->side; x++)
            tile->out[t->side * y + x] = top + y < t->height && left + x < t->width
                                             ? pixels + ((top + y) * t->width + left + x) * j->lanes
                                             : NULL;
}

/* tiles first .. first + count - 1; buffer: block_room */
static void do_block(const job *j, size_t first, size_t count, float *buffer, const float *nothing)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    float *next = buffer;
    float *in = sbl_take_lines(&next, COEFFICIENTS * coefficient_step(j->channels)), *out = next;
    sbl_winograd_tile tile = {.step = coefficient_step(j->channels), .channels = j->channels};
    for (size_t t = 0; t < count; t++) {
        tile.coefficients = in + t * j->channels;
        sbl_tile_pixels(tile.in, j->in, j->channels, &j->tiling, first + t, 6, j->border, j->zeros);
        kernels->winograd_input(&tile);
    }
    for (size_t f = 0; f < COEFFICIENTS; f++)
        sbl_correlate(out + f * coefficient_step(j->lanes), in + f * coefficient_step(j->channels),
                      j->coefficients + f * j->coefficient_size, nothing,
                      &(sbl_correlation){.images = 1,
                                         .grid_height = 1,
                                         .grid_width = count,
                                         .in_x = j->channels,
                                         .out_x = j->lanes,
                                         .runs = 1,
                                         .length = j->channels,
                                         .lanes = j->lanes});
    tile = (sbl_winograd_tile){
        .side = j->tiling.side, .step = coefficient_step(j->lanes), .channels = j->lanes, .start = j->start};
    for (size_t t = 0; t < count; t++) {
        tile.coefficients = out + t * j->lanes;
        aim_out(&tile, j, first + t);
        kernels->winograd_output(&tile);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through a copy of it */
void sbl_winograd(float *out, const float *in, const sbl_taps *taps, const float *start, size_t height,
                  size_t width, size_t rows, size_t threads, float *workspace)
{
    float *next = workspace, *packed = sbl_take_lines(&next, sbl_packed_size(taps));
    size_t size = sbl_whole_lines(coefficient_size(taps));
    float *coefficients = sbl_take_lines(&next, COEFFICIENTS * size);
    float *zeros = sbl_take_lines(&next, taps->channels);
    float *nothing = sbl_take_lines(&next, taps->lanes + 32);
    job j = {.out = out,
             .in = in,
             .start = start,
             .coefficients = coefficients,
             .zeros = zeros,
             .coefficient_size = size,
             .border = (taps->rows - 1) / 2,
             .channels = taps->channels,
             .lanes = taps->lanes,
             .tiling = sbl_tiling_of(taps->rows, height, width)};
    size_t tiles = rows * j.tiling.down * j.tiling.across;
    size_t shares = threads * ((tiles + threads * BLOCK_TILES - 1) / (threads * BLOCK_TILES));
    memset(zeros, 0, taps->channels * sizeof *zeros);
    memset(nothing, 0, (taps->lanes + 32) * sizeof *nothing);
    const size_t pieces = sbl_tap_pieces(taps);
    SBL_OMP(omp parallel num_threads((int)threads))
    {
        SBL_OMP(omp for schedule(static))
        for (size_t piece = 0; piece < pieces; piece++)
            transform_piece(coefficients, size, packed, taps, piece);
        SBL_OMP(omp for schedule(dynamic) nowait)
        for (size_t share = 0; share < shares; share++) {
            size_t first = share * tiles / shares, last = (share + 1) * tiles / shares;
            if (first < last)
                do_block(&j, first, last - first, next + (size_t)sbl_thread_index() * block_room(taps),
                         nothing);
        }
    }
}
