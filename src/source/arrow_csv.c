/* An Arrow table as CSV text: for what reads files only. Where a schema is given, its reader finds in the text
 * what the feed (arrow_feed.c) finds in the arrays. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "source/arrow_type.h"
#include "source/source.h"
#include "table/cell_format.h"

#define FLUSH_SIZE ((size_t)1 << 18)

typedef struct csv_out {
    const sbl_arrow_origin *origin;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    const sbl_column **columns; /* (schema.n_children), NULL entries: the schema does not say */
    sbl_arrow_type *types;
    char *room;
    sbl_text line;
    int descriptor;
    const char *path;
} csv_out;

static const sbl_column *find_column(const sbl_schema *schema, const char *name)
{
    for (size_t i = 0; schema != NULL && i < schema->column_count; i++)
        if (strcmp(schema->columns[i].name, name) == 0) return &schema->columns[i];
    return NULL;
}

/* A column that has no meaning as cells is left out where the schema does not want it. */
static bool is_written(const csv_out *out, size_t i)
{
    return out->types[i].kind != SBL_ARROW_REFUSED;
}

/* ---- rows ---- */

static void write_row(csv_out *out, int64_t row, const sbl_dialect *dialect)
{
    const struct ArrowArray *batch = &out->batch;
    const bool there = sbl_arrow_is_there(batch, row);
    bool first = true;
    for (size_t i = 0; i < (size_t)out->schema.n_children; i++) {
        char own[SBL_ARROW_TEXT_SIZE];
        sbl_arrow_cell cell = {.sort = SBL_CELL_IS_MISSING};
        if (!is_written(out, i)) continue;
        if (there)
            sbl_arrow_cell_at(&cell, &out->types[i], batch->children[i], batch->offset + row,
                              out->room);
        if (!first) sbl_text_append(&out->line, &dialect->delimiter, 1);
        size_t length;
        const char *text = sbl_arrow_cell_text(&length, own, &cell, out->columns[i]);
        sbl_cell_quote(&out->line, text, length, out->schema.n_children == 1, dialect);
        first = false;
        sbl_wipe(own, sizeof own);
    }
    sbl_text_append(&out->line, "\n", 1);
}

/* ---- the table ---- */

static sbl_status flush(csv_out *out, size_t above, sbl_error *err)
{
    if (out->line.failed) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", out->path);
    if (out->line.length <= above) return SBL_OK;
    const sbl_status status =
        sbl_write_all(out->descriptor, out->line.data, out->line.length, out->path, err);
    sbl_wipe(out->line.data, out->line.length);
    out->line.length = 0;
    return status;
}

static sbl_status write_batch(csv_out *out, sbl_error *err)
{
    const sbl_dialect dialect = SBL_DIALECT_USUAL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_arrow_check_batch(&out->batch, &out->schema, out->origin->name, err));
    for (size_t i = 0; out->batch.length > 0 && i < (size_t)out->schema.n_children; i++)
        if (is_written(out, i))
            SBL_TRY(sbl_arrow_check_array(&out->types[i], out->batch.children[i],
                                          out->schema.children[i]->name, out->origin->name, err));
    for (int64_t row = 0; row < out->batch.length; row++) {
        write_row(out, row, &dialect);
        SBL_TRY(flush(out, FLUSH_SIZE, err));
    }
done:
    return status;
}

static sbl_status begin(csv_out *out, const sbl_schema *schema, sbl_error *err)
{
    const sbl_dialect dialect = SBL_DIALECT_USUAL;
    const char *name = out->origin->name;
    bool first = true;
    sbl_status status = SBL_OK;
    SBL_TRY(out->origin->open(out->origin->context, &out->stream, err));
    if (out->stream.get_schema(&out->stream, &out->schema) != 0) {
        out->schema = (struct ArrowSchema){0};
        SBL_FAIL(err, SBL_EIO, "%s: its stream failed while it was read", name);
    }
    SBL_TRY(sbl_arrow_check_table(&out->schema, name, err));
    if (schema != NULL) SBL_TRY(sbl_arrow_check_names(&out->schema, schema, false, name, err));
    const size_t count = (size_t)out->schema.n_children;
    out->columns = sbl_alloc_array(count, sizeof *out->columns);
    out->types = sbl_alloc_array(count, sizeof *out->types);
    out->room = sbl_alloc_array(SBL_ARROW_ROOM, 1);
    if (out->columns == NULL || out->types == NULL || out->room == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", name);
    for (size_t i = 0; i < count; i++) {
        const struct ArrowSchema *column = out->schema.children[i];
        out->columns[i] = find_column(schema, column->name);
        out->types[i] = sbl_arrow_type_of(column);
        const bool wanted = schema == NULL || (out->columns[i] != NULL &&
                                               out->columns[i]->kind != SBL_COLUMN_IGNORED);
        if (wanted && !is_written(out, i)) SBL_TRY(sbl_arrow_refuse(column, name, err));
        if (!is_written(out, i)) continue;
        if (!first) sbl_text_append(&out->line, &dialect.delimiter, 1);
        sbl_cell_quote(&out->line, column->name, strlen(column->name), count == 1, &dialect);
        first = false;
    }
    sbl_text_append(&out->line, "\n", 1);
done:
    return status;
}

sbl_status sbl_arrow_write_csv(int descriptor, const char *path, const sbl_arrow_origin *origin,
                               const sbl_schema *schema, sbl_error *err)
{
    csv_out out = {.origin = origin, .descriptor = descriptor, .path = path};
    sbl_status status = SBL_OK;
    SBL_TRY(begin(&out, schema, err));
    for (;;) {
        if (out.stream.get_next(&out.stream, &out.batch) != 0) {
            out.batch = (struct ArrowArray){0};
            SBL_FAIL(err, SBL_EIO, "%s: its stream failed while it was read", origin->name);
        }
        if (out.batch.release == NULL) break;
        SBL_TRY(write_batch(&out, err));
        out.batch.release(&out.batch);
        out.batch = (struct ArrowArray){0};
    }
    SBL_TRY(flush(&out, 0, err));
done:
    if (out.batch.release != NULL) out.batch.release(&out.batch);
    if (out.schema.release != NULL) out.schema.release(&out.schema);
    if (out.stream.release != NULL) out.stream.release(&out.stream);
    sbl_free(out.columns);
    sbl_free(out.types);
    sbl_free_wiped(out.room, SBL_ARROW_ROOM);
    if (out.line.data != NULL) sbl_wipe(out.line.data, out.line.capacity);
    sbl_text_clear(&out.line);
    return status;
}
