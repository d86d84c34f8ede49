/* SPDX-License-Identifier: Apache-2.0 */
/* Column by column: distances, and a picture of real against synthetic for each; and the synthetic table alone, in the public
 * part. */
#include "owner/report/sections.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "owner/evaluate/verdict.h"
#include "owner/report/html.h"

static void write_table_row(sbl_text *out, const json_t *column)
{
    const sbl_fact_triple tvd = sbl_fact_triple_of(column, "tvd");
    const sbl_fact_triple ks = sbl_fact_triple_of(column, "ks");
    const sbl_fact_triple distance = sbl_fact_triple_of(column, "wasserstein");
    sbl_html_print(out, "<tr><th scope=\"row\">%.80s</th><td class=\"word\">%.20s</td>",
                   sbl_fact_text_of(column, "name"), sbl_fact_text_of(column, "kind"));
    sbl_html_cell_number(out, tvd.synthetic);
    sbl_html_cell_number(out, tvd.ceiling);
    sbl_html_cell_number(out, ks.synthetic);
    sbl_html_cell_number(out, ks.ceiling);
    sbl_html_cell_number(out, distance.synthetic);
    sbl_html_cell_number(out, distance.ceiling);
    sbl_html_print(out, "</tr>\n");
}

static void write_how(sbl_text *out)
{
    sbl_html_print(out,
                   "<p class=\"how\">Do single columns look alike? The total variation distance is the "
                   "largest difference in the share of rows that any set of values gets, numbers counted in "
                   "public ranges: 0.05 means that no "
                   "question about this column alone is answered wrongly by more than 5%% of the rows. Good "
                   "is close to the ceiling, which two samples of real rows reach by chance. Rare values "
                   "suffer first, for the noise is as large for them as for common ones. Good single columns "
                   "say nothing yet about the relations between columns.</p>\n");
}

static void write_table(sbl_text *out, const json_t *columns)
{
    const size_t count = json_array_size(columns);
    sbl_html_print(out, "<details>\n<summary>The distances of all %zu columns</summary>\n", count);
    sbl_html_table_open(out, "Distances of single columns, real against synthetic; 0 is equal", NULL);
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\" rowspan=\"2\">column</th>"
                   "<th scope=\"col\" rowspan=\"2\" class=\"word\">kind</th>"
                   "<th scope=\"colgroup\" colspan=\"2\">total variation</th>"
                   "<th scope=\"colgroup\" colspan=\"2\">Kolmogorov-Smirnov</th>"
                   "<th scope=\"colgroup\" colspan=\"2\">Wasserstein, of the range</th></tr>\n<tr "
                   "class=\"next\">");
    for (int i = 0; i < 3; i++)
        sbl_html_print(out, "<th scope=\"col\">synthetic</th><th scope=\"col\">ceiling</th>");
    sbl_html_print(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) write_table_row(out, json_array_get(columns, i));
    sbl_html_table_close(out);
    write_how(out);
    sbl_html_print(out, "</details>\n");
}

static void write_legend(sbl_text *out)
{
    sbl_html_print(out,
                   "<ul class=\"legend\"><li><span class=\"key key-real\"></span>real: solid</li>"
                   "<li><span class=\"key key-synthetic\"></span>synthetic: striped bars, or a line "
                   "over numbers</li></ul>\n");
}

static void write_some(sbl_text *out, const json_t *columns, const size_t *order, size_t first, size_t end)
{
    sbl_html_print(out, "<div class=\"multiples\">\n");
    for (size_t i = first; i < end; i++)
        sbl_histogram_write(out, json_array_get(columns, order != NULL ? order[i] : i));
    sbl_html_print(out, "</div>\n");
}

/* Pictures of some columns, the first of them open; order: NULL as they stand. */
static void column_pictures(sbl_text *out, const json_t *columns, const size_t *order, size_t count)
{
    const size_t open = count <= SBL_REPORT_OPEN_PICTURES + 3 ? count : SBL_REPORT_OPEN_PICTURES;
    write_some(out, columns, order, 0, open);
    if (open == count) return;
    sbl_html_print(out, "<details>\n<summary>%zu more columns</summary>\n", count - open);
    write_some(out, columns, order, open, count);
    sbl_html_print(out, "</details>\n");
}

static void write_pictures(sbl_text *out, const json_t *columns)
{
    const size_t count = json_array_size(columns);
    const size_t shown = count < SBL_REPORT_PICTURES ? count : SBL_REPORT_PICTURES;
    double *keys = sbl_alloc_array(count, sizeof *keys);
    size_t *order = NULL;
    if (keys != NULL) {
        for (size_t i = 0; i < count; i++) keys[i] = sbl_verdict_distance(json_array_get(columns, i));
        order = sbl_fact_order(keys, count);
    }
    if (order == NULL) out->failed = true;
    if (shown < count)
        sbl_html_print(out,
                       "<p>The %zu columns that differ most of %zu, worst first; the others are not "
                       "worse than the last one shown.</p>\n",
                       shown, count);
    else
        sbl_html_print(out,
                       "<p>The columns that differ most, by the worst of their distances, come "
                       "first.</p>\n");
    write_legend(out);
    if (order != NULL) column_pictures(out, columns, order, shown);
    sbl_free(order);
    sbl_free(keys);
}

static void write_out_of_domain(sbl_text *out, const json_t *evaluation)
{
    const json_t *domain = json_object_get(evaluation, "out_of_domain");
    const json_t *list = json_object_get(domain, "columns");
    const double cells = sbl_fact_number_of(domain, "cells");
    if (!json_is_object(domain)) return;
    if (cells == 0) {
        sbl_html_print(out, "<p>Every synthetic cell lies in the domain that the schema declares.</p>\n");
        return;
    }
    sbl_html_print(out,
                   "<p><strong>%.0f synthetic cells</strong> in %.0f rows lie outside the domain that "
                   "the schema declares; there should be none. Was the table edited, or "
                   "made with another schema?</p>\n",
                   cells, sbl_fact_number_of(domain, "rows"));
    if (json_array_size(list) == 0) return;
    sbl_html_table_open(out, "Cells outside the declared domain", "column|cells");
    for (size_t i = 0; i < json_array_size(list) && i < SBL_REPORT_OPEN_ROWS; i++) {
        const json_t *item = json_array_get(list, i);
        sbl_html_print(out, "<tr><th scope=\"row\">%.80s</th>", sbl_fact_text_of(item, "name"));
        sbl_html_cell_count(out, sbl_fact_number_of(item, "cells"));
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
    if (json_array_size(list) > SBL_REPORT_OPEN_ROWS)
        sbl_html_print(out, "<p class=\"note\">The first %d of %zu such columns.</p>\n", SBL_REPORT_OPEN_ROWS,
                       json_array_size(list));
}

void sbl_report_columns(sbl_text *out, const json_t *evaluation)
{
    const json_t *columns = json_object_get(evaluation, "columns");
    if (json_array_size(columns) == 0) return;
    sbl_html_section_open(out, "columns", "Single columns", true);
    write_out_of_domain(out, evaluation);
    write_pictures(out, columns);
    write_table(out, columns);
    sbl_report_by(out, json_object_get(evaluation, "by"));
    sbl_html_section_close(out);
}

/* What the lines on bars and cells mean; or why there are none. */
static void write_intervals_note(sbl_text *out, const json_t *pictures)
{
    const json_t *intervals = json_object_get(pictures, "intervals");
    const char *none = sbl_fact_text_of(pictures, "no_intervals");
    if (json_is_object(intervals))
        sbl_html_print(
            out,
            "<p class=\"how\">The line on a bar or cell is a <strong>%.0f%% interval</strong> for the "
            "share of rows in the population that the private rows are a sample of. It covers "
            "sampling, the privacy noise and what the model leaves open. It was computed from "
            "the releases alone: from %.0f models that were drawn given them. Grey maps with a dashed "
            "frame are pairs whose relation cannot be told from none.</p>\n",
            100 * sbl_fact_number_of(intervals, "level"), sbl_fact_number_of(intervals, "draws"));
    else if (none != NULL)
        sbl_html_print(out, "<p class=\"note\">There are no intervals: %.300s.</p>\n", none);
}

/* Columns and pairs of one table. */
static void write_one_table(sbl_text *out, const json_t *pictures)
{
    const json_t *columns = json_object_get(pictures, "columns");
    const json_t *pairs = json_object_get(pictures, "pairs");
    const size_t count = json_array_size(columns);
    const size_t shown = count < SBL_REPORT_PICTURES ? count : SBL_REPORT_PICTURES;
    if (shown < count) sbl_html_print(out, "<p>The first %zu of %zu columns.</p>\n", shown, count);
    column_pictures(out, columns, NULL, shown);
    if (json_array_size(pairs) == 0) return;
    sbl_html_print(out,
                   "<h3>Pairs of columns</h3>\n<p>Those with the strongest relation; the darker a "
                   "cell, the more rows it holds.</p>\n");
    sbl_report_pair_maps(out, pairs);
}

static void write_pictures_intro(sbl_text *out, const json_t *pictures, bool linked, bool guaranteed)
{
    char rows[SBL_HTML_COUNT_SIZE];
    const double count = sbl_fact_number_of(pictures, "rows");
    sbl_html_print(out, "<p class=\"how\">Everything in these pictures is <strong>synthetic</strong>: ");
    if (isnan(count))
        sbl_html_print(out, "it was drawn from the release, and shows no private row.");
    else
        sbl_html_print(out,
                       linked
                           ? "%s units, with their rows in all tables, that were drawn from the release, and "
                             "no private one."
                           : "%s rows that were drawn from the release, and no private one.",
                       sbl_html_count_text(rows, (uint64_t)sbl_fact_within(count, 0, 9e15)));
    if (guaranteed)
        sbl_html_print(out,
                       " What is made from the release is covered by the guarantee below, and may "
                       "be published.");
    sbl_html_print(out, "</p>\n");
}

void sbl_report_show_pictures(sbl_text *out, const json_t *pictures, bool guaranteed)
{
    const json_t *tables = json_object_get(pictures, "tables");
    const bool linked = json_is_object(json_object_get(pictures, "units")) || json_is_array(tables);
    sbl_html_section_open(
        out, "pictures",
        linked ? "What the synthetic tables look like" : "What the synthetic table looks like", false);
    write_pictures_intro(out, pictures, linked, guaranteed);
    write_intervals_note(out, pictures);
    write_one_table(out, pictures);
    for (size_t t = 0; t < json_array_size(tables); t++) {
        const json_t *one = json_array_get(tables, t);
        sbl_html_print(out, "<h3>Table %.80s</h3>\n", sbl_fact_text_of(one, "name"));
        write_one_table(out, one);
    }
    sbl_report_people(out, json_object_get(pictures, "people"));
    sbl_report_units(out, json_object_get(pictures, "units"));
    sbl_html_section_close(out);
}
