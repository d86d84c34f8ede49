/* SPDX-License-Identifier: Apache-2.0 */
/* Inlines referenced schemas, look-up keys and parents of codes into the JSON of the schema or package, then parses the result like any
 * other package. */
#include "records/source/schema_load.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "public/schema/package.h"
#include "records/rows/table.h"
#include "records/source/hierarchy_load.h"

typedef struct loading {
    const char *path; /* of the package */
    json_t *resources;
    bool outside; /* files need not be in its folder */
} loading;

static sbl_status add_key(json_t *keys, const sbl_cell *cell, const char *table, sbl_error *err)
{
    char own[SBL_CELL_OWN_TEXT];
    size_t length = 0;
    const char *text = sbl_cell_text(&length, own, cell);
    if (text == NULL) return SBL_OK; /* the row is too short: it has none */
    text = sbl_trim(text, &length);
    if (length == 0) return SBL_OK;
    if (json_array_size(keys) >= SBL_MOST_LOOKUP_KEYS)
        return sbl_fail(err, SBL_EINPUT, "%s: a public table may have at most %d keys", table,
                        SBL_MOST_LOOKUP_KEYS);
    /* json_stringn() takes UTF-8 alone, which the reader has made of the file. */
    return json_array_append_new(keys, json_stringn(text, length)) == 0
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "%s: a key of the public table is not UTF-8 text", table);
}

static sbl_status read_keys(json_t *keys, const sbl_table *table, const sbl_dialect *dialect, const char *key,
                            sbl_error *err)
{
    sbl_cell_reader cells = {0};
    size_t column = 0;
    bool more = true;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&cells, table, dialect, err));
    while (column < cells.names.count && strcmp(cells.names.items[column], key) != 0) column++;
    if (column == cells.names.count)
        SBL_FAIL(err, SBL_EINPUT, "%s: column '%.100s' is missing from the header", table->name, key);
    for (;;) {
        SBL_TRY(sbl_cell_reader_next(&cells, &more, err));
        if (!more) break;
        SBL_TRY(add_key(keys, &cells.cells[column], table->name, err));
    }
done:
    sbl_cell_reader_close(&cells);
    return status;
}

/* How the file is written: beside the schema, or in it. */
static sbl_status dialect_of(sbl_dialect *dialect, const json_t *resource, const char *where, sbl_error *err)
{
    const json_t *schema = json_object_get(resource, "schema");
    const bool own =
        json_object_get(resource, "dialect") != NULL || json_object_get(resource, "encoding") != NULL;
    const sbl_status status = sbl_dialect_read(dialect, own ? resource : schema, where, err);
    if (status != SBL_OK || dialect->header) return status;
    return sbl_fail(err, SBL_EINPUT, "%s: the public table '%.100s' needs a header", where,
                    sbl_resource_name(resource));
}

/* The keys of a look-up table as a list. */
static sbl_status load_keys(json_t **keys, const loading *l, const json_t *lookup, sbl_error *err)
{
    const char *key = sbl_json_only_text(json_object_get(json_object_get(lookup, "schema"), "primaryKey"));
    const char *name = sbl_resource_name(lookup);
    const char *file = sbl_resource_path(lookup);
    sbl_text place = {0};
    sbl_dialect dialect;
    sbl_status status = SBL_OK;
    *keys = json_array();
    if (*keys == NULL) SBL_TRY(sbl_no_memory(err, l->path));
    if (key == NULL) goto done; /* refused where the keys are read */
    if (file == NULL || strstr(file, "://") != NULL)
        SBL_FAIL(err, SBL_EINPUT,
                 "%s: the public table '%.100s' has no path of a file: add it, or list its keys in "
                 "constraints.enum of the fields that refer to it",
                 l->path, name);
    SBL_TRY(sbl_path_of_package(&place, l->path, file, l->outside, err));
    SBL_TRY(dialect_of(&dialect, lookup, l->path, err));
    const sbl_table table = sbl_csv_table(place.data);
    SBL_TRY(read_keys(*keys, &table, &dialect, key, err));
    if (json_array_size(*keys) == 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: the public table has no keys", place.data);
done:
    if (status != SBL_OK) {
        json_decref(*keys);
        *keys = NULL;
    }
    sbl_text_clear(&place);
    return status;
}

static sbl_status put_values(json_t *field, json_t *keys, const char *where, sbl_error *err)
{
    const json_t *given = json_object_get(field, "constraints");
    json_t *constraints = given != NULL ? sbl_json_copy(given) : json_object();
    constraints = sbl_json_put(constraints, "enum", json_incref(keys));
    return json_object_set_new(field, "constraints", constraints) == 0 ? SBL_OK : sbl_no_memory(err, where);
}

/* What a field may be, where it refers to a look-up table. */
static sbl_status load_link(const loading *l, const json_t *fields, const json_t *link, sbl_error *err)
{
    const json_t *reference = json_object_get(link, "reference");
    const char *resource = json_string_value(json_object_get(reference, "resource"));
    const json_t *lookup = sbl_json_named(l->resources, resource);
    json_t *field = sbl_json_named(fields, sbl_json_only_text(json_object_get(link, "fields")));
    json_t *keys = NULL;
    sbl_status status = SBL_OK;
    if (!sbl_resource_is_public(lookup) || field == NULL || sbl_field_has_values(field)) return SBL_OK;
    SBL_TRY(load_keys(&keys, l, lookup, err));
    SBL_TRY(put_values(field, keys, l->path, err));
done:
    json_decref(keys);
    return status;
}

static json_t *fields_of(const json_t *resource)
{
    return json_object_get(json_object_get(resource, "schema"), "fields");
}

static sbl_status load_links(const loading *l, const json_t *resource, sbl_error *err)
{
    const json_t *links = sbl_resource_links(resource);
    const json_t *fields = fields_of(resource);
    if (sbl_resource_is_public(resource)) return SBL_OK;
    for (size_t i = 0; i < json_array_size(links); i++)
        SBL_CHECK(load_link(l, fields, json_array_get(links, i), err));
    return SBL_OK;
}

sbl_status sbl_schema_load_object(sbl_schema **schema, json_t *object, const char *path, bool outside,
                                  sbl_error *err)
{
    const loading l = {path, json_object_get(object, "resources"), outside};
    const sbl_schema_place at = {path, l.resources != NULL, outside};
    *schema = NULL;
    for (size_t i = 0; i < json_array_size(l.resources); i++)
        SBL_CHECK(load_links(&l, json_array_get(l.resources, i), err));
    for (size_t i = 0; i < json_array_size(l.resources); i++)
        SBL_CHECK(sbl_hierarchies_load(fields_of(json_array_get(l.resources, i)), &at, err));
    SBL_CHECK(sbl_hierarchies_load(json_object_get(object, "fields"), &at, err));
    return sbl_schema_build(schema, object, path, err);
}

sbl_status sbl_schema_load(sbl_schema **schema, const char *path, bool outside, sbl_error *err)
{
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    *schema = NULL;
    SBL_TRY(sbl_package_read(&object, path, outside, err));
    SBL_TRY(sbl_schema_load_object(schema, object, path, outside, err));
done:
    json_decref(object);
    return status;
}
