/* SPDX-License-Identifier: Apache-2.0 */
/* Parses Arrow format strings, and checks schemas and arrays from a producer that is not trusted: counts,
 * lengths, required buffers. Nothing here looks at a cell. */
#include "records/formats/arrow_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* No buffer of such a length can be addressed. */
#define MOST_ROWS (INT64_MAX / 64)
#define MOST_COLUMNS 32768 /* as of a schema */

/* ---- types ---- */

typedef struct plain_format {
    char letter;
    sbl_arrow_kind kind;
} plain_format;

static sbl_arrow_kind kind_of_letter(const char *format)
{
    static const plain_format formats[] = {
        {'n', SBL_ARROW_NULL},   {'b', SBL_ARROW_BOOL},   {'c', SBL_ARROW_INT8},
        {'C', SBL_ARROW_UINT8},  {'s', SBL_ARROW_INT16},  {'S', SBL_ARROW_UINT16},
        {'i', SBL_ARROW_INT32},  {'I', SBL_ARROW_UINT32}, {'l', SBL_ARROW_INT64},
        {'L', SBL_ARROW_UINT64}, {'e', SBL_ARROW_HALF},   {'f', SBL_ARROW_FLOAT},
        {'g', SBL_ARROW_DOUBLE}, {'u', SBL_ARROW_UTF8},   {'U', SBL_ARROW_LARGE_UTF8},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (format[0] == formats[i].letter && format[1] == '\0') return formats[i].kind;
    return SBL_ARROW_REFUSED;
}

/* "d:PRECISION,SCALE" or "d:PRECISION,SCALE,BITS". */
static sbl_arrow_type decimal_type(const char *format)
{
    char *end;
    sbl_arrow_type type = {.kind = SBL_ARROW_DECIMAL, .width = 128};
    const long precision = strtol(format + 2, &end, 10);
    if (*end != ',' || precision < 1 || precision > 38) return (sbl_arrow_type){0};
    const long scale = strtol(end + 1, &end, 10);
    if (*end == ',') type.width = (int)strtol(end + 1, &end, 10);
    type.scale = (int)scale;
    const bool good = *end == '\0' && scale >= -38 && scale <= 38 &&
                      (type.width == 32 || type.width == 64 || type.width == 128);
    return good ? type : (sbl_arrow_type){0};
}

/* Of a letter for seconds, milli-, micro- or nanoseconds; 0: of another. */
static int64_t parts_of_second(char letter)
{
    return letter == 's'   ? 1
           : letter == 'm' ? 1000
           : letter == 'u' ? 1000000
           : letter == 'n' ? 1000000000
                           : 0;
}

/* "ts" and a unit, a colon, a zone. */
static sbl_arrow_type timestamp_type(const char *format)
{
    const int64_t parts = parts_of_second(format[2]);
    if (parts == 0 || format[3] != ':') return (sbl_arrow_type){0};
    return (sbl_arrow_type){.kind = SBL_ARROW_TIMESTAMP, .per_second = parts, .zoned = format[4] != '\0'};
}

/* "tt" and a unit; the two smaller ones need 64 bits. */
static sbl_arrow_type time_type(const char *format)
{
    const int64_t parts = parts_of_second(format[2]);
    if (parts == 0 || format[3] != '\0') return (sbl_arrow_type){0};
    return (sbl_arrow_type){.kind = parts <= 1000 ? SBL_ARROW_TIME32 : SBL_ARROW_TIME64, .per_second = parts};
}

static sbl_arrow_type type_of_format(const char *format)
{
    if (format == NULL || format[0] == '\0') return (sbl_arrow_type){0};
    if (strncmp(format, "d:", 2) == 0) return decimal_type(format);
    if (strncmp(format, "ts", 2) == 0) return timestamp_type(format);
    if (strncmp(format, "tt", 2) == 0) return time_type(format);
    if (strcmp(format, "tdD") == 0) return (sbl_arrow_type){.kind = SBL_ARROW_DATE32};
    if (strcmp(format, "tdm") == 0) return (sbl_arrow_type){.kind = SBL_ARROW_DATE64};
    if (strcmp(format, "vu") == 0) return (sbl_arrow_type){.kind = SBL_ARROW_UTF8_VIEW};
    return (sbl_arrow_type){.kind = kind_of_letter(format)};
}

sbl_arrow_type sbl_arrow_type_of(const struct ArrowSchema *schema)
{
    sbl_arrow_type type = type_of_format(schema->format);
    const bool mixed = sbl_arrow_is_mixed(schema);
    type.mixed = mixed;
    if (schema->dictionary == NULL) return type;
    const sbl_arrow_kind codes = type.kind;
    /* Dictionaries of dictionaries could go on forever. */
    if (codes < SBL_ARROW_INT8 || codes > SBL_ARROW_UINT64 || schema->dictionary->dictionary != NULL)
        return (sbl_arrow_type){0};
    type = type_of_format(schema->dictionary->format);
    type.codes = codes;
    type.mixed = mixed;
    if (type.kind == SBL_ARROW_REFUSED) type.codes = SBL_ARROW_REFUSED;
    return type;
}

/* ---- what can be refused ---- */

/* What pyarrow calls a type that is refused, without its width or children; NULL: it is not known here. */
static const char *name_of_format(const char *format)
{
    static const struct {
        const char *start, *name;
    } names[] = {
        {"tDs", "duration[s]"},
        {"tDm", "duration[ms]"},
        {"tDu", "duration[us]"},
        {"tDn", "duration[ns]"},
        {"ti", "interval"},
        {"z", "binary"},
        {"Z", "large_binary"},
        {"vz", "binary_view"},
        {"w:", "fixed_size_binary"},
        {"+l", "list"},
        {"+L", "large_list"},
        {"+vl", "list_view"},
        {"+vL", "large_list_view"},
        {"+w:", "fixed_size_list"},
        {"+s", "struct"},
        {"+m", "map"},
        {"+u", "union"},
        {"+r", "run_end_encoded"},
    };
    const char *bits = strncmp(format, "d:", 2) == 0 ? strrchr(format, ',') : NULL;
    if (bits != NULL && strcmp(bits, ",256") == 0) return "decimal256";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(format, names[i].start, strlen(names[i].start)) == 0) return names[i].name;
    return NULL;
}

sbl_status sbl_arrow_refuse(const struct ArrowSchema *column, const char *name, sbl_error *err)
{
    const bool coded = column->dictionary != NULL;
    const char *format = coded ? column->dictionary->format : column->format;
    const char *known = format != NULL ? name_of_format(format) : "";
    char type[64];
    (void)snprintf(type, sizeof type, "%s%s%.40s%s", coded ? "dictionary of " : "", known == NULL ? "'" : "",
                   known != NULL ? known : format, known == NULL ? "'" : "");
    return sbl_fail(err, SBL_EINPUT,
                    "%s: column '%.100s' has the Arrow type %s, which is not a number, text, "
                    "boolean, date, timestamp or time of day: convert it, or have the schema ignore it",
                    name, column->name, type);
}

sbl_status sbl_arrow_check_table(const struct ArrowSchema *schema, const char *name, sbl_error *err)
{
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return sbl_fail(err, SBL_EINPUT, "%s is not an Arrow table: its batches must be structs", name);
    if (schema->n_children < 1 || schema->n_children > MOST_COLUMNS || schema->children == NULL)
        return sbl_fail(err, SBL_EINPUT, "%s must have 1 to %d columns", name, MOST_COLUMNS);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *column = schema->children[i];
        if (column == NULL || column->format == NULL || column->name == NULL ||
            !sbl_text_is_utf8(column->name))
            return sbl_fail(err, SBL_EINPUT, "%s: column %d has no name or no type", name, (int)(i + 1));
    }
    return SBL_OK;
}

static bool has_good_length(const struct ArrowArray *array)
{
    return array->length >= 0 && array->length <= MOST_ROWS && array->offset >= 0 &&
           array->offset <= MOST_ROWS && array->null_count >= -1 && array->null_count <= array->length;
}

/* NULL where nulls are counted and no bitmap says which. */
static bool has_good_validity(const struct ArrowArray *array)
{
    return array->null_count <= 0 || (array->n_buffers > 0 && array->buffers[0] != NULL);
}

sbl_status sbl_arrow_check_batch(const struct ArrowArray *batch, const struct ArrowSchema *schema,
                                 const char *name, sbl_error *err)
{
    bool good = has_good_length(batch) && batch->n_children == schema->n_children &&
                batch->children != NULL && batch->n_buffers == 1 && batch->buffers != NULL &&
                has_good_validity(batch);
    for (int64_t i = 0; good && i < batch->n_children; i++) {
        const struct ArrowArray *child = batch->children[i];
        good = child != NULL && has_good_length(child) && child->length >= batch->offset + batch->length;
    }
    return good ? SBL_OK
                : sbl_fail(err, SBL_EINPUT,
                           "%s: a batch has other columns than the table, or an invalid length", name);
}

/* Texts have three, and views that many or more. */
static bool has_good_buffers(sbl_arrow_kind kind, const struct ArrowArray *array)
{
    const int64_t count = kind >= SBL_ARROW_UTF8 && kind <= SBL_ARROW_UTF8_VIEW ? 3 : 2;
    if (kind == SBL_ARROW_NULL) return array->n_buffers >= 0 && array->n_buffers <= 1;
    if (array->buffers == NULL ||
        (kind == SBL_ARROW_UTF8_VIEW ? array->n_buffers < count : array->n_buffers != count))
        return false;
    if (!has_good_validity(array)) return false;
    if (array->length + array->offset == 0) return true;
    if (array->buffers[1] == NULL) return false;
    /* The last buffer holds the sizes of the buffers of views. */
    return kind != SBL_ARROW_UTF8_VIEW || array->n_buffers == 3 ||
           array->buffers[array->n_buffers - 1] != NULL;
}

static sbl_status fail_buffers(const char *column, const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EINPUT, "%s: column '%.100s' does not have the buffers of its Arrow type", name,
                    column);
}

sbl_status sbl_arrow_check_array(const sbl_arrow_type *type, const struct ArrowArray *array,
                                 const char *column, const char *name, sbl_error *err)
{
    const bool coded = type->codes != SBL_ARROW_REFUSED;
    if (coded != (array->dictionary != NULL) || !has_good_buffers(coded ? type->codes : type->kind, array))
        return fail_buffers(column, name, err);
    if (!coded) return SBL_OK;
    return has_good_length(array->dictionary) && array->dictionary->dictionary == NULL &&
                   has_good_buffers(type->kind, array->dictionary)
               ? SBL_OK
               : fail_buffers(column, name, err);
}
