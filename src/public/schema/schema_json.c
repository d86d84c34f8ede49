/* SPDX-License-Identifier: Apache-2.0 */
/* A Table Schema file: its constraints, its fields, the label and the task. */
#include "public/schema/schema_json.h"
#include "public/schema/role.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/schema/bounds_by.h"
#include "public/schema/package.h"
#include "public/schema/proposals.h"

/* Reads semblance.constraints as texts and checks their number, length and characters; their
 * grammar is for public/rules/parser.c. */

static bool is_good_text(const char *text)
{
    return text != NULL && strlen(text) <= SBL_CONSTRAINT_LENGTH && !sbl_text_has_control(text);
}

sbl_status sbl_constraints_parse(sbl_strings *constraints, const json_t *options, const char *where,
                                 sbl_error *err)
{
    const json_t *list = json_object_get(options, "constraints");
    if (list == NULL) return SBL_OK;
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > SBL_MOST_CONSTRAINTS)
        return sbl_fail_schema(err, where, "semblance.constraints must be a list of at most %d texts",
                               SBL_MOST_CONSTRAINTS);
    if (!sbl_strings_reserve(constraints, count)) return sbl_no_memory(err, where);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!is_good_text(text))
            return sbl_fail_schema(err, where,
                                   "semblance.constraints[%zu] is not one line of text of at most "
                                   "%d bytes",
                                   i, SBL_CONSTRAINT_LENGTH);
        if (!sbl_strings_add(constraints, text)) return sbl_no_memory(err, where);
    }
    return SBL_OK;
}

/* The Table Schema file as a whole: its fields, the label and the task. */

#define MOST_COLUMNS 32768

static sbl_status read_fields(sbl_schema *schema, const json_t *object, const json_t *options,
                              const char *where, sbl_error *err)
{
    json_t *fields;
    const json_t *missing_values = json_object_get(object, "missingValues");
    sbl_status status = sbl_json_get_array(&fields, object, "fields", where, err);
    if (status != SBL_OK) return status;
    const size_t count = json_array_size(fields);
    if (count > MOST_COLUMNS) return sbl_fail_schema(err, where, "more than %d columns", MOST_COLUMNS);
    if (count == 0) return sbl_fail_schema(err, where, "'fields' is empty: describe each column");
    schema->columns = sbl_alloc_array(count, sizeof *schema->columns);
    if (schema->columns == NULL) return sbl_no_memory(err, where);
    for (size_t i = 0; i < count; i++) {
        const json_t *field = json_array_get(fields, i);
        if (!json_is_object(field)) return sbl_fail_schema(err, where, "fields[%zu] is not an object", i);
        schema->column_count = i + 1;
        status = sbl_field_parse(&schema->columns[i], field, missing_values,
                                 sbl_unit_is_field(options, field), i, where, err);
        if (status != SBL_OK) return status;
        for (size_t j = 0; j < i; j++)
            if (strcmp(schema->columns[j].name, schema->columns[i].name) == 0)
                return sbl_fail_schema(err, where, "column '%s' is described twice: remove one",
                                       schema->columns[i].name);
    }
    return SBL_OK;
}

static sbl_status check_some_column(const sbl_schema *schema, const char *where, sbl_error *err)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind != SBL_COLUMN_IGNORED) return SBL_OK;
    return sbl_fail_schema(err, where, "every column is ignored, so there is nothing to synthesise");
}

static sbl_status check_options(const json_t *options, const char *where, sbl_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
    {
        /* An origin is not a fact about the data (public/schema/schema_writer.h). */
        if (!sbl_unit_option(key) && strcmp(key, "label") != 0 && strcmp(key, "task") != 0 &&
            strcmp(key, "origin") != 0 && strcmp(key, "proposals") != 0 && strcmp(key, "constraints") != 0)
            return sbl_fail_schema(err, where,
                                   "unknown option semblance.%s: label, task, constraints, unit, "
                                   "order and max_rows_per_unit are known",
                                   key);
    }
    return SBL_OK;
}

static sbl_status read_label(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const char *name;
    if (json_object_get(options, "label") == NULL) return SBL_OK;
    SBL_CHECK(sbl_json_get_string(&name, options, "label", where, err));
    for (size_t i = 0; i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) schema->label = i;
    if (schema->label == SBL_NO_COLUMN)
        return sbl_fail_schema(err, where, "semblance.label '%s' is not one of the columns", name);
    if (schema->label == schema->unit)
        return sbl_fail_schema(err, where, "semblance.label '%s' is the column that identifies the person",
                               name);
    if (schema->columns[schema->label].kind == SBL_COLUMN_IGNORED)
        return sbl_fail_schema(err, where, "semblance.label '%s' is a column with role 'ignore'", name);
    return SBL_OK;
}

static sbl_status read_task_name(sbl_task *task, const json_t *options, const char *where, sbl_error *err)
{
    const char *name;
    const sbl_status status = sbl_json_get_string(&name, options, "task", where, err);
    if (status != SBL_OK) return status;
    for (int i = SBL_TASK_NONE; i <= SBL_TASK_REGRESSION; i++) {
        *task = (sbl_task)i;
        if (strcmp(name, sbl_task_name(*task)) == 0) return SBL_OK;
    }
    return sbl_fail_schema(err, where, "semblance.task must be classification, regression or none");
}

/* Without a task, a label's kind decides: categories are classified, numbers predicted. */
static sbl_status read_task(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const bool given = json_object_get(options, "task") != NULL;
    if (given) SBL_CHECK(read_task_name(&schema->task, options, where, err));
    if (schema->label == SBL_NO_COLUMN) {
        if (schema->task == SBL_TASK_NONE) return SBL_OK;
        return sbl_fail_schema(err, where,
                               "semblance.task is %s, but there is no label: add "
                               "semblance.label",
                               sbl_task_name(schema->task));
    }
    const sbl_column *label = &schema->columns[schema->label];
    const bool categorical = label->kind == SBL_COLUMN_CATEGORY;
    if (!given) schema->task = categorical ? SBL_TASK_CLASSIFICATION : SBL_TASK_REGRESSION;
    if (schema->task == SBL_TASK_NONE)
        return sbl_fail_schema(err, where, "semblance.task is none, but there is a label '%s': remove one",
                               label->name);
    if (schema->task == SBL_TASK_CLASSIFICATION && !categorical)
        return sbl_fail_schema(err, where,
                               "label '%s' is not categorical: list its classes in constraints.enum "
                               "or set semblance.task to regression",
                               label->name);
    if (schema->task == SBL_TASK_REGRESSION && categorical)
        return sbl_fail_schema(err, where, "label '%s' has categories: set semblance.task to classification",
                               label->name);
    return SBL_OK;
}

/* In words for people, who find them again in the certificate. */
static sbl_status read_origin(sbl_schema *schema, const json_t *options, const char *where, sbl_error *err)
{
    const json_t *how = json_object_get(json_object_get(options, "origin"), "how");
    const char *person = json_string_value(json_object_get(json_object_get(options, "origin"), "person"));
    const char *text = json_string_value(how);
    /* Only a column that is there is named in a warning. */
    for (size_t i = 0; person != NULL && schema->person == NULL && i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, person) == 0)
            SBL_CHECK(sbl_copy_text(&schema->person, person, where, err));
    if (text == NULL) return SBL_OK;
    if (*text == '\0' || strlen(text) > SBL_ORIGIN_MOST || sbl_text_has_control(text))
        return sbl_fail_schema(err, where,
                               "semblance.origin.how must be a text of 1 to %d bytes without "
                               "control characters",
                               SBL_ORIGIN_MOST);
    return sbl_copy_text(&schema->origin, text, where, err);
}

static sbl_status build(sbl_schema *schema, const json_t *object, const char *where, sbl_error *err)
{
    const json_t *options = json_object_get(object, "semblance");
    schema->label = SBL_NO_COLUMN;
    if (options != NULL && !json_is_object(options))
        return sbl_fail_schema(err, where, "'semblance' is not an object");
    SBL_CHECK(check_options(options, where, err));
    SBL_CHECK(sbl_dialect_read(&schema->dialect, object, where, err));
    SBL_CHECK(read_fields(schema, object, options, where, err));
    SBL_CHECK(sbl_roles_check(schema, where, err));
    SBL_CHECK(sbl_unit_read(schema, options, where, err));
    SBL_CHECK(sbl_bounds_by_read(schema, json_object_get(object, "fields"), where, err));
    SBL_CHECK(check_some_column(schema, where, err));
    SBL_CHECK(read_label(schema, options, where, err));
    SBL_CHECK(read_task(schema, options, where, err));
    SBL_CHECK(sbl_order_read(schema, options, where, err));
    SBL_CHECK(sbl_constraints_parse(&schema->constraints, options, where, err));
    SBL_CHECK(read_origin(schema, options, where, err));
    return sbl_proposals_parse(&schema->proposals, options, where, err);
}

sbl_status sbl_schema_from_object(sbl_schema **schema, const json_t *object, const char *where,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_schema *made;
    *schema = NULL;
    SBL_ALLOC(made, 1, where);
    SBL_TRY(build(made, object, where, err));
    *schema = made;
    made = NULL;
done:
    sbl_schema_free(made);
    return status;
}

sbl_status sbl_schema_build(sbl_schema **schema, const json_t *object, const char *where, sbl_error *err)
{
    return json_object_get(object, "resources") != NULL ? sbl_package_parse(schema, object, where, err)
                                                        : sbl_schema_from_object(schema, object, where, err);
}

sbl_status sbl_schema_parse(sbl_schema **schema, const char *text, size_t length, const char *where,
                            sbl_error *err)
{
    json_t *object;
    *schema = NULL;
    sbl_status status = sbl_json_parse(&object, text, length, where, err);
    if (status != SBL_OK) return status;
    status = sbl_schema_build(schema, object, where, err);
    json_decref(object);
    return status;
}

sbl_status sbl_schema_read(sbl_schema **schema, const char *path, sbl_error *err)
{
    json_t *object;
    *schema = NULL;
    sbl_status status = sbl_json_read(&object, path, SBL_SCHEMA_FILE_LIMIT, err);
    if (status != SBL_OK) return status;
    status = sbl_schema_build(schema, object, path, err);
    json_decref(object);
    return status;
}
