/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and dates: solid bars with the synthetic shares as a line over them. Categories: one row
 * each, a solid and a striped bar, the commonest first. Both can be told apart without colour. */
#include "owner/report/sections.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/report/html.h"

#define MAX_CELLS 64 /* that are drawn; an evaluation has at most 57 */
#define MAX_ROWS 10  /* of categories */
#define WIDTH 300.0  /* of the picture, in its own units */
#define HEIGHT 132.0 /* of the plot over numbers */
#define TOP 16.0
#define ROW 19.0     /* of one category */
#define LABELS 104.0 /* room for their names */
#define BARS (WIDTH - LABELS - 4.0)

typedef struct cell {
    const char *label;
    double real;
    double synthetic;
    double low, high; /* the interval of synthetic; NaN: none */
} cell;

typedef struct cells {
    cell items[MAX_CELLS];
    size_t count;
    double largest;
    bool alone; /* there is no real table */
} cells;

/* Where the longest bar of a cell ends, or its interval. */
static double longest(const cell *item) { return fmax(fmax(item->real, item->synthetic), item->high); }

static void read_cells(cells *all, const json_t *histogram)
{
    const json_t *labels = json_object_get(histogram, "labels");
    const json_t *real = json_object_get(histogram, "real");
    const json_t *synthetic = json_object_get(histogram, "synthetic");
    const json_t *low = json_object_get(histogram, "low"), *high = json_object_get(histogram, "high");
    const size_t count = json_array_size(labels);
    all->count = count < MAX_CELLS ? count : MAX_CELLS;
    all->largest = 1e-9;
    all->alone = real == NULL;
    for (size_t i = 0; i < all->count; i++) {
        cell *item = &all->items[i];
        item->label = json_string_value(json_array_get(labels, i));
        item->real = sbl_fact_within(sbl_fact_item(real, i), 0.0, 1.0);
        item->synthetic = sbl_fact_within(sbl_fact_item(synthetic, i), 0.0, 1.0);
        item->low = low != NULL ? sbl_fact_within(sbl_fact_item(low, i), 0.0, 1.0) : NAN;
        item->high = high != NULL ? sbl_fact_within(sbl_fact_item(high, i), 0.0, 1.0) : NAN;
        all->largest = fmax(all->largest, longest(item));
    }
}

static size_t largest_difference(const cells *all)
{
    size_t worst = 0;
    for (size_t i = 1; i < all->count; i++)
        if (fabs(all->items[i].real - all->items[i].synthetic) >
            fabs(all->items[worst].real - all->items[worst].synthetic))
            worst = i;
    return worst;
}

static void open_svg(sbl_text *out, const json_t *column, const cells *all, double height)
{
    const char *name = sbl_fact_text_of(column, "name");
    sbl_html_print(out,
                   "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\">"
                   "<title>%.80s: %ssynthetic shares</title>",
                   WIDTH, height, name, all->alone ? "" : "real and ");
    if (all->count > 0) {
        const cell *worst = &all->items[largest_difference(all)];
        if (all->alone)
            sbl_html_print(out, "<desc>%zu values or ranges. The commonest is %.60s: %.1f%%%s.</desc>",
                           all->count, worst->label, 100 * worst->synthetic,
                           isnan(worst->low) ? "" : ", with an interval for every bar");
        else
            sbl_html_print(out,
                           "<desc>%zu values or ranges. The largest difference is at %.60s: %.1f%% of "
                           "the real rows, %.1f%% of the synthetic ones.</desc>",
                           all->count, worst->label, 100 * worst->real, 100 * worst->synthetic);
    }
    sbl_html_print(out, "\n");
}

/* ---- numbers ---- */

/* Where the cells stand; one for missing values stands apart, after a gap of half a cell. */
typedef struct scale {
    size_t numbers;
    double wide;
    double largest;
    double base;
} scale;

static scale scale_of(const cells *all)
{
    const char *last = all->items[all->count - 1].label;
    const bool missing = all->count > 1 && last != NULL && strcmp(last, "(missing)") == 0;
    return (scale){.numbers = missing ? all->count - 1 : all->count,
                   .wide = WIDTH / ((double)all->count + (missing ? 0.5 : 0.0)),
                   .largest = all->largest,
                   .base = TOP + HEIGHT};
}

static double left_of(const scale *s, size_t i)
{
    return s->wide * ((double)i + (i >= s->numbers ? 0.5 : 0.0));
}

static double top_of(const scale *s, double share) { return s->base - HEIGHT * share / s->largest; }

static void write_number_labels(sbl_text *out, const cells *all, const scale *s)
{
    const double y = s->base + 14.0;
    sbl_html_print(out, "<text x=\"0\" y=\"%.0f\">%.20s</text>", y, all->items[0].label);
    if (s->numbers > 1)
        sbl_html_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.0f\">%.20s</text>\n",
                       left_of(s, s->numbers - 1) + s->wide - (s->numbers < all->count ? 34.0 : 0.0), y,
                       all->items[s->numbers - 1].label);
    if (s->numbers < all->count)
        sbl_html_print(out, "<text class=\"end\" x=\"%.0f\" y=\"%.0f\">missing</text>\n", WIDTH, y);
}

/* The outline of cells first..end-1. */
static void write_outline(sbl_text *out, const cells *all, const scale *s, size_t first, size_t end)
{
    sbl_html_print(out, "M%.1f %.1f", left_of(s, first) + 1.0, s->base);
    for (size_t i = first; i < end; i++)
        sbl_html_print(out, "V%.1fH%.1f", top_of(s, all->items[i].synthetic),
                       left_of(s, i) + s->wide - (i + 1 < end ? 0.0 : 1.0));
    sbl_html_print(out, "V%.1f", s->base);
}

/* A line from the low to the high end of each interval. */
static void write_whiskers(sbl_text *out, const cells *all, const scale *s)
{
    if (all->count == 0 || isnan(all->items[0].low)) return;
    sbl_html_print(out, "<path class=\"whisker\" d=\"");
    for (size_t i = 0; i < all->count; i++)
        sbl_html_print(out, "M%.1f %.1fV%.1f", left_of(s, i) + s->wide / 2, top_of(s, all->items[i].high),
                       top_of(s, all->items[i].low));
    sbl_html_print(out, "\"/>");
}

static void write_numbers(sbl_text *out, const cells *all)
{
    const scale s = scale_of(all);
    sbl_html_print(out, "<path class=\"grid\" d=\"M0 %.1fH%.0f\"/>", TOP, WIDTH);
    sbl_html_print(out, "<text class=\"end\" x=\"%.0f\" y=\"%.0f\">%.1f%%</text>", WIDTH, TOP - 5,
                   100 * all->largest);
    sbl_html_print(out, "<path class=\"%s\" d=\"", all->alone ? "synthetic" : "real");
    for (size_t i = 0; i < all->count; i++)
        sbl_html_print(out, "M%.1f %.1fV%.1fh%.1fV%.1fz", left_of(&s, i) + 0.5, s.base,
                       top_of(&s, all->alone ? all->items[i].synthetic : all->items[i].real), s.wide - 1.0,
                       s.base);
    if (!all->alone) {
        sbl_html_print(out, "\"/><path class=\"synthetic-line\" d=\"");
        write_outline(out, all, &s, 0, s.numbers);
        if (s.numbers < all->count) write_outline(out, all, &s, s.numbers, all->count);
    }
    sbl_html_print(out, "\"/>");
    write_whiskers(out, all, &s);
    sbl_html_print(out, "<path class=\"axis\" d=\"M0 %.1fH%.0f\"/>\n", s.base, WIDTH);
    write_number_labels(out, all, &s);
}

/* ---- categories ---- */

static bool is_others(const cell *item)
{
    return item->label != NULL && strcmp(item->label, "(others)") == 0;
}

/* Many values in one row. */
static bool is_gathered(const cell *item) { return item->label == NULL || is_others(item); }

/* The commonest MAX_ROWS cells; all others become one row. */
static void fold(cells *all)
{
    double keys[MAX_CELLS];
    cells folded = {.largest = 1e-9, .alone = all->alone};
    /* What the evaluation has gathered already comes last, and is gathered with the rest here. */
    for (size_t i = 0; i < all->count; i++)
        keys[i] = is_others(&all->items[i]) ? -1.0 : fmax(all->items[i].real, all->items[i].synthetic);
    size_t *order = sbl_fact_order(keys, all->count);
    if (order == NULL) {
        all->count = 0;
        return;
    }
    const size_t rows = all->count <= MAX_ROWS + 1 ? all->count : MAX_ROWS;
    for (size_t i = 0; i < all->count; i++) {
        const cell *item = &all->items[order[i]];
        cell *at = &folded.items[i < rows ? i : rows];
        if (i <= rows || is_others(item)) at->label = i < rows || is_others(item) ? item->label : NULL;
        at->real += item->real;
        at->synthetic += item->synthetic;
        /* Intervals do not add up. */
        at->low = i < rows ? item->low : NAN;
        at->high = i < rows ? item->high : NAN;
        if (i <= rows) folded.count = i + 1;
    }
    /* What is gathered may be far longer than what has a name: that sets the scale. */
    for (size_t i = 0; i < folded.count; i++)
        if (folded.count == 1 || !is_gathered(&folded.items[i]))
            folded.largest = fmax(folded.largest, longest(&folded.items[i]));
    sbl_free(order);
    *all = folded;
}

/* The two bars of a row that begins at y; in figures where they are longer than there is room for. */
static void write_pair(sbl_text *out, const cell *item, double largest, double y, bool alone)
{
    if (alone && item->synthetic > largest) {
        sbl_html_print(out, "<text x=\"%.1f\" y=\"%.1f\">%.1f%%</text>\n", LABELS + 6, y + 12.5,
                       100 * item->synthetic);
        return;
    }
    if (alone) {
        sbl_html_print(out,
                       "<rect class=\"synthetic\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"10\"/>\n",
                       LABELS, y + 4, BARS * item->synthetic / largest);
        if (!isnan(item->low))
            sbl_html_print(out, "<path class=\"whisker\" d=\"M%.1f %.1fH%.1f\"/>\n",
                           LABELS + BARS * item->low / largest, y + 9, LABELS + BARS * item->high / largest);
        return;
    }
    if (fmax(item->real, item->synthetic) > largest) {
        sbl_html_print(out, "<text x=\"%.1f\" y=\"%.1f\">real %.1f%%, synthetic %.1f%%</text>\n", LABELS + 6,
                       y + 12.5, 100 * item->real, 100 * item->synthetic);
        return;
    }
    sbl_html_print(out,
                   "<rect class=\"real\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"6\"/>"
                   "<rect class=\"synthetic\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"6\"/>\n",
                   LABELS, y + 2, BARS * item->real / largest, LABELS, y + 9,
                   BARS * item->synthetic / largest);
}

static void write_categories(sbl_text *out, const cells *all, size_t in_all)
{
    const double bottom = TOP + ROW * (double)all->count;
    sbl_html_print(out,
                   "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/><text class=\"end\" x=\"%.0f\" "
                   "y=\"%.0f\">%.1f%%</text>",
                   LABELS + BARS, TOP - 2, bottom, WIDTH - 2, TOP - 5, 100 * all->largest);
    for (size_t i = 0; i < all->count; i++) {
        const cell *item = &all->items[i];
        const double y = TOP + ROW * (double)i;
        sbl_html_print(out, "<text class=\"end\" x=\"%.0f\" y=\"%.1f\">", LABELS - 6, y + 12.5);
        if (item->label == NULL && in_all > all->count)
            sbl_html_print(out, "%zu more</text>", in_all - all->count + 1);
        else
            sbl_html_print(out, "%.16s</text>", item->label);
        write_pair(out, item, all->largest, y, all->alone);
    }
    sbl_html_print(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1f\"/>\n", LABELS, TOP - 2, bottom);
}

void sbl_histogram_write(sbl_text *out, const json_t *column)
{
    cells all = {0};
    const char *kind = sbl_fact_text_of(column, "kind");
    const sbl_fact_triple tvd = sbl_fact_triple_of(column, "tvd");
    const bool is_category = kind == NULL || strcmp(kind, "category") == 0 || strcmp(kind, "boolean") == 0;
    read_cells(&all, json_object_get(column, "histogram"));
    const size_t in_all = all.count;
    if (is_category) fold(&all);
    if (in_all > 0 && all.count == 0) out->failed = true;
    sbl_html_print(out, "<figure>\n<figcaption><strong>%.60s</strong>", sbl_fact_text_of(column, "name"));
    if (!all.alone) sbl_html_print(out, " total variation %g", tvd.synthetic);
    if (!isnan(tvd.ceiling)) sbl_html_print(out, " (ceiling %g)", tvd.ceiling);
    sbl_html_print(out, "</figcaption>\n");
    if (all.count == 0) {
        sbl_html_print(out, "<p class=\"note\">no picture</p>\n</figure>\n");
        return;
    }
    open_svg(out, column, &all, is_category ? TOP + ROW * (double)all.count + 4 : TOP + HEIGHT + 20.0);
    if (is_category)
        write_categories(out, &all, in_all);
    else
        write_numbers(out, &all);
    sbl_html_print(out, "</svg>\n</figure>\n");
}
