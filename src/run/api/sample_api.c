/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing from a synthesizer (include/semblance/synthesizer.h). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "after/sinks/arrow_build.h"
#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/error.h"
#include "base/file.h"
#include "public/rows/row_batch.h"
#include "run/api/api_call.h"
#include "run/api/sample.h"
#include "run/api/synthesizer_handle.h"
#include "run/pipeline/job.h"
#include "run/pipeline/replicates.h"

/* A caller's options as ours, with one place for what is drawn. */
static sbl_status take_options(sbl_sample_options *options, const sbl_sample_options *theirs, sbl_error *err)
{
    *options = (sbl_sample_options){.struct_size = sizeof *options};
    const sbl_status status = sbl_struct_take(options, sizeof *options, theirs, "options", err);
    if (status != SBL_OK) return status;
    if (options->stream != NULL) *options->stream = (struct ArrowArrayStream){0};
    if (options->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    for (size_t t = 0; options->streams != NULL && t < options->stream_count; t++)
        options->streams[t] = (struct ArrowArrayStream){0};
    if ((options->path != NULL) + (options->stream != NULL) + (options->streams != NULL) +
            (options->columns != NULL) + (options->pixels != NULL) !=
        1)
        return sbl_fail(err, SBL_EARG,
                        "give exactly one of path, stream, streams, columns and pixels to draw into");
    if (options->persons != 0 && options->columns != NULL)
        return sbl_fail_hint(err, SBL_EARG, SBL_HINT_PERSONS, NULL,
                             "persons have any number of rows: draw them into a path or a stream");
    if (options->rows == 0 && (options->columns != NULL || options->pixels != NULL))
        return sbl_fail(err, SBL_EARG, "the number of rows is missing");
    return SBL_OK;
}

/* ---- an Arrow stream ---- */

typedef struct drawn_stream {
    sbl_row_stream *draws;
    sbl_arrow_builder *builder;
    unsigned threads;
    sbl_error error;
} drawn_stream;

static sbl_status add_rows(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    const drawn_stream *stream = context;
    return sbl_arrow_builder_add(stream->builder, rows, first, sbl_row_stream_sink(stream->draws), err);
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    drawn_stream *own = stream->private_data;
    return sbl_arrow_errno(
        sbl_arrow_export_schema(out, sbl_row_stream_facts(own->draws)->declared, &own->error));
}

static bool has_more(const drawn_stream *own)
{
    return sbl_row_stream_done(own->draws) < sbl_row_stream_all(own->draws);
}

/* A batch with rows in it, or the end: an empty one would be taken for neither. */
static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    drawn_stream *own = stream->private_data;
    const int threads = sbl_threads_borrow(own->threads);
    sbl_status status = SBL_OK;
    *out = (struct ArrowArray){0};
    while (status == SBL_OK && has_more(own) && sbl_arrow_builder_rows(own->builder) == 0)
        status = sbl_row_stream_next(own->draws, &own->error);
    sbl_threads_restore(threads);
    if (status == SBL_OK && sbl_arrow_builder_rows(own->builder) > 0)
        status = sbl_arrow_builder_take(own->builder, out, &own->error);
    return sbl_arrow_errno(status);
}

static const char *give_error(struct ArrowArrayStream *stream)
{
    const drawn_stream *own = stream->private_data;
    return own->error.status != SBL_OK ? own->error.message : NULL;
}

static void free_stream(drawn_stream *own)
{
    if (own == NULL) return;
    sbl_row_stream_close(own->draws);
    sbl_arrow_builder_free(own->builder);
    sbl_free(own);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    free_stream(stream->private_data);
    stream->release = NULL;
}

static sbl_status draw_stream(const sbl_synthesizer *synth, const sbl_sample_options *options, sbl_error *err)
{
    drawn_stream *own = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(own, 1, "a stream");
    own->threads = options->threads;
    const sbl_taker taker = {.rows = add_rows, .context = own};
    SBL_TRY(sbl_sample_open(&own->draws, synth, options, &taker, err));
    SBL_TRY(sbl_arrow_builder_new(&own->builder, sbl_row_stream_facts(own->draws)->declared, err));
    *options->stream = (struct ArrowArrayStream){give_schema, give_next, give_error, release_stream, own};
    own = NULL;
done:
    free_stream(own);
    return status;
}

/* ---- the caller's buffers: tables ---- */

typedef struct wanted_column {
    sbl_column_buffer buffer;
    size_t index; /* in the schema */
} wanted_column;

typedef struct filled {
    wanted_column *columns;
    size_t count;
} filled;

static bool suits(sbl_values_type type, const sbl_column *column)
{
    switch (column->kind) {
    case SBL_COLUMN_NUMBER:
        return type == SBL_VALUES_DOUBLE || type == SBL_VALUES_FLOAT || type == SBL_VALUES_INT64;
    case SBL_COLUMN_DATE:
        return type == SBL_VALUES_DATE || type == SBL_VALUES_DOUBLE;
    case SBL_COLUMN_DATETIME:
        return type == SBL_VALUES_DATETIME || type == SBL_VALUES_DOUBLE;
    case SBL_COLUMN_CATEGORY:
        return type == SBL_VALUES_CODE || (type == SBL_VALUES_BOOL && column->type == SBL_TYPE_BOOLEAN);
    default:
        return false;
    }
}

static void put_value(const sbl_column_buffer *to, size_t row, double value)
{
    switch (to->type) {
    case SBL_VALUES_DOUBLE:
        ((double *)to->values)[row] = value;
        break;
    case SBL_VALUES_FLOAT:
        ((float *)to->values)[row] = (float)value;
        break;
    case SBL_VALUES_DATE:
        ((int32_t *)to->values)[row] = (int32_t)nearbyint(value);
        break;
    default:
        ((int64_t *)to->values)[row] = (int64_t)nearbyint(value);
        break;
    }
}

static void put_code(const sbl_column_buffer *to, size_t row, uint32_t code)
{
    if (to->type == SBL_VALUES_BOOL)
        ((uint8_t *)to->values)[row] = code == 1;
    else
        ((uint32_t *)to->values)[row] = code;
}

static sbl_status fill_rows(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    const filled *to = context;
    (void)err;
    for (size_t c = 0; c < to->count; c++) {
        const sbl_column_buffer *buffer = &to->columns[c].buffer;
        const sbl_column *facts = &rows->schema->columns[to->columns[c].index];
        const sbl_batch_column *from = &rows->columns[to->columns[c].index];
        for (size_t r = 0; r < rows->rows; r++) {
            const size_t row = (size_t)first + r;
            bool missing;
            if (from->codes != NULL) {
                const uint32_t code =
                    from->codes[r] <= facts->categories.count ? from->codes[r] : facts->fallback_code;
                missing = code == facts->categories.count;
                put_code(buffer, row, code);
            } else {
                missing = from->missing != NULL && from->missing[r] != 0;
                const sbl_column *domain = sbl_batch_domain(rows, facts, r);
                put_value(buffer, row, sbl_column_snap(domain, from->values[r]) + 0.0);
            }
            if (buffer->missing != NULL) buffer->missing[row] = missing;
        }
    }
    return SBL_OK;
}

static sbl_status find_column(wanted_column *wanted, const sbl_schema *schema, sbl_error *err)
{
    const sbl_column_buffer *to = &wanted->buffer;
    if (to->name == NULL) return sbl_fail(err, SBL_EARG, "a column must have a name");
    for (size_t i = 0; i < schema->column_count; i++) {
        if (strcmp(schema->columns[i].name, to->name) != 0) continue;
        wanted->index = i;
        if (!suits(to->type, &schema->columns[i]))
            return sbl_fail(err, SBL_EARG, "column '%.100s' cannot be drawn as this type", to->name);
        return to->values != NULL ? SBL_OK
                                  : sbl_fail(err, SBL_EARG, "column '%.100s': the buffer is NULL", to->name);
    }
    return sbl_fail(err, SBL_EARG, "the model has no column '%.100s'", to->name);
}

static sbl_status find_columns(filled *to, const sbl_sample_options *options, const sbl_schema *schema,
                               sbl_error *err)
{
    const size_t stride = options->columns->struct_size;
    sbl_status status = SBL_OK;
    SBL_ALLOC(to->columns, options->column_count, "columns");
    to->count = options->column_count;
    for (size_t i = 0; i < to->count; i++) {
        wanted_column *wanted = &to->columns[i];
        SBL_TRY(sbl_struct_take(&wanted->buffer, sizeof wanted->buffer,
                                (const char *)options->columns + i * stride, "columns", err));
        SBL_TRY(find_column(wanted, schema, err));
    }
done:
    return status;
}

static sbl_status draw_columns(const sbl_synthesizer *synth, const sbl_sample_options *options,
                               sbl_error *err)
{
    sbl_row_stream *draws = NULL;
    filled to = {0};
    sbl_status status = SBL_OK;
    const sbl_taker taker = {.rows = fill_rows, .context = &to};
    SBL_TRY(sbl_sample_open(&draws, synth, options, &taker, err));
    SBL_TRY(find_columns(&to, options, sbl_row_stream_facts(draws)->declared, err));
    SBL_TRY(sbl_sample_all(draws, options, err));
done:
    sbl_row_stream_close(draws);
    sbl_free(to.columns);
    return status;
}

/* ---- the caller's buffers: images ---- */

typedef struct image_buffers {
    uint8_t *pixels;
    uint32_t *labels;
    size_t size; /* of an image */
} image_buffers;

static sbl_status fill_images(void *context, const sbl_drawn *images, size_t count, uint64_t first,
                              sbl_error *err)
{
    const image_buffers *to = context;
    (void)err;
    memcpy(to->pixels + (size_t)first * to->size, images->pixels, count * to->size);
    if (to->labels != NULL) memcpy(to->labels + first, images->labels, count * sizeof *to->labels);
    return SBL_OK;
}

sbl_status sbl_synthesizer_draw_images(const sbl_synthesizer *synth, const sbl_sample_options *options,
                                       sbl_error *err)
{
    sbl_row_stream *draws = NULL;
    image_buffers to = {.pixels = options->pixels, .labels = options->labels};
    sbl_status status = SBL_OK;
    const sbl_taker taker = {.images = fill_images, .context = &to};
    SBL_TRY(sbl_sample_open(&draws, synth, options, &taker, err));
    to.size = sbl_row_stream_facts(draws)->shape.numeric;
    SBL_TRY(sbl_sample_all(draws, options, err));
done:
    sbl_row_stream_close(draws);
    return status;
}

/* ---- a file, and all of them ---- */

/* Replicates, from a run's release files or from what the handle keeps of its fit. */
static sbl_status draw_replicates(const sbl_synthesizer *synth, const sbl_sample_options *options,
                                  sbl_error *err)
{
    const sbl_replicate_files wanted = {.path = options->path,
                                        .count = options->replicates,
                                        .amount = {.rows = options->rows, .persons = options->persons}};
    sbl_store_entry release;
    sbl_synth_options job;
    SBL_CHECK(sbl_replicates_check(options->replicates, err));
    if (options->path == NULL)
        return sbl_fail(err, SBL_EARG,
                        "replicates are drawn into files: give path, or use sbl_replicates_new()");
    if (options->where != NULL)
        return sbl_fail(err, SBL_EARG, "replicates are whole tables: choose their rows in the analysis");
    sbl_synth_options_init(&job);
    job.seed = options->seed;
    job.overwrite = options->overwrite;
    job.progress = options->progress;
    job.context = options->context;
    SBL_CHECK(sbl_synthesizer_find_release(&release, synth, options->release, err));
    return sbl_replicates_from(release, &wanted, &job, err);
}

static sbl_status draw_file(const sbl_synthesizer *synth, const sbl_sample_options *options, sbl_error *err)
{
    sbl_synth_options job;
    const sbl_status status = sbl_synthesizer_need_model(synth, err);
    if (status != SBL_OK) return status;
    sbl_synth_options_init(&job);
    job.seed = options->seed;
    job.overwrite = options->overwrite;
    job.progress = options->progress;
    job.context = options->context;
    const sbl_image_folder folder = {
        .folder = options->path, .png = options->format == SBL_IMAGES_PNG, .preview = options->preview};
    const sbl_amount amount = {.rows = options->rows, .persons = options->persons};
    return sbl_sample_from(sbl_synthesizer_in(synth, SBL_KEPT_MODEL), options->path, options->duckdb, &folder,
                           &amount, options->where, &job, err);
}

sbl_status sbl_synthesizer_sample(sbl_synthesizer *synth, const sbl_sample_options *options, sbl_error *err)
{
    sbl_sample_options ours;
    int threads = 0;
    sbl_mark *used = NULL;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(take_options(&ours, options, err));
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    threads = sbl_threads_borrow(ours.threads);
    if (ours.replicates != 0)
        SBL_TRY(draw_replicates(synth, &ours, err));
    else if (ours.path != NULL)
        SBL_TRY(draw_file(synth, &ours, err));
    if (ours.stream != NULL) SBL_TRY(draw_stream(synth, &ours, err));
    if (ours.streams != NULL) SBL_TRY(sbl_sample_tables(synth, &ours, err));
    if (ours.columns != NULL) SBL_TRY(draw_columns(synth, &ours, err));
    if (ours.pixels != NULL) SBL_TRY(sbl_synthesizer_draw_images(synth, &ours, err));
done:
    sbl_threads_restore(threads);
    sbl_use_end(used);
    return status;
}
