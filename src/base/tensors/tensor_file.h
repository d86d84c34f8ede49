/* Files of tensors in the safetensors format that others wrote: float32, float16 and bfloat16, rank
 * 1 to 4, and counters (int64, rank 0 too) that are passed over; text metadata. Nothing vouches for them, so everything is checked: lengths, shapes, and that the
 * tensors fill the data without gap or overlap, as the format demands. Our own models have a
 * stricter reader (safetensors.h). */
#ifndef SBL_TENSORS_TENSOR_FILE_H
#define SBL_TENSORS_TENSOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"

#define SBL_FOREIGN_MAX_RANK 4

typedef enum sbl_foreign_type {
    SBL_FOREIGN_F32,
    SBL_FOREIGN_F16,
    SBL_FOREIGN_BF16,
    SBL_FOREIGN_I64 /* cannot be read */
} sbl_foreign_type;

typedef struct sbl_foreign_tensor {
    const char *name;
    sbl_foreign_type type;
    size_t rank;                        /* 0 for int64 only */
    size_t shape[SBL_FOREIGN_MAX_RANK]; /* 1 beyond the rank */
    size_t count;                       /* of numbers */
    size_t begin;                       /* in the data */
    const uint8_t *bytes;
} sbl_foreign_tensor;

typedef struct sbl_tensor_file {
    json_t *header;
    const json_t *metadata; /* of header; NULL without */
    sbl_foreign_tensor *tensors;
    size_t count;
} sbl_tensor_file;

/* In:      bytes  borrowed until the file is cleared
 *          where  a path, for messages
 * Returns: SBL_OK; SBL_EINPUT for what is no such file; SBL_EMEM
 * Owner:   the caller, sbl_tensor_file_clear() */
sbl_status sbl_tensor_file_decode(sbl_tensor_file *file, const uint8_t *bytes, size_t size, const char *where,
                                  sbl_error *err);
void sbl_tensor_file_clear(sbl_tensor_file *file);

/* NULL when there is none of that name. */
const sbl_foreign_tensor *sbl_tensor_file_find(const sbl_tensor_file *file, const char *name);
/* A text of the metadata, or NULL. */
const char *sbl_tensor_file_text(const sbl_tensor_file *file, const char *name);

/* The numbers in order, values (tensor->count). False when one of them is not finite, or the type
 * is not of numbers with a fraction. */
bool sbl_foreign_tensor_read(float *values, const sbl_foreign_tensor *tensor);

#endif
