/* SPDX-License-Identifier: Apache-2.0 */
/* Maps DuckDB's types to Arrow's. A vector of most types has the layout of an Arrow buffer. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/duckdb.h"

/* By duckdb_type. Without a format: what is not a number, text, boolean, date or time. */
static const struct {
    const char *format, *name;
} types[] = {
    [SBL_ENGINE_BOOLEAN] = {"b", "a boolean"},
    [2] = {"c", "an integer"},
    [3] = {"s", "an integer"},
    [4] = {"i", "an integer"},
    [5] = {"l", "an integer"},
    [6] = {"C", "an integer"},
    [7] = {"S", "an integer"},
    [8] = {"I", "an integer"},
    [9] = {"L", "an integer"},
    [10] = {"f", "a number"},
    [11] = {"g", "a number"},
    [12] = {"tsu:", "a timestamp"},
    [13] = {"tdD", "a date"},
    [14] = {"ttu", "a time of day"},
    [15] = {NULL, "an interval"},
    [16] = {"d:38,0", "an integer"},
    [SBL_ENGINE_VARCHAR] = {"U", "a text"},
    [18] = {NULL, "a blob"},
    [SBL_ENGINE_DECIMAL] = {"", "a decimal"}, /* by its width and scale */
    [20] = {"tss:", "a timestamp"},
    [21] = {"tsm:", "a timestamp"},
    [22] = {"tsn:", "a timestamp"},
    [SBL_ENGINE_ENUM] = {"U", "an enum"},
    [24] = {NULL, "a list"},
    [25] = {NULL, "a struct"},
    [26] = {NULL, "a map"},
    [SBL_ENGINE_UUID] = {"U", "a UUID"},
    [28] = {NULL, "a union"},
    [29] = {NULL, "a bit string"},
    [30] = {NULL, "a time of day with a zone"},
    [31] = {"tsu:UTC", "a timestamp with a zone"},
    [32] = {NULL, "an integer of 128 bits without a sign"},
    [33] = {NULL, "an array"},
    [36] = {"n", "null"},
};
#define TYPES ((int)(sizeof types / sizeof types[0]))

/* A decimal of few digits is an integer of 16 bits there, which Arrow does not have: it is widened. */
static int bits_of(int width) { return width <= 9 ? 32 : width <= 18 ? 64 : 128; }

static void set_format(sbl_engine_column *column)
{
    const char *format = column->type >= 0 && column->type < TYPES ? types[column->type].format : NULL;
    if (column->type == SBL_ENGINE_DECIMAL)
        (void)snprintf(column->format, sizeof column->format, "d:%d,%d,%d", column->width, column->scale,
                       bits_of(column->width));
    else
        (void)snprintf(column->format, sizeof column->format, "%s", format != NULL ? format : "");
}

sbl_status sbl_engine_column_read(sbl_engine_column *column, const sbl_engine *engine,
                                  sbl_engine_result *result, uint64_t i, sbl_error *err)
{
    const char *name = engine->column_name(result, i);
    void *type = engine->column_logical_type(result, i);
    sbl_status status = SBL_OK;
    *column = (sbl_engine_column){0};
    if (type == NULL || name == NULL) SBL_TRY(sbl_no_memory(err, "the names of columns"));
    SBL_TRY(sbl_copy_text(&column->name, name, "the names of columns", err));
    column->type = engine->get_type_id(type);
    if (column->type == SBL_ENGINE_DECIMAL) {
        column->width = engine->decimal_width(type);
        column->scale = engine->decimal_scale(type);
    }
    set_format(column);
done:
    if (type != NULL) engine->destroy_logical_type(&type);
    return status;
}

void sbl_engine_column_clear(sbl_engine_column *column)
{
    sbl_free(column->name);
    *column = (sbl_engine_column){0};
}

bool sbl_engine_column_is_same(const sbl_engine_column *a, const sbl_engine_column *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->width == b->width &&
           a->scale == b->scale;
}

sbl_status sbl_engine_column_refuse(const sbl_engine_column *column, const char *name, sbl_error *err)
{
    const char *type = column->type >= 0 && column->type < TYPES ? types[column->type].name : NULL;
    return sbl_fail(
        err, SBL_EINPUT,
        "%s: column '%.100s' is %s, which is not a number, text, boolean, date, timestamp or time of day: "
        "convert it, or have the schema ignore it",
        name, column->name, type != NULL ? type : "of an unknown type");
}
