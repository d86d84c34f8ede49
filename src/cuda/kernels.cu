// The kernels of libsemblance-cuda.so, compiled on the machine that runs them (compile.c). No sum uses
// atomics: every one is added up in an order that shapes alone decide, so the same device and numbers give
// the same bits. Batches are (rows, height, width, channels), channels fastest, as in backend/shapes.h.
// Nothing is included: NVRTC brings what is used here.

typedef unsigned long long u64;
typedef unsigned u32;

#define EACH(i, count) \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += (u64)gridDim.x * blockDim.x)
// The same where 32 bits are enough, which divide several times as fast.
#define EACH32(i, count) \
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += gridDim.x * blockDim.x)
#define KERNEL extern "C" __global__ void
#ifndef SHARED_ROOM  // as much of a block's memory as the launch says
#define SHARED_ROOM(name) extern __shared__ float name[]
#endif

// ---- pointwise ----

KERNEL fill_rows(float *y, const float *bias, u64 count, u64 width)
{
    EACH(i, count) y[i] = bias[i % width];
}

KERNEL add(float *x, const float *y, u64 count)
{
    EACH(i, count) x[i] += y[i];
}

// curve: 0 ReLU, 1 leaky, 2 sigmoid
KERNEL activate(float *y, const float *x, u64 count, int curve, float slope)
{
    EACH(i, count)
    {
        const float v = x[i];
        y[i] = curve == 2 ? 1 / (1 + expf(-v)) : v > 0 ? v : curve == 0 ? 0 : slope * v;
    }
}

KERNEL activate_back(float *dy, const float *y, u64 count, int curve, float slope)
{
    EACH(i, count)
    {
        const float v = y[i];
        if (curve == 2)
            dy[i] *= v * (1 - v);
        else if (!(v > 0))
            dy[i] = curve == 0 ? 0 : slope * dy[i];
    }
}

KERNEL add_relu(float *y, float *before, const float *a, const float *b, u64 count)
{
    EACH(i, count)
    {
        const float sum = a[i] + b[i];
        y[i] = fmaxf(sum, 0);
        if (before) before[i] = sum;
    }
}

KERNEL add_relu_back(float *d, const float *y, const float *d_next, const float *d_here, int before,
                     u64 count)
{
    EACH(i, count)
    {
        const float next = d_next ? d_next[i] : 0, here = d_here ? d_here[i] : 0;
        const float behind = before ? next : next + here;
        d[i] = (y[i] > 0 ? behind : 0) + (before ? here : 0);
    }
}

KERNEL adam(float *weights, float *first, float *second, const float *gradient, u64 count, float b1,
            float b2, float rate, float correction, float epsilon)
{
    EACH(i, count)
    {
        const float g = gradient[i], m = b1 * first[i] + (1 - b1) * g;
        const float v = b2 * second[i] + (1 - b2) * g * g;
        first[i] = m;
        second[i] = v;
        weights[i] -= rate * m / (sqrtf(v) * correction + epsilon);
    }
}

KERNEL average(float *to, const float *weights, u64 count, float part)
{
    EACH(i, count) to[i] += part * (weights[i] - to[i]);
}

// ---- convolution: unfolded pixels times weights is a product (cuBLAS) ----

struct conv {
    u64 height, width, inputs, channels, kernel, stride, padding, out_height, out_width;
};

// columns (pixels, kernel, kernel, inputs) of `pixels` output pixels from image `first` on
KERNEL unfold(float *columns, const float *x, u64 pixels, conv s)
{
    const u64 taps = s.kernel * s.kernel * s.inputs;
    EACH(i, pixels * taps)
    {
        const u64 p = i / taps, t = i % taps, c = t % s.inputs, k = t / s.inputs;
        const u64 ox = p % s.out_width, oy = p / s.out_width % s.out_height;
        const u64 r = p / s.out_width / s.out_height;
        const u64 y = oy * s.stride + k / s.kernel - s.padding;  // below zero it wraps: huge
        const u64 z = ox * s.stride + k % s.kernel - s.padding;
        columns[i] = y < s.height && z < s.width
                         ? x[((r * s.height + y) * s.width + z) * s.inputs + c]
                         : 0;
    }
}

// The transpose: every input pixel adds up the columns that it went into, taps in order.
KERNEL fold(float *dx, const float *columns, u64 rows, conv s)
{
    const u64 taps = s.kernel * s.kernel * s.inputs;
    EACH(i, rows * s.height * s.width * s.inputs)
    {
        const u64 c = i % s.inputs, z = i / s.inputs % s.width;
        const u64 y = i / s.inputs / s.width % s.height, r = i / s.inputs / s.width / s.height;
        float sum = 0;
        for (u64 k = 0; k < s.kernel * s.kernel; k++) {
            const u64 up = y + s.padding - k / s.kernel, left = z + s.padding - k % s.kernel;
            if (up % s.stride || left % s.stride) continue;
            const u64 oy = up / s.stride, ox = left / s.stride;
            if (oy >= s.out_height || ox >= s.out_width) continue;  // also what wrapped
            sum += columns[((r * s.out_height + oy) * s.out_width + ox) * taps + k * s.inputs + c];
        }
        dx[i] = sum;
    }
}

// ---- sums over the pixels of each channel, in double, PARTS of them and then the parts in order ----

#define LANES 32
#define DEPTH 8

// partial (parts, 2, channels): sums of u and of u v; what: 0: u = x, v = x; 1: u = dy (where y > 0 if relu),
// v = x - mean
KERNEL channel_parts(double *partial, const float *x, const float *dy, const float *y,
                     const float *mean, u64 pixels, u64 channels, int what, int relu)
{
    __shared__ double sums[2][DEPTH][LANES];
    const u64 c = (u64)blockIdx.x * LANES + threadIdx.x, parts = gridDim.y;
    const u64 each = (pixels + parts - 1) / parts, first = blockIdx.y * each;
    const u64 last = first + each < pixels ? first + each : pixels;
    double a = 0, b = 0;
    if (c < channels)
        for (u64 p = first + threadIdx.y; p < last; p += DEPTH) {
            const u64 i = p * channels + c;
            if (what == 0) {
                const double v = x[i];
                a += v;
                b += v * v;
            } else {
                const double d = !relu || y[i] > 0 ? dy[i] : 0;
                a += d;
                b += d * ((double)x[i] - (double)mean[c]);
            }
        }
    sums[0][threadIdx.y][threadIdx.x] = a;
    sums[1][threadIdx.y][threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.y > 0 || c >= channels) return;
    for (int k = 1; k < DEPTH; k++) {
        a += sums[0][k][threadIdx.x];
        b += sums[1][k][threadIdx.x];
    }
    partial[(2 * (u64)blockIdx.y) * channels + c] = a;
    partial[(2 * (u64)blockIdx.y + 1) * channels + c] = b;
}

__device__ double total(const double *partial, u64 parts, u64 channels, u64 c, int which)
{
    double sum = 0;
    for (u64 p = 0; p < parts; p++) sum += partial[(2 * p + which) * channels + c];
    return sum;
}

KERNEL channel_finish(float *sums, const double *partial, u64 parts, u64 channels)
{
    EACH(c, channels) sums[c] = (float)total(partial, parts, channels, c, 0);
}

#define NORM_EPSILON 1e-5

KERNEL norm_finish(float *mean, float *inverse, float *running, const double *partial, u64 parts,
                   u64 pixels, u64 channels, float momentum, int batch)
{
    EACH(c, channels)
    {
        if (!batch) {
            mean[c] = running[c];
            inverse[c] = (float)(1 / sqrt((double)running[channels + c] + NORM_EPSILON));
            continue;
        }
        const double n = (double)pixels, m = total(partial, parts, channels, c, 0) / n;
        double variance = total(partial, parts, channels, c, 1) / n - m * m;
        if (!(variance > 0)) variance = 0;
        mean[c] = (float)m;
        inverse[c] = (float)(1 / sqrt(variance + NORM_EPSILON));
        const double unbiased = n > 1 ? variance * n / (n - 1) : variance;
        running[c] += momentum * ((float)m - running[c]);
        running[channels + c] += momentum * ((float)unbiased - running[channels + c]);
    }
}

KERNEL norm_apply(float *y, const float *x, const float *gamma, const float *beta, const float *mean,
                  const float *inverse, u64 count, u64 channels, int relu)
{
    EACH(i, count)
    {
        const u64 c = i % channels;
        const float v = (x[i] - mean[c]) * (inverse[c] * gamma[c]) + beta[c];
        y[i] = relu && !(v > 0) ? 0 : v;
    }
}

// factors (3, channels) of dx = a dz + b x + c
KERNEL norm_back_finish(float *factors, float *d_gamma, float *d_beta, const double *partial, u64 parts,
                        const float *gamma, const float *mean, const float *inverse, u64 pixels,
                        u64 channels, int batch)
{
    EACH(c, channels)
    {
        const double sum = total(partial, parts, channels, c, 0);
        const double along = total(partial, parts, channels, c, 1) * (double)inverse[c];
        const double front = (double)gamma[c] * (double)inverse[c];
        const double slope = batch ? -front * along * (double)inverse[c] / (double)pixels : 0;
        const double shift = batch ? -front * sum / (double)pixels : 0;
        d_beta[c] = (float)sum;
        d_gamma[c] = (float)along;
        factors[c] = (float)front;
        factors[channels + c] = (float)slope;
        factors[2 * channels + c] = (float)(shift - slope * (double)mean[c]);
    }
}

KERNEL norm_back_apply(float *dy, const float *x, const float *y, const float *factors, u64 count,
                       u64 channels, int relu)
{
    EACH(i, count)
    {
        const u64 c = i % channels;
        const float dz = !relu || y[i] > 0 ? dy[i] : 0;
        dy[i] = factors[c] * dz + (factors[channels + c] * x[i] + factors[2 * channels + c]);
    }
}

// ---- up-sampling and pools ----

struct resampling {
    u64 height, width, channels, factor;
    int nearest, align;
};

__device__ void place_of(u64 *low, u64 *high, float *weight, u64 o, u64 side, const resampling &s)
{
    if (s.nearest) {
        *low = *high = o / s.factor;
        *weight = 0;
        return;
    }
    const u64 whole = side * s.factor;
    double at = s.align ? (double)(o * (side - 1)) / (double)(whole > 1 ? whole - 1 : 1)
                        : ((double)o + 0.5) / (double)s.factor - 0.5;
    if (at < 0) at = 0;
    *low = (u64)at;
    *high = *low + 1 < side ? *low + 1 : *low;
    *weight = (float)(at - (double)*low);
}

KERNEL upsample(float *y, const float *x, u64 count, resampling s)
{
    const u64 across = s.width * s.factor, down = s.height * s.factor, n = s.channels;
    EACH(i, count)
    {
        const u64 c = i % n, ox = i / n % across, oy = i / n / across % down, r = i / n / across / down;
        u64 top, bottom, left, right;
        float v, h;
        place_of(&top, &bottom, &v, oy, s.height, s);
        place_of(&left, &right, &h, ox, s.width, s);
        const float *image = x + r * s.height * s.width * n + c;
        y[i] = (1 - v) * (1 - h) * image[(top * s.width + left) * n] +
               (1 - v) * h * image[(top * s.width + right) * n] +
               v * (1 - h) * image[(bottom * s.width + left) * n] +
               v * h * image[(bottom * s.width + right) * n];
    }
}

// The share of output o in pixel i of a side.
__device__ float share_of(u64 o, u64 i, u64 side, const resampling &s)
{
    u64 low, high;
    float weight;
    place_of(&low, &high, &weight, o, side, s);
    return (low == i ? 1 - weight : 0) + (high == i ? weight : 0);
}

__device__ u64 first_output(u64 i, u64 factor) { return i < 2 ? 0 : (i - 2) * factor; }
__device__ u64 last_output(u64 i, u64 side, u64 factor)
{
    return i + 3 < side ? (i + 3) * factor : side * factor;
}

KERNEL upsample_back(float *dx, const float *dy, u64 count, resampling s)
{
    const u64 n = s.channels, across = s.width * s.factor, down = s.height * s.factor;
    EACH(i, count)
    {
        const u64 c = i % n, x = i / n % s.width, y = i / n / s.width % s.height;
        const float *image = dy + i / n / s.width / s.height * down * across * n + c;
        float sum = 0;
        for (u64 oy = first_output(y, s.factor); oy < last_output(y, s.height, s.factor); oy++) {
            const float v = share_of(oy, y, s.height, s);
            if (v == 0) continue;
            for (u64 ox = first_output(x, s.factor); ox < last_output(x, s.width, s.factor); ox++) {
                const float h = share_of(ox, x, s.width, s);
                if (h != 0) sum += v * h * image[(oy * across + ox) * n];
            }
        }
        dx[i] = sum;
    }
}

struct pooling {
    u64 height, width, channels, out_height, out_width, kernel, stride, padding;
};

// The place, in its image, of the first largest number of the window of output (oy, ox).
__device__ u64 largest(const float *image, const pooling &s, u64 oy, u64 ox, u64 c)
{
    u64 found = ~(u64)0;
    for (u64 k = 0; k < s.kernel * s.kernel; k++) {
        const u64 y = oy * s.stride + k / s.kernel - s.padding;
        const u64 x = ox * s.stride + k % s.kernel - s.padding;
        if (y >= s.height || x >= s.width) continue;
        const u64 at = (y * s.width + x) * s.channels + c;
        if (found == ~(u64)0 || image[at] > image[found]) found = at;
    }
    return found;
}

KERNEL max_pool(float *y, const float *x, u64 count, pooling s)
{
    const u64 n = s.channels;
    EACH(i, count)
    {
        const u64 c = i % n, ox = i / n % s.out_width, oy = i / n / s.out_width % s.out_height;
        const float *image = x + i / n / s.out_width / s.out_height * s.height * s.width * n;
        y[i] = image[largest(image, s, oy, ox, c)];
    }
}

KERNEL max_pool_back(float *dx, const float *dy, const float *x, u64 count, pooling s)
{
    const u64 n = s.channels;
    EACH(i, count)
    {
        const u64 c = i % n, z = i / n % s.width, y = i / n / s.width % s.height;
        const u64 r = i / n / s.width / s.height, at = i - r * s.height * s.width * n;
        const float *image = x + r * s.height * s.width * n;
        float sum = 0;
        const u64 top = y + s.padding, left = z + s.padding;
        for (u64 oy = top < s.kernel ? 0 : (top - s.kernel) / s.stride; oy < s.out_height; oy++) {
            if (oy * s.stride > top) break;
            for (u64 ox = left < s.kernel ? 0 : (left - s.kernel) / s.stride; ox < s.out_width; ox++) {
                if (ox * s.stride > left) break;
                if (top >= oy * s.stride + s.kernel || left >= ox * s.stride + s.kernel) continue;
                if (largest(image, s, oy, ox, c) == at)
                    sum += dy[((r * s.out_height + oy) * s.out_width + ox) * n + c];
            }
        }
        dx[i] = sum;
    }
}

// ---- heads and inputs of images ----

struct window {
    u64 first, lines, run, stride, whole;
    float margin, leak;
};

KERNEL pixels(float *out, const float *outputs, u64 count, window w)
{
    const u64 size = w.lines * w.run;
    EACH(i, count)
    {
        const u64 r = i / size, p = i % size;
        const float s = outputs[r * w.whole + w.first + p / w.run * w.stride + p % w.run];
        const float v = (1 + 2 * w.margin) * s - w.margin, h = v < 0 ? 0 : v > 1 ? 1 : v;
        out[i] = h + w.leak * (v - h);
    }
}

KERNEL pixels_back(float *d_outputs, const float *d_pixels, const float *outputs, u64 count, window w)
{
    EACH(i, count)
    {
        const u64 r = i / w.whole, at = i % w.whole, off = at - w.first;
        const u64 line = off / w.stride, x = off % w.stride;
        if (at < w.first || line >= w.lines || x >= w.run) {
            d_outputs[i] = 0;
            continue;
        }
        const float v = (1 + 2 * w.margin) * outputs[i] - w.margin;
        const float slope = v < 0 || v > 1 ? w.leak : 1;
        d_outputs[i] = (1 + 2 * w.margin) * slope * d_pixels[(r * w.lines + line) * w.run + x];
    }
}

#define MOST_RUNS 96  // of one launch: they travel with its arguments

struct resizing {
    u32 height, width, channels, side;
    float mean[3], deviation[3];
};

// Rows first[k] .. of a batch, one run behind the other: before[k] rows of the runs before it.
struct runs {
    u32 count, first[MOST_RUNS], before[MOST_RUNS + 1];
};

// Row r of the runs: where it is in the batch; whether it is a second one of its run.
__device__ u32 row_of(const runs &of, u32 r, bool *second)
{
    u32 k = 0;
    while (r >= of.before[k + 1]) k++;
    *second = (r - of.before[k]) % 2 == 1;
    return of.first[k] + r - of.before[k];
}

// blockIdx.y: the row of the runs.
KERNEL resize(float *out, const float *images, const float *rows, const float *columns,
              const float *mirrored, resizing s, runs of)
{
    bool second;
    const u32 row = row_of(of, blockIdx.y, &second), all = s.side * s.side * 3;
    const float *across = second && mirrored ? mirrored : columns;
    const float *image = images + (u64)row * s.height * s.width * s.channels;
    EACH32(i, all)
    {
        const u32 c = i % 3, x = i / 3 % s.side, y = i / 3 / s.side, channel = s.channels == 1 ? 0 : c;
        float sum = 0;
        for (u32 p = 0; p < s.height; p++) {
            const float v = rows[y * s.height + p];
            if (v == 0) continue;
            float line = 0;
            for (u32 q = 0; q < s.width; q++) {
                const float h = across[x * s.width + q];
                if (h != 0) line += h * image[(p * s.width + q) * s.channels + channel];
            }
            sum += v * line;
        }
        out[(u64)blockIdx.y * all + i] = (sum - s.mean[c]) / s.deviation[c];
    }
}

KERNEL resize_back(float *d_images, const float *d_out, const float *rows, const float *columns,
                   const float *mirrored, resizing s, runs of)
{
    bool second;
    const u32 row = row_of(of, blockIdx.y, &second), all = s.height * s.width * s.channels;
    const float *across = second && mirrored ? mirrored : columns;
    const float *d = d_out + (u64)blockIdx.y * s.side * s.side * 3;
    EACH32(i, all)
    {
        const u32 c = i % s.channels, q = i / s.channels % s.width, p = i / s.channels / s.width;
        float sum = 0;
        for (u32 y = 0; y < s.side; y++) {
            const float v = rows[y * s.height + p];
            if (v == 0) continue;
            float line = 0;
            for (u32 x = 0; x < s.side; x++) {
                const float h = across[x * s.width + q];
                if (h == 0) continue;
                const float *at = d + (y * s.side + x) * 3;
                if (s.channels == 3)
                    line += h * at[c] / s.deviation[c];
                else
                    line += h * (at[0] / s.deviation[0] + at[1] / s.deviation[1] + at[2] / s.deviation[2]);
            }
            sum += v * line;
        }
        d_images[(u64)row * all + i] += sum;
    }
}

// ---- losses ----

#define THREADS 256

// The sum of one number per thread of a block, in a fixed tree; thread 0 has it.
__device__ double block_sum(double mine)
{
    __shared__ double all[THREADS];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < (u32)half) all[threadIdx.x] += all[threadIdx.x + half];
        __syncthreads();
    }
    const double sum = all[0];
    __syncthreads();
    return sum;
}

// *loss += the parts, in order.
KERNEL keep_loss(double *loss, const double *parts, u64 count)
{
    double mine = 0;
    for (u64 i = threadIdx.x; i < count; i += THREADS) mine += parts[i];
    const double sum = block_sum(mine);
    if (threadIdx.x == 0) *loss += sum;
}

#define MOST_CLASSES 96  // of one launch: they travel with its arguments

struct classes {
    u64 first_class, count;  // of this launch
    u64 starts[MOST_CLASSES + 1];
    float row[MOST_CLASSES], mean[MOST_CLASSES], weight[MOST_CLASSES];
};

// v (n) = after * (H v), by the block.
__device__ void transform(float *v, u64 n, const float *after)
{
    for (u64 half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        for (u64 i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const u64 a = i / half * 2 * half + i % half, b = a + half;
            const float x = v[a], y = v[b];
            v[a] = x + y;
            v[b] = x - y;
        }
    }
    __syncthreads();
    if (after)
        for (u64 i = threadIdx.x; i < n; i += blockDim.x) v[i] *= after[i];
    __syncthreads();
}

// A block per row. in_shared: n numbers fit beside; else the cosines are worked on.
KERNEL phases(float *cosines, float *sines, const float *x, const float *signs, const float *lengths,
              u64 columns, u64 n, int in_shared)
{
    SHARED_ROOM(shared);
    const u64 row = blockIdx.x;
    float *v = in_shared ? shared : cosines + row * n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = i < columns ? x[row * columns + i] * signs[2 * n + i] : 0;
    transform(v, n, signs + n);
    transform(v, n, signs);
    transform(v, n, lengths);
    for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
        float s, c;
        sincospif(2 * v[i], &s, &c);
        cosines[row * n + i] = c;
        sines[row * n + i] = s;
    }
}

// front (C, 2, n), past, and a part of the loss per block: blockIdx.y is the class of this launch.
KERNEL class_residuals(float *front, float *past, double *parts, const float *target,
                       const float *cosines, const float *sines, u64 n, u64 used, float decay, classes k)
{
    const u64 c = blockIdx.y, f = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const float row = k.row[c], weight = k.weight[c], factor = 2 * weight * row * 6.283185307f;
    double loss = 0;
    if (f < n) {
        double sums[2] = {0, 0};
        float off[2];
        for (u64 r = k.starts[c]; r < k.starts[c + 1]; r++) {
            sums[0] += cosines[r * n + f];
            sums[1] += sines[r * n + f];
        }
        for (int s = 0; s < 2; s++) {
            const u64 at = ((k.first_class + c) * 2 + s) * n + f;
            float mean = row * (float)sums[s];
            if (past) {
                const float before = past[at];
                past[at] = decay * before + (1 - decay) * (k.mean[c] * (float)sums[s]);
                mean = decay * before + (1 - decay) * mean;
            }
            off[s] = mean - target[at];
            if (f < used) loss += (double)weight * (double)off[s] * (double)off[s];
        }
        float *to = front + (k.first_class + c) * 2 * n + f;
        to[0] = f < used ? factor * off[1] : 0;
        to[n] = f < used ? -factor * off[0] : 0;
    }
    const double sum = block_sum(loss);
    if (threadIdx.x == 0) parts[(u64)blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// A block per row of the launch's classes, rows first_row on. Works in the cosines where shared is small.
KERNEL phases_back(float *d_x, float *cosines, const float *sines, const float *front,
                   const float *signs, const float *lengths, u64 columns, u64 n, int in_shared, classes k)
{
    SHARED_ROOM(shared);
    const u64 row = k.starts[0] + blockIdx.x;
    u64 c = 0;
    while (row >= k.starts[c + 1]) c++;
    const float *a = front + (k.first_class + c) * 2 * n, *b = a + n;
    float *v = in_shared ? shared : cosines + row * n;
    for (u64 i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = (a[i] * cosines[row * n + i] + b[i] * sines[row * n + i]) * lengths[i];
    transform(v, n, signs);
    transform(v, n, signs + n);
    transform(v, n, (const float *)0);
    for (u64 i = threadIdx.x; i < columns; i += blockDim.x)
        d_x[row * columns + i] += v[i] * signs[2 * n + i];
}

// ---- moments of activations ----

#define MOST_LAYERS 32  // of one launch
#define ROW_PARTS 4     // blocks that share a row of a layer

// Layers first .. of `layers` in all; norms: 1, or one per layer; at: where a layer's numbers begin among all.
struct taken {
    u32 first, count, layers, norms, moments;
    u64 width;
    u32 sizes[MOST_LAYERS];
    u64 at[MOST_LAYERS];
    const float *e[MOST_LAYERS];
    float *d[MOST_LAYERS];
};

__device__ u32 class_of(const classes &k, u64 row)
{
    u32 c = 0;
    while (row >= k.starts[c + 1]) c++;
    return c;
}

// Sums of a row of a layer in parts: (rows, layers, ROW_PARTS, 2) = (sum of e^2, of e^4), or, where there is a
// front (classes, moments, width), of (g1 e, g2 e^2). blockIdx: part, row of the launch's classes, layer.
KERNEL row_parts(double *partial, const float *front, taken t, classes k)
{
    const u32 l = blockIdx.z, size = t.sizes[l];
    const u64 row = k.starts[0] + blockIdx.y;
    const float *e = t.e[l] + row * size;
    float a = 0, b = 0;
    if (front) {
        const float *g1 = front + (k.first_class + class_of(k, row)) * t.moments * t.width + t.at[l];
        const float *g2 = t.moments > 1 ? g1 + t.width : 0;
        EACH32(i, size)
        {
            a += g1[i] * e[i];
            if (g2) b += g2[i] * e[i] * e[i];
        }
    } else {
        EACH32(i, size)
        {
            const float square = e[i] * e[i];
            a += square;
            b += square * square;
        }
    }
    const double first = block_sum(a), second = block_sum(b);
    if (threadIdx.x > 0) return;
    double *to = partial + ((row * t.layers + t.first + l) * ROW_PARTS + blockIdx.x) * 2;
    to[0] = first;
    to[1] = second;
}

__device__ float inverse_root(double sum)
{
    return sum > 0 && isfinite(sum) ? (float)(1 / sqrt(sum)) : 0;
}

// factors (rows, 2, norms) from partial: what e and e^2 are multiplied by; or, along, the same with the factors:
// what e and e^3 are multiplied by.
KERNEL row_finish(float *out, const float *factors, const double *partial, u64 rows, u32 layers, u32 norms,
                  int along)
{
    const u32 each = layers / norms;  // layers of a norm
    EACH(i, rows * norms)
    {
        const double *from = partial + i * each * ROW_PARTS * 2;
        double a = 0, b = 0;
        for (u32 p = 0; p < each * ROW_PARTS; p++) {
            a += from[2 * p];
            b += from[2 * p + 1];
        }
        const u64 at = i / norms * 2 * norms + i % norms;
        if (along) {
            const float i1 = factors[at], i2 = factors[at + norms];
            out[at] = (float)(a * norms) * i1 * i1 * i1;
            out[at + norms] = 2 * (float)(b * norms) * i2 * i2 * i2;
        } else {
            out[at] = inverse_root(a * norms);
            out[at + norms] = inverse_root(b * norms);
        }
    }
}

// Coordinate i of one moment of a class: front, past, and the loss.
__device__ double residual_of(float *front, float *past, const float *target, u64 at, float sum, float row,
                              float mean, float weight, float decay)
{
    float own = row * sum;
    if (past) {
        const float before = past[at];
        past[at] = decay * before + (1 - decay) * (mean * sum);
        own = decay * before + (1 - decay) * own;
    }
    const float off = own - target[at];
    front[at] = 2 * weight * row * off;
    return (double)weight * (double)off * (double)off;
}

// blockIdx: a piece of THREADS coordinates of the launch's layers, a class of it. A part of the loss per block.
KERNEL moment_residuals(float *front, float *past, double *parts, const float *target, const float *factors,
                        float decay, taken t, classes k)
{
    u32 l = 0, piece = blockIdx.x;
    for (; piece >= (t.sizes[l] + THREADS - 1) / THREADS; l++) piece -= (t.sizes[l] + THREADS - 1) / THREADS;
    const u32 c = blockIdx.y, i = piece * THREADS + threadIdx.x, norm = t.norms > 1 ? t.first + l : 0;
    const u64 first = k.starts[c], last = k.starts[c + 1];
    double loss = 0;
    if (i < t.sizes[l] && first < last) {
        float sums[2] = {0, 0};
        for (u64 r = first; r < last; r++) {
            const float v = t.e[l][r * t.sizes[l] + i];
            const float *f = factors + r * 2 * t.norms + norm;
            sums[0] += f[0] * v;
            if (t.moments > 1) sums[1] += f[t.norms] * v * v;
        }
        const u64 at = (k.first_class + c) * t.moments * t.width + t.at[l] + i;
        for (u32 m = 0; m < t.moments; m++)
            loss += residual_of(front, past, target, at + m * t.width, sums[m], k.row[c], k.mean[c],
                                k.weight[c], decay);
    }
    const double all = block_sum(loss);
    if (threadIdx.x == 0) parts[(u64)blockIdx.y * gridDim.x + blockIdx.x] = all;
}

// blockIdx: part, row of the launch's classes, layer.
KERNEL moment_gradient(const float *front, const float *factors, const float *along, taken t, classes k)
{
    const u32 l = blockIdx.z, size = t.sizes[l], norm = t.norms > 1 ? t.first + l : 0;
    const u64 row = k.starts[0] + blockIdx.y, at = row * 2 * t.norms + norm;
    const float *g1 = front + (k.first_class + class_of(k, row)) * t.moments * t.width + t.at[l];
    const float *g2 = t.moments > 1 ? g1 + t.width : 0, *e = t.e[l] + row * size;
    const float f1 = factors[at], f2 = 2 * factors[at + t.norms], a1 = along[at], a2 = along[at + t.norms];
    float *d = t.d[l] + row * size;
    EACH32(i, size)
    {
        const float v = e[i];
        float slope = f1 * g1[i] - a1 * v;
        if (g2) slope += v * (f2 * g2[i] - a2 * v * v);
        d[i] = slope;
    }
}
