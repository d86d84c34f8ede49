/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation may fail: the answer is SBL_EMEM, nothing leaks, no image turns grey, and no
 * half-written set stays behind. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"
#include "support/temp_folder.h"

static sbl_status read_all(const char *images, const char *labels)
{
    sbl_image_reader *reader;
    uint8_t *pixels = malloc(2 * 3072);
    uint32_t numbers[2];
    size_t got = 1;
    sbl_status status = sbl_image_open(&reader, images, labels, NULL, NULL);
    while (status == SBL_OK && got > 0) status = sbl_image_read(reader, pixels, numbers, &got, 2, NULL);
    sbl_image_close(reader);
    free(pixels);
    return status;
}

static void every_read_failure_is_reported(const char *images, const char *labels)
{
    long n = 1;
    for (;; n++) {
        sbl_test_fail_alloc(n);
        const sbl_status status = read_all(images, labels);
        if (!sbl_test_alloc_failed()) {
            sbl_test_fail_alloc(0);
            assert_ok(status);
            break;
        }
        if (status != SBL_EMEM) fail_msg("allocation %ld: status %d", n, (int)status);
    }
    assert_true(n > 3);
}

TEST(readers_report_lack_of_memory)
{
    kit_bytes plain = kit_idx(3, (const uint32_t[]){3, 2, 2}, 12);
    kit_bytes packed = {0};
    kit_bytes cifar = {0};
    kit_bytes cifar_packed = {0};
    kit_bytes image = kit_png_2x2(1, 2, 3, 4);
    kit_bytes other = kit_png_2x2(1, 2, 3, 4);
    char list[600];
    kit_gzip(&packed, &plain);
    kit_free(&plain);
    every_read_failure_is_reported(kit_file("i.gz", &packed), kit_labels("l", 3, 10));
    kit_add_zeros(&cifar, 3073);
    kit_gzip(&cifar_packed, &cifar);
    (void)kit_subfolder("batches");
    (void)kit_file("batches/a.bin", &cifar);
    (void)kit_file("batches/b.bin.gz", &cifar_packed);
    every_read_failure_is_reported(in_folder(kit_folder, "batches"), NULL);
    (void)snprintf(list, sizeof list, "%s/batches/a.bin,%s/batches/b.bin.gz", kit_folder, kit_folder);
    every_read_failure_is_reported(list, NULL);
    (void)kit_subfolder("png");
    (void)kit_subfolder("png/a");
    (void)kit_file("png/a/1.png", &image);
    every_read_failure_is_reported(in_folder(kit_folder, "png"), NULL);
    (void)kit_subfolder("flat");
    (void)kit_file("flat/1.png", &other);
    every_read_failure_is_reported(in_folder(kit_folder, "flat"), NULL);
}

static sbl_status write_all(const char *images, const char *labels, sbl_image_format format)
{
    static const uint8_t pixels[2 * 3072];
    static const uint32_t numbers[2];
    const sbl_image_write_options options = {
        .format = format, .shape = {32, 32, 3}, .count = 2, .classes = 2};
    sbl_image_writer *writer;
    sbl_status status = sbl_image_writer_open(&writer, images, labels, &options, NULL);
    if (status == SBL_OK) status = sbl_image_write(writer, pixels, numbers, 2, NULL);
    if (status == SBL_OK) status = sbl_image_writer_finish(writer, NULL);
    sbl_image_writer_free(writer);
    return status;
}

TEST(writers_report_lack_of_memory_and_leave_nothing)
{
    static const sbl_image_format formats[] = {SBL_IMAGE_IDX, SBL_IMAGE_CIFAR, SBL_IMAGE_PNG};
    for (size_t i = 0; i < 3; i++) {
        char folder[256];
        for (long n = 1;; n++) {
            temp_folder_make(folder);
            const char *images = in_folder(folder, "x");
            const char *labels = i == 0 ? in_folder(folder, "l") : NULL;
            sbl_test_fail_alloc(n);
            const sbl_status status = write_all(images, labels, formats[i]);
            const bool failed = sbl_test_fail_end();
            if (!failed) assert_ok(status);
            if (failed && status != SBL_EMEM) fail_msg("allocation %ld: %d", n, (int)status);
            /* rmdir: the folder must be empty after a failure, unless all is there and only the
             * folder could not be synced. */
            const bool whole = access(images, F_OK) == 0 && (labels == NULL || access(labels, F_OK) == 0);
            if (failed && !whole) assert_int_equal(rmdir(folder), 0);
            temp_folder_remove(folder);
            if (!failed) break;
        }
    }
}

TEST(grids_report_lack_of_memory)
{
    for (long n = 1;; n++) {
        const sbl_image_shape shape = {2, 2, 1};
        sbl_image_grid *grid;
        sbl_test_fail_alloc(n);
        sbl_status status = sbl_image_grid_new(&grid, shape, 2, 2, NULL);
        if (status == SBL_OK) status = sbl_image_grid_write(grid, in_folder(kit_folder, "g.png"), true, NULL);
        const bool failed = sbl_test_fail_end();
        sbl_image_grid_free(grid);
        if (!failed) {
            assert_ok(status);
            break;
        }
        if (status != SBL_EMEM && access(in_folder(kit_folder, "g.png"), F_OK) != 0)
            fail_msg("allocation %ld: status %d", n, (int)status);
    }
}

ALL_TESTS(kit_setup, kit_teardown)
