/* SPDX-License-Identifier: Apache-2.0 */
/* Real records in the space of a projected model (include/semblance/evaluate.h): NOT PRIVATE. No ledger is opened here. */
#include <string.h>

#include "after/sinks/arrow_build.h"
#include "base/alloc.h"
#include "base/caller_struct.h"
#include "base/file.h"
#include "base/json.h"
#include "base/store/store.h"
#include "owner/evaluate/projection.h"
#include "records/source/data_source.h"
#include "run/api/api_call.h"
#include "run/api/sample.h"
#include "run/methods/method.h"
#include "semblance/evaluate.h"
#include "semblance/files.h"

/* A caller's options as ours. */
static sbl_status take_options(sbl_project_options *options, const sbl_project_options *theirs,
                               const sbl_data *data, sbl_error *err)
{
    *options = (sbl_project_options){.struct_size = sizeof *options};
    SBL_CHECK(sbl_struct_take(options, sizeof *options, theirs, "options", err));
    if (options->stream != NULL) *options->stream = (struct ArrowArrayStream){0};
    if (options->threads > 1024) return sbl_fail(err, SBL_EARG, "threads must be at most 1024");
    if (options->path != NULL && options->stream != NULL)
        return sbl_fail(err, SBL_EARG, "give a path or a stream for the projected rows, not both");
    if (data != NULL && options->path == NULL && options->stream == NULL)
        return sbl_fail(err, SBL_EARG, "give a path or a stream for the projected rows");
    if (data == NULL && (options->path != NULL || options->stream != NULL))
        return sbl_fail(err, SBL_EARG, "give the table whose rows are projected");
    return options->matrix != NULL || data != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EARG,
                          "nothing is asked for: give a table, a file for the matrix, or both");
}

/* What is written is none of what is read, and can be written. */
static sbl_status check_files(const sbl_project_options *options, const sbl_data *data,
                              const sbl_schema *schema, sbl_error *err)
{
    const char *path = options->path;
    const bool file = path != NULL && strcmp(path, "-") != 0;
    const sbl_named_file files[] = {{"the table", data != NULL ? sbl_data_tell(data).path : NULL, false},
                                    {"the output", path, true},
                                    {"the schema", options->schema, true},
                                    {"the matrix", options->matrix, true}};
    SBL_CHECK(sbl_files_check(files, sizeof files / sizeof files[0], err));
    if (path != NULL) SBL_CHECK(sbl_sink_check_table(path, options->duckdb, schema, err));
    if (file) SBL_CHECK(sbl_file_check_target(path, options->overwrite, err));
    if (options->schema != NULL) SBL_CHECK(sbl_file_check_target(options->schema, options->overwrite, err));
    return options->matrix != NULL ? sbl_file_check_target(options->matrix, options->overwrite, err) : SBL_OK;
}

/* ---- rows as a stream ---- */

typedef struct projected_stream {
    sbl_schema *schema;
    sbl_arrow_builder *builder;
    sbl_error error;
} projected_stream;

static sbl_status add_rows(void *context, const sbl_batch *rows, uint64_t first, sbl_error *err)
{
    return sbl_arrow_builder_add(((const projected_stream *)context)->builder, rows, first, NULL, err);
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    projected_stream *own = stream->private_data;
    return sbl_arrow_errno(sbl_arrow_export_schema(out, own->schema, &own->error));
}

/* All rows in one batch, then the end. */
static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    projected_stream *own = stream->private_data;
    *out = (struct ArrowArray){0};
    if (sbl_arrow_builder_rows(own->builder) == 0) return 0;
    return sbl_arrow_errno(sbl_arrow_builder_take(own->builder, out, &own->error));
}

static const char *give_error(struct ArrowArrayStream *stream)
{
    const projected_stream *own = stream->private_data;
    return own->error.status != SBL_OK ? own->error.message : NULL;
}

static void free_stream(projected_stream *own)
{
    if (own == NULL) return;
    sbl_arrow_builder_free(own->builder);
    sbl_schema_free(own->schema);
    sbl_free(own);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    free_stream(stream->private_data);
    stream->release = NULL;
}

static sbl_status new_stream(projected_stream **stream, const sbl_facts *facts, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(*stream, 1, "a stream");
    SBL_TRY(sbl_schema_copy(&(*stream)->schema, facts->declared, err));
    SBL_TRY(sbl_arrow_builder_new(&(*stream)->builder, (*stream)->schema, err));
done:
    return status;
}

/* ---- rows, matrix and schema ---- */

static sbl_status project_rows(const sbl_projection *projection, sbl_data *data,
                               const sbl_project_options *options, sbl_error *err)
{
    sbl_progress_listener listener = {.progress = options->progress, .context = options->context};
    const sbl_progress_span progress = sbl_progress_begin(&listener, "projecting");
    const sbl_facts *facts = sbl_model_output(projection->model);
    projected_stream *stream = NULL;
    sbl_sink *sink = NULL;
    sbl_status status = SBL_OK;
    if (options->stream != NULL) {
        SBL_TRY(new_stream(&stream, facts, err));
        SBL_TRY(sbl_sink_open_rows(&sink, facts, add_rows, stream, err));
    } else {
        SBL_TRY(sbl_sink_open_table(&sink, options->path, options->duckdb, facts, options->overwrite, err));
    }
    SBL_TRY(sbl_projection_write(projection, sink, data, options->notice, options->context, &progress, err));
    if (stream != NULL) {
        *options->stream =
            (struct ArrowArrayStream){give_schema, give_next, give_error, release_stream, stream};
        stream = NULL;
    }
done:
    sbl_sink_close(sink);
    free_stream(stream);
    return status;
}

static sbl_status write_public(const char *path, const char *text, size_t length, bool overwrite,
                               sbl_error *err)
{
    const sbl_file_write_options how = {.mode = 0644, .overwrite = overwrite};
    return sbl_file_write(path, text, length, how, err);
}

static sbl_status write_matrix(const sbl_projection *projection, const sbl_project_options *options,
                               sbl_error *err)
{
    sbl_text csv = {0};
    sbl_status status = sbl_projection_matrix(&csv, projection, err);
    if (status == SBL_OK)
        status = write_public(options->matrix, csv.data, csv.length, options->overwrite, err);
    sbl_text_clear(&csv);
    return status;
}

static sbl_status write_schema(const sbl_schema *schema, const sbl_project_options *options, sbl_error *err)
{
    char *json = NULL;
    sbl_text line = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_schema_as_json(&json, schema, err));
    sbl_text_printf(&line, "%s\n", json);
    SBL_TRY(sbl_text_check(&line, "a schema", err));
    SBL_TRY(write_public(options->schema, line.data, line.length, options->overwrite, err));
done:
    sbl_text_clear(&line);
    sbl_free(json);
    return status;
}

/* Files that cannot fail for what a table holds come last. */
static sbl_status project_model(const sbl_model *model, sbl_data *data, const sbl_project_options *options,
                                sbl_error *err)
{
    sbl_projection projection = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_projection_init(&projection, model,
                                options->model_name != NULL ? options->model_name : "the model", err));
    const sbl_schema *schema = sbl_model_output(model)->declared;
    SBL_TRY(check_files(options, data, schema, err));
    if (data != NULL) SBL_TRY(project_rows(&projection, data, options, err));
    if (options->schema != NULL) SBL_TRY(write_schema(schema, options, err));
    if (options->matrix != NULL) SBL_TRY(write_matrix(&projection, options, err));
done:
    sbl_projection_clear(&projection);
    return status;
}

sbl_status sbl_project(sbl_synthesizer *synth, sbl_data *data, const sbl_project_options *options,
                       sbl_error *err)
{
    sbl_project_options ours;
    sbl_model *model = NULL;
    sbl_mark *used = NULL, *read = NULL;
    int threads = 0;
    sbl_status status = SBL_OK;
    SBL_NEED(synth);
    SBL_TRY(take_options(&ours, options, data, err));
    SBL_TRY(sbl_synthesizer_use(&used, synth, SBL_USE_READS, err));
    if (data != NULL) SBL_TRY(sbl_data_use(&read, data, err));
    threads = sbl_threads_borrow(ours.threads);
    SBL_TRY(sbl_synthesizer_need_model(synth, err));
    SBL_TRY(sbl_model_load(&model, sbl_synthesizer_in(synth, SBL_KEPT_MODEL), sbl_model_kinds, err));
    SBL_TRY(project_model(model, data, &ours, err));
done:
    sbl_threads_restore(threads);
    sbl_model_free(model);
    sbl_use_end(read);
    sbl_use_end(used);
    return status;
}
