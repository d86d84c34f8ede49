/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the rows that were kept by person, order and place in the table, and holds each against the one before. */
#include "owner/inspect/person_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define WHAT "constraints"
#define FIRST_ROWS 4096

struct sbl_person_row {
    sbl_unit_tag unit;
    double order;
    size_t place; /* in the table */
};

sbl_status sbl_person_rules_begin(sbl_person_rules *kept, const sbl_rules *rules, const sbl_schema *schema,
                                  sbl_error *err)
{
    sbl_status status = SBL_OK;
    *kept = (sbl_person_rules){.schema = schema};
    if (!sbl_rules_look_back(rules)) return SBL_OK;
    SBL_ALLOC(kept->columns, schema->column_count, WHAT);
    for (size_t c = 0; c < schema->column_count; c++)
        if (sbl_rules_look_back_by(rules, c)) kept->columns[kept->width++] = c;
    kept->rules = rules;
done:
    return status;
}

static void free_rows(sbl_person_rules *kept)
{
    sbl_free_wiped(kept->rows, kept->capacity * sizeof *kept->rows);
    sbl_free_wiped(kept->values, kept->capacity * kept->width * sizeof *kept->values);
}

void sbl_person_rules_clear(sbl_person_rules *kept)
{
    free_rows(kept);
    sbl_free(kept->columns);
    *kept = (sbl_person_rules){0};
}

/* Twice as many, the old ones wiped. */
static bool grow(sbl_person_rules *kept)
{
    const size_t capacity = kept->capacity != 0 ? 2 * kept->capacity : FIRST_ROWS;
    const size_t width = kept->width;
    sbl_person_row *rows = sbl_alloc_array(capacity, sizeof *rows);
    double *values = sbl_alloc_array(capacity, width * sizeof *values);
    if (rows == NULL || values == NULL) {
        sbl_free(rows);
        sbl_free(values);
        return false;
    }
    if (kept->count > 0) {
        memcpy(rows, kept->rows, kept->count * sizeof *rows);
        memcpy(values, kept->values, kept->count * width * sizeof *values);
    }
    free_rows(kept);
    kept->rows = rows;
    kept->values = values;
    kept->capacity = capacity;
    return true;
}

bool sbl_person_rules_take(sbl_person_rules *kept, const sbl_batch *batch, size_t row, const double *full)
{
    if (kept->rules == NULL) return true;
    const sbl_unit_tag unit = batch->units[row];
    if (unit.low == 0 && unit.high == 0) return true; /* no person: no row precedes it */
    if (kept->count == kept->capacity && !grow(kept)) return false;
    const size_t order = kept->schema->order;
    const double *times = order != SBL_NO_COLUMN ? batch->columns[order].values : NULL;
    kept->rows[kept->count] = (sbl_person_row){unit, times != NULL ? times[row] : 0, kept->count};
    for (size_t i = 0; i < kept->width; i++)
        kept->values[kept->count * kept->width + i] = full[kept->columns[i]];
    kept->count++;
    return true;
}

static int compare(const void *a, const void *b)
{
    const sbl_person_row *x = a, *y = b;
    if (x->unit.high != y->unit.high) return x->unit.high < y->unit.high ? -1 : 1;
    if (x->unit.low != y->unit.low) return x->unit.low < y->unit.low ? -1 : 1;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void unfold(double *full, const sbl_person_rules *kept, size_t i)
{
    const double *values = kept->values + kept->rows[i].place * kept->width;
    for (size_t c = 0; c < kept->width; c++) full[kept->columns[c]] = values[c];
}

sbl_status sbl_person_rules_count(uint64_t *broken, sbl_person_rules *kept, sbl_error *err)
{
    double *full = NULL;
    sbl_status status = SBL_OK;
    if (kept->rules == NULL) return SBL_OK;
    const size_t columns = kept->schema->column_count;
    SBL_ALLOC(full, 2 * columns, WHAT);
    for (size_t c = 0; c < 2 * columns; c++) full[c] = NAN;
    if (kept->count > 0) qsort(kept->rows, kept->count, sizeof *kept->rows, compare);
    for (size_t i = 1; i < kept->count; i++) {
        const sbl_unit_tag a = kept->rows[i - 1].unit, b = kept->rows[i].unit;
        if (a.low != b.low || a.high != b.high) continue;
        unfold(full, kept, i - 1);
        unfold(full + columns, kept, i);
        for (size_t r = 0; r < sbl_rules_count(kept->rules); r++)
            if (sbl_rule_looks_back(kept->rules, r))
                broken[r] += !sbl_rules_holds_after(kept->rules, r, full + columns, full);
    }
done:
    sbl_free_wiped(full, 2 * kept->schema->column_count * sizeof *full);
    return status;
}
