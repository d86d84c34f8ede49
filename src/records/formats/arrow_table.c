/* SPDX-License-Identifier: Apache-2.0 */
/* Exposes owned batches as a stream, so that there is a single Arrow reader. Lent batches have a release
 * callback that does nothing. */
#include "records/formats/arrow_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "records/formats/arrow_type.h"

void sbl_arrow_table_free(void *state)
{
    sbl_arrow_table *table = state;
    if (table == NULL) return;
    for (size_t i = 0; i < table->batch_count; i++)
        if (table->batches[i].release != NULL) table->batches[i].release(&table->batches[i]);
    for (size_t i = 0; i < table->turn_count; i++)
        if (table->turns[i].schema.release != NULL) table->turns[i].schema.release(&table->turns[i].schema);
    if (table->schema.release != NULL) table->schema.release(&table->schema);
    if (table->stream.release != NULL) table->stream.release(&table->stream);
    sbl_free(table->turns);
    sbl_free(table->batches);
    sbl_free(table->types);
    sbl_free(table);
}

sbl_status sbl_arrow_stream_failed(const char *name, sbl_error *err)
{
    return sbl_fail(err, SBL_EIO, "%s: its stream failed while it was read", name);
}

/* ---- the table's own batches as a stream ---- */

typedef struct batch_stream {
    const sbl_arrow_table *table;
    size_t next;
    size_t turns; /* taken so far */
} batch_stream;

static void end_schema_loan(struct ArrowSchema *schema) { schema->release = NULL; }
static void end_array_loan(struct ArrowArray *array) { array->release = NULL; }

static int lend_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const batch_stream *from = stream->private_data;
    *out = from->turns == 0 ? from->table->schema : from->table->turns[from->turns - 1].schema;
    out->release = end_schema_loan;
    return 0;
}

static int lend_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    batch_stream *from = stream->private_data;
    const sbl_arrow_table *table = from->table;
    const size_t end = from->turns < table->turn_count ? table->turns[from->turns].first : table->batch_count;
    *out = (struct ArrowArray){0};
    if (from->next == end) return 0;
    *out = from->table->batches[from->next++];
    out->release = end_array_loan;
    return 0;
}

static int take_turn(void *context, struct ArrowArrayStream *stream)
{
    batch_stream *from = stream->private_data;
    (void)context;
    if (from->turns == from->table->turn_count) return 0;
    from->turns++;
    return 1;
}

static const char *no_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void end_batches(struct ArrowArrayStream *stream)
{
    sbl_free(stream->private_data);
    stream->release = NULL;
}

static sbl_status lend_batches(const sbl_arrow_table *table, sbl_arrow_rows *rows, const char *name,
                               sbl_error *err)
{
    batch_stream *from = NULL;
    sbl_status status = SBL_OK;
    if (table->schema.release == NULL) return sbl_fail(err, SBL_EINPUT, "%s has no columns yet", name);
    SBL_ALLOC(from, 1, name);
    from->table = table;
    rows->stream = (struct ArrowArrayStream){lend_schema, lend_batch, no_error, end_batches, from};
    rows->resume = take_turn;
done:
    return status;
}

/* ---- any table as a stream ---- */

bool sbl_arrow_stream_is_whole(const struct ArrowArrayStream *stream)
{
    return stream->get_schema != NULL && stream->get_next != NULL && stream->release != NULL;
}

sbl_status sbl_arrow_table_open(sbl_arrow_table *table, sbl_arrow_rows *rows, const char *name,
                                sbl_error *err)
{
    *rows = (sbl_arrow_rows){.resume = table->resume, .context = table->context};
    if (table->once) {
        if (table->stream.release == NULL)
            return sbl_fail(err, SBL_EARG, "%s is a stream that was already read: pass a new one", name);
        rows->stream = table->stream;
        table->stream = (struct ArrowArrayStream){0};
        return SBL_OK;
    }
    if (table->open == NULL) return lend_batches(table, rows, name, err);
    if (table->open(table->context, &rows->stream) != 0 || !sbl_arrow_stream_is_whole(&rows->stream)) {
        rows->stream = (struct ArrowArrayStream){0};
        return sbl_fail(err, SBL_EIO, "%s could not be opened for reading", name);
    }
    return SBL_OK;
}

static bool has_names(const struct ArrowSchema *schema, const struct ArrowSchema *before)
{
    bool same = schema->n_children == before->n_children;
    for (int64_t i = 0; same && i < schema->n_children; i++)
        same = strcmp(schema->children[i]->name, before->children[i]->name) == 0;
    return same;
}

sbl_status sbl_arrow_rows_schema(sbl_arrow_rows *rows, struct ArrowSchema *schema, const char *name,
                                 sbl_error *err)
{
    if (rows->stream.get_schema(&rows->stream, schema) == 0) return sbl_arrow_check_table(schema, name, err);
    *schema = (struct ArrowSchema){0};
    return sbl_arrow_stream_failed(name, err);
}

sbl_status sbl_arrow_rows_resume(sbl_arrow_rows *rows, struct ArrowSchema *next,
                                 const struct ArrowSchema *before, const char *name, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const int follows = rows->resume != NULL ? rows->resume(rows->context, &rows->stream) : 0;
    *next = (struct ArrowSchema){0};
    if (follows == 0) return SBL_OK;
    if (follows != 1) return sbl_arrow_stream_failed(name, err);
    SBL_TRY(sbl_arrow_rows_schema(rows, next, name, err));
    if (!has_names(next, before)) SBL_FAIL(err, SBL_EINPUT, "%s: its batches differ in their columns", name);
done:
    if (status != SBL_OK && next->release != NULL) {
        next->release(next);
        *next = (struct ArrowSchema){0};
    }
    return status;
}

/* ---- keeping batches ---- */

sbl_status sbl_arrow_table_add(sbl_arrow_table *table, struct ArrowArray *batch, const char *name,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (table->batch_count == table->batch_capacity) {
        const size_t capacity = table->batch_capacity == 0 ? 16 : table->batch_capacity * 2;
        SBL_RESIZE(table->batches, capacity, name);
        table->batch_capacity = capacity;
    }
    table->batches[table->batch_count++] = *batch;
    *batch = (struct ArrowArray){0};
done:
    if (status != SBL_OK) batch->release(batch);
    return status;
}

static sbl_status keep_batches(sbl_arrow_table *table, struct ArrowArrayStream *stream, const char *name,
                               sbl_error *err)
{
    for (;;) {
        struct ArrowArray batch = {0};
        if (stream->get_next(stream, &batch) != 0) SBL_CHECK(sbl_arrow_stream_failed(name, err));
        if (batch.release == NULL) break;
        SBL_CHECK(sbl_arrow_table_add(table, &batch, name, err));
    }
    return SBL_OK;
}

static sbl_status keep_turn(sbl_arrow_table *table, struct ArrowSchema *schema, const char *name,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_RESIZE(table->turns, table->turn_count + 1, name);
    table->turns[table->turn_count++] = (sbl_arrow_turn){*schema, table->batch_count};
    *schema = (struct ArrowSchema){0};
done:
    if (schema->release != NULL) schema->release(schema);
    return status;
}

sbl_status sbl_arrow_table_keep(sbl_arrow_table *table, sbl_arrow_rows *rows, const char *name,
                                sbl_error *err)
{
    struct ArrowSchema next = {0};
    SBL_CHECK(sbl_arrow_rows_schema(rows, &table->schema, name, err));
    for (;;) {
        SBL_CHECK(keep_batches(table, &rows->stream, name, err));
        SBL_CHECK(sbl_arrow_rows_resume(rows, &next, &table->schema, name, err));
        if (next.release == NULL) break;
        SBL_CHECK(keep_turn(table, &next, name, err));
    }
    return SBL_OK;
}
