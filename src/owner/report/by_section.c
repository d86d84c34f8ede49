/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with bounds by category: percentiles of each category, real next to synthetic. */
#include "owner/report/html.h"
#include "owner/report/sections.h"

#define MOST_COLUMNS 50
#define MOST_CATEGORIES 1000

static void write_category(sbl_text *out, const json_t *category)
{
    static const char *const names[] = {"p1", "median", "p99"};
    sbl_html_print(out, "<tr><th scope=\"row\" class=\"word\">%.160s</th>",
                   sbl_fact_text_of(category, "category"));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sbl_html_cell_number(out, sbl_fact_number_of(json_object_get(category, "synthetic"), names[i]));
        sbl_html_cell_number(out, sbl_fact_number_of(json_object_get(category, "real"), names[i]));
    }
    sbl_html_cell_number(out, sbl_fact_number_of(category, "ks"));
    sbl_html_print(out, "</tr>\n");
}

void sbl_report_by(sbl_text *out, const json_t *list)
{
    for (size_t c = 0; c < json_array_size(list) && c < MOST_COLUMNS; c++) {
        const json_t *column = json_array_get(list, c), *categories = json_object_get(column, "categories");
        sbl_html_print(out, "<details>\n<summary>%.160s by %.160s</summary>\n",
                       sbl_fact_text_of(column, "name"), sbl_fact_text_of(column, "by"));
        sbl_html_table_open(out, "Percentiles of each category, and the Kolmogorov-Smirnov distance",
                            "_category|1 %, synthetic|real|median, synthetic|real|99 %, synthetic|real|KS");
        for (size_t k = 0; k < json_array_size(categories) && k < MOST_CATEGORIES; k++)
            write_category(out, json_array_get(categories, k));
        sbl_html_table_close(out);
        sbl_html_fold_close(out);
    }
}
