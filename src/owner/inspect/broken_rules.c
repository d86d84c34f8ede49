/* Counts broken constraints batch by batch, with cells that did not fit their column taken as
 * missing. NOT PRIVATE: for `schema check`. */
#include "owner/inspect/broken_rules.h"

#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "public/rows/codec.h"
#include "records/formats/diagnose.h"

sbl_status sbl_broken_rules_begin(sbl_broken_rules *broken, const sbl_rules *rules, const sbl_schema *schema,
                                  sbl_error *err)
{
    *broken = (sbl_broken_rules){.rules = rules};
    if (rules == NULL) return SBL_OK;
    broken->rows = sbl_alloc_array(sbl_rules_count(rules), sizeof *broken->rows);
    if (broken->rows == NULL) return sbl_no_memory(err, "constraints");
    return sbl_person_rules_begin(&broken->persons, rules, schema, err);
}

void sbl_broken_rules_clear(sbl_broken_rules *broken)
{
    sbl_free_wiped(broken->full, broken->capacity * sizeof *broken->full);
    sbl_free_wiped(broken->rows, sbl_rules_count(broken->rules) * sizeof *broken->rows);
    sbl_person_rules_clear(&broken->persons);
    *broken = (sbl_broken_rules){0};
}

static void forget_misfits(double *row, const sbl_batch *batch, const uint8_t *faults)
{
    const sbl_schema *schema = batch->schema;
    for (size_t c = 0; faults != NULL && c < schema->column_count; c++)
        if (sbl_cell_is_misfit(&schema->columns[c], (sbl_cell_fault)faults[c])) row[c] = NAN;
}

void sbl_broken_rules_take(sbl_broken_rules *broken, const sbl_batch *batch)
{
    const size_t columns = batch->schema->column_count;
    if (broken->rules == NULL || broken->failed) return;
    if (broken->full == NULL) {
        broken->full = sbl_alloc_array(columns, batch->capacity * sizeof *broken->full);
        broken->failed = broken->full == NULL;
        broken->capacity = broken->failed ? 0 : columns * batch->capacity;
        if (broken->failed) return;
    }
    sbl_rows_of_batch(broken->full, batch);
    for (size_t r = 0; r < batch->rows; r++) {
        double *row = broken->full + r * columns;
        forget_misfits(row, batch, sbl_batch_faults(batch, r));
        for (size_t i = 0; i < sbl_rules_count(broken->rules); i++)
            broken->rows[i] += !sbl_rules_holds(broken->rules, i, row);
        if (!sbl_person_rules_take(&broken->persons, batch, r, row)) broken->failed = true;
    }
}

sbl_status sbl_broken_rules_describe(sbl_text *text, sbl_broken_rules *broken, sbl_error *err)
{
    if (broken->failed) return sbl_no_memory(err, "constraints");
    const sbl_status status = sbl_person_rules_count(broken->rows, &broken->persons, err);
    if (status != SBL_OK) return status;
    for (size_t i = 0; i < sbl_rules_count(broken->rules); i++)
        if (broken->rows[i] > 0)
            sbl_text_printf(text, "constraint %s: %" PRIu64 " %s\n", sbl_rules_text(broken->rules, i),
                            broken->rows[i], broken->rows[i] == 1 ? "row breaks it" : "rows break it");
        else
            sbl_text_printf(text, "constraint %s: all rows hold\n", sbl_rules_text(broken->rules, i));
    return SBL_OK;
}
