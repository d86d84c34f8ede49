/* SPDX-License-Identifier: Apache-2.0 */
/* A table as a source: rows are read, typed, and encoded by their public bounds. */
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/os_random.h"
#include "base/siphash.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"
#include "records/formats/csv.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define BATCH_ROWS 8192
#define SMALL_FILE ((off_t)1 << 19)         /* bytes; one thread reads it */
#define MOST_LANE_BYTES ((size_t)256 << 20) /* of all lanes together */

/* The encoded rows of one batch. Each thread that reads has a lane. */
typedef struct row_lane {
    double *numeric;
    uint32_t *codes;
    uint32_t *labels; /* NULL: one class */
    uint8_t *misfits;
} row_lane;

typedef struct table_source {
    sbl_codec codec;
    sbl_table_options options;
    uint8_t *own_key;      /* of the hashes that say whose row it is; NULL: a row is a person, or
                            * the key is another's */
    const sbl_table *from; /* borrowed */
    sbl_rows *reader;
    row_lane *lanes;
    sbl_batch **rows; /* (lane_count) typed rows, as they were read */
    size_t lane_count;
    size_t next;         /* the lane that the next call returns; lane_count: read first */
    sbl_file_stamp look; /* of the file when it was opened first */
    size_t passes;       /* begun */
    uint64_t read;       /* rows of this pass */
    uint64_t counted;    /* before the first pass, or by the first one that came to its end */
    bool was_counted;
} table_source;

/* Are both looks at a file the same, and both passes of one length? */
static bool is_unchanged(const table_source *table)
{
    return sbl_file_stamp_equal(&table->look, table->from->path) &&
           (!table->was_counted || table->read == table->counted);
}

static void count_rows(table_source *table, size_t rows)
{
    table->read += rows;
    if (rows != 0 || table->was_counted) return;
    table->counted = table->read;
    table->was_counted = true;
}

/* sbl_cell_is_misfit() of a column with or without a category for other values, in steps that no cell decides. */
static uint8_t misfit_of(uint8_t fault, bool other)
{
    return (uint8_t)((fault > SBL_CELL_MISSING) & !((fault == SBL_CELL_UNKNOWN) & other));
}

/* Which cells did not fit, of the columns that are fitted. */
static void find_misfits(uint8_t *misfits, const sbl_batch *rows, const sbl_facts *facts)
{
    const sbl_schema *schema = facts->schema;
    const size_t columns = schema->column_count;
    uint8_t *misfit = misfits;
    for (size_t i = 0; i < columns; i++) {
        if (schema->columns[i].kind == SBL_COLUMN_IGNORED) continue;
        const uint8_t *faults = rows->faults + i;
        const bool other = facts->declared->columns[i].other_declared;
        for (size_t r = 0; r < rows->rows; r++)
            misfit[r * facts->columns] = misfit_of(faults[r * columns], other);
        misfit++;
    }
}

/* A column that is fitted as its difference from another becomes that. Of this record's own cells
 * alone, whatever the record before it was; what leaves the difference's bounds is clamped. */
static void take_differences(sbl_batch *batch, const sbl_rules *rules)
{
    for (size_t i = 0; i < sbl_rules_differences(rules); i++) {
        const sbl_difference d = sbl_rules_difference(rules, i);
        double *values = batch->columns[d.column].values;
        const double *base = batch->columns[d.base].values;
        for (size_t row = 0; row < batch->rows; row++) values[row] = d.sign * (values[row] - base[row]);
    }
}

/* Encodes the rows of a lane, in the thread that read them. */
static void encode_rows(void *context, size_t lane)
{
    const sbl_source *source = context;
    const table_source *table = source->state;
    const row_lane *to = &table->lanes[lane];
    sbl_batch *rows = table->rows[lane];
    const size_t columns = table->codec.heads.categorical_count;
    take_differences(rows, source->facts->rules);
    sbl_codec_encode(&table->codec, to->numeric, to->codes, rows);
    for (size_t r = 0; to->labels != NULL && r < rows->rows; r++)
        to->labels[r] = to->codes[r * columns + source->facts->label_column];
    find_misfits(to->misfits, rows, source->facts);
}

/* Makes the next lane that has rows the current batch. The batch is empty if no lane has rows. */
static void give_lane(sbl_source *source)
{
    table_source *table = source->state;
    while (table->next < table->lane_count && table->rows[table->next]->rows == 0) table->next++;
    source->batch = (sbl_records){0};
    if (table->next == table->lane_count) return;
    const row_lane *lane = &table->lanes[table->next];
    const sbl_batch *rows = table->rows[table->next++];
    source->batch = (sbl_records){.numeric = lane->numeric,
                                  .codes = lane->codes,
                                  .labels = lane->labels,
                                  .units = rows->units,
                                  .keys = rows->keys,
                                  .misfits = lane->misfits,
                                  .rows = rows->rows};
}

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    give_lane(source);
    if (source->batch.rows == 0) {
        SBL_CHECK(
            sbl_rows_read_many(table->reader, table->rows, table->lane_count, encode_rows, source, err));
        table->next = 0;
        give_lane(source);
    }
    /* A table that is read again, or was counted, must have been the same to its end. */
    if (source->batch.rows == 0 && (table->passes > 1 || table->was_counted) && !is_unchanged(table))
        return sbl_source_has_changed(source->name, err);
    count_rows(table, source->batch.rows);
    return SBL_OK;
}

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    table->passes++;
    table->read = 0;
    table->next = table->lane_count;
    return sbl_rows_open(&table->reader, table->from, source->facts->declared, &table->options, err);
}

static sbl_status rewind_table(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    if (!source->can_rewind)
        return sbl_fail(err, SBL_EARG,
                        "%s is a stream and cannot be read again: save it as a file, or use one round",
                        source->name);
    if (!sbl_file_stamp_equal(&table->look, table->from->path))
        return sbl_source_has_changed(source->name, err);
    sbl_rows_close(table->reader);
    table->reader = NULL;
    table->options.extra_column = NULL; /* told once */
    return open_reader(source, err);
}

/* By the reader that is open: a stream that is asked for again may be made anew. */
static sbl_status read_to_end(uint64_t *records, const table_source *table, sbl_error *err)
{
    *records = 0;
    do {
        SBL_CHECK(sbl_rows_read(table->reader, table->rows[0], err));
        *records += table->rows[0]->rows;
    } while (table->rows[0]->rows != 0);
    return SBL_OK;
}

static sbl_status count_table(uint64_t *records, sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    const bool by_reading = table->from->format->count == NULL;
    if (by_reading) {
        SBL_CHECK(read_to_end(records, table, err));
    } else {
        if (source->can_rewind) { /* a server is read by one reader at a time */
            sbl_rows_close(table->reader);
            table->reader = NULL;
        }
        SBL_CHECK(sbl_rows_count(records, table->from, source->facts->declared, err));
    }
    table->counted = *records;
    table->was_counted = true;
    return by_reading || source->can_rewind ? rewind_table(source, err) : SBL_OK;
}

static void free_lane(const row_lane *lane, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    sbl_free_wiped(lane->numeric, heads->numeric_count * BATCH_ROWS * sizeof *lane->numeric);
    sbl_free_wiped(lane->codes, heads->categorical_count * BATCH_ROWS * sizeof *lane->codes);
    sbl_free_wiped(lane->labels, BATCH_ROWS * sizeof *lane->labels);
    sbl_free_wiped(lane->misfits, facts->columns * BATCH_ROWS);
}

static void close_table(sbl_source *source)
{
    table_source *table = source->state;
    if (table == NULL) return;
    sbl_rows_close(table->reader);
    for (size_t k = 0; table->rows != NULL && k < table->lane_count; k++) sbl_batch_free(table->rows[k]);
    for (size_t k = 0; table->lanes != NULL && k < table->lane_count; k++)
        free_lane(&table->lanes[k], source->facts);
    sbl_free(table->rows);
    sbl_free(table->lanes);
    sbl_locked_free(table->own_key, SBL_SIPHASH_KEY_SIZE, 1);
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

static const sbl_source_kind table_kind = {
    .read = read_rows, .rewind = rewind_table, .close = close_table, .count = count_table};

/* A key for this reading alone, from getrandom(2): without it, a hash cannot be linked to an id. */
static sbl_status make_unit_key(table_source *table, const sbl_facts *facts, sbl_error *err)
{
    if (sbl_facts_rows_per_unit(facts) == 0 || table->options.unit_key != NULL) return SBL_OK;
    table->own_key = sbl_locked_alloc(SBL_SIPHASH_KEY_SIZE, 1);
    table->options.unit_key = table->own_key;
    return table->own_key != NULL ? sbl_os_random(table->own_key, SBL_SIPHASH_KEY_SIZE, err)
                                  : sbl_no_memory(err, "a key");
}

sbl_status sbl_source_share_unit_key(sbl_source *source, const uint8_t key[SBL_SIPHASH_KEY_SIZE],
                                     sbl_error *err)
{
    table_source *table = source->state;
    if (source->kind != &table_kind || table->own_key == NULL || table->read != 0)
        return sbl_fail(err, SBL_EINTERNAL, "%s was opened without persons", source->name);
    memcpy(table->own_key, key, SBL_SIPHASH_KEY_SIZE); /* that the reader borrows */
    return SBL_OK;
}

/* Bytes of a lane, by public sizes: typed and encoded cells with their marks, and ids. */
static size_t lane_bytes(const sbl_facts *facts)
{
    const size_t cell = 2 * (sizeof(double) + sizeof(uint32_t) + 4);
    return BATCH_ROWS * (cell * facts->declared->column_count + 4 * sizeof(sbl_unit_tag));
}

/* How many lanes fit their limit on memory. */
static size_t most_lanes(const sbl_facts *facts, size_t threads)
{
    const size_t most = MOST_LANE_BYTES / lane_bytes(facts);
    return most < 2 ? 1 : threads < most ? threads : most;
}

size_t sbl_source_lane_bytes(const sbl_facts *facts, size_t threads)
{
    if (facts->kind != SBL_DATA_TABLE) return 0; /* and images have no schema */
    const size_t lanes = most_lanes(facts, threads);
    return (lanes - 1) * lane_bytes(facts) +
           (lanes > 1 ? lanes * (SBL_RECORD_LIMIT + SBL_CSV_MOST_RANGE) : 0);
}

/* One lane per thread; a single one for a small file and for a format that one thread reads. */
static size_t count_lanes(const sbl_table *from, const sbl_facts *facts, const sbl_file_stamp *look)
{
    const bool small = look->taken && look->seen.st_size < SMALL_FILE;
    if (from->format->read_many == NULL || !from->can_rewind || small) return 1;
    return most_lanes(facts, (size_t)sbl_thread_limit());
}

static sbl_status make_lane(row_lane *lane, sbl_batch **rows, const sbl_facts *facts, bool with_keys,
                            sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    sbl_status status = SBL_OK;
    SBL_ALLOC(lane->numeric, heads->numeric_count * BATCH_ROWS, "a batch of rows");
    SBL_ALLOC(lane->codes, heads->categorical_count * BATCH_ROWS, "a batch of rows");
    SBL_ALLOC(lane->misfits, facts->columns * BATCH_ROWS, "a batch of rows");
    if (facts->classes > 1) SBL_ALLOC(lane->labels, BATCH_ROWS, "a batch of rows");
    SBL_TRY(sbl_batch_new(rows, facts->declared, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(*rows, err));
    if (with_keys) SBL_TRY(sbl_batch_keep_keys(*rows, err));
done:
    return status;
}

static sbl_status make_buffers(table_source *table, const sbl_facts *facts, bool with_keys, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    table->lane_count = count_lanes(table->from, facts, &table->look);
    SBL_ALLOC(table->lanes, table->lane_count, "a batch of rows");
    SBL_ALLOC(table->rows, table->lane_count, "a batch of rows");
    for (size_t k = 0; k < table->lane_count; k++)
        SBL_TRY(make_lane(&table->lanes[k], &table->rows[k], facts, with_keys, err));
done:
    return status;
}

sbl_status sbl_source_open_keyed_rows(sbl_source **source, const sbl_table *from, const sbl_facts *facts,
                                      const sbl_row_reading *reading, sbl_error *err)
{
    table_source *table = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_source_new(source, &table_kind, sizeof *table, from->name, facts, err));
    table = (*source)->state;
    (*source)->can_rewind = from->can_rewind;
    (*source)->count = from->count;
    table->from = from;
    table->look = sbl_file_stamp_read(from->can_rewind ? from->path : NULL);
    table->options = (sbl_table_options){.extra_column = reading->notice,
                                         .context = reading->context,
                                         .unit_key = reading->unit_key,
                                         .with_keys = reading->with_keys,
                                         .key_column = reading->key_column};
    SBL_TRY(make_buffers(table, facts, reading->with_keys, err));
    SBL_TRY(make_unit_key(table, facts, err));
    SBL_TRY(open_reader(*source, err));
done:
    return sbl_source_opened(source, status);
}

sbl_status sbl_source_open_rows(sbl_source **source, const sbl_table *from, const sbl_facts *facts,
                                void (*notice)(void *context, const char *name), void *context,
                                sbl_error *err)
{
    const sbl_row_reading usual = {.notice = notice, .context = context};
    return sbl_source_open_keyed_rows(source, from, facts, &usual, err);
}
