// ---- convolution without unfolding: tiles of a product whose left side is gathered from images ----
//
// All three passes are C (M, N) = L (M, K) R (K, N), with pixels counted over the whole batch:
//     forward      M pixels of y,       K (tap, input),   N channels: L gathered from x,  R the weights
//     to inputs    M pixels of x,       K (tap, channel), N inputs:   L gathered from dy, R the weights
//     to weights   M (tap, input),      K pixels of y,    N channels: L gathered from x,  R dy
// A block makes TILE_M x SIDE numbers of C, each thread 8 x SIDE / 16 of them; V numbers, which lie side by side,
// are loaded at a time. Sums over K go upwards; to weights K is cut into parts, which are added in order.

#define TILE_M 128
#define TILE_K 16
#define EACH_M 8
#define LEFT_STRIDE (TILE_M + 4)

template <int V>
__device__ __forceinline__ void take(float *to, const float *from, bool there)
{
    if (V == 4) {
        const float4 v = there ? *(const float4 *)from : float4{0, 0, 0, 0};
        to[0] = v.x;
        to[V > 1 ? 1 : 0] = v.y;
        to[V > 1 ? 2 : 0] = v.z;
        to[V > 1 ? 3 : 0] = v.w;
    } else
        to[0] = there ? *from : 0;
}

// Row m and group of V numbers along K that a thread loads, the i-th of its share; and the same where the groups
// lie along M (or N: then `side` is not TILE_M).
template <int V>
__device__ __forceinline__ u32 along_row(u32 i)
{
    return (threadIdx.x + i * THREADS) / (TILE_K / V);
}
template <int V>
__device__ __forceinline__ u32 along_k()
{
    return threadIdx.x % (TILE_K / V) * V;
}
template <int V>
__device__ __forceinline__ u32 across_k(u32 i, u32 side)
{
    return (threadIdx.x + i * THREADS) / (side / V);
}
template <int V>
__device__ __forceinline__ u32 across_row(u32 side)
{
    return threadIdx.x % (side / V) * V;
}

// Forward: pixels of y see x.
template <int V>
struct left_forward {
    static constexpr int COUNT = TILE_M * TILE_K / V / THREADS;
    const float *x;
    const conv &s;
    u32 base[COUNT], top[COUNT], left[COUNT];  // below zero they wrap: huge
    float now[COUNT * V];

    __device__ left_forward(const float *from, const conv &shape, u32 first) : x(from), s(shape)
    {
        for (int i = 0; i < COUNT; i++) {
            const u32 p = first + along_row<V>(i), oy = p / s.out_width % s.out_height;
            const u32 r = p / s.out_width / s.out_height;
            base[i] = r * s.height * s.width * s.inputs;
            top[i] = r < s.rows ? oy * s.stride - s.padding : 0x40000000u;  // never inside
            left[i] = p % s.out_width * s.stride - s.padding;
        }
    }
    __device__ void load(u32 k0, u32 last)
    {
        const u32 k = k0 + along_k<V>(), c = k % s.inputs, tap = k / s.inputs;
        const u32 down = tap / s.kernel, across = tap % s.kernel;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const u32 y = top[i] + down, z = left[i] + across;
            take<V>(now + i * V, x + base[i] + (y * s.width + z) * s.inputs + c,
                    k < last && y < s.height && z < s.width);
        }
    }
    __device__ void store(float *tile) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            for (int v = 0; v < V; v++)
                tile[(along_k<V>() + v) * LEFT_STRIDE + along_row<V>(i)] = now[i * V + v];
    }
};

// To inputs: pixels of x see dy.
template <int V>
struct left_back {
    static constexpr int COUNT = TILE_M * TILE_K / V / THREADS;
    const float *dy;
    const conv &s;
    u32 base[COUNT], top[COUNT], left[COUNT];
    float now[COUNT * V];

    __device__ left_back(const float *from, const conv &shape, u32 first) : dy(from), s(shape)
    {
        for (int i = 0; i < COUNT; i++) {
            const u32 q = first + along_row<V>(i), r = q / s.width / s.height;
            base[i] = r * s.out_height * s.out_width * s.channels;
            top[i] = r < s.rows ? q / s.width % s.height + s.padding : 0x80000000u;
            left[i] = q % s.width + s.padding;
        }
    }
    __device__ void load(u32 k0, u32 last)
    {
        const u32 k = k0 + along_k<V>(), n = k % s.channels, tap = k / s.channels;
        const u32 down = tap / s.kernel, across = tap % s.kernel;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            u32 y = top[i] - down, z = left[i] - across;
            bool there = k < last;
            if (s.stride > 1) {
                there = there && y % s.stride == 0 && z % s.stride == 0;
                // what wrapped stays huge
                y = (int)y < 0 ? y : y / s.stride;
                z = (int)z < 0 ? z : z / s.stride;
            }
            take<V>(now + i * V, dy + base[i] + (y * s.out_width + z) * s.channels + n,
                    there && y < s.out_height && z < s.out_width);
        }
    }
    __device__ void store(float *tile) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            for (int v = 0; v < V; v++)
                tile[(along_k<V>() + v) * LEFT_STRIDE + along_row<V>(i)] = now[i * V + v];
    }
};

// To weights: (tap, input) sees x at every pixel of y.
template <int V>
struct left_weights {
    static constexpr int COUNT = TILE_M * TILE_K / V / THREADS;
    const float *x;
    const conv &s;
    u32 c, down, across;
    bool used;
    float now[COUNT * V];

    __device__ left_weights(const float *from, const conv &shape, u32 first) : x(from), s(shape)
    {
        const u32 m = first + across_row<V>(TILE_M), tap = m / s.inputs;
        c = m % s.inputs;
        down = tap / s.kernel - s.padding;
        across = tap % s.kernel - s.padding;
        used = tap < s.kernel * s.kernel;
    }
    __device__ void load(u32 k0, u32 last)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const u32 p = k0 + across_k<V>(i, TILE_M), r = p / s.out_width / s.out_height;
            const u32 y = p / s.out_width % s.out_height * s.stride + down;
            const u32 z = p % s.out_width * s.stride + across;
            take<V>(now + i * V, x + ((r * s.height + y) * s.width + z) * s.inputs + c,
                    used && p < last && y < s.height && z < s.width);
        }
    }
    __device__ void store(float *tile) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            for (int v = 0; v < V; v++)
                tile[across_k<V>(i, TILE_M) * LEFT_STRIDE + across_row<V>(TILE_M) + v] = now[i * V + v];
    }
};

// The right side; which: 0 weights (channels, taps, inputs) along K, 1 the same across it, 2 dy (pixels, channels).
template <int SIDE, int V, int WHICH>
struct right_of {
    static constexpr int ALL = SIDE * TILE_K / V, COUNT = (ALL + THREADS - 1) / THREADS;
    const float *from;
    const conv &s;
    u32 first, taps;
    float now[COUNT * V];

    __device__ right_of(const float *numbers, const conv &shape, u32 side) : from(numbers), s(shape), first(side)
    {
        taps = s.kernel * s.kernel;
    }
    __device__ void load(u32 k0, u32 last)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (WHICH == 0) {
                const u32 k = k0 + along_k<V>(), n = first + along_row<V>(i);
                take<V>(now + i * V, from + n * taps * s.inputs + k, k < last && n < s.channels);
            } else if (WHICH == 1) {
                const u32 k = k0 + across_k<V>(i, SIDE), c = first + across_row<V>(SIDE);
                take<V>(now + i * V, from + (k % s.channels * taps + k / s.channels) * s.inputs + c,
                        k < last && c < s.inputs);
            } else {
                const u32 p = k0 + across_k<V>(i, SIDE), n = first + across_row<V>(SIDE);
                take<V>(now + i * V, from + p * s.channels + n, p < last && n < s.channels);
            }
        }
    }
    __device__ void store(float *tile) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (threadIdx.x + i * THREADS >= ALL) break;
            for (int v = 0; v < V; v++)
                if (WHICH == 0)
                    tile[(along_k<V>() + v) * (SIDE + 4) + along_row<V>(i)] = now[i * V + v];
                else
                    tile[across_k<V>(i, SIDE) * (SIDE + 4) + across_row<V>(SIDE) + v] = now[i * V + v];
        }
    }
};

// sums (EACH_M, SIDE / 16) of a thread: rows threadIdx.x / 16 * EACH_M on, columns threadIdx.x % 16 * SIDE / 16 on.
template <int SIDE, class L, class R>
__device__ __forceinline__ void add_tiles(float (&sums)[EACH_M][SIDE / 16], L &left, R &right, u32 first,
                                          u32 last)
{
    constexpr int EACH_N = SIDE / 16;
    __shared__ __align__(16) float a[TILE_K * LEFT_STRIDE];
    __shared__ __align__(16) float b[TILE_K * (SIDE + 4)];
    const float *rows = a + threadIdx.x / 16 * EACH_M, *columns = b + threadIdx.x % 16 * EACH_N;
    left.load(first, last);
    right.load(first, last);
    for (u32 k = first; k < last; k += TILE_K) {
        left.store(a);
        right.store(b);
        __syncthreads();
        if (k + TILE_K < last) {
            left.load(k + TILE_K, last);
            right.load(k + TILE_K, last);
        }
#pragma unroll
        for (int d = 0; d < TILE_K; d++) {
            float l[EACH_M], r[EACH_N];
            take<4>(l, rows + d * LEFT_STRIDE, true);
            take<4>(l + 4, rows + d * LEFT_STRIDE + 4, true);
#pragma unroll
            for (int j = 0; j < EACH_N; j++) r[j] = columns[d * (SIDE + 4) + j];
#pragma unroll
            for (int i = 0; i < EACH_M; i++)
#pragma unroll
                for (int j = 0; j < EACH_N; j++) sums[i][j] += l[i] * r[j];
        }
        __syncthreads();
    }
}

// C (m, n), row by row; start (n) may be 0.
template <int SIDE>
__device__ __forceinline__ void write_rows(float *c, const float (&sums)[EACH_M][SIDE / 16], const float *start,
                                           u32 m, u32 n)
{
    constexpr int EACH_N = SIDE / 16;
    const u32 row = blockIdx.x * TILE_M + threadIdx.x / 16 * EACH_M;
    const u32 column = blockIdx.y * SIDE + threadIdx.x % 16 * EACH_N;
#pragma unroll
    for (int i = 0; i < EACH_M; i++)
#pragma unroll
        for (int j = 0; j < EACH_N; j++)
            if (row + i < m && column + j < n)
                c[(u64)(row + i) * n + column + j] = sums[i][j] + (start ? start[column + j] : 0);
}

template <int SIDE, int V>
__device__ __forceinline__ void forward_tile(float *y, const float *x, const float *w, const float *bias,
                                             const conv &s)
{
    float sums[EACH_M][SIDE / 16] = {};
    left_forward<V> left(x, s, blockIdx.x * TILE_M);
    right_of<SIDE, V, 0> right(w, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, 0, s.kernel * s.kernel * s.inputs);
    write_rows<SIDE>(y, sums, bias, s.rows * s.out_height * s.out_width, s.channels);
}

template <int SIDE, int V>
__device__ __forceinline__ void inputs_tile(float *dx, const float *dy, const float *w, const conv &s)
{
    float sums[EACH_M][SIDE / 16] = {};
    left_back<V> left(dy, s, blockIdx.x * TILE_M);
    right_of<SIDE, V, 1> right(w, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, 0, s.kernel * s.kernel * s.channels);
    write_rows<SIDE>(dx, sums, 0, s.rows * s.height * s.width, s.inputs);
}

// parts (gridDim.z, channels, taps, inputs); `each` pixels, a multiple of TILE_K, for each part.
template <int SIDE, int V>
__device__ __forceinline__ void weights_tile(float *parts, const float *x, const float *dy, u32 each,
                                             const conv &s)
{
    constexpr int EACH_N = SIDE / 16;
    float sums[EACH_M][EACH_N] = {};
    const u32 pixels = s.rows * s.out_height * s.out_width, first = blockIdx.z * each;
    const u32 last = first + each < pixels ? first + each : pixels, m = s.kernel * s.kernel * s.inputs;
    left_weights<V> left(x, s, blockIdx.x * TILE_M);
    right_of<SIDE, V, 2> right(dy, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, first, last);
    const u32 row = blockIdx.x * TILE_M + threadIdx.x / 16 * EACH_M;
    const u32 column = blockIdx.y * SIDE + threadIdx.x % 16 * EACH_N;
#pragma unroll
    for (int j = 0; j < EACH_N; j++)
#pragma unroll
        for (int i = 0; i < EACH_M; i++)
            if (row + i < m && column + j < s.channels)
                parts[((u64)blockIdx.z * s.channels + column + j) * m + row + i] = sums[i][j];
}

#define CONV_TILES(SIDE, V)                                                                                  \
    KERNEL __launch_bounds__(THREADS) conv_forward_##SIDE##_##V(float *y, const float *x, const float *w,    \
                                                                const float *bias, conv s)                   \
    {                                                                                                        \
        forward_tile<SIDE, V>(y, x, w, bias, s);                                                             \
    }                                                                                                        \
    KERNEL __launch_bounds__(THREADS) conv_inputs_##SIDE##_##V(float *dx, const float *dy, const float *w,   \
                                                               conv s)                                       \
    {                                                                                                        \
        inputs_tile<SIDE, V>(dx, dy, w, s);                                                                  \
    }                                                                                                        \
    KERNEL __launch_bounds__(THREADS) conv_weights_##SIDE##_##V(float *parts, const float *x,                \
                                                                const float *dy, u32 each, conv s)           \
    {                                                                                                        \
        weights_tile<SIDE, V>(parts, x, dy, each, s);                                                        \
    }

CONV_TILES(64, 4)
CONV_TILES(32, 4)
CONV_TILES(16, 4)
CONV_TILES(64, 1)
CONV_TILES(32, 1)
CONV_TILES(16, 1)

// to (count) = the sum of `parts` of them, in order
KERNEL add_parts(float *to, const float *from, u32 parts, u32 count)
{
    EACH32(i, count)
    {
        float sum = 0;
        for (u32 p = 0; p < parts; p++) sum += from[(u64)p * count + i];
        to[i] = sum;
    }
}

// Forward where channels are few: a thread per number of y.
KERNEL conv_few(float *y, const float *x, const float *w, const float *bias, conv s)
{
    EACH32(i, s.rows * s.out_height * s.out_width * s.channels)
    {
        const u32 n = i % s.channels, p = i / s.channels, ox = p % s.out_width;
        const u32 oy = p / s.out_width % s.out_height, r = p / s.out_width / s.out_height;
        const float *weights = w + n * s.kernel * s.kernel * s.inputs;
        const float *image = x + (u64)r * s.height * s.width * s.inputs;
        float sum = bias ? bias[n] : 0;
        for (u32 down = 0; down < s.kernel; down++)
            for (u32 across = 0; across < s.kernel; across++, weights += s.inputs) {
                const u32 at_y = oy * s.stride + down - s.padding, at_x = ox * s.stride + across - s.padding;
                if (at_y >= s.height || at_x >= s.width) continue;
                const float *pixel = image + (at_y * s.width + at_x) * s.inputs;
                for (u32 c = 0; c < s.inputs; c++) sum += pixel[c] * weights[c];
            }
        y[i] = sum;
    }
}

