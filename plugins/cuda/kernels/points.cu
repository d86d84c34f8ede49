/* SPDX-License-Identifier: Apache-2.0 */
// ---- points: means over the cells of activations, scaled ----

#define MOST_POINT_LAYERS 32  // of one launch
#define POINTS_GRID 4
#define POINTS_LEAST 1e-6f

// Layers first .. of `layers` in all; at: where a layer's numbers begin in a point of `width` numbers.
struct point_layers {
    u32 first, count, layers, unused;
    u64 width;
    u32 height[MOST_POINT_LAYERS], across[MOST_POINT_LAYERS], channels[MOST_POINT_LAYERS];
    u64 at[MOST_POINT_LAYERS];
    const float *e[MOST_POINT_LAYERS];
    float *d[MOST_POINT_LAYERS];
};

__device__ u32 cells_of(u32 side) { return side < POINTS_GRID ? side : POINTS_GRID; }

// Pixels of cell i of a side: from, and how many.
__device__ u32 cell_from(u32 i, u32 side) { return i * side / cells_of(side); }
__device__ u32 cell_size(u32 i, u32 side) { return cell_from(i + 1, side) - cell_from(i, side); }
// The cell of pixel p: the largest i with i side / cells < p + 1.
__device__ u32 cell_at(u32 p, u32 side) { return ((p + 1) * cells_of(side) - 1) / side; }

// blockIdx: a row, a layer of the launch. lengths (rows, layers) may be 0.
KERNEL find_points(float *points, float *lengths, point_layers t)
{
    const u32 l = blockIdx.y, height = t.height[l], width = t.across[l], n = t.channels[l];
    const u32 across = cells_of(width), count = cells_of(height) * across * n;
    const float *e = t.e[l] + (u64)blockIdx.x * height * width * n;
    float *q = points + blockIdx.x * t.width + t.at[l];
    double squares = 0;
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const u32 c = i % n, y = i / n / across, x = i / n % across;
        const u32 down = cell_size(y, height), right = cell_size(x, width);
        const float *from = e + (cell_from(y, height) * width + cell_from(x, width)) * n + c;
        float mean = 0;
        for (u32 a = 0; a < down; a++)
            for (u32 b = 0; b < right; b++) mean += from[(a * width + b) * n];
        mean *= 1 / (float)(down * right);
        q[i] = mean;
        squares += (double)mean * (double)mean;
    }
    const float length = (float)sqrt(block_sum(squares));
    const float factor = 1 / ((length + POINTS_LEAST) * sqrtf((float)t.layers));
    for (u32 i = threadIdx.x; i < count; i += THREADS) q[i] *= factor;
    if (lengths && threadIdx.x == 0) lengths[(u64)blockIdx.x * t.layers + t.first + l] = length;
}

// d_points (rows, width) becomes the gradient in the means, and from that follows the one in activations.
KERNEL points_back(float *d_points, const float *points, const float *lengths, point_layers t)
{
    const u32 l = blockIdx.y, height = t.height[l], width = t.across[l], n = t.channels[l];
    const u32 across = cells_of(width), count = cells_of(height) * across * n;
    const u64 at = blockIdx.x * t.width + t.at[l];
    const float *q = points + at;
    float *d = d_points + at, *to = t.d[l] + (u64)blockIdx.x * height * width * n;
    const double length = lengths[(u64)blockIdx.x * t.layers + t.first + l], least = POINTS_LEAST;
    double q_q = 0, d_q = 0;
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        q_q += (double)q[i] * (double)q[i];
        d_q += (double)d[i] * (double)q[i];
    }
    q_q = block_sum(q_q);
    d_q = block_sum(d_q);
    const bool moves = length > 0 && q_q > 0;
    const float along = (float)(d_q / q_q * length / (length + least));
    const float factor = (float)(1 / ((length + least) * sqrt((double)t.layers)));
    for (u32 i = threadIdx.x; i < count; i += THREADS) d[i] = moves ? factor * (d[i] - along * q[i]) : 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < height * width * n; i += THREADS) {
        const u32 y = cell_at(i / n / width, height), x = cell_at(i / n % width, width);
        const float share = 1 / (float)(cell_size(y, height) * cell_size(x, width));
        to[i] = share * d[(y * across + x) * n + i % n];
    }
}
