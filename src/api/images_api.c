/* The doors of jobs on image sets (include/semblance/images.h). */
#include "semblance/images.h"

#include <string.h>

#include "api/entry.h"
#include "base/status.h"
#include "pipeline/job.h"
#include "tensors/safetensors.h"

static sbl_image_folder folder_of(const sbl_image_output *output)
{
    return (sbl_image_folder){.folder = output->folder,
                              .png = output->format == SBL_IMAGES_PNG,
                              .preview = output->preview};
}

static sbl_job job_of(sbl_data *data, const sbl_image_output *output, const char *model_path,
                      uint64_t count, const sbl_entry *entry)
{
    sbl_job job = {.kind = SBL_DATA_IMAGES,
                   .data = data,
                   .model = sbl_file_item(model_path),
                   .rows = count,
                   .options = &entry->options};
    if (output != NULL) job.folder = folder_of(output);
    return job;
}

sbl_status sbl_images_fit(char **statement, const sbl_image_input *input, const char *model_path,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_data *data = NULL;
    sbl_image_input images;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_NEED(model_path);
    SBL_TRY(sbl_image_input_take(&images, input, "input", err));
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_IMAGES, SBL_STEP_FIT, err));
    SBL_TRY(sbl_entry_open_images(&data, &images, err));
    const sbl_job job = job_of(data, NULL, model_path, 0, &entry);
    SBL_TRY(sbl_job_run(statement, &job, err));
done:
    sbl_data_free(data);
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_model_sample(const char *model_path, const char *table,
                            const sbl_image_output *images, uint64_t count, const char *where,
                            const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_image_output to = {0};
    sbl_image_folder folder = {0};
    sbl_status status = SBL_OK;
    SBL_NEED(model_path);
    if (images != NULL) {
        SBL_TRY(sbl_image_output_take(&to, images, err));
        folder = folder_of(&to);
    }
    SBL_TRY(sbl_entry_begin(&entry, options, SBL_STEP_SAMPLE, err));
    SBL_TRY(sbl_sample_from(sbl_file_item(model_path), table, images != NULL ? &folder : NULL,
                            count, where, &entry.options, err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_images_is_model(bool *is, const char *model_path, sbl_error *err)
{
    sbl_safetensors file = {0};
    sbl_status status = SBL_OK;
    if (is != NULL) *is = false;
    SBL_NEED(is);
    SBL_NEED(model_path);
    SBL_TRY(sbl_safetensors_load(&file, sbl_file_item(model_path), err));
    const char *data = json_string_value(json_object_get(file.metadata, "data"));
    *is = data != NULL && strcmp(data, "images") == 0;
done:
    sbl_safetensors_clear(&file);
    return status;
}

sbl_status sbl_images_sample(const char *model_path, const sbl_image_output *output, uint64_t count,
                             const char *where, const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_image_output to;
    sbl_status status = SBL_OK;
    SBL_NEED(model_path);
    SBL_TRY(sbl_image_output_take(&to, output, err));
    SBL_TRY(sbl_entry_begin(&entry, options, SBL_STEP_SAMPLE, err));
    const sbl_image_folder folder = folder_of(&to);
    SBL_TRY(sbl_sample_from(sbl_file_item(model_path), NULL, &folder, count, where, &entry.options,
                            err));
done:
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_images_run(char **statement, const sbl_image_input *input,
                          const sbl_image_output *output, uint64_t count, const char *model_path,
                          const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_data *data = NULL;
    sbl_image_input images;
    sbl_image_output to;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(sbl_image_input_take(&images, input, "input", err));
    SBL_TRY(sbl_image_output_take(&to, output, err));
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_IMAGES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    SBL_TRY(sbl_entry_open_images(&data, &images, err));
    const sbl_job job = job_of(data, &to, model_path, count, &entry);
    SBL_TRY(sbl_job_run(statement, &job, err));
done:
    sbl_data_free(data);
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_images_resume(char **statement, const sbl_image_input *input,
                             const sbl_image_output *output, uint64_t count, const char *model_path,
                             const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_data *data = NULL;
    sbl_image_input images;
    sbl_image_output to = {0};
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    SBL_TRY(sbl_image_input_take(&images, input, "input", err));
    if (output == NULL) SBL_NEED(model_path);
    if (output != NULL) SBL_TRY(sbl_image_output_take(&to, output, err));
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_IMAGES, SBL_STEP_FIT | SBL_STEP_SAMPLE, err));
    SBL_TRY(sbl_entry_open_images(&data, &images, err));
    const sbl_job job = job_of(data, output != NULL ? &to : NULL, model_path, count, &entry);
    SBL_TRY(sbl_job_resume(statement, &job, err));
done:
    sbl_data_free(data);
    sbl_entry_end(&entry);
    return status;
}

sbl_status sbl_images_plan(char **text, const sbl_image_input *input, uint64_t n, bool json,
                           const sbl_synth_options *options, sbl_error *err)
{
    sbl_entry entry = {0};
    sbl_data *data = NULL;
    sbl_image_input images;
    sbl_status status = SBL_OK;
    if (text != NULL) *text = NULL;
    SBL_NEED(text);
    SBL_TRY(sbl_image_input_take(&images, input, "input", err));
    SBL_TRY(sbl_entry_begin_fit(&entry, options, SBL_IMAGES, SBL_STEP_PLAN, err));
    SBL_TRY(sbl_entry_open_images(&data, &images, err));
    const sbl_job job = job_of(data, NULL, NULL, 0, &entry);
    SBL_TRY(sbl_job_plan(text, &job, n, json, err));
done:
    sbl_data_free(data);
    sbl_entry_end(&entry);
    return status;
}
