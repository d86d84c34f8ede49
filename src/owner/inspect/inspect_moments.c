/* SPDX-License-Identifier: Apache-2.0 */
/* Which cells of a column can be read as dates, datetimes or times of day, by which formats, and the field of such a
 * column. A column may need several formats: the one that reads most cells comes first, then what reads most of the rest. */
#include "owner/inspect/inspect_column.h"

#include <inttypes.h>
#include <string.h>

#include "public/schema/calendar.h"

#define MOST 0.95        /* this share of cells decides the column's type */
#define MOST_BUT_ONE 0.5 /* or this share, if all others hold texts that mean "missing" */
#define SHORTEST 4       /* characters: 9:30 */
#define DAY INT64_C(86400)
#define FIRST_YEAR INT64_C(-2208988800) /* 1900, in seconds, and 2100: of dates that are eight digits */
#define LAST_YEAR INT64_C(4102444800)

typedef enum sort { DATE, DATETIME, TIME } sort;

typedef struct way {
    sort sort;
    const char *pattern; /* NULL: ISO 8601 */
} way;

/* Those of sbl_date_ways first, in its order. */
static const way ways[SBL_INSPECT_WAYS] = {
    {DATE, NULL},
    {DATE, "%d.%m.%Y"},
    {DATE, "%d/%m/%Y"},
    {DATE, "%m/%d/%Y"},
    {DATE, "%Y/%m/%d"},
    {DATE, "%d-%m-%Y"},
    {DATE, "%d.%m.%y"},
    {DATE, "%d/%m/%y"},
    {DATE, "%m/%d/%y"},
    {DATETIME, NULL},
    {DATETIME, "%d.%m.%Y %H:%M"},
    {DATETIME, "%d.%m.%Y %H:%M:%S"},
    {DATETIME, "%d/%m/%Y %H:%M"},
    {DATETIME, "%m/%d/%Y %H:%M"},
    {DATETIME, "%m/%d/%Y %H:%M:%S"},
    {DATETIME, "%d.%m.%y %H:%M"},
    {DATE, "%d %b %Y"},
    {DATE, "%d-%b-%Y"},
    {DATE, "%d-%b-%y"},
    {DATE, "%b %d, %Y"},
    {DATE, "%Y.%m.%d"},
    {DATE, "%Y%m%d"},
    {DATETIME, "%d/%m/%Y %H:%M:%S"},
    {DATETIME, "%d %b %Y %H:%M"},
    {DATETIME, "%Y/%m/%d %H:%M"},
    {DATE, "%Y-%m-%d"}, /* with one digit: with two it is ISO 8601 */
    {DATETIME, "%Y-%m-%d %H:%M"},
    {DATETIME, "%Y-%m-%d %H:%M:%S"},
    {DATETIME, "%m/%d/%Y %I:%M %p"},
    {DATETIME, "%m/%d/%Y %I:%M:%S %p"},
    {DATETIME, "%d/%m/%Y %I:%M %p"},
    {DATETIME, "%d/%m/%Y %I:%M:%S %p"},
    {TIME, "%I:%M %p"},
    {TIME, "%I:%M:%S %p"},
    {TIME, "%H:%M"},
    {TIME, "%H:%M:%S"},
};
#define CLOCK 9    /* a datetime of ISO 8601 */
#define COMPACT 21 /* %Y%m%d */

/* Ways that differ in the order of days and months alone: one text may be read by both. */
static const int twins[][2] = {{2, 3}, {7, 8}, {12, 13}, {22, 14}, {30, 28}, {31, 29}};
#define TWINS (sizeof twins / sizeof twins[0])

/* ---- taking cells ---- */

/* By their lengths, which the standard fixes: 2024-01-31 23:59:59, without seconds, or with a Z. */
static const char *const clocks[SBL_INSPECT_CLOCKS] = {"Z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M",
                                                       "%Y-%m-%dT%H:%M"};

static void take_clock(sbl_inspect_column *column, const char *text, size_t length)
{
    const bool blank = text[SBL_DATE_LENGTH] == ' ';
    column->clocks[0] += !blank && length == 20 && text[19] == 'Z';
    column->clocks[1] += blank && length == 19;
    column->clocks[2] += blank && length == 16;
    column->clocks[3] += !blank && length == 16;
}

/* The way in which every datetime of ISO 8601 is written: a pattern, "Z" for the usual one in UTC, or NULL: as the
 * standard does, or in several ways. */
static const char *clock_of(const sbl_inspect_column *column)
{
    for (size_t i = 0; i < SBL_INSPECT_CLOCKS; i++)
        if (column->clocks[i] > 0 && column->clocks[i] == column->moments[CLOCK].count) return clocks[i];
    return NULL;
}

static bool read_way(int64_t *at, int number, const char *text, size_t length)
{
    const way *as = &ways[number];
    if (as->sort == TIME) return sbl_time_format_read(at, as->pattern, text, length);
    if (number == COMPACT && length != 8) return false;
    if (as->pattern != NULL)
        return sbl_date_format_read(at, as->pattern, text, length) &&
               (number != COMPACT || (*at >= FIRST_YEAR && *at < LAST_YEAR));
    if (as->sort == DATETIME) return length > SBL_DATE_LENGTH && sbl_datetime_parse(at, NULL, text, length);
    const bool good = sbl_date_parse(at, text, length);
    if (good) *at *= DAY;
    return good;
}

static void take_mask(sbl_inspect_column *column, uint64_t mask)
{
    size_t i = 0;
    while (i < column->mask_count && column->masks[i].ways != mask) i++;
    if (i == SBL_INSPECT_MASKS) return;
    if (i == column->mask_count) column->masks[column->mask_count++].ways = mask;
    column->masks[i].count++;
}

bool sbl_inspect_moment_take(sbl_inspect_column *column, const char *text, size_t length)
{
    uint64_t mask = 0;
    bool placeholder = false;
    if (length < SHORTEST || length > SBL_DATE_FORMAT_MOST) return false;
    for (int number = 0; number < SBL_INSPECT_WAYS; number++) {
        int64_t at = 0;
        if (!read_way(&at, number, text, length)) continue;
        mask |= UINT64_C(1) << number;
        sbl_inspect_widen(&column->moments[number], (double)at);
        const bool none = ways[number].sort != TIME && sbl_inspect_is_placeholder(at);
        placeholder = placeholder || none;
        if (!none) sbl_inspect_widen(&column->dated[number], (double)at);
        if (number == CLOCK) take_clock(column, text, length);
    }
    column->placeholders += placeholder;
    if (mask != 0) take_mask(column, mask);
    return mask != 0;
}

/* ---- which formats ---- */

/* Cells that a way reads and no way of a set does. */
static uint64_t gain_of(const sbl_inspect_column *column, int number, uint64_t taken)
{
    uint64_t count = 0;
    for (size_t i = 0; i < column->mask_count; i++)
        if ((column->masks[i].ways >> number & 1) != 0 && (column->masks[i].ways & taken) == 0)
            count += column->masks[i].count;
    return count;
}

/* The ways of some sorts, a bit for each, that together read most; the first of equals. */
static void choose_formats(sbl_inspect_column *column, unsigned sorts)
{
    uint64_t taken = 0;
    column->format_count = 0;
    column->moment_cells = 0;
    while (column->format_count < SBL_INSPECT_FORMATS) {
        uint64_t most = 0;
        int best = 0;
        for (int number = 0; number < SBL_INSPECT_WAYS; number++) {
            const uint64_t gain = (sorts >> ways[number].sort & 1) != 0 ? gain_of(column, number, taken) : 0;
            /* The first one of a datetime is written, and has a clock. */
            const bool may =
                sorts != (1u << DATE | 1u << DATETIME) || taken != 0 || ways[number].sort == DATETIME;
            if (!may || gain <= most) continue;
            most = gain;
            best = number;
        }
        if (most == 0) return;
        taken |= UINT64_C(1) << best;
        column->formats[column->format_count] = best;
        column->format_cells[column->format_count++] = most;
        column->moment_cells += most;
    }
}

bool sbl_inspect_moments_decide(sbl_inspect_column *column)
{
    static const unsigned sorts[] = {1u << DATE, 1u << DATETIME, 1u << DATE | 1u << DATETIME, 1u << TIME};
    const uint64_t present = column->cells - column->missing;
    for (size_t i = 0; i < sizeof sorts / sizeof sorts[0]; i++) {
        choose_formats(column, sorts[i]);
        const double least = sbl_inspect_words_are_marks(column, column->moment_cells) ? MOST_BUT_ONE : MOST;
        column->way = column->formats[0];
        if (column->format_count > 0 && (double)column->moment_cells >= least * (double)present) return true;
    }
    column->format_count = 0;
    return false;
}

/* ---- its field ---- */

static const char *const found[] = {"type", "minimum", "maximum", "required"};

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

static bool is_chosen(const sbl_inspect_column *column, int number)
{
    for (size_t i = 0; i < column->format_count; i++)
        if (column->formats[i] == number) return true;
    return false;
}

/* Days and months that may be the other way round: every cell of a format, or some if both formats are there. */
static void note_twins(const sbl_inspect_column *column, sbl_text *notes)
{
    for (size_t t = 0; t < TWINS; t++) {
        const int one = twins[t][0], other = twins[t][1];
        const bool both = is_chosen(column, one) && is_chosen(column, other);
        if (both)
            sbl_inspect_note(
                notes, column,
                "days and months come in both orders: a cell that both formats read is read by the "
                "first of them");
        else if ((is_chosen(column, one) || is_chosen(column, other)) &&
                 column->moments[one].count == column->moments[other].count)
            sbl_inspect_note(notes, column, "days and months may be the other way round: check its format");
    }
}

static const char *name_of(int number)
{
    return ways[number].pattern != NULL ? ways[number].pattern : "ISO 8601";
}

static void note_moments(const sbl_inspect_column *column, sbl_text *notes)
{
    bool short_years = false;
    for (size_t i = 0; i < column->format_count; i++)
        short_years = short_years || strstr(name_of(column->formats[i]), "%y") != NULL;
    note_twins(column, notes);
    if (short_years)
        sbl_inspect_note(
            notes, column,
            "years of two digits: 69 to 99 are taken for 1969 to 1999, 00 to 68 for 2000 to 2068");
    if (column->format_count < 2) return;
    sbl_text_printf(notes, "%s: dates in %zu formats", column->name, column->format_count);
    for (size_t i = 0; i < column->format_count; i++)
        sbl_text_printf(notes, ", %.2g %% %s",
                        100.0 * (double)column->format_cells[i] / (double)column->moment_cells,
                        name_of(column->formats[i]));
    sbl_text_printf(notes, ": the first is written\n");
}

bool sbl_inspect_moment_read(int64_t *at, size_t *format, const sbl_inspect_column *column, const char *text)
{
    const size_t length = strlen(text);
    if (length < SHORTEST || length > SBL_DATE_FORMAT_MOST) return false;
    for (*format = 0; *format < column->format_count; (*format)++)
        if (read_way(at, column->formats[*format], text, length)) return true;
    return false;
}

/* Bounds of dates are whole years, those of times of day the day. */
static void set_bounds(sbl_writer_column *made, const sbl_inspect_column *column)
{
    const sbl_inspect_range range = column->span;
    const double low = year_end(range.low, false);
    const double high = year_end(range.high, true);
    const bool clock = made->type == SBL_TYPE_DATETIME;
    made->minimum = clock ? low * (double)DAY : low;
    made->maximum = clock ? high * (double)DAY + (double)(DAY - 1) : high;
    if (made->type != SBL_TYPE_TIME) return;
    made->minimum = 0;
    const bool seconds = made->format == NULL || strstr(made->format, "%S") != NULL;
    made->maximum = (double)(DAY - (seconds ? 1 : 60)); /* 23:59 where there are no seconds */
}

sbl_status sbl_inspect_moments_write(const sbl_inspect_column *column, sbl_schema_writer *writer,
                                     sbl_text *notes, sbl_error *err)
{
    static const sbl_field_type types[] = {SBL_TYPE_DATE, SBL_TYPE_DATETIME, SBL_TYPE_TIME};
    const char *list[SBL_INSPECT_FORMATS];
    const int first = column->formats[0];
    const bool several = column->format_count > 1;
    const char *clocked = first == CLOCK && !several ? clock_of(column) : NULL;
    const bool utc = clocked != NULL && strcmp(clocked, "Z") == 0;
    sbl_writer_column made = {.name = column->name,
                              .type = types[ways[first].sort],
                              .required = column->moment_cells == column->cells,
                              .utc = utc,
                              .format = utc || clocked == NULL ? ways[first].pattern : clocked,
                              .formats = list,
                              .format_count = several ? column->format_count : 0,
                              .origin = found,
                              .origin_count = 4};
    if (!several && first == SBL_INSPECT_WAYS - 1) made.format = NULL; /* hh:mm:ss is usual */
    for (size_t i = 0; i < column->format_count; i++)
        list[i] = ways[column->formats[i]].pattern != NULL ? ways[column->formats[i]].pattern : "default";
    set_bounds(&made, column);
    note_moments(column, notes);
    return sbl_inspect_column_add(column, &made, writer, notes, err);
}
