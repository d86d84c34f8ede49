/* SPDX-License-Identifier: Apache-2.0 */
/* Without a graphics card: names of devices, plug-ins that are not there or none, and drivers that are missing,
 * old, empty or out of memory (a fake one): each is one line, and auto goes on with the CPU. */
#include "base/device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/device_training.h"
#include "base/backend/plugin.h"
#include "run/methods/network_method_device.h"
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
    assert_int_equal(sbl_device_open(&device, &(sbl_device_options){.name = name, .path = path}, &err),
                     status);
    if (strstr(err.message, words) == NULL || strchr(err.message, '\n') != NULL)
        fail_msg("'%s' in place of '%s'", err.message, words);
    sbl_device_close(&device);
    if (strcmp(name, "cuda") != 0) return;
    assert_int_equal(sbl_device_open(&device, &(sbl_device_options){.name = "auto", .path = path}, &err),
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
    CLEARED(sbl_device_close) sbl_device device;
    const sbl_device_options options = {.name = "cpu", .path = "/nowhere"};
    assert_int_equal(sbl_device_open(&device, &options, NULL), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    assert_string_equal(device.why, "");
}

TEST(a_plug_in_that_is_not_there_or_none_is_refused)
{
    char path[600];
    refuses("cuda", "/nowhere", SBL_EINPUT, "the plug-in libsemblance-cuda.so is not found in /nowhere");
    link_into("other", "libsemblance-cuda.so", SBL_TEST_FAKE);
    (void)snprintf(path, sizeof path, "%s/other", folder);
    refuses("cuda", path, SBL_EINPUT, "libsemblance-cuda.so is not a plug-in of this library");
}

TEST(what_is_wrong_with_a_machine_is_one_line)
{
    static const struct {
        const char *fake, *words;
        sbl_status status;
    } cases[] = {
        {"none", "CUDA: no device: no CUDA-capable device is detected", SBL_EINPUT},
        {"old", "the CUDA driver is too old: it supports CUDA 11.4, and 12.0 is needed", SBL_EINPUT},
        {"empty", "there is no CUDA device 0: this machine has 0", SBL_EINPUT},
        {"weak", "cuda:0 Fake is too old: its compute capability is 6.0, and 7.0 is needed", SBL_EINPUT},
        {"busy", "CUDA: cuda:0 Fake: out of memory", SBL_EMEM},
        {"broken", "NVRTC cannot compile the kernels: line 3.", SBL_EINPUT},
        {"refused", "CUDA: the kernels: lost", SBL_EINPUT},
        {"no product", "cuBLAS could not start on cuda:0 Fake", SBL_EINPUT},
    };
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        say(cases[i].fake);
        refuses("cuda", path, cases[i].status, cases[i].words);
    }
    say("");
    refuses("cuda:2", path, SBL_EINPUT, "there is no CUDA device 2: this machine has 2");
    refuses("cuda", cuda_folder("short", SBL_TEST_FAKE_SHORT), SBL_EINPUT,
            "the CUDA driver is too old: it lacks cuLaunchKernel");
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
    assert_string_equal(err.message,
                        "the CUDA plug-in and the library have different versions: install both "
                        "from the same build");
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
    options.settings[0] = (sbl_setting){"device-path", path};
    if (name != NULL) options.settings[1] = (sbl_setting){"device", name};
    return sbl_generate_device(device, &task, &options, err);
}

/* The default is auto: it takes a card that serves, says why one that is there does not, and has nothing to say where
 * there is no plug-in or no driver; who asks for auto hears that, too. */
TEST(nobody_who_did_not_ask_hears_that_there_is_no_card)
{
    static const char *const asked[] = {NULL, "auto"};
    char bare[600], broken[1400];
    device_training t;
    sbl_device device;
    link_into("bare", "libsemblance-cuda.so", SBL_TEST_PLUGIN);
    (void)snprintf(bare, sizeof bare, "%s/bare", folder);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    device_training_begin(&t, NULL, NULL);
    say("");
    assert_int_equal(choose(&device, &t, NULL, cuda_folder("cuda", SBL_TEST_FAKE), NULL), SBL_OK);
    assert_string_equal(device.on->name, "cuda:0 Fake");
    assert_false(device.absent);
    sbl_device_close(&device);
    for (int i = 0; i < 2; i++) {
        const char *nothing = i == 0 ? "" : "is not found";
        assert_int_equal(choose(&device, &t, asked[i], "/nowhere", NULL), SBL_OK);
        assert_true(device.on == &sbl_backend_cpu && device.absent);
        assert_true((device.why[0] == '\0') == (i == 0) && strstr(device.why, nothing) != NULL);
        sbl_device_close(&device);
        if (driver == NULL) {
            assert_int_equal(choose(&device, &t, asked[i], bare, NULL), SBL_OK);
            assert_true(device.on == &sbl_backend_cpu && device.absent);
            assert_string_equal(device.why, i == 0 ? "" : "no CUDA driver: libcuda.so.1 is not found");
            sbl_device_close(&device);
        }
        say("none");
        assert_int_equal(choose(&device, &t, asked[i], cuda_folder("cuda", SBL_TEST_FAKE), NULL), SBL_OK);
        assert_true(device.on == &sbl_backend_cpu && !device.absent);
        assert_string_equal(device.why, "CUDA: no device: no CUDA-capable device is detected");
        sbl_device_close(&device);
        say("");
    }
    /* A file of the plug-in's name that is none was meant to be one. */
    (void)snprintf(broken, sizeof broken, "mkdir %s/broken && echo > %s/broken/libsemblance-cuda.so", folder,
                   folder);
    assert_int_equal(system(broken), 0);
    (void)snprintf(broken, sizeof broken, "%s/broken", folder);
    assert_int_equal(choose(&device, &t, NULL, broken, NULL), SBL_OK);
    assert_false(device.absent);
    assert_non_null(strstr(device.why, "the plug-in libsemblance-cuda.so cannot be loaded in "));
    sbl_device_close(&device);
    device_training_end(&t);
    if (driver != NULL) (void)dlclose(driver);
}

static void keep_line(void *data, const char *line) { (void)snprintf(data, 300, "%s", line); }

TEST(the_line_says_which_device_trains_or_why_it_is_the_cpu)
{
    char line[300] = "", name[32];
    const sbl_train_options training = {.tell = keep_line, .progress_data = line};
    const sbl_backend card = {.name = "cuda:0 \x1b[1mB\xc3\xbc"};
    sbl_device device = {.on = &sbl_backend_cpu};
    sbl_generate_tell_device(&device, &training);
    assert_string_equal(line, "");
    sbl_generate_name_device(name, sizeof name, &device);
    assert_string_equal(name, "cpu");
    (void)snprintf(device.why, sizeof device.why, "it is old");
    sbl_generate_tell_device(&device, &training);
    assert_string_equal(line, "training is on the CPU: it is old");
    device = (sbl_device){.on = &card};
    sbl_generate_name_device(name, sizeof name, &device); /* as a certificate may hold it */
    assert_string_equal(name, "cuda:0 ?[1mB??");
    sbl_generate_tell_device(&device, &training);
    assert_string_equal(line, "training is on cuda:0 ?[1mB??");
}

TEST(too_little_memory_is_said_and_auto_goes_on)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    CLEARED(device_training_end) device_training t;
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
}

/* Tensors fit, and what a step takes beside them does not: that is known before anything is charged. */
TEST(a_device_without_room_for_a_step_is_not_taken)
{
    static const char words[] = "cuda:0 Fake failed: memory: out of memory";
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    CLEARED(device_training_end) device_training t;
    sbl_device device;
    sbl_error err = {0};
    device_training_begin(&t, NULL, NULL);
    say("full");
    assert_int_equal(choose(&device, &t, "cuda", path, &err), SBL_EMEM);
    assert_string_equal(err.message, words);
    sbl_device_close(&device);
    assert_int_equal(choose(&device, &t, "auto", path, NULL), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    assert_string_equal(device.why, words);
    sbl_device_close(&device);
}

/* Whoever has a card that does not work hears of it, asked for or not. */
TEST(a_device_that_does_not_work_is_refused)
{
    static const char *const names[] = {"cuda", "auto", NULL};
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    CLEARED(device_training_end) device_training t;
    sbl_device device;
    device_training_begin(&t, NULL, NULL);
    say("lost");
    for (size_t i = 0; i < 3; i++) {
        sbl_error err = {0};
        assert_int_equal(choose(&device, &t, names[i], path, &err), SBL_EIO);
        assert_string_equal(err.message, "cuda:0 Fake failed: a kernel: lost");
        sbl_device_close(&device);
    }
}

TEST(a_device_that_is_lost_in_training_is_reported)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    CLEARED(device_training_end) device_training t;
    CLEARED(sbl_device_close) sbl_device device;
    sbl_error err = {0};
    device_training_begin(&t, NULL, NULL);
    say("");
    assert_int_equal(choose(&device, &t, "cuda", path, NULL), SBL_OK);
    t.options.on = device.on;
    say("lost");
    assert_int_equal(device_training_run(&t, &err), SBL_EIO);
    assert_string_equal(err.message, "cuda:0 Fake failed: a kernel: lost");
}

TEST(a_feature_of_the_cpu_keeps_training_there)
{
    const char *path = cuda_folder("cuda", SBL_TEST_FAKE);
    CLEARED(device_training_end) device_training t;
    sbl_device device;
    sbl_error err = {0};
    sbl_loss_kind elsewhere = sbl_loss_orthogonal;
    elsewhere.any_backend = false;
    say("");
    device_training_begin(&t, NULL, NULL);
    t.validation.kind = &elsewhere;
    assert_int_equal(choose(&device, &t, "cuda", path, &err), SBL_EARG);
    assert_string_equal(err.message,
                        "cuda:0 Fake cannot train this: the plan has the feature orthogonal, "
                        "whose loss runs only on the CPU");
    sbl_device_close(&device);
    assert_int_equal(choose(&device, &t, "auto", path, NULL), SBL_OK);
    assert_ptr_equal(device.on, &sbl_backend_cpu);
    sbl_device_close(&device);
}
