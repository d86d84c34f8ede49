/* SPDX-License-Identifier: Apache-2.0 */
/* The register as a page for printing: one section for each ledger. */
#include <string.h>

#include "owner/register/books.h"
#include "owner/report/html.h"

static void write_release(sbl_text *out, const json_t *release)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE], total[SBL_DOUBLE_TEXT_SIZE];
    sbl_text outputs = {0};
    sbl_text_printf(&outputs, "%s", "");
    sbl_register_outputs_write(&outputs, release);
    sbl_html_print(
        out,
        "<tr><td>%.10s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td>"
        "<td>%s</td></tr>\n",
        sbl_register_member(release, "date"), sbl_register_member(release, "who"),
        sbl_register_member(release, "title"), sbl_register_member(release, "method"),
        sbl_register_member(release, "state"), sbl_register_number(epsilon, release, "epsilon", true),
        sbl_register_number(total, release, "epsilon_so_far", true), outputs.failed ? "" : outputs.data);
    out->failed = out->failed || outputs.failed;
    sbl_text_clear(&outputs);
}

static void write_ledger(sbl_text *out, const json_t *ledger)
{
    char spent[SBL_DOUBLE_TEXT_SIZE], left[SBL_DOUBLE_TEXT_SIZE], all[SBL_DOUBLE_TEXT_SIZE];
    const json_t *budget = json_object_get(ledger, "budget"), *releases = json_object_get(ledger, "releases");
    const json_t *problems = json_object_get(ledger, "problems");
    const bool unlimited = strcmp(sbl_register_member(ledger, "left"), "inf") == 0;
    const char *title = sbl_register_member(ledger, "title");
    const int period = (int)json_integer_value(json_object_get(ledger, "period"));
    sbl_html_section_open(out, sbl_register_member(ledger, "id"),
                          title[0] != '\0' ? title : sbl_register_member(ledger, "ledger"), true);
    sbl_html_print(out,
                   "<p>Ledger %s, %s, protects one %s. Spent: epsilon %s of %s at delta %s. Left: %s.</p>\n",
                   sbl_register_member(ledger, "ledger"), sbl_register_member(ledger, "state"),
                   sbl_register_member(ledger, "unit"), sbl_register_number(spent, ledger, "spent", true),
                   sbl_register_member(budget, "epsilon"), sbl_register_member(budget, "delta"),
                   unlimited ? "no limit" : sbl_register_number(left, ledger, "left", false));
    if (period > 1)
        sbl_html_print(out,
                       "<p>Period %d. Epsilon %s over all periods, for a person in the data of each.</p>\n",
                       period, sbl_register_number(all, ledger, "spent_all_periods", true));
    for (size_t i = 0; i < json_array_size(problems); i++)
        sbl_html_print(out, "<p><strong>Problem:</strong> %s</p>\n",
                       json_string_value(json_array_get(problems, i)));
    sbl_html_table_open(out, "Releases", "Date|Who|Title|Method|State|_Epsilon|_So far|Outputs");
    for (size_t i = 0; i < json_array_size(releases); i++) write_release(out, json_array_get(releases, i));
    sbl_html_table_close(out);
    sbl_html_section_close(out);
}

static void write_others(sbl_text *out, const json_t *whole)
{
    const json_t *others = json_object_get(whole, "certificates"),
                 *unreadable = json_object_get(whole, "unreadable");
    if (json_array_size(others) + json_array_size(unreadable) == 0) return;
    sbl_html_section_open(out, "others", "Other files", true);
    sbl_html_table_open(out, "Books that cannot be counted", "File|What");
    for (size_t i = 0; i < json_array_size(others); i++) {
        const char *reason = sbl_register_member(json_array_get(others, i), "reason");
        sbl_html_print(out, "<tr><td>%s</td><td>%s</td></tr>\n",
                       sbl_register_member(json_array_get(others, i), "certificate"),
                       reason[0] != '\0' ? reason : "a certificate whose ledger is not here");
    }
    for (size_t i = 0; i < json_array_size(unreadable); i++)
        sbl_html_print(out, "<tr><td>%s</td><td>%s</td></tr>\n",
                       sbl_register_member(json_array_get(unreadable, i), "file"),
                       sbl_register_member(json_array_get(unreadable, i), "reason"));
    sbl_html_table_close(out);
    sbl_html_section_close(out);
}

void sbl_register_write_page(sbl_text *out, const json_t *whole)
{
    const json_t *ledgers = json_object_get(whole, "ledgers");
    sbl_html_page_open(out, "Register of releases", true);
    sbl_html_print(
        out,
        "<body>\n<main>\n<h1>Register of releases</h1>\n<p class=\"lead\">%d ledgers, %d problems. "
        "For the owner of the data: do not publish this page.</p>\n",
        (int)json_array_size(ledgers), (int)json_integer_value(json_object_get(whole, "problems")));
    for (size_t i = 0; i < json_array_size(ledgers); i++) write_ledger(out, json_array_get(ledgers, i));
    write_others(out, whole);
    sbl_html_print(out, "</main>\n</body>\n</html>\n");
}
