/* The most telling numbers in one table, before the details. */
#include <math.h>
#include <string.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

typedef enum direction { LOWER, HIGHER } direction; /* which is better */

/* How much of the way from the floor to the ceiling the synthetic table goes; NaN where the floor
 * is as good as the ceiling, and there is no way. */
static double share_of_way(sbl_fact_triple t, direction better)
{
    const double sign = better == LOWER ? 1.0 : -1.0;
    const double way = sign * (t.floor - t.ceiling);
    return way > 1e-9 ? sign * (t.floor - t.synthetic) / way : (double)NAN;
}

static void write_row(sbl_text *out, const char *name, sbl_fact_triple t, direction better)
{
    const double share = share_of_way(t, better);
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", name);
    sbl_html_cell_number(out, t.synthetic);
    sbl_html_cell_number(out, t.floor);
    sbl_html_cell_number(out, t.ceiling);
    if (isnan(share))
        sbl_html_print(out, "<td>\xe2\x80\x93</td>");
    else if (share < 0.0)
        sbl_html_print(out, "<td>below the floor</td>");
    else
        sbl_html_print(out, "<td>%.0f%%</td>", sbl_fact_within(100.0 * share, 0.0, 999.0));
    sbl_html_print(out, "<td class=\"word\">%s</td></tr>\n", better == LOWER ? "lower" : "higher");
}

static void write_marginals(sbl_text *out, const json_t *evaluation)
{
    static const char *const names[] = {
        "single columns: mean total variation", "pairs of columns: mean total variation",
        "triples of columns: mean total variation", "fours of columns: mean total variation"};
    const json_t *list = json_object_get(evaluation, "marginals");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const double way = sbl_fact_number_of(item, "way");
        if (!(way >= 1 && way <= 4)) continue;
        write_row(out, names[(size_t)way - 1], sbl_fact_triple_of(item, "tvd"), LOWER);
    }
}

/* The score that the table is judged by, of the best model trained on real data. */
static void write_utility(sbl_text *out, const json_t *evaluation)
{
    const json_t *utility = json_object_get(evaluation, "utility");
    const json_t *models = json_object_get(utility, "models");
    const char *task = sbl_fact_text_of(utility, "task");
    const bool regression = task != NULL && strcmp(task, "regression") == 0;
    const char *score = regression ? "r2" : "auc";
    sbl_fact_triple best = {(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        const double real = sbl_fact_number_of(json_object_get(model, "real"), score);
        if (!isnan(real) && !(real > best.ceiling) && !isnan(best.ceiling)) continue;
        if (isnan(real) && !isnan(best.synthetic)) continue;
        best.ceiling = real;
        best.synthetic = sbl_fact_number_of(json_object_get(model, "synthetic"), score);
        best.floor = sbl_fact_number_of(json_object_get(model, "floor"), score);
    }
    if (isnan(best.synthetic)) return;
    write_row(out, regression ? "R\xc2\xb2 on real rows, best model" : "AUC on real rows, best model", best,
              HIGHER);
}

/* Of the way from floor to ceiling, in per cent; NAN: there is no such way. */
static double of_the_way(sbl_fact_triple triple)
{
    const double share = share_of_way(triple, LOWER);
    return isnan(share) ? share : sbl_fact_within(100.0 * share, -999.0, 999.0);
}

static sbl_fact_triple pairs_of(const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "marginals");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (sbl_fact_number_of(json_array_get(list, i), "way") == 2)
            return sbl_fact_triple_of(json_array_get(list, i), "tvd");
    return (sbl_fact_triple){(double)NAN, (double)NAN, (double)NAN};
}

/* For histories: what holds a person's rows together. */
static void write_histories(sbl_text *out, const json_t *evaluation)
{
    static const struct {
        const char *member, *words;
    } lines[] = {{"events", "number of events of a person: total variation"},
                 {"person_event", "person's by event's columns: mean total variation"},
                 {"previous_this", "previous by this event: mean total variation"}};
    const json_t *histories = json_object_get(evaluation, "histories");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const sbl_fact_triple triple = sbl_fact_triple_of(histories, lines[i].member);
        if (!isnan(triple.synthetic)) write_row(out, lines[i].words, triple, LOWER);
    }
}

/* Whole persons in a sentence or two. */
static void write_persons(sbl_text *out, const json_t *evaluation)
{
    const json_t *histories = json_object_get(evaluation, "histories");
    const json_t *persons = json_object_get(histories, "persons");
    const json_t *events = json_object_get(histories, "events_per_person");
    const sbl_fact_triple constant = sbl_fact_triple_of(histories, "constant");
    const sbl_fact_triple previous = sbl_fact_triple_of(histories, "previous_this");
    const double way = of_the_way(previous);
    if (isnan(sbl_fact_number_of(persons, "synthetic"))) return;
    sbl_html_print(out,
                   "<p>Rows belong to persons: %.0f synthetic ones with %.2f events each (real: "
                   "%.0f with %.2f). ",
                   sbl_fact_number_of(persons, "synthetic"), sbl_fact_number_of(events, "synthetic"),
                   sbl_fact_number_of(persons, "real"), sbl_fact_number_of(events, "real"));
    if (!isnan(constant.synthetic))
        sbl_html_print(out,
                       constant.synthetic >= 1.0
                           ? "All of them keep their own columns in all rows. "
                           : "<strong>%.1f%% of them keep their own columns in all rows: they are "
                             "no whole persons.</strong> ",
                       sbl_fact_within(floor(1000.0 * constant.synthetic) / 10.0, 0.0, 100.0));
    if (way < 0.0)
        sbl_html_print(out,
                       "What follows what is further from real persons than in rows put together "
                       "by chance.");
    else if (!isnan(way))
        sbl_html_print(out,
                       "What follows what is %.0f%% of the way from rows put together by chance "
                       "to real persons.",
                       way);
    sbl_html_print(out, "</p>\n");
}

/* What the table is good for and what broke, in a sentence or two. */
static void write_verdict(sbl_text *out, const json_t *evaluation)
{
    const json_t *columns = json_object_get(evaluation, "columns");
    const double way = of_the_way(pairs_of(evaluation));
    const double wrong = sbl_fact_number_of(json_object_get(evaluation, "out_of_domain"), "cells");
    const json_t *worst = NULL;
    for (size_t i = 0; i < json_array_size(columns); i++)
        if (worst == NULL || sbl_report_worst(json_array_get(columns, i)) > sbl_report_worst(worst))
            worst = json_array_get(columns, i);
    if (isnan(way) && worst == NULL) return;
    sbl_html_print(out, "<p class=\"lead\">");
    if (!isnan(way)) {
        sbl_html_print(out, "<strong>%s</strong> ",
                       way >= 80   ? "Good for single columns and for how they hang together."
                       : way >= 40 ? "Good for single columns, fair for how they hang together."
                       : way >= 0  ? "Good for single columns; relations between them are weak."
                                   : "Not better than independent columns: take a larger epsilon, "
                                     "more rows or fewer columns.");
        if (way < 0.0)
            sbl_html_print(out, "Pairs of columns are further from real data than independent columns are. ");
        else
            sbl_html_print(out,
                           "Pairs of columns are %.0f%% of the way from independent columns to "
                           "real data. ",
                           way);
    }
    if (worst != NULL)
        sbl_html_print(out, "The column that is furthest off is %.80s, by %g. ",
                       sbl_fact_text_of(worst, "name"), sbl_report_worst(worst));
    if (wrong > 0)
        sbl_html_print(out, "<strong>%.0f cells lie outside their domain: something broke.</strong>", wrong);
    sbl_html_print(out, "</p>\n");
}

static void write_how(sbl_text *out)
{
    sbl_html_print(out,
                   "<p class=\"how\">Each number of the synthetic table is between two others. The "
                   "<strong>floor</strong> is what columns drawn independently of each other reach: a table "
                   "that is no better has learned nothing about the relations between columns. The "
                   "<strong>ceiling</strong> is real data compared with real data: no synthetic table can be "
                   "expected to do better. The last but one column says how much of the way from floor to "
                   "ceiling was covered: 100%% is as good as more real data, 0%% is the floor. A worse "
                   "table is below the floor. Single columns have no such way, for the floor has them "
                   "right.</p>\n");
}

void sbl_report_glance(sbl_text *out, const json_t *evaluation)
{
    const json_t *association = json_object_get(evaluation, "association");
    const json_t *mmd = json_object_get(evaluation, "mmd");
    if (!json_is_array(json_object_get(evaluation, "marginals")) && !json_is_object(association)) return;
    sbl_html_section_open(out, "glance", "At a glance", true);
    write_verdict(out, evaluation);
    write_persons(out, evaluation);
    sbl_html_print(out,
                   "<details>\n<summary>The numbers behind this, between floor and "
                   "ceiling</summary>\n");
    sbl_html_table_open(out, "The synthetic table between floor and ceiling",
                        "measure|synthetic|floor|ceiling|of the way|_better is");
    write_marginals(out, evaluation);
    if (json_is_object(association)) {
        write_row(out, "associations: mean difference", sbl_fact_triple_of(association, "mean_difference"),
                  LOWER);
        write_row(out, "associations: largest difference",
                  sbl_fact_triple_of(association, "largest_difference"), LOWER);
    }
    if (json_is_object(mmd))
        write_row(out, "maximum mean discrepancy, squared", sbl_fact_triple_of(mmd, "squared"), LOWER);
    write_histories(out, evaluation);
    write_utility(out, evaluation);
    sbl_html_table_close(out);
    write_how(out);
    if (sbl_fact_text_of(mmd, "kernel") != NULL)
        sbl_html_print(out, "<p class=\"note\">Maximum mean discrepancy: %s.</p>\n",
                       sbl_fact_text_of(mmd, "kernel"));
    sbl_html_print(out, "</details>\n");
    sbl_html_section_close(out);
}
