/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a device. */
#include "cuda/cuda_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_DRIVER 12000 /* CUDA 12.0 */
#define LEAST_MAJOR 7      /* compute capability */
#define TENSOR_MAJOR 8     /* of tensor cores that know TF32 */
#define BLAS_WORKSPACE ((size_t)32 << 20)

/* ---- opening ---- */

static const char *const kernel_names[CUDA_KERNELS] = {
#define CUDA_KERNEL(NAME, name) #name,
#include "cuda/kernel_list.h"
#undef CUDA_KERNEL
};

static sbl_status refuse(cuda_device *d, int error, const char *what, sbl_error *err)
{
    const char *words = NULL;
    if (d->api.error_words(error, &words) != 0 || words == NULL) words = "an unknown error";
    return cuda_fail(err, error == CUDA_ERROR_OUT_OF_MEMORY ? SBL_EMEM : SBL_EINPUT, "CUDA: %s: %s", what,
                     words);
}

#define CUDA_TRY(call, what)                                          \
    do {                                                              \
        const int cuda_error = (call);                                \
        if (cuda_error != 0) return refuse(d, cuda_error, what, err); \
    } while (0)

/* The driver, and the device of this number; its kind. */
static sbl_status find_device(cuda_device *d, const sbl_device_ask *ask, cuda_target *target, sbl_error *err)
{
    int version = 0, count = 0;
    char model[100] = "";
    const sbl_status status = cuda_api_load_driver(&d->api, ask->path, err);
    if (status != SBL_OK) return status;
    CUDA_TRY(d->api.init(0), "no device");
    CUDA_TRY(d->api.driver_version(&version), "no version");
    if (version < LEAST_DRIVER)
        return cuda_fail(err, SBL_EINPUT,
                         "the CUDA driver is too old: it supports CUDA %d.%d, and 12.0 is needed",
                         version / 1000, version % 1000 / 10);
    CUDA_TRY(d->api.device_count(&count), "no device");
    if (ask->number >= (unsigned)count)
        return cuda_fail(err, SBL_EINPUT, "there is no CUDA device %u: this machine has %d", ask->number,
                         count);
    CUDA_TRY(d->api.device_get(&d->device, (int)ask->number), "no device");
    CUDA_TRY(d->api.device_name(model, sizeof model, d->device), "no name");
    (void)snprintf(d->name, sizeof d->name, "cuda:%u %s", ask->number, model);
    CUDA_TRY(d->api.device_attribute(&target->major, CUDA_ATTRIBUTE_MAJOR, d->device), d->name);
    CUDA_TRY(d->api.device_attribute(&target->minor, CUDA_ATTRIBUTE_MINOR, d->device), d->name);
    if (target->major < LEAST_MAJOR)
        return cuda_fail(err, SBL_EINPUT, "%s is too old: its compute capability is %d.%d, and 7.0 is needed",
                         d->name, target->major, target->minor);
    target->tf32 = ask->tf32 && target->major >= TENSOR_MAJOR;
    if (target->tf32) (void)snprintf(d->name, sizeof d->name, "cuda:%u %s, TF32", ask->number, model);
    return SBL_OK;
}

static sbl_status start_device(cuda_device *d, const sbl_device_ask *ask, const cuda_target *target,
                               sbl_error *err)
{
    char *code = NULL;
    sbl_status status = cuda_api_load_tools(&d->api, ask->path, err);
    if (status != SBL_OK) return status;
    CUDA_TRY(d->api.context_retain(&d->context, d->device), d->name);
    CUDA_TRY(d->api.context_use(d->context), d->name);
    CUDA_TRY(d->api.stream_create(&d->stream, 0), d->name);
    status = cuda_compile(&code, &d->api, target, ask->cache, err);
    if (status != SBL_OK) return status;
    const int loaded = d->api.module_load(&d->module, code);
    free(code);
    CUDA_TRY(loaded, "the kernels");
    for (int k = 0; k < CUDA_KERNELS; k++)
        CUDA_TRY(d->api.module_function(&d->kernels[k], d->module, kernel_names[k]), kernel_names[k]);
    CUDA_TRY(d->api.memory_take(&d->loss, sizeof(double)), "memory");
    CUDA_TRY(d->api.memory_set(d->loss, 0, 2, d->stream), "memory");
    CUDA_TRY(d->api.memory_take(&d->slots, CUDA_SLOTS * sizeof(float)), "memory");
    CUDA_TRY(d->api.memory_take(&d->workspace, BLAS_WORKSPACE), "memory");
    CUDA_TRY(d->api.host_take((void **)&d->stage, CUDA_STAGE), "memory");
    /* A workspace of ours: cuBLAS would else take memory while a graph is made. */
    if (d->api.blas_create(&d->blas) != 0 || d->api.blas_stream(d->blas, d->stream) != 0 ||
        d->api.blas_workspace(d->blas, (void *)(uintptr_t)d->workspace, BLAS_WORKSPACE) != 0 ||
        (target->tf32 && d->api.blas_math(d->blas, CUBLAS_TF32) != 0))
        return cuda_fail(err, SBL_EINPUT, "cuBLAS could not start on %s", d->name);
    return SBL_OK;
}

__attribute__((visibility("default"))) sbl_status sbl_plugin_open(const sbl_backend **made,
                                                                  const sbl_device_ask *ask, sbl_error *err);
__attribute__((visibility("default"))) void sbl_plugin_close(const sbl_backend *made);

sbl_status sbl_plugin_open(const sbl_backend **made, const sbl_device_ask *ask, sbl_error *err)
{
    cuda_target target = {0};
    cuda_device *d;
    *made = NULL;
    if (ask->version != SBL_BACKEND_VERSION)
        return cuda_fail(
            err, SBL_EINPUT,
            "the CUDA plug-in and the library have different versions: install both from the same build");
    d = calloc(1, sizeof *d);
    if (d == NULL) return cuda_fail(err, SBL_EMEM, "out of memory for a device");
    sbl_status status = find_device(d, ask, &target, err);
    if (status == SBL_OK) status = start_device(d, ask, &target, err);
    if (status != SBL_OK) {
        sbl_plugin_close(&d->backend);
        return status;
    }
    d->backend = (sbl_backend){.name = d->name, .device = d, .trains = SBL_TRAINS_IMAGES};
    cuda_set_memory(&d->backend);
    cuda_set_products(&d->backend);
    cuda_set_layers(&d->backend);
    cuda_set_images(&d->backend);
    cuda_set_points(&d->backend);
    cuda_set_losses(&d->backend);
    cuda_set_hermite(&d->backend);
    *made = &d->backend;
    return SBL_OK;
}

void sbl_plugin_close(const sbl_backend *made)
{
    cuda_device *d = (cuda_device *)(uintptr_t)made;
    if (d == NULL) return;
    if (d->stream != NULL) (void)d->api.stream_wait(d->stream);
    cuda_stream_clear(d);
    if (d->blas != NULL) (void)d->api.blas_destroy(d->blas);
    if (d->parts != 0) (void)d->api.memory_give(d->parts);
    if (d->loss != 0) (void)d->api.memory_give(d->loss);
    if (d->slots != 0) (void)d->api.memory_give(d->slots);
    if (d->workspace != 0) (void)d->api.memory_give(d->workspace);
    if (d->stage != NULL) (void)d->api.host_give(d->stage);
    if (d->module != NULL) (void)d->api.module_unload(d->module);
    if (d->stream != NULL) (void)d->api.stream_destroy(d->stream);
    if (d->context != NULL) (void)d->api.context_release(d->device);
    cuda_api_unload(&d->api);
    free(d);
}
