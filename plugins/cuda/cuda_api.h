/* SPDX-License-Identifier: Apache-2.0 */
/* What is used of the CUDA driver, NVRTC and cuBLAS, declared here and found at run time: nothing of CUDA
 * is needed to build. Names and numbers are those of their stable interfaces. */
#ifndef SBL_CUDA_API_H
#define SBL_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>

#include "semblance/status.h"

typedef unsigned long long cuda_address; /* in the device's memory */
typedef void *cuda_handle;

enum {
    CUDA_ATTRIBUTE_MAJOR = 75,
    CUDA_ATTRIBUTE_MINOR = 76,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_UNKNOWN = 999
};
enum { CUBLAS_PLAIN = 0, CUBLAS_TRANSPOSED = 1, CUBLAS_TF32 = 3 };

typedef struct cuda_api {
    void *driver, *compiler, *blas; /* of dlopen */
    /* libcuda */
    int (*init)(unsigned flags);
    int (*driver_version)(int *version);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*context_retain)(cuda_handle *context, int device);
    int (*context_release)(int device);
    int (*context_use)(cuda_handle context);
    int (*error_words)(int error, const char **words);
    int (*stream_create)(cuda_handle *stream, unsigned flags);
    int (*stream_destroy)(cuda_handle stream);
    int (*stream_wait)(cuda_handle stream);
    int (*memory_take)(cuda_address *at, size_t bytes);
    int (*memory_give)(cuda_address at);
    int (*memory_set)(cuda_address at, unsigned value, size_t count, cuda_handle stream);
    int (*to_device)(cuda_address to, const void *from, size_t bytes, cuda_handle stream);
    int (*to_host)(void *to, cuda_address from, size_t bytes, cuda_handle stream);
    int (*on_device)(cuda_address to, cuda_address from, size_t bytes, cuda_handle stream);
    int (*host_take)(void **at, size_t bytes);
    int (*host_give)(void *at);
    int (*capture_begin)(cuda_handle stream, int mode);
    int (*capture_end)(cuda_handle stream, cuda_handle *graph);
    int (*graph_make)(cuda_handle *made, cuda_handle graph, unsigned long long flags);
    int (*graph_launch)(cuda_handle made, cuda_handle stream);
    int (*graph_destroy)(cuda_handle made);
    int (*graph_drop)(cuda_handle graph);
    int (*module_load)(cuda_handle *module, const void *image);
    int (*module_unload)(cuda_handle module);
    int (*module_function)(cuda_handle *function, cuda_handle module, const char *name);
    int (*launch)(cuda_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, cuda_handle stream, void **arguments,
                  void **extra);
    /* NVRTC */
    int (*compiler_version)(int *major, int *minor);
    int (*program_create)(cuda_handle *program, const char *source, const char *name, int headers,
                          const char *const *header, const char *const *names);
    int (*program_destroy)(cuda_handle *program);
    int (*program_compile)(cuda_handle program, int count, const char *const *options);
    int (*program_size)(cuda_handle program, size_t *size);
    int (*program_code)(cuda_handle program, char *code);
    int (*log_size)(cuda_handle program, size_t *size);
    int (*log_text)(cuda_handle program, char *text);
    /* cuBLAS */
    int (*blas_create)(cuda_handle *blas);
    int (*blas_destroy)(cuda_handle blas);
    int (*blas_stream)(cuda_handle blas, cuda_handle stream);
    int (*blas_math)(cuda_handle blas, int mode);
    int (*blas_workspace)(cuda_handle blas, void *at, size_t bytes);
    int (*blas_sgemm)(cuda_handle blas, int a_how, int b_how, int m, int n, int k, const float *alpha,
                      const float *a, int a_stride, const float *b, int b_stride, const float *beta, float *c,
                      int c_stride);
} cuda_api;

/* Finds the driver first; the other two are asked for where there is a device.
 * path: a folder to look in first; NULL: none.
 * Returns: SBL_OK; SBL_EIO: there is no driver; SBL_EINPUT: another library, or a function of one, is not there */
sbl_status cuda_api_load_driver(cuda_api *api, const char *path, sbl_error *err);
sbl_status cuda_api_load_tools(cuda_api *api, const char *path, sbl_error *err);
void cuda_api_unload(cuda_api *api);

/* Writes a line. Returns the status. */
sbl_status cuda_fail(sbl_error *err, sbl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What kernels are compiled for. tf32: products by tensor cores, which a capability of 8.0 has. */
typedef struct cuda_target {
    int major, minor, tf32;
} cuda_target;

/* The kernels for such a device, as code for module_load: from the cache, or compiled and put
 * there. Owner: the caller, free(). */
sbl_status cuda_compile(char **code, const cuda_api *api, const cuda_target *target, const char *cache,
                        sbl_error *err);

#endif
