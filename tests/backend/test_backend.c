/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU and a plain reference against each other, every operation through the contract; and whole
 * trainings on a backend whose memory nobody else may touch: what a graphics card needs of the engine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_check.h"
#include "backend/device_training.h"
#include "backend/reference_backend.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"

ALL_TESTS(make_folder, remove_folder)

TEST(every_operation_of_the_cpu_is_the_references)
{
    backend_check_all(&sbl_backend_cpu, reference_backend_open(), 2e-5);
    reference_backend_close();
}

TEST(the_same_operation_gives_the_same_bits) { backend_check_repeats(&sbl_backend_cpu); }

TEST(no_operation_of_the_cpu_depends_on_threads)
{
    backend_check_threads(&sbl_backend_cpu, 3);
    backend_check_threads(&sbl_backend_cpu, 16);
}

TEST(a_training_on_another_backend_ends_where_the_cpus_does)
{
    device_training_agrees(reference_backend_open(), 2e-2);
    reference_backend_close();
}

TEST(a_stopped_training_on_another_backend_goes_on_to_the_same_bits)
{
    device_training_resumes(reference_backend_open(), folder);
    reference_backend_close();
}

TEST(a_device_without_room_is_named_and_leaves_nothing)
{
    const sbl_backend *on = reference_backend_open();
    size_t n = 0;
    for (;; n++) {
        device_training t;
        sbl_error err = {0};
        reference_backend_fail(SIZE_MAX);
        device_training_begin(&t, on, NULL);
        reference_backend_fail(n);
        const sbl_status status = sbl_train_check(&t.generator, t.kit.terms, t.kit.count, &t.options, &err);
        device_training_end(&t);
        if (status == SBL_OK) break;
        assert_int_equal(status, SBL_EMEM);
        assert_non_null(strstr(err.message, "on reference"));
    }
    assert_true(n > 20);
    reference_backend_close();
}

TEST(a_device_that_breaks_is_reported_with_its_reason)
{
    device_training t;
    sbl_error err = {0};
    device_training_begin(&t, reference_backend_open(), NULL);
    reference_backend_break();
    assert_int_equal(device_training_run(&t, &err), SBL_EIO);
    assert_string_equal(err.message, "the reference device is broken");
    device_training_end(&t);
    reference_backend_close();
}

/* ---- a device that breaks between the loss of a step and its checkpoint ---- */

enum { BROKEN_STEP = 4, LARGE = 1 << 20 }; /* a checkpoint is written behind it, as behind step 2 */

static size_t adam_steps;
static void (*whole_adam)(void *device, float *weights, float *first, float *second, const float *gradient,
                          size_t count, const sbl_adam_rates *rates);

static void adam_that_breaks(void *device, float *weights, float *first, float *second, const float *gradient,
                             size_t count, const sbl_adam_rates *rates)
{
    if (++adam_steps == BROKEN_STEP) reference_backend_break();
    whole_adam(device, weights, first, second, gradient, count, rates);
}

static char *checkpoint_bytes(size_t *size)
{
    char path[4096], *bytes = malloc(LARGE);
    (void)snprintf(path, sizeof path, "%s/breaks.training", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *size = fread(bytes, 1, LARGE, file);
    assert_true(*size > 0 && *size < LARGE);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

typedef struct file_seen {
    char *bytes;
    size_t size;
} file_seen;

static int see_checkpoint(void *data, size_t step, size_t steps, double loss)
{
    file_seen *seen = data;
    (void)steps;
    (void)loss;
    if (step == BROKEN_STEP - 1) seen->bytes = checkpoint_bytes(&seen->size);
    return 0;
}

TEST(a_device_that_breaks_leaves_the_checkpoint_before)
{
    sbl_backend on = *reference_backend_open();
    device_training t;
    file_seen before = {0};
    size_t size;
    char path[4096];
    sbl_error err = {0};
    (void)snprintf(path, sizeof path, "%s/breaks.training", folder);
    adam_steps = 0;
    whole_adam = on.adam;
    on.adam = adam_that_breaks;
    device_training_begin(&t, &on, path);
    t.options.progress = see_checkpoint;
    t.options.progress_data = &before;
    assert_int_equal(device_training_run(&t, &err), SBL_EIO);
    assert_string_equal(err.message, "the reference device is broken");
    assert_int_equal(adam_steps, BROKEN_STEP);
    char *after = checkpoint_bytes(&size);
    assert_int_equal(size, before.size);
    assert_memory_equal(after, before.bytes, size);
    free(after);
    free(before.bytes);
    device_training_end(&t);
    reference_backend_close();
}

TEST(what_a_backend_does_not_serve_is_refused)
{
    static const size_t cardinalities[] = {3};
    const sbl_network network = {.latent = 4, .hidden = {8}, .count = 1};
    sbl_train_options options = sbl_train_options_of(SBL_DATA_TABLE);
    train_kit kit;
    sbl_generator generator;
    sbl_error err = {0};
    options.on = reference_backend_open();
    train_kit_table(&kit, 2, cardinalities, 1, 1, 32, 0.5);
    assert_ok(sbl_generator_init(&generator, &kit.facts, &network, NULL));
    assert_ok(sbl_train_serves(&sbl_backend_cpu, &generator, kit.terms, kit.count, &err));
    assert_int_equal(sbl_train_serves(options.on, &generator, kit.terms, kit.count, &err), SBL_EARG);
    assert_string_equal(err.message,
                        "reference cannot train this: generators of tables are trained on the CPU");
    assert_int_equal(sbl_train_check(&generator, kit.terms, kit.count, &options, &err), SBL_EARG);
    assert_non_null(strstr(err.message, "reference cannot train this"));
    sbl_generator_clear(&generator);
    train_kit_clear(&kit);
    reference_backend_close();
}
