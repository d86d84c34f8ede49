/* SPDX-License-Identifier: Apache-2.0 */
/* [8] Conditions on drawn rows, either one column's value or a parsed program (public/rules/program.h),
 * and the compaction of a batch to the rows, or the whole persons, that hold them all. */
#include "after/sinks/sink.h"

#include <math.h>

#include "base/alloc.h"
#include "public/rows/row_batch.h"
#include "public/rules/parser.h"

struct sbl_row_condition {
    sbl_program program;
    double *row; /* (columns): NaN where the program does not look */
};

void sbl_row_condition_free(sbl_row_condition *condition)
{
    if (condition == NULL) return;
    sbl_program_clear(&condition->program);
    sbl_free(condition->row);
    sbl_free(condition);
}

sbl_status sbl_row_condition_new(sbl_row_condition **condition, const char *text, const sbl_schema *schema,
                                 sbl_error *err)
{
    sbl_status status = SBL_OK;
    *condition = NULL;
    sbl_row_condition *made = NULL;
    SBL_ALLOC(made, 1, "conditions");
    SBL_ALLOC(made->row, schema->column_count, "conditions");
    for (size_t i = 0; i < schema->column_count; i++) made->row[i] = NAN;
    SBL_TRY(sbl_condition_parse(&made->program, text, schema, err));
    *condition = made;
    made = NULL;
done:
    sbl_row_condition_free(made);
    return status;
}

/* As rules see it (public/rows/codec.h). */
static double cell(const sbl_batch *batch, size_t row, size_t place)
{
    const sbl_batch_column *column = &batch->columns[place];
    if (column->codes != NULL) {
        const uint32_t missing = sbl_column_missing_code(&batch->schema->columns[place]);
        return column->codes[row] != missing ? (double)column->codes[row] : (double)NAN;
    }
    const bool missing = column->missing != NULL && column->missing[row] != 0;
    return column->values != NULL && !missing ? column->values[row] : (double)NAN;
}

static bool row_holds(const sbl_batch *batch, size_t row, const sbl_row_condition *condition)
{
    const sbl_program *program = &condition->program;
    for (size_t i = 0; i < program->count; i++) {
        const sbl_rule_step *step = &program->steps[i];
        const bool two = step->op == SBL_OP_SAME;
        if (two) condition->row[step->other] = cell(batch, row, step->other);
        if (two || step->op == SBL_OP_COLUMN || step->op == SBL_OP_CATEGORY || step->op == SBL_OP_IN ||
            step->op == SBL_OP_MISSING)
            condition->row[step->column] = cell(batch, row, step->column);
    }
    return sbl_program_run(program, 0, program->count, condition->row) == 1;
}

bool sbl_condition_holds(const sbl_batch *batch, size_t row, const sbl_condition *condition)
{
    if (condition->on_row != NULL) return row_holds(batch, row, condition->on_row);
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
    if (batch->units != NULL) batch->units[to] = batch->units[from];
}

void sbl_conditions_keep(sbl_batch *batch, const sbl_condition *conditions, size_t count, uint64_t most)
{
    size_t kept = 0;
    for (size_t row = 0; row < batch->rows && kept < most; row++) {
        bool good = true;
        for (size_t i = 0; good && i < count; i++) good = sbl_condition_holds(batch, row, &conditions[i]);
        if (!good) continue;
        if (kept != row) move_row(batch, kept, row);
        kept++;
    }
    batch->rows = kept;
}

void sbl_rows_leave_out(sbl_batch *batch, const bool *left_out)
{
    size_t kept = 0;
    for (size_t row = 0; row < batch->rows; row++) {
        if (left_out[row]) continue;
        if (kept != row) move_row(batch, kept, row);
        kept++;
    }
    batch->rows = kept;
}

/* Has the person of rows first .. end - 1 a row for each condition? */
static bool person_holds(const sbl_batch *batch, size_t first, size_t end, const sbl_condition *conditions,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t row = first;
        while (row < end && !sbl_condition_holds(batch, row, &conditions[i])) row++;
        if (row == end) return false;
    }
    return true;
}

uint64_t sbl_conditions_keep_persons(sbl_batch *batch, const sbl_condition *conditions, size_t count,
                                     uint64_t most, uint64_t most_persons)
{
    const size_t rows = batch->rows;
    size_t kept = 0;
    uint64_t persons = 0;
    for (size_t first = 0, end; first < rows && kept < most && persons < most_persons; first = end) {
        for (end = first + 1; end < rows && batch->units[end].low == batch->units[first].low;) end++;
        if (!person_holds(batch, first, end, conditions, count)) continue;
        for (size_t row = first; row < end && kept < most; row++, kept++)
            if (kept != row) move_row(batch, kept, row);
        persons++;
    }
    batch->rows = kept;
    return persons;
}
