/* SPDX-License-Identifier: Apache-2.0 */
/* [9] Grows validity, value and text buffers column by column as rows are drawn, then hands them
 * over as Arrow arrays without a copy. Each child owns its buffers, since a receiver may move it
 * away and release it by itself. */
#include "after/sinks/arrow_build.h"

#include <string.h>

#include "after/sinks/drawn_form.h"
#include "base/alloc.h"
#include "base/arrow_owned.h"
#include "base/size.h"
#include "base/text.h"
#include "public/rows/cell_format.h"
#include "public/rows/decimal.h"

/* ---- the schema ---- */

static size_t count_drawn(const sbl_schema *schema)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->column_count; i++) count += sbl_column_is_drawn(&schema->columns[i]);
    return count;
}

sbl_status sbl_arrow_export_schema(struct ArrowSchema *out, const sbl_schema *schema, sbl_error *err)
{
    struct ArrowSchema *const *child;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_arrow_schema_make(out, "+s", "", 0, count_drawn(schema), err));
    child = out->children;
    for (size_t i = 0; i < schema->column_count; i++) {
        const sbl_column *column = &schema->columns[i];
        if (!sbl_column_is_drawn(column)) continue;
        SBL_TRY(sbl_arrow_schema_make(*child++, sbl_arrow_drawn_format(column), column->name,
                                      column->missing_allowed ? ARROW_FLAG_NULLABLE : 0, 0, err));
    }
done:
    if (status != SBL_OK && out->release != NULL) out->release(out);
    return status;
}

/* ---- arrays ---- */

/* One growing column. Offsets of texts are in values, their bytes in text. */
typedef struct growing {
    size_t index; /* in the schema */
    sbl_drawn_form form;
    double *numbers; /* (categories) of a category that is a number; else NULL */
    uint8_t *valid;  /* bitmap */
    uint8_t *values;
    sbl_text text;
    int64_t nulls;
} growing;

struct sbl_arrow_builder {
    const sbl_schema *schema;
    growing *columns;
    size_t count;
    size_t rows;
    size_t capacity; /* rows that there is space for */
    sbl_text made;
};

static void clear_column(growing *column)
{
    sbl_free(column->valid);
    sbl_free(column->values);
    sbl_text_clear(&column->text);
    column->valid = column->values = NULL;
    column->nulls = 0;
}

void sbl_arrow_builder_free(sbl_arrow_builder *builder)
{
    if (builder == NULL) return;
    for (size_t i = 0; builder->columns != NULL && i < builder->count; i++) {
        clear_column(&builder->columns[i]);
        sbl_free(builder->columns[i].numbers);
    }
    sbl_free(builder->columns);
    sbl_text_clear(&builder->made);
    sbl_free(builder);
}

static sbl_status fail_rows(sbl_error *err) { return sbl_no_memory(err, "a few rows"); }

static sbl_status begin_column(growing *column, size_t index, const sbl_column *facts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    column->index = index;
    column->form = sbl_drawn_form_of(facts);
    if (facts->kind != SBL_COLUMN_CATEGORY ||
        (column->form != SBL_DRAWN_INT64 && column->form != SBL_DRAWN_DOUBLE))
        return SBL_OK;
    SBL_ALLOC(column->numbers, facts->categories.count, "a few rows");
    for (size_t i = 0; i < facts->categories.count; i++) {
        const char *text = facts->categories.items[i];
        (void)sbl_decimal_parse(&column->numbers[i], text, strlen(text));
    }
done:
    return status;
}

sbl_status sbl_arrow_builder_new(sbl_arrow_builder **builder, const sbl_schema *schema, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_arrow_builder *made = NULL;
    *builder = NULL;
    SBL_ALLOC(made, 1, "a few rows");
    made->schema = schema;
    SBL_ALLOC(made->columns, schema->column_count, "a few rows");
    for (size_t i = 0; i < schema->column_count; i++)
        if (sbl_column_is_drawn(&schema->columns[i]))
            SBL_TRY(begin_column(&made->columns[made->count++], i, &schema->columns[i], err));
    *builder = made;
    made = NULL;
done:
    sbl_arrow_builder_free(made);
    return status;
}

/* The bytes of the values of these rows. */
static size_t values_size(sbl_drawn_form of, size_t rows)
{
    switch (of) {
    case SBL_DRAWN_BOOL:
        return rows / 8 + 1;
    case SBL_DRAWN_DATE:
        return rows * sizeof(int32_t);
    case SBL_DRAWN_TEXT:
        return (rows + 1) * sizeof(int32_t);
    default:
        return rows * sizeof(int64_t);
    }
}

/* New capacity is zero: bits are only ever set. */
static sbl_status grow(sbl_arrow_builder *builder, size_t rows, sbl_error *err)
{
    size_t capacity = builder->capacity < 1024 ? 1024 : builder->capacity;
    while (capacity < rows)
        if (!sbl_size_mul(&capacity, capacity, 2)) return fail_rows(err);
    if (builder->capacity >= rows && builder->capacity > 0) return SBL_OK;
    for (size_t i = 0; i < builder->count; i++) {
        growing *column = &builder->columns[i];
        const size_t size = values_size(column->form, capacity);
        uint8_t *values = sbl_alloc_array(size, 1);
        uint8_t *valid = sbl_alloc_array(capacity / 8 + 1, 1);
        if (values == NULL || valid == NULL) {
            sbl_free(values);
            sbl_free(valid);
            return fail_rows(err);
        }
        if (column->values != NULL) {
            memcpy(values, column->values, values_size(column->form, builder->capacity));
            memcpy(valid, column->valid, builder->capacity / 8 + 1);
        }
        sbl_free(column->values);
        sbl_free(column->valid);
        column->values = values;
        column->valid = valid;
    }
    builder->capacity = capacity;
    return SBL_OK;
}

static void put_number(growing *column, size_t row, double value)
{
    const int64_t whole = (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
    const int32_t day = (int32_t)whole;
    switch (column->form) {
    case SBL_DRAWN_DOUBLE:
        memcpy(column->values + row * sizeof value, &value, sizeof value);
        break;
    case SBL_DRAWN_DATE:
        memcpy(column->values + row * sizeof day, &day, sizeof day);
        break;
    default:
        memcpy(column->values + row * sizeof whole, &whole, sizeof whole);
        break;
    }
}

static void put_bit(uint8_t *bits, size_t row) { bits[row / 8] = (uint8_t)(bits[row / 8] | 1u << (row % 8)); }

/* A category that is there. */
static void put_category(growing *column, const sbl_column *facts, size_t row, uint32_t code)
{
    const char *text = facts->categories.items[code];
    if (column->numbers != NULL)
        put_number(column, row, column->numbers[code]);
    else if (column->form == SBL_DRAWN_BOOL && code == 1)
        put_bit(column->values, row);
    else if (column->form == SBL_DRAWN_TEXT)
        sbl_text_append(&column->text, text, strlen(text));
}

/* A time of day, as its column writes it. */
static void put_time(growing *column, const sbl_column *facts, double value)
{
    char text[SBL_CELL_TEXT_SIZE];
    sbl_text_append(&column->text, text, sbl_cell_format(text, facts, value));
}

/* Text that was appended ends here; false: more than an offset of 32 bits can say. */
static bool end_text(growing *column, size_t row)
{
    const int32_t end = (int32_t)column->text.length;
    if (column->text.length > INT32_MAX) return false;
    memcpy(column->values + (row + 1) * sizeof end, &end, sizeof end);
    return true;
}

static sbl_status add_column(sbl_arrow_builder *builder, growing *column, const sbl_batch *rows,
                             uint64_t first, const sbl_sink *sink, sbl_error *err)
{
    const sbl_column *facts = &builder->schema->columns[column->index];
    const sbl_batch_column *from = &rows->columns[column->index];
    for (size_t r = 0; r < rows->rows; r++) {
        const size_t row = builder->rows + r;
        bool there = true;
        if (facts->kind == SBL_COLUMN_IGNORED) {
            if (sink != NULL) sbl_sink_synthetic_cell(sink, &column->text, column->index, first + r);
        } else if (from->codes != NULL) {
            const uint32_t code =
                from->codes[r] <= facts->categories.count ? from->codes[r] : facts->fallback_code;
            there = code < facts->categories.count;
            if (there) put_category(column, facts, row, code);
        } else {
            there = from->missing == NULL || from->missing[r] == 0;
            if (there && column->form == SBL_DRAWN_TEXT)
                put_time(column, facts, from->values[r]);
            else if (there)
                put_number(column, row,
                           sbl_column_snap(sbl_batch_domain(rows, facts, r), from->values[r]) + 0.0);
        }
        if (there) put_bit(column->valid, row);
        column->nulls += !there;
        if (column->form == SBL_DRAWN_TEXT && !end_text(column, row)) return fail_rows(err);
    }
    return column->text.failed ? fail_rows(err) : SBL_OK;
}

sbl_status sbl_arrow_builder_add(sbl_arrow_builder *builder, const sbl_batch *rows, uint64_t first,
                                 const sbl_sink *sink, sbl_error *err)
{
    SBL_CHECK(grow(builder, builder->rows + rows->rows, err));
    for (size_t i = 0; i < builder->count; i++)
        SBL_CHECK(add_column(builder, &builder->columns[i], rows, first, sink, err));
    builder->rows += rows->rows;
    return SBL_OK;
}

size_t sbl_arrow_builder_rows(const sbl_arrow_builder *builder) { return builder->rows; }

/* ---- handing over ---- */

/* The column's buffers become the array's. */
static sbl_status hand_over(struct ArrowArray *out, growing *column, size_t rows, sbl_error *err)
{
    const sbl_status status = sbl_arrow_array_make(out, rows, column->form == SBL_DRAWN_TEXT ? 3 : 2, 0, err);
    if (status != SBL_OK) return status;
    sbl_arrow_owned *own = out->private_data;
    out->null_count = column->nulls;
    own->buffers[0] = column->valid;
    own->buffers[1] = column->values;
    own->buffers[2] = column->text.data;
    column->valid = column->values = NULL;
    column->text = (sbl_text){0};
    column->nulls = 0;
    return SBL_OK;
}

sbl_status sbl_arrow_builder_take(sbl_arrow_builder *builder, struct ArrowArray *out, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_arrow_array_make(out, builder->rows, 1, builder->count, err));
    for (size_t i = 0; i < builder->count; i++)
        SBL_TRY(hand_over(out->children[i], &builder->columns[i], builder->rows, err));
    builder->rows = 0;
    builder->capacity = 0;
done:
    if (status != SBL_OK && out->release != NULL) out->release(out);
    return status;
}
