/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of each release: its blocks, how far one record moves them, the noise, and the sum of all
 * releases. Everything here is in the certificate and just as public. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

/* The most that one record can add to a block's sum, grid units: an L1 norm where the sensitivity
 * rests on one, else L2. */
static double bound_of(const sbl_block *block, bool pure)
{
    return pure && block->bound1 != 0 ? (double)block->bound1 : sqrt((double)block->bound2);
}

/* How far one changed row, or up to k of a person, can move the sum, grid units, in the worst of the
 * exclusive cases. */
static double sensitivity_of(const sbl_block *block, const sbl_certified_release *release,
                             sbl_neighbours neighbours)
{
    const sbl_sensitivity *s = &block->sensitivity;
    const uint64_t two = s->same_label > s->label_change ? s->same_label : s->label_change;
    const bool add_remove = neighbours == SBL_ADD_REMOVE;
    const double most = (double)(add_remove ? s->one_record : two);
    const double rows = s->of_person || s->rows_per_unit == 0 ? 1.0 : (double)s->rows_per_unit;
    return rows * (release->mechanism == SBL_DISCRETE_LAPLACE ? most : sqrt(most));
}

/* 2^56 / m is the scale of the noise on the sum in grid units; sensitivity over that is what the
 * block costs alone: mu for the Gaussian, epsilon for Laplace. */
static void write_block(sbl_text *out, const sbl_certified_release *release, size_t b,
                        sbl_neighbours neighbours)
{
    const sbl_block *block = &release->blocks[b];
    char text[SBL_HTML_COUNT_SIZE];
    const double bound = bound_of(block, release->mechanism == SBL_DISCRETE_LAPLACE);
    const double moved = sensitivity_of(block, release, neighbours);
    const double scale = ldexp(1.0, SBL_NOISE_SCALE_BITS) / (double)block->multiplier;
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th><td>%s</td>",
                   release->of != NULL ? release->of[b] : block->name,
                   sbl_html_count_text(text, block->width * sbl_block_columns(block, release->classes)));
    sbl_html_cell_number(out, bound);
    sbl_html_cell_number(out, moved / bound);
    sbl_html_cell_number(out, scale / bound);
    sbl_html_print(out, "<td>%s</td></tr>\n", sbl_report_round_up(text, moved / scale));
}

#define MOST_BLOCKS 16 /* more of them are folded away */

static void write_blocks(sbl_text *out, const sbl_certified_release *release, sbl_neighbours neighbours,
                         const sbl_report_words *words)
{
    const bool pure = release->mechanism == SBL_DISCRETE_LAPLACE;
    const bool folded = release->block_count > MOST_BLOCKS;
    char caption[SBL_LEDGER_NAME_SIZE + 96];
    (void)snprintf(caption, sizeof caption, "%s (line %llu of the ledger), with %s noise", release->name,
                   (unsigned long long)release->seq, pure ? "discrete Laplace" : "discrete Gaussian");
    if (folded)
        sbl_html_print(out, "<details>\n<summary>%s: its %zu blocks</summary>\n", release->name,
                       release->block_count);
    sbl_html_table_open(out, caption, NULL);
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\">block</th><th scope=\"col\">numbers released</th>"
                   "<th scope=\"col\">bound per %s, grid units</th>"
                   "<th scope=\"col\">sensitivity, bounds</th><th scope=\"col\">noise, bounds</th>"
                   "<th scope=\"col\">cost alone, %s</th></tr></thead>\n<tbody>\n",
                   words->unit, pure ? "epsilon" : "mu");
    for (size_t b = 0; b < release->block_count; b++) write_block(out, release, b, neighbours);
    sbl_html_table_close(out);
    if (folded) sbl_html_print(out, "</details>\n");
}

static void write_releases(sbl_text *out, const sbl_certificate_content *c)
{
    const sbl_report_words *w = sbl_report_words_of(c);
    for (size_t r = 0; r < c->release_count; r++)
        write_blocks(out, &c->releases[r], c->ledger_facts.neighbours, w);
    sbl_html_print(out,
                   "<p class=\"note\">Only sums over all %s were released, with noise on each. Bound: the "
                   "most that one %s adds to a block, enforced on every %s in whole numbers. "
                   "Sensitivity: how far one changed %s can move the sum%s, at worst. Noise: the standard "
                   "deviation of Gaussian noise, or the scale of Laplace noise, on each number; 2.0 is as "
                   "large as two %ss' full contribution. The blocks of a release cost together what the "
                   "worst single change costs over all of them: their costs alone do not add up to "
                   "it.%s</p>\n",
                   w->records, w->unit, w->unit, c->ledger_facts.by_person ? "person" : w->record,
                   c->ledger_facts.by_person ? " with all rows that count" : "", w->unit,
                   c->release_count > 1 ? " Each release was planned with those before it in view, which is "
                                          "why all of them stand here."
                                        : "");
}

/* The epsilon that these charges alone amount to. */
static double epsilon_of(const sbl_totals *totals, double delta)
{
    double epsilon = 0;
    if (totals->releases == 0) return 0;
    if (sbl_totals_epsilon(&epsilon, totals, delta, NULL) != SBL_OK) return (double)INFINITY;
    return epsilon;
}

static void write_cost(sbl_text *out, const char *name, const sbl_totals *totals, double delta)
{
    char text[SBL_DOUBLE_TEXT_SIZE];
    const sbl_charge *charge = &totals->charge;
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", name);
    sbl_html_cell_count(out, (double)totals->releases);
    sbl_html_print(out, "<td>%s</td>",
                   sbl_report_round_up(text, sqrt(sbl_fixed96_to_double_up(charge->mu2))));
    sbl_html_print(out, "<td>%s</td>", sbl_report_round_up(text, sbl_fixed96_to_double_up(charge->eps0)));
    sbl_html_print(out, "<td>%s</td></tr>\n", sbl_report_round_up(text, epsilon_of(totals, delta)));
}

/* One release of this run, alone. */
static void write_own_cost(sbl_text *out, const sbl_certified_release *release, double delta)
{
    char name[SBL_LEDGER_NAME_SIZE + 16];
    const sbl_totals own = {
        .charge = release->charge,
        .releases = 1,
        .gaussian_releases = release->mechanism == SBL_DISCRETE_GAUSSIAN ? 1 : 0,
    };
    (void)snprintf(name, sizeof name, "this run: %s", release->name);
    write_cost(out, name, &own, delta);
}

static void write_costs(sbl_text *out, const sbl_certificate_content *c)
{
    char delta[SBL_DOUBLE_TEXT_SIZE];
    const sbl_budget *budget = &c->ledger_facts.budget;
    sbl_html_table_open(out, "What it cost", NULL);
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\">what</th><th scope=\"col\">releases</th>"
                   "<th scope=\"col\">mu</th><th scope=\"col\">pure epsilon</th>"
                   "<th scope=\"col\">epsilon at delta %s</th></tr></thead>\n<tbody>\n",
                   sbl_double_to_text(delta, c->delta));
    for (size_t r = 0; r < c->release_count; r++) write_own_cost(out, &c->releases[r], c->delta);
    write_cost(out, "others in the ledger", &c->others, c->delta);
    write_cost(out, "all together", &c->totals, c->delta);
    sbl_html_print(out, "<tr><th scope=\"row\">budget of the ledger</th><td>\xe2\x80\x93</td>");
    if (budget->mu2 != 0)
        sbl_html_cell_number(out, sqrt(sbl_fixed96_to_double_down(budget->mu2)));
    else
        sbl_html_print(out, "<td>no limit</td>");
    sbl_html_print(out, "<td>\xe2\x80\x93</td><td>%s</td></tr>\n",
                   strcmp(budget->epsilon, SBL_NO_LIMIT) == 0 ? "no limit" : budget->epsilon);
    sbl_html_table_close(out);
    sbl_html_print(out,
                   "<p class=\"note\">Releases add up as mu&#178; (Gaussian noise) and as pure epsilon "
                   "(Laplace noise); the epsilons of single releases are not meant to be "
                   "added.</p>\n");
}

void sbl_report_costs(sbl_text *out, const sbl_certificate_content *certificate)
{
    write_releases(out, certificate);
    write_costs(out, certificate);
}
