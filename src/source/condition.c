#include "source/condition.h"

static bool holds(const sbl_batch *batch, size_t row, const sbl_condition *condition)
{
    const sbl_batch_column *column = &batch->columns[condition->column];
    if (column->codes != NULL) return column->codes[row] == condition->code;
    const bool missing = column->missing != NULL && column->missing[row] != 0;
    return missing == condition->missing && (missing || column->values[row] == condition->value);
}

static void move_row(sbl_batch *batch, size_t to, size_t from)
{
    for (size_t i = 0; i < batch->schema->column_count; i++) {
        sbl_batch_column *column = &batch->columns[i];
        if (column->values != NULL) column->values[to] = column->values[from];
        if (column->missing != NULL) column->missing[to] = column->missing[from];
        if (column->codes != NULL) column->codes[to] = column->codes[from];
    }
}

void sbl_conditions_keep(sbl_batch *batch, const sbl_condition *conditions, size_t count,
                         uint64_t most)
{
    size_t kept = 0;
    for (size_t row = 0; row < batch->rows && kept < most; row++) {
        bool good = true;
        for (size_t i = 0; good && i < count; i++) good = holds(batch, row, &conditions[i]);
        if (!good) continue;
        if (kept != row) move_row(batch, kept, row);
        kept++;
    }
    batch->rows = kept;
}
