/* Every kind of PNG becomes 8-bit grey or RGB by one public rule. */
#include <stdlib.h>
#include <string.h>

#include "image/image_kit.h"
#include "image/png.h"
#include "support/cmocka_all.h"

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGB_ALPHA = 6 };

static void decode(uint8_t *pixels, const kit_png_kind *kind, const uint8_t *rows, size_t channels)
{
    kit_bytes bytes = kit_png(kind, rows);
    const sbl_image_shape shape = {kind->height, kind->width, channels};
    sbl_png_header header;
    bool fits;
    assert_int_equal(sbl_png_header_parse(&header, bytes.data, bytes.size, "x", NULL), SBL_OK);
    assert_int_equal(header.height, kind->height);
    assert_int_equal(header.width, kind->width);
    assert_int_equal(header.colour, (kind->colour_type & 2) != 0);
    assert_int_equal(sbl_png_decode(pixels, &fits, shape, bytes.data, bytes.size, NULL), SBL_OK);
    kit_free(&bytes);
}

/* A 1 x 4 image of this kind decodes to these grey values, and as RGB to the same three times. */
static void expect_grey(kit_png_kind kind, const uint8_t *row, const uint8_t expected[4])
{
    uint8_t pixels[12];
    kind.height = 1;
    kind.width = 4;
    decode(pixels, &kind, row, 1);
    assert_memory_equal(pixels, expected, 4);
    decode(pixels, &kind, row, 3);
    for (size_t i = 0; i < 12; i++) assert_int_equal(pixels[i], expected[i / 3]);
}

static void expect_colour(kit_png_kind kind, const uint8_t *row, const uint8_t expected[12])
{
    uint8_t pixels[12];
    kind.height = 1;
    kind.width = 4;
    decode(pixels, &kind, row, 3);
    assert_memory_equal(pixels, expected, 12);
}

static void grey_of_every_depth_is_scaled_to_eight_bits(void **state)
{
    (void)state;
    const kit_png_kind one = {.depth = 1, .transparent_grey = -1};
    expect_grey(one, (const uint8_t[]){0xa0}, (const uint8_t[]){255, 0, 255, 0});
    const kit_png_kind two = {.depth = 2, .transparent_grey = -1};
    expect_grey(two, (const uint8_t[]){0x1b}, (const uint8_t[]){0, 85, 170, 255});
    const kit_png_kind four = {.depth = 4, .transparent_grey = -1};
    expect_grey(four, (const uint8_t[]){0x01, 0x8f}, (const uint8_t[]){0, 17, 136, 255});
    const kit_png_kind eight = {.depth = 8, .transparent_grey = -1};
    expect_grey(eight, (const uint8_t[]){0, 1, 128, 255}, (const uint8_t[]){0, 1, 128, 255});
    const kit_png_kind sixteen = {.depth = 16, .transparent_grey = -1};
    expect_grey(sixteen, (const uint8_t[]){0, 0, 0, 200, 0x80, 0x80, 0xff, 0xff},
                (const uint8_t[]){0, 1, 128, 255});
}

static void transparent_pixels_lie_over_white(void **state)
{
    (void)state;
    const kit_png_kind alpha = {.depth = 8, .colour_type = GREY_ALPHA};
    expect_grey(alpha, (const uint8_t[]){0, 0, 0, 255, 0, 51, 100, 128},
                (const uint8_t[]){255, 0, 204, 177});
    const kit_png_kind alpha16 = {.depth = 16, .colour_type = GREY_ALPHA};
    expect_grey(alpha16,
                (const uint8_t[]){0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 51, 51, 100, 100, 128, 128},
                (const uint8_t[]){255, 0, 204, 177});
    const kit_png_kind keyed = {.depth = 8, .transparent_grey = 7};
    expect_grey(keyed, (const uint8_t[]){0, 7, 8, 7}, (const uint8_t[]){0, 255, 8, 255});
    const kit_png_kind rgba = {.depth = 8, .colour_type = RGB_ALPHA};
    expect_colour(rgba, (const uint8_t[]){1, 2, 3, 255, 1, 2, 3, 0, 255, 0, 0, 51, 0, 0, 0, 128},
                  (const uint8_t[]){1, 2, 3, 255, 255, 255, 255, 204, 204, 127, 127, 127});
}

static void palettes_are_looked_up(void **state)
{
    static const uint8_t colours[] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    static const uint8_t alphas[] = {255, 0};
    kit_png_kind kind = {.depth = 2, .colour_type = PALETTE, .palette = colours, .entries = 3};
    (void)state;
    expect_colour(kind, (const uint8_t[]){0x18},
                  (const uint8_t[]){10, 20, 30, 40, 50, 60, 70, 80, 90, 10, 20, 30});
    kind.alphas = alphas;
    kind.alpha_count = 2;
    expect_colour(kind, (const uint8_t[]){0x18},
                  (const uint8_t[]){10, 20, 30, 255, 255, 255, 70, 80, 90, 10, 20, 30});
    kind.depth = 8;
    expect_colour(kind, (const uint8_t[]){0, 1, 2, 0},
                  (const uint8_t[]){10, 20, 30, 255, 255, 255, 70, 80, 90, 10, 20, 30});
}

static void colour_of_both_depths_is_read(void **state)
{
    static const uint8_t values[12] = {1, 2, 3, 0, 0, 0, 255, 254, 253, 100, 200, 50};
    uint8_t wide[24];
    (void)state;
    for (size_t i = 0; i < 12; i++) wide[2 * i] = wide[2 * i + 1] = values[i];
    const kit_png_kind eight = {.depth = 8, .colour_type = RGB};
    expect_colour(eight, values, values);
    const kit_png_kind sixteen = {.depth = 16, .colour_type = RGB};
    expect_colour(sixteen, wide, values);
}

static void interlaced_images_equal_plain_ones(void **state)
{
    static const int types[] = {GREY, RGB, GREY_ALPHA, RGB_ALPHA};
    static const size_t channels[] = {1, 3, 2, 4};
    uint8_t *rows = malloc(19 * 23 * 4);
    uint8_t *plain = malloc(19 * 23 * 3);
    uint8_t *interlaced = malloc(19 * 23 * 3);
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        kit_png_kind kind = {
            .height = 19, .width = 23, .depth = 8, .colour_type = types[t], .transparent_grey = -1};
        for (size_t i = 0; i < 19 * 23 * channels[t]; i++) rows[i] = kit_value(i + t);
        decode(plain, &kind, rows, 3);
        kind.interlaced = 1;
        decode(interlaced, &kind, rows, 3);
        assert_memory_equal(plain, interlaced, 19 * 23 * 3);
    }
    free(rows);
    free(plain);
    free(interlaced);
}

static void largest_image_is_decoded(void **state)
{
    kit_png_kind kind = {.height = 128, .width = 128, .depth = 16, .colour_type = RGB_ALPHA};
    uint8_t *rows = calloc(128 * 128 * 8, 1);
    uint8_t *pixels = malloc(128 * 128 * 3);
    (void)state;
    for (size_t i = 0; i < 128 * 128 * 8; i++)
        rows[i] = i % 8 >= 6 ? 255 : kit_value(i); /* opaque */
    for (kind.interlaced = 0; kind.interlaced < 2; kind.interlaced++) {
        decode(pixels, &kind, rows, 3);
        for (size_t i = 0; i < 128 * 128; i++) {
            /* libpng's scaling of 16 bits: (value * 255 + 32895) >> 16. */
            const unsigned red = rows[8 * i] * 256u + rows[8 * i + 1];
            assert_int_equal(pixels[3 * i], (red * 255 + 32895) >> 16);
        }
    }
    free(rows);
    free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grey_of_every_depth_is_scaled_to_eight_bits),
        cmocka_unit_test(transparent_pixels_lie_over_white),
        cmocka_unit_test(palettes_are_looked_up),
        cmocka_unit_test(colour_of_both_depths_is_read),
        cmocka_unit_test(interlaced_images_equal_plain_ones),
        cmocka_unit_test(largest_image_is_decoded),
    };
    return cmocka_run_group_tests_name("png_pixels", tests, NULL, NULL);
}
