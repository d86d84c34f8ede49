/* SPDX-License-Identifier: Apache-2.0 */
/* Persons and their histories: how far the synthetic ones are from the real ones, beside some synthetic
 * persons. */
#include <math.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

static void write_distances(sbl_text *out, const json_t *histories)
{
    static const struct {
        const char *member, *words;
    } lines[] = {
        {"events", "number of events of a person"},
        {"events_person", "number of events by each of the person's columns"},
        {"person_event", "each of the person's columns by each of the event's"},
        {"previous_this", "each column of an event by each of the event before"},
        {"previous_same", "each column of an event by itself in the event before"},
        {"gap", "gaps between events (Kolmogorov-Smirnov)"},
        {"gap_gap", "a gap by the next gap"},
        {"span", "from the first to the last event (Kolmogorov-Smirnov)"},
    };
    sbl_html_table_open(out, "Distances of histories, real against synthetic; 0 is equal",
                        "measure|synthetic|floor|ceiling");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        sbl_report_distance(out, histories, lines[i].member, lines[i].words, NULL, sbl_html_cell_number);
    sbl_html_table_close(out);
}

static void write_columns(sbl_text *out, const json_t *columns)
{
    const size_t count = json_array_size(columns);
    if (count == 0) return;
    sbl_html_table_open(out, "Kolmogorov-Smirnov distances over persons; 0 is equal",
                        "of a person|synthetic|floor|ceiling");
    for (size_t i = 0; i < count; i++) {
        const json_t *column = json_array_get(columns, i);
        const char *name = sbl_fact_text_of(column, "name");
        sbl_report_distance(out, column, "total", "sum of", name, sbl_html_cell_number);
        sbl_report_distance(out, column, "mean", "mean of", name, sbl_html_cell_number);
        sbl_report_distance(out, column, "distinct", "different values of", name, sbl_html_cell_number);
    }
    sbl_html_table_close(out);
}

static void write_shares(sbl_text *out, const json_t *histories)
{
    if (isnan(sbl_fact_triple_of(histories, "constant").synthetic) &&
        isnan(sbl_fact_triple_of(histories, "in_order").synthetic))
        return;
    sbl_html_table_open(out, "Share of persons that are as a person has to be; 1 is all",
                        "share of persons|synthetic|floor|real");
    sbl_report_distance(out, histories, "constant", "whose columns are the same in all their rows", NULL,
                        sbl_report_share);
    sbl_report_distance(out, histories, "in_order", "whose rows are in the order of their events", NULL,
                        sbl_report_share);
    sbl_html_table_close(out);
}

static void write_how(sbl_text *out)
{
    sbl_html_print(out,
                   "<p class=\"how\">Do synthetic persons live as real ones do? Distances are total "
                   "variation unless they say otherwise, means over all columns or pairs that they name, "
                   "numbers "
                   "in ten ranges that hold as many real events each. The <strong>floor</strong> keeps whose "
                   "row it is and shuffles every column on its own: rows that belong together by chance. The "
                   "<strong>ceiling</strong> is real persons against other real persons.</p>\n");
}

void sbl_report_histories(sbl_text *out, const json_t *evaluation)
{
    const json_t *histories = json_object_get(evaluation, "histories");
    const char *why = sbl_fact_text_of(histories, "why");
    if (json_object_size(histories) == 0) return;
    sbl_html_section_open(out, "histories", "Persons and their histories", true);
    if (why != NULL) {
        sbl_html_print(out, "<p>Persons were not compared: %.200s.</p>\n", why);
    } else {
        sbl_report_people(out, json_object_get(histories, "people"));
        sbl_html_fold_open(out, "The distances of histories, and how to read them");
        write_how(out);
        write_distances(out, histories);
        write_shares(out, histories);
        write_columns(out, json_object_get(histories, "columns"));
        sbl_html_fold_close(out);
    }
    sbl_html_section_close(out);
}
