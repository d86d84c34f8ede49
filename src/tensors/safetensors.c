/* The writer: header, data and digest are put together in memory and written as one atomic file.
 * The digest covers the canonical header without itself, then the data. */
#include "tensors/safetensors.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
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
sbl_status sbl_safetensors_digest(char text[SBL_SHA256_TEXT_SIZE], const json_t *header,
                                  const void *data, size_t size, sbl_error *err)
{
    uint8_t digest[SBL_SHA256_SIZE];
    sbl_status status = SBL_EMEM;
    json_t *copy = without_digest(header);
    char *canonical = copy ? sbl_json_canonical(copy) : NULL;
    if (!canonical) SBL_FAIL(err, SBL_EMEM, "out of memory for a model file");
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
    json_t *shape = tensor->rank == 2 ? json_pack("[I, I]", (json_int_t)tensor->shape[0],
                                                  (json_int_t)tensor->shape[1])
                                      : json_pack("[I]", (json_int_t)tensor->shape[0]);
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", sbl_tensor_type_name(tensor->type),
                              "shape", shape, "data_offsets", (json_int_t)begin, (json_int_t)end);
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

static json_t *make_header(size_t *size, const sbl_tensor *tensors, size_t count,
                           const json_t *metadata)
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

sbl_status sbl_safetensors_save(sbl_item to, const sbl_tensor *tensors, size_t count,
                                const json_t *metadata, bool overwrite, sbl_error *err)
{
    char digest[SBL_SHA256_TEXT_SIZE];
    size_t data_size = 0, size;
    uint8_t *data = NULL, *bytes = NULL;
    char *text = NULL;
    sbl_status status = SBL_EMEM;
    json_t *header = make_header(&data_size, tensors, count, metadata);
    data = sbl_alloc_array(data_size, 1);
    if (!header || !data) goto memory;
    gather(data, tensors, count);
    SBL_TRY(sbl_safetensors_digest(digest, header, data, data_size, err));
    if (json_object_set_new(json_object_get(header, "__metadata__"), SBL_SAFETENSORS_DIGEST,
                            json_string(digest)) != 0)
        goto memory;
    text = sbl_json_canonical(header);
    bytes = text ? assemble(&size, text, data, data_size) : NULL;
    if (!bytes) goto memory;
    SBL_TRY(sbl_item_write(to, bytes, size,
                           (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
    goto done;
memory:
    status = sbl_fail(err, SBL_EMEM, "out of memory for a model file");
done:
    json_decref(header);
    sbl_free(text);
    sbl_free(data);
    sbl_free(bytes);
    return status;
}
