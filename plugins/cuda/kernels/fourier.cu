/* SPDX-License-Identifier: Apache-2.0 */
// ---- orthogonal Fourier features ----

// v (n) = after * (H v), by the block: two stages at a time, the last alone where they are odd in number.
__device__ void transform(float *v, u32 n, const float *after)
{
    u32 half = n / 2;
    for (; half > 1; half /= 4) {
        const u32 q = half / 2;
        __syncthreads();
        for (u32 i = threadIdx.x; i < n / 4; i += blockDim.x) {
            float *at = v + i / q * 4 * q + i % q;
            const float a = at[0], b = at[q], c = at[2 * q], d = at[3 * q];
            const float e = a + c, f = b + d, g = a - c, h = b - d;
            at[0] = e + f;
            at[q] = e - f;
            at[2 * q] = g + h;
            at[3 * q] = g - h;
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; half == 1 && i < n / 2; i += blockDim.x) {
        const float a = v[2 * i], b = v[2 * i + 1];
        v[2 * i] = a + b;
        v[2 * i + 1] = a - b;
    }
    if (half == 1) __syncthreads();
    if (after)
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) v[i] *= after[i];
    __syncthreads();
}

// blockIdx: a row, a block of frequencies. waves (blocks, rows, 2, n): cosines, sines. in_shared: n numbers fit
// beside; else the cosines are worked on.
KERNEL phases(float *waves, const float *x, const float *signs, const float *lengths, u32 columns, u32 n,
              int in_shared)
{
    SHARED_ROOM(shared);
    const u32 row = blockIdx.x, b = blockIdx.y;
    float *cosines = waves + ((u64)b * gridDim.x + row) * 2 * n, *sines = cosines + n;
    float *v = in_shared ? shared : cosines;
    signs += 3 * b * n;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = i < columns ? x[row * columns + i] * signs[2 * n + i] : 0;
    transform(v, n, signs + n);
    transform(v, n, signs);
    transform(v, n, lengths + b * n);
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        float s, c;
        sincospif(2 * v[i], &s, &c);
        cosines[i] = c;
        sines[i] = s;
    }
}

// front (blocks, C, 2, n), past, and a part of the loss per block. blockIdx: a piece of n, the class of this
// launch, a block of frequencies.
KERNEL class_residuals(float *front, float *past, double *parts, const float *target, const float *waves,
                       u32 rows, u32 all, u32 n, u32 frequencies, const float *now, classes k)
{
    const u32 c = blockIdx.y, b = blockIdx.z, f = blockIdx.x * blockDim.x + threadIdx.x;
    const float row = k.row[c], weight = k.weight[c], factor = 2 * weight * row * 6.283185307f;
    const float decay = *now;
    double loss = 0;
    if (f < n) {
        double sums[2] = {0, 0};
        float off[2];
        const bool used = b * n + f < frequencies;
        const float *wave = waves + (u64)b * rows * 2 * n + f;
#pragma unroll 4
        for (u32 r = (u32)k.starts[c]; r < k.starts[c + 1]; r++) {
            sums[0] += wave[(u64)r * 2 * n];
            sums[1] += wave[(u64)r * 2 * n + n];
        }
        const u64 first = ((u64)b * all + k.first_class + c) * 2 * n + f;
        for (int s = 0; s < 2; s++) {
            const u64 at = first + (u64)s * n;
            float mean = row * (float)sums[s];
            if (past) {
                const float before = past[at];
                past[at] = decay * before + (1 - decay) * (k.mean[c] * (float)sums[s]);
                mean = decay * before + (1 - decay) * mean;
            }
            off[s] = mean - target[at];
            if (used) loss += (double)weight * (double)off[s] * (double)off[s];
        }
        front[first] = used ? factor * off[1] : 0;
        front[first + n] = used ? -factor * off[0] : 0;
    }
    const double sum = block_sum(loss);
    if (threadIdx.x == 0) parts[((u64)b * gridDim.y + c) * gridDim.x + blockIdx.x] = sum;
}

// blockIdx: a row of the launch's classes; its blocks of frequencies in order. Works in the cosines where shared
// memory is small.
KERNEL phases_back(float *d_x, float *waves, const float *front, const float *signs, const float *lengths,
                   u32 rows, u32 all, u32 columns, u32 n, u32 blocks, int in_shared, classes k)
{
    SHARED_ROOM(shared);
    const u32 row = (u32)k.starts[0] + blockIdx.x, c = class_of(k, row);
    for (u32 b = 0; b < blocks; b++, signs += 3 * n, lengths += n) {
        float *cosines = waves + ((u64)b * rows + row) * 2 * n, *sines = cosines + n;
        const float *g = front + ((u64)b * all + k.first_class + c) * 2 * n;
        float *v = in_shared ? shared : cosines;
        for (u32 i = threadIdx.x; i < n; i += blockDim.x)
            v[i] = (g[i] * cosines[i] + g[n + i] * sines[i]) * lengths[i];
        transform(v, n, signs);
        transform(v, n, signs + n);
        transform(v, n, (const float *)0);
        for (u32 i = threadIdx.x; i < columns; i += blockDim.x)
            d_x[(u64)row * columns + i] += v[i] * signs[2 * n + i];
        __syncthreads();
    }
}

