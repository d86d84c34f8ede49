/* SPDX-License-Identifier: Apache-2.0 */
/* The report: it says what the certificate and the evaluation say, labels what is not private,
 * leaves it out where asked, is well formed whatever the names are, and stays small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */

#include "base/alloc.h"
#include "certificate/certificate_kit.h"
#include "owner/report/report_page.h"
#include "report/html_check.h"
#include "report/render_kit.h"
#include "report/report_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

FREES(sbl_free);

static const kit_evaluation usual = {.columns = 14};

static char *render(const char *certificate, const char *evaluation)
{
    const sbl_page_options options = {.title = "A <title> & more"};
    return kit_render(certificate, evaluation, &options);
}

static void assert_refused(const char *certificate, const char *evaluation, const sbl_page_options *options,
                           sbl_status wanted, const char *words)
{
    sbl_error err = {0};
    char *html = (char *)1;
    assert_int_equal(sbl_report_render(&html, certificate, evaluation, options, &err), wanted);
    assert_null(html);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' is not in: %s", words, err.message);
}

/* ---- the guarantee ---- */

TEST(every_kind_of_certificate_is_shown)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        kit_certify(&c, &kit_cases[i]);
        FREED(sbl_free) char *html = render(c.text, NULL);
        const bool none = kit_cases[i].test_key || strcmp(kit_cases[i].epsilon, "inf") == 0;
        assert_int_equal(kit_count(html, "NO GUARANTEE"), none);
        assert_int_equal(kit_count(html, "differential privacy</strong>"), !none);
        assert_int_equal(kit_count(html, "GUARANTEE: "), 2); /* in words, and within the certificate */
        for (size_t b = 0; b < c.block_count; b++) {
            char row[64];
            const sbl_certificate_release *own = &c.releases[c.facts.release_count - 1];
            (void)snprintf(row, sizeof row, "<tr><th scope=\"row\">%s</th>",
                           own->of != NULL ? own->of[b] : c.blocks[b].name);
            const bool in_both =
                kit_cases[i].twice && strcmp(c.blocks[b].name, "counts") == 0; /* see below */
            assert_int_equal(kit_count(html, row), in_both ? 2 : 1);
        }
        assert_int_equal(kit_count(html, "NOT PRIVATE</"), 0);
        assert_int_equal(kit_count(html, ">kernel width</li>"), kit_cases[i].also_public);
    }
}

TEST(what_a_certificate_is_of_is_shown)
{
    certified c;
    kit_certify(&c, &kit_cases[1]);
    char *html = render(c.text, NULL);
    assert_non_null(strstr(html, "<dt>data set</dt><dd>Patients of the Charit\xc3\xa9</dd>"));
    assert_non_null(strstr(html, "<dt>made by</dt><dd>A. Officer</dd>"));
    assert_non_null(strstr(html, "<dt>date (UTC)</dt><dd>20"));
    assert_non_null(strstr(html, "<dt>bounds and categories</dt><dd>declared</dd>"));
    sbl_free(html);
    kit_clear(&c);
    kit_certify(&c, &kit_cases[0]);
    html = render(c.text, NULL);
    assert_null(strstr(html, "<dt>data set</dt>"));
    assert_null(strstr(html, "<dt>made by</dt>"));
    assert_null(strstr(html, "<dt>bounds and categories</dt>"));
    sbl_free(html);
    kit_clear(&c);
}

/* By hand: Phi(mu / 2) where all is Gaussian, with (e^eps + delta) / (e^eps + 1) beside it; that alone
 * where a pure release is among them. Rounded up to a tenth of a per cent. */
TEST(the_meaning_of_epsilon_is_the_bound_on_guessing)
{
    CLEARED(kit_clear) certified c;
    char words[64];
    kit_certify(&c, &kit_cases[0]);
    json_auto_t *json = json_loads(c.text, 0, NULL);
    const double epsilon = json_number_value(json_object_get(json_object_get(json, "guarantee"), "epsilon"));
    const double mu = json_number_value(json_object_get(json_object_get(json, "guarantee"), "mu"));
    const double chance = (exp(epsilon) + 1e-5) / (exp(epsilon) + 1);
    const double gaussian = (1 + erf(mu / 2 / sqrt(2.0))) / 2;
    assert_true(gaussian < chance);
    (void)snprintf(words, sizeof words, "<strong>%.1f%%</strong>", ceil(1000 * gaussian) / 10);
    FREED(sbl_free) char *html = render(c.text, NULL);
    assert_non_null(strstr(html, words));
    (void)snprintf(words, sizeof words, "one would only know %.1f%%", ceil(1000 * chance) / 10);
    assert_non_null(strstr(html, words));
}

/* embed: noise 2^56 / 2^25 on records of norm 2^28 at most; two of them are 2 x 2^28 apart at most.
 * cat.hist: 2^56 / 2^52 on norm 3; sqrt(2 x 9) apart. counts: 2^56 / 2^53; sqrt(2) apart. */
TEST(each_block_shows_its_noise_and_cost)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    FREED(sbl_free) char *html = render(c.text, NULL);
    assert_non_null(strstr(html,
                           "<th scope=\"row\">age + gr\xc3\xb6\xc3\x9f"
                           "e</th><td>20</td><td>2.68e8</td>"
                           "<td>2.000</td><td>8.000</td><td>0.25</td>"));
    assert_non_null(strstr(html,
                           "<th scope=\"row\">age x ward</th><td>5</td><td>3.000</td>"
                           "<td>1.414</td><td>5.333</td><td>0.2652</td>"));
    assert_non_null(strstr(html,
                           "<th scope=\"row\">ward</th><td>2</td><td>1.000</td>"
                           "<td>1.414</td><td>8.000</td><td>0.1768</td>"));
}

/* mean: noise 2^56 / 2^37 on records of norm 2^14 at most, 2 x 2^14 apart; counts: 2^56 / 2^52.
 * mu^2: (2^103 + 2^105) / 2^112, and 0.1328125 of the second release. */
TEST(each_of_two_releases_shows_its_blocks_and_cost)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[KIT_TWO_RELEASES]);
    FREED(sbl_free) char *html = render(c.text, NULL);
    const char *first = strstr(html,
                               "<span>test.first (line 1 of the ledger), with discrete "
                               "Gaussian noise</span>");
    const char *second = strstr(html,
                                "<span>test.embed+counts (line 3 of the ledger), with "
                                "discrete Gaussian noise</span>");
    assert_true(first != NULL && second != NULL && first < second);
    const char *mean = strstr(html,
                              "<th scope=\"row\">mean</th><td>10</td><td>16384</td>"
                              "<td>2.000</td><td>32.00</td><td>0.0625</td>");
    assert_true(mean > first && mean < second);
    assert_true(strstr(html, "<th scope=\"row\">embed</th>") > second);
    assert_non_null(strstr(html, ">this run: test.first</th><td>1</td><td>0.09883</td>"));
    assert_non_null(strstr(html, ">this run: test.embed+counts</th><td>1</td><td>0.3645</td>"));
    assert_non_null(strstr(html, ">others in the ledger</th><td>0</td><td>0</td>"));
    assert_non_null(strstr(html, ">all together</th><td>2</td><td>0.3776</td>"));
}

TEST(a_certificate_that_does_not_check_is_refused)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    FREED(free) char *changed = kit_change(c.text, "guarantee.epsilon", json_real(0.1));
    assert_refused(changed, NULL, NULL, SBL_EINPUT, "the certificate: field 'guarantee.epsilon'");
    assert_refused("{}", NULL, NULL, SBL_EINPUT, "the certificate: field 'format'");
    assert_refused("no", NULL, NULL, SBL_EINPUT, "the certificate is not valid JSON");
}

/* ---- the evaluation ---- */

TEST(every_section_of_an_evaluation_is_shown)
{
    static const char *const ids[] = {"glance",      "columns", "pairs",      "histories", "marginals",
                                      "association", "utility", "disclosure", NULL};
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(NULL, evaluation);
    char id[64];
    for (size_t i = 0; ids[i] != NULL; i++) {
        (void)snprintf(id, sizeof id, "<section id=\"%s\">", ids[i]);
        assert_int_equal(kit_count(html, id), 1);
        (void)snprintf(id, sizeof id, "<a href=\"#%s\">", ids[i]);
        assert_int_equal(kit_count(html, id), 1);
    }
    /* 14 histograms, 3 pairs, 2 persons, 1 chart of errors, 3 heat maps, 2 legends, 5 ROC curves, 1 interval */
    assert_int_equal(kit_count(html, "<figure"), 31);
    assert_int_equal(kit_count(html, "role=\"img\""), 31);
    assert_int_equal(kit_count(html, "<svg class"), 32); /* and the one that holds the patterns */
    assert_non_null(strstr(html, "<h1>A &lt;title&gt; &amp; more</h1>"));
    assert_non_null(strstr(html, "<title>A &lt;title&gt; &amp; more (NOT PRIVATE)</title>"));
    assert_int_equal(kit_count(html, "<span class=\"tag\">NOT PRIVATE</span>"), 8);
    assert_int_equal(kit_count(html, "<strong>NOT PRIVATE</strong>"), 1);
    assert_null(strstr(html, "id=\"guarantee\""));
    sbl_free(html);
    free(evaluation);
}

TEST(the_numbers_are_those_of_the_evaluation)
{
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(NULL, evaluation);
    /* What is furthest off is above the tables. */
    const char *named = strstr(html,
                               "<li><strong>age with ward</strong>: 23.4% of rows (a second real sample: "
                               "1.2%)</li>");
    assert_non_null(named);
    assert_non_null(strstr(named, "<p>No relation within a person is further off than a second real sample"));
    assert_true(named < strstr(html, "<table"));
    /* Pairs: (0.118 - 0.052) / (0.118 - 0.014) = 63.5 per cent of the way */
    assert_non_null(strstr(html,
                           "pairs of columns: mean total variation</th><td>0.052</td>"
                           "<td>0.118</td><td>0.014</td><td>63%</td>"));
    /* Where the floor is no worse than the ceiling there is no way to go. */
    assert_non_null(strstr(html,
                           "single columns: mean total variation</th><td>0.021</td>"
                           "<td>0.005</td><td>0.006</td><td>\xe2\x80\x93</td>"));
    /* The best model on real rows: (0.85 - 0.503) / (0.92 - 0.503) */
    assert_non_null(strstr(html,
                           "best model</th><td>0.850</td><td>0.503</td><td>0.920</td>"
                           "<td>83%</td>"));
    assert_non_null(strstr(html,
                           "<td>12</td><td>32\xe2\x80\xaf"
                           "561</td>"));
    assert_non_null(strstr(html, "Not measured: random forest: not built in."));
    sbl_free(html);
    free(evaluation);
}

TEST(what_is_worse_than_the_floor_is_said_in_words)
{
    const kit_evaluation bad = {.columns = 12, .below_floor = true};
    char *evaluation = kit_evaluation_text(&bad);
    char *html = render(NULL, evaluation);
    assert_non_null(strstr(html,
                           "pairs of columns: mean total variation</th><td>0.600</td>"
                           "<td>0.118</td><td>0.014</td><td>below the floor</td>"));
    assert_non_null(strstr(html,
                           "previous by this event: mean total variation</th><td>0.201</td>"
                           "<td>0.200</td><td>0.025</td><td>below the floor</td>"));
    assert_non_null(strstr(html, "further from real data than independent columns are."));
    assert_non_null(strstr(html, "further from those of real persons than rows put together by chance are."));
    for (const char *at = html; (at = strchr(at, '%')) != NULL; at++) {
        const char *first = at;
        while (first > html && (first[-1] == '.' || (first[-1] >= '0' && first[-1] <= '9'))) first--;
        if (first > html && first[-1] == '-')
            fail_msg("a negative percentage: %.40s", first - 20 > html ? first - 20 : html);
    }
    sbl_free(html);
    free(evaluation);
}

TEST(the_worst_columns_come_first)
{
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(NULL, evaluation);
    const char *at = strstr(html, "class=\"multiples\"");
    double last = 1;
    for (size_t i = 0; i < usual.columns; i++) {
        at = strstr(at, "</strong> total variation ");
        assert_non_null(at);
        at += strlen("</strong> total variation ");
        const double tvd = atof(at);
        assert_true(tvd <= last);
        last = tvd;
    }
    sbl_free(html);
    free(evaluation);
}

/* The place of words in the page; they must be there. */
static size_t place(const char *html, const char *words)
{
    const char *at = strstr(html, words);
    if (at == NULL) fail_msg("'%s' is not on the page", words);
    return (size_t)(at - html);
}

/* How many <details> are open at a place. */
static long folds_at(const char *html, const char *words)
{
    const size_t end = place(html, words);
    long open = 0;
    for (const char *at = html; (at = strchr(at, '<')) != NULL && at < html + end; at++)
        open += (strncmp(at, "<details", 8) == 0) - (strncmp(at, "</details>", 10) == 0);
    return open;
}

TEST(verdict_and_pictures_come_first_then_the_guarantee_in_words_and_its_costs_fold_away)
{
    static const char *const order[] = {"<strong>NOT PRIVATE</strong>",
                                        "<section id=\"glance\">",
                                        "pairs of columns are roughly right.</strong>",
                                        "<section id=\"columns\">",
                                        "real and synthetic shares",
                                        "<section id=\"pairs\">",
                                        "real and synthetic rows",
                                        "<section id=\"guarantee\">",
                                        "differential privacy</strong>",
                                        "right at most",
                                        "What was assumed to be public",
                                        "What each release cost",
                                        "Everything from here to the end",
                                        "<section id=\"marginals\">"};
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(c.text, evaluation);
    for (size_t i = 1; i < sizeof order / sizeof order[0]; i++)
        if (place(html, order[i - 1]) >= place(html, order[i]))
            fail_msg("'%s' stands after '%s'", order[i - 1], order[i]);
    for (size_t i = 2; i < 10; i++) assert_int_equal(folds_at(html, order[i]), 0);
    assert_int_equal(folds_at(html, "sensitivity, bounds</th>"), 1);
    assert_int_equal(folds_at(html, ">all together</th>"), 1);
    assert_int_equal(folds_at(html, "GUARANTEE: "), 1);
    assert_int_equal(folds_at(html, "of the way</th>"), 1);
    assert_int_equal(folds_at(html, "</html>"), 0);
    /* The pairs say how far they are apart, and how in words. */
    assert_int_equal(kit_count(html, "total variation of these cells 0.500"), 3);
    assert_int_equal(kit_count(html,
                               "The largest difference is at low, red: 50.0% of the real "
                               "rows, 25.0% of the synthetic ones."),
                     3);
    /* A number's cells grow upwards: the first real cell, of the foot, is the second row. */
    assert_int_equal(kit_count(html, "class=\"heat-real\" fill-opacity=\"1.00\" d=\"M86.0 88.0h"), 1);
    assert_int_equal(kit_count(html, "class=\"heat-real\" fill-opacity=\"1.00\" d=\"M86.0 18.0h"), 2);
    sbl_free(html);
    free(evaluation);
}

/* Verdict, pictures and the promise are open; tables of numbers, methods and fine print are one fold away. */
TEST(numbers_and_fine_print_fold_away)
{
    static const char *const open[] = {"<p class=\"lead\"><strong>Single columns",
                                       "Synthetic person 1",
                                       "Errors of joint distributions",
                                       "differential privacy</strong>",
                                       "<h3>ROC curves</h3>",
                                       "Advantage of the membership attack"};
    static const char *const folded[] = {"Distances of single columns",
                                         "Distances of histories",
                                         "What was assumed to be public",
                                         "What is not covered",
                                         "What each release cost",
                                         "Mean total variation distance over sets of columns</span>",
                                         "The pairs of columns whose association differs most",
                                         "Rows that equal a training row in every column",
                                         "Distance to the closest training row"};
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[1]);
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(c.text, evaluation);
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        if (folds_at(html, open[i]) != 0) fail_msg("'%s' is folded away", open[i]);
    for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++)
        if (folds_at(html, folded[i]) != 1) fail_msg("'%s' is not folded away", folded[i]);
    sbl_free(html);
    free(evaluation);
}

TEST(hostile_names_stay_text)
{
    const kit_evaluation hostile = {.columns = 14, .hostile = true, .images = true};
    FREED(free) char *evaluation = kit_evaluation_text(&hostile);
    for (size_t i = 0; kit_hostile_names[i] != NULL; i++) {
        const sbl_page_options options = {.title = kit_hostile_names[i]};
        FREED(sbl_free) char *html = NULL;
        size_t where;
        assert_ok(sbl_report_render(&html, NULL, evaluation, &options, NULL));
        const char *wrong = html_check(html, &where);
        if (wrong != NULL) fail_msg("%s: %.80s", wrong, html + where);
        assert_null(strstr(html, "<script"));
        assert_non_null(strstr(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    }
}

TEST(many_columns_give_a_usable_page_that_says_what_it_left_out)
{
    const kit_evaluation wide = {.columns = 500};
    char *evaluation = kit_evaluation_text(&wide);
    char *html = render(NULL, evaluation);
    assert_true(strlen(html) < 1000000);
    assert_non_null(strstr(html, "The 48 columns that differ most of 500, worst first"));
    assert_non_null(strstr(html, "The 60 columns with the largest differences of 500"));
    assert_non_null(strstr(html, "<summary>The distances of all 500 columns</summary>"));
    assert_int_equal(kit_count(html, "real and synthetic shares"), 48);
    sbl_free(html);
    free(evaluation);
}

TEST(regression_and_images_have_their_own_tables)
{
    const kit_evaluation facts = {.columns = 3, .regression = true, .images = true, .without_real = true};
    char *evaluation = kit_evaluation_text(&facts);
    char *html = render(NULL, evaluation);
    assert_non_null(strstr(html, "<th scope=\"col\">RMSE</th>"));
    assert_null(strstr(html, "<h3>ROC curves</h3>"));
    assert_null(strstr(html, "id=\"disclosure\""));
    assert_int_equal(kit_count(html, "src=\"data:image/png;base64,iVBOR"), 2);
    assert_non_null(strstr(html, "a small CNN trained on public digits"));
    assert_non_null(strstr(html, "on 5000 images of each set"));
    assert_non_null(strstr(html, "learned from 20000 synthetic or 20000 real images"));
    assert_non_null(strstr(html, "small CNN, accuracy: the training images have one class only."));
    assert_non_null(strstr(html, "3 of 100 synthetic images"));
    sbl_free(html);
    free(evaluation);
}

/* A data: address is the one place where a text of the evaluation becomes more than text. */
TEST(only_png_becomes_a_picture)
{
    static const char *const bad[] = {
        "", "AAAA", "iVBORw0KGgo\\\" onerror=\\\"x", "iVBORw0KGgo=*", "iVBORw0KGgoA===", "iVBORw0KGgoAA"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "{\"format\":\"semblance-evaluation\",\"version\":1,\"images\":{\"grids\":[{"
                       "\"caption\":\"c\",\"png_base64\":\"%s\"}]}}",
                       bad[i]);
        FREED(sbl_free) char *html = render(NULL, text);
        assert_null(strstr(html, "<img"));
    }
}

/* ---- what is left out, what is refused ---- */

TEST(a_page_without_an_evaluation_is_public)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    FREED(sbl_free) char *html = render(c.text, NULL);
    assert_null(strstr(html, "NOT PRIVATE"));
    assert_non_null(strstr(html, "<strong>PUBLIC</strong> This file may be published"));
}

/* One table has no other to be compared with; beside an evaluation it is left out. */
TEST(pictures_of_a_synthetic_table_stand_first_in_the_public_page)
{
    json_auto_t *pictures = json_pack(
        "{s:i, s:[{s:s, s:s, s:{s:[s, s], s:[f, f]}}, {s:s, s:s, s:{s:[s, s], s:[f, f]}}], "
        "s:[{s:[s, s], s:[b, b], s:[[s, s], [s, s]], s:[[f, f], [f, f]]}], "
        "s:{s:n, s:[s], s:[{s:i, s:[{s:f, s:[s]}]}]}}",
        "rows", 20000, "columns", "name", "a<b", "kind", "category", "histogram", "labels", "x", "y",
        "synthetic", 0.25, 0.75, "name", "n", "kind", "number", "histogram", "labels", "0", "1", "synthetic",
        0.5, 0.5, "pairs", "columns", "a<b", "n", "numbers", 0, 1, "labels", "x", "y", "0", "1", "synthetic",
        0.25, 0.0, 0.25, 0.5, "people", "order", "event_columns", "a<b", "persons", "events", 1, "shown",
        "place", 0.5, "cells", "x<y");
    const sbl_page_options options = {.pictures = pictures};
    CLEARED(kit_clear) certified c;
    assert_non_null(pictures);
    kit_certify(&c, &kit_cases[0]);
    char *html = kit_render(c.text, NULL, &options);
    assert_true(place(html, "<section id=\"pictures\">") < place(html, "<section id=\"guarantee\">"));
    assert_non_null(strstr(html, "and pictures of the synthetic table, and nothing else"));
    assert_non_null(strstr(html,
                           "a&lt;b: synthetic shares</title><desc>2 values or ranges. The "
                           "commonest is y: 75.0%."));
    assert_non_null(strstr(html,
                           "a&lt;b by n: synthetic rows</title><desc>Most rows are at y, 1: "
                           "50.0%."));
    assert_non_null(strstr(html, "<title>Time line of synthetic person 1</title>"));
    assert_non_null(strstr(html, ">x&lt;y</text>"));
    assert_int_equal(kit_count(html, "<figure"), 4);
    assert_null(strstr(html, "class=\"real\" "));
    assert_null(strstr(html, "class=\"heat-real"));
    assert_null(strstr(html, "total variation"));
    assert_null(strstr(html, "NOT PRIVATE"));
    sbl_free(html);
    FREED(free) char *evaluation = kit_evaluation_text(&usual);
    html = kit_render(c.text, evaluation, &options);
    assert_null(strstr(html, "id=\"pictures\""));
    sbl_free(html);
}

/* A line on each bar and cell, the figures behind them, and a mark on what cannot be told from no relation. */
TEST(intervals_are_drawn_on_bars_and_cells_and_explained)
{
    json_auto_t *pictures = json_pack(
        "{s:{s:i, s:f}, s:i, s:[{s:s, s:s, s:{s:[s, s], s:[f, f], s:[f, f], s:[f, f]}}, {s:s, s:s, s:{s:[s, "
        "s], "
        "s:[f, f], s:[f, f], s:[f, f]}}], s:[{s:[s, s], s:[b, b], s:[[s, s], [s, s]], s:[[f, f], [f, f]], "
        "s:[[f, f], [f, f]], s:[[f, f], [f, f]], s:b}]}",
        "intervals", "draws", 20, "level", 0.95, "rows", 100, "columns", "name", "c", "kind", "category",
        "histogram", "labels", "x", "y", "synthetic", 0.25, 0.75, "low", 0.2, 0.7, "high", 0.3, 0.8, "name",
        "n", "kind", "number", "histogram", "labels", "0", "1", "synthetic", 0.5, 0.5, "low", 0.45, 0.45,
        "high", 0.55, 0.55, "pairs", "columns", "c", "n", "numbers", 0, 1, "labels", "x", "y", "0", "1",
        "synthetic", 0.25, 0.0, 0.25, 0.5, "low", 0.2, 0.0, 0.2, 0.4, "high", 0.3, 0.05, 0.3, 0.6, "told", 0);
    const sbl_page_options options = {.pictures = pictures};
    CLEARED(kit_clear) certified c;
    assert_non_null(pictures);
    kit_certify(&c, &kit_cases[0]);
    FREED(sbl_free) char *html = kit_render(c.text, NULL, &options);
    assert_int_equal(kit_count(html, "class=\"whisker\""), 4); /* two categories, a number, a pair */
    assert_int_equal(kit_count(html, "<figure class=\"untold\">"), 1);
    assert_non_null(strstr(html, "<strong>c by n</strong> cannot be told from no relation"));
    assert_non_null(strstr(html, "<td>0.00 (0.00 to 5.00)</td>"));
    assert_non_null(strstr(html, "<strong>95% interval</strong>"));
    assert_non_null(strstr(html, "from 20 models"));
}

TEST(a_method_without_draws_is_said_to_give_no_intervals)
{
    json_auto_t *pictures = json_pack("{s:s}", "no_intervals", "the method <x> has none");
    const sbl_page_options options = {.pictures = pictures};
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    FREED(sbl_free) char *html = kit_render(c.text, NULL, &options);
    assert_non_null(strstr(html, "There are no intervals: the method &lt;x&gt; has none."));
    assert_null(strstr(html, "class=\"whisker\""));
}

TEST(a_page_without_a_title_has_that_of_the_certificate)
{
    CLEARED(kit_clear) certified c;
    size_t titled = 0;
    while (!kit_cases[titled].also_public) titled++;
    kit_certify(&c, &kit_cases[titled]);
    FREED(sbl_free) char *html = kit_render(c.text, NULL, NULL);
    assert_non_null(strstr(html, "<h1>Patients of the Charit\xc3\xa9</h1>"));
    assert_non_null(strstr(html, "<dt>date (UTC)</dt>"));
}

TEST(nothing_to_say_is_refused)
{
    assert_refused(NULL, NULL, NULL, SBL_EARG, "needs a certificate or an evaluation");
}

TEST(a_document_that_is_no_evaluation_is_refused)
{
#define START "{\"format\":\"semblance-evaluation\",\"version\":1,"
    assert_refused(NULL, "[]", NULL, SBL_EINPUT, "does not hold a JSON object");
    assert_refused(NULL, "{\"format\":\"x\",\"version\":1}", NULL, SBL_EINPUT, "'format'");
    assert_refused(NULL, "{\"format\":\"semblance-evaluation\"}", NULL, SBL_EINPUT, "'version'");
    assert_refused(NULL, "{\"format\":\"semblance-evaluation\",\"version\":2}", NULL, SBL_EINPUT,
                   "knows version 1");
    assert_refused(NULL, START "\"columns\":{}}", NULL, SBL_EINPUT, "'columns' must be a list");
    assert_refused(NULL, START "\"pairs\":{}}", NULL, SBL_EINPUT, "'pairs' must be a list");
    assert_refused(NULL, START "\"utility\":[]}", NULL, SBL_EINPUT, "'utility' must be an object");
}

/* Every value may be missing: that is a dash, not a crash and not a zero. */
TEST(missing_values_are_dashes)
{
    static const char *const texts[] = {
        START "\"kind\":\"table\"}",
        START
        "\"columns\":[{}, null, 3, {\"name\":\"x\",\"tvd\":{\"synthetic\":null},"
        "\"histogram\":{\"labels\":[\"a\",null],\"real\":[],\"synthetic\":[1e300,-5]}}]}",
        START "\"marginals\":[{}, {\"way\":9}, {\"way\":2,\"tvd\":{\"synthetic\":0.1}}]}",
        START
        "\"pairs\":[{}, null, 3, "
        "{\"columns\":[\"a\"],\"labels\":[[\"x\",null],[\"y\"]],\"real\":[[null]],"
        "\"synthetic\":[[1e300],[-5]]}]}",
        START "\"association\":{\"names\":[\"a\",\"b\"],\"real\":[[null]],\"synthetic\":3}}",
        START
        "\"utility\":{\"models\":[{\"name\":\"m\",\"synthetic\":{\"why\":\"one class\"},"
        "\"roc\":{\"real\":[[0,0],[2,-1],3]}}]},\"disclosure\":{\"membership\":{}}}",
        START
        "\"histories\":{\"events\":3,\"gap\":{\"synthetic\":0.1},\"columns\":[null,{}],\"people\":"
        "{\"order\":\"d\",\"event_columns\":[3,\"w\"],\"persons\":[null,{},{\"events\":1e300,"
        "\"shown\":"
        "[null,{\"place\":-1e300,\"cells\":[null,3]},{\"place\":null,\"cells\":{}}]}]}}}",
        START "\"out_of_domain\":{\"cells\":1e17},\"columns\":[{}],\"images\":{\"frechet\":{}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FREED(sbl_free) char *html = render(NULL, texts[i]);
        assert_null(strstr(html, "nan"));
        assert_null(strstr(html, "inf<"));
    }
}

/* Shares are rounded down: 1 is all rows. Rules are data to the page. */
TEST(constraints_are_shown)
{
    char *html = render(NULL, START
                        "\"constraints\":[{\"rule\":\"a <= b\",\"real\":0.99999,"
                        "\"synthetic\":1.0,\"train\":null},{}]}");
    assert_non_null(strstr(html, "<section id=\"constraints\""));
    assert_non_null(strstr(html, "href=\"#constraints\""));
    assert_non_null(strstr(html, "a &lt;= b</th><td>1.0000</td><td>0.9999</td><td>"));
    assert_null(strstr(html, "nan"));
    sbl_free(html);
    assert_refused(NULL, START "\"constraints\":{}}", NULL, SBL_EINPUT, "must be a list");
}

TEST(linked_tables_are_shown_with_some_units)
{
    static const char linked[] = START
        "\"kind\":\"linked\",\"tables\":[{\"name\":\"a<b\",\"parent\":null,\"keys\":{\"real\":{"
        "\"rows\":7,\"repeated\":0,\"orphans\":null},\"synthetic\":{\"rows\":8,\"repeated\":1,"
        "\"orphans\":null},\"train\":null},\"marginals\":null,\"children\":[{\"table\":\"c\","
        "\"number\":{\"synthetic\":0.25,\"floor\":0.5,\"ceiling\":0.125}}],\"histories\":null},"
        "{\"name\":\"c\",\"parent\":\"a<b\",\"histories\":{\"person_event\":{\"synthetic\":0.75,"
        "\"floor\":null,\"ceiling\":null}}}],\"units\":{\"table\":\"a<b\",\"shown\":[{\"cells\":[["
        "\"x\","
        "\"<i>\"]],\"under\":[{\"table\":\"c\",\"rows\":9,\"shown\":[{\"cells\":[[\"y\",\"1\"]],"
        "\"under\":[]}]}]},7,{\"under\":[{\"shown\":[3]}]}]}}";
    static const char *const parts[] = {
        "<section id=\"linked\">",
        "<summary>Keys and distances of c, which refers to a&lt;b</summary>",
        "<th scope=\"row\">synthetic</th><td>8</td><td>1</td>",
        "number of rows under one in c</th><td>0.250</td><td>0.500</td><td>0.125</td>",
        "each of the parent&#39;s columns by each of its own</th><td>0.750</td>",
        "<strong>a&lt;b</strong> x &lt;i&gt;",
        "<li><strong>c</strong> y 1</li>",
        "<li>and 8 more</li>"};
    char *html = render(NULL, linked);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(html, parts[i]) == NULL) fail_msg("no %s", parts[i]);
    sbl_free(html);
    assert_refused(NULL, START "\"tables\":{}}", NULL, SBL_EINPUT, "must be a list");
    assert_refused(NULL, START "\"units\":[]}", NULL, SBL_EINPUT, "must be an object");
}

TEST(histories_stand_between_floor_and_ceiling_beside_synthetic_persons)
{
    char *evaluation = kit_evaluation_text(&usual);
    char *html = render(NULL, evaluation);
    static const char *const parts[] = {
        "number of events of a person</th><td>0.018</td><td>0.021</td><td>0.010</td>",
        "the same in all their rows</th><td>0.9999</td><td>0.3100</td><td>1.0000</td>",
        "sum of cost</th><td>0.023</td>",
        "<strong>Synthetic person 1</strong>ward eyes, 14 events, the first 2 shown",
        "<desc>2 events, from 2023-04-01 to 2023-10-01</desc>", ">120.50</text>",
        /* at a glance, and beside the tests of rows */
        "880 synthetic persons with 2.25 events each (real: 900 with 2.50)",
        "Only 99.9% of them keep their own columns the same in all rows.",
        "Events after each other are 72% of the way", "previous by this event: mean total variation</th>",
        "<strong>Row by row.</strong>"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(html, parts[i]) == NULL) fail_msg("no %s", parts[i]);
    assert_null(strstr(html, "gaps between events"));
    assert_null(strstr(html, "different values of"));
    sbl_free(html);
    free(evaluation);
    html = render(NULL, START "\"histories\":{\"unit\":\"u\",\"why\":\"a <b>\"}}");
    assert_non_null(strstr(html, "Persons were not compared: a &lt;b&gt;."));
    sbl_free(html);
    assert_refused(NULL, START "\"histories\":[]}", NULL, SBL_EINPUT, "must be an object");
}
