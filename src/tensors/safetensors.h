/* Files of named float32 tensors with text metadata, in the safetensors format (8-byte header
 * length, JSON header, data), readable by the Python package of that name.
 *
 * What is written carries the SHA-256 of the data and of all other metadata as one more metadata
 * entry, so that a file that was cut short or edited is refused. */
#ifndef SBL_MODEL_SAFETENSORS_H
#define SBL_MODEL_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/status.h"

#define SBL_TENSOR_NAME_SIZE 48
#define SBL_TENSOR_MAX_RANK 2

typedef struct sbl_tensor {
    char name[SBL_TENSOR_NAME_SIZE];
    size_t rank; /* 1 or 2 */
    size_t shape[SBL_TENSOR_MAX_RANK];
    float *data; /* borrowed by the writer; inside the reader's buffer */
} sbl_tensor;

/* metadata: an object of strings, borrowed; "semblance.sha256" is added. */
sbl_status sbl_safetensors_save(const char *path, const sbl_tensor *tensors, size_t count,
                                const json_t *metadata, bool overwrite, sbl_error *err);

typedef struct sbl_safetensors {
    sbl_tensor *tensors;
    size_t count;
    json_t *metadata; /* object of strings */
    float *data;
} sbl_safetensors;

/* Refuses what is truncated, edited, of another type than float32 or not written by us. */
sbl_status sbl_safetensors_load(sbl_safetensors *file, const char *path, sbl_error *err);
/* The part of loading without the file (fuzzed). */
sbl_status sbl_safetensors_decode(sbl_safetensors *file, const uint8_t *bytes, size_t size,
                                  const char *where, sbl_error *err);
void sbl_safetensors_clear(sbl_safetensors *file);
/* NULL when there is none of that name with that shape (columns 0: rank 1). */
const sbl_tensor *sbl_safetensors_find(const sbl_safetensors *file, const char *name, size_t rows,
                                       size_t columns);

/* Digest of metadata without its own entry, then data; shared by writer and reader. */
#define SBL_SAFETENSORS_DIGEST "semblance.sha256"
sbl_status sbl_safetensors_digest(char text[SBL_SHA256_TEXT_SIZE], const json_t *header,
                                  const void *data, size_t size, sbl_error *err);

#endif
