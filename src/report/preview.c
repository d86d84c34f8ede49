/* Picks the first images of each class while reading the set once, and draws the grid again with
 * fewer images until the PNG is small enough for a page. */
#include "report/preview.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "image/image_writer.h"

#define CHUNK_IMAGES ((size_t)256)
#define MOST_COLUMNS ((size_t)10)
#define ROWS_WITHOUT_LABELS ((size_t)6)
#define NUMBER_SIZE 24
#define PNG_LIMIT (SBL_PREVIEW_CHARACTERS / 4 * 3)

/* What was picked from the set, before it is laid out. */
typedef struct picked {
    sbl_image_shape shape;
    size_t rows, columns;
    bool labelled;
    size_t missing;  /* places without an image */
    size_t *filled;  /* (rows): images that a row has */
    uint8_t *pixels; /* (rows, columns, size) */
} picked;

static void clear_picked(picked *p)
{
    sbl_free(p->filled);
    sbl_free(p->pixels);
}

/* Fewer images of each class when there are many, and when they are wide: a row must stay as high
 * as its label where the picture is as narrow as a telephone. */
static size_t columns_for(size_t rows, sbl_image_shape shape)
{
    const size_t most = rows <= 10 ? MOST_COLUMNS : rows <= 20 ? 8 : 6;
    const size_t wide = MOST_COLUMNS * (shape.height + 2) / (shape.width + 2);
    const size_t columns = wide < most ? wide : most;
    return columns > 0 ? columns : 1;
}

static sbl_status start_picking(picked *p, const sbl_image_reader *reader, sbl_error *err)
{
    const size_t classes = sbl_image_reader_classes(reader);
    const size_t labelled_rows = classes < SBL_PREVIEW_CLASSES ? classes : SBL_PREVIEW_CLASSES;
    p->shape = sbl_image_reader_shape(reader);
    p->labelled = classes > 0;
    p->rows = p->labelled ? labelled_rows : ROWS_WITHOUT_LABELS;
    p->columns = columns_for(p->rows, p->shape);
    p->missing = p->rows * p->columns;
    p->filled = sbl_alloc_array(p->rows, sizeof *p->filled);
    p->pixels = sbl_alloc_array(p->missing, sbl_image_size(p->shape));
    if (p->filled != NULL && p->pixels != NULL) return SBL_OK;
    return sbl_fail(err, SBL_EMEM, "out of memory for a picture of a report");
}

static void pick(picked *p, const uint8_t *image, uint32_t label)
{
    const size_t size = sbl_image_size(p->shape);
    const size_t row =
        p->labelled ? label : (p->rows * p->columns - p->missing) / p->columns; /* one by one */
    if (row >= p->rows || p->filled[row] == p->columns) return;
    memcpy(p->pixels + (row * p->columns + p->filled[row]++) * size, image, size);
    p->missing--;
}

/* The whole set at most: a class may be rare. */
static sbl_status pick_images(picked *p, sbl_image_reader *reader, sbl_error *err)
{
    const size_t size = sbl_image_size(p->shape);
    uint8_t *pixels = sbl_alloc_array(CHUNK_IMAGES, size);
    uint32_t labels[CHUNK_IMAGES];
    sbl_status status = SBL_OK;
    if (pixels == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a picture of a report");
    while (p->missing > 0) {
        size_t got = 0;
        SBL_TRY(sbl_image_read(reader, pixels, labels, &got, CHUNK_IMAGES, err));
        if (got == 0) break;
        for (size_t i = 0; i < got && p->missing > 0; i++) pick(p, pixels + i * size, labels[i]);
    }
done:
    sbl_free(pixels);
    return status;
}

/* What has a place in so many rows and columns, as a PNG file. */
static sbl_status draw(sbl_text *png, sbl_report_preview *preview, const picked *p, sbl_error *err)
{
    const size_t size = sbl_image_size(p->shape);
    sbl_image_grid *grid = NULL;
    sbl_status status = SBL_OK;
    sbl_text_clear(png);
    SBL_TRY(sbl_image_grid_new(&grid, p->shape, preview->rows, preview->columns, err));
    if (!p->labelled) sbl_image_grid_add(grid, p->pixels, NULL, p->rows * p->columns - p->missing);
    for (size_t row = 0; p->labelled && row < preview->rows; row++) {
        uint32_t labels[MOST_COLUMNS];
        for (size_t i = 0; i < MOST_COLUMNS; i++) labels[i] = (uint32_t)row;
        sbl_image_grid_add(grid, p->pixels + row * p->columns * size, labels, p->filled[row]);
    }
    SBL_TRY(sbl_image_grid_encode(grid, png, &preview->height, &preview->width, err));
done:
    sbl_image_grid_free(grid);
    return status;
}

/* count less so many that the file should be small enough; one at least. */
static size_t fewer(size_t count, size_t file)
{
    const size_t fit = count * PNG_LIMIT / file;
    return fit > 0 ? fit : 1;
}

/* Fewer images of each class until the file is small enough, then fewer classes; without labels,
 * fewer rows first. One image always is: 128 x 128 x 3 bytes that no filter makes shorter are a
 * fifth of the limit. */
static sbl_status draw_small(sbl_text *png, sbl_report_preview *preview, const picked *p,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(draw(png, preview, p, err));
    while (png->length > PNG_LIMIT) {
        if (p->labelled ? preview->columns > 1 : preview->rows == 1)
            preview->columns = fewer(preview->columns, png->length);
        else
            preview->rows = fewer(preview->rows, png->length);
        SBL_TRY(draw(png, preview, p, err));
    }
done:
    return status;
}

static sbl_status encode(sbl_report_preview *preview, const sbl_text *png, sbl_error *err)
{
    preview->png = sbl_alloc_array((png->length + 2) / 3 * 4 + 1, 1);
    if (preview->png == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a picture of a report");
    (void)EVP_EncodeBlock((unsigned char *)preview->png, (const unsigned char *)png->data,
                          (int)png->length);
    return SBL_OK;
}

static sbl_status name_rows(sbl_report_preview *preview, const sbl_image_reader *reader,
                            const char *const *names, sbl_error *err)
{
    preview->names = sbl_alloc_array(preview->rows, sizeof *preview->names);
    for (size_t row = 0; preview->names != NULL && row < preview->rows; row++) {
        char number[NUMBER_SIZE];
        const char *name = names != NULL ? names[row] : sbl_image_reader_class_name(reader, row);
        (void)snprintf(number, sizeof number, "%zu", row);
        if (name == NULL) name = number;
        preview->names[row] = sbl_alloc_array(strlen(name) + 1, 1);
        if (preview->names[row] == NULL) break;
        memcpy(preview->names[row], name, strlen(name) + 1);
    }
    if (preview->names != NULL && preview->names[preview->rows - 1] != NULL) return SBL_OK;
    return sbl_fail(err, SBL_EMEM, "out of memory for the names of classes");
}

sbl_status sbl_report_preview_make(sbl_report_preview *preview, const sbl_image_place *synthetic,
                                   const char *const *names, sbl_error *err)
{
    sbl_image_reader *reader = NULL;
    picked p = {0};
    sbl_text png = {0};
    sbl_status status = SBL_OK;
    *preview = (sbl_report_preview){0};
    SBL_TRY(sbl_image_place_open(&reader, synthetic, err));
    SBL_TRY(start_picking(&p, reader, err));
    SBL_TRY(pick_images(&p, reader, err));
    if (p.missing == p.rows * p.columns) goto done;
    preview->classes = sbl_image_reader_classes(reader);
    preview->columns = p.columns;
    /* Without labels the last rows may be empty. */
    for (size_t row = 0; row < p.rows; row++)
        if (p.labelled || p.filled[row] > 0) preview->rows = row + 1;
    SBL_TRY(draw_small(&png, preview, &p, err));
    SBL_TRY(encode(preview, &png, err));
    if (p.labelled) SBL_TRY(name_rows(preview, reader, names, err));
done:
    if (status != SBL_OK) sbl_report_preview_clear(preview);
    sbl_text_clear(&png);
    clear_picked(&p);
    sbl_image_close(reader);
    return status;
}

void sbl_report_preview_clear(sbl_report_preview *preview)
{
    for (size_t row = 0; preview->names != NULL && row < preview->rows; row++)
        sbl_free(preview->names[row]);
    sbl_free(preview->names);
    sbl_free(preview->png);
    *preview = (sbl_report_preview){0};
}
