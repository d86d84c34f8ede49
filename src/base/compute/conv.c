/* SPDX-License-Identifier: Apache-2.0 */
/* Forward and back to the inputs: both are correlations of a padded image. Back to the inputs with
 * stride s, the pixels of each of the s^2 phases meet their own taps: for input row iy = r + s t,
 *     i = i0 + s u,  i0 = (r + p) mod s,  oy = t + (r + p - i0) / s - u,
 * a correlation of dy with every s-th tap, taken backwards. */
#include "base/compute/conv.h"

#include "base/compute/correlation.h"
#include "base/compute/threads.h"

#define GROUP_PIXELS 256 /* outputs that one thread makes from one padded copy, at least */

/* One direction, one phase: outputs at first + stride (y, x), taps, and where they start in. */
typedef struct phase {
    size_t first, count; /* outputs along one side */
    size_t taps, tap;    /* how many, and the last one: the others are every stride-th before it */
    size_t shift;        /* the one under it, counted from dy's zero: q; see above */
} phase;

static phase phase_at(const sbl_conv_shape *s, size_t r, size_t side)
{
    phase p = {.first = r, .count = r < side ? (side - r + s->stride - 1) / s->stride : 0};
    size_t i0 = (r + s->padding) % s->stride;
    p.taps = i0 < s->kernel ? (s->kernel - i0 + s->stride - 1) / s->stride : 0;
    p.tap = p.taps ? i0 + (p.taps - 1) * s->stride : 0;
    p.shift = (r + s->padding - i0) / s->stride;
    return p;
}

/* dy with zeros around such that every phase reads inside. */
static sbl_padded pad_gradients(const sbl_conv_shape *s)
{
    sbl_padded p = {.height = s->out_height, .width = s->out_width, .channels = s->channels};
    for (size_t r = 0; r < s->stride; r++) {
        phase any = phase_at(s, r, 1);
        if (any.taps > any.shift + 1) p.before = sbl_larger(p.before, any.taps - 1 - any.shift);
    }
    p.full_height = p.before + p.height;
    p.full_width = p.before + p.width;
    for (size_t r = 0; r < s->stride; r++) {
        phase y = phase_at(s, r, s->height), x = phase_at(s, r, s->width);
        p.full_height = sbl_larger(p.full_height, p.before + y.count + y.shift);
        p.full_width = sbl_larger(p.full_width, p.before + x.count + x.shift);
    }
    return p;
}

static size_t group_images(size_t pixels, size_t rows)
{
    size_t images = (GROUP_PIXELS + pixels - 1) / pixels;
    return images < rows ? images : rows;
}

static sbl_taps forward_taps(const sbl_conv_shape *s, const float *w)
{
    size_t run = s->kernel * s->inputs;
    return (sbl_taps){.first = w,
                      .lane = (ptrdiff_t)(s->kernel * run),
                      .row_step = (ptrdiff_t)run,
                      .column_step = (ptrdiff_t)s->inputs,
                      .channel = 1,
                      .lanes = s->channels,
                      .rows = s->kernel,
                      .columns = s->kernel,
                      .channels = s->inputs};
}

/* Their shape; a reader of the weights sets `first`. */
static sbl_taps phase_taps(const sbl_conv_shape *s, const phase *y, const phase *x)
{
    size_t run = s->kernel * s->inputs;
    return (sbl_taps){.lane = 1,
                      .row_step = -(ptrdiff_t)(s->stride * run),
                      .column_step = -(ptrdiff_t)(s->stride * s->inputs),
                      .channel = (ptrdiff_t)(s->kernel * run),
                      .lanes = s->inputs,
                      .rows = x->taps ? y->taps : 0,
                      .columns = y->taps ? x->taps : 0,
                      .channels = s->channels};
}

static size_t correlation_workspace(const sbl_padded *p, size_t packed, size_t lanes, size_t group,
                                    size_t threads)
{
    return sbl_whole_lines(packed) + sbl_whole_lines(lanes + 32) +
           threads * sbl_whole_lines(group * sbl_padded_size(p) + SBL_CORRELATION_SLACK);
}

static size_t input_group(const sbl_conv_shape *s, size_t rows)
{
    return group_images((s->height / s->stride + 1) * (s->width / s->stride + 1), rows);
}

size_t sbl_conv_workspace(const sbl_conv_shape *s, size_t rows)
{
    sbl_padded in = sbl_pad_inputs(s), out = pad_gradients(s);
    sbl_taps there = forward_taps(s, NULL);
    size_t packed = 0;
    for (size_t a = 0; a < s->stride * s->stride; a++) {
        phase y = phase_at(s, a / s->stride, s->height), x = phase_at(s, a % s->stride, s->width);
        sbl_taps taps = phase_taps(s, &y, &x);
        packed += sbl_whole_lines(sbl_packed_size(&taps));
    }
    size_t most = correlation_workspace(&in, sbl_packed_size(&there), s->channels,
                                        group_images(s->out_height * s->out_width, rows), s->threads);
    most = sbl_larger(most, correlation_workspace(&out, packed, s->inputs, input_group(s, rows), s->threads));
    most = sbl_larger(most, sbl_conv_weights_workspace(s, rows));
    if (sbl_conv_is_winograd(s)) {
        sbl_taps back = {
            .lanes = s->inputs, .rows = s->kernel, .columns = s->kernel, .channels = s->channels};
        size_t start = sbl_whole_lines(sbl_larger(s->inputs, s->channels) + 32);
        most = sbl_larger(most, start + sbl_winograd_workspace(&there, s->threads));
        most = sbl_larger(most, start + sbl_winograd_workspace(&back, s->threads));
    }
    return most + 16;
}

/* A line of sums' starts: the bias, or zeros, and zeros behind it. */
static const float *make_start(float **next, const float *bias, size_t lanes)
{
    float *start = sbl_take_lines(next, lanes + 32);
    memset(start, 0, (lanes + 32) * sizeof *start);
    if (bias) memcpy(start, bias, lanes * sizeof *start);
    return start;
}

/* The images of a group with their border, in buffer. */
static const float *padded_group(float *buffer, const float *images, const sbl_padded *p, size_t count)
{
    size_t image = p->height * p->width * p->channels;
    for (size_t i = 0; i < count; i++) sbl_pad_image(buffer + i * sbl_padded_size(p), images + i * image, p);
    return buffer;
}

void sbl_conv_forward(float *y, const float *x, const float *w, const float *bias, const sbl_conv_shape *s,
                      size_t rows, float *workspace)
{
    float *next = sbl_first_line(workspace);
    sbl_taps taps = forward_taps(s, w);
    const float *start = make_start(&next, bias, s->channels);
    if (sbl_conv_is_winograd(s)) {
        sbl_winograd(y, x, &taps, start, s->height, s->width, rows, s->threads, next);
        return;
    }
    float *packed = sbl_take_lines(&next, sbl_packed_size(&taps));
    sbl_pack_taps(packed, &taps, s->threads);
    sbl_padded p = sbl_pad_inputs(s);
    size_t pixels = s->out_height * s->out_width, group = group_images(pixels, rows);
    size_t in_image = s->height * s->width * s->inputs, out_image = pixels * s->channels;
    size_t line = p.full_width * s->inputs;
    size_t buffer = sbl_whole_lines(group * sbl_padded_size(&p) + SBL_CORRELATION_SLACK);
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)s->threads) if (rows > group))
    for (size_t first = 0; first < rows; first += group) {
        size_t images = rows - first < group ? rows - first : group;
        const float *in =
            padded_group(next + (size_t)sbl_thread_index() * buffer, x + first * in_image, &p, images);
        sbl_correlate(y + first * out_image, in, packed, start,
                      &(sbl_correlation){.images = images,
                                         .grid_height = s->out_height,
                                         .grid_width = s->out_width,
                                         .in_image = sbl_padded_size(&p),
                                         .in_y = s->stride * line,
                                         .in_x = s->stride * s->inputs,
                                         .out_image = out_image,
                                         .out_y = s->out_width * s->channels,
                                         .out_x = s->channels,
                                         .runs = s->kernel,
                                         .length = s->kernel * s->inputs,
                                         .run_stride = line,
                                         .lanes = s->channels});
    }
}

/* All phases of a group of images; in: dy with its border. */
static void correlate_phases(float *dx, const float *in, const float *packed, const float *start,
                             const sbl_conv_shape *s, const sbl_padded *p, size_t images)
{
    size_t line = p->full_width * s->channels;
    for (size_t a = 0; a < s->stride * s->stride; a++) {
        phase y = phase_at(s, a / s->stride, s->height), x = phase_at(s, a % s->stride, s->width);
        sbl_taps taps = phase_taps(s, &y, &x);
        size_t top = taps.rows ? p->before + y.shift - (y.taps - 1) : 0;
        size_t left = taps.rows ? p->before + x.shift - (x.taps - 1) : 0;
        if (y.count && x.count)
            sbl_correlate(dx + (y.first * s->width + x.first) * s->inputs,
                          in + top * line + left * s->channels, packed, start,
                          &(sbl_correlation){.images = images,
                                             .grid_height = y.count,
                                             .grid_width = x.count,
                                             .in_image = sbl_padded_size(p),
                                             .in_y = line,
                                             .in_x = s->channels,
                                             .out_image = s->height * s->width * s->inputs,
                                             .out_y = s->stride * s->width * s->inputs,
                                             .out_x = s->stride * s->inputs,
                                             .runs = taps.rows,
                                             .length = taps.columns * s->channels,
                                             .run_stride = line,
                                             .lanes = s->inputs});
        packed += sbl_whole_lines(sbl_packed_size(&taps));
    }
}

void sbl_conv_backward_input(float *dx, const float *dy, const float *w, const float *bias,
                             const sbl_conv_shape *s, size_t rows, float *workspace)
{
    float *next = sbl_first_line(workspace);
    const float *start = make_start(&next, bias, s->inputs);
    float *packed = next;
    for (size_t a = 0; a < s->stride * s->stride; a++) {
        phase y = phase_at(s, a / s->stride, s->height), x = phase_at(s, a % s->stride, s->width);
        sbl_taps taps = phase_taps(s, &y, &x);
        taps.first = w + (y.tap * s->kernel + x.tap) * s->inputs;
        if (sbl_conv_is_winograd(s)) {
            sbl_winograd(dx, dy, &taps, start, s->height, s->width, rows, s->threads, next);
            return;
        }
        sbl_pack_taps(sbl_take_lines(&next, sbl_packed_size(&taps)), &taps, s->threads);
    }
    sbl_padded p = pad_gradients(s);
    size_t group = input_group(s, rows), in_image = s->out_height * s->out_width * s->channels;
    size_t buffer = sbl_whole_lines(group * sbl_padded_size(&p) + SBL_CORRELATION_SLACK);
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)s->threads) if (rows > group))
    for (size_t first = 0; first < rows; first += group) {
        size_t images = rows - first < group ? rows - first : group;
        const float *in =
            padded_group(next + (size_t)sbl_thread_index() * buffer, dy + first * in_image, &p, images);
        correlate_phases(dx + first * s->height * s->width * s->inputs, in, packed, start, s, &p, images);
    }
}
