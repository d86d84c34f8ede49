/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a JSON record in one go where all of it is in the window and it is written in the usual way: an object of texts
 * without escapes, numbers, truths and nulls. Anything else is left to the reader of bytes (json_records.c), which begins
 * again at the record's first byte. Both give the same cells, so what a record holds decides only how long it takes.
 * A NUL, which no record of this kind has, is behind the window. */
#include <string.h>

#include "records/formats/json_string.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* The first quote, backslash or control character at or after p. */
static const char *text_end(const char *p)
{
    for (;; p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        const uint64_t quote = word ^ (ONES * '"'), slash = word ^ (ONES * '\\');
        /* The lowest bit set is exact; higher ones may be false. */
        const uint64_t found =
            (((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) | ((word - ONES * 0x20) & ~word)) & HIGHS;
        if (found != 0) return p + (unsigned)__builtin_ctzll(found) / 8;
    }
}

static const char *pass_blanks(const char *p, bool is_array)
{
    while (*p == ' ' || *p == '\t' || *p == '\r' || (is_array && *p == '\n')) p++;
    return p;
}

static const char *pass_digits(const char *p)
{
    while (*p >= '0' && *p <= '9') p++;
    return p;
}

/* Behind the number at p; NULL: it is none. *whole: it has neither point nor exponent. */
static const char *pass_number(const char *p, bool *whole)
{
    const char *digits = *p == '-' ? p + 1 : p;
    const char *stop = *digits == '0' ? digits + 1 : pass_digits(digits);
    *whole = true;
    if (stop == digits) return NULL;
    if (*stop == '.') {
        digits = stop + 1;
        stop = pass_digits(digits);
        *whole = false;
        if (stop == digits) return NULL;
    }
    if (*stop == 'e' || *stop == 'E') {
        digits = stop + (stop[1] == '+' || stop[1] == '-' ? 2 : 1);
        stop = pass_digits(digits);
        *whole = false;
        if (stop == digits) return NULL;
    }
    return stop;
}

static const char *read_number(sbl_cell *cell, const char *p)
{
    bool whole;
    int64_t value;
    const char *stop = pass_number(p, &whole);
    if (stop == NULL) return NULL;
    const size_t length = (size_t)(stop - p);
    *cell = whole && sbl_json_whole(&value, p, length)
                ? (sbl_cell){.sort = SBL_CELL_IS_INTEGER, .whole = value}
                : (sbl_cell){.sort = SBL_CELL_IS_DECIMAL, .text = p, .length = length};
    return stop;
}

static const char *read_word(sbl_cell *cell, const char *p)
{
    if (memcmp(p, "null", 4) == 0) {
        *cell = (sbl_cell){.sort = SBL_CELL_IS_MISSING};
        return p + 4;
    }
    const bool is_true = memcmp(p, "true", 4) == 0;
    if (!is_true && memcmp(p, "false", 5) != 0) return NULL;
    *cell = (sbl_cell){.sort = SBL_CELL_IS_TRUTH, .whole = is_true};
    return p + (is_true ? 4 : 5);
}

/* Behind the value at p; NULL: it is not a usual one. */
static const char *read_value(sbl_cell *cell, const char *p)
{
    if (*p != '"') return *p == '-' || (*p >= '0' && *p <= '9') ? read_number(cell, p) : read_word(cell, p);
    const char *stop = text_end(++p);
    if (*stop != '"') return NULL;
    *cell = (sbl_cell){.sort = SBL_CELL_IS_TEXT, .text = p, .length = (size_t)(stop - p)};
    return stop + 1;
}

/* The name at p, its colon and the value; NULL: not as usual. */
static const char *read_member(sbl_json_records *records, sbl_cell *cells, size_t position, const char *p)
{
    sbl_cell unused;
    if (*p != '"') return NULL;
    const char *stop = text_end(++p);
    if (*stop != '"') return NULL;
    const size_t place = sbl_json_find(records, position, p, (size_t)(stop - p));
    p = pass_blanks(stop + 1, records->is_array);
    if (*p != ':') return NULL;
    p = pass_blanks(p + 1, records->is_array);
    p = read_value(place < records->names->count ? &cells[place] : &unused, p);
    return p != NULL ? pass_blanks(p, records->is_array) : NULL;
}

/* The members of the object at p, with its brackets; NULL: not as usual. */
static const char *read_object(sbl_json_records *records, sbl_cell *cells, const char *p)
{
    p = pass_blanks(p, records->is_array);
    if (*p != '{') return NULL;
    p = pass_blanks(p + 1, records->is_array);
    if (*p == '}') return pass_blanks(p + 1, records->is_array);
    for (size_t position = 0;; position++) {
        p = read_member(records, cells, position, p);
        if (p == NULL || *p != ',') break;
        p = pass_blanks(p + 1, records->is_array);
    }
    return p != NULL && *p == '}' ? pass_blanks(p + 1, records->is_array) : NULL;
}

bool sbl_json_read_quick(sbl_json_records *records, sbl_cell *cells)
{
    for (size_t i = 0; i < records->names->count; i++) cells[i] = (sbl_cell){.sort = SBL_CELL_IS_MISSING};
    const char *p = read_object(records, cells, records->window + records->at);
    if (p == NULL || (records->is_array ? *p != ',' && *p != ']' : *p != '\n')) return false;
    records->at = (size_t)(p - records->window);
    return true;
}
