/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of columns before and after: two small maps side by side, the darker the more rows. */
#include <math.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

#define MAX_PAIRS 12
#define MAX_SIDE 32 /* cells that are drawn; an evaluation has at most 29 */
#define SHADES 12
#define WIDTH 380.0 /* of the picture, in its own units */
#define LABELS 86.0
#define GAP 14.0
#define MAP ((WIDTH - LABELS - GAP) / 2.0)
#define TOP 18.0
#define BOTTOM 74.0

typedef struct pair_map {
    const json_t *pair;
    size_t rows, columns;
    bool upwards; /* the first column is a number: small ones at the foot */
    bool alone;   /* there is no real table */
    bool untold;  /* its relation cannot be told from none */
    double largest;
    double highest; /* end of an interval; 0: there are none */
} pair_map;

static double share(const json_t *matrix, size_t row, size_t column)
{
    return sbl_fact_within(sbl_fact_item(json_array_get(matrix, row), column), 0.0, 1.0);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static const json_t *labels_of(const pair_map *m, size_t side)
{
    return json_array_get(json_object_get(m->pair, "labels"), side);
}

static const char *name_of(const pair_map *m, size_t side)
{
    return json_string_value(json_array_get(json_object_get(m->pair, "columns"), side));
}

static pair_map read_map(const json_t *pair)
{
    static const char *const tables[] = {"real", "synthetic"};
    pair_map m = {.pair = pair, .largest = 1e-9};
    m.rows = least(json_array_size(labels_of(&m, 0)), MAX_SIDE);
    m.columns = least(json_array_size(labels_of(&m, 1)), MAX_SIDE);
    m.alone = json_object_get(pair, "real") == NULL;
    m.upwards = json_is_true(json_array_get(json_object_get(pair, "numbers"), 0));
    for (size_t t = 0; t < 2; t++)
        for (size_t r = 0; r < m.rows; r++)
            for (size_t c = 0; c < m.columns; c++)
                m.largest = fmax(m.largest, share(json_object_get(pair, tables[t]), r, c));
    m.untold = json_is_false(json_object_get(pair, "told"));
    for (size_t r = 0; r < m.rows; r++)
        for (size_t c = 0; c < m.columns; c++)
            m.highest = fmax(m.highest, share(json_object_get(pair, "high"), r, c));
    return m;
}

/* The square root, so that rare cells are seen too. */
static int shade_of(const pair_map *m, double value)
{
    return (int)lround(SHADES * sqrt(value / m->largest));
}

static double top_of(const pair_map *m, size_t row)
{
    const size_t place = m->upwards ? m->rows - 1 - row : row;
    return TOP + MAP * (double)place / (double)m->rows;
}

static void write_table(sbl_text *out, const pair_map *m, const char *table, double left)
{
    const json_t *matrix = json_object_get(m->pair, table);
    const double wide = MAP / (double)m->columns, high = MAP / (double)m->rows;
    sbl_html_print(out, "<text class=\"strong\" x=\"%.1f\" y=\"%.1f\">%s</text>", left, TOP - 6, table);
    for (int shade = 1; shade <= SHADES; shade++) {
        bool open = false;
        for (size_t r = 0; r < m->rows; r++)
            for (size_t c = 0; c < m->columns; c++) {
                if (shade_of(m, share(matrix, r, c)) != shade) continue;
                if (!open)
                    sbl_html_print(out, "<path class=\"heat-%s\" fill-opacity=\"%.2f\" d=\"", table,
                                   (double)shade / SHADES);
                open = true;
                sbl_html_print(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", left + wide * (double)c, top_of(m, r), wide,
                               high, -wide);
            }
        if (open) sbl_html_print(out, "\"/>");
    }
    sbl_html_print(out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                   left, TOP, MAP, MAP);
}

/* In each cell a line from the low to the high end of its interval; 0 is the foot of the cell, and the highest of all ends
 * its head. */
static void write_intervals(sbl_text *out, const pair_map *m, double left)
{
    const json_t *low = json_object_get(m->pair, "low"), *high = json_object_get(m->pair, "high");
    const double wide = MAP / (double)m->columns, tall = MAP / (double)m->rows;
    if (m->highest == 0) return;
    sbl_html_print(out, "<path class=\"whisker\" d=\"");
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++)
            sbl_html_print(out, "M%.1f %.1fV%.1f", left + wide * ((double)c + 0.5),
                           top_of(m, r) + tall * (1 - share(low, r, c) / m->highest),
                           top_of(m, r) + tall * (1 - share(high, r, c) / m->highest));
    sbl_html_print(out, "\"/>\n");
}

/* The same in figures. */
static void write_figures(sbl_text *out, const pair_map *m)
{
    const json_t *shares = json_object_get(m->pair, "synthetic");
    const json_t *low = json_object_get(m->pair, "low"), *high = json_object_get(m->pair, "high");
    if (m->highest == 0) return;
    sbl_html_print(out, "<details>\n<summary>The intervals in figures</summary>\n");
    sbl_html_table_open(out, "Shares of rows in per cent, and their intervals", NULL);
    sbl_html_print(out, "<thead><tr><th scope=\"col\">%.60s by %.60s</th>", name_of(m, 0), name_of(m, 1));
    for (size_t c = 0; c < m->columns; c++)
        sbl_html_print(out, "<th scope=\"col\">%.40s</th>",
                       json_string_value(json_array_get(labels_of(m, 1), c)));
    sbl_html_print(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < m->rows; r++) {
        sbl_html_print(out, "<tr><th scope=\"row\">%.40s</th>",
                       json_string_value(json_array_get(labels_of(m, 0), r)));
        for (size_t c = 0; c < m->columns; c++)
            sbl_html_print(out, "<td>%.2f (%.2f to %.2f)</td>", 100 * share(shares, r, c),
                           100 * share(low, r, c), 100 * share(high, r, c));
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
    sbl_html_print(out, "</details>\n");
}

static void write_labels(sbl_text *out, const pair_map *m)
{
    const double wide = MAP / (double)m->columns, high = MAP / (double)m->rows;
    sbl_html_print(out, "<g class=\"sized\" font-size=\"9\">\n");
    for (size_t r = 0; r < m->rows; r++)
        sbl_html_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%.15s</text>", LABELS - 5,
                       top_of(m, r) + high / 2 + 3, json_string_value(json_array_get(labels_of(m, 0), r)));
    for (size_t t = 0; t < (m->alone ? 1 : 2); t++)
        for (size_t c = 0; c < m->columns; c++)
            sbl_html_print(out,
                           "<text class=\"end\" transform=\"translate(%.1f %.1f) rotate(-90)\">%.13s</text>",
                           LABELS + (double)t * (MAP + GAP) + wide * ((double)c + 0.5) + 3, TOP + MAP + 5,
                           json_string_value(json_array_get(labels_of(m, 1), c)));
    sbl_html_print(out, "</g>\n");
}

/* What is looked for in the picture: how far the tables are apart, or how full a cell is. */
static double worth(const pair_map *m, size_t row, size_t column)
{
    const double synthetic = share(json_object_get(m->pair, "synthetic"), row, column);
    return m->alone ? synthetic : fabs(share(json_object_get(m->pair, "real"), row, column) - synthetic);
}

/* Where they differ most, in words; of one table, where most rows are. */
static void describe(sbl_text *out, const pair_map *m)
{
    size_t row = 0, column = 0;
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++)
            if (worth(m, r, c) > worth(m, row, column)) {
                row = r;
                column = c;
            }
    const char *first = json_string_value(json_array_get(labels_of(m, 0), row));
    const char *second = json_string_value(json_array_get(labels_of(m, 1), column));
    const double synthetic = 100 * share(json_object_get(m->pair, "synthetic"), row, column);
    sbl_html_print(out, "<title>%.60s by %.60s: %ssynthetic rows</title><desc>", name_of(m, 0), name_of(m, 1),
                   m->alone ? "" : "real and ");
    if (m->alone)
        sbl_html_print(out, "Most rows are at %.40s, %.40s: %.1f%%.</desc>\n", first, second, synthetic);
    else
        sbl_html_print(out,
                       "The largest difference is at %.40s, %.40s: %.1f%% of the real rows, %.1f%% "
                       "of the synthetic ones.</desc>\n",
                       first, second, 100 * share(json_object_get(m->pair, "real"), row, column), synthetic);
}

static void write_pair(sbl_text *out, const json_t *pair)
{
    const pair_map m = read_map(pair);
    double apart = 0.0;
    if (m.rows == 0 || m.columns == 0) return;
    for (size_t r = 0; r < m.rows; r++)
        for (size_t c = 0; c < m.columns; c++) apart += worth(&m, r, c) / 2;
    sbl_html_print(out, m.untold ? "<figure class=\"untold\">\n" : "<figure>\n");
    sbl_html_print(out, "<figcaption><strong>%.40s by %.40s</strong>%s", name_of(&m, 0), name_of(&m, 1),
                   m.untold ? " cannot be told from no relation" : "");
    if (!m.alone) sbl_html_print(out, " total variation of these cells %g", apart);
    sbl_html_print(out, "</figcaption>\n<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\">",
                   m.alone ? WIDTH - MAP - GAP : WIDTH, TOP + MAP + BOTTOM);
    describe(out, &m);
    if (!m.alone) write_table(out, &m, "real", LABELS);
    write_table(out, &m, "synthetic", m.alone ? LABELS : LABELS + MAP + GAP);
    write_intervals(out, &m, m.alone ? LABELS : LABELS + MAP + GAP);
    write_labels(out, &m);
    sbl_html_print(out, "</svg>\n");
    write_figures(out, &m);
    sbl_html_print(out, "</figure>\n");
}

void sbl_report_pair_maps(sbl_text *out, const json_t *list)
{
    const size_t count = least(json_array_size(list), MAX_PAIRS);
    const bool alone = json_object_get(json_array_get(list, 0), "real") == NULL;
    sbl_html_print(out, "<div class=\"multiples%s\">\n", alone ? "" : " pairs");
    for (size_t i = 0; i < count; i++) write_pair(out, json_array_get(list, i));
    sbl_html_print(out, "</div>\n");
}

void sbl_report_pairs(sbl_text *out, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "pairs");
    if (json_array_size(list) == 0) return;
    sbl_html_section_open(out, "pairs", "Pairs of columns, before and after", true);
    sbl_html_print(
        out,
        "<p>The pairs with the strongest relation, or whose relation differs most between the two tables; "
        "the darker a cell, the more rows it holds. Both maps of a pair have one scale "
        "and should look alike.</p>\n");
    sbl_report_pair_maps(out, list);
    sbl_html_section_close(out);
}
