/* SPDX-License-Identifier: Apache-2.0 */
/* Jansson with the gaps closed: parse errors give the place and never quote the input, texts are
 * written into a buffer of known size (json_dumps can drop a key when memory runs out), and the
 * reals of texts for people are shortened to what reads back as the same double. */
#include "base/json.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

sbl_status sbl_json_parse(json_t **object, const char *text, size_t length, const char *where, sbl_error *err)
{
    json_error_t fault;
    *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
    /* The parser's own text may quote the input, so only the place is passed on. */
    if (*object == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s is not valid JSON: see line %d, column %d", where, fault.line,
                        fault.column);
    if (!json_is_object(*object)) {
        json_decref(*object);
        *object = NULL;
        return sbl_fail(err, SBL_EINPUT, "%s does not hold a JSON object", where);
    }
    return SBL_OK;
}

sbl_status sbl_json_read(json_t **object, const char *path, size_t limit, sbl_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    *object = NULL;
    sbl_status status = sbl_file_read(&bytes, &size, path, limit, err);
    if (status == SBL_OK) status = sbl_json_parse(object, (const char *)bytes, size, path, err);
    sbl_free(bytes);
    return status;
}

json_t *sbl_json_copy(const json_t *object)
{
    json_t *copy = json_object();
    if (json_object_update(copy, (json_t *)(uintptr_t)object) == 0) return copy; /* reads it only */
    json_decref(copy);
    return NULL;
}

/* json_dumps ignores a failure to store a key, and would hand out a text with a hole in it when
 * memory runs out; json_dumpb into a buffer of the right size cannot. */
static char *write_text(const json_t *value, size_t flags)
{
    const size_t length = json_dumpb(value, NULL, 0, flags);
    char *text = length != 0 ? sbl_alloc_array(length + 2, 1) : NULL; /* room for a newline */
    if (text == NULL) return NULL;
    if (json_dumpb(value, text, length, flags) == length) return text;
    sbl_free(text);
    return NULL;
}

char *sbl_json_canonical(const json_t *value)
{
    return write_text(
        value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
}

/* The end of the number that begins at p; *real: it has a fraction or an exponent. */
static const char *end_of_number(bool *real, const char *p)
{
    *real = false;
    for (; *p != '\0' && strchr("+-.eE0123456789", *p) != NULL; p++)
        *real = *real || strchr(".eE", *p) != NULL;
    return p;
}

/* The shortest text of the double that `length` characters say, if it is shorter: 6.9, not
 * 6.9000000000000004. What is whole keeps its ".0", for an integer is another type to a reader.
 * Returns its length; 0: there is none. */
static size_t shorter_real(char shorter[SBL_DOUBLE_TEXT_SIZE], const char *real, size_t length)
{
    char number[SBL_DOUBLE_TEXT_SIZE];
    double value;
    if (length >= sizeof number) return 0;
    memcpy(number, real, length);
    number[length] = '\0';
    if (!sbl_text_to_double(&value, number)) return 0;
    size_t size = strlen(sbl_double_to_text(shorter, value));
    if (strpbrk(shorter, ".e") == NULL) {
        memcpy(shorter + size, ".0", 2);
        size += 2;
    }
    return size < length ? size : 0;
}

/* Every real of 17 digits outside of strings, in place. */
static void shorten_reals(char *text)
{
    char *to = text;
    bool quoted = false;
    for (const char *p = text; *p != '\0';) {
        char shorter[SBL_DOUBLE_TEXT_SIZE];
        bool real = false;
        size_t length = quoted ? 0 : (size_t)(end_of_number(&real, p) - p);
        const size_t size = real ? shorter_real(shorter, p, length) : 0;
        if (length == 0) length = quoted && *p == '\\' && p[1] != '\0' ? 2 : 1;
        if (*p == '"') quoted = !quoted;
        memmove(to, size > 0 ? shorter : p, size > 0 ? size : length);
        to += size > 0 ? size : length;
        p += length;
    }
    *to = '\0';
}

/* Outside of strings all is plain: what is not is escaped, and means the same. Takes text. */
static char *escape_strings(char *text)
{
    sbl_text escaped = {0};
    sbl_text_append_plain(&escaped, text);
    sbl_free(text);
    if (escaped.failed) sbl_text_clear(&escaped);
    return escaped.data;
}

char *sbl_json_pretty(const json_t *value)
{
    char *text = write_text(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    if (text == NULL) return NULL;
    shorten_reals(text);
    const size_t length = strlen(text);
    memcpy(text + length, "\n", 2);
    return escape_strings(text);
}

static sbl_status fail_type(const char *name, const char *type, const char *where, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: field '%s' must be %s", where, name, type);
}

#define IS(type) (1U << (type))

/* The member of one of these types, called so in words; NULL on failure. */
static sbl_status get(json_t **member, const json_t *object, const char *name, unsigned types,
                      const char *words, const char *where, sbl_error *err)
{
    *member = json_object_get(object, name);
    if (*member == NULL) return sbl_fail(err, SBL_EINPUT, "%s: field '%s' is missing", where, name);
    if ((IS(json_typeof(*member)) & types) != 0) return SBL_OK;
    *member = NULL;
    return fail_type(name, words, where, err);
}

sbl_status sbl_json_get_object(json_t **member, const json_t *object, const char *name, const char *where,
                               sbl_error *err)
{
    return get(member, object, name, IS(JSON_OBJECT), "an object", where, err);
}

sbl_status sbl_json_get_array(json_t **member, const json_t *object, const char *name, const char *where,
                              sbl_error *err)
{
    return get(member, object, name, IS(JSON_ARRAY), "a list", where, err);
}

sbl_status sbl_json_get_string(const char **value, const json_t *object, const char *name, const char *where,
                               sbl_error *err)
{
    json_t *member;
    const sbl_status status = get(&member, object, name, IS(JSON_STRING), "a string", where, err);
    *value = json_string_value(member);
    return status;
}

sbl_status sbl_json_get_u64(uint64_t *value, const json_t *object, const char *name, const char *where,
                            sbl_error *err)
{
    static const char words[] = "a whole number that is not negative";
    json_t *member;
    const sbl_status status = get(&member, object, name, IS(JSON_INTEGER), words, where, err);
    const json_int_t number = json_integer_value(member);
    *value = number >= 0 ? (uint64_t)number : 0;
    return number >= 0 ? status : fail_type(name, words, where, err);
}

sbl_status sbl_json_get_double(double *value, const json_t *object, const char *name, const char *where,
                               sbl_error *err)
{
    json_t *member;
    const sbl_status status =
        get(&member, object, name, IS(JSON_INTEGER) | IS(JSON_REAL), "a number", where, err);
    *value = json_number_value(member);
    return status;
}

sbl_status sbl_json_get_bool(bool *value, const json_t *object, const char *name, const char *where,
                             sbl_error *err)
{
    json_t *member;
    const sbl_status status =
        get(&member, object, name, IS(JSON_TRUE) | IS(JSON_FALSE), "true or false", where, err);
    *value = json_is_true(member);
    return status;
}

sbl_status sbl_json_get_u128(sbl_u128 *value, const json_t *object, const char *name, const char *where,
                             sbl_error *err)
{
    const char *text;
    *value = 0;
    const sbl_status status = sbl_json_get_string(&text, object, name, where, err);
    if (status != SBL_OK) return status;
    if (!sbl_u128_from_text(value, text, strlen(text)))
        return fail_type(name, "a decimal integer written as a string", where, err);
    return SBL_OK;
}

json_t *sbl_json_u128(sbl_u128 value)
{
    char text[SBL_INT128_TEXT_SIZE];
    return json_string(sbl_u128_to_text(text, value));
}

/* jansson refuses a NULL list, object or value, and takes the value also then. */
json_t *sbl_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) return list;
    json_decref(list);
    return NULL;
}

json_t *sbl_json_put(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0) return object;
    json_decref(object);
    return NULL;
}
