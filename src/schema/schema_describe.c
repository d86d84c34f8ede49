/* A schema in words, for `schema check`. Names and numbers come from the public schema only. */
#include "schema/calendar.h"
#include "schema/role.h"
#include "schema/schema.h"

static void put_bound(sbl_text *text, const sbl_column *column, double bound)
{
    char buffer[SBL_DOUBLE_TEXT_SIZE];
    if (column->kind == SBL_COLUMN_DATE)
        sbl_text_append(text, buffer, sbl_date_format(buffer, (int64_t)bound));
    else if (column->kind == SBL_COLUMN_DATETIME)
        sbl_text_append(text, buffer, sbl_datetime_format(buffer, (int64_t)bound, column->utc));
    else
        sbl_text_printf(text, "%s", sbl_double_to_text(buffer, bound));
}

static void describe_numeric(sbl_text *text, const sbl_column *column)
{
    sbl_text_printf(text, "%s from ", sbl_field_type_name(column->type));
    put_bound(text, column, column->minimum);
    sbl_text_printf(text, " to ");
    put_bound(text, column, column->maximum);
    if (column->type == SBL_TYPE_NUMBER && column->decimals >= 0)
        sbl_text_printf(text, ", %d decimals", column->decimals);
    if (column->step_declared) {
        sbl_text_printf(text, ", in steps of ");
        put_bound(text, column, sbl_column_grid_value(column, 1));
    }
    if (column->log_transform) sbl_text_printf(text, ", log scale");
    if (column->format != NULL) sbl_text_printf(text, ", written %s", column->format);
    if (column->decimal_char == ',') sbl_text_printf(text, ", decimal comma");
    sbl_text_printf(text, " -> one number in [0,1]%s",
                    column->missing_allowed ? " and a missing indicator" : "");
    if (column->spike_count > 0)
        sbl_text_printf(text, " and %zu value%s apart", column->spike_count,
                        column->spike_count == 1 ? "" : "s");
}

static void describe_category(sbl_text *text, const sbl_column *column)
{
    sbl_text_printf(text, "%s with %zu %scategories -> one of %zu codes%s",
                    sbl_field_type_name(column->type), column->categories.count,
                    column->ordered ? "ordered " : "",
                    column->categories.count + (column->missing_allowed ? 1 : 0),
                    column->missing_allowed ? " (the last one is missing)" : "");
}

void sbl_schema_describe_proposals(sbl_text *text, const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->proposals.count; i++)
        sbl_text_printf(text, "proposal %zu, %s\n", i + 1, schema->proposals.items[i]);
}

void sbl_schema_describe(sbl_text *text, const sbl_schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        sbl_text_printf(text, "%s: ", column->name);
        if (schema->rows_per_unit != 0 && i == schema->unit)
            sbl_text_printf(text,
                            "says whose row it is; at most %llu row%s of a person count%s -> fresh "
                            "ids of persons, %s",
                            (unsigned long long)schema->rows_per_unit,
                            schema->rows_per_unit == 1 ? "" : "s",
                            schema->rows_per_unit == 1 ? "s" : "", column->made_as);
        else if (column->kind == SBL_COLUMN_IGNORED)
            sbl_role_describe(text, column);
        else if (column->kind == SBL_COLUMN_CATEGORY)
            describe_category(text, column);
        else
            describe_numeric(text, column);
        if (i == schema->label)
            sbl_text_printf(text, "; the label (%s)", sbl_task_name(schema->task));
        sbl_text_append(text, "\n", 1);
    }
    if (schema->proposals.count > 0)
        sbl_text_printf(text, "\nNOT PRIVATE: what is proposed was read off the records\n");
    sbl_schema_describe_proposals(text, schema);
}
