/* SPDX-License-Identifier: Apache-2.0 */
/* The relations that are furthest off, before the details. */
#include "owner/report/html.h"
#include "owner/report/sections.h"

#define MOST_SHOWN 5

static void write_group(sbl_text *out, const json_t *list, const char *title, const char *one)
{
    const size_t size = json_array_size(list), count = size < MOST_SHOWN ? size : MOST_SHOWN;
    if (!json_is_array(list)) return;
    if (count == 0) {
        sbl_html_print(out, "<p>No %s is further off than a second real sample would be.</p>\n", one);
        return;
    }
    sbl_html_print(out, "<p>%s:</p>\n<ul>\n", title);
    for (size_t i = 0; i < count; i++) {
        const json_t *relation = json_array_get(list, i);
        sbl_html_print(out,
                       "<li><strong>%.160s</strong>: %.1f%% of rows (a second real sample: %.1f%%)</li>\n",
                       sbl_fact_text_of(relation, "what"),
                       sbl_fact_within(100.0 * sbl_fact_number_of(relation, "distance"), 0.0, 100.0),
                       sbl_fact_within(100.0 * sbl_fact_number_of(relation, "second_sample"), 0.0, 100.0));
    }
    sbl_html_print(out, "</ul>\n");
}

void sbl_report_relations(sbl_text *out, const json_t *evaluation)
{
    const json_t *worst = json_object_get(evaluation, "worst");
    const bool linked = json_is_array(json_object_get(worst, "parents"));
    if (json_object_size(worst) == 0) return;
    sbl_html_print(out,
                   "<h3>What is furthest off</h3>\n<p>The share of rows that would have to move for real and "
                   "synthetic data to agree, worst first.</p>\n");
    write_group(out, json_object_get(worst, "pairs"), "Pairs of columns", "pair of columns");
    write_group(out, json_object_get(worst, "histories"),
                linked ? "Rows under one parent" : "Within a person",
                linked ? "relation of rows under one parent" : "relation within a person");
    write_group(out, json_object_get(worst, "parents"), "Parents and children",
                "relation of parents and children");
}
