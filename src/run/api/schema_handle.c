/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas in memory (include/semblance/schema.h). */
#include "semblance/schema.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/handle_lock.h"
#include "base/json.h"
#include "base/kinds.h"
#include "base/text.h"
#include "public/schema/schema_type.h"
#include "public/schema/schema_writer.h"
#include "records/source/schema_load.h"

#define UNNAMED "the schema"

sbl_status sbl_schema_from_json(sbl_schema **schema, const char *json, size_t length, const char *name,
                                sbl_error *err)
{
    if (schema != NULL) *schema = NULL;
    SBL_CHECK(sbl_need(schema, "schema", err));
    SBL_CHECK(sbl_need(json, "json", err));
    return sbl_schema_parse(schema, json, length, name != NULL ? name : UNNAMED, err);
}

sbl_status sbl_schema_from_file(sbl_schema **schema, const char *path, bool allow_outside, sbl_error *err)
{
    if (schema != NULL) *schema = NULL;
    SBL_CHECK(sbl_need(schema, "schema", err));
    SBL_CHECK(sbl_need(path, "path", err));
    return sbl_schema_load(schema, path, allow_outside, err);
}

sbl_status sbl_schema_as_json(char **json, const sbl_schema *schema, sbl_error *err)
{
    if (json != NULL) *json = NULL;
    SBL_CHECK(sbl_need(json, "json", err));
    SBL_CHECK(sbl_need(schema, "schema", err));
    *json = sbl_schema_json(schema);
    if (*json == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    return SBL_OK;
}

/* ---- what it says ---- */

sbl_status sbl_schema_get_column(const sbl_schema *schema, sbl_schema_column *column, size_t index,
                                 sbl_error *err)
{
    SBL_CHECK(sbl_need(schema, "schema", err));
    SBL_CHECK(sbl_need(column, "column", err));
    if (index >= schema->column_count)
        return sbl_fail(err, SBL_EARG, "the schema has %zu columns", schema->column_count);
    const sbl_column *facts = &schema->columns[index];
    const bool category = facts->kind == SBL_COLUMN_CATEGORY;
    const bool bounded = sbl_column_is_numeric(facts);
    const size_t size = column->struct_size;
    const sbl_schema_column ours = {
        .struct_size = size,
        .name = facts->name,
        .type = facts->type,
        .kind = facts->kind,
        .missing_allowed = facts->missing_allowed,
        .label = schema->label == index,
        .drawn = facts->kind != SBL_COLUMN_IGNORED || facts->made != SBL_SYNTHETIC_NOT,
        .minimum = bounded ? facts->minimum : 0.0,
        .maximum = bounded ? facts->maximum : 0.0,
        .category_count = category ? facts->categories.count : 0,
        .step = facts->step_declared ? sbl_column_grid_value(facts, 1) : 0.0,
        .spikes = facts->spike_count > 0 ? facts->spikes : NULL,
        .spike_count = facts->spike_count,
        .max_rows_per_unit = schema->unit == index ? schema->rows_per_unit : 0,
        .per_unit = facts->per_unit,
        .order = schema->order == index,
        .categories = category ? (const char *const *)facts->categories.items : NULL,
    };
    if (size < sizeof size) return sbl_fail(err, SBL_EARG, "column: its struct_size must be set");
    memcpy(column, &ours, size < sizeof ours ? size : sizeof ours);
    return SBL_OK;
}

/* ---- built by code ---- */

struct sbl_schema_builder {
    sbl_mark mark;
    sbl_schema_writer *writer;
};

static void drop_builder(void *handle)
{
    sbl_schema_builder *builder = handle;
    sbl_schema_writer_free(builder->writer);
    sbl_free(builder);
}

sbl_status sbl_schema_builder_new(sbl_schema_builder **builder, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_schema_builder *made = NULL;
    if (builder != NULL) *builder = NULL;
    SBL_NEED(builder);
    SBL_ALLOC(made, 1, "a schema");
    sbl_mark_init(&made->mark, drop_builder, made);
    SBL_TRY(sbl_schema_writer_new(&made->writer, NULL, 0, err));
    *builder = made;
    made = NULL;
done:
    sbl_schema_builder_free(made);
    return status;
}

void sbl_schema_builder_free(sbl_schema_builder *builder)
{
    if (builder != NULL) sbl_mark_drop(&builder->mark);
}

static sbl_status use_builder(sbl_mark **used, const sbl_schema_builder *builder, sbl_error *err)
{
    sbl_mark *mark = (sbl_mark *)(uintptr_t)&builder->mark;
    return sbl_use_begin(used, mark, SBL_USE_CHANGES, "the schema builder", err);
}

static sbl_status check_field(const sbl_schema_field *field, sbl_error *err)
{
    if (field->name == NULL) return sbl_fail(err, SBL_EARG, "a column must have a name");
    if (field->type < SBL_TYPE_INTEGER || field->type > SBL_TYPE_NONE)
        return sbl_fail(err, SBL_EARG, "column '%.100s' has an unknown type", field->name);
    if (field->decimals < -1 || field->decimals > 22)
        return sbl_fail(err, SBL_EARG, "column '%.100s': decimals must be 0 to 22, or -1", field->name);
    if (field->max_rows_per_unit > SBL_ROWS_PER_UNIT_MAX)
        return sbl_fail(err, SBL_EARG, "column '%.100s': max_rows_per_unit must be 1 to %d, or 0 for none",
                        field->name, SBL_ROWS_PER_UNIT_MAX);
    if (!(field->step >= 0) || isinf(field->step))
        return sbl_fail(err, SBL_EARG, "column '%.100s': step must be above 0, or 0 for none", field->name);
    if (field->spike_count > 0 && field->spikes == NULL)
        return sbl_fail(err, SBL_EARG, "column '%.100s': spikes is NULL", field->name);
    for (size_t i = 0; i < field->spike_count; i++)
        if (!isfinite(field->spikes[i]))
            return sbl_fail(err, SBL_EARG, "column '%.100s': spike %zu is not finite", field->name, i + 1);
    if (field->category_count > 0 && field->categories == NULL)
        return sbl_fail(err, SBL_EARG, "column '%.100s': categories is NULL", field->name);
    for (size_t i = 0; i < field->category_count; i++)
        if (field->categories[i] == NULL)
            return sbl_fail(err, SBL_EARG, "column '%.100s': category %zu is NULL", field->name, i + 1);
    return SBL_OK;
}

/* What the field says of the table. */
static sbl_status add_options(sbl_schema_writer *writer, const sbl_schema_field *field, sbl_error *err)
{
    const uint64_t rows = field->max_rows_per_unit;
    if (field->label) SBL_CHECK(sbl_schema_writer_set(writer, "label", json_string(field->name), err));
    if (field->order) SBL_CHECK(sbl_schema_writer_set(writer, "order", json_string(field->name), err));
    if (rows == 0) return SBL_OK;
    SBL_CHECK(sbl_schema_writer_set(writer, "unit", json_string(field->name), err));
    return sbl_schema_writer_set(writer, "max_rows_per_unit", json_integer((json_int_t)rows), err);
}

sbl_status sbl_schema_builder_add(sbl_schema_builder *builder, const sbl_schema_field *field, sbl_error *err)
{
    sbl_schema_field ours;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    sbl_schema_field_init(&ours);
    SBL_NEED(builder);
    SBL_TRY(use_builder(&used, builder, err));
    SBL_TRY(sbl_struct_take(&ours, sizeof ours, field, "field", err));
    SBL_TRY(check_field(&ours, err));
    const sbl_writer_column column = {
        .name = ours.name,
        .type = ours.max_rows_per_unit == 0 ? ours.type : SBL_TYPE_NONE,
        .required = ours.required,
        .minimum = ours.minimum,
        .maximum = ours.maximum,
        .utc = ours.utc,
        .has_decimals = ours.decimals >= 0,
        .decimals = ours.decimals,
        .log_transform = ours.log_scale,
        .categories = ours.categories,
        .category_count = ours.category_count,
        .other = ours.other,
        .ordered = ours.ordered,
        .step = ours.step,
        .spikes = ours.spikes,
        .spike_count = ours.spike_count,
        .per_unit = ours.per_unit,
    };
    SBL_TRY(sbl_schema_writer_add(builder->writer, &column, err));
    SBL_TRY(add_options(builder->writer, &ours, err));
done:
    sbl_use_end(used);
    return status;
}

sbl_status sbl_schema_builder_finish(const sbl_schema_builder *builder, sbl_schema **schema, sbl_error *err)
{
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    if (schema != NULL) *schema = NULL;
    SBL_NEED(builder);
    SBL_NEED(schema);
    SBL_TRY(use_builder(&used, builder, err));
    SBL_TRY(sbl_schema_writer_finish(NULL, schema, builder->writer, UNNAMED, err));
done:
    sbl_use_end(used);
    return status;
}
