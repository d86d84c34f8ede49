/* The doors of jobs on tables (include/semblance/synth.h). */
#include "semblance/synth.h"

#include "api/entry.h"
#include "base/status.h"
#include "pipeline/job.h"
#include "schema/schema.h"

/* A job of files at work. */
typedef struct work {
    sbl_entry entry;
    sbl_schema *schema;
    sbl_data *data;
    sbl_job job;
} work;

static void end(work *w)
{
    sbl_schema_free(w->schema);
    sbl_data_free(w->data);
    sbl_entry_end(&w->entry);
}

static sbl_status begin(work *w, const char *input, const char *schema_path, const char *output,
                        const char *model_path, uint64_t rows, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (schema_path != NULL) SBL_TRY(sbl_schema_read(&w->schema, schema_path, err));
    if (input != NULL) SBL_TRY(sbl_entry_open_table(&w->data, input, &w->entry.options, err));
    w->job = (sbl_job){.kind = SBL_DATA_TABLE,
                       .data = w->data,
                       .schema = w->schema,
                       .schema_path = schema_path,
                       .output = output,
                       .model = sbl_file_item(model_path),
                       .rows = rows,
                       .options = &w->entry.options};
done:
    return status;
}

sbl_status sbl_synth_fit(char **statement, const char *input, const char *schema_path,
                         const char *model_path, const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(model_path);
    SBL_TRY(sbl_entry_begin_fit(&w.entry, options, SBL_TABLES, SBL_STEP_FIT, err));
    SBL_TRY(begin(&w, input, schema_path, NULL, model_path, 0, err));
    SBL_TRY(sbl_job_run(statement, &w.job, err));
done:
    end(&w);
    return status;
}

sbl_status sbl_synth_train(const char *release_path, const char *model_path,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    SBL_NEED(release_path);
    SBL_NEED(model_path);
    SBL_TRY(sbl_entry_begin(&entry, options, SBL_STEP_TRAIN, err));
    SBL_TRY(sbl_train_from(sbl_file_item(release_path),
                           sbl_file_item(entry.options.certificate_path), sbl_file_item(model_path),
                           &entry.options, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_synth_sample(const char *model_path, const char *output, uint64_t rows,
                            const char *where, const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    SBL_NEED(model_path);
    SBL_NEED(output);
    SBL_TRY(sbl_entry_begin(&entry, options, SBL_STEP_SAMPLE, err));
    SBL_TRY(
        sbl_sample_from(sbl_file_item(model_path), output, NULL, rows, where, &entry.options, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_synth_run(char **statement, const char *input, const char *schema_path,
                         const char *output, uint64_t rows, const char *model_path,
                         const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(
        sbl_entry_begin_fit(&w.entry, options, SBL_TABLES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    SBL_TRY(begin(&w, input, schema_path, output, model_path, rows, err));
    SBL_TRY(sbl_job_run(statement, &w.job, err));
done:
    end(&w);
    return status;
}

sbl_status sbl_synth_resume(char **statement, const char *input, const char *schema_path,
                            const char *output, uint64_t rows, const char *model_path,
                            const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    if (output == NULL) SBL_NEED(model_path);
    SBL_TRY(
        sbl_entry_begin_fit(&w.entry, options, SBL_TABLES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    SBL_TRY(begin(&w, input, schema_path, output, model_path, rows, err));
    SBL_TRY(sbl_job_resume(statement, &w.job, err));
done:
    end(&w);
    return status;
}

sbl_status sbl_synth_plan(char **text, const char *schema_path, uint64_t n, bool json,
                          const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(schema_path);
    SBL_TRY(sbl_entry_begin_fit(&w.entry, options, SBL_TABLES, SBL_STEP_PLAN, err));
    SBL_TRY(begin(&w, NULL, schema_path, NULL, NULL, 0, err));
    SBL_TRY(sbl_job_plan(text, &w.job, n, json, err));
done:
    end(&w);
    return status;
}

sbl_status sbl_schema_suggest(char **statement, const char *input, const char *output, bool resume,
                              const sbl_synth_options *options, sbl_error *err)
{
    work w = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(sbl_entry_begin_fit(&w.entry, options, SBL_TABLES, SBL_STEP_SUGGEST, err));
    SBL_TRY(begin(&w, input, NULL, NULL, NULL, 0, err));
    w.job.discovered = sbl_file_item(output);
    SBL_TRY(resume ? sbl_job_resume(statement, &w.job, err) : sbl_job_run(statement, &w.job, err));
done:
    end(&w);
    return status;
}
