/* SPDX-License-Identifier: Apache-2.0 */
/* Images of any size brought to the set's: the middle in its proportions, each pixel the mean of the area that it covers.
 * Expected values are worked out by hand, or by a sum over the units of both grids, one at a time. */
#include <stdlib.h>
#include <string.h>

#include "image/image_kit.h"
#include "public/image/canvas.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

/* rgb (height, width, 3) onto a canvas of this shape; false: it has no place there. */
static bool resize(uint8_t *pixels, sbl_image_shape shape, const uint8_t *rgb, size_t height, size_t width)
{
    sbl_canvas canvas;
    assert_ok(sbl_canvas_open(&canvas, pixels, shape, true, NULL));
    const bool begun = sbl_canvas_begin(&canvas, height, width);
    for (size_t y = 0; begun && y < height; y++) sbl_canvas_row(&canvas, y, rgb + y * width * 3);
    if (begun) sbl_canvas_finish(&canvas);
    sbl_canvas_close(&canvas);
    return begun;
}

/* A grey picture as RGB; free(). */
static uint8_t *rgb_of(const uint8_t *grey, size_t size)
{
    uint8_t *rgb = malloc(3 * size);
    for (size_t i = 0; i < 3 * size; i++) rgb[i] = grey[i / 3];
    return rgb;
}

static void becomes(const uint8_t *grey, size_t height, size_t width, sbl_image_shape shape,
                    const uint8_t *wanted)
{
    uint8_t pixels[64];
    FREED(free) uint8_t *rgb = rgb_of(grey, height * width);
    assert_true(resize(pixels, shape, rgb, height, width));
    assert_memory_equal(pixels, wanted, sbl_image_size(shape));
}

TEST(pixels_are_means_of_what_they_cover)
{
    static const uint8_t four[] = {10, 20, 30, 40, 50, 60, 70, 80, 1, 1, 1, 1, 3, 3, 3, 3};
    static const uint8_t three[] = {0, 90, 255, 0, 90, 255, 0, 90, 255};
    static const uint8_t one[] = {7}, two[] = {10, 200};
    const sbl_image_shape two_by_two = {2, 2, 1};
    becomes(four, 4, 4, two_by_two, (const uint8_t[]){35, 55, 2, 2});
    becomes(four, 4, 4, (sbl_image_shape){4, 4, 1}, four);
    /* Columns 0 to 1.5 and 1.5 to 3: (0 + 90 / 2) / 1.5 and (90 / 2 + 255) / 1.5. */
    becomes(three, 3, 3, two_by_two, (const uint8_t[]){30, 200, 30, 200});
    /* Of a smaller picture every pixel is a part of one of its own, or of two. */
    becomes(one, 1, 1, two_by_two, (const uint8_t[]){7, 7, 7, 7});
    becomes(two, 1, 2, (sbl_image_shape){1, 2, 1}, two);
}

TEST(middle_is_cut_out_in_the_sets_proportions)
{
    static const uint8_t wide[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const uint8_t tall[] = {1, 2, 3, 4, 5};
    becomes(wide, 2, 5, (sbl_image_shape){2, 2, 1}, (const uint8_t[]){2, 3, 7, 8});
    becomes(wide, 1, 10, (sbl_image_shape){1, 1, 1}, (const uint8_t[]){5});
    becomes(tall, 5, 1, (sbl_image_shape){3, 1, 1}, (const uint8_t[]){2, 3, 4});
    becomes(wide, 2, 5, (sbl_image_shape){1, 2, 1}, (const uint8_t[]){4, 6}); /* 2 x 4 of it */
}

/* The same sum, written down: every unit of height from_h x to_h and of width from_w x to_w. */
static uint8_t mean_of_units(const uint8_t *rgb, size_t width, size_t top, size_t left, size_t rows,
                             size_t columns, sbl_image_shape to, size_t y, size_t x, size_t c)
{
    unsigned long sum = 0;
    for (size_t v = y * rows; v < (y + 1) * rows; v++)
        for (size_t u = x * columns; u < (x + 1) * columns; u++)
            sum += rgb[((top + v / to.height) * width + left + u / to.width) * 3 + c];
    const unsigned long units = rows * columns;
    return (uint8_t)((sum + units / 2) / units);
}

TEST(any_size_gives_the_mean_of_units)
{
    static const size_t sizes[][2] = {{5, 7}, {7, 5}, {12, 12}, {3, 3}, {1, 9}, {17, 13}, {2, 31}};
    uint8_t rgb[31 * 31 * 3], pixels[8 * 6 * 3];
    for (size_t i = 0; i < sizeof rgb; i++) rgb[i] = kit_value(i);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t h = 1; h < 9; h += 3)
            for (size_t w = 1; w < 7; w += 2) {
                const sbl_image_shape to = {h, w, 3};
                const size_t height = sizes[i][0], width = sizes[i][1];
                size_t rows = width * h / w, columns = height * w / h;
                rows = rows > height ? height : rows > 0 ? rows : 1;
                columns = columns > width ? width : columns > 0 ? columns : 1;
                assert_true(resize(pixels, to, rgb, height, width));
                for (size_t at = 0; at < h * w * 3; at++)
                    assert_int_equal(pixels[at],
                                     mean_of_units(rgb, width, (height - rows) / 2, (width - columns) / 2,
                                                   rows, columns, to, at / 3 / w, at / 3 % w, at % 3));
            }
}

TEST(pictures_that_are_too_large_have_no_place)
{
    sbl_canvas canvas;
    uint8_t pixels[4];
    assert_ok(sbl_canvas_open(&canvas, pixels, (sbl_image_shape){2, 2, 1}, true, NULL));
    assert_true(sbl_canvas_begin(&canvas, 16384, 2048));
    assert_true(sbl_canvas_begin(&canvas, 1, 16384));
    assert_false(sbl_canvas_begin(&canvas, 16384, 2049));
    assert_false(sbl_canvas_begin(&canvas, 1, 16385));
    assert_false(sbl_canvas_begin(&canvas, 0, 1));
    sbl_canvas_close(&canvas);
    assert_ok(sbl_canvas_open(&canvas, pixels, (sbl_image_shape){2, 2, 1}, false, NULL));
    assert_true(sbl_canvas_begin(&canvas, 2, 2));
    assert_false(sbl_canvas_begin(&canvas, 2, 3));
    sbl_canvas_close(&canvas);
}

/* White all over stays white: no sum runs over. */
TEST(largest_pictures_do_not_overflow)
{
    CLEARED(sbl_canvas_close) sbl_canvas canvas;
    uint8_t pixels[128 * 128];
    FREED(free) uint8_t *white = malloc(3 * 2048);
    memset(white, 255, 3 * 2048);
    assert_ok(sbl_canvas_open(&canvas, pixels, (sbl_image_shape){128, 128, 1}, true, NULL));
    assert_true(sbl_canvas_begin(&canvas, 16384, 2048));
    for (size_t y = 0; y < 16384; y++) sbl_canvas_row(&canvas, y, white);
    sbl_canvas_finish(&canvas);
    for (size_t i = 0; i < sizeof pixels; i++) assert_int_equal(pixels[i], 255);
}

/* Folders: interlaced or not, and only where it was declared, with a size. */
TEST(folders_are_resized_where_it_is_declared)
{
    const sbl_image_options resized = {.channels = 1, .height = 1, .width = 1, .resize = true};
    const sbl_image_options sized = {.channels = 1, .height = 1, .width = 1};
    const sbl_image_options unsized = {.channels = 1, .resize = true};
    const char *folder = kit_subfolder("resized");
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        const kit_png_kind kind = {
            2, .width = 4, .depth = 8, .colour_type = 0, .interlaced = interlaced, .transparent_grey = -1};
        kit_bytes file = kit_png(&kind, (const uint8_t[]){9, 10, 20, 9, 9, 30, 40, 9});
        (void)kit_file(interlaced ? "resized/b.png" : "resized/a.png", &file);
    }
    kit_bytes none = {0};
    (void)kit_file("resized/c.png", &none);
    kit_set set = kit_read(folder, NULL, &resized, 2);
    assert_memory_equal(set.pixels, ((const uint8_t[]){25, 25, 128}), 3);
    kit_set_free(&set);
    set = kit_read(folder, NULL, &sized, 2);
    assert_memory_equal(set.pixels, ((const uint8_t[]){128, 128, 128}), 3);
    kit_set_free(&set);
    kit_refused(folder, NULL, &unsized, SBL_EARG, "resizing images needs a size", "");
    kit_refused(kit_images("i", 2), NULL, &resized, SBL_EARG, "only images of a folder", "");
}

ALL_TESTS(kit_setup, kit_teardown)
