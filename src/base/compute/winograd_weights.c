/* SPDX-License-Identifier: Apache-2.0 */
/* Back to the weights by Winograd's transforms. The forward tile is
 *     Y = A^T [(G g G^T) * (B^T d B)] A,
 * linear in g, so that its transpose gives the gradient:
 *     dg = G^T [sum over tiles of (A dY A^T) * (B^T d B)] G:
 * a quarter (3x3; 5x5: 9 of 25) of the products of the plain sum. A fixed number of parts of the
 * batch add up coefficients of their own, then these in order: the same sum for any number of
 * threads. With more threads than parts a part is shared out in slices of output channels, each of which
 * transforms the inputs anew, and where there are too few of them in slices of input channels too. */
#include "base/compute/correlation.h"
#include "base/compute/threads.h"
#include "base/compute/variants.h"

#define BLOCK_TILES 64
#define MANY_PARTS 8 /* of the batch, when a part's sums are small */
#define FEW_PARTS 4
#define SMALL_SUMS ((size_t)1 << 20)
#define SLICE 16 /* channels: all counts of Winograd's convolutions are multiples of it */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t sums_size(const sbl_conv_shape *s)
{
    return SBL_WINOGRAD_COEFFICIENTS * s->channels * s->inputs;
}

static size_t part_count(const sbl_conv_shape *s, size_t rows)
{
    return smaller(sums_size(s) <= SMALL_SUMS ? MANY_PARTS : FEW_PARTS, rows);
}

/* Floats from one tile of a block to the next: an odd number of lines, else many tiles would share
 * few sets of the cache. So are those from one coefficient to the next. */
static size_t tile_step(size_t channels) { return channels % 32 == 0 ? channels + 16 : channels; }

static size_t coefficient_step(size_t channels) { return BLOCK_TILES * tile_step(channels) + 16; }

static size_t block_size(size_t channels) { return SBL_WINOGRAD_COEFFICIENTS * coefficient_step(channels); }

/* Per thread: the coefficients of a block of inputs and of gradients. */
static size_t room_size(const sbl_conv_shape *s) { return block_size(s->inputs) + block_size(s->channels); }

static size_t zeros_size(const sbl_conv_shape *s)
{
    return s->inputs > s->channels ? s->inputs : s->channels;
}

size_t sbl_winograd_weights_workspace(const sbl_conv_shape *s, size_t rows)
{
    return zeros_size(s) + part_count(s, rows) * sums_size(s) + s->threads * room_size(s);
}

/* What every part needs. */
typedef struct job {
    const float *x, *dy, *zeros;
    const sbl_conv_shape *shape;
    sbl_tiling tiling;
} job;

/* Channels first .. first + count - 1 of those on one side. */
typedef struct span {
    size_t first, count;
} span;

typedef struct slice {
    span out, in;
} slice;

/* How many slices of output and of input channels the threads have use for, in whole vectors. */
typedef struct cuts {
    size_t out, in;
} cuts;

static cuts cuts_for(const sbl_conv_shape *s, size_t parts)
{
    const size_t wanted = (s->threads + parts - 1) / parts;
    cuts by = {.out = smaller(wanted, s->channels / SLICE)};
    by.in = smaller((wanted + by.out - 1) / by.out, s->inputs / SLICE);
    return by;
}

static span span_at(size_t channels, size_t number, size_t spans)
{
    const size_t vectors = channels / SLICE, first = number * vectors / spans * SLICE;
    return (span){first, (number + 1) * vectors / spans * SLICE - first};
}

static slice slice_at(const sbl_conv_shape *s, const cuts *by, size_t number)
{
    return (slice){span_at(s->channels, number / by->in, by->out),
                   span_at(s->inputs, number % by->in, by->in)};
}

/* sums (channels, inputs) += g^T in over `tiles` tiles, one coefficient of one slice */
static void add_products(float *sums, const float *g, const float *in, const sbl_conv_shape *s,
                         const slice *of, size_t tiles)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t wide = kernels->tile_columns;
    sbl_weight_tile tile = {.images = 1,
                            .rows = 1,
                            .columns = tiles,
                            .g_step = tile_step(of->out.count),
                            .in_step = tile_step(of->in.count)};
    for (size_t lane = 0; lane < of->in.count; lane += wide) {
        bool whole = of->in.count - lane >= wide;
        tile.in = in + lane;
        for (size_t c = 0; c < of->out.count; c += kernels->tile_rows) {
            for (size_t m = 0; m < kernels->tile_rows; m++) {
                tile.g[m] = g + c + m;
                tile.out[m] = sums + (of->out.first + c + m) * s->inputs + of->in.first + lane;
            }
            (whole ? kernels->weight_tile : kernels->weight_tile_narrow)(&tile);
        }
    }
}

/* Tiles first .. first + count - 1 into a slice of the sums; buffer: room_size. */
static void add_block(float *sums, const job *j, const slice *of, size_t first, size_t count, float *buffer)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    const sbl_conv_shape *s = j->shape;
    float *in = buffer, *g = buffer + block_size(s->inputs);
    sbl_winograd_tile tile = {.step = coefficient_step(of->in.count), .channels = of->in.count};
    sbl_winograd_tile back = {
        .side = j->tiling.side, .step = coefficient_step(of->out.count), .channels = of->out.count};
    for (size_t t = 0; t < count; t++) {
        sbl_tile_pixels(tile.in, j->x, s->inputs, &j->tiling, first + t, 6, s->padding, j->zeros);
        for (size_t i = 0; i < 6 * 6; i++) tile.in[i] += of->in.first;
        tile.coefficients = in + t * tile_step(of->in.count);
        kernels->winograd_input(&tile);
        sbl_tile_pixels(back.in, j->dy, s->channels, &j->tiling, first + t, back.side, 0, j->zeros);
        for (size_t i = 0; i < back.side * back.side; i++) back.in[i] += of->out.first;
        back.coefficients = g + t * tile_step(of->out.count);
        kernels->winograd_gradient(&back);
    }
    for (size_t f = 0; f < SBL_WINOGRAD_COEFFICIENTS; f++)
        add_products(sums + f * s->channels * s->inputs, g + f * back.step, in + f * tile.step, s, of, count);
}

/* Tiles first .. last - 1, a slice of the channels. */
static void add_part(float *sums, const job *j, const slice *of, size_t first, size_t last, float *buffer)
{
    const sbl_conv_shape *s = j->shape;
    size_t blocks = (last - first + BLOCK_TILES - 1) / BLOCK_TILES;
    for (size_t f = 0; f < SBL_WINOGRAD_COEFFICIENTS; f++)
        for (size_t c = of->out.first; c < of->out.first + of->out.count; c++)
            memset(sums + (f * s->channels + c) * s->inputs + of->in.first, 0, of->in.count * sizeof *sums);
    for (size_t b = 0; b < blocks; b++) {
        size_t from = first + b * (last - first) / blocks;
        size_t to = first + (b + 1) * (last - first) / blocks;
        add_block(sums, j, of, from, to - from, buffer);
    }
}

void sbl_winograd_weights(float *dw, const float *x, const float *dy, const sbl_conv_shape *s, size_t rows,
                          float *workspace)
{
    const sbl_kernels *kernels = sbl_kernels_best();
    size_t size = sums_size(s), parts = part_count(s, rows), buffer = room_size(s);
    size_t weights = s->kernel * s->kernel * s->inputs, line = s->inputs;
    const cuts by = cuts_for(s, parts);
    size_t slices = by.out * by.in;
    float *next = workspace, *zeros = sbl_take_lines(&next, zeros_size(s));
    float *sums = sbl_take_lines(&next, parts * size);
    job j = {x, dy, zeros, s, sbl_tiling_of(s->kernel, s->height, s->width)};
    size_t per_image = j.tiling.down * j.tiling.across;
    memset(zeros, 0, zeros_size(s) * sizeof *zeros);
    SBL_OMP(omp parallel num_threads((int)s->threads))
    {
        SBL_OMP(omp for schedule(dynamic))
        for (size_t unit = 0; unit < parts * slices; unit++) {
            size_t part = unit / slices;
            const slice of = slice_at(s, &by, unit % slices);
            add_part(sums + part * size, &j, &of, part * rows / parts * per_image,
                     (part + 1) * rows / parts * per_image, next + (size_t)sbl_thread_index() * buffer);
        }
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t c = 0; c < s->channels; c++)
            kernels->winograd_weights(dw + c * weights, sums + c * line, s->channels * line, size, parts,
                                      line, s->kernel);
    }
}
