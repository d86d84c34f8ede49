/* SPDX-License-Identifier: Apache-2.0 */
/* The register tiles of convolutions; see vector.h, and correlate.c for what they are made into. */

/* out[m] (2 WIDTH) = start (or out[m] itself) + sum over runs r and k of in[m][r run_stride + k]
 * weights[r length + k] (2 WIDTH). */
static __attribute__((noinline)) void run_tile(const sbl_run_tile *t)
{
#define POINT(m) const float *a##m = t->in[m];
#define LOAD(m) vec t##m##0 = load(t->out[m]), t##m##1 = load(t->out[m] + WIDTH);
#define BEGIN(m) t##m##0 = s0, t##m##1 = s1;
#define STEP(m)              \
    t##m##0 += a##m[k] * b0; \
    t##m##1 += a##m[k] * b1;
#define NEXT(m) a##m += stride;
#define FINISH(m)              \
    store(t->out[m], t##m##0); \
    store(t->out[m] + WIDTH, t##m##1);
    EACH(POINT)
    EACH(LOAD)
    if (t->start) {
        vec s0 = load(t->start), s1 = load(t->start + WIDTH);
        EACH(BEGIN)
    }
    const float *b = t->weights;
    size_t length = t->length, stride = t->run_stride;
    for (size_t run = t->runs; run > 0; run--) {
        for (size_t k = 0; k < length; k++) {
            vec b0 = load(b), b1 = load(b + WIDTH);
            b += 2 * WIDTH;
            EACH(STEP)
        }
        EACH(NEXT)
    }
    EACH(FINISH)
#undef LOAD
#undef BEGIN
#undef STEP
#undef FINISH
}

/* The same for WIDTH outputs. */
static __attribute__((noinline)) void run_tile_narrow(const sbl_run_tile *t)
{
#define LOAD(m) vec t##m = load(t->out[m]);
#define BEGIN(m) t##m = s;
#define STEP(m) t##m += a##m[k] * b0;
#define FINISH(m) store(t->out[m], t##m);
    EACH(POINT)
    EACH(LOAD)
    if (t->start) {
        vec s = load(t->start);
        EACH(BEGIN)
    }
    const float *b = t->weights;
    size_t length = t->length, stride = t->run_stride;
    for (size_t run = t->runs; run > 0; run--) {
        for (size_t k = 0; k < length; k++) {
            vec b0 = load(b);
            b += WIDTH;
            EACH(STEP)
        }
        EACH(NEXT)
    }
    EACH(FINISH)
#undef LOAD
#undef BEGIN
#undef STEP
#undef FINISH
}

INLINE float sum_lanes(vec v)
{
    float lanes[WIDTH], sum = 0;
    store(lanes, v);
    for (size_t step = WIDTH / 2; step > 0; step /= 2)
        for (size_t i = 0; i < step; i++) lanes[i] += lanes[i + step];
    sum = lanes[0];
    return sum;
}

/* One output per row: out[m][0] = start[0] + the same sum, the lanes along k. length is a multiple
 * of WIDTH, weights (runs, length). */
static __attribute__((noinline)) void dot_tile(const sbl_run_tile *t)
{
#define BEGIN(m) vec t##m = {0};
#define STEP(m) t##m += load(a##m + k) * b0;
#define FINISH(m) t->out[m][0] = t->start[0] + sum_lanes(t##m);
    EACH(POINT)
    EACH(BEGIN)
    const float *b = t->weights;
    size_t length = t->length, stride = t->run_stride;
    for (size_t run = t->runs; run > 0; run--) {
        for (size_t k = 0; k < length; k += WIDTH) {
            vec b0 = load(b);
            b += WIDTH;
            EACH(STEP)
        }
        EACH(NEXT)
    }
    EACH(FINISH)
#undef BEGIN
#undef STEP
#undef FINISH
#undef NEXT
#undef POINT
}

/* out[m] (2 WIDTH) += what sbl_weight_tile says. */
static __attribute__((noinline)) void weight_tile(const sbl_weight_tile *t)
{
#define POINT(m) const float *g##m = t->g[m];
#define LOAD(m) vec t##m##0 = load(t->out[m]), t##m##1 = load(t->out[m] + WIDTH);
#define STEP(m)               \
    t##m##0 += g##m[at] * x0; \
    t##m##1 += g##m[at] * x1;
#define FINISH(m)              \
    store(t->out[m], t##m##0); \
    store(t->out[m] + WIDTH, t##m##1);
    EACH(POINT)
    EACH(LOAD)
    for (size_t line = 0; line < t->images * t->rows; line++) {
        size_t image = line / t->rows, y = line % t->rows, at = image * t->g_image + y * t->g_row;
        const float *in = t->in + image * t->in_image + y * t->in_row;
        for (size_t x = t->columns; x > 0; x--) {
            vec x0 = load(in), x1 = load(in + WIDTH);
            EACH(STEP)
            in += t->in_step;
            at += t->g_step;
        }
    }
    EACH(FINISH)
#undef LOAD
#undef STEP
#undef FINISH
}

/* The same for WIDTH numbers of in. */
static __attribute__((noinline)) void weight_tile_narrow(const sbl_weight_tile *t)
{
#define LOAD(m) vec t##m = load(t->out[m]);
#define STEP(m) t##m += g##m[at] * x0;
#define FINISH(m) store(t->out[m], t##m);
    EACH(POINT)
    EACH(LOAD)
    for (size_t line = 0; line < t->images * t->rows; line++) {
        size_t image = line / t->rows, y = line % t->rows, at = image * t->g_image + y * t->g_row;
        const float *in = t->in + image * t->in_image + y * t->in_row;
        for (size_t x = t->columns; x > 0; x--) {
            vec x0 = load(in);
            EACH(STEP)
            in += t->in_step;
            at += t->g_step;
        }
    }
    EACH(FINISH)
#undef LOAD
#undef STEP
#undef FINISH
#undef POINT
}
