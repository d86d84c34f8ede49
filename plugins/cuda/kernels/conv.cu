/* SPDX-License-Identifier: Apache-2.0 */
// ---- convolution without unfolding: tiles of a product whose left side is gathered from images ----
//
// All three passes are C (M, N) = L (M, K) R (K, N), with pixels counted over the whole batch:
//     forward      M pixels of y,       K (tap, input),   N channels: L gathered from x,  R the weights
//     to inputs    M pixels of x,       K (tap, channel), N inputs:   L gathered from dy, R the weights
//     to weights   M (tap, input),      K pixels of y,    N channels: L gathered from x,  R dy
// A block makes ROWS x SIDE numbers of C, each thread EACH_M x EACH_N of them; V numbers, which lie side by side,
// are loaded at a time. Sums over K go upwards; to weights K is cut into parts, which are added in order.
// TENSOR: by tensor cores, of numbers that are rounded to TF32 (10 bits behind the leading one), in pieces of 8 of K.

#define TILE_K 16
#define EACH_M 8
#define ROWS_OF(SIDE) ((SIDE) == 64 ? 128 : 256)
#define EACH_N (ROWS_OF(SIDE) * SIDE / THREADS / EACH_M)
// Number m of row k of a tile of `side` numbers: turned, so that neither stores along K nor loads along M meet in
// a bank of the shared memory.
template <int SIDE>
__device__ __forceinline__ u32 place(u32 k, u32 m)
{
    return k * (SIDE + 8) + (m ^ ((k >> 2 & 3) << 3 & (SIDE - 1)));
}

__device__ __forceinline__ float rounded(float v)
{
#if TENSOR
    return as_tf32(v);
#else
    return v;
#endif
}

// Row m and group of V numbers along K that a thread loads, the i-th of its share; and the same where the groups
// lie along M (or N).
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

// What a thread loaded, `now`, of a tile of SIDE numbers for each of TILE_K: stored where add_tile looks for it.
// ALONG: V numbers along K; else along the other side.
template <int SIDE, int V, bool ALONG, int COUNT>
__device__ __forceinline__ void store_tile(float *tile, const float (&now)[COUNT])
{
    constexpr int ALL = SIDE * TILE_K / V;  // groups of V, of all threads
#pragma unroll
    for (int i = 0; i < COUNT / V; i++) {
        if (ALL % THREADS != 0 && threadIdx.x + i * THREADS >= ALL) break;
        for (int v = 0; v < V; v++)
            if (ALONG)
                tile[place<SIDE>(along_k<V>() + v, along_row<V>(i))] = rounded(now[i * V + v]);
            else
                tile[place<SIDE>(across_k<V>(i, SIDE), across_row<V>(SIDE)) + v] = rounded(now[i * V + v]);
    }
}

// Forward: pixels of y see x.
template <int ROWS, int V>
struct left_forward {
    static constexpr int COUNT = ROWS * TILE_K / V / THREADS;
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
    __device__ void store(float *tile) const { store_tile<ROWS, V, true>(tile, now); }
};

// To inputs: pixels of x see dy.
template <int ROWS, int V>
struct left_back {
    static constexpr int COUNT = ROWS * TILE_K / V / THREADS;
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
    __device__ void store(float *tile) const { store_tile<ROWS, V, true>(tile, now); }
};

// To weights: (tap, input) sees x at every pixel of y.
template <int ROWS, int V>
struct left_weights {
    static constexpr int COUNT = ROWS * TILE_K / V / THREADS;
    const float *x;
    const conv &s;
    u32 c, down, across;
    bool used;
    float now[COUNT * V];

    __device__ left_weights(const float *from, const conv &shape, u32 first) : x(from), s(shape)
    {
        const u32 m = first + across_row<V>(ROWS), tap = m / s.inputs;
        c = m % s.inputs;
        down = tap / s.kernel - s.padding;
        across = tap % s.kernel - s.padding;
        used = tap < s.kernel * s.kernel;
    }
    __device__ void load(u32 k0, u32 last)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const u32 p = k0 + across_k<V>(i, ROWS), r = p / s.out_width / s.out_height;
            const u32 y = p / s.out_width % s.out_height * s.stride + down;
            const u32 z = p % s.out_width * s.stride + across;
            take<V>(now + i * V, x + ((r * s.height + y) * s.width + z) * s.inputs + c,
                    used && p < last && y < s.height && z < s.width);
        }
    }
    __device__ void store(float *tile) const { store_tile<ROWS, V, false>(tile, now); }
};

// The right side; which: 0 weights (channels, taps, inputs) along K, 1 the same across it, 2 dy (pixels, channels).
template <int SIDE, int V, int WHICH>
struct right_of {
    static constexpr int COUNT = (SIDE * TILE_K / V + THREADS - 1) / THREADS;
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
    __device__ void store(float *tile) const { store_tile<SIDE, V, WHICH == 0>(tile, now); }
};

// Where number (i, j) of a thread's sums (EACH_M, EACH_N) is in the tile, and what a tile adds to them.
#if TENSOR

// A warp has 32 rows, and its share of the columns: two pieces of 16 rows, EACH_N of 8 columns (i / 4, j), in each of
// which a thread has four numbers, as the instruction wants it.
#define WARPS_DOWN (ROWS_OF(SIDE) / 32)

template <int SIDE>
__device__ __forceinline__ u32 row_at(int i)
{
    return threadIdx.x / 32 % WARPS_DOWN * 32 + i / 4 * 16 + threadIdx.x % 32 / 4 + i % 4 / 2 * 8;
}
template <int SIDE>
__device__ __forceinline__ u32 column_at(int i, int j)
{
    return threadIdx.x / 32 / WARPS_DOWN * (EACH_N * 8) + j * 8 + threadIdx.x % 4 * 2 + i % 2;
}

template <int SIDE>
__device__ __forceinline__ void add_tile(float (&sums)[EACH_M][EACH_N], const float *a, const float *b)
{
    constexpr int ROWS = ROWS_OF(SIDE);
    const u32 row = row_at<SIDE>(0), column = threadIdx.x / 32 / WARPS_DOWN * (EACH_N * 8);
    const u32 k = threadIdx.x % 4, n = threadIdx.x % 32 / 4;
#pragma unroll
    for (u32 d = 0; d < TILE_K; d += 8) {
        float left[2][4], right[EACH_N][2];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                left[i][q] = a[place<ROWS>(d + k + q / 2 * 4, row + i * 16 + q % 2 * 8)];
#pragma unroll
        for (int j = 0; j < EACH_N; j++)
#pragma unroll
            for (int q = 0; q < 2; q++) right[j][q] = b[place<SIDE>(d + k + q * 4, column + j * 8 + n)];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < EACH_N; j++)
                multiply_fragments(sums[4 * i][j], sums[4 * i + 1][j], sums[4 * i + 2][j], sums[4 * i + 3][j],
                                   left[i], right[j]);
    }
}

#else

#define THREADS_ACROSS (SIDE / EACH_N)

template <int SIDE>
__device__ __forceinline__ u32 row_at(int i)
{
    return threadIdx.x / THREADS_ACROSS * EACH_M + i;
}
template <int SIDE>
__device__ __forceinline__ u32 column_at(int, int j)
{
    return threadIdx.x % THREADS_ACROSS * EACH_N + j;
}

template <int SIDE>
__device__ __forceinline__ void add_tile(float (&sums)[EACH_M][EACH_N], const float *a, const float *b)
{
    constexpr int ROWS = ROWS_OF(SIDE);
#pragma unroll
    for (int d = 0; d < TILE_K; d++) {
        float l[EACH_M], r[EACH_N];
        take<4>(l, a + place<ROWS>(d, row_at<SIDE>(0)), true);
        take<4>(l + 4, a + place<ROWS>(d, row_at<SIDE>(4)), true);
        const float *columns = b + place<SIDE>(d, column_at<SIDE>(0, 0));
        if (EACH_N == 4)
            take<4>(r, columns, true);
        else
#pragma unroll
            for (int j = 0; j < EACH_N; j++) r[j] = columns[j];
#pragma unroll
        for (int i = 0; i < EACH_M; i++)
#pragma unroll
            for (int j = 0; j < EACH_N; j++) sums[i][j] += l[i] * r[j];
    }
}

#endif

template <int SIDE, class L, class R>
__device__ __forceinline__ void add_tiles(float (&sums)[EACH_M][EACH_N], L &left, R &right, u32 first,
                                          u32 last)
{
    __shared__ __align__(16) float a[TILE_K * (ROWS_OF(SIDE) + 8)];
    __shared__ __align__(16) float b[TILE_K * (SIDE + 8)];
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
        add_tile<SIDE>(sums, a, b);
        __syncthreads();
    }
}

// C (m, n), row by row; start (n) may be 0.
template <int SIDE>
__device__ __forceinline__ void write_rows(float *c, const float (&sums)[EACH_M][EACH_N], const float *start,
                                           u32 m, u32 n)
{
    const bool fours = !TENSOR && EACH_N == 4 && n % 4 == 0 && (u64)c % 16 == 0;
#pragma unroll
    for (int i = 0; i < EACH_M; i++) {
        const u32 row = blockIdx.x * ROWS_OF(SIDE) + row_at<SIDE>(i);
        if (row >= m) continue;
        float line[4];
#pragma unroll
        for (int j = 0; j < EACH_N; j++) {
            const u32 column = blockIdx.y * SIDE + column_at<SIDE>(i, j);
            line[j] = sums[i][j] + (start && column < n ? start[column] : 0);
            if (!fours && column < n) c[(u64)row * n + column] = line[j];
        }
        const u32 first = blockIdx.y * SIDE + column_at<SIDE>(i, 0);
        if (fours && first < n) give<4>(c + (u64)row * n + first, line);
    }
}

template <int SIDE, int V>
__device__ __forceinline__ void forward_tile(float *y, const float *x, const float *w, const float *bias,
                                             const conv &s)
{
    float sums[EACH_M][EACH_N] = {};
    left_forward<ROWS_OF(SIDE), V> left(x, s, blockIdx.x * ROWS_OF(SIDE));
    right_of<SIDE, V, 0> right(w, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, 0, s.kernel * s.kernel * s.inputs);
    write_rows<SIDE>(y, sums, bias, s.rows * s.out_height * s.out_width, s.channels);
}

template <int SIDE, int V>
__device__ __forceinline__ void inputs_tile(float *dx, const float *dy, const float *w, const conv &s)
{
    float sums[EACH_M][EACH_N] = {};
    left_back<ROWS_OF(SIDE), V> left(dy, s, blockIdx.x * ROWS_OF(SIDE));
    right_of<SIDE, V, 1> right(w, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, 0, s.kernel * s.kernel * s.channels);
    write_rows<SIDE>(dx, sums, 0, s.rows * s.height * s.width, s.inputs);
}

// parts (gridDim.z, channels, taps, inputs); `each` pixels, a multiple of TILE_K, for each part.
template <int SIDE, int V>
__device__ __forceinline__ void weights_tile(float *parts, const float *x, const float *dy, u32 each,
                                             const conv &s)
{
    float sums[EACH_M][EACH_N] = {};
    const u32 pixels = s.rows * s.out_height * s.out_width, first = blockIdx.z * each;
    const u32 last = first + each < pixels ? first + each : pixels, m = s.kernel * s.kernel * s.inputs;
    left_weights<ROWS_OF(SIDE), V> left(x, s, blockIdx.x * ROWS_OF(SIDE));
    right_of<SIDE, V, 2> right(dy, s, blockIdx.y * SIDE);
    add_tiles<SIDE>(sums, left, right, first, last);
#pragma unroll
    for (int j = 0; j < EACH_N; j++)
#pragma unroll
        for (int i = 0; i < EACH_M; i++) {
            const u32 row = blockIdx.x * ROWS_OF(SIDE) + row_at<SIDE>(i);
            const u32 column = blockIdx.y * SIDE + column_at<SIDE>(i, j);
            if (row < m && column < s.channels)
                parts[((u64)blockIdx.z * s.channels + column) * m + row] = sums[i][j];
        }
}

#define CONV_TILES(SIDE, V)                                                                                  \
    KERNEL __launch_bounds__(THREADS, V == 4 ? 2 : 1) conv_forward_##SIDE##_##V(float *y, const float *x, const float *w,    \
                                                                const float *bias, conv s)                   \
    {                                                                                                        \
        forward_tile<SIDE, V>(y, x, w, bias, s);                                                             \
    }                                                                                                        \
    KERNEL __launch_bounds__(THREADS, V == 4 ? 2 : 1) conv_inputs_##SIDE##_##V(float *dx, const float *dy, const float *w,   \
                                                               conv s)                                       \
    {                                                                                                        \
        inputs_tile<SIDE, V>(dx, dy, w, s);                                                                  \
    }                                                                                                        \
    KERNEL __launch_bounds__(THREADS, V == 4 ? 2 : 1) conv_weights_##SIDE##_##V(float *parts, const float *x,                \
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

