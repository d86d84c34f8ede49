/* The picture of synthetic images, with the names of its rows. */
#include "report/html.h"
#include "report/sections.h"

/* On a wide page a picture of small images is shown larger, by whole steps, so that every pixel
 * stays a square. */
#define SHOWN_WIDTH 640
#define SHOWN_HEIGHT 1280

static size_t steps_for(const sbl_report_preview *preview)
{
    const size_t across = SHOWN_WIDTH / preview->width;
    const size_t down = SHOWN_HEIGHT / preview->height;
    const size_t steps = across < down ? across : down;
    return steps > 0 ? steps : 1;
}

static void write_caption(sbl_text *out, const sbl_report_preview *preview)
{
    sbl_html_print(out, "<figcaption><strong>Synthetic images%s</strong> ",
                   preview->classes > 0 ? ", one row for each class" : "");
    if (preview->classes == 0)
        sbl_html_print(out, "The first ones of the set.");
    else if (preview->columns == 1)
        sbl_html_print(out, "The first one of each class.");
    else
        sbl_html_print(out, "Up to %zu of each class, the first ones of the set.",
                       preview->columns);
    if (preview->rows < preview->classes)
        sbl_html_print(out,
                       " %zu of %zu classes are shown; %zu are left out to keep this page small.",
                       preview->rows, preview->classes, preview->classes - preview->rows);
    sbl_html_print(out, "</figcaption>\n");
}

static void write_picture(sbl_text *out, const sbl_report_preview *preview)
{
    const size_t steps = steps_for(preview);
    sbl_html_print(out, "<div class=\"preview\">\n");
    if (preview->names != NULL) {
        sbl_html_print(out, "<ul aria-label=\"Classes, from the top row to the last\">\n");
        for (size_t row = 0; row < preview->rows; row++)
            sbl_html_print(out, "<li><span>%.40s</span></li>\n", preview->names[row]);
        sbl_html_print(out, "</ul>\n");
    }
    sbl_html_print(out,
                   "<img alt=\"A grid of synthetic images: %zu %s of up to %zu%s\" "
                   "width=\"%zu\" height=\"%zu\" src=\"data:image/png;base64,%s\">\n</div>\n",
                   preview->rows, preview->rows == 1 ? "row" : "rows", preview->columns,
                   preview->names != NULL ? ", one for each class named beside it" : "",
                   steps * preview->width, steps * preview->height, preview->png);
}

void sbl_report_show_preview(sbl_text *out, const sbl_report_preview *preview, bool guaranteed)
{
    sbl_html_section_open(out, "preview", "Synthetic images", false);
    sbl_html_print(out, "<p class=\"how\">These images are <strong>synthetic</strong>. ");
    if (preview->given)
        sbl_html_print(out,
                       "They come from the set that was named as the synthetic one when this page "
                       "was written. They were not held against the files that the certificate "
                       "lists: that they were made from its releases, and from nothing else, is "
                       "the word of whoever wrote the page.");
    else
        sbl_html_print(out,
                       "They were drawn by a generator that learned from the released sums and "
                       "saw no private image.");
    if (guaranteed)
        sbl_html_print(out,
                       " What is made from the release is covered by the guarantee below, and may "
                       "be published.");
    sbl_html_print(out, "</p>\n<figure>\n");
    write_caption(out, preview);
    write_picture(out, preview);
    sbl_html_print(out, "</figure>\n");
    sbl_html_section_close(out);
}
