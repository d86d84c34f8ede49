/* SPDX-License-Identifier: Apache-2.0 */
/* How strongly columns hang together, pair by pair: real, synthetic, difference.
 *
 * Heat maps are blue below zero, red above: told apart by people who do not see red and green, and negative cells
 * carry a dash for those who print in grey. Cells of one colour are one path, so that a map of 60
 * columns stays small. */
#include "owner/report/sections.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/report/html.h"

/* ---- heat maps ---- */

#define STEPS 10    /* colours on each side of zero */
#define SIDE 300.0  /* of the square */
#define MARGIN 84.0 /* for names */
#define READABLE 34 /* names are written up to this number of columns */
#define DASHES 40   /* and dashes up to this one */

/* A square of coloured cells. */
typedef struct heatmap {
    const char *title;        /* of ours */
    const char *const *names; /* data; NULL entries are shown as a dash */
    const double *values;     /* (count, count); NaN: there is none */
    size_t count;
    double limit; /* colours run from -limit to limit */
} heatmap;

/* -STEPS..STEPS */
static int step_of(double value, double limit)
{
    return (int)lround(STEPS * sbl_fact_within(value / limit, -1.0, 1.0));
}

/* Between five anchors of ColorBrewer's RdBu (Brewer, Harrower 2013). */
static void write_colour(sbl_text *out, int step)
{
    static const double anchors[5][3] = {
        {33, 102, 172}, {146, 197, 222}, {247, 247, 247}, {244, 165, 130}, {178, 24, 43}};
    const double place = 2.0 * (step + STEPS) / STEPS;
    const int low = place >= 4.0 ? 3 : (int)place;
    const double t = place - low;
    int c[3];
    for (int i = 0; i < 3; i++)
        c[i] = (int)lround(anchors[low][i] + t * (anchors[low + 1][i] - anchors[low][i]));
    sbl_html_print(out, "rgb(%d,%d,%d)", c[0], c[1], c[2]);
}

static double value_at(const heatmap *map, size_t row, size_t column)
{
    return map->values[row * map->count + column];
}

static void write_step(sbl_text *out, const heatmap *map, int step, double side)
{
    bool open = false;
    for (size_t r = 0; r < map->count; r++)
        for (size_t c = 0; c < map->count; c++) {
            const double value = value_at(map, r, c);
            if (isnan(value) || step_of(value, map->limit) != step) continue;
            if (!open) {
                sbl_html_print(out, "<path fill=\"");
                write_colour(out, step);
                sbl_html_print(out, "\" d=\"");
                open = true;
            }
            sbl_html_print(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", MARGIN + side * (double)c, side * (double)r,
                           side, side, -side);
        }
    if (open) sbl_html_print(out, "\"/>\n");
}

/* A dash where the value is clearly below zero. */
static void write_dashes(sbl_text *out, const heatmap *map, double side)
{
    bool open = false;
    if (map->count > DASHES) return;
    for (size_t r = 0; r < map->count; r++)
        for (size_t c = 0; c < map->count; c++) {
            const double value = value_at(map, r, c);
            if (isnan(value) || step_of(value, map->limit) > -2) continue;
            if (!open) sbl_html_print(out, "<path class=\"dash\" d=\"");
            open = true;
            sbl_html_print(out, "M%.1f %.1fh%.1f", MARGIN + side * ((double)c + 0.3),
                           side * ((double)r + 0.5), 0.4 * side);
        }
    if (open) sbl_html_print(out, "\"/>\n");
}

static void write_names(sbl_text *out, const heatmap *map, double side)
{
    const double size = fmin(10.5, 0.9 * side);
    if (map->count > READABLE) return;
    sbl_html_print(out, "<g class=\"sized\" font-size=\"%.1f\">\n", size);
    for (size_t i = 0; i < map->count; i++) {
        const double middle = side * ((double)i + 0.5) + 0.35 * size;
        sbl_html_print(out,
                       "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%.14s</text><text class=\"end\" "
                       "transform=\"translate(%.1f %.1f) rotate(-90)\">%.14s</text>\n",
                       MARGIN - 5, middle, map->names[i], MARGIN + middle, SIDE + 5, map->names[i]);
    }
    sbl_html_print(out, "</g>\n");
}

/* A <figure>. */
static void write_heatmap(sbl_text *out, const heatmap *map)
{
    const double side = SIDE / (double)map->count;
    const bool named = map->count <= READABLE;
    sbl_html_print(out,
                   "<figure>\n<figcaption><strong>%s</strong></figcaption>\n"
                   "<svg class=\"chart\" role=\"img\" viewBox=\"%.0f 0 %.0f %.0f\">"
                   "<title>%s: %zu by %zu columns</title><desc>The pairs that matter most are in "
                   "the table below.</desc>\n",
                   map->title, named ? 0.0 : MARGIN - 1, named ? MARGIN + SIDE + 1 : SIDE + 2,
                   named ? MARGIN + SIDE + 1 : SIDE + 1, map->title, map->count, map->count);
    sbl_html_print(out, "<g shape-rendering=\"crispEdges\">\n");
    sbl_html_print(out, "<rect class=\"none\" x=\"%.0f\" y=\"0\" width=\"%.0f\" height=\"%.0f\"/>\n", MARGIN,
                   SIDE, SIDE);
    for (int step = -STEPS; step <= STEPS; step++) write_step(out, map, step, side);
    write_dashes(out, map, side);
    sbl_html_print(out, "</g>\n");
    write_names(out, map, side);
    sbl_html_print(out, "</svg>\n</figure>\n");
}

/* The colours from -limit to limit. */
static void write_legend(sbl_text *out, double limit, const char *words)
{
    const double wide = 240.0 / (2 * STEPS + 1);
    sbl_html_print(out,
                   "<figure class=\"legend\"><svg class=\"scale\" role=\"img\" viewBox=\"-12 0 264 "
                   "30\"><title>Colours from %g to %g</title>",
                   -limit, limit);
    for (int step = -STEPS; step <= STEPS; step++) {
        sbl_html_print(out, "<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"12\" fill=\"",
                       wide * (step + STEPS), wide + 0.1);
        write_colour(out, step);
        sbl_html_print(out, "\"/>");
    }
    sbl_html_print(out,
                   "<text x=\"0\" y=\"26\" class=\"middle\">%.1f</text><text class=\"middle\" "
                   "x=\"120\" y=\"26\">0</text><text class=\"middle\" x=\"240\" "
                   "y=\"26\">%.1f</text></svg>\n<figcaption>%s</figcaption></figure>\n",
                   -limit, limit, words);
}

/* ---- the section ---- */

#define WORST_PAIRS 12

typedef struct pairs {
    const json_t *real;
    const json_t *synthetic;
    const json_t *measure;
    const json_t *names;
    size_t count;
} pairs;

typedef struct panel_data {
    size_t shown;
    size_t *order; /* of columns; the first `shown` are drawn */
    const char **names;
    double *values;
    size_t *kept; /* columns drawn, in the table's order */
} panel_data;

static double entry(const json_t *matrix, size_t row, size_t column)
{
    return sbl_fact_item(json_array_get(matrix, row), column);
}

static double difference(const pairs *p, size_t row, size_t column)
{
    return entry(p->synthetic, row, column) - entry(p->real, row, column);
}

/* ---- heat maps ---- */

static void panel_data_clear(panel_data *data)
{
    sbl_free(data->order);
    sbl_free(data->names);
    sbl_free(data->values);
    sbl_free(data->kept);
}

/* Which columns are drawn: all, or those with the largest differences, in the order of the table.
 */
static bool choose_columns(panel_data *data, const pairs *p)
{
    const size_t most = SBL_REPORT_HEAT_COLUMNS;
    size_t next = 0;
    double *keys = sbl_alloc_array(p->count, sizeof *keys);
    data->shown = p->count < most ? p->count : most;
    data->names = sbl_alloc_array(data->shown, sizeof *data->names);
    data->values = sbl_alloc_array(data->shown * data->shown, sizeof *data->values);
    data->kept = sbl_alloc_array(data->shown, sizeof *data->kept);
    for (size_t r = 0; keys != NULL && r < p->count; r++) {
        keys[r] = 0;
        for (size_t c = 0; c < p->count; c++)
            if (c != r) keys[r] = fmax(keys[r], fabs(difference(p, r, c)));
    }
    if (keys != NULL) data->order = sbl_fact_order(keys, p->count);
    if (data->order == NULL || data->names == NULL || data->values == NULL || data->kept == NULL) {
        sbl_free(keys);
        return false;
    }
    /* keys become marks: 1 for the columns that are drawn. */
    memset(keys, 0, p->count * sizeof *keys);
    for (size_t i = 0; i < data->shown; i++) keys[data->order[i]] = 1;
    for (size_t i = 0; i < p->count; i++)
        if (keys[i] > 0) {
            data->names[next] = json_string_value(json_array_get(p->names, i));
            data->kept[next++] = i;
        }
    sbl_free(keys);
    return true;
}

typedef double (*pair_value)(const pairs *p, size_t row, size_t column);

static double real_value(const pairs *p, size_t row, size_t column) { return entry(p->real, row, column); }

static double synthetic_value(const pairs *p, size_t row, size_t column)
{
    return entry(p->synthetic, row, column);
}

static void write_panel(sbl_text *out, panel_data *data, const pairs *p, const char *title, pair_value value,
                        double limit)
{
    for (size_t r = 0; r < data->shown; r++)
        for (size_t c = 0; c < data->shown; c++)
            data->values[r * data->shown + c] = r == c ? (double)NAN : value(p, data->kept[r], data->kept[c]);
    const heatmap map = {title, data->names, data->values, data->shown, limit};
    write_heatmap(out, &map);
}

/* The smallest of a few round numbers that is not exceeded: a fixed scale per page, said in words.
 */
static double difference_limit(const pairs *p)
{
    static const double limits[] = {0.1, 0.2, 0.5, 1.0, 2.0};
    double largest = 0;
    size_t i = 0;
    for (size_t r = 0; r < p->count; r++)
        for (size_t c = 0; c < r; c++) largest = fmax(largest, fabs(difference(p, r, c)));
    while (i < 4 && largest > limits[i]) i++;
    return limits[i];
}

static void write_maps(sbl_text *out, const pairs *p)
{
    panel_data data = {0};
    const double limit = difference_limit(p);
    if (!choose_columns(&data, p)) {
        out->failed = true;
    } else {
        if (data.shown < p->count)
            sbl_html_print(out,
                           "<p>The %zu columns with the largest differences of %zu, in the order of "
                           "the table.</p>\n",
                           data.shown, p->count);
        sbl_html_print(out, "<div class=\"maps\">\n");
        write_panel(out, &data, p, "Real", real_value, 1.0);
        write_panel(out, &data, p, "Synthetic", synthetic_value, 1.0);
        write_panel(out, &data, p, "Difference: synthetic less real", difference, limit);
        sbl_html_print(out, "</div>\n<div class=\"legends\">\n");
        write_legend(out, 1.0,
                     "Real and synthetic. A dash marks values below zero; stripes: the "
                     "diagonal, and what is not defined.");
        write_legend(out, limit, "Difference, on its own scale.");
        sbl_html_print(out, "</div>\n");
    }
    panel_data_clear(&data);
}

/* ---- the pairs that differ most ---- */

typedef struct worst_pairs {
    size_t row[WORST_PAIRS];
    size_t column[WORST_PAIRS];
    double size[WORST_PAIRS];
    size_t count;
} worst_pairs;

static void keep_if_worse(worst_pairs *worst, size_t row, size_t column, double size)
{
    size_t at = worst->count;
    if (!(size > 0)) return;
    if (at == WORST_PAIRS) {
        if (size <= worst->size[--at]) return;
    } else {
        worst->count++;
    }
    for (; at > 0 && worst->size[at - 1] < size; at--) {
        worst->row[at] = worst->row[at - 1];
        worst->column[at] = worst->column[at - 1];
        worst->size[at] = worst->size[at - 1];
    }
    worst->row[at] = row;
    worst->column[at] = column;
    worst->size[at] = size;
}

static const char *measure_words(const char *measure)
{
    if (measure == NULL) return NULL;
    if (strcmp(measure, "pearson") == 0) return "Pearson correlation";
    if (strcmp(measure, "cramers_v") == 0) return "Cram\xc3\xa9r's V";
    if (strcmp(measure, "correlation_ratio") == 0) return "correlation ratio";
    return measure;
}

static const char *name_of(const pairs *p, size_t i)
{
    return json_string_value(json_array_get(p->names, i));
}

static void write_worst(sbl_text *out, const pairs *p)
{
    worst_pairs worst = {0};
    for (size_t r = 0; r < p->count; r++)
        for (size_t c = 0; c < r; c++) keep_if_worse(&worst, c, r, fabs(difference(p, c, r)));
    if (worst.count == 0) return;
    sbl_html_table_open(out, "The pairs of columns whose association differs most",
                        "columns|_measure|real|synthetic|difference");
    for (size_t i = 0; i < worst.count; i++) {
        const size_t r = worst.row[i];
        const size_t c = worst.column[i];
        const char *measure = json_string_value(json_array_get(json_array_get(p->measure, r), c));
        sbl_html_print(out, "<tr><th scope=\"row\">%.60s, %.60s</th><td class=\"word\">%.30s</td>",
                       name_of(p, r), name_of(p, c), measure_words(measure));
        sbl_html_cell_number(out, entry(p->real, r, c));
        sbl_html_cell_number(out, entry(p->synthetic, r, c));
        sbl_html_cell_number(out, difference(p, r, c));
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
}

void sbl_report_association(sbl_text *out, const json_t *evaluation)
{
    const json_t *object = json_object_get(evaluation, "association");
    const pairs p = {json_object_get(object, "real"), json_object_get(object, "synthetic"),
                     json_object_get(object, "measure"), json_object_get(object, "names"),
                     json_array_size(json_object_get(object, "names"))};
    if (p.count < 2) return;
    sbl_html_section_open(out, "association", "Associations between pairs", true);
    write_maps(out, &p);
    sbl_html_fold_open(out, "The pairs that differ most, and how to read the maps");
    sbl_html_print(
        out,
        "<p class=\"how\">Each cell says how strongly two columns are related: Pearson's "
        "correlation for two numbers (from \xe2\x88\x92"
        "1 to 1), Cram\xc3\xa9r's V for two categories and "
        "the correlation ratio for a category and a number (both from 0 to 1). The first two maps "
        "should look the same and the third should be empty. Noise pulls weak associations towards "
        "zero; an association that is strong in the synthetic map only was made up by the "
        "method.</p>\n");
    write_worst(out, &p);
    sbl_html_fold_close(out);
    sbl_html_section_close(out);
}
