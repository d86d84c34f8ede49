/* SPDX-License-Identifier: Apache-2.0 */
/* Inspects each table by itself, and puts the drafts together: keys, numbers of rows, and all proposals in one list, each with the table
 * that it is for. What concerns persons is left out of the drafts of tables, for the keys say it. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "owner/inspect/package_draft.h"
#include "public/schema/package.h"
#include "public/schema/proposals.h"

#define WHAT "a package"
#define MOST_PROPOSALS (SBL_MOST_PROPOSALS / 2) /* of tables: there must be room for lists and rules */

static const char *name_of(const sbl_inspected_file *file, size_t column)
{
    return file->columns.items[column];
}

/* ---- paths ---- */

/* The file as the package names it: what is left of its path in the folder of the package. */
static sbl_status put_path(sbl_text *text, const sbl_inspected_file *file, const char *output, sbl_error *err)
{
    const char *path = file->data->path;
    char folder[PATH_MAX], real[PATH_MAX];
    sbl_text here = {0};
    if (path == NULL) return SBL_OK;
    if (sbl_path_is_list(path))
        return sbl_fail(err, SBL_EINPUT, "%s: a table of a package is one file: put its parts together first",
                        path);
    if (output == NULL || realpath(path, real) == NULL) {
        sbl_text_printf(text, "%s", path);
        return sbl_text_check(text, WHAT, err);
    }
    const sbl_status status = sbl_path_beside(&here, output, ".", err);
    const bool found = status == SBL_OK && realpath(here.data, folder) != NULL;
    sbl_text_clear(&here);
    if (status != SBL_OK) return status;
    const size_t size = found && strcmp(folder, "/") != 0 ? strlen(folder) : 0;
    if (!found || strncmp(real, folder, size) != 0 || real[size] != '/')
        return sbl_fail(err, SBL_EINPUT, "%s is not in the folder of %s: write the package next to its files",
                        path, output);
    sbl_text_printf(text, "%s", real + size + 1);
    return sbl_text_check(text, WHAT, err);
}

/* {"name": ..., "path": ...}; NULL with a status on failure. */
sbl_status sbl_package_resource(json_t **resource, const sbl_inspected_file *file, const char *output,
                                sbl_error *err)
{
    sbl_text path = {0};
    sbl_status status = SBL_OK;
    *resource = NULL;
    SBL_TRY(put_path(&path, file, output, err));
    *resource = json_pack("{s:s}", "name", file->name);
    if (path.data != NULL) *resource = sbl_json_put(*resource, "path", json_string(path.data));
    if (*resource == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    sbl_text_clear(&path);
    return status;
}

/* ---- one table ---- */

/* Is a column a key, of its own rows or of another table's? */
static bool is_key(const sbl_inspected_files *files, size_t f, const char *name)
{
    const sbl_inspected_file *file = &files->items[f];
    if (file->key != SBL_NO_COLUMN && strcmp(name_of(file, file->key), name) == 0) return true;
    for (size_t i = 0; i < files->link_count; i++) {
        const sbl_key_link *link = &files->links[i];
        if (link->good && link->from == f && !files->items[link->to].lookup &&
            strcmp(name_of(file, link->column), name) == 0)
            return true;
    }
    return false;
}

/* Is a proposal about persons, or about a key? */
static bool is_settled(const sbl_inspected_files *files, size_t f, const json_t *item)
{
    const char *kind = json_string_value(json_object_get(item, "kind"));
    const json_t *fields = json_object_get(item, "fields");
    if (strcmp(kind, "unit") == 0 || strcmp(kind, "per") == 0) return true;
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (is_key(files, f, json_string_value(json_object_get(json_array_get(fields, i), "name"))))
            return true;
    return false;
}

/* How ids of a key look, as a proposal for it says; NULL: as usual. */
static json_t *look_of(const json_t *proposals, const char *name)
{
    for (size_t i = 0; i < json_array_size(proposals); i++) {
        const json_t *fields = json_object_get(json_array_get(proposals, i), "fields");
        const json_t *field = sbl_json_named(fields, name);
        json_t *look = json_object_get(json_object_get(field, "semblance"), "id");
        if (look != NULL) return look;
    }
    return NULL;
}

/* A key has no values of its own: the table's is made anew, others are left out. */
static sbl_status write_keys(json_t *schema, const sbl_inspected_files *files, size_t f, sbl_error *err)
{
    const sbl_inspected_file *file = &files->items[f];
    json_t *fields = json_object_get(schema, "fields");
    const json_t *proposals = json_object_get(json_object_get(schema, "semblance"), "proposals");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(fields, i), "name"));
        if (!is_key(files, f, name)) continue;
        const bool own = file->key != SBL_NO_COLUMN && strcmp(name_of(file, file->key), name) == 0;
        json_t *look = own ? look_of(proposals, name) : NULL;
        json_t *options = json_pack("{s:s}", "role", own ? "id" : "ignore");
        if (look != NULL) options = sbl_json_put(options, "id", json_incref(look));
        if (json_array_set_new(fields, i,
                               sbl_json_put(json_pack("{s:s}", "name", name), "semblance", options)) != 0)
            return sbl_no_memory(err, WHAT);
    }
    return SBL_OK;
}

static sbl_status write_links(json_t *schema, const sbl_inspected_files *files, size_t f, uint64_t rows,
                              sbl_error *err)
{
    const sbl_inspected_file *file = &files->items[f];
    bool good = file->key == SBL_NO_COLUMN ||
                json_object_set_new(schema, "primaryKey", json_string(name_of(file, file->key))) == 0;
    if (file->parent != SBL_NO_TABLE) {
        const sbl_inspected_file *parent = &files->items[file->parent];
        json_t *link =
            json_pack("[{s:s, s:{s:s, s:s}}]", "fields", name_of(file, file->parent_key), "reference",
                      "resource", parent->name, "fields", name_of(parent, parent->key));
        good = good && json_object_set_new(schema, "foreignKeys", link) == 0;
        if (file->key != file->parent_key)
            good = good && json_object_set_new(json_object_get(schema, "semblance"), "max_rows_per_unit",
                                               json_integer((json_int_t)rows)) == 0;
    }
    return good ? SBL_OK : sbl_no_memory(err, WHAT);
}

/* Words begin with a column, TABLE.COLUMN then, or with something else. */
static void put_words(sbl_text *words, const sbl_inspected_file *file, const char *own)
{
    bool column = false;
    for (size_t i = 0; !column && i < file->columns.count; i++)
        column = strncmp(own, name_of(file, i), strlen(name_of(file, i))) == 0;
    sbl_text_printf(words, column ? "%s.%s" : "%s: %s", file->name, own);
}

/* Move what is left of a table's proposals to those of the package. */
static sbl_status move_proposals(json_t *proposals, json_t *schema, const sbl_inspected_files *files,
                                 size_t f, sbl_error *err)
{
    json_t *options = json_object_get(schema, "semblance");
    json_t *own = json_incref(json_object_get(options, "proposals"));
    sbl_status status = SBL_OK;
    (void)json_object_del(options, "proposals");
    for (size_t i = 0; i < json_array_size(own); i++) {
        json_t *item = json_array_get(own, i);
        sbl_text words = {0};
        if (is_settled(files, f, item) || json_array_size(proposals) >= MOST_PROPOSALS) continue;
        put_words(&words, &files->items[f], json_string_value(json_object_get(item, "words")));
        const bool good = !words.failed && json_object_set_new(item, "words", json_string(words.data)) == 0 &&
                          json_object_set_new(item, "resource", json_string(files->items[f].name)) == 0 &&
                          json_array_append(proposals, item) == 0;
        sbl_text_clear(&words);
        if (!good) SBL_TRY(sbl_no_memory(err, WHAT));
    }
done:
    json_decref(own);
    return status;
}

/* Notes of one table, each with its name. Those about keys and persons say what the keys have settled. */
static void add_notes(sbl_text *notes, const sbl_text *own, const sbl_inspected_files *files, size_t f)
{
    for (const char *line = own->data; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        sbl_text name = {0}, whole = {0};
        sbl_text_append(&name, line, strcspn(line, ":"));
        sbl_text_append(&whole, line, length);
        const bool settled = name.data == NULL || whole.data == NULL || name.failed || whole.failed ||
                             is_key(files, f, name.data) || strstr(whole.data, "semblance.unit") != NULL;
        if (!settled) sbl_text_printf(notes, "%s.%s\n", files->items[f].name, whole.data);
        sbl_text_clear(&name);
        sbl_text_clear(&whole);
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

static sbl_status draft_table(json_t **resource, json_t *proposals, sbl_text *notes,
                              const sbl_inspected_files *files, size_t f, const sbl_package_plan *plan,
                              sbl_error *err)
{
    const sbl_inspected_file *file = &files->items[f];
    const char *parent_key = file->parent != SBL_NO_TABLE ? name_of(file, file->parent_key) : NULL;
    const char *key = file->key != SBL_NO_COLUMN ? name_of(file, file->key) : NULL;
    char *text = NULL;
    json_t *schema = NULL;
    sbl_text own = {0};
    sbl_status status = SBL_OK;
    *resource = NULL;
    SBL_TRY(sbl_table_inspect_linked(&text, &own, &file->table, &file->data->written, parent_key, key, err));
    SBL_TRY(sbl_json_parse(&schema, text, strlen(text), file->table.name, err));
    add_notes(notes, &own, files, f);
    SBL_TRY(write_keys(schema, files, f, err));
    SBL_TRY(write_links(schema, files, f, plan->rows[f], err));
    SBL_TRY(move_proposals(proposals, schema, files, f, err));
    SBL_TRY(sbl_package_resource(resource, file, plan->output, err));
    *resource = sbl_json_put(*resource, "schema", json_incref(schema));
    if (*resource == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    sbl_text_clear(&own);
    json_decref(schema);
    sbl_free(text);
    return status;
}

/* ---- all ---- */

/* Rows that count, plain numbers whose sum a package may have. */
static void plan_rows(sbl_package_plan *plan, sbl_text *notes, const sbl_inspected_files *files)
{
    uint64_t sum = 0;
    bool lowered = false;
    for (size_t f = 0; f < files->count; f++) {
        const bool child = !files->items[f].lookup && files->items[f].parent != SBL_NO_TABLE;
        plan->rows[f] =
            child ? sbl_package_plain_rows(files->items[f].most > 0 ? files->items[f].most : 1) : 0;
        sum += plan->rows[f];
    }
    while (sum > SBL_ROWS_PER_UNIT_MAX) {
        size_t largest = 0;
        for (size_t f = 1; f < files->count; f++)
            if (plan->rows[f] > plan->rows[largest]) largest = f;
        sum -= plan->rows[largest];
        plan->rows[largest] = sbl_package_plain_rows(plan->rows[largest] / 5 + 1);
        sum += plan->rows[largest];
        lowered = true;
    }
    if (lowered)
        sbl_text_printf(
            notes, "some persons have more rows than count: all tables together may have %d of a person\n",
            SBL_ROWS_PER_UNIT_MAX);
}

sbl_status sbl_package_draft(json_t **package, sbl_text *notes, const sbl_inspected_files *files,
                             const char *output, sbl_error *err)
{
    sbl_package_plan plan = {.output = output};
    size_t order[SBL_MOST_TABLES];
    const size_t count = sbl_package_order(order, files);
    json_t *resources = json_array(), *proposals = json_array();
    sbl_status status = SBL_OK;
    *package = NULL;
    if (resources == NULL || proposals == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
    plan_rows(&plan, notes, files);
    for (size_t i = 0; i < count; i++) {
        json_t *resource;
        SBL_TRY(draft_table(&resource, proposals, notes, files, order[i], &plan, err));
        if (json_array_append_new(resources, resource) != 0) SBL_TRY(sbl_no_memory(err, WHAT));
    }
    SBL_TRY(sbl_package_propose_lookups(proposals, resources, files, &plan, err));
    *package = json_pack("{s:O, s:{s:O}}", "resources", resources, "semblance", "proposals", proposals);
    if (*package == NULL) SBL_TRY(sbl_no_memory(err, WHAT));
done:
    json_decref(resources);
    json_decref(proposals);
    return status;
}
