/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG files: in folders, beside PNG files; every kind that is decoded; hostile ones, which are mid-grey. What is
 * expected was made with libjpeg-turbo's encoder at quality 100, which is exact to about one step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "image/jpeg_kit.h"
#include "records/image/image_file.h"
#include "records/image/jpeg.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define SIDE 24

/* The n-th decoder from now on finds no memory in libjpeg; 0: none. */
static long no_memory_in;

void __real_jpeg_CreateDecompress(j_decompress_ptr jpeg, int version, size_t size);
void __wrap_jpeg_CreateDecompress(j_decompress_ptr jpeg, int version, size_t size);

void __wrap_jpeg_CreateDecompress(j_decompress_ptr jpeg, int version, size_t size)
{
    __real_jpeg_CreateDecompress(jpeg, version, size);
    if (no_memory_in == 0 || --no_memory_in != 0) return;
    jpeg->err->msg_code = JERR_OUT_OF_MEMORY;
    jpeg->err->error_exit((j_common_ptr)jpeg);
}

/* A smooth picture, which no transform blurs: (SIDE, SIDE, numbers). */
static const uint8_t *smooth(int numbers)
{
    static uint8_t pixels[SIDE * SIDE * 4];
    size_t at = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int c = 0; c < numbers; c++)
                pixels[at++] = (uint8_t)(40 + (c == 1 ? 160 - 6 * x : 5 * x) + (c + 1) * y);
    return pixels;
}

static kit_jpeg_kind of(int numbers)
{
    return (kit_jpeg_kind){.height = SIDE, .width = SIDE, .numbers = numbers};
}

/* Decode; false: it became mid-grey, every pixel of it. */
static bool decodes(uint8_t *pixels, size_t channels, const kit_bytes *file)
{
    const sbl_image_shape shape = {SIDE, SIDE, channels};
    bool fits;
    sbl_error err = {0};
    memset(pixels, 77, sbl_image_size(shape));
    assert_ok(sbl_image_file_decode(pixels, &fits, shape, false, file->data, file->size, &err));
    for (size_t i = 0; !fits && i < sbl_image_size(shape); i++) assert_int_equal(pixels[i], 128);
    return fits;
}

static void is_near(const uint8_t *pixels, const uint8_t *wanted, size_t size, int within)
{
    for (size_t i = 0; i < size; i++)
        if (abs(pixels[i] - wanted[i]) > within) fail_msg("pixel %zu: %d, not %d", i, pixels[i], wanted[i]);
}

TEST(every_kind_of_colour_is_decoded)
{
    uint8_t pixels[SIDE * SIDE * 3];
    for (int how = 0; how < 8; how++) {
        kit_jpeg_kind kind = of(3);
        kind.as_rgb = how & 1;
        kind.progressive = how & 2;
        kind.arithmetic = how & 4;
        kit_bytes file = kit_jpeg(&kind, smooth(3));
        assert_true(decodes(pixels, 3, &file));
        is_near(pixels, smooth(3), sizeof pixels, 3);
        kit_free(&file);
    }
    const kit_jpeg_kind grey = of(1);
    kit_bytes file = kit_jpeg(&grey, smooth(1));
    assert_true(decodes(pixels, 3, &file));
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        assert_true(pixels[3 * i] == pixels[3 * i + 1] && pixels[3 * i] == pixels[3 * i + 2]);
        assert_true(abs(pixels[3 * i] - smooth(1)[i]) <= 1);
    }
    assert_true(decodes(pixels, 1, &file));
    is_near(pixels, smooth(1), SIDE * SIDE, 1);
    kit_free(&file);
}

TEST(colours_that_are_sampled_are_interpolated)
{
    uint8_t pixels[SIDE * SIDE * 3];
    kit_jpeg_kind kind = of(3);
    kind.sampling = 2;
    kind.restart = 1;
    CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
    assert_true(decodes(pixels, 3, &file));
    is_near(pixels, smooth(3), sizeof pixels, 9);
}

/* A grey set takes (299 R + 587 G + 114 B + 500) / 1000 of what a set in colour gets. */
TEST(grey_sets_get_the_grey_of_png_files)
{
    uint8_t colour[SIDE * SIDE * 3], grey[SIDE * SIDE];
    const kit_jpeg_kind kind = of(3);
    CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
    assert_true(decodes(colour, 3, &file) && decodes(grey, 1, &file));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(
            grey[i], (299 * colour[3 * i] + 587 * colour[3 * i + 1] + 114 * colour[3 * i + 2] + 500) / 1000);
}

/* Red is what cyan and black leave: (255 - C) (255 - K) / 255. */
TEST(inks_become_colours)
{
    uint8_t pixels[SIDE * SIDE * 3], wanted[SIDE * SIDE * 3];
    for (int adobe = 0; adobe < 2; adobe++) {
        kit_jpeg_kind kind = of(4);
        kind.no_adobe = adobe == 0;
        const uint8_t *inks = smooth(4);
        for (size_t i = 0; i < SIDE * SIDE; i++)
            for (size_t c = 0; c < 3; c++) {
                const int ink = inks[4 * i + c], black = inks[4 * i + 3];
                wanted[3 * i + c] =
                    (uint8_t)(adobe ? (ink * black + 127) / 255 : ((255 - ink) * (255 - black) + 127) / 255);
            }
        CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, inks);
        assert_true(decodes(pixels, 3, &file));
        is_near(pixels, wanted, sizeof pixels, 3);
    }
}

TEST(files_that_are_cut_short_are_mid_grey)
{
    uint8_t pixels[SIDE * SIDE * 3];
    for (int progressive = 0; progressive < 2; progressive++) {
        kit_jpeg_kind kind = of(3);
        kind.progressive = progressive;
        CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
        const size_t whole = file.size;
        /* The last two bytes end the file; without them every pixel may be there. */
        for (file.size = 3; file.size + 4 < whole; file.size++) assert_false(decodes(pixels, 3, &file));
        file.size = whole;
        assert_true(decodes(pixels, 3, &file));
    }
}

/* Any byte may be another one: the answer is an image, or mid-grey, the same twice, and never a word. */
TEST(files_that_are_damaged_are_an_image_or_mid_grey)
{
    uint8_t pixels[SIDE * SIDE * 3], again[SIDE * SIDE * 3];
    size_t grey = 0, tried = 0;
    for (int how = 0; how < 4; how++) {
        kit_jpeg_kind kind = of(3);
        kind.progressive = how & 1;
        kind.arithmetic = how & 2;
        kind.restart = 2;
        CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
        for (size_t at = 0; at < file.size; at++, tried++) {
            file.data[at] ^= (uint8_t)(1U << at % 8);
            const bool fits = decodes(pixels, 3, &file);
            assert_int_equal(decodes(again, 3, &file), fits);
            assert_memory_equal(pixels, again, sizeof pixels);
            grey += !fits;
            file.data[at] ^= (uint8_t)(1U << at % 8);
        }
    }
    assert_true(grey > tried / 20 && grey < tried);
}

static void put_u16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* The frame header says: precision, height, width. */
TEST(sizes_and_depths_that_are_not_the_sets_are_mid_grey)
{
    static const unsigned sizes[][2] = {{65535, 65535}, {SIDE, 65535}, {SIDE + 1, SIDE},
                                        {SIDE, 1},      {0, SIDE},     {SIDE, 0}};
    uint8_t pixels[SIDE * SIDE * 3];
    for (int progressive = 0; progressive < 2; progressive++) {
        kit_jpeg_kind kind = of(3);
        kind.progressive = progressive;
        CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
        uint8_t *frame = file.data + kit_jpeg_frame(&file);
        assert_int_equal(frame[4], 8);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            put_u16(frame + 5, sizes[i][0]);
            put_u16(frame + 7, sizes[i][1]);
            assert_false(decodes(pixels, 3, &file));
        }
        put_u16(frame + 5, SIDE);
        put_u16(frame + 7, SIDE);
        assert_true(decodes(pixels, 3, &file));
        frame[4] = 12;
        assert_false(decodes(pixels, 3, &file));
    }
}

/* The file with its last scan, from its header (0xff 0xda) on, `more` times again. */
static void repeat_last_scan(kit_bytes *file, int more)
{
    size_t last = file->size - 2;
    while (file->data[last] != 0xff || file->data[last + 1] != 0xda) last--;
    const size_t size = file->size - 2 - last;
    FREED(free) uint8_t *scan = malloc(size);
    memcpy(scan, file->data + last, size);
    file->size -= 2;
    for (int i = 0; i < more; i++) kit_add(file, scan, size);
    kit_add(file, "\xff\xd9", 2);
}

/* Each scan costs a pass over the picture: a file of very many is no image. */
TEST(files_of_very_many_scans_are_mid_grey)
{
    uint8_t pixels[SIDE * SIDE * 3];
    kit_jpeg_kind kind = of(3);
    kind.separate = true;
    for (int more = 0; more < 6000; more = more * 10 + 6) {
        CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
        repeat_last_scan(&file, more);
        assert_int_equal(decodes(pixels, 3, &file), more < 64 - 3);
        if (more < 64 - 3) is_near(pixels, smooth(3), sizeof pixels, 3);
    }
}

/* Pixels are taken as they are stored: what EXIF says of the camera is not looked at. */
TEST(texts_and_exif_change_nothing)
{
    static const uint8_t exif[] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0,    0, 'I', 'I',
                                   42,   0,    8, 0,  0,   0,   1,   0,   0x12, 1, 3,   0,
                                   1,    0,    0, 0,  6,   0,   0,   0,   0,    0, 0,   0};
    uint8_t pixels[SIDE * SIDE * 3], turned[SIDE * SIDE * 3];
    const kit_jpeg_kind kind = of(3);
    kit_bytes file = kit_jpeg(&kind, smooth(3)), with = {0};
    kit_add(&with, file.data, 2);
    kit_add(&with, exif, sizeof exif);
    kit_add(&with, "\xff\xfe\0\4hi", 6);
    kit_add(&with, file.data + 2, file.size - 2);
    assert_true(decodes(pixels, 3, &file) && decodes(turned, 3, &with));
    assert_memory_equal(pixels, turned, sizeof pixels);
    kit_free(&file);
    kit_free(&with);
}

static void put(const char *folder, const char *name, kit_bytes bytes)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)kit_file(path, &bytes);
}

static kit_bytes png_of(const uint8_t *rows)
{
    const kit_png_kind kind = {.height = SIDE, .width = SIDE, .depth = 8, .colour_type = 2};
    return kit_png(&kind, rows);
}

/* Names say what a folder may hold; what a file is, its own bytes say. */
TEST(folders_hold_png_and_jpeg_files)
{
    const kit_jpeg_kind kind = of(3);
    const size_t size = (size_t)SIDE * SIDE * 3;
    const char *folder = kit_subfolder("both");
    (void)kit_subfolder("both/x");
    (void)kit_subfolder("both/y");
    put("both/x", "1.jpg", kit_jpeg(&kind, smooth(3)));
    put("both/x", "2.png", png_of(smooth(3)));
    put("both/x", "3.JPEG", png_of(smooth(3)));
    put("both/y", "1.png", kit_jpeg(&kind, smooth(3)));
    put("both/y", "2.jpeg", (kit_bytes){0});
    for (size_t batch = 1; batch < 6; batch += 4) {
        CLEARED(kit_set_free) kit_set set = kit_read(folder, NULL, NULL, batch);
        assert_int_equal(set.count, 5);
        assert_int_equal(set.classes, 2);
        assert_true(set.shape.height == SIDE && set.shape.width == SIDE);
        for (size_t i = 0; i < 4; i++) is_near(set.pixels + i * size, smooth(3), size, 3);
        for (size_t i = 4 * size; i < 5 * size; i++) assert_int_equal(set.pixels[i], 128);
        assert_int_equal(set.labels[2], 0);
        assert_int_equal(set.labels[3], 1);
    }
}

TEST(first_file_that_gives_the_size_must_have_one)
{
    const kit_jpeg_kind kind = of(3);
    const char *folder = kit_subfolder("first");
    kit_bytes file = kit_jpeg(&kind, smooth(3));
    put_u16(file.data + kit_jpeg_frame(&file) + 5, 129);
    put("first", "a.jpg", file);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "an image has 129 x 24 pixels; sides must be", "a.jpg");
    file = (kit_bytes){0};
    kit_add(&file, "\xff\xd8\xff\xe0\0\20JFIF........................................", 50);
    put("first", "a.jpg", file);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "the header of the JPEG file is damaged", "a.jpg");
    put("first", "a.jpg", (kit_bytes){0});
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "is neither a PNG nor a JPEG file", "a.jpg");
}

/* Of the machine's memory: that is no image's fault, and turns none grey. */
TEST(lack_of_memory_in_libjpeg_is_said)
{
    const kit_jpeg_kind kind = of(3);
    const sbl_image_shape shape = {SIDE, SIDE, 3};
    uint8_t pixels[SIDE * SIDE * 3];
    size_t height, width;
    bool fits;
    CLEARED(kit_free) kit_bytes file = kit_jpeg(&kind, smooth(3));
    no_memory_in = 1;
    assert_int_equal(sbl_image_file_decode(pixels, &fits, shape, false, file.data, file.size, NULL),
                     SBL_EMEM);
    assert_false(fits);
    no_memory_in = 1;
    assert_int_equal(sbl_image_file_size(&height, &width, file.data, file.size, "x", NULL), SBL_EMEM);
    no_memory_in = 0;
    assert_ok(sbl_image_file_size(&height, &width, file.data, file.size, "x", NULL));
    assert_true(height == SIDE && width == SIDE);
}

TEST(library_is_named)
{
    assert_non_null(sbl_jpeg_library());
    assert_non_null(strstr(sbl_jpeg_library(), "libjpeg"));
}

ALL_TESTS(kit_setup, kit_teardown)
