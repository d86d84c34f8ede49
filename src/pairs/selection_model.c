/* The parts of a model that are no matter of fitting: sizes, and how codes divide into cells. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "pairs/selection_parts.h"

static sbl_status no_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for a model of pairs");
}

sbl_status sbl_selection_model_init(sbl_pairs_model *model, const sbl_pairs_selection *selection,
                                    sbl_error *err)
{
    const size_t count = selection->setting.count;
    uint32_t *cells = sbl_alloc_array(count, 3 * sizeof *cells);
    if (!cells) return no_memory(err);
    uint32_t *codes = cells + count, *groups = codes + count;
    for (size_t j = 0; j < count; j++) {
        cells[j] = selection->facts[j].cells;
        codes[j] = selection->columns[j].codes.cells;
        groups[j] = selection->columns[j].groups.cells;
    }
    const sbl_status status =
        sbl_pairs_model_init(model, cells, codes, groups, count, selection->state_rows, err);
    for (size_t j = 0; status == SBL_OK && j < count; j++)
        memcpy(model->potts.columns[j].group_of, selection->columns[j].group_of,
               codes[j] * sizeof(uint16_t));
    sbl_free(cells);
    if (status != SBL_OK) return status;
    model->table_rows = (uint64_t)llround(selection->setting.rows);
    model->seed = selection->setting.seed;
    return SBL_OK;
}

#define SILENT 1e-6 /* of a cell that is not: counts where a code has no other */

static double even_share(const sbl_known_column *column, uint32_t cell, double number)
{
    const bool silent = sbl_pairs_histogram_silent(&column->histogram, cell);
    return number < 0.5 ? SILENT / number : (silent ? 0 : 1) / number;
}

/* Shares of one column's cells within their codes; even where the code has no mass at all, over the
 * cells that are not silent if it has any. */
static void set_column(sbl_pairs_model *model, const sbl_known_column *column, size_t j,
                       double *mass, double *number)
{
    const size_t at = model->cells_at[j], cells = model->cells_at[j + 1] - at;
    const uint32_t *of = column->codes.of;
    for (uint32_t v = 0; v < column->codes.cells; v++) mass[v] = number[v] = 0;
    for (size_t c = 0; c < cells; c++) {
        mass[of[c]] += column->fine[c];
        number[of[c]] += sbl_pairs_histogram_silent(&column->histogram, (uint32_t)c) ? SILENT : 1;
    }
    for (size_t c = 0; c < cells; c++) {
        model->code_of[at + c] = of[c];
        model->share[at + c] =
            (float)(mass[of[c]] > 0 ? column->fine[c] / mass[of[c]]
                                    : even_share(column, (uint32_t)c, number[of[c]]));
    }
}

sbl_status sbl_selection_model_cells(sbl_pairs_model *model, const sbl_pairs_selection *selection,
                                     sbl_error *err)
{
    double *mass = sbl_alloc_array(2 * SBL_PAIRS_MOST_CELLS, sizeof *mass);
    if (!mass) return no_memory(err);
    for (size_t j = 0; j < selection->setting.count; j++)
        set_column(model, &selection->columns[j], j, mass, mass + SBL_PAIRS_MOST_CELLS);
    sbl_free(mass);
    return SBL_OK;
}
