/* SPDX-License-Identifier: Apache-2.0 */
/* What is written reads back as it was, appears whole or not at all, and leaves nothing behind. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "public/image/png.h"
#include "records/image/image_file.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define COUNT ((size_t)37)

static const sbl_image_shape small_grey = {5, 4, 1};
static const sbl_image_shape small_rgb = {4, 5, 3};
static const sbl_image_shape cifar_shape = {32, 32, 3};

static size_t entries(const char *path)
{
    size_t count = 0;
    const struct dirent *entry;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(folder);
    return count;
}

/* The made-up set: COUNT images, labels i % 7 % classes. */
static void fill(uint8_t *pixels, uint32_t *labels, sbl_image_shape shape, size_t classes)
{
    for (size_t i = 0; i < COUNT * sbl_image_size(shape); i++) pixels[i] = kit_value(i);
    for (size_t i = 0; i < COUNT; i++) labels[i] = classes != 0 ? (uint32_t)(i % 7 % classes) : 0;
}

static sbl_status write_set(const char *images, const char *labels_path,
                            const sbl_image_write_options *options, sbl_error *err)
{
    const size_t size = sbl_image_size(options->shape);
    uint8_t *pixels = malloc(COUNT * size);
    uint32_t labels[COUNT];
    sbl_image_writer *writer;
    fill(pixels, labels, options->shape, options->classes);
    sbl_status status = sbl_image_writer_open(&writer, images, labels_path, options, err);
    for (size_t at = 0; status == SBL_OK && at < COUNT; at += 10) {
        const size_t part = COUNT - at < 10 ? COUNT - at : 10;
        status = sbl_image_write(writer, pixels + at * size, options->classes != 0 ? labels + at : NULL, part,
                                 err);
    }
    if (status == SBL_OK) status = sbl_image_writer_finish(writer, err);
    sbl_image_writer_free(writer);
    free(pixels);
    return status;
}

static void write_good(const char *images, const char *labels, const sbl_image_write_options *options)
{
    sbl_error err = {0};
    assert_ok_or_say(write_set(images, labels, options, &err));
}

static void check_back(const char *images, const char *labels_path, const sbl_image_options *read_options,
                       const sbl_image_write_options *options)
{
    const size_t size = sbl_image_size(options->shape);
    FREED(free) uint8_t *pixels = malloc(COUNT * size);
    uint32_t labels[COUNT];
    fill(pixels, labels, options->shape, options->classes);
    CLEARED(kit_set_free) kit_set set = kit_read(images, labels_path, read_options, 8);
    assert_int_equal(set.count, COUNT);
    assert_memory_equal(&set.shape, &options->shape, sizeof set.shape);
    assert_memory_equal(set.pixels, pixels, COUNT * size);
    assert_memory_equal(set.labels, labels, sizeof labels);
}

TEST(idx_pairs_read_back)
{
    static const char *const endings[] = {"", ".gz"};
    const sbl_image_shape shapes[] = {small_grey, small_rgb};
    for (size_t i = 0; i < 4; i++) {
        char images[300];
        char labels[300];
        const sbl_image_write_options options = {.shape = shapes[i / 2], .count = COUNT, .classes = 5};
        (void)snprintf(images, sizeof images, "%s/images%zu%s", kit_folder, i, endings[i % 2]);
        (void)snprintf(labels, sizeof labels, "%s/labels%zu%s", kit_folder, i, endings[i % 2]);
        write_good(images, labels, &options);
        check_back(images, labels, NULL, &options);
        size_t size;
        FREED(free) uint8_t *bytes = (uint8_t *)slurp(images, &size);
        assert_int_equal(bytes[0] == 0x1f, i % 2); /* gzip exactly when the name says so */
    }
}

/* The labels are replaced first; where the images then cannot be, the old labels are back. A reader
 * of a mixed pair would be told, of both files, if their numbers differ. */
TEST(pair_that_cannot_be_replaced_is_left_as_it_was)
{
    char images[300], labels[300];
    const sbl_image_write_options options = {
        .shape = small_grey, .count = COUNT, .classes = 3, .overwrite = true};
    kit_bytes old = {0};
    sbl_error err = {0};
    size_t size;
    (void)snprintf(images, sizeof images, "%s", kit_subfolder("blocked"));
    kit_add(&old, "old", 3);
    (void)snprintf(labels, sizeof labels, "%s", kit_file("kept", &old));
    const size_t before = entries(kit_folder);
    assert_int_equal(write_set(images, labels, &options, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "blocked"));
    char *text = slurp(labels, &size);
    assert_true(size == 3 && memcmp(text, "old", 3) == 0);
    free(text);
    assert_int_equal(entries(kit_folder), before);
    assert_int_equal(rmdir(images), 0);
    write_good(images, labels, &options);
    check_back(images, labels, &(sbl_image_options){.classes = 3}, &options);
    kit_refused(images, kit_labels("fewer", COUNT - 1, 3), NULL, SBL_EINPUT,
                "fewer differs from the number of images in", "blocked");
}

TEST(idx_bytes_are_those_of_the_format)
{
    const sbl_image_write_options options = {.shape = small_grey, .count = COUNT, .classes = 3};
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, COUNT, 0, 0, 0, 5, 0, 0, 0, 4, 0, 37};
    static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, COUNT, 0, 1, 2, 0, 1, 2, 0, 0, 1};
    size_t size;
    write_good(in_folder(kit_folder, "fi"), in_folder(kit_folder, "fl"), &options);
    char *bytes = slurp(in_folder(kit_folder, "fi"), &size);
    assert_int_equal(size, 16 + COUNT * 20);
    assert_memory_equal(bytes, images, sizeof images);
    free(bytes);
    bytes = slurp(in_folder(kit_folder, "fl"), &size);
    assert_int_equal(size, 8 + COUNT);
    assert_memory_equal(bytes, labels, sizeof labels);
    free(bytes);
}

TEST(idx_without_labels_reads_back)
{
    const sbl_image_write_options options = {.shape = small_grey, .count = COUNT};
    write_good(in_folder(kit_folder, "unlabelled"), NULL, &options);
    check_back(in_folder(kit_folder, "unlabelled"), NULL, NULL, &options);
}

TEST(large_images_read_back)
{
    const sbl_image_write_options options = {.shape = {128, 128, 3}, .count = COUNT};
    write_good(in_folder(kit_folder, "large"), NULL, &options);
    check_back(in_folder(kit_folder, "large"), NULL, NULL, &options);
}

TEST(cifar_files_read_back)
{
    const sbl_image_write_options options = {.shape = cifar_shape, .count = COUNT, .classes = 10};
    write_good(in_folder(kit_folder, "c.bin"), NULL, &options);
    check_back(in_folder(kit_folder, "c.bin"), NULL, NULL, &options);
    write_good(in_folder(kit_folder, "c.bin.gz"), NULL, &options);
    check_back(in_folder(kit_folder, "c.bin.gz"), NULL, NULL, &options);
}

/* Images in the order of the folder: class by class. */
static void check_folder(const char *path, const sbl_image_write_options *options)
{
    const size_t size = sbl_image_size(options->shape);
    const size_t classes = options->classes != 0 ? options->classes : 1;
    uint8_t *pixels = malloc(COUNT * size);
    uint32_t labels[COUNT];
    size_t at = 0;
    fill(pixels, labels, options->shape, options->classes);
    const sbl_image_options as_written = {.channels = options->shape.channels};
    kit_set set = kit_read(path, NULL, &as_written, 8);
    assert_int_equal(set.count, COUNT);
    assert_int_equal(set.classes, options->classes);
    assert_memory_equal(&set.shape, &options->shape, sizeof set.shape);
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < COUNT; i++) {
            if (labels[i] != k) continue;
            assert_int_equal(set.labels[at], k);
            assert_memory_equal(set.pixels + at * size, pixels + i * size, size);
            at++;
        }
    assert_int_equal(at, COUNT);
    kit_set_free(&set);
    free(pixels);
}

TEST(png_folders_read_back)
{
    static const char *const names[] = {"cat", "dog", "emu"};
    sbl_image_write_options options = {
        .format = SBL_IMAGE_PNG, .shape = small_rgb, .count = COUNT, .classes = 12};
    write_good(in_folder(kit_folder, "png/"), NULL, &options);
    check_folder(in_folder(kit_folder, "png"), &options);
    assert_int_equal(access(in_folder(kit_folder, "png/05/05.png"), R_OK), 0);
    assert_int_equal(entries(in_folder(kit_folder, "png")), 12);
    options.classes = 3;
    options.class_names = names;
    options.shape = small_grey;
    write_good(in_folder(kit_folder, "named"), NULL, &options);
    check_folder(in_folder(kit_folder, "named"), &options);
    assert_int_equal(access(in_folder(kit_folder, "named/dog/01.png"), R_OK), 0);
    options.classes = 0;
    options.class_names = NULL;
    write_good(in_folder(kit_folder, "loose"), NULL, &options);
    check_folder(in_folder(kit_folder, "loose"), &options);
}

TEST(nothing_appears_before_the_end_and_nothing_stays_after_a_failure)
{
    static const sbl_image_format formats[] = {SBL_IMAGE_IDX, SBL_IMAGE_CIFAR, SBL_IMAGE_PNG};
    FREED(free) uint8_t *pixels = calloc(3, 3072);
    const uint32_t labels[3] = {0, 1, 0};
    const char *folder = kit_subfolder("atomic");
    for (size_t i = 0; i < 3; i++) {
        const sbl_image_write_options options = {
            .format = formats[i], .shape = cifar_shape, .count = 3, .classes = 2};
        sbl_image_writer *writer;
        sbl_error err = {0};
        assert_ok(sbl_image_writer_open(&writer, in_folder(folder, "x"),
                                        i == 0 ? in_folder(folder, "l") : NULL, &options, &err));
        assert_ok(sbl_image_write(writer, pixels, labels, 2, &err));
        assert_int_not_equal(access(in_folder(folder, "x"), F_OK), 0);
        assert_int_equal(sbl_image_writer_finish(writer, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "3 images were announced, but 2 written"));
        assert_int_equal(sbl_image_write(writer, pixels, labels, 2, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "more images than the 3 announced"));
        assert_int_equal(sbl_image_write(writer, pixels, (const uint32_t[]){2}, 1, &err), SBL_EARG);
        assert_non_null(strstr(err.message, "outside the 2 classes"));
        sbl_image_writer_free(writer);
        assert_int_equal(entries(folder), 0);
    }
}

TEST(pair_whose_labels_cannot_appear_leaves_no_images)
{
    const sbl_image_write_options options = {.shape = {1, 1, 1}, .count = 1, .classes = 2};
    sbl_image_writer *writer;
    sbl_error err = {0};
    kit_bytes text = {0};
    size_t size;
    const char *folder = kit_subfolder("pair");
    assert_ok(sbl_image_writer_open(&writer, in_folder(folder, "i"), in_folder(folder, "l"), &options, &err));
    assert_ok(sbl_image_write(writer, (const uint8_t[]){7}, (const uint32_t[]){1}, 1, &err));
    kit_add(&text, "another's", 9);
    (void)kit_file("pair/l", &text);
    assert_int_equal(sbl_image_writer_finish(writer, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "pair/l exists already"));
    sbl_image_writer_free(writer);
    assert_int_equal(entries(folder), 1);
    FREED(free) char *bytes = slurp(in_folder(folder, "l"), &size);
    assert_string_equal(bytes, "another's");
}

static void expect_refusal(const char *images, const char *labels, const sbl_image_write_options *options,
                           sbl_status status, const char *text)
{
    sbl_error err = {0};
    const sbl_status got = write_set(images, labels, options, &err);
    if (got != status || strstr(err.message, text) == NULL || strpbrk(err.message, "\r\n") != NULL)
        fail_msg("status %d, '%s'; expected %d, '%s'", (int)got, err.message, (int)status, text);
}

TEST(existing_files_are_kept_unless_told)
{
    sbl_image_write_options options = {.shape = small_grey, .count = COUNT};
    const char *path = in_folder(kit_folder, "kept");
    kit_bytes text = {0};
    kit_add(&text, "kept", 4);
    (void)kit_file("kept", &text);
    expect_refusal(path, NULL, &options, SBL_EIO, "exists already");
    options.overwrite = true;
    write_good(path, NULL, &options);
    check_back(path, NULL, NULL, &options);
}

TEST(of_existing_folders_only_an_empty_one_is_replaced)
{
    sbl_image_write_options options = {
        .format = SBL_IMAGE_PNG, .shape = small_grey, .count = COUNT, .classes = 2};
    const char *parent = kit_subfolder("parent");
    (void)kit_subfolder("parent/f");
    const char *path = in_folder(parent, "f");
    expect_refusal(path, NULL, &options, SBL_EIO, "exists already");
    options.overwrite = true;
    write_good(path, NULL, &options);
    expect_refusal(path, NULL, &options, SBL_EIO, "exists already; choose another name or empty");
    check_folder(path, &options);
    assert_int_equal(entries(parent), 1);
    kit_bytes text = {0};
    expect_refusal(kit_file("parent/file", &text), NULL, &options, SBL_EIO, "is not a folder");
    expect_refusal(in_folder(parent, "no/such"), NULL, &options, SBL_EIO, "cannot write");
}

TEST(what_a_format_cannot_hold_is_refused)
{
    static const char *const twins[] = {"a", "a"};
    static const char *const outside[] = {"a", "../a"};
    const char *path = in_folder(kit_folder, "never");
    sbl_image_write_options options = {.shape = {129, 1, 1}, .count = COUNT};
    expect_refusal(path, NULL, &options, SBL_EARG, "cannot be written");
    options.shape = small_grey;
    options.count = 0;
    expect_refusal(path, NULL, &options, SBL_EARG, "images can be written");
    options.count = COUNT;
    options.classes = 257;
    expect_refusal(path, path, &options, SBL_EARG, "cannot hold 257 classes");
    options.classes = 2;
    expect_refusal(path, NULL, &options, SBL_EARG, "file for the labels");
    options.classes = 0;
    expect_refusal(path, path, &options, SBL_EARG, "only labelled IDX");
    options.format = SBL_IMAGE_CIFAR;
    expect_refusal(path, NULL, &options, SBL_EARG, "32 x 32 only");
    options.shape = cifar_shape;
    options.classes = 100; /* would be read as CIFAR-100 */
    expect_refusal(path, NULL, &options, SBL_EARG, "cannot hold 100 classes");
    options.classes = 2;
    options.count = ((size_t)1 << 18) + 1;
    expect_refusal(path, NULL, &options, SBL_EARG, "1 to 262144 images");
    options.count = COUNT;
    options.format = SBL_IMAGE_PNG;
    options.classes = 2;
    options.class_names = twins;
    expect_refusal(path, NULL, &options, SBL_EARG, "two classes have the same name");
    options.class_names = outside;
    expect_refusal(path, NULL, &options, SBL_EARG, "name of class 1");
    assert_int_not_equal(access(path, F_OK), 0);
}

/* Reads the grid back; it must fit into the 128 x 128 that the reader takes. */
static uint8_t *read_grid(const char *path, size_t height, size_t width, size_t channels)
{
    size_t size;
    char *bytes = slurp(path, &size);
    sbl_png_header header;
    assert_ok(sbl_png_header_parse(&header, (uint8_t *)bytes, size, path, NULL));
    assert_int_equal(header.height, height);
    assert_int_equal(header.width, width);
    assert_int_equal(header.colour, channels == 3);
    uint8_t *pixels = malloc(height * width * channels);
    const sbl_image_shape shape = {height, width, channels};
    bool fits;
    assert_ok(sbl_image_file_decode(pixels, &fits, shape, false, (uint8_t *)bytes, size, NULL));
    assert_true(fits);
    free(bytes);
    return pixels;
}

TEST(grid_shows_the_first_images_of_each_class_in_its_row)
{
    const sbl_image_shape dot = {1, 1, 1};
    static const uint8_t values[] = {1, 2, 3, 4, 5, 6};
    static const uint32_t labels[] = {1, 0, 1, 1, 9, 0};
    static const uint8_t expected[3][2] = {{2, 6}, {1, 3}, {255, 255}};
    sbl_image_grid *grid;
    assert_ok(sbl_image_grid_new(&grid, dot, 3, 2, NULL));
    sbl_image_grid_add(grid, values, labels, 3);
    sbl_image_grid_add(grid, values + 3, labels + 3, 3);
    assert_false(sbl_image_grid_full(grid));
    assert_ok(sbl_image_grid_write(grid, in_folder(kit_folder, "g.png"), false, NULL));
    sbl_image_grid_free(grid);
    FREED(free) uint8_t *pixels = read_grid(in_folder(kit_folder, "g.png"), 11, 8, 1);
    for (size_t y = 0; y < 11; y++)
        for (size_t x = 0; x < 8; x++) {
            const bool inside = y % 3 == 2 && x % 3 == 2;
            assert_int_equal(pixels[8 * y + x], inside ? expected[y / 3][x / 3] : 255);
        }
}

TEST(grid_has_the_columns_that_fit)
{
    const sbl_image_shape largest = {128, 128, 3}, small = {28, 28, 1};
    sbl_image_grid *grid;
    assert_int_equal(sbl_image_grid_columns(small, 10, 12), 12);
    assert_int_equal(sbl_image_grid_columns(largest, 10, 12), 12);
    assert_int_equal(sbl_image_grid_columns(largest, 1000, 12), 1);
    assert_ok(sbl_image_grid_new(&grid, largest, 1000, 1, NULL));
    sbl_image_grid_free(grid);
    const size_t most = sbl_image_grid_columns(largest, 200, 12);
    assert_true(most > 1 && most < 12);
    assert_int_equal(sbl_image_grid_new(&grid, largest, 200, most + 1, NULL), SBL_EARG);
    assert_ok(sbl_image_grid_new(&grid, largest, 200, most, NULL));
    sbl_image_grid_free(grid);
}

TEST(grid_without_labels_fills_row_by_row)
{
    const sbl_image_shape shape = {1, 2, 3};
    uint8_t values[30];
    sbl_image_grid *grid;
    for (uint8_t i = 0; i < 30; i++) values[i] = i;
    assert_ok(sbl_image_grid_new(&grid, shape, 2, 2, NULL));
    sbl_image_grid_add(grid, values, NULL, 5);
    assert_true(sbl_image_grid_full(grid));
    assert_ok(sbl_image_grid_write(grid, in_folder(kit_folder, "h.png"), false, NULL));
    assert_int_equal(sbl_image_grid_write(grid, in_folder(kit_folder, "h.png"), false, NULL), SBL_EIO);
    sbl_image_grid_free(grid);
    FREED(free) uint8_t *pixels = read_grid(in_folder(kit_folder, "h.png"), 8, 10, 3);
    assert_memory_equal(pixels + (2 * 10 + 2) * 3, values, 6);
    assert_memory_equal(pixels + (2 * 10 + 6) * 3, values + 6, 6);
    assert_memory_equal(pixels + (5 * 10 + 2) * 3, values + 12, 6);
    assert_memory_equal(pixels + (5 * 10 + 6) * 3, values + 18, 6);
}

TEST(grids_of_impossible_size_are_refused)
{
    sbl_image_grid *grid;
    assert_int_equal(sbl_image_grid_new(&grid, small_grey, 0, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_image_grid_new(&grid, small_grey, 2, 0, NULL), SBL_EARG);
    assert_int_equal(sbl_image_grid_new(&grid, small_grey, SIZE_MAX / 2, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_image_grid_new(&grid, small_grey, 10000, 10000, NULL), SBL_EARG);
    assert_null(grid);
}

ALL_TESTS(kit_setup, kit_teardown)
