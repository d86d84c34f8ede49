/* Blue below zero, red above: told apart by people who do not see red and green, and negative cells
 * carry a dash for those who print in grey. Cells of one colour are one path, so that a map of 60
 * columns stays small. */
#include "report/heatmap.h"

#include <math.h>

#include "report/facts.h"
#include "report/html.h"

#define STEPS 10    /* colours on each side of zero */
#define SIDE 300.0  /* of the square */
#define MARGIN 84.0 /* for names */
#define READABLE 34 /* names are written up to this number of columns */
#define DASHES 40   /* and dashes up to this one */

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

static double value_at(const sbl_heatmap *map, size_t row, size_t column)
{
    return map->values[row * map->count + column];
}

static void write_step(sbl_text *out, const sbl_heatmap *map, int step, double side)
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
            sbl_html_print(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", MARGIN + side * (double)c,
                           side * (double)r, side, side, -side);
        }
    if (open) sbl_html_print(out, "\"/>\n");
}

/* A dash where the value is clearly below zero. */
static void write_dashes(sbl_text *out, const sbl_heatmap *map, double side)
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

static void write_names(sbl_text *out, const sbl_heatmap *map, double side)
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

void sbl_heatmap_write(sbl_text *out, const sbl_heatmap *map)
{
    const double side = SIDE / (double)map->count;
    const bool named = map->count <= READABLE;
    sbl_html_print(out,
                   "<figure>\n<figcaption><strong>%s</strong></figcaption>\n"
                   "<svg class=\"chart\" role=\"img\" viewBox=\"%.0f 0 %.0f %.0f\">"
                   "<title>%s: %zu by %zu columns</title><desc>The pairs that matter most stand in "
                   "the table below.</desc>\n",
                   map->title, named ? 0.0 : MARGIN - 1, named ? MARGIN + SIDE + 1 : SIDE + 2,
                   named ? MARGIN + SIDE + 1 : SIDE + 1, map->title, map->count, map->count);
    sbl_html_print(out, "<g shape-rendering=\"crispEdges\">\n");
    sbl_html_print(out,
                   "<rect class=\"none\" x=\"%.0f\" y=\"0\" width=\"%.0f\" height=\"%.0f\"/>\n",
                   MARGIN, SIDE, SIDE);
    for (int step = -STEPS; step <= STEPS; step++) write_step(out, map, step, side);
    write_dashes(out, map, side);
    sbl_html_print(out, "</g>\n");
    write_names(out, map, side);
    sbl_html_print(out, "</svg>\n</figure>\n");
}

void sbl_heatmap_legend(sbl_text *out, double limit, const char *words)
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
