/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of PNG files: classes are subfolders in bytewise order; names belong to the container,
 * what the files hold to the record, but for the size of the first where none is declared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "public/image/png.h"
#include "records/image/image_file.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

static const sbl_image_options grey_set = {.channels = 1};

static void put(const char *folder, const char *name, kit_bytes bytes)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)kit_file(path, &bytes);
}

static void put_grey(const char *folder, const char *name, uint8_t first)
{
    put(folder, name, kit_png_2x2(first, 1, 2, 3));
}

static kit_bytes colour_2x2(void)
{
    const kit_png_kind rgb = {.height = 2, .width = 2, .depth = 8, .colour_type = 2};
    return kit_png(&rgb, (const uint8_t[]){10, 20, 30, 40, 50, 60, 70, 80, 90, 255, 255, 255});
}

TEST(subfolders_are_classes_in_bytewise_order)
{
    static const uint8_t order[] = {50, 51, 10, 11, 12, 30};
    static const uint32_t labels[] = {0, 0, 1, 1, 1, 3};
    static const char *const names[] = {"B", "a", "empty", "\xc3\xa9"};
    sbl_image_reader *reader;
    const char *folder = kit_subfolder("classes");
    (void)kit_subfolder("classes/a");
    (void)kit_subfolder("classes/\xc3\xa9");
    (void)kit_subfolder("classes/B");
    (void)kit_subfolder("classes/empty");
    put_grey("classes/a", "9.png", 12);
    put_grey("classes/a", "10.png", 10);
    put_grey("classes/a", "11.PNG", 11);
    put_grey("classes/B", "y.png", 51);
    put_grey("classes/B", "x.png", 50);
    put_grey("classes/\xc3\xa9", "0.png", 30);
    kit_bytes hidden = {0};
    put("classes/a", ".directory", hidden);
    for (size_t batch = 1; batch < 9; batch += 2) {
        CLEARED(kit_set_free) kit_set set = kit_read(folder, NULL, &grey_set, batch);
        assert_int_equal(set.count, 6);
        assert_int_equal(set.classes, 4);
        assert_int_equal(set.shape.channels, 1);
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(set.pixels[4 * i], order[i]);
            assert_int_equal(set.pixels[4 * i + 3], 3);
            assert_int_equal(set.labels[i], labels[i]);
        }
    }
    assert_ok(sbl_image_open(&reader, folder, NULL, NULL, NULL));
    for (size_t i = 0; i < 4; i++) assert_string_equal(sbl_image_reader_class_name(reader, i), names[i]);
    sbl_image_close(reader);
    const sbl_image_options five = {.classes = 5};
    kit_refused(folder, NULL, &five, SBL_EINPUT, "has 4 subfolders, but 5", "classes");
    kit_refused(folder, folder, NULL, SBL_EARG, "its subfolders are the labels", "classes");
}

TEST(folder_without_subfolders_has_no_labels)
{
    char slashes[300];
    const char *folder = kit_subfolder("flat");
    put_grey("flat", "b.png", 2);
    put_grey("flat", "a.png", 1);
    (void)snprintf(slashes, sizeof slashes, "%s//", folder);
    CLEARED(kit_set_free) kit_set set = kit_read(slashes, NULL, &grey_set, 9);
    assert_int_equal(set.classes, 0);
    assert_int_equal(set.pixels[0], 1);
    assert_int_equal(set.pixels[4], 2);
    assert_int_equal(set.labels[0], 0);
}

/* One image must not decide how the others are read: that would show in every output. */
TEST(colour_is_declared_and_not_found_in_a_header)
{
    const sbl_image_options rgb = {.channels = 3};
    const char *folder = kit_subfolder("mixed");
    put_grey("mixed", "a.png", 7);
    kit_set set = kit_read(folder, NULL, NULL, 9);
    assert_int_equal(set.shape.channels, 3);
    kit_set_free(&set);
    put("mixed", "b.png", colour_2x2());
    set = kit_read(folder, NULL, &rgb, 9);
    assert_int_equal(set.shape.channels, 3);
    kit_set_free(&set);
    set = kit_read(folder, NULL, NULL, 9);
    assert_int_equal(set.shape.channels, 3);
    assert_memory_equal(set.pixels, ((const uint8_t[]){7, 7, 7, 1, 1, 1}), 6);
    assert_memory_equal(set.pixels + 12, ((const uint8_t[]){10, 20, 30, 40, 50, 60}), 6);
    kit_set_free(&set);
    set = kit_read(folder, NULL, &grey_set, 9);
    assert_int_equal(set.shape.channels, 1);
    /* (299 R + 587 G + 114 B + 500) / 1000 */
    assert_memory_equal(set.pixels, ((const uint8_t[]){7, 1, 2, 3, 18, 48, 78, 255}), 8);
    kit_set_free(&set);
}

/* The set of good.png and these bytes as x.png is read; the second image is mid-grey. */
static void expect_grey(kit_bytes bytes)
{
    (void)kit_subfolder("grey");
    put_grey("grey", "good.png", 9);
    put("grey", "x.png", bytes);
    kit_set set = kit_read(in_folder(kit_folder, "grey"), NULL, &grey_set, 9);
    assert_int_equal(set.count, 2);
    assert_memory_equal(set.pixels, ((const uint8_t[]){9, 1, 2, 3, 128, 128, 128, 128}), 8);
    kit_set_free(&set);
    temp_folder_remove(in_folder(kit_folder, "grey"));
}

TEST(undecodable_pixel_data_becomes_mid_grey_in_silence)
{
    expect_grey(kit_png_header(2, 2, 8, 0));
    for (size_t size = 33; size < 33 + 12 + 10; size++) {
        kit_bytes cut = kit_png_2x2(200, 201, 202, 203);
        assert_true(cut.size > size);
        cut.size = size;
        expect_grey(cut);
    }
    for (size_t at = 37; at < 50; at++) {
        kit_bytes hurt = kit_png_2x2(200, 201, 202, 203);
        hurt.data[at] ^= 0x55;
        expect_grey(hurt);
    }
    kit_bytes rubbish = kit_png_header(2, 2, 8, 0);
    for (size_t i = 0; i < 500; i++) {
        const uint8_t value = kit_value(i);
        kit_add(&rubbish, &value, 1);
    }
    expect_grey(rubbish);
    kit_bytes two_headers = kit_png_header(2, 2, 8, 0);
    kit_bytes second = kit_png_header(128, 128, 8, 0);
    kit_add(&two_headers, second.data + 8, 25);
    kit_free(&second);
    expect_grey(two_headers);
}

TEST(file_too_large_to_be_an_image_becomes_mid_grey)
{
    kit_bytes large = kit_png_2x2(200, 201, 202, 203);
    kit_add_zeros(&large, (size_t)16 << 20);
    expect_grey(large);
}

/* These bytes as the first file, whose size would be that of all, are refused; once the size is
 * declared, and behind a good file, they are mid-grey like any other image that is none. */
static void no_image(kit_bytes bytes, const char *text)
{
    const sbl_image_options declared = {.channels = 1, .height = 2, .width = 2};
    kit_bytes again = {0};
    kit_add(&again, bytes.data, bytes.size);
    const char *folder = kit_subfolder("bad");
    put("bad", "a.png", bytes);
    put_grey("bad", "good.png", 9);
    if (text != NULL) kit_refused(folder, NULL, NULL, SBL_EINPUT, text, "bad/a.png");
    for (size_t batch = 1; batch < 4; batch += 2) {
        CLEARED(kit_set_free) kit_set set = kit_read(folder, NULL, &declared, batch);
        assert_int_equal(set.count, 2);
        assert_int_equal(set.shape.height, 2);
        assert_memory_equal(set.pixels, ((const uint8_t[]){128, 128, 128, 128, 9, 1, 2, 3}), 8);
    }
    temp_folder_remove(folder);
    expect_grey(again);
}

TEST(files_that_are_no_png_decide_nothing)
{
    kit_bytes none = {0};
    no_image(none, "is neither a PNG nor a JPEG file");
    for (size_t size = 1; size < 33; size += 4) {
        kit_bytes cut = kit_png_2x2(1, 1, 1, 1);
        cut.size = size;
        no_image(cut, "is neither a PNG nor a JPEG file");
    }
    kit_bytes crc = kit_png_2x2(1, 1, 1, 1);
    crc.data[30] ^= 1;
    no_image(crc, "damaged");
    no_image(kit_png_header(2, 2, 3, 0), "damaged");
    no_image(kit_png_header(2, 2, 16, 3), "damaged");
    no_image(kit_png_header(2, 2, 4, 2), "damaged");
    no_image(kit_png_header(2, 2, 8, 1), "damaged");
}

TEST(images_of_another_size_decide_nothing)
{
    const kit_png_kind wide = {.height = 2, .width = 3, .depth = 8, .colour_type = 0};
    const kit_png_kind small = {.height = 1, .width = 1, .depth = 8, .colour_type = 0};
    no_image(kit_png(&wide, (const uint8_t[]){1, 2, 3, 4, 5, 6}), NULL);
    no_image(kit_png(&small, (const uint8_t[]){1}), NULL);
    no_image(kit_png_header(129, 2, 8, 0), "sides must be from 1 to 128");
    no_image(kit_png_header(2, 0x7fffffff, 16, 6), "sides must be from 1 to 128");
    no_image(kit_png_header(0, 2, 8, 0), "sides must be from 1 to 128");
    no_image(kit_png_header(2, 0, 8, 0), "sides must be from 1 to 128");
}

/* Not declared, it is that of the first file; declared, no file is asked, and none need be there.
 */
TEST(size_is_declared_or_that_of_the_first_file)
{
    const kit_png_kind wide = {.height = 1, .width = 3, .depth = 8, .colour_type = 0};
    const sbl_image_options two = {.channels = 1, .height = 2, .width = 2};
    const sbl_image_options half = {.height = 2}, large = {.height = 2, .width = 129};
    const char *folder = kit_subfolder("sized");
    kit_set set = kit_read(folder, NULL, &two, 3);
    assert_int_equal(set.count, 0);
    assert_int_equal(set.shape.width, 2);
    kit_set_free(&set);
    (void)kit_subfolder("sized/a");
    (void)kit_subfolder("sized/b");
    set = kit_read(folder, NULL, &two, 3);
    assert_int_equal(set.count, 0);
    assert_int_equal(set.classes, 2);
    kit_set_free(&set);
    put("sized/b", "1.png", kit_png(&wide, (const uint8_t[]){7, 8, 9}));
    put_grey("sized/b", "2.png", 4);
    set = kit_read(folder, NULL, &grey_set, 3);
    assert_true(set.shape.height == 1 && set.shape.width == 3);
    assert_memory_equal(set.pixels, ((const uint8_t[]){7, 8, 9, 128, 128, 128}), 6);
    kit_set_free(&set);
    set = kit_read(folder, NULL, &two, 3);
    assert_memory_equal(set.pixels, ((const uint8_t[]){128, 128, 128, 128, 4, 1, 2, 3}), 8);
    kit_set_free(&set);
    kit_refused(folder, NULL, &half, SBL_EARG, "an image has 2 x 0 pixels; sides must be from 1 to 128", "");
    kit_refused(folder, NULL, &large, SBL_EARG, "an image has 2 x 129 pixels", "");
}

TEST(file_that_changes_its_size_after_opening_is_grey)
{
    sbl_image_reader *reader;
    sbl_error err = {0};
    uint8_t pixels[16];
    size_t got;
    const char *folder = kit_subfolder("moving");
    put_grey("moving", "a.png", 1);
    assert_ok(sbl_image_open(&reader, folder, NULL, NULL, &err));
    put("moving", "a.png", kit_png_header(128, 128, 8, 0));
    assert_ok(sbl_image_read(reader, pixels, NULL, &got, 1, &err));
    assert_int_equal(pixels[11], 128);
    sbl_image_close(reader);
    put_grey("moving", "a.png", 1);
    assert_ok(sbl_image_open(&reader, folder, NULL, NULL, &err));
    assert_int_equal(unlink(in_folder(kit_folder, "moving/a.png")), 0);
    assert_int_equal(sbl_image_read(reader, pixels, NULL, &got, 1, &err), SBL_EIO);
    sbl_image_close(reader);
}

TEST(strange_entries_are_refused)
{
    const sbl_image_options png = {.format = SBL_IMAGE_PNG};
    kit_bytes text = {0};
    const char *folder = kit_subfolder("strange");
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "contains no PNG or JPEG files, so the size of", "strange");
    (void)kit_subfolder("strange/a");
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "contains no PNG or JPEG files, so the size of", "strange");
    put_grey("strange/a", "1.png", 1);
    put("strange/a", "Thumbs.db", text);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "is not a PNG or JPEG file (.png", "a/Thumbs.db");
    assert_int_equal(unlink(in_folder(folder, "a/Thumbs.db")), 0);
    (void)kit_subfolder("strange/a/deeper");
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "may hold PNG and JPEG files only", "a/deeper");
    assert_int_equal(rmdir(in_folder(folder, "a/deeper")), 0);
    assert_int_equal(mkfifo(in_folder(folder, "a/pipe.png"), 0600), 0);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "neither a file nor a folder", "a/pipe.png");
    assert_int_equal(unlink(in_folder(folder, "a/pipe.png")), 0);
    assert_int_equal(symlink("nowhere", in_folder(folder, "a/link.png")), 0);
    kit_refused(folder, NULL, NULL, SBL_EIO, "cannot inspect", "a/link.png");
    assert_int_equal(unlink(in_folder(folder, "a/link.png")), 0);
    put_grey("strange/a", "new\nline.png", 1);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "control character", "strange/a");
    assert_int_equal(unlink(in_folder(folder, "a/new\nline.png")), 0);
    put_grey("strange", "loose.png", 1);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "files and folders", "strange");
    kit_refused("/nonexistent", NULL, &png, SBL_EIO, "cannot open folder", "/nonexistent");
}

/* The message is text itself: it names the folder above. */
TEST(class_names_that_are_not_utf8_are_refused)
{
    static const char *const names[] = {"\xff", "caf\xe9", "\xc3", "\xed\xa0\x80", "a\xc0\xaf"};
    char path[64];
    const char *folder = kit_subfolder("encoded");
    (void)kit_subfolder("encoded/a");
    put_grey("encoded/a", "\xe9.png", 1); /* names of files are nobody's but the folder's */
    kit_set set = kit_read(folder, NULL, NULL, 2);
    assert_int_equal(set.count, 1);
    kit_set_free(&set);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "encoded/%s", names[i]);
        const char *made = kit_subfolder(path);
        sbl_image_reader *reader;
        sbl_error err = {0};
        assert_int_equal(sbl_image_open(&reader, folder, NULL, NULL, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "/encoded: the name of a class's subfolder is not"));
        for (const char *at = err.message; *at != '\0'; at++) assert_true((*at & 0x80) == 0);
        assert_int_equal(rmdir(made), 0);
    }
}

TEST(file_of_labels_is_refused_for_a_folder)
{
    const char *flat = kit_subfolder("flat_labels");
    put_grey("flat_labels", "a.png", 1);
    kit_refused(flat, kit_labels("l", 1, 10), NULL, SBL_EARG, "its subfolders are the labels", "flat_labels");
}

TEST(unreadable_file_is_refused)
{
    const char *folder = kit_subfolder("locked");
    put_grey("locked", "a.png", 1);
    assert_int_equal(chmod(in_folder(folder, "a.png"), 0), 0);
    if (access(in_folder(folder, "a.png"), R_OK) == 0) skip(); /* root reads everything */
    kit_refused(folder, NULL, NULL, SBL_EIO, "cannot open", "a.png");
}

TEST(too_many_classes_are_refused)
{
    (void)kit_subfolder("many");
    for (size_t i = 0; i <= SBL_IMAGE_CLASS_LIMIT; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "many/%zu", i);
        (void)kit_subfolder(name);
    }
    kit_refused(in_folder(kit_folder, "many"), NULL, NULL, SBL_EINPUT, "more than 1000 subfolders", "many");
}

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGB_ALPHA = 6 };

static void decode(uint8_t *pixels, const kit_png_kind *kind, const uint8_t *rows, size_t channels)
{
    CLEARED(kit_free) kit_bytes bytes = kit_png(kind, rows);
    const sbl_image_shape shape = {kind->height, kind->width, channels};
    sbl_png_header header;
    bool fits;
    assert_ok(sbl_png_header_parse(&header, bytes.data, bytes.size, "x", NULL));
    assert_int_equal(header.height, kind->height);
    assert_int_equal(header.width, kind->width);
    assert_int_equal(header.colour, (kind->colour_type & 2) != 0);
    assert_ok(sbl_image_file_decode(pixels, &fits, shape, false, bytes.data, bytes.size, NULL));
}

/* A 1 x 4 image of this kind decodes to these grey values, and as RGB to the same three times. */
static void expect_grey_pixels(kit_png_kind kind, const uint8_t *row, const uint8_t expected[4])
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

TEST(grey_of_every_depth_is_scaled_to_eight_bits)
{
    const kit_png_kind one = {.depth = 1, .transparent_grey = -1};
    expect_grey_pixels(one, (const uint8_t[]){0xa0}, (const uint8_t[]){255, 0, 255, 0});
    const kit_png_kind two = {.depth = 2, .transparent_grey = -1};
    expect_grey_pixels(two, (const uint8_t[]){0x1b}, (const uint8_t[]){0, 85, 170, 255});
    const kit_png_kind four = {.depth = 4, .transparent_grey = -1};
    expect_grey_pixels(four, (const uint8_t[]){0x01, 0x8f}, (const uint8_t[]){0, 17, 136, 255});
    const kit_png_kind eight = {.depth = 8, .transparent_grey = -1};
    expect_grey_pixels(eight, (const uint8_t[]){0, 1, 128, 255}, (const uint8_t[]){0, 1, 128, 255});
    const kit_png_kind sixteen = {.depth = 16, .transparent_grey = -1};
    expect_grey_pixels(sixteen, (const uint8_t[]){0, 0, 0, 200, 0x80, 0x80, 0xff, 0xff},
                       (const uint8_t[]){0, 1, 128, 255});
}

TEST(transparent_pixels_lie_over_white)
{
    const kit_png_kind alpha = {.depth = 8, .colour_type = GREY_ALPHA};
    expect_grey_pixels(alpha, (const uint8_t[]){0, 0, 0, 255, 0, 51, 100, 128},
                       (const uint8_t[]){255, 0, 204, 177});
    const kit_png_kind alpha16 = {.depth = 16, .colour_type = GREY_ALPHA};
    expect_grey_pixels(alpha16,
                       (const uint8_t[]){0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 51, 51, 100, 100, 128, 128},
                       (const uint8_t[]){255, 0, 204, 177});
    const kit_png_kind keyed = {.depth = 8, .transparent_grey = 7};
    expect_grey_pixels(keyed, (const uint8_t[]){0, 7, 8, 7}, (const uint8_t[]){0, 255, 8, 255});
    const kit_png_kind rgba = {.depth = 8, .colour_type = RGB_ALPHA};
    expect_colour(rgba, (const uint8_t[]){1, 2, 3, 255, 1, 2, 3, 0, 255, 0, 0, 51, 0, 0, 0, 128},
                  (const uint8_t[]){1, 2, 3, 255, 255, 255, 255, 204, 204, 127, 127, 127});
}

TEST(palettes_are_looked_up)
{
    static const uint8_t colours[] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    static const uint8_t alphas[] = {255, 0};
    kit_png_kind kind = {.depth = 2, .colour_type = PALETTE, .palette = colours, .entries = 3};
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

TEST(colour_of_both_depths_is_read)
{
    static const uint8_t values[12] = {1, 2, 3, 0, 0, 0, 255, 254, 253, 100, 200, 50};
    uint8_t wide[24];
    for (size_t i = 0; i < 12; i++) wide[2 * i] = wide[2 * i + 1] = values[i];
    const kit_png_kind eight = {.depth = 8, .colour_type = RGB};
    expect_colour(eight, values, values);
    const kit_png_kind sixteen = {.depth = 16, .colour_type = RGB};
    expect_colour(sixteen, wide, values);
}

TEST(interlaced_images_equal_plain_ones)
{
    static const int types[] = {GREY, RGB, GREY_ALPHA, RGB_ALPHA};
    static const size_t channels[] = {1, 3, 2, 4};
    FREED(free) uint8_t *rows = malloc(19 * 23 * 4);
    FREED(free) uint8_t *plain = malloc(19 * 23 * 3);
    FREED(free) uint8_t *interlaced = malloc(19 * 23 * 3);
    for (size_t t = 0; t < 4; t++) {
        kit_png_kind kind = {
            .height = 19, .width = 23, .depth = 8, .colour_type = types[t], .transparent_grey = -1};
        for (size_t i = 0; i < 19 * 23 * channels[t]; i++) rows[i] = kit_value(i + t);
        decode(plain, &kind, rows, 3);
        kind.interlaced = 1;
        decode(interlaced, &kind, rows, 3);
        assert_memory_equal(plain, interlaced, 19 * 23 * 3);
    }
}

TEST(largest_image_is_decoded)
{
    kit_png_kind kind = {.height = 128, .width = 128, .depth = 16, .colour_type = RGB_ALPHA};
    FREED(free) uint8_t *rows = calloc(128 * 128 * 8, 1);
    FREED(free) uint8_t *pixels = malloc(128 * 128 * 3);
    for (size_t i = 0; i < 128 * 128 * 8; i++) rows[i] = i % 8 >= 6 ? 255 : kit_value(i); /* opaque */
    for (kind.interlaced = 0; kind.interlaced < 2; kind.interlaced++) {
        decode(pixels, &kind, rows, 3);
        for (size_t i = 0; i < 128 * 128; i++) {
            /* libpng's scaling of 16 bits: (value * 255 + 32895) >> 16. */
            const unsigned red = rows[8 * i] * 256u + rows[8 * i + 1];
            assert_int_equal(pixels[3 * i], (red * 255 + 32895) >> 16);
        }
    }
}

ALL_TESTS(kit_setup, kit_teardown)
