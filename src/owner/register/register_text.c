/* SPDX-License-Identifier: Apache-2.0 */
/* The register for a terminal and as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owner/register/books.h"

const char *sbl_register_member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* Five digits: what is spent is rounded up, what is left down. */
const char *sbl_register_number(char text[SBL_DOUBLE_TEXT_SIZE], const json_t *object, const char *name,
                                bool up)
{
    const json_t *member = json_object_get(object, name);
    const double value = json_number_value(member);
    double rounded = 0.0;
    if (json_is_string(member)) return json_string_value(member);
    if (!(value > 0.0)) return "0";
    const int exponent = (int)floor(log10(value)) - 4;
    const double units = value / pow(10.0, exponent);
    (void)snprintf(text, SBL_DOUBLE_TEXT_SIZE, "%.0fe%d", up ? ceil(units - 1e-9) : floor(units), exponent);
    (void)sbl_text_to_double(&rounded, text);
    return sbl_double_to_text(text, rounded);
}

void sbl_register_outputs_write(sbl_text *text, const json_t *release)
{
    const json_t *outputs = json_object_get(release, "outputs");
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        const json_t *one = json_array_get(outputs, i);
        const char *state = sbl_register_member(one, "state");
        const bool matches = strcmp(state, "matches") == 0;
        sbl_text_printf(text, "%s%s%s%s%s", i == 0 ? "" : ", ", sbl_register_member(one, "name"),
                        matches ? "" : " (", matches ? "" : state, matches ? "" : ")");
    }
}

/* ---- for a terminal ---- */

static const char *or_dash(const char *text) { return text[0] != '\0' ? text : "-"; }

static void write_ledger_head(sbl_text *text, const json_t *ledger)
{
    char spent[SBL_DOUBLE_TEXT_SIZE], left[SBL_DOUBLE_TEXT_SIZE], all[SBL_DOUBLE_TEXT_SIZE];
    const json_t *budget = json_object_get(ledger, "budget");
    const bool unlimited = strcmp(sbl_register_member(ledger, "left"), "inf") == 0;
    const long long period = json_integer_value(json_object_get(ledger, "period"));
    sbl_text_append_plain(text, sbl_register_member(ledger, "ledger"));
    sbl_text_printf(text, ": ");
    sbl_text_append_plain(text, or_dash(sbl_register_member(ledger, "title")));
    sbl_text_printf(text, "\n  %s, per %s; spent epsilon %s of %s at delta %s; left: %s\n",
                    sbl_register_member(ledger, "state"), sbl_register_member(ledger, "unit"),
                    sbl_register_number(spent, ledger, "spent", true),
                    unlimited ? "any" : sbl_register_member(budget, "epsilon"),
                    sbl_register_member(budget, "delta"),
                    unlimited ? "no limit" : sbl_register_number(left, ledger, "left", false));
    if (period > 1)
        sbl_text_printf(text,
                        "  period %lld: epsilon %s over all periods, for a person in the data of each\n",
                        period, sbl_register_number(all, ledger, "spent_all_periods", true));
}

static void write_release(sbl_text *text, const json_t *release)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE], total[SBL_DOUBLE_TEXT_SIZE];
    sbl_text line = {0};
    sbl_text_printf(&line, "    %.10s  %-12s  %-10s  %-9s  %-10s  %-10s  ",
                    sbl_register_member(release, "date"), or_dash(sbl_register_member(release, "who")),
                    or_dash(sbl_register_member(release, "method")), sbl_register_member(release, "state"),
                    sbl_register_number(epsilon, release, "epsilon", true),
                    sbl_register_number(total, release, "epsilon_so_far", true));
    sbl_register_outputs_write(&line, release);
    while (!line.failed && line.data[line.length - 1] == ' ') line.data[--line.length] = '\0';
    text->failed = text->failed || line.failed;
    if (!line.failed) sbl_text_append_plain(text, line.data);
    sbl_text_printf(text, "\n");
    sbl_text_clear(&line);
}

static void write_problem(sbl_text *text, const char *indent, const char *file, const char *what)
{
    sbl_text_printf(text, "%sPROBLEM: ", indent);
    sbl_text_append_plain(text, file);
    sbl_text_printf(text, "%s", file[0] != '\0' ? ": " : "");
    sbl_text_append_plain(text, what);
    sbl_text_printf(text, "\n");
}

static void write_ledger(sbl_text *text, const json_t *ledger)
{
    const json_t *releases = json_object_get(ledger, "releases"),
                 *problems = json_object_get(ledger, "problems");
    write_ledger_head(text, ledger);
    if (json_array_size(releases) > 0)
        sbl_text_printf(text, "    %-10s  %-12s  %-10s  %-9s  %-10s  %-10s  outputs\n", "date", "who",
                        "method", "state", "epsilon", "so far");
    for (size_t i = 0; i < json_array_size(releases); i++) write_release(text, json_array_get(releases, i));
    for (size_t i = 0; i < json_array_size(problems); i++)
        write_problem(text, "  ", "", json_string_value(json_array_get(problems, i)));
    sbl_text_printf(text, "\n");
}

static void write_certificate(sbl_text *text, const json_t *one)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    if (json_is_false(json_object_get(one, "holds"))) {
        write_problem(text, "", "", sbl_register_member(one, "reason"));
        return;
    }
    sbl_text_append_plain(text, sbl_register_member(one, "certificate"));
    sbl_text_printf(text, ": its ledger %s is not here; ", sbl_register_member(one, "ledger"));
    sbl_text_append_plain(text, or_dash(sbl_register_member(one, "title")));
    sbl_text_printf(text, ", %.10s, %s, epsilon %s\n", sbl_register_member(one, "date"),
                    sbl_register_member(one, "method"), sbl_register_number(epsilon, one, "epsilon", true));
}

void sbl_register_write_table(sbl_text *text, const json_t *whole)
{
    const json_t *ledgers = json_object_get(whole, "ledgers"),
                 *others = json_object_get(whole, "certificates");
    const json_t *unreadable = json_object_get(whole, "unreadable");
    const long long problems = json_integer_value(json_object_get(whole, "problems"));
    for (size_t i = 0; i < json_array_size(ledgers); i++) write_ledger(text, json_array_get(ledgers, i));
    for (size_t i = 0; i < json_array_size(others); i++) write_certificate(text, json_array_get(others, i));
    for (size_t i = 0; i < json_array_size(unreadable); i++)
        write_problem(text, "", "", sbl_register_member(json_array_get(unreadable, i), "reason"));
    sbl_text_printf(text, "%zu ledger%s, %lld problem%s. NOT PRIVATE: for the owner of the data\n",
                    json_array_size(ledgers), json_array_size(ledgers) == 1 ? "" : "s", problems,
                    problems == 1 ? "" : "s");
}

/* ---- CSV ---- */

/* RFC 4180. A cell that a spreadsheet would compute is kept a text. */
static void write_cell(sbl_text *text, const char *cell, bool is_last)
{
    sbl_text_printf(text, "\"");
    if (cell[0] != '\0' && strchr("=+-@", cell[0]) != NULL) sbl_text_printf(text, "'");
    for (const char *c = cell; *c != '\0'; c++) {
        if (*c == '"') sbl_text_printf(text, "\"");
        sbl_text_append(text, c, 1);
    }
    sbl_text_printf(text, is_last ? "\"\n" : "\",");
}

static void write_line(sbl_text *text, const json_t *ledger, const json_t *release)
{
    static const char *const of_ledger[] = {"ledger", "data", "unit", "state"};
    static const char *const of_release[] = {"date", "who", "title", "name", "method", "state"};
    char number[SBL_DOUBLE_TEXT_SIZE];
    sbl_text outputs = {0}, problems = {0};
    const json_t *list = json_object_get(ledger, "problems");
    for (size_t i = 0; i < sizeof of_ledger / sizeof of_ledger[0]; i++)
        write_cell(text, sbl_register_member(ledger, of_ledger[i]), false);
    write_cell(text, sbl_register_member(json_object_get(ledger, "budget"), "epsilon"), false);
    write_cell(text, sbl_register_member(json_object_get(ledger, "budget"), "delta"), false);
    write_cell(text, sbl_register_number(number, ledger, "spent", true), false);
    write_cell(text, sbl_register_number(number, ledger, "left", false), false);
    (void)snprintf(number, sizeof number, "%lld",
                   (long long)json_integer_value(json_object_get(ledger, "period")));
    write_cell(text, number, false);
    write_cell(text, sbl_register_number(number, ledger, "spent_all_periods", true), false);
    for (size_t i = 0; i < sizeof of_release / sizeof of_release[0]; i++)
        write_cell(text, sbl_register_member(release, of_release[i]), false);
    write_cell(text, release != NULL ? sbl_register_number(number, release, "epsilon", true) : "", false);
    write_cell(text, release != NULL ? sbl_register_number(number, release, "epsilon_so_far", true) : "",
               false);
    sbl_text_printf(&outputs, "%s", "");
    sbl_register_outputs_write(&outputs, release);
    sbl_text_printf(&problems, "%s", "");
    for (size_t i = 0; i < json_array_size(list); i++)
        sbl_text_printf(&problems, "%s%s", i == 0 ? "" : "; ", json_string_value(json_array_get(list, i)));
    text->failed = text->failed || outputs.failed || problems.failed;
    write_cell(text, outputs.failed ? "" : outputs.data, false);
    write_cell(text, problems.failed ? "" : problems.data, true);
    sbl_text_clear(&outputs);
    sbl_text_clear(&problems);
}

/* A file that is not a ledger: only its name and what is wrong. */
static void write_other(sbl_text *text, const char *file, const char *what)
{
    write_cell(text, file, false);
    for (size_t i = 0; i < 18; i++) write_cell(text, "", false);
    write_cell(text, what, true);
}

void sbl_register_write_csv(sbl_text *text, const json_t *whole)
{
    const json_t *ledgers = json_object_get(whole, "ledgers"),
                 *others = json_object_get(whole, "certificates");
    const json_t *unreadable = json_object_get(whole, "unreadable");
    sbl_text_printf(
        text,
        "ledger,data,unit,ledger_state,budget_epsilon,budget_delta,spent,left,period,spent_all_periods,"
        "date,who,title,release,method,state,epsilon,epsilon_so_far,outputs,problems\n");
    for (size_t i = 0; i < json_array_size(ledgers); i++) {
        const json_t *ledger = json_array_get(ledgers, i), *releases = json_object_get(ledger, "releases");
        if (json_array_size(releases) == 0) write_line(text, ledger, NULL);
        for (size_t r = 0; r < json_array_size(releases); r++)
            write_line(text, ledger, json_array_get(releases, r));
    }
    for (size_t i = 0; i < json_array_size(others); i++) {
        const json_t *one = json_array_get(others, i);
        const char *reason = sbl_register_member(one, "reason");
        write_other(text, sbl_register_member(one, "certificate"),
                    reason[0] != '\0' ? reason : "a certificate whose ledger is not here");
    }
    for (size_t i = 0; i < json_array_size(unreadable); i++)
        write_other(text, sbl_register_member(json_array_get(unreadable, i), "file"),
                    sbl_register_member(json_array_get(unreadable, i), "reason"));
}
