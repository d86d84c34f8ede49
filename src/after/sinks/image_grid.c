/* SPDX-License-Identifier: Apache-2.0 */
/* The preview: images side by side, one row per class, with a narrow white line between them. */
#include <string.h>

#include "after/sinks/image_writer.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/size.h"
#include "public/image/png.h"

#define GAP ((size_t)2)
#define GAP_VALUE 255
#define PIXELS_LIMIT ((size_t)64 << 20)

struct sbl_image_grid {
    sbl_image_shape shape;
    size_t rows;
    size_t columns;
    size_t *filled; /* (rows): images that row has */
    size_t missing; /* places without an image */
    size_t height;  /* of the picture */
    size_t width;
    size_t size; /* bytes of pixels */
    uint8_t *pixels;
};

/* columns or rows of images with a gap around each. */
static bool extent(size_t *pixels, size_t images, size_t side)
{
    return sbl_size_mul(pixels, images, side + GAP) && sbl_size_add(pixels, *pixels, GAP);
}

static bool picture_size(size_t *height, size_t *width, size_t *size, sbl_image_shape shape, size_t rows,
                         size_t columns)
{
    return sbl_image_shape_valid(shape) && rows != 0 && columns != 0 && extent(height, rows, shape.height) &&
           extent(width, columns, shape.width) && sbl_size_mul(size, *height, *width) &&
           sbl_size_mul(size, *size, shape.channels) && *size <= PIXELS_LIMIT;
}

/* One column of the most classes of the largest images, 1000 (128 + 2)^2 3 bytes, is within it. */
size_t sbl_image_grid_columns(sbl_image_shape shape, size_t rows, size_t wanted)
{
    size_t height, width, size;
    while (wanted > 1 && !picture_size(&height, &width, &size, shape, rows, wanted)) wanted--;
    return wanted;
}

sbl_status sbl_image_grid_new(sbl_image_grid **grid, sbl_image_shape shape, size_t rows, size_t columns,
                              sbl_error *err)
{
    size_t height, width, size;
    sbl_image_grid *made = NULL;
    sbl_status status = SBL_OK;
    *grid = NULL;
    if (!picture_size(&height, &width, &size, shape, rows, columns))
        return sbl_fail(err, SBL_EARG, "a preview of %zu x %zu images cannot be made", rows, columns);
    SBL_ALLOC(made, 1, "a preview");
    *made = (sbl_image_grid){.shape = shape,
                             .rows = rows,
                             .columns = columns,
                             .missing = rows * columns,
                             .height = height,
                             .width = width,
                             .size = size};
    SBL_ALLOC(made->filled, rows, "a preview");
    SBL_ALLOC(made->pixels, size, "a preview");
    memset(made->pixels, GAP_VALUE, size);
    *grid = made;
    made = NULL;
done:
    sbl_image_grid_free(made);
    return status;
}

static void place(sbl_image_grid *grid, size_t row, const uint8_t *image)
{
    const size_t channels = grid->shape.channels;
    const size_t line = grid->shape.width * channels;
    const size_t top = GAP + row * (grid->shape.height + GAP);
    const size_t left = GAP + grid->filled[row]++ * (grid->shape.width + GAP);
    for (size_t y = 0; image != NULL && y < grid->shape.height; y++)
        memcpy(grid->pixels + ((top + y) * grid->width + left) * channels, image + y * line, line);
    grid->missing--;
}

void sbl_image_grid_add(sbl_image_grid *grid, const uint8_t *pixels, const uint32_t *labels, size_t count)
{
    const size_t size = sbl_image_size(grid->shape);
    for (size_t i = 0; i < count && grid->missing > 0; i++) {
        const size_t placed = grid->rows * grid->columns - grid->missing;
        const size_t row = labels != NULL ? labels[i] : placed / grid->columns;
        if (row < grid->rows && grid->filled[row] < grid->columns)
            place(grid, row, pixels != NULL ? pixels + i * size : NULL);
    }
}

bool sbl_image_grid_full(const sbl_image_grid *grid) { return grid->missing == 0; }

size_t sbl_image_grid_rows(const sbl_image_grid *grid)
{
    size_t rows = grid->rows;
    while (rows > 0 && grid->filled[rows - 1] == 0) rows--;
    return rows;
}

sbl_status sbl_image_grid_encode_part(const sbl_image_grid *grid, size_t rows, size_t columns, sbl_text *png,
                                      size_t *height, size_t *width, sbl_error *err)
{
    *height = GAP + rows * (grid->shape.height + GAP);
    *width = GAP + columns * (grid->shape.width + GAP);
    return sbl_png_encode(png, grid->pixels, *height, *width, grid->shape.channels,
                          grid->width * grid->shape.channels, err);
}

sbl_status sbl_image_grid_encode(const sbl_image_grid *grid, sbl_text *png, sbl_error *err)
{
    size_t height, width;
    return sbl_image_grid_encode_part(grid, grid->rows, grid->columns, png, &height, &width, err);
}

sbl_status sbl_image_grid_write(const sbl_image_grid *grid, const char *path, bool overwrite, sbl_error *err)
{
    sbl_text bytes = {0};
    sbl_status status;
    SBL_TRY(sbl_image_grid_encode(grid, &bytes, err));
    SBL_TRY(sbl_file_write(path, bytes.data, bytes.length,
                           (sbl_file_write_options){.mode = 0644, .overwrite = overwrite}, err));
done:
    sbl_wipe(bytes.data, bytes.capacity);
    sbl_text_clear(&bytes);
    return status;
}

void sbl_image_grid_free(sbl_image_grid *grid)
{
    if (grid == NULL) return;
    sbl_free_wiped(grid->pixels, grid->size);
    sbl_free(grid->filled);
    sbl_free(grid);
}
