/* SPDX-License-Identifier: Apache-2.0 */
#include "support/by_path.h"

#include <string.h>

static sbl_status open_images(sbl_data **data, const image_input *input, sbl_error *err)
{
    const sbl_data_options as = {sizeof as,
                                 .images = true,
                                 .labels = input->labels,
                                 .classes = input->classes,
                                 .balanced = input->balanced,
                                 .grey = input->grey,
                                 .height = input->height,
                                 .width = input->width};
    return sbl_data_open(data, input->images, &as, err);
}

/* Takes data. */
static sbl_status fit(char **statement, sbl_data *data, const char *schema_path, const sbl_output *output,
                      bool resume, const sbl_synth_options *options, sbl_error *err)
{
    sbl_synthesizer *synth = NULL;
    sbl_schema *schema = NULL;
    sbl_status status = SBL_OK;
    if (statement != NULL) *statement = NULL;
    if (schema_path != NULL) status = sbl_schema_from_file(&schema, schema_path, false, err);
    if (status == SBL_OK) status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(synth, output, err);
    if (status == SBL_OK)
        status = resume ? sbl_synthesizer_resume(synth, data, schema, options, err)
                        : sbl_synthesizer_fit(synth, data, schema, options, err);
    if (status == SBL_OK && statement != NULL)
        *statement = strdup(sbl_synthesizer_text(synth, SBL_TEXT_STATEMENT));
    sbl_synthesizer_free(synth);
    sbl_schema_free(schema);
    sbl_data_free(data);
    return status;
}

static sbl_status table_job(char **statement, const char *input, const char *schema, const char *output,
                            uint64_t rows, const char *model, bool resume, const sbl_synth_options *options,
                            sbl_error *err)
{
    const sbl_output to = {
        .struct_size = sizeof to, .records = output, .model = model, .rows = rows, .schema = schema};
    sbl_data *data = NULL;
    const sbl_status status = sbl_data_open(&data, input, NULL, err);
    return status == SBL_OK ? fit(statement, data, schema, &to, resume, options, err) : status;
}

sbl_status table_run(char **statement, const char *input, const char *schema, const char *output,
                     uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err)
{
    return table_job(statement, input, schema, output, rows, model, false, options, err);
}

sbl_status table_resume(char **statement, const char *input, const char *schema, const char *output,
                        uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err)
{
    return table_job(statement, input, schema, output, rows, model, true, options, err);
}

sbl_status table_fit(char **statement, const char *input, const char *schema, const char *model,
                     const sbl_synth_options *options, sbl_error *err)
{
    return table_job(statement, input, schema, NULL, 0, model, false, options, err);
}

sbl_status table_plan(char **text, const char *schema_path, uint64_t n, bool json,
                      const sbl_synth_options *options, sbl_error *err)
{
    sbl_schema *schema = NULL;
    sbl_status status = sbl_schema_from_file(&schema, schema_path, false, err);
    if (status == SBL_OK) status = sbl_synthesizer_plan(text, schema, NULL, n, json, options, err);
    sbl_schema_free(schema);
    return status;
}

static sbl_status image_job(char **statement, const image_input *input, const image_output *output,
                            uint64_t rows, const char *model, bool resume, const sbl_synth_options *options,
                            sbl_error *err)
{
    sbl_output to = {.struct_size = sizeof to, .model = model, .rows = rows};
    sbl_data *data = NULL;
    if (output != NULL) {
        to.records = output->folder;
        to.format = output->format;
        to.preview = output->preview;
    }
    const sbl_status status = open_images(&data, input, err);
    return status == SBL_OK ? fit(statement, data, NULL, &to, resume, options, err) : status;
}

sbl_status images_run(char **statement, const image_input *input, const image_output *output, uint64_t rows,
                      const char *model, const sbl_synth_options *options, sbl_error *err)
{
    return image_job(statement, input, output, rows, model, false, options, err);
}

sbl_status images_resume(char **statement, const image_input *input, const image_output *output,
                         uint64_t rows, const char *model, const sbl_synth_options *options, sbl_error *err)
{
    return image_job(statement, input, output, rows, model, true, options, err);
}

sbl_status images_fit(char **statement, const image_input *input, const char *model,
                      const sbl_synth_options *options, sbl_error *err)
{
    return image_job(statement, input, NULL, 0, model, false, options, err);
}

sbl_status images_plan(char **text, const image_input *input, uint64_t n, bool json,
                       const sbl_synth_options *options, sbl_error *err)
{
    sbl_data *data = NULL;
    sbl_status status = open_images(&data, input, err);
    if (status == SBL_OK) status = sbl_synthesizer_plan(text, NULL, data, n, json, options, err);
    sbl_data_free(data);
    return status;
}

sbl_status train_files(const char *release, const char *model, const sbl_synth_options *options,
                       sbl_error *err)
{
    const sbl_output to = {.struct_size = sizeof to, .model = model};
    sbl_synth_options from = *options;
    sbl_synthesizer *synth = NULL;
    from.release_path = release;
    sbl_status status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_write_to(synth, &to, err);
    if (status == SBL_OK) status = sbl_synthesizer_train(synth, &from, err);
    sbl_synthesizer_free(synth);
    return status;
}

static sbl_status sample(const char *model, const image_output *output, uint64_t rows, const char *where,
                         const sbl_synth_options *options, sbl_error *err)
{
    const sbl_sample_options as = {sizeof as,
                                   .rows = rows,
                                   .seed = options->seed,
                                   .where = where,
                                   .threads = options->threads,
                                   .progress = options->progress,
                                   .context = options->context,
                                   .path = output->folder,
                                   .overwrite = options->overwrite,
                                   .format = output->format,
                                   .preview = output->preview};
    sbl_synthesizer *synth = NULL;
    sbl_status status = sbl_synthesizer_new(&synth, err);
    if (status == SBL_OK) status = sbl_synthesizer_load(synth, NULL, 0, model, err);
    if (status == SBL_OK) status = sbl_synthesizer_sample(synth, &as, err);
    sbl_synthesizer_free(synth);
    return status;
}

sbl_status images_sample(const char *model, const image_output *output, uint64_t rows, const char *where,
                         const sbl_synth_options *options, sbl_error *err)
{
    return sample(model, output, rows, where, options, err);
}

sbl_status table_sample(const char *model, const char *output, uint64_t rows, const char *where,
                        const sbl_synth_options *options, sbl_error *err)
{
    const image_output to = {.folder = output};
    return sample(model, &to, rows, where, options, err);
}
