/* SPDX-License-Identifier: Apache-2.0 */
/* Columns together: joint distributions of 1 to 4 of them, errors as bars, synthetic between floor and ceiling; and the share of
 * the rows that holds each constraint of the schema. */
#include "owner/report/sections.h"

#include <math.h>

#include "owner/report/html.h"

#define WIDTH 420.0 /* so that its text can be read on a phone */
#define LABELS 80.0
#define BARS (WIDTH - LABELS - 64.0) /* room for the number behind the longest */
#define BAR 15.0
#define GROUP (3 * BAR + 20.0)
#define MAX_GROUPS 8

static void write_bar(sbl_text *out, const char *kind, const char *name, double value, double largest,
                      double y)
{
    const double length = BARS * sbl_fact_within(value / largest, 0.0, 1.0);
    sbl_html_print(out, "<text class=\"end\" x=\"%.0f\" y=\"%.1f\">%s</text>", LABELS - 8, y + 11, name);
    sbl_html_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", kind,
                   LABELS, y + 1, length, BAR - 4);
    sbl_html_print(out, "<text x=\"%.1f\" y=\"%.1f\">%g</text>\n", LABELS + length + 6, y + 11, value);
}

static double largest_of(const json_t *list, size_t count)
{
    double largest = 1e-9;
    for (size_t i = 0; i < count; i++) {
        const sbl_fact_triple t = sbl_fact_triple_of(json_array_get(list, i), "tvd");
        largest = fmax(largest, fmax(t.synthetic, fmax(t.floor, t.ceiling)));
    }
    return largest;
}

static void write_chart(sbl_text *out, const json_t *list)
{
    const size_t size = json_array_size(list);
    const size_t count = size < MAX_GROUPS ? size : MAX_GROUPS;
    const double largest = largest_of(list, count);
    sbl_html_print(out,
                   "<figure class=\"wide\">\n<figcaption>Mean total variation distance over sets of "
                   "columns; shorter is better</figcaption>\n"
                   "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\"><title>Errors of "
                   "joint distributions</title><desc>For each number of columns three bars: the "
                   "synthetic table, the floor, the ceiling. The numbers are in the table "
                   "below.</desc>\n",
                   WIDTH, GROUP * (double)count);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const sbl_fact_triple t = sbl_fact_triple_of(item, "tvd");
        const double y = GROUP * (double)i + 16.0;
        const double way = sbl_fact_number_of(item, "way");
        sbl_html_print(out, "<text class=\"strong\" x=\"0\" y=\"%.1f\">%.0f column%s</text>", y - 4, way,
                       way == 1.0 ? "" : "s");
        write_bar(out, "synthetic", "synthetic", t.synthetic, largest, y);
        write_bar(out, "floor", "floor", t.floor, largest, y + BAR);
        write_bar(out, "real", "ceiling", t.ceiling, largest, y + 2 * BAR);
    }
    sbl_html_print(out, "<path class=\"axis\" d=\"M%.1f 8V%.1f\"/></svg>\n</figure>\n", LABELS,
                   GROUP * (double)count - 2);
}

static void write_row(sbl_text *out, const json_t *item)
{
    const json_t *worst = json_object_get(item, "worst");
    const json_t *names = json_object_get(worst, "columns");
    const sbl_fact_triple t = sbl_fact_triple_of(item, "tvd");
    sbl_html_print(out, "<tr><th scope=\"row\">%.0f</th>", sbl_fact_number_of(item, "way"));
    sbl_html_cell_count(out, sbl_fact_number_of(item, "sets"));
    sbl_html_cell_count(out, sbl_fact_number_of(item, "of"));
    sbl_html_cell_number(out, t.synthetic);
    sbl_html_cell_number(out, t.floor);
    sbl_html_cell_number(out, t.ceiling);
    sbl_html_print(out, "<td class=\"word set\">");
    for (size_t i = 0; i < json_array_size(names) && i < 4; i++)
        sbl_html_print(out, "%s%.40s", i == 0 ? "" : ", ", json_string_value(json_array_get(names, i)));
    if (json_is_object(worst)) sbl_html_print(out, ": %g", sbl_fact_number_of(worst, "tvd"));
    sbl_html_print(out, "</td></tr>\n");
}

void sbl_report_marginals(sbl_text *out, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "marginals");
    if (json_array_size(list) == 0) return;
    sbl_html_section_open(out, "marginals", "Columns together", true);
    write_chart(out, list);
    sbl_html_fold_open(out, "The numbers, and how to read them");
    sbl_html_print(out,
                   "<p class=\"how\">Are columns related as they are in the real table? For every set of "
                   "columns, or a random sample of sets, the rows are counted in the same public cells, and "
                   "the shares are compared. With more columns the cells get small and even real data does "
                   "not agree with itself, which is what the ceiling shows: judge a bar by its place between "
                   "floor and ceiling, not by its length.</p>\n");
    sbl_html_table_open(out, "Mean total variation distance over sets of columns",
                        "columns in a set|sets measured|sets there are|synthetic|floor|ceiling|_worst set");
    for (size_t i = 0; i < json_array_size(list) && i < MAX_GROUPS; i++)
        write_row(out, json_array_get(list, i));
    sbl_html_table_close(out);
    sbl_html_fold_close(out);
    sbl_html_section_close(out);
}

void sbl_report_share(sbl_text *out, double share)
{
    sbl_html_print(out, "<td>%.4f</td>", floor(share * 1e4) / 1e4);
}

/* The smallest share of synthetic rows that satisfy a constraint; NaN where none is known. */
static double least_share(const json_t *list)
{
    double least = (double)NAN;
    for (size_t i = 0; i < json_array_size(list); i++)
        least = fmin(least, sbl_fact_number_of(json_array_get(list, i), "synthetic"));
    return least;
}

void sbl_report_constraints(sbl_text *out, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "constraints");
    const double least = least_share(list);
    if (json_array_size(list) == 0) return;
    sbl_html_section_open(out, "constraints", "Constraints", true);
    if (least >= 1.0)
        sbl_html_print(out, "<p>Every synthetic row satisfies every constraint of the schema.</p>\n");
    else if (!isnan(least))
        sbl_html_print(out,
                       "<p><strong>Only %.2f%% of the synthetic rows satisfy the constraint that is broken "
                       "most.</strong> Was the table edited, or made with another schema?</p>\n",
                       floor(1e4 * sbl_fact_within(least, 0.0, 1.0)) / 100.0);
    sbl_html_fold_open(out, "The share of rows that satisfy each constraint");
    sbl_html_print(
        out,
        "<p class=\"how\">Rules between columns that the schema declares, and the share of rows "
        "that satisfy each. Synthetic rows are made to satisfy all of them. Real ones may not, if a "
        "rule is not quite true. A rule that involves a missing value counts as satisfied.</p>\n");
    sbl_html_table_open(out, "Share of rows that satisfy each constraint",
                        "_constraint|synthetic|real|real, fitted");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        sbl_html_print(out, "<tr><th scope=\"row\" class=\"word\">%.1000s</th>",
                       sbl_fact_text_of(item, "rule"));
        sbl_report_share(out, sbl_fact_number_of(item, "synthetic"));
        sbl_report_share(out, sbl_fact_number_of(item, "real"));
        sbl_report_share(out, sbl_fact_number_of(item, "train"));
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
    sbl_html_fold_close(out);
    sbl_html_section_close(out);
}
