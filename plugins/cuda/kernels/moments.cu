/* SPDX-License-Identifier: Apache-2.0 */
// ---- moments of activations ----

#define MOST_LAYERS 32  // of one launch
#define ROW_PARTS 4     // blocks that share a row of a layer

// Layers first .. of `layers` in all; norms: 1, or one per layer; at: where a layer's numbers begin among all.
struct moment_layers {
    u32 first, count, layers, norms, moments, unused;
    u64 width;
    u32 sizes[MOST_LAYERS];
    u64 at[MOST_LAYERS];
    const float *e[MOST_LAYERS];
    float *d[MOST_LAYERS];
};

// Sums of a row of a layer in parts: (rows, layers, ROW_PARTS, 2) = (sum of e^2, of e^4), or, where there is a
// front (classes, moments, width), of (g1 e, g2 e^2). blockIdx: part, row of the launch's classes, layer.
KERNEL row_parts(double *partial, const float *front, moment_layers t, classes k)
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

// Sums over the rows of each class. blockIdx: a piece of THREADS coordinates of the launch's layers, a class of it.
// goes_on: front has the sums of rows before these. ends: the sums become residuals, in front, and a part of the
// loss per block; else they are left in front, and the part is 0.
KERNEL moment_residuals(float *front, float *past, double *parts, const float *target, const float *factors,
                        const float *decay, int goes_on, int ends, moment_layers t, classes k)
{
    u32 l = 0, piece = blockIdx.x;
    for (; piece >= (t.sizes[l] + THREADS - 1) / THREADS; l++) piece -= (t.sizes[l] + THREADS - 1) / THREADS;
    const u32 c = blockIdx.y, i = piece * THREADS + threadIdx.x, norm = t.norms > 1 ? t.first + l : 0;
    const u64 first = k.starts[c], last = k.starts[c + 1];
    double loss = 0;
    if (i < t.sizes[l] && first < last) {
        const u64 at = (k.first_class + c) * t.moments * t.width + t.at[l] + i;
        float sums[2] = {0, 0};
        for (u32 m = 0; goes_on && m < t.moments; m++) sums[m] = front[at + m * t.width];
        for (u64 r = first; r < last; r++) {
            const float v = t.e[l][r * t.sizes[l] + i];
            const float *f = factors + r * 2 * t.norms + norm;
            sums[0] += f[0] * v;
            if (t.moments > 1) sums[1] += f[t.norms] * v * v;
        }
        for (u32 m = 0; m < t.moments; m++)
            if (ends)
                loss += residual_of(front, past, target, at + m * t.width, sums[m], k.row[c], k.mean[c],
                                    k.weight[c], *decay);
            else
                front[at + m * t.width] = sums[m];
    }
    const double all = block_sum(loss);
    if (threadIdx.x == 0) parts[(u64)blockIdx.y * gridDim.x + blockIdx.x] = all;
}

// blockIdx: part, row of the launch's classes, layer.
KERNEL moment_gradient(const float *front, const float *factors, const float *along, moment_layers t, classes k)
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

