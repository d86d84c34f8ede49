/* SPDX-License-Identifier: Apache-2.0 */
// The kernels of libsemblance-cuda.so: the files of this folder one behind the other, compiled on the machine that runs them (compile.c). No sum uses
// atomics: every one is added up in an order that shapes alone decide, so the same device and numbers give
// the same bits. Batches are (rows, height, width, channels), channels fastest, as in base/backend/shapes.h.
// Nothing is included: NVRTC brings what is used here.

typedef unsigned long long u64;
typedef unsigned u32;

#ifndef TENSOR  // 1: products round to TF32
#define TENSOR 0
#endif
#define EACH(i, count) \
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += (u64)gridDim.x * blockDim.x)
// The same where 32 bits are enough, which divide several times as fast.
#define EACH32(i, count) \
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += gridDim.x * blockDim.x)
#define KERNEL extern "C" __global__ void
#ifndef SHARED_ROOM  // as much of a block's memory as the launch says
#define SHARED_ROOM(name) extern __shared__ __align__(16) float name[]
#endif

// ---- V numbers, one or four, that lie side by side ----

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

template <int V>
__device__ __forceinline__ void give(float *to, const float *from)
{
    if (V == 4)
        *(float4 *)to = float4{from[0], from[V > 1 ? 1 : 0], from[V > 1 ? 2 : 0], from[V > 1 ? 3 : 0]};
    else
        to[0] = from[0];
}

// ---- sums of a block ----

#define THREADS 256

// The sum of one number per thread of a block, in a fixed tree; thread 0 has it.
__device__ double block_sum(double mine)
{
    __shared__ double all[THREADS];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < (u32)half) all[threadIdx.x] += all[threadIdx.x + half];
        __syncthreads();
    }
    const double sum = all[0];
    __syncthreads();
    return sum;
}

// ---- losses: their sum, and the classes of a launch ----

// *loss += the parts, in order.
KERNEL keep_loss(double *loss, const double *parts, u64 count)
{
    double mine = 0;
    for (u64 i = threadIdx.x; i < count; i += THREADS) mine += parts[i];
    const double sum = block_sum(mine);
    if (threadIdx.x == 0) *loss += sum;
}

#define MOST_CLASSES 96  // of one launch: they travel with its arguments

struct classes {
    u64 first_class, count;  // of this launch
    u64 starts[MOST_CLASSES + 1];
    float row[MOST_CLASSES], mean[MOST_CLASSES], weight[MOST_CLASSES];
};

__device__ u32 class_of(const classes &k, u64 row)
{
    u32 c = 0;
    while (row >= k.starts[c + 1]) c++;
    return c;
}

