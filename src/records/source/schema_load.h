/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a schema from its file. For a package that is more than its text: the schemas of tables may be in
 * files of their own, and a field that refers to a public look-up table is a category of the keys in that
 * table. The parents of a hierarchy may be in a file, too (hierarchy_load.h). */
#ifndef SBL_SOURCE_SCHEMA_LOAD_H
#define SBL_SOURCE_SCHEMA_LOAD_H

#include "base/error.h"
#include "base/json.h"
#include "public/schema/schema_type.h"

#define SBL_MOST_LOOKUP_KEYS 65536

/* As sbl_schema_read(), with the files that a package names, which are in its folder unless outside allows others. Public tables are CSV files with
 * a header; nothing but their keys is read. A field that lists its values (constraints.enum) has those. */
sbl_status sbl_schema_load(sbl_schema **schema, const char *path, bool outside, sbl_error *err);
/* The same of what was read from a file at path. The values of look-up tables become part of the object. */
sbl_status sbl_schema_load_object(sbl_schema **schema, json_t *object, const char *path, bool outside,
                                  sbl_error *err);

#endif
