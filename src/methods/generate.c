#include "methods/generate.h"

#include "base/memory.h"
#include "sample/sampler.h"
#include "train/aim.h"
#include "train/defaults.h"
#include "train/trainer.h"

/* The terms of the loss: one per feature of the round that has one. */
typedef struct job {
    sbl_generator generator;
    sbl_train_options training;
    sbl_train_term *terms;
    sbl_aim *aims;
    size_t count;
    double *shares; /* (C) */
    double rows;
} job;

static void clear_job(job *j)
{
    for (size_t i = 0; i < j->count; i++) sbl_aim_clear(&j->aims[i]);
    sbl_free(j->aims);
    sbl_free(j->terms);
    sbl_free(j->shares);
    sbl_generator_clear(&j->generator);
}

/* The trainer's progress as ours. */
static int report_step(void *data, size_t step, size_t steps, double loss)
{
    const sbl_synth_options *options = data;
    return options->progress(options->context, "training", step, steps, loss);
}

static sbl_status choose(job *j, const sbl_facts *facts, const sbl_synth_options *options,
                         sbl_error *err)
{
    size_t hidden[SBL_MAX_HIDDEN];
    sbl_network network;
    for (size_t i = 0; i < options->hidden_count; i++) hidden[i] = options->hidden[i];
    const sbl_status status =
        sbl_network_choose(&network, facts->kind, hidden, options->hidden_count, err);
    if (status != SBL_OK) return status;
    if (options->latent != 0) network.latent = options->latent;
    j->training = sbl_train_options_of(facts->kind);
    if (options->steps != 0) j->training.steps = options->steps;
    if (options->batch != 0) j->training.batch = options->batch;
    if (options->learning_rate != 0.0) j->training.rate = options->learning_rate;
    j->training.seed = options->seed;
    return sbl_generator_init(&j->generator, facts, &network, err);
}

/* All blocks of a feature that got noise, side by side. */
static sbl_status aim_at(sbl_aim *aim, const sbl_made_feature *item, const sbl_round *round,
                         const sbl_facts *facts, double rows, sbl_error *err)
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
    const sbl_status status =
        round->release != NULL
            ? sbl_aim_read(aim, round->release, names, count, facts->classes, width, rows, err)
            : sbl_aim_init(aim, facts->classes, width, err);
    sbl_free(names);
    return status;
}

static sbl_status make_terms(job *j, const sbl_facts *facts, const sbl_round *round, sbl_error *err)
{
    const sbl_features *features = &round->features;
    j->aims = sbl_alloc_array(features->count, sizeof *j->aims);
    j->terms = sbl_alloc_array(features->count, sizeof *j->terms);
    if (j->aims == NULL || j->terms == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for training");
    for (size_t i = 0; i < features->count; i++) {
        const sbl_made_feature *item = &features->items[i];
        if (item->kind->loss_new == NULL) continue;
        const sbl_status status = aim_at(&j->aims[j->count], item, round, facts, j->rows, err);
        if (status != SBL_OK) return status;
        j->terms[j->count] = (sbl_train_term){item->kind, item->made, &j->aims[j->count]};
        j->count++;
    }
    return j->count > 0 ? SBL_OK
                        : sbl_fail(err, SBL_EINPUT, "the plan has no feature to train against");
}

sbl_status sbl_generate_check(const sbl_facts *facts, const sbl_round *first,
                              const sbl_synth_options *options, sbl_error *err)
{
    job j = {.rows = 1.0};
    sbl_status status = SBL_OK;
    SBL_TRY(choose(&j, facts, options, err));
    SBL_TRY(make_terms(&j, facts, first, err));
    SBL_TRY(sbl_train_check(&j.generator, j.terms, j.count, &j.training, err));
done:
    clear_job(&j);
    return status;
}

sbl_status sbl_generate_fit(sbl_model **model, const sbl_facts *facts, const sbl_round *rounds,
                            size_t count, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_round *round = &rounds[count - 1];
    sbl_synth_options callbacks = *options;
    sbl_model *made = NULL;
    job j = {0};
    sbl_status status = SBL_OK;
    *model = NULL;
    SBL_TRY(choose(&j, facts, options, err));
    if (options->progress != NULL) {
        j.training.progress = report_step;
        j.training.progress_data = &callbacks;
    }
    j.shares = sbl_alloc_array(facts->classes, sizeof *j.shares);
    if (j.shares == NULL) SBL_FAIL(err, SBL_EMEM, "out of memory for training");
    SBL_TRY(
        sbl_aim_shares(j.shares, &j.rows, round->release, facts->classes, facts->balanced, err));
    SBL_TRY(make_terms(&j, facts, round, err));
    SBL_TRY(sbl_train(&j.generator, j.terms, j.count, j.shares, &j.training, err));
    SBL_TRY(sbl_model_new(&made, &sbl_model_kind_generator, &round->plan, err));
    made->rows = j.rows;
    SBL_TRY(sbl_model_of_generator(made, &j.generator, err));
    *model = made;
    made = NULL;
done:
    sbl_model_free(made);
    clear_job(&j);
    return status;
}
