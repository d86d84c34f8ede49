/* [9] Grows validity, value and text buffers column by column as rows are drawn, then hands them
 * over as Arrow arrays without a copy. Each child owns its buffers, since a receiver may move it
 * away and release it by itself. */
#include "source/arrow_build.h"

#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "table/decimal.h"

/* What a column becomes. */
typedef enum form { FORM_INT64, FORM_DOUBLE, FORM_DATE, FORM_MOMENT, FORM_BOOL, FORM_TEXT } form;

bool sbl_column_is_drawn(const sbl_column *column)
{
    return column->kind != SBL_COLUMN_IGNORED || column->made != SBL_SYNTHETIC_NOT;
}

/* Are all categories numbers (whole: whole ones that a double holds)? */
static bool are_numbers(const sbl_column *column, bool whole)
{
    double value;
    for (size_t i = 0; i < column->categories.count; i++) {
        const char *text = column->categories.items[i];
        if (!sbl_decimal_parse(&value, text, strlen(text))) return false;
        if (whole && !(value > -9e15 && value < 9e15 && value == (double)(int64_t)value))
            return false;
    }
    return true;
}

static form form_of(const sbl_column *column)
{
    switch (column->kind) {
    case SBL_COLUMN_NUMBER:
        return column->type == SBL_TYPE_INTEGER ? FORM_INT64 : FORM_DOUBLE;
    case SBL_COLUMN_DATE:
        return FORM_DATE;
    case SBL_COLUMN_DATETIME:
        return FORM_MOMENT;
    case SBL_COLUMN_CATEGORY:
        if (column->type == SBL_TYPE_BOOLEAN) return FORM_BOOL;
        if (column->type == SBL_TYPE_INTEGER && are_numbers(column, true)) return FORM_INT64;
        if (column->type == SBL_TYPE_NUMBER && are_numbers(column, false)) return FORM_DOUBLE;
        return FORM_TEXT;
    default:
        return FORM_TEXT;
    }
}

static const char *format_of(const sbl_column *column)
{
    switch (form_of(column)) {
    case FORM_INT64:
        return "l";
    case FORM_DOUBLE:
        return "g";
    case FORM_DATE:
        return "tdD";
    case FORM_MOMENT:
        return column->utc ? "tss:UTC" : "tss:";
    case FORM_BOOL:
        return "b";
    default:
        return "u";
    }
}

/* ---- the schema ---- */

/* Any child may be moved away by its receiver, who releases it on its own: so each owns what it points to. */
static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child != NULL && child->release != NULL) child->release(child);
        sbl_free(child);
    }
    sbl_free(schema->children);
    sbl_free(schema->private_data); /* the name */
    schema->release = NULL;
}

static sbl_status export_column(struct ArrowSchema *out, const sbl_column *column, sbl_error *err)
{
    const size_t size = strlen(column->name) + 1;
    char *name = sbl_alloc_array(size, 1);
    if (name == NULL) return sbl_no_memory(err, "the names of columns");
    memcpy(name, column->name, size);
    *out = (struct ArrowSchema){.format = format_of(column),
                                .name = name,
                                .flags = column->missing_allowed ? ARROW_FLAG_NULLABLE : 0,
                                .release = release_schema,
                                .private_data = name};
    return SBL_OK;
}

sbl_status sbl_arrow_export_schema(struct ArrowSchema *out, const sbl_schema *schema,
                                   sbl_error *err)
{
    sbl_status status = SBL_OK;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
    out->children = sbl_alloc_array(schema->column_count, sizeof *out->children);
    if (out->children == NULL) SBL_TRY(sbl_no_memory(err, "the names of columns"));
    for (size_t i = 0; i < schema->column_count; i++) {
        if (!sbl_column_is_drawn(&schema->columns[i])) continue;
        struct ArrowSchema *child = sbl_alloc_array(1, sizeof *child);
        if (child == NULL) SBL_TRY(sbl_no_memory(err, "the names of columns"));
        out->children[out->n_children++] = child;
        SBL_TRY(export_column(child, &schema->columns[i], err));
    }
done:
    if (status != SBL_OK) out->release(out);
    return status;
}

/* ---- arrays ---- */

/* One column that grows. Offsets of texts stand in values, their bytes in text. */
typedef struct growing {
    size_t index; /* in the schema */
    form form;
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

static sbl_status begin_column(growing *column, size_t index, const sbl_column *facts,
                               sbl_error *err)
{
    column->index = index;
    column->form = form_of(facts);
    if (facts->kind != SBL_COLUMN_CATEGORY ||
        (column->form != FORM_INT64 && column->form != FORM_DOUBLE))
        return SBL_OK;
    column->numbers = sbl_alloc_array(facts->categories.count, sizeof *column->numbers);
    if (column->numbers == NULL) return fail_rows(err);
    for (size_t i = 0; i < facts->categories.count; i++) {
        const char *text = facts->categories.items[i];
        (void)sbl_decimal_parse(&column->numbers[i], text, strlen(text));
    }
    return SBL_OK;
}

sbl_status sbl_arrow_builder_new(sbl_arrow_builder **builder, const sbl_schema *schema,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_arrow_builder *made = sbl_alloc_array(1, sizeof *made);
    *builder = NULL;
    if (made == NULL) return fail_rows(err);
    made->schema = schema;
    made->columns = sbl_alloc_array(schema->column_count, sizeof *made->columns);
    if (made->columns == NULL) {
        status = fail_rows(err);
        goto done;
    }
    for (size_t i = 0; i < schema->column_count; i++)
        if (sbl_column_is_drawn(&schema->columns[i]))
            SBL_TRY(begin_column(&made->columns[made->count++], i, &schema->columns[i], err));
    *builder = made;
    made = NULL;
done:
    sbl_arrow_builder_free(made);
    return status;
}

/* Bytes of the values of so many rows. */
static size_t values_size(form of, size_t rows)
{
    switch (of) {
    case FORM_BOOL:
        return rows / 8 + 1;
    case FORM_DATE:
        return rows * sizeof(int32_t);
    case FORM_TEXT:
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
    case FORM_DOUBLE:
        memcpy(column->values + row * sizeof value, &value, sizeof value);
        break;
    case FORM_DATE:
        memcpy(column->values + row * sizeof day, &day, sizeof day);
        break;
    default:
        memcpy(column->values + row * sizeof whole, &whole, sizeof whole);
        break;
    }
}

static void put_bit(uint8_t *bits, size_t row)
{
    bits[row / 8] = (uint8_t)(bits[row / 8] | 1u << (row % 8));
}

/* A category that is there. */
static void put_category(growing *column, const sbl_column *facts, size_t row, uint32_t code)
{
    const char *text = facts->categories.items[code];
    if (column->numbers != NULL)
        put_number(column, row, column->numbers[code]);
    else if (column->form == FORM_BOOL && code == 1)
        put_bit(column->values, row);
    else if (column->form == FORM_TEXT)
        sbl_text_append(&column->text, text, strlen(text));
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
            if (sink != NULL)
                sbl_sink_synthetic_cell(sink, &column->text, column->index, first + r);
        } else if (from->codes != NULL) {
            const uint32_t code =
                from->codes[r] <= facts->categories.count ? from->codes[r] : facts->fallback_code;
            there = code < facts->categories.count;
            if (there) put_category(column, facts, row, code);
        } else {
            there = from->missing == NULL || from->missing[r] == 0;
            if (there) put_number(column, row, sbl_column_snap(facts, from->values[r]) + 0.0);
        }
        if (there) put_bit(column->valid, row);
        column->nulls += !there;
        if (column->form == FORM_TEXT && !end_text(column, row)) return fail_rows(err);
    }
    return column->text.failed ? fail_rows(err) : SBL_OK;
}

sbl_status sbl_arrow_builder_add(sbl_arrow_builder *builder, const sbl_batch *rows, uint64_t first,
                                 const sbl_sink *sink, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(grow(builder, builder->rows + rows->rows, err));
    for (size_t i = 0; i < builder->count; i++)
        SBL_TRY(add_column(builder, &builder->columns[i], rows, first, sink, err));
    builder->rows += rows->rows;
done:
    return status;
}

size_t sbl_arrow_builder_rows(const sbl_arrow_builder *builder) { return builder->rows; }

/* ---- handing over ---- */

typedef struct handed {
    const void *buffers[3];
} handed;

static void release_array(struct ArrowArray *array)
{
    handed *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child != NULL && child->release != NULL) child->release(child);
        sbl_free(child);
    }
    sbl_free(array->children);
    for (size_t i = 0; own != NULL && i < 3; i++) sbl_free((void *)own->buffers[i]);
    sbl_free(own);
    array->release = NULL;
}

/* The column's buffers become the array's. */
static sbl_status hand_over(struct ArrowArray *out, growing *column, size_t rows, sbl_error *err)
{
    handed *own = sbl_alloc_array(1, sizeof *own);
    if (own == NULL) return fail_rows(err);
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .null_count = column->nulls,
                               .n_buffers = column->form == FORM_TEXT ? 3 : 2,
                               .buffers = own->buffers,
                               .release = release_array,
                               .private_data = own};
    own->buffers[0] = column->valid;
    own->buffers[1] = column->values;
    own->buffers[2] = column->text.data;
    column->valid = column->values = NULL;
    column->text = (sbl_text){0};
    column->nulls = 0;
    return SBL_OK;
}

sbl_status sbl_arrow_builder_take(sbl_arrow_builder *builder, struct ArrowArray *out,
                                  sbl_error *err)
{
    handed *own = sbl_alloc_array(1, sizeof *own);
    sbl_status status = SBL_OK;
    *out = (struct ArrowArray){0};
    if (own == NULL) return fail_rows(err);
    *out = (struct ArrowArray){.length = (int64_t)builder->rows,
                               .n_buffers = 1,
                               .buffers = own->buffers,
                               .release = release_array,
                               .private_data = own};
    out->children = sbl_alloc_array(builder->count, sizeof *out->children);
    if (out->children == NULL) {
        status = fail_rows(err);
        goto done;
    }
    for (size_t i = 0; i < builder->count; i++) {
        struct ArrowArray *child = sbl_alloc_array(1, sizeof *child);
        if (child == NULL) {
            status = fail_rows(err);
            goto done;
        }
        out->children[out->n_children++] = child;
        SBL_TRY(hand_over(child, &builder->columns[i], builder->rows, err));
    }
    builder->rows = 0;
    builder->capacity = 0;
done:
    if (status != SBL_OK) out->release(out);
    return status;
}
