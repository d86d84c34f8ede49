/* A CUDA device at work: one stream, on which everything follows in order, and the first failure. */
#ifndef SBL_CUDA_DEVICE_H
#define SBL_CUDA_DEVICE_H

#include "backend/plugin.h"
#include "cuda/cuda_api.h"

#define CUDA_THREADS 256  /* of a block; THREADS in kernels.cu */
#define CUDA_SHARED 49152 /* bytes of shared memory that any kernel may take */

typedef enum cuda_kernel {
#define CUDA_KERNEL(NAME, name) CUDA_##NAME,
#include "cuda/kernel_list.h"
#undef CUDA_KERNEL
    CUDA_KERNELS
} cuda_kernel;

typedef struct cuda_device {
    sbl_backend backend; /* the first member: what the plug-in hands out */
    cuda_api api;
    char name[160];
    int device;
    cuda_handle context, stream, module, blas;
    cuda_handle kernels[CUDA_KERNELS];
    cuda_address loss;  /* a double: what losses add to */
    cuda_address parts; /* doubles of partial sums, grown as needed */
    size_t part_count;
    int failed; /* the first error of the driver; 0: none */
    char reason[256];
} cuda_device;

/* A grid as the kernels' EACH wants it. */
unsigned cuda_blocks(unsigned long long count);
/* Nothing is launched after a failure. */
void cuda_launch(cuda_device *d, cuda_kernel kernel, unsigned grid_x, unsigned grid_y,
                 unsigned grid_z, unsigned block_x, unsigned block_y, unsigned shared,
                 void **arguments);
void cuda_check(cuda_device *d, int error, const char *what);
/* Launches `kernel` over `count` numbers. */
#define CUDA_OVER(d, kernel, count, ...)                                                          \
    do {                                                                                          \
        void *cuda_arguments[] = {__VA_ARGS__};                                                   \
        cuda_launch((d), (kernel), cuda_blocks(count), 1, 1, CUDA_THREADS, 1, 0, cuda_arguments); \
    } while (0)
/* Room for partial sums; 0: there is none, and the device has failed. */
cuda_address cuda_parts(cuda_device *d, size_t count);

/* The operations, by their files. */
void cuda_set_memory(sbl_backend *to);
void cuda_set_layers(sbl_backend *to);
void cuda_set_images(sbl_backend *to);
void cuda_set_losses(sbl_backend *to);

#endif
