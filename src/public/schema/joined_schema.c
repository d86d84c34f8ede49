/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables as one schema: columns side by side under "table.column", and back to a package. What
 * a column is does not change by standing there, so they are copied field by field, also those of a
 * fitted schema, which no file could hold. */
#include <string.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "base/text.h"
#include "public/schema/bounds_by.h"
#include "public/schema/file_facts.h"
#include "public/schema/hierarchy.h"
#include "public/schema/package.h"

static const char what[] = "a schema";

size_t sbl_schema_table_of(const sbl_schema *schema, size_t column)
{
    size_t table = 0;
    while (table + 1 < schema->table_count && column >= schema->tables[table + 1].first) table++;
    return table;
}

/* ---- copies ---- */

static sbl_status copy_strings(sbl_strings *copy, const sbl_strings *from, sbl_error *err)
{
    if (from->count == 0) return SBL_OK;
    if (!sbl_strings_reserve(copy, from->count)) return sbl_no_memory(err, what);
    for (size_t i = 0; i < from->count; i++)
        if (!sbl_strings_add(copy, from->items[i])) return sbl_no_memory(err, what);
    return SBL_OK;
}

static sbl_status copy_optional(char **copy, const char *text, sbl_error *err)
{
    return text != NULL ? sbl_copy_text(copy, text, what, err) : SBL_OK;
}

/* On failure the copy holds what was copied so far, and nothing of the original. */
static sbl_status copy_column(sbl_column *copy, const sbl_column *from, sbl_error *err)
{
    const sbl_strings none = {0};
    *copy = *from;
    copy->name = copy->format = copy->made_as = copy->made_sex = copy->prefix = copy->suffix = NULL;
    copy->by_domains = NULL;
    copy->by_index = NULL;
    copy->hierarchy = NULL;
    copy->file = NULL;
    copy->ancestors = NULL;
    copy->missing_values = copy->categories = copy->true_values = copy->false_values = none;
    copy->also_formats = none;
    SBL_CHECK(copy_optional(&copy->name, from->name, err));
    SBL_CHECK(copy_optional(&copy->format, from->format, err));
    SBL_CHECK(copy_strings(&copy->also_formats, &from->also_formats, err));
    SBL_CHECK(copy_optional(&copy->made_as, from->made_as, err));
    SBL_CHECK(copy_optional(&copy->made_sex, from->made_sex, err));
    SBL_CHECK(copy_optional(&copy->prefix, from->prefix, err));
    SBL_CHECK(copy_optional(&copy->suffix, from->suffix, err));
    SBL_CHECK(sbl_bounds_by_copy(copy, from, err));
    SBL_CHECK(sbl_hierarchy_copy(copy, from, err));
    SBL_CHECK(sbl_file_facts_copy(copy, from, err));
    SBL_CHECK(copy_strings(&copy->missing_values, &from->missing_values, err));
    SBL_CHECK(copy_strings(&copy->categories, &from->categories, err));
    SBL_CHECK(copy_strings(&copy->true_values, &from->true_values, err));
    return copy_strings(&copy->false_values, &from->false_values, err);
}

static sbl_status copy_columns(sbl_schema *to, const sbl_schema *from, sbl_error *err)
{
    for (size_t i = 0; i < from->column_count; i++)
        SBL_CHECK(copy_column(&to->columns[to->column_count++], &from->columns[i], err));
    return SBL_OK;
}

/* A table's schema with all that its columns are; what is for people is left out. */
static sbl_status copy_schema(sbl_schema **copy, const sbl_schema *from, sbl_error *err)
{
    sbl_schema *made = NULL;
    sbl_status status = SBL_OK;
    *copy = NULL;
    SBL_ALLOC(made, 1, what);
    made->label = from->label;
    made->task = from->task;
    made->rows_per_unit = from->rows_per_unit;
    made->unit = from->unit;
    made->order = from->order;
    made->dialect = from->dialect;
    SBL_ALLOC(made->columns, from->column_count, what);
    SBL_TRY(copy_columns(made, from, err));
    SBL_TRY(copy_strings(&made->constraints, &from->constraints, err));
    SBL_TRY(copy_optional(&made->origin, from->origin, err));
    SBL_TRY(copy_optional(&made->person, from->person, err));
    *copy = made;
    made = NULL;
done:
    sbl_schema_free(made);
    return status;
}

static size_t without(size_t column, size_t first)
{
    return column != SBL_NO_COLUMN ? column - first : SBL_NO_COLUMN;
}

static size_t moved(size_t column, size_t first)
{
    return column != SBL_NO_COLUMN ? column + first : SBL_NO_COLUMN;
}

sbl_status sbl_linked_tables_copy(sbl_linked_table **tables, const sbl_schema *wide,
                                  const sbl_schema *const *schemas, sbl_error *err)
{
    sbl_linked_table *made = NULL;
    sbl_status status = SBL_OK;
    *tables = NULL;
    SBL_ALLOC(made, wide->table_count, what);
    for (size_t t = 0; t < wide->table_count; t++) {
        const sbl_linked_table *from = &wide->tables[t];
        made[t].parent = from->parent;
        made[t].key = without(from->key, from->first);
        made[t].parent_key = without(from->parent_key, from->first);
        SBL_TRY(sbl_copy_text(&made[t].name, from->name, what, err));
        SBL_TRY(copy_optional(&made[t].path, from->path, err));
        SBL_TRY(copy_schema(&made[t].schema, schemas[t], err));
    }
    *tables = made;
    made = NULL;
done:
    sbl_linked_tables_free(made, wide->table_count);
    return status;
}

/* ---- wide ---- */

static sbl_status name_column(sbl_column *column, const char *table, sbl_error *err)
{
    sbl_text name = {0};
    sbl_text_printf(&name, "%s.%s", table, column->name);
    const sbl_status status = sbl_text_check(&name, what, err);
    if (status != SBL_OK) {
        sbl_text_clear(&name);
        return status;
    }
    sbl_free(column->name);
    column->name = name.data;
    return SBL_OK;
}

/* The columns of a table go to the end, and it learns where they are. What is the root's is the person's. */
static sbl_status add_table(sbl_schema *wide, sbl_linked_table *table, sbl_error *err)
{
    const bool root = table->parent == SBL_NO_TABLE;
    table->first = wide->column_count;
    table->count = table->schema->column_count;
    table->key = moved(table->key, table->first);
    table->parent_key = moved(table->parent_key, table->first);
    table->order = moved(table->schema->order, table->first);
    table->rows_per_unit = table->schema->rows_per_unit;
    SBL_CHECK(copy_columns(wide, table->schema, err));
    for (size_t i = table->first; i < wide->column_count; i++) {
        SBL_CHECK(name_column(&wide->columns[i], table->name, err));
        wide->columns[i].by += table->first;
        wide->columns[i].per_unit = root && wide->columns[i].kind != SBL_COLUMN_IGNORED;
    }
    if (!root) wide->rows_per_unit += table->rows_per_unit;
    return SBL_OK;
}

sbl_status sbl_schema_see(sbl_schema **seen, const sbl_schema *package, size_t table, sbl_error *err)
{
    const sbl_linked_table *tables = package->tables;
    const sbl_schema *own = tables[table].schema;
    size_t columns = 0;
    sbl_schema *made = NULL;
    sbl_status status = SBL_OK;
    *seen = NULL;
    for (size_t t = table; t != SBL_NO_TABLE; t = tables[t].parent) columns += tables[t].schema->column_count;
    SBL_ALLOC(made, 1, what);
    made->label = own->label;
    made->unit = own->unit;
    made->order = own->order;
    made->rows_per_unit = own->rows_per_unit;
    made->dialect = own->dialect;
    SBL_ALLOC(made->columns, columns, what);
    SBL_TRY(copy_columns(made, own, err));
    for (size_t t = tables[table].parent; t != SBL_NO_TABLE; t = tables[t].parent) {
        const size_t first = made->column_count;
        SBL_TRY(copy_columns(made, tables[t].schema, err));
        for (size_t c = first; c < made->column_count; c++) {
            SBL_TRY(name_column(&made->columns[c], tables[t].name, err));
            made->columns[c].by += first;
            made->columns[c].per_unit = true;
        }
    }
    SBL_TRY(copy_strings(&made->constraints, &own->constraints, err));
    *seen = made;
    made = NULL;
done:
    sbl_schema_free(made);
    return status;
}

/* What was read from the records of one table marks the whole. */
static sbl_status set_origin(sbl_schema *wide, sbl_error *err)
{
    const char *origin = NULL;
    for (size_t t = 0; t < wide->table_count; t++) {
        const char *own = wide->tables[t].schema->origin;
        if (origin == NULL || (!sbl_origin_is_inspected(origin) && sbl_origin_is_inspected(own)))
            origin = own;
    }
    return copy_optional(&wide->origin, origin, err);
}

sbl_status sbl_schema_widen(sbl_schema **wide, sbl_linked_table *tables, size_t count, sbl_error *err)
{
    sbl_schema *made = NULL;
    size_t columns = 0;
    sbl_status status = SBL_OK;
    *wide = NULL;
    for (size_t t = 0; t < count; t++) columns += tables[t].schema->column_count;
    SBL_ALLOC(made, 1, what);
    made->tables = tables;
    made->table_count = count;
    tables = NULL;
    made->label = made->order = SBL_NO_COLUMN;
    made->dialect = SBL_DIALECT_USUAL;
    SBL_ALLOC(made->columns, columns, what);
    for (size_t t = 0; t < count; t++) SBL_TRY(add_table(made, &made->tables[t], err));
    made->unit = made->tables[0].key;
    SBL_TRY(set_origin(made, err));
    *wide = made;
    made = NULL;
done:
    sbl_linked_tables_free(tables, count);
    sbl_schema_free(made);
    return status;
}

/* ---- JSON ---- */

static json_t *table_to_json(const sbl_schema *wide, const sbl_linked_table *table, bool with_origin)
{
    const sbl_schema *schema = table->schema;
    json_t *fields = with_origin ? sbl_schema_to_json_with_origin(schema) : sbl_schema_to_json(schema);
    if (table->key != SBL_NO_COLUMN)
        fields =
            sbl_json_put(fields, "primaryKey", json_string(schema->columns[table->key - table->first].name));
    if (table->parent != SBL_NO_TABLE) {
        const sbl_linked_table *parent = &wide->tables[table->parent];
        const char *key = parent->schema->columns[parent->key - parent->first].name;
        const char *own = schema->columns[table->parent_key - table->first].name;
        fields = sbl_json_put(fields, "foreignKeys",
                              json_pack("[{s:s, s:{s:s, s:s}}]", "fields", own, "reference", "resource",
                                        parent->name, "fields", key));
    }
    json_t *made = json_pack("{s:s}", "name", table->name);
    if (table->path != NULL) made = sbl_json_put(made, "path", json_string(table->path));
    return sbl_json_put(made, "schema", fields);
}

json_t *sbl_package_to_json(const sbl_schema *schema, bool with_origin)
{
    json_t *list = json_array();
    for (size_t t = 0; t < schema->table_count; t++)
        list = sbl_json_append(list, table_to_json(schema, &schema->tables[t], with_origin));
    return sbl_json_put(json_object(), "resources", list);
}
