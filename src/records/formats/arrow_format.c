/* SPDX-License-Identifier: Apache-2.0 */
/* An Arrow table as a format (records/rows/table.h): batches of a stream, read cell by cell, or each column
 * by its type into typed rows. */
#include <string.h>

#include "base/alloc.h"
#include "records/formats/arrow_column.h"
#include "records/formats/arrow_table.h"
#include "records/formats/arrow_type.h"
#include "records/rows/column_binding.h"

/* A text that would not outlast the next cell, copied. */
typedef struct kept_text {
    char *data;
    size_t capacity;
} kept_text;

typedef struct arrow_reading {
    const char *name; /* borrowed */
    sbl_arrow_rows rows;
    struct ArrowSchema schema;
    struct ArrowArray batch; /* release NULL: there is none */
    int64_t next;            /* row of it */
    bool ended;
    sbl_arrow_type *types; /* (columns of the stream) */
    size_t columns;
    char *buffer; /* (SBL_ARROW_BUFFER) of the cell at hand */
    /* Rows of a schema. */
    sbl_binding *typed;
    sbl_arrow_column *reads; /* (columns); empty where the schema does not name it */
    bool *read;              /* (columns): by the stream; NULL: none is */
    /* Cells. */
    kept_text *texts; /* (columns) */
} arrow_reading;

static void leave_batch(arrow_reading *reading)
{
    for (size_t i = 0; reading->reads != NULL && i < reading->columns; i++)
        sbl_arrow_column_leave(&reading->reads[i]);
    if (reading->batch.release != NULL) reading->batch.release(&reading->batch);
    reading->batch = (struct ArrowArray){0};
    reading->next = 0;
}

void sbl_arrow_close(void *state)
{
    arrow_reading *reading = state;
    if (reading == NULL) return;
    leave_batch(reading);
    if (reading->schema.release != NULL) reading->schema.release(&reading->schema);
    if (reading->rows.stream.release != NULL) reading->rows.stream.release(&reading->rows.stream);
    sbl_binding_close(reading->typed);
    for (size_t i = 0; reading->reads != NULL && i < reading->columns; i++)
        sbl_arrow_column_close(&reading->reads[i]);
    for (size_t i = 0; reading->texts != NULL && i < reading->columns; i++)
        sbl_free_wiped(reading->texts[i].data, reading->texts[i].capacity);
    sbl_free(reading->texts);
    sbl_free(reading->types);
    sbl_free(reading->reads);
    sbl_free(reading->read);
    sbl_free_wiped(reading->buffer, SBL_ARROW_BUFFER);
    sbl_free(reading);
}

/* ---- cells ---- */

static void read_cell(arrow_reading *reading, sbl_cell *cell, size_t i, int64_t from)
{
    const struct ArrowArray *batch = &reading->batch;
    cell->sort = SBL_CELL_IS_MISSING;
    if (sbl_arrow_is_there(batch, from))
        sbl_arrow_cell_at(cell, &reading->types[i], batch->children[i], batch->offset + from,
                          reading->buffer);
}

/* Whose rows they are, or the rows' own keys. */
static void read_tags(arrow_reading *reading, size_t i, sbl_unit_tag *tags, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        sbl_cell cell;
        read_cell(reading, &cell, i, reading->next + (int64_t)r);
        tags[r] = sbl_binding_unit(reading->typed, &cell);
    }
}

/* Is column i wanted? Without a schema every column is. */
static bool is_read(const arrow_reading *reading, size_t i)
{
    return reading->typed == NULL || sbl_binding_column(reading->typed, i) != NULL ||
           sbl_binding_is_unit(reading->typed, i) || sbl_binding_is_key(reading->typed, i);
}

/* ---- batches ---- */

/* How each column is read, by its type and, with a schema, by what it is there. */
static sbl_status take_types(arrow_reading *reading, sbl_error *err)
{
    for (size_t i = 0; i < reading->columns; i++) {
        reading->types[i] = sbl_arrow_type_of(reading->schema.children[i]);
        if (reading->types[i].kind == SBL_ARROW_REFUSED && is_read(reading, i))
            SBL_CHECK(sbl_arrow_refuse(reading->schema.children[i], reading->name, err));
        if (reading->typed == NULL || sbl_binding_column(reading->typed, i) == NULL) continue;
        sbl_arrow_column_close(&reading->reads[i]);
        SBL_CHECK(sbl_arrow_column_open(&reading->reads[i], reading->typed, i, &reading->types[i],
                                        reading->read != NULL && reading->read[i], reading->buffer, err));
    }
    return SBL_OK;
}

/* The stream has ended, and rows of other types may follow. */
static sbl_status resume(arrow_reading *reading, sbl_error *err)
{
    struct ArrowSchema next;
    const sbl_status status =
        sbl_arrow_rows_resume(&reading->rows, &next, &reading->schema, reading->name, err);
    reading->ended = status != SBL_OK || next.release == NULL;
    if (reading->ended) return status;
    reading->schema.release(&reading->schema);
    reading->schema = next;
    return take_types(reading, err);
}

/* The next batch with rows in it, or the end. */
static sbl_status next_batch(arrow_reading *reading, sbl_error *err)
{
    leave_batch(reading);
    do {
        if (reading->batch.release != NULL) reading->batch.release(&reading->batch);
        reading->batch = (struct ArrowArray){0};
        if (reading->rows.stream.get_next(&reading->rows.stream, &reading->batch) != 0) {
            reading->batch = (struct ArrowArray){0};
            return sbl_arrow_stream_failed(reading->name, err);
        }
        if (reading->batch.release == NULL) {
            SBL_CHECK(resume(reading, err));
            if (reading->ended) return SBL_OK;
            continue;
        }
        SBL_CHECK(sbl_arrow_check_batch(&reading->batch, &reading->schema, reading->name, err));
    } while (reading->batch.length == 0);
    for (size_t i = 0; i < reading->columns; i++) {
        if (!is_read(reading, i)) continue;
        SBL_CHECK(sbl_arrow_check_array(&reading->types[i], reading->batch.children[i],
                                        reading->schema.children[i]->name, reading->name, err));
        if (reading->typed != NULL && sbl_binding_column(reading->typed, i) != NULL)
            SBL_CHECK(sbl_arrow_column_begin(&reading->reads[i], reading->batch.children[i],
                                             reading->batch.length, err));
    }
    return SBL_OK;
}

sbl_status sbl_arrow_read_rows(void *state, sbl_batch *rows, sbl_error *err)
{
    arrow_reading *reading = state;
    rows->rows = 0;
    if (rows->faults != NULL)
        memset(rows->faults, SBL_CELL_GOOD, rows->capacity * rows->schema->column_count);
    while (rows->rows < rows->capacity && !reading->ended) {
        const int64_t left = reading->batch.length - reading->next;
        const size_t space = rows->capacity - rows->rows;
        const size_t count = left < (int64_t)space ? (size_t)left : space;
        for (size_t i = 0; count > 0 && i < reading->columns; i++) {
            if (sbl_binding_column(reading->typed, i) != NULL)
                sbl_arrow_column_read(&reading->reads[i], &reading->batch, reading->next, rows, count);
            if (sbl_binding_is_unit(reading->typed, i))
                read_tags(reading, i, rows->units + rows->rows, count);
            if (sbl_binding_is_key(reading->typed, i)) read_tags(reading, i, rows->keys + rows->rows, count);
        }
        reading->next += (int64_t)count;
        rows->rows += count;
        if (reading->next < reading->batch.length) continue;
        const sbl_status status = next_batch(reading, err);
        if (status != SBL_OK) {
            rows->rows = 0;
            return status;
        }
    }
    return SBL_OK;
}

/* ---- opening ---- */

/* The stream, its columns and their types. */
static sbl_status begin(arrow_reading **reading, const sbl_table *table, sbl_error *err)
{
    arrow_reading *made = NULL;
    sbl_status status = SBL_OK;
    *reading = NULL;
    SBL_ALLOC(made, 1, table->name);
    made->name = table->name;
    SBL_TRY(sbl_arrow_table_open(table->state, &made->rows, table->name, err));
    SBL_TRY(sbl_arrow_rows_schema(&made->rows, &made->schema, table->name, err));
    made->columns = (size_t)made->schema.n_children;
    SBL_ALLOC(made->types, made->columns, table->name);
    SBL_ALLOC(made->buffer, SBL_ARROW_BUFFER, table->name);
    *reading = made;
    made = NULL;
done:
    sbl_arrow_close(made);
    return status;
}

static sbl_status match_columns(arrow_reading *reading, const bool *read, const sbl_schema *schema,
                                const sbl_table_options *options, sbl_error *err)
{
    const char **names = NULL;
    sbl_status status = SBL_OK;
    if (read != NULL) {
        SBL_ALLOC(reading->read, reading->columns, reading->name);
        memcpy(reading->read, read, reading->columns * sizeof *read);
    }
    SBL_ALLOC(names, reading->columns, reading->name);
    SBL_ALLOC(reading->reads, reading->columns, reading->name);
    for (size_t i = 0; i < reading->columns; i++) names[i] = reading->schema.children[i]->name;
    SBL_TRY(sbl_binding_open(&reading->typed, names, reading->columns, reading->name, schema, options, err));
    SBL_TRY(take_types(reading, err));
done:
    sbl_free(names);
    return status;
}

static sbl_status open_read(void **state, const sbl_table *table, const bool *read, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    arrow_reading *reading = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(begin(&reading, table, err));
    SBL_TRY(match_columns(reading, read, schema, options, err));
    SBL_TRY(next_batch(reading, err));
done:
    if (status != SBL_OK) {
        sbl_arrow_close(reading);
        reading = NULL;
    }
    *state = reading;
    return status;
}

static sbl_status open_rows(void **state, const sbl_table *table, const sbl_schema *schema,
                            const sbl_table_options *options, sbl_error *err)
{
    return open_read(state, table, NULL, schema, options, err);
}

/* ---- without a schema ---- */

static sbl_status list_columns(arrow_reading *reading, sbl_strings *names, sbl_error *err)
{
    sbl_status status = SBL_OK;
    bool good = sbl_strings_reserve(names, reading->columns);
    SBL_ALLOC(reading->texts, reading->columns, reading->name);
    SBL_TRY(take_types(reading, err));
    for (size_t i = 0; good && i < reading->columns; i++)
        good = sbl_strings_add(names, reading->schema.children[i]->name);
    if (!good) SBL_TRY(sbl_no_memory(err, "the names of columns"));
done:
    return status;
}

static sbl_status open_cells(void **state, const sbl_table *table, const sbl_dialect *dialect,
                             sbl_strings *names, sbl_error *err)
{
    arrow_reading *reading = NULL;
    sbl_status status = SBL_OK;
    (void)dialect;
    SBL_TRY(begin(&reading, table, err));
    SBL_TRY(list_columns(reading, names, err));
    SBL_TRY(next_batch(reading, err));
done:
    if (status != SBL_OK) {
        sbl_arrow_close(reading);
        sbl_strings_clear(names);
        reading = NULL;
    }
    *state = reading;
    return status;
}

/* The buffer is used again for the next cell, so the text is copied. */
static sbl_status keep_text(kept_text *kept, sbl_cell *cell, const char *buffer, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (cell->text != buffer && cell->text != buffer + SBL_MIXED_TAG) return SBL_OK;
    const size_t size = cell->length + SBL_CELL_PADDING;
    if (size > kept->capacity) {
        sbl_free_wiped(kept->data, kept->capacity);
        kept->capacity = 0;
        SBL_ALLOC(kept->data, 2 * size, "a cell");
        kept->capacity = 2 * size;
    }
    memcpy(kept->data, cell->text, cell->length);
    cell->text = kept->data;
done:
    return status;
}

sbl_status sbl_arrow_next_cells(void *state, sbl_cell *cells, bool *more, sbl_error *err)
{
    arrow_reading *reading = state;
    *more = false;
    if (!reading->ended && reading->next >= reading->batch.length) SBL_CHECK(next_batch(reading, err));
    if (reading->ended) return SBL_OK;
    for (size_t i = 0; i < reading->columns; i++) {
        cells[i] = (sbl_cell){0};
        read_cell(reading, &cells[i], i, reading->next);
        SBL_CHECK(keep_text(&reading->texts[i], &cells[i], reading->buffer, err));
    }
    reading->next++;
    *more = true;
    return SBL_OK;
}

/* ---- formats whose rows come as Arrow ---- */

/* The table as it stands for one reading of these rows. */
static sbl_table read_once(const sbl_table *table, sbl_arrow_table *once, struct ArrowArrayStream *rows)
{
    sbl_table arrow = *table;
    *once = (sbl_arrow_table){.once = true, .stream = *rows};
    rows->release = NULL;
    arrow.state = once;
    return arrow;
}

sbl_status sbl_arrow_stream_cells(void **reading, struct ArrowArrayStream *rows, const sbl_table *table,
                                  const sbl_dialect *dialect, sbl_strings *names, sbl_error *err)
{
    sbl_arrow_table once;
    const sbl_table arrow = read_once(table, &once, rows);
    const sbl_status status = open_cells(reading, &arrow, dialect, names, err);
    if (once.stream.release != NULL) once.stream.release(&once.stream);
    return status;
}

sbl_status sbl_arrow_stream_rows(void **reading, struct ArrowArrayStream *rows, const sbl_table *table,
                                 const bool *read, const sbl_schema *schema, const sbl_table_options *options,
                                 sbl_error *err)
{
    sbl_arrow_table once;
    const sbl_table arrow = read_once(table, &once, rows);
    const sbl_status status = open_read(reading, &arrow, read, schema, options, err);
    if (once.stream.release != NULL) once.stream.release(&once.stream);
    return status;
}

const sbl_format sbl_arrow_format = {.open = open_cells,
                                     .next = sbl_arrow_next_cells,
                                     .close = sbl_arrow_close,
                                     .open_rows = open_rows,
                                     .read_rows = sbl_arrow_read_rows,
                                     .close_rows = sbl_arrow_close,
                                     .drop = sbl_arrow_table_free};
