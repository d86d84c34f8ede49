/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation document as aligned tables for people. */
#include "owner/evaluate/evaluation_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "owner/evaluate/verdict.h"

#define NAME_WIDTH 24
#define RULE_WIDTH 35

static void put_head(sbl_text *text, const json_t *document)
{
    const json_t *inputs = json_object_get(document, "inputs");
    const bool trained = json_is_object(json_object_get(inputs, "train"));
    sbl_put_inputs(text, document, "rows");
    sbl_text_printf(text,
                    "\nsynth.   the synthetic table against the real one; 0 is best\n"
                    "floor    %s columns, each shuffled on its own: no relation is left\n"
                    "ceiling  real against real (%s): what sampling alone costs\n",
                    trained ? "the training" : "the real",
                    trained ? "the training table" : "two random halves");
}

static void put_columns(sbl_text *text, const json_t *document)
{
    size_t i;
    const json_t *column;
    sbl_text_printf(text, "\n%-*s%27s%27s%27s\n", NAME_WIDTH, "Columns", "total variation",
                    "Kolmogorov-Smirnov", "Wasserstein-1 / range");
    sbl_text_printf(text, "%*s", NAME_WIDTH, "");
    for (i = 0; i < 3; i++) sbl_text_printf(text, " %8s %8s %8s", "synth.", "floor", "ceiling");
    sbl_text_printf(text, "\n");
    json_array_foreach(json_object_get(document, "columns"), i, column)
    {
        sbl_put_name(text, sbl_string_of(column, "name"), NAME_WIDTH);
        sbl_put_triple(text, json_object_get(column, "tvd"), "%.4f");
        if (json_is_object(json_object_get(column, "ks"))) {
            sbl_put_triple(text, json_object_get(column, "ks"), "%.4f");
            sbl_put_triple(text, json_object_get(column, "wasserstein"), "%.4f");
        }
        sbl_text_printf(text, "\n");
    }
}

static void put_marginals(sbl_text *text, const json_t *document)
{
    size_t i;
    const json_t *entry;
    sbl_text_printf(text, "\n%-*s %8s %8s %8s   column sets\n", NAME_WIDTH, "Marginals, mean TVD", "synth.",
                    "floor", "ceiling");
    json_array_foreach(json_object_get(document, "marginals"), i, entry)
    {
        sbl_text_printf(text, "%lld-way%*s", sbl_whole_of(entry, "way"), NAME_WIDTH - 5, "");
        sbl_put_triple(text, json_object_get(entry, "tvd"), "%.4f");
        sbl_text_printf(text, "   %lld of %lld%s\n", sbl_whole_of(entry, "sets"), sbl_whole_of(entry, "of"),
                        json_is_true(json_object_get(entry, "sampled")) ? ", seeded sample" : "");
    }
}

static void put_relations(sbl_text *text, const json_t *document)
{
    const json_t *association = json_object_get(document, "association");
    const json_t *mmd = json_object_get(document, "mmd");
    sbl_put_heading(text, NAME_WIDTH, "Relations");
    sbl_put_row(text, NAME_WIDTH, "association, mean diff.", json_object_get(association, "mean_difference"),
                "%.4f");
    sbl_put_row(text, NAME_WIDTH, "association, largest", json_object_get(association, "largest_difference"),
                "%.4f");
    sbl_put_row(text, NAME_WIDTH, "MMD squared", json_object_get(mmd, "squared"), "%.2e");
    sbl_text_printf(text, "  %s\n", sbl_string_of(mmd, "kernel"));
}

static void put_domain(sbl_text *text, const json_t *document)
{
    size_t i;
    const json_t *column;
    const json_t *domain = json_object_get(document, "out_of_domain");
    sbl_text_printf(text, "\nOut of domain: %lld cells and %lld malformed rows%s\n",
                    sbl_whole_of(domain, "cells"), sbl_whole_of(domain, "rows"),
                    sbl_whole_of(domain, "cells") == 0 ? "" : " (they count as their column's constant)");
    json_array_foreach(json_object_get(domain, "columns"), i, column)
    {
        sbl_text_printf(text, "  ");
        sbl_put_name(text, sbl_string_of(column, "name"), NAME_WIDTH);
        sbl_text_printf(text, " %8lld cells\n", sbl_whole_of(column, "cells"));
    }
}

/* The share of rows that hold each constraint, in the tables that there are. */
void sbl_put_constraints(sbl_text *text, const json_t *list)
{
    size_t i;
    const json_t *entry;
    if (json_array_size(list) == 0) return;
    sbl_text_printf(text, "\nConstraints, share of rows that hold  %8s %8s %8s\n", "synth.", "real", "train");
    json_array_foreach(list, i, entry)
    {
        sbl_text_printf(text, "  ");
        sbl_put_name(text, sbl_string_of(entry, "rule"), RULE_WIDTH);
        sbl_put_share(text, json_object_get(entry, "synthetic"));
        sbl_put_share(text, json_object_get(entry, "real"));
        sbl_put_share(text, json_object_get(entry, "train"));
        sbl_text_printf(text, "\n");
    }
}

static void put_scores(sbl_text *text, const char *model, const char *side, const json_t *scores,
                       const char *const *names)
{
    if (scores == NULL || json_is_null(scores)) return;
    sbl_put_name(text, model, NAME_WIDTH);
    sbl_text_printf(text, " %-9s", side);
    for (size_t i = 0; names[i] != NULL; i++)
        sbl_put_number(text, json_object_get(scores, names[i]),
                       strcmp(names[i], "rmse") == 0 ? "%.4g" : "%.4f");
    const char *why = sbl_string_of(scores, "why");
    if (*why != '\0') {
        sbl_text_printf(text, "  ");
        sbl_put_line(text, why);
    }
    sbl_text_printf(text, "\n");
}

static void put_utility(sbl_text *text, const json_t *utility)
{
    static const char *const class_scores[] = {"auc",      "average_precision", "balanced_accuracy",
                                               "macro_f1", "accuracy",          NULL};
    static const char *const number_scores[] = {"rmse", "r2", NULL};
    const bool regression = strcmp(sbl_string_of(utility, "task"), "regression") == 0;
    const char *const *names = regression ? number_scores : class_scores;
    size_t i;
    const json_t *entry;
    if (!json_is_object(utility)) return;
    sbl_text_printf(text, "\nModels tested on real rows; target ");
    sbl_put_line(text, sbl_string_of(utility, "target"));
    sbl_text_printf(text, "\n%-*s %-9s%s\n", NAME_WIDTH, "", "from",
                    regression ? "     RMSE       R2" : "      AUC avg.prec bal.acc. macro F1 accuracy");
    json_array_foreach(json_object_get(utility, "models"), i, entry)
    {
        put_scores(text, sbl_string_of(entry, "name"), "synth.", json_object_get(entry, "synthetic"), names);
        put_scores(text, "", "floor", json_object_get(entry, "floor"), names);
        put_scores(text, "", "real", json_object_get(entry, "real"), names);
    }
    json_array_foreach(json_object_get(utility, "missing"), i, entry)
    {
        sbl_text_printf(text, "  ");
        sbl_put_line(text, json_is_string(entry) ? json_string_value(entry) : "");
        sbl_text_printf(text, "\n");
    }
}

static void put_closest(sbl_text *text, const char *side, const json_t *closest)
{
    const json_t *entry = json_object_get(closest, side);
    sbl_text_printf(text, "  %-10s", side);
    sbl_put_number(text, json_object_get(entry, "median"), "%.4f");
    sbl_put_number(text, json_object_get(entry, "p5"), "%.4f");
    sbl_text_printf(text, "   %lld against %lld training rows\n", sbl_whole_of(entry, "records"),
                    sbl_whole_of(closest, "reference"));
}

static void put_disclosure(sbl_text *text, const json_t *disclosure)
{
    if (!json_is_object(disclosure)) {
        sbl_text_printf(text,
                        "\nDisclosure: not tested; it needs the training table beside a real "
                        "table that was not fitted\n");
        return;
    }
    const json_t *copies = json_object_get(disclosure, "exact_copies");
    const json_t *closest = json_object_get(disclosure, "distance_to_closest_record");
    const json_t *attack = json_object_get(disclosure, "membership");
    sbl_text_printf(text, "\nDisclosure (%s)\n", sbl_string_of(disclosure, "note"));
    sbl_text_printf(text,
                    "copies of a training row: %lld of %lld synthetic rows; %lld of %lld holdout "
                    "rows are the same by chance\n",
                    sbl_whole_of(copies, "synthetic"), sbl_whole_of(copies, "of_synthetic"),
                    sbl_whole_of(copies, "holdout"), sbl_whole_of(copies, "of_holdout"));
    sbl_text_printf(text, "distance to the closest training row\n  %-10s %8s %8s\n", "from", "median", "5 %");
    put_closest(text, "synthetic", closest);
    put_closest(text, "holdout", closest);
    sbl_text_printf(text,
                    "membership attack: advantage %.4f, 95 %% interval %.4f to %.4f (%lld records; "
                    "0 is a coin toss)\n",
                    json_number_value(json_object_get(attack, "advantage")),
                    json_number_value(json_object_get(attack, "low")),
                    json_number_value(json_object_get(attack, "high")), sbl_whole_of(attack, "records"));
}

static void put_table(sbl_text *text, const json_t *document)
{
    put_head(text, document);
    put_columns(text, document);
    put_marginals(text, document);
    put_relations(text, document);
    put_domain(text, document);
    sbl_put_by(text, json_object_get(document, "by"));
    sbl_put_constraints(text, json_object_get(document, "constraints"));
    sbl_put_histories(text, json_object_get(document, "histories"));
    put_utility(text, json_object_get(document, "utility"));
    put_disclosure(text, json_object_get(document, "disclosure"));
    sbl_put_worst(text, json_object_get(document, "worst"));
}

/* The last line. */
static void put_verdict(sbl_text *text, const json_t *document)
{
    char *verdict = sbl_evaluation_verdict(document);
    if (verdict == NULL) text->failed = true;
    if (verdict != NULL && verdict[0] != '\0') {
        sbl_text_printf(text, "\nVerdict: ");
        sbl_put_line(text, verdict);
        sbl_text_printf(text, "\n");
    }
    sbl_free(verdict);
}

char *sbl_evaluation_verdict(const json_t *document)
{
    sbl_text verdict = {0};
    sbl_verdict_headline(&verdict, document);
    sbl_text_printf(&verdict, "%s", verdict.length > 0 ? " " : "");
    sbl_verdict_details(&verdict, document);
    if (!verdict.failed) return verdict.data;
    sbl_text_clear(&verdict);
    return NULL;
}

char *sbl_evaluation_text(const json_t *document)
{
    sbl_text text = {0};
    if (strcmp(sbl_string_of(document, "kind"), "images") == 0)
        sbl_put_images(&text, document);
    else if (strcmp(sbl_string_of(document, "kind"), "linked") == 0)
        sbl_put_linked(&text, document);
    else
        put_table(&text, document);
    put_verdict(&text, document);
    if (!text.failed) return text.data;
    sbl_text_clear(&text);
    return NULL;
}
