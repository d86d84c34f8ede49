/* SPDX-License-Identifier: Apache-2.0 */
/* [6] What network methods share: the features of a round with a loss become training terms,
 * options and the method's rule become a schedule, and a hash of all that training depends on
 * names its checkpoint. Before a charge, a check allocates everything once, and a rehearsal on no
 * data times a step. */
#include "run/methods/network_method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "after/sample/sampler.h"
#include "after/train/missing_codes.h"
#include "after/train/target.h"
#include "after/train/train_defaults.h"
#include "after/train/trainer.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/sha256.h"
#include "public/options/option_defaults.h"
#include "run/methods/network_method_device.h"
#include "run/methods/network_method_sizes.h"
#include "semblance/version.h"

#define REHEARSED_LEAST 3 /* steps of a rehearsal; more where they are quick */
#define REHEARSED_MOST 30
#define REHEARSED_IMAGES 100 /* of a step, at least, where a generator is large */
#define REHEARSED_PART 20    /* and no more than such a part of the training, one step aside */

/* Features of a round that have a loss, and their targets. */
typedef struct term_list {
    sbl_train_term *terms;
    sbl_target *targets;
    size_t count;
    double clearest; /* deviation of the noise on a class's mean of norm 1, the least of all */
} term_list;

typedef struct job {
    sbl_facts facts; /* borrows: those of the data, whose classes are cells where the last round has cells */
    size_t cells;    /* of a class; 1: classes are not divided */
    sbl_generator generator;
    sbl_train_options training;
    term_list follow, validation;
    double *shares; /* (C) */
    double rows;
    sbl_device device;                        /* opened by open_device(), or zeros */
    bool cpu;                                 /* trains */
    bool moving;                              /* every feature is matched by its running mean */
    sbl_distance distance;                    /* of all features that training follows */
    char training_name[SBL_SHA256_TEXT_SIZE]; /* names this training among all others */
} job;

static void clear_terms(term_list *list)
{
    for (size_t i = 0; i < list->count; i++) sbl_target_clear(&list->targets[i]);
    sbl_free(list->targets);
    sbl_free(list->terms);
}

static void clear_job(job *j)
{
    clear_terms(&j->follow);
    clear_terms(&j->validation);
    sbl_free(j->shares);
    sbl_generator_clear(&j->generator);
    sbl_device_close(&j->device);
}

static const sbl_generate_rule usual = {0};

/* The trainer's progress as ours. */
static int report_step(void *data, size_t step, size_t steps, double loss)
{
    const sbl_synth_options *options = data;
    return options->progress(options->context, "training", step, steps, loss);
}

static void tell_line(void *data, const char *line)
{
    const sbl_synth_options *options = data;
    options->advice(options->context, SBL_ADVICE_PLAN, line);
}

/* How much is trained, and what: by who trains and how large the noise is. */
static sbl_status size_up(job *j, const sbl_facts *facts, const sbl_synth_options *options,
                          const sbl_generate_rule *rule, double s, sbl_error *err)
{
    const sbl_generate_length length = sbl_generate_length_of(rule, sbl_kinds_of(facts), options, s, j->cpu);
    sbl_network network;
    j->training.steps = length.steps;
    j->training.batch = length.batch;
    const sbl_status status = sbl_generate_network(&network, facts, options, rule, j->cpu, err);
    if (status != SBL_OK) return status;
    sbl_generator_clear(&j->generator);
    const sbl_status made =
        sbl_generator_init(&j->generator, j->cells > 1 ? &j->facts : facts, &network, err);
    j->generator.cells = j->cells > 1 ? j->cells : 0;
    return made;
}

static sbl_status choose(job *j, const sbl_facts *facts, const sbl_synth_options *options,
                         const sbl_generate_rule *rule, sbl_error *err)
{
    const sbl_data_kinds kind = sbl_kinds_of(facts);
    j->training = sbl_train_options_of(facts->kind);
    if (rule->momentum != 0) j->training.momentum = rule->momentum;
    if (rule->average != 0) j->training.average = rule->average;
    j->training.rate = rule->rate != 0 && sbl_setting_given(options, sbl_option_rate.name) == NULL
                           ? rule->rate
                           : sbl_setting_number(options, &sbl_option_rate, kind);
    if (sbl_setting_is(options, &sbl_option_class_weights, kind, "equal"))
        j->training.class_power = 2; /* w_c |share_c (mean - target)|^2, w_c = share_c^-2 */
    j->training.seed = options->seed;
    j->moving = sbl_setting_is(options, &sbl_option_objective, kind, "moving-average");
    j->distance = sbl_generate_distance(options);
    j->cpu = sbl_generate_asks_for_cpu(options);
    return size_up(j, facts, options, rule, 0, err);
}

/* The device of the options, where the training that is planned can be done on it. Where auto comes to
 * the CPU, there is less to do. */
static sbl_status open_device(job *j, const sbl_facts *facts, const sbl_synth_options *options,
                              const sbl_generate_rule *rule, double s, sbl_error *err)
{
    const sbl_device_task task = {&j->generator, j->follow.terms, j->follow.count, &j->training};
    const sbl_status status = sbl_generate_device(&j->device, &task, options, err);
    if (status != SBL_OK) return status;
    j->training.on = j->device.on;
    if (j->cpu || !j->device.on->is_host) return SBL_OK;
    j->cpu = true;
    return size_up(j, facts, options, rule, s, err);
}

/* All blocks of a feature that got noise, side by side. */
static sbl_status set_target(sbl_target *target, const sbl_feature_instance *item, const sbl_round *round,
                             const sbl_facts *facts, double rows, sbl_error *err)
{
    const sbl_block *blocks = round->features.layout.blocks + item->block;
    const size_t classes = sbl_block_columns(blocks, facts->classes);
    size_t width = 0;
    size_t count = 0;
    const char **names = sbl_alloc_array(item->block_count, sizeof *names);
    if (names == NULL) return sbl_no_memory(err, "training");
    for (size_t b = 0; b < item->block_count; b++) {
        if (blocks[b].withheld) continue;
        names[count++] = blocks[b].name;
        width += blocks[b].width;
    }
    const sbl_status status = round->release != NULL ? sbl_target_read(target, round->release, names, count,
                                                                       classes, width, rows, err)
                                                     : sbl_target_init(target, classes, width, err);
    sbl_free(names);
    return status;
}

/* Room for the terms of both rounds. */
static sbl_status begin_terms(term_list *list, size_t count, sbl_error *err)
{
    list->targets = sbl_alloc_array(count, sizeof *list->targets);
    list->terms = sbl_alloc_array(count, sizeof *list->terms);
    list->clearest = INFINITY;
    return list->targets != NULL && list->terms != NULL ? SBL_OK : sbl_no_memory(err, "training");
}

/* facts: their classes are those of the round. labels: classes of the data. but (may be NULL): features that are left
 * out. */
static sbl_status add_terms(term_list *list, const sbl_facts *facts, const sbl_round *round, double rows,
                            const sbl_generate_rule *rule, bool moving, size_t labels,
                            const sbl_features *but, sbl_error *err)
{
    const sbl_features *features = &round->features;
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        const sbl_block *block = &features->layout.blocks[item->block];
        const sbl_loss_kind *loss = sbl_loss_find(item->kind->name, rule->losses);
        sbl_target *target = &list->targets[list->count];
        if (loss == NULL || (but != NULL && sbl_features_find(but, item->kind->name) != NULL)) continue;
        const sbl_status status = set_target(target, item, round, facts, rows, err);
        if (status != SBL_OK) return status;
        if (loss->costly) target->part = rule->part;
        if (loss->costly || moving) target->memory = rule->memory;
        list->terms[list->count++] = (sbl_train_term){loss, item->made, target, but != NULL};
        const double norm = sqrt((double)block->bound2) / block->scale;
        const double noise = target->deviation * (double)labels / norm;
        list->clearest = fmin(list->clearest, noise);
        if (rule->heavier != NULL && strcmp(item->kind->name, rule->heavier) == 0)
            target->weight *= sbl_generate_weight(rule, noise);
    }
    return list->count > 0 ? SBL_OK : sbl_fail(err, SBL_EINPUT, "the plan has no feature to train against");
}

static sbl_status make_terms(term_list *list, const sbl_facts *facts, const sbl_round *round, double rows,
                             const sbl_generate_rule *rule, bool moving, sbl_error *err)
{
    SBL_CHECK(begin_terms(list, round->features.count, err));
    return add_terms(list, facts, round, rows, rule, moving, facts->classes, NULL, err);
}

/* The features of cells, and of classes those that the cells do not have. */
static sbl_status follow_cells(job *j, const sbl_facts *facts, const sbl_round *first, const sbl_round *last,
                               const sbl_generate_rule *rule, sbl_error *err)
{
    term_list *list = &j->follow;
    SBL_CHECK(begin_terms(list, first->features.count + last->features.count, err));
    SBL_CHECK(add_terms(list, &j->facts, last, j->rows, rule, j->moving, facts->classes, NULL, err));
    SBL_CHECK(add_terms(list, facts, first, j->rows, rule, j->moving, facts->classes, &last->features, err));
    for (size_t i = 0; i < list->count; i++) list->targets[i].distance = j->distance;
    return SBL_OK;
}

/* What training follows: the features of the first round. */
static sbl_status make_follow(job *j, const sbl_facts *facts, const sbl_round *first,
                              const sbl_generate_rule *rule, sbl_error *err)
{
    const sbl_status status = make_terms(&j->follow, facts, first, j->rows, rule, j->moving, err);
    for (size_t i = 0; i < j->follow.count; i++) j->follow.targets[i].distance = j->distance;
    return status;
}

sbl_status sbl_generate_check_by(const sbl_facts *facts, const sbl_round *first,
                                 const sbl_synth_options *options, const sbl_generate_rule *rule,
                                 sbl_error *err)
{
    job j = {.rows = 1.0};
    sbl_status status = SBL_OK;
    SBL_TRY(choose(&j, facts, options, rule, err));
    SBL_TRY(make_follow(&j, facts, first, rule, err));
    j.training.checkpoint = sbl_file_item(""); /* what it takes is taken, too */
    SBL_TRY(open_device(&j, facts, options, rule, 0, err));
    if (j.device.on->is_host) /* another was checked when it was chosen */
        SBL_TRY(sbl_train_check(&j.generator, j.follow.terms, j.follow.count, &j.training, err));
done:
    clear_job(&j);
    return status;
}

/* The seconds of one step and those of the processor, by taking some: the least, for whatever else the machine does
 * adds to them. */
static sbl_status rehearse(double *seconds, double *processor, job *j, const sbl_facts *facts, sbl_error *err)
{
    sbl_trainer *trainer = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(j->shares, facts->classes, "training");
    for (size_t c = 0; c < facts->classes; c++) j->shares[c] = 1.0 / (double)facts->classes;
    SBL_TRY(sbl_trainer_new(&trainer, &j->generator, j->follow.terms, j->follow.count, j->shares,
                            &j->training, err));
    sbl_trainer_start(trainer);
    *seconds = *processor = INFINITY;
    const double begun = sbl_seconds();
    const size_t part = j->training.steps / REHEARSED_PART + 1;
    const size_t most = part < REHEARSED_MOST ? part : REHEARSED_MOST;
    for (size_t step = 0; step < most; step++) { /* as after/train/train.c takes them */
        const double started = sbl_seconds();
        const double used = sbl_processor_seconds();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, j->training.rate);
        *seconds = fmin(*seconds, sbl_seconds() - started);
        *processor = fmin(*processor, sbl_processor_seconds() - used);
        if (step >= REHEARSED_LEAST && sbl_seconds() - begun > 0.5) break;
    }
    SBL_TRY(sbl_trainer_pull(trainer, err)); /* what a device cannot do is known now, too */
done:
    sbl_trainer_free(trainer);
    return status;
}

/* A step of a residual generator takes seconds: fewer images stand for all of them, of each class some. */
static size_t rehearsed_images(const sbl_facts *facts, size_t batch)
{
    const size_t some = 4 * facts->classes;
    const size_t images = some > REHEARSED_IMAGES ? some : REHEARSED_IMAGES;
    return images < batch ? images : batch;
}

/* The memory of this number of images in the generator, forward and backward. */
static double batch_bytes(const sbl_net *net, size_t images)
{
    return (double)images * sizeof(float) * (double)sbl_net_row_numbers(net, SBL_NET_TRAIN);
}

sbl_status sbl_generate_cost_by(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, double s,
                                const sbl_synth_options *options, const sbl_generate_rule *rule,
                                sbl_error *err)
{
    job j = {.rows = 1.0};
    double seconds = 0.0;
    double processor = 0.0;
    sbl_status status = SBL_OK;
    SBL_TRY(choose(&j, facts, options, rule, err));
    SBL_TRY(size_up(&j, facts, options, rule, s, err));
    SBL_TRY(make_follow(&j, facts, first, rule, err));
    const double begun = sbl_seconds();
    SBL_TRY(open_device(&j, facts, options, rule, s, err));
    const double opening = sbl_seconds() - begun; /* kernels may be compiled; a fit waits for it, too */
    const size_t batch = j.training.batch;
    const double images = (double)j.training.steps * (double)batch;
    if (j.device.on->is_host && facts->kind == SBL_DATA_IMAGES &&
        sbl_generate_channels(rule, options, j.cpu) > 0)
        j.training.batch = rehearsed_images(facts, j.training.batch);
    SBL_TRY(rehearse(&seconds, &processor, &j, facts, err));
    cost->seconds = opening + seconds * images / (double)j.training.batch;
    cost->processor = processor * images / (double)j.training.batch;
    SBL_TRY(sbl_generate_time_drawing(&cost->draw_seconds, &cost->draw_processor, &j.generator, facts, err));
    cost->rehearsed = true;
    cost->bytes = batch_bytes(&j.generator.net, batch) -
                  batch_bytes(&j.generator.net, j.training.batch); /* the rest was allocated here */
    sbl_generate_name_device(cost->device, sizeof cost->device, &j.device);
    (void)snprintf(cost->why, sizeof cost->why, "%s", j.device.why);
done:
    clear_job(&j);
    return status;
}

static sbl_status begin_fit(job *j, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                            const sbl_synth_options *options, const sbl_generate_rule *rule, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_round *last = &rounds[count - 1];
    j->facts = *facts;
    j->cells = last->features.cells != NULL ? last->features.cells->number : 1;
    j->facts.classes *= j->cells;
    SBL_TRY(choose(j, facts, options, rule, err));
    SBL_ALLOC(j->shares, j->facts.classes, "training");
    if (rule->start != NULL) j->training.start = sbl_model_generator(rule->start);
    if (j->cells > 1) {
        SBL_TRY(sbl_target_shares(j->shares, &j->rows, last->release, j->facts.classes, false, err));
        SBL_TRY(follow_cells(j, facts, &rounds[0], last, rule, err));
        SBL_TRY(size_up(j, facts, options, rule, j->follow.clearest, err));
        goto done;
    }
    SBL_TRY(sbl_target_shares(j->shares, &j->rows, rounds[0].release, facts->classes, facts->balanced, err));
    sbl_missing_take_class(j->shares, j->rows, facts, rounds[0].release);
    SBL_TRY(make_follow(j, facts, &rounds[0], rule, err));
    SBL_TRY(size_up(j, facts, options, rule, j->follow.clearest, err));
    if (count > 1 && rule->candidates > 0) {
        /* A validation looks at one set of weights alone: all rows, no memory. */
        const sbl_generate_rule all_rows = {.losses = rule->losses};
        SBL_TRY(make_terms(&j->validation, facts, &rounds[1], j->rows, &all_rows, false, err));
        j->training.validation_terms = j->validation.terms;
        j->training.validation_count = j->validation.count;
        j->training.candidates = rule->candidates;
    }
done:
    return status;
}

/* All that the weights depend on: the plans, the noisy sums, the network and its training. */
static sbl_status name_training(job *j, const sbl_round *rounds, size_t count, const sbl_generate_rule *rule,
                                sbl_error *err)
{
    const sbl_train_options *by = &j->training;
    uint8_t hash[SBL_SHA256_SIZE] = {0};
    char *network = NULL;
    sbl_text text = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_net_describe(&network, &j->generator.net, err));
    for (size_t i = 0; i < count; i++) {
        const sbl_release *release = rounds[i].release;
        SBL_TRY(sbl_sha256(hash, hash, sizeof hash, release->plan, strlen(release->plan), err));
        SBL_TRY(sbl_sha256(hash, hash, sizeof hash, release->values,
                           release->value_count * sizeof *release->values, err));
    }
    sbl_text_printf(&text, "%s %s %zu %zu %zu %a %a %a %a %a %llu %zu %a %a %d %d", sbl_version(), network,
                    j->generator.signs, by->steps, by->batch, by->rate, by->momentum, by->average,
                    by->balance, by->class_power, (unsigned long long)by->seed, by->candidates, rule->part,
                    rule->memory, (int)j->moving, (int)j->distance);
    if (!by->on->is_host) sbl_text_printf(&text, " %s", by->on->name);
    SBL_TRY(sbl_text_check(&text, "training", err));
    SBL_TRY(sbl_sha256(hash, hash, sizeof hash, text.data, text.length, err));
    (void)sbl_hex_encode(j->training_name, hash, sizeof hash);
done:
    sbl_free(network);
    sbl_text_clear(&text);
    return status;
}

/* What a caller hears of, and where training keeps its place. */
static void attend(job *j, sbl_synth_options *callbacks, sbl_store_entry checkpoint)
{
    j->training.progress_data = callbacks;
    if (callbacks->progress != NULL) j->training.progress = report_step;
    if (callbacks->advice != NULL) j->training.tell = tell_line;
    j->training.checkpoint = checkpoint;
    j->training.training = j->training_name;
}

sbl_status sbl_generate_fit_by(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                               size_t count, const sbl_synth_options *options, sbl_store_entry checkpoint,
                               const sbl_generate_rule *rule, sbl_error *err)
{
    sbl_synth_options callbacks = *options;
    sbl_model *made = NULL;
    job j = {0};
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(begin_fit(&j, facts, rounds, count, options, rule, err));
    SBL_TRY(open_device(&j, facts, options, rule, j.follow.clearest, err));
    SBL_TRY(name_training(&j, rounds, count, rule, err));
    attend(&j, &callbacks, checkpoint);
    sbl_generate_tell_device(&j.device, &j.training);
    SBL_TRY(sbl_train(&j.generator, j.follow.terms, j.follow.count, j.shares, &j.training, err));
    sbl_missing_take_codes(&j.generator, facts, rounds[0].release);
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_generator, &rounds[count - 1].plan, err));
    made->rows = j.rows;
    if (!j.device.on->is_host) sbl_generate_name_device(made->device, sizeof made->device, &j.device);
    SBL_TRY(sbl_model_of_generator(made, &j.generator, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    clear_job(&j);
    return status;
}

sbl_status sbl_generate_check(const sbl_facts *facts, const sbl_round *first,
                              const sbl_synth_options *options, sbl_error *err)
{
    return sbl_generate_check_by(facts, first, options, &usual, err);
}

sbl_status sbl_generate_cost(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first, uint64_t n,
                             const sbl_synth_options *options, sbl_error *err)
{
    (void)n; /* nothing of a usual training depends on it */
    return sbl_generate_cost_by(cost, facts, first, 0, options, &usual, err);
}

sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                            const sbl_synth_options *options, sbl_store_entry checkpoint, sbl_error *err)
{
    return sbl_generate_fit_by(model, facts, rounds, count, options, checkpoint, &usual, err);
}

void sbl_generate_forget(sbl_store_entry checkpoint)
{
    if (checkpoint.store != NULL) sbl_checkpoint_remove(checkpoint);
}
