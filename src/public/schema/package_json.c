/* SPDX-License-Identifier: Apache-2.0 */
/* A Data Package: its resources, their keys and their parents. Everything that linked tables do not allow is
 * refused here by name: there must be one key of one field for each link, one root and no circle. */
#include <string.h>

#include "base/alloc.h"
#include "base/kinds.h"
#include "base/text.h"
#include "public/schema/field_fail.h"
#include "public/schema/package.h"
#include "public/schema/proposals.h"

#define MOST_RESOURCES 256
#define MOST_NAME 100 /* bytes: it becomes the name of a file */

typedef struct package {
    const char *where;
    sbl_resource *items; /* (count) */
    size_t count;
    size_t *order; /* (tables): the resources that are synthesised, a parent before its children */
    size_t *place; /* (count): and where each stands among them */
    size_t tables;
} package;

/* ---- resources ---- */

/* A file and the first half of "table.column" are named after it. */
static bool is_good_name(const char *name)
{
    return name != NULL && *name != '\0' && strlen(name) <= MOST_NAME && strpbrk(name, " ./\\:'\"") == NULL &&
           !sbl_text_has_control(name);
}

static sbl_status read_public(sbl_resource *resource, const package *p, sbl_error *err)
{
    const json_t *options = json_object_get(resource->object, "semblance");
    const char *key;
    json_t *value;
    if (options != NULL && !json_is_object(options))
        return sbl_fail_schema(err, p->where, "table '%s': 'semblance' is not an object", resource->name);
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
    {
        if (strcmp(key, "public") != 0)
            return sbl_fail_schema(err, p->where,
                                   "table '%s': semblance.%s is next to the schema, where only 'public' is "
                                   "allowed: move it into the schema's own 'semblance'",
                                   resource->name, key);
        if (!json_is_boolean(value))
            return sbl_fail_schema(err, p->where, "table '%s': semblance.public is not true or false",
                                   resource->name);
        resource->is_public = json_is_true(value);
    }
    return SBL_OK;
}

static sbl_status read_path(sbl_resource *resource, const package *p, sbl_error *err)
{
    resource->path = sbl_resource_path(resource->object);
    if (json_object_get(resource->object, "path") != NULL &&
        (resource->path == NULL || *resource->path == '\0' || strstr(resource->path, "://") != NULL))
        return sbl_fail_schema(err, p->where, "table '%s': its path must name one file on this machine",
                               resource->name);
    return SBL_OK;
}

static sbl_status read_resource(sbl_resource *resource, const json_t *object, size_t position,
                                const package *p, sbl_error *err)
{
    *resource = (sbl_resource){.object = object, .parent = SBL_NO_TABLE};
    resource->name = sbl_resource_name(object);
    if (!is_good_name(resource->name))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: resources[%zu] needs a name of at most %d bytes without spaces, dots, slashes, "
                        "colons and quotes",
                        p->where, position, MOST_NAME);
    for (size_t i = 0; i < position; i++)
        if (strcmp(p->items[i].name, resource->name) == 0)
            return sbl_fail(err, SBL_EINPUT, "%s: there are two tables '%s': rename one", p->where,
                            resource->name);
    SBL_CHECK(read_public(resource, p, err));
    SBL_CHECK(read_path(resource, p, err));
    const json_t *schema = json_object_get(object, "schema");
    resource->fields = json_object_get(schema, "fields");
    if (json_is_string(schema))
        return sbl_fail(err, SBL_EINPUT,
                        "%s: table '%s': its schema is the name of a file, which is read only if the package "
                        "is a file: put the schema itself there",
                        p->where, resource->name);
    if (!json_is_object(schema) || !json_is_array(resource->fields))
        return sbl_fail(err, SBL_EINPUT, "%s: table '%s' has no schema with fields: add it, or leave it out",
                        p->where, resource->name);
    return SBL_OK;
}

static sbl_status read_resources(package *p, const json_t *object, sbl_error *err)
{
    const json_t *list = json_object_get(object, "resources");
    const size_t count = json_array_size(list);
    sbl_status status = SBL_OK;
    if (!json_is_array(list) || count == 0 || count > MOST_RESOURCES)
        SBL_FAIL(err, SBL_EINPUT, "%s: 'resources' must be a list of 2 to %d tables", p->where,
                 MOST_RESOURCES);
    SBL_ALLOC(p->items, count, p->where);
    SBL_ALLOC(p->order, count, p->where);
    SBL_ALLOC(p->place, count, p->where);
    for (; p->count < count; p->count++)
        SBL_TRY(read_resource(&p->items[p->count], json_array_get(list, p->count), p->count, p, err));
done:
    return status;
}

/* ---- keys ---- */

static sbl_status read_primary(sbl_resource *resource, const package *p, sbl_error *err)
{
    const json_t *key = json_object_get(json_object_get(resource->object, "schema"), "primaryKey");
    if (key == NULL || (json_is_array(key) && json_array_size(key) == 0)) return SBL_OK;
    resource->key = sbl_json_only_text(key);
    if (resource->key == NULL)
        return sbl_fail_schema(err, p->where,
                               "table '%s' has a primaryKey of several fields: name one field, or remove the "
                               "key if no table refers to it",
                               resource->name);
    if (sbl_resource_field(resource, resource->key) == NULL)
        return sbl_fail_schema(err, p->where, "table '%s': its primaryKey '%s' is not one of its fields",
                               resource->name, resource->key);
    return SBL_OK;
}

/* The declared type, or NULL: nothing is said. */
static const char *type_of(const sbl_resource *resource, const char *field)
{
    return json_string_value(json_object_get(sbl_resource_field(resource, field), "type"));
}

/* One text is one key: 7 in a column of numbers and "07" in one of texts would be two. */
static sbl_status check_reference(const sbl_resource *from, const char *field, const sbl_resource *to,
                                  const char *named, const package *p, sbl_error *err)
{
    if (to->key == NULL)
        return sbl_fail_schema(err, p->where, "table '%s' refers to '%s', which has no primaryKey: add it",
                               from->name, to->name);
    if (strcmp(named, to->key) != 0)
        return sbl_fail_schema(err, p->where,
                               "table '%s' refers to '%s.%s', which is not its primaryKey: refer "
                               "to '%s'",
                               from->name, to->name, named, to->key);
    const char *own = type_of(from, field);
    const char *other = type_of(to, to->key);
    if (own != NULL && other != NULL && strcmp(own, other) != 0)
        return sbl_fail_schema(
            err, p->where,
            "'%s.%s' has type %s, but it refers to '%s.%s' with type %s: give both the same type", from->name,
            field, own, to->name, to->key, other);
    return SBL_OK;
}

/* A key into a look-up table: its keys must be known. */
static sbl_status check_lookup(const sbl_resource *from, const char *field, const sbl_resource *to,
                               const package *p, sbl_error *err)
{
    if (sbl_field_has_values(sbl_resource_field(from, field))) return SBL_OK;
    return sbl_fail_schema(err, p->where,
                           "'%s.%s' refers to the public table '%s', whose keys are read only if the package "
                           "is a file: list them in constraints.enum",
                           from->name, field, to->name);
}

static sbl_status take_link(package *p, sbl_resource *from, const char *field, size_t to, sbl_error *err)
{
    const sbl_resource *target = &p->items[to];
    if (target == from)
        return sbl_fail_schema(err, p->where,
                               "table '%s' refers to itself: remove that foreign key, and give "
                               "'%s' the semblance.role 'ignore'",
                               from->name, field);
    if (target->is_public) return check_lookup(from, field, target, p, err);
    if (from->parent != SBL_NO_TABLE)
        return sbl_fail_schema(err, p->where,
                               "table '%s' has keys into '%s' and '%s': choose the unit by one of "
                               "them, and declare the other table public or remove that key",
                               from->name, p->items[from->parent].name, target->name);
    from->parent = to;
    from->parent_key = field;
    return SBL_OK;
}

static sbl_status read_link(package *p, sbl_resource *from, const json_t *link, sbl_error *err)
{
    const json_t *reference = json_object_get(link, "reference");
    const char *field = sbl_json_only_text(json_object_get(link, "fields"));
    const char *named = sbl_json_only_text(json_object_get(reference, "fields"));
    const char *resource = json_string_value(json_object_get(reference, "resource"));
    size_t to = 0;
    if (field == NULL || named == NULL)
        return sbl_fail_schema(
            err, p->where,
            "table '%s' has a foreign key that does not connect one field to one field: use a single key",
            from->name);
    if (sbl_resource_field(from, field) == NULL)
        return sbl_fail_schema(err, p->where, "table '%s': its foreign key '%s' is not one of its fields",
                               from->name, field);
    if (resource == NULL || *resource == '\0') resource = from->name;
    while (to < p->count && strcmp(p->items[to].name, resource) != 0) to++;
    if (to == p->count)
        return sbl_fail_schema(err, p->where,
                               "table '%s' refers to '%s', which is not one of the resources: add it, or "
                               "remove that foreign key",
                               from->name, resource);
    if (&p->items[to] != from) SBL_CHECK(check_reference(from, field, &p->items[to], named, p, err));
    return take_link(p, from, field, to, err);
}

/* Only the key of a look-up table matters. */
static sbl_status read_keys(package *p, sbl_error *err)
{
    for (size_t i = 0; i < p->count; i++) SBL_CHECK(read_primary(&p->items[i], p, err));
    for (size_t i = 0; i < p->count; i++) {
        sbl_resource *resource = &p->items[i];
        const json_t *links = sbl_resource_links(resource->object);
        if (resource->is_public) continue;
        if (links != NULL && !json_is_array(links))
            return sbl_fail(err, SBL_EINPUT, "%s: table '%s': its foreignKeys are not a list", p->where,
                            resource->name);
        for (size_t k = 0; k < json_array_size(links); k++)
            SBL_CHECK(read_link(p, resource, json_array_get(links, k), err));
    }
    return SBL_OK;
}

/* A primaryKey that is also what names the parent's row says that there is one row at most. */
static sbl_status check_shared_keys(package *p, sbl_error *err)
{
    for (size_t i = 0; i < p->count; i++) {
        sbl_resource *resource = &p->items[i];
        if (resource->parent == SBL_NO_TABLE || resource->key == NULL ||
            strcmp(resource->key, resource->parent_key) != 0)
            continue;
        for (size_t k = 0; k < p->count; k++)
            if (p->items[k].parent == i)
                return sbl_fail_schema(err, p->where,
                                       "table '%s' refers to '%s', whose key is that of '%s': refer "
                                       "to '%s'",
                                       p->items[k].name, resource->name, p->items[resource->parent].name,
                                       p->items[resource->parent].name);
        resource->key = NULL;
        resource->one_row = true;
    }
    return SBL_OK;
}

/* ---- which table refers to which ---- */

static sbl_status find_root(size_t *root, const package *p, sbl_error *err)
{
    *root = p->count;
    for (size_t i = 0; i < p->count; i++) {
        const sbl_resource *resource = &p->items[i];
        if (resource->is_public || resource->parent != SBL_NO_TABLE) continue;
        if (*root != p->count)
            return sbl_fail_schema(err, p->where,
                                   "tables '%s' and '%s' both have no parent: one is the table of "
                                   "persons; give the other a foreign key, declare it public, or "
                                   "leave it out",
                                   p->items[*root].name, resource->name);
        *root = i;
    }
    return SBL_OK;
}

/* Parents before children, otherwise as the package lists them. */
static sbl_status arrange(package *p, sbl_error *err)
{
    size_t root, synthesised = 0;
    const sbl_status status = find_root(&root, p, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < p->count; i++) {
        synthesised += !p->items[i].is_public;
        p->place[i] = SBL_NO_TABLE;
    }
    if (synthesised < 2)
        return sbl_fail_schema(err, p->where,
                               "fewer than two tables are left to synthesise: give a single table as the "
                               "input, with its own schema");
    if (synthesised > SBL_MOST_TABLES)
        return sbl_fail_schema(err, p->where, "more than %d tables", SBL_MOST_TABLES);
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < p->count; i++) {
            const size_t parent = p->items[i].parent;
            const bool ready = i == root || (parent != SBL_NO_TABLE && p->place[parent] != SBL_NO_TABLE);
            if (p->items[i].is_public || p->place[i] != SBL_NO_TABLE || !ready) continue;
            p->place[i] = p->tables;
            p->order[p->tables++] = i;
            found = true;
        }
    }
    for (size_t i = 0; i < p->count; i++)
        if (!p->items[i].is_public && p->place[i] == SBL_NO_TABLE)
            return sbl_fail_schema(err, p->where,
                                   "table '%s' refers to tables that refer to each other in a circle: "
                                   "choose the table of persons and remove its foreign key",
                                   p->items[i].name);
    return SBL_OK;
}

/* ---- the tables ---- */

static size_t column_named(const sbl_schema *schema, const char *name)
{
    for (size_t i = 0; name != NULL && i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) return i;
    return SBL_NO_COLUMN;
}

static sbl_status make_table(sbl_linked_table *table, const sbl_resource *resource, const package *p,
                             sbl_error *err)
{
    table->parent = resource->parent != SBL_NO_TABLE ? p->place[resource->parent] : SBL_NO_TABLE;
    SBL_CHECK(sbl_copy_text(&table->name, resource->name, p->where, err));
    if (resource->path != NULL) SBL_CHECK(sbl_copy_text(&table->path, resource->path, p->where, err));
    SBL_CHECK(sbl_resource_schema(&table->schema, resource, p->where, err));
    table->key = column_named(table->schema, resource->key);
    table->parent_key = column_named(table->schema, resource->parent_key);
    return SBL_OK;
}

static sbl_status check_rows(const sbl_linked_table *tables, const package *p, sbl_error *err)
{
    uint64_t rows = 0;
    for (size_t t = 1; t < p->tables; t++) rows += tables[t].schema->rows_per_unit;
    if (rows > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail_schema(
            err, p->where,
            "semblance.max_rows_per_unit of all tables together is %llu, and the limit is %d: lower some",
            (unsigned long long)rows, SBL_ROWS_PER_UNIT_MAX);
    return SBL_OK;
}

static sbl_status make_tables(sbl_schema **schema, const package *p, sbl_error *err)
{
    sbl_linked_table *tables = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(tables, p->tables, p->where);
    for (size_t t = 0; t < p->tables; t++) SBL_TRY(make_table(&tables[t], &p->items[p->order[t]], p, err));
    SBL_TRY(check_rows(tables, p, err));
    status = sbl_schema_widen(schema, tables, p->tables, err);
    tables = NULL;
done:
    sbl_linked_tables_free(tables, p->tables);
    return status;
}

sbl_status sbl_package_parse(sbl_schema **schema, const json_t *object, const char *where, sbl_error *err)
{
    package p = {.where = where};
    sbl_status status = SBL_OK;
    *schema = NULL;
    SBL_TRY(read_resources(&p, object, err));
    SBL_TRY(read_keys(&p, err));
    SBL_TRY(arrange(&p, err));
    SBL_TRY(check_shared_keys(&p, err));
    SBL_TRY(make_tables(schema, &p, err));
    SBL_TRY(sbl_proposals_parse(&(*schema)->proposals, json_object_get(object, "semblance"), where, err));
done:
    if (status != SBL_OK) {
        sbl_schema_free(*schema);
        *schema = NULL;
    }
    sbl_free(p.items);
    sbl_free(p.order);
    sbl_free(p.place);
    return status;
}
