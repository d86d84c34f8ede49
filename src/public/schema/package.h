/* SPDX-License-Identifier: Apache-2.0 */
/* Several tables that are linked by keys, as one schema (schema_type.h, sbl_linked_table).
 *
 * The file format is the Frictionless Data Package: `resources` with a Table Schema each, whose primaryKey
 * and foreignKeys link the tables. One table is the root, whose rows are the persons. Every other synthesised
 * table refers to one parent table by a foreign key: to the root or to a table below it. A resource with
 * "semblance": {"public": true} is a look-up table: it is not synthesised, and a field with a foreign key into
 * it is a category whose values are its keys, listed in the field's enum. */
#ifndef SBL_SCHEMA_PACKAGE_H
#define SBL_SCHEMA_PACKAGE_H

#include "base/error.h"
#include "base/json.h"
#include "public/schema/schema_type.h"

/* Of an object with `resources`; sbl_schema_parse() calls it.
 * Returns: SBL_OK; SBL_EINPUT: one line that names the table and says what to do; SBL_EMEM */
sbl_status sbl_package_parse(sbl_schema **schema, const json_t *object, const char *where, sbl_error *err);
/* The canonical package: tables in the schema's order, without look-up tables; sbl_package_parse() reads it
 * back as an equal schema. NULL when out of memory. */
json_t *sbl_package_to_json(const sbl_schema *schema, bool with_origin);

/* A schema of linked tables from those of its tables. tables: (count), taken also on failure; of each
 * name, path, parent and schema are given, and key and parent_key as columns of the table's own schema;
 * the rest is filled in. */
sbl_status sbl_schema_widen(sbl_schema **wide, sbl_linked_table *tables, size_t count, sbl_error *err);
/* Tables that are given so, like those of `wide`, but each with a copy of another schema of as many columns:
 * schemas (wide->table_count). NULL in *tables on failure. */
sbl_status sbl_linked_tables_copy(sbl_linked_table **tables, const sbl_schema *wide,
                                  const sbl_schema *const *schemas, sbl_error *err);

/* A table's own schema, and after its own columns those of the tables above it, the nearest first, under
 * "table.column" and as columns of the person: what a constraint of the table may name. */
sbl_status sbl_schema_see(sbl_schema **seen, const sbl_schema *package, size_t table, sbl_error *err);

/* ---- the package as JSON ---- */

/* The package or schema in a file. A schema of a resource that is the name of a file becomes what that file holds.
 * outside: such files need not be in the folder of the package. */
sbl_status sbl_package_read(json_t **package, const char *path, bool outside, sbl_error *err);

/* The object of a list that has this name; NULL: there is none, or name is NULL. */
json_t *sbl_json_named(const json_t *list, const char *name);
/* A text, or a list of one; NULL: it is neither. */
const char *sbl_json_only_text(const json_t *value);

/* A look-up table, which anyone may see? */
bool sbl_resource_is_public(const json_t *resource);
/* NULL: it has none. */
const char *sbl_resource_name(const json_t *resource);
/* Of its one file; NULL: there is none, or several. */
const char *sbl_resource_path(const json_t *resource);
/* Of its schema; NULL: none. */
json_t *sbl_resource_links(const json_t *resource);
/* Does a field say what its values are, or that it has none? */
bool sbl_field_has_values(const json_t *field);

/* ---- inside the reader ---- */

json_t *sbl_schema_to_json_with_origin(const sbl_schema *schema);

/* A resource as it is read: texts and objects are the package's. */
typedef struct sbl_resource {
    const json_t *object;
    const json_t *fields; /* the list of its schema's fields */
    const char *name;
    const char *path;       /* NULL: none */
    bool is_public;         /* a look-up table */
    const char *key;        /* its primaryKey, NULL: none */
    const char *parent_key; /* its field that names a row of another table; NULL: none */
    size_t parent;          /* that one among the resources, or SBL_NO_TABLE */
    bool one_row;           /* its primaryKey is what names the parent's row: of each there is one at most */
} sbl_resource;

/* The field of this name, or NULL. */
const json_t *sbl_resource_field(const sbl_resource *resource, const char *name);
/* The schema of a single table: its keys are not modelled, and its unit is its parent. */
sbl_status sbl_resource_schema(sbl_schema **schema, const sbl_resource *resource, const char *where,
                               sbl_error *err);

#endif
