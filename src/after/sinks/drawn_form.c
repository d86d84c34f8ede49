/* SPDX-License-Identifier: Apache-2.0 */
/* A category whose values are all numbers becomes a number; the rest follows from the kind of the column. */
#include "after/sinks/drawn_form.h"

#include <string.h>

#include "public/rows/decimal.h"

bool sbl_column_is_drawn(const sbl_column *column)
{
    return column->kind != SBL_COLUMN_IGNORED || column->made != SBL_SYNTHETIC_NOT;
}

/* Are all categories numbers (whole: whole ones that a double holds)? */
static bool are_numbers(const sbl_column *column, bool whole)
{
    double value;
    for (size_t i = 0; i < column->categories.count; i++) {
        const char *text = column->categories.items[i];
        if (!sbl_decimal_parse(&value, text, strlen(text))) return false;
        if (whole && !(value > -9e15 && value < 9e15 && value == (double)(int64_t)value)) return false;
    }
    return true;
}

sbl_drawn_form sbl_drawn_form_of(const sbl_column *column)
{
    switch (column->kind) {
    case SBL_COLUMN_NUMBER:
        if (column->type == SBL_TYPE_TIME) return SBL_DRAWN_TEXT;
        return column->type == SBL_TYPE_INTEGER ? SBL_DRAWN_INT64 : SBL_DRAWN_DOUBLE;
    case SBL_COLUMN_DATE:
        return SBL_DRAWN_DATE;
    case SBL_COLUMN_DATETIME:
        return SBL_DRAWN_MOMENT;
    case SBL_COLUMN_CATEGORY:
        if (column->type == SBL_TYPE_BOOLEAN) return SBL_DRAWN_BOOL;
        if (column->type == SBL_TYPE_INTEGER && are_numbers(column, true)) return SBL_DRAWN_INT64;
        if (column->type == SBL_TYPE_NUMBER && are_numbers(column, false)) return SBL_DRAWN_DOUBLE;
        return SBL_DRAWN_TEXT;
    default:
        return SBL_DRAWN_TEXT;
    }
}

const char *sbl_arrow_drawn_format(const sbl_column *column)
{
    static const char *const formats[] = {
        [SBL_DRAWN_INT64] = "l",     [SBL_DRAWN_DOUBLE] = "g", [SBL_DRAWN_DATE] = "tdD",
        [SBL_DRAWN_MOMENT] = "tss:", [SBL_DRAWN_BOOL] = "b",   [SBL_DRAWN_TEXT] = "u"};
    const sbl_drawn_form of = sbl_drawn_form_of(column);
    return of == SBL_DRAWN_MOMENT && column->utc ? "tss:UTC" : formats[of];
}
