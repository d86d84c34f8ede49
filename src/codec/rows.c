/* Copies between the columns of a batch and rows of doubles, both ways, with NaN for missing. */
#include "codec/rows.h"

#include <math.h>

void sbl_rows_of_batch(double *rows, const sbl_batch *batch)
{
    const size_t columns = batch->schema->column_count;
    for (size_t c = 0; c < columns; c++) {
        const sbl_batch_column *column = &batch->columns[c];
        const uint32_t missing = sbl_column_missing_code(&batch->schema->columns[c]);
        for (size_t row = 0; row < batch->rows; row++) {
            double value = NAN;
            if (column->codes != NULL && column->codes[row] != missing)
                value = column->codes[row];
            else if (column->values != NULL &&
                     (column->missing == NULL || column->missing[row] == 0))
                value = column->values[row];
            rows[row * columns + c] = value;
        }
    }
}

void sbl_batch_of_rows(sbl_batch *batch, const double *rows)
{
    const size_t columns = batch->schema->column_count;
    for (size_t c = 0; c < columns; c++) {
        const sbl_column *facts = &batch->schema->columns[c];
        const sbl_batch_column *column = &batch->columns[c];
        for (size_t row = 0; row < batch->rows; row++) {
            const double value = rows[row * columns + c];
            if (column->codes != NULL)
                column->codes[row] =
                    isnan(value) ? sbl_column_missing_code(facts) : (uint32_t)value;
            if (column->values != NULL)
                column->values[row] = isnan(value) ? facts->fallback : value;
            if (column->missing != NULL) column->missing[row] = (uint8_t)(isnan(value) ? 1 : 0);
        }
    }
}
