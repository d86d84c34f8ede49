/* SPDX-License-Identifier: Apache-2.0 */
/* [6] The state of a training and its single steps: draw, loss and gradient, update, validation,
 * the final pass that calibrates batch norms. The loop over the steps is in train.c. */
#include "after/train/trainer.h"

#include <math.h>
#include <string.h>

#include "after/train/train_batch.h"
#include "after/train/train_defaults.h"
#include "after/train/validation.h"
#include "base/alloc.h"
#include "base/nn/adam.h"

#define CALIBRATION 50                      /* batches of the final running statistics */
#define CALIBRATION_STEPS ((size_t)1 << 30) /* steps from here on are theirs */
#define VALIDATION_BATCHES 4                /* batches of a validation */
#define JUDGED_STEPS ((size_t)1 << 29)      /* steps from here on are theirs */
#define MOST_STEPS 100000000

/* A feature's loss, made for the batch. */
typedef struct term {
    sbl_train_term of;
    void *loss;
} term;

struct sbl_trainer {
    sbl_generator *generator; /* borrowed */
    const sbl_backend *on;
    sbl_tensors tensors; /* of the three that follow */
    float *moments;      /* (2, weights) of Adam */
    float *averaged;     /* (weights); NULL: no average */
    float *kept;         /* (2, weights): aside during a validation; the best so far. NULL: no validation */
    float *mirror;       /* (4, weights) of them on the host, for checkpoints; NULL: they are there */
    sbl_net_workspace workspace;
    sbl_train_batch batch;
    term *terms;
    size_t term_count;
    sbl_validation *validation; /* NULL: none */
    double best_score;
    bool validated;
    sbl_adam adam;
    float *expected; /* tables (C, T): where codes start */
    float *memory;   /* (memory_count): what losses remember, in or out of a checkpoint */
    size_t memory_count;
    double decay; /* of the average */
    size_t updates;
    uint64_t seed;
    const sbl_generator *start; /* borrowed; NULL: random weights */
    size_t step;                /* whose latents are drawn */
    sbl_pool pool;              /* of the arrays */
};

sbl_train_options sbl_train_options_of(sbl_data_kind kind)
{
    const sbl_train_defaults *by = sbl_train_defaults_of(kind);
    return (sbl_train_options){.steps = by->steps,
                               .batch = by->batch,
                               .rate = by->rate,
                               .momentum = SBL_ADAM_MOMENTUM,
                               .average = by->average,
                               .balance = by->balance,
                               .class_power = by->class_power};
}

static sbl_status check_options(const sbl_train_options *options, sbl_data_kind kind, sbl_error *err)
{
    const size_t most = sbl_train_defaults_of(kind)->most_batch;
    if (options->steps < 1 || options->steps > MOST_STEPS)
        return sbl_fail(err, SBL_EARG, "steps must be from 1 to %d", MOST_STEPS);
    if (options->batch < 2 || options->batch > most)
        return sbl_fail(err, SBL_EARG, "batch must be from 2 to %zu %s", most,
                        kind == SBL_DATA_IMAGES ? "images" : "rows");
    if (!(options->rate > 0 && options->rate <= 1))
        return sbl_fail(err, SBL_EARG, "the learning rate must be above 0 and at most 1");
    if (!(options->momentum >= 0 && options->momentum < 1))
        return sbl_fail(err, SBL_EARG, "momentum must be from 0 to below 1");
    if (!(options->average >= 0 && options->average < 1))
        return sbl_fail(err, SBL_EARG, "average must be from 0 to below 1");
    if (!(options->balance >= 0 && options->balance <= 1))
        return sbl_fail(err, SBL_EARG, "balance must be from 0 to 1");
    if (!(options->class_power >= 0 && options->class_power <= 2))
        return sbl_fail(err, SBL_EARG, "class_power must be from 0 to 2");
    return SBL_OK;
}

/* Adam's moments, the average, and where codes start. */
static sbl_status allocate(sbl_trainer *t, bool average, sbl_error *err)
{
    const size_t weights = t->generator->net.weight_count;
    const sbl_record_shape *shape = &t->generator->facts.shape;
    sbl_status status = SBL_OK;
    SBL_TENSOR(&t->tensors, t->moments, 2, weights, "training");
    if (average) SBL_TENSOR(&t->tensors, t->averaged, weights, 1, "training");
    if (!t->on->is_host) SBL_POOL(&t->pool, t->mirror, 4, weights, "training");
    SBL_POOL(&t->pool, t->expected, shape->classes, shape->onehot, "training");
    t->adam = sbl_adam_of(t->moments, t->moments + weights, weights);
done:
    return status;
}

static sbl_status make_losses(sbl_trainer *t, const sbl_train_term *terms, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    SBL_POOL(&t->pool, t->terms, count, 1, "training");
    for (; t->term_count < count; t->term_count++) {
        const sbl_train_term *of = &terms[t->term_count];
        term *made = &t->terms[t->term_count];
        made->of = *of;
        SBL_TRY(sbl_loss_new(&made->loss, of->kind, of->made, of->target,
                             of->whole ? &t->batch.whole : &t->batch.generated, err));
    }
done:
    return status;
}

static sbl_status make_validation(sbl_trainer *t, const sbl_train_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (options->validation_count == 0 || options->candidates == 0) return SBL_OK;
    SBL_TENSOR(&t->tensors, t->kept, 2, t->generator->net.weight_count, "training");
    SBL_TRY(sbl_validation_new(&t->validation, options->validation_terms, options->validation_count,
                               &t->batch.generated, err));
done:
    return status;
}

/* The running means of all losses in turn: of loss *i the *k-th, and on to the next. */
static sbl_running *next_memory(const sbl_trainer *t, size_t *i, size_t *k)
{
    for (; *i < t->term_count; (*i)++, *k = 0) {
        const term *at = &t->terms[*i];
        sbl_running *found = sbl_loss_memory(at->of.kind, at->loss, (*k)++);
        if (found) return found;
    }
    return NULL;
}

static sbl_status make_memory(sbl_trainer *t, sbl_error *err)
{
    const sbl_running *running;
    sbl_status status = SBL_OK;
    for (size_t i = 0, k = 0; (running = next_memory(t, &i, &k)) != NULL;)
        t->memory_count += sbl_running_count(running);
    SBL_POOL(&t->pool, t->memory, t->memory_count, 1, "training");
done:
    return status;
}

sbl_status sbl_train_serves(const sbl_backend *on, const sbl_generator *generator,
                            const sbl_train_term *terms, size_t count, sbl_error *err)
{
    const bool images = generator->facts.kind == SBL_DATA_IMAGES;
    if ((on->trains & (unsigned)(images ? SBL_TRAINS_IMAGES : SBL_TRAINS_TABLES)) == 0)
        return sbl_fail(err, SBL_EARG, "%s cannot train this: %s", on->name,
                        images ? "it does not train generators of images"
                               : "generators of tables are trained on the CPU");
    for (size_t i = 0; i < count && !on->is_host; i++)
        if (!terms[i].kind->any_backend)
            return sbl_fail(
                err, SBL_EARG,
                "%s cannot train this: the plan has the feature %s, whose loss runs only on the CPU",
                on->name, terms[i].kind->feature);
    return SBL_OK;
}

sbl_status sbl_trainer_new(sbl_trainer **trainer, sbl_generator *generator, const sbl_train_term *terms,
                           size_t count, const double *shares, const sbl_train_options *options,
                           sbl_error *err)
{
    sbl_status status;
    sbl_trainer *t = NULL;
    *trainer = NULL;
    SBL_TRY(check_options(options, generator->facts.kind, err));
    SBL_ALLOC(t, 1, "training");
    t->generator = generator;
    t->seed = options->seed;
    t->start = options->start;
    t->decay = options->average;
    t->on = options->on != NULL ? options->on : &sbl_backend_cpu;
    t->tensors = sbl_tensors_on(t->on);
    SBL_TRY(sbl_train_serves(t->on, generator, terms, count, err));
    SBL_TRY(sbl_train_batch_init(&t->batch, generator, t->on, shares, options->batch, options->balance,
                                 options->class_power, err));
    if (options->network_bytes > 0)
        t->batch.generated.network_bytes = t->batch.whole.network_bytes = options->network_bytes;
    SBL_TRY(sbl_net_workspace_init_on(&t->workspace, &generator->net, t->batch.generated.rows, SBL_NET_TRAIN,
                                      t->on, err));
    SBL_TRY(allocate(t, options->average > 0, err));
    t->adam.beta1 = options->momentum;
    SBL_TRY(make_losses(t, terms, count, err));
    SBL_TRY(make_validation(t, options, err));
    if (options->checkpoint.store != NULL) SBL_TRY(make_memory(t, err));
    *trainer = t;
    t = NULL;
done:
    sbl_trainer_free(t);
    return status;
}

void sbl_trainer_free(sbl_trainer *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->term_count; i++) sbl_loss_free(t->terms[i].of.kind, t->terms[i].loss);
    sbl_validation_free(t->validation);
    sbl_pool_clear(&t->pool);
    sbl_tensors_clear(&t->tensors);
    sbl_train_batch_clear(&t->batch);
    sbl_net_workspace_clear(&t->workspace);
    sbl_free(t);
}

void sbl_trainer_start(sbl_trainer *t)
{
    sbl_generator_randomise(t->generator, t->seed);
    if (t->start != NULL) sbl_generator_divide(t->generator, t->start);
    for (size_t i = 0; i < t->term_count; i++) {
        const sbl_train_term *of = &t->terms[i].of;
        if (!of->kind->start) continue;
        of->kind->start(t->expected, of->made, of->target, &t->batch.generated);
        sbl_generator_start_at(t->generator, t->expected);
    }
    sbl_net_push(&t->generator->net, &t->workspace);
}

void sbl_trainer_draw(sbl_trainer *t, size_t step)
{
    t->step = step;
    sbl_train_batch_draw_latents(&t->batch, t->seed, step);
}

static const float *run_network(sbl_trainer *t)
{
    return sbl_net_forward(&t->generator->net, &t->workspace, t->batch.placed_inputs, t->batch.generated.rows,
                           true);
}

double sbl_trainer_loss(sbl_trainer *t)
{
    const float *outputs = run_network(t);
    float *d_outputs = t->workspace.gradients[0];
    double loss = 0;
    sbl_train_batch_forward(&t->batch, outputs, t->seed, t->step);
    for (size_t i = 0; i < t->term_count; i++)
        loss += t->terms[i].of.kind->step(t->terms[i].loss,
                                          t->terms[i].of.whole ? &t->batch.whole : &t->batch.generated);
    sbl_train_batch_backward(&t->batch, d_outputs, outputs);
    sbl_net_backward(&t->generator->net, &t->workspace, d_outputs);
    t->on->start(t->on->device);
    sbl_train_batch_draw_ahead(&t->batch, t->seed, t->step + 1);
    return loss + t->on->collect(t->on->device);
}

/* Early averages forget faster: the first weights are random. */
static double decay_at(const sbl_trainer *t)
{
    const double early = (1 + (double)t->updates) / (10 + (double)t->updates);
    return early < t->decay ? early : t->decay;
}

void sbl_trainer_update(sbl_trainer *t, double rate)
{
    float *weights = t->workspace.weights;
    sbl_adam_step_on(t->on, &t->adam, weights, t->workspace.d_weights, rate);
    if (t->averaged)
        t->on->average(t->on->device, t->averaged, weights, t->adam.count,
                       (float)(1 - (t->updates > 0 ? decay_at(t) : 0)));
    t->updates++;
}

/* The score of the generator's weights, on batches that are the same every time. */
static double look_at_weights(sbl_trainer *t)
{
    double score = 0;
    for (size_t batch = 0; batch < VALIDATION_BATCHES; batch++) {
        sbl_trainer_draw(t, JUDGED_STEPS + batch);
        sbl_train_batch_forward(&t->batch, run_network(t), t->seed, t->step);
        score = sbl_validation_score(t->validation, &t->batch.generated, batch);
        score += t->on->collect(t->on->device);
    }
    return score;
}

/* One set of weights becomes another. */
static void take_over(const sbl_trainer *t, float *to, const float *from)
{
    t->on->copy(t->on->device, to, from, t->adam.count);
}

double sbl_trainer_validate(sbl_trainer *t)
{
    const size_t count = t->adam.count;
    float *weights = t->workspace.weights;
    take_over(t, t->kept, weights);
    if (t->averaged && t->updates > 0) take_over(t, weights, t->averaged);
    const double score = look_at_weights(t);
    if (!t->validated || score < t->best_score) {
        t->validated = true;
        t->best_score = score;
        sbl_validation_keep(t->validation);
        take_over(t, t->kept + count, weights);
    }
    take_over(t, weights, t->kept);
    return score;
}

void sbl_trainer_finish(sbl_trainer *t)
{
    float *weights = t->workspace.weights;
    if (t->averaged && t->updates > 0) take_over(t, weights, t->averaged);
    if (t->validated &&
        sbl_validation_is_worse(t->validation, &t->batch.generated, look_at_weights(t), t->best_score))
        take_over(t, weights, t->kept + t->adam.count);
    for (size_t batch = 0; batch < CALIBRATION; batch++) {
        /* A plain mean over the batches: the k-th one enters with weight 1 / k. */
        t->workspace.momentum = 1 / (double)(batch + 1);
        sbl_trainer_draw(t, CALIBRATION_STEPS + batch);
        (void)run_network(t);
    }
    t->workspace.momentum = 0;
}

sbl_status sbl_trainer_pull(sbl_trainer *t, sbl_error *err)
{
    sbl_net_pull(&t->generator->net, &t->workspace);
    return t->on->sync(t->on->device, err);
}

/* ---- checkpoints ---- */

/* A tensor's numbers on the host, in the mirror from `at` on where they are not there. */
static float *seen(const sbl_trainer *t, float *tensor, size_t at, size_t count)
{
    if (tensor == NULL || t->on->is_host) return tensor;
    t->on->read(t->on->device, t->mirror + at, tensor, count);
    return t->mirror + at;
}

sbl_status sbl_trainer_state(sbl_training_state *state, sbl_trainer *t, sbl_error *err)
{
    sbl_net *net = &t->generator->net;
    const size_t count = net->weight_count;
    const sbl_running *running;
    float *memory = t->memory;
    sbl_net_pull(net, &t->workspace);
    for (size_t i = 0, k = 0; (running = next_memory(t, &i, &k)) != NULL;) {
        sbl_running_save(memory, running);
        memory += sbl_running_count(running);
    }
    size_t validated = 0;
    float *means = t->validation ? sbl_validation_kept(t->validation, &validated) : NULL;
    *state = (sbl_training_state){
        .parts = {{"weights", net->weights, count},
                  {"running", net->running, net->running_count},
                  {"moments", seen(t, t->moments, 0, 2 * count), 2 * count},
                  {"averaged", seen(t, t->averaged, 2 * count, count), t->averaged ? count : 0},
                  {"best", seen(t, t->kept ? t->kept + count : NULL, 3 * count, count), t->kept ? count : 0},
                  {"best_means", means, validated},
                  {"memory", t->memory, t->memory_count}},
        .count = 7,
        .step = t->updates,
        .validated = t->validated,
        .best = t->best_score};
    return t->on->sync(t->on->device, err);
}

/* The mirror to where it came from. */
static void put_back(const sbl_trainer *t)
{
    const sbl_backend *on = t->on;
    const size_t count = t->adam.count;
    if (on->is_host) return;
    on->write(on->device, t->moments, t->mirror, 2 * count);
    if (t->averaged) on->write(on->device, t->averaged, t->mirror + 2 * count, count);
    if (t->kept) on->write(on->device, t->kept + count, t->mirror + 3 * count, count);
}

void sbl_trainer_go_on(sbl_trainer *t, const sbl_training_state *state)
{
    const float *memory = t->memory;
    sbl_running *running;
    sbl_net_push(&t->generator->net, &t->workspace);
    put_back(t);
    t->updates = t->adam.step = state->step;
    t->validated = state->validated;
    t->best_score = state->best;
    for (size_t i = 0, k = 0; (running = next_memory(t, &i, &k)) != NULL;) {
        sbl_running_load(running, memory, state->step);
        memory += sbl_running_count(running);
    }
}

const float *sbl_trainer_gradient(const sbl_trainer *t) { return t->workspace.d_weights; }
const float *sbl_trainer_inputs(const sbl_trainer *t) { return t->batch.network_inputs; }
const sbl_generated *sbl_trainer_generated(const sbl_trainer *t) { return &t->batch.generated; }
