#include "pipeline/model_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "compute/threads.h"
#include "model/generator_file.h"
#include "model/marginals_model.h"
#include "sample/marginals_sampler.h"
#include "sample/sampler.h"
#include "train/marginals_fit.h"
#include "train/merf.h"

struct sbl_model {
    sbl_recipe recipe;
    sbl_sampler *merf;
    sbl_marginals_model histograms;
    sbl_marginals_sampler *marginals;
    uint64_t rows;
    uint32_t *labels; /* merf: scratch */
    size_t labels_size;
    uint32_t *columns; /* merf: codes without the label */
};

/* ---- making ---- */

/* What goes beside the tensors: enough to draw rows, and the promise that came with the release. */
static json_t *metadata(const sbl_recipe *recipe, const char *certificate, double rows)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%.0f", rows < 1.0 ? 1.0 : rows);
    json_t *extra = json_pack("{s:s, s:s, s:s}", "recipe", recipe->text, "rows", number, "method",
                              sbl_method_name(recipe->method));
    if (extra != NULL && certificate != NULL &&
        json_object_set_new(extra, "certificate", json_string(certificate)) != 0) {
        json_decref(extra);
        return NULL;
    }
    return extra;
}

static void choose_training(sbl_train_options *training, const sbl_synth_options *options)
{
    sbl_train_options_init(training);
    if (options->latent != 0) training->latent = options->latent;
    if (options->steps != 0) training->steps = options->steps;
    if (options->batch != 0) training->batch = options->batch;
    if (options->learning_rate != 0.0) training->rate = options->learning_rate;
    if (options->hidden_count != 0) {
        training->depth = options->hidden_count;
        for (size_t i = 0; i < options->hidden_count; i++) training->hidden[i] = options->hidden[i];
    }
    training->seed = options->seed;
}

/* The trainer's progress as ours. */
static int report_step(void *data, size_t step, size_t steps, double loss)
{
    const sbl_synth_options *options = data;
    return options->progress(options->context, "training", step, steps, loss);
}

static sbl_status make_merf(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                            const char *certificate, const sbl_synth_options *options,
                            sbl_error *err)
{
    sbl_merf_target target = {0};
    sbl_generator generator = {0};
    sbl_train_options training;
    json_t *extra = NULL;
    sbl_synth_options callbacks = *options;
    sbl_status status = SBL_OK;
    choose_training(&training, options);
    if (options->progress != NULL) {
        training.progress = report_step;
        training.progress_data = &callbacks;
    }
    SBL_TRY(sbl_merf_target_from_release(&target, &recipe->merf, release, err));
    SBL_TRY(sbl_train_merf(&generator, &recipe->merf, &target, &training, err));
    extra = metadata(recipe, certificate, target.rows);
    if (extra == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_generator_save(&generator, path, extra, options->overwrite, err));
done:
    json_decref(extra);
    sbl_generator_clear(&generator);
    sbl_merf_target_clear(&target);
    return status;
}

static sbl_status make_marginals(const char *path, const sbl_release *release,
                                 const sbl_recipe *recipe, const char *certificate,
                                 const sbl_synth_options *options, sbl_error *err)
{
    sbl_marginals_model model = {0};
    double rows;
    json_t *extra = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_marginals_fit(&model, &rows, &recipe->marginals, release, err));
    extra = metadata(recipe, certificate, rows);
    if (extra == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_marginals_model_save(&model, path, extra, options->overwrite, err));
done:
    json_decref(extra);
    sbl_marginals_model_clear(&model);
    return status;
}

sbl_status sbl_model_make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                          const char *certificate, const sbl_synth_options *options, sbl_error *err)
{
    if (options->threads != 0) sbl_thread_set((int)options->threads);
    return recipe->method == SBL_METHOD_MERF
               ? make_merf(path, release, recipe, certificate, options, err)
               : make_marginals(path, release, recipe, certificate, options, err);
}

/* ---- opening and drawing ---- */

static sbl_status read_metadata(sbl_model *model, const json_t *extra, const char *path,
                                sbl_error *err)
{
    const char *recipe;
    const char *rows;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_string(&recipe, extra, "recipe", path, err));
    SBL_TRY(sbl_json_get_string(&rows, extra, "rows", path, err));
    SBL_TRY(sbl_recipe_parse(&model->recipe, recipe, path, err));
    if (!sbl_text_to_u64(&model->rows, rows))
        status = sbl_fail(err, SBL_EINPUT, "%s: field 'rows' must be a whole number", path);
done:
    return status;
}

static bool same_shape(const sbl_record_shape *a, const sbl_record_shape *b)
{
    bool same =
        a->numeric == b->numeric && a->categorical == b->categorical && a->classes == b->classes;
    for (size_t k = 0; same && k < a->categorical; k++)
        same = a->cardinalities[k] == b->cardinalities[k];
    return same;
}

static sbl_status open_merf(sbl_model *model, const char *path, uint64_t seed, sbl_error *err)
{
    sbl_generator generator = {0};
    json_t *extra = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_generator_load(&generator, &extra, path, err));
    SBL_TRY(read_metadata(model, extra, path, err));
    if (model->recipe.method != SBL_METHOD_MERF ||
        !same_shape(&generator.shape, &model->recipe.merf.shape)) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the network is not one for its schema", path);
        goto done;
    }
    SBL_TRY(sbl_sampler_new(&model->merf, &generator, seed, err));
done:
    json_decref(extra);
    sbl_generator_clear(&generator);
    return status;
}

static sbl_status open_marginals(sbl_model *model, const char *path, uint64_t seed, sbl_error *err)
{
    json_t *extra = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_marginals_model_load(&model->histograms, &extra, path, err));
    SBL_TRY(read_metadata(model, extra, path, err));
    if (model->recipe.method != SBL_METHOD_MARGINALS ||
        strcmp(model->recipe.marginals.json, model->histograms.plan) != 0) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the histograms are not those of its schema", path);
        goto done;
    }
    SBL_TRY(sbl_marginals_sampler_new(&model->marginals, &model->histograms, seed, err));
done:
    json_decref(extra);
    return status;
}

sbl_status sbl_model_open(sbl_model **model, const char *path, uint64_t seed, sbl_error *err)
{
    sbl_model_kind kind;
    sbl_status status = SBL_OK;
    sbl_model *made = sbl_alloc_array(1, sizeof *made);
    *model = NULL;
    if (made == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    SBL_TRY(sbl_model_file_kind(&kind, path, err));
    SBL_TRY(kind == SBL_MODEL_MARGINALS ? open_marginals(made, path, seed, err)
                                        : open_merf(made, path, seed, err));
    *model = made;
    made = NULL;
done:
    sbl_model_close(made);
    return status;
}

void sbl_model_close(sbl_model *model)
{
    if (model == NULL) return;
    sbl_sampler_free(model->merf);
    sbl_marginals_sampler_free(model->marginals);
    sbl_marginals_model_clear(&model->histograms);
    sbl_recipe_clear(&model->recipe);
    sbl_free(model->labels);
    sbl_free(model->columns);
    sbl_free(model);
}

const sbl_recipe *sbl_model_recipe(const sbl_model *model) { return &model->recipe; }

uint64_t sbl_model_rows(const sbl_model *model) { return model->rows; }

/* The label is the class a row was drawn for; the other codes take their places around it. */
static sbl_status draw_merf(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                            size_t rows, size_t wanted, sbl_error *err)
{
    const sbl_recipe *recipe = &model->recipe;
    const size_t all = recipe->codec.heads.categorical_count;
    const size_t others = recipe->merf.shape.categorical;
    if (rows > model->labels_size) {
        sbl_free(model->labels);
        sbl_free(model->columns);
        model->labels_size = 0;
        model->labels = sbl_alloc_array(rows, sizeof *model->labels);
        model->columns = sbl_alloc_array(others, rows * sizeof *model->columns);
        if (model->labels == NULL || model->columns == NULL)
            return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
        model->labels_size = rows;
    }
    const sbl_status status = sbl_sampler_draw(model->merf, numeric, model->columns, model->labels,
                                               first, rows, wanted, err);
    for (size_t r = 0; status == SBL_OK && r < rows; r++) {
        for (size_t k = 0; k < others; k++)
            codes[r * all + recipe->code_columns[k]] = model->columns[r * others + k];
        if (recipe->label_column != SBL_NO_HEAD)
            codes[r * all + recipe->label_column] = model->labels[r];
    }
    return status;
}

sbl_status sbl_model_draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                          size_t rows, size_t wanted, sbl_error *err)
{
    return model->merf != NULL ? draw_merf(model, numeric, codes, first, rows, wanted, err)
                               : sbl_marginals_sampler_draw(model->marginals, numeric, codes, first,
                                                            rows, wanted, err);
}
