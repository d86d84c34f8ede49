/* SPDX-License-Identifier: Apache-2.0 */
/* Images: grids to look at, scores of models trained on them, distances in a feature space. */
#include <math.h>
#include <string.h>

#include "owner/report/html.h"
#include "owner/report/sections.h"

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
        sbl_html_print(out,
                       "<figure>\n<figcaption><strong>%.120s</strong></figcaption>\n<img alt=\"A grid "
                       "of images: %.120s\" src=\"data:image/png;base64,%s\">\n</figure>\n",
                       caption, caption, png);
        shown++;
    }
    sbl_html_print(out, "</div>\n");
}

static void open_table(sbl_text *out, const char *caption)
{
    sbl_html_table_open(out, caption, "measure|synthetic|floor|real (ceiling)");
}

static void write_row(sbl_text *out, const char *name, const json_t *item, const char *member)
{
    const sbl_fact_triple value = sbl_fact_triple_of(item, member);
    sbl_html_print(out, "<tr><th scope=\"row\">%.120s</th>", name);
    sbl_html_cell_number(out, value.synthetic);
    sbl_html_cell_number(out, value.floor);
    sbl_html_cell_number(out, value.ceiling);
    sbl_html_print(out, "</tr>\n");
}

/* What was learned from and tested on. */
static void write_rows(sbl_text *out, const json_t *images)
{
    const json_t *rows = json_object_get(images, "rows");
    const double synthetic = sbl_fact_number_of(json_object_get(rows, "synthetic"), "used");
    const double real = sbl_fact_number_of(json_object_get(rows, "real"), "used");
    const double chance = sbl_fact_number_of(images, "chance");
    if (!json_is_object(rows)) return;
    sbl_html_print(out,
                   "<p class=\"note\">Models learned from %.0f synthetic or %.0f real images and "
                   "were tested on %.0f real ones. ",
                   synthetic, real, sbl_fact_number_of(rows, "test"));
    if (!isnan(chance))
        sbl_html_print(out, "To say the most frequent class always would be right in %g. ", chance);
    sbl_html_print(out, "</p>\n");
}

static void write_scores(sbl_text *out, const json_t *images)
{
    const json_t *scores = json_object_get(images, "scores");
    if (json_array_size(scores) == 0) return;
    open_table(out, "Scores between floor and ceiling");
    for (size_t i = 0; i < json_array_size(scores) && i < MAX_SCORES; i++) {
        const json_t *item = json_array_get(scores, i);
        write_row(out, sbl_fact_text_of(item, "name"), item, "value");
    }
    sbl_html_table_close(out);
    for (size_t i = 0; i < json_array_size(scores) && i < MAX_SCORES; i++) {
        const json_t *item = json_array_get(scores, i);
        if (sbl_fact_text_of(item, "why") != NULL)
            sbl_html_print(out, "<p class=\"note\">%.120s: %.200s.</p>\n", sbl_fact_text_of(item, "name"),
                           sbl_fact_text_of(item, "why"));
    }
    write_rows(out, images);
}

static void write_frechet(sbl_text *out, const json_t *frechet)
{
    const double images = sbl_fact_number_of(frechet, "images");
    const double side = sbl_fact_number_of(frechet, "side");
    const double noise = sbl_fact_number_of(frechet, "noise");
    const char *hash = sbl_fact_text_of(frechet, "sha256");
    const char *trained_on = sbl_fact_text_of(frechet, "trained_on");
    if (!json_is_object(frechet)) return;
    open_table(out, "Distance to the real images; lower is better");
    write_row(out,
              "Fr\xc3\xa9"
              "chet distance",
              frechet, "distance");
    sbl_html_table_close(out);
    sbl_html_print(out, "<p class=\"note\">Measured in the features of <strong>%.120s</strong>",
                   sbl_fact_text_of(frechet, "encoder"));
    if (!isnan(side)) sbl_html_print(out, " at %.0f x %.0f", side, side);
    if (trained_on != NULL) sbl_html_print(out, ", trained on: %.200s", trained_on);
    if (hash != NULL) sbl_html_print(out, " (SHA-256 %.64s)", hash);
    if (!isnan(images)) sbl_html_print(out, ", on %.0f images of each set", images);
    if (!isnan(noise)) sbl_html_print(out, ". Images of uniform noise would be at %g", noise);
    sbl_html_print(out,
                   ". It can be compared only with distances in the same features between "
                   "equally many images, and is not the FID, which is that of "
                   "Inception.</p>\n");
}

static void write_closest(sbl_text *out, const json_t *closest)
{
    const json_t *copies = json_object_get(closest, "copies");
    if (!json_is_object(closest)) return;
    open_table(out, "Distance to the nearest training image");
    write_row(out, "median", closest, "distance");
    sbl_html_table_close(out);
    sbl_html_print(out,
                   "<p class=\"note\">Root mean square difference of pixels between 0 and 1, to the nearest "
                   "of %.0f real images. The ceiling is the distance from real images that were not fitted: "
                   "synthetic images that are much nearer may be copies. Exact copies: %.0f of %.0f "
                   "synthetic images that were looked at, %.0f of %.0f real ones that were not fitted. This "
                   "is a smoke test and proves nothing.</p>\n",
                   sbl_fact_number_of(closest, "reference"), sbl_fact_number_of(copies, "synthetic"),
                   sbl_fact_number_of(copies, "of_synthetic"), sbl_fact_number_of(copies, "holdout"),
                   sbl_fact_number_of(copies, "of_holdout"));
}

void sbl_report_images(sbl_text *out, const json_t *evaluation)
{
    const json_t *images = json_object_get(evaluation, "images");
    if (!json_is_object(images)) return;
    const bool labelled = sbl_fact_number_of(images, "classes") != 0;
    sbl_html_section_open(out, "images", "Images compared", true);
    sbl_html_print(out,
                   "<p class=\"how\">Look at the grids first: %s A grid of real images, or of nearest real "
                   "neighbours, shows "
                   "private images as they are. %sThe <strong>floor</strong> "
                   "is images whose pixels were drawn one by one from the real images%s: they know "
                   "every pixel and no shape. The <strong>ceiling</strong> is real images instead "
                   "of synthetic ones.</p>\n",
                   labelled ? "are the classes there, and are the images within a class different "
                              "from each other?"
                            : "are the images like the real ones, and different from each other?",
                   labelled ? "The scores say how well a model that was trained on synthetic images does on "
                              "real ones; good is close to real. "
                            : "",
                   labelled ? " of their class" : "");
    write_grids(out, json_object_get(images, "grids"));
    sbl_html_fold_open(out, "The numbers: models, distances, copies");
    write_scores(out, images);
    write_frechet(out, json_object_get(images, "frechet"));
    write_closest(out, json_object_get(images, "closest"));
    sbl_html_fold_close(out);
    sbl_html_section_close(out);
}
