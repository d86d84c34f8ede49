#include "pipeline/model_store.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "compute/threads.h"
#include "tensors/safetensors.h"
#include "pipeline/method.h"

json_t *sbl_model_metadata(const sbl_recipe *recipe, const char *certificate, double rows)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%.0f", rows < 1.0 ? 1.0 : rows);
    json_t *metadata = json_pack("{s:s, s:s, s:s}", "recipe", recipe->text, "rows", number,
                                 "method", recipe->method->name);
    if (metadata != NULL && certificate != NULL &&
        json_object_set_new(metadata, "certificate", json_string(certificate)) != 0) {
        json_decref(metadata);
        return NULL;
    }
    return metadata;
}

sbl_status sbl_model_make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                          const char *certificate, const sbl_synth_options *options, sbl_error *err)
{
    if (options->threads != 0) sbl_thread_set((int)options->threads);
    return recipe->method->make(path, release, recipe, certificate, options, err);
}

/* ---- opening and drawing ---- */

sbl_status sbl_model_read_metadata(sbl_model *model, const json_t *metadata, const char *path,
                                   sbl_error *err)
{
    const char *recipe;
    const char *rows;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_string(&recipe, metadata, "recipe", path, err));
    SBL_TRY(sbl_json_get_string(&rows, metadata, "rows", path, err));
    SBL_TRY(sbl_recipe_parse(&model->recipe, recipe, path, err));
    if (model->recipe.method != model->method)
        status =
            sbl_fail(err, SBL_EINPUT, "%s: the model is not of the method it was made by", path);
    else if (!sbl_text_to_u64(&model->rows, rows))
        status = sbl_fail(err, SBL_EINPUT, "%s: field 'rows' must be a whole number", path);
done:
    return status;
}

/* Which method wrote the file. */
static sbl_status find_method(const sbl_method **method, const char *path, sbl_error *err)
{
    sbl_safetensors file;
    const char *name;
    sbl_status status = sbl_safetensors_load(&file, path, err);
    if (status != SBL_OK) return status;
    SBL_TRY(sbl_json_get_string(&name, file.metadata, "method", path, err));
    if (sbl_method_find(method, name, NULL) != SBL_OK)
        status =
            sbl_fail(err, SBL_EINPUT, "%s: the file holds no model that this version knows", path);
done:
    sbl_safetensors_clear(&file);
    return status;
}

sbl_status sbl_model_open(sbl_model **model, const char *path, uint64_t seed, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_model *made = sbl_alloc_array(1, sizeof *made);
    *model = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    SBL_TRY(find_method(&made->method, path, err));
    SBL_TRY(made->method->open(made, path, seed, err));
    *model = made;
    made = NULL;
done:
    sbl_model_close(made);
    return status;
}

void sbl_model_close(sbl_model *model)
{
    if (model == NULL) return;
    if (model->method != NULL) model->method->close(model);
    sbl_recipe_clear(&model->recipe);
    sbl_free(model);
}

const sbl_recipe *sbl_model_recipe(const sbl_model *model) { return &model->recipe; }

uint64_t sbl_model_rows(const sbl_model *model) { return model->rows; }

const sbl_codec *sbl_model_output(const sbl_model *model)
{
    return model->method->output != NULL ? model->method->output(model) : &model->recipe.codec;
}

sbl_status sbl_model_draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                          size_t rows, size_t wanted, sbl_error *err)
{
    return model->method->draw(model, numeric, codes, first, rows, wanted, err);
}
