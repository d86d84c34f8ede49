/* Without a graphics card: names of devices, plug-ins that are not there or none, and drivers that are missing,
 * old, empty or out of memory (a fake one): each is one line, and auto goes on with the CPU. */
#include "device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/device_training.h"
#include "backend/plugin.h"
#include "methods/generate_device.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

static void link_into(const char *below, const char *name, const char *to)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", folder, below);
    if (access(path, F_OK) != 0) assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
    (void)unlink(path);
    assert_int_equal(symlink(to, path), 0);
}

/* A folder with the plug-in and the three libraries of CUDA, the driver being this one. */
static const char *cuda_folder(const char *below, const char *driver)
{
    static char path[600];
    link_into(below, "libsemblance-cuda.so", SBL_TEST_PLUGIN);
    link_into(below, "libcuda.so.1", driver);
    link_into(below, "libnvrtc.so.13", SBL_TEST_FAKE);
    link_into(below, "libcublas.so.13", SBL_TEST_FAKE);
    (void)snprintf(path, sizeof path, "%s/%s", folder, below);
    return path;
}

static void say(const char *what) { assert_int_equal(setenv("FAKE_CUDA", what, 1), 0); }

/* Asked for by name it is refused with these words; auto goes on with the CPU and says them. */
static void refuses(const char *name, const char *path, sbl_status status, const char *words)
{
    sbl_device device;
    sbl_error err = {0};
    assert_int_equal(
        sbl_device_open(&device, &(sbl_device_options){.name = name, .path = path}, &err), status);
    if (strstr(err.message, words) == NULL || strchr(err.message, '\n') != NULL)
        fail_msg("'%s' in place of '%s'", err.message, words);
    sbl_device_close(&device);
    if (strcmp(name, "cuda") != 0) return;
    assert_int_equal(
        sbl_device_open(&device, &(sbl_device_options){.name = "auto", .path = path}, &err),
        SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    assert_non_null(strstr(device.why, words));
    sbl_device_close(&device);
}

TEST(names_are_a_few)
{
    static const char *const good[] = {"auto", "cpu", "cuda", "cuda:0", "cuda:63", NULL};
    static const char *const bad[] = {"",        "gpu",     "CUDA",    "cuda:",   "cuda:-1",
                                      "cuda:1a", "cuda:64", "cuda: 1", "cuda:+1", "cpu:0"};
    sbl_error err = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(sbl_device_check(good[i], NULL), SBL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sbl_device_check(bad[i], &err), SBL_EARG);
        assert_string_equal(err.message, "device must be auto, cpu, cuda or cuda:N");
    }
}

TEST(the_cpu_needs_nothing)
{
    sbl_device device;
    const sbl_device_options options = {.name = "cpu", .path = "/nowhere"};
    assert_int_equal(sbl_device_open(&device, &options, NULL), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    assert_string_equal(device.why, "");
    sbl_device_close(&device);
}

TEST(a_plug_in_that_is_not_there_or_none_is_refused)
{
    char path[600];
    refuses("cuda", "/nowhere", SBL_EINPUT,
            "the plug-in libsemblance-cuda.so is not found in /nowhere");
    link_into("other", "libsemblance-cuda.so", SBL_TEST_FAKE);
    (void)snprintf(path, sizeof path, "%s/other", folder);
    refuses("cuda", path, SBL_EINPUT, "libsemblance-cuda.so is no plug-in of this library");
}

TEST(what_is_wrong_with_a_machine_is_one_line)
{
    static const struct {
        const char *fake, *words;
        sbl_status status;
    } cases[] = {
        {"none", "CUDA: no device: no CUDA-capable device is detected", SBL_EINPUT},
        {"old", "the CUDA driver is too old: it is for CUDA 11.4, not 12.0", SBL_EINPUT},
        {"empty", "there is no CUDA device 0: 0 in all", SBL_EINPUT},
        {"weak", "cuda:0 Fake is too old: compute capability 6.0, not 7.0", SBL_EINPUT},
        {"busy", "CUDA: cuda:0 Fake: out of memory", SBL_EMEM},
        {"broken", "NVRTC cannot compile the kernels: line 3.", SBL_EINPUT},
        {"refused", "CUDA: the kernels: lost", SBL_EINPUT},
        {"no product", "cuBLAS does not start on cuda:0 Fake", SBL_EINPUT},
    };
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        say(cases[i].fake);
        refuses("cuda", path, cases[i].status, cases[i].words);
    }
    say("");
    refuses("cuda:2", path, SBL_EINPUT, "there is no CUDA device 2: 2 in all");
    refuses("cuda", cuda_folder("short", SBL_TEST_FAKE_SHORT), SBL_EINPUT,
            "the CUDA driver is too old: it has no cuLaunchKernel");
}

TEST(a_plug_in_of_another_version_is_refused)
{
    const sbl_device_ask ask = {.version = SBL_BACKEND_VERSION + 1};
    const sbl_backend *made;
    sbl_device_opening opening;
    sbl_error err = {0};
    void *library = dlopen(SBL_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    void *symbol = dlsym(library, SBL_PLUGIN_OPEN);
    memcpy(&opening, &symbol, sizeof opening);
    assert_int_equal(opening(&made, &ask, &err), SBL_EINPUT);
    assert_null(made);
    assert_string_equal(err.message, "the CUDA plug-in is of another version than the library");
    (void)dlclose(library);
}

TEST(a_device_opens_and_keeps_its_kernels)
{
    char cache[600], found[700];
    sbl_device device;
    (void)snprintf(cache, sizeof cache, "%s/kept", folder);
    assert_int_equal(mkdir(cache, 0700), 0);
    const sbl_device_options options = {
        .name = "cuda:1", .path = cuda_folder("cuda", SBL_TEST_FAKE), .cache = cache};
    say("");
    assert_int_equal(sbl_device_open(&device, &options, NULL), SBL_OK);
    assert_string_equal(device.on->name, "cuda:1 Fake");
    assert_false(device.on->is_host);
    sbl_device_close(&device);
    say("broken"); /* the compiler: nobody asks it again */
    assert_int_equal(sbl_device_open(&device, &options, NULL), SBL_OK);
    sbl_device_close(&device);
    (void)snprintf(found, sizeof found, "truncate -s -1 %s/semblance-cuda-*.cubin", cache);
    assert_int_equal(system(found), 0);
    assert_int_equal(sbl_device_open(&device, &options, NULL), SBL_EINPUT);
    sbl_device_close(&device);
}

/* ---- a training that is to be ---- */

static sbl_status choose(sbl_device *device, device_training *t, const char *name, const char *path,
                         sbl_error *err)
{
    const sbl_device_task task = {&t->generator, t->kit.terms, t->kit.count, &t->options};
    sbl_synth_options options;
    sbl_synth_options_init(&options);
    options.settings[0] = (sbl_setting){"device", name};
    options.settings[1] = (sbl_setting){"device-path", path};
    return sbl_generate_device(device, &task, &options, err);
}

TEST(too_little_memory_is_said_and_auto_goes_on)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    device_training t;
    sbl_device device;
    sbl_error err = {0};
    device_training_begin(&t, NULL, NULL);
    say("");
    assert_int_equal(choose(&device, &t, "auto", path, NULL), SBL_OK);
    assert_string_equal(device.on->name, "cuda:0 Fake");
    sbl_device_close(&device);
    say("small");
    assert_int_equal(choose(&device, &t, "cuda", path, &err), SBL_EMEM);
    assert_non_null(strstr(err.message, "on cuda:0 Fake"));
    sbl_device_close(&device);
    assert_int_equal(choose(&device, &t, "auto", path, &err), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    assert_non_null(strstr(device.why, "on cuda:0 Fake"));
    sbl_device_close(&device);
    device_training_end(&t);
}

TEST(a_device_that_is_lost_in_training_is_reported)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    device_training t;
    sbl_device device;
    sbl_error err = {0};
    device_training_begin(&t, NULL, NULL);
    say("");
    assert_int_equal(choose(&device, &t, "cuda", path, NULL), SBL_OK);
    t.options.on = device.on;
    say("lost");
    assert_int_equal(device_training_run(&t, &err), SBL_EIO);
    assert_string_equal(err.message, "cuda:0 Fake failed: a kernel: lost");
    sbl_device_close(&device);
    device_training_end(&t);
}

TEST(a_feature_of_the_cpu_keeps_training_there)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    device_training t;
    sbl_device device;
    sbl_error err = {0};
    sbl_feature elsewhere = sbl_feature_orthogonal;
    elsewhere.any_backend = false;
    say("");
    device_training_begin(&t, NULL, NULL);
    t.validation.feature = &elsewhere;
    assert_int_equal(choose(&device, &t, "cuda", path, &err), SBL_EARG);
    assert_string_equal(err.message,
                        "cuda:0 Fake cannot train this: a feature of the plan is one of the CPU");
    sbl_device_close(&device);
    assert_int_equal(choose(&device, &t, "auto", path, NULL), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    sbl_device_close(&device);
    device_training_end(&t);
}
