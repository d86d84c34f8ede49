/* An Arrow table as rows: batches of a stream, each column read by its type into typed rows. */
#include <string.h>

#include "base/memory.h"
#include "source/arrow_type.h"
#include "source/row_feed.h"
#include "source/source.h"
#include "table/typed.h"

/* The values of a dictionary, read once for all rows of a batch that use them. */
typedef struct known_values {
    sbl_batch_column column;
    uint8_t *faults;
    size_t count;
} known_values;

typedef struct arrow_feed {
    const char *name; /* borrowed */
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch; /* release NULL: there is none */
    int64_t next;            /* row of it */
    bool ended;
    sbl_typed *typed;
    sbl_arrow_type *types; /* (columns) */
    known_values *known;   /* (columns), of this batch */
    size_t columns;
    char *room;
} arrow_feed;

static void forget_values(known_values *known)
{
    sbl_free_wiped(known->column.values, known->count * sizeof *known->column.values);
    sbl_free_wiped(known->column.codes, known->count * sizeof *known->column.codes);
    sbl_free_wiped(known->column.missing, known->count);
    sbl_free_wiped(known->faults, known->count);
    *known = (known_values){0};
}

static void leave_batch(arrow_feed *feed)
{
    for (size_t i = 0; feed->known != NULL && i < feed->columns; i++)
        forget_values(&feed->known[i]);
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
    sbl_free(feed->types);
    sbl_free(feed->known);
    sbl_free_wiped(feed->room, SBL_ARROW_ROOM);
    sbl_free(feed);
}

/* ---- cells ---- */

static void store(arrow_feed *feed, size_t i, const sbl_arrow_cell *cell,
                  const sbl_typed_target *to, size_t row)
{
    sbl_typed *typed = feed->typed;
    switch (cell->sort) {
    case SBL_CELL_IS_MISSING:
        sbl_typed_missing(typed, i, to, row);
        break;
    case SBL_CELL_IS_TRUTH:
        sbl_typed_truth(typed, i, to, row, cell->whole != 0);
        break;
    case SBL_CELL_IS_INTEGER:
        sbl_typed_integer(typed, i, to, row, cell->whole);
        break;
    case SBL_CELL_IS_UNSIGNED:
        sbl_typed_unsigned(typed, i, to, row, cell->large);
        break;
    case SBL_CELL_IS_NUMBER:
        sbl_typed_number(typed, i, to, row, cell->number);
        break;
    case SBL_CELL_IS_DECIMAL:
        sbl_typed_decimal(typed, i, to, row, cell->text, cell->length);
        break;
    case SBL_CELL_IS_DAY:
        sbl_typed_day(typed, i, to, row, cell->whole);
        break;
    case SBL_CELL_IS_MOMENT:
        sbl_typed_moment(typed, i, to, row, cell->whole, cell->zoned);
        break;
    case SBL_CELL_IS_TEXT:
        sbl_typed_text(typed, i, to, row, cell->text, cell->length);
        break;
    default:
        sbl_typed_unreadable(typed, i, to, row);
        break;
    }
}

/* All entries of a dictionary, where there are no more of them than rows: they are read once. */
static sbl_status learn_values(arrow_feed *feed, size_t i, sbl_error *err)
{
    const struct ArrowArray *array = feed->batch.children[i];
    const sbl_column *column = sbl_typed_column(feed->typed, i);
    known_values *known = &feed->known[i];
    const sbl_arrow_type plain = {.kind = feed->types[i].kind,
                                  .scale = feed->types[i].scale,
                                  .width = feed->types[i].width,
                                  .per_second = feed->types[i].per_second,
                                  .zoned = feed->types[i].zoned};
    if (feed->types[i].codes == SBL_ARROW_REFUSED || array->dictionary->length > feed->batch.length)
        return SBL_OK;
    const size_t count = (size_t)array->dictionary->length;
    known->count = count;
    known->faults = sbl_alloc_array(count, 1);
    if (sbl_column_is_numeric(column)) {
        known->column.values = sbl_alloc_array(count, sizeof *known->column.values);
        known->column.missing = sbl_alloc_array(count, 1);
    } else {
        known->column.codes = sbl_alloc_array(count, sizeof *known->column.codes);
    }
    if (known->faults == NULL || (known->column.codes == NULL &&
                                  (known->column.values == NULL || known->column.missing == NULL)))
        return sbl_fail(err, SBL_EMEM, "out of memory for a dictionary of %.80s", feed->name);
    const sbl_typed_target to = {&known->column, known->faults, 1};
    for (size_t entry = 0; entry < count; entry++) {
        sbl_arrow_cell cell;
        sbl_arrow_cell_at(&cell, &plain, array->dictionary, (int64_t)entry, feed->room);
        store(feed, i, &cell, &to, entry);
    }
    return SBL_OK;
}

static void copy_known(const known_values *known, size_t entry, const sbl_typed_target *to,
                       size_t row)
{
    if (to->column->codes != NULL)
        to->column->codes[row] = known->column.codes[entry];
    else
        to->column->values[row] = known->column.values[entry];
    if (to->column->missing != NULL) to->column->missing[row] = known->column.missing[entry];
    if (to->faults != NULL) to->faults[row * to->stride] = known->faults[entry];
}

/* Rows of a column; a row that the batch itself does not have is missing in all. */
static void read_column(arrow_feed *feed, size_t i, sbl_batch *rows, size_t count)
{
    const struct ArrowArray *batch = &feed->batch;
    const struct ArrowArray *array = batch->children[i];
    const sbl_arrow_type *type = &feed->types[i];
    const known_values *known = &feed->known[i];
    const sbl_typed_target to = sbl_typed_in_batch(feed->typed, i, rows);
    for (size_t r = 0; r < count; r++) {
        const int64_t from = feed->next + (int64_t)r;
        const size_t row = rows->rows + r;
        sbl_arrow_cell cell;
        if (!sbl_arrow_is_there(batch, from)) {
            sbl_typed_missing(feed->typed, i, &to, row);
            continue;
        }
        if (known->faults != NULL) {
            bool bad;
            const int64_t code = sbl_arrow_code_at(type, array, batch->offset + from, &bad);
            if (code >= 0) {
                copy_known(known, (size_t)code, &to, row);
                continue;
            }
        }
        sbl_arrow_cell_at(&cell, type, array, batch->offset + from, feed->room);
        store(feed, i, &cell, &to, row);
    }
}

/* Whose row it is, by the text that the cell would have in a CSV file. One that is missing or cannot be
 * read is nobody's. */
static sbl_unit_tag unit_of(arrow_feed *feed, size_t i, int64_t from)
{
    const struct ArrowArray *batch = &feed->batch;
    char own[SBL_ARROW_TEXT_SIZE];
    sbl_arrow_cell cell;
    if (!sbl_arrow_is_there(batch, from)) return (sbl_unit_tag){0};
    sbl_arrow_cell_at(&cell, &feed->types[i], batch->children[i], batch->offset + from, feed->room);
    if (cell.sort == SBL_CELL_IS_MISSING || cell.sort == SBL_CELL_IS_UNREADABLE)
        return (sbl_unit_tag){0};
    const char *text = sbl_arrow_cell_text(own, &cell, NULL, feed->room);
    const sbl_unit_tag unit = sbl_typed_unit(feed->typed, text, strlen(text));
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
        if (sbl_typed_column(feed->typed, i) != NULL) SBL_TRY(learn_values(feed, i, err));
    }
done:
    return status;
}

static sbl_status read_feed(void *state, sbl_batch *rows, sbl_error *err)
{
    arrow_feed *feed = state;
    rows->rows = 0;
    while (rows->rows < rows->capacity && !feed->ended) {
        const int64_t left = feed->batch.length - feed->next;
        const size_t room = rows->capacity - rows->rows;
        const size_t count = left < (int64_t)room ? (size_t)left : room;
        for (size_t i = 0; count > 0 && i < feed->columns; i++) {
            if (sbl_typed_column(feed->typed, i) != NULL) read_column(feed, i, rows, count);
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
    SBL_TRY(sbl_typed_open(&feed->typed, names, feed->columns, feed->name, schema, options, err));
    for (size_t i = 0; i < feed->columns; i++) {
        feed->types[i] = sbl_arrow_type_of(feed->schema.children[i]);
        if (feed->types[i].kind == SBL_ARROW_REFUSED && is_read(feed, i))
            SBL_TRY(sbl_arrow_refuse(feed->schema.children[i], feed->name, err));
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
    feed->known = sbl_alloc_array(feed->columns, sizeof *feed->known);
    feed->room = sbl_alloc_array(SBL_ARROW_ROOM, 1);
    if (feed->types == NULL || feed->known == NULL || feed->room == NULL)
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
