/* SPDX-License-Identifier: Apache-2.0 */
// ---- convolution: unfolded pixels times weights is a product (cuBLAS) ----

struct conv {
    u32 rows, height, width, inputs, channels, kernel, stride, padding, out_height, out_width;
};

// columns (pixels, kernel, kernel, inputs) of the output pixels of s.rows images
KERNEL unfold(float *columns, const float *x, conv s)
{
    const u32 taps = s.kernel * s.kernel * s.inputs;
    EACH32(i, s.rows * s.out_height * s.out_width * taps)
    {
        const u32 p = i / taps, t = i % taps, c = t % s.inputs, k = t / s.inputs;
        const u32 ox = p % s.out_width, oy = p / s.out_width % s.out_height;
        const u32 r = p / s.out_width / s.out_height;
        const u32 y = oy * s.stride + k / s.kernel - s.padding;  // below zero it wraps: huge
        const u32 z = ox * s.stride + k % s.kernel - s.padding;
        columns[i] = y < s.height && z < s.width
                         ? x[((r * s.height + y) * s.width + z) * s.inputs + c]
                         : 0;
    }
}

// The transpose: every input pixel adds up the columns that it went into, taps in order.
KERNEL fold(float *dx, const float *columns, conv s)
{
    const u32 taps = s.kernel * s.kernel * s.inputs;
    EACH32(i, s.rows * s.height * s.width * s.inputs)
    {
        const u32 c = i % s.inputs, z = i / s.inputs % s.width;
        const u32 y = i / s.inputs / s.width % s.height, r = i / s.inputs / s.width / s.height;
        float sum = 0;
        for (u32 k = 0; k < s.kernel * s.kernel; k++) {
            const u32 up = y + s.padding - k / s.kernel, left = z + s.padding - k % s.kernel;
            if ((int)up < 0 || (int)left < 0 || up % s.stride || left % s.stride) continue;
            const u32 oy = up / s.stride, ox = left / s.stride;
            if (oy >= s.out_height || ox >= s.out_width) continue;
            sum += columns[((r * s.out_height + oy) * s.out_width + ox) * taps + k * s.inputs + c];
        }
        dx[i] = sum;
    }
}

