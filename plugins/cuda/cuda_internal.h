/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA device at work: one stream, on which everything follows in order, lists of work that become graphs, and
 * the first failure. */
#ifndef SBL_CUDA_INTERNAL_H
#define SBL_CUDA_INTERNAL_H

#include "base/backend/plugin.h"
#include "cuda/cuda_api.h"

#define CUDA_THREADS 256  /* of a block; THREADS of the kernels */
#define CUDA_SHARED 49152 /* bytes of shared memory that any kernel may take */

typedef enum cuda_kernel {
#define CUDA_KERNEL(NAME, name) CUDA_##NAME,
#include "cuda/kernel_list.h"
#undef CUDA_KERNEL
    CUDA_KERNELS
} cuda_kernel;

#define CUDA_MOST_ARGUMENTS 16
#define CUDA_SLOTS 64                /* numbers of one step */
#define CUDA_STAGE ((size_t)1 << 22) /* bytes on their way to the device */
#define CUDA_GRAPHS 8

/* An argument of a kernel. varies: a float that changes from step to step; the kernel takes its address. */
typedef struct cuda_argument {
    const void *at;
    size_t size;
    bool varies;
} cuda_argument;

/* Work that waits (cuda_stream.c), and work that was seen before. */
typedef struct cuda_tape {
    unsigned char *bytes;
    size_t size, room, works;
} cuda_tape;

typedef struct cuda_graph {
    unsigned char *bytes; /* the tape; NULL: none */
    size_t size;
    cuda_handle made; /* NULL: seen once */
    unsigned long long used;
} cuda_graph;

typedef struct cuda_device {
    sbl_backend backend; /* the first member: what the plug-in hands out */
    cuda_api api;
    char name[160];
    int device;
    cuda_handle context, stream, module, blas;
    cuda_handle kernels[CUDA_KERNELS];
    cuda_address loss;      /* a double: what losses add to */
    cuda_address parts;     /* doubles of partial sums, grown as needed */
    cuda_address workspace; /* of cuBLAS */
    size_t part_count;
    cuda_tape tape;
    cuda_graph graphs[CUDA_GRAPHS];
    bool graphless; /* the driver makes none */
    unsigned long long flushes;
    cuda_address slots;
    float slot_values[CUDA_SLOTS];
    size_t slot_count;
    unsigned char *stage; /* CUDA_STAGE bytes of the host that the device reads */
    size_t staged;
    int failed; /* the first error of the driver; 0: none */
    char reason[256];
} cuda_device;

void cuda_check(cuda_device *d, int error, const char *what);
/* a b as the kernels count; a device that is asked for more has failed. */
unsigned cuda_count(cuda_device *d, size_t a, size_t b);
/* A grid as the kernels' EACH wants it. */
unsigned cuda_blocks(unsigned long long count);

/* ---- work, done in order, at the latest when the caller waits for it; none after a failure ---- */

void cuda_launch_kernel(cuda_device *d, cuda_kernel kernel, const unsigned grid[3], unsigned block_x,
                        unsigned block_y, unsigned shared, const cuda_argument *arguments, size_t count);
#define CUDA_OF(x)             \
    {                          \
        &(x), sizeof(x), false \
    }
#define CUDA_VARYING(x)       \
    {                         \
        &(x), sizeof(x), true \
    }
/* arguments: an array. */
#define CUDA_LAUNCH(d, kernel, grid_x, grid_y, grid_z, block_x, block_y, shared, arguments)         \
    cuda_launch_kernel((d), (kernel), (const unsigned[3]){(grid_x), (grid_y), (grid_z)}, (block_x), \
                       (block_y), (shared), (arguments), sizeof(arguments) / sizeof *(arguments))
/* Launches `kernel` over `count` numbers. */
#define CUDA_OVER(d, kernel, count, ...)                                                          \
    do {                                                                                          \
        const cuda_argument cuda_arguments[] = {__VA_ARGS__};                                     \
        CUDA_LAUNCH((d), (kernel), cuda_blocks(count), 1, 1, CUDA_THREADS, 1, 0, cuda_arguments); \
    } while (0)
/* c = a b (+ c), by cuBLAS. */
void cuda_product(cuda_device *d, float *c, const float *a, const float *b, const sbl_gemm_shape *s);
void cuda_fill_rows(cuda_device *d, float *y, const float *bias, size_t rows, size_t width);
void cuda_set_zero(cuda_device *d, cuda_address to, size_t count);
void cuda_copy(cuda_device *d, float *to, const float *from, size_t count);

/* What waits goes to the device; and then is waited for. */
void cuda_flush(cuda_device *d);
void cuda_wait(cuda_device *d, const char *what);
/* Behind what was flushed; `from` may change at once. */
void cuda_write(cuda_device *d, cuda_address to, const void *from, size_t bytes);
void cuda_stream_clear(cuda_device *d);
/* Room for partial sums; 0: there is none, and the device has failed. */
cuda_address cuda_parts(cuda_device *d, size_t count);

/* The operations, by their files. */
void cuda_set_products(sbl_backend *to);
void cuda_set_memory(sbl_backend *to);
void cuda_set_layers(sbl_backend *to);
void cuda_set_images(sbl_backend *to);
void cuda_set_points(sbl_backend *to);
void cuda_set_losses(sbl_backend *to);
void cuda_set_hermite(sbl_backend *to);

#endif
