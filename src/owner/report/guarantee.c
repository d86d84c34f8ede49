/* SPDX-License-Identifier: Apache-2.0 */
/* The guarantee in words and in numbers. Everything here is in the certificate and just as public. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

/* An attacker has two guesses about one row, equally likely beforehand, and knows all other rows.
 * Under (eps, delta)-DP no test has a hit rate above its false-alarm rate by more than (e^eps - 1 +
 * 2 delta) / (e^eps + 1) (Kairouz, Oh, Viswanath 2015, theorem 2.1 and its figure), so the attacker
 * is right with a probability of at most (e^eps + delta) / (e^eps + 1). */
static double best_guess(double epsilon, double delta)
{
    const double odds = exp(-epsilon);
    return fmin(1.0, (1.0 + delta * odds) / (1.0 + odds));
}

/* For a mu-Gaussian-DP release no test does better than one that distinguishes N(0, 1) from N(mu, 1)
 * (Dong, Roth, Su 2022, definition 4), which with even odds is right with probability Phi(mu / 2). */
static double best_gaussian_guess(double mu) { return 0.5 * erfc(-mu / 2.0 / sqrt(2.0)); }

/* Per cent, rounded up to a tenth: never told better than it is. */
static double percent_up(double chance) { return ceil(1000.0 * chance - 1e-9) / 10.0; }

static void write_meaning(sbl_text *out, const sbl_certificate_content *c)
{
    const bool replace = c->ledger_facts.neighbours == SBL_REPLACE_ONE;
    const double by_epsilon = percent_up(best_guess(c->epsilon, c->delta));
    /* All releases together are mu-Gaussian-DP where none of them is pure. */
    const bool gaussian =
        c->totals.charge.eps0 == 0 && c->totals.charge.delta == 0 && isfinite(c->mu) && c->mu > 0.0;
    const double percent = gaussian ? fmin(by_epsilon, percent_up(best_gaussian_guess(c->mu))) : by_epsilon;
    const sbl_report_words *w = sbl_report_words_of(c);
    const bool person = c->ledger_facts.by_person;
    sbl_html_print(out, "<p>What this means: suppose an attacker knows every %s of the %s but %s, and ",
                   w->record, w->set, person ? "those of one person" : "one");
    if (replace)
        sbl_html_print(out, "has two guesses for what %s %s, both equally likely",
                       person ? "the rows of that person" : w->that, person ? "say" : w->says);
    else
        sbl_html_print(out, "wonders whether %s is in the %s at all, with even odds",
                       person ? "that person" : w->that, w->set);
    sbl_html_print(
        out,
        ". A coin would be right 50%% of the time. An attacker who sees everything that was released, with "
        "any amount of computing power, is right at most <strong>%.1f%%</strong> of the time. That "
        "is the worst case that the guarantee allows, not a measurement.",
        percent);
    if (percent < by_epsilon)
        sbl_html_print(out,
                       " It follows from mu, which says more than epsilon and delta do: from those "
                       "alone one would only know %.1f%%.",
                       by_epsilon);
    sbl_html_print(out, "</p>\n");
}

static void write_fact(sbl_text *out, const char *name, const char *value)
{
    sbl_html_print(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

static void write_unit(sbl_text *out, const sbl_certificate_content *c)
{
    const char *record = sbl_report_words_of(c)->record;
    char rows[SBL_HTML_COUNT_SIZE];
    if (c->rows_together != 0)
        sbl_html_print(out,
                       "<div><dt>unit of privacy</dt><dd>one person, with all rows: at most %s of "
                       "them enter, together as one record</dd></div>\n",
                       sbl_html_count_text(rows, c->rows_together));
    else if (c->ledger_facts.by_person)
        sbl_html_print(out,
                       "<div><dt>unit of privacy</dt><dd>one person; at most %s rows of a person "
                       "count</dd></div>\n",
                       sbl_html_count_text(rows, c->ledger_facts.rows_per_unit));
    else
        sbl_html_print(out,
                       "<div><dt>unit of privacy</dt><dd>one %s; people with several %ss get weaker "
                       "protection</dd></div>\n",
                       record, record);
}

static void write_data_facts(sbl_text *out, const sbl_certificate_content *c, const char *count)
{
    const bool replace = c->ledger_facts.neighbours == SBL_REPLACE_ONE;
    const sbl_report_words *w = sbl_report_words_of(c);
    write_unit(out, c);
    sbl_html_print(out,
                   replace ? "<div><dt>neighbouring %ss</dt><dd>replace-one: one %s is exchanged "
                             "for another</dd></div>\n"
                           : "<div><dt>neighbouring %ss</dt><dd>add-remove: one %s is there or "
                             "not</dd></div>\n",
                   w->set, c->ledger_facts.by_person ? "person" : w->record);
    sbl_html_print(out, "<div><dt>%s of the private %s</dt><dd>%s</dd></div>\n", w->records, w->set, count);
}

/* What it is of, by whom and when it was made: what the certificate was told, and the ledger's time. */
static void write_about(sbl_text *out, const sbl_certificate_content *c)
{
    if (c->title != NULL) write_fact(out, "data set", c->title);
    if (c->by != NULL) write_fact(out, "made by", c->by);
    write_fact(out, "date (UTC)", c->date);
    if (c->schema[0] != '\0') write_fact(out, "bounds and categories", c->origin);
}

static void write_facts(sbl_text *out, const sbl_certificate_content *c, bool none)
{
    char records[SBL_HTML_COUNT_SIZE];
    char releases[SBL_HTML_COUNT_SIZE];
    char number[SBL_DOUBLE_TEXT_SIZE];
    const bool public_n = sbl_certificate_rows_are_public(c);
    sbl_html_print(out, "<dl class=\"facts\">\n");
    if (!none) {
        write_fact(out, "epsilon", sbl_report_round_up(number, c->epsilon));
        write_fact(out, "delta", sbl_report_round_up(number, c->delta));
        if (c->totals.charge.mu2 != 0)
            write_fact(out, "mu (Gaussian DP)", sbl_report_round_up(number, c->mu));
    }
    write_data_facts(out, c, public_n ? sbl_html_count_text(records, c->n) : "private: not stated");
    write_fact(out, "counted over",
               c->run_only ? "this run only: earlier or later runs on the same data add up"
                           : "all releases recorded in the ledger");
    write_fact(out, "releases counted", sbl_html_count_text(releases, c->totals.releases));
    write_fact(out, "method", c->method);
    if (c->trained_on != NULL)
        write_fact(out, "trained on", strcmp(c->trained_on, "cpu") == 0 ? "the CPU" : c->trained_on);
    write_fact(out, "made by semblance", c->version);
    write_about(out, c);
    sbl_html_print(out, "</dl>\n");
}

/* ---- what it rests on ---- */

/* Parts of 10,000. */
static void write_parts(sbl_text *out, int64_t parts)
{
    sbl_html_print(out, "<td>%.2f%%</td>", (double)parts / 100.0);
}

/* What was paid for to know whether the table fits its schema: as public as the rest. */
static void write_health(sbl_text *out, const sbl_certificate_content *c)
{
    if (c->health_count == 0) return;
    if (c->data == SBL_DATA_IMAGES) {
        sbl_html_print(out,
                       "<h3>Were the files images?</h3>\n<p>%.2f%% of the files were not images of "
                       "the set's size, give or take %.2f%%, and were read as mid-grey. A figure "
                       "within three or four times its noise of 0 means none; noise can also make it "
                       "negative.</p>\n",
                       (double)c->health[0].misfits / 100.0, (double)c->health[0].deviation / 100.0);
        return;
    }
    const sbl_certified_health *most = &c->health[0];
    for (size_t i = 1; i < c->health_count; i++)
        if (c->health[i].misfits > most->misfits) most = &c->health[i];
    sbl_html_print(out,
                   "<h3>Did the table fit its schema?</h3>\n<p>The column that fitted least is "
                   "%.80s: %.2f%% of its cells did not fit, give or take %.2f%%. Figures within "
                   "three or four times their noise of 0 mean none; noise can also make them "
                   "negative.</p>\n<details>\n<summary>All %zu columns</summary>\n",
                   most->column, (double)most->misfits / 100.0, (double)most->deviation / 100.0,
                   c->health_count);
    sbl_html_table_open(out, "Cells that did not fit, differentially private",
                        "column|of the cells|noise (standard deviation)");
    for (size_t i = 0; i < c->health_count; i++) {
        sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", c->health[i].column);
        write_parts(out, c->health[i].misfits);
        write_parts(out, c->health[i].deviation);
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
    sbl_html_print(out,
                   "<p class=\"note\">Counted in the first release, with noise. A cell "
                   "that did not fit became a missing value, the nearer bound or, where "
                   "the column may not be empty, a public constant.</p>\n</details>\n");
}

static void write_relations(sbl_text *out, const sbl_certificate_content *c)
{
    sbl_text words = {0};
    if (c->relations.measured == 0) return;
    sbl_certified_relations_write(&words, &c->relations);
    if (words.failed) out->failed = true;
    if (words.data != NULL)
        sbl_html_print(out,
                       "<h3>What did the noise take?</h3>\n<p>Of the relations that were measured, %s.</p>\n",
                       words.data);
    sbl_text_clear(&words);
    if (c->relations.suspect_count > 0)
        sbl_html_print(out,
                       "<p class=\"note\">If you know such a relation, state it as a rule in the schema: "
                       "that costs nothing.</p>\n");
}

static void open_list(sbl_text *out, const char *heading, const char *words)
{
    sbl_html_print(out, "<div>\n<h3>%s</h3>\n<p class=\"note\">%s</p>\n<ul class=\"tight\">\n", heading,
                   words);
}

/* The texts of a certificate, as they are but for the one that is a letter. */
static void write_item(sbl_text *out, const char *item, const sbl_report_words *words)
{
    if (strcmp(item, "n") == 0)
        sbl_html_print(out, "<li>n, the number of %s</li>\n", words->records);
    else
        sbl_html_print(out, "<li>%s</li>\n", item);
}

static void write_list(sbl_text *out, const char *const *items, const sbl_report_words *words)
{
    for (; *items != NULL; items++) write_item(out, *items, words);
    sbl_html_print(out, "</ul>\n</div>\n");
}

static void write_assumptions(sbl_text *out, const sbl_certificate_content *c)
{
    const bool images = sbl_report_is_of_images(c);
    const sbl_report_words *words = sbl_report_words_of(c);
    const char *item;
    sbl_html_print(out, "<div class=\"lists\">\n");
    open_list(out, "What was assumed to be public",
              images ? "Taken as known to everyone. If one of these was chosen by looking at the "
                       "private images, the guarantee does not cover what it gives away."
                     : "Taken as known to everyone. If one of these was chosen by looking at the "
                       "private rows, the guarantee does not cover what it gives away.");
    for (size_t i = 0; (item = sbl_certificate_assumes_public(c, i)) != NULL; i++)
        write_item(out, item, words);
    sbl_html_print(out, "</ul>\n</div>\n");
    open_list(out, "What is not covered", "The guarantee says nothing about these.");
    write_list(out, sbl_certificate_not_covered(c), words);
    open_list(out, "What must stay secret", "Anyone who has one of these needs no attack.");
    write_list(out, sbl_certificate_assumes_secret(c), words);
    sbl_html_print(out, "</div>\n");
}

static void write_promise(sbl_text *out, const sbl_certificate_content *c)
{
    char epsilon[SBL_DOUBLE_TEXT_SIZE];
    char delta[SBL_DOUBLE_TEXT_SIZE];
    const char *reason = sbl_certificate_no_guarantee(c);
    const sbl_report_words *w = sbl_report_words_of(c);
    if (reason != NULL) {
        sbl_html_print(out,
                       "<p class=\"banner danger\"><strong>NO GUARANTEE</strong> %s. Treat the "
                       "synthetic %s as if it were the private one.</p>\n",
                       reason, w->set);
        return;
    }
    sbl_html_print(out,
                   "<p class=\"lead\">Everything that was released satisfies <strong>(epsilon %s, "
                   "delta %s)-differential privacy</strong> for one %s. It holds whatever else "
                   "an attacker knows, and for everything that is computed from the release later: "
                   "the synthetic %s, any number of further %s, this section.</p>\n",
                   sbl_report_round_up(epsilon, c->epsilon), sbl_report_round_up(delta, c->delta), w->record,
                   w->set, w->records);
    write_meaning(out, c);
}

void sbl_report_guarantee(sbl_text *out, const sbl_certificate_content *certificate, const char *statement,
                          const char *text)
{
    const bool none = sbl_certificate_no_guarantee(certificate) != NULL;
    sbl_html_section_open(out, "guarantee", "The guarantee", false);
    write_promise(out, certificate);
    write_facts(out, certificate, none);
    sbl_html_fold_open(out, "What it assumes, what it does not cover, what must stay secret");
    write_assumptions(out, certificate);
    sbl_html_fold_close(out);
    write_health(out, certificate);
    write_relations(out, certificate);
    sbl_html_print(out,
                   "<h3>In detail</h3>\n<details>\n<summary>What each release cost: blocks, "
                   "sensitivities, noise</summary>\n");
    sbl_report_costs(out, certificate);
    sbl_html_print(out,
                   "</details>\n<details>\n<summary>The certificate in its own words</summary>\n"
                   "<p>This statement was computed again from the "
                   "certificate's own parts when this page was written, and agrees with it. "
                   "<code>semblance verify</code> does the same, and with the ledger at hand "
                   "also checks that it lists everything that was released.</p>\n<pre>");
    sbl_html_lines(out, statement);
    sbl_html_print(out,
                   "</pre>\n</details>\n<details class=\"raw\">\n<summary>The whole certificate, as "
                   "JSON</summary>\n<pre>");
    sbl_html_lines(out, text);
    sbl_html_print(out, "</pre>\n</details>\n");
    sbl_html_section_close(out);
}
