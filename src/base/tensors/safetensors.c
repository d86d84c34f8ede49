/* The writer: header, data and digest are put together in memory and written as one atomic file.
 * The digest covers the canonical header without itself, then the data. */
#include "base/tensors/safetensors.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/size.h"
#include "base/text.h"

/* The header as it would stand without the digest. */
static json_t *without_digest(const json_t *header)
{
    json_t *copy = sbl_json_copy(header);
    json_t *metadata = sbl_json_copy(json_object_get(header, "__metadata__"));
    if (metadata != NULL) (void)json_object_del(metadata, SBL_SAFETENSORS_DIGEST);
    if (json_object_set_new(copy, "__metadata__", metadata) == 0) return copy;
    json_decref(copy);
    return NULL;
}

/* The digest covers that header, and the data. */
sbl_status sbl_safetensors_digest(char text[SBL_SHA256_TEXT_SIZE], const json_t *header, const void *data,
                                  size_t size, sbl_error *err)
{
    uint8_t digest[SBL_SHA256_SIZE];
    sbl_status status = SBL_EMEM;
    json_t *copy = without_digest(header);
    char *canonical = copy ? sbl_json_canonical(copy) : NULL;
    if (!canonical) SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_TRY(sbl_sha256(digest, canonical, strlen(canonical), data, size, err));
    sbl_hex_encode(text, digest, sizeof digest);
done:
    sbl_free(canonical);
    json_decref(copy);
    return status;
}

size_t sbl_tensor_value_size(sbl_tensor_type type) { return type == SBL_TENSOR_U16 ? 2 : 4; }

const char *sbl_tensor_type_name(sbl_tensor_type type)
{
    static const char *const names[] = {"F32", "U16", "U32"};
    return names[type];
}

static size_t tensor_bytes(const sbl_tensor *tensor)
{
    return tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1) *
           sbl_tensor_value_size(tensor->type);
}

static bool add_tensor(json_t *header, const sbl_tensor *tensor, size_t begin, size_t end)
{
    json_t *shape = tensor->rank == 2
                        ? json_pack("[I, I]", (json_int_t)tensor->shape[0], (json_int_t)tensor->shape[1])
                        : json_pack("[I]", (json_int_t)tensor->shape[0]);
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", sbl_tensor_type_name(tensor->type), "shape",
                              shape, "data_offsets", (json_int_t)begin, (json_int_t)end);
    return json_object_set_new(header, tensor->name, entry) == 0;
}

/* Tensors lie by the size of their values, the larger first, so that all are aligned; in the order
 * in which they were given among equals. The i-th of them. */
static const sbl_tensor *tensor_at(const sbl_tensor *tensors, size_t count, size_t i)
{
    for (size_t size = 4; size >= 2; size /= 2)
        for (size_t t = 0; t < count; t++)
            if (sbl_tensor_value_size(tensors[t].type) == size && i-- == 0) return &tensors[t];
    return NULL; /* past the last */
}

static json_t *make_header(size_t *size, const sbl_tensor *tensors, size_t count, const json_t *metadata)
{
    json_t *header = json_object();
    bool good = header && json_object_set_new(header, "__metadata__", sbl_json_copy(metadata)) == 0;
    size_t end = 0;
    for (size_t i = 0; good && i < count; i++) {
        const sbl_tensor *tensor = tensor_at(tensors, count, i);
        size_t begin = end;
        end += tensor_bytes(tensor);
        good = add_tensor(header, tensor, begin, end);
    }
    *size = end;
    if (good) return header;
    json_decref(header);
    return NULL;
}

/* Length, header padded with spaces to 8 bytes, data. */
static uint8_t *assemble(size_t *size, const char *text, const uint8_t *data, size_t data_size)
{
    size_t length = strlen(text), padded = (length + 7) / 8 * 8;
    *size = 8 + padded + data_size;
    uint8_t *bytes = sbl_alloc_array(*size, 1);
    if (!bytes) return NULL;
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)((uint64_t)padded >> (8 * i));
    memset(bytes + 8, ' ', padded);
    memcpy(bytes + 8, text, length);
    memcpy(bytes + 8 + padded, data, data_size);
    return bytes;
}

static void gather(uint8_t *data, const sbl_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const sbl_tensor *tensor = tensor_at(tensors, count, i);
        const size_t size = tensor_bytes(tensor);
        if (size > 0) memcpy(data, tensor->data, size); /* one without elements may have no data */
        data += size;
    }
}

sbl_status sbl_safetensors_save(sbl_store_entry to, const sbl_tensor *tensors, size_t count,
                                const json_t *metadata, bool overwrite, sbl_error *err)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    size_t data_size = 0, size = 0;
    uint8_t *data = NULL, *bytes = NULL;
    char *text = NULL;
    sbl_status status = SBL_OK;
    json_t *header = make_header(&data_size, tensors, count, metadata);
    if (header == NULL) SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_ALLOC(data, data_size, "a model file");
    gather(data, tensors, count);
    SBL_TRY(sbl_safetensors_digest(digest, header, data, data_size, err));
    if (json_object_set_new(json_object_get(header, "__metadata__"), SBL_SAFETENSORS_DIGEST,
                            json_string(digest)) == 0)
        text = sbl_json_canonical(header);
    bytes = text ? assemble(&size, text, data, data_size) : NULL;
    if (bytes == NULL) SBL_TRY(sbl_no_memory(err, "a model file"));
    SBL_TRY(sbl_store_entry_write(to, bytes, size,
                                  (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
done:
    json_decref(header);
    sbl_free(text);
    sbl_free(data);
    sbl_free(bytes);
    return status;
}

/* The reader of our own files. The digest is checked before any tensor of the header is believed;
 * then each tensor's type, shape and offsets must fit the data, and together fill it. */

#define FILE_LIMIT ((size_t)1 << 32)
#define HEADER_LIMIT ((size_t)64 << 20)

static sbl_status damaged(sbl_error *err, const char *where)
{
    return sbl_fail(err, SBL_EINPUT, "%s: the model file is cut short, edited or not one of ours", where);
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
        size_t begin = (size_t)json_integer_value(json_array_get(json_object_get(entry, "data_offsets"), 0));
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

sbl_status sbl_safetensors_decode(sbl_safetensors *file, const uint8_t *bytes, size_t size, const char *where,
                                  sbl_error *err)
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
    SBL_ALLOC(file->tensors, json_object_size(header), where);
    file->data = sbl_alloc_array(data_size, 1);
    if (file->data == NULL) SBL_TRY(sbl_no_memory(err, where));
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

sbl_status sbl_safetensors_load(sbl_safetensors *file, sbl_store_entry from, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    *file = (sbl_safetensors){0};
    sbl_status status = sbl_store_entry_read(&bytes, &size, from, FILE_LIMIT, err);
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

const sbl_tensor *sbl_safetensors_find(const sbl_safetensors *file, const char *name, sbl_tensor_type type,
                                       size_t rows, size_t columns)
{
    for (size_t i = 0; i < file->count; i++) {
        const sbl_tensor *tensor = &file->tensors[i];
        if (strcmp(tensor->name, name) != 0) continue;
        bool fits = tensor->type == type && tensor->rank == (columns ? 2u : 1u) && tensor->shape[0] == rows &&
                    (!columns || tensor->shape[1] == columns);
        return fits ? tensor : NULL;
    }
    return NULL;
}

sbl_status sbl_safetensors_get(float *values, const sbl_safetensors *file, const char *name, size_t rows,
                               size_t columns, const char *where, sbl_error *err)
{
    const sbl_tensor *tensor = sbl_safetensors_find(file, name, SBL_TENSOR_F32, rows, columns);
    if (tensor == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape", where, name);
    memcpy(values, tensor->data, rows * (columns != 0 ? columns : 1) * sizeof *values);
    return SBL_OK;
}
