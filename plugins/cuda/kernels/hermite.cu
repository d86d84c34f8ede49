/* SPDX-License-Identifier: Apache-2.0 */
// ---- Hermite functions of numbers, and products of them (base/backend/shapes.h) ----

#define MOST_FACTORS 16  // of a product

struct hermite_slot {
    u32 column, at, width, use, next, first;
    double reach, rho;
};
struct hermite_product {
    u32 use, count, offset, width;
};
struct hermite_use {
    u32 slot, product, next;
};
// The lists; values: of all slots, width: of all products.
struct hermite_lists {
    const hermite_slot *slots;
    const hermite_product *products;
    const hermite_use *uses;
    u32 slot_count, product_count, values, width;
};

// phi (rows, values): phi_{c+1} = sqrt(2 rho / (c+1)) u phi_c - rho sqrt(c / (c+1)) phi_{c-1}.
KERNEL hermite_values(float *phi, const float *x, u64 rows, u32 columns, hermite_lists h)
{
    EACH(i, rows * h.slot_count)
    {
        const u64 row = i / h.slot_count;
        const hermite_slot s = h.slots[i % h.slot_count];
        const double u = s.reach * ((double)x[row * columns + s.column] - 0.5);
        double now = sqrt(sqrt(1 - s.rho * s.rho)) * exp(-s.rho / (1 + s.rho) * u * u), before = 0;
        float *to = phi + row * h.values + s.at;
        for (u32 c = 0; c < s.width; c++) {
            to[c] = (float)now;
            const double next = sqrt(2 * s.rho / (c + 1)) * u * now - s.rho * sqrt((double)c / (c + 1)) * before;
            before = now;
            now = next;
        }
    }
}

// Where the factors of number i of a class lie among the values of a row.   Returns: how many there are
__device__ u32 hermite_places(u32 *at, const hermite_lists &h, u32 i)
{
    u32 low = 0, high = h.product_count;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (h.products[middle].offset <= i)
            low = middle;
        else
            high = middle;
    }
    const hermite_product p = h.products[low];
    u32 rest = i - p.offset;
    for (u32 k = p.count; k-- > 0;) {
        const hermite_slot &s = h.slots[h.uses[p.use + k].slot];
        at[k] = s.at + rest % s.width;
        rest /= s.width;
    }
    return p.count;
}

// Sums over the rows of each class, which become residuals; a part of the loss per block. blockIdx: a piece of THREADS
// numbers, the class of this launch.
KERNEL hermite_residuals(float *residual, float *past, double *parts, const float *target, const float *phi,
                         const float *now, int unbiased, hermite_lists h, classes k)
{
    const u32 c = blockIdx.y;
    const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
    const float row = k.row[c], weight = k.weight[c], decay = *now;
    double loss = 0;
    if (i < h.width) {
        u32 at[MOST_FACTORS];
        const u32 count = hermite_places(at, h, (u32)i);
        const u64 to = (k.first_class + c) * h.width + i;
        double sum = 0;
        for (u64 r = k.starts[c]; r < k.starts[c + 1]; r++) {
            const float *from = phi + r * h.values;
            float product = from[at[0]];
            for (u32 f = 1; f < count; f++) product *= from[at[f]];
            sum += product;
        }
        const float own = row * (float)sum, aim = target[to];
        const float mean = past ? decay * past[to] + (1 - decay) * own : own;
        float matched = mean;
        if (past) past[to] = mean;
        if (unbiased) {
            const float fewer = k.mean[c] * (float)sum - own;
            matched += past ? (1 - decay) * fewer : fewer;
            loss = (double)weight * ((double)mean * ((double)matched - 2 * (double)aim) + (double)aim * (double)aim);
        } else
            loss = (double)weight * (double)(mean - aim) * (double)(mean - aim);
        residual[to] = 2 * weight * row * (matched - aim);
    }
    const double all = block_sum(loss);
    if (threadIdx.x == 0) parts[(u64)c * gridDim.x + blockIdx.x] = all;
}

// lengths (rows, slots): squared lengths of their values.
KERNEL hermite_lengths(float *lengths, const float *phi, u64 rows, hermite_lists h)
{
    EACH(i, rows * h.slot_count)
    {
        const hermite_slot s = h.slots[i % h.slot_count];
        const float *from = phi + i / h.slot_count * h.values + s.at;
        float sum = 0;
        for (u32 c = 0; c < s.width; c++) sum += from[c] * from[c];
        lengths[i] = sum;
    }
}

// The squared length of a product of a row, but for the factor `without`. lengths: of the row.
__device__ float hermite_length(const float *lengths, const hermite_lists &h, const hermite_product &p, u32 without)
{
    float length = 1;
    for (u32 f = p.use; f < p.use + p.count; f++)
        if (f != without) length *= lengths[h.uses[f].slot];
    return length;
}

// What products of rows with themselves add to the loss, a part per row. k.mean: the weight of a row's own features.
KERNEL hermite_own(double *parts, const float *lengths, hermite_lists h, classes k)
{
    const u64 row = k.starts[0] + blockIdx.x;
    double mine = 0;
    for (u32 p = threadIdx.x; p < h.product_count; p += THREADS)
        mine += hermite_length(lengths + row * h.slot_count, h, h.products[p], ~0u);
    const double all = block_sum(mine);
    if (threadIdx.x == 0) parts[blockIdx.x] = -(double)k.mean[class_of(k, row)] / 2 * all;
}

// The residuals of a product, g, along value `digit` of its factor f and the row's values of the others.
__device__ float hermite_along(const float *g, const float *phi, const hermite_lists &h, const hermite_product &p, u32 f,
                               u32 digit)
{
    const u32 others = p.width / h.slots[h.uses[f].slot].width;
    float sum = 0;
    for (u32 n = 0; n < others; n++) {
        u32 rest = n, index = 0, stride = 1;
        float product = 1;
        for (u32 i = p.use + p.count; i-- > p.use;) {
            const hermite_slot &s = h.slots[h.uses[i].slot];
            u32 j = digit;
            if (i != f) {
                j = rest % s.width;
                rest /= s.width;
                product *= phi[s.at + j];
            }
            index += j * stride;
            stride *= s.width;
        }
        sum += product * g[p.offset + index];
    }
    return sum;
}

// d_phi (rows, values): each value's of all products that it is in. blockIdx: a row of the launch's classes, a piece of
// THREADS values. lengths: only of the unbiased distance, with k.mean as above.
KERNEL hermite_gradient(float *d_phi, const float *phi, const float *residual, const float *lengths, const float *now,
                        int remembers, hermite_lists h, classes k)
{
    const u64 row = k.starts[0] + blockIdx.x;
    const u32 c = class_of(k, row);
    const float *own = phi + row * h.values, *g = residual + (k.first_class + c) * h.width;
    const float weight = k.mean[c] * (remembers ? 1 - *now : 1);
    for (u64 v = (u64)blockIdx.y * THREADS + threadIdx.x; v < h.values; v += (u64)gridDim.y * THREADS) {
        u32 low = 0, high = h.slot_count;
        while (high - low > 1) {
            const u32 middle = (low + high) / 2;
            if (h.slots[middle].at <= v)
                low = middle;
            else
                high = middle;
        }
        u32 f = h.slots[low].use;
        float sum = 0;
        do {
            const hermite_product p = h.products[h.uses[f].product];
            sum += hermite_along(g, own, h, p, f, (u32)v - h.slots[low].at);
            if (lengths) sum -= weight * hermite_length(lengths + row * h.slot_count, h, p, f) * own[v];
            f = h.uses[f].next;
        } while (f);
        d_phi[row * h.values + v] = sum;
    }
}

// d_x (rows, columns) += by phi_c' = sqrt(2 c rho) phi_{c-1} - 2 rho / (1 + rho) u phi_c, a column's slots in order.
KERNEL hermite_back(float *d_x, const float *x, const float *phi, const float *d_phi, u64 rows, u32 columns,
                    hermite_lists h)
{
    EACH(i, rows * h.slot_count)
    {
        const u64 row = i / h.slot_count;
        u32 slot = (u32)(i % h.slot_count);
        if (!h.slots[slot].first) continue;
        const u64 at = row * columns + h.slots[slot].column;
        float sum = d_x[at];
        do {
            const hermite_slot s = h.slots[slot];
            const float *own = phi + row * h.values + s.at, *d = d_phi + row * h.values + s.at;
            float along = d[0] * own[0], below = 0;
            for (u32 c = 1; c < s.width; c++) {
                below += (float)sqrt(2 * (double)c * s.rho) * d[c] * own[c - 1];
                along += d[c] * own[c];
            }
            const float u = (float)s.reach * (x[at] - 0.5f);
            sum += (float)s.reach * (below - (float)(2 * s.rho / (1 + s.rho)) * u * along);
            slot = s.next;
        } while (slot);
        d_x[at] = sum;
    }
}

