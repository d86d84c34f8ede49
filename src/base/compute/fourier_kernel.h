/* SPDX-License-Identifier: Apache-2.0 */
/* The Fourier kernels; see vector.h.
 *
 * sincos by folding, with no quadrant to select: for r = t - round(t) in [-1/2, 1/2] turns
 *     sin(2 pi r) = S(sign(r) min(|r|, 1/2 - |r|)),   cos(2 pi r) = S(1/4 - |r|),
 * where S(a) = sin(2 pi a) on [-1/4, 1/4] is an odd minimax polynomial of degree 9 (error 6e-9;
 * 2e-7 with the rounding of floats). */
INLINE vec sine_quarter(vec a)
{
    vec a2 = a * a;
    vec p = a2 * 0x1.3bb81ap+5f + -0x1.322806p+6f;
    p = p * a2 + 0x1.4666dep+6f;
    p = p * a2 + -0x1.4abbbp+5f;
    p = p * a2 + 0x1.921fb4p+2f;
    return p * a;
}

/* t in turns, |t| < 2^21: adding 1.5 * 2^23 rounds to the nearest integer. */
INLINE void sincos_turns(vec *sine, vec *cosine, vec t)
{
    vec r = t - ((t + 0x1.8p23f) - 0x1.8p23f);
    ivec sign = (ivec)r & INT32_MIN;
    vec size = (vec)((ivec)r & INT32_MAX);
    vec other = 0.5f - size;
    ivec fold = size > other; /* all ones where true */
    vec a = (vec)(((ivec)other & fold) | ((ivec)size & ~fold));
    *sine = sine_quarter((vec)((ivec)a | sign));
    *cosine = sine_quarter(0.25f - size);
}

/* ---- features: lanes are frequencies ---- */

/* (c0 s0 c1 s1 ...) */
INLINE void store_pairs(float *out, vec cosine, vec sine)
{
#if WIDTH == 16
    store(out, __builtin_shufflevector(cosine, sine, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    store(out + 16, __builtin_shufflevector(cosine, sine, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                            30, 15, 31));
#elif WIDTH == 8
    store(out, __builtin_shufflevector(cosine, sine, 0, 8, 1, 9, 2, 10, 3, 11));
    store(out + 8, __builtin_shufflevector(cosine, sine, 4, 12, 5, 13, 6, 14, 7, 15));
#else
    store(out, __builtin_shufflevector(cosine, sine, 0, 4, 1, 5));
    store(out + 4, __builtin_shufflevector(cosine, sine, 2, 6, 3, 7));
#endif
}

INLINE void finish_pairs(float *out, vec t)
{
    vec sine, cosine;
    sincos_turns(&sine, &cosine, t);
    store_pairs(out, cosine, sine);
}

/* KERNEL_ROWS rows, 2 WIDTH frequencies. A row distance of zero computes one row many times. */
static __attribute__((noinline)) void features_tile(float *out, size_t stride, const float *x,
                                                    size_t x_stride, const uint32_t *entries,
                                                    size_t entry_stride, size_t codes, size_t columns,
                                                    const float *panel, const float *onehot)
{
    PRODUCT(x, x_stride, 1, panel, PANEL, columns)
#define ADD_CODES(m)                                                             \
    for (size_t k = 0; k < codes; k++) {                                         \
        const float *w = onehot + (size_t)entries[(m)*entry_stride + k] * PANEL; \
        t##m##0 += load(w);                                                      \
        t##m##1 += load(w + WIDTH);                                              \
    }
    EACH(ADD_CODES)
#undef ADD_CODES
#define FINISH(m)                            \
    finish_pairs(out + (m)*stride, t##m##0); \
    finish_pairs(out + (m)*stride + 2 * WIDTH, t##m##1);
    EACH(FINISH)
#undef FINISH
}

static void features(float *out, size_t stride, const sbl_fourier_rows *rows,
                     const sbl_fourier_panels *panels)
{
    float last_out[KERNEL_ROWS * 4 * WIDTH];
    size_t columns = panels->columns, codes = panels->onehot ? rows->codes : 0;
    size_t whole = rows->count - rows->count % KERNEL_ROWS;
    for (size_t f = 0; f < panels->count * PANEL; f += 2 * WIDTH) {
        size_t p = f / PANEL, lane = f % PANEL;
        const float *panel = panels->numbers + p * columns * PANEL + lane;
        const float *onehot = codes ? panels->onehot + p * panels->onehot_width * PANEL + lane : NULL;
        for (size_t r = 0; r < whole; r += KERNEL_ROWS)
            features_tile(out + r * stride + 2 * f, stride, rows->x + r * rows->x_stride, rows->x_stride,
                          codes ? rows->entries + r * codes : NULL, codes, codes, columns, panel, onehot);
        for (size_t r = whole; r < rows->count; r++) {
            features_tile(last_out, 4 * WIDTH, rows->x + r * rows->x_stride, 0,
                          codes ? rows->entries + r * codes : NULL, 0, codes, columns, panel, onehot);
            memcpy(out + r * stride + 2 * f, last_out, sizeof(float) * 4 * WIDTH);
        }
    }
}

/* ---- training: lanes are rows ---- */

/* Cosines and sines of KERNEL_ROWS frequencies, padded apart, for 2 WIDTH rows. */
static __attribute__((noinline)) void phases_tile(float *cosines, float *sines, size_t padded,
                                                  const float *panel, const float *x,
                                                  size_t columns){PRODUCT(panel, 1, PANEL, x, padded, columns)
#define FINISH(m)                                    \
    {                                                \
        vec sine, cosine;                            \
        sincos_turns(&sine, &cosine, t##m##0);       \
        store(cosines + (m)*padded, cosine);         \
        store(sines + (m)*padded, sine);             \
        sincos_turns(&sine, &cosine, t##m##1);       \
        store(cosines + (m)*padded + WIDTH, cosine); \
        store(sines + (m)*padded + WIDTH, sine);     \
    }
                                                                      EACH(FINISH)
#undef FINISH
}

/* Sum of count floats, in an order that depends on count alone. */
INLINE float sum_floats(const float *p, size_t count)
{
    vec s0 = {0}, s1 = {0};
    size_t i = 0;
    for (; i + 2 * WIDTH <= count; i += 2 * WIDTH) {
        s0 += load(p + i);
        s1 += load(p + i + WIDTH);
    }
    s0 += s1;
    float total = 0;
    for (int lane = 0; lane < WIDTH; lane++) total += s0[lane];
    for (; i < count; i++) total += p[i];
    return total;
}

/* One frequency: class means, residuals, loss; cosines become the gradient of the phase (in
 * turns, 2 pi in front). d loss / d t = 2 w_c v_c 2 pi (-res_cos sin + res_sin cos). */
static double frequency_loss(float *cosines, const float *sines, const sbl_fourier_problem *problem,
                             const float *target)
{
    double loss = 0;
    for (size_t c = 0; c < problem->classes; c++) {
        size_t first = problem->starts[c], count = problem->starts[c + 1] - first;
        float weight = problem->row_weight[c], scale = problem->class_weight[c];
        float cos_residual = weight * sum_floats(cosines + first, count) - target[c * 2 * PANEL];
        float sin_residual = weight * sum_floats(sines + first, count) - target[c * 2 * PANEL + 1];
        if (!(scale > 0)) cos_residual = sin_residual = 0;
        loss += (double)scale *
                ((double)cos_residual * (double)cos_residual + (double)sin_residual * (double)sin_residual);
        float front = 2 * scale * weight * 0x1.921fb6p+2f;
        float a = front * sin_residual, b = -front * cos_residual;
        for (size_t r = first; r < first + count; r++) cosines[r] = a * cosines[r] + b * sines[r];
    }
    for (size_t r = problem->starts[problem->classes]; r < problem->padded_rows; r++) cosines[r] = 0;
    return loss;
}

/* gradient (KERNEL_ROWS columns, 2 WIDTH rows) += panel times the gradients of the phases. */
static __attribute__((noinline)) void gradient_tile(float *gradient, size_t padded, const float *panel,
                                                    const float *phases, size_t lanes)
{
    PRODUCT(panel, PANEL, 1, phases, padded, lanes)
#define FINISH(m)                                                        \
    store(gradient + (m)*padded, load(gradient + (m)*padded) + t##m##0); \
    store(gradient + (m)*padded + WIDTH, load(gradient + (m)*padded + WIDTH) + t##m##1);
    EACH(FINISH)
#undef FINISH
}

/* The columns that remain when d is not a multiple of KERNEL_ROWS, for rows first .. last - 1. */
static void gradient_column(float *gradient, size_t padded, const float *panel_row, const float *phases,
                            size_t lanes, size_t first, size_t last)
{
    for (size_t r = first; r < last; r += WIDTH) {
        vec sum = load(gradient + r);
        for (size_t f = 0; f < lanes; f++) sum += panel_row[f] * load(phases + f * padded + r);
        store(gradient + r, sum);
    }
}

static double fourier_slopes(float *slopes, float *sines, const sbl_fourier_problem *problem, const float *x,
                             const float *panel, size_t lanes, const float *target)
{
    size_t padded = problem->padded_rows, columns = problem->columns;
    size_t rows = problem->starts[problem->classes];
    for (size_t r = 0; r < rows; r += 2 * WIDTH)
        for (size_t f = 0; f < lanes; f += KERNEL_ROWS)
            phases_tile(slopes + f * padded + r, sines + f * padded + r, padded, panel + f, x + r, columns);
    double total = 0;
    for (size_t f = 0; f < lanes; f++)
        total += frequency_loss(slopes + f * padded, sines + f * padded, problem, target + 2 * f);
    return total;
}

static void fourier_gradient(float *gradient, const float *slopes, const sbl_fourier_problem *problem,
                             const float *panel, size_t lanes, size_t first, size_t last)
{
    size_t padded = problem->padded_rows, columns = problem->columns, i = 0;
    for (; i + KERNEL_ROWS <= columns; i += KERNEL_ROWS)
        for (size_t r = first; r < last; r += 2 * WIDTH)
            gradient_tile(gradient + i * padded + r, padded, panel + i * PANEL, slopes + r, lanes);
    for (; i < columns; i++)
        gradient_column(gradient + i * padded, padded, panel + i * PANEL, slopes, lanes, first, last);
}
