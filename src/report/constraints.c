/* Constraints of the schema: which share of the rows holds each, real and synthetic. */
#include <math.h>

#include "report/facts.h"
#include "report/html.h"
#include "report/sections.h"

/* Rounded down, so that 1 is all of them. */
static void write_share(sbl_text *out, const json_t *item, const char *name)
{
    const double share = sbl_fact_number_of(item, name);
    sbl_html_print(out, "<td>%.4f</td>", floor(share * 1e4) / 1e4);
}

void sbl_report_constraints(sbl_text *out, const json_t *evaluation)
{
    const json_t *list = json_object_get(evaluation, "constraints");
    if (json_array_size(list) == 0) return;
    sbl_html_section_open(out, "constraints", "Constraints", true);
    sbl_html_print(
        out,
        "<p class=\"how\">Rules between columns that the schema declares, and the share of rows "
        "that hold each. Synthetic rows are made to hold all of them; real ones may not, where a "
        "rule is not quite true. A rule that hangs on a missing value holds.</p>\n");
    sbl_html_table_open(out, "Share of rows that hold each constraint");
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\" class=\"word\">constraint</th><th "
                   "scope=\"col\">synthetic</th><th scope=\"col\">real</th><th "
                   "scope=\"col\">real, fitted</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        sbl_html_print(out, "<tr><th scope=\"row\" class=\"word\">%.1000s</th>",
                       sbl_fact_text_of(item, "rule"));
        write_share(out, item, "synthetic");
        write_share(out, item, "real");
        write_share(out, item, "train");
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
    sbl_html_section_close(out);
}
