/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs of mepf with cells, under a fixed key, whose card fails while it trains: at the first fit, between the releases,
 * or at the second, after both. The run ends in one line, keeps what it released and has paid for that alone; the same
 * command with `resume` goes on to the bits of a run whose card never failed, and pays once. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/ledger/ledger_book.h"
#include "door/release/release.h"
#include "pipeline/image_run_kit.h"
#include "support/key_test.h"
#include "support/option_kit.h"
#include "support/owned.h"

#define TINY SBL_TEST_SOURCE_DIR "/support/tiny.safetensors"
#define KEY 7
#define MADE 4

static const char *const made[MADE] = {"out.release", "out.release.2", "out/images-idx3-ubyte.gz",
                                       "out/labels-idx1-ubyte.gz"};

/* The bytes of what a run made; no bytes: it did not. And its releases. */
typedef struct result {
    uint8_t *bytes[MADE];
    size_t sizes[MADE];
    sbl_release *releases[2];
} result;

static void result_clear(result *r)
{
    for (size_t i = 0; i < MADE; i++) free(r->bytes[i]);
    for (size_t i = 0; i < 2; i++) sbl_release_free(r->releases[i]);
}

static result result_of(void)
{
    result r = {0};
    struct stat about;
    sbl_error err = {0};
    for (size_t i = 0; i < MADE; i++) {
        if (stat(at(made[i]), &about) != 0) continue;
        FILE *file = fopen(at(made[i]), "rb");
        assert_non_null(file);
        r.sizes[i] = (size_t)about.st_size;
        r.bytes[i] = malloc(r.sizes[i] + 1);
        assert_int_equal(fread(r.bytes[i], 1, r.sizes[i], file), r.sizes[i]);
        (void)fclose(file);
        if (i < 2) must(sbl_release_load(&r.releases[i], sbl_file_item(at(made[i])), &err), &err);
    }
    return r;
}

static void expect_same_bytes(const result *a, const result *b, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        assert_true(a->sizes[i] > 0 && a->sizes[i] == b->sizes[i]);
        assert_memory_equal(a->bytes[i], b->bytes[i], a->sizes[i]);
    }
}

/* Of runs with a ledger each: releases but for where they are in it. */
static void expect_same_run(const result *a, const result *b)
{
    for (size_t i = 0; i < 2; i++) {
        const sbl_release *one = a->releases[i], *other = b->releases[i];
        assert_non_null(one);
        assert_non_null(other);
        assert_string_equal(one->plan, other->plan);
        assert_int_equal(one->value_count, other->value_count);
        assert_memory_equal(one->values, other->values, one->value_count * sizeof *one->values);
    }
    expect_same_bytes(a, b, 2, MADE);
}

static size_t charges(void)
{
    sbl_ledger_view view;
    sbl_error err = {0};
    size_t count = 0;
    must(sbl_ledger_read(&view, sbl_file_item(at("images.ledger")), &err), &err);
    for (size_t i = 0; i < view.line_count; i++) count += view.lines[i].op == SBL_LEDGER_RESERVE;
    sbl_ledger_view_clear(&view);
    return count;
}

/* The plug-in and the three libraries of CUDA, all of them this one. */
static void make_card(void)
{
    static const char *const libraries[] = {"libcuda.so.1", "libnvrtc.so.13", "libcublas.so.13"};
    assert_int_equal(mkdir(at("card"), 0700), 0);
    assert_int_equal(symlink(SBL_TEST_PLUGIN, at("card/libsemblance-cuda.so")), 0);
    for (size_t i = 0; i < 3; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "card/%s", libraries[i]);
        assert_int_equal(symlink(SBL_TEST_FAKE, at(name)), 0);
    }
}

/* In a folder that is new, with a card that is whole. */
static sbl_synth_options begin(const char *device)
{
    static char card[400];
    sbl_synth_options options = small();
    start_afresh();
    sbl_test_key_set(KEY);
    make_card();
    assert_int_equal(setenv("FAKE_CUDA", "", 1), 0);
    options.method = "mepf";
    options.threads = 1;
    options.epsilon = 5;
    give(&options, "encoder", TINY);
    give(&options, "embedding", "pixels+perceptual");
    give(&options, "features", "40");
    give(&options, "cells", "2");
    give(&options, "device", device);
    (void)snprintf(card, sizeof card, "%s", at("card"));
    give(&options, "device-path", card);
    return options;
}

static result whole_run(const char *device)
{
    const sbl_synth_options options = begin(device);
    sbl_error err = {0};
    paths *p = paths_of("images", "labels", "out");
    must(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    assert_int_equal(charges(), 2);
    return result_of();
}

/* Runs until the card fails, which it does once this release is there, and goes on with this device. */
static void fail_and_go_on(size_t release, const char *device)
{
    CLEARED(result_clear) result whole = whole_run(device);
    sbl_synth_options options = begin("cuda");
    char lost[400];
    sbl_error err = {0};
    (void)snprintf(lost, sizeof lost, "lost after %s", at(made[release - 1]));
    assert_int_equal(setenv("FAKE_CUDA", lost, 1), 0);
    paths *p = paths_of("images", "labels", "out");
    assert_int_equal(images_run(NULL, &p->input, &p->output, 10, NULL, &options, &err), SBL_EIO);
    assert_non_null(strstr(err.message, "cuda:0 Fake failed: a kernel: lost"));
    assert_null(strchr(err.message, '\n'));
    assert_int_equal(charges(), release);
    CLEARED(result_clear) result left = result_of();
    for (size_t i = 0; i < MADE; i++) assert_true((left.sizes[i] > 0) == (i < release));

    /* It is still lost: refused before anything is done. */
    assert_int_equal(images_resume(NULL, &p->input, &p->output, 10, NULL, &options, &err), SBL_EIO);
    assert_int_equal(charges(), release);

    assert_int_equal(setenv("FAKE_CUDA", "", 1), 0);
    give(&options, "device", device);
    must(images_resume(NULL, &p->input, &p->output, 10, NULL, &options, &err), &err);
    assert_int_equal(charges(), 2);
    CLEARED(result_clear) result after = result_of();
    expect_same_bytes(&left, &after, 0, release);
    expect_same_run(&whole, &after);
}

TEST(a_card_that_fails_between_releases_costs_nothing_more) { fail_and_go_on(1, "cuda"); }

/* The fake computes nothing; the CPU makes the cells of a fit that does train. */
TEST(the_cpu_goes_on_where_a_card_failed_between_releases) { fail_and_go_on(1, "cpu"); }

TEST(a_card_that_fails_after_the_releases_costs_nothing_more) { fail_and_go_on(2, "cuda"); }

ALL_TESTS(fresh, remove_folder)
