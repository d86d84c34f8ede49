/* Whose row it is: semblance.unit and semblance.max_rows_per_unit. */
#include <string.h>

#include "base/memory.h"
#include "base/unit_tag.h"
#include "schema/field.h"
#include "schema/role.h"

bool sbl_unit_option(const char *key)
{
    return strcmp(key, "unit") == 0 || strcmp(key, "max_rows_per_unit") == 0;
}

bool sbl_unit_is_field(const json_t *options, const json_t *field)
{
    const char *unit = json_string_value(json_object_get(options, "unit"));
    const char *name = json_string_value(json_object_get(field, "name"));
    return unit != NULL && name != NULL && strcmp(unit, name) == 0;
}

/* The made-up ids of persons look as the role says; without one they count up. No other role gives
 * every person an id of its own. */
sbl_status sbl_unit_parse(sbl_column *column, const json_t *field, const sbl_field_place *at)
{
    static const char ids[] = "sequential";
    const json_t *options = json_object_get(field, "semblance");
    const sbl_status status = sbl_role_parse(column, options, at);
    column->kind = SBL_COLUMN_IGNORED;
    column->type = SBL_TYPE_NONE;
    if (status != SBL_OK || column->made == SBL_SYNTHETIC_ID) return status;
    if (column->made != SBL_SYNTHETIC_NOT)
        return sbl_fail_column(at, "says whose row it is: its semblance.role can only be 'id'");
    column->made = SBL_SYNTHETIC_ID;
    column->made_as = sbl_alloc_array(sizeof ids, 1);
    if (column->made_as == NULL) return sbl_fail_column_memory(at);
    memcpy(column->made_as, ids, sizeof ids);
    return SBL_OK;
}

static sbl_status read_rows(sbl_schema *schema, const json_t *options, const char *where,
                            sbl_error *err)
{
    const json_t *rows = json_object_get(options, "max_rows_per_unit");
    if (rows == NULL)
        return sbl_fail_schema(err, where,
                               "semblance.unit needs semblance.max_rows_per_unit: how many rows of "
                               "one person count, 1 to %d",
                               SBL_ROWS_PER_UNIT_MAX);
    const json_int_t number = json_integer_value(rows); /* 0 for what is no whole number */
    if (number < 1 || number > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail_schema(err, where,
                               "semblance.max_rows_per_unit must be a whole number from 1 to %d",
                               SBL_ROWS_PER_UNIT_MAX);
    schema->rows_per_unit = (uint64_t)number;
    return SBL_OK;
}

sbl_status sbl_unit_read(sbl_schema *schema, const json_t *options, const char *where,
                         sbl_error *err)
{
    const char *name;
    sbl_status status = SBL_OK;
    schema->unit = SBL_NO_COLUMN;
    if (json_object_get(options, "unit") == NULL) {
        if (json_object_get(options, "max_rows_per_unit") == NULL) return SBL_OK;
        return sbl_fail_schema(err, where,
                               "semblance.max_rows_per_unit needs semblance.unit: the column that "
                               "says whose row it is");
    }
    SBL_TRY(sbl_json_get_string(&name, options, "unit", where, err));
    for (size_t i = 0; i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) schema->unit = i;
    if (schema->unit == SBL_NO_COLUMN)
        return sbl_fail_schema(err, where, "semblance.unit '%s' is not one of the columns", name);
    SBL_TRY(read_rows(schema, options, where, err));
done:
    return status;
}
