/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: header, data and digest are put together in memory and written as one atomic file.
 * The digest covers the canonical header without itself, then the data. */
#include "base/tensors/safetensors.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
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

/* Our own files: what the reader of any file accepts, with a good digest, and of rank 1 or 2. */

#define FILE_LIMIT ((size_t)1 << 32)

static sbl_status damaged(sbl_error *err, const char *where)
{
    return sbl_fail(err, SBL_EINPUT,
                    "%s: the model file is cut short, was edited, or is not a Semblance model", where);
}

/* Values must lie on multiples of their size, as they are used where they lie. */
static bool take_tensor(sbl_safetensors *file, const sbl_foreign_tensor *from)
{
    sbl_tensor *tensor = &file->tensors[file->count];
    const size_t length = strlen(from->name);
    if (from->rank > SBL_TENSOR_MAX_RANK || length >= sizeof tensor->name ||
        from->begin % sbl_tensor_value_size(from->type) != 0)
        return false;
    *tensor = (sbl_tensor){.rank = from->rank,
                           .shape = {from->shape[0], from->rank == 2 ? from->shape[1] : 0},
                           .data = (char *)file->data + from->begin,
                           .type = from->type};
    memcpy(tensor->name, from->name, length);
    file->count++;
    return true;
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
    sbl_tensor_file any;
    char digest[SBL_SHA256_TEXT_SIZE];
    *file = (sbl_safetensors){0};
    sbl_status status = sbl_tensor_file_decode(&any, bytes, size, true, where, NULL);
    if (status != SBL_OK) return status == SBL_EMEM ? sbl_no_memory(err, where) : damaged(err, where);
    json_t *metadata = json_object_get(any.header, "__metadata__");
    const char *stored = sbl_tensor_file_text(&any, SBL_SAFETENSORS_DIGEST);
    bool good = stored != NULL && all_strings(metadata);
    if (!good) goto done;
    SBL_TRY(sbl_safetensors_digest(digest, any.header, any.data, any.data_size, err));
    good = strcmp(stored, digest) == 0;
    if (!good) goto done;
    SBL_ALLOC(file->tensors, any.count, where);
    file->data = sbl_alloc_array(any.data_size, 1);
    if (file->data == NULL) SBL_TRY(sbl_no_memory(err, where));
    memcpy(file->data, any.data, any.data_size);
    for (size_t i = 0; good && i < any.count; i++) good = take_tensor(file, &any.tensors[i]);
    file->metadata = json_incref(metadata);
done:
    sbl_tensor_file_clear(&any);
    if (status == SBL_OK && !good) status = damaged(err, where);
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

static const sbl_tensor *find_named(const sbl_safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
    return NULL;
}

size_t sbl_safetensors_length(const sbl_safetensors *file, const char *name)
{
    const sbl_tensor *tensor = find_named(file, name);
    return tensor != NULL ? tensor->shape[0] : 0;
}

const sbl_tensor *sbl_safetensors_find(const sbl_safetensors *file, const char *name, sbl_tensor_type type,
                                       size_t rows, size_t columns)
{
    const sbl_tensor *tensor = find_named(file, name);
    const bool fits = tensor != NULL && tensor->type == type && tensor->rank == (columns ? 2u : 1u) &&
                      tensor->shape[0] == rows && (!columns || tensor->shape[1] == columns);
    return fits ? tensor : NULL;
}

sbl_status sbl_safetensors_read(const sbl_safetensors *file, const sbl_tensor *tensors, size_t count,
                                const char *where, sbl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const sbl_tensor *to = &tensors[i];
        if (sbl_safetensors_find(file, to->name, to->type, to->shape[0], to->shape[1]) == NULL)
            return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or has the wrong shape", where,
                            to->name);
    }
    for (size_t i = 0; i < count; i++)
        if (tensor_bytes(&tensors[i]) > 0)
            memcpy(tensors[i].data, find_named(file, tensors[i].name)->data, tensor_bytes(&tensors[i]));
    return SBL_OK;
}

sbl_status sbl_tensor_impossible(const char *where, const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' of the model is invalid", where, name);
}

bool sbl_all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}
