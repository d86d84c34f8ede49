/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and their derivatives against plain loops in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/conv.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"

typedef struct problem {
    sbl_conv_shape shape;
    size_t rows, x_count, w_count, y_count;
    float *x, *w, *y, *bias, *workspace;
} problem;

static sbl_conv_shape shape_of(size_t height, size_t width, size_t inputs, size_t channels, size_t kernel,
                               size_t stride, size_t padding)
{
    return (sbl_conv_shape){
        height, width, inputs, .channels = channels, .kernel = kernel, .stride = stride, .padding = padding};
}

/* With the size of the output given. */
static sbl_conv_shape cut(sbl_conv_shape shape, size_t height, size_t width)
{
    shape.out_height = height;
    shape.out_width = width;
    return shape;
}

static float *normals(size_t count, uint64_t stream)
{
    float *numbers = sbl_alloc_array(count, sizeof *numbers);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 5, SBL_RNG_OTHER, stream);
    sbl_model_rng_normals(&rng, numbers, count);
    return numbers;
}

/* threads: most that will be asked for */
static problem make_for(sbl_conv_shape s, size_t rows, size_t threads)
{
    if (s.out_height == 0) s.out_height = (s.height + 2 * s.padding - s.kernel) / s.stride + 1;
    if (s.out_width == 0) s.out_width = (s.width + 2 * s.padding - s.kernel) / s.stride + 1;
    s.threads = threads;
    problem p = {.shape = s,
                 .rows = rows,
                 .x_count = rows * s.height * s.width * s.inputs,
                 .w_count = s.channels * s.kernel * s.kernel * s.inputs,
                 .y_count = rows * s.out_height * s.out_width * s.channels};
    p.x = normals(p.x_count, 1);
    p.w = normals(p.w_count, 2);
    p.y = normals(p.y_count, 3);
    p.bias = normals(s.channels + s.inputs, 4);
    p.workspace = sbl_alloc_array(sbl_conv_workspace(&s, rows), sizeof *p.workspace);
    return p;
}

static problem make(sbl_conv_shape s, size_t rows) { return make_for(s, rows, 3); }

static void unmake(problem *p)
{
    sbl_free(p->x);
    sbl_free(p->w);
    sbl_free(p->y);
    sbl_free(p->bias);
    sbl_free(p->workspace);
}

/* y += conv(x, w), dx += its transpose of dy, dw += its derivative; each may be NULL. */
static void plain(double *y, double *dx, double *dw, const problem *p)
{
    const sbl_conv_shape *s = &p->shape;
    for (size_t at = 0; at < p->y_count; at++) {
        size_t c = at % s->channels, pixel = at / s->channels, ox = pixel % s->out_width;
        size_t oy = pixel / s->out_width % s->out_height, r = pixel / s->out_width / s->out_height;
        for (size_t tap = 0; tap < s->kernel * s->kernel; tap++) {
            size_t iy = oy * s->stride + tap / s->kernel - s->padding;
            size_t ix = ox * s->stride + tap % s->kernel - s->padding;
            if (iy >= s->height || ix >= s->width) continue; /* also below zero */
            for (size_t k = 0; k < s->inputs; k++) {
                size_t in = ((r * s->height + iy) * s->width + ix) * s->inputs + k;
                size_t weight = (c * s->kernel * s->kernel + tap) * s->inputs + k;
                if (y) y[at] += (double)p->x[in] * (double)p->w[weight];
                if (dx) dx[in] += (double)p->y[at] * (double)p->w[weight];
                if (dw) dw[weight] += (double)p->y[at] * (double)p->x[in];
            }
        }
    }
}

/* Rounding of one product of numbers around one: Winograd's transforms cost two more digits in base
 * two, three on the way back to the weights, whose sums of transformed numbers are larger. */
#define PLAIN 3e-6
#define WINOGRAD 1.2e-5
#define WINOGRAD_WEIGHTS 2.4e-5

/* have: sums of `terms` products each */
static void assert_near(const float *have, const double *want, size_t count, size_t terms, double product)
{
    double limit = product * sqrt((double)terms) + 2e-6;
    for (size_t i = 0; i < count; i++)
        if (fabs((double)have[i] - want[i]) > limit * (1 + fabs(want[i])))
            fail_msg("number %zu of %zu is %g, not %g", i, count, (double)have[i], want[i]);
}

static void check_weights(const problem *p)
{
    const sbl_conv_shape *s = &p->shape;
    double *want = calloc(p->w_count, sizeof *want);
    float *have = malloc(p->w_count * sizeof *have);
    memset(have, 0xff, p->w_count * sizeof *have);
    plain(NULL, NULL, want, p);
    sbl_conv_backward_weights(have, p->x, p->y, s, p->rows, p->workspace);
    assert_near(have, want, p->w_count, p->rows * s->out_height * s->out_width,
                sbl_conv_is_winograd(s) ? WINOGRAD_WEIGHTS : PLAIN);
    free(want);
    free(have);
}

static void check(sbl_conv_shape shape, size_t rows)
{
    problem p = make(shape, rows);
    const sbl_conv_shape *s = &p.shape;
    const double rounding = sbl_conv_is_winograd(s) ? WINOGRAD : PLAIN;
    size_t most = p.x_count > p.y_count ? p.x_count : p.y_count;
    double *want = calloc(most, sizeof *want);
    float *have = malloc(most * sizeof *have);
    memset(have, 0xff, most * sizeof *have); /* NaN: every number must be set */
    for (size_t i = 0; i < p.y_count; i++) want[i] = (double)p.bias[i % s->channels];
    plain(want, NULL, NULL, &p);
    sbl_conv_forward(have, p.x, p.w, p.bias, s, rows, p.workspace);
    assert_near(have, want, p.y_count, s->kernel * s->kernel * s->inputs, rounding);

    memset(have, 0xff, most * sizeof *have);
    for (size_t i = 0; i < p.x_count; i++) want[i] = (double)p.bias[i % s->inputs];
    plain(NULL, want, NULL, &p);
    sbl_conv_backward_input(have, p.y, p.w, p.bias, s, rows, p.workspace);
    assert_near(have, want, p.x_count, s->kernel * s->kernel * s->channels, rounding);
    check_weights(&p);
    free(want);
    free(have);
    unmake(&p);
}

TEST(every_kernel_stride_and_padding_matches_plain_loops)
{
    for (size_t kernel = 1; kernel <= 5; kernel++)
        for (size_t stride = 1; stride <= 3; stride++)
            for (size_t padding = 0; padding <= 3; padding++)
                check(shape_of(7, 6, 3, 5, kernel, stride, padding), 3);
}

TEST(every_number_of_channels_matches_plain_loops)
{
    static const size_t counts[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 40, 70};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sbl_conv_shape s = shape_of(5, 9, counts[i], 6, 3, 1, 1);
        check(s, 2);
        s.channels = counts[i];
        s.inputs = 5;
        check(s, 2);
    }
}

TEST(long_runs_and_grids_cut_short_match_plain_loops)
{
    sbl_conv_shape s = shape_of(6, 6, 300, 64, 2, 2, 0);
    check(s, 2);
    /* the generator's own layers, with a batch that does not divide into groups or parts */
    check(shape_of(14, 14, 64, 32, 5, 1, 2), 3);
    check(shape_of(28, 28, 32, 1, 5, 1, 2), 18);
    /* fewer outputs than fit: what a transposed convolution with less at its far end is */
    check(cut(shape_of(9, 8, 4, 6, 3, 2, 1), 3, 2), 2);
    /* pixels powers of two apart */
    check(shape_of(5, 4, 128, 128, 2, 1, 1), 17);
    /* one image of one pixel */
    check(shape_of(1, 1, 2, 3, 3, 1, 1), 1);
}

TEST(winograd_matches_plain_loops)
{
    static const size_t sides[][2] = {{4, 4}, {8, 8}, {5, 7}, {9, 4}, {16, 13}};
    for (size_t i = 0; i < 2 * sizeof sides / sizeof *sides; i++) {
        size_t height = sides[i / 2][0], width = sides[i / 2][1], kernel = i % 2 ? 5 : 3;
        sbl_conv_shape s =
            cut(shape_of(height, width, 32, i % 4 < 2 ? 48 : 64, kernel, 1, kernel / 2), height, width);
        assert_true(sbl_conv_is_winograd(&s));
        check(s, 3);
    }
}

/* Batches that the parts of the sum do not divide, parts of more than one block of tiles, and so
 * many channels that there are fewer parts. */
TEST(winograd_s_gradient_of_weights_takes_in_every_image)
{
    sbl_conv_shape s = cut(shape_of(8, 8, 32, 16, 5, 1, 2), 8, 8);
    assert_true(sbl_conv_is_winograd(&s));
    check(s, 37); /* four or five images of 16 tiles in each of eight parts */
    s.inputs = 16, s.channels = 32, s.kernel = 3, s.padding = 1;
    assert_true(sbl_conv_is_winograd(&s));
    check(s, 11);
    s.height = s.width = s.out_height = s.out_width = 4;
    s.inputs = 192, s.channels = 160;
    problem p = make(s, 5);
    check_weights(&p);
    unmake(&p);
}

TEST(results_do_not_depend_on_threads)
{
    const sbl_conv_shape shapes[] = {shape_of(8, 8, 32, 32, 3, 1, 1),
                                     shape_of(8, 7, 48, 16, 5, 1, 2),   /* slices of the inputs, too */
                                     shape_of(4, 5, 176, 208, 3, 1, 1), /* more threads than parts: slices */
                                     shape_of(9, 9, 6, 7, 5, 2, 2)};
    static const size_t threads[] = {1, 3, 16};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        problem p = make_for(shapes[i], 37, 16);
        float *made[3];
        size_t each = p.x_count + p.w_count + p.y_count;
        for (size_t run = 0; run < 3; run++) {
            float *out = made[run] = malloc(each * sizeof *out);
            p.shape.threads = threads[run];
            sbl_conv_forward(out, p.x, p.w, NULL, &p.shape, p.rows, p.workspace);
            sbl_conv_backward_input(out + p.y_count, p.y, p.w, NULL, &p.shape, p.rows, p.workspace);
            sbl_conv_backward_weights(out + p.y_count + p.x_count, p.x, p.y, &p.shape, p.rows, p.workspace);
        }
        assert_memory_equal(made[0], made[1], each * sizeof **made);
        assert_memory_equal(made[0], made[2], each * sizeof **made);
        for (size_t run = 0; run < 3; run++) free(made[run]);
        unmake(&p);
    }
}
