/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing from the model of a handle, and linked tables as Arrow streams. A person's rows of all tables come together, and streams are read one after the
 * other: so everything is drawn by the call, and each stream holds its own table. */
#include <errno.h>

#include "after/sinks/arrow_build.h"
#include "base/alloc.h"
#include "base/error.h"
#include "public/rows/row_batch.h"
#include "public/schema/schema_type.h"
#include "run/api/sample.h"
#include "run/pipeline/job.h"

#define BATCH_ROWS 65536

sbl_status sbl_sample_open(sbl_row_stream **draws, const sbl_synthesizer *synth,
                           const sbl_sample_options *options, const sbl_taker *taker, sbl_error *err)
{
    size_t size;
    const sbl_status status = sbl_synthesizer_need_model(synth, err);
    if (status != SBL_OK) return status;
    const uint8_t *model = sbl_store_memory_look(synth->store, SBL_KEPT_MODEL, &size);
    const sbl_amount amount = {.rows = options->rows, .persons = options->persons};
    return sbl_row_stream_open(draws, model, size, &amount, options->where, options->seed, taker, err);
}

sbl_status sbl_sample_all(sbl_row_stream *draws, const sbl_sample_options *options, sbl_error *err)
{
    while (sbl_row_stream_done(draws) < sbl_row_stream_all(draws)) {
        SBL_CHECK(sbl_row_stream_next(draws, err));
        if (options->progress != NULL &&
            options->progress(options->context, "sampling", sbl_row_stream_done(draws),
                              sbl_row_stream_all(draws), 0.0) != 0)
            return sbl_fail(err, SBL_ESTOPPED, "stopped while sampling");
    }
    return SBL_OK;
}

int sbl_arrow_errno(sbl_status status)
{
    return status == SBL_OK ? 0 : status == SBL_EMEM ? ENOMEM : status == SBL_EARG ? EINVAL : EIO;
}

/* One table that is drawn. */
typedef struct table_stream {
    sbl_row_stream *draws; /* while it is drawn */
    size_t table;
    sbl_schema *schema;
    sbl_arrow_builder *builder;
    struct ArrowArray *batches; /* (count), of which the first `given` are the caller's */
    size_t count;
    size_t given;
    sbl_error error;
} table_stream;

static void free_table(table_stream *own)
{
    if (own == NULL) return;
    for (size_t i = own->given; i < own->count; i++) own->batches[i].release(&own->batches[i]);
    sbl_free(own->batches);
    sbl_arrow_builder_free(own->builder);
    sbl_schema_free(own->schema);
    sbl_free(own);
}

/* ---- drawing ---- */

/* What the builder holds becomes a batch. */
static sbl_status end_batch(table_stream *own, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (sbl_arrow_builder_rows(own->builder) == 0) return SBL_OK;
    SBL_RESIZE(own->batches, own->count + 1, "drawn rows");
    SBL_TRY(sbl_arrow_builder_take(own->builder, &own->batches[own->count], err));
    own->count++;
done:
    return status;
}

static sbl_status add_rows(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    table_stream *own = context;
    const sbl_sink *sink = sbl_sink_of_table(sbl_row_stream_sink(own->draws), own->table);
    sbl_status status = sbl_arrow_builder_add(own->builder, rows, first, sink, err);
    if (status == SBL_OK && sbl_arrow_builder_rows(own->builder) >= BATCH_ROWS) status = end_batch(own, err);
    return status;
}

static sbl_status draw_tables(table_stream **tables, const sbl_synthesizer *synth,
                              const sbl_sample_options *options, sbl_error *err)
{
    const size_t count = options->stream_count;
    sbl_row_stream *draws = NULL;
    sbl_status status = SBL_OK;
    const sbl_taker taker = {.rows = add_rows, .tables = (void *const *)tables, .table_count = count};
    for (size_t t = 0; t < count; t++) {
        SBL_ALLOC(tables[t], 1, "drawn rows");
        tables[t]->table = t;
    }
    SBL_TRY(sbl_sample_open(&draws, synth, options, &taker, err));
    const sbl_facts *facts = sbl_row_stream_facts(draws);
    for (size_t t = 0; t < count; t++) {
        tables[t]->draws = draws;
        SBL_TRY(sbl_schema_copy(&tables[t]->schema, facts->table_facts[t].declared, err));
        SBL_TRY(sbl_arrow_builder_new(&tables[t]->builder, tables[t]->schema, err));
    }
    SBL_TRY(sbl_sample_all(draws, options, err));
    for (size_t t = 0; t < count; t++) {
        SBL_TRY(end_batch(tables[t], err));
        tables[t]->draws = NULL;
    }
done:
    sbl_row_stream_close(draws);
    return status;
}

/* ---- the stream ---- */

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    table_stream *own = stream->private_data;
    return sbl_arrow_errno(sbl_arrow_export_schema(out, own->schema, &own->error));
}

static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    table_stream *own = stream->private_data;
    *out = (struct ArrowArray){0};
    if (own->given < own->count) *out = own->batches[own->given++];
    return 0;
}

static const char *give_error(struct ArrowArrayStream *stream)
{
    const table_stream *own = stream->private_data;
    return own->error.status != SBL_OK ? own->error.message : NULL;
}

static void release_table(struct ArrowArrayStream *stream)
{
    free_table(stream->private_data);
    stream->release = NULL;
}

sbl_status sbl_sample_tables(const sbl_synthesizer *synth, const sbl_sample_options *options, sbl_error *err)
{
    const size_t count = options->stream_count;
    table_stream **tables = NULL;
    sbl_status status = SBL_OK;
    if (count > SBL_MOST_TABLES) SBL_FAIL(err, SBL_EARG, "there are at most %d tables", SBL_MOST_TABLES);
    SBL_ALLOC(tables, count, "drawn rows");
    SBL_TRY(draw_tables(tables, synth, options, err));
    for (size_t t = 0; t < count; t++) {
        options->streams[t] =
            (struct ArrowArrayStream){give_schema, give_next, give_error, release_table, tables[t]};
        tables[t] = NULL;
    }
done:
    for (size_t t = 0; tables != NULL && t < count; t++) free_table(tables[t]);
    sbl_free(tables);
    return status;
}
