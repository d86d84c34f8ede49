/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver between the plug-in and the real one, which times every kernel: built by hand, laid as libcuda.so.1
 * and libcublas.so.13 into the folder of --device-path, it prints a table when the program ends. Graphs are refused,
 * so that kernels come one by one.
 *
 *     gcc -O2 -shared -fPIC timed_cuda.c -o FOLDER/libcuda.so.1 -ldl && ln FOLDER/libcuda.so.1 FOLDER/libcublas.so.13 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;
typedef void *handle;

static void *driver(const char *name)
{
    static void *library;
    if (library == NULL) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? dlsym(library, name) : NULL;
}

static void *blas(const char *name)
{
    static void *library;
    if (library == NULL) library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen("libcublas.so.12", RTLD_NOW | RTLD_LOCAL);
    return library != NULL ? dlsym(library, name) : NULL;
}

#define REAL(from, name) ((int (*)())from(#name))

/* ---- times ---- */

#define MOST_NAMES 512
#define MOST_PENDING 4096

static struct total {
    char name[96];
    double milliseconds;
    unsigned long long count;
} totals[MOST_NAMES];
static struct pending {
    handle first, last;
    int name;
} waiting[MOST_PENDING];
static int name_count, pending_count, made;
static struct function {
    handle function;
    char name[64];
} functions[256];
static int function_count;

static int number_of(const char *name)
{
    for (int i = 0; i < name_count; i++)
        if (strcmp(totals[i].name, name) == 0) return i;
    if (name_count == MOST_NAMES) return 0;
    snprintf(totals[name_count].name, sizeof totals[0].name, "%s", name);
    return name_count++;
}

static void settle(void)
{
    for (int i = 0; i < pending_count; i++) {
        float time = 0;
        REAL(driver, cuEventSynchronize)(waiting[i].last);
        REAL(driver, cuEventElapsedTime)(&time, waiting[i].first, waiting[i].last);
        totals[waiting[i].name].milliseconds += time;
        totals[waiting[i].name].count++;
    }
    pending_count = 0;
}

static struct pending *begin(const char *name, handle stream)
{
    if (pending_count == MOST_PENDING) settle();
    struct pending *p = &waiting[pending_count++];
    if (pending_count > made) {
        REAL(driver, cuEventCreate)(&p->first, 0);
        REAL(driver, cuEventCreate)(&p->last, 0);
        made = pending_count;
    }
    p->name = number_of(name);
    REAL(driver, cuEventRecord)(p->first, stream);
    return p;
}

static void end(struct pending *p, handle stream) { REAL(driver, cuEventRecord)(p->last, stream); }

static int by_time(const void *a, const void *b)
{
    const double x = ((const struct total *)a)->milliseconds, y = ((const struct total *)b)->milliseconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_table(void)
{
    double all = 0;
    qsort(totals, (size_t)name_count, sizeof *totals, by_time);
    for (int i = 0; i < name_count; i++) all += totals[i].milliseconds;
    fprintf(stderr, "kernel                                     count        ms   us each  share\n");
    for (int i = 0; i < name_count; i++)
        fprintf(stderr, "%-40s %8llu %9.2f %9.2f  %4.1f%%\n", totals[i].name, totals[i].count,
                totals[i].milliseconds, 1000 * totals[i].milliseconds / (double)totals[i].count,
                100 * totals[i].milliseconds / all);
    fprintf(stderr, "all %.2f ms\n", all);
}

/* ---- what is between ---- */

static handle the_stream;

int cuModuleGetFunction(handle *function, handle module, const char *name)
{
    const int error = REAL(driver, cuModuleGetFunction)(function, module, name);
    if (error == 0 && function_count < 256) {
        functions[function_count].function = *function;
        snprintf(functions[function_count++].name, 64, "%s", name);
    }
    return error;
}

int cuLaunchKernel(handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, handle stream, void **arguments, void **extra)
{
    const char *name = "?";
    char text[96];
    for (int i = 0; i < function_count; i++)
        if (functions[i].function == function) name = functions[i].name;
    snprintf(text, sizeof text, "%s %ux%ux%u", name, gx, gy, gz);
    struct pending *p = begin(text, stream);
    const int error =
        REAL(driver, cuLaunchKernel)(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
    end(p, stream);
    return error;
}

int cuStreamCreate(handle *stream, unsigned flags)
{
    const int error = REAL(driver, cuStreamCreate)(stream, flags);
    the_stream = *stream;
    atexit(print_table);
    return error;
}
int cuStreamSynchronize(handle stream)
{
    const int error = REAL(driver, cuStreamSynchronize)(stream);
    settle();
    return error;
}
int cuStreamBeginCapture_v2(handle stream, int mode) { return (void)stream, (void)mode, 801; }

int cublasSgemm_v2(handle b, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *x, int ldb, const float *beta, float *c, int ldc)
{
    char text[96];
    snprintf(text, sizeof text, "sgemm %c%c %d %d %d", ta ? 't' : 'n', tb ? 't' : 'n', m, n, k);
    /* the plug-in's handle lives in the library that was opened under cuBLAS's name: see the_stream there */
    extern handle timed_stream(void);
    handle stream = timed_stream();
    struct pending *p = begin(text, stream);
    const int error = REAL(blas, cublasSgemm_v2)(b, ta, tb, m, n, k, alpha, a, lda, x, ldb, beta, c, ldc);
    end(p, stream);
    return error;
}
int cublasSetStream_v2(handle b, handle stream)
{
    the_stream = stream;
    return REAL(blas, cublasSetStream_v2)(b, stream);
}
handle timed_stream(void) { return the_stream; }

/* ---- the rest goes through ---- */

#define THROUGH(from, name, ...) \
    int name(__VA_ARGS__) { return REAL(from, name) PASSED; }
#define PASSED (a)
THROUGH(driver, cuInit, unsigned a)
THROUGH(driver, cuDriverGetVersion, int *a)
THROUGH(driver, cuDeviceGetCount, int *a)
THROUGH(driver, cuCtxSetCurrent, handle a)
THROUGH(driver, cuDevicePrimaryCtxRelease_v2, int a)
THROUGH(driver, cuStreamDestroy_v2, handle a)
THROUGH(driver, cuMemFree_v2, address a)
THROUGH(driver, cuMemFreeHost, void *a)
THROUGH(driver, cuModuleUnload, handle a)
THROUGH(driver, cuGraphExecDestroy, handle a)
THROUGH(driver, cuGraphDestroy, handle a)
THROUGH(blas, cublasCreate_v2, handle *a)
THROUGH(blas, cublasDestroy_v2, handle a)
#undef PASSED
#define PASSED (a, b)
THROUGH(driver, cuDeviceGet, int *a, int b)
THROUGH(driver, cuDevicePrimaryCtxRetain, handle *a, int b)
THROUGH(driver, cuGetErrorString, int a, const char **b)
THROUGH(driver, cuMemAlloc_v2, address *a, size_t b)
THROUGH(driver, cuMemAllocHost_v2, void **a, size_t b)
THROUGH(driver, cuModuleLoadData, handle *a, const void *b)
THROUGH(driver, cuStreamEndCapture, handle a, handle *b)
THROUGH(driver, cuGraphLaunch, handle a, handle b)
THROUGH(blas, cublasSetMathMode, handle a, int b)
#undef PASSED
#define PASSED (a, b, c)
THROUGH(driver, cuDeviceGetName, char *a, int b, int c)
THROUGH(driver, cuDeviceGetAttribute, int *a, int b, int c)
THROUGH(driver, cuGraphInstantiateWithFlags, handle *a, handle b, unsigned long long c)
THROUGH(blas, cublasSetWorkspace_v2, handle a, void *b, size_t c)
#undef PASSED
#define PASSED (a, b, c, d)
THROUGH(driver, cuMemsetD32Async, address a, unsigned b, size_t c, handle d)
THROUGH(driver, cuMemcpyHtoDAsync_v2, address a, const void *b, size_t c, handle d)
THROUGH(driver, cuMemcpyDtoHAsync_v2, void *a, address b, size_t c, handle d)
THROUGH(driver, cuMemcpyDtoDAsync_v2, address a, address b, size_t c, handle d)
