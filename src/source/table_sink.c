/* A CSV table as a sink: decoded by its schema and written. */
#include "base/memory.h"
#include "codec/codec.h"
#include "source/sink.h"
#include "table/writer.h"

#define CHUNK_ROWS 4096

typedef struct table_sink {
    sbl_codec codec;
    sbl_table_writer *writer;
    sbl_batch *rows;
} table_sink;

static sbl_status write_rows(sbl_sink *sink, const sbl_drawn *records, size_t rows, sbl_error *err)
{
    table_sink *table = sink->state;
    const sbl_heads *heads = &table->codec.heads;
    sbl_status status = SBL_OK;
    for (size_t first = 0; first < rows; first += CHUNK_ROWS) {
        const size_t count = rows - first < CHUNK_ROWS ? rows - first : CHUNK_ROWS;
        SBL_TRY(sbl_codec_decode(&table->codec, table->rows,
                                 records->numeric + first * heads->numeric_count,
                                 records->codes + first * heads->categorical_count, count, err));
        SBL_TRY(sbl_table_write(table->writer, table->rows, err));
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
    sbl_codec_clear(&table->codec);
    sbl_free(table);
}

static const sbl_sink_kind table_kind = {write_rows, finish_table, close_table};

sbl_status sbl_sink_open_table(sbl_sink **sink, const char *path, const sbl_facts *facts,
                               bool overwrite, sbl_error *err)
{
    const sbl_table_write_options options = {.overwrite = overwrite};
    sbl_status status = SBL_OK;
    sbl_sink *made = sbl_alloc_array(1, sizeof *made);
    table_sink *table = sbl_alloc_array(1, sizeof *table);
    *sink = NULL;
    if (made == NULL || table == NULL) {
        sbl_free(table);
        sbl_free(made);
        return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    }
    *made = (sbl_sink){.kind = &table_kind, .facts = facts, .state = table};
    SBL_TRY(sbl_codec_init(&table->codec, facts->schema, err));
    SBL_TRY(sbl_batch_new(&table->rows, facts->schema, CHUNK_ROWS, err));
    SBL_TRY(sbl_table_create(&table->writer, path, facts->schema, options, err));
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
