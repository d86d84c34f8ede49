#include "pipeline/image_store.h"

#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "compute/threads.h"
#include "tensors/safetensors.h"
#include "train/merf_images.h"

/* --hidden H or H,C0,C1: the dense layer's width and the channels of the two volumes. */
static sbl_status choose_training(sbl_image_train_options *training,
                                  const sbl_synth_options *options, sbl_error *err)
{
    sbl_image_network *network = &training->network;
    sbl_image_train_options_init(training);
    if (options->latent != 0) network->latent = options->latent;
    if (options->steps != 0) training->steps = options->steps;
    if (options->batch != 0) training->batch = options->batch;
    if (options->learning_rate != 0.0) training->rate = options->learning_rate;
    training->seed = options->seed;
    if (options->hidden_count == 0) return SBL_OK;
    if (options->hidden_count != 1 && options->hidden_count != 3)
        return sbl_fail(err, SBL_EARG,
                        "for images --hidden takes one size, or a size and two numbers of "
                        "channels, e.g. 256,32,16");
    network->hidden = options->hidden[0];
    for (size_t i = 0; options->hidden_count == 3 && i < 2; i++)
        network->channels[i] = options->hidden[1 + i];
    return SBL_OK;
}

sbl_status sbl_image_model_check(const sbl_image_plan *plan, const sbl_synth_options *options,
                                 sbl_error *err)
{
    sbl_image_train_options training;
    if (options->threads != 0) sbl_thread_set((int)options->threads);
    const sbl_status status = choose_training(&training, options, err);
    return status == SBL_OK ? sbl_train_merf_images_check(plan, &training, err) : status;
}

/* The trainer's progress as ours. */
static int report_step(void *data, size_t step, size_t steps, double loss)
{
    const sbl_synth_options *options = data;
    return options->progress(options->context, "training", step, steps, loss);
}

static json_t *make_metadata(const sbl_image_plan *plan, const char *certificate, double rows)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%.0f", rows < 1.0 ? 1.0 : rows);
    json_t *metadata =
        json_pack("{s:s, s:s, s:s}", "recipe", plan->json, "rows", number, "method", "merf");
    if (metadata != NULL && certificate != NULL &&
        json_object_set_new(metadata, "certificate", json_string(certificate)) != 0) {
        json_decref(metadata);
        return NULL;
    }
    return metadata;
}

sbl_status sbl_image_model_make(const char *path, const sbl_release *release, const char *where,
                                const char *certificate, const sbl_synth_options *options,
                                sbl_error *err)
{
    sbl_image_plan plan = {0};
    sbl_image_target target = {0};
    sbl_image_generator generator = {0};
    sbl_image_train_options training;
    sbl_synth_options callbacks = *options;
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    if (options->threads != 0) sbl_thread_set((int)options->threads);
    SBL_TRY(choose_training(&training, options, err));
    if (options->progress != NULL) {
        training.progress = report_step;
        training.progress_data = &callbacks;
    }
    SBL_TRY(sbl_image_plan_parse(&plan, release->plan, where, err));
    SBL_TRY(sbl_image_target_from_release(&target, &plan, release, err));
    SBL_TRY(sbl_train_merf_images(&generator, &plan, &target, &training, err));
    metadata = make_metadata(&plan, certificate, target.rows);
    if (metadata == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_image_generator_save(&generator, path, metadata, options->overwrite, err));
done:
    json_decref(metadata);
    sbl_image_generator_clear(&generator);
    sbl_image_target_clear(&target);
    sbl_image_plan_clear(&plan);
    return status;
}

sbl_status sbl_image_model_open(sbl_image_generator *generator, uint64_t *rows, const char *path,
                                sbl_error *err)
{
    json_t *metadata = NULL;
    const char *number;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_image_generator_load(generator, &metadata, path, err));
    SBL_TRY(sbl_json_get_string(&number, metadata, "rows", path, err));
    if (!sbl_text_to_u64(rows, number))
        status = sbl_fail(err, SBL_EINPUT, "%s: field 'rows' must be a whole number", path);
done:
    json_decref(metadata);
    if (status != SBL_OK) sbl_image_generator_clear(generator);
    return status;
}

sbl_status sbl_images_is_model(bool *is, const char *model_path, sbl_error *err)
{
    sbl_safetensors file;
    *is = false;
    const sbl_status status = sbl_safetensors_load(&file, model_path, err);
    if (status != SBL_OK) return status;
    *is = sbl_image_generator_is(file.metadata);
    sbl_safetensors_clear(&file);
    return SBL_OK;
}
