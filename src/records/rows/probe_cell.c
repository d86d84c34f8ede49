/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cell as a column of each kind in turn, and gives the number of the one answer that fits. Every
 * byte string has exactly one answer, which bounds the released histograms. */
#include "records/rows/probe_cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "public/rows/cell_format.h"
#include "public/rows/decimal.h"
#include "public/schema/calendar.h"
#include "records/rows/cell.h"
#include "records/rows/cell_decode.h"

/* The place of a text among words, which end with NULL; that of NULL when it is none of them. */
static uint32_t place_among(const char *const *words, const char *text, size_t length)
{
    uint32_t i = 0;
    while (words[i] != NULL && (strlen(words[i]) != length || memcmp(words[i], text, length) != 0)) i++;
    return i;
}

static bool is_missing(const char *text, size_t length)
{
    return place_among(sbl_missing_words, text, length) < SBL_MISSING_WORDS;
}

/* ---- what it looks like ---- */

/* For a number: whole, or how many digits follow the point. */
static uint32_t look_of_number(const char *text, size_t length)
{
    const char *point = memchr(text, '.', length);
    if (memchr(text, 'e', length) != NULL || memchr(text, 'E', length) != NULL) return SBL_LOOKS_LONG_DECIMAL;
    const size_t digits = point != NULL ? length - (size_t)(point - text) - 1 : 0;
    if (digits == 0) return SBL_LOOKS_INTEGER;
    return digits <= 6 ? (uint32_t)(SBL_LOOKS_DECIMAL + digits - 1) : SBL_LOOKS_LONG_DECIMAL;
}

/* Digits that begin with a zero, as codes do and sizes do not. */
static bool is_zero_led(const char *text, size_t length)
{
    size_t digits = 0;
    while (digits < length && text[digits] >= '0' && text[digits] <= '9') digits++;
    return length > 1 && text[0] == '0' && digits == length;
}

/* The one way in which a date is written, or the two that differ in the order of days and months: an
 * answer of its own, so that no cell gives two. */
static uint32_t look_of_moment(const char *text, size_t length)
{
    int64_t seconds;
    int way = 0;
    while (way < SBL_DATE_WAYS && !sbl_date_way_read(&seconds, way, text, length)) way++;
    if (way == SBL_DATE_WAYS) return SBL_LOOKS_TEXT;
    for (uint32_t t = 0; t < SBL_DATE_TWINS; t++)
        if (sbl_date_twins[t][0] == way && sbl_date_way_read(&seconds, sbl_date_twins[t][1], text, length))
            return SBL_LOOKS_EITHER + t;
    return SBL_LOOKS_DATE + (uint32_t)way;
}

/* How the table writes its values. */
static sbl_column marks_of(const sbl_probe *probe)
{
    return (sbl_column){.kind = probe->type == SBL_TYPE_DATE       ? SBL_COLUMN_DATE
                                : probe->type == SBL_TYPE_DATETIME ? SBL_COLUMN_DATETIME
                                                                   : SBL_COLUMN_NUMBER,
                        .format = (char *)(uintptr_t)probe->format, /* is only read */
                        .decimal_char = probe->decimal_char != 0 ? probe->decimal_char : '.',
                        .group_char = probe->group_char,
                        .bare = true};
}

/* A text, unless it is a number to a reader of decimal commas. Where the comma has another meaning in numbers, that was
 * told. */
static uint32_t look_of_text(const sbl_column *marks, const char *text, size_t length)
{
    const sbl_column other = {
        .kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = '.', .bare = true};
    char plain[SBL_CELL_TEXT_SIZE];
    size_t size;
    double number;
    const bool comma = marks->decimal_char != ',' && marks->group_char != ',' &&
                       memchr(text, ',', length) != NULL &&
                       sbl_number_plain(plain, &size, &other, text, length) &&
                       sbl_decimal_parse(&number, plain, size) && isfinite(number);
    return comma ? SBL_LOOKS_COMMA : SBL_LOOKS_TEXT;
}

static uint32_t look_of(const sbl_probe *probe, const char *text, size_t length)
{
    const sbl_column marks = marks_of(probe);
    char plain[SBL_CELL_TEXT_SIZE];
    size_t size;
    static const char *const truths[] = {"true", "True", "TRUE", "false", "False", "FALSE", NULL};
    double number;
    if (is_missing(text, length)) return place_among(sbl_missing_words, text, length);
    if (truths[place_among(truths, text, length)] != NULL) return SBL_LOOKS_BOOLEAN;
    if (is_zero_led(text, length)) return SBL_LOOKS_ZERO_LED;
    if (!sbl_column_is_marked(&marks)) {
        if (sbl_decimal_parse(&number, text, length))
            return isfinite(number) ? look_of_number(text, length) : (uint32_t)SBL_LOOKS_TEXT;
    } else if (sbl_number_plain(plain, &size, &marks, text, length) &&
               sbl_decimal_parse(&number, plain, size)) {
        return isfinite(number) ? look_of_number(plain, size) : (uint32_t)SBL_LOOKS_TEXT;
    }
    const uint32_t moment = look_of_moment(text, length);
    return moment == SBL_LOOKS_TEXT ? look_of_text(&marks, text, length) : moment;
}

/* ---- where its value lies ---- */

static bool read_value(double *value, const sbl_probe *probe, const char *text, size_t length)
{
    const sbl_column marks = marks_of(probe);
    return !is_missing(text, length) && sbl_value_read(value, &marks, text, length);
}

static uint32_t magnitude_of(double value)
{
    const uint32_t zero = SBL_MAGNITUDE_BINS / 2;
    int power; /* 2^(power - 1) <= |value| < 2^power */
    if (isinf(value)) return value > 0 ? SBL_MAGNITUDE_BINS - 1 : 0;
    if (!(fabs(value) >= ldexp(1.0, SBL_MAGNITUDE_LEAST))) return zero;
    (void)frexp(value, &power);
    if (power - 1 > SBL_MAGNITUDE_MOST) power = SBL_MAGNITUDE_MOST + 1;
    const uint32_t place = (uint32_t)(power - 1 - SBL_MAGNITUDE_LEAST);
    return value > 0 ? zero + 1 + place : zero - 1 - place;
}

static uint32_t year_of(double value, sbl_field_type type)
{
    char text[SBL_DATE_LENGTH];
    const double days = type == SBL_TYPE_DATE ? value : floor(value / 86400.0);
    (void)sbl_date_format(text, (int64_t)days);
    const int year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
    if (year < SBL_YEAR_FIRST) return 0;
    return year > SBL_YEAR_LAST ? SBL_YEAR_BINS - 1 : (uint32_t)(year - SBL_YEAR_FIRST + 1);
}

static uint32_t bin_of(double value, const sbl_probe *probe)
{
    const double place = floor((value - probe->low) / probe->width);
    if (!(place > 0.0)) return 0;
    return place < (double)probe->bins ? (uint32_t)place : (uint32_t)(probe->bins - 1);
}

uint32_t sbl_probe_cell(const sbl_probe *probe, const char *text, size_t length)
{
    const uint32_t none = (uint32_t)sbl_probe_answers(probe) - 1;
    double value;
    if (text == NULL) return probe->kind == SBL_PROBE_TYPE ? SBL_LOOKS_TEXT : none;
    text = sbl_trim(text, &length);
    if (probe->kind == SBL_PROBE_TYPE) return look_of(probe, text, length);
    if (!read_value(&value, probe, text, length)) return none;
    switch (probe->kind) {
    case SBL_PROBE_MAGNITUDE:
        return magnitude_of(value);
    case SBL_PROBE_YEAR:
        return year_of(value, probe->type);
    default:
        return bin_of(value, probe);
    }
}

const char *sbl_key_of_cell(size_t *length, const char *text, size_t size, size_t longest)
{
    *length = size;
    if (text == NULL) return NULL;
    text = sbl_trim(text, length);
    if (*length > longest || is_missing(text, *length)) return NULL;
    for (size_t i = 0; i < *length;) {
        const size_t part = sbl_utf8_length(text + i, *length - i);
        const unsigned char first = (unsigned char)text[i];
        if (part == 0 || first < 0x20 || first == 0x7f) return NULL;
        i += part;
    }
    return text;
}
