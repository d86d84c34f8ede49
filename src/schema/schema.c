/* An array of copies. Capacity is reserved once, since every reader knows the length of its
 * list. */
#include "schema/schema.h"

#include <string.h>

#include "base/memory.h"

bool sbl_strings_reserve(sbl_strings *strings, size_t capacity)
{
    strings->items = sbl_alloc_array(capacity, sizeof *strings->items);
    return strings->items != NULL;
}

bool sbl_strings_add(sbl_strings *strings, const char *text)
{
    if (sbl_copy_text(&strings->items[strings->count], text, "a text", NULL) != SBL_OK)
        return false;
    strings->count++;
    return true;
}

bool sbl_strings_contain(const sbl_strings *strings, const char *text)
{
    for (size_t i = 0; i < strings->count; i++)
        if (strcmp(strings->items[i], text) == 0) return true;
    return false;
}

void sbl_strings_clear(sbl_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) sbl_free(strings->items[i]);
    sbl_free(strings->items);
    memset(strings, 0, sizeof *strings);
}

/* Names of kinds, types and tasks, and the end of a schema's life. Reading is in schema_json.c and
 * the files of fields beside it, writing in schema.c. */

const char *sbl_column_kind_name(sbl_column_kind kind)
{
    static const char *const names[] = {"number", "category", "date", "datetime", "ignored"};
    return names[kind];
}

const char *sbl_field_type_name(sbl_field_type type)
{
    static const char *const names[] = {"integer", "number",   "string", "boolean",
                                        "date",    "datetime", "any"};
    return names[type];
}

const char *sbl_task_name(sbl_task task)
{
    static const char *const names[] = {"none", "classification", "regression"};
    return names[task];
}

static void column_clear(sbl_column *column)
{
    sbl_free(column->name);
    sbl_free(column->format);
    sbl_strings_clear(&column->missing_values);
    sbl_strings_clear(&column->categories);
    sbl_strings_clear(&column->true_values);
    sbl_strings_clear(&column->false_values);
    sbl_free(column->made_as);
}

void sbl_schema_free(sbl_schema *schema)
{
    if (schema == NULL) return;
    for (size_t i = 0; i < schema->column_count; i++) column_clear(&schema->columns[i]);
    sbl_free(schema->columns);
    sbl_strings_clear(&schema->constraints);
    sbl_free(schema->origin);
    sbl_strings_clear(&schema->proposals);
    sbl_free(schema);
}
