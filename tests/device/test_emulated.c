/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in's kernels on the host (emulated_cuda.cpp): every operation against the CPU's, a training, a stopped
 * one. What only a card can show is in test_cuda. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "backend/backend_check.h"
#include "backend/device_training.h"
#include "base/device/device.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

static void link_to(const char *name, const char *to)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)unlink(path);
    assert_int_equal(symlink(to, path), 0);
}

static void open_with(sbl_device *device, bool tf32)
{
    const sbl_device_options options = {.name = "cuda", .path = folder, .tf32 = tf32};
    const char *driver = tf32 ? SBL_TEST_EMULATED_TENSOR : SBL_TEST_EMULATED;
    sbl_error err = {0};
    link_to("libsemblance-cuda.so", SBL_TEST_PLUGIN);
    link_to("libcuda.so.1", driver);
    link_to("libnvrtc.so.13", driver);
    link_to("libcublas.so.13", driver);
    assert_ok_or_say(sbl_device_open(device, &options, &err));
}

static void open_device(sbl_device *device) { open_with(device, false); }

/* And by these operations every kernel is run. */
TEST(every_operation_of_the_kernels_is_the_cpus)
{
    sbl_device device;
    void *driver = dlopen(SBL_TEST_EMULATED, RTLD_NOW); /* which counts what is launched */
    const char *(*idle)(void) = NULL;
    assert_non_null(driver);
    *(void **)&idle = dlsym(driver, "emulated_idle");
    assert_non_null(idle);
    open_device(&device);
    backend_check_all(device.on, &sbl_backend_cpu, 1e-4);
    if (idle() != NULL) fail_msg("nothing runs the kernel %s", idle());
    sbl_device_close(&device);
    (void)dlclose(driver);
}

TEST(in_tf32_every_operation_is_close)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_with(&device, true);
    assert_string_equal(device.on->name, "cuda:0 Fake, TF32");
    backend_check_all(device.on, &sbl_backend_cpu, 5e-3);
}

TEST(the_same_kernels_give_the_same_bits)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    backend_check_repeats(device.on);
}

TEST(a_training_by_the_kernels_ends_where_the_cpus_does)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    device_training_agrees(device.on, 2e-2);
}

TEST(a_stopped_training_by_the_kernels_goes_on_to_the_same_bits)
{
    CLEARED(sbl_device_close) sbl_device device;
    open_device(&device);
    device_training_resumes(device.on, folder);
}
