/* SPDX-License-Identifier: Apache-2.0 */
/* A short list that many rows refer to, wards or regions, may be public. If its owner says so, it becomes a part of the package, and the
 * column that refers to it a category of all of its keys. Until then the list is left out. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/inspect/package_draft.h"
#include "owner/inspect/rule_search.h"
#include "public/schema/package.h"
#include "public/schema/proposals.h"

#define WHAT "a package"

/* The keys of a list, as they are written. */
static sbl_status read_keys(json_t *keys, const sbl_inspected_file *file, sbl_error *err)
{
    char own[SBL_CELL_OWN_TEXT];
    sbl_cell_reader row = {0};
    sbl_strings seen = {0};
    bool more = true;
    sbl_status status = SBL_OK;
    if (!sbl_strings_reserve(&seen, (size_t)file->rows)) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_TRY(sbl_cell_reader_open(&row, &file->table, &file->dialect, err));
    for (uint64_t rows = 0; rows < file->rows; rows++) {
        size_t length = 0;
        SBL_TRY(sbl_cell_reader_next(&row, &more, err));
        if (!more) break;
        const char *text = sbl_cell_text(&length, own, &row.cells[file->key]);
        text = text != NULL ? sbl_trim(text, &length) : "";
        json_t *key = length > 0 ? json_stringn(text, length) : NULL;
        if (key == NULL) continue; /* no key, or not UTF-8 */
        const bool known = sbl_strings_contain(&seen, json_string_value(key));
        const bool good =
            known || (sbl_strings_add(&seen, json_string_value(key)) && json_array_append(keys, key) == 0);
        json_decref(key);
        if (!good) SBL_TRY(sbl_no_memory(err, WHAT));
    }
done:
    sbl_strings_clear(&seen);
    sbl_cell_reader_close(&row);
    return status;
}

/* The list as a public resource: its columns are texts, of which only the key is read. */
static sbl_status make_resource(json_t **resource, const sbl_inspected_file *file, const char *output,
                                sbl_error *err)
{
    json_t *fields = json_array();
    char *text = NULL;
    json_t *schema = NULL;
    sbl_text notes = {0};
    sbl_status status = SBL_OK;
    *resource = NULL;
    for (size_t c = 0; c < file->columns.count; c++)
        if (file->columns.items[c][0] != '\0')
            fields = sbl_json_append(
                fields, json_pack("{s:s, s:s}", "name", file->columns.items[c], "type", "string"));
    SBL_TRY(sbl_table_inspect_linked(&text, &notes, &file->table, &file->data->written, NULL, NULL, err));
    SBL_TRY(sbl_json_parse(&schema, text, strlen(text), file->table.name, err));
    (void)json_object_del(schema, "semblance");
    (void)json_object_del(schema, "missingValues");
    schema = sbl_json_put(sbl_json_put(schema, "fields", fields), "primaryKey",
                          json_string(file->columns.items[file->key]));
    fields = NULL;
    SBL_TRY(sbl_package_resource(resource, file, output, err));
    *resource = sbl_json_put(*resource, "semblance", json_pack("{s:b}", "public", true));
    *resource = sbl_json_put(*resource, "schema", json_incref(schema));
    if (*resource == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    json_decref(fields);
    json_decref(schema);
    sbl_text_clear(&notes);
    sbl_free(text);
    return status;
}

static bool is_required(const json_t *resources, const char *table, const char *column)
{
    const json_t *schema = json_object_get(sbl_json_named(resources, table), "schema");
    const json_t *field = sbl_json_named(json_object_get(schema, "fields"), column);
    return json_is_true(json_object_get(json_object_get(field, "constraints"), "required"));
}

static sbl_status propose(json_t *proposals, const json_t *resources, const sbl_inspected_files *files,
                          const sbl_key_link *link, const sbl_package_plan *plan, sbl_error *err)
{
    const sbl_inspected_file *from = &files->items[link->from], *to = &files->items[link->to];
    const char *column = from->columns.items[link->column], *key = to->columns.items[link->key];
    json_t *keys = json_array(), *resource = NULL, *item = NULL;
    sbl_text words = {0};
    sbl_status status = SBL_OK;
    if (keys == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    SBL_TRY(read_keys(keys, to, err));
    SBL_TRY(make_resource(&resource, to, plan->output, err));
    sbl_text_printf(&words,
                    "%s: a list of %" PRIu64
                    " rows, and %s.%s names one of them in %s row: if anyone may see it, it becomes a public "
                    "table; otherwise it is left out",
                    to->name, to->rows, from->name, column,
                    link->found == from->rows ? "every" : "nearly every");
    SBL_TRY(sbl_text_check(&words, WHAT, err));
    json_t *constraints =
        json_pack("{s:O, s:b}", "enum", keys, "required", is_required(resources, from->name, column));
    item = json_pack("{s:s, s:s, s:s, s:[{s:s, s:s, s:o}], s:[{s:s, s:{s:s, s:s}}], s:[O]}", "kind", "public",
                     "words", words.data, "resource", from->name, "fields", "name", column, "type", "string",
                     "constraints", constraints, "foreignKeys", "fields", column, "reference", "resource",
                     to->name, "fields", key, "resources", resource);
    if (json_array_append_new(proposals, item) != 0) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    sbl_text_clear(&words);
    json_decref(keys);
    json_decref(resource);
    return status;
}

sbl_status sbl_package_propose_lookups(json_t *proposals, const json_t *resources,
                                       const sbl_inspected_files *files, const sbl_package_plan *plan,
                                       sbl_error *err)
{
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        const bool named = link->good && files->items[link->to].lookup && !files->items[link->from].lookup;
        const bool room = json_array_size(proposals) + SBL_MOST_RULES < SBL_MOST_PROPOSALS;
        if (named && room && files->items[link->to].key == link->key)
            SBL_CHECK(propose(proposals, resources, files, link, plan, err));
    }
    return SBL_OK;
}
