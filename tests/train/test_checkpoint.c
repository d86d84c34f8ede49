/* SPDX-License-Identifier: Apache-2.0 */
/* Training that is killed goes on from its checkpoint to the bits of one that was not: weights,
 * moments, averages, running means, the best weights so far. What is no checkpoint of this training
 * is not taken, and nothing but a checkpoint is replaced or removed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "after/train/trainer.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"
#include "support/cmocka_all.h"
#include "support/one_folder.h"
#include "train/train_kit.h"

enum { STEPS = 30, EVERY = 4 };

static char heard[4][600];
static size_t heard_count;

static void hear(void *data, const char *line)
{
    (void)data;
    if (heard_count < 4) (void)snprintf(heard[heard_count], sizeof heard[0], "%s", line);
    heard_count++;
}

/* ---- a training of either kind, with all that it can remember ---- */

static void make_kit(train_kit *kit, sbl_data_kind kind)
{
    static const size_t cardinalities[] = {3, 4};
    sbl_model_rng rng;
    if (kind == SBL_DATA_IMAGES)
        train_kit_images(kit, 6, 5, 3, 64);
    else
        train_kit_table(kit, 2, cardinalities, 2, 2, 64, 0.5);
    const size_t widths[] = {64, kit->facts.shape.onehot};
    sbl_model_rng_init(&rng, 9, SBL_RNG_OTHER, 0);
    for (size_t t = 0; t < kit->count; t++)
        for (size_t i = 0; i < kit->facts.classes * widths[t]; i++)
            kit->targets[t].means[i] = (float)(0.3 * sbl_model_rng_uniform(&rng));
    kit->targets[0].memory = 0.9;
}

typedef struct training {
    train_kit kit;
    sbl_target validation_target;
    sbl_train_term validation;
    sbl_generator generator;
    sbl_train_options options;
} training;

static void begin(training *t, sbl_data_kind kind, const char *checkpoint)
{
    const sbl_network image = {.latent = 4, .hidden = {8, 4, 3}, .count = 3};
    const sbl_network table = {.latent = 4, .hidden = {10}, .count = 1};
    make_kit(&t->kit, kind);
    assert_ok(
        sbl_generator_init(&t->generator, &t->kit.facts, kind == SBL_DATA_IMAGES ? &image : &table, NULL));
    t->validation_target = t->kit.targets[0];
    t->validation_target.memory = 0;
    t->validation = t->kit.terms[0];
    t->validation.target = &t->validation_target;
    t->options = sbl_train_options_of(kind);
    t->options.steps = STEPS;
    t->options.batch = 40;
    t->options.seed = 5;
    t->options.average = 0.9;
    t->options.validation_terms = &t->validation;
    t->options.validation_count = 1;
    t->options.candidates = 7;
    t->options.checkpoint = sbl_file_item(checkpoint);
    t->options.checkpoint_steps = EVERY;
    t->options.training = "this training";
    t->options.tell = hear;
    heard_count = 0;
}

static sbl_status run(training *t)
{
    return sbl_train(&t->generator, t->kit.terms, t->kit.count, t->kit.shares, &t->options, NULL);
}

static void end(training *t)
{
    sbl_generator_clear(&t->generator);
    train_kit_clear(&t->kit);
}

static void check_same(const sbl_generator *a, const sbl_generator *b)
{
    assert_memory_equal(a->net.weights, b->net.weights, a->net.weight_count * sizeof(float));
    assert_memory_equal(a->net.running, b->net.running, a->net.running_count * sizeof(float));
}

/* ---- going on ---- */

static int kill_at(void *data, size_t step, size_t steps, double loss)
{
    (void)steps;
    (void)loss;
    if (step == *(const size_t *)data) (void)raise(SIGKILL);
    return 0;
}

static int stop_at(void *data, size_t step, size_t steps, double loss)
{
    (void)steps;
    (void)loss;
    return step == *(const size_t *)data;
}

/* In a process of its own, which does not live to say how it went. */
static void train_and_be_killed(sbl_data_kind kind, const char *path, size_t step)
{
    const pid_t child = fork();
    int how;
    assert_true(child >= 0);
    if (child == 0) {
        training t;
        begin(&t, kind, path);
        t.options.progress = kill_at;
        t.options.progress_data = &step;
        (void)run(&t);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
}

TEST(a_killed_training_goes_on_to_the_same_bits)
{
    static const sbl_data_kind kinds[] = {SBL_DATA_IMAGES, SBL_DATA_TABLE};
    static const size_t steps[] = {4, 14, 29}; /* the checkpoint is of step 4, 12, 28 */
    sbl_thread_set(1);                         /* threads do not survive a fork */
    for (size_t k = 0; k < 2; k++) {
        CLEARED(end) training whole;
        begin(&whole, kinds[k], NULL);
        assert_ok(run(&whole));
        for (size_t i = 0; i < 3; i++) {
            const char *path = in_folder(folder, "killed.training");
            CLEARED(end) training rest;
            char words[40];
            train_and_be_killed(kinds[k], path, steps[i]);
            begin(&rest, kinds[k], path);
            assert_ok(run(&rest));
            (void)snprintf(words, sizeof words, "after step %zu of 30", steps[i] / EVERY * EVERY);
            assert_int_equal(heard_count, 1);
            assert_non_null(strstr(heard[0], words));
            check_same(&whole.generator, &rest.generator);
            sbl_checkpoint_remove(sbl_file_item(path));
            assert_int_not_equal(access(path, F_OK), 0);
        }
    }
}

/* A stop is kept at the very step, whatever the interval. */
TEST(a_stopped_training_loses_no_step)
{
    training whole, rest;
    const char *path = in_folder(folder, "stopped.training");
    begin(&whole, SBL_DATA_IMAGES, NULL);
    assert_ok(run(&whole));
    for (size_t step = 3; step <= 30; step += 9) {
        begin(&rest, SBL_DATA_IMAGES, path);
        rest.options.progress = stop_at;
        rest.options.progress_data = &step;
        assert_int_equal(run(&rest), SBL_ESTOPPED);
        end(&rest);
    }
    begin(&rest, SBL_DATA_IMAGES, path);
    assert_ok(run(&rest));
    assert_non_null(strstr(heard[0], "after step 30 of 30"));
    check_same(&whole.generator, &rest.generator);
    end(&rest);
    end(&whole);
}

/* ---- what is not taken ---- */

TEST(another_training_begins_anew)
{
    training whole, first, other;
    size_t step = 9;
    const char *path = in_folder(folder, "other.training");
    begin(&first, SBL_DATA_IMAGES, path);
    first.options.progress = stop_at;
    first.options.progress_data = &step;
    assert_int_equal(run(&first), SBL_ESTOPPED);
    begin(&whole, SBL_DATA_IMAGES, NULL);
    assert_ok(run(&whole));
    begin(&other, SBL_DATA_IMAGES, path);
    other.options.training = "another training";
    assert_ok(run(&other));
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard[0], "another training"));
    check_same(&whole.generator, &other.generator);
    end(&first);
    end(&whole);
    end(&other);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

TEST(what_is_no_checkpoint_stays)
{
    CLEARED(end) training t;
    const char *path = in_folder(folder, "diary");
    size_t size;
    write_text(path, "dear diary");
    begin(&t, SBL_DATA_IMAGES, path);
    assert_ok(run(&t));
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard[0], "is not a checkpoint"));
    sbl_checkpoint_remove(sbl_file_item(path));
    FREED(free) char *text = slurp(path, &size);
    assert_non_null(text);
    assert_string_equal(text, "dear diary");
}

/* A checkpoint with one bit turned is none: its hash says so. */
TEST(a_damaged_checkpoint_is_not_taken)
{
    training whole, t;
    size_t step = 9, size;
    const char *path = in_folder(folder, "damaged.training");
    begin(&whole, SBL_DATA_IMAGES, NULL);
    assert_ok(run(&whole));
    begin(&t, SBL_DATA_IMAGES, path);
    t.options.progress = stop_at;
    t.options.progress_data = &step;
    assert_int_equal(run(&t), SBL_ESTOPPED);
    end(&t);
    char *bytes = slurp(path, &size);
    FILE *file = fopen(path, "wb");
    bytes[size - 5] ^= 1;
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    (void)fclose(file);
    free(bytes);
    begin(&t, SBL_DATA_IMAGES, path);
    assert_ok(run(&t));
    assert_non_null(strstr(heard[0], "is not a checkpoint"));
    check_same(&whole.generator, &t.generator);
    end(&t);
    end(&whole);
}

/* What cannot be written is said once, and training goes on. */
TEST(a_missing_folder_does_no_harm)
{
    training whole, t;
    begin(&whole, SBL_DATA_IMAGES, NULL);
    assert_ok(run(&whole));
    begin(&t, SBL_DATA_IMAGES, in_folder(folder, "nowhere/training"));
    assert_ok(run(&t));
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard[0], "without checkpoints"));
    check_same(&whole.generator, &t.generator);
    end(&t);
    end(&whole);
}

ALL_TESTS(make_folder, remove_folder)
