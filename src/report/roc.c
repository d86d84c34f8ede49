/* One SVG per model, with curves thinned to 400 points and clamped to the square. */
#include "report/roc.h"

#include "report/facts.h"
#include "report/html.h"

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

void sbl_roc_write(sbl_text *out, const json_t *model)
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
    sbl_html_print(
        out,
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
    sbl_html_print(
        out,
        "<text class=\"end\" x=\"%.0f\" y=\"%.0f\">1</text><text class=\"end\" x=\"%.0f\" "
        "y=\"%.0f\">0</text>",
        LEFT - 5, TOP + 9, LEFT - 5, TOP + SIDE);
    sbl_html_print(out,
                   "<text x=\"%.0f\" y=\"%.0f\">0</text><text class=\"end\" x=\"%.0f\" "
                   "y=\"%.0f\">1</text><text class=\"middle\" x=\"%.0f\" y=\"%.0f\">false "
                   "alarms</text>",
                   LEFT, TOP + SIDE + 15, LEFT + SIDE, TOP + SIDE + 15, LEFT + SIDE / 2,
                   TOP + SIDE + 15);
    sbl_html_print(out,
                   "<text class=\"middle\" transform=\"translate(%.0f %.0f) "
                   "rotate(-90)\">found</text></svg>\n</figure>\n",
                   LEFT - 8, TOP + SIDE / 2);
}
