/* SPDX-License-Identifier: Apache-2.0 */
/* An audit for people: the same words and tables for a terminal, in Markdown and in HTML. Reads the
 * document that audit_tests.c wrote and nothing else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owner/audit/audit_tests.h"
#include "owner/audit/report_rows.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

static double number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static long long whole_of(const json_t *object, const char *name)
{
    return (long long)json_integer_value(json_object_get(object, name));
}

static bool is_true(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

/* A part of a charge, never rounded up to the whole of it, nor an excess down to it. */
static void reach_cell(sbl_sheet *sheet, const json_t *change)
{
    const double reach = number_of(change, "reach");
    const double shown =
        is_true(change, "within") && reach < 1.0 ? floor(reach * 1e4) / 1e4 : ceil(reach * 1e4) / 1e4;
    if (is_true(change, "within"))
        sbl_sheet_cell(sheet, "%.4f", shown);
    else
        sbl_sheet_cell(sheet, "%.4f EXCEEDED", shown);
}

/* data, method with its variant and round, relation, noise */
static void name_cells(sbl_sheet *sheet, const json_t *row)
{
    const char *variant = text_of(row, "variant");
    const bool laplace = strstr(text_of(row, "mechanism"), "laplace") != NULL;
    sbl_sheet_cell(sheet, "%s", text_of(row, "data"));
    sbl_sheet_cell(sheet, "%s%s%s", text_of(row, "method"), *variant != '\0' ? " " : "", variant);
    sbl_sheet_cell(sheet, "%lld", whole_of(row, "round"));
    sbl_sheet_cell(sheet, "%s", text_of(row, "neighbours"));
    sbl_sheet_cell(sheet, "%s", laplace ? "Laplace" : "Gaussian");
}

static void write_change(sbl_page *page, const json_t *document)
{
    static const char *const heads[] = {"data",   "method",  "round",    "neighbours",      "noise",
                                        "values", "records", "features", "sums that add up"};
    sbl_sheet sheet = {.heads = heads, .columns = COUNT(heads)};
    const json_t *rounds = json_object_get(document, "rounds");
    const json_t *first = json_array_get(rounds, 0);
    const json_t *row;
    char words[720];
    size_t i;
    sbl_page_heading(page, "What one record can change");
    (void)snprintf(
        words, sizeof words,
        "The largest change of the exact sums, times the multipliers they are released with, over "
        "the sensitivity that the ledger was charged for; compared in integers, 1 is all of it. "
        "\"records\": hostile records (of the first row: %lld kinds, %lld pairs) through the "
        "features of the method, of linked tables whole packages. \"features\": vectors fed to the "
        "sums by hand (%lld kinds), for "
        "the "
        "bounds hold whatever the features are. \"sums that add up\": sums over threads, batches "
        "and "
        "places that are, in every bit, the sum without a record plus that record's own.",
        whole_of(json_object_get(first, "records"), "kinds"),
        whole_of(json_object_get(first, "records"), "pairs"),
        whole_of(json_object_get(first, "features"), "kinds"));
    sbl_page_words(page, words);
    json_array_foreach(rounds, i, row)
    {
        const json_t *additivity = json_object_get(row, "additivity");
        name_cells(&sheet, row);
        sbl_sheet_cell(&sheet, "%lld", whole_of(row, "values"));
        reach_cell(&sheet, json_object_get(row, "records"));
        reach_cell(&sheet, json_object_get(row, "features"));
        sbl_sheet_cell(&sheet, "%lld of %lld", whole_of(additivity, "equal"), whole_of(additivity, "sums"));
    }
    sbl_page_sheet(page, &sheet, "Largest change over charge");
}

static void write_pairs(sbl_page *page, const json_t *document)
{
    static const char *const heads[] = {"data", "method", "round", "neighbours", "noise", "one", "another"};
    sbl_sheet sheet = {.heads = heads, .columns = COUNT(heads)};
    const json_t *row;
    size_t i;
    sbl_page_heading(page, "The records that moved the sums most");
    json_array_foreach(json_object_get(document, "rounds"), i, row)
    {
        const json_t *change = json_object_get(row, "records");
        name_cells(&sheet, row);
        sbl_sheet_cell(&sheet, "%s", text_of(change, "first"));
        sbl_sheet_cell(&sheet, "%s", text_of(change, "second"));
    }
    sbl_page_sheet(page, &sheet, "Pairs of records");
}

/* "table with classes, merf, round 1, replace-one, discrete-gaussian: WORDS." */
static void say_of(sbl_page *page, const json_t *row, const char *what)
{
    const char *variant = text_of(row, "variant");
    char words[512];
    (void)snprintf(words, sizeof words, "%s, %s%s%s, round %lld, %s, %s: %s.", text_of(row, "data"),
                   text_of(row, "method"), *variant != '\0' ? " " : "", variant, whole_of(row, "round"),
                   text_of(row, "neighbours"), text_of(row, "mechanism"), what);
    sbl_page_words(page, words);
}

static void write_power_of(sbl_page *page, const json_t *row)
{
    char words[160];
    (void)snprintf(
        words, sizeof words, "a release that claimed epsilon %.3g would %s", number_of(row, "epsilon_half"),
        is_true(row, "caught") ? "have been caught" : "NOT have been caught: the attack sees too little");
    say_of(page, row, words);
}

static void write_attacks(sbl_page *page, const json_t *document)
{
    static const char *const heads[] = {"data", "method",          "round",         "neighbours", "noise",
                                        "runs", "epsilon charged", "epsilon found", "by counting"};
    sbl_sheet sheet = {.heads = heads, .columns = COUNT(heads)};
    const json_t *attacks = json_object_get(document, "attacks");
    const json_t *row;
    char words[720];
    size_t i;
    if (json_array_size(attacks) == 0) return;
    sbl_page_heading(page, "Telling neighbours apart");
    (void)snprintf(
        words, sizeof words,
        "Each of two neighbouring data sets was released \"runs\" times through the release step, small "
        "layouts, fresh noise, and the attack guessed which is which. \"epsilon found\" is a "
        "lower "
        "bound with confidence %g %% at delta %g, 0 with Laplace noise (Clopper-Pearson; for "
        "Gaussian noise through its "
        "trade-off curve), \"by counting\" the same without any use of the mechanism. Neither may "
        "exceed what was charged.",
        100.0 * number_of(document, "confidence"), number_of(document, "delta"));
    sbl_page_words(page, words);
    json_array_foreach(attacks, i, row)
    {
        name_cells(&sheet, row);
        sbl_sheet_cell(&sheet, "%lld", whole_of(row, "runs"));
        sbl_sheet_cell(&sheet, "%.4f", ceil(number_of(row, "epsilon_charged") * 1e4) / 1e4);
        sbl_sheet_cell(&sheet, "%.4f%s", number_of(row, "epsilon_found"),
                       is_true(row, "within") ? "" : " EXCEEDED");
        sbl_sheet_cell(&sheet, "%.4f", number_of(row, "epsilon_counted"));
    }
    sbl_page_sheet(page, &sheet, "Epsilon charged and found");
    json_array_foreach(attacks, i, row) write_power_of(page, row);
}

static void write_opening(sbl_page *page, const json_t *document)
{
    char words[512];
    const char *warning = text_of(document, "warning");
    if (*warning != '\0')
        sbl_page_warning(page, warning);
    else
        sbl_page_words(page, "On data that the program made itself: nothing here is private.");
    if (is_true(document, "test_key"))
        sbl_page_warning(page, "This build has fixed noise keys: its releases guarantee nothing.");
    (void)snprintf(words, sizeof words, "semblance %s, epsilon %g, delta %g.", text_of(document, "program"),
                   number_of(document, "epsilon"), number_of(document, "delta"));
    sbl_page_words(page, words);
}

/* What broke, and which attacks lacked power: two things, said apart. */
static void write_verdict(sbl_page *page, const json_t *document)
{
    const char *verdict = text_of(document, "verdict");
    const bool held = strcmp(verdict, sbl_audit_verdicts[SBL_AUDIT_HELD]) == 0;
    const json_t *row;
    size_t i;
    sbl_page_heading(page, held ? "Everything held"
                           : strcmp(verdict, sbl_audit_verdicts[SBL_AUDIT_WEAK]) == 0
                               ? "NOTHING BROKE, BUT AN ATTACK LACKED POWER"
                               : "A BOUND BROKE");
    json_array_foreach(json_object_get(document, "rounds"), i, row)
    {
        const json_t *additivity = json_object_get(row, "additivity");
        if (!is_true(json_object_get(row, "records"), "within"))
            say_of(page, row, "BROKEN, hostile records change the sums by more than was charged");
        if (!is_true(json_object_get(row, "features"), "within"))
            say_of(page, row, "BROKEN, hostile features change the sums by more than was charged");
        if (whole_of(additivity, "equal") != whole_of(additivity, "sums"))
            say_of(page, row, "BROKEN, sums do not add up");
    }
    json_array_foreach(json_object_get(document, "attacks"), i, row)
    {
        if (!is_true(row, "within"))
            say_of(page, row, "BROKEN, the attack found more than was charged");
        else if (!is_true(row, "caught"))
            say_of(page, row, "LACKED POWER, no bound broke; give it more runs");
    }
}

static char *write_page(const json_t *document, sbl_form form)
{
    const bool given = *text_of(document, "warning") != '\0';
    sbl_page page = {.form = form};
    if (form != SBL_FORM_PLAIN)
        sbl_page_open(&page, given ? "Audit of released sums (NOT PRIVATE)" : "Audit of released sums");
    write_opening(&page, document);
    write_change(&page, document);
    if (form != SBL_FORM_PLAIN) write_pairs(&page, document);
    write_attacks(&page, document);
    write_verdict(&page, document);
    sbl_page_close(&page);
    if (!page.text.failed) return page.text.data;
    sbl_text_clear(&page.text);
    return NULL;
}

char *sbl_audit_text(const json_t *document) { return write_page(document, SBL_FORM_PLAIN); }

char *sbl_audit_markdown(const json_t *document) { return write_page(document, SBL_FORM_MARKDOWN); }

char *sbl_audit_html(const json_t *document) { return write_page(document, SBL_FORM_HTML); }
