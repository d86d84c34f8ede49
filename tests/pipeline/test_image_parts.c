/* SPDX-License-Identifier: Apache-2.0 */
/* Images in parts: files of images divide as rows do, to the bits of one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/release/release.h"
#include "image_run_kit.h"
#include "records/shards/shard_file.h"
#include "run/pipeline/shards_plan.h"
#include "semblance/shards.h"
#include "support/key_test.h"

enum { PARTS = 3 };

EACH_TEST(fresh, remove_folder)

static sbl_status open_images(sbl_data **handle, const char *images, const char *labels, sbl_error *err)
{
    sbl_data_options options;
    sbl_data_options_init(&options);
    options.images = true;
    options.classes = CLASSES;
    options.labels = at(labels);
    return sbl_data_open(handle, at(images), &options, err);
}

/* One step that reads these images, or none. */
static sbl_status step(sbl_shards *parts, const char *images, const char *labels,
                       const sbl_synth_options *options, sbl_error *err)
{
    sbl_data *handle = NULL;
    if (images != NULL) must(open_images(&handle, images, labels, err), err);
    parts->data = handle;
    const sbl_status status = sbl_shards_run(NULL, parts, options, err);
    sbl_data_free(handle);
    return status;
}

static sbl_shards begin(sbl_shards_step which)
{
    sbl_shards parts;
    sbl_shards_init(&parts);
    parts.step = which;
    if (which != SBL_SHARDS_PLAN) parts.plan = at("plan");
    return parts;
}

static void plan_images(const sbl_synth_options *options)
{
    sbl_error err = {0};
    sbl_shards parts = begin(SBL_SHARDS_PLAN);
    parts.rows = IMAGES;
    parts.output = at("plan");
    must(step(&parts, "images", "labels", options, &err), &err);
}

static sbl_status sum_images(const char *images, const char *labels, const char *output, sbl_error *err)
{
    sbl_synth_options options;
    sbl_shards parts = begin(SBL_SHARDS_SUM);
    sbl_synth_options_init(&options);
    options.overwrite = true;
    parts.output = at(output);
    return step(&parts, images, labels, &options, err);
}

/* The images i with i % PARTS == number, as their own files. */
static void write_part(int number)
{
    static image_set some;
    char images[32], labels[32];
    size_t count = 0;
    for (size_t i = (size_t)number; i < IMAGES; i += PARTS, count++) {
        memcpy(some.pixels[count], data.pixels[i], SIZE);
        some.labels[count] = data.labels[i];
    }
    (void)snprintf(images, sizeof images, "images%d", number);
    (void)snprintf(labels, sizeof labels, "labels%d", number);
    write_set(images, labels, &some, count);
}

TEST(files_of_images_give_the_bits_of_one_process)
{
    const sbl_synth_options options = small();
    sbl_synth_options plain;
    sbl_error err = {0};
    sbl_release *one = NULL, *many = NULL;
    const char *sums[PARTS] = {0};
    char names[PARTS][300];
    sbl_synth_options_init(&plain);
    const paths *p = paths_of("images", "labels", "out");
    must(images_run(NULL, &p->input, &p->output, 0, NULL, &options, &err), &err);
    plan_images(&options);
    for (int i = 0; i < PARTS; i++) {
        char images[32], labels[32], sum[32];
        write_part(i);
        (void)snprintf(images, sizeof images, "images%d", i);
        (void)snprintf(labels, sizeof labels, "labels%d", i);
        (void)snprintf(sum, sizeof sum, "sum%d", i);
        must(sum_images(images, labels, sum, &err), &err);
        (void)snprintf(names[i], sizeof names[i], "%s", at(sum));
        sums[i] = names[i];
    }
    sbl_shards parts = begin(SBL_SHARDS_MERGE);
    parts.sums = sums;
    parts.sum_count = PARTS;
    parts.output = at("whole");
    must(step(&parts, NULL, NULL, &plain, &err), &err);
    parts = begin(SBL_SHARDS_RELEASE);
    sums[0] = at("whole");
    parts.sums = sums;
    parts.sum_count = 1;
    parts.output = at("parts.release");
    sbl_test_key_set(1);
    must(step(&parts, NULL, NULL, &plain, &err), &err);
    must(sbl_release_load(&one, sbl_file_item(at("out.release")), &err), &err);
    must(sbl_release_load(&many, sbl_file_item(at("parts.release")), &err), &err);
    assert_int_equal(one->value_count, many->value_count);
    assert_memory_equal(one->values, many->values, one->value_count * sizeof *one->values);
    assert_string_equal(one->plan, many->plan);
    sbl_release_free(one);
    sbl_release_free(many);
    FREED(free) char *certificate = text_of("parts.certificate.json");
    assert_non_null(strstr(certificate, "no image is in two"));
}

static void expect_refused(const char *images, const char *labels, const char *output, sbl_status expected,
                           const char *words)
{
    sbl_error err = {0};
    assert_int_equal(sum_images(images, labels, output, &err), expected);
    if (strstr(err.message, words) == NULL) fail_msg("'%s' is not in '%s'", words, err.message);
}

TEST(images_that_are_not_the_plans_are_refused)
{
    const sbl_synth_options options = small();
    FILE *file;
    plan_images(&options);
    /* As many pixels, but of another shape. */
    assert_int_equal(rename(at("images"), at("other")), 0);
    file = fopen(at("other"), "r+b");
    assert_non_null(file);
    (void)fseek(file, 11, SEEK_SET);
    (void)fputc(WIDTH, file);
    (void)fseek(file, 15, SEEK_SET);
    (void)fputc(HEIGHT, file);
    (void)fclose(file);
    expect_refused("other", "labels", "sum", SBL_EINPUT, "another size, or other classes");
    assert_false(exists("sum"));
    expect_refused("other", "labels", "labels", SBL_EARG, "labels");
    write_file("table.csv", "a\n1\n");
    sbl_data *table = NULL;
    sbl_error err = {0};
    sbl_shards parts = begin(SBL_SHARDS_SUM);
    must(sbl_data_open(&table, at("table.csv"), NULL, &err), &err);
    parts.data = table;
    parts.output = at("sum");
    assert_int_equal(sbl_shards_run(NULL, &parts, &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "is a plan of an image set"));
    sbl_data_free(table);
}

/* The part at `from`, by another name. */
static void rename_part(const char *from, const char *name, const char *to)
{
    CLEARED(sbl_shards_close) sbl_shards_planned planned;
    CLEARED(sbl_part_clear) sbl_part part = {0};
    sbl_synth_options plain;
    sbl_error err = {0};
    sbl_synth_options_init(&plain);
    must(sbl_shards_open(&planned, sbl_file_item(at("plan")), &plain, &err), &err);
    must(sbl_part_load(&part, &planned.file, &planned.features.layout, sbl_file_item(at(from)), &err), &err);
    sbl_part_rename(&part, name);
    must(sbl_part_save(&part, &planned.file, &planned.features.layout, sbl_file_item(at(to)), false, &err),
         &err);
}

/* Whoever summed it may have had another program. */
TEST(parts_named_as_what_the_network_saw_are_refused)
{
    static const sbl_shards_step steps[] = {SBL_SHARDS_MERGE, SBL_SHARDS_RELEASE};
    sbl_synth_options options, plain;
    sbl_error err = {0};
    sbl_synth_options_init(&options);
    sbl_synth_options_init(&plain);
    options.method = "mepf"; /* by vgg-s, which saw CIFAR-10 */
    options.epsilon = 1;
    plan_images(&options);
    must(sum_images("images", "labels", "sum", &err), &err);
    rename_part("sum", "data_batch_1.bin", "renamed");
    rename_part("sum", "digits", "harmless");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char name[300];
        const char *const sums[] = {name};
        sbl_shards parts = begin(steps[i]);
        parts.sums = sums;
        parts.sum_count = 1;
        parts.output = at(i == 0 ? "whole" : "set.release");
        (void)snprintf(name, sizeof name, "%s", at("renamed"));
        assert_int_equal(step(&parts, NULL, NULL, &plain, &err), SBL_EINPUT);
        assert_non_null(strstr(err.message, "was trained on CIFAR-10"));
        assert_false(exists(i == 0 ? "whole" : "set.release"));
        assert_false(exists("set.release.ledger"));
        (void)snprintf(name, sizeof name, "%s", at("harmless"));
        must(step(&parts, NULL, NULL, &plain, &err), &err);
    }
}
