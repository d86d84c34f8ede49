/* SPDX-License-Identifier: Apache-2.0 */
/* A network (base/nn/net.h) that learns classes or a number: Adam on batches in random order, with
 * softmax cross-entropy or half the squared error, under cosine decay for a fixed number of steps
 * instead of a stopping rule. The same for any number of threads.
 *
 * NOT PRIVATE: weights learned from real records are as sensitive, and are wiped. */
#ifndef SBL_LEARNERS_NETWORK_H
#define SBL_LEARNERS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/nn/adam.h"
#include "base/nn/net.h"
#include "base/progress.h"

/* How long and how fast. */
typedef struct sbl_learner_schedule {
    size_t batch;                     /* rows of a step */
    size_t steps;                     /* about: whole passes, */
    size_t least_passes, most_passes; /* within these bounds */
    bool whole_batches; /* the last, shorter batch of a pass is left out unless it is the only one:
                         * statistics of a few rows would disturb batch norms. The order changes
                         * with every pass, so none is left out for good */
    double rate;        /* Adam's at the start */
    double decay;       /* adds decay |W|^2 / 2 per batch, over its rows, for the weights W */
} sbl_learner_schedule;

/* What is learned from, or predicted. Rows are known by number. */
typedef struct sbl_learner_task {
    const void *data;
    /* inputs (count, input) of rows rows[i], or first + i where rows is NULL */
    void (*fill)(float *inputs, const void *data, const uint32_t *rows, size_t first, size_t count);
    size_t classes;                    /* 0: a number is learned */
    const uint32_t *labels;            /* by row, below classes */
    const float *targets;              /* by row, where classes is 0 */
    const sbl_progress_span *progress; /* asked before each step while learning; NULL: no listener */
} sbl_learner_task;

typedef struct sbl_network_learner {
    sbl_learner_schedule schedule;
    sbl_net net;
    sbl_net_workspace workspace;
    sbl_adam adam;
    float *inputs;    /* (batch, input) */
    float *d_outputs; /* (batch, output) */
} sbl_network_learner;

/* Random first weights by the seed (base/nn/net.h).   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_network_learner_init(sbl_network_learner *learner, sbl_volume input, const sbl_layer *layers,
                                    size_t count, const sbl_learner_schedule *schedule, uint64_t seed,
                                    sbl_error *err);
void sbl_network_learner_clear(sbl_network_learner *learner);

/* The passes that the schedule makes over this number of rows. */
size_t sbl_network_learner_passes(const sbl_learner_schedule *schedule, size_t rows);

/* Learns from rows order[0] .. order[rows - 1], shuffled by stream number `stream` of the seed. Ends when
 * task->progress says stop. */
void sbl_network_learner_fit(sbl_network_learner *learner, const sbl_learner_task *task, uint32_t *order,
                             size_t rows, uint64_t seed, uint64_t stream);
/* d loss / d weights of one batch, in learner->room.d_weights. */
void sbl_network_learner_gradient(sbl_network_learner *learner, const sbl_learner_task *task,
                                  const uint32_t *rows, size_t count);
/* Outputs (count, output) of rows first .., at most a batch of them. */
const float *sbl_network_learner_predict(sbl_network_learner *learner, const sbl_learner_task *task,
                                         size_t first, size_t count);

/* A small convolutional network that learns classes of images: two blocks of 3 x 3 convolution,
 * batch normalisation, ReLU and 2 x 2 maximum, then a dense layer; Adam on batches of 100 with
 * softmax cross-entropy, about 1000 steps (3 to 50 passes) under cosine decay. Images come by a
 * task's `fill`, pixels in [0,1].
 * Out:     scores (test_rows, classes): log probabilities up to a constant
 * In:      train  learns from its rows index[0] .. index[rows - 1], which have labels
 *          test   its rows 0 .. test_rows - 1; needs no labels
 * Returns: SBL_OK, SBL_EMEM; SBL_ESTOPPED when train->watch says so */
sbl_status sbl_learn_cnn(double *scores, sbl_volume image, const sbl_learner_task *train,
                         const uint32_t *index, size_t rows, const sbl_learner_task *test, size_t test_rows,
                         uint64_t seed, sbl_error *err);

#endif
