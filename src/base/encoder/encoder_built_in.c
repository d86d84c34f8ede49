/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders by name: a file, or the one that is part of the library, vgg-s.safetensors, byte for byte. It was trained for this
 * project on CIFAR-10; its metadata says so. */
#include "base/encoder/encoder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

#define FILE_LIMIT ((size_t)1 << 30) /* VGG 19 with its classifier takes 548 MiB */

/* SBL_VGG_S is the file's path when this is compiled (CMakeLists.txt). */
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".hidden sbl_vgg_s_bytes\n"
    ".global sbl_vgg_s_bytes\n"
    "sbl_vgg_s_bytes:\n"
    ".incbin \"" SBL_VGG_S
    "\"\n"
    ".hidden sbl_vgg_s_end\n"
    ".global sbl_vgg_s_end\n"
    "sbl_vgg_s_end:\n"
    ".byte 0\n"
    ".previous\n");

extern const uint8_t sbl_vgg_s_bytes[] __attribute__((visibility("hidden")));
extern const uint8_t sbl_vgg_s_end[] __attribute__((visibility("hidden")));

static size_t size_of_file(void) { return (size_t)((uintptr_t)sbl_vgg_s_end - (uintptr_t)sbl_vgg_s_bytes); }

sbl_status sbl_encoder_built_in(sbl_encoder **encoder, size_t side, sbl_error *err)
{
    return sbl_encoder_decode(encoder, sbl_vgg_s_bytes, size_of_file(), "vgg-s.safetensors", side, err);
}

sbl_status sbl_encoder_is_built_in(bool *found, const char *hash, sbl_error *err)
{
    uint8_t digest[SBL_SHA256_SIZE];
    char text[SBL_SHA256_TEXT_SIZE];
    *found = false;
    const sbl_status status = sbl_sha256(digest, sbl_vgg_s_bytes, size_of_file(), NULL, 0, err);
    if (status != SBL_OK) return status;
    sbl_hex_encode(text, digest, sizeof digest);
    *found = strcmp(text, hash) == 0;
    return SBL_OK;
}

sbl_status sbl_encoder_load(sbl_encoder **encoder, const char *path, size_t side, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    *encoder = NULL;
    if (strcmp(path, SBL_ENCODER_BUILT_IN) == 0) return sbl_encoder_built_in(encoder, side, err);
    sbl_status status = sbl_file_read(&bytes, &size, path, FILE_LIMIT, err);
    if (status == SBL_OK) status = sbl_encoder_decode(encoder, bytes, size, path, side, err);
    sbl_free(bytes);
    return status;
}
