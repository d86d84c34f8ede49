/* SPDX-License-Identifier: Apache-2.0 */
/* CIFAR binary: the declared classes say what it is; planes become interleaved pixels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

#define PIXELS ((size_t)3072)

/* Records first, first + 1, ...: label(s), then values that depend on record and place. */
static kit_bytes records(size_t first, size_t count, bool hundred)
{
    kit_bytes bytes = {0};
    for (size_t i = first; i < first + count; i++) {
        const uint8_t labels[2] = {(uint8_t)(i % 20), (uint8_t)(i % 100)};
        uint8_t planes[PIXELS];
        for (size_t at = 0; at < PIXELS; at++) planes[at] = kit_value(i * 7 + at);
        kit_add(&bytes, labels, hundred ? 2 : 1);
        kit_add(&bytes, planes, PIXELS);
    }
    return bytes;
}

static void check_pixels(const kit_set *set, size_t at, size_t record)
{
    for (size_t pixel = 0; pixel < 1024; pixel++)
        for (size_t channel = 0; channel < 3; channel++)
            assert_int_equal(set->pixels[at * PIXELS + 3 * pixel + channel],
                             kit_value(record * 7 + channel * 1024 + pixel));
}

TEST(ten_classes_are_read_as_interleaved_pixels)
{
    kit_bytes bytes = records(0, 12, false);
    kit_set set = kit_read(kit_file("ten.bin", &bytes), NULL, NULL, 5);
    assert_int_equal(set.count, 12);
    assert_int_equal(set.classes, 10);
    assert_int_equal(set.shape.height, 32);
    assert_int_equal(set.shape.width, 32);
    assert_int_equal(set.shape.channels, 3);
    for (size_t i = 0; i < 12; i++) {
        check_pixels(&set, i, i);
        assert_int_equal(set.labels[i], i < 10 ? i : 0); /* labels 10 and 11 are outside */
    }
    kit_set_free(&set);
}

TEST(colour_is_not_read_as_grey_in_silence)
{
    const sbl_image_options grey = {.channels = 1};
    kit_bytes bytes = records(0, 2, false);
    kit_refused(kit_file("ten.bin", &bytes), NULL, &grey, SBL_EARG, "contains colour images", "/ten.bin");
}

TEST(hundred_classes_are_fine_or_coarse)
{
    const sbl_image_options fine = {.classes = 100};
    const sbl_image_options coarse = {.classes = 20};
    kit_bytes bytes = records(30, 3, true);
    const char *path = kit_file("hundred.bin", &bytes);
    kit_set set = kit_read(path, NULL, &fine, 5);
    assert_int_equal(set.classes, 100);
    for (size_t i = 0; i < 3; i++) check_pixels(&set, i, 30 + i);
    for (size_t i = 0; i < 3; i++) assert_int_equal(set.labels[i], 30 + i);
    kit_set_free(&set);
    set = kit_read(path, NULL, &coarse, 5);
    assert_int_equal(set.classes, 20);
    for (size_t i = 0; i < 3; i++) assert_int_equal(set.labels[i], 10 + i);
    kit_set_free(&set);
}

/* 3073 x 3074 bytes are a file of either kind: what is declared decides, and nothing else. */
TEST(declared_classes_say_which_kind_a_file_is)
{
    static const size_t classes[] = {0, 10, 31, 100, 20};
    kit_bytes ambiguous = {0};
    kit_add_zeros(&ambiguous, (size_t)3073 * 3074);
    const char *path = kit_file("either.bin", &ambiguous);
    for (size_t i = 0; i < 5; i++) {
        const sbl_image_options options = {.classes = classes[i]};
        const bool hundred = i >= 3;
        kit_set set = kit_read(path, NULL, &options, 1000);
        assert_int_equal(set.classes, i == 0 ? 10 : classes[i]);
        assert_int_equal(set.count, hundred ? 3073 : 3074);
        kit_set_free(&set);
        kit_bytes other = records(0, 2, !hundred);
        kit_refused(kit_file("other.bin", &other), NULL, &options, SBL_EINPUT, "declare 100 classes",
                    hundred ? "other.bin is not a CIFAR-100 file" : "other.bin is not a CIFAR-10 file");
    }
}

TEST(empty_files_hold_no_images)
{
    kit_bytes nothing[3] = {{0}};
    kit_bytes packed = {0};
    kit_bytes some = records(0, 5, false);
    char list[1200];
    kit_set set = kit_read(kit_file("none.bin", &nothing[0]), NULL, NULL, 5);
    assert_int_equal(set.count, 0);
    assert_int_equal(set.classes, 10);
    assert_int_equal(set.shape.height, 32);
    kit_set_free(&set);
    kit_gzip(&packed, &nothing[1]);
    const char *packed_path = kit_file("none.bin.gz", &packed);
    set = kit_read(packed_path, NULL, NULL, 5);
    assert_int_equal(set.count, 0);
    kit_set_free(&set);
    (void)snprintf(list, sizeof list, "%s,%s,%s,%s", packed_path, in_folder(kit_folder, "none.bin"),
                   kit_file("some.bin", &some), kit_file("last.bin", &nothing[2]));
    for (size_t batch = 1; batch < 8; batch += 2) {
        set = kit_read(list, NULL, NULL, batch);
        assert_int_equal(set.count, 5);
        for (size_t i = 0; i < 5; i++) check_pixels(&set, i, i);
        kit_set_free(&set);
    }
}

/* A folder with two batches, one of them gzip, and what else the published archive holds. */
static const char *archive(const char *name)
{
    const char *folder = kit_subfolder(name);
    char path[300];
    kit_bytes first = records(0, 2, false);
    kit_bytes second = records(2, 3, false);
    kit_bytes packed = {0};
    kit_bytes test = records(9, 4, false);
    kit_bytes text = {0};
    kit_gzip(&packed, &second);
    kit_free(&second);
    kit_add(&text, "airplane\n", 9);
    (void)snprintf(path, sizeof path, "%s/data_batch_2.bin.gz", name);
    (void)kit_file(path, &packed);
    (void)snprintf(path, sizeof path, "%s/data_batch_1.bin", name);
    (void)kit_file(path, &first);
    (void)snprintf(path, sizeof path, "%s/test_batch.bin", name);
    (void)kit_file(path, &test);
    (void)snprintf(path, sizeof path, "%s/batches.meta.txt", name);
    (void)kit_file(path, &text);
    return folder;
}

static void check_five(kit_set set)
{
    assert_int_equal(set.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(set.labels[i], i);
        check_pixels(&set, i, i);
    }
    kit_set_free(&set);
}

TEST(batches_come_from_a_folder_or_a_list_in_order)
{
    char list[600];
    const char *folder = archive("batches");
    (void)snprintf(list, sizeof list, "%s/data_batch_1.bin,%s/data_batch_2.bin.gz", folder, folder);
    for (size_t batch = 1; batch < 8; batch += 2) {
        check_five(kit_read(folder, NULL, NULL, batch));
        check_five(kit_read(list, NULL, NULL, batch));
    }
}

TEST(parts_are_told_from_tests_by_their_whole_names)
{
    static const char *const tests[] = {"test.bin", "test.bin.gz", "test_batch.bin", "test_batch.bin.gz"};
    static const char *const parts[] = {"test.bin.more.bin", "test_batch.bin.gz.bin", "test_batch_2.bin"};
    kit_bytes first = records(0, 1, false);
    char path[64];
    const char *folder = kit_subfolder("named");
    (void)kit_file("named/data_batch_1.bin", &first);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        kit_bytes test = records(50, 4, false); /* plain, also where the name says gzip */
        (void)snprintf(path, sizeof path, "named/%s", tests[i]);
        (void)kit_file(path, &test);
    }
    kit_set set = kit_read(folder, NULL, NULL, 5);
    assert_int_equal(set.count, 1);
    kit_set_free(&set);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        kit_bytes part = records(i + 1, 1, false);
        (void)snprintf(path, sizeof path, "named/%s", parts[i]);
        (void)kit_file(path, &part);
    }
    set = kit_read(folder, NULL, NULL, 5);
    assert_int_equal(set.count, 4);
    for (size_t i = 0; i < 4; i++) assert_int_equal(set.labels[i], i);
    kit_set_free(&set);
}

TEST(name_with_a_comma_is_one_file)
{
    kit_bytes bytes = records(0, 5, false);
    check_five(kit_read(kit_file("a,b.bin", &bytes), NULL, NULL, 8));
}

TEST(first_record_that_looks_like_gzip_or_idx_is_a_record)
{
    kit_bytes bytes = records(0, 1, false);
    bytes.data[0] = 0x1f;
    bytes.data[1] = 0x8b;
    kit_set set = kit_read(kit_file("like.bin", &bytes), NULL, NULL, 8);
    assert_int_equal(set.labels[0], 0);
    assert_int_equal(set.pixels[0], 0x8b);
    kit_set_free(&set);
    bytes = records(0, 1, false);
    memcpy(bytes.data, "\0\0\10\3", 4);
    set = kit_read(kit_file("like.bin", &bytes), NULL, NULL, 8);
    assert_int_equal(set.shape.channels, 3);
    kit_set_free(&set);
}

TEST(sizes_that_are_no_number_of_records_are_refused)
{
    for (size_t less = 1; less < 9000; less += 1000) {
        kit_bytes bytes = records(0, 3, false);
        kit_bytes packed = {0};
        bytes.size -= less;
        kit_gzip(&packed, &bytes);
        kit_refused(kit_file("cut.bin", &bytes), NULL, NULL, SBL_EINPUT, "not a CIFAR-10 file", "/cut.bin");
        kit_refused(kit_file("cut.bin.gz", &packed), NULL, NULL, SBL_EINPUT, "not a CIFAR-10 file",
                    "/cut.bin.gz");
    }
}

TEST(broken_gzip_is_refused)
{
    kit_bytes bytes = records(0, 3, false);
    kit_bytes packed = {0};
    kit_bytes plain = records(0, 1, false);
    kit_gzip(&packed, &bytes);
    kit_free(&bytes);
    packed.size -= 3;
    kit_refused(kit_file("cut.bin.gz", &packed), NULL, NULL, SBL_EINPUT, "cut short", "/cut.bin.gz");
    kit_refused(kit_file("plain.bin.gz", &plain), NULL, NULL, SBL_EINPUT, "is not gzip data",
                "/plain.bin.gz");
}

TEST(mixed_kinds_are_refused)
{
    char list[600];
    kit_bytes ten = records(0, 1, false);
    kit_bytes hundred = records(0, 1, true);
    (void)snprintf(list, sizeof list, "%s,%s", kit_file("t.bin", &ten), kit_file("h.bin", &hundred));
    kit_refused(list, NULL, NULL, SBL_EINPUT, "not a CIFAR-10 file", "/h.bin");
    const sbl_image_options fine = {.classes = 100};
    kit_refused(list, NULL, &fine, SBL_EINPUT, "not a CIFAR-100 file", "/t.bin");
}

TEST(more_than_the_most_images_are_refused)
{
    kit_bytes none = {0};
    kit_bytes zeros = {0};
    kit_bytes member = {0};
    kit_bytes bomb = {0};
    const char *path = kit_file("huge.bin", &none);
    assert_int_equal(truncate(path, (off_t)3073 << 20), 0);
    kit_refused(path, NULL, NULL, SBL_EINPUT, "holds at most", "/huge.bin");
    /* 0.9 GB of zeros in 1 MB: counting stops at the limit and never sees the broken end. */
    kit_add_zeros(&zeros, (size_t)64 << 20);
    kit_gzip(&member, &zeros);
    for (int i = 0; i < 14; i++) kit_add(&bomb, member.data, member.size);
    kit_add(&bomb, "x", 1);
    kit_free(&zeros);
    kit_free(&member);
    kit_refused(kit_file("bomb.bin.gz", &bomb), NULL, NULL, SBL_EINPUT, "holds at most", "/bomb.bin.gz");
}

TEST(file_that_changes_while_it_is_read_is_refused)
{
    uint8_t pixels[PIXELS];
    sbl_image_reader *reader;
    sbl_error err = {0};
    size_t got;
    for (int longer = 0; longer < 2; longer++) {
        kit_bytes bytes = records(0, 2, false);
        const char *path = kit_file("moving.bin", &bytes);
        assert_ok(sbl_image_open(&reader, path, NULL, NULL, &err));
        assert_int_equal(truncate(path, longer ? 3 * 3073 : 3073), 0);
        assert_ok(sbl_image_read(reader, pixels, NULL, &got, 1, &err));
        assert_int_equal(sbl_image_read(reader, pixels, NULL, &got, 1, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "changed while it was read"));
        sbl_image_close(reader);
    }
}

TEST(strange_lists_and_folders_are_refused)
{
    kit_bytes bytes = records(0, 1, false);
    kit_bytes other = {0};
    kit_bytes test = records(0, 1, false);
    char list[600];
    const char *folder = kit_subfolder("strange");
    const char *path = kit_file("strange/a.bin", &bytes);
    (void)kit_file("strange/notes.doc", &other);
    kit_refused(folder, NULL, NULL, SBL_EINPUT, "is not a CIFAR file", "notes.doc");
    (void)snprintf(list, sizeof list, "%s,,%s", path, path);
    const sbl_image_options cifar = {.format = SBL_IMAGE_CIFAR};
    kit_refused(list, NULL, &cifar, SBL_EARG, "empty name", "CIFAR");
    (void)snprintf(list, sizeof list, "%s,%s", path, path);
    kit_refused(list, NULL, &cifar, SBL_EARG, "twice", "CIFAR");
    kit_refused("/nonexistent/x.bin", NULL, NULL, SBL_EIO, "cannot open", "/nonexistent/x.bin");
    kit_refused(path, path, NULL, SBL_EARG, "has its own labels", "a.bin");
    const char *tests_only = kit_subfolder("tests_only");
    (void)kit_file("tests_only/test_batch.bin", &test);
    kit_refused(tests_only, NULL, NULL, SBL_EINPUT, "except test files", "tests_only");
    char *commas = malloc(10002);
    memset(commas, ',', 10001);
    commas[10001] = '\0';
    kit_refused(commas, NULL, &cifar, SBL_EARG, "at most", "listed");
    free(commas);
}

ALL_TESTS(kit_setup, kit_teardown)
