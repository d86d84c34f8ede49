/* Cells of the synthetic table that its schema does not foresee. A table that this program wrote
 * has none. */
#include "fidelity/measures.h"

static uint64_t faults(const sbl_column_diagnosis *column)
{
    uint64_t sum = 0;
    for (int fault = SBL_CELL_MISSING_REQUIRED; fault < SBL_CELL_FAULT_COUNT; fault++)
        sum += column->cells[fault];
    return sum;
}

sbl_status sbl_measure_domain(json_t **result, const sbl_diagnosis *diagnosis,
                              const sbl_schema *schema, sbl_error *err)
{
    json_t *columns = json_array();
    uint64_t cells = 0;
    for (size_t c = 0; c < schema->column_count; c++) {
        const uint64_t count = faults(&diagnosis->columns[c]);
        if (schema->columns[c].kind == SBL_COLUMN_IGNORED || count == 0) continue;
        (void)json_array_append_new(
            columns,
            json_pack("{s:s, s:I}", "name", schema->columns[c].name, "cells", (json_int_t)count));
        cells += count;
    }
    const uint64_t rows = diagnosis->rows_with_few_cells + diagnosis->rows_with_extra_cells +
                          diagnosis->rows_too_long;
    *result = json_pack("{s:I, s:I, s:o}", "cells", (json_int_t)cells, "rows", (json_int_t)rows,
                        "columns", columns);
    return *result != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for counts of cells");
}
