/* The reader of our own files. The digest is checked before any tensor of the header is believed;
 * then each tensor's type, shape and offsets must fit the data, and together fill it. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "tensors/safetensors.h"

#define FILE_LIMIT ((size_t)1 << 32)
#define HEADER_LIMIT ((size_t)64 << 20)

static sbl_status damaged(sbl_error *err, const char *where)
{
    return sbl_fail(err, SBL_EINPUT, "%s: the model file is cut short, edited or not one of ours",
                    where);
}

static bool read_type(sbl_tensor_type *type, const char *name)
{
    for (int t = SBL_TENSOR_F32; name && t <= SBL_TENSOR_U32; t++) {
        *type = (sbl_tensor_type)t;
        if (strcmp(name, sbl_tensor_type_name(*type)) == 0) return true;
    }
    return false;
}

/* One entry of the header: a known type, rank 1 or 2, offsets that continue at *next. */
static bool read_tensor(sbl_tensor *tensor, size_t *next, size_t data_size, const char *name,
                        const json_t *entry)
{
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    const json_t *shape = json_object_get(entry, "shape");
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t values = 1;
    const size_t length_of_name = strlen(name);
    if (!read_type(&tensor->type, dtype) || length_of_name >= sizeof tensor->name) return false;
    const size_t size = sbl_tensor_value_size(tensor->type);
    memcpy(tensor->name, name, length_of_name + 1);
    tensor->rank = json_array_size(shape);
    if (tensor->rank < 1 || tensor->rank > SBL_TENSOR_MAX_RANK) return false;
    for (size_t i = 0; i < tensor->rank; i++) {
        json_int_t length = json_integer_value(json_array_get(shape, i));
        if (length < 0 || !sbl_size_mul(&values, values, (size_t)length)) return false;
        tensor->shape[i] = (size_t)length;
    }
    json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    json_int_t end = json_integer_value(json_array_get(offsets, 1));
    if (json_array_size(offsets) != 2 || begin < 0 || end < begin || (size_t)end > data_size ||
        values > data_size / size)
        return false;
    *next += values * size;
    return (size_t)(end - begin) == values * size && (size_t)begin % size == 0;
}

static bool read_tensors(sbl_safetensors *file, const json_t *header, size_t data_size)
{
    const char *name;
    json_t *entry;
    size_t total = 0;
    json_object_foreach((json_t *)header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        sbl_tensor *tensor = &file->tensors[file->count];
        if (!read_tensor(tensor, &total, data_size, name, entry)) return false;
        size_t begin =
            (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 0));
        tensor->data = (char *)file->data + begin;
        file->count++;
    }
    return total == data_size;
}

static bool all_strings(const json_t *metadata)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)metadata, name, value) if (!json_is_string(value)) return false;
    return json_is_object(metadata);
}

sbl_status sbl_safetensors_decode(sbl_safetensors *file, const uint8_t *bytes, size_t size,
                                  const char *where, sbl_error *err)
{
    json_t *header = NULL;
    char digest[SBL_SHA256_TEXT_SIZE];
    uint64_t length = 0;
    sbl_status status;
    *file = (sbl_safetensors){0};
    if (size < 8) return damaged(err, where);
    for (int i = 7; i >= 0; i--) length = length << 8 | bytes[i];
    if (length > HEADER_LIMIT || length > size - 8) return damaged(err, where);
    size_t data_size = size - 8 - (size_t)length;
    status = sbl_json_parse(&header, (const char *)bytes + 8, (size_t)length, where, NULL);
    if (status != SBL_OK) return damaged(err, where);
    json_t *metadata = json_object_get(header, "__metadata__");
    const char *stored = json_string_value(json_object_get(metadata, SBL_SAFETENSORS_DIGEST));
    if (!stored || !all_strings(metadata)) goto refuse;
    SBL_TRY(sbl_safetensors_digest(digest, header, bytes + 8 + length, data_size, err));
    if (strcmp(stored, digest) != 0) goto refuse;
    file->tensors = sbl_alloc_array(json_object_size(header), sizeof *file->tensors);
    file->data = sbl_alloc_array(data_size, 1);
    if (!file->tensors || !file->data) SBL_FAIL(err, SBL_EMEM, "out of memory for %s", where);
    memcpy(file->data, bytes + 8 + length, data_size);
    if (!read_tensors(file, header, data_size)) goto refuse;
    file->metadata = json_incref(metadata);
    goto done;
refuse:
    status = damaged(err, where);
done:
    json_decref(header);
    if (status != SBL_OK) sbl_safetensors_clear(file);
    return status;
}

sbl_status sbl_safetensors_load(sbl_safetensors *file, sbl_item from, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    *file = (sbl_safetensors){0};
    sbl_status status = sbl_item_read(&bytes, &size, from, FILE_LIMIT, err);
    if (status == SBL_OK) status = sbl_safetensors_decode(file, bytes, size, from.name, err);
    sbl_free(bytes);
    return status;
}

void sbl_safetensors_clear(sbl_safetensors *file)
{
    sbl_free(file->tensors);
    sbl_free(file->data);
    json_decref(file->metadata);
    *file = (sbl_safetensors){0};
}

const sbl_tensor *sbl_safetensors_find(const sbl_safetensors *file, const char *name, size_t rows,
                                       size_t columns)
{
    return sbl_safetensors_find_type(file, name, SBL_TENSOR_F32, rows, columns);
}

const sbl_tensor *sbl_safetensors_find_type(const sbl_safetensors *file, const char *name,
                                            sbl_tensor_type type, size_t rows, size_t columns)
{
    for (size_t i = 0; i < file->count; i++) {
        const sbl_tensor *tensor = &file->tensors[i];
        if (strcmp(tensor->name, name) != 0) continue;
        bool fits = tensor->type == type && tensor->rank == (columns ? 2u : 1u) &&
                    tensor->shape[0] == rows && (!columns || tensor->shape[1] == columns);
        return fits ? tensor : NULL;
    }
    return NULL;
}

sbl_status sbl_safetensors_get(float *values, const sbl_safetensors *file, const char *name,
                               size_t rows, size_t columns, const char *where, sbl_error *err)
{
    const sbl_tensor *tensor = sbl_safetensors_find(file, name, rows, columns);
    if (tensor == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape", where,
                        name);
    memcpy(values, tensor->data, rows * (columns != 0 ? columns : 1) * sizeof *values);
    return SBL_OK;
}
