/* SPDX-License-Identifier: Apache-2.0 */
// ---- convolution where one side has at most FEW channels and the other, `many`, a multiple of four ----

#define FEW 4

// Forward (few: channels of y), or back to inputs (few: inputs of x; stride 1): `lanes` threads, a power of two, share a
// pixel, each with four of the many at a time. The weights are in shared memory, (taps, few, many).
KERNEL conv_few(float *to, const float *from, const float *w, const float *bias, u32 lanes, int back, conv s)
{
    SHARED_ROOM(weights);
    __shared__ float parts[FEW][THREADS];
    const u32 taps = s.kernel * s.kernel, few = back ? s.inputs : s.channels, many = back ? s.channels : s.inputs;
    const u32 height = back ? s.height : s.out_height, width = back ? s.width : s.out_width;  // of `to`
    const u32 down = back ? s.out_height : s.height, across = back ? s.out_width : s.width;   // of `from`
    for (u32 i = threadIdx.x; i < taps * few * many; i += THREADS) {
        const u32 m = i % many, f = i / many % few, tap = i / many / few;
        weights[i] = back ? w[(m * taps + tap) * few + f] : w[(f * taps + tap) * many + m];
    }
    __syncthreads();
    const u32 lane = threadIdx.x % lanes, pixels = s.rows * height * width, each = THREADS / lanes;
    for (u32 first = blockIdx.x * each; first < pixels; first += gridDim.x * each) {
        const u32 p = first + threadIdx.x / lanes, x = p % width, y = p / width % height, r = p / width / height;
        float sums[FEW] = {0, 0, 0, 0};
        for (u32 tap = 0; p < pixels && tap < taps; tap++) {
            const u32 v = tap / s.kernel, h = tap % s.kernel;
            const u32 at_y = back ? y + s.padding - v : y * s.stride + v - s.padding;  // below zero: huge
            const u32 at_x = back ? x + s.padding - h : x * s.stride + h - s.padding;
            if (at_y >= down || at_x >= across) continue;
            const float *pixel = from + ((r * down + at_y) * across + at_x) * many;
            for (u32 m = lane * 4; m < many; m += lanes * 4) {
                const float4 e = *(const float4 *)(pixel + m);
#pragma unroll
                for (u32 f = 0; f < FEW; f++)
                    if (f < few) {
                        const float4 k = *(const float4 *)(weights + (tap * few + f) * many + m);
                        sums[f] += e.x * k.x + e.y * k.y + e.z * k.z + e.w * k.w;
                    }
            }
        }
#pragma unroll
        for (u32 f = 0; f < FEW; f++) parts[f][threadIdx.x] = sums[f];
        __syncthreads();
        for (u32 f = lane; f < few && p < pixels; f += lanes) {
            float sum = bias ? bias[f] : 0;
            for (u32 i = 0; i < lanes; i++) sum += parts[f][threadIdx.x - lane + i];
            to[p * few + f] = sum;
        }
        __syncthreads();
    }
}

// To weights, few channels: a thread per tap and four inputs, blockIdx.x a part of `each` images, in order.
KERNEL conv_few_weights(float *parts, const float *x, const float *dy, u32 each, conv s)
{
    const u32 taps = s.kernel * s.kernel, q = blockIdx.y * blockDim.x + threadIdx.x, c = q * 4 % s.inputs;
    const u32 tap = q * 4 / s.inputs, v = tap / s.kernel, h = tap % s.kernel;
    const u32 first = blockIdx.x * each, last = first + each < s.rows ? first + each : s.rows;
    float sums[FEW][4] = {};
    if (tap >= taps) return;
    for (u32 r = first; r < last; r++)
        for (u32 oy = 0; oy < s.out_height; oy++) {
            const u32 y = oy * s.stride + v - s.padding;
            if (y >= s.height) continue;
            const float *line = x + (r * s.height + y) * s.width * s.inputs + c;
            const float *d = dy + (r * s.out_height + oy) * s.out_width * s.channels;
#pragma unroll 4
            for (u32 ox = 0; ox < s.out_width; ox++, d += s.channels) {
                const u32 z = ox * s.stride + h - s.padding;
                if (z >= s.width) continue;
                const float4 e = *(const float4 *)(line + z * s.inputs);
#pragma unroll
                for (u32 f = 0; f < FEW; f++)
                    if (f < s.channels) {
                        sums[f][0] += d[f] * e.x;
                        sums[f][1] += d[f] * e.y;
                        sums[f][2] += d[f] * e.z;
                        sums[f][3] += d[f] * e.w;
                    }
            }
        }
    float *to = parts + (u64)blockIdx.x * s.channels * taps * s.inputs + tap * s.inputs + c;
#pragma unroll
    for (u32 f = 0; f < FEW; f++)
        for (int i = 0; f < s.channels && i < 4; i++) to[f * taps * s.inputs + i] = sums[f][i];
}

