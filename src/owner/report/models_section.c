/* SPDX-License-Identifier: Apache-2.0 */
/* What the synthetic table is worth for training a model. One SVG per model, with curves thinned to 400 points
 * and clamped to the square. */
#include "owner/report/sections.h"

#include <string.h>

#include "owner/report/html.h"

/* ---- ROC curves ---- */

#define SIDE 220.0
#define LEFT 34.0
#define TOP 6.0
#define MAX_POINTS 400

static void write_curve(sbl_text *out, const json_t *points, const char *kind)
{
    const size_t count = json_array_size(points);
    const size_t stride = count > MAX_POINTS ? (count + MAX_POINTS - 1) / MAX_POINTS : 1;
    if (count < 2) return;
    sbl_html_print(out, "<path class=\"%s\" d=\"", kind);
    for (size_t i = 0; i < count; i += stride) {
        /* The last point always counts, whatever the stride. */
        const size_t at = i + stride >= count ? count - 1 : i;
        const json_t *point = json_array_get(points, at);
        sbl_html_print(out, "%s%.1f %.1f", i == 0 ? "M" : "L",
                       LEFT + SIDE * sbl_fact_within(sbl_fact_item(point, 0), 0, 1),
                       TOP + SIDE * (1 - sbl_fact_within(sbl_fact_item(point, 1), 0, 1)));
    }
    sbl_html_print(out, "\"/>\n");
}

/* A <figure> for one entry of utility.models, nothing when it has no curves. */
static void write_roc(sbl_text *out, const json_t *model)
{
    const json_t *roc = json_object_get(model, "roc");
    const char *name = sbl_fact_text_of(model, "name");
    const double real = sbl_fact_number_of(json_object_get(model, "real"), "auc");
    const double synthetic = sbl_fact_number_of(json_object_get(model, "synthetic"), "auc");
    if (!json_is_object(roc)) return;
    sbl_html_print(out,
                   "<figure>\n<figcaption><strong>%.60s</strong> AUC synthetic %g, real "
                   "%g</figcaption>\n",
                   name, synthetic, real);
    sbl_html_print(out,
                   "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\"><title>ROC curves of "
                   "%.60s</title><desc>Area under the curve: %g trained on synthetic rows, %g "
                   "trained on real rows.</desc>\n",
                   LEFT + SIDE + 8, TOP + SIDE + 32, name, synthetic, real);
    sbl_html_print(out,
                   "<path class=\"grid\" d=\"M%.0f %.0fh%.0fv%.0fM%.0f %.0fl%.0f %.0f\"/>"
                   "<path class=\"axis\" d=\"M%.0f %.0fv%.0fh%.0f\"/>\n",
                   LEFT, TOP, SIDE, SIDE, LEFT, TOP + SIDE, SIDE, -SIDE, LEFT, TOP, SIDE, SIDE);
    write_curve(out, json_object_get(roc, "real"), "real-line");
    write_curve(out, json_object_get(roc, "synthetic"), "synthetic-line");
    sbl_html_print(out,
                   "<text class=\"end\" x=\"%.0f\" y=\"%.0f\">1</text><text class=\"end\" x=\"%.0f\" "
                   "y=\"%.0f\">0</text>",
                   LEFT - 5, TOP + 9, LEFT - 5, TOP + SIDE);
    sbl_html_print(out,
                   "<text x=\"%.0f\" y=\"%.0f\">0</text><text class=\"end\" x=\"%.0f\" "
                   "y=\"%.0f\">1</text><text class=\"middle\" x=\"%.0f\" y=\"%.0f\">false "
                   "alarms</text>",
                   LEFT, TOP + SIDE + 15, LEFT + SIDE, TOP + SIDE + 15, LEFT + SIDE / 2, TOP + SIDE + 15);
    sbl_html_print(out,
                   "<text class=\"middle\" transform=\"translate(%.0f %.0f) "
                   "rotate(-90)\">found</text></svg>\n</figure>\n",
                   LEFT - 8, TOP + SIDE / 2);
}

/* ---- the section ---- */

typedef struct score {
    const char *name; /* in the evaluation */
    const char *words;
} score;

static const score classification[] = {{"auc", "AUC"},
                                       {"average_precision", "average precision"},
                                       {"balanced_accuracy", "balanced accuracy"},
                                       {"macro_f1", "macro F1"},
                                       {"accuracy", "accuracy"},
                                       {NULL, NULL}};
static const score regression[] = {{"rmse", "RMSE"}, {"r2", "R\xc2\xb2"}, {NULL, NULL}};

typedef struct source {
    const char *name;
    const char *words;
} source;

static const source sources[] = {{"synthetic", "synthetic"}, {"floor", "floor"}, {"real", "real (ceiling)"}};

static void write_scores(sbl_text *out, const json_t *model, const source *from, const score *scores)
{
    const json_t *values = json_object_get(model, from->name);
    sbl_html_print(out, "<th scope=\"row\">%s</th>", from->words);
    for (; scores->name != NULL; scores++)
        sbl_html_cell_number(out, sbl_fact_number_of(values, scores->name));
    sbl_html_print(out, "</tr>\n");
}

static void write_table(sbl_text *out, const json_t *models, const score *scores)
{
    sbl_html_table_open(out, "Scores on real rows, by what the model was trained on", NULL);
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\">model</th><th scope=\"col\" class=\"word\">trained on</th>");
    for (const score *s = scores; s->name != NULL; s++)
        sbl_html_print(out, "<th scope=\"col\">%s</th>", s->words);
    sbl_html_print(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        for (size_t s = 0; s < 3; s++) {
            if (s == 0)
                sbl_html_print(out, "<tr><th scope=\"rowgroup\" rowspan=\"3\">%.60s</th>",
                               sbl_fact_text_of(model, "name"));
            else
                sbl_html_print(out, "<tr class=\"next\">");
            write_scores(out, model, &sources[s], scores);
        }
    }
    sbl_html_table_close(out);
}

static void write_curves(sbl_text *out, const json_t *models)
{
    size_t curves = 0;
    for (size_t i = 0; i < json_array_size(models); i++)
        curves += json_is_object(json_object_get(json_array_get(models, i), "roc"));
    if (curves == 0) return;
    sbl_html_print(out,
                   "<h3>ROC curves</h3>\n<p>Share of the positives found against share of false "
                   "alarms, as the threshold moves. A curve near the upper left corner is good, "
                   "the dotted diagonal is guessing.</p>\n"
                   "<ul class=\"legend\"><li><span class=\"key key-line-real\"></span>trained on "
                   "real: dashed</li><li><span class=\"key key-line-synthetic\"></span>trained on "
                   "synthetic: solid</li></ul>\n<div class=\"multiples\">\n");
    for (size_t i = 0; i < json_array_size(models); i++) write_roc(out, json_array_get(models, i));
    sbl_html_print(out, "</div>\n");
}

/* How many rows each side was trained on, where that is not all of them, and what has no score. */
static void write_rows(sbl_text *out, const json_t *rows)
{
    char used[SBL_HTML_COUNT_SIZE];
    char of[SBL_HTML_COUNT_SIZE];
    for (size_t s = 0; s < 3; s++) {
        const json_t *side = json_object_get(rows, sources[s].name);
        const double some = sbl_fact_number_of(side, "used");
        const double all = sbl_fact_number_of(side, "of");
        if (!(some >= 0 && some < all && all < 9e15)) continue;
        sbl_html_print(out, "<p class=\"note\">Trained on %s of %s rows (%s).</p>\n",
                       sbl_html_count_text(used, (uint64_t)some), sbl_html_count_text(of, (uint64_t)all),
                       sources[s].words);
    }
}

static void write_reasons(sbl_text *out, const json_t *models)
{
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        for (size_t s = 0; s < 3; s++) {
            const char *why = sbl_fact_text_of(json_object_get(model, sources[s].name), "why");
            if (why != NULL)
                sbl_html_print(out, "<p class=\"note\">%.60s, trained on %s: %.200s.</p>\n",
                               sbl_fact_text_of(model, "name"), sources[s].words, why);
        }
    }
}

static void write_missing(sbl_text *out, const json_t *missing)
{
    if (json_array_size(missing) == 0) return;
    sbl_html_print(out, "<p class=\"note\">Not measured: ");
    for (size_t i = 0; i < json_array_size(missing); i++)
        sbl_html_print(out, "%s%.200s", i == 0 ? "" : "; ", json_string_value(json_array_get(missing, i)));
    sbl_html_print(out, ".</p>\n");
}

void sbl_report_utility(sbl_text *out, const json_t *evaluation)
{
    const json_t *utility = json_object_get(evaluation, "utility");
    const json_t *models = json_object_get(utility, "models");
    const char *task = sbl_fact_text_of(utility, "task");
    const bool numbers = task != NULL && strcmp(task, "regression") == 0;
    if (!json_is_object(utility)) return;
    sbl_html_section_open(out, "utility", "Training on it", true);
    sbl_html_print(out,
                   "<p class=\"how\">Models that predict <strong>%.80s</strong> were trained on the "
                   "synthetic table and tested on real rows that were not used otherwise. "
                   "<em>Real</em> is the same model trained on real rows: the ceiling. "
                   "<em>Floor</em> is the same model trained on independent columns: about a "
                   "guess. Good is close to real. %s</p>\n",
                   sbl_fact_text_of(utility, "target"),
                   numbers ? "RMSE is in units of the target: lower is better; R\xc2\xb2 is better "
                             "higher."
                           : "All scores are better higher. AUC and average precision judge the "
                             "order of the rows, the others a yes or no; with classes of very "
                             "different size accuracy alone says little.");
    if (json_array_size(models) != 0) {
        write_curves(out, models);
        sbl_html_fold_open(out, "The scores of all models");
        write_table(out, models, numbers ? regression : classification);
        write_reasons(out, models);
        write_rows(out, json_object_get(utility, "rows"));
        sbl_html_fold_close(out);
    }
    write_missing(out, json_object_get(utility, "missing"));
    sbl_html_section_close(out);
}
