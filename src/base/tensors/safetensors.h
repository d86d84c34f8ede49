/* SPDX-License-Identifier: Apache-2.0 */
/* Files of named tensors (float32, uint16, uint32) with text metadata, in the safetensors format
 * (8-byte header length, JSON header, data), readable by the Python package of that name.
 *
 * What is written carries the SHA-256 of the data and of all other metadata as one more metadata
 * entry, so that a file that was cut short or edited is refused. */
#ifndef SBL_TENSORS_SAFETENSORS_H
#define SBL_TENSORS_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/store/store.h"
#include "base/tensors/tensor_file.h"

#define SBL_TENSOR_NAME_SIZE 48
#define SBL_TENSOR_MAX_RANK 2

/* F32, U16 or U32. */
typedef struct sbl_tensor {
    char name[SBL_TENSOR_NAME_SIZE];
    size_t rank; /* 1 or 2 */
    size_t shape[SBL_TENSOR_MAX_RANK];
    void *data; /* borrowed by the writer, which reads it, and by sbl_safetensors_read, which fills it */
    sbl_tensor_type type;
} sbl_tensor;

/* metadata: an object of strings, borrowed; "semblance.sha256" is added. Tensors of 4-byte values
 * come before those of 2, so that all lie on whole values. */
sbl_status sbl_safetensors_save(sbl_store_entry to, const sbl_tensor *tensors, size_t count,
                                const json_t *metadata, bool overwrite, sbl_error *err);

typedef struct sbl_safetensors {
    sbl_tensor *tensors;
    size_t count;
    json_t *metadata; /* object of strings */
    void *data;
} sbl_safetensors;

/* Refuses what is truncated, edited, of another type or not written by us. */
sbl_status sbl_safetensors_load(sbl_safetensors *file, sbl_store_entry from, sbl_error *err);
/* The part of loading without the file (fuzzed). */
sbl_status sbl_safetensors_decode(sbl_safetensors *file, const uint8_t *bytes, size_t size, const char *where,
                                  sbl_error *err);
void sbl_safetensors_clear(sbl_safetensors *file);
/* NULL when there is none of that name and type with that shape (columns 0: rank 1). */
const sbl_tensor *sbl_safetensors_find(const sbl_safetensors *file, const char *name, sbl_tensor_type type,
                                       size_t rows, size_t columns);

/* The length of its first dimension; 0 when there is none of that name. */
size_t sbl_safetensors_length(const sbl_safetensors *file, const char *name);

/* Fills the data of all these tensors. SBL_EINPUT, and nothing is filled, when one is missing or of another shape. */
sbl_status sbl_safetensors_read(const sbl_safetensors *file, const sbl_tensor *tensors, size_t count,
                                const char *where, sbl_error *err);
/* SBL_EINPUT: the numbers of that tensor are not those of a model. */
sbl_status sbl_tensor_impossible(const char *where, const char *name, sbl_error *err);
bool sbl_all_finite(const float *values, size_t count);

/* Digest of metadata without its own entry, then data; shared by writer and reader. */
#define SBL_SAFETENSORS_DIGEST "semblance.sha256"
sbl_status sbl_safetensors_digest(char text[SBL_SHA256_TEXT_SIZE], const json_t *header, const void *data,
                                  size_t size, sbl_error *err);

#endif
