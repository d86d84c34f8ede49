/* The doors of jobs on tables (include/semblance/synth.h). */
#include "semblance/synth.h"

#include "api/entry.h"
#include "base/status.h"
#include "pipeline/job.h"

static sbl_job job_of(const char *input, const char *schema_path, const char *output,
                      const char *model_path, uint64_t rows, const sbl_entry *entry)
{
    return (sbl_job){.data = SBL_DATA_TABLE,
                     .input = input,
                     .schema_path = schema_path,
                     .output = output,
                     .model_path = model_path,
                     .rows = rows,
                     .options = &entry->options};
}

sbl_status sbl_synth_fit(char **statement, const char *input, const char *schema_path,
                         const char *model_path, const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(model_path);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_FIT, err));
    const sbl_job job = job_of(input, schema_path, NULL, model_path, 0, &entry);
    SBL_TRY(sbl_job_run(statement, &job, err));
done:
    sbl_entry_end(&entry);
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
    SBL_TRY(sbl_train_from(release_path, model_path, &entry.options, err));
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
    SBL_TRY(sbl_sample_from(model_path, output, NULL, rows, where, &entry.options, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_synth_run(char **statement, const char *input, const char *schema_path,
                         const char *output, uint64_t rows, const char *model_path,
                         const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    const sbl_job job = job_of(input, schema_path, output, model_path, rows, &entry);
    SBL_TRY(sbl_job_run(statement, &job, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_synth_resume(char **statement, const char *input, const char *schema_path,
                            const char *output, uint64_t rows, const char *model_path,
                            const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    if (output == NULL) SBL_NEED(model_path);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    const sbl_job job = job_of(input, schema_path, output, model_path, rows, &entry);
    SBL_TRY(sbl_job_resume(statement, &job, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_synth_plan(char **text, const char *schema_path, uint64_t n, bool json,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_NEED(schema_path);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_PLAN, err));
    const sbl_job job = job_of(NULL, schema_path, NULL, NULL, 0, &entry);
    SBL_TRY(sbl_job_plan(text, &job, n, json, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_schema_suggest(char **statement, const char *input, const char *output, bool resume,
                              const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(input);
    SBL_NEED(output);
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_TABLES, SBL_STEP_SUGGEST, err));
    sbl_job job = job_of(input, NULL, NULL, NULL, 0, &entry);
    job.discovered = output;
    SBL_TRY(resume ? sbl_job_resume(statement, &job, err) : sbl_job_run(statement, &job, err));
done:
    sbl_entry_end(&entry);
    return status;
}
