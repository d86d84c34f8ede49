/* SPDX-License-Identifier: Apache-2.0 */
/* Counts broken constraints batch by batch, with cells that did not fit their column taken as
 * missing. NOT PRIVATE: for `schema check`. */
#include "owner/inspect/broken_rules.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Room for the rows of a batch, and for one row with those above it after them. */
static bool make_room(sbl_broken_rules *broken, const sbl_batch *batch, size_t width)
{
    if (broken->full != NULL) return true;
    const size_t values = batch->schema->column_count * batch->capacity + width;
    broken->full = sbl_alloc_array(values, sizeof *broken->full);
    broken->failed = broken->full == NULL;
    broken->capacity = broken->failed ? 0 : values;
    return !broken->failed;
}

/* A row with the columns of the rows above it; those of an orphan are missing. */
static const double *widen(const sbl_broken_rules *broken, const sbl_batch *batch, size_t r, size_t width)
{
    const size_t own = batch->schema->column_count;
    const double *row = broken->full + r * own;
    double *wide = broken->full + batch->capacity * own;
    if (width == own) return row;
    const double *parent = batch->units != NULL ? sbl_rows_above_find(broken->above, batch->units[r]) : NULL;
    memcpy(wide, row, own * sizeof *wide);
    for (size_t c = own; c < width; c++) wide[c] = parent != NULL ? parent[c - own] : (double)NAN;
    return wide;
}

/* A row is kept by its own key, which is the root's unit. */
static bool keep(const sbl_broken_rules *broken, const sbl_batch *batch, size_t r)
{
    const size_t own = batch->schema->column_count;
    if (broken->kept == NULL || batch->units == NULL) return true;
    const sbl_unit_tag key = batch->keys != NULL ? batch->keys[r] : batch->units[r];
    return sbl_rows_above_keep(
        broken->kept, key, broken->full + r * own, own,
        broken->above != NULL ? sbl_rows_above_find(broken->above, batch->units[r]) : NULL);
}

void sbl_broken_rules_take(sbl_broken_rules *broken, const sbl_batch *batch)
{
    const size_t own = batch->schema->column_count;
    const size_t width = sbl_rules_look_above(broken->rules) ? sbl_rules_columns(broken->rules) : own;
    if ((broken->rules == NULL && broken->kept == NULL) || broken->failed || !make_room(broken, batch, width))
        return;
    sbl_rows_of_batch(broken->full, batch);
    for (size_t r = 0; r < batch->rows; r++) {
        forget_misfits(broken->full + r * own, batch, sbl_batch_faults(batch, r));
        const double *row = widen(broken, batch, r, width);
        for (size_t i = 0; i < sbl_rules_count(broken->rules); i++)
            broken->rows[i] += !sbl_rules_holds(broken->rules, i, row);
        if (!sbl_person_rules_take(&broken->persons, batch, r, row) || !keep(broken, batch, r))
            broken->failed = true;
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
