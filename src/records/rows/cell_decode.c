/* SPDX-License-Identifier: Apache-2.0 */
/* Turns one cell into its value, or into the public constant of its column. */
#include "records/rows/cell_decode.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "public/rows/cell_format.h"
#include "public/rows/decimal.h"
#include "public/schema/moment.h"
#include "public/schema/spikes.h"
#include "records/rows/cell.h"

#define STEP_SLACK 1e-6 /* of a step: 0.1 + 0.2 is a multiple of 0.1 */

/* ---- fields ---- */

/* Texts that a cell of this column may hold, with their codes. */
static bool fill_lookup(sbl_field *field)
{
    const sbl_column *column = field->column;
    const sbl_strings *lists[] = {&column->false_values, &column->true_values};
    const size_t truths = column->false_values.count + column->true_values.count;
    field->missing_code = sbl_column_missing_code(column);
    if (!sbl_lookup_init(&field->lookup, column->categories.count + column->missing_values.count + truths))
        return false;
    for (size_t i = 0; i < column->categories.count; i++)
        sbl_lookup_add(&field->lookup, column->categories.items[i], (uint32_t)i);
    for (uint32_t code = 0; code < 2; code++)
        for (size_t i = 0; i < lists[code]->count; i++)
            sbl_lookup_add(&field->lookup, lists[code]->items[i], code);
    field->plain_numbers =
        column->kind == SBL_COLUMN_NUMBER && !sbl_column_is_moment(column) && !sbl_column_is_marked(column);
    for (size_t i = 0; i < column->missing_values.count; i++) {
        double number;
        const char *text = column->missing_values.items[i];
        sbl_lookup_add(&field->lookup, text, field->missing_code);
        if (sbl_decimal_parse(&number, text, strlen(text))) field->plain_numbers = false;
    }
    return true;
}

bool sbl_field_point(sbl_field *field, const sbl_schema *schema, size_t column, bool is_unit)
{
    field->is_unit = is_unit;
    if (schema->columns[column].kind == SBL_COLUMN_IGNORED) return true;
    field->column = &schema->columns[column];
    field->index = column;
    return fill_lookup(field);
}

void sbl_fields_free(sbl_field *fields, size_t count)
{
    for (size_t i = 0; fields != NULL && i < count; i++) sbl_lookup_clear(&fields[i].lookup);
    sbl_free(fields);
}

/* ---- cells ---- */

static void note(uint8_t *fault, sbl_cell_fault reason)
{
    if (fault != NULL) *fault = (uint8_t)reason;
}

/* A cell that tells nothing: missing where the column may be empty, else its public constant. */
static void store_unknown(const sbl_field *field, sbl_batch_column *column, size_t row)
{
    const sbl_column *facts = field->column;
    if (column->codes != NULL) {
        column->codes[row] = facts->missing_allowed ? field->missing_code : facts->fallback_code;
        return;
    }
    column->values[row] = facts->fallback;
    if (column->missing != NULL) column->missing[row] = 1;
}

void sbl_field_store_fault(const sbl_field *field, sbl_batch_column *column, size_t row,
                           sbl_cell_fault reason, uint8_t *fault)
{
    note(fault, reason);
    store_unknown(field, column, row);
}

void sbl_field_store_number(const sbl_field *field, sbl_batch_column *column, size_t row, double value,
                            uint8_t *fault)
{
    const sbl_column *facts = field->column;
    const size_t sentinel = sbl_spikes_sentinel(facts, value);
    const double inside = sentinel != SBL_NO_SPIKE ? facts->spikes[sentinel] : sbl_column_clamp(facts, value);
    const double held = facts->step_declared             ? sbl_column_snap(facts, inside)
                        : facts->type == SBL_TYPE_NUMBER ? inside
                                                         : nearbyint(inside);
    if (sentinel == SBL_NO_SPIKE && inside != value)
        note(fault, SBL_CELL_OUT_OF_RANGE);
    else if (facts->step_declared && fabs(held - inside) > STEP_SLACK * sbl_column_grid_value(facts, 1))
        note(fault, SBL_CELL_OFF_STEP);
    column->values[row] = held;
    if (column->missing != NULL) column->missing[row] = 0;
}

/* A category that is not declared: the one declared for such cells, where there is one. */
static void store_undeclared(const sbl_field *field, sbl_batch_column *column, size_t row, uint8_t *fault)
{
    sbl_field_store_fault(field, column, row, SBL_CELL_UNKNOWN, fault);
    if (field->column->other_declared) column->codes[row] = field->column->fallback_code;
}

/* A text, or what is left of it without the blanks around it. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

static piece trimmed(const piece *cell)
{
    piece inner = *cell;
    inner.text = sbl_trim(cell->text, &inner.length);
    return inner;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* May a number begin or end with it? */
static bool is_of_number(char c, const sbl_column *column)
{
    return is_digit(c) || c == '-' || c == '+' || c == column->decimal_char ||
           (c == column->group_char && c != ' ');
}

void sbl_number_strip(const char **from, const char **to, const sbl_column *column)
{
    while (*from < *to && !is_of_number(**from, column)) (*from)++;
    while (*to > *from && !is_of_number((*to)[-1], column)) (*to)--;
}

/* A number with a decimal comma, marks between thousands, signs around it: the plain one that it
 * means. A mark is between digits, with three digits after it; anything else is not a
 * number. */
bool sbl_number_plain(char *plain, size_t *length, const sbl_column *column, const char *text, size_t size)
{
    const char *from = text;
    const char *to = text + size;
    bool whole = true; /* before the decimal sign */
    *length = 0;
    if (!column->bare) sbl_number_strip(&from, &to, column);
    for (const char *p = from; p < to; p++) {
        if (*p == column->group_char && column->group_char != 0) {
            const bool between = p > from && is_digit(p[-1]) && to - p > 3 && is_digit(p[1]) &&
                                 is_digit(p[2]) && is_digit(p[3]) && (to - p == 4 || !is_digit(p[4]));
            if (!whole || !between) return false;
            continue;
        }
        if (*p == column->decimal_char) whole = false;
        if (*p == '.' && column->decimal_char != '.') return false;
        if (*length == SBL_CELL_TEXT_SIZE) return false;
        plain[(*length)++] = *p == column->decimal_char ? '.' : *p;
    }
    return true;
}

bool sbl_number_read(double *value, const sbl_column *column, const char *text, size_t size)
{
    char plain[SBL_CELL_TEXT_SIZE];
    size_t length;
    if (!sbl_column_is_marked(column)) return sbl_decimal_parse(value, text, size);
    return sbl_number_plain(plain, &length, column, text, size) && sbl_decimal_parse(value, plain, length);
}

/* The code of an integer or number column with categories: "7.0" and "07" are "7". */
static uint32_t find_number(const sbl_field *field, const piece *cell)
{
    double value;
    char text[SBL_DOUBLE_TEXT_SIZE + SBL_LOOKUP_PADDING] = {0};
    if (field->column->type != SBL_TYPE_INTEGER && field->column->type != SBL_TYPE_NUMBER)
        return SBL_LOOKUP_NONE;
    if (!sbl_number_read(&value, field->column, cell->text, cell->length) || !isfinite(value))
        return SBL_LOOKUP_NONE;
    (void)sbl_double_to_text(text, value + 0.0); /* -0 is 0 */
    return sbl_lookup_find(&field->lookup, text, strlen(text));
}

static void store_category(const sbl_field *field, sbl_batch_column *column, size_t row, const piece *cell,
                           uint8_t *fault)
{
    uint32_t code = sbl_lookup_find(&field->lookup, cell->text, cell->length);
    if (code == SBL_LOOKUP_NONE) {
        const piece inner = trimmed(cell);
        code = sbl_lookup_find(&field->lookup, inner.text, inner.length);
        if (code == SBL_LOOKUP_NONE) code = find_number(field, &inner);
    }
    if (code == SBL_LOOKUP_NONE)
        store_undeclared(field, column, row, fault);
    else if (code == field->missing_code)
        sbl_field_store_missing(field, column, row, fault);
    else
        column->codes[row] = code;
}

/* "inf" or "infinity" in any case, after a sign: a number beyond any bound, as Table Schema has it. */
static bool read_infinity(double *value, const char *text, size_t length)
{
    static const char word[] = "infinity";
    const bool sign = length > 0 && (text[0] == '-' || text[0] == '+');
    const char *at = text + (sign ? 1 : 0);
    const size_t size = length - (sign ? 1 : 0);
    if (size != 3 && size != sizeof word - 1) return false;
    for (size_t i = 0; i < size; i++)
        if ((at[i] | 0x20) != word[i]) return false; /* no locale has a say */
    *value = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return true;
}

bool sbl_value_read(double *value, const sbl_column *column, const char *text, size_t length)
{
    if (sbl_column_is_moment(column)) return sbl_moment_read(value, column, text, length);
    return sbl_number_read(value, column, text, length) || read_infinity(value, text, length);
}

void sbl_field_store_text(const sbl_field *field, sbl_batch_column *column, size_t row, const char *text,
                          size_t length, uint8_t *fault)
{
    double value;
    const piece cell = {text, length};
    if (field->column->kind == SBL_COLUMN_CATEGORY) {
        store_category(field, column, row, &cell, fault);
        return;
    }
    const piece inner = trimmed(&cell);
    if (sbl_lookup_find(&field->lookup, inner.text, inner.length) != SBL_LOOKUP_NONE ||
        sbl_lookup_find(&field->lookup, cell.text, cell.length) != SBL_LOOKUP_NONE)
        sbl_field_store_missing(field, column, row, fault);
    else if (sbl_value_read(&value, field->column, inner.text, inner.length))
        sbl_field_store_number(field, column, row, value, fault);
    else
        sbl_field_store_fault(field, column, row, SBL_CELL_UNPARSEABLE, fault);
}
