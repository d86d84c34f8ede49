/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as views into the caller's bytes. Nothing is trusted:
 * sorted by their offsets, the tensors must follow one another without gap or overlap. float16 and
 * bfloat16 become float32 on reading; an infinity or NaN is refused. */
#include "base/tensors/tensor_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/size.h"

#define LENGTH_SIZE 8

/* By sbl_tensor_type. */
static const struct {
    const char *name;
    size_t size;
    bool of_ours, of_others;
} types[] = {{"F32", 4, true, true},  {"U16", 2, true, false},  {"U32", 4, true, false},
             {"F16", 2, false, true}, {"BF16", 2, false, true}, {"I64", 8, false, true}};

size_t sbl_tensor_value_size(sbl_tensor_type type) { return types[type].size; }

const char *sbl_tensor_type_name(sbl_tensor_type type) { return types[type].name; }

static sbl_status refuse(sbl_error *err, const char *where, const char *what)
{
    return sbl_fail(err, SBL_EINPUT, "%s: %s", where, what);
}

/* A whole number that a size can hold, or false. */
static bool read_whole(size_t *value, const json_t *json)
{
    const json_int_t whole = json_integer_value(json);
    if (!json_is_integer(json) || whole < 0) return false;
    *value = (size_t)whole;
    return true;
}

static bool read_shape(sbl_foreign_tensor *tensor, const json_t *shape)
{
    tensor->rank = json_array_size(shape);
    tensor->count = 1;
    if (!json_is_array(shape) || (tensor->rank < 1 && tensor->type != SBL_TENSOR_I64) ||
        tensor->rank > SBL_FOREIGN_MAX_RANK)
        return false;
    for (size_t i = 0; i < SBL_FOREIGN_MAX_RANK; i++) {
        tensor->shape[i] = 1;
        if (i < tensor->rank && !read_whole(&tensor->shape[i], json_array_get(shape, i))) return false;
        if (!sbl_size_mul(&tensor->count, tensor->count, tensor->shape[i])) return false;
    }
    return true;
}

static bool read_type(sbl_tensor_type *type, const char *name, bool ours)
{
    for (size_t i = 0; name != NULL && i < sizeof types / sizeof *types; i++) {
        *type = (sbl_tensor_type)i;
        if (strcmp(name, types[i].name) == 0) return ours ? types[i].of_ours : types[i].of_others;
    }
    return false;
}

/* One entry of the header, whose bytes must lie inside the data. */
static bool read_tensor(sbl_foreign_tensor *tensor, const char *name, const json_t *entry,
                        const sbl_tensor_file *file, bool ours)
{
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t end, size;
    if (!read_type(&tensor->type, type, ours)) return false;
    tensor->name = name;
    if (!read_shape(tensor, json_object_get(entry, "shape")) || json_array_size(offsets) != 2 ||
        !read_whole(&tensor->begin, json_array_get(offsets, 0)) ||
        !read_whole(&end, json_array_get(offsets, 1)) ||
        !sbl_size_mul(&size, tensor->count, types[tensor->type].size))
        return false;
    if (tensor->begin > end || end > file->data_size || end - tensor->begin != size) return false;
    tensor->bytes = file->data + tensor->begin;
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const sbl_foreign_tensor *left = a, *right = b;
    if (left->begin != right->begin) return left->begin < right->begin ? -1 : 1;
    return (left->count > right->count) - (left->count < right->count);
}

/* Sorted by their begin, they must follow each other and end where the data ends. */
static bool fill_the_data(sbl_tensor_file *file)
{
    size_t next = 0;
    qsort(file->tensors, file->count, sizeof *file->tensors, by_begin);
    for (size_t i = 0; i < file->count; i++) {
        if (file->tensors[i].begin != next) return false;
        next += file->tensors[i].count * types[file->tensors[i].type].size;
    }
    return next == file->data_size;
}

static sbl_status read_header(sbl_tensor_file *file, bool ours, const char *where, sbl_error *err)
{
    const char *name;
    json_t *entry;
    file->tensors = sbl_alloc_array(json_object_size(file->header), sizeof *file->tensors);
    if (file->tensors == NULL) return sbl_no_memory(err, where);
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0)
            file->metadata = entry;
        else if (!read_tensor(&file->tensors[file->count++], name, entry, file, ours))
            return refuse(err, where,
                          "a tensor is not float32, float16 or bfloat16 of at most 4 dimensions "
                          "within the file");
    }
    return fill_the_data(file) ? SBL_OK : refuse(err, where, "the tensors overlap or leave gaps in the file");
}

sbl_status sbl_tensor_file_decode(sbl_tensor_file *file, const uint8_t *bytes, size_t size, bool ours,
                                  const char *where, sbl_error *err)
{
    const uint64_t limit = ours ? 64 << 20 : 1 << 20;
    uint64_t length = 0;
    sbl_status status = SBL_OK;
    *file = (sbl_tensor_file){0};
    if (size < LENGTH_SIZE) return refuse(err, where, "too short for a safetensors file");
    for (int i = LENGTH_SIZE - 1; i >= 0; i--) length = length << 8 | bytes[i];
    if (length > limit || length > size - LENGTH_SIZE)
        return refuse(err, where, "not a safetensors file: its header is too long");
    file->data = bytes + LENGTH_SIZE + length;
    file->data_size = size - LENGTH_SIZE - (size_t)length;
    if (sbl_json_parse(&file->header, (const char *)bytes + LENGTH_SIZE, (size_t)length, where, NULL) !=
        SBL_OK)
        return refuse(err, where, "not a safetensors file: its header is not JSON");
    SBL_TRY(read_header(file, ours, where, err));
done:
    if (status != SBL_OK) sbl_tensor_file_clear(file);
    return status;
}

void sbl_tensor_file_clear(sbl_tensor_file *file)
{
    sbl_free(file->tensors);
    json_decref(file->header);
    *file = (sbl_tensor_file){0};
}

const sbl_foreign_tensor *sbl_tensor_file_find(const sbl_tensor_file *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
    return NULL;
}

const char *sbl_tensor_file_text(const sbl_tensor_file *file, const char *name)
{
    return json_string_value(json_object_get(file->metadata, name));
}

/* IEEE 754 binary16: sign, 5 bits of exponent with bias 15, 10 of fraction. */
static float half_to_float(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    float value;
    if (exponent == 31) return (float)NAN;
    if (exponent == 0)
        value = ldexpf((float)fraction, -24);
    else
        value = ldexpf((float)(fraction + 1024), exponent - 25);
    return half >> 15 != 0 ? -value : value;
}

static float read_single(const uint8_t *bytes)
{
    const uint32_t bits =
        (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float read_number(const uint8_t *bytes, sbl_tensor_type type)
{
    /* bfloat16 is the upper half of a float32. */
    const uint8_t upper[4] = {0, 0, bytes[0], bytes[1]};
    if (type == SBL_TENSOR_F32) return read_single(bytes);
    return type == SBL_TENSOR_BF16 ? read_single(upper) : half_to_float((uint16_t)(bytes[0] | bytes[1] << 8));
}

bool sbl_foreign_tensor_read(float *values, const sbl_foreign_tensor *tensor)
{
    bool finite = tensor->type != SBL_TENSOR_I64;
    for (size_t i = 0; finite && i < tensor->count; i++) {
        values[i] = read_number(tensor->bytes + i * types[tensor->type].size, tensor->type);
        finite = isfinite(values[i]);
    }
    return finite;
}
