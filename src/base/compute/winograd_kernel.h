/* SPDX-License-Identifier: Apache-2.0 */
/* The transforms of Winograd's F(4x4, 3x3) and F(2x2, 5x5) (Lavin and Gray 2016), both with the
 * points 0, 1, -1, 2, -2, infinity and so with tiles of 6x6:
 *     Y = A^T [(G g G^T) * (B^T d B)] A
 * 1-D: B^T d, A^T m and G g below, and for gradients A y and G^T u; 2-D by columns, then by rows.
 */

/* out[i] = (B^T d)_i; d and out six vectors, out_step apart. */
INLINE void input_1d(vec *out, size_t out_step, const vec *d, size_t d_step)
{
    vec d0 = d[0], d1 = d[d_step], d2 = d[2 * d_step], d3 = d[3 * d_step], d4 = d[4 * d_step],
        d5 = d[5 * d_step];
    vec a = d4 - 4.0f * d2, b = d3 - 4.0f * d1, c = d4 - d2, e = 2.0f * (d3 - d1);
    out[0] = 4.0f * d0 - 5.0f * d2 + d4;
    out[out_step] = a + b;
    out[2 * out_step] = a - b;
    out[3 * out_step] = c + e;
    out[4 * out_step] = c - e;
    out[5 * out_step] = 4.0f * d1 - 5.0f * d3 + d5;
}

/* out[i] = (A^T m)_i, four vectors (or two) of six. */
INLINE void output_1d(vec *out, size_t out_step, const vec *m, size_t m_step, bool four)
{
    vec m0 = m[0], m1 = m[m_step], m2 = m[2 * m_step], m3 = m[3 * m_step], m4 = m[4 * m_step],
        m5 = m[5 * m_step];
    vec p = m1 + m2, q = m1 - m2, r = m3 + m4, s = m3 - m4;
    out[0] = m0 + p + r;
    if (!four) {
        out[out_step] = q + 2.0f * s + m5;
        return;
    }
    out[out_step] = q + 2.0f * s;
    out[2 * out_step] = p + 4.0f * r;
    out[3 * out_step] = q + 8.0f * s + m5;
}

/* out[i] = (G g)_i, six vectors of three (or five). */
INLINE void filter_1d(vec *out, size_t out_step, const vec *g, bool three)
{
    vec none = {0}, g3 = three ? none : g[3], g4 = three ? none : g[4];
    vec even = g[0] + g[2] + g4, odd = g[1] + g3;
    vec far = g[0] + 4.0f * g[2] + 16.0f * g4, far_odd = 2.0f * g[1] + 8.0f * g3;
    out[0] = 0.25f * g[0];
    out[out_step] = (-1.0f / 6) * (even + odd);
    out[2 * out_step] = (-1.0f / 6) * (even - odd);
    out[3 * out_step] = (1.0f / 24) * (far + far_odd);
    out[4 * out_step] = (1.0f / 24) * (far - far_odd);
    out[5 * out_step] = three ? g[2] : g4;
}

static __attribute__((noinline)) void winograd_input(const sbl_winograd_tile *t)
{
    for (size_t c = 0; c < t->channels; c += WIDTH) {
        vec d[6], half[36], line[6];
        for (size_t x = 0; x < 6; x++) {
            for (size_t y = 0; y < 6; y++) d[y] = load(t->in[6 * y + x] + c);
            input_1d(half + x, 6, d, 1);
        }
        for (size_t y = 0; y < 6; y++) {
            input_1d(line, 1, half + 6 * y, 1);
            for (size_t x = 0; x < 6; x++) store(t->coefficients + (6 * y + x) * t->step + c, line[x]);
        }
    }
}

/* side: 4 or 2 pixels out along each side */
INLINE void output_tile(const sbl_winograd_tile *t, size_t side)
{
    for (size_t c = 0; c < t->channels; c += WIDTH) {
        vec m[6], half[24], line[4], start = load(t->start + c);
        for (size_t x = 0; x < 6; x++) {
            for (size_t y = 0; y < 6; y++) m[y] = load(t->coefficients + (6 * y + x) * t->step + c);
            output_1d(half + x, 6, m, 1, side == 4);
        }
        for (size_t y = 0; y < side; y++) {
            output_1d(line, 1, half + 6 * y, 1, side == 4);
            for (size_t x = 0; x < side; x++)
                if (t->out[side * y + x]) store(t->out[side * y + x] + c, line[x] + start);
        }
    }
}

static __attribute__((noinline)) void winograd_output(const sbl_winograd_tile *t)
{
    if (t->side == 4)
        output_tile(t, 4);
    else
        output_tile(t, 2);
}

/* taps: 3 or 5 along each side */
INLINE void filter_tile(float *out, size_t out_step, const float *in, size_t step, size_t lanes, size_t taps)
{
    for (size_t c = 0; c < lanes; c += WIDTH) {
        vec g[5], half[30], line[6], row[5];
        for (size_t x = 0; x < taps; x++) {
            for (size_t y = 0; y < taps; y++) g[y] = load(in + (taps * y + x) * step + c);
            filter_1d(half + x, 5, g, taps == 3);
        }
        for (size_t y = 0; y < 6; y++) {
            for (size_t x = 0; x < taps; x++) row[x] = half[5 * y + x];
            filter_1d(line, 1, row, taps == 3);
            for (size_t x = 0; x < 6; x++) store(out + (6 * y + x) * out_step + c, line[x]);
        }
    }
}

static __attribute__((noinline)) void winograd_filter(float *out, size_t out_step, const float *in,
                                                      size_t step, size_t lanes, size_t taps)
{
    if (taps == 3)
        filter_tile(out, out_step, in, step, lanes, 3);
    else
        filter_tile(out, out_step, in, step, lanes, 5);
}

/* out[i] = (A y)_i, six vectors of four (or two). */
INLINE void slopes_1d(vec *out, size_t out_step, const vec *y, bool four)
{
    vec none = {0}, y2 = four ? y[2] : none, y3 = four ? y[3] : none;
    vec even = y[0] + y2, odd = y[1] + y3;
    vec far = y[0] + 4.0f * y2, far_odd = 2.0f * y[1] + 8.0f * y3;
    out[0] = y[0];
    out[out_step] = even + odd;
    out[2 * out_step] = even - odd;
    out[3 * out_step] = far + far_odd;
    out[4 * out_step] = far - far_odd;
    out[5 * out_step] = four ? y3 : y[1];
}

/* side: 4 or 2 pixels of gradients along each side */
INLINE void slopes_tile(const sbl_winograd_tile *t, size_t side)
{
    for (size_t c = 0; c < t->channels; c += WIDTH) {
        vec y[4], half[24], line[6];
        for (size_t x = 0; x < side; x++) {
            for (size_t r = 0; r < side; r++) y[r] = load(t->in[side * r + x] + c);
            slopes_1d(half + x, 4, y, side == 4);
        }
        for (size_t r = 0; r < 6; r++) {
            slopes_1d(line, 1, half + 4 * r, side == 4);
            for (size_t x = 0; x < 6; x++) store(t->coefficients + (6 * r + x) * t->step + c, line[x]);
        }
    }
}

static __attribute__((noinline)) void winograd_gradient(const sbl_winograd_tile *t)
{
    if (t->side == 4)
        slopes_tile(t, 4);
    else
        slopes_tile(t, 2);
}

/* out[i] = (G^T u)_i, three vectors (or five) of six. */
INLINE void weights_1d(vec *out, size_t out_step, const vec *u, bool three)
{
    vec even = (-1.0f / 6) * (u[1] + u[2]), odd = (-1.0f / 6) * (u[1] - u[2]);
    vec far = (1.0f / 24) * (u[3] + u[4]), far_odd = (1.0f / 24) * (u[3] - u[4]);
    out[0] = 0.25f * u[0] + even + far;
    out[out_step] = odd + 2.0f * far_odd;
    if (three) {
        out[2 * out_step] = even + 4.0f * far + u[5];
        return;
    }
    out[2 * out_step] = even + 4.0f * far;
    out[3 * out_step] = odd + 8.0f * far_odd;
    out[4 * out_step] = even + 16.0f * far + u[5];
}

/* taps: 3 or 5 along each side */
INLINE void weights_tile(float *out, const float *sums, size_t step, size_t part, size_t parts, size_t inputs,
                         size_t taps)
{
    for (size_t c = 0; c < inputs; c += WIDTH) {
        vec u[6], half[30], line[5];
        for (size_t x = 0; x < 6; x++) {
            for (size_t y = 0; y < 6; y++) {
                const float *at = sums + (6 * y + x) * step + c;
                u[y] = load(at);
                for (size_t p = 1; p < parts; p++) u[y] += load(at + p * part);
            }
            weights_1d(half + x, 6, u, taps == 3);
        }
        for (size_t y = 0; y < taps; y++) {
            weights_1d(line, 1, half + 6 * y, taps == 3);
            for (size_t x = 0; x < taps; x++) store(out + (taps * y + x) * inputs + c, line[x]);
        }
    }
}

static __attribute__((noinline)) void winograd_weights(float *out, const float *sums, size_t step,
                                                       size_t part, size_t parts, size_t inputs, size_t taps)
{
    if (taps == 3)
        weights_tile(out, sums, step, part, parts, inputs, 3);
    else
        weights_tile(out, sums, step, part, parts, inputs, 5);
}
