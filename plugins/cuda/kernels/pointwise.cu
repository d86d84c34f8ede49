/* SPDX-License-Identifier: Apache-2.0 */
// ---- pointwise ----

KERNEL fill_rows(float *y, const float *bias, u32 count, u32 width)
{
    EACH32(i, count) y[i] = bias[i % width];
}

KERNEL add(float *x, const float *y, u32 count)
{
    EACH32(i, count) x[i] += y[i];
}

// curve: 0 ReLU, 1 leaky, 2 sigmoid
KERNEL activate(float *y, const float *x, u32 count, int curve, float slope)
{
    EACH32(i, count)
    {
        const float v = x[i];
        y[i] = curve == 2 ? 1 / (1 + expf(-v)) : v > 0 ? v : curve == 0 ? 0 : slope * v;
    }
}

KERNEL activate_back(float *dy, const float *y, u32 count, int curve, float slope)
{
    EACH32(i, count)
    {
        const float v = y[i];
        if (curve == 2)
            dy[i] *= v * (1 - v);
        else if (!(v > 0))
            dy[i] = curve == 0 ? 0 : slope * dy[i];
    }
}

KERNEL add_relu(float *y, float *before, const float *a, const float *b, u32 count)
{
    EACH32(i, count)
    {
        const float sum = a[i] + b[i];
        y[i] = fmaxf(sum, 0);
        if (before) before[i] = sum;
    }
}

KERNEL add_relu_back(float *d, const float *y, const float *d_next, const float *d_here, int before,
                     u32 count)
{
    EACH32(i, count)
    {
        const float next = d_next ? d_next[i] : 0, here = d_here ? d_here[i] : 0;
        const float behind = before ? next : next + here;
        d[i] = (y[i] > 0 ? behind : 0) + (before ? here : 0);
    }
}

KERNEL adam(float *weights, float *first, float *second, const float *gradient, u32 count, float b1,
            float b2, const float *rate, const float *correction, float epsilon)
{
    EACH32(i, count)
    {
        const float g = gradient[i], m = b1 * first[i] + (1 - b1) * g;
        const float v = b2 * second[i] + (1 - b2) * g * g;
        first[i] = m;
        second[i] = v;
        weights[i] -= *rate * m / (sqrtf(v) * *correction + epsilon);
    }
}

KERNEL average(float *to, const float *weights, u32 count, const float *part)
{
    EACH32(i, count) to[i] += *part * (weights[i] - to[i]);
}

