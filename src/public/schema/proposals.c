/* SPDX-License-Identifier: Apache-2.0 */
/* Works on the JSON of a schema file or a package, not on the parsed schema: a proposal that is taken is
 * merged into fields and options as a person would have typed it, and the parser judges the
 * result after. */
#include "public/schema/proposals.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "public/schema/field_fail.h"
#include "public/schema/package.h"
#include "public/schema/schema_type.h"

#define ACCEPTED "accepted as public by its owner, who had it read from the table"

/* ---- reading ---- */

static bool is_optional(const json_t *value, json_type type)
{
    return value == NULL || json_typeof(value) == type;
}

static bool is_proposal(const json_t *item)
{
    const json_t *fields = json_object_get(item, "fields");
    const json_t *table = json_object_get(item, "semblance");
    bool good = json_is_string(json_object_get(item, "kind")) &&
                json_is_string(json_object_get(item, "words")) && (fields == NULL || json_is_array(fields)) &&
                (table == NULL || json_is_object(table)) && (fields != NULL || table != NULL) &&
                is_optional(json_object_get(item, "resource"), JSON_STRING) &&
                is_optional(json_object_get(item, "resources"), JSON_ARRAY) &&
                is_optional(json_object_get(item, "foreignKeys"), JSON_ARRAY);
    for (size_t i = 0; good && i < json_array_size(fields); i++)
        good = json_is_string(json_object_get(json_array_get(fields, i), "name"));
    return good;
}

sbl_status sbl_proposals_parse(sbl_strings *words, const json_t *options, const char *where, sbl_error *err)
{
    const json_t *list = json_object_get(options, "proposals");
    const size_t count = json_array_size(list);
    if (list == NULL) return SBL_OK;
    if (!json_is_array(list) || count > SBL_MOST_PROPOSALS)
        return sbl_fail_schema(err, where, "semblance.proposals must be a list of at most %d",
                               SBL_MOST_PROPOSALS);
    if (!sbl_strings_reserve(words, count)) return sbl_no_memory(err, where);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        sbl_text text = {0};
        if (!is_proposal(item))
            return sbl_fail_schema(err, where,
                                   "semblance.proposals[%zu] has no kind, no words, or neither "
                                   "fields nor semblance",
                                   i);
        sbl_text_printf(&text, "%s: %s", json_string_value(json_object_get(item, "kind")),
                        json_string_value(json_object_get(item, "words")));
        const bool good = !text.failed && sbl_strings_add(words, text.data);
        sbl_text_clear(&text);
        if (!good) return sbl_no_memory(err, where);
    }
    return SBL_OK;
}

/* ---- choosing ---- */

/* Does an entry of a choice, a number from 1 or a kind, mean this proposal? */
static bool means(const char *entry, size_t length, const json_t *item, size_t number)
{
    const char *kind = json_string_value(json_object_get(item, "kind"));
    char *end;
    if (strlen(kind) == length && strncmp(entry, kind, length) == 0) return true;
    const unsigned long given = strtoul(entry, &end, 10);
    return entry[0] >= '1' && entry[0] <= '9' && end == entry + length && given == number;
}

/* Mark what a choice takes. */
static sbl_status choose(bool *taken, const json_t *list, const char *take, sbl_error *err)
{
    const size_t count = json_array_size(list);
    for (const char *entry = take; *entry != '\0';) {
        const size_t length = strcspn(entry, ",");
        const bool all = length == 3 && strncmp(entry, "all", 3) == 0;
        bool found = all || (length == 4 && strncmp(entry, "none", 4) == 0);
        for (size_t i = 0; i < count; i++)
            if (all || means(entry, length, json_array_get(list, i), i + 1)) {
                taken[i] = true;
                found = true;
            }
        if (!found && count == 0)
            return sbl_fail(err, SBL_EARG, "no proposal '%.*s': the schema has no pending proposals",
                            (int)length, entry);
        if (!found)
            return sbl_fail(err, SBL_EARG,
                            "no proposal '%.*s': give a number from 1 to %zu, a kind, all or none",
                            (int)length, entry, count);
        entry += length + (entry[length] == ',' ? 1 : 0);
    }
    return SBL_OK;
}

/* ---- taking ---- */

/* Put the members of part into object[name], which is made where it is not there. */
static bool merge(json_t *object, const char *name, json_t *part)
{
    json_t *own = json_object_get(object, name);
    if (part == NULL) return true;
    if (own == NULL) return json_object_set(object, name, part) == 0;
    return json_object_update(own, part) == 0;
}

/* A column that gets a role is nothing else. */
static bool take_role(json_t *field, json_t *options)
{
    const char *name;
    void *next;
    json_t *member;
    json_object_foreach_safe(field, next, name, member)
    {
        if (strcmp(name, "name") != 0 && json_object_del(field, name) != 0) return false;
    }
    return json_object_set(field, "semblance", options) == 0;
}

static sbl_status take_field(json_t *schema, const json_t *piece, const char *where, sbl_error *err)
{
    const char *name = json_string_value(json_object_get(piece, "name"));
    json_t *options = json_object_get(piece, "semblance");
    json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        json_t *field = json_array_get(fields, i);
        const char *own = json_string_value(json_object_get(field, "name"));
        if (own == NULL || strcmp(own, name) != 0) continue;
        if (json_object_get(piece, "type") != NULL) {
            json_t *copy = json_deep_copy(piece);
            return json_array_set_new(fields, i, copy) == 0 ? SBL_OK : sbl_no_memory(err, where);
        }
        const bool good = json_object_get(options, "role") != NULL
                              ? take_role(field, options)
                              : merge(field, "constraints", json_object_get(piece, "constraints")) &&
                                    merge(field, "semblance", options);
        return good ? SBL_OK : sbl_no_memory(err, where);
    }
    return sbl_fail_schema(
        err, where, "a proposal names '%s', which is not one of the columns: remove the proposal", name);
}

/* Of the table: constraints are added to those that are there, all else is set. */
static sbl_status take_table(json_t *options, json_t *piece, const char *where, sbl_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(piece, key, value)
    {
        json_t *own = json_object_get(options, key);
        const bool add = strcmp(key, "constraints") == 0 && json_is_array(own);
        if ((add ? json_array_extend(own, value) : json_object_set(options, key, value)) != 0)
            return sbl_no_memory(err, where);
    }
    return SBL_OK;
}

/* Of a package: tables and links that are not there yet. */
static sbl_status take_links(json_t *package, json_t *schema, const json_t *item, const char *where,
                             sbl_error *err)
{
    json_t *links = json_object_get(item, "foreignKeys");
    const json_t *added = json_object_get(item, "resources");
    json_t *own = json_object_get(schema, "foreignKeys");
    json_t *resources = json_object_get(package, "resources");
    if (links != NULL && own == NULL) {
        own = json_array();
        if (json_object_set_new(schema, "foreignKeys", own) != 0) return sbl_no_memory(err, where);
    }
    if (links != NULL && json_array_extend(own, links) != 0) return sbl_no_memory(err, where);
    for (size_t i = 0; i < json_array_size(added); i++) {
        json_t *resource = json_array_get(added, i);
        if (sbl_json_named(resources, sbl_resource_name(resource)) != NULL) continue;
        if (json_array_append(resources, resource) != 0) return sbl_no_memory(err, where);
    }
    return SBL_OK;
}

/* The schema that a proposal is for: that of one table of a package, or the schema itself. NULL: there is none. */
static json_t *schema_of(json_t *schema, const json_t *item)
{
    const char *resource = json_string_value(json_object_get(item, "resource"));
    if (resource == NULL) return schema;
    json_t *own = json_object_get(sbl_json_named(json_object_get(schema, "resources"), resource), "schema");
    return json_is_object(own) ? own : NULL;
}

static sbl_status take_one(json_t *whole, const json_t *item, const char *where, sbl_error *err)
{
    const json_t *fields = json_object_get(item, "fields");
    json_t *schema = schema_of(whole, item);
    if (schema == NULL)
        return sbl_fail_schema(err, where,
                               "a proposal is for '%s', which is not a table with a schema in this file",
                               json_string_value(json_object_get(item, "resource")));
    if (json_object_get(schema, "semblance") == NULL &&
        json_object_set_new(schema, "semblance", json_object()) != 0)
        return sbl_no_memory(err, where);
    for (size_t i = 0; i < json_array_size(fields); i++)
        SBL_CHECK(take_field(schema, json_array_get(fields, i), where, err));
    SBL_CHECK(take_links(whole, schema, item, where, err));
    return take_table(json_object_get(schema, "semblance"), json_object_get(item, "semblance"), where, err);
}

/* ---- the owner's word ---- */

static bool is_inspected(const json_t *options)
{
    return sbl_origin_is_inspected(
        json_string_value(json_object_get(json_object_get(options, "origin"), "how")));
}

/* Which facts of a column were read from the records matters no more. */
static void forget_origins(json_t *schema)
{
    json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        json_t *field = json_array_get(fields, i);
        json_t *options = json_object_get(field, "semblance");
        (void)json_object_del(options, "origin");
        if (options != NULL && json_object_size(options) == 0) (void)json_object_del(field, "semblance");
    }
}

static sbl_status accept_origin(json_t *schema, const char *where, sbl_error *err)
{
    json_t *options = json_object_get(schema, "semblance");
    if (!is_inspected(options)) return SBL_OK;
    /* A person that was found and not taken is still likely. */
    const char *person = json_string_value(json_object_get(json_object_get(options, "origin"), "person"));
    json_t *origin = json_pack("{s:s, s:s*}", "how", ACCEPTED, "person", person);
    forget_origins(schema);
    return json_object_set_new(options, "origin", origin) == 0 ? SBL_OK : sbl_no_memory(err, where);
}

sbl_status sbl_proposals_accept(json_t *schema, const char *take, size_t *taken, size_t *struck,
                                const char *where, sbl_error *err)
{
    json_t *options = json_object_get(schema, "semblance");
    json_t *list = json_object_get(options, "proposals");
    const size_t count = json_array_size(list);
    bool chosen[SBL_MOST_PROPOSALS] = {false};
    sbl_strings words = {0};
    sbl_status status = SBL_OK;
    *taken = *struck = 0;
    SBL_TRY(sbl_proposals_parse(&words, options, where, err));
    if (count > 0 && take == NULL) {
        status = sbl_fail_hint(err, SBL_EARG, SBL_HINT_TAKE, where,
                               "%s has %zu proposals: choose which to take", where, count);
        goto done;
    }
    if (take != NULL) SBL_TRY(choose(chosen, list, take, err));
    for (size_t i = 0; i < count; i++)
        if (chosen[i]) SBL_TRY(take_one(schema, json_array_get(list, i), where, err));
    for (size_t i = 0; i < count; i++) *taken += chosen[i];
    *struck = count - *taken;
    (void)json_object_del(options, "proposals");
    if (options != NULL && json_object_size(options) == 0) (void)json_object_del(schema, "semblance");
    SBL_TRY(accept_origin(schema, where, err));
    const json_t *resources = json_object_get(schema, "resources");
    for (size_t i = 0; i < json_array_size(resources); i++)
        SBL_TRY(accept_origin(json_object_get(json_array_get(resources, i), "schema"), where, err));
done:
    sbl_strings_clear(&words);
    return status;
}
