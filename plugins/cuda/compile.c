/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from their source, which is part of the plug-in, to code for one kind of device. What is compiled
 * once is kept in a file that is named by a hash of all that it depends on, written aside and renamed into
 * place; a file that does not end as it should is compiled anew. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/cuda_api.h"

extern const char sbl_cuda_source[], sbl_cuda_source_end[];
#define KERNEL_FILE(name) ".incbin \"" SBL_CUDA_KERNELS "/" name ".cu\"\n"
__asm__(
    ".section .rodata\n"
    ".hidden sbl_cuda_source\n.globl sbl_cuda_source\n"
    ".hidden sbl_cuda_source_end\n.globl sbl_cuda_source_end\n"
    "sbl_cuda_source:\n" KERNEL_FILE("common") KERNEL_FILE("pointwise") KERNEL_FILE("unfold")
        KERNEL_FILE("tensor") KERNEL_FILE("conv") KERNEL_FILE("conv_few") KERNEL_FILE("norm") KERNEL_FILE("resample") KERNEL_FILE("images")
            KERNEL_FILE("fourier") KERNEL_FILE("hermite") KERNEL_FILE("points") KERNEL_FILE("moments")
    ".byte 0\nsbl_cuda_source_end:\n"
    ".byte 0\n.previous\n");

/* FNV-1a, 64 bits: names files, and tells a torn one. */
static uint64_t hash_of(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Where the code of this source, compiler and device is kept; false: nowhere. */
static bool cache_name(char *path, size_t size, const cuda_api *api, const cuda_target *target,
                       const char *cache)
{
    int numbers[5] = {target->major, target->minor, target->tf32, 0, 0};
    if (cache == NULL || api->compiler_version(&numbers[3], &numbers[4]) != 0) return false;
    uint64_t hash = hash_of(HASH_START, sbl_cuda_source, (size_t)(sbl_cuda_source_end - sbl_cuda_source));
    hash = hash_of(hash, numbers, sizeof numbers);
    const int length =
        snprintf(path, size, "%s/semblance-cuda-%016llx.cubin", cache, (unsigned long long)hash);
    return length > 0 && (size_t)length < size;
}

/* The code behind its size and hash; NULL: there is none that is whole. */
static char *read_cached(const char *path)
{
    uint64_t head[2];
    char *code = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    if (fread(head, sizeof head, 1, file) == 1 && head[0] > 0 && head[0] < (uint64_t)1 << 28)
        code = malloc((size_t)head[0]);
    if (code != NULL && (fread(code, (size_t)head[0], 1, file) != 1 || fgetc(file) != EOF ||
                         hash_of(HASH_START, code, (size_t)head[0]) != head[1])) {
        free(code);
        code = NULL;
    }
    (void)fclose(file);
    return code;
}

/* A cache that cannot be written does no harm. */
static void write_cached(const char *path, const char *code, size_t size)
{
    const uint64_t head[2] = {size, hash_of(HASH_START, code, size)};
    char aside[4200];
    if (snprintf(aside, sizeof aside, "%s.%ld", path, (long)getpid()) >= (int)sizeof aside) return;
    FILE *file = fopen(aside, "wb");
    if (file == NULL) return;
    const bool whole = fwrite(head, sizeof head, 1, file) == 1 && fwrite(code, size, 1, file) == 1;
    if (fclose(file) != 0 || !whole || rename(aside, path) != 0) (void)unlink(aside);
}

/* The compiler's reason, its first line. */
static sbl_status say_log(const cuda_api *api, cuda_handle program, sbl_error *err)
{
    size_t size = 0;
    char *text = NULL;
    if (api->log_size(program, &size) == 0 && size > 0) text = calloc(size + 1, 1);
    if (text != NULL) {
        (void)api->log_text(program, text);
        text[strcspn(text, "\r\n")] = '\0';
    }
    const sbl_status status = cuda_fail(err, SBL_EINPUT, "NVRTC cannot compile the kernels: %.300s",
                                        text != NULL ? text : "it gave no reason");
    free(text);
    return status;
}

static sbl_status compile(char **code, size_t *size, const cuda_api *api, const cuda_target *target,
                          sbl_error *err)
{
    char kind[40];
    const char *options[] = {kind, "-std=c++17", target->tf32 ? "-DTENSOR=1" : "-DTENSOR=0"};
    cuda_handle program = NULL;
    sbl_status status = SBL_OK;
    (void)snprintf(kind, sizeof kind, "-arch=sm_%d%d", target->major, target->minor);
    if (api->program_create(&program, sbl_cuda_source, "kernels.cu", 0, NULL, NULL) != 0)
        return cuda_fail(err, SBL_EMEM, "out of memory for CUDA kernels");
    if (api->program_compile(program, 3, options) != 0)
        status = say_log(api, program, err);
    else if (api->program_size(program, size) != 0 || *size == 0)
        status = cuda_fail(err, SBL_EINPUT, "NVRTC produced no code for this device: update CUDA");
    else if ((*code = malloc(*size)) == NULL || api->program_code(program, *code) != 0)
        status = cuda_fail(err, SBL_EMEM, "out of memory for CUDA kernels");
    (void)api->program_destroy(&program);
    return status;
}

sbl_status cuda_compile(char **code, const cuda_api *api, const cuda_target *target, const char *cache,
                        sbl_error *err)
{
    char path[4096];
    size_t size = 0;
    const bool kept = cache_name(path, sizeof path, api, target, cache);
    *code = kept ? read_cached(path) : NULL;
    if (*code != NULL) return SBL_OK;
    const sbl_status status = compile(code, &size, api, target, err);
    if (status == SBL_OK && kept) write_cached(path, *code, size);
    if (status != SBL_OK) {
        free(*code);
        *code = NULL;
    }
    return status;
}
