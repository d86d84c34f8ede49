/* An Arrow table as rows: batches of a stream, each column read by its type into typed rows. */
#include <string.h>

#include "base/memory.h"
#include "source/arrow_column.h"
#include "source/arrow_type.h"
#include "source/row_feed.h"
#include "source/source.h"
#include "table/diagnose.h"
#include "table/typed.h"

typedef struct arrow_feed {
    const char *name; /* borrowed */
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch; /* release NULL: there is none */
    int64_t next;            /* row of it */
    bool ended;
    sbl_typed *typed;
    sbl_arrow_type *types;   /* (columns) */
    sbl_arrow_column *reads; /* (columns); empty where the schema does not name it */
    size_t columns;
    char *room;
} arrow_feed;

static void leave_batch(arrow_feed *feed)
{
    for (size_t i = 0; feed->reads != NULL && i < feed->columns; i++)
        sbl_arrow_column_leave(&feed->reads[i]);
    if (feed->batch.release != NULL) feed->batch.release(&feed->batch);
    feed->batch = (struct ArrowArray){0};
    feed->next = 0;
}

static void close_feed(void *state)
{
    arrow_feed *feed = state;
    if (feed == NULL) return;
    leave_batch(feed);
    if (feed->schema.release != NULL) feed->schema.release(&feed->schema);
    if (feed->stream.release != NULL) feed->stream.release(&feed->stream);
    sbl_typed_close(feed->typed);
    for (size_t i = 0; feed->reads != NULL && i < feed->columns; i++)
        sbl_arrow_column_close(&feed->reads[i]);
    sbl_free(feed->types);
    sbl_free(feed->reads);
    sbl_free_wiped(feed->room, SBL_ARROW_ROOM);
    sbl_free(feed);
}

/* ---- whose rows ---- */

/* Whose row it is, by the text that the cell would have in a CSV file, all of it. One that is missing is
 * nobody's; all that cannot be read are one person's, as they are in such a file. */
static sbl_unit_tag unit_of(arrow_feed *feed, size_t i, int64_t from)
{
    const struct ArrowArray *batch = &feed->batch;
    char own[SBL_ARROW_TEXT_SIZE];
    sbl_arrow_cell cell;
    if (!sbl_arrow_is_there(batch, from)) return (sbl_unit_tag){0};
    sbl_arrow_cell_at(&cell, &feed->types[i], batch->children[i], batch->offset + from, feed->room);
    if (cell.sort == SBL_CELL_IS_MISSING) return (sbl_unit_tag){0};
    size_t length;
    const char *text = sbl_arrow_cell_id(&length, own, &cell);
    const sbl_unit_tag unit = sbl_typed_unit(feed->typed, text, length);
    sbl_wipe(own, sizeof own);
    return unit;
}

static void read_units(arrow_feed *feed, size_t i, sbl_batch *rows, size_t count)
{
    for (size_t r = 0; r < count; r++)
        rows->units[rows->rows + r] = unit_of(feed, i, feed->next + (int64_t)r);
}

/* Does anybody want what stands in column i? */
static bool is_read(const arrow_feed *feed, size_t i)
{
    return sbl_typed_column(feed->typed, i) != NULL || sbl_typed_is_unit(feed->typed, i);
}

/* ---- batches ---- */

/* A producer's own words may quote cells: what it said is not passed on. */
static sbl_status fail_stream(const arrow_feed *feed, sbl_error *err)
{
    return sbl_fail(err, SBL_EIO, "%s: its stream failed while it was read", feed->name);
}

/* The next batch with rows in it, or the end. */
static sbl_status next_batch(arrow_feed *feed, sbl_error *err)
{
    sbl_status status = SBL_OK;
    leave_batch(feed);
    do {
        if (feed->batch.release != NULL) feed->batch.release(&feed->batch);
        feed->batch = (struct ArrowArray){0};
        if (feed->stream.get_next(&feed->stream, &feed->batch) != 0) {
            feed->batch = (struct ArrowArray){0};
            return fail_stream(feed, err);
        }
        feed->ended = feed->batch.release == NULL;
        if (feed->ended) return SBL_OK;
        SBL_TRY(sbl_arrow_check_batch(&feed->batch, &feed->schema, feed->name, err));
    } while (feed->batch.length == 0);
    for (size_t i = 0; i < feed->columns; i++) {
        if (!is_read(feed, i)) continue;
        SBL_TRY(sbl_arrow_check_array(&feed->types[i], feed->batch.children[i],
                                      feed->schema.children[i]->name, feed->name, err));
        if (sbl_typed_column(feed->typed, i) != NULL)
            SBL_TRY(sbl_arrow_column_begin(&feed->reads[i], feed->batch.children[i],
                                           feed->batch.length, err));
    }
done:
    return status;
}

static sbl_status read_feed(void *state, sbl_batch *rows, sbl_error *err)
{
    arrow_feed *feed = state;
    rows->rows = 0;
    if (rows->faults != NULL)
        memset(rows->faults, SBL_CELL_GOOD, rows->capacity * rows->schema->column_count);
    while (rows->rows < rows->capacity && !feed->ended) {
        const int64_t left = feed->batch.length - feed->next;
        const size_t room = rows->capacity - rows->rows;
        const size_t count = left < (int64_t)room ? (size_t)left : room;
        for (size_t i = 0; count > 0 && i < feed->columns; i++) {
            if (sbl_typed_column(feed->typed, i) != NULL)
                sbl_arrow_column_read(&feed->reads[i], &feed->batch, feed->next, rows, count);
            if (sbl_typed_is_unit(feed->typed, i)) read_units(feed, i, rows, count);
        }
        feed->next += (int64_t)count;
        rows->rows += count;
        if (feed->next < feed->batch.length) continue;
        const sbl_status status = next_batch(feed, err);
        if (status != SBL_OK) {
            rows->rows = 0;
            return status;
        }
    }
    return SBL_OK;
}

/* ---- opening ---- */

static sbl_status match_columns(arrow_feed *feed, const sbl_schema *schema,
                                const sbl_table_options *options, sbl_error *err)
{
    const char **names = sbl_alloc_array(feed->columns, sizeof *names);
    sbl_status status = SBL_OK;
    if (names == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", feed->name);
    for (size_t i = 0; i < feed->columns; i++) names[i] = feed->schema.children[i]->name;
    status = sbl_typed_open(&feed->typed, names, feed->columns, feed->name, schema, options, err);
    if (status == SBL_EINPUT) /* said in the words of files */
        (void)sbl_arrow_check_names(&feed->schema, schema, options->unit_key != NULL, feed->name,
                                    err);
    if (status != SBL_OK) goto done;
    for (size_t i = 0; i < feed->columns; i++) {
        feed->types[i] = sbl_arrow_type_of(feed->schema.children[i]);
        if (feed->types[i].kind == SBL_ARROW_REFUSED && is_read(feed, i))
            SBL_TRY(sbl_arrow_refuse(feed->schema.children[i], feed->name, err));
        if (sbl_typed_column(feed->typed, i) != NULL)
            SBL_TRY(sbl_arrow_column_open(&feed->reads[i], feed->typed, i, &feed->types[i],
                                          feed->room, err));
    }
done:
    sbl_free(names);
    return status;
}

static sbl_status open_feed(void **state, const void *origin, const char *name,
                            const sbl_schema *schema, const sbl_table_options *options,
                            sbl_error *err)
{
    const sbl_arrow_origin *from = origin;
    sbl_status status = SBL_OK;
    arrow_feed *feed = sbl_alloc_array(1, sizeof *feed);
    *state = NULL;
    if (feed == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for %.80s", name);
    feed->name = name;
    SBL_TRY(from->open(from->context, &feed->stream, err));
    if (feed->stream.get_schema(&feed->stream, &feed->schema) != 0) {
        feed->schema = (struct ArrowSchema){0};
        status = fail_stream(feed, err);
        goto done;
    }
    SBL_TRY(sbl_arrow_check_table(&feed->schema, name, err));
    feed->columns = (size_t)feed->schema.n_children;
    feed->types = sbl_alloc_array(feed->columns, sizeof *feed->types);
    feed->reads = sbl_alloc_array(feed->columns, sizeof *feed->reads);
    feed->room = sbl_alloc_array(SBL_ARROW_ROOM, 1);
    if (feed->types == NULL || feed->reads == NULL || feed->room == NULL)
        SBL_FAIL(err, SBL_EMEM, "out of memory for %.80s", name);
    SBL_TRY(match_columns(feed, schema, options, err));
    SBL_TRY(next_batch(feed, err));
    *state = feed;
    feed = NULL;
done:
    close_feed(feed);
    return status;
}

const sbl_row_feed sbl_arrow_feed = {open_feed, read_feed, close_feed};
