/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver with kernels that run: the plug-in's compiled for the host, each thread of a block on a stack of
 * its own, one after the other from barrier to barrier. So every operation of the plug-in can be held to the
 * CPU's where there is no card. Slow, in order, and the same every time. */
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

extern "C" {
#define FAKE_RUNS
#include "fake_cuda.c"
}

/* ---- what a kernel sees ---- */

struct dim3 {
    unsigned x, y, z;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

static constexpr int WARP = 32, MOST_THREADS = 1024, STACK = 1 << 16, MOST_SHARED = 1 << 16;
static float shared_room[MOST_SHARED / sizeof(float)];

static void next_thread(); /* to the next one that is not at the barrier, yet */

#define __global__
#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static
#define SHARED_ROOM(name) float *const name = shared_room
#define __syncthreads() next_thread()

static void sincospif(float x, float *s, float *c)
{
    *s = (float)std::sin(3.14159265358979323846 * (double)x);
    *c = (float)std::cos(3.14159265358979323846 * (double)x);
}
using std::isfinite;

struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
#define __align__(n) __attribute__((aligned(n)))

#if TENSOR
static float as_tf32(float v)
{
    unsigned bits;
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&v, &bits, sizeof v);
    return v;
}
#define as_tf32 as_tf32

/* What the lanes of a block bring, and every lane's share of the product (kernels/tensor.cu). */
static struct fragment {
    float a[4], b[2];
} fragments[MOST_THREADS];

static void multiply_fragments(float &c0, float &c1, float &c2, float &c3, const float *a, const float *b)
{
    const unsigned lane = threadIdx.x % WARP, first = threadIdx.x - lane;
    memcpy(fragments[threadIdx.x].a, a, sizeof fragments[0].a);
    memcpy(fragments[threadIdx.x].b, b, sizeof fragments[0].b);
    next_thread();
    const auto left = [=](unsigned m, unsigned k) {
        return fragments[first + m % 8 * 4 + k % 4].a[m / 8 + k / 4 * 2];
    };
    const auto right = [=](unsigned k, unsigned n) { return fragments[first + n * 4 + k % 4].b[k / 4]; };
    for (unsigned k = 0; k < 8; k++) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        c0 += left(row, k) * right(k, column);
        c1 += left(row, k) * right(k, column + 1);
        c2 += left(row + 8, k) * right(k, column);
        c3 += left(row + 8, k) * right(k, column + 1);
    }
    next_thread();
}
#endif

#include "cuda/kernels/common.cu"
#include "cuda/kernels/pointwise.cu"
#include "cuda/kernels/unfold.cu"
#include "cuda/kernels/tensor.cu"
#include "cuda/kernels/conv.cu"
#include "cuda/kernels/conv_few.cu"
#include "cuda/kernels/norm.cu"
#include "cuda/kernels/resample.cu"
#include "cuda/kernels/images.cu"
#include "cuda/kernels/fourier.cu"
#include "cuda/kernels/hermite.cu"
#include "cuda/kernels/points.cu"
#include "cuda/kernels/moments.cu"

/* ---- threads of a block ---- */

static struct thread {
    ucontext_t context;
    jmp_buf at;
    bool started, done;
    char stack[STACK];
} *threads;
static unsigned thread_count, running;
static jmp_buf finished;
static const std::function<void()> *body;

static void place_thread()
{
    threadIdx = {running % blockDim.x, running / blockDim.x % blockDim.y, running / blockDim.x / blockDim.y};
}

[[noreturn]] static void run_thread();

/* Continues thread `running`, or the next one that is not done; all done: back to the launch. */
[[noreturn]] static void go_on()
{
    unsigned next = running;
    while (threads[next].done && (next = (next + 1) % thread_count) != running) continue;
    running = next;
    thread *t = &threads[running];
    if (!t->done) {
        place_thread();
        if (t->started) _longjmp(t->at, 1);
        t->started = true;
        getcontext(&t->context);
        t->context.uc_stack.ss_sp = t->stack;
        t->context.uc_stack.ss_size = STACK;
        t->context.uc_link = nullptr;
        makecontext(&t->context, run_thread, 0);
        setcontext(&t->context);
    }
    _longjmp(finished, 1);
}

/* A stack serves one block after the other. */
[[noreturn]] static void run_thread()
{
    for (;;) {
        (*body)();
        threads[running].done = true;
        next_thread();
    }
}

static void next_thread()
{
    if (_setjmp(threads[running].at) != 0) return;
    running = (running + 1) % thread_count;
    go_on();
}

static void run_block(const std::function<void()> &kernel)
{
    thread_count = blockDim.x * blockDim.y * blockDim.z;
    if (threads == nullptr) threads = new thread[MOST_THREADS]();
    for (unsigned i = 0; i < thread_count; i++) threads[i].done = false;
    running = 0;
    body = &kernel;
    if (_setjmp(finished) == 0) go_on();
}

static void run_grid(dim3 grid, dim3 block, const std::function<void()> &kernel)
{
    gridDim = grid;
    blockDim = block;
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) run_block(kernel);
}

/* ---- kernels by name, with their arguments ---- */

using bound = std::function<void()>;

template <class... A, size_t... I>
static bound bound_to(void (*kernel)(A...), void **arguments, std::index_sequence<I...>)
{
    return [kernel, values = std::make_tuple(*static_cast<A *>(arguments[I])...)] {
        std::apply(kernel, values);
    };
}

template <class... A>
static bound bound_to(void (*kernel)(A...), void **arguments)
{
    return bound_to(kernel, arguments, std::index_sequence_for<A...>{});
}

static const struct named {
    const char *name;
    bound (*with)(void **arguments);
} kernels[] = {
#define CUDA_KERNEL(NAME, name) {#name, [](void **arguments) { return bound_to(name, arguments); }},
#include "cuda/kernel_list.h"
#undef CUDA_KERNEL
};

constexpr size_t KERNELS = sizeof kernels / sizeof *kernels;
static bool launched[KERNELS];

/* ---- the stream: at once, or into a graph ---- */

static std::vector<bound> *recording;

static int done(bound work)
{
    if (recording != nullptr)
        recording->push_back(std::move(work));
    else
        work();
    return 0;
}

static void *at_address(address at) { return reinterpret_cast<void *>(static_cast<size_t>(at)); }

extern "C" {

FAKE(cuModuleGetFunction, void **function, void *module, const char *name)
{
    (void)module;
    for (const named &k : kernels)
        if (strcmp(k.name, name) == 0) return *function = const_cast<named *>(&k), 0;
    return 500;
}

/* A kernel that nobody has launched since the library was loaded; NULL: there is none. */
extern const char *emulated_idle(void);
const char *emulated_idle(void)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (!launched[i]) return kernels[i].name;
    return nullptr;
}

FAKE(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
     unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)(stream && extra);
    const dim3 grid = {gx, gy, gz}, block = {bx, by, bz};
    if (gx == 0 || gy == 0 || gz == 0 || gy > 65535 || gz > 65535 || bx * by * bz > MOST_THREADS ||
        bx * by * bz == 0 || shared > 49152)
        return 1;
    const named *which = static_cast<named *>(function);
    const bound kernel = which->with(arguments);
    launched[which - kernels] = true;
    return done([=] { run_grid(grid, block, kernel); });
}

FAKE(cuMemsetD32Async, address at, unsigned value, size_t count, void *stream)
{
    (void)stream;
    return done([=] {
        for (size_t i = 0; i < count; i++) static_cast<unsigned *>(at_address(at))[i] = value;
    });
}
FAKE(cuMemcpyHtoDAsync_v2, address to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    return done([=] { memcpy(at_address(to), from, bytes); });
}
FAKE(cuMemcpyDtoHAsync_v2, void *to, address from, size_t bytes, void *stream)
{
    (void)stream;
    return done([=] { memcpy(to, at_address(from), bytes); });
}
FAKE(cuMemcpyDtoDAsync_v2, address to, address from, size_t bytes, void *stream)
{
    (void)stream;
    return done([=] { memcpy(at_address(to), at_address(from), bytes); });
}

FAKE(cuStreamBeginCapture_v2, void *stream, int mode)
{
    (void)(stream && mode);
    recording = new std::vector<bound>;
    return 0;
}
FAKE(cuStreamEndCapture, void *stream, void **graph)
{
    (void)stream;
    *graph = recording;
    recording = nullptr;
    return 0;
}
FAKE(cuGraphInstantiateWithFlags, void **made, void *graph, unsigned long long flags)
{
    *made = new std::vector<bound>(*static_cast<std::vector<bound> *>(graph));
    return flags != 0;
}
FAKE(cuGraphLaunch, void *made, void *stream)
{
    (void)stream;
    for (const bound &work : *static_cast<std::vector<bound> *>(made)) work();
    return 0;
}
FAKE(cuGraphExecDestroy, void *made) { return delete static_cast<std::vector<bound> *>(made), 0; }
FAKE(cuGraphDestroy, void *graph) { return delete static_cast<std::vector<bound> *>(graph), 0; }

FAKE(cublasSgemm_v2, void *blas, int a_how, int b_how, int m, int n, int k, const float *alpha, const float *a,
     int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
    (void)blas;
    const float scale = *alpha, keep = *beta;
    return done([=] {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int l = 0; l < k; l++)
                    sum += (double)(a_how ? a[(size_t)i * lda + l] : a[(size_t)l * lda + i]) *
                           (double)(b_how ? b[(size_t)l * ldb + j] : b[(size_t)j * ldb + l]);
                float *to = c + (size_t)j * ldc + i;
                *to = (float)(scale * sum) + (keep != 0 ? keep * *to : 0);
            }
    });
}
}
