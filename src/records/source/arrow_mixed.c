/* SPDX-License-Identifier: Apache-2.0 */
/* [1] Cells of a mixed column (arrow_type.h): a text that begins with SBL_MIXED_MARK names the sort of its
 * cell by one letter and gives its value in digits. The writer of the column knew each cell by itself, so
 * nothing here depends on another cell. A text that does not follow the grammar cannot be read, like any
 * other bad cell. */
#include <string.h>

#include "public/rows/decimal.h"
#include "records/formats/arrow_type.h"

#define MIXED_NAME "semblance.cells"
#define NANOSECOND_DIGITS 9

/* ---- the column ---- */

static const char *read_size(const char *at, int32_t *size)
{
    memcpy(size, at, sizeof *size);
    return at + sizeof *size;
}

static bool is_text(const char *bytes, int32_t size, const char *text)
{
    return (size_t)size == strlen(text) && memcmp(bytes, text, (size_t)size) == 0;
}

/* Metadata: a count, then for each key and each value a size and its bytes. */
bool sbl_arrow_is_mixed(const struct ArrowSchema *schema)
{
    const char *at = schema->metadata;
    int32_t pairs = 0, key_size = 0, value_size = 0;
    if (at == NULL) return false;
    at = read_size(at, &pairs);
    for (int32_t i = 0; i < pairs; i++) {
        const char *key = read_size(at, &key_size);
        if (key_size < 0) return false;
        const char *value = read_size(key + key_size, &value_size);
        if (value_size < 0) return false;
        if (is_text(key, key_size, "ARROW:extension:name")) return is_text(value, value_size, MIXED_NAME);
        at = value + value_size;
    }
    return false;
}

/* ---- a cell ---- */

/* All of the text as a whole number with an optional minus sign. */
static bool read_whole(int64_t *value, const char *text, size_t length)
{
    const bool negative = length > 0 && text[0] == '-';
    uint64_t size = 0;
    size_t i = negative ? 1 : 0;
    if (i == length) return false;
    for (; i < length; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(size, UINT64_C(10), &size) ||
            __builtin_add_overflow(size, (uint64_t)digit, &size))
            return false;
    }
    if (size > (uint64_t)INT64_MAX + (negative ? 1 : 0)) return false;
    *value = negative ? (int64_t)(~size + 1) : (int64_t)size;
    return true;
}

static void set_whole(sbl_cell *cell, sbl_cell_sort sort, const char *text, size_t length)
{
    cell->nanoseconds = 0;
    cell->zoned = false;
    if (read_whole(&cell->whole, text, length)) cell->sort = sort;
}

/* SECONDS.NANOSECONDS, the latter in nine digits. */
static void set_moment(sbl_cell *cell, sbl_cell_sort sort, bool zoned, const char *text, size_t length)
{
    const size_t after = NANOSECOND_DIGITS + 1;
    if (length <= after || text[length - after] != '.' || text[length - after + 1] == '-') return;
    if (!read_whole(&cell->nanoseconds, text + length - NANOSECOND_DIGITS, NANOSECOND_DIGITS) ||
        !read_whole(&cell->whole, text, length - after))
        return;
    cell->zoned = zoned;
    cell->sort = sort;
}

static void set_text(sbl_cell *cell, sbl_cell_sort sort, const char *text, size_t length)
{
    cell->sort = sort;
    cell->text = text;
    cell->length = length;
}

void sbl_arrow_mixed_cell(sbl_cell *cell)
{
    const sbl_cell_sort sort = cell->sort;
    if (cell->length == 0 || cell->text[0] != SBL_MIXED_MARK) return;
    cell->sort = SBL_CELL_IS_UNREADABLE;
    if (cell->length < SBL_MIXED_TAG) return;
    const char *text = cell->text + SBL_MIXED_TAG;
    const size_t length = cell->length - SBL_MIXED_TAG;
    if (cell->text[1] == 't') {
        set_text(cell, sort, text, length);
        return;
    }
    if (sort == SBL_CELL_IS_LONG) return;
    switch (cell->text[1]) {
    case 'b':
        set_whole(cell, SBL_CELL_IS_TRUTH, text, length);
        break;
    case 'i':
        set_whole(cell, SBL_CELL_IS_INTEGER, text, length);
        break;
    case 'g':
        if (sbl_decimal_parse(&cell->number, text, length)) cell->sort = SBL_CELL_IS_NUMBER;
        break;
    case 'd':
        set_text(cell, SBL_CELL_IS_DECIMAL, text, length);
        break;
    case 'D':
        set_whole(cell, SBL_CELL_IS_DAY, text, length);
        break;
    case 'm':
    case 'z':
        set_moment(cell, SBL_CELL_IS_MOMENT, cell->text[1] == 'z', text, length);
        break;
    case 'c':
        set_moment(cell, SBL_CELL_IS_CLOCK, false, text, length);
        break;
    default:
        break;
    }
}
