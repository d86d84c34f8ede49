/* SPDX-License-Identifier: Apache-2.0 */
/* A producer of Arrow data in plain C: buffers are exactly as long as they must be, what stands
 * before an offset is filled with rubbish, and every struct is counted until it is released. */
#include "support/arrow_kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int kit_alive;

static void *room(size_t size) { return calloc(size + 8, 1); }

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary != NULL) {
        if (schema->dictionary->release != NULL) schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    schema->release = NULL;
    kit_alive--;
}

static void column_schema(struct ArrowSchema *out, const kit_column *column)
{
    *out = (struct ArrowSchema){.format = column->codes != NULL ? column->codes : column->format,
                                .name = column->name,
                                .metadata = column->metadata,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_schema};
    kit_alive++;
    if (column->codes == NULL) return;
    out->dictionary = room(sizeof *out->dictionary);
    *out->dictionary = (struct ArrowSchema){.format = column->format, .name = "", .release = release_schema};
    kit_alive++;
}

void kit_schema(struct ArrowSchema *out, const kit_table *table)
{
    *out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema};
    kit_alive++;
    out->n_children = (int64_t)table->column_count;
    out->children = room(table->column_count * sizeof *out->children);
    for (size_t i = 0; i < table->column_count; i++) {
        out->children[i] = room(sizeof *out->children[i]);
        column_schema(out->children[i], &table->columns[i]);
    }
}

/* ---- arrays ---- */

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary != NULL) {
        if (array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    for (int64_t i = 0; i < array->n_buffers; i++) free((void *)array->buffers[i]);
    free(array->buffers);
    array->release = NULL;
    kit_alive--;
}

/* Only numbers that a half holds exactly, of normal size, or 0. */
static uint16_t half_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (value == 0) return signbit(value) ? 0x8000 : 0;
    return (uint16_t)(bits >> 16 & 0x8000) |
           (uint16_t)((((bits >> 23 & 255) - 127 + 15) << 10) | (bits >> 13 & 1023));
}

static size_t width_of(const char *format)
{
    if (strncmp(format, "d:", 2) == 0) {
        const char *bits = strrchr(format, ',');
        if (strcmp(bits, ",32") == 0) return 4;
        return strcmp(bits, ",64") == 0 && strchr(format, ',') != bits ? 8 : 16;
    }
    if (strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0) return 4;
    if (strchr("cC", format[0]) != NULL) return 1;
    if (strchr("sSe", format[0]) != NULL) return 2;
    if (strchr("iIf", format[0]) != NULL) return 4;
    return 8;
}

static void put(char *to, const char *format, size_t width, const kit_cell *cell)
{
    const float single = (float)cell->number;
    const uint16_t half = half_bits(cell->number);
    const int64_t wide[2] = {cell->whole, (cell->whole < 0 ? -1 : 0) + cell->high};
    if (format[0] == 'g' && format[1] == '\0')
        memcpy(to, &cell->number, 8);
    else if (format[0] == 'f')
        memcpy(to, &single, 4);
    else if (format[0] == 'e')
        memcpy(to, &half, 2);
    else
        memcpy(to, wide, width); /* little-endian */
}

static void plain_values(struct ArrowArray *out, const char *format, const kit_cell *cells, size_t rows,
                         size_t offset)
{
    const size_t width = width_of(format);
    char *values = room((rows + offset) * width);
    memset(values, 0x5a, offset * width);
    for (size_t r = 0; r < rows; r++) put(values + (offset + r) * width, format, width, &cells[r]);
    out->buffers[1] = values;
}

static void truths(struct ArrowArray *out, const kit_cell *cells, size_t rows, size_t offset)
{
    uint8_t *bits = room((rows + offset) / 8 + 1);
    for (size_t r = 0; r < rows; r++)
        if (cells[r].whole != 0)
            bits[(offset + r) / 8] = (uint8_t)(bits[(offset + r) / 8] | 1u << ((offset + r) % 8));
    out->buffers[1] = bits;
}

static const char *text_of(const kit_cell *cell) { return cell->text != NULL ? cell->text : ""; }

static size_t length_of(const kit_cell *cell)
{
    return cell->length != 0 ? cell->length : strlen(text_of(cell));
}

static void texts(struct ArrowArray *out, bool large, const kit_cell *cells, size_t rows, size_t offset)
{
    size_t total = offset * 3;
    for (size_t r = 0; r < rows; r++) total += length_of(&cells[r]);
    char *bytes = malloc(total + 1); /* not a byte more: who reads further is found */
    char *offsets = room((rows + offset + 1) * 8);
    int64_t at = 0;
    memset(bytes, 'x', total);
    for (size_t r = 0; r <= rows + offset; r++) {
        if (large)
            ((int64_t *)offsets)[r] = at;
        else
            ((int32_t *)offsets)[r] = (int32_t)at;
        if (r < offset) at += 3;
        if (r < offset || r == rows + offset) continue;
        const size_t length = length_of(&cells[r - offset]);
        memcpy(bytes + at, text_of(&cells[r - offset]), length);
        at += (int64_t)length;
    }
    out->buffers[1] = offsets;
    out->buffers[2] = bytes;
}

/* Short texts in place, long ones in two buffers by turns. */
static void views(struct ArrowArray *out, const kit_cell *cells, size_t rows, size_t offset)
{
    struct {
        int32_t length;
        char bytes[4];
        int32_t buffer, offset;
    } *view = room((rows + offset) * 16);
    size_t sizes[2] = {0, 0};
    int64_t *lengths = room(16);
    for (size_t r = 0; r < rows; r++) sizes[r % 2] += length_of(&cells[r]);
    char *data[2] = {malloc(sizes[0] + 1), malloc(sizes[1] + 1)};
    memset(view, 0x5a, offset * 16);
    for (size_t r = 0; r < rows; r++) {
        const char *text = text_of(&cells[r]);
        const size_t length = length_of(&cells[r]), b = r % 2;
        view[offset + r].length = (int32_t)length;
        memcpy(view[offset + r].bytes, text, length < 4 ? length : 4);
        if (length <= 12) {
            memcpy((char *)&view[offset + r] + 4, text, length);
            continue;
        }
        view[offset + r].buffer = (int32_t)b;
        view[offset + r].offset = (int32_t)lengths[b];
        memcpy(data[b] + lengths[b], text, length);
        lengths[b] += (int64_t)length;
    }
    out->buffers[1] = view;
    out->buffers[2] = data[0];
    out->buffers[3] = data[1];
    out->buffers[4] = lengths;
}

static void array(struct ArrowArray *out, const char *format, const kit_cell *cells, size_t rows,
                  size_t offset)
{
    const bool view = strcmp(format, "vu") == 0, text = strchr("uU", format[0]) != NULL && !view;
    uint8_t *valid = room((rows + offset) / 8 + 1);
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .offset = (int64_t)offset,
                               .n_buffers = format[0] == 'n' ? 0
                                            : view           ? 5
                                            : text           ? 3
                                                             : 2,
                               .release = release_array};
    kit_alive++;
    out->buffers = room(5 * sizeof *out->buffers);
    for (size_t r = 0; r < rows; r++) {
        const size_t at = offset + r;
        if (cells[r].null)
            out->null_count++;
        else
            valid[at / 8] = (uint8_t)(valid[at / 8] | 1u << (at % 8));
    }
    if (format[0] == 'n') {
        free(valid);
        return;
    }
    if (out->null_count == 0) {
        free(valid);
        valid = NULL;
    } else if (out->null_count % 2 == 0) {
        out->null_count = -1; /* not counted */
    }
    out->buffers[0] = valid;
    if (view)
        views(out, cells, rows, offset);
    else if (text)
        texts(out, format[0] == 'U', cells, rows, offset);
    else if (format[0] == 'b')
        truths(out, cells, rows, offset);
    else
        plain_values(out, format, cells, rows, offset);
}

static uint8_t *rows_there(const kit_table *table, size_t first, size_t rows)
{
    uint8_t *valid = room((rows + table->batch_offset) / 8 + 1);
    for (size_t r = 0; r < rows; r++) {
        const size_t at = table->batch_offset + r;
        if ((first + r) % table->absent != 0) valid[at / 8] = (uint8_t)(valid[at / 8] | 1u << (at % 8));
    }
    return valid;
}

void kit_batch(struct ArrowArray *out, const kit_table *table, size_t first, size_t rows)
{
    const size_t skipped = table->batch_offset;
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .offset = (int64_t)skipped,
                               .n_buffers = 1,
                               .n_children = (int64_t)table->column_count,
                               .release = release_array};
    kit_alive++;
    out->buffers = room(sizeof *out->buffers);
    if (table->absent != 0) out->buffers[0] = rows_there(table, first, rows);
    if (table->absent != 0) out->null_count = -1;
    out->children = room(table->column_count * sizeof *out->children);
    for (size_t i = 0; i < table->column_count; i++) {
        const kit_column *column = &table->columns[i];
        struct ArrowArray *child = out->children[i] = room(sizeof *child);
        kit_cell *cells = room((rows + skipped) * sizeof *cells);
        memcpy(cells + skipped, column->cells + first, rows * sizeof *cells);
        array(child, column->codes != NULL ? column->codes : column->format, cells, rows + skipped,
              table->offset);
        free(cells);
        if (column->codes == NULL) continue;
        child->dictionary = room(sizeof *child->dictionary);
        array(child->dictionary, column->format, column->values, column->value_count, table->offset);
    }
}

/* ---- streams ---- */

typedef struct kit_stream {
    const kit_table *table;
    size_t next;
} kit_stream;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    kit_schema(out, ((kit_stream *)stream->private_data)->table);
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    kit_stream *own = stream->private_data;
    const size_t left = own->table->rows - own->next;
    const size_t chunk = own->table->chunk;
    const size_t rows = chunk != 0 && chunk < left ? chunk : left;
    *out = (struct ArrowArray){0};
    if (left == 0) return 0;
    kit_batch(out, own->table, own->next, rows);
    own->next += rows;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the cell 'secret' is bad";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    free(stream->private_data);
    stream->release = NULL;
    kit_alive--;
}

int kit_open(void *context, struct ArrowArrayStream *stream)
{
    kit_table *table = context;
    kit_stream *own = room(sizeof *own);
    own->table = table;
    table->opened++;
    kit_alive++;
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, own};
    return 0;
}
