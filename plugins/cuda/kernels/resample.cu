/* SPDX-License-Identifier: Apache-2.0 */
// ---- up-sampling and pools ----

struct resampling {
    u32 height, width, channels, factor;
    int nearest, align;
};

__device__ void place_of(u32 *low, u32 *high, float *weight, u32 o, u32 side, const resampling &s)
{
    if (s.nearest) {
        *low = *high = o / s.factor;
        *weight = 0;
        return;
    }
    const u32 whole = side * s.factor;
    double at = s.align ? (double)(o * (side - 1)) / (double)(whole > 1 ? whole - 1 : 1)
                        : ((double)o + 0.5) / (double)s.factor - 0.5;
    if (at < 0) at = 0;
    *low = (u64)at;
    *high = *low + 1 < side ? *low + 1 : *low;
    *weight = (float)(at - (double)*low);
}

// By V channels, which lie side by side.
template <int V>
__device__ __forceinline__ void upsample_by(float *y, const float *x, u32 count, const resampling &s)
{
    const u32 across = s.width * s.factor, down = s.height * s.factor, n = s.channels / V;
    EACH32(i, count / V)
    {
        const u32 c = i % n, ox = i / n % across, oy = i / n / across % down, r = i / n / across / down;
        u32 top, bottom, left, right;
        float v, h, a[V], b[V], d[V], e[V];
        place_of(&top, &bottom, &v, oy, s.height, s);
        place_of(&left, &right, &h, ox, s.width, s);
        const float *image = x + r * s.height * s.width * s.channels + c * V;
        take<V>(a, image + (top * s.width + left) * s.channels, true);
        take<V>(b, image + (top * s.width + right) * s.channels, true);
        take<V>(d, image + (bottom * s.width + left) * s.channels, true);
        take<V>(e, image + (bottom * s.width + right) * s.channels, true);
#pragma unroll
        for (int k = 0; k < V; k++)
            a[k] = (1 - v) * (1 - h) * a[k] + (1 - v) * h * b[k] + v * (1 - h) * d[k] + v * h * e[k];
        give<V>(y + i * V, a);
    }
}

KERNEL upsample(float *y, const float *x, u32 count, int fours, resampling s)
{
    if (fours)
        upsample_by<4>(y, x, count, s);
    else
        upsample_by<1>(y, x, count, s);
}

// The share of output o in pixel i of a side.
__device__ float share_of(u32 o, u32 i, u32 side, const resampling &s)
{
    u32 low, high;
    float weight;
    place_of(&low, &high, &weight, o, side, s);
    return (low == i ? 1 - weight : 0) + (high == i ? weight : 0);
}

// Outputs that may have a share in pixel i: with r the outputs of a pixel, those from (i - 1) r to (i + 1) r and half a
// pixel, and r is the factor, or, with corners on corners, at most factor (1 + 1 / (side - 1)).
__device__ u32 first_output(u32 i, u32 factor) { return i < 2 ? 0 : (i - 1) * factor - 1; }
__device__ u32 last_output(u32 i, u32 side, u32 factor)
{
    return i + 2 < side ? (i + 2) * factor : side * factor;
}

template <int V>
__device__ __forceinline__ void upsample_back_by(float *dx, const float *dy, u32 count, const resampling &s)
{
    const u32 n = s.channels / V, across = s.width * s.factor, down = s.height * s.factor;
    EACH32(i, count / V)
    {
        const u32 c = i % n, x = i / n % s.width, y = i / n / s.width % s.height;
        const float *image = dy + i / n / s.width / s.height * down * across * s.channels + c * V;
        const u32 first = first_output(x, s.factor), last = last_output(x, s.width, s.factor);
        float sums[V] = {};
        for (u32 oy = first_output(y, s.factor); oy < last_output(y, s.height, s.factor); oy++) {
            const float v = share_of(oy, y, s.height, s);
            if (v == 0) continue;
            for (u32 ox = first; ox < last; ox++) {
                const float share = v * share_of(ox, x, s.width, s);
                if (share == 0) continue;
                float d[V];
                take<V>(d, image + (oy * across + ox) * s.channels, true);
#pragma unroll
                for (int k = 0; k < V; k++) sums[k] += share * d[k];
            }
        }
        give<V>(dx + i * V, sums);
    }
}

KERNEL upsample_back(float *dx, const float *dy, u32 count, int fours, resampling s)
{
    if (fours)
        upsample_back_by<4>(dx, dy, count, s);
    else
        upsample_back_by<1>(dx, dy, count, s);
}

struct pooling {
    u32 height, width, channels, out_height, out_width, kernel, stride, padding;
};

// The place, in its image, of the first largest number of the window of output (oy, ox).
__device__ u32 largest(const float *image, const pooling &s, u32 oy, u32 ox, u32 c)
{
    u32 found = ~(u32)0;
    for (u32 k = 0; k < s.kernel * s.kernel; k++) {
        const u32 y = oy * s.stride + k / s.kernel - s.padding;
        const u32 x = ox * s.stride + k % s.kernel - s.padding;
        if (y >= s.height || x >= s.width) continue;
        const u32 at = (y * s.width + x) * s.channels + c;
        if (found == ~(u32)0 || image[at] > image[found]) found = at;
    }
    return found;
}

KERNEL max_pool(float *y, const float *x, u32 count, pooling s)
{
    const u32 n = s.channels;
    EACH32(i, count)
    {
        const u32 c = i % n, ox = i / n % s.out_width, oy = i / n / s.out_width % s.out_height;
        const float *image = x + i / n / s.out_width / s.out_height * s.height * s.width * n;
        y[i] = image[largest(image, s, oy, ox, c)];
    }
}

KERNEL max_pool_back(float *dx, const float *dy, const float *x, u32 count, pooling s)
{
    const u32 n = s.channels;
    EACH32(i, count)
    {
        const u32 c = i % n, z = i / n % s.width, y = i / n / s.width % s.height;
        const u32 r = i / n / s.width / s.height, at = i - r * s.height * s.width * n;
        const float *image = x + r * s.height * s.width * n;
        float sum = 0;
        const u32 top = y + s.padding, left = z + s.padding;
        for (u32 oy = top < s.kernel ? 0 : (top - s.kernel) / s.stride; oy < s.out_height; oy++) {
            if (oy * s.stride > top) break;
            for (u32 ox = left < s.kernel ? 0 : (left - s.kernel) / s.stride; ox < s.out_width; ox++) {
                if (ox * s.stride > left) break;
                if (top >= oy * s.stride + s.kernel || left >= ox * s.stride + s.kernel) continue;
                if (largest(image, s, oy, ox, c) == at)
                    sum += dy[((r * s.out_height + oy) * s.out_width + ox) * n + c];
            }
        }
        dx[i] = sum;
    }
}

// The same where windows are side by side and leave nothing out: a thread per window and channel.
KERNEL max_pool_back_apart(float *dx, const float *dy, const float *x, u32 count, pooling s)
{
    const u32 n = s.channels;
    EACH32(i, count)
    {
        const u32 c = i % n, ox = i / n % s.out_width, oy = i / n / s.out_width % s.out_height;
        const u32 first = i / n / s.out_width / s.out_height * s.height * s.width * n;
        const u32 found = largest(x + first, s, oy, ox, c);
        const float d = dy[i];
        for (u32 k = 0; k < s.kernel * s.kernel; k++) {
            const u32 at = ((oy * s.kernel + k / s.kernel) * s.width + ox * s.kernel + k % s.kernel) * n + c;
            dx[first + at] = at == found ? d : 0;
        }
    }
}

