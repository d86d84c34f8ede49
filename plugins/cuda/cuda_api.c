/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by their names, functions by theirs. */
#include "cuda/cuda_api.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sbl_status cuda_fail(sbl_error *err, sbl_status status, const char *format, ...)
{
    va_list arguments;
    if (err == NULL) return status;
    va_start(arguments, format);
    (void)vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    return status;
}

static void *open_library(const char *const *names, const char *path)
{
    void *found = NULL;
    for (size_t i = 0; names[i] != NULL && found == NULL; i++) {
        char whole[4096];
        if (path != NULL && snprintf(whole, sizeof whole, "%s/%s", path, names[i]) < (int)sizeof whole)
            found = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    }
    for (size_t i = 0; names[i] != NULL && found == NULL; i++)
        found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return found;
}

typedef struct entry {
    const char *name;
    size_t place; /* in cuda_api */
} entry;

#define AT(field, name)                 \
    {                                   \
        name, offsetof(cuda_api, field) \
    }

static sbl_status find_all(cuda_api *api, void *library, const entry *entries, size_t count, const char *what,
                           sbl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, entries[i].name);
        if (found == NULL)
            return cuda_fail(err, SBL_EINPUT, "%s is too old: it lacks %s; install CUDA 12 or newer", what,
                             entries[i].name);
        memcpy((char *)api + entries[i].place, &found, sizeof found);
    }
    return SBL_OK;
}

static const entry driver_entries[] = {
    AT(init, "cuInit"),
    AT(driver_version, "cuDriverGetVersion"),
    AT(device_count, "cuDeviceGetCount"),
    AT(device_get, "cuDeviceGet"),
    AT(device_name, "cuDeviceGetName"),
    AT(device_attribute, "cuDeviceGetAttribute"),
    AT(context_retain, "cuDevicePrimaryCtxRetain"),
    AT(context_release, "cuDevicePrimaryCtxRelease_v2"),
    AT(context_use, "cuCtxSetCurrent"),
    AT(error_words, "cuGetErrorString"),
    AT(stream_create, "cuStreamCreate"),
    AT(stream_destroy, "cuStreamDestroy_v2"),
    AT(stream_wait, "cuStreamSynchronize"),
    AT(memory_take, "cuMemAlloc_v2"),
    AT(memory_give, "cuMemFree_v2"),
    AT(memory_set, "cuMemsetD32Async"),
    AT(to_device, "cuMemcpyHtoDAsync_v2"),
    AT(to_host, "cuMemcpyDtoHAsync_v2"),
    AT(on_device, "cuMemcpyDtoDAsync_v2"),
    AT(host_take, "cuMemAllocHost_v2"),
    AT(host_give, "cuMemFreeHost"),
    AT(capture_begin, "cuStreamBeginCapture_v2"),
    AT(capture_end, "cuStreamEndCapture"),
    AT(graph_make, "cuGraphInstantiateWithFlags"),
    AT(graph_launch, "cuGraphLaunch"),
    AT(graph_destroy, "cuGraphExecDestroy"),
    AT(graph_drop, "cuGraphDestroy"),
    AT(module_load, "cuModuleLoadData"),
    AT(module_unload, "cuModuleUnload"),
    AT(module_function, "cuModuleGetFunction"),
    AT(launch, "cuLaunchKernel"),
};

static const entry compiler_entries[] = {
    AT(compiler_version, "nvrtcVersion"),       AT(program_create, "nvrtcCreateProgram"),
    AT(program_destroy, "nvrtcDestroyProgram"), AT(program_compile, "nvrtcCompileProgram"),
    AT(program_size, "nvrtcGetCUBINSize"),      AT(program_code, "nvrtcGetCUBIN"),
    AT(log_size, "nvrtcGetProgramLogSize"),     AT(log_text, "nvrtcGetProgramLog"),
};

static const entry blas_entries[] = {
    AT(blas_create, "cublasCreate_v2"),          AT(blas_destroy, "cublasDestroy_v2"),
    AT(blas_stream, "cublasSetStream_v2"),       AT(blas_math, "cublasSetMathMode"),
    AT(blas_workspace, "cublasSetWorkspace_v2"), AT(blas_sgemm, "cublasSgemm_v2"),
};

#define COUNT(entries) (sizeof(entries) / sizeof *(entries))

sbl_status cuda_api_load_driver(cuda_api *api, const char *path, sbl_error *err)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    *api = (cuda_api){0};
    api->driver = open_library(names, path);
    if (api->driver == NULL) return cuda_fail(err, SBL_EIO, "no CUDA driver: libcuda.so.1 is not found");
    return find_all(api, api->driver, driver_entries, COUNT(driver_entries), "the CUDA driver", err);
}

sbl_status cuda_api_load_tools(cuda_api *api, const char *path, sbl_error *err)
{
    static const char *const compilers[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    static const char *const blas[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
    api->compiler = open_library(compilers, path);
    if (api->compiler == NULL)
        return cuda_fail(err, SBL_EINPUT, "NVRTC is not found: install libnvrtc.so.12 or .13 of CUDA");
    api->blas = open_library(blas, path);
    if (api->blas == NULL)
        return cuda_fail(err, SBL_EINPUT, "cuBLAS is not found: install libcublas.so.12 or .13 of CUDA");
    const sbl_status status =
        find_all(api, api->compiler, compiler_entries, COUNT(compiler_entries), "NVRTC", err);
    return status != SBL_OK ? status
                            : find_all(api, api->blas, blas_entries, COUNT(blas_entries), "cuBLAS", err);
}

void cuda_api_unload(cuda_api *api)
{
    if (api->blas != NULL) (void)dlclose(api->blas);
    if (api->compiler != NULL) (void)dlclose(api->compiler);
    if (api->driver != NULL) (void)dlclose(api->driver);
    *api = (cuda_api){0};
}
