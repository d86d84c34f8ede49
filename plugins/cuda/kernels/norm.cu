/* SPDX-License-Identifier: Apache-2.0 */
// ---- sums over the pixels of each channel, in double, PARTS of them and then the parts in order ----

// partial (parts, 2, channels): sums of u and of u v; what: 0: u = x, v = x; 1: u = dy (where y > 0 if relu),
// v = x - mean. blockIdx: THREADS channels, or all of them, several pixels at a time; a part of the pixels.
KERNEL channel_parts(double *partial, const float *x, const float *dy, const float *y,
                     const float *mean, u32 pixels, u32 channels, int what, int relu)
{
    __shared__ double sums[2][THREADS];
    const u32 side = channels < THREADS ? channels : THREADS, depth = THREADS / side;
    const u32 c = blockIdx.x * THREADS + threadIdx.x % side, parts = gridDim.y;
    const u32 each = (pixels + parts - 1) / parts, first = blockIdx.y * each;
    const u32 last = first + each < pixels ? first + each : pixels;
    double a = 0, b = 0;
    if (c < channels && threadIdx.x < side * depth)
        for (u32 p = first + threadIdx.x / side; p < last; p += depth) {
            const u32 i = p * channels + c;
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
    sums[0][threadIdx.x] = a;
    sums[1][threadIdx.x] = b;
    __syncthreads();
    if (threadIdx.x >= side || c >= channels) return;
    for (u32 k = 1; k < depth; k++) {
        a += sums[0][k * side + threadIdx.x];
        b += sums[1][k * side + threadIdx.x];
    }
    partial[(2 * (u64)blockIdx.y) * channels + c] = a;
    partial[(2 * (u64)blockIdx.y + 1) * channels + c] = b;
}

// Of channel blockIdx.x, by its block.
__device__ double total(const double *partial, u32 parts, u32 channels, int which)
{
    double sum = 0;
    for (u32 p = threadIdx.x; p < parts; p += THREADS) sum += partial[(2 * p + which) * channels + blockIdx.x];
    return block_sum(sum);
}

KERNEL channel_finish(float *sums, const double *partial, u32 parts, u32 channels)
{
    const double sum = total(partial, parts, channels, 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = (float)sum;
}

#define NORM_EPSILON 1e-5

// A block per channel, here and on the way back.
KERNEL norm_finish(float *mean, float *inverse, float *running, const double *partial, u32 parts,
                   u32 pixels, u32 channels, const float *momentum, int batch)
{
    const u32 c = blockIdx.x;
    if (!batch) {
        if (threadIdx.x > 0) return;
        mean[c] = running[c];
        inverse[c] = (float)(1 / sqrt((double)running[channels + c] + NORM_EPSILON));
        return;
    }
    const double sum = total(partial, parts, channels, 0), square = total(partial, parts, channels, 1);
    if (threadIdx.x > 0) return;
    const double n = (double)pixels, m = sum / n;
    double variance = square / n - m * m;
    if (!(variance > 0)) variance = 0;
    mean[c] = (float)m;
    inverse[c] = (float)(1 / sqrt(variance + NORM_EPSILON));
    const double unbiased = n > 1 ? variance * n / (n - 1) : variance;
    running[c] += *momentum * ((float)m - running[c]);
    running[channels + c] += *momentum * ((float)unbiased - running[channels + c]);
}

KERNEL norm_apply(float *y, const float *x, const float *gamma, const float *beta, const float *mean,
                  const float *inverse, u32 count, u32 channels, int relu)
{
    EACH32(i, count)
    {
        const u32 c = i % channels;
        const float v = (x[i] - mean[c]) * (inverse[c] * gamma[c]) + beta[c];
        y[i] = relu && !(v > 0) ? 0 : v;
    }
}

// factors (3, channels) of dx = a dz + b x + c
KERNEL norm_back_finish(float *factors, float *d_gamma, float *d_beta, const double *partial, u32 parts,
                        const float *gamma, const float *mean, const float *inverse, u32 pixels,
                        u32 channels, int batch)
{
    const u32 c = blockIdx.x;
    const double sum = total(partial, parts, channels, 0), product = total(partial, parts, channels, 1);
    if (threadIdx.x > 0) return;
    const double along = product * (double)inverse[c];
    const double front = (double)gamma[c] * (double)inverse[c];
    const double slope = batch ? -front * along * (double)inverse[c] / (double)pixels : 0;
    const double shift = batch ? -front * sum / (double)pixels : 0;
    d_beta[c] = (float)sum;
    d_gamma[c] = (float)along;
    factors[c] = (float)front;
    factors[channels + c] = (float)slope;
    factors[2 * channels + c] = (float)(shift - slope * (double)mean[c]);
}

KERNEL norm_back_apply(float *dy, const float *x, const float *y, const float *factors, u32 count,
                       u32 channels, int relu)
{
    EACH32(i, count)
    {
        const u32 c = i % channels;
        const float dz = !relu || y[i] > 0 ? dy[i] : 0;
        dy[i] = factors[c] * dz + (factors[channels + c] * x[i] + factors[2 * channels + c]);
    }
}

