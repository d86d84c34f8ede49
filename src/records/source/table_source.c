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
#define THREAD_LANES 4 /* that share a batch's rows: threads that are quicker take more of them */
#define SMALL_FILE ((off_t)1 << 19)         /* bytes; one thread reads it */
#define MOST_LANE_BYTES ((size_t)256 << 20) /* of all lanes together */

/* The encoded rows of one batch. Each thread that reads fills some lanes. */
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
    size_t lane_rows;
    sbl_records *wave; /* (lane_count) the lanes that have rows */
    size_t wave_count;
    size_t next;         /* of the wave, what the next call returns; wave_count: read first */
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

static sbl_records records_of(const row_lane *lane, const sbl_batch *rows)
{
    return (sbl_records){.numeric = lane->numeric,
                         .codes = lane->codes,
                         .labels = lane->labels,
                         .units = rows->units,
                         .keys = rows->keys,
                         .misfits = lane->misfits,
                         .rows = rows->rows};
}

/* Fills the lanes, and lists those that have rows. None has at the end of the table. */
static sbl_status fill_lanes(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    SBL_CHECK(sbl_rows_read_many(table->reader, table->rows, table->lane_count, encode_rows, source, err));
    size_t rows = 0;
    table->next = table->wave_count = 0;
    for (size_t k = 0; k < table->lane_count; k++) {
        if (table->rows[k]->rows == 0) continue;
        table->wave[table->wave_count++] = records_of(&table->lanes[k], table->rows[k]);
        rows += table->rows[k]->rows;
    }
    /* A table that is read again, or was counted, must have been the same to its end. */
    if (rows == 0 && (table->passes > 1 || table->was_counted) && !is_unchanged(table))
        return sbl_source_has_changed(source->name, err);
    count_rows(table, rows);
    return SBL_OK;
}

static sbl_status read_wave(sbl_source *source, const sbl_records **batches, size_t *count, sbl_error *err)
{
    table_source *table = source->state;
    if (table->next == table->wave_count) SBL_CHECK(fill_lanes(source, err));
    *batches = table->wave + table->next;
    *count = table->wave_count - table->next;
    table->next = table->wave_count;
    return SBL_OK;
}

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    if (table->next == table->wave_count) SBL_CHECK(fill_lanes(source, err));
    source->batch = table->next < table->wave_count ? table->wave[table->next++] : (sbl_records){0};
    return SBL_OK;
}

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    table->passes++;
    table->read = 0;
    table->next = table->wave_count = 0;
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

static void free_lane(const row_lane *lane, size_t rows, const sbl_facts *facts)
{
    const sbl_heads *heads = &facts->heads;
    sbl_free_wiped(lane->numeric, heads->numeric_count * rows * sizeof *lane->numeric);
    sbl_free_wiped(lane->codes, heads->categorical_count * rows * sizeof *lane->codes);
    sbl_free_wiped(lane->labels, rows * sizeof *lane->labels);
    sbl_free_wiped(lane->misfits, facts->columns * rows);
}

/* What lanes hold of records is wiped by all threads. */
static void free_lanes(const table_source *table, const sbl_facts *facts)
{
    SBL_OMP(omp parallel for schedule(dynamic, 1) if (table->lane_count > 1))
    for (size_t k = 0; k < table->lane_count; k++) {
        sbl_batch_free(table->rows[k]);
        free_lane(&table->lanes[k], table->lane_rows, facts);
    }
}

static void close_table(sbl_source *source)
{
    table_source *table = source->state;
    if (table == NULL) return;
    sbl_rows_close(table->reader);
    if (table->rows != NULL && table->lanes != NULL) free_lanes(table, source->facts);
    sbl_free(table->rows);
    sbl_free(table->lanes);
    sbl_free(table->wave);
    sbl_locked_free(table->own_key, SBL_SIPHASH_KEY_SIZE, 1);
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

static const sbl_source_kind table_kind = {
    .read = read_rows,
    .read_wave = read_wave,
    .rewind = rewind_table,
    .close = close_table,
    .count = count_table,
};

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

/* Bytes of a thread's lanes, by public sizes: typed and encoded cells with their marks, and ids. */
static size_t lane_bytes(const sbl_facts *facts)
{
    const size_t cell = 2 * (sizeof(double) + sizeof(uint32_t) + 4);
    return BATCH_ROWS * (cell * facts->declared->column_count + 4 * sizeof(sbl_unit_tag));
}

/* How many threads' lanes fit their limit on memory. */
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
           (lanes > 1 ? lanes * (SBL_RECORD_LIMIT + SBL_CSV_THREAD_RANGES) : 0);
}

/* How many threads have lanes; a single one for a small file and for a format that one thread reads. */
static size_t count_readers(const sbl_table *from, const sbl_facts *facts, const sbl_file_stamp *look)
{
    const bool small = look->taken && look->seen.st_size < SMALL_FILE;
    if (from->format->read_many == NULL || !from->can_rewind || small) return 1;
    return most_lanes(facts, (size_t)sbl_thread_limit());
}

static sbl_status make_lane(row_lane *lane, sbl_batch **batch, size_t rows, const sbl_facts *facts,
                            bool with_keys, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    sbl_status status = SBL_OK;
    SBL_ALLOC(lane->numeric, heads->numeric_count * rows, "a batch of rows");
    SBL_ALLOC(lane->codes, heads->categorical_count * rows, "a batch of rows");
    SBL_ALLOC(lane->misfits, facts->columns * rows, "a batch of rows");
    if (facts->classes > 1) SBL_ALLOC(lane->labels, rows, "a batch of rows");
    SBL_TRY(sbl_batch_new(batch, facts->declared, rows, err));
    SBL_TRY(sbl_batch_keep_faults(*batch, err));
    if (with_keys) SBL_TRY(sbl_batch_keep_keys(*batch, err));
done:
    return status;
}

static sbl_status make_buffers(table_source *table, const sbl_facts *facts, bool with_keys, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    const size_t readers = count_readers(table->from, facts, &table->look);
    table->lane_count = readers > 1 ? readers * THREAD_LANES : 1;
    table->lane_rows = readers > 1 ? BATCH_ROWS / THREAD_LANES : BATCH_ROWS;
    SBL_ALLOC(table->lanes, table->lane_count, "a batch of rows");
    SBL_ALLOC(table->rows, table->lane_count, "a batch of rows");
    SBL_ALLOC(table->wave, table->lane_count, "a batch of rows");
    for (size_t k = 0; k < table->lane_count; k++)
        SBL_TRY(make_lane(&table->lanes[k], &table->rows[k], table->lane_rows, facts, with_keys, err));
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
