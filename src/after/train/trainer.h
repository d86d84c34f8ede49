/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Fit a generator to the noisy means of features.
 *
 * A step draws latents, runs the network, turns its outputs into a generated batch, lets every
 * feature of the plan add its loss and gradient (after/losses/loss.h), and goes back through head
 * and network; Adam moves the weights, at a rate that decays as a cosine. In the end the weights
 * may be replaced by their moving average over the steps, and the running statistics of batch
 * normalisation are taken afresh under the weights that are kept. The share, not the batch, weighs
 * a class, so that rare classes can have enough rows in every batch; classes whose noisy count is
 * not positive have share 0: no rows and no pull.
 * Deterministic for a seed; the number of threads does not matter, nor does a stop on the way.
 * Nothing is allocated in a step, but where a checkpoint is written. */
#ifndef SBL_TRAIN_TRAINER_H
#define SBL_TRAIN_TRAINER_H

#include <stddef.h>
#include <stdint.h>

#include "after/model/generator.h"
#include "after/train/checkpoint.h"
#include "after/train/target.h"
#include "base/error.h"

/* Called after every step; non-zero stops the training. */
typedef int (*sbl_train_progress)(void *data, size_t step, size_t steps, double loss);
/* One line for a person: where training goes on, or that it keeps no checkpoint. */
typedef void (*sbl_train_tell)(void *data, const char *line);

typedef struct sbl_train_options {
    size_t steps;       /* 1 .. 100000000 */
    size_t batch;       /* rows per step, 2 .. 1000000; images 2 .. 100000 */
    double rate;        /* Adam's at the start, above 0 and at most 1 */
    double momentum;    /* decay of Adam's mean gradient, from 0 (none) to below 1 */
    double average;     /* decay of the moving average of the weights, from 0 (none) to below 1 */
    double balance;     /* part of a batch that the classes share evenly, 0 .. 1 */
    double class_power; /* a class weighs share^-power in the loss, 0 .. 2 */
    uint64_t seed;
    /* The weights to begin with: those of a generator of the same network whose classes are this one's classes before
     * they were divided into cells (sbl_generator_divide()). Borrowed; NULL: random ones. */
    const sbl_generator *start;
    /* Who computes: NULL: the CPU. Another must outlive the training and serve it
     * (sbl_train_serves()). */
    const sbl_backend *on;
    /* Images: what a class may take in a frozen network before it goes through in parts; 0: by who computes
     * (after/train/train_batch.h). */
    double network_bytes;
    /* Early stopping: that many times, evenly spread and after the last step, the weights that would
     * be kept are validated by the loss of these terms, which training does not follow. Those with the
     * least are kept where the last ones are worse than noise explains (after/train/validation.h), else the
     * last. Terms are borrowed. 0 of either: none. */
    const sbl_train_term *validation_terms;
    size_t validation_count, candidates;
    /* A checkpoint file. Training continues from it if it belongs to the same training, and writes it every
     * few steps and when progress stops it; the caller removes it (after/train/checkpoint.h). A checkpoint
     * that cannot be written does no harm. NULL: none. */
    sbl_store_entry checkpoint;  /* none: it keeps none */
    const char *training;        /* the hash that names this training */
    size_t checkpoint_steps;     /* 0: every 100, of long trainings a fiftieth of them */
    sbl_train_progress progress; /* may be NULL */
    sbl_train_tell tell;         /* may be NULL */
    void *progress_data;         /* of both */
} sbl_train_options;

/* The defaults of a kind of data (after/train/train_defaults.h), seed 0. */
sbl_train_options sbl_train_options_of(sbl_data_kind kind);

/* Does this backend serve the training of such a generator against these terms?
 * Returns: SBL_OK; SBL_EARG: what it lacks */
sbl_status sbl_train_serves(const sbl_backend *on, const sbl_generator *generator,
                            const sbl_train_term *terms, size_t count, sbl_error *err);

/* Train from random weights, or from the checkpoint; shares (C) become the generator's. On failure the generator can still
 * be cleared, and is good for nothing else.
 * Returns: SBL_OK; SBL_ESTOPPED when progress asked for it; SBL_EINPUT when the loss is no longer
 * finite; SBL_EARG, SBL_EMEM; SBL_EIO: the backend failed */
sbl_status sbl_train(sbl_generator *generator, const sbl_train_term *terms, size_t count,
                     const double *shares, const sbl_train_options *options, sbl_error *err);
/* Would sbl_train refuse these options, or not have the memory? All that training allocates is
 * allocated, for classes of equal shares, and given back, and a backend that is not the host's takes a step: to be
 * asked before a budget is charged for the release. The targets may be zeros; the generator stays as it is.
 * Returns: SBL_OK, SBL_EARG, SBL_EMEM; SBL_EIO: the backend failed otherwise */
sbl_status sbl_train_check(sbl_generator *generator, const sbl_train_term *terms, size_t count,
                           const sbl_train_options *options, sbl_error *err);

/* One step at a time, for tests and benches; sbl_train is these in a row. The generator keeps the
 * weights that it has. */
typedef struct sbl_trainer sbl_trainer;
sbl_status sbl_trainer_new(sbl_trainer **trainer, sbl_generator *generator, const sbl_train_term *terms,
                           size_t count, const double *shares, const sbl_train_options *options,
                           sbl_error *err);
void sbl_trainer_free(sbl_trainer *trainer);
/* Random weights, started where the terms say. */
void sbl_trainer_start(sbl_trainer *trainer);
/* The latents of a step; loss and d loss / d weights at the generator's weights; an update. */
void sbl_trainer_draw(sbl_trainer *trainer, size_t step);
double sbl_trainer_loss(sbl_trainer *trainer);
void sbl_trainer_update(sbl_trainer *trainer, double rate);
/* The validation loss of the weights that would be kept now, on batches that are the same every time;
 * the best so far are remembered. */
double sbl_trainer_validate(sbl_trainer *trainer);
/* The generator's numbers as they are on the backend; and has that failed? */
sbl_status sbl_trainer_pull(sbl_trainer *trainer, sbl_error *err);
/* The generator takes the averaged weights, or the best that were validated where those are worse than
 * noise explains, and its running statistics. */
void sbl_trainer_finish(sbl_trainer *trainer);
/* Everything that later steps depend on, if the options have a checkpoint; and the same training from a state
 * read back into these.
 * Returns: SBL_OK; SBL_EIO, SBL_EMEM: the backend failed, and its state is not valid */
sbl_status sbl_trainer_state(sbl_training_state *state, sbl_trainer *trainer, sbl_error *err);
void sbl_trainer_go_on(sbl_trainer *trainer, const sbl_training_state *state);
/* As generator->net.weights, of the last loss: a tensor. */
const float *sbl_trainer_gradient(const sbl_trainer *trainer);
/* The network's inputs (rows, inputs) and the generated batch of the last loss. */
const float *sbl_trainer_inputs(const sbl_trainer *trainer);
const sbl_generated *sbl_trainer_generated(const sbl_trainer *trainer);

#endif
