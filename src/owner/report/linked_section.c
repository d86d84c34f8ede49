/* SPDX-License-Identifier: Apache-2.0 */
/* Linked tables: keys, numbers of child rows, relations across tables, and some synthetic units with their rows
 * in all tables. */
#include "owner/report/html.h"
#include "owner/report/sections.h"

#define MOST_TABLES 32
#define MOST_UNITS 12
#define MOST_SHOWN 12   /* rows of a table under one row */
#define MOST_COLUMNS 12 /* of a row */
#define MOST_DEPTH 32   /* of rows under rows */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- figures ---- */

static void write_key_row(sbl_text *out, const json_t *keys, const char *set)
{
    const json_t *of = json_object_get(keys, set);
    if (!json_is_object(of)) return;
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", set);
    sbl_html_cell_count(out, sbl_fact_number_of(of, "rows"));
    sbl_html_cell_count(out, sbl_fact_number_of(of, "repeated"));
    sbl_html_cell_count(out, sbl_fact_number_of(of, "orphans"));
    sbl_html_print(out, "</tr>\n");
}

static void write_keys(sbl_text *out, const json_t *keys)
{
    sbl_html_table_open(out,
                        "Keys: rows whose own key is missing or not the first, and rows whose "
                        "parent is not there",
                        "tables|rows|key again|orphans");
    write_key_row(out, keys, "synthetic");
    write_key_row(out, keys, "real");
    write_key_row(out, keys, "train");
    sbl_html_table_close(out);
}

static void write_events(sbl_text *out, const json_t *events)
{
    static const struct {
        const char *member, *words;
    } lines[] = {
        {"person_event", "each of the parent's columns by each of its own"},
        {"previous_this", "each column by each of the row before"},
        {"previous_same", "each column by itself in the row before"},
        {"gap", "gaps between rows (Kolmogorov-Smirnov)"},
        {"gap_gap", "a gap by the next gap"},
        {"span", "from the first to the last row (Kolmogorov-Smirnov)"},
    };
    const json_t *columns = json_object_get(events, "columns");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        sbl_report_distance(out, events, lines[i].member, lines[i].words, NULL, sbl_html_cell_number);
    for (size_t i = 0; i < least(json_array_size(columns), SBL_REPORT_PICTURES); i++) {
        const json_t *column = json_array_get(columns, i);
        sbl_report_distance(out, column, "total", "sum under one parent (Kolmogorov-Smirnov) of",
                            sbl_fact_text_of(column, "name"), sbl_html_cell_number);
    }
}

static void write_distances(sbl_text *out, const json_t *table)
{
    static const char *const ways[] = {"single columns", "pairs of columns", "triples of columns",
                                       "fours of columns"};
    const json_t *marginals = json_object_get(table, "marginals");
    const json_t *children = json_object_get(table, "children");
    sbl_html_table_open(out, "Distances, real against synthetic; 0 is equal",
                        "measure|synthetic|floor|ceiling");
    for (size_t i = 0; i < least(json_array_size(marginals), 4); i++)
        sbl_report_distance(out, json_array_get(marginals, i), "tvd", ways[i], NULL, sbl_html_cell_number);
    for (size_t i = 0; i < least(json_array_size(children), MOST_TABLES); i++) {
        const json_t *child = json_array_get(children, i);
        const char *name = sbl_fact_text_of(child, "table");
        sbl_report_distance(out, child, "number", "number of rows under one in", name, sbl_html_cell_number);
        sbl_report_distance(out, child, "number_columns", "that number by each column, of", name,
                            sbl_html_cell_number);
    }
    write_events(out, json_object_get(table, "histories"));
    sbl_html_table_close(out);
}

static void write_table(sbl_text *out, const json_t *table)
{
    const char *parent = sbl_fact_text_of(table, "parent");
    sbl_html_print(out, "<details>\n<summary>Keys and distances of %.80s", sbl_fact_text_of(table, "name"));
    if (parent != NULL) sbl_html_print(out, ", which refers to %.80s", parent);
    sbl_html_print(out, "</summary>\n");
    write_keys(out, json_object_get(table, "keys"));
    write_distances(out, table);
    sbl_html_fold_close(out);
    sbl_report_by(out, json_object_get(table, "by"));
}

static void write_how(sbl_text *out)
{
    sbl_html_print(
        out,
        "<p class=\"how\">Do rows refer to valid parents, and are there as many as in the real tables? "
        "Distances are total variation unless they say otherwise, means over all columns or pairs "
        "that they name. The <strong>floor</strong> keeps the keys and shuffles every column on "
        "its "
        "own; the <strong>ceiling</strong> is real data against other real data.</p>\n");
}

/* ---- some units ---- */

static void write_cells(sbl_text *out, const json_t *cells)
{
    for (size_t c = 0; c < least(json_array_size(cells), MOST_COLUMNS); c++) {
        const json_t *cell = json_array_get(cells, c);
        sbl_html_print(out, "%s%.30s %.30s", c == 0 ? "" : ", ", json_string_value(json_array_get(cell, 0)),
                       json_string_value(json_array_get(cell, 1)));
    }
}

/* A row, and under it those of each table. */
static void write_unit_row(sbl_text *out, const json_t *row, size_t depth)
{
    const json_t *under = json_object_get(row, "under");
    write_cells(out, json_object_get(row, "cells"));
    for (size_t t = 0; depth < MOST_DEPTH && t < least(json_array_size(under), MOST_TABLES); t++) {
        const json_t *table = json_array_get(under, t);
        const json_t *shown = json_object_get(table, "shown");
        const size_t count = least(json_array_size(shown), MOST_SHOWN);
        const double rows = sbl_fact_number_of(table, "rows");
        if (count == 0) continue;
        sbl_html_print(out, "\n<ul>");
        for (size_t i = 0; i < count; i++) {
            sbl_html_print(out, "<li><strong>%.40s</strong> ", sbl_fact_text_of(table, "table"));
            write_unit_row(out, json_array_get(shown, i), depth + 1);
            sbl_html_print(out, "</li>\n");
        }
        if (rows > (double)count) sbl_html_print(out, "<li>and %.0f more</li>\n", rows - (double)count);
        sbl_html_print(out, "</ul>\n");
    }
}

void sbl_report_units(sbl_text *out, const json_t *units)
{
    const json_t *shown = json_object_get(units, "shown");
    const size_t count = least(json_array_size(shown), MOST_UNITS);
    if (count == 0) return;
    sbl_html_print(out,
                   "<h3>Some synthetic units</h3>\n<p>These are not real: rows of the synthetic tables, "
                   "with all their child rows.</p>\n<ul>\n");
    for (size_t i = 0; i < count; i++) {
        sbl_html_print(out, "<li><strong>%.40s</strong> ", sbl_fact_text_of(units, "table"));
        write_unit_row(out, json_array_get(shown, i), 0);
        sbl_html_print(out, "</li>\n");
    }
    sbl_html_print(out, "</ul>\n");
}

void sbl_report_linked(sbl_text *out, const json_t *evaluation)
{
    const json_t *tables = json_object_get(evaluation, "tables");
    if (json_array_size(tables) == 0) return;
    sbl_html_section_open(out, "linked", "Linked tables", true);
    sbl_report_units(out, json_object_get(evaluation, "units"));
    sbl_report_relations(out, evaluation);
    sbl_html_print(out, "<h3>Tables in numbers</h3>\n");
    write_how(out);
    for (size_t t = 0; t < least(json_array_size(tables), MOST_TABLES); t++)
        write_table(out, json_array_get(tables, t));
    sbl_html_section_close(out);
}
