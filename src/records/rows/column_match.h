/* SPDX-License-Identifier: Apache-2.0 */
/* Matches the columns of a table to the columns of a schema by their names. */
#ifndef SBL_ROWS_COLUMN_MATCH_H
#define SBL_ROWS_COLUMN_MATCH_H

#include "records/rows/cell_decode.h"
#include "records/rows/table.h"

/* The name of a column, in its table. */
typedef struct sbl_column_name {
    const char *text; /* followed by SBL_LOOKUP_PADDING readable bytes */
    size_t length;
} sbl_column_name;

/* A table's names, held against a schema. */
typedef struct sbl_match {
    const sbl_schema *schema;
    const sbl_table_options *options;
    const char *table;      /* its name, for messages */
    char delimiter;         /* of a line that holds the names and might be a record: messages quote the
                             * schema only. 0: the container says what is a name */
    sbl_column_name *names; /* (count); are reordered */
    size_t count;
} sbl_match;

/* Point each field of the table to its column of the schema. A column that the schema names must be there once,
 * unless it is ignored; two columns of one name beyond the schema are refused.
 * Out:     fields  (count), in the table's order; sbl_fields_free(), NULL on failure
 * Returns: SBL_OK; SBL_EINPUT, SBL_EMEM */
sbl_status sbl_match_fields(sbl_field **fields, const sbl_match *match, sbl_error *err);
/* The same of names that end with a NUL and that a container holds as such. */
sbl_status sbl_match_names(sbl_field **fields, const char *const *names, size_t count, const char *table,
                           const sbl_schema *schema, const sbl_table_options *options, sbl_error *err);

/* Is it asked whose row each is? */
static inline bool sbl_asks_for_units(const sbl_schema *schema, const sbl_table_options *options)
{
    return schema->rows_per_unit != 0 && options->unit_key != NULL;
}

/* And must its column be there? */
static inline bool sbl_needs_units(const sbl_schema *schema, const sbl_table_options *options)
{
    return sbl_asks_for_units(schema, options) && !options->unit_optional;
}

/* Is this column of the schema the row's own key, and asked for? */
static inline bool sbl_is_asked_key(const sbl_schema *schema, const sbl_table_options *options, size_t column)
{
    return sbl_asks_for_units(schema, options) && options->with_keys && options->key_column == column;
}

#endif
