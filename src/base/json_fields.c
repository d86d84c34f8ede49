/* SPDX-License-Identifier: Apache-2.0 */
/* One function per direction; a kind is a case in each. */
#include "base/json_fields.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

sbl_status sbl_json_fail(const char *where, const char *name, const char *what, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' %s", where, name, what);
}

/* Whole numbers and choices are kept in 1, 4 or 8 bytes. */
static uint64_t load_whole(const void *at, size_t size)
{
    if (size == sizeof(uint64_t)) return *(const uint64_t *)at;
    return size == sizeof(bool) ? *(const bool *)at : *(const unsigned *)at;
}

static void store_whole(void *at, size_t size, uint64_t value)
{
    if (size == sizeof(uint64_t))
        *(uint64_t *)at = value;
    else if (size == sizeof(bool))
        *(bool *)at = value != 0;
    else
        *(unsigned *)at = (unsigned)value;
}

/* ---- reading ---- */

static sbl_status wrong(const sbl_json_field *field, const char *usual, const char *where, sbl_error *err)
{
    return sbl_json_fail(where, field->name, field->wrong != NULL ? field->wrong : usual, err);
}

static bool in_range(const sbl_json_field *field, uint64_t value)
{
    return value >= field->least && (field->most == 0 || value <= field->most);
}

static bool may_be(const sbl_json_field *field, const char *text)
{
    const size_t length = strlen(text);
    if (!in_range(field, length) || (field->kind == SBL_JSON_CHARS && length >= field->size)) return false;
    return field->allowed != NULL ? strspn(text, field->allowed) == length : !sbl_text_has_control(text);
}

static sbl_status read_text(void *at, const json_t *object, const sbl_json_field *field, const char *where,
                            sbl_error *err)
{
    const char *text;
    SBL_CHECK(sbl_json_get_string(&text, object, field->name, where, err));
    if (field->kind == SBL_JSON_COPY) return sbl_copy_text(at, text, where, err);
    if (field->kind == SBL_JSON_HEX)
        return sbl_hex_decode(at, field->size, text)
                   ? SBL_OK
                   : wrong(field, "is not a hexadecimal text of the right length", where, err);
    if (!may_be(field, text)) return wrong(field, "has the wrong length or an invalid character", where, err);
    if (field->kind == SBL_JSON_TEXT)
        *(const char **)at = text;
    else
        memcpy(at, text, strlen(text) + 1);
    return SBL_OK;
}

static sbl_status read_choice(void *at, const json_t *object, const sbl_json_field *field, const char *where,
                              sbl_error *err)
{
    const char *text;
    size_t i = field->kind == SBL_JSON_CHOICE ? field->least : 0;
    SBL_CHECK(sbl_json_get_string(&text, object, field->name, where, err));
    while (field->names[i] != NULL && strcmp(field->names[i], text) != 0) i++;
    if (field->names[i] == NULL) return wrong(field, "has an unknown value", where, err);
    if (field->kind == SBL_JSON_CHOICE) store_whole(at, field->size, i);
    return SBL_OK;
}

static sbl_status read_whole(void *at, const json_t *object, const sbl_json_field *field, const char *where,
                             sbl_error *err)
{
    const bool version = field->kind == SBL_JSON_VERSION;
    sbl_u128 wide = 0;
    uint64_t value = 0;
    if (field->kind == SBL_JSON_DECIMAL)
        SBL_CHECK(sbl_json_get_u128(&wide, object, field->name, where, err));
    else
        SBL_CHECK(sbl_json_get_u64(&value, object, field->name, where, err));
    if (wide > UINT64_MAX || !in_range(field, (uint64_t)wide | value) || (version && value != field->least))
        return wrong(field, "is out of range", where, err);
    if (!version) store_whole(at, field->size, (uint64_t)wide | value);
    return SBL_OK;
}

static sbl_status read_real(double *at, const json_t *object, const sbl_json_field *field, const char *where,
                            sbl_error *err)
{
    const char *text = json_string_value(json_object_get(object, field->name));
    *at = INFINITY;
    if (field->kind == SBL_JSON_REAL_OR_INF && text != NULL && strcmp(text, "inf") == 0) return SBL_OK;
    return sbl_json_get_double(at, object, field->name, where, err);
}

static sbl_status read_signed(int64_t *at, const json_t *object, const sbl_json_field *field,
                              const char *where, sbl_error *err)
{
    const json_t *number = json_object_get(object, field->name);
    if (!json_is_integer(number)) return wrong(field, "is not a whole number", where, err);
    *at = json_integer_value(number);
    return SBL_OK;
}

/* The length is set before an element is read: what an element owns is freed by the caller. */
static sbl_status read_list(void *base, const json_t *object, const sbl_json_field *field, const char *where,
                            sbl_error *err)
{
    json_t *list;
    SBL_CHECK(sbl_json_get_array(&list, object, field->name, where, err));
    const size_t count = json_array_size(list);
    if (!in_range(field, count)) return wrong(field, "is too short or too long", where, err);
    char *items = sbl_alloc_array(count, field->item);
    if (items == NULL) return sbl_no_memory(err, where);
    memcpy((char *)base + field->offset, &items, sizeof items);
    memcpy((char *)base + field->counter, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        SBL_CHECK(sbl_json_fields_read(items + i * field->item, json_array_get(list, i), field->fields, where,
                                       err));
    return SBL_OK;
}

static sbl_status read_field(void *base, const json_t *object, const sbl_json_field *field, const char *where,
                             sbl_error *err)
{
    void *at = (char *)base + field->offset;
    json_t *inner;
    switch (field->kind) {
    case SBL_JSON_CONSTANT:
    case SBL_JSON_CHOICE:
        return read_choice(at, object, field, where, err);
    case SBL_JSON_VERSION:
    case SBL_JSON_WHOLE:
    case SBL_JSON_DECIMAL:
        return read_whole(at, object, field, where, err);
    case SBL_JSON_SIGNED:
        return read_signed(at, object, field, where, err);
    case SBL_JSON_DECIMAL128:
        return sbl_json_get_u128(at, object, field->name, where, err);
    case SBL_JSON_REAL:
    case SBL_JSON_REAL_OR_INF:
        return read_real(at, object, field, where, err);
    case SBL_JSON_BOOL:
        return sbl_json_get_bool(at, object, field->name, where, err);
    case SBL_JSON_OBJECT:
        SBL_CHECK(sbl_json_get_object(&inner, object, field->name, where, err));
        return sbl_json_fields_read(at, inner, field->fields, where, err);
    case SBL_JSON_LIST:
        return read_list(base, object, field, where, err);
    case SBL_JSON_OWN:
        return field->read(base, object, where, err);
    default: /* the texts */
        return read_text(at, object, field, where, err);
    }
}

/* Is the field to be read from this object? */
static bool is_wanted(const sbl_json_field *field, const void *at, const json_t *object)
{
    if (field->derived) return false;
    if (field->optional) return json_object_get(object, field->name) != NULL;
    return field->when == NULL || field->when(at);
}

sbl_status sbl_json_fields_read(void *at, const json_t *object, const sbl_json_field *fields,
                                const char *where, sbl_error *err)
{
    for (const sbl_json_field *field = fields; field->kind != SBL_JSON_END; field++)
        if (is_wanted(field, at, object)) SBL_CHECK(read_field(at, object, field, where, err));
    return SBL_OK;
}

/* ---- writing ---- */

static json_t *write_hex(const uint8_t *bytes, size_t size)
{
    char *text = sbl_alloc_array(2 * size + 1, 1);
    json_t *value = text != NULL ? json_string(sbl_hex_encode(text, bytes, size)) : NULL;
    sbl_free(text);
    return value;
}

static json_t *write_list(const void *base, const sbl_json_field *field)
{
    const char *items;
    size_t count;
    json_t *list = json_array();
    memcpy(&items, (const char *)base + field->offset, sizeof items);
    memcpy(&count, (const char *)base + field->counter, sizeof count);
    for (size_t i = 0; i < count; i++)
        list = sbl_json_append(list,
                               sbl_json_fields_write(json_object(), items + i * field->item, field->fields));
    return list;
}

static json_t *write_field(const void *base, const sbl_json_field *field)
{
    const void *at = (const char *)base + field->offset;
    switch (field->kind) {
    case SBL_JSON_HEX:
        return write_hex(at, field->size);
    case SBL_JSON_CHARS:
        return json_string(at);
    case SBL_JSON_CONSTANT:
        return json_string(field->names[0]);
    case SBL_JSON_CHOICE:
        return json_string(field->names[load_whole(at, field->size)]);
    case SBL_JSON_VERSION:
        return json_integer((json_int_t)field->least);
    case SBL_JSON_WHOLE:
        return json_integer((json_int_t)load_whole(at, field->size));
    case SBL_JSON_SIGNED:
        return json_integer(*(const int64_t *)at);
    case SBL_JSON_DECIMAL:
        return sbl_json_u128(*(const uint64_t *)at);
    case SBL_JSON_DECIMAL128:
        return sbl_json_u128(*(const sbl_u128 *)at);
    case SBL_JSON_REAL:
        return json_real(*(const double *)at);
    case SBL_JSON_REAL_OR_INF:
        return isinf(*(const double *)at) ? json_string("inf") : json_real(*(const double *)at);
    case SBL_JSON_BOOL:
        return json_boolean(*(const bool *)at);
    case SBL_JSON_OBJECT:
        return sbl_json_fields_write(json_object(), at, field->fields);
    case SBL_JSON_LIST:
        return write_list(base, field);
    case SBL_JSON_OWN:
        return field->write(base);
    default: /* the two kinds of pointers */
        return json_string(*(const char *const *)at);
    }
}

/* Optional texts and numbers are left out where they are empty. */
static bool is_empty(const sbl_json_field *field, const char *at)
{
    switch (field->kind) {
    case SBL_JSON_TEXT:
        return *(const char *const *)(const void *)at == NULL;
    case SBL_JSON_CHARS:
        return *at == '\0';
    case SBL_JSON_REAL:
        return !(*(const double *)(const void *)at > 0.0);
    case SBL_JSON_CHOICE:
    case SBL_JSON_WHOLE:
    case SBL_JSON_BOOL:
        return load_whole(at, field->size) == 0;
    default:
        return false;
    }
}

json_t *sbl_json_fields_write(json_t *object, const void *at, const sbl_json_field *fields)
{
    for (const sbl_json_field *field = fields; field->kind != SBL_JSON_END; field++) {
        if (field->when != NULL && !field->when(at)) continue;
        if (field->optional && is_empty(field, (const char *)at + field->offset)) continue;
        object = sbl_json_put(object, field->name, write_field(at, field));
    }
    return object;
}

sbl_status sbl_json_fields_text(char **text, const void *at, const sbl_json_field *fields, const char *what,
                                sbl_error *err)
{
    json_t *object = sbl_json_fields_write(json_object(), at, fields);
    *text = object != NULL ? sbl_json_canonical(object) : NULL;
    json_decref(object);
    return *text != NULL ? SBL_OK : sbl_no_memory(err, what);
}
