/* SPDX-License-Identifier: Apache-2.0 */
/* A training from its first step, or from a checkpoint, to its last. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "after/train/trainer.h"
#include "base/alloc.h"
#include "base/nn/adam.h"

#define CHECKPOINTS 50  /* of a long training */
#define LEAST_STEPS 100 /* between two of them */

/* After step `done` of all: is it time to validate? */
static bool is_validated(const sbl_train_options *options, size_t done)
{
    const size_t every = options->steps / (options->candidates > 0 ? options->candidates : 1);
    return options->validation_count > 0 && options->candidates > 0 &&
           (done == options->steps || done % (every > 0 ? every : 1) == 0);
}

/* ---- checkpoints ---- */

static void tell(const sbl_train_options *options, const char *format, ...)
{
    char line[512];
    va_list arguments;
    if (!options->tell) return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    options->tell(options->progress_data, line);
}

/* A training that goes on where a checkpoint left it. */
typedef struct place {
    size_t step; /* steps done */
    bool kept;   /* checkpoints are written */
} place;

static sbl_status find_place(place *at, sbl_trainer *trainer, const sbl_train_options *options,
                             sbl_error *err)
{
    sbl_training_state state;
    *at = (place){0};
    if (options->checkpoint.store == NULL) return SBL_OK;
    const sbl_status status = sbl_trainer_state(&state, trainer, err);
    if (status != SBL_OK) return status;
    switch (sbl_checkpoint_load(&state, options->checkpoint, options->training)) {
    case SBL_CHECKPOINT_LOADED:
        sbl_trainer_go_on(trainer, &state);
        tell(options, "training continues after step %zu of %zu, from %s", state.step, options->steps,
             options->checkpoint.name);
        *at = (place){state.step, true};
        break;
    case SBL_CHECKPOINT_OTHER:
        tell(options, "%s is of another training, and is replaced", options->checkpoint.name);
        at->kept = true;
        break;
    case SBL_CHECKPOINT_FOREIGN:
        tell(options, "%s is not a checkpoint and stays as it is: training keeps none",
             options->checkpoint.name);
        break;
    case SBL_CHECKPOINT_NONE:
    default:
        at->kept = true;
    }
    return SBL_OK;
}

/* A full disk is no reason to lose the training. A failed device is: its state is not valid, and the previous
 * checkpoint stays. */
static sbl_status keep_place(place *at, sbl_trainer *trainer, const sbl_train_options *options,
                             sbl_error *err)
{
    sbl_error why = {0};
    sbl_training_state state;
    const sbl_status status = sbl_trainer_state(&state, trainer, err);
    if (status != SBL_OK) return status;
    if (sbl_checkpoint_save(options->checkpoint, options->training, &state, &why) == SBL_OK) return SBL_OK;
    at->kept = false;
    tell(options, "training continues without checkpoints: %.300s", why.message);
    return SBL_OK;
}

static bool is_kept(const place *at, const sbl_train_options *options)
{
    const size_t often = options->steps / CHECKPOINTS;
    const size_t every = options->checkpoint_steps > 0 ? options->checkpoint_steps
                         : often > LEAST_STEPS         ? often
                                                       : LEAST_STEPS;
    return at->kept && at->step < options->steps && at->step % every == 0;
}

/* ---- the steps ---- */

static sbl_status run_steps(sbl_trainer *trainer, const sbl_train_options *options, sbl_error *err)
{
    place at;
    SBL_CHECK(find_place(&at, trainer, options, err));
    for (size_t step = at.step; step < options->steps; step++) {
        sbl_trainer_draw(trainer, step);
        const double loss = sbl_trainer_loss(trainer);
        if (!isfinite(loss)) {
            SBL_CHECK(sbl_trainer_pull(trainer, err)); /* a device may be the reason */
            return sbl_fail(err, SBL_EINPUT,
                            "training diverged at step %zu: use a smaller learning rate or a larger epsilon",
                            step + 1);
        }
        sbl_trainer_update(trainer, sbl_cosine_rate(options->rate, step, options->steps));
        if (is_validated(options, step + 1)) (void)sbl_trainer_validate(trainer);
        at.step = step + 1;
        const bool kept = is_kept(&at, options);
        if (kept) SBL_CHECK(keep_place(&at, trainer, options, err));
        if (options->progress &&
            options->progress(options->progress_data, step + 1, options->steps, loss) != 0) {
            if (at.kept && !kept) SBL_CHECK(keep_place(&at, trainer, options, err));
            return sbl_fail(err, SBL_ESTOPPED, "training was stopped after step %zu", step + 1);
        }
    }
    return SBL_OK;
}

sbl_status sbl_train(sbl_generator *generator, const sbl_train_term *terms, size_t count,
                     const double *shares, const sbl_train_options *options, sbl_error *err)
{
    sbl_trainer *trainer = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_trainer_new(&trainer, generator, terms, count, shares, options, err));
    for (size_t c = 0; c < generator->facts.classes; c++) generator->class_shares[c] = (float)shares[c];
    sbl_trainer_start(trainer);
    SBL_TRY(run_steps(trainer, options, err));
    sbl_trainer_finish(trainer);
    SBL_TRY(sbl_trainer_pull(trainer, err));
done:
    sbl_trainer_free(trainer);
    return status;
}

/* What a device takes beside its tensors, for partial sums and for its own libraries, shows once it works: all that
 * training asks of it, once. The generator stays as it is. */
static sbl_status try_step(sbl_trainer *trainer, const sbl_train_options *options, sbl_error *err)
{
    sbl_trainer_draw(trainer, 0);
    (void)sbl_trainer_loss(trainer);
    sbl_trainer_update(trainer, options->rate);
    if (is_validated(options, options->steps)) (void)sbl_trainer_validate(trainer);
    return options->on->sync(options->on->device, err);
}

sbl_status sbl_train_check(sbl_generator *generator, const sbl_train_term *terms, size_t count,
                           const sbl_train_options *options, sbl_error *err)
{
    sbl_trainer *trainer = NULL;
    double *shares = NULL;
    const size_t classes = generator->facts.classes;
    sbl_status status = SBL_OK;
    SBL_ALLOC(shares, classes, "training");
    for (size_t c = 0; c < classes; c++) shares[c] = 1 / (double)classes;
    SBL_TRY(sbl_trainer_new(&trainer, generator, terms, count, shares, options, err));
    if (options->on != NULL && !options->on->is_host) SBL_TRY(try_step(trainer, options, err));
done:
    sbl_trainer_free(trainer);
    sbl_free(shares);
    return status;
}
