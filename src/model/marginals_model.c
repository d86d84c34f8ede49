#include "model/marginals_model.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/size.h"
#include "tensors/safetensors.h"

#define FORMAT "semblance.format"
#define FORMAT_NAME "marginals 2"
#define PLAN "semblance.plan"
#define SUM_TOLERANCE 1e-3 /* of probabilities stored as float32 */

/* The cells of a plan's text; the rest of it belongs to features/, which checked it. */
static sbl_status read_cells(sbl_cells *cells, const char *plan, const char *where, sbl_error *err)
{
    json_t *root = NULL, *object;
    sbl_status status;
    SBL_TRY(sbl_json_parse(&root, plan, strlen(plan), where, err));
    SBL_TRY(sbl_json_get_object(&object, root, "cells", where, err));
    SBL_TRY(sbl_cells_from_json(cells, object, where, err));
done:
    json_decref(root);
    return status;
}

sbl_status sbl_marginals_model_init(sbl_marginals_model *model, const char *plan, const char *where,
                                    sbl_error *err)
{
    size_t values, length = strlen(plan);
    *model = (sbl_marginals_model){0};
    sbl_status status = read_cells(&model->cells, plan, where, err);
    if (status != SBL_OK) return status;
    if (!sbl_size_mul(&values, model->cells.classes, model->cells.total)) values = SIZE_MAX;
    model->plan = sbl_alloc_array(length + 1, 1);
    model->probabilities = sbl_alloc_array(values, sizeof *model->probabilities);
    model->class_shares = sbl_alloc_array(model->cells.classes, sizeof *model->class_shares);
    if (!model->plan || !model->probabilities || !model->class_shares) {
        sbl_marginals_model_clear(model);
        return sbl_fail(err, SBL_EMEM, "out of memory for a model of marginals");
    }
    memcpy(model->plan, plan, length + 1);
    return SBL_OK;
}

void sbl_marginals_model_clear(sbl_marginals_model *model)
{
    sbl_cells_clear(&model->cells);
    sbl_free(model->plan);
    sbl_free(model->probabilities);
    sbl_free(model->class_shares);
    *model = (sbl_marginals_model){0};
}

sbl_status sbl_marginals_model_save(const sbl_marginals_model *model, const char *path,
                                    const json_t *extra, bool overwrite, sbl_error *err)
{
    const sbl_tensor tensors[] = {
        {"probabilities", 2, {model->cells.classes, model->cells.total}, model->probabilities},
        {"class_shares", 1, {model->cells.classes, 0}, model->class_shares},
    };
    sbl_status status;
    json_t *metadata = extra ? json_deep_copy(extra) : json_object();
    if (!metadata || json_object_set_new(metadata, FORMAT, json_string(FORMAT_NAME)) != 0 ||
        json_object_set_new(metadata, PLAN, json_string(model->plan)) != 0)
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model file");
    else
        status = sbl_safetensors_save(path, tensors, 2, metadata, overwrite, err);
    json_decref(metadata);
    return status;
}

/* Nonnegative numbers with sum 1. */
static bool is_distribution(const float *values, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] >= 0)) return false;
        total += (double)values[i];
    }
    return fabs(total - 1) <= SUM_TOLERANCE;
}

static bool is_model(const sbl_marginals_model *model)
{
    const sbl_cells *cells = &model->cells;
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++)
            if (!is_distribution(model->probabilities + c * cells->total + cells->columns[k].offset,
                                 cells->columns[k].count))
                return false;
    return is_distribution(model->class_shares, cells->classes);
}

static sbl_status read_tensor(float *values, const sbl_safetensors *file, const char *name,
                              size_t rows, size_t columns, const char *path, sbl_error *err)
{
    const sbl_tensor *tensor = sbl_safetensors_find(file, name, rows, columns);
    if (!tensor)
        return sbl_fail(err, SBL_EINPUT, "%s: tensor '%s' is missing or of another shape", path,
                        name);
    memcpy(values, tensor->data, rows * (columns ? columns : 1) * sizeof *values);
    return SBL_OK;
}

static sbl_status read_model(sbl_marginals_model *model, const sbl_safetensors *file,
                             const char *path, sbl_error *err)
{
    const char *format, *plan;
    sbl_status status;
    SBL_TRY(sbl_json_get_string(&format, file->metadata, FORMAT, path, err));
    if (strcmp(format, FORMAT_NAME) != 0)
        return sbl_fail(err, SBL_EINPUT, "%s: this version reads model format '%s' only", path,
                        FORMAT_NAME);
    SBL_TRY(sbl_json_get_string(&plan, file->metadata, PLAN, path, err));
    SBL_TRY(sbl_marginals_model_init(model, plan, path, err));
    SBL_TRY(read_tensor(model->probabilities, file, "probabilities", model->cells.classes,
                        model->cells.total, path, err));
    SBL_TRY(
        read_tensor(model->class_shares, file, "class_shares", model->cells.classes, 0, path, err));
    if (!is_model(model))
        status = sbl_fail(err, SBL_EINPUT, "%s: the model's probabilities do not sum to 1", path);
done:
    return status;
}

sbl_status sbl_marginals_model_load(sbl_marginals_model *model, json_t **extra, const char *path,
                                    sbl_error *err)
{
    sbl_safetensors file;
    *model = (sbl_marginals_model){0};
    if (extra) *extra = NULL;
    sbl_status status = sbl_safetensors_load(&file, path, err);
    if (status != SBL_OK) return status;
    status = read_model(model, &file, path, err);
    if (status != SBL_OK)
        sbl_marginals_model_clear(model);
    else if (extra)
        *extra = json_incref(file.metadata);
    sbl_safetensors_clear(&file);
    return status;
}
