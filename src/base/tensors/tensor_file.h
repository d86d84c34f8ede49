/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of the safetensors format, for files that others wrote and for our own (safetensors.h): 8-byte header
 * length, JSON header, data. Everything is checked: lengths, shapes, and that the tensors fill the data without gap or
 * overlap, as the format demands. */
#ifndef SBL_TENSORS_TENSOR_FILE_H
#define SBL_TENSORS_TENSOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

#define SBL_FOREIGN_MAX_RANK 4

typedef enum sbl_tensor_type {
    SBL_TENSOR_F32,
    SBL_TENSOR_U16, /* in our own files only, as U32 */
    SBL_TENSOR_U32,
    SBL_TENSOR_F16, /* in files of others only, as those that follow */
    SBL_TENSOR_BF16,
    SBL_TENSOR_I64 /* counters, of rank 0 too: are passed over */
} sbl_tensor_type;

/* Bytes of one value. */
size_t sbl_tensor_value_size(sbl_tensor_type type);
/* The name that the format has for it. */
const char *sbl_tensor_type_name(sbl_tensor_type type);

typedef struct sbl_foreign_tensor {
    const char *name;
    sbl_tensor_type type;
    size_t rank;                        /* 0 for int64 only */
    size_t shape[SBL_FOREIGN_MAX_RANK]; /* 1 beyond the rank */
    size_t count;                       /* of numbers */
    size_t begin;                       /* in the data */
    const uint8_t *bytes;
} sbl_foreign_tensor;

typedef struct sbl_tensor_file {
    json_t *header;
    const json_t *metadata; /* of header; NULL without */
    const uint8_t *data;
    size_t data_size;
    sbl_foreign_tensor *tensors;
    size_t count;
} sbl_tensor_file;

/* In:      bytes  borrowed until the file is cleared
 *          ours   its types are those of our files, else those of others
 *          where  a path, for messages
 * Returns: SBL_OK; SBL_EINPUT if it is not such a file; SBL_EMEM
 * Owner:   the caller, sbl_tensor_file_clear() */
sbl_status sbl_tensor_file_decode(sbl_tensor_file *file, const uint8_t *bytes, size_t size, bool ours,
                                  const char *where, sbl_error *err);
void sbl_tensor_file_clear(sbl_tensor_file *file);

/* NULL when there is none of that name. */
const sbl_foreign_tensor *sbl_tensor_file_find(const sbl_tensor_file *file, const char *name);
/* A text of the metadata, or NULL. */
const char *sbl_tensor_file_text(const sbl_tensor_file *file, const char *name);

/* The numbers in order, values (tensor->count). False when one of them is not finite, or the type
 * is not of numbers with a fraction. */
bool sbl_foreign_tensor_read(float *values, const sbl_foreign_tensor *tensor);

#endif
