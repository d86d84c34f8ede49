/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a column without a schema: how often each value came, and what they all can be read as. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "owner/inspect/inspect_column.h"
#include "public/rows/cell_format.h"
#include "public/rows/decimal.h"
#include "records/rows/cell.h"
#include "records/rows/cell_decode.h"

#define STEP_UNITS 1e4       /* a step has up to four digits after the point */
#define ANY_DIGITS 99        /* after the point, of a power of ten: more than a grid has */
#define MOST_STEP_UNITS 1e12 /* and values of at most this number of units, which doubles hold exactly */

/* Ways to write a number: the decimal sign, the mark between thousands, signs around it. */
static const sbl_column usual_styles[SBL_INSPECT_STYLES] = {
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = ',', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = '.', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = ',', .bare = false},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = '.', .bare = false},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = ' ', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = ' ', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = '\'', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = ' ', .bare = false},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = '\'', .bare = false},
};

void sbl_inspect_styles(sbl_column styles[SBL_INSPECT_STYLES], const sbl_data_options *given)
{
    memcpy(styles, usual_styles, sizeof usual_styles);
    for (size_t s = 0; s < SBL_INSPECT_STYLES; s++) {
        sbl_written written = {SBL_DIALECT_USUAL, styles[s].decimal_char, styles[s].group_char};
        /* A decimal sign that was given leaves no room for the same one between thousands. */
        if (given->decimal != NULL && given->thousands == NULL && given->decimal[0] == written.group_char)
            written.group_char = 0;
        if (given->thousands != NULL && given->decimal == NULL && given->thousands[0] == written.decimal_char)
            written.decimal_char = written.decimal_char == '.' ? ',' : '.';
        if (sbl_written_apply(&written, given, NULL) != SBL_OK) continue;
        styles[s].decimal_char = written.decimal_char;
        styles[s].group_char = written.group_char;
    }
}

/* Signs that stand around amounts, and nothing else but digits, marks and blanks. */
static bool only_money_signs(const char *text, size_t length)
{
    static const char *const money[] = {"$",        "%",       "EUR", "USD", "CHF", "GBP", "\xe2\x82\xac",
                                        "\xc2\xa3", "\xc2\xa5"};
    for (size_t i = 0; i < length;) {
        size_t passed = strchr("0123456789.,+-' ", text[i]) != NULL ? 1 : 0;
        for (size_t s = 0; passed == 0 && s < sizeof money / sizeof money[0]; s++)
            if (length - i >= strlen(money[s]) && memcmp(text + i, money[s], strlen(money[s])) == 0)
                passed = strlen(money[s]);
        if (passed == 0) return false;
        i += passed;
    }
    return true;
}

/* A number with a power of ten, with a decimal point or comma: 5.3e-06, 1e+05, 12E4. */
static bool is_power(const char *text, size_t length)
{
    char plain[SBL_CELL_TEXT_SIZE];
    double value;
    if (length > sizeof plain || (memchr(text, 'e', length) == NULL && memchr(text, 'E', length) == NULL))
        return false;
    memcpy(plain, text, length);
    char *comma = memchr(plain, '.', length) == NULL ? memchr(plain, ',', length) : NULL;
    if (comma != NULL) *comma = '.';
    return sbl_decimal_parse(&value, plain, length);
}

/* 12E4 may be a code: it has neither a point nor a sign. */
static bool is_bare_power(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr(".,+-", text[i]) != NULL) return false;
    return is_power(text, length);
}

/* Where a unit begins that follows a number: "50 kg", "3.5 mg/dl"; NULL: there is none. It has no digit. */
static const char *unit_in(const char *text, size_t length)
{
    const char *end = text + length;
    const char *p = text;
    if (length == 0 || strchr("0123456789-+", *p) == NULL) return NULL;
    while (p < end && strchr("0123456789.,'+- ", *p) != NULL && *p != '\0') p++;
    while (p > text && p[-1] == ' ') p--;
    if (p == end || (size_t)(end - p) > SBL_AFFIX_MOST) return NULL;
    for (const char *q = p; q < end; q++)
        if ((unsigned char)*q < 0x20 || strchr("0123456789+-.,'", *q) != NULL) return NULL;
    return p;
}

static bool may_be_number(const char *text, size_t length)
{
    return only_money_signs(text, length) || is_power(text, length) || unit_in(text, length) != NULL;
}

/* All numbers with a unit have the same one. */
static bool has_unit(sbl_inspect_column *column, const char *text, size_t length)
{
    const char *unit = unit_in(text, length);
    const size_t size = unit != NULL ? (size_t)(text + length - unit) : 0;
    if (unit == NULL) return false;
    if (column->unit[0] == '\0') memcpy(column->unit, unit, size);
    return strlen(column->unit) == size && memcmp(column->unit, unit, size) == 0;
}

bool sbl_inspect_number(double *value, const sbl_column *style, const char *text)
{
    const size_t length = strlen(text);
    return may_be_number(text, length) && sbl_number_read(value, style, text, length) && isfinite(*value);
}

bool sbl_inspect_column_init(sbl_inspect_column *column, const char *name, size_t length,
                             const sbl_column *styles)
{
    *column = (sbl_inspect_column){.styles = styles};
    column->name = sbl_alloc_array(length + 1, 1);
    column->values = sbl_alloc_array(SBL_INSPECT_SLOTS, sizeof *column->values);
    if (column->name == NULL || column->values == NULL) return false;
    memcpy(column->name, name, length);
    return true;
}

void sbl_inspect_column_clear(sbl_inspect_column *column)
{
    for (size_t i = 0; column->values != NULL && i < SBL_INSPECT_SLOTS; i++)
        if (column->values[i].text != NULL)
            sbl_free_wiped(column->values[i].text, strlen(column->values[i].text));
    for (size_t i = 0; i < column->mark_count; i++) sbl_free(column->marks[i].text);
    for (size_t i = 0; i < column->word_count; i++)
        sbl_free_wiped(column->words[i].text, strlen(column->words[i].text));
    sbl_free(column->values);
    sbl_free(column->name);
    *column = (sbl_inspect_column){0};
}

/* ---- taking cells ---- */

void sbl_inspect_widen(sbl_inspect_range *range, double value)
{
    if (range->count == 0 || value < range->low) range->low = value;
    if (range->count == 0 || value > range->high) range->high = value;
    range->count++;
}

bool sbl_inspect_is_code(double value)
{
    const double size = fabs(value);
    if (value == -1 || value == -9) return true;
    for (int ones = 11; ones < 10000000; ones = ones * 10 + 1) {
        if (size == 9 * ones || (value > 0 && (size == 8 * ones || size == 7 * ones))) return true;
        if (value > 0 && (size == 9 * ones - 1 || size == 9 * ones - 2)) return true; /* 98: refused */
        if (ones > 111 && (size == 9 * ones / 10.0 || size == 9 * ones / 100.0) && size > 999) return true;
    }
    return false;
}

double sbl_inspect_common_step(double units, double value)
{
    double a = units;
    double b = nearbyint(fabs(value) * STEP_UNITS);
    if (isnan(a) || b > MOST_STEP_UNITS || fabs(fabs(value) * STEP_UNITS - b) > 1e-3) return NAN;
    while (b > 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The signs around a number, which are known ones and short. */
static void take_affixes(sbl_inspect_affixes *affixes, const sbl_column *style, const char *text,
                         size_t length)
{
    const char *from = text, *to = text + length;
    sbl_inspect_affixes own = {.votes = 1};
    sbl_number_strip(&from, &to, style);
    const size_t before = (size_t)(from - text), after = (size_t)(text + length - to);
    if (before > SBL_AFFIX_MOST || after > SBL_AFFIX_MOST) return;
    memcpy(own.prefix, text, before);
    memcpy(own.suffix, to, after);
    if (strcmp(own.prefix, affixes->prefix) == 0 && strcmp(own.suffix, affixes->suffix) == 0)
        affixes->votes++;
    else if (affixes->votes > 0)
        affixes->votes--;
    else
        *affixes = own;
}

/* False: no way of writing reads it. */
static bool take_number(sbl_inspect_column *column, const char *text, size_t length)
{
    const bool power = is_power(text, length);
    const bool good = power || only_money_signs(text, length) || has_unit(column, text, length);
    bool any = false;
    column->zero_led +=
        is_bare_power(text, length) || (length > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9');
    for (size_t s = 0; good && s < SBL_INSPECT_STYLES; s++) {
        double value;
        if (!sbl_number_read(&value, &column->styles[s], text, length) || !isfinite(value)) continue;
        const char *point = memchr(text, column->styles[s].decimal_char, length);
        int digits = 0;
        for (const char *p = point; p != NULL && ++p < text + length && *p >= '0' && *p <= '9';) digits++;
        if (power) digits = value == nearbyint(value) ? 0 : ANY_DIGITS;
        sbl_inspect_widen(&column->numbers[s], value);
        if (!sbl_inspect_is_code(value)) {
            sbl_inspect_widen(&column->answers[s], value);
            column->steps[s] = sbl_inspect_common_step(column->steps[s], value);
        }
        column->wholes[s] += value == nearbyint(value);
        const char group = column->styles[s].group_char;
        column->grouped[s] = column->grouped[s] || (group != 0 && memchr(text, group, length) != NULL);
        if (!column->styles[s].bare) take_affixes(&column->affixes[s], &column->styles[s], text, length);
        if (digits > column->decimals[s]) column->decimals[s] = digits;
        any = true;
    }
    return any;
}

static char *copy_of(sbl_inspect_column *column, const char *text, size_t length)
{
    char *copy = sbl_alloc_array(length + 1, 1);
    if (copy == NULL)
        column->failed = true;
    else
        memcpy(copy, text, length);
    return copy;
}

static bool is_same(const char *kept, const char *text, size_t length)
{
    return strlen(kept) == length && memcmp(kept, text, length) == 0;
}

void sbl_inspect_column_count(sbl_inspect_column *column, const char *text, size_t length, uint64_t times)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a: short texts, no enemy */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    size_t slot = (size_t)(hash % SBL_INSPECT_SLOTS);
    for (; column->values[slot].text != NULL; slot = (slot + 1) % SBL_INSPECT_SLOTS)
        if (is_same(column->values[slot].text, text, length)) {
            column->values[slot].count += times;
            return;
        }
    column->many = column->many || column->value_count == SBL_INSPECT_VALUES;
    if (column->many || memchr(text, '\0', length) != NULL) return;
    column->values[slot] = (sbl_inspect_value){copy_of(column, text, length), times};
    column->value_count += column->values[slot].text != NULL;
}

/* A cell that stands for a missing value, as it is spelled. */
static void take_mark(sbl_inspect_column *column, const char *text, size_t length)
{
    column->missing++;
    if (length == 0) return;
    for (size_t i = 0; i < column->mark_count; i++)
        if (is_same(column->marks[i].text, text, length)) {
            column->marks[i].count++;
            return;
        }
    if (column->mark_count == SBL_INSPECT_MARKS) return;
    sbl_inspect_value *mark = &column->marks[column->mark_count];
    *mark = (sbl_inspect_value){copy_of(column, text, length), 1};
    column->mark_count += mark->text != NULL;
}

static void take_text(sbl_inspect_column *column, const char *text, size_t length)
{
    if (column->texts++ == 0) column->first_text = column->cells;
    for (size_t i = 0; i < column->word_count; i++)
        if (is_same(column->words[i].text, text, length)) {
            column->words[i].count++;
            return;
        }
    column->more_words = column->more_words || column->word_count == SBL_INSPECT_WORDS;
    if (column->more_words) return;
    sbl_inspect_value *word = &column->words[column->word_count];
    *word = (sbl_inspect_value){copy_of(column, text, length), 1};
    column->word_count += word->text != NULL;
}

/* "inf" and "Infinity", with or without a sign: runs read it as the nearer bound. */
static bool is_infinite(const char *text, size_t length)
{
    static const char *const infinite[] = {"inf", "infinity"};
    const size_t sign = length > 0 && (*text == '-' || *text == '+') ? 1 : 0;
    return sbl_inspect_is_among(infinite, 2, text + sign, length - sign);
}

/* "P-0017" has the shape "P-####". */
static void take_shape(sbl_inspect_column *column, const char *text, size_t length)
{
    bool digit = false;
    for (size_t i = 0; i < length; i++) digit = digit || (text[i] >= '0' && text[i] <= '9');
    column->wordy += !digit;
    char shape[SBL_INSPECT_SHAPE] = {0};
    bool good = length < SBL_INSPECT_SHAPE && !column->shapes_differ;
    for (size_t i = 0; good && i < length; i++) {
        shape[i] = text[i] >= '0' && text[i] <= '9' ? '#' : text[i];
        good = text[i] != '#' && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x7f;
    }
    if (good && column->shape[0] == '\0') memcpy(column->shape, shape, sizeof shape);
    column->shapes_differ = !good || strcmp(column->shape, shape) != 0;
    if (column->shapes_differ) column->shape[0] = '\0';
}

static bool is_uuid(const char *text, size_t length)
{
    bool good = length == 36;
    for (size_t i = 0; good && i < length; i++)
        good = i == 8 || i == 13 || i == 18 || i == 23
                   ? text[i] == '-'
                   : strchr("0123456789abcdefABCDEF", text[i]) != NULL && text[i] != '\0';
    return good;
}

void sbl_inspect_column_take(sbl_inspect_column *column, const char *text, size_t length)
{
    text = sbl_trim(text, &length);
    column->cells++;
    if (sbl_inspect_mark_of(text, length) != SBL_MARK_NOT) {
        take_mark(column, text, length);
        return;
    }
    const bool number = take_number(column, text, length);
    const bool moment = sbl_inspect_moment_take(column, text, length);
    column->read += number;
    if (is_infinite(text, length))
        column->infinite++;
    else if (!number && !moment)
        take_text(column, text, length);
    take_shape(column, text, length);
    column->uuids += is_uuid(text, length);
    sbl_inspect_column_count(column, text, length, 1);
}
