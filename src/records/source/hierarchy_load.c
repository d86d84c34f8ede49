/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file into an object, code by code, and keeps what is above the field's categories. The schema reader judges the
 * result as if it had been typed: codes without a parent, circles. */
#include "records/source/hierarchy_load.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "records/rows/table.h"

/* ---- the file ---- */

static sbl_status find_column(size_t *column, const sbl_cell_reader *cells, const char *name,
                              const char *file, sbl_error *err)
{
    for (*column = 0; *column < cells->names.count; (*column)++)
        if (strcmp(cells->names.items[*column], name) == 0) return SBL_OK;
    return sbl_fail(err, SBL_EINPUT,
                    "%s: column '%s' is missing from the header: a file of parents has the columns code and "
                    "parent",
                    file, name);
}

/* A cell as text; NULL: it is empty. */
static sbl_status take_text(json_t **taken, const sbl_cell *cell, const char *file, sbl_error *err)
{
    char own[SBL_CELL_OWN_TEXT];
    size_t length = 0;
    const char *text = sbl_cell_text(&length, own, cell);
    *taken = NULL;
    if (text == NULL) return SBL_OK; /* the row is too short */
    text = sbl_trim(text, &length);
    if (length == 0) return SBL_OK;
    *taken = json_stringn(text, length); /* of UTF-8, which the reader has made of the file */
    return *taken != NULL ? SBL_OK : sbl_fail(err, SBL_EINPUT, "%s: a code is not UTF-8 text", file);
}

/* A code without a parent is at the top. */
static sbl_status add_row(json_t *parents, const json_t *code, json_t *parent, const char *file,
                          sbl_error *err)
{
    const char *name = json_string_value(code);
    if (name == NULL || parent == NULL) return SBL_OK;
    const json_t *before = json_object_get(parents, name);
    if (before != NULL && !json_equal(before, parent))
        return sbl_fail(err, SBL_EINPUT, "%s: code '%.100s' has two parents: remove one of the rows", file,
                        name);
    if (json_object_size(parents) >= SBL_MOST_PARENTS)
        return sbl_fail(err, SBL_EINPUT, "%s: a file of parents may have at most %d codes", file,
                        SBL_MOST_PARENTS);
    return json_object_set(parents, name, parent) == 0 ? SBL_OK : sbl_no_memory(err, file);
}

static sbl_status read_parents(json_t *parents, const char *file, sbl_error *err)
{
    const sbl_table table = sbl_csv_table(file);
    const sbl_dialect dialect = SBL_DIALECT_USUAL;
    sbl_cell_reader cells = {0};
    size_t code, parent;
    bool more = true;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_cell_reader_open(&cells, &table, &dialect, err));
    SBL_TRY(find_column(&code, &cells, "code", file, err));
    SBL_TRY(find_column(&parent, &cells, "parent", file, err));
    for (;;) {
        SBL_TRY(sbl_cell_reader_next(&cells, &more, err));
        if (!more) break;
        json_t *own = NULL, *above = NULL;
        status = take_text(&own, &cells.cells[code], file, err);
        if (status == SBL_OK) status = take_text(&above, &cells.cells[parent], file, err);
        if (status == SBL_OK) status = add_row(parents, own, above, file, err);
        json_decref(own);
        json_decref(above);
        if (status != SBL_OK) break;
    }
done:
    sbl_cell_reader_close(&cells);
    return status;
}

/* ---- a field ---- */

/* All that is above a category; a circle ends where it began. */
static bool keep_chain(json_t *kept, json_t *parents, const char *name)
{
    json_t *parent;
    while ((parent = json_object_get(parents, name)) != NULL && json_object_get(kept, name) == NULL) {
        if (json_object_set(kept, name, parent) != 0) return false;
        name = json_string_value(parent);
    }
    return true;
}

static bool keep_value(json_t *kept, json_t *parents, const json_t *value)
{
    sbl_text number = {0};
    if (json_is_object(value)) value = json_object_get(value, "value");
    if (json_is_string(value)) return keep_chain(kept, parents, json_string_value(value));
    if (!json_is_integer(value)) return true;
    sbl_text_printf(&number, "%lld", (long long)json_integer_value(value));
    const bool good = !number.failed && keep_chain(kept, parents, number.data);
    sbl_text_clear(&number);
    return good;
}

/* Out: kept  those above the categories of a field */
static bool keep_own(json_t *kept, json_t *parents, const json_t *field)
{
    const json_t *values = json_object_get(json_object_get(field, "constraints"), "enum");
    if (values == NULL) values = json_object_get(field, "categories");
    for (size_t i = 0; i < json_array_size(values); i++)
        if (!keep_value(kept, parents, json_array_get(values, i))) return false;
    return true;
}

/* For a package, files outside can be allowed; for a schema there is no such option. */
static sbl_status find_file(sbl_text *place, const char *name, const sbl_schema_place *at, sbl_error *err)
{
    sbl_error why = {.status = SBL_OK};
    const sbl_status status =
        sbl_path_of_package(place, at->path, name, at->outside, at->package ? err : &why);
    if (status == SBL_OK || at->package) return status;
    if (status != SBL_EINPUT) return sbl_fail(err, status, "%s", why.message);
    return sbl_fail(err, SBL_EINPUT, "%s: '%.200s' is outside the folder of the schema: move it there",
                    at->path, name);
}

static sbl_status load_one(const json_t *field, json_t *hierarchy, const sbl_schema_place *at, sbl_error *err)
{
    const char *name = json_string_value(json_object_get(hierarchy, "parents"));
    sbl_text place = {0};
    json_t *parents = json_object(), *kept = json_object();
    sbl_status status = SBL_OK;
    SBL_TRY(find_file(&place, name, at, err));
    SBL_TRY(read_parents(parents, place.data, err));
    if (json_object_size(parents) == 0)
        SBL_FAIL(err, SBL_EINPUT, "%s: the file of parents has no codes", place.data);
    if (kept == NULL || !keep_own(kept, parents, field) || json_object_set(hierarchy, "parents", kept) != 0)
        SBL_TRY(sbl_no_memory(err, at->path));
done:
    json_decref(parents);
    json_decref(kept);
    sbl_text_clear(&place);
    return status;
}

sbl_status sbl_hierarchies_load(json_t *fields, const sbl_schema_place *at, sbl_error *err)
{
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        json_t *hierarchy = json_object_get(json_object_get(field, "semblance"), "hierarchy");
        if (json_is_string(json_object_get(hierarchy, "parents")))
            SBL_CHECK(load_one(field, hierarchy, at, err));
    }
    return SBL_OK;
}
