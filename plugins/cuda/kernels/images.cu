/* SPDX-License-Identifier: Apache-2.0 */
// ---- heads and inputs of images ----

struct window {
    u32 first, lines, run, stride, whole;
    float margin, leak;
};

KERNEL pixels(float *out, const float *outputs, u32 count, window w)
{
    const u32 size = w.lines * w.run;
    EACH32(i, count)
    {
        const u32 r = i / size, p = i % size;
        const float s = outputs[r * w.whole + w.first + p / w.run * w.stride + p % w.run];
        const float v = (1 + 2 * w.margin) * s - w.margin, h = v < 0 ? 0 : v > 1 ? 1 : v;
        out[i] = h + w.leak * (v - h);
    }
}

KERNEL pixels_back(float *d_outputs, const float *d_pixels, const float *outputs, u32 count, window w)
{
    EACH32(i, count)
    {
        const u32 r = i / w.whole, at = i % w.whole, off = at - w.first;
        const u32 line = off / w.stride, x = off % w.stride;
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

