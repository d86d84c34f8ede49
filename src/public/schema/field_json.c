/* SPDX-License-Identifier: Apache-2.0 */
/* One field of a Table Schema: name, type, missing values and our own options. */
#include <string.h>

#include "base/text.h"
#include "public/schema/file_facts.h"
#include "public/schema/hierarchy.h"
#include "public/schema/moment.h"
#include "public/schema/role.h"
#include "public/schema/schema_json.h"
#include "public/schema/spikes.h"

static const char *const missing_words[] = {"NA", "N/A", "NULL", "null", "nan", "NaN", "None", "-"};
#define MISSING_WORDS (sizeof missing_words / sizeof missing_words[0])

/* Our own options of a field. */
typedef struct field_options {
    bool ignored;
    bool log_transform;
    const json_t *decimals;
    const json_t *step;
    const json_t *spikes;
    const json_t *prefix;
    const json_t *suffix;
    const json_t *hierarchy;
    const char *other;
} field_options;

static sbl_status read_option(field_options *options, const char *key, const json_t *value,
                              const sbl_field_place *at)
{
    const char *text = json_string_value(value);
    if (strcmp(key, "role") == 0) {
        if (!sbl_role_known(text))
            return sbl_fail_column(at,
                                   "has an unknown semblance.role: ignore, id, fake and constant are known");
        options->ignored = true;
    } else if (strcmp(key, "transform") == 0) {
        if (text == NULL || strcmp(text, "log") != 0)
            return sbl_fail_column(at, "has an unknown semblance.transform: only 'log' is known");
        options->log_transform = true;
    } else if (strcmp(key, "decimals") == 0) {
        options->decimals = value;
    } else if (strcmp(key, "step") == 0) {
        options->step = value;
    } else if (strcmp(key, "spikes") == 0) {
        options->spikes = value;
    } else if (strcmp(key, "prefix") == 0) {
        options->prefix = value;
    } else if (strcmp(key, "suffix") == 0) {
        options->suffix = value;
    } else if (strcmp(key, "hierarchy") == 0) {
        options->hierarchy = value;
    } else if (strcmp(key, "other") == 0) {
        if (text == NULL) return sbl_fail_column(at, "has a semblance.other that is not a string");
        options->other = text;
    } else if (strcmp(key, "origin") == 0 || strcmp(key, "per") == 0 || strcmp(key, "by") == 0 ||
               strcmp(key, "bounds") == 0 || strcmp(key, "title") == 0 || strcmp(key, "codes") == 0 ||
               strcmp(key, "user_missing") == 0) {
        /* An origin is not a fact about the column; sbl_per_parse(), bounds_by.c and file_facts.c read the others. */
        return SBL_OK;
    } else if (!sbl_role_known(key) && strcmp(key, "sex") != 0) { /* a role's option has the role's name */
        return sbl_fail_column(
            at,
            "has an unknown option semblance.%s: role, id, fake, sex, constant, transform, decimals, "
            "step, spikes, by, bounds, hierarchy, prefix, suffix, other, per, title, codes and user_missing "
            "are known",
            key);
    }
    return SBL_OK;
}

static sbl_status read_options(field_options *options, const json_t *field, const sbl_field_place *at)
{
    json_t *object = json_object_get(field, "semblance");
    const char *key;
    json_t *value;
    if (object == NULL) return SBL_OK;
    if (!json_is_object(object)) return sbl_fail_column(at, "has a 'semblance' that is not an object");
    json_object_foreach(object, key, value)
    {
        const sbl_status status = read_option(options, key, value, at);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status read_type(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    const char *text = json_string_value(json_object_get(field, "type"));
    if (text == NULL)
        return sbl_fail_column(
            at, "has no type: add one of integer, number, string, boolean, date, datetime, time");
    for (int type = SBL_TYPE_INTEGER; type < SBL_TYPE_NONE; type++) {
        if (strcmp(text, sbl_field_type_name((sbl_field_type)type)) != 0) continue;
        column->type = (sbl_field_type)type;
        return SBL_OK;
    }
    return sbl_fail_column(at,
                           "has a type that is not supported: use integer, number, string, "
                           "boolean, date, datetime or time, or semblance.role 'ignore'");
}

/* How the column's cells are written. */
static sbl_status read_marks(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    const json_t *decimal = json_object_get(field, "decimalChar");
    const json_t *group = json_object_get(field, "groupChar");
    const char *text = json_string_value(decimal);
    const bool number = column->type == SBL_TYPE_NUMBER || column->type == SBL_TYPE_INTEGER;
    if (decimal != NULL && (text == NULL || (strcmp(text, ".") != 0 && strcmp(text, ",") != 0)))
        return sbl_fail_column(at, "has a decimalChar that is neither '.' nor ','");
    if (decimal != NULL) column->decimal_char = text[0];
    text = json_string_value(group);
    if (group != NULL && (text == NULL || strlen(text) != 1 || strchr(".,' _", text[0]) == NULL))
        return sbl_fail_column(at, "has a groupChar that is not one of . , ' _ and a space");
    if (group != NULL) column->group_char = text[0];
    if (column->group_char == column->decimal_char)
        return sbl_fail_column(at, "has the same character as decimalChar and groupChar");
    column->bare = !json_is_false(json_object_get(field, "bareNumber"));
    if (!number && (group != NULL || decimal != NULL || !column->bare))
        return sbl_fail_column(at, "has decimalChar, groupChar or bareNumber, but is not a number");
    return SBL_OK;
}

/* A text that stands before or after a number. What is read back must be the same number: nothing in it may
 * be part of one. */
static sbl_status read_affix(char **affix, const sbl_column *column, const char *key, const json_t *value,
                             const sbl_field_place *at)
{
    const char *text = json_string_value(value);
    if (value == NULL) return SBL_OK;
    if (column->bare) return sbl_fail_column(at, "has semblance.%s, which needs \"bareNumber\": false", key);
    bool good = text != NULL && *text != '\0' && strlen(text) <= SBL_AFFIX_MOST &&
                !sbl_text_has_control(text) && strpbrk(text, "0123456789+-") == NULL &&
                strchr(text, column->decimal_char) == NULL;
    if (good && column->group_char != 0 && column->group_char != ' ')
        good = strchr(text, column->group_char) == NULL;
    if (!good)
        return sbl_fail_column(at,
                               "has a semblance.%s that is not a text of 1 to %d bytes without "
                               "digits, + and -, decimalChar and groupChar",
                               key, SBL_AFFIX_MOST);
    return sbl_copy_text(affix, text, at->where, at->err);
}

/* Words that people write for the two that every number needs. */
static sbl_status fail_constraint(const char *key, const sbl_field_place *at)
{
    static const char *const meant[][2] = {
        {"min", "minimum"},     {"max", "maximum"},       {"mininum", "minimum"},   {"maxinum", "maximum"},
        {"Minimum", "minimum"}, {"Maximum", "maximum"},   {"values", "enum"},       {"categories", "enum"},
        {"Enum", "enum"},       {"Required", "required"}, {"nullable", "required"}, {"require", "required"},
        {"enums", "enum"},      {"minimun", "minimum"},   {"maximun", "maximum"}};
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        if (strcmp(key, meant[i][0]) == 0)
            return sbl_fail_column(at, "has the constraint '%s': did you mean %s?", key, meant[i][1]);
    return sbl_fail_column(at, "has the constraint '%s', which is not supported: remove it", key);
}

static sbl_status check_constraints(sbl_column *column, const json_t *constraints, const sbl_field_place *at)
{
    /* The last three say nothing beyond a list of categories. */
    static const char *const known[] = {"minimum", "maximum",   "enum",     "required",
                                        "pattern", "minLength", "maxLength"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)constraints, key, value)
    {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found = found || strcmp(key, known[i]) == 0;
        if (strcmp(key, "unique") == 0 && !json_is_true(value)) found = true;
        if (!found) return fail_constraint(key, at);
    }
    const json_t *required = json_object_get(constraints, "required");
    if (required != NULL && !json_is_boolean(required))
        return sbl_fail_column(at, "has a constraint 'required' that is not true or false");
    column->required = json_is_true(required);
    return SBL_OK;
}

static sbl_status read_missing_values(sbl_column *column, const json_t *field, const json_t *table_values,
                                      const sbl_field_place *at)
{
    const json_t *own = json_object_get(field, "missingValues");
    const json_t *values = own != NULL ? own : table_values;
    if (values != NULL) return sbl_strings_from_json(&column->missing_values, values, "missingValues", at);
    /* The standard's default: an empty cell. Room for the words below. */
    if (!sbl_strings_reserve(&column->missing_values, 1 + MISSING_WORDS) ||
        !sbl_strings_add(&column->missing_values, ""))
        return sbl_fail_column_memory(at);
    return SBL_OK;
}

/* Where nothing was declared and a column may be empty, what programs write for a missing value
 * counts as one, unless it is a value of the column. */
static sbl_status add_missing_words(sbl_column *column, const sbl_field_place *at)
{
    if (!column->missing_allowed) return SBL_OK;
    for (size_t i = 0; i < MISSING_WORDS; i++) {
        const char *word = missing_words[i];
        if (sbl_strings_contain(&column->categories, word) ||
            sbl_strings_contain(&column->true_values, word) ||
            sbl_strings_contain(&column->false_values, word))
            continue;
        if (!sbl_strings_add(&column->missing_values, word)) return sbl_fail_column_memory(at);
    }
    return SBL_OK;
}

static sbl_status set_other(sbl_column *column, const char *other, const sbl_field_place *at)
{
    if (other == NULL) return SBL_OK;
    if (column->kind != SBL_COLUMN_CATEGORY)
        return sbl_fail_column(at, "has semblance.other but no categories");
    for (size_t i = 0; i < column->categories.count; i++) {
        if (strcmp(column->categories.items[i], other) != 0) continue;
        column->fallback_code = (uint32_t)i;
        column->other_declared = true;
        return SBL_OK;
    }
    return sbl_fail_column(at, "has a semblance.other that is not one of its categories");
}

static sbl_status read_domain(sbl_column *column, const json_t *field, const field_options *options,
                              const sbl_field_place *at)
{
    const json_t *constraints = json_object_get(field, "constraints");
    const json_t *values = json_object_get(constraints, "enum");
    const json_t *ordered = json_object_get(field, "categoriesOrdered");
    if (values == NULL) values = json_object_get(field, "categories");
    if (ordered != NULL && !json_is_boolean(ordered))
        return sbl_fail_column(at, "has a categoriesOrdered that is not true or false");
    if (column->type == SBL_TYPE_BOOLEAN) {
        if (values != NULL) return sbl_fail_column(at, "is boolean and needs no categories: remove the list");
    } else if (values == NULL) {
        if (options->decimals != NULL && column->type != SBL_TYPE_NUMBER)
            return sbl_fail_column(at, "has semblance.decimals, which is for type number");
        if (options->step != NULL && column->type != SBL_TYPE_NUMBER && column->type != SBL_TYPE_INTEGER)
            return sbl_fail_column(at, "has semblance.step, which is for numbers");
        return sbl_field_bounds(column, constraints, options->decimals, options->step, at);
    }
    if (options->decimals != NULL || options->step != NULL)
        return sbl_fail_column(at, "has semblance.%s, which is for bounded numbers",
                               options->decimals != NULL ? "decimals" : "step");
    column->ordered = json_is_true(ordered);
    return column->type == SBL_TYPE_BOOLEAN ? sbl_field_boolean(column, field, at)
                                            : sbl_field_categories(column, values, at);
}

static sbl_status read_name(sbl_column *column, const json_t *field, size_t position, const char *where,
                            sbl_error *err)
{
    const char *name = json_string_value(json_object_get(field, "name"));
    if (name == NULL || *name == '\0')
        return sbl_fail_schema(err, where, "fields[%zu] has no name", position);
    if (sbl_text_has_control(name))
        return sbl_fail_schema(err, where,
                               "fields[%zu]: the name has a line break or another control "
                               "character: rename the column",
                               position);
    return sbl_copy_text(&column->name, name, where, err);
}

sbl_status sbl_field_parse(sbl_column *column, const json_t *field, const json_t *missing_values,
                           bool is_unit, size_t position, const char *where, sbl_error *err)
{
    field_options options = {0};
    column->decimals = -1;
    column->multiple = 1;
    column->decimal_char = '.';
    column->bare = true;
    SBL_CHECK(read_name(column, field, position, where, err));
    const sbl_field_place at = {where, column->name, err};
    SBL_CHECK(read_options(&options, field, &at));
    SBL_CHECK(sbl_per_parse(column, field, &at));
    if (is_unit) return sbl_unit_parse(column, field, &at);
    SBL_CHECK(sbl_role_parse(column, json_object_get(field, "semblance"), &at));
    if (options.ignored) {
        column->kind = SBL_COLUMN_IGNORED;
        column->type = SBL_TYPE_NONE;
        return SBL_OK;
    }
    SBL_CHECK(read_type(column, field, &at));
    SBL_CHECK(read_marks(column, field, &at));
    SBL_CHECK(read_affix(&column->prefix, column, "prefix", options.prefix, &at));
    SBL_CHECK(read_affix(&column->suffix, column, "suffix", options.suffix, &at));
    SBL_CHECK(sbl_formats_parse(column, field, &at));
    const json_t *constraints = json_object_get(field, "constraints");
    if (constraints != NULL && !json_is_object(constraints)) {
        return sbl_fail_column(&at, "has 'constraints' that are not an object");
    }
    SBL_CHECK(check_constraints(column, constraints, &at));
    SBL_CHECK(read_missing_values(column, field, missing_values, &at));
    column->missing_allowed = !column->required && column->missing_values.count > 0;
    column->log_transform = options.log_transform;
    SBL_CHECK(read_domain(column, field, &options, &at));
    if (missing_values == NULL && json_object_get(field, "missingValues") == NULL)
        SBL_CHECK(add_missing_words(column, &at));
    if (column->kind != SBL_COLUMN_NUMBER && (column->prefix != NULL || column->suffix != NULL)) {
        return sbl_fail_column(&at, "has semblance.%s, which is for bounded numbers",
                               column->prefix != NULL ? "prefix" : "suffix");
    }
    SBL_CHECK(set_other(column, options.other, &at));
    SBL_CHECK(sbl_hierarchy_parse(column, options.hierarchy, &at));
    SBL_CHECK(sbl_spikes_parse(column, options.spikes, &at));
    SBL_CHECK(sbl_file_facts_parse(column, json_object_get(field, "semblance"), &at));
    if (options.log_transform && (column->kind != SBL_COLUMN_NUMBER || column->type == SBL_TYPE_TIME))
        return sbl_fail_column(&at, "has semblance.transform 'log', which is for numbers");
    return SBL_OK;
}
