// ---- orthogonal Fourier features ----

// v (n) = after * (H v), by the block.
__device__ void transform(float *v, u32 n, const float *after)
{
    for (u32 half = n / 2; half > 0; half /= 2) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const u32 a = i / half * 2 * half + i % half, b = a + half;
            const float x = v[a], y = v[b];
            v[a] = x + y;
            v[b] = x - y;
        }
    }
    __syncthreads();
    if (after)
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) v[i] *= after[i];
    __syncthreads();
}

// A block per row. in_shared: n numbers fit beside; else the cosines are worked on.
KERNEL phases(float *cosines, float *sines, const float *x, const float *signs, const float *lengths,
              u32 columns, u32 n, int in_shared)
{
    SHARED_ROOM(shared);
    const u32 row = blockIdx.x;
    float *v = in_shared ? shared : cosines + row * n;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = i < columns ? x[row * columns + i] * signs[2 * n + i] : 0;
    transform(v, n, signs + n);
    transform(v, n, signs);
    transform(v, n, lengths);
    for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
        float s, c;
        sincospif(2 * v[i], &s, &c);
        cosines[row * n + i] = c;
        sines[row * n + i] = s;
    }
}

// front (C, 2, n), past, and a part of the loss per block: blockIdx.y is the class of this launch.
KERNEL class_residuals(float *front, float *past, double *parts, const float *target,
                       const float *cosines, const float *sines, u32 n, u32 used, const float *now, classes k)
{
    const u32 c = blockIdx.y, f = (u32)blockIdx.x * blockDim.x + threadIdx.x;
    const float row = k.row[c], weight = k.weight[c], factor = 2 * weight * row * 6.283185307f;
    const float decay = *now;
    double loss = 0;
    if (f < n) {
        double sums[2] = {0, 0};
        float off[2];
        for (u32 r = k.starts[c]; r < k.starts[c + 1]; r++) {
            sums[0] += cosines[r * n + f];
            sums[1] += sines[r * n + f];
        }
        for (int s = 0; s < 2; s++) {
            const u32 at = ((k.first_class + c) * 2 + s) * n + f;
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
    if (threadIdx.x == 0) parts[(u32)blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// A block per row of the launch's classes, rows first_row on. Works in the cosines where shared is small.
KERNEL phases_back(float *d_x, float *cosines, const float *sines, const float *front,
                   const float *signs, const float *lengths, u32 columns, u32 n, int in_shared, classes k)
{
    SHARED_ROOM(shared);
    const u32 row = k.starts[0] + blockIdx.x;
    u32 c = 0;
    while (row >= k.starts[c + 1]) c++;
    const float *a = front + (k.first_class + c) * 2 * n, *b = a + n;
    float *v = in_shared ? shared : cosines + row * n;
    for (u32 i = threadIdx.x; i < n; i += blockDim.x)
        v[i] = (a[i] * cosines[row * n + i] + b[i] * sines[row * n + i]) * lengths[i];
    transform(v, n, signs);
    transform(v, n, signs + n);
    transform(v, n, (const float *)0);
    for (u32 i = threadIdx.x; i < columns; i += blockDim.x)
        d_x[row * columns + i] += v[i] * signs[2 * n + i];
}

