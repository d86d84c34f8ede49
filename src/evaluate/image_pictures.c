/* Pastes images into one canvas and encodes it as PNG in base64; nearest neighbours by exact
 * integer distances. NOT PRIVATE. */
#include "evaluate/image_pictures.h"

#include <math.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/memory.h"
#include "image/png_write.h"

#define GAP 2
#define WHITE 255

static void paste(uint8_t *canvas, size_t canvas_width, const sbl_picture *place, size_t top,
                  size_t left)
{
    const sbl_image_shape shape = place->from->shape;
    const size_t line = shape.width * shape.channels;
    const uint8_t *pixels = place->from->pixels + place->index * sbl_image_size(shape);
    for (size_t y = 0; y < shape.height; y++)
        memcpy(canvas + ((top + y) * canvas_width + left) * shape.channels, pixels + y * line,
               line);
}

/* The PNG file as base64 text; NULL when out of memory. */
static json_t *base64_of(const sbl_text *png)
{
    char *text = sbl_alloc_array(png->length / 3 * 4 + 8, 1);
    if (text == NULL) return NULL;
    (void)EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)png->data,
                          (int)png->length);
    json_t *value = json_string(text);
    sbl_free(text);
    return value;
}

sbl_status sbl_picture_grid(json_t **grid, const char *caption, const sbl_picture *places,
                            size_t rows, size_t columns, sbl_image_shape shape, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t height = rows * (shape.height + GAP) + GAP;
    const size_t width = columns * (shape.width + GAP) + GAP;
    const size_t size = height * width * shape.channels;
    sbl_text png = {0};
    *grid = NULL;
    uint8_t *canvas = sbl_alloc_array(size, 1);
    if (canvas == NULL) SBL_TRY(sbl_fail(err, SBL_EMEM, "out of memory for a grid of images"));
    memset(canvas, WHITE, size);
    for (size_t i = 0; i < rows * columns; i++)
        if (places[i].from != NULL)
            paste(canvas, width, &places[i], GAP + i / columns * (shape.height + GAP),
                  GAP + i % columns * (shape.width + GAP));
    SBL_TRY(sbl_png_encode(&png, canvas, height, width, shape.channels, err));
    *grid = json_pack("{s:s,s:o}", "caption", caption, "png_base64", base64_of(&png));
    if (*grid == NULL) SBL_TRY(sbl_fail(err, SBL_EMEM, "out of memory for a grid of images"));
done:
    sbl_free_wiped(canvas, size);
    sbl_text_clear(&png);
    return status;
}

sbl_status sbl_picture_classes(json_t **grid, const char *caption, const sbl_image_data *images,
                               sbl_error *err)
{
    sbl_picture places[SBL_PICTURE_ROWS * SBL_PICTURE_COLUMNS] = {0};
    size_t filled[SBL_PICTURE_ROWS] = {0};
    size_t rows = images->classes != 0 ? images->classes : SBL_PICTURE_ROWS / 2;
    if (rows > SBL_PICTURE_ROWS) rows = SBL_PICTURE_ROWS;
    for (size_t i = 0; i < images->count; i++) {
        const size_t row = images->classes != 0 ? images->labels[i] : i / SBL_PICTURE_COLUMNS;
        if (row >= rows || filled[row] == SBL_PICTURE_COLUMNS) continue;
        places[row * SBL_PICTURE_COLUMNS + filled[row]++] =
            (sbl_picture){.from = images, .index = i};
    }
    return sbl_picture_grid(grid, caption, places, rows, SBL_PICTURE_COLUMNS, images->shape, err);
}

/* Exact: at most 128 x 128 x 3 differences of 255^2. */
static uint64_t squared_distance(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < size; j++) {
        const int difference = (int)a[j] - (int)b[j];
        sum += (uint64_t)(difference * difference);
    }
    return sum;
}

void sbl_image_nearest(uint32_t *index, double *distance, size_t count, const uint8_t *image,
                       const sbl_image_data *real)
{
    uint64_t best[SBL_MAX_NEIGHBOURS];
    const size_t size = sbl_image_size(real->shape);
    size_t found = 0;
    for (size_t i = 0; i < real->count; i++) {
        const uint64_t d = squared_distance(image, real->pixels + i * size, size);
        if (found == count && d >= best[count - 1]) continue;
        size_t place = found < count ? found++ : count - 1;
        for (; place > 0 && best[place - 1] > d; place--) {
            best[place] = best[place - 1];
            index[place] = index[place - 1];
        }
        best[place] = d;
        index[place] = (uint32_t)i;
    }
    for (size_t k = 0; k < count; k++) distance[k] = sqrt((double)best[k] / (double)size) / 255;
}
