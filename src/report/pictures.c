/* The synthetic table alone, in the public part: its columns and some pairs of them. */
#include "report/facts.h"
#include "report/html.h"
#include "report/sections.h"

void sbl_report_show_pictures(sbl_text *out, const json_t *pictures, bool guaranteed)
{
    const json_t *columns = json_object_get(pictures, "columns");
    const json_t *pairs = json_object_get(pictures, "pairs");
    const size_t count = json_array_size(columns);
    const size_t shown = count < SBL_REPORT_PICTURES ? count : SBL_REPORT_PICTURES;
    char rows[SBL_HTML_COUNT_SIZE];
    sbl_html_section_open(out, "pictures", "What the synthetic table looks like", false);
    sbl_html_print(
        out,
        "<p class=\"how\">Everything in these pictures is <strong>synthetic</strong>: %s "
        "rows that were drawn from the release, and no private one.",
        sbl_html_count_text(
            rows, (uint64_t)sbl_fact_within(sbl_fact_number_of(pictures, "rows"), 0, 9e15)));
    if (guaranteed)
        sbl_html_print(out,
                       " What is made from the release is covered by the guarantee below, and may "
                       "be published.");
    sbl_html_print(out, "</p>\n");
    if (shown < count) sbl_html_print(out, "<p>The first %zu of %zu columns.</p>\n", shown, count);
    sbl_report_column_pictures(out, columns, NULL, shown);
    if (json_array_size(pairs) > 0) {
        sbl_html_print(out,
                       "<h3>Pairs of columns</h3>\n<p>Those that hang together most; the darker a "
                       "cell, the more rows it holds.</p>\n");
        sbl_report_pair_maps(out, pairs);
    }
    sbl_html_section_close(out);
}
