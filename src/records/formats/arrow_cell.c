/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one cell of an Arrow array that was checked before (arrow_type.h). */
#include <math.h>
#include <string.h>

#include "records/formats/arrow_type.h"
#include "records/formats/arrow_value.h"

#define SECOND INT64_C(1000000000) /* in nanoseconds */

double sbl_half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024.0 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

/* Digits with a point: all of them, so that what reads them rounds once. */
static void decimal_text(sbl_cell *cell, sbl_i128 value, int scale, char *buffer)
{
    char digits[48];
    int count = 0;
    char *out = buffer;
    sbl_u128 size = value < 0 ? -(sbl_u128)value : (sbl_u128)value;
    do { /* backwards, with at least one digit before the point */
        digits[count++] = (char)('0' + (int)(size % 10));
        size /= 10;
    } while (size != 0 && count < 40);
    while (count <= scale) digits[count++] = '0';
    if (value < 0) *out++ = '-';
    while (count > 0) {
        if (count == scale) *out++ = '.';
        *out++ = digits[--count];
    }
    for (int i = scale; i < 0; i++) *out++ = '0';
    memset(out, 0, SBL_CELL_PADDING);
    cell->sort = SBL_CELL_IS_DECIMAL;
    cell->text = buffer;
    cell->length = (size_t)(out - buffer);
}

/* A text of which `after` more bytes of its buffer can be read. */
static void take_text(sbl_cell *cell, const char *text, int64_t length, int64_t after, char *buffer)
{
    if (length > 0 && text == NULL) return;
    cell->sort = length <= (int64_t)SBL_CELL_MOST_TEXT ? SBL_CELL_IS_TEXT : SBL_CELL_IS_LONG;
    cell->text = text;
    cell->length = (size_t)length;
    if (cell->sort == SBL_CELL_IS_LONG) return;
    if (after >= SBL_CELL_PADDING) return;
    if (length > 0) memcpy(buffer, text, (size_t)length);
    memset(buffer + length, 0, SBL_CELL_PADDING);
    cell->text = buffer;
}

static void text_between(sbl_cell *cell, const struct ArrowArray *array, int64_t from, int64_t to,
                         int64_t end, char *buffer)
{
    const char *data = array->buffers[2];
    if (from < 0 || to < from || to > end) return;
    take_text(cell, data != NULL ? data + from : NULL, to - from, end - to, buffer);
}

static void view_text(sbl_cell *cell, const struct ArrowArray *array, int64_t at, char *buffer)
{
    const sbl_text_view view = sbl_load_view(array, at);
    const int64_t buffers = array->n_buffers - 3;
    int64_t size = 0;
    if (view.length < 0) return;
    if (view.length <= 12) {
        take_text(cell, (const char *)array->buffers[1] + (size_t)at * sizeof view + 4, view.length, 0,
                  buffer);
        return;
    }
    if (view.buffer < 0 || view.buffer >= buffers) return;
    memcpy(&size, (const char *)array->buffers[array->n_buffers - 1] + (size_t)view.buffer * 8, 8);
    const int64_t to = (int64_t)view.offset + view.length;
    const char *data = array->buffers[2 + view.buffer];
    if (view.offset < 0 || to > size || data == NULL) return;
    take_text(cell, data + view.offset, view.length, size - to, buffer);
}

static void whole(sbl_cell *cell, int64_t value)
{
    cell->sort = SBL_CELL_IS_INTEGER;
    cell->whole = value;
}

static void large(sbl_cell *cell, uint64_t value)
{
    cell->sort = SBL_CELL_IS_UNSIGNED;
    cell->large = value;
}

static void number(sbl_cell *cell, double value)
{
    cell->sort = SBL_CELL_IS_NUMBER;
    cell->number = value;
}

static void moment(sbl_cell *cell, const sbl_arrow_type *type, int64_t value)
{
    cell->sort = SBL_CELL_IS_MOMENT;
    cell->zoned = type->zoned;
    cell->whole = sbl_floor_divide(value, type->per_second);
    cell->nanoseconds = sbl_floor_rest(value, type->per_second) * (SECOND / type->per_second);
}

/* A time of day is a moment without a day. */
static void clock_time(sbl_cell *cell, const sbl_arrow_type *type, int64_t value)
{
    moment(cell, type, value);
    cell->sort = SBL_CELL_IS_CLOCK;
}

/* per_day: how many of its units are a day. */
static void day(sbl_cell *cell, int64_t value, int64_t per_day)
{
    cell->sort = SBL_CELL_IS_DAY;
    cell->zoned = false;
    cell->whole = sbl_floor_divide(value, per_day);
    cell->nanoseconds = sbl_floor_rest(value, per_day) * (SBL_DAY * SECOND / per_day);
}

static void truth(sbl_cell *cell, const struct ArrowArray *array, int64_t at)
{
    cell->sort = SBL_CELL_IS_TRUTH;
    cell->whole = sbl_load_truth(array, at);
}

#define WHOLE(kind, name, type)                  \
    case SBL_ARROW_##kind:                       \
        whole(cell, sbl_load_##name(array, at)); \
        break;

/* The cell at a place of the buffers; it is there. */
static void read_value(sbl_cell *cell, const sbl_arrow_type *type, const struct ArrowArray *array, int64_t at,
                       char *buffer)
{
    const int64_t last = array->offset + array->length;
    switch (type->kind) {
    case SBL_ARROW_BOOL:
        truth(cell, array, at);
        break;
        SBL_ARROW_WHOLES(WHOLE)
    case SBL_ARROW_UINT64:
        large(cell, sbl_load_uint64(array, at));
        break;
    case SBL_ARROW_HALF:
        number(cell, sbl_half_value(sbl_load_uint16(array, at)));
        break;
    case SBL_ARROW_FLOAT:
        number(cell, (double)sbl_load_float(array, at));
        break;
    case SBL_ARROW_DOUBLE:
        number(cell, sbl_load_double(array, at));
        break;
    case SBL_ARROW_DECIMAL:
        decimal_text(cell, sbl_load_decimal(type, array, at), type->scale, buffer);
        break;
    case SBL_ARROW_UTF8:
        text_between(cell, array, sbl_load_int32(array, at), sbl_load_int32(array, at + 1),
                     sbl_load_int32(array, last), buffer);
        break;
    case SBL_ARROW_LARGE_UTF8:
        text_between(cell, array, sbl_load_int64(array, at), sbl_load_int64(array, at + 1),
                     sbl_load_int64(array, last), buffer);
        break;
    case SBL_ARROW_UTF8_VIEW:
        view_text(cell, array, at, buffer);
        break;
    case SBL_ARROW_DATE32:
        day(cell, sbl_load_int32(array, at), 1);
        break;
    case SBL_ARROW_DATE64:
        day(cell, sbl_load_int64(array, at), SBL_DAY * 1000);
        break;
    case SBL_ARROW_TIMESTAMP:
        moment(cell, type, sbl_load_int64(array, at));
        break;
    case SBL_ARROW_TIME32:
        clock_time(cell, type, sbl_load_int32(array, at));
        break;
    case SBL_ARROW_TIME64:
        clock_time(cell, type, sbl_load_int64(array, at));
        break;
    default:
        cell->sort = SBL_CELL_IS_MISSING;
        break;
    }
}

/* A plain array, or the values of a dictionary. */
static void read_plain(sbl_cell *cell, const sbl_arrow_type *type, const struct ArrowArray *array,
                       int64_t row, char *buffer)
{
    cell->sort = SBL_CELL_IS_UNREADABLE;
    if (type->kind == SBL_ARROW_NULL || !sbl_arrow_is_there(array, row))
        cell->sort = SBL_CELL_IS_MISSING;
    else
        read_value(cell, type, array, array->offset + row, buffer);
    if (type->mixed && (cell->sort == SBL_CELL_IS_TEXT || cell->sort == SBL_CELL_IS_LONG))
        sbl_arrow_mixed_cell(cell);
}

int64_t sbl_arrow_code_at(const sbl_arrow_type *type, const struct ArrowArray *array, int64_t row, bool *bad)
{
    sbl_cell code = {.sort = SBL_CELL_IS_MISSING};
    const sbl_arrow_type codes = {.kind = type->codes};
    *bad = false;
    if (!sbl_arrow_is_there(array, row)) return -1;
    read_value(&code, &codes, array, array->offset + row, NULL);
    const uint64_t at = code.sort == SBL_CELL_IS_UNSIGNED ? code.large : (uint64_t)code.whole;
    *bad = at >= (uint64_t)array->dictionary->length;
    return *bad ? -1 : (int64_t)at;
}

void sbl_arrow_cell_at(sbl_cell *cell, const sbl_arrow_type *type, const struct ArrowArray *array,
                       int64_t row, char *buffer)
{
    if (type->codes == SBL_ARROW_REFUSED) {
        read_plain(cell, type, array, row, buffer);
        return;
    }
    bool bad;
    const int64_t code = sbl_arrow_code_at(type, array, row, &bad);
    if (code >= 0)
        read_plain(cell, type, array->dictionary, code, buffer);
    else
        cell->sort = bad ? SBL_CELL_IS_UNREADABLE : SBL_CELL_IS_MISSING;
}
