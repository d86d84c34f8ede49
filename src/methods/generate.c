/* [6] What network methods share: the features of a round with a loss become training terms,
 * options and the method's rule become a schedule, and a hash of all that training depends on
 * names its checkpoint. Before a charge, a check allocates everything once, and a rehearsal on no
 * data times a step. */
#include "methods/generate.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "base/memory.h"
#include "sample/sampler.h"
#include "semblance/version.h"
#include "train/defaults.h"
#include "train/target.h"
#include "train/trainer.h"

#define REHEARSED_LEAST 3 /* steps of a rehearsal; more where they are quick */
#define REHEARSED_MOST 30
#define REHEARSED_PART 20 /* and no more than such a part of the training, one step aside */

/* Features of a round that have a loss, and their targets. */
typedef struct term_list {
    sbl_train_term *terms;
    sbl_target *targets;
    size_t count;
    double clearest; /* deviation of the noise on a class's mean of norm 1, the least of all */
} term_list;

typedef struct job {
    sbl_generator generator;
    sbl_train_options training;
    term_list follow, judge;
    double *shares; /* (C) */
    double rows;
    bool moving;                              /* every feature is matched by its running mean */
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
    clear_terms(&j->judge);
    sbl_free(j->shares);
    sbl_generator_clear(&j->generator);
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

static sbl_status choose(job *j, const sbl_facts *facts, const sbl_synth_options *options,
                         const sbl_generate_rule *rule, sbl_error *err)
{
    size_t hidden[SBL_MAX_HIDDEN];
    sbl_network network;
    const bool residual = facts->kind == SBL_DATA_IMAGES && options->generator != NULL &&
                          strcmp(options->generator, "residual") == 0;
    for (size_t i = 0; i < options->hidden_count; i++) hidden[i] = options->hidden[i];
    const sbl_status status =
        residual ? sbl_network_choose_residual(&network, hidden, options->hidden_count, err)
                 : sbl_network_choose(&network, facts->kind, hidden, options->hidden_count, err);
    if (status != SBL_OK) return status;
    if (options->latent != 0) network.latent = options->latent;
    network.signs = options->signs;
    j->training = sbl_train_options_of(facts->kind);
    if (rule->steps != 0) j->training.steps = rule->steps;
    if (rule->batch != 0) j->training.batch = rule->batch;
    if (rule->momentum != 0) j->training.momentum = rule->momentum;
    if (options->steps != 0) j->training.steps = options->steps;
    if (options->batch != 0) j->training.batch = options->batch;
    if (options->learning_rate != 0.0) j->training.rate = options->learning_rate;
    j->training.seed = options->seed;
    j->moving = options->objective != NULL && strcmp(options->objective, "moving-average") == 0;
    return sbl_generator_init(&j->generator, facts, &network, err);
}

/* All blocks of a feature that got noise, side by side. */
static sbl_status set_target(sbl_target *target, const sbl_feature_instance *item,
                             const sbl_round *round, const sbl_facts *facts, double rows,
                             sbl_error *err)
{
    const sbl_block *blocks = round->features.layout.blocks + item->block;
    size_t width = 0;
    size_t count = 0;
    const char **names = sbl_alloc_array(item->block_count, sizeof *names);
    if (names == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for training");
    for (size_t b = 0; b < item->block_count; b++) {
        if (blocks[b].withheld) continue;
        names[count++] = blocks[b].name;
        width += blocks[b].width;
    }
    const sbl_status status = round->release != NULL
                                  ? sbl_target_read(target, round->release, names, count,
                                                    facts->classes, width, rows, err)
                                  : sbl_target_init(target, facts->classes, width, err);
    sbl_free(names);
    return status;
}

static sbl_status make_terms(term_list *list, const sbl_facts *facts, const sbl_round *round,
                             double rows, const sbl_generate_rule *rule, bool moving,
                             sbl_error *err)
{
    const sbl_features *features = &round->features;
    list->targets = sbl_alloc_array(features->count, sizeof *list->targets);
    list->terms = sbl_alloc_array(features->count, sizeof *list->terms);
    list->clearest = INFINITY;
    if (list->targets == NULL || list->terms == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for training");
    for (size_t i = 0; i < features->count; i++) {
        const sbl_feature_instance *item = &features->items[i];
        const sbl_block *block = &features->layout.blocks[item->block];
        sbl_target *target = &list->targets[list->count];
        if (item->kind->loss_new == NULL) continue;
        const sbl_status status = set_target(target, item, round, facts, rows, err);
        if (status != SBL_OK) return status;
        if (item->kind->costly) target->part = rule->part;
        if (item->kind->costly || moving) target->memory = rule->memory;
        list->terms[list->count++] = (sbl_train_term){item->kind, item->made, target};
        const double norm = sqrt((double)block->bound2) / block->scale;
        const double noise = target->deviation * (double)facts->classes / norm;
        list->clearest = fmin(list->clearest, noise);
        if (rule->heavier != NULL && strcmp(item->kind->name, rule->heavier) == 0)
            target->weight *= sbl_generate_weight(rule, noise);
    }
    return list->count > 0 ? SBL_OK
                           : sbl_fail(err, SBL_EINPUT, "the plan has no feature to train against");
}

size_t sbl_generate_steps(const sbl_generate_rule *rule, size_t steps, double s)
{
    const double part = rule->noise > 0 && s > rule->noise ? cbrt(rule->noise / s) : 1.0;
    const size_t fewer = (size_t)(part * (double)steps);
    return fewer > 1 ? fewer : 1;
}

double sbl_generate_weight(const sbl_generate_rule *rule, double s)
{
    return rule->noise > 0 ? fmin(fmax(sqrt(s / rule->noise), 1.0), 2.0) : 1.0;
}

sbl_status sbl_generate_check_by(const sbl_facts *facts, const sbl_round *first,
                                 const sbl_synth_options *options, const sbl_generate_rule *rule,
                                 sbl_error *err)
{
    job j = {.rows = 1.0};
    sbl_status status = SBL_OK;
    SBL_TRY(choose(&j, facts, options, rule, err));
    SBL_TRY(make_terms(&j.follow, facts, first, j.rows, rule, j.moving, err));
    j.training.checkpoint = sbl_file_item(""); /* what it takes is taken, too */
    SBL_TRY(sbl_train_check(&j.generator, j.follow.terms, j.follow.count, &j.training, err));
done:
    clear_job(&j);
    return status;
}

/* The seconds of one step and those of the processor, by taking some: the least, for whatever else the machine does
 * adds to them. */
static sbl_status rehearse(double *seconds, double *processor, job *j, const sbl_facts *facts,
                           sbl_error *err)
{
    sbl_trainer *trainer = NULL;
    sbl_status status = SBL_OK;
    j->shares = sbl_alloc_array(facts->classes, sizeof *j->shares);
    if (j->shares == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for training");
    for (size_t c = 0; c < facts->classes; c++) j->shares[c] = 1.0 / (double)facts->classes;
    SBL_TRY(sbl_trainer_new(&trainer, &j->generator, j->follow.terms, j->follow.count, j->shares,
                            &j->training, err));
    sbl_trainer_start(trainer);
    *seconds = *processor = INFINITY;
    const double begun = sbl_seconds();
    const size_t part = j->training.steps / REHEARSED_PART + 1;
    const size_t most = part < REHEARSED_MOST ? part : REHEARSED_MOST;
    for (size_t step = 0; step < most; step++) {
        const double started = sbl_seconds();
        const double used = sbl_processor_seconds();
        sbl_trainer_draw(trainer, step);
        (void)sbl_trainer_loss(trainer);
        sbl_trainer_update(trainer, j->training.rate);
        *seconds = fmin(*seconds, sbl_seconds() - started);
        *processor = fmin(*processor, sbl_processor_seconds() - used);
        if (step >= REHEARSED_LEAST && sbl_seconds() - begun > 0.5) break;
    }
done:
    sbl_trainer_free(trainer);
    return status;
}

void sbl_generate_cost_by(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first,
                          const sbl_synth_options *options, const sbl_generate_rule *rule)
{
    job j = {.rows = 1.0};
    double seconds = 0.0;
    double processor = 0.0;
    if (choose(&j, facts, options, rule, NULL) == SBL_OK &&
        make_terms(&j.follow, facts, first, j.rows, rule, j.moving, NULL) == SBL_OK &&
        rehearse(&seconds, &processor, &j, facts, NULL) == SBL_OK)
        cost->seconds = seconds * (double)j.training.steps;
    cost->processor = processor * (double)j.training.steps;
    clear_job(&j);
}

static sbl_status begin_fit(job *j, const sbl_facts *facts, const sbl_round *rounds, size_t count,
                            const sbl_synth_options *options, const sbl_generate_rule *rule,
                            sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_TRY(choose(j, facts, options, rule, err));
    j->shares = sbl_alloc_array(facts->classes, sizeof *j->shares);
    if (j->shares == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for training");
    SBL_TRY(sbl_target_shares(j->shares, &j->rows, rounds[0].release, facts->classes,
                              facts->balanced, err));
    SBL_TRY(make_terms(&j->follow, facts, &rounds[0], j->rows, rule, j->moving, err));
    if (options->steps == 0)
        j->training.steps = sbl_generate_steps(rule, j->training.steps, j->follow.clearest);
    if (count > 1 && rule->candidates > 0) {
        /* A judgement looks at one set of weights alone: all rows, no memory. */
        SBL_TRY(make_terms(&j->judge, facts, &rounds[1], j->rows, &usual, false, err));
        j->training.judges = j->judge.terms;
        j->training.judge_count = j->judge.count;
        j->training.candidates = rule->candidates;
    }
done:
    return status;
}

/* All that the weights depend on: the plans, the noisy sums, the network and its training. */
static sbl_status name_training(job *j, const sbl_round *rounds, size_t count,
                                const sbl_generate_rule *rule, sbl_error *err)
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
    sbl_text_printf(&text, "%s %s %zu %zu %zu %a %a %a %a %a %llu %zu %a %a %d", sbl_version(),
                    network, j->generator.signs, by->steps, by->batch, by->rate, by->momentum,
                    by->average, by->balance, by->class_power, (unsigned long long)by->seed,
                    by->candidates, rule->part, rule->memory, (int)j->moving);
    if (text.failed) SBL_FAIL(err, SBL_EMEM, "out of memory for training");
    SBL_TRY(sbl_sha256(hash, hash, sizeof hash, text.data, text.length, err));
    (void)sbl_hex_encode(j->training_name, hash, sizeof hash);
done:
    sbl_free(network);
    sbl_text_clear(&text);
    return status;
}

/* What a caller hears of, and where training keeps its place. */
static void attend(job *j, sbl_synth_options *callbacks, sbl_item checkpoint)
{
    j->training.progress_data = callbacks;
    if (callbacks->progress != NULL) j->training.progress = report_step;
    if (callbacks->advice != NULL) j->training.tell = tell_line;
    j->training.checkpoint = checkpoint;
    j->training.training = j->training_name;
}

sbl_status sbl_generate_fit_by(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                               size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                               const sbl_generate_rule *rule, sbl_error *err)
{
    sbl_synth_options callbacks = *options;
    sbl_model *made = NULL;
    job j = {0};
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(begin_fit(&j, facts, rounds, count, options, rule, err));
    SBL_TRY(name_training(&j, rounds, count, rule, err));
    attend(&j, &callbacks, checkpoint);
    SBL_TRY(sbl_train(&j.generator, j.follow.terms, j.follow.count, j.shares, &j.training, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_generator, &rounds[count - 1].plan, err));
    made->rows = j.rows;
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

void sbl_generate_cost(sbl_fit_cost *cost, const sbl_facts *facts, const sbl_round *first,
                       uint64_t n, const sbl_synth_options *options)
{
    (void)n; /* nothing of a usual training depends on it */
    sbl_generate_cost_by(cost, facts, first, options, &usual);
}

sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                            size_t count, const sbl_synth_options *options, sbl_item checkpoint,
                            sbl_error *err)
{
    return sbl_generate_fit_by(model, facts, rounds, count, options, checkpoint, &usual, err);
}

void sbl_generate_forget(sbl_item checkpoint)
{
    if (checkpoint.store != NULL) sbl_checkpoint_remove(checkpoint);
}
