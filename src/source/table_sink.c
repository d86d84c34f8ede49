/* A CSV table as a sink: decoded by its schema and written. */
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/rows.h"
#include "made/made.h"
#include "rules/rules.h"
#include "source/sink.h"
#include "table/writer.h"

#define CHUNK_ROWS 4096
#define MOST_CELLS ((size_t)1 << 23) /* of rows that are mended; a schema has fewer columns */

typedef struct table_sink {
    sbl_codec codec;
    sbl_table_writer *writer;
    sbl_batch *rows;
    double *base; /* with constraints: (capacity of rows, columns), as they were drawn */
    double *full; /* the same as they are written */
    uint64_t written;
} table_sink;

/* The cell of a column that is no statistic: of the sink's schema and seed alone. */
static void make_cell(void *context, sbl_text *cell, size_t column, uint64_t row)
{
    const sbl_sink *sink = context;
    sbl_made_cell(cell, sink->facts->declared, column, sink->seed, row);
}

/* What is computed is computed, and rows that break a constraint are mended. */
static sbl_status keep_rules(const sbl_sink *sink, sbl_error *err)
{
    table_sink *table = sink->state;
    const sbl_facts *facts = sink->facts;
    const bool fixed = sink->wanted != SBL_NO_COLUMN;
    const sbl_repair how = {.seed = sink->seed,
                            .first = table->written,
                            .column = fixed ? facts->declared->label : SBL_NO_COLUMN,
                            .code = fixed ? (uint32_t)sink->wanted : 0};
    if (facts->rules == NULL) return SBL_OK;
    sbl_rows_of_batch(table->base, table->rows);
    const sbl_status status =
        sbl_rules_repair(facts->rules, table->base, table->full, table->rows->rows, &how, err);
    if (status == SBL_OK) sbl_batch_of_rows(table->rows, table->full);
    return status;
}

static sbl_status write_rows(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    table_sink *table = sink->state;
    const sbl_heads *heads = &table->codec.heads;
    const size_t chunk = table->rows->capacity;
    sbl_status status = SBL_OK;
    for (size_t first = 0; first < rows; first += chunk) {
        const size_t count = rows - first < chunk ? rows - first : chunk;
        SBL_TRY(sbl_codec_decode(&table->codec, table->rows,
                                 records->numeric + first * heads->numeric_count,
                                 records->codes + first * heads->categorical_count, count, err));
        SBL_TRY(keep_rules(sink, err));
        SBL_TRY(sbl_table_write(table->writer, table->rows, err));
        table->written += count;
    }
done:
    return status;
}

static sbl_status finish_table(sbl_sink *sink, sbl_error *err)
{
    table_sink *table = sink->state;
    sbl_table_writer *writer = table->writer;
    table->writer = NULL;
    return sbl_table_finish(writer, err);
}

static void close_table(sbl_sink *sink)
{
    table_sink *table = sink->state;
    if (table == NULL) return;
    sbl_table_abandon(table->writer);
    sbl_batch_free(table->rows);
    sbl_free(table->base);
    sbl_free(table->full);
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

/* Rows that are mended take from each other: many at a time, unless they are very wide. */
static sbl_status make_room(table_sink *table, const sbl_facts *facts, sbl_error *err)
{
    const size_t columns = facts->declared->column_count;
    const size_t most = MOST_CELLS / columns;
    const size_t chunk = facts->rules == NULL || most > CHUNK_ROWS ? CHUNK_ROWS : most;
    if (facts->rules != NULL) {
        table->base = sbl_alloc_array(chunk, columns * sizeof *table->base);
        table->full = sbl_alloc_array(chunk, columns * sizeof *table->full);
        if (table->base == NULL || table->full == NULL)
            return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    }
    return sbl_batch_new(&table->rows, facts->declared, chunk, err);
}

static const sbl_sink_kind table_kind = {write_rows, finish_table, close_table};

sbl_status sbl_sink_check_table(const char *path, sbl_error *err)
{
    return sbl_table_check_name(path, err);
}

sbl_status sbl_sink_open_table(sbl_sink **sink, const char *path, const sbl_facts *facts,
                               bool overwrite, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_sink *made = sbl_alloc_array(1, sizeof *made);
    table_sink *table = sbl_alloc_array(1, sizeof *table);
    *sink = NULL;
    if (made == NULL || table == NULL) {
        sbl_free(table);
        sbl_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    }
    *made =
        (sbl_sink){.kind = &table_kind, .facts = facts, .wanted = SBL_NO_COLUMN, .state = table};
    const sbl_table_write_options options = {
        .overwrite = overwrite, .make = make_cell, .context = made};
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    SBL_TRY(make_room(table, facts, err));
    SBL_TRY(sbl_table_create(&table->writer, path, facts->declared, options, err));
    *sink = made;
    made = NULL;
done:
    sbl_sink_close(made);
    return status;
}

/* ---- any sink ---- */

sbl_status sbl_sink_write(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    return sink->kind->write(sink, records, rows, err);
}

sbl_status sbl_sink_finish(sbl_sink *sink, sbl_error *err) { return sink->kind->finish(sink, err); }

void sbl_sink_close(sbl_sink *sink)
{
    if (sink == NULL) return;
    sink->kind->close(sink);
    sbl_free(sink);
}
