#include "table/guess_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schema/calendar.h"
#include "schema/date_format.h"
#include "table/csv.h"
#include "table/guess_shape.h"

#define MOST 0.95     /* so many cells of a kind make a column of it */
#define FEW_VALUES 50 /* of a text column are categories in any table */
#define RARE 10       /* a category seen less often is about few people */

const char *const sbl_guess_missing[] = {"",    "NA",  "N/A",  "NULL", "null",
                                         "nan", "NaN", "None", "-"};

/* Ways to write a number: the decimal sign, the mark between thousands, signs around it. */
static const sbl_column usual_styles[SBL_GUESS_STYLES] = {
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = ',', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = '.', .bare = true},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = '.', .group_char = ',', .bare = false},
    {.kind = SBL_COLUMN_NUMBER, .decimal_char = ',', .group_char = '.', .bare = false},
};

/* Of dates, then of datetimes; NULL: ISO 8601. */
static const char *const patterns[SBL_GUESS_PATTERNS] = {NULL,
                                                         "%d.%m.%Y",
                                                         "%d/%m/%Y",
                                                         "%m/%d/%Y",
                                                         "%Y/%m/%d",
                                                         "%d-%m-%Y",
                                                         NULL,
                                                         "%d.%m.%Y %H:%M",
                                                         "%d.%m.%Y %H:%M:%S",
                                                         "%d/%m/%Y %H:%M",
                                                         "%m/%d/%Y %H:%M",
                                                         "%m/%d/%Y %H:%M:%S"};
#define FIRST_CLOCK 6

void sbl_guess_styles(sbl_column styles[SBL_GUESS_STYLES], const sbl_dialect_given *given)
{
    memcpy(styles, usual_styles, sizeof usual_styles);
    for (size_t s = 0; s < SBL_GUESS_STYLES; s++) {
        sbl_written written = {SBL_DIALECT_USUAL, styles[s].decimal_char, styles[s].group_char};
        /* A decimal sign that was given leaves no room for the same one between thousands. */
        if (given->decimal != NULL && given->thousands == NULL &&
            given->decimal[0] == written.group_char)
            written.group_char = 0;
        if (given->thousands != NULL && given->decimal == NULL &&
            given->thousands[0] == written.decimal_char)
            written.decimal_char = written.decimal_char == '.' ? ',' : '.';
        if (sbl_written_apply(&written, given, NULL) != SBL_OK) continue;
        styles[s].decimal_char = written.decimal_char;
        styles[s].group_char = written.group_char;
    }
}

/* Signs that stand around amounts, and nothing else but digits, marks and blanks. */
static bool only_money_signs(const char *text, size_t length)
{
    static const char *const signs[] = {
        "$", "%", "EUR", "USD", "CHF", "GBP", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};
    for (size_t i = 0; i < length;) {
        size_t passed = strchr("0123456789.,+-' ", text[i]) != NULL ? 1 : 0;
        for (size_t s = 0; passed == 0 && s < sizeof signs / sizeof signs[0]; s++)
            if (length - i >= strlen(signs[s]) && memcmp(text + i, signs[s], strlen(signs[s])) == 0)
                passed = strlen(signs[s]);
        if (passed == 0) return false;
        i += passed;
    }
    return true;
}

bool sbl_guess_number(double *value, const sbl_column *style, const char *text)
{
    const size_t length = strlen(text);
    return only_money_signs(text, length) && sbl_number_read(value, style, text, length) &&
           isfinite(*value);
}

bool sbl_guess_column_init(sbl_guess_column *column, const char *name, size_t length,
                           const sbl_column *styles)
{
    *column = (sbl_guess_column){.styles = styles};
    column->name = sbl_alloc_array(length + 1, 1);
    column->values = sbl_alloc_array(SBL_GUESS_SLOTS, sizeof *column->values);
    if (column->name == NULL || column->values == NULL) return false;
    memcpy(column->name, name, length);
    return true;
}

void sbl_guess_column_clear(sbl_guess_column *column)
{
    for (size_t i = 0; column->values != NULL && i < SBL_GUESS_SLOTS; i++)
        if (column->values[i].text != NULL)
            sbl_free_wiped(column->values[i].text, strlen(column->values[i].text));
    sbl_free(column->values);
    sbl_free(column->name);
    *column = (sbl_guess_column){0};
}

/* ---- taking cells ---- */

static void widen(sbl_guess_range *range, double value)
{
    if (range->count == 0 || value < range->low) range->low = value;
    if (range->count == 0 || value > range->high) range->high = value;
    range->count++;
}

static void take_number(sbl_guess_column *column, const char *text, size_t length)
{
    const bool money = only_money_signs(text, length);
    column->zero_led += length > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
    for (size_t s = 0; money && s < SBL_GUESS_STYLES; s++) {
        double value;
        if (!sbl_number_read(&value, &column->styles[s], text, length) || !isfinite(value))
            continue;
        const char *point = memchr(text, column->styles[s].decimal_char, length);
        int digits = 0;
        for (const char *p = point; p != NULL && ++p < text + length && *p >= '0' && *p <= '9';)
            digits++;
        widen(&column->numbers[s], value);
        column->wholes[s] += value == nearbyint(value);
        if (digits > column->decimals[s]) column->decimals[s] = digits;
    }
}

static void take_moment(sbl_guess_column *column, const char *text, size_t length)
{
    for (size_t p = 0; p < SBL_GUESS_PATTERNS && length >= 8; p++) {
        int64_t at = 0;
        bool good;
        if (patterns[p] != NULL) {
            good = sbl_date_format_read(&at, patterns[p], text, length);
        } else if (p == 0) {
            good = sbl_date_parse(&at, text, length);
            if (good) at *= 86400;
        } else {
            good = length > SBL_DATE_LENGTH && sbl_datetime_parse(&at, NULL, text, length);
        }
        if (good) widen(&column->moments[p], (double)at);
    }
}

static void take_value(sbl_guess_column *column, const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a: short texts, no enemy */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    size_t slot = (size_t)(hash % SBL_GUESS_SLOTS);
    for (; column->values[slot].text != NULL; slot = (slot + 1) % SBL_GUESS_SLOTS)
        if (strlen(column->values[slot].text) == length &&
            memcmp(column->values[slot].text, text, length) == 0) {
            column->values[slot].count++;
            return;
        }
    column->many = column->many || column->value_count == SBL_GUESS_VALUES;
    if (column->many || memchr(text, '\0', length) != NULL) return;
    sbl_guess_value *value = &column->values[slot];
    value->text = sbl_alloc_array(length + 1, 1);
    if (value->text == NULL) {
        column->failed = true;
        return;
    }
    memcpy(value->text, text, length);
    value->count = 1;
    column->value_count++;
}

void sbl_guess_column_take(sbl_guess_column *column, const char *text, size_t length)
{
    while (length > 0 && (*text == ' ' || *text == '\t')) text++, length--;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    column->cells++;
    for (size_t i = 0; i < SBL_GUESS_MISSING; i++)
        if (strlen(sbl_guess_missing[i]) == length &&
            memcmp(sbl_guess_missing[i], text, length) == 0) {
            column->missing++;
            return;
        }
    take_number(column, text, length);
    take_moment(column, text, length);
    take_value(column, text, length);
}

/* ---- what it seems to be ---- */

static const char *const guessed[] = {"type", "minimum", "maximum", "required"};
static const char *const listed[] = {"type", "enum", "required"};

static void note(sbl_text *notes, const sbl_guess_column *column, const char *words)
{
    sbl_text_printf(notes, "%s: %s\n", column->name, words);
}

static sbl_status add_ignored(const sbl_guess_column *column, sbl_schema_draft *draft,
                              sbl_text *notes, const char *why, sbl_error *err)
{
    note(notes, column, why);
    return sbl_schema_draft_add(
        draft, &(sbl_draft_column){.name = column->name, .type = SBL_TYPE_NONE}, err);
}

/* The way that explains most cells; -1: none explains enough. The first of equals. */
static int best_of(const sbl_guess_range *ranges, size_t count, uint64_t present)
{
    int best = -1;
    uint64_t most = (uint64_t)(MOST * (double)present);
    for (size_t i = 0; i < count; i++)
        if (ranges[i].count > 0 && ranges[i].count >= most + (best >= 0 ? 1 : 0)) {
            best = (int)i;
            most = ranges[i].count;
        }
    return best;
}

static void note_spikes(const sbl_guess_column *column, int s, const sbl_guess_shape *shape,
                        sbl_text *notes)
{
    for (size_t i = 0; i < shape->spike_count; i++) {
        char text[SBL_DOUBLE_TEXT_SIZE];
        uint64_t rows = 0;
        for (size_t v = 0; v < SBL_GUESS_SLOTS; v++) {
            double value;
            if (column->values[v].text != NULL &&
                sbl_guess_number(&value, &column->styles[s], column->values[v].text) &&
                value == shape->spikes[i])
                rows += column->values[v].count;
        }
        sbl_text_printf(notes, "%s: %.0f %% of the rows hold one value, %s, which is a spike\n",
                        column->name, 100.0 * (double)rows / (double)column->cells,
                        sbl_double_to_text(text, shape->spikes[i]));
    }
}

/* Which facts of a number were guessed; at most 7. */
static size_t list_guessed(const char *list[7], const sbl_guess_shape *shape)
{
    static const char *const always[] = {"type", "minimum", "maximum", "required", "decimals"};
    size_t count = 0;
    for (; count < 5; count++) list[count] = always[count];
    if (shape->spike_count > 0) list[count++] = "spikes";
    if (shape->skewed) list[count++] = "transform";
    return count;
}

static sbl_status add_number(const sbl_guess_column *column, sbl_schema_draft *draft, int s,
                             sbl_text *notes, sbl_error *err)
{
    const sbl_guess_range *range = &column->numbers[s];
    const sbl_column *style = &column->styles[s];
    const uint64_t present = column->cells - column->missing;
    const bool whole = column->wholes[s] == range->count && column->decimals[s] == 0;
    if (whole && column->many && range->count == present &&
        range->high - range->low + 1 >= (double)present &&
        (range->high - range->low) < 20.0 * (double)present && column->missing == 0 &&
        range->low >= 0)
        note(notes, column, "whole numbers that may all differ: if it names people, ignore it");
    const double minimum = sbl_plain_number_down(range->low, 2);
    const double maximum = sbl_plain_number_up(range->high, 2);
    const char *facts[7];
    sbl_guess_shape shape;
    const sbl_status status = sbl_guess_shape_of(&shape, column, s, minimum, maximum, err);
    if (status != SBL_OK) return status;
    const sbl_draft_column made = {.name = column->name,
                                   .type = whole ? SBL_TYPE_INTEGER : SBL_TYPE_NUMBER,
                                   .required = column->missing == 0 && range->count == present,
                                   .minimum = minimum,
                                   .maximum = maximum,
                                   .log_transform = shape.skewed,
                                   .spikes = shape.spikes,
                                   .spike_count = shape.spike_count,
                                   .has_decimals = !whole && column->decimals[s] <= 9,
                                   .decimals = column->decimals[s],
                                   .decimal_char = style->decimal_char,
                                   .group_char = style->group_char,
                                   .signs = !style->bare,
                                   .origin = facts,
                                   .origin_count = list_guessed(facts, &shape)};
    note_spikes(column, s, &shape, notes);
    if (shape.skewed)
        note(notes, column, "most values lie at the lower end: fitted on a logarithmic scale");
    return sbl_schema_draft_add(draft, &made, err);
}

/* The first day of the year before, or the last of the year after, outwards. */
static double year_end(double seconds, bool up)
{
    char text[SBL_DATETIME_LENGTH];
    int64_t days = 0;
    (void)sbl_datetime_format(text, (int64_t)seconds, false);
    memcpy(text + 4, up ? "-12-31" : "-01-01", 6);
    (void)sbl_date_parse(&days, text, SBL_DATE_LENGTH);
    return (double)days;
}

static sbl_status add_moment(const sbl_guess_column *column, sbl_schema_draft *draft, int p,
                             sbl_text *notes, sbl_error *err)
{
    const sbl_guess_range *range = &column->moments[p];
    const bool clock = p >= FIRST_CLOCK;
    const double low = year_end(range->low, false);
    const double high = year_end(range->high, true);
    for (int q = clock ? FIRST_CLOCK : 0; q < (clock ? SBL_GUESS_PATTERNS : FIRST_CLOCK); q++)
        if (q != p && column->moments[q].count == range->count && patterns[p] != NULL)
            note(notes, column, "days and months may be the other way round: check its format");
    const sbl_draft_column made = {
        .name = column->name,
        .type = clock ? SBL_TYPE_DATETIME : SBL_TYPE_DATE,
        .required = column->missing == 0 && range->count == column->cells,
        .minimum = clock ? low * 86400 : low,
        .maximum = clock ? high * 86400 + 86399 : high,
        .format = patterns[p],
        .origin = guessed,
        .origin_count = 4};
    return sbl_schema_draft_add(draft, &made, err);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sbl_status add_categories(const sbl_guess_column *column, sbl_schema_draft *draft,
                                 sbl_text *notes, sbl_error *err)
{
    const char **texts = sbl_alloc_array(column->value_count, sizeof *texts);
    size_t count = 0;
    size_t rare = 0;
    if (texts == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    for (size_t i = 0; i < SBL_GUESS_SLOTS; i++) {
        if (column->values[i].text == NULL) continue;
        texts[count++] = column->values[i].text;
        rare += column->values[i].count < RARE;
    }
    qsort(texts, count, sizeof *texts, by_text);
    if (rare > 0)
        sbl_text_printf(
            notes,
            "%s: %zu of its %zu categories were seen fewer than %d times: each is a "
            "fact about few people; remove them, or gather them in one (semblance.other)\n",
            column->name, rare, count, RARE);
    const sbl_draft_column made = {.name = column->name,
                                   .type = SBL_TYPE_STRING,
                                   .required = column->missing == 0,
                                   .categories = texts,
                                   .category_count = count,
                                   .origin = listed,
                                   .origin_count = 3};
    const sbl_status status = sbl_schema_draft_add(draft, &made, err);
    sbl_free(texts);
    return status;
}

sbl_status sbl_guess_column_draft(sbl_guess_column *column, sbl_schema_draft *draft, bool comma,
                                  sbl_text *notes, sbl_error *err)
{
    const uint64_t present = column->cells - column->missing;
    if (column->failed) return sbl_fail(err, SBL_EMEM, "out of memory for a schema");
    if (present == 0) return add_ignored(column, draft, notes, "holds nothing: ignored", err);
    /* Marks between thousands are more likely commas where commas separate no cells. */
    if (!comma && column->numbers[2].count == column->numbers[1].count)
        column->numbers[1].count = 0;
    const int moment = best_of(column->moments, SBL_GUESS_PATTERNS, present);
    const int style = best_of(column->numbers, SBL_GUESS_STYLES, present);
    const bool codes = column->zero_led * 20 > present;
    const bool two = !column->many && column->value_count <= 2;
    if (moment >= 0) return add_moment(column, draft, moment, notes, err);
    if (style >= 0 && !codes && !two) return add_number(column, draft, style, notes, err);
    if (!column->many && (column->value_count <= FEW_VALUES || column->value_count * 20 <= present))
        return add_categories(column, draft, notes, err);
    return add_ignored(column, draft, notes,
                       "many different texts (names, ids, remarks): ignored; list its values in "
                       "constraints.enum if they are categories",
                       err);
}
