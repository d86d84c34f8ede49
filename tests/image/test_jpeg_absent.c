/* SPDX-License-Identifier: Apache-2.0 */
/* A library that was built without libjpeg-turbo: a folder is refused by the names of its files, which are public; a file
 * that is called otherwise and holds a JPEG image decides nothing. */
#include <stdio.h>

#include "image/image_kit.h"
#include "records/image/jpeg.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

const char *__wrap_sbl_jpeg_library(void);
sbl_status __wrap_sbl_jpeg_size(size_t *height, size_t *width, bool *found, const uint8_t *bytes, size_t size,
                                sbl_error *err);
sbl_status __wrap_sbl_jpeg_decode(sbl_canvas *canvas, bool *decoded, const uint8_t *bytes, size_t size,
                                  sbl_error *err);

/* The functions of such a build themselves, under the names that stand for the library's. */
#define sbl_jpeg_library __wrap_sbl_jpeg_library
#define sbl_jpeg_size __wrap_sbl_jpeg_size
#define sbl_jpeg_decode __wrap_sbl_jpeg_decode
#include "../../src/records/image/jpeg_absent.c"

TEST(jpeg_files_are_refused_by_their_names)
{
    static const char *const names[] = {"b.jpg", "b.JPG", "b.jpeg", "b.JPEG"};
    const sbl_image_options declared = {.channels = 1, .height = 2, .width = 2};
    for (size_t i = 0; i < 4; i++) {
        char path[64];
        const char *folder = kit_subfolder("named");
        kit_bytes good = kit_png_2x2(1, 2, 3, 4), other = kit_png_2x2(1, 2, 3, 4);
        (void)kit_file("named/a.png", &good);
        (void)snprintf(path, sizeof path, "named/%s", names[i]);
        (void)kit_file(path, &other);
        kit_refused(folder, NULL, &declared, SBL_EINPUT,
                    "is a JPEG file, which this build cannot read without libjpeg-turbo", names[i]);
        temp_folder_remove(folder);
    }
}

TEST(jpeg_image_under_another_name_is_mid_grey)
{
    const sbl_image_options declared = {.channels = 1, .height = 2, .width = 2};
    const char *folder = kit_subfolder("hidden");
    kit_bytes jpeg = {0}, good = kit_png_2x2(1, 2, 3, 4);
    kit_add(&jpeg, "\xff\xd8\xff\xe0\0\20JFIF........................................", 50);
    (void)kit_file("hidden/a.png", &jpeg);
    (void)kit_file("hidden/b.png", &good);
    kit_set set = kit_read(folder, NULL, &declared, 2);
    assert_memory_equal(set.pixels, ((const uint8_t[]){128, 128, 128, 128, 1, 2, 3, 4}), 8);
    kit_set_free(&set);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "is a JPEG image, which this build cannot read without",
                "a.png");
}

ALL_TESTS(kit_setup, kit_teardown)
