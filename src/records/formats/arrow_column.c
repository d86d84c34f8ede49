/* SPDX-License-Identifier: Apache-2.0 */
/* [1] Reads one column of an Arrow batch in runs of SBL_ARROW_RUN cells. Each run takes the path that was
 * chosen when the table was opened. Cells that do not fit it (missing, odd) are read again one by one, so a
 * fast path never decides what a cell means. */
#include "records/formats/arrow_column.h"

#include "base/alloc.h"
#include "base/error.h"
#include "public/rows/category_lookup.h"
#include "records/formats/arrow_value.h"

#define KEYS 1024 /* values that are remembered, a power of two; one that meets another takes its place */

/* ---- what is cached ---- */

static void forget(sbl_known_values *known)
{
    sbl_free_wiped(known->column.values, known->count * sizeof *known->column.values);
    sbl_free_wiped(known->column.codes, known->count * sizeof *known->column.codes);
    sbl_free_wiped(known->column.missing, known->count);
    sbl_free_wiped(known->faults, known->count);
    sbl_free_wiped(known->keys, known->count * sizeof *known->keys);
    sbl_free_wiped(known->used, known->count);
    *known = (sbl_known_values){0};
}

static sbl_status make_known(sbl_known_values *known, const sbl_column *facts, size_t count, bool by_keys,
                             sbl_error *err)
{
    const bool numeric = sbl_column_is_numeric(facts);
    sbl_status status = SBL_OK;
    known->count = count;
    SBL_ALLOC(known->faults, count, "the values of a column");
    if (numeric) {
        SBL_ALLOC(known->column.values, count, "the values of a column");
        SBL_ALLOC(known->column.missing, count, "the values of a column");
    } else {
        SBL_ALLOC(known->column.codes, count, "the values of a column");
    }
    if (by_keys) {
        SBL_ALLOC(known->keys, count, "the values of a column");
        SBL_ALLOC(known->used, count, "the values of a column");
    }
done:
    if (status != SBL_OK) forget(known);
    return status;
}

static void copy_known(const sbl_known_values *known, size_t entry, const sbl_binding_target *to, size_t row)
{
    if (to->column->codes != NULL)
        to->column->codes[row] = known->column.codes[entry];
    else
        to->column->values[row] = known->column.values[entry];
    if (to->column->missing != NULL) to->column->missing[row] = known->column.missing[entry];
    if (to->faults != NULL) to->faults[row * to->stride] = known->faults[entry];
}

/* ---- one cell ---- */

/* Cell number `at` of an array, counted from its offset. */
static void read_cell(sbl_arrow_column *column, const sbl_arrow_type *type, const struct ArrowArray *array,
                      int64_t at, const sbl_binding_target *to, size_t row)
{
    sbl_cell cell;
    sbl_arrow_cell_at(&cell, type, array, at, column->buffer);
    sbl_binding_cell(column->typed, column->index, to, row, &cell);
}

/* ---- the way of a column ---- */

static sbl_arrow_scale scale_of(const sbl_column *facts)
{
    return facts->kind == SBL_COLUMN_DATE       ? SBL_SCALE_DAYS
           : facts->kind == SBL_COLUMN_DATETIME ? SBL_SCALE_SECONDS
                                                : SBL_SCALE_PLAIN;
}

static sbl_arrow_way way_of(const sbl_arrow_column *column)
{
    const sbl_arrow_type *type = &column->type;
    if (type->codes != SBL_ARROW_REFUSED || type->kind == SBL_ARROW_BOOL) return SBL_WAY_CODES;
    if (type->kind == SBL_ARROW_NULL) return SBL_WAY_CELLS;
    if (sbl_arrow_has_texts(type)) return SBL_WAY_TEXTS;
    return sbl_binding_takes_values(column->typed, column->index) &&
                   sbl_arrow_has_numbers(type, column->scale)
               ? SBL_WAY_NUMBERS
               : SBL_WAY_KEYS;
}

static sbl_status learn_truths(sbl_arrow_column *column, const sbl_column *facts, sbl_error *err)
{
    sbl_known_values *known = &column->known;
    const sbl_status status = make_known(known, facts, 2, false, err);
    if (status != SBL_OK) return status;
    const sbl_binding_target to = {&known->column, known->faults, 1};
    for (size_t truth = 0; truth < 2; truth++)
        sbl_binding_cell(column->typed, column->index, &to, truth,
                         &(sbl_cell){.sort = SBL_CELL_IS_TRUTH, .whole = (int64_t)truth});
    return SBL_OK;
}

sbl_status sbl_arrow_column_open(sbl_arrow_column *column, const sbl_binding *typed, size_t index,
                                 /* NOLINTNEXTLINE(readability-non-const-parameter): kept */
                                 const sbl_arrow_type *type, bool read, char *buffer, sbl_error *err)
{
    const sbl_column *facts = sbl_binding_column(typed, index);
    *column = (sbl_arrow_column){
        .typed = typed, .buffer = buffer, .index = index, .type = *type, .scale = scale_of(facts)};
    column->way = read ? SBL_WAY_READ : way_of(column);
    if (column->way == SBL_WAY_KEYS) return make_known(&column->known, facts, KEYS, true, err);
    return type->kind == SBL_ARROW_BOOL && type->codes == SBL_ARROW_REFUSED ? learn_truths(column, facts, err)
                                                                            : SBL_OK;
}

void sbl_arrow_column_close(sbl_arrow_column *column) { forget(&column->known); }

/* ---- batches ---- */

/* All entries of a dictionary, where there are no more of them than rows. */
sbl_status sbl_arrow_column_begin(sbl_arrow_column *column, const struct ArrowArray *array, int64_t rows,
                                  sbl_error *err)
{
    sbl_known_values *known = &column->known;
    sbl_arrow_type plain = column->type;
    if (plain.codes == SBL_ARROW_REFUSED || array->dictionary->length > rows) return SBL_OK;
    plain.codes = SBL_ARROW_REFUSED;
    const sbl_status status = make_known(known, sbl_binding_column(column->typed, column->index),
                                         (size_t)array->dictionary->length, false, err);
    if (status != SBL_OK) return status;
    const sbl_binding_target to = {&known->column, known->faults, 1};
    for (size_t entry = 0; entry < known->count; entry++)
        read_cell(column, &plain, array->dictionary, (int64_t)entry, &to, entry);
    return SBL_OK;
}

void sbl_arrow_column_leave(sbl_arrow_column *column)
{
    if (column->type.codes != SBL_ARROW_REFUSED) forget(&column->known);
}

/* ---- runs ---- */

/* A code that no entry has is odd. */
static void copy_codes(const sbl_known_values *known, sbl_arrow_run *run, const sbl_binding_target *to,
                       size_t row)
{
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        if (run->keys[r] < known->count)
            copy_known(known, (size_t)run->keys[r], to, row + r);
        else
            run->is[r] = SBL_RUN_ODD;
        run->exceptions |= run->is[r] == SBL_RUN_ODD;
    }
}

/* from: of the run's first cell in the array, counted from its offset. */
static void copy_keys(sbl_arrow_column *column, const sbl_arrow_run *run, const struct ArrowArray *array,
                      int64_t from, const sbl_binding_target *to, size_t row)
{
    sbl_known_values *known = &column->known;
    const sbl_binding_target kept = {&known->column, known->faults, 1};
    for (size_t r = 0; r < run->count; r++) {
        if (run->is[r] != SBL_RUN_VALUE) continue;
        const uint64_t key = run->keys[r];
        const size_t entry = (size_t)(sbl_lookup_mix(0, key) % KEYS);
        if (known->used[entry] == 0 || known->keys[entry] != key) {
            read_cell(column, &column->type, array, from + (int64_t)r, &kept, entry);
            known->keys[entry] = key;
            known->used[entry] = 1;
        }
        copy_known(known, entry, to, row + r);
    }
}

/* Codes and faults that the stream has read already. */
static void copy_read(sbl_arrow_run *run, const struct ArrowArray *batch, const struct ArrowArray *array,
                      int64_t from, size_t count, const sbl_binding_target *to, size_t row)
{
    if (!sbl_arrow_run_read(run, to->column->codes + row, batch, array, from, count) || to->faults == NULL)
        return;
    const int64_t at = array->offset + batch->offset + from;
    for (size_t r = 0; r < count; r++)
        if (run->is[r] == SBL_RUN_VALUE)
            to->faults[(row + r) * to->stride] =
                (uint8_t)(sbl_load_uint32(array, at + (int64_t)r) >> SBL_READ_SHIFT);
}

/* Every cell that is a value; those that are not are marked. */
static void read_values(sbl_arrow_column *column, sbl_arrow_run *run, const struct ArrowArray *batch,
                        const struct ArrowArray *array, int64_t from, size_t count,
                        const sbl_binding_target *to, size_t row)
{
    const sbl_arrow_type *type = &column->type;
    const sbl_arrow_type codes = {.kind = type->codes != SBL_ARROW_REFUSED ? type->codes : type->kind};
    switch (column->way) {
    case SBL_WAY_NUMBERS:
        sbl_arrow_run_numbers(run, type, column->scale, batch, array, from, count);
        sbl_binding_values(column->typed, column->index, to, row, run->values, count,
                           sbl_arrow_is_whole(type));
        break;
    case SBL_WAY_TEXTS:
        sbl_arrow_run_texts(run, type, batch, array, from, count);
        sbl_binding_texts(column->typed, column->index, to, row, run->texts, count);
        break;
    case SBL_WAY_CODES:
        sbl_arrow_run_keys(run, &codes, batch, array, from, count);
        copy_codes(&column->known, run, to, row);
        break;
    case SBL_WAY_KEYS:
        sbl_arrow_run_keys(run, type, batch, array, from, count);
        copy_keys(column, run, array, batch->offset + from, to, row);
        break;
    case SBL_WAY_READ:
        copy_read(run, batch, array, from, count, to, row);
        break;
    default:
        run->count = count;
        run->exceptions = true;
        for (size_t r = 0; r < count; r++)
            run->is[r] = sbl_arrow_is_there(batch, from + (int64_t)r) ? SBL_RUN_ODD : SBL_RUN_MISSING;
        break;
    }
}

void sbl_arrow_column_read_to(sbl_arrow_column *column, const struct ArrowArray *batch,
                              const struct ArrowArray *array, int64_t from, const sbl_binding_target *to,
                              size_t row, size_t count)
{
    sbl_arrow_run run;
    for (size_t first = 0; first < count; first += SBL_ARROW_RUN) {
        const size_t left = count - first;
        const size_t at = row + first;
        const int64_t begin = from + (int64_t)first;
        read_values(column, &run, batch, array, begin, left < SBL_ARROW_RUN ? left : SBL_ARROW_RUN, to, at);
        for (size_t r = 0; run.exceptions && r < run.count; r++) {
            if (run.is[r] == SBL_RUN_MISSING)
                sbl_binding_cell(column->typed, column->index, to, at + r,
                                 &(sbl_cell){.sort = SBL_CELL_IS_MISSING});
            else if (run.is[r] == SBL_RUN_ODD)
                read_cell(column, &column->type, array, batch->offset + begin + (int64_t)r, to, at + r);
        }
    }
    sbl_wipe(&run, sizeof run);
}

void sbl_arrow_column_read(sbl_arrow_column *column, const struct ArrowArray *batch, int64_t from,
                           sbl_batch *rows, size_t count)
{
    const sbl_binding_target to = sbl_binding_in_batch(column->typed, column->index, rows);
    sbl_arrow_column_read_to(column, batch, batch->children[column->index], from, &to, rows->rows, count);
}
