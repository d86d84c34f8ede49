/* SPDX-License-Identifier: Apache-2.0 */
/* IDX: read in batches of any size, plain and gzip; what the header promises is what is there. */
#include <fcntl.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

TEST(batches_of_any_size_give_the_same_set)
{
    const char *images = kit_images("i", 1200);
    const char *labels = kit_labels("l", 1200, 10);
    for (size_t batch = 1; batch < 2000; batch = 3 * batch + 2) {
        CLEARED(kit_set_free) kit_set set = kit_read(images, labels, NULL, batch);
        assert_int_equal(set.count, 1200);
        assert_int_equal(set.classes, 10);
        assert_int_equal(set.shape.height, 3);
        assert_int_equal(set.shape.width, 2);
        assert_int_equal(set.shape.channels, 1);
        for (size_t i = 0; i < 7200; i++) assert_int_equal(set.pixels[i], kit_value(i));
        for (size_t i = 0; i < 1200; i++) assert_int_equal(set.labels[i], i % 10);
    }
}

TEST(gzip_files_are_read_also_in_several_members)
{
    kit_bytes head = kit_idx(3, (const uint32_t[]){2, 3, 2}, 7);
    kit_bytes tail = {0};
    kit_bytes packed = {0};
    for (size_t i = 7; i < 12; i++) {
        const uint8_t value = kit_value(i);
        kit_add(&tail, &value, 1);
    }
    kit_gzip(&packed, &head);
    kit_gzip(&packed, &tail);
    kit_free(&head);
    kit_free(&tail);
    CLEARED(kit_set_free) kit_set set = kit_read(kit_file("two", &packed), kit_labels("l2", 2, 10), NULL, 10);
    for (size_t i = 0; i < 12; i++) assert_int_equal(set.pixels[i], kit_value(i));
}

TEST(four_dimensions_are_colour)
{
    kit_bytes bytes = kit_idx(4, (const uint32_t[]){2, 2, 2, 3}, 24);
    CLEARED(kit_set_free) kit_set set = kit_read(kit_file("rgb", &bytes), NULL, NULL, 10);
    assert_int_equal(set.shape.channels, 3);
    for (size_t i = 0; i < 24; i++) assert_int_equal(set.pixels[i], kit_value(i));
}

TEST(set_without_labels_has_no_classes_and_label_zero)
{
    CLEARED(kit_set_free) kit_set set = kit_read(kit_images("only", 5), NULL, NULL, 2);
    assert_int_equal(set.classes, 0);
    for (size_t i = 0; i < 5; i++) assert_int_equal(set.labels[i], 0);
}

TEST(labels_need_not_be_wanted)
{
    sbl_image_reader *reader;
    uint8_t pixels[12];
    size_t got;
    assert_ok(sbl_image_open(&reader, kit_images("i2", 2), kit_labels("l2", 2, 10), NULL, NULL));
    assert_null(sbl_image_reader_class_name(reader, 0));
    assert_ok(sbl_image_read(reader, pixels, NULL, &got, 9, NULL));
    assert_int_equal(got, 2);
    sbl_image_close(reader);
}

TEST(label_outside_the_classes_becomes_class_zero_in_silence)
{
    const sbl_image_options four = {.classes = 4};
    CLEARED(kit_set_free) kit_set set = kit_read(kit_images("i", 300), kit_labels("l", 300, 255), &four, 64);
    assert_int_equal(set.classes, 4);
    for (size_t i = 0; i < 300; i++) {
        const size_t label = i % 255;
        assert_int_equal(set.labels[i], label < 4 ? label : 0);
    }
}

TEST(standard_input_is_read)
{
    const int kept = dup(STDIN_FILENO);
    const int file = open(kit_images("stdin", 3), O_RDONLY);
    assert_true(file >= 0 && dup2(file, STDIN_FILENO) >= 0);
    kit_set set = kit_read("-", NULL, NULL, 2);
    assert_int_equal(set.count, 3);
    kit_set_free(&set);
    kit_refused("-", "-", NULL, SBL_EARG, "standard input", "labels");
    (void)dup2(kept, STDIN_FILENO);
    (void)close(file);
    (void)close(kept);
}

/* These bytes, as images, are refused; plain and gzip. */
static void refuse(kit_bytes bytes, const char *text)
{
    kit_bytes packed = {0};
    kit_gzip(&packed, &bytes);
    kit_refused(kit_file("bad", &bytes), NULL, NULL, SBL_EINPUT, text, "/bad");
    kit_refused(kit_file("bad.gz", &packed), NULL, NULL, SBL_EINPUT, text, "/bad.gz");
}

TEST(wrong_magic_is_refused)
{
    kit_bytes text = {0};
    kit_add(&text, "a,b,c\n1,2,3\n", 12);
    refuse(text, "wrong magic number");
    kit_bytes five = kit_idx(5, (const uint32_t[]){1, 1, 1, 1, 1}, 1);
    refuse(five, "wrong magic number");
    kit_bytes none = kit_idx(0, NULL, 4);
    refuse(none, "wrong magic number");
    kit_bytes floats = kit_idx(3, (const uint32_t[]){1, 1, 1}, 1);
    floats.data[2] = 13;
    refuse(floats, "not unsigned bytes");
    kit_bytes matrix = kit_idx(2, (const uint32_t[]){1, 1}, 1);
    refuse(matrix, "of a matrix");
    kit_bytes labels = kit_idx(1, (const uint32_t[]){3}, 3);
    refuse(labels, "of labels");
}

TEST(images_given_as_labels_are_refused)
{
    kit_refused(kit_images("i", 3), kit_images("j", 3), NULL, SBL_EINPUT, "holds no labels", "/j");
}

TEST(truncated_file_is_refused)
{
    for (size_t size = 0; size < 16 + 12; size++) {
        kit_bytes bytes = kit_idx(3, (const uint32_t[]){2, 3, 2}, 12);
        bytes.size = size;
        refuse(bytes, size == 0   ? "is empty: it has no IDX header"
                      : size < 16 ? "is cut short within its IDX header"
                                  : "is cut short: its header promises more");
    }
    kit_bytes nothing = {0};
    kit_refused(kit_images("i", 2), kit_file("none", &nothing), NULL, SBL_EINPUT, "is empty", "/none");
}

TEST(truncated_or_corrupt_gzip_is_refused)
{
    CLEARED(kit_free) kit_bytes bytes = kit_idx(3, (const uint32_t[]){2, 3, 2}, 12);
    kit_bytes packed = {0};
    kit_gzip(&packed, &bytes);
    for (size_t size = 2; size < packed.size; size++) {
        kit_bytes cut = {0};
        kit_add(&cut, packed.data, size);
        kit_refused(kit_file("cut.gz", &cut), NULL, NULL, SBL_EINPUT, "cut short", "/cut.gz");
    }
    packed.data[packed.size - 5] ^= 1; /* the checksum */
    kit_refused(kit_file("crc.gz", &packed), NULL, NULL, SBL_EINPUT, "corrupt", "/crc.gz");
}

TEST(trailing_bytes_are_refused)
{
    refuse(kit_idx(3, (const uint32_t[]){2, 3, 2}, 13), "longer than its header promises");
    kit_bytes labels = kit_idx(1, (const uint32_t[]){2}, 3);
    kit_bytes packed = {0};
    kit_gzip(&packed, &labels);
    kit_refused(kit_images("i", 2), kit_file("l", &labels), NULL, SBL_EINPUT, "longer than", "/l");
    kit_refused(kit_images("i", 2), kit_file("l.gz", &packed), NULL, SBL_EINPUT, "longer than", "/l.gz");
}

TEST(truncated_labels_are_refused)
{
    kit_bytes labels = kit_idx(1, (const uint32_t[]){2}, 1);
    kit_bytes packed = {0};
    kit_gzip(&packed, &labels);
    kit_refused(kit_images("i", 2), kit_file("l", &labels), NULL, SBL_EINPUT, "cut short", "/l");
    kit_refused(kit_images("i", 2), kit_file("l.gz", &packed), NULL, SBL_EINPUT, "cut short", "/l.gz");
}

TEST(counts_that_disagree_are_refused)
{
    kit_refused(kit_images("i", 7), kit_labels("l", 6, 10), NULL, SBL_EINPUT,
                "l differs from the number of images in", "/i");
}

TEST(empty_set_is_a_set_of_the_size_its_header_says)
{
    for (int packed = 0; packed < 2; packed++)
        for (size_t more = 0; more < 3; more++) {
            kit_bytes images = kit_idx(4, (const uint32_t[]){0, 3, 2, 3}, more == 1 ? 1 : 0);
            kit_bytes labels = kit_idx(1, (const uint32_t[]){0}, more == 2 ? 1 : 0);
            kit_bytes images_gz = {0}, labels_gz = {0};
            kit_gzip(&images_gz, &images);
            kit_gzip(&labels_gz, &labels);
            const char *image_path = kit_file("i", packed ? &images_gz : &images);
            const char *label_path = kit_file("l", packed ? &labels_gz : &labels);
            kit_free(packed ? &images : &images_gz);
            kit_free(packed ? &labels : &labels_gz);
            if (more > 0) {
                kit_refused(image_path, label_path, NULL, SBL_EINPUT, "is longer than its header",
                            more == 1 ? "/i" : "/l");
                continue;
            }
            CLEARED(kit_set_free) kit_set set = kit_read(image_path, label_path, NULL, 5);
            assert_int_equal(set.count, 0);
            assert_int_equal(set.classes, 10);
            assert_int_equal(set.shape.height, 3);
            assert_int_equal(set.shape.width, 2);
            assert_int_equal(set.shape.channels, 3);
        }
    kit_refused(kit_images("i", 0), kit_labels("l", 1, 10), NULL, SBL_EINPUT,
                "l differs from the number of images in", "/i");
}

TEST(sizes_and_counts_outside_the_limits_are_refused)
{
    refuse(kit_idx(3, (const uint32_t[]){0, 3, 129}, 0), "sides must be from 1 to 128");
    refuse(kit_idx(3, (const uint32_t[]){1, 0, 2}, 0), "sides must be from 1 to 128");
    refuse(kit_idx(3, (const uint32_t[]){1, 2, 0}, 0), "sides must be from 1 to 128");
    refuse(kit_idx(3, (const uint32_t[]){1, 129, 1}, 129), "sides must be from 1 to 128");
    refuse(kit_idx(3, (const uint32_t[]){1, 1, 129}, 129), "sides must be from 1 to 128");
    refuse(kit_idx(4, (const uint32_t[]){1, 2, 2, 2}, 8), "channels 1 or 3");
    refuse(kit_idx(4, (const uint32_t[]){1, 2, 2, 0}, 8), "channels 1 or 3");
    /* Products that would overflow 32 or 64 bits. */
    refuse(kit_idx(3, (const uint32_t[]){UINT32_MAX, 128, 128}, 9), "promises more than");
    refuse(kit_idx(3, (const uint32_t[]){65536, UINT32_MAX, UINT32_MAX}, 9), "sides must be from 1 to");
    refuse(kit_idx(3, (const uint32_t[]){1u << 26, 128, 128}, 9), "cut short");
}

TEST(largest_images_are_read)
{
    kit_bytes bytes = kit_idx(4, (const uint32_t[]){1, 128, 128, 3}, 49152);
    CLEARED(kit_set_free) kit_set set = kit_read(kit_file("large", &bytes), NULL, NULL, 1);
    assert_int_equal(sbl_image_size(set.shape), 49152);
    assert_int_equal(set.pixels[49151], kit_value(49151));
}

TEST(gzip_that_inflates_beyond_its_header_is_refused)
{
    kit_bytes bytes = kit_idx(3, (const uint32_t[]){1, 3, 2}, 6);
    kit_bytes packed = {0};
    kit_add_zeros(&bytes, (size_t)64 << 20);
    kit_gzip(&packed, &bytes);
    kit_free(&bytes);
    assert_true(packed.size < 200000);
    kit_refused(kit_file("bomb", &packed), NULL, NULL, SBL_EINPUT, "longer than", "/bomb");
}

TEST(absent_files_are_io_errors)
{
    kit_refused("/nonexistent/images", NULL, NULL, SBL_EIO, "cannot open", "/nonexistent/images");
    kit_refused(kit_images("i", 1), "/nonexistent/l", NULL, SBL_EIO, "cannot open", "/nonexistent");
}

TEST(options_outside_their_range_are_refused)
{
    const sbl_image_options many = {.classes = SBL_IMAGE_CLASS_LIMIT + 1};
    const sbl_image_options two = {.channels = 2};
    kit_refused(kit_images("i", 1), NULL, &many, SBL_EARG, "classes", "at most");
    kit_refused(kit_images("i", 1), NULL, &two, SBL_EARG, "1 channel", "3");
}

ALL_TESTS(kit_setup, kit_teardown)
