/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values go through the same functions as cells of a CSV file (cell_decode.h). A value becomes text
 * only if the column or its missing values need one. Runs of numbers and categories have a faster path that
 * must give the same rows. */
#include "records/rows/column_binding.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "public/schema/calendar.h"
#include "public/schema/spikes.h"
#include "records/rows/cell_decode.h"
#include "records/rows/column_match.h"
#include "records/rows/unit_id.h"

struct sbl_binding {
    const uint8_t *unit_key; /* NULL: whose row it is, is not asked */
    sbl_field *fields;       /* (count), as the table has them */
    bool *by_text;           /* (count) */
    size_t count;
};

/* Is a typed cell read as a text: a time of day is always, and others where a text that means "missing" looks like a
 * value? */
static bool is_by_text(const sbl_column *column)
{
    if (column->type == SBL_TYPE_TIME) return true;
    for (size_t i = 0; i < column->missing_values.count; i++)
        if (strpbrk(column->missing_values.items[i], "0123456789") != NULL) return true;
    return false;
}

sbl_status sbl_binding_open(sbl_binding **typed, const char *const *names, size_t count, const char *name,
                            const sbl_schema *schema, const sbl_table_options *options, sbl_error *err)
{
    sbl_binding *made = NULL;
    sbl_status status = SBL_OK;
    *typed = NULL;
    SBL_ALLOC(made, 1, name);
    made->count = count;
    made->unit_key = options->unit_key;
    SBL_ALLOC(made->by_text, count, name);
    SBL_TRY(sbl_match_names(&made->fields, names, count, name, schema, options, err));
    for (size_t i = 0; i < count; i++)
        if (made->fields[i].column != NULL) made->by_text[i] = is_by_text(made->fields[i].column);
    *typed = made;
    made = NULL;
done:
    sbl_binding_close(made);
    return status;
}

void sbl_binding_close(sbl_binding *typed)
{
    if (typed == NULL) return;
    sbl_fields_free(typed->fields, typed->count);
    sbl_free(typed->by_text);
    sbl_free(typed);
}

const sbl_column *sbl_binding_column(const sbl_binding *typed, size_t i) { return typed->fields[i].column; }

size_t sbl_binding_index(const sbl_binding *typed, size_t i) { return typed->fields[i].index; }

bool sbl_binding_is_unit(const sbl_binding *typed, size_t i) { return typed->fields[i].is_unit; }

bool sbl_binding_is_key(const sbl_binding *typed, size_t i) { return typed->fields[i].is_key; }

sbl_unit_tag sbl_binding_unit(const sbl_binding *typed, const sbl_cell *cell)
{
    char own[SBL_CELL_OWN_TEXT];
    size_t length;
    if (cell->sort == SBL_CELL_IS_MISSING) return (sbl_unit_tag){0};
    const char *text = sbl_cell_id(&length, own, cell);
    const sbl_unit_tag unit = sbl_unit_id_of(typed->unit_key, text, length);
    sbl_wipe(own, sizeof own);
    return unit;
}

sbl_binding_target sbl_binding_in_batch(const sbl_binding *typed, size_t i, sbl_batch *batch)
{
    const size_t index = sbl_binding_index(typed, i);
    return (sbl_binding_target){
        .column = &batch->columns[index],
        .faults = batch->faults != NULL ? batch->faults + index : NULL,
        .stride = batch->schema->column_count,
    };
}

/* ---- one cell ---- */

/* Where one cell goes: its field, and whether its values are distinguished by their text. */
typedef struct spot {
    const sbl_field *field;
    bool by_text;
    sbl_batch_column *column;
    size_t row;
    uint8_t *fault;
} spot;

static void store_fault(const spot *at, sbl_cell_fault reason)
{
    sbl_field_store_fault(at->field, at->column, at->row, reason, at->fault);
}

static void store_value(const spot *at, double value)
{
    sbl_field_store_number(at->field, at->column, at->row, value, at->fault);
}

static void store_text(const spot *at, const char *text, size_t length)
{
    sbl_field_store_text(at->field, at->column, at->row, text, length, at->fault);
}

/* ---- values ---- */

static bool is_number(const spot *at) { return at->field->column->kind == SBL_COLUMN_NUMBER && !at->by_text; }

/* A number has a text for every number of zeros after its point. The type that it comes in decides how many there are
 * (3, 3.0, 3.00), and types may be inferred from other cells. So zeros do not count: it is the category or the missing
 * value that has the fewest of them. */
#define MOST_ZEROS 20
#define NUMERAL_ROOM (SBL_CELL_OWN_TEXT + 1 + MOST_ZEROS + SBL_CELL_PADDING)

static bool is_known(const spot *at, const char *text, size_t length)
{
    return sbl_lookup_find(&at->field->lookup, text, length) != SBL_LOOKUP_NONE;
}

/* text has NUMERAL_ROOM; its decimal sign becomes the column's. */
static void store_numeral(const spot *at, char *text, size_t length)
{
    const sbl_column *column = at->field->column;
    const bool comma = column->kind == SBL_COLUMN_NUMBER && column->decimal_char == ',';
    const bool plain = memchr(text, 'e', length) == NULL && memchr(text, 'n', length) == NULL;
    char *point = memchr(text, '.', length);
    while (plain && point != NULL && text[length - 1] == '0') length--;
    if (plain && point != NULL && text[length - 1] == '.') {
        length--;
        point = NULL;
    }
    if (point != NULL && comma) *point = ',';
    const size_t shortest = length;
    if (is_number(at)) { /* no text with a digit is known there */
        store_text(at, text, shortest);
        return;
    }
    for (int zeros = 0; plain && zeros < MOST_ZEROS && !is_known(at, text, length); zeros++) {
        if (point == NULL) {
            point = text + length++;
            *point = comma ? ',' : '.';
        }
        text[length++] = '0';
    }
    store_text(at, text, plain && is_known(at, text, length) ? length : shortest);
}

/* Whole numbers are exact as texts, too. */
static void store_number(const spot *at, double value, const sbl_cell *cell)
{
    char text[NUMERAL_ROOM] = {0};
    size_t length;
    if (isfinite(value) && is_number(at)) {
        store_value(at, value);
        return;
    }
    (void)sbl_cell_text(&length, text, cell);
    store_numeral(at, text, length);
}

static void store_decimal(const spot *at, const sbl_cell *cell)
{
    char own[NUMERAL_ROOM] = {0};
    if (cell->length > SBL_CELL_OWN_TEXT) {
        store_fault(at, SBL_CELL_UNPARSEABLE);
        return;
    }
    memcpy(own, cell->text, cell->length);
    store_numeral(at, own, cell->length);
}

static void store_truth(const spot *at, bool value)
{
    static const char words[2][5 + SBL_CELL_PADDING] = {"false", "true"};
    const sbl_column *column = at->field->column;
    if (column->type == SBL_TYPE_BOOLEAN && column->kind == SBL_COLUMN_CATEGORY)
        at->column->codes[at->row] = value ? 1 : 0;
    else
        store_text(at, words[value], value ? 4 : 5);
}

/* ---- dates ---- */

/* As the column writes a moment, where it has a pattern for it. */
static bool pattern_text(char text[SBL_VALUE_TEXT], size_t *length, const sbl_column *column, int64_t seconds)
{
    const bool fits = seconds >= SBL_FIRST_DAY * SBL_DAY && seconds < (SBL_LAST_DAY + 1) * SBL_DAY;
    if (column->format == NULL || column->type == SBL_TYPE_TIME || !fits) return false;
    *length = sbl_date_format_write(text, column->format, seconds);
    return true;
}

static void store_day(const spot *at, int64_t days)
{
    char text[SBL_VALUE_TEXT + SBL_CELL_PADDING] = {0};
    const sbl_column *column = at->field->column;
    size_t length;
    if (!at->by_text && column->kind == SBL_COLUMN_DATE)
        store_value(at, (double)days);
    else if (!at->by_text && column->kind == SBL_COLUMN_DATETIME)
        store_value(at, (double)days * (double)SBL_DAY);
    else if (days >= SBL_FIRST_DAY && days <= SBL_LAST_DAY &&
             pattern_text(text, &length, column, days * SBL_DAY))
        store_text(at, text, length);
    else
        store_text(at, text, sbl_day_text(text, days));
}

static void store_moment(const spot *at, int64_t seconds, bool utc)
{
    char text[SBL_VALUE_TEXT + SBL_CELL_PADDING] = {0};
    const sbl_column *column = at->field->column;
    size_t length;
    if (column->kind == SBL_COLUMN_DATETIME && !at->by_text)
        store_value(at, (double)seconds);
    else if (column->kind == SBL_COLUMN_DATE && seconds % SBL_DAY == 0)
        store_day(at, seconds / SBL_DAY);
    else if (column->kind == SBL_COLUMN_DATE)
        store_fault(at, SBL_CELL_UNPARSEABLE);
    else if (pattern_text(text, &length, column, seconds))
        store_text(at, text, length);
    else
        store_text(at, text, sbl_moment_text(text, seconds, utc));
}

/* In a column of times the number of seconds, unless its text means "missing". */
static void store_clock(const spot *at, int64_t seconds)
{
    char text[SBL_VALUE_TEXT + SBL_CELL_PADDING] = {0};
    const sbl_column *column = at->field->column;
    const bool is_time = column->type == SBL_TYPE_TIME && seconds >= 0 && seconds < SBL_DAY;
    const size_t length = is_time && column->format != NULL
                              ? sbl_date_format_write(text, column->format, seconds)
                              : sbl_clock_text(text, seconds);
    if (is_time && !is_known(at, text, length))
        store_value(at, (double)seconds);
    else
        store_text(at, text, length);
}

/* ---- any cell ---- */

static void store_cell(const spot *at, const sbl_cell *cell)
{
    switch (cell->sort) {
    case SBL_CELL_IS_MISSING:
        sbl_field_store_missing(at->field, at->column, at->row, at->fault);
        break;
    case SBL_CELL_IS_TRUTH:
        store_truth(at, cell->whole != 0);
        break;
    case SBL_CELL_IS_INTEGER:
        store_number(at, (double)cell->whole, cell);
        break;
    case SBL_CELL_IS_UNSIGNED:
        store_number(at, (double)cell->large, cell);
        break;
    case SBL_CELL_IS_NUMBER:
        store_number(at, cell->number, cell);
        break;
    case SBL_CELL_IS_DECIMAL:
        store_decimal(at, cell);
        break;
    case SBL_CELL_IS_DAY:
        store_day(at, cell->whole);
        break;
    case SBL_CELL_IS_MOMENT:
        store_moment(at, cell->whole, cell->zoned);
        break;
    case SBL_CELL_IS_CLOCK:
        store_clock(at, cell->whole);
        break;
    case SBL_CELL_IS_TEXT:
        store_text(at, cell->text, cell->length);
        break;
    default:
        store_fault(at, SBL_CELL_UNPARSEABLE);
        break;
    }
}

static spot spot_of(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row)
{
    return (spot){.field = &typed->fields[i],
                  .by_text = typed->by_text[i],
                  .column = to->column,
                  .row = row,
                  .fault = to->faults != NULL ? to->faults + row * to->stride : NULL};
}

void sbl_binding_cell(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                      const sbl_cell *cell)
{
    const spot at = spot_of(typed, i, to, row);
    if (at.fault != NULL) *at.fault = SBL_CELL_GOOD;
    store_cell(&at, cell);
}

/* ---- many cells ---- */

bool sbl_binding_takes_values(const sbl_binding *typed, size_t i)
{
    return sbl_column_is_numeric(sbl_binding_column(typed, i)) && !typed->by_text[i];
}

/* sbl_field_store_number() in three passes, each of which the compiler can unroll; cell by cell where
 * more than bounds decide. */
void sbl_binding_values(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                        const double *values, size_t count, bool whole)
{
    const sbl_column *column = sbl_binding_column(typed, i);
    const double minimum = column->minimum, maximum = column->maximum;
    const bool rounds = column->type != SBL_TYPE_NUMBER &&
                        (!whole || minimum != nearbyint(minimum) || maximum != nearbyint(maximum));
    double *stored = to->column->values + row;
    if (column->step_declared || sbl_spikes_have_sentinel(column)) {
        for (size_t r = 0; r < count; r++) {
            const spot at = spot_of(typed, i, to, row + r);
            store_value(&at, values[r]);
        }
        return;
    }
    for (size_t r = 0; r < count; r++)
        stored[r] = values[r] < minimum ? minimum : values[r] > maximum ? maximum : values[r];
    for (size_t r = 0; to->faults != NULL && r < count; r++)
        if (stored[r] != values[r]) to->faults[(row + r) * to->stride] = SBL_CELL_OUT_OF_RANGE;
    for (size_t r = 0; rounds && r < count; r++) stored[r] = nearbyint(stored[r]);
    if (to->column->missing != NULL) memset(to->column->missing + row, 0, count);
}

/* A declared category is found by one look; everything else takes the way of a single cell. */
void sbl_binding_texts(const sbl_binding *typed, size_t i, const sbl_binding_target *to, size_t row,
                       const sbl_binding_piece *pieces, size_t count)
{
    const sbl_field *field = &typed->fields[i];
    const bool coded = field->column->kind == SBL_COLUMN_CATEGORY;
    for (size_t r = 0; r < count; r++) {
        if (pieces[r].text == NULL) continue;
        const uint32_t code =
            coded ? sbl_lookup_find(&field->lookup, pieces[r].text, pieces[r].length) : SBL_LOOKUP_NONE;
        if (code == SBL_LOOKUP_NONE || code == field->missing_code) {
            const spot at = spot_of(typed, i, to, row + r);
            store_text(&at, pieces[r].text, pieces[r].length);
            continue;
        }
        to->column->codes[row + r] = code;
    }
}
