#include "backend/reference_backend.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/cmocka_all.h"

#define ROOM ((size_t)1 << 31) /* bytes of addresses, of which few are used */
#define PAGE ((size_t)4096)

typedef struct memory {
    char *base;
    size_t used, live; /* bytes handed out; tensors that live */
    size_t left;       /* allocations until one fails */
    bool broken;
    double loss; /* kept for collect */
} memory;

static memory m;

static void open_all(void)
{
    assert_int_equal(mprotect(m.base, m.used + PAGE, PROT_READ | PROT_WRITE), 0);
}

static void close_all(void) { assert_int_equal(mprotect(m.base, m.used + PAGE, PROT_NONE), 0); }

/* ---- memory ---- */

static float *allocate(void *device, size_t count)
{
    assert_ptr_equal(device, &m);
    const size_t bytes = (count * sizeof(float) + 256 + PAGE - 1) / PAGE * PAGE;
    if (m.left == 0 || bytes > ROOM - PAGE - m.used) return NULL;
    if (m.left != SIZE_MAX) m.left--;
    if (m.live == 0) m.used = 0;
    float *at = (float *)(m.base + m.used);
    m.used += bytes;
    m.live++;
    open_all();
    memset(at, 0, count * sizeof *at);
    close_all();
    return at;
}

static void release(void *device, float *tensor, size_t count)
{
    assert_ptr_equal(device, &m);
    if (tensor == NULL) return;
    assert_true((char *)tensor >= m.base && (char *)(tensor + count) <= m.base + m.used);
    assert_true(m.live > 0);
    m.live--;
}

static void move(void *device, float *to, const float *from, size_t count)
{
    assert_ptr_equal(device, &m);
    open_all();
    memcpy(to, from, count * sizeof *to);
    close_all();
}

static void zero(void *device, float *to, size_t count)
{
    (void)device;
    open_all();
    memset(to, 0, count * sizeof *to);
    close_all();
}

static void start(void *device) { (void)device; }

static sbl_status sync_all(void *device, sbl_error *err)
{
    (void)device;
    return m.broken ? sbl_fail(err, SBL_EIO, "the reference device is broken") : SBL_OK;
}

static double collect(void *device)
{
    (void)device;
    const double loss = m.broken ? (double)NAN : m.loss;
    m.loss = 0;
    return loss;
}

/* ---- products ---- */

static size_t no_scratch(void *device, size_t columns)
{
    (void)device;
    (void)columns;
    return 0;
}

static void gemm(void *device, float *c, const float *a, const float *b, const sbl_gemm_shape *s,
                 float *scratch)
{
    (void)device;
    (void)scratch;
    open_all();
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++) {
            double sum = s->add ? (double)c[i * s->c_stride + j] : 0;
            for (size_t k = 0; k < s->k; k++)
                sum += (double)a[s->a_transposed ? k * s->a_stride + i : i * s->a_stride + k] *
                       (double)b[s->b_transposed ? j * s->b_stride + k : k * s->b_stride + j];
            c[i * s->c_stride + j] = (float)sum;
        }
    close_all();
}

static size_t conv_scratch(void *device, const sbl_conv_shape *shape, size_t rows)
{
    (void)device;
    (void)shape;
    (void)rows;
    return 0;
}

/* Where tap (i, j) of output (oy, ox) of image r reads; false: outside. */
static bool tap(size_t *at, const sbl_conv_shape *s, size_t r, size_t oy, size_t ox, size_t i,
                size_t j)
{
    const size_t y = oy * s->stride + i - s->padding, x = ox * s->stride + j - s->padding;
    if (y >= s->height || x >= s->width) return false; /* below zero it wraps: huge */
    *at = ((r * s->height + y) * s->width + x) * s->inputs;
    return true;
}

typedef void (*at_tap)(void *data, size_t y, size_t x, size_t w);

/* Calls `each` with the places of one output, one input and one weight that meet. */
static void each_tap(at_tap each, void *data, const sbl_conv_shape *s, size_t rows)
{
    for (size_t o = 0; o < rows * s->out_height * s->out_width; o++)
        for (size_t t = 0; t < s->kernel * s->kernel; t++) {
            size_t at;
            const size_t in_image = o % (s->out_height * s->out_width);
            if (!tap(&at, s, o / (s->out_height * s->out_width), in_image / s->out_width,
                     in_image % s->out_width, t / s->kernel, t % s->kernel))
                continue;
            for (size_t c = 0; c < s->channels; c++)
                for (size_t k = 0; k < s->inputs; k++)
                    each(data, o * s->channels + c, at + k,
                         (c * s->kernel * s->kernel + t) * s->inputs + k);
        }
}

typedef struct conv_arrays {
    double *sums;
    const float *a, *b;
} conv_arrays;

static void to_outputs(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[y] += (double)v->a[x] * (double)v->b[w];
}

static void to_inputs(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[x] += (double)v->a[y] * (double)v->b[w];
}

static void to_weights(void *data, size_t y, size_t x, size_t w)
{
    conv_arrays *v = data;
    v->sums[w] += (double)v->a[y] * (double)v->b[x];
}

static void run_taps(at_tap each, float *out, size_t count, const float *a, const float *b,
                     const float *bias, const sbl_conv_shape *s, size_t rows)
{
    conv_arrays v = {calloc(count, sizeof(double)), a, b};
    open_all();
    for (size_t i = 0; bias != NULL && i < count; i++) v.sums[i] = (double)bias[i % s->channels];
    each_tap(each, &v, s, rows);
    for (size_t i = 0; i < count; i++) out[i] = (float)v.sums[i];
    close_all();
    free(v.sums);
}

static void conv_forward(void *device, float *y, const float *x, const float *w, const float *bias,
                         const sbl_conv_shape *s, size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_outputs, y, rows * s->out_height * s->out_width * s->channels, x, w, bias, s, rows);
}

static void conv_to_inputs(void *device, float *dx, const float *dy, const float *w,
                           const sbl_conv_shape *s, size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_inputs, dx, rows * s->height * s->width * s->inputs, dy, w, NULL, s, rows);
}

static void conv_to_weights(void *device, float *dw, const float *x, const float *dy,
                            const sbl_conv_shape *s, size_t rows, float *scratch)
{
    (void)device;
    (void)scratch;
    run_taps(to_weights, dw, s->channels * s->kernel * s->kernel * s->inputs, dy, x, NULL, s, rows);
}

/* ---- layers ---- */

static void fill_rows(void *device, float *y, const float *bias, size_t rows, size_t width)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < rows * width; i++) y[i] = bias[i % width];
    close_all();
}

static void add(void *device, float *x, const float *y, size_t count)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) x[i] += y[i];
    close_all();
}

static void activate(void *device, float *y, const float *x, size_t count, sbl_activation a)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) {
        const double v = (double)x[i];
        y[i] = (float)(a.curve == SBL_CURVE_SIGMOID ? 1 / (1 + exp(-v))
                       : v > 0                      ? v
                       : a.curve == SBL_CURVE_RELU  ? 0
                                                    : (double)a.slope * v);
    }
    close_all();
}

static void activate_back(void *device, float *dy, const float *y, size_t count, sbl_activation a)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) {
        const double v = (double)y[i];
        dy[i] *= (float)(a.curve == SBL_CURVE_SIGMOID ? v * (1 - v)
                         : v > 0                      ? 1
                         : a.curve == SBL_CURVE_RELU  ? 0
                                                      : (double)a.slope);
    }
    close_all();
}

static size_t norm_scratch(void *device, size_t pixels, size_t channels)
{
    (void)device;
    (void)pixels;
    (void)channels;
    return 0;
}

static void channel_sums(void *device, float *sums, const float *x, size_t pixels, size_t channels,
                         float *scratch)
{
    (void)device;
    (void)scratch;
    open_all();
    for (size_t c = 0; c < channels; c++) {
        double sum = 0;
        for (size_t p = 0; p < pixels; p++) sum += (double)x[p * channels + c];
        sums[c] = (float)sum;
    }
    close_all();
}

static void norm(void *device, const sbl_norm *by, float *y, const float *x, float *running,
                 float momentum)
{
    const size_t n = by->channels;
    const double count = (double)by->pixels;
    (void)device;
    open_all();
    for (size_t c = 0; c < n; c++) {
        double mean = (double)running[c], variance = (double)running[n + c];
        if (by->batch) {
            mean = variance = 0;
            for (size_t p = 0; p < by->pixels; p++) mean += (double)x[p * n + c] / count;
            for (size_t p = 0; p < by->pixels; p++) {
                const double off = (double)x[p * n + c] - mean;
                variance += off * off / count;
            }
            const double unbiased = count > 1 ? variance * count / (count - 1) : variance;
            running[c] += momentum * (float)(mean - (double)running[c]);
            running[n + c] += momentum * (float)(unbiased - (double)running[n + c]);
        }
        by->mean[c] = (float)mean;
        by->inverse[c] = (float)(1 / sqrt(variance + 1e-5));
        for (size_t p = 0; p < by->pixels; p++) {
            const double h = ((double)x[p * n + c] - mean) / sqrt(variance + 1e-5);
            const double v = (double)by->gamma[c] * h + (double)by->beta[c];
            y[p * n + c] = (float)(by->relu && v < 0 ? 0 : v);
        }
    }
    close_all();
}

static void norm_back(void *device, const sbl_norm *by, float *dy, float *d_gamma, float *d_beta,
                      const float *x, const float *y)
{
    const size_t n = by->channels;
    const double count = (double)by->pixels;
    (void)device;
    open_all();
    for (size_t c = 0; c < n; c++) {
        double sum = 0, along = 0;
        const double mean = (double)by->mean[c], inverse = (double)by->inverse[c];
        for (size_t p = 0; p < by->pixels; p++) {
            const size_t i = p * n + c;
            if (by->relu && !(y[i] > 0)) dy[i] = 0;
            sum += (double)dy[i];
            along += (double)dy[i] * ((double)x[i] - mean) * inverse;
        }
        d_gamma[c] = (float)along;
        d_beta[c] = (float)sum;
        for (size_t p = 0; p < by->pixels; p++) {
            const size_t i = p * n + c;
            const double h = ((double)x[i] - mean) * inverse;
            const double d = (double)dy[i] - (by->batch ? sum / count + h * along / count : 0);
            dy[i] = (float)((double)by->gamma[c] * inverse * d);
        }
    }
    close_all();
}

/* Weights (out, in) of a side that grows. */
static double blend(const sbl_upsampling *by, size_t o, size_t i, size_t side)
{
    if (by->nearest) return o / by->factor == i ? 1 : 0;
    double at = by->align_corners ? (double)o * (double)(side - 1) /
                                        (double)(side * by->factor > 1 ? side * by->factor - 1 : 1)
                                  : ((double)o + 0.5) / (double)by->factor - 0.5;
    at = at < 0 ? 0 : at > (double)(side - 1) ? (double)(side - 1) : at;
    const double away = fabs(at - (double)i);
    return away < 1 ? 1 - away : 0;
}

static void upsample_by(float *to, const float *from, size_t rows, const sbl_upsampling *by,
                        bool back)
{
    const size_t n = by->in.channels, in = sbl_volume_size(by->in), out = sbl_volume_size(by->out);
    const size_t count = rows * (back ? in : out);
    double *sums = calloc(count, sizeof *sums);
    open_all();
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < by->out.height * by->out.width; o++)
            for (size_t i = 0; i < by->in.height * by->in.width; i++) {
                const double share = blend(by, o / by->out.width, i / by->in.width, by->in.height) *
                                     blend(by, o % by->out.width, i % by->in.width, by->in.width);
                for (size_t c = 0; share != 0 && c < n; c++) {
                    const size_t a = r * out + o * n + c, b = r * in + i * n + c;
                    sums[back ? b : a] += share * (double)from[back ? a : b];
                }
            }
    for (size_t i = 0; i < count; i++) to[i] = (float)sums[i];
    close_all();
    free(sums);
}

static void upsample(void *device, float *y, const float *x, size_t rows, const sbl_upsampling *by)
{
    (void)device;
    upsample_by(y, x, rows, by, false);
}

static void upsample_back(void *device, float *dx, const float *dy, size_t rows,
                          const sbl_upsampling *by)
{
    (void)device;
    upsample_by(dx, dy, rows, by, true);
}

/* The place of the first largest number of a window. */
static size_t largest(const float *x, const sbl_pooling *by, size_t r, size_t o, size_t c)
{
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < by->kernel * by->kernel; k++) {
        const size_t y = o / by->out.width * by->stride + k / by->kernel - by->padding;
        const size_t z = o % by->out.width * by->stride + k % by->kernel - by->padding;
        if (y >= by->in.height || z >= by->in.width) continue;
        const size_t at = ((r * by->in.height + y) * by->in.width + z) * by->in.channels + c;
        if (found == SIZE_MAX || x[at] > x[found]) found = at;
    }
    return found;
}

static void max_pool(void *device, float *y, const float *x, size_t rows, const sbl_pooling *by)
{
    const size_t pixels = by->out.height * by->out.width, n = by->in.channels;
    (void)device;
    open_all();
    for (size_t i = 0; i < rows * pixels * n; i++)
        y[i] = x[largest(x, by, i / n / pixels, i / n % pixels, i % n)];
    close_all();
}

static void max_pool_back(void *device, float *dx, const float *dy, const float *x, size_t rows,
                          const sbl_pooling *by)
{
    const size_t pixels = by->out.height * by->out.width, n = by->in.channels;
    (void)device;
    open_all();
    memset(dx, 0, rows * sbl_volume_size(by->in) * sizeof *dx);
    for (size_t i = 0; i < rows * pixels * n; i++)
        dx[largest(x, by, i / n / pixels, i / n % pixels, i % n)] += dy[i];
    close_all();
}

static void add_relu(void *device, float *y, float *before, const float *a, const float *b,
                     size_t count)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) {
        const float sum = a[i] + b[i];
        y[i] = sum > 0 ? sum : 0;
        if (before != NULL) before[i] = sum;
    }
    close_all();
}

static void add_relu_back(void *device, float *d, const float *y, const float *d_next,
                          const float *d_here, bool before, size_t count)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) {
        const float next = d_next != NULL ? d_next[i] : 0, here = d_here != NULL ? d_here[i] : 0;
        d[i] = (y[i] > 0 ? next + (before ? 0 : here) : 0) + (before ? here : 0);
    }
    close_all();
}

/* ---- images ---- */

/* The number of an output that pixel i of a row is made of. */
static size_t output_of(const sbl_pixel_window *w, size_t r, size_t i)
{
    return r * w->whole + w->first + i / w->run * w->stride + i % w->run;
}

static void pixels(void *device, float *to, const float *outputs, const sbl_pixel_window *w,
                   size_t rows, float leak)
{
    const size_t size = w->lines * w->run;
    (void)device;
    open_all();
    for (size_t i = 0; i < rows * size; i++) {
        const double v = 1.04 * (double)outputs[output_of(w, i / size, i % size)] - 0.02;
        const double held = v < 0 ? 0 : v > 1 ? 1 : v;
        to[i] = (float)(held + (double)leak * (v - held));
    }
    close_all();
}

static void pixels_back(void *device, float *d_outputs, const float *d_pixels, const float *outputs,
                        const sbl_pixel_window *w, size_t rows)
{
    const size_t size = w->lines * w->run;
    (void)device;
    open_all();
    memset(d_outputs, 0, rows * w->whole * sizeof *d_outputs);
    for (size_t i = 0; i < rows * size; i++) {
        const size_t at = output_of(w, i / size, i % size);
        const double v = 1.04 * (double)outputs[at] - 0.02;
        d_outputs[at] = (float)(1.04 * (v < 0 || v > 1 ? 0.01 : 1) * (double)d_pixels[i]);
    }
    close_all();
}

/* out (side, side, 3) of one image, or back to it. */
static void resize_one(float *out, float *image, const sbl_resizing *by, const float *columns,
                       bool back)
{
    const size_t h = by->image.height, w = by->image.width, n = by->image.channels, s = by->side;
    for (size_t i = 0; i < s * s * 3; i++) {
        const size_t c = i % 3, x = i / 3 % s, y = i / 3 / s;
        double sum = 0;
        for (size_t p = 0; p < h * w; p++) {
            const double share = (double)by->rows[y * h + p / w] * (double)columns[x * w + p % w];
            float *pixel = image + p * n + (n == 1 ? 0 : c);
            if (back)
                *pixel += (float)(share * (double)out[i] / (double)by->deviation[c]);
            else
                sum += share * (double)*pixel;
        }
        if (!back) out[i] = (float)((sum - (double)by->mean[c]) / (double)by->deviation[c]);
    }
}

static void resize_by(float *out, float *images, const sbl_resizing *by, const sbl_row_run *runs,
                      size_t run_count, bool back)
{
    open_all();
    for (size_t k = 0; k < run_count; k++)
        for (size_t r = 0; r < runs[k].count; r++) {
            const bool mirrored = by->mirrored_columns != NULL && r % 2 == 1;
            resize_one(out, images + (runs[k].first + r) * sbl_volume_size(by->image), by,
                       mirrored ? by->mirrored_columns : by->columns, back);
            out += by->side * by->side * 3;
        }
    close_all();
}

static void resize(void *device, float *out, const float *images, const sbl_resizing *by,
                   const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    resize_by(out, (float *)(uintptr_t)images, by, runs, run_count, false);
}

static void resize_back(void *device, float *d_images, const float *d_out, const sbl_resizing *by,
                        const sbl_row_run *runs, size_t run_count)
{
    (void)device;
    resize_by((float *)(uintptr_t)d_out, d_images, by, runs, run_count, true);
}

/* ---- losses ---- */

/* Entry (row, column) of a Hadamard matrix. */
static double hadamard(size_t row, size_t column)
{
    return __builtin_parityll((unsigned long long)(row & column)) ? -1 : 1;
}

static void times_hadamard(double *v, size_t n)
{
    double *sums = calloc(n, sizeof *sums);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sums[i] += hadamard(i, j) * v[j];
    memcpy(v, sums, n * sizeof *v);
    free(sums);
}

/* The mean that is matched, and what is remembered. */
static double match(float *past, double decay, double own, double plain)
{
    if (past == NULL) return own;
    const double before = (double)*past;
    *past = (float)(decay * before + (1 - decay) * plain);
    return decay * before + (1 - decay) * own;
}

/* Phases, in turns, of block b. */
static void phases_of(double *v, const sbl_orthogonal_job *j, size_t b, size_t row)
{
    const size_t n = j->size;
    const float *signs = j->signs + 3 * b * n;
    for (size_t i = 0; i < n; i++)
        v[i] = i < j->columns ? (double)j->x[row * j->columns + i] * (double)signs[2 * n + i] : 0;
    for (size_t pass = 2; pass-- > 0;) {
        times_hadamard(v, n);
        for (size_t i = 0; i < n; i++) v[i] *= (double)signs[pass * n + i];
    }
    times_hadamard(v, n);
    for (size_t i = 0; i < n; i++) v[i] *= (double)j->lengths[b * n + i];
}

static void phases_back(const sbl_orthogonal_job *j, double *v, size_t b, size_t row)
{
    const size_t n = j->size;
    const float *signs = j->signs + 3 * b * n;
    for (size_t i = 0; i < n; i++) v[i] *= (double)j->lengths[b * n + i];
    for (size_t pass = 0; pass < 2; pass++) {
        times_hadamard(v, n);
        for (size_t i = 0; i < n; i++) v[i] *= (double)signs[pass * n + i];
    }
    times_hadamard(v, n);
    for (size_t i = 0; i < j->columns; i++)
        j->d_x[row * j->columns + i] += (float)(v[i] * (double)signs[2 * n + i]);
}

/* One class, one block. */
static double orthogonal_class(const sbl_orthogonal_job *j, size_t b, size_t c)
{
    const double turn = 6.283185307179586;
    const size_t n = j->size, first = j->starts[c], rows = j->starts[c + 1] - first;
    double *phases = calloc(rows * n + n, sizeof *phases), loss = 0;
    for (size_t r = 0; r < rows; r++) phases_of(phases + r * n, j, b, first + r);
    for (size_t f = 0; f < n; f++) {
        const bool used = b * n + f < j->frequencies;
        double sums[2] = {0}, off[2];
        for (size_t r = 0; r < rows; r++) {
            sums[0] += cos(turn * phases[r * n + f]);
            sums[1] += sin(turn * phases[r * n + f]);
        }
        for (size_t k = 0; k < 2; k++) {
            const size_t at = ((b * j->classes + c) * 2 + k) * n + f;
            off[k] =
                match(j->past != NULL ? j->past + at : NULL, (double)j->decay,
                      (double)j->row_weight[c] * sums[k], (double)j->mean_weight[c] * sums[k]) -
                (double)j->target[at];
            if (used) loss += (double)j->class_weight[c] * off[k] * off[k];
        }
        for (size_t r = 0; r < rows; r++) {
            const double t = turn * phases[r * n + f];
            phases[r * n + f] = used ? 2 * (double)j->class_weight[c] * (double)j->row_weight[c] *
                                           turn * (off[1] * cos(t) - off[0] * sin(t))
                                     : 0;
        }
    }
    for (size_t r = 0; r < rows; r++) phases_back(j, phases + r * n, b, first + r);
    free(phases);
    return loss;
}

static double orthogonal(void *device, const sbl_orthogonal_job *j)
{
    (void)device;
    open_all();
    for (size_t b = 0; b < j->blocks; b++)
        for (size_t c = 0; c < j->classes; c++) m.loss += orthogonal_class(j, b, c);
    close_all();
    return 0;
}

/* ---- points of activations ---- */

/* The cell of a pixel: the last one that begins at or before it. */
static size_t cell_of(size_t pixel, size_t side)
{
    size_t cell = 0;
    while (cell + 1 < sbl_points_cells(side) && (cell + 1) * side / sbl_points_cells(side) <= pixel)
        cell++;
    return cell;
}

/* Which number of a layer's part of a point an activation is in. */
static size_t number_of(sbl_volume v, size_t activation)
{
    const size_t pixel = activation / v.channels;
    return (cell_of(pixel / v.width, v.height) * sbl_points_cells(v.width) +
            cell_of(pixel % v.width, v.width)) *
               v.channels +
           activation % v.channels;
}

/* sizes (numbers of the layer): how many activations are in each. */
static void count_numbers(double *sizes, sbl_volume v)
{
    memset(sizes, 0, sbl_points_count(v) * sizeof *sizes);
    for (size_t i = 0; i < sbl_volume_size(v); i++) sizes[number_of(v, i)]++;
}

/* One row, one layer, whose numbers are those of the points from `at` on. */
static void find_point(const sbl_points_job *j, size_t r, size_t l, size_t at, double *sizes)
{
    const sbl_volume v = j->volumes[l];
    const size_t count = sbl_points_count(v), size = sbl_volume_size(v);
    double *means = calloc(count, sizeof *means), length = 0;
    for (size_t i = 0; i < size; i++)
        means[number_of(v, i)] += (double)j->values[l][r * size + i] / sizes[number_of(v, i)];
    for (size_t i = 0; i < count; i++) length += means[i] * means[i];
    length = sqrt(length);
    for (size_t i = 0; i < count; i++)
        j->points[at + i] = (float)(means[i] / (length + 1e-6) / sqrt((double)j->layers));
    if (j->lengths != NULL) j->lengths[r * j->layers + l] = (float)length;
    free(means);
}

static void find_point_back(const sbl_points_job *j, size_t r, size_t l, size_t at, double *sizes)
{
    const sbl_volume v = j->volumes[l];
    const size_t count = sbl_points_count(v), size = sbl_volume_size(v);
    const double n = (double)j->lengths[r * j->layers + l];
    const double scale = (n + 1e-6) * sqrt((double)j->layers);
    float *d = j->d_points + at;
    double along = 0;
    /* m = scale q: d m = d q / scale - (d q . m) m / (n (n + least) scale) */
    for (size_t i = 0; i < count; i++) along += (double)d[i] * scale * (double)j->points[at + i];
    for (size_t i = 0; i < count; i++) {
        const double mean = scale * (double)j->points[at + i];
        d[i] = n > 0 ? (float)((double)d[i] / scale - along * mean / (n * (n + 1e-6) * scale)) : 0;
    }
    for (size_t i = 0; i < size; i++)
        j->d_values[l][r * size + i] = (float)((double)d[number_of(v, i)] / sizes[number_of(v, i)]);
}

static void all_points(const sbl_points_job *j,
                       void (*find)(const sbl_points_job *, size_t, size_t, size_t, double *))
{
    double *sizes = calloc(j->width, sizeof *sizes);
    open_all();
    for (size_t l = 0, at = 0; l < j->layers; at += sbl_points_count(j->volumes[l++])) {
        count_numbers(sizes, j->volumes[l]);
        for (size_t r = 0; r < j->rows; r++) find(j, r, l, r * j->width + at, sizes);
    }
    close_all();
    free(sizes);
}

static void points(void *device, const sbl_points_job *j)
{
    (void)device;
    all_points(j, find_point);
}

static void points_back(void *device, const sbl_points_job *j)
{
    (void)device;
    all_points(j, find_point_back);
}

/* ---- moments of activations ---- */

/* Layers that have one norm: all, or this one. */
typedef struct layers {
    size_t first, last, at; /* at: of the first one's numbers among all */
} layers;

static layers layers_of(const sbl_moments_job *j, size_t l)
{
    layers found = {l, j->alike ? l + 1 : j->layers, 0};
    for (size_t k = 0; k < l; k++) found.at += j->sizes[k];
    return found;
}

/* phi of a row and a moment, of these layers; returns the norm before, times the root of how many norms
 * there are. */
static double phi_of(double *phi, const sbl_moments_job *j, layers of, size_t row, size_t moment)
{
    double norm2 = 0;
    size_t at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) {
            const double e = (double)j->values[l][row * j->sizes[l] + i];
            phi[at] = moment > 0 ? e * e : e;
            norm2 += phi[at] * phi[at];
        }
    const double length = sqrt(norm2 * (double)(j->alike ? j->layers : 1));
    for (size_t i = of.at; i < at; i++) phi[i] = norm2 > 0 ? phi[i] / length : 0;
    return length;
}

static void moments_back(const sbl_moments_job *j, const double *g, layers of, size_t row,
                         size_t moment, double *phi)
{
    const double length = phi_of(phi, j, of, row, moment);
    const double norms = j->alike ? (double)j->layers : 1;
    double along = 0;
    size_t at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) along += norms * g[at] * phi[at];
    at = of.at;
    for (size_t l = of.first; l < of.last; l++)
        for (size_t i = 0; i < j->sizes[l]; i++, at++) {
            float *d = &j->d_values[l][row * j->sizes[l] + i];
            const double e = (double)j->values[l][row * j->sizes[l] + i];
            const double slope = length > 0 ? (g[at] - along * phi[at]) / length : 0;
            *d = (float)((moment > 0 ? (double)*d : 0) + (moment > 0 ? 2 * e : 1) * slope);
        }
}

/* One class, one moment: sums (width) of phi over its rows, which become the residual times what it weighs.
 * phi (width): to work in. */
static void moments_residual(const sbl_moments_job *j, size_t c, size_t moment, double *phi,
                             double *sums)
{
    const size_t step = j->alike ? 1 : j->layers, first = (c * j->moments + moment) * j->width;
    const double row = (double)j->row_weight[c], weight = (double)j->class_weight[c];
    for (size_t r = j->starts[c]; r < j->starts[c + 1]; r++) {
        for (size_t l = 0; l < j->layers; l += step) phi_of(phi, j, layers_of(j, l), r, moment);
        for (size_t i = 0; i < j->width; i++) sums[i] += phi[i];
    }
    for (size_t i = 0; i < j->width && sbl_moments_ends(j->part); i++) {
        const size_t at = first + i;
        const double off = match(j->past != NULL ? j->past + at : NULL, (double)j->decay,
                                 row * sums[i], (double)j->mean_weight[c] * sums[i]) -
                           (double)j->target[at];
        m.loss += weight * off * off;
        sums[i] = 2 * weight * row * off;
    }
}

/* front: sums, then residuals. */
static void moments_class(const sbl_moments_job *j, size_t c, size_t moment, double *phi,
                          double *sums)
{
    const size_t step = j->alike ? 1 : j->layers;
    const bool begins = j->part == SBL_MOMENTS_ALL || j->part == SBL_MOMENTS_FIRST;
    float *front = j->front + (c * j->moments + moment) * j->width;
    if (j->starts[c] == j->starts[c + 1]) return;
    for (size_t i = 0; i < j->width; i++) sums[i] = begins ? 0 : (double)front[i];
    if (j->part != SBL_MOMENTS_AGAIN) moments_residual(j, c, moment, phi, sums);
    for (size_t i = 0; i < j->width; i++) front[i] = (float)sums[i];
    for (size_t r = j->starts[c]; r < j->starts[c + 1] && sbl_moments_goes_back(j->part); r++)
        for (size_t l = 0; l < j->layers; l += step)
            moments_back(j, sums, layers_of(j, l), r, moment, phi);
}

static double moments(void *device, const sbl_moments_job *j)
{
    double *phi = calloc(j->width, sizeof *phi), *sums = calloc(j->width, sizeof *sums);
    (void)device;
    open_all();
    for (size_t c = 0; c < j->classes; c++)
        for (size_t moment = 0; moment < j->moments; moment++)
            moments_class(j, c, moment, phi, sums);
    close_all();
    free(phi);
    free(sums);
    return 0;
}

/* ---- the optimiser ---- */

static void adam(void *device, float *weights, float *first, float *second, const float *gradient,
                 size_t count, const sbl_adam_rates *by)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) {
        const double g = (double)gradient[i], b1 = (double)by->beta1, b2 = (double)by->beta2;
        first[i] = (float)(b1 * (double)first[i] + (1 - b1) * g);
        second[i] = (float)(b2 * (double)second[i] + (1 - b2) * g * g);
        weights[i] -=
            (float)((double)by->rate * (double)first[i] /
                    (sqrt((double)second[i]) * (double)by->correction + (double)by->epsilon));
    }
    close_all();
}

static void average(void *device, float *to, const float *weights, size_t count, float part)
{
    (void)device;
    open_all();
    for (size_t i = 0; i < count; i++) to[i] += part * (weights[i] - to[i]);
    close_all();
}

static const sbl_backend reference = {
    .name = "reference",
    .device = &m,
    .needs = SBL_NEED_NETWORKS | SBL_NEED_IMAGES,
    .allocate = allocate,
    .release = release,
    .write = move,
    .read = move,
    .copy = move,
    .zero = zero,
    .start = start,
    .sync = sync_all,
    .collect = collect,
    .gemm_scratch = no_scratch,
    .gemm = gemm,
    .conv_scratch = conv_scratch,
    .conv_forward = conv_forward,
    .conv_to_inputs = conv_to_inputs,
    .conv_to_weights = conv_to_weights,
    .fill_rows = fill_rows,
    .add = add,
    .activate = activate,
    .activate_back = activate_back,
    .norm_scratch = norm_scratch,
    .channel_sums = channel_sums,
    .norm = norm,
    .norm_back = norm_back,
    .upsample = upsample,
    .upsample_back = upsample_back,
    .max_pool = max_pool,
    .max_pool_back = max_pool_back,
    .add_relu = add_relu,
    .add_relu_back = add_relu_back,
    .pixels = pixels,
    .pixels_back = pixels_back,
    .resize = resize,
    .resize_back = resize_back,
    .orthogonal = orthogonal,
    .points = points,
    .points_back = points_back,
    .moments = moments,
    .adam = adam,
    .average = average,
};

const sbl_backend *reference_backend_open(void)
{
    m = (memory){.left = SIZE_MAX};
    m.base = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m.base != MAP_FAILED);
    return &reference;
}

void reference_backend_close(void)
{
    assert_int_equal(m.live, 0);
    assert_int_equal(munmap(m.base, ROOM), 0);
}

void reference_backend_fail(size_t after) { m.left = after; }

void reference_backend_break(void) { m.broken = true; }
