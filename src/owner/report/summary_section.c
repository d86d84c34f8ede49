/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict, and the most telling numbers in one folded table. */
#include <math.h>
#include <string.h>

#include "owner/evaluate/verdict.h"
#include "owner/report/html.h"
#include "owner/report/sections.h"

static void write_row(sbl_text *out, const char *name, sbl_fact_triple t, sbl_fact_better better)
{
    const double way = sbl_fact_way(t, better);
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", name);
    sbl_html_cell_number(out, t.synthetic);
    sbl_html_cell_number(out, t.floor);
    sbl_html_cell_number(out, t.ceiling);
    if (isnan(way))
        sbl_html_print(out, "<td>\xe2\x80\x93</td>");
    else if (way < 0.0)
        sbl_html_print(out, "<td>below the floor</td>");
    else
        sbl_html_print(out, "<td>%.0f%%</td>", way);
    sbl_html_print(out, "<td class=\"word\">%s</td></tr>\n",
                   better == SBL_LOWER_IS_BETTER ? "lower" : "higher");
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
        write_row(out, names[(size_t)way - 1], sbl_fact_triple_of(item, "tvd"), SBL_LOWER_IS_BETTER);
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
              SBL_HIGHER_IS_BETTER);
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
        if (!isnan(triple.synthetic)) write_row(out, lines[i].words, triple, SBL_LOWER_IS_BETTER);
    }
}

/* The verdict, as `evaluate` prints it. */
static void write_verdict(sbl_text *out, const json_t *evaluation)
{
    sbl_text headline = {0}, details = {0};
    sbl_verdict_headline(&headline, evaluation);
    sbl_verdict_details(&details, evaluation);
    if (headline.failed || details.failed) out->failed = true;
    if (headline.data != NULL || details.data != NULL)
        sbl_html_print(out, "<p class=\"lead\"><strong>%s</strong> %s</p>\n",
                       headline.data != NULL ? headline.data : "", details.data != NULL ? details.data : "");
    sbl_text_clear(&headline);
    sbl_text_clear(&details);
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

/* The numbers of one table; linked tables and images have their own sections. */
static void write_numbers(sbl_text *out, const json_t *evaluation)
{
    const json_t *association = json_object_get(evaluation, "association");
    const json_t *mmd = json_object_get(evaluation, "mmd");
    if (!json_is_array(json_object_get(evaluation, "marginals")) && !json_is_object(association)) return;
    sbl_html_print(out,
                   "<details>\n<summary>The numbers behind this, between floor and "
                   "ceiling</summary>\n");
    sbl_html_table_open(out, "The synthetic table between floor and ceiling",
                        "measure|synthetic|floor|ceiling|of the way|_better is");
    write_marginals(out, evaluation);
    if (json_is_object(association)) {
        write_row(out, "associations: mean difference", sbl_fact_triple_of(association, "mean_difference"),
                  SBL_LOWER_IS_BETTER);
        write_row(out, "associations: largest difference",
                  sbl_fact_triple_of(association, "largest_difference"), SBL_LOWER_IS_BETTER);
    }
    if (json_is_object(mmd))
        write_row(out, "maximum mean discrepancy, squared", sbl_fact_triple_of(mmd, "squared"),
                  SBL_LOWER_IS_BETTER);
    write_histories(out, evaluation);
    write_utility(out, evaluation);
    sbl_html_table_close(out);
    write_how(out);
    if (sbl_fact_text_of(mmd, "kernel") != NULL)
        sbl_html_print(out, "<p class=\"note\">Maximum mean discrepancy: %s.</p>\n",
                       sbl_fact_text_of(mmd, "kernel"));
    sbl_html_print(out, "</details>\n");
}

bool sbl_report_has_glance(const json_t *evaluation)
{
    static const char *const judged[] = {"marginals", "association", "tables", "images"};
    for (size_t i = 0; i < sizeof judged / sizeof judged[0]; i++) {
        const json_t *section = json_object_get(evaluation, judged[i]);
        if (json_object_size(section) + json_array_size(section) > 0) return true;
    }
    return false;
}

void sbl_report_glance(sbl_text *out, const json_t *evaluation)
{
    if (!sbl_report_has_glance(evaluation)) return;
    sbl_html_section_open(out, "glance", "Verdict", true);
    write_verdict(out, evaluation);
    if (!json_is_array(json_object_get(evaluation, "tables"))) sbl_report_relations(out, evaluation);
    write_numbers(out, evaluation);
    sbl_html_section_close(out);
}
