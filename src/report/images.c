/* Images: grids to look at, scores of models trained on them, distances in a feature space. */
#include <math.h>
#include <string.h>

#include "report/facts.h"
#include "report/html.h"
#include "report/sections.h"

#define MAX_GRIDS 24
#define MAX_SCORES 64
/* Base64 of the eight bytes that every PNG begins with, as far as whole groups of six bits go. */
#define PNG_BEGIN "iVBORw0KGg"

/* Only what can be the text of a PNG goes into a data: address. */
static bool is_png_text(const char *text)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (text == NULL || strncmp(text, PNG_BEGIN, strlen(PNG_BEGIN)) != 0) return false;
    const size_t body = strspn(text, base64);
    const size_t padding = strspn(text + body, "=");
    return padding <= 2 && text[body + padding] == '\0' && (body + padding) % 4 == 0;
}

static void write_grids(sbl_text *out, const json_t *grids)
{
    size_t shown = 0;
    sbl_html_print(out, "<div class=\"grids\">\n");
    for (size_t i = 0; i < json_array_size(grids) && shown < MAX_GRIDS; i++) {
        const json_t *grid = json_array_get(grids, i);
        const char *png = sbl_fact_text_of(grid, "png_base64");
        const char *caption = sbl_fact_text_of(grid, "caption");
        if (!is_png_text(png)) continue;
        sbl_html_print(
            out,
            "<figure>\n<figcaption><strong>%.120s</strong></figcaption>\n<img alt=\"A grid "
            "of images: %.120s\" src=\"data:image/png;base64,%s\">\n</figure>\n",
            caption, caption, png);
        shown++;
    }
    sbl_html_print(out, "</div>\n");
}

static void write_scores(sbl_text *out, const json_t *scores)
{
    if (json_array_size(scores) == 0) return;
    sbl_html_table_open(out, "Scores between floor and ceiling");
    sbl_html_print(out,
                   "<thead><tr><th scope=\"col\">measure</th><th scope=\"col\">synthetic</th><th "
                   "scope=\"col\">floor</th><th scope=\"col\">real (ceiling)</th></tr></thead>\n"
                   "<tbody>\n");
    for (size_t i = 0; i < json_array_size(scores) && i < MAX_SCORES; i++) {
        const json_t *item = json_array_get(scores, i);
        const sbl_fact_triple value = sbl_fact_triple_of(item, "value");
        sbl_html_print(out, "<tr><th scope=\"row\">%.120s</th>", sbl_fact_text_of(item, "name"));
        sbl_html_cell_number(out, value.synthetic);
        sbl_html_cell_number(out, value.floor);
        sbl_html_cell_number(out, value.ceiling);
        sbl_html_print(out, "</tr>\n");
    }
    sbl_html_table_close(out);
}

static void write_frechet(sbl_text *out, const json_t *frechet)
{
    const sbl_fact_triple value = sbl_fact_triple_of(frechet, "distance");
    if (!json_is_object(frechet)) return;
    sbl_html_print(out,
                   "<p>Fr\xc3\xa9"
                   "chet distance in the feature space of <strong>%.120s</strong>: "
                   "synthetic %g, real against real %g; lower is better. It can be compared only "
                   "with distances in the same feature space, and is not the FID unless "
                   "that encoder is Inception.</p>\n",
                   sbl_fact_text_of(frechet, "encoder"), value.synthetic, value.ceiling);
}

void sbl_report_images(sbl_text *out, const json_t *evaluation)
{
    const json_t *images = json_object_get(evaluation, "images");
    if (!json_is_object(images)) return;
    sbl_html_section_open(out, "images", "Images", true);
    sbl_html_print(out,
                   "<p class=\"how\">Look at the grids first: are the classes there, and are the "
                   "images within a "
                   "class different from each other? A grid of real images, or of nearest real "
                   "neighbours, shows "
                   "private records as they are. The scores say how well a model that was trained "
                   "on synthetic "
                   "images does on real ones; good is close to real.</p>\n");
    write_grids(out, json_object_get(images, "grids"));
    write_scores(out, json_object_get(images, "scores"));
    write_frechet(out, json_object_get(images, "frechet"));
    sbl_html_section_close(out);
}
