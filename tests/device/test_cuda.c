/* SPDX-License-Identifier: Apache-2.0 */
/* On a machine with a CUDA device: every operation against the CPU, a whole training, a stopped and resumed
 * one, and the cache of compiled kernels. Elsewhere these skip. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_check.h"
#include "backend/device_training.h"
#include "base/device/device.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

/* The plug-in of this build, or of a folder that the tester names. */
static const char *plugin_folder(void)
{
    const char *named = getenv("SBL_TEST_DEVICE_PATH");
    return named != NULL ? named : SBL_TEST_PLUGIN_FOLDER;
}

static void open_with(sbl_device *device, bool tf32)
{
    const sbl_device_options options = {
        .name = "cuda", .path = plugin_folder(), .cache = tf32 ? NULL : folder, .tf32 = tf32};
    sbl_error err = {0};
    if (sbl_device_open(device, &options, &err) != SBL_OK) {
        print_message("%s\n", err.message);
        skip();
    }
    print_message("%s\n", device->on->name);
}

static void open_device(sbl_device *device) { open_with(device, false); }

TEST(every_operation_is_the_cpus)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    backend_check_all(device.on, &sbl_backend_cpu, 1e-4);
}

TEST(the_same_operation_gives_the_same_bits)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    backend_check_repeats(device.on);
}

TEST(in_tf32_every_operation_is_close_and_repeats)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_with(&device, true);
    backend_check_all(device.on, &sbl_backend_cpu, 5e-3);
    backend_check_repeats(device.on);
}

TEST(a_training_ends_where_the_cpus_does)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    device_training_agrees(device.on, 2e-2);
}

TEST(a_stopped_training_goes_on_to_the_same_bits)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    device_training_resumes(device.on, folder);
}

/* The one file of compiled kernels in the folder; its name. */
static void find_kernels(char *path, size_t size)
{
    DIR *all = opendir(folder);
    size_t found = 0;
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;)
        if (strstr(entry->d_name, "semblance-cuda-") == entry->d_name) {
            (void)snprintf(path, size, "%s/%s", folder, entry->d_name);
            found++;
        }
    (void)closedir(all);
    assert_int_equal(found, 1);
}

TEST(kernels_are_kept_and_a_torn_file_is_made_anew)
{
    sbl_device device;
    char path[512];
    open_device(&device);
    sbl_device_close(&device);
    find_kernels(path, sizeof path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 1000, SEEK_SET), 0);
    assert_int_equal(fputs("torn", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
    open_device(&device);
    backend_check_repeats(device.on);
    sbl_device_close(&device);
    find_kernels(path, sizeof path);
}

TEST(no_room_on_the_device_is_said)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    assert_null(device.on->allocate(device.on->device, (size_t)1 << 50));
    assert_ok(device.on->sync(device.on->device, NULL));
}
