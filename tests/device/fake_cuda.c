/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver, NVRTC and cuBLAS of a machine that has none: one library under three names. Memory is the
 * host's, kernels do nothing; what goes wrong is said by the variable FAKE_CUDA. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long address;

#define SHOWN __attribute__((visibility("default")))
#define FAKE(name, ...)          \
    SHOWN int name(__VA_ARGS__); \
    int name(__VA_ARGS__)

static int is(const char *what)
{
    const char *said = getenv("FAKE_CUDA");
    return said != NULL && strcmp(said, what) == 0;
}

#ifndef FAKE_RUNS
/* "lost": whatever it computes; "lost after FILE": once there is such a file. */
static int is_lost(void)
{
    static const char after[] = "lost after ";
    const char *said = getenv("FAKE_CUDA");
    if (said == NULL || strncmp(said, after, sizeof after - 1) != 0) return is("lost");
    return access(said + sizeof after - 1, F_OK) == 0;
}
#endif

/* A small device has room for what opening it takes, and little more. */
#define SMALL (((size_t)32 << 20) + 65536)
static size_t memory_taken;
static int has_worked; /* a full one has room until it works */

FAKE(cuInit, unsigned flags)
{
    memory_taken = 0;
    has_worked = 0;
    return flags != 0 || is("none") ? 100 : 0;
}
FAKE(cuDriverGetVersion, int *version) { return (*version = is("old") ? 11040 : 13000), 0; }
FAKE(cuDeviceGetCount, int *count) { return (*count = is("empty") ? 0 : 2), 0; }
FAKE(cuDeviceGet, int *device, int ordinal) { return (*device = ordinal), 0; }
FAKE(cuDeviceGetAttribute, int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? (is("weak") ? 6 : 9) : 0;
    return 0;
}
FAKE(cuDevicePrimaryCtxRetain, void **context, int device)
{
    (void)device;
    *context = context;
    return is("busy") ? 2 : 0;
}
FAKE(cuDevicePrimaryCtxRelease_v2, int device) { return device < 0; }
FAKE(cuCtxSetCurrent, void *context) { return context == NULL; }
FAKE(cuDeviceGetName, char *name, int size, int device)
{
    (void)device;
    memset(name, 0, (size_t)size);
    memcpy(name, "Fake", 4);
    return 0;
}
FAKE(cuGetErrorString, int error, const char **words)
{
    *words = error == 2 ? "out of memory" : error == 100 ? "no CUDA-capable device is detected" : "lost";
    return 0;
}
FAKE(cuStreamCreate, void **stream, unsigned flags) { return (*stream = stream), flags != 0; }
FAKE(cuStreamDestroy_v2, void *stream) { return stream == NULL; }
FAKE(cuStreamSynchronize, void *stream) { return stream == NULL; }
FAKE(cuMemAlloc_v2, address *at, size_t bytes)
{
    memory_taken += bytes;
    const int none = (is("small") && memory_taken > SMALL) || (is("full") && has_worked);
    *at = none ? 0 : (address)(size_t)calloc(bytes, 1);
    return *at == 0 ? 2 : 0;
}
FAKE(cuMemAllocHost_v2, void **at, size_t bytes) { return (*at = calloc(bytes, 1)), *at == NULL; }
FAKE(cuMemFreeHost, void *at) { return free(at), 0; }
FAKE(cuMemFree_v2, address at) { return free((void *)(size_t)at), 0; }
#ifndef FAKE_RUNS
FAKE(cuMemsetD32Async, address at, unsigned value, size_t count, void *stream)
{
    (void)stream;
    for (size_t i = 0; i < count; i++) ((unsigned *)(size_t)at)[i] = value;
    return 0;
}
static int copy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes), 0; }
FAKE(cuMemcpyHtoDAsync_v2, address to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    return copy((void *)(size_t)to, from, bytes);
}
FAKE(cuMemcpyDtoHAsync_v2, void *to, address from, size_t bytes, void *stream)
{
    (void)stream;
    return copy(to, (const void *)(size_t)from, bytes);
}
FAKE(cuMemcpyDtoDAsync_v2, address to, address from, size_t bytes, void *stream)
{
    (void)stream;
    return copy((void *)(size_t)to, (const void *)(size_t)from, bytes);
}
#endif
#ifndef FAKE_RUNS
FAKE(cuStreamBeginCapture_v2, void *stream, int mode) { return stream == NULL || mode != 1; }
FAKE(cuStreamEndCapture, void *stream, void **graph) { return (*graph = stream), stream == NULL; }
FAKE(cuGraphInstantiateWithFlags, void **made, void *graph, unsigned long long flags)
{
    return (*made = graph), flags != 0;
}
FAKE(cuGraphLaunch, void *made, void *stream)
{
    return made == NULL || stream == NULL || is_lost() ? 719 : 0;
}
FAKE(cuGraphExecDestroy, void *made) { return made == NULL; }
FAKE(cuGraphDestroy, void *graph) { return graph == NULL; }
#endif
FAKE(cuModuleLoadData, void **module, const void *image)
{
    *module = module;
    return is("refused") || memcmp(image, "code", 5) != 0 ? 209 : 0;
}
FAKE(cuModuleUnload, void *module) { return module == NULL; }
#ifndef FAKE_RUNS
FAKE(cuModuleGetFunction, void **function, void *module, const char *name)
{
    *function = module;
    return name == NULL;
}
#endif
#if !defined FAKE_SHORT && !defined FAKE_RUNS
FAKE(cuLaunchKernel, void *function, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
     unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)(function && a && b && c && d && e && f && shared && stream && arguments && extra);
    has_worked = 1;
    return is_lost() ? 719 : 0;
}
#endif

FAKE(nvrtcVersion, int *major, int *minor) { return (*major = 13), (*minor = 0), 0; }
FAKE(nvrtcCreateProgram, void **program, const char *source, const char *name, int headers,
     const char *const *header, const char *const *names)
{
    (void)(name && headers && header && names);
    *program = program;
    return strstr(source, "KERNEL phases(") == NULL;
}
FAKE(nvrtcDestroyProgram, void **program) { return (*program = NULL), 0; }
FAKE(nvrtcCompileProgram, void *program, int count, const char *const *options)
{
    (void)program;
    const char *wanted = "-arch=sm_90";
    return is("broken") || count < 1 || strcmp(options[0], wanted) != 0;
}
FAKE(nvrtcGetCUBINSize, void *program, size_t *size) { return (*size = 5), program == NULL; }
FAKE(nvrtcGetCUBIN, void *program, char *code) { return memcpy(code, "code", 5), program == NULL; }
static const char log_lines[] = "line 3.\nline 4.\n";
FAKE(nvrtcGetProgramLogSize, void *program, size_t *size)
{
    return (*size = sizeof log_lines), program == NULL;
}
FAKE(nvrtcGetProgramLog, void *program, char *text)
{
    return memcpy(text, log_lines, sizeof log_lines), program == NULL;
}

FAKE(cublasCreate_v2, void **blas) { return (*blas = blas), is("no product"); }
FAKE(cublasDestroy_v2, void *blas) { return blas == NULL; }
FAKE(cublasSetStream_v2, void *blas, void *stream) { return blas == NULL || stream == NULL; }
FAKE(cublasSetMathMode, void *blas, int mode) { return blas == NULL || mode != 3; }
FAKE(cublasSetWorkspace_v2, void *blas, void *at, size_t bytes)
{
    return blas == NULL || at == NULL || bytes == 0;
}
#ifndef FAKE_RUNS
FAKE(cublasSgemm_v2, void *blas, int a_how, int b_how, int m, int n, int k, const float *alpha,
     const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc)
{
    (void)(blas && a_how && b_how && m && n && k && alpha && a && lda && b && ldb && beta && c && ldc);
    return 0;
}
#endif
