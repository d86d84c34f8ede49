/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the first images of each class while reading the set once, draws the grid again with
 * fewer images until the PNG is small enough for a page, and shows it with the names of its rows. */
#include "owner/report/preview.h"

#include <stdio.h>
#include <string.h>

#include "after/sinks/image_writer.h"
#include "base/alloc.h"
#include "base/text.h"
#include "owner/report/html.h"
#include "public/image/png.h"

#define CHUNK_IMAGES ((size_t)256)
#define MOST_COLUMNS ((size_t)10)
#define ROWS_WITHOUT_LABELS ((size_t)6)
#define NUMBER_SIZE 24
#define PICTURE "a picture of a report"
#define PNG_LIMIT (SBL_PREVIEW_CHARACTERS / 4 * 3)

/* Fewer images of each class when there are many, and when they are wide: a row must stay as high
 * as its label where the picture is as narrow as a telephone. */
static size_t columns_for(size_t rows, sbl_image_shape shape)
{
    const size_t most = rows <= 10 ? MOST_COLUMNS : rows <= 20 ? 8 : 6;
    const size_t wide = MOST_COLUMNS * (shape.height + 2) / (shape.width + 2);
    const size_t columns = wide < most ? wide : most;
    return columns > 0 ? columns : 1;
}

/* The whole set at most: a class may be rare. */
static sbl_status pick_images(sbl_image_grid *grid, sbl_image_reader *reader, sbl_error *err)
{
    const bool labelled = sbl_image_reader_classes(reader) > 0;
    const size_t size = sbl_image_size(sbl_image_reader_shape(reader));
    uint8_t *pixels = NULL;
    uint32_t labels[CHUNK_IMAGES];
    sbl_status status = SBL_OK;
    SBL_ALLOC(pixels, CHUNK_IMAGES * size, PICTURE);
    while (!sbl_image_grid_full(grid)) {
        size_t got = 0;
        SBL_TRY(sbl_image_read(reader, pixels, labels, &got, CHUNK_IMAGES, err));
        if (got == 0) break;
        sbl_image_grid_add(grid, pixels, labelled ? labels : NULL, got);
    }
done:
    sbl_free(pixels);
    return status;
}

static sbl_status draw(sbl_text *png, sbl_report_preview *preview, const sbl_image_grid *grid, sbl_error *err)
{
    sbl_text_clear(png);
    return sbl_image_grid_encode_part(grid, preview->rows, preview->columns, png, &preview->height,
                                      &preview->width, err);
}

/* count minus enough that the file should be small enough; at least one. */
static size_t fewer(size_t count, size_t file)
{
    const size_t fit = count * PNG_LIMIT / file;
    return fit > 0 ? fit : 1;
}

/* Fewer images of each class until the file is small enough, then fewer classes; without labels,
 * fewer rows first. One image always is: 128 x 128 x 3 bytes that no filter makes shorter are a
 * fifth of the limit. */
static sbl_status draw_small(sbl_text *png, sbl_report_preview *preview, const sbl_image_grid *grid,
                             sbl_error *err)
{
    SBL_CHECK(draw(png, preview, grid, err));
    while (png->length > PNG_LIMIT) {
        if (preview->classes > 0 ? preview->columns > 1 : preview->rows == 1)
            preview->columns = fewer(preview->columns, png->length);
        else
            preview->rows = fewer(preview->rows, png->length);
        SBL_CHECK(draw(png, preview, grid, err));
    }
    return SBL_OK;
}

static sbl_status name_rows(sbl_report_preview *preview, const sbl_image_reader *reader,
                            const char *const *names, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_ALLOC(preview->names, preview->rows, "the names of classes");
    for (size_t row = 0; row < preview->rows; row++) {
        char number[NUMBER_SIZE];
        const char *name = names != NULL ? names[row] : sbl_image_reader_class_name(reader, row);
        (void)snprintf(number, sizeof number, "%zu", row);
        if (name == NULL) name = number;
        SBL_ALLOC(preview->names[row], strlen(name) + 1, "the names of classes");
        memcpy(preview->names[row], name, strlen(name) + 1);
    }
done:
    return status;
}

sbl_status sbl_report_preview_make(sbl_report_preview *preview, const sbl_image_place *synthetic,
                                   const char *const *names, sbl_error *err)
{
    sbl_image_reader *reader = NULL;
    sbl_image_grid *grid = NULL;
    sbl_text png = {0};
    sbl_status status = SBL_OK;
    *preview = (sbl_report_preview){0};
    SBL_TRY(sbl_image_place_open(&reader, synthetic, err));
    const sbl_image_shape shape = sbl_image_reader_shape(reader);
    const size_t classes = sbl_image_reader_classes(reader);
    const size_t rows = classes == 0                    ? ROWS_WITHOUT_LABELS
                        : classes < SBL_PREVIEW_CLASSES ? classes
                                                        : SBL_PREVIEW_CLASSES;
    const size_t columns = columns_for(rows, shape);
    SBL_TRY(sbl_image_grid_new(&grid, shape, rows, columns, err));
    SBL_TRY(pick_images(grid, reader, err));
    if (sbl_image_grid_rows(grid) == 0) goto done;
    preview->classes = classes;
    preview->columns = columns;
    preview->rows = classes > 0 ? rows : sbl_image_grid_rows(grid);
    SBL_TRY(draw_small(&png, preview, grid, err));
    SBL_TRY(sbl_png_base64(&preview->png, &png, err));
    if (classes > 0) SBL_TRY(name_rows(preview, reader, names, err));
done:
    if (status != SBL_OK) sbl_report_preview_clear(preview);
    sbl_text_clear(&png);
    sbl_image_grid_free(grid);
    sbl_image_close(reader);
    return status;
}

void sbl_report_preview_clear(sbl_report_preview *preview)
{
    for (size_t row = 0; preview->names != NULL && row < preview->rows; row++) sbl_free(preview->names[row]);
    sbl_free(preview->names);
    sbl_free(preview->png);
    *preview = (sbl_report_preview){0};
}

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
        sbl_html_print(out, "Up to %zu of each class, the first ones of the set.", preview->columns);
    if (preview->rows < preview->classes)
        sbl_html_print(out, " %zu of %zu classes are shown; %zu are left out to keep this page small.",
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
                       "was written. They were not checked against the files that the certificate "
                       "lists: only the author of the page says that they were made from its "
                       "releases and from nothing else.");
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
