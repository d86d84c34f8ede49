/* SPDX-License-Identifier: Apache-2.0 */
/* Copies typed column buffers into Arrow arrays that the handle owns, so that tables in memory have a
 * single reader. */
#include <string.h>

#include "base/alloc.h"
#include "base/arrow_owned.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/size.h"
#include "base/text.h"
#include "records/source/data_handle.h"

#define MOST_COLUMNS 32768 /* as of a schema */

/* What the values become: an Arrow format, and bytes of one value as the caller has it. */
typedef struct value_form {
    const char *format;
    size_t size;
} value_form;

static value_form form_of(sbl_values_type type)
{
    static const value_form forms[] = {
        [SBL_VALUES_INT8] = {"c", 1},
        [SBL_VALUES_INT16] = {"s", 2},
        [SBL_VALUES_INT32] = {"i", 4},
        [SBL_VALUES_INT64] = {"l", 8},
        [SBL_VALUES_UINT8] = {"C", 1},
        [SBL_VALUES_UINT16] = {"S", 2},
        [SBL_VALUES_UINT32] = {"I", 4},
        [SBL_VALUES_UINT64] = {"L", 8},
        [SBL_VALUES_FLOAT] = {"f", sizeof(float)},
        [SBL_VALUES_DOUBLE] = {"g", sizeof(double)},
        [SBL_VALUES_BOOL] = {"b", 1},
        [SBL_VALUES_TEXT] = {"U", sizeof(char *)},
        [SBL_VALUES_DATE] = {"tdD", 4},
        [SBL_VALUES_DATETIME] = {"tss:", 8},
    };
    return (size_t)type < sizeof forms / sizeof forms[0] ? forms[type] : (value_form){NULL, 0};
}

/* ---- arrays that own copies: they hold records, and are wiped ---- */

static void *add_buffer(sbl_arrow_owned *own, size_t i, size_t count, size_t size)
{
    void *buffer = sbl_alloc_array(count, size);
    own->buffers[i] = buffer;
    own->sizes[i] = buffer != NULL ? count * size : 0;
    return buffer;
}

static bool is_missing(const sbl_values *column, size_t row)
{
    return (column->missing != NULL && column->missing[row] != 0) ||
           (column->type == SBL_VALUES_TEXT && ((const char *const *)column->values)[row] == NULL);
}

static bool copy_validity(struct ArrowArray *array, sbl_arrow_owned *own, const sbl_values *column,
                          size_t rows)
{
    uint8_t *bits = add_buffer(own, 0, rows / 8 + 1, 1);
    if (bits == NULL) return false;
    for (size_t r = 0; r < rows; r++) {
        const bool there = !is_missing(column, r);
        array->null_count += !there;
        if (there) bits[r / 8] = (uint8_t)(bits[r / 8] | 1u << (r % 8));
    }
    return true;
}

static bool copy_texts(sbl_arrow_owned *own, const sbl_values *column, size_t rows)
{
    const char *const *texts = column->values;
    size_t total = 0;
    int64_t *offsets = add_buffer(own, 1, rows + 1, sizeof *offsets);
    if (offsets == NULL) return false;
    for (size_t r = 0; r < rows; r++) {
        const size_t length = is_missing(column, r) ? 0 : strlen(texts[r]);
        if (!sbl_size_add(&total, total, length)) return false;
        offsets[r + 1] = (int64_t)total;
    }
    char *bytes = add_buffer(own, 2, total, 1);
    if (bytes == NULL) return false;
    for (size_t r = 0; r < rows; r++)
        if (offsets[r + 1] > offsets[r])
            memcpy(bytes + offsets[r], texts[r], (size_t)(offsets[r + 1] - offsets[r]));
    return true;
}

static bool copy_truths(sbl_arrow_owned *own, const sbl_values *column, size_t rows)
{
    const uint8_t *truths = column->values;
    uint8_t *bits = add_buffer(own, 1, rows / 8 + 1, 1);
    for (size_t r = 0; bits != NULL && r < rows; r++)
        if (truths[r] != 0) bits[r / 8] = (uint8_t)(bits[r / 8] | 1u << (r % 8));
    return bits != NULL;
}

static bool copy_plain(sbl_arrow_owned *own, const sbl_values *column, size_t rows)
{
    const size_t size = form_of(column->type).size;
    void *values = add_buffer(own, 1, rows, size);
    if (values != NULL) memcpy(values, column->values, rows * size);
    return values != NULL;
}

static sbl_status copy_column(struct ArrowArray *array, const sbl_values *column, size_t rows, sbl_error *err)
{
    const sbl_status status =
        sbl_arrow_array_make(array, rows, column->type == SBL_VALUES_TEXT ? 3 : 2, 0, err);
    if (status != SBL_OK) return status;
    sbl_arrow_owned *own = array->private_data;
    const bool good = copy_validity(array, own, column, rows) &&
                      (column->type == SBL_VALUES_TEXT   ? copy_texts(own, column, rows)
                       : column->type == SBL_VALUES_BOOL ? copy_truths(own, column, rows)
                                                         : copy_plain(own, column, rows));
    return good ? SBL_OK : sbl_no_memory(err, "a batch of rows");
}

/* ---- the columns of the table ---- */

/* As of the first batch. */
static sbl_status name_columns(sbl_arrow_table *table, const sbl_values *columns, size_t count,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    struct ArrowSchema schema = {0};
    SBL_ALLOC(table->types, count, "the names of columns");
    SBL_TRY(sbl_arrow_schema_make(&schema, "+s", "", 0, count, err));
    for (size_t i = 0; i < count; i++) {
        SBL_TRY(sbl_arrow_schema_make(schema.children[i], form_of(columns[i].type).format, columns[i].name,
                                      ARROW_FLAG_NULLABLE, 0, err));
        table->types[i] = columns[i].type;
    }
    table->schema = schema;
    schema = (struct ArrowSchema){0};
done:
    if (schema.release != NULL) schema.release(&schema);
    if (status != SBL_OK) {
        sbl_free(table->types);
        table->types = NULL;
    }
    return status;
}

static sbl_status check_columns(const sbl_arrow_table *table, const char *name, const sbl_values *columns,
                                size_t count, size_t rows, sbl_error *err)
{
    const bool first = table->schema.release == NULL;
    if (count < 1 || count > MOST_COLUMNS)
        return sbl_fail(err, SBL_EARG, "a table has 1 to %d columns", MOST_COLUMNS);
    if (!first && (size_t)table->schema.n_children != count)
        return sbl_fail(err, SBL_EARG, "%s has %d columns, and every batch must have them", name,
                        (int)table->schema.n_children);
    for (size_t i = 0; i < count; i++) {
        if (columns[i].name == NULL || !sbl_text_is_utf8(columns[i].name))
            return sbl_fail(err, SBL_EARG, "column %zu must have a name in UTF-8", i + 1);
        if (form_of(columns[i].type).format == NULL)
            return sbl_fail(err, SBL_EARG, "column '%.100s' has an unknown type", columns[i].name);
        if (rows > 0 && columns[i].values == NULL)
            return sbl_fail(err, SBL_EARG, "column '%.100s' has no values", columns[i].name);
        if (!first && (strcmp(columns[i].name, table->schema.children[i]->name) != 0 ||
                       columns[i].type != table->types[i]))
            return sbl_fail(err, SBL_EARG, "column '%.100s' must match column %zu of %.80s in name and type",
                            columns[i].name, i + 1, name);
    }
    return SBL_OK;
}

/* A caller's list of structs, of whatever version, as ours. */
static sbl_status take_columns(sbl_values **ours, const sbl_values *theirs, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t stride = count > 0 ? theirs->struct_size : 0;
    SBL_ALLOC(*ours, count, "a batch of rows");
    for (size_t i = 0; i < count; i++) {
        (*ours)[i] = (sbl_values){.struct_size = sizeof **ours};
        SBL_TRY(
            sbl_struct_take(&(*ours)[i], sizeof **ours, (const char *)theirs + i * stride, "columns", err));
    }
done:
    return status;
}

static sbl_status copy_batch(struct ArrowArray *batch, const sbl_values *columns, size_t count, size_t rows,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_arrow_array_make(batch, rows, 1, count, err));
    for (size_t i = 0; i < count; i++) SBL_TRY(copy_column(batch->children[i], &columns[i], rows, err));
done:
    if (status != SBL_OK && batch->release != NULL) batch->release(batch);
    return status;
}

sbl_status sbl_data_new(sbl_data **data, const char *name, sbl_error *err)
{
    if (data != NULL) *data = NULL;
    SBL_CHECK(sbl_need(data, "data", err));
    return sbl_data_make_arrow(data, name, err);
}

/* The batches of a handle that rows can be appended to; NULL: it is another. */
static sbl_arrow_table *growing_table(const sbl_data *data)
{
    sbl_arrow_table *table = data->table.state;
    if (data->table.format != &sbl_arrow_format || table->once || table->open != NULL) return NULL;
    return table->schema.release == NULL || table->types != NULL ? table : NULL;
}

sbl_status sbl_data_append(sbl_data *data, const sbl_values *columns, size_t count, size_t rows,
                           sbl_error *err)
{
    struct ArrowArray batch = {0};
    sbl_values *ours = NULL;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(data);
    SBL_NEED(columns);
    SBL_TRY(sbl_use_begin(&used, &data->mark, SBL_USE_CHANGES, data->name, err));
    sbl_arrow_table *table = growing_table(data);
    if (table == NULL) SBL_FAIL(err, SBL_EARG, "rows cannot be appended to %s", data->name);
    if (rows > INT32_MAX) SBL_FAIL(err, SBL_EARG, "a batch has at most 2^31 - 1 rows");
    SBL_TRY(take_columns(&ours, columns, count, err));
    SBL_TRY(check_columns(table, data->name, ours, count, rows, err));
    SBL_TRY(copy_batch(&batch, ours, count, rows, err));
    if (table->schema.release == NULL) SBL_TRY(name_columns(table, ours, count, err));
    SBL_TRY(sbl_arrow_table_add(table, &batch, data->name, err));
    data->table.count += rows;
done:
    if (batch.release != NULL) batch.release(&batch);
    sbl_free(ours);
    sbl_use_end(used);
    return status;
}
