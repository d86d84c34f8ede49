/* Allocation of a model of pairs; its file is written and read in model_file.c. */
#include "pairs/model.h"

#include "base/memory.h"
#include "base/size.h"

sbl_status sbl_pairs_model_init(sbl_pairs_model *model, const uint32_t *cells,
                                const uint32_t *codes, const uint32_t *groups, size_t count,
                                size_t row_count, sbl_error *err)
{
    size_t total = 0, state = 0;
    *model = (sbl_pairs_model){.row_count = row_count};
    sbl_status status = sbl_potts_init(&model->potts, codes, groups, count, err);
    if (status != SBL_OK) return status;
    for (size_t j = 0; j < count; j++) total += cells[j];
    if (!sbl_size_mul(&state, row_count, sbl_potts_row(&model->potts))) state = SIZE_MAX;
    model->cells_at = sbl_alloc_array(count + 1, sizeof *model->cells_at);
    model->code_of = sbl_alloc_array(total, sizeof *model->code_of);
    model->share = sbl_alloc_array(total, sizeof *model->share);
    model->rows = sbl_alloc_array(state, sizeof *model->rows);
    if (!model->cells_at || !model->code_of || !model->share || !model->rows) {
        sbl_pairs_model_clear(model);
        return sbl_fail(err, SBL_EMEM, "out of memory for a model of pairs");
    }
    for (size_t j = 0; j < count; j++) model->cells_at[j + 1] = model->cells_at[j] + cells[j];
    return SBL_OK;
}

void sbl_pairs_model_clear(sbl_pairs_model *model)
{
    sbl_potts_clear(&model->potts);
    sbl_free(model->cells_at);
    sbl_free(model->code_of);
    sbl_free(model->share);
    sbl_free(model->rows);
    *model = (sbl_pairs_model){0};
}
