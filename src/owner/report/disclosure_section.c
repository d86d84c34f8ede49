/* SPDX-License-Identifier: Apache-2.0 */
/* Smoke tests of disclosure: they can find a fault, they cannot show that there is none. */
#include <math.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

#define WIDTH 420.0 /* so that its text can be read on a phone */
#define LEFT 20.0
#define LINE (WIDTH - 2 * LEFT)

static void write_copies(sbl_text *out, const json_t *copies)
{
    if (!json_is_object(copies)) return;
    sbl_html_table_open(out, "Rows that equal a training row in every column", "rows|copies|of");
    sbl_html_print(out, "<tr><th scope=\"row\">synthetic</th>");
    sbl_html_cell_count(out, sbl_fact_number_of(copies, "synthetic"));
    sbl_html_cell_count(out, sbl_fact_number_of(copies, "of_synthetic"));
    sbl_html_print(out, "</tr>\n<tr><th scope=\"row\">real rows that were held out</th>");
    sbl_html_cell_count(out, sbl_fact_number_of(copies, "holdout"));
    sbl_html_cell_count(out, sbl_fact_number_of(copies, "of_holdout"));
    sbl_html_print(out, "</tr>\n");
    sbl_html_table_close(out);
    sbl_html_print(out,
                   "<p class=\"note\">Common records repeat by chance, in held-out rows too. A share "
                   "of copies far above theirs would be a reason to look closer.</p>\n");
}

static void write_distance_row(sbl_text *out, const char *words, const json_t *distances)
{
    sbl_html_print(out, "<tr><th scope=\"row\">%s</th>", words);
    sbl_html_cell_number(out, sbl_fact_number_of(distances, "p5"));
    sbl_html_cell_number(out, sbl_fact_number_of(distances, "median"));
    sbl_html_cell_count(out, sbl_fact_number_of(distances, "records"));
    sbl_html_print(out, "</tr>\n");
}

static void write_distances(sbl_text *out, const json_t *closest)
{
    if (!json_is_object(closest)) return;
    sbl_html_table_open(out, "Distance to the closest training row", "from|5th percentile|median|rows asked");
    write_distance_row(out, "synthetic rows", json_object_get(closest, "synthetic"));
    write_distance_row(out, "real rows that were held out", json_object_get(closest, "holdout"));
    sbl_html_table_close(out);
    sbl_html_print(out,
                   "<p class=\"note\">Distance: %s. Synthetic rows should not be closer to training "
                   "rows than held-out real rows are.</p>\n",
                   sbl_fact_text_of(closest, "distance"));
}

/* A line from -1 to 1 with the interval and its middle. */
static void write_interval(sbl_text *out, double low, double middle, double high)
{
    const double zero = LEFT + LINE / 2;
    const double from = zero + LINE / 2 * sbl_fact_within(low, -1, 1);
    const double to = zero + LINE / 2 * sbl_fact_within(high, -1, 1);
    const double at = zero + LINE / 2 * sbl_fact_within(middle, -1, 1);
    sbl_html_print(out,
                   "<figure class=\"wide\">\n<figcaption>Advantage of the membership attack over a "
                   "coin, with its interval</figcaption>\n<svg class=\"chart\" role=\"img\" "
                   "viewBox=\"0 0 %.0f 44\"><title>Advantage of the membership attack</title>"
                   "<desc>%g, between %g and %g; 0 is a coin toss, 1 is certainty.</desc>\n",
                   WIDTH, middle, low, high);
    sbl_html_print(out,
                   "<path class=\"axis\" d=\"M%.0f 16H%.0f\"/><path class=\"grid\" d=\"M%.0f "
                   "4V28\"/><path class=\"synthetic-line\" d=\"M%.1f 16H%.1f\"/><circle "
                   "class=\"dot\" cx=\"%.1f\" cy=\"16\" r=\"5\"/>\n",
                   LEFT, LEFT + LINE, zero, from, to, at);
    sbl_html_print(out,
                   "<text x=\"%.0f\" y=\"40\">\xe2\x88\x92"
                   "1: always wrong</text><text "
                   "class=\"middle\" x=\"%.0f\" y=\"40\">0: a coin</text><text class=\"end\" "
                   "x=\"%.0f\" y=\"40\">1: always right</text></svg>\n</figure>\n",
                   0.0, zero, WIDTH);
}

static void write_membership(sbl_text *out, const json_t *membership)
{
    const double advantage = sbl_fact_number_of(membership, "advantage");
    const double low = sbl_fact_number_of(membership, "low");
    const double high = sbl_fact_number_of(membership, "high");
    if (!json_is_object(membership)) return;
    sbl_html_print(out,
                   "<h3>Guessing who was in the training table</h3>\n<p>An attack that knows the "
                   "synthetic table tries to tell training rows from held-out rows (%.300s). Its "
                   "advantage over a coin is <strong>%g</strong>, between %g and %g. An interval "
                   "that holds 0 means that this attack found nothing; a stronger one might. The "
                   "guarantee limits every attack, this only measures one.</p>\n",
                   sbl_fact_text_of(membership, "attack"), advantage, low, high);
    if (!isnan(advantage) && !isnan(low) && !isnan(high)) write_interval(out, low, advantage, high);
    if (sbl_fact_text_of(membership, "interval") != NULL)
        sbl_html_print(out, "<p class=\"note\">Interval: %.300s.</p>\n",
                       sbl_fact_text_of(membership, "interval"));
}

void sbl_report_disclosure(sbl_text *out, const json_t *evaluation)
{
    const json_t *disclosure = json_object_get(evaluation, "disclosure");
    if (json_object_size(disclosure) == 0) return;
    sbl_html_section_open(out, "disclosure", "Disclosure: smoke tests", true);
    sbl_html_print(
        out,
        "<p class=\"how\">These tests look for the smoke of a fire: copied records, synthetic rows "
        "that sit too close to real ones, an attack that works. They can show that something is "
        "wrong. They never prove that nothing is; that is what the guarantee is for, and it does "
        "not rest on them.</p>\n");
    if (json_object_size(json_object_get(evaluation, "histories")) != 0)
        sbl_html_print(out,
                       "<p><strong>Row by row.</strong> Rows of a person belong together, and these "
                       "tests do not know it: an attack on whole persons may find more, and the "
                       "interval is too narrow where persons have many rows. The guarantee is for "
                       "the person.</p>\n");
    write_membership(out, json_object_get(disclosure, "membership"));
    sbl_html_fold_open(out, "Copies and distances of rows");
    write_copies(out, json_object_get(disclosure, "exact_copies"));
    write_distances(out, json_object_get(disclosure, "distance_to_closest_record"));
    sbl_html_fold_close(out);
    sbl_html_section_close(out);
}
