/* SPDX-License-Identifier: Apache-2.0 */
/* A table as a source: rows are read, typed, and encoded by their public bounds. */
#include <string.h>

#include "base/alloc.h"
#include "base/os_random.h"
#include "base/siphash.h"
#include "public/rows/codec.h"
#include "public/rules/rules.h"
#include "records/source/data_handle.h"
#include "records/source/source.h"

#define BATCH_ROWS 8192

typedef struct table_source {
    sbl_codec codec;
    sbl_table_options options;
    uint8_t *own_key;      /* of the hashes that say whose row it is; NULL: a row is a person, or
                            * the key is another's */
    const sbl_table *from; /* borrowed */
    sbl_rows *reader;
    sbl_batch *rows;
    double *numeric;
    uint32_t *codes;
    uint32_t *labels; /* NULL: one class */
    uint8_t *misfits;
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

static void count_rows(table_source *table)
{
    table->read += table->rows->rows;
    if (table->rows->rows != 0 || table->was_counted) return;
    table->counted = table->read;
    table->was_counted = true;
}

/* sbl_cell_is_misfit() of a column with or without a category for other values, in steps that no cell decides. */
static uint8_t misfit_of(uint8_t fault, bool other)
{
    return (uint8_t)((fault > SBL_CELL_MISSING) & !((fault == SBL_CELL_UNKNOWN) & other));
}

/* Which cells did not fit, of the columns that are fitted. */
static void find_misfits(table_source *table, const sbl_facts *facts)
{
    const sbl_schema *schema = facts->schema;
    const size_t columns = schema->column_count, rows = table->rows->rows;
    uint8_t *misfit = table->misfits;
    for (size_t i = 0; i < columns; i++) {
        if (schema->columns[i].kind == SBL_COLUMN_IGNORED) continue;
        const uint8_t *faults = table->rows->faults + i;
        const bool other = facts->declared->columns[i].other_declared;
        for (size_t r = 0; r < rows; r++) misfit[r * facts->columns] = misfit_of(faults[r * columns], other);
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

/* The rows that were read become the batch. */
static void encode_rows(sbl_source *source)
{
    table_source *table = source->state;
    const size_t columns = table->codec.heads.categorical_count;
    take_differences(table->rows, source->facts->rules);
    sbl_codec_encode(&table->codec, table->numeric, table->codes, table->rows);
    for (size_t r = 0; table->labels != NULL && r < table->rows->rows; r++)
        table->labels[r] = table->codes[r * columns + source->facts->label_column];
    find_misfits(table, source->facts);
    source->batch = (sbl_records){.numeric = table->numeric,
                                  .codes = table->codes,
                                  .labels = table->labels,
                                  .units = table->rows->units,
                                  .keys = table->rows->keys,
                                  .misfits = table->misfits,
                                  .rows = table->rows->rows};
}

static sbl_status read_rows(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    const sbl_status status = sbl_rows_read(table->reader, table->rows, err);
    if (status != SBL_OK) return status;
    /* A table that is read again, or was counted, must have been the same to its end. */
    if (table->rows->rows == 0 && (table->passes > 1 || table->was_counted) && !is_unchanged(table))
        return sbl_source_has_changed(source->name, err);
    count_rows(table);
    encode_rows(source);
    return SBL_OK;
}

static sbl_status open_reader(sbl_source *source, sbl_error *err)
{
    table_source *table = source->state;
    table->passes++;
    table->read = 0;
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
        SBL_CHECK(sbl_rows_read(table->reader, table->rows, err));
        *records += table->rows->rows;
    } while (table->rows->rows != 0);
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

static void close_table(sbl_source *source)
{
    table_source *table = source->state;
    if (table == NULL) return;
    const sbl_heads *heads = &table->codec.heads;
    sbl_rows_close(table->reader);
    sbl_batch_free(table->rows);
    sbl_free_wiped(table->numeric, heads->numeric_count * BATCH_ROWS * sizeof *table->numeric);
    sbl_free_wiped(table->codes, heads->categorical_count * BATCH_ROWS * sizeof *table->codes);
    sbl_free_wiped(table->labels, BATCH_ROWS * sizeof *table->labels);
    sbl_locked_free(table->own_key, SBL_SIPHASH_KEY_SIZE, 1);
    sbl_free_wiped(table->misfits, source->facts->columns * BATCH_ROWS);
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

static sbl_status make_buffers(table_source *table, const sbl_facts *facts, sbl_error *err)
{
    const sbl_heads *heads = &facts->heads;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    SBL_ALLOC(table->numeric, heads->numeric_count * BATCH_ROWS, "a batch of rows");
    SBL_ALLOC(table->codes, heads->categorical_count * BATCH_ROWS, "a batch of rows");
    SBL_ALLOC(table->misfits, facts->columns * BATCH_ROWS, "a batch of rows");
    if (facts->classes > 1) SBL_ALLOC(table->labels, BATCH_ROWS, "a batch of rows");
    SBL_TRY(sbl_batch_new(&table->rows, facts->declared, BATCH_ROWS, err));
    SBL_TRY(sbl_batch_keep_faults(table->rows, err));
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
    SBL_TRY(make_buffers(table, facts, err));
    if (reading->with_keys) SBL_TRY(sbl_batch_keep_keys(table->rows, err));
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
