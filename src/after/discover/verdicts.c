/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics: thresholds in deviations of the noise, chosen by how many counts are looked at
 * at once. Votes give the type, ranges the first and last bin that is surely there, bins the
 * bounds, which are rounded outward to plain numbers. */
#include "after/discover/discovery.h"

#include <math.h>

#include "public/schema/schema_writer.h"

#define CLEAR 3.0         /* deviations above which a count is taken for one */
#define SURE 5.0          /* of hundreds of bins, none of which should be taken for one by chance */
#define TEXT_PART 0.05    /* share of nonempty cells that are text: above it the column is text */
#define CODES_PART 0.01   /* share of numbers with leading zeros: above it they are codes */
#define DIGITS_PART 0.005 /* share of numbers with a digit after the point: above it, it counts */
#define TRIM_PART 0.002   /* of the numbers: less at one end is beyond the bounds */
#define LIKELY 3.5        /* of some hundred windows, few of which should be seen by chance */
#define HALF 1.4          /* deviations of a window that its outer half must hold */
#define WIDEST 16         /* bins in a window */
#define REACH 3           /* bins beyond the last sure one in which a tail is looked for */
#define BINS 64
#define LARGEST_WHOLE 9007199254740991.0 /* 2^53 - 1 */
#define SECONDS_OF_DAY 86400.0

static bool is_numeric(sbl_field_type type) { return type == SBL_TYPE_INTEGER || type == SBL_TYPE_NUMBER; }

/* ---- votes ---- */

/* The most digits after the point that are seen; whole numbers have none. One vote out of seven that
 * noise alone makes clear would give every number of the column digits that no cell has, so they
 * must be sure. */
static void read_digits(sbl_discovered *column, const double *counts, double numbers, double noise)
{
    const double least = fmax(SURE * noise, DIGITS_PART * numbers);
    column->type = SBL_TYPE_INTEGER;
    column->decimals = 0;
    for (int digits = 1; digits <= 7; digits++) {
        if (!(counts[SBL_LOOKS_DECIMAL + digits - 1] > least)) continue;
        column->type = SBL_TYPE_NUMBER;
        column->decimals = digits <= 6 ? digits : -1;
    }
}

/* May cells be missing, and which text says so most often? */
static void read_missing(sbl_discovered *column, const double *counts, double noise)
{
    double all = 0.0;
    size_t most = 0;
    for (size_t i = 0; i < SBL_MISSING_WORDS; i++) {
        all += counts[i];
        if (counts[i] > counts[most]) most = i;
    }
    column->nullable = counts[most] > LIKELY * noise || all > CLEAR * noise * sqrt((double)SBL_MISSING_WORDS);
    column->missing_word = counts[most] > LIKELY * noise ? most : 0;
}

/* Ways to write dates are many, and most are those of no cell: what noise may have made is 0. */
static double seen(const double *counts, int look, double noise)
{
    return counts[look] > LIKELY * noise ? counts[look] : 0.0;
}

static bool reads(int way, int look)
{
    const int twin = look - SBL_LOOKS_EITHER;
    if (twin >= 0) return sbl_date_twins[twin][0] == way || sbl_date_twins[twin][1] == way;
    return look == SBL_LOOKS_DATE + way ||
           (sbl_date_ways[way] == NULL && sbl_date_ways[look - SBL_LOOKS_DATE] == NULL);
}

/* How many dates are written in a way; with `others`, how many seem to be that it does not read. */
static double count_moments(const double *counts, int way, double noise, double *others)
{
    double read = 0.0;
    if (others != NULL) *others = 0.0;
    for (int look = SBL_LOOKS_DATE; look < SBL_LOOKS_ZERO_LED; look++) {
        if (reads(way, look))
            read += counts[look];
        else if (others != NULL)
            *others += seen(counts, look, noise);
    }
    return read;
}

/* ISO 8601 has both, and a moment of it may have no clock. Where nearly every day is below 13, which
 * of the two comes first was not told by the votes. */
static void read_moments(sbl_discovered *column, const double *counts, int way, double noise)
{
    const bool either = sbl_date_ways[way] == NULL;
    const bool clock = either ? counts[SBL_LOOKS_DATETIME] > CLEAR * noise : way >= SBL_DATE_CLOCKS;
    column->type = clock ? SBL_TYPE_DATETIME : SBL_TYPE_DATE;
    column->format = sbl_date_ways[way];
    for (int t = 0; t < SBL_DATE_TWINS; t++)
        if (reads(way, SBL_LOOKS_EITHER + t))
            column->either_order = !(counts[SBL_LOOKS_DATE + way] > LIKELY * noise);
}

/* Numbers, unless they are written as codes are. */
static void read_numbers(sbl_discovered *column, const double *counts, double numbers, double noise)
{
    if (counts[SBL_LOOKS_ZERO_LED] > fmax(SURE * noise, CODES_PART * numbers))
        column->type = SBL_TYPE_STRING;
    else
        read_digits(column, counts, numbers, noise);
}

void sbl_verdict_of_votes(sbl_discovered *column, const double *counts, double noise)
{
    int way = 0;
    double others; /* dates in other ways */
    double numbers = 0.0;
    for (int w = 1; w < SBL_DATE_WAYS; w++)
        if (count_moments(counts, w, noise, NULL) > count_moments(counts, way, noise, NULL)) way = w;
    const double moments = count_moments(counts, way, noise, &others);
    for (int i = SBL_LOOKS_ZERO_LED; i < SBL_LOOKS_COUNT; i++) numbers += counts[i];
    const double commas = seen(counts, SBL_LOOKS_COMMA, noise);
    column->present =
        counts[SBL_LOOKS_TEXT] + counts[SBL_LOOKS_BOOLEAN] + commas + moments + others + numbers;
    column->present_noise = noise * sqrt(5.0 + SBL_LOOKS_COUNT - SBL_LOOKS_ZERO_LED);
    read_missing(column, counts, noise);
    column->decimals = -1;
    /* A text that stands among numbers is a value of its own: numbers can be categories, texts
     * cannot be numbers. A column has one way to write its dates: the others are texts to it. */
    const double best = fmax(fmax(numbers, moments), counts[SBL_LOOKS_BOOLEAN]);
    const double texts = counts[SBL_LOOKS_TEXT] + commas + (best == moments ? others : 0.0);
    column->commas = commas > fmax(SURE * noise, TEXT_PART * column->present);
    const double least = best == numbers   ? CLEAR * sqrt(SBL_LOOKS_COUNT - SBL_LOOKS_ZERO_LED)
                         : best == moments ? LIKELY * sqrt(2.0)
                                           : CLEAR * sqrt(2.0);
    if (texts > fmax(CLEAR * noise, TEXT_PART * column->present) || !(best > least * noise))
        column->type = SBL_TYPE_STRING;
    else if (best == numbers)
        read_numbers(column, counts, numbers, noise);
    else if (best == moments)
        read_moments(column, counts, way, noise);
    else
        column->type = SBL_TYPE_BOOLEAN;
}

/* ---- ranges ---- */

/* In the units of the column's bins: days are seconds of a datetime. */
static double in_units(const sbl_discovered *column, double value)
{
    return column->type == SBL_TYPE_DATETIME ? value * SECONDS_OF_DAY : value;
}

/* Something lies in the bin at `place`, at the bottom or the top of the range: how far out at least.
 */
static double inner_edge(const sbl_discovered *column, const sbl_probe *probe, size_t place, bool bottom)
{
    double low;
    double high;
    sbl_probe_span(&low, &high, probe, place);
    return in_units(column, bottom ? high : low);
}

static void keep_span(sbl_discovered *column, const sbl_probe *probe, size_t first, size_t last)
{
    double low;
    double high;
    double unused;
    sbl_probe_span(&low, &unused, probe, first);
    sbl_probe_span(&unused, &high, probe, last);
    column->low = in_units(column, low);
    column->high = in_units(column, high);
}

/* How far the histogram goes on beyond bin `from` in steps of `step`: a tail may be seen as a whole
 * where none of its bins is. */
static size_t follow_tail(const double *counts, size_t bins, size_t from, int step, double noise)
{
    size_t end = from;
    double sum = 0.0;
    for (int i = 1; i <= REACH; i++) {
        const long at = (long)from + (long)i * step;
        if (at < 0 || at >= (long)bins) break;
        sum += counts[at];
        if (sum > CLEAR * noise * sqrt((double)i)) end = (size_t)at;
    }
    return end;
}

void sbl_verdict_of_ranges(sbl_discovered *column, const sbl_probe *probe, const double *counts, double noise)
{
    const size_t bins = sbl_probe_answers(probe) - 1; /* the last answer is none of them */
    size_t first = bins;
    size_t last = 0;
    size_t largest = 0;
    for (size_t i = 0; i < bins; i++) {
        if (counts[i] > counts[largest]) largest = i;
        if (!(counts[i] > SURE * noise)) continue;
        if (first == bins) first = i;
        last = i;
    }
    if (first == bins && counts[largest] > CLEAR * noise) first = last = largest;
    if (first == bins) { /* nothing is seen: any bounds will do */
        const bool dates = probe->kind == SBL_PROBE_YEAR;
        column->low = dates ? 0.0 : -1.0;
        column->high = column->type == SBL_TYPE_DATETIME ? 36525.0 * SECONDS_OF_DAY : dates ? 36525.0 : 1.0;
        column->surely_low = column->high;
        column->surely_high = column->low;
        column->unseen = true;
        return;
    }
    column->surely_low = inner_edge(column, probe, first, true);
    column->surely_high = inner_edge(column, probe, last, false);
    keep_span(column, probe, follow_tail(counts, bins, first, -1, noise),
              follow_tail(counts, bins, last, 1, noise));
}

sbl_probe sbl_bins_of_range(const sbl_discovered *column)
{
    sbl_probe probe = {
        .kind = SBL_PROBE_BINS, .type = column->type, .format = column->format, .low = column->low};
    double high = column->high;
    if (column->type != SBL_TYPE_NUMBER) {
        /* Whole numbers from low to below high; where zero is the last, that one too. */
        probe.low = floor(probe.low);
        high = ceil(high);
        if (!(high > probe.low)) high = probe.low + 1.0;
        if (column->type == SBL_TYPE_INTEGER && high <= 0.0) high += 1.0;
        probe.width = ceil((high - probe.low) / BINS);
        probe.bins = (size_t)ceil((high - probe.low) / probe.width);
        return probe;
    }
    if (!(high > probe.low)) high = probe.low + 1.0;
    probe.width = (high - probe.low) / BINS;
    probe.bins = BINS;
    return probe;
}

/* ---- bins ---- */

/* Is something seen in a window of bins that ends at `at`, of whatever width, and not in its inner
 * half alone? A tail is seen as a whole where none of its bins is. */
static bool is_seen(const double *counts, size_t bins, size_t at, bool from_above, double least, double noise)
{
    double sum = 0.0;
    double half = 0.0; /* of the outer half */
    size_t next = 1;
    for (size_t width = 1; width <= WIDEST && width <= (from_above ? at + 1 : bins - at); width++) {
        sum += counts[from_above ? at + 1 - width : at + width - 1];
        if (width != next) continue;
        const double deviation = noise * sqrt((double)width);
        if (sum > fmax(least, LIKELY * deviation) && (width == 1 || half > HALF * deviation)) return true;
        half = sum;
        next *= 2;
    }
    return false;
}

/* From the outer end of such a window to where its mass begins. */
static size_t first_mass(const double *counts, size_t at, bool from_above, double noise)
{
    double sum = 0.0;
    for (size_t width = 1; width <= WIDEST; width++) {
        const size_t place = from_above ? at + 1 - width : at + width - 1;
        sum += counts[place];
        if (sum > HALF * noise * sqrt((double)width)) return place;
    }
    return at;
}

/* The outermost bin in which something seems to be. */
static size_t first_seen(const double *counts, size_t bins, bool from_above, double least, double noise)
{
    for (size_t i = 0; i < bins; i++) {
        const size_t at = from_above ? bins - 1 - i : i;
        if (is_seen(counts, bins, at, from_above, least, noise))
            return first_mass(counts, at, from_above, noise);
    }
    return from_above ? 0 : bins - 1;
}

/* Rounded outward to a unit of a power of ten that is at most a bin wide. */
static double plain_bound(double value, double width, bool up)
{
    if (value == 0.0) return 0.0;
    const double digits = floor(log10(fabs(value))) - floor(log10(width)) + 1.0;
    const int kept = digits < 1.0 ? 1 : digits > 15.0 ? 15 : (int)digits;
    return up ? sbl_plain_number_up(value, kept) : sbl_plain_number_down(value, kept);
}

static double clamp_whole(double value) { return fmin(fmax(value, -LARGEST_WHOLE), LARGEST_WHOLE); }

void sbl_verdict_of_bins(sbl_discovered *column, const sbl_probe *probe, const double *counts, double noise)
{
    double total = 0.0;
    double unused;
    for (size_t i = 0; i < probe->bins; i++) total += fmax(counts[i], 0.0);
    const double least = TRIM_PART * total;
    size_t first = first_seen(counts, probe->bins, false, least, noise);
    size_t last = first_seen(counts, probe->bins, true, least, noise);
    if (first > last) { /* nothing is seen */
        first = 0;
        last = probe->bins - 1;
    }
    sbl_probe_span(&column->low, &unused, probe, first);
    sbl_probe_span(&unused, &column->high, probe, last);
    /* That there is something so far out is known already. */
    column->low = fmin(column->low, column->surely_low);
    column->high = fmax(column->high, column->surely_high);
    if (column->type != SBL_TYPE_NUMBER) {
        column->low = floor(column->low);
        column->high = ceil(column->high) - 1.0;
    }
    if (!is_numeric(column->type)) return;
    column->low = plain_bound(column->low, probe->width, false);
    column->high = plain_bound(column->high, probe->width, true);
    if (column->type == SBL_TYPE_INTEGER) {
        column->low = clamp_whole(column->low);
        column->high = clamp_whole(column->high);
    }
}
