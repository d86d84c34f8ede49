/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on a grid are written as whole digits with a point put in, never through printf, so that
 * what is written reads back as the same value in any locale. Quoting follows RFC 4180, and quotes
 * a little more where a careful reader would stumble: blanks at the edge, a comment sign first. */
#include "public/rows/cell_format.h"

#include <string.h>

#include "public/schema/moment.h"

/* whole / 10^decimals in digits. All values on a column's grid are below 2^53 in size. Without
 * declared decimals, zeros at the end of a fraction say nothing and are left out. */
static size_t format_grid(char *text, int64_t whole, int decimals, bool keep_zeros)
{
    char digits[SBL_CELL_TEXT_SIZE];
    size_t count = 0;
    size_t length = 0;
    size_t fraction = (size_t)decimals;
    uint64_t size = whole < 0 ? (uint64_t)-whole : (uint64_t)whole;
    for (; !keep_zeros && fraction > 0 && size % 10 == 0; fraction--) size /= 10;
    do { /* backwards, with at least one digit before the point */
        digits[count++] = (char)('0' + size % 10);
        size /= 10;
    } while (size != 0 || count <= fraction);
    if (whole < 0) text[length++] = '-';
    while (count > 0) {
        if (count == fraction) text[length++] = '.';
        text[length++] = digits[--count];
    }
    return length;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The digits before the point, three by three. A power of ten is left alone. */
static size_t with_groups(char *text, size_t length, char mark)
{
    char made[SBL_CELL_TEXT_SIZE];
    size_t first = length > 0 && text[0] == '-' ? 1 : 0;
    size_t end = first;
    size_t count = first;
    while (end < length && is_digit(text[end])) end++;
    if (memchr(text, 'e', length) != NULL) return length;
    memcpy(made, text, first);
    for (size_t i = first; i < end; i++) {
        if (i > first && (end - i) % 3 == 0) made[count++] = mark;
        made[count++] = text[i];
    }
    memcpy(made + count, text + end, length - end);
    length += count - end;
    memcpy(text, made, length);
    return length;
}

/* A number as the column writes it: its point, marks between thousands, signs around it. */
static size_t with_marks(char *text, size_t length, const sbl_column *column)
{
    const size_t before = column->prefix != NULL ? strlen(column->prefix) : 0;
    const size_t after = column->suffix != NULL ? strlen(column->suffix) : 0;
    char *point = column->decimal_char == ',' ? memchr(text, '.', length) : NULL;
    if (point != NULL) *point = ',';
    if (column->group_char != 0) length = with_groups(text, length, column->group_char);
    if (before > 0) {
        memmove(text + before, text, length);
        memcpy(text, column->prefix, before);
    }
    if (after > 0) memcpy(text + before + length, column->suffix, after);
    return before + length + after;
}

size_t sbl_cell_format(char text[SBL_CELL_TEXT_SIZE], const sbl_column *column, double value)
{
    const double inside = sbl_column_snap(column, value);
    if (column->decimals < 0) {
        /* Any double: the shortest text that reads back as itself, hence within the bounds. */
        char shortest[SBL_DOUBLE_TEXT_SIZE];
        const size_t length = strlen(sbl_double_to_text(shortest, inside + 0.0));
        memcpy(text, shortest, length);
        return with_marks(text, length, column);
    }
    /* inside is whole / scale, correctly rounded; adding half a step undoes that exactly. */
    const double scaled = inside * column->scale;
    const int64_t whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    if (sbl_column_is_moment(column)) return sbl_moment_write(text, column, whole);
    return with_marks(text, format_grid(text, whole, column->decimals, column->decimals_declared), column);
}

static bool is_special(char c, const sbl_dialect *dialect)
{
    return c == dialect->delimiter || c == dialect->quote || c == '"' || c == '\r' || c == '\n';
}

void sbl_cell_quote(sbl_text *line, const char *cell, size_t length, bool alone, const sbl_dialect *dialect)
{
    bool special = false;
    for (size_t i = 0; i < length; i++) special |= is_special(cell[i], dialect);
    const bool blank_edge = length > 0 && (cell[0] == ' ' || cell[0] == '\t' || cell[length - 1] == ' ' ||
                                           cell[length - 1] == '\t');
    const bool comment = length > 0 && dialect->comment != 0 && cell[0] == dialect->comment;
    if (!special && !blank_edge && !comment && !(alone && length == 0)) {
        sbl_text_append(line, cell, length);
        return;
    }
    sbl_text_append(line, &dialect->quote, 1);
    for (size_t i = 0; i < length; i++) {
        if (cell[i] == dialect->quote) sbl_text_append(line, cell + i, 1);
        sbl_text_append(line, cell + i, 1);
    }
    sbl_text_append(line, &dialect->quote, 1);
}
