/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the pixels of each channel go chunk by chunk: within a chunk in float, its numbers
 * still in cache; over the chunks in double and in order. A few channels are widened first: several
 * pixels side by side make one line of at least STRIP / 2 numbers. */
#include <math.h>
#include <string.h>

#include "base/backend/backend_internal.h"
#include "base/compute/threads.h"

#define STRIP 32
#define CHUNK_NUMBERS 16384
#define EPSILON 1e-5
#define LINE 16 /* channels whose chunks one thread adds up */

/* Pixels side by side in one line. */
static size_t pixels_of_line(size_t channels) { return channels < STRIP ? STRIP / channels : 1; }

static size_t pixels_of_chunk(size_t channels)
{
    size_t line = pixels_of_line(channels), lines = CHUNK_NUMBERS / (line * channels);
    return line * (lines < 8 ? 8 : lines);
}

static size_t chunk_count(size_t pixels, size_t channels)
{
    size_t chunk = pixels_of_chunk(channels);
    return (pixels + chunk - 1) / chunk;
}

/* Sums of the chunks, then three numbers a channel. */
static size_t sums_size(size_t pixels, size_t channels)
{
    return 2 * chunk_count(pixels, channels) * channels;
}

size_t sbl_norm_scratch(size_t pixels, size_t channels) { return sums_size(pixels, channels) + 3 * channels; }

/* Below, threads cost more than they save. */
static bool is_much(size_t pixels, size_t channels) { return pixels * channels > 4 * CHUNK_NUMBERS; }

/* Two sums per number of a line, over `lines` lines:
 *     centred:  a = sum (x - m),  b = sum (x - m)^2          m may be NULL (zero)
 *     gradient: a = sum dz,       b = sum dz (x - m)         dz = dy where y > 0 */
typedef struct strip_sums {
    const float *x, *m, *dy, *y;
    size_t lines, width; /* width: from line to line */
    bool relu;
} strip_sums;

#define EACH_LINE_OF(columns, BEFORE, BODY)      \
    for (size_t l = 0; l < s.lines; l++) {       \
        size_t at = l * s.width;                 \
        BEFORE(columns)                          \
        for (size_t j = 0; j < (columns); j++) { \
            BODY                                 \
        }                                        \
    }

#define CENTRED                      \
    float d = s.x[at + j] - mean[j]; \
    first[j] += d;                   \
    second[j] += d * d;
#define GRADIENT          \
    first[j] += slope[j]; \
    second[j] += slope[j] * (s.x[at + j] - mean[j]);

/* Where the gradients come from. Compilers make branches of choices inside of sums, not so of
 * choices in a loop of their own. */
#define NOTHING(columns)
#define TAKE(columns) \
    for (size_t j = 0; j < (columns); j++) slope[j] = s.dy[at + j];
#define TAKE_POSITIVE(columns)                     \
    for (size_t j = 0; j < (columns); j++) {       \
        float all = s.dy[at + j], y = s.y[at + j]; \
        slope[j] = y > 0 ? all : 0;                \
    }

/* Whole strips have a constant length, so that compilers keep the sums in registers. */
#define SUM_STRIP(BEFORE, BODY)             \
    if (columns == STRIP) {                 \
        EACH_LINE_OF(STRIP, BEFORE, BODY)   \
    } else {                                \
        EACH_LINE_OF(columns, BEFORE, BODY) \
    }

SBL_CLONES static void sum_strip(float *restrict a, float *restrict b, strip_sums s, size_t columns)
{
    float first[STRIP] = {0}, second[STRIP] = {0}, mean[STRIP] = {0}, slope[STRIP];
    if (s.m) memcpy(mean, s.m, columns * sizeof *mean);
    if (!s.dy) {
        SUM_STRIP(NOTHING, CENTRED)
    } else if (s.relu) {
        SUM_STRIP(TAKE_POSITIVE, GRADIENT)
    } else {
        SUM_STRIP(TAKE, GRADIENT)
    }
    memcpy(a, first, columns * sizeof *a);
    memcpy(b, second, columns * sizeof *b);
}

/* Sums of one chunk of pixels into a, b (channels): whole lines by strips, folded; then the rest.
 * what.m is per channel. */
static void sum_chunk(float *a, float *b, strip_sums what, size_t pixels, size_t channels)
{
    size_t line = pixels_of_line(channels), width = line * channels;
    float wide_mean[STRIP], wide_a[STRIP], wide_b[STRIP];
    strip_sums s = what;
    s.lines = pixels / line;
    s.width = width;
    if (line == 1) {
        for (size_t j = 0; j < channels; j += STRIP) {
            size_t columns = channels - j < STRIP ? channels - j : STRIP;
            s.x = what.x + j;
            s.m = what.m ? what.m + j : NULL;
            s.dy = what.dy ? what.dy + j : NULL;
            s.y = what.y ? what.y + j : NULL;
            sum_strip(a + j, b + j, s, columns);
        }
        return;
    }
    for (size_t j = 0; j < width; j++) wide_mean[j] = what.m ? what.m[j % channels] : 0;
    s.m = wide_mean;
    sum_strip(wide_a, wide_b, s, width);
    size_t done = s.lines * width;
    s.lines = pixels % line;
    s.width = channels;
    s.x += done;
    s.dy = s.dy ? s.dy + done : NULL;
    s.y = s.y ? s.y + done : NULL;
    sum_strip(a, b, s, channels);
    for (size_t j = 0; j < width; j++) {
        a[j % channels] += wide_a[j];
        b[j % channels] += wide_b[j];
    }
}

static size_t pixels_at(size_t first, size_t pixels, size_t chunk)
{
    return pixels - first < chunk ? pixels - first : chunk;
}

/* partial (chunks, 2, channels) of `what` over all pixels; called by all threads of a team, which has met
 * when it returns. */
static void sum_all(float *partial, strip_sums what, size_t pixels, size_t channels)
{
    size_t chunk = pixels_of_chunk(channels), chunks = chunk_count(pixels, channels);
    SBL_OMP(omp for schedule(static))
    for (size_t c = 0; c < chunks; c++) {
        size_t first = c * chunk, at = first * channels;
        strip_sums part = what;
        part.x += at;
        part.dy = what.dy ? what.dy + at : NULL;
        part.y = what.y ? what.y + at : NULL;
        sum_chunk(partial + 2 * c * channels, partial + (2 * c + 1) * channels, part,
                  pixels_at(first, pixels, chunk), channels);
    }
}

/* The chunks' sums of some channels, one line of the cache at most, added up in the order of chunks. */
typedef struct totals {
    size_t first, last;      /* channels */
    double a[LINE], b[LINE]; /* of each */
} totals;

static totals total_of(const float *partial, size_t chunks, size_t channels, size_t first)
{
    totals t = {.first = first, .last = first + LINE < channels ? first + LINE : channels};
    for (size_t c = 0; c < chunks; c++) {
        const float *a = partial + 2 * c * channels, *b = a + channels;
        for (size_t j = t.first; j < t.last; j++) t.a[j - t.first] += (double)a[j];
        for (size_t j = t.first; j < t.last; j++) t.b[j - t.first] += (double)b[j];
    }
    return t;
}

void sbl_channel_sums(float *sums, const float *x, size_t pixels, size_t channels, float *scratch)
{
    size_t chunks = chunk_count(pixels, channels);
    SBL_OMP(omp parallel if (is_much(pixels, channels)))
    {
        sum_all(scratch, (strip_sums){.x = x}, pixels, channels);
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t first = 0; first < channels; first += LINE) {
            const totals t = total_of(scratch, chunks, channels, first);
            for (size_t j = first; j < t.last; j++) sums[j] = (float)t.a[j - first];
        }
    }
}

/* Sums about the first pixel, which is close to the mean as the spread goes: then the variance is
 * no difference of large numbers. */
static void take_statistics(const sbl_norm *norm, float *running, const float *x, float momentum,
                            const totals *t)
{
    const size_t n = norm->channels;
    const double count = (double)norm->pixels, unbiased = count > 1 ? count / (count - 1) : 1;
    for (size_t j = t->first; j < t->last; j++) {
        double off = t->a[j - t->first] / count;
        double variance = t->b[j - t->first] / count - off * off;
        if (!(variance > 0)) variance = 0;
        double mean = (double)x[j] + off;
        norm->mean[j] = (float)mean;
        norm->inverse[j] = (float)(1 / sqrt(variance + EPSILON));
        running[j] += momentum * ((float)mean - running[j]);
        running[n + j] += momentum * ((float)(unbiased * variance) - running[n + j]);
    }
}

void sbl_norm_statistics(const sbl_norm *norm, float *running, const float *x, float momentum)
{
    size_t n = norm->channels, chunks = chunk_count(norm->pixels, n);
    if (!norm->batch) {
        memcpy(norm->mean, running, n * sizeof *running);
        for (size_t j = 0; j < n; j++) norm->inverse[j] = (float)(1 / sqrt((double)running[n + j] + EPSILON));
        return;
    }
    SBL_OMP(omp parallel if (is_much(norm->pixels, n)))
    {
        sum_all(norm->scratch, (strip_sums){.x = x, .m = x}, norm->pixels, n);
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t first = 0; first < n; first += LINE) {
            const totals t = total_of(norm->scratch, chunks, n, first);
            take_statistics(norm, running, x, momentum, &t);
        }
    }
}

SBL_CLONES static void scale_lines(float *restrict y, const float *restrict x, const float *restrict front,
                                   const float *restrict back, size_t lines, size_t width, bool relu)
{
    for (size_t l = 0; l < lines; l++, y += width, x += width)
        if (relu) {
            for (size_t j = 0; j < width; j++) {
                float v = x[j] * front[j] + back[j];
                y[j] = v > 0 ? v : 0;
            }
        } else {
            for (size_t j = 0; j < width; j++) y[j] = x[j] * front[j] + back[j];
        }
}

/* Per-channel numbers repeated for the pixels of a line. */
static const float *widen(float wide[STRIP], const float *numbers, size_t line, size_t channels)
{
    if (line == 1) return numbers;
    for (size_t j = 0; j < line * channels; j++) wide[j] = numbers[j % channels];
    return wide;
}

void sbl_norm_forward(const sbl_norm *norm, float *y, const float *x)
{
    size_t n = norm->channels, line = pixels_of_line(n), chunk = pixels_of_chunk(n);
    float *front = norm->scratch, *back = front + n, wide_front[STRIP], wide_back[STRIP];
    for (size_t j = 0; j < n; j++) {
        front[j] = norm->gamma[j] * norm->inverse[j];
        back[j] = norm->beta[j] - norm->mean[j] * front[j];
    }
    const float *f = widen(wide_front, front, line, n), *b = widen(wide_back, back, line, n);
    SBL_OMP(omp parallel for schedule(static) if (is_much(norm->pixels, n)))
    for (size_t first = 0; first < norm->pixels; first += chunk) {
        size_t pixels = pixels_at(first, norm->pixels, chunk), at = first * n;
        size_t lines = pixels / line, done = at + lines * line * n;
        scale_lines(y + at, x + at, f, b, lines, line * n, norm->relu);
        scale_lines(y + done, x + done, front, back, pixels % line, n, norm->relu);
    }
}

/* dx = a dz + b x + c, where dz = dy where y > 0 */
SBL_CLONES static void gradient_lines(float *restrict dy, const float *restrict x, const float *restrict y,
                                      const float *restrict a, const float *restrict b,
                                      const float *restrict c, size_t lines, size_t width, bool relu)
{
    for (size_t l = 0; l < lines; l++, dy += width, x += width, y += width)
        if (relu) {
            for (size_t j = 0; j < width; j++) {
                float all = dy[j], dz = y[j] > 0 ? all : 0;
                dy[j] = a[j] * dz + (b[j] * x[j] + c[j]);
            }
        } else {
            for (size_t j = 0; j < width; j++) dy[j] = a[j] * dy[j] + (b[j] * x[j] + c[j]);
        }
}

/* The factors of dx, for some channels. With h = (x - mean) inverse: dx = gamma inverse (dz - mean(dz)
 * - h mean(dz h)). With the running statistics the means do not move: dx = gamma inverse dz. */
static void gradient_factors(const sbl_norm *norm, float *a, float *dgamma, float *dbeta, const totals *t)
{
    float *b = a + norm->channels, *c = b + norm->channels;
    for (size_t j = t->first; j < t->last; j++) {
        dbeta[j] = (float)t->a[j - t->first];
        dgamma[j] = (float)(t->b[j - t->first] * (double)norm->inverse[j]);
        double front = (double)norm->gamma[j] * (double)norm->inverse[j];
        double slope =
            norm->batch ? -front * (double)dgamma[j] * (double)norm->inverse[j] / (double)norm->pixels : 0;
        double mean = norm->batch ? -front * (double)dbeta[j] / (double)norm->pixels : 0;
        a[j] = (float)front;
        b[j] = (float)slope;
        c[j] = (float)(mean - slope * (double)norm->mean[j]);
    }
}

void sbl_norm_backward(const sbl_norm *norm, float *dy, float *dgamma, float *dbeta, const float *x,
                       const float *y)
{
    size_t n = norm->channels, chunks = chunk_count(norm->pixels, n), line = pixels_of_line(n);
    size_t chunk = pixels_of_chunk(n);
    float *a = norm->scratch + sums_size(norm->pixels, n), *b = a + n, *c = b + n;
    SBL_OMP(omp parallel if (is_much(norm->pixels, n)))
    {
        float wide[3][STRIP];
        sum_all(norm->scratch, (strip_sums){.x = x, .m = norm->mean, .dy = dy, .y = y, .relu = norm->relu},
                norm->pixels, n);
        SBL_OMP(omp for schedule(static))
        for (size_t first = 0; first < n; first += LINE) {
            const totals t = total_of(norm->scratch, chunks, n, first);
            gradient_factors(norm, a, dgamma, dbeta, &t);
        }
        const float *wa = widen(wide[0], a, line, n), *wb = widen(wide[1], b, line, n);
        const float *wc = widen(wide[2], c, line, n);
        SBL_OMP(omp for schedule(static) nowait)
        for (size_t first = 0; first < norm->pixels; first += chunk) {
            size_t pixels = pixels_at(first, norm->pixels, chunk), at = first * n;
            size_t lines = pixels / line, done = at + lines * line * n;
            gradient_lines(dy + at, x + at, y + at, wa, wb, wc, lines, line * n, norm->relu);
            gradient_lines(dy + done, x + done, y + done, a, b, c, pixels % line, n, norm->relu);
        }
    }
}
