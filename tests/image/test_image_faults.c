/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that fail: one line that names the file, and nothing half-written stays behind. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image_kit.h"
#include "support/cmocka_all.h"
#include "support/temp_folder.h"

/* The n-th call from now on fails with the error; 0: none does. */
static long calls_left;
static int failing_errno;
static bool failed;

static bool fails_now(void)
{
    if (calls_left == 0 || --calls_left != 0) return false;
    failed = true;
    errno = failing_errno;
    return true;
}

static void fail_call(long n, int error)
{
    calls_left = n;
    failing_errno = error;
    failed = false;
}

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_syncfs(int file);
int __real_fsync(int file);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_syncfs(int file);
int __wrap_fsync(int file);

ssize_t __wrap_read(int file, void *bytes, size_t size)
{
    return fails_now() ? -1 : __real_read(file, bytes, size);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    return fails_now() ? -1 : __real_write(file, bytes, size);
}

int __wrap_syncfs(int file) { return fails_now() ? -1 : __real_syncfs(file); }

int __wrap_fsync(int file) { return fails_now() ? -1 : __real_fsync(file); }

static sbl_status read_all(const char *images, const char *labels, sbl_error *err)
{
    sbl_image_reader *reader;
    uint8_t *pixels = malloc(2 * 3072);
    uint32_t numbers[2];
    size_t got = 1;
    sbl_status status = sbl_image_open(&reader, images, labels, NULL, err);
    while (status == SBL_OK && got > 0) status = sbl_image_read(reader, pixels, numbers, &got, 2, err);
    sbl_image_close(reader);
    free(pixels);
    return status;
}

/* Every read of this set is interrupted once, then fails once. */
static void check_reads(const char *images, const char *labels)
{
    long n = 1;
    for (;; n++) {
        sbl_error err = {0};
        fail_call(n, EINTR);
        assert_ok(read_all(images, labels, &err));
        fail_call(n, EIO);
        const sbl_status status = read_all(images, labels, &err);
        if (!failed) break;
        assert_int_equal(status, SBL_EIO);
        assert_non_null(strstr(err.message, "cannot read"));
        assert_non_null(strstr(err.message, kit_folder));
    }
    fail_call(0, 0);
    assert_true(n > 2);
}

TEST(failed_reads_are_io_errors)
{
    kit_bytes image = kit_png_2x2(1, 2, 3, 4);
    kit_bytes cifar = {0};
    check_reads(kit_images("i", 3), kit_labels("l", 3, 10));
    kit_add_zeros(&cifar, 2 * 3073);
    check_reads(kit_file("c.bin", &cifar), NULL);
    const char *folder = kit_subfolder("png");
    (void)kit_file("png/1.png", &image);
    check_reads(folder, NULL);
}

static sbl_status write_all(const char *images, const char *labels, sbl_image_format format, sbl_error *err)
{
    uint8_t *pixels = malloc(30 * 3072);
    const uint32_t numbers[30] = {0};
    const sbl_image_write_options options = {
        .format = format, .shape = {32, 32, 3}, .count = 30, .classes = 2};
    sbl_image_writer *writer;
    for (size_t i = 0; i < 30 * 3072; i++) pixels[i] = (uint8_t)(i * i >> 7);
    sbl_status status = sbl_image_writer_open(&writer, images, labels, &options, err);
    if (status == SBL_OK) status = sbl_image_write(writer, pixels, numbers, 30, err);
    if (status == SBL_OK) status = sbl_image_writer_finish(writer, err);
    sbl_image_writer_free(writer);
    free(pixels);
    return status;
}

static bool leaves_temporary_names(const char *path)
{
    bool found = false;
    const struct dirent *entry;
    DIR *folder = opendir(path);
    while ((entry = readdir(folder)) != NULL) found = found || strstr(entry->d_name, ".tmp");
    (void)closedir(folder);
    return found;
}

TEST(failed_writes_and_syncs_leave_nothing_half_written)
{
    static const sbl_image_format formats[] = {SBL_IMAGE_IDX, SBL_IMAGE_CIFAR, SBL_IMAGE_PNG, SBL_IMAGE_IDX};
    for (size_t i = 0; i < 4; i++) {
        long n = 1;
        for (;; n++) {
            char folder[256];
            sbl_error err = {0};
            temp_folder_make(folder);
            const char *images = in_folder(folder, i == 3 ? "x.gz" : "x");
            const char *labels = i % 3 == 0 ? in_folder(folder, "l") : NULL;
            fail_call(n, ENOSPC);
            const sbl_status status = write_all(images, labels, formats[i], &err);
            const bool done = !failed;
            fail_call(0, 0);
            assert_int_equal(status, done ? SBL_OK : SBL_EIO);
            if (!done) assert_non_null(strstr(err.message, folder));
            assert_false(leaves_temporary_names(folder));
            if (labels != NULL) assert_int_equal(access(images, F_OK), access(labels, F_OK));
            temp_folder_remove(folder);
            if (done) break;
        }
        assert_true(n > 2);
    }
}

ALL_TESTS(kit_setup, kit_teardown)
