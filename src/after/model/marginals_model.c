/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation and the two tensors of a model of marginals. The cells are not stored: they follow
 * from the schema, and a file is only checked to hold distributions over them. */
#include "after/model/marginals_model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

#define TENSORS 2
#define SUM_TOLERANCE 1e-3 /* of probabilities stored as float32 */

sbl_status sbl_marginals_model_init(sbl_marginals_model *model, sbl_bins *cells, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *model = (sbl_marginals_model){.cells = *cells};
    *cells = (sbl_bins){0};
    SBL_POOL(&model->pool, model->probabilities, model->cells.classes, model->cells.total,
             "a model of marginals");
    SBL_POOL(&model->pool, model->class_shares, model->cells.classes, 1, "a model of marginals");
done:
    if (status != SBL_OK) sbl_marginals_model_clear(model);
    return status;
}

void sbl_marginals_model_clear(sbl_marginals_model *model)
{
    sbl_bins_clear(&model->cells);
    sbl_pool_clear(&model->pool);
    *model = (sbl_marginals_model){0};
}

static void list_tensors(sbl_tensor tensors[TENSORS], const sbl_marginals_model *model)
{
    const size_t classes = model->cells.classes;
    const sbl_tensor all[TENSORS] = {
        {"probabilities", 2, {classes, model->cells.total}, model->probabilities, SBL_TENSOR_F32},
        {"class_shares", 1, {classes, 0}, model->class_shares, SBL_TENSOR_F32},
    };
    memcpy(tensors, all, sizeof all);
}

sbl_status sbl_marginals_model_save(const sbl_marginals_model *model, sbl_store_entry to,
                                    const json_t *metadata, bool overwrite, sbl_error *err)
{
    sbl_tensor tensors[TENSORS];
    list_tensors(tensors, model);
    return sbl_safetensors_save(to, tensors, TENSORS, metadata, overwrite, err);
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
    const sbl_bins *cells = &model->cells;
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++)
            if (!is_distribution(model->probabilities + c * cells->total + cells->columns[k].offset,
                                 cells->columns[k].count))
                return false;
    return is_distribution(model->class_shares, cells->classes);
}

sbl_status sbl_marginals_model_read(sbl_marginals_model *model, sbl_bins *cells, const sbl_safetensors *file,
                                    const char *where, sbl_error *err)
{
    sbl_tensor tensors[TENSORS];
    sbl_status status = sbl_marginals_model_init(model, cells, err);
    if (status != SBL_OK) return status;
    list_tensors(tensors, model);
    SBL_TRY(sbl_safetensors_read(file, tensors, TENSORS, where, err));
    if (!is_model(model))
        status = sbl_fail(err, SBL_EINPUT, "%s: the model's probabilities do not sum to 1", where);
done:
    if (status != SBL_OK) sbl_marginals_model_clear(model);
    return status;
}
