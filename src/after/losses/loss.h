/* SPDX-License-Identifier: Apache-2.0 */
/* A loss is one of these tables: what a generator network is trained against, the distance of generated records from
 * the noisy means of one feature in a release, and its gradient. It has the name of its feature and takes what the feature
 * was made as (public/features). A new loss is one file with one table and a line in after/losses/losses.c.
 * Losses share the generated batch, a mean over the steps of training, and rows of one class that one thread takes.
 *
 * The mean is the moving average that Harder et al. 2023 descend along in
 * place of a step's own difference. With m the memory and E_t the mean of step t,
 *     P_t = d_t P_{t-1} + (1 - d_t) E_t,   d_t = min(m, (1 + t) / (10 + t)), d_0 = 0:
 * early means forget faster, for the first records are random. The target is a constant, so P - target is
 * the moving average of E - target, which is what they train a vector to follow; its gradient has the
 * variance of a batch about (1 + m) / (1 - m) times as large, at the price of a mean that lags.
 *
 * The distance |E[v] - T|^2 is estimated from b rows with features v_r and mean m. Plain: |m - T|^2, which
 * exceeds it by a b-th of the rows' variance, so that descent also draws the rows of a class together. Unbiased
 * (Gretton et al. 2012): products of a row with itself are left out,
 *     (b |m|^2 - mean |v_r|^2) / (b - 1) - 2 m . T + |T|^2,
 * with gradient (2 / b) (b m / (b - 1) - v_r / (b - 1) - T) in v_r. Where all rows have the same length, the term of
 * v_r moves nothing, and sums over b - 1 rows instead of b are all it takes. */
#ifndef SBL_LOSSES_LOSS_H
#define SBL_LOSSES_LOSS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/backend/backend.h"
#include "base/error.h"
#include "public/plan/facts.h"

typedef struct sbl_running {
    const sbl_backend *on;
    float *past; /* (count), a tensor; NULL: nothing is remembered */
    size_t count, steps;
    double memory;
} sbl_running;

/* memory 0: nothing is remembered. What is remembered is one of the tensors.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_running_init(sbl_running *running, sbl_tensors *tensors, double memory, size_t count,
                            sbl_error *err);

/* d_t of the step at hand; the caller adds one to steps at its end. */
float sbl_running_decay(const sbl_running *running);

/* How the squared distance of means is estimated; USUAL: as the loss does by itself. */
typedef enum sbl_distance { SBL_DISTANCE_USUAL, SBL_DISTANCE_UNBIASED, SBL_DISTANCE_PLAIN } sbl_distance;

/* For checkpoints: numbers to be kept, and both ways. */
size_t sbl_running_count(const sbl_running *running);
void sbl_running_save(float *memory, const sbl_running *running);
void sbl_running_load(sbl_running *running, const float *memory, size_t steps);

/* The rows of a generated batch in pieces of one class and at most `most` rows, in order; classes and
 * starts as in sbl_generated.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_pieces(sbl_row_piece **pieces, size_t *count, sbl_pool *pool, const size_t *starts,
                          size_t classes, size_t most, sbl_error *err);

/* Generated records of one step of training, sorted by class, and the gradient of the loss in
 * them. A table's lie as the Fourier kernels want them (base/compute/fourier.h), images by rows. */
typedef struct sbl_generated {
    const sbl_backend *on; /* whose tensors records and gradients are; of tables the CPU */
    const sbl_facts *facts;
    size_t rows, padded_rows;
    const size_t *starts;  /* (C + 1): class c has rows starts[c] .. starts[c + 1] - 1 */
    const double *shares;  /* (C): of the classes in the data: nonnegative, sum 1 */
    const double *weights; /* (C): of the classes in the loss: w_c = share_c^-power, 0 for a class
                            * of share 0, which has no rows */
    const float *inputs;   /* tables (d + T, padded): numbers, then drawn one-hot codes */
    const float *expected; /* tables (rows, T): expected one-hot codes, the softmax outputs */
    const float *pixels;   /* images (rows, d) in [0,1] */
    /* Images: what a class may take in a frozen network, there and back, before it goes through in parts
     * (after/losses/encoder_pass.h); 0: whatever it takes. */
    double network_bytes;
    float *d_inputs;   /* each feature adds its part to these */
    float *d_expected; /* (C, T): the same for every row of a class */
    /* (C): and how many times a row's own expected codes are taken off it, for the unbiased distance */
    float *own_expected;
    float *d_pixels;
} sbl_generated;

/* What every loss begins with: the memory of its arrays, and its running mean,
 * empty where nothing is remembered. */
typedef struct sbl_loss {
    sbl_pool pool;
    sbl_tensors tensors; /* on the backend of the generated batch */
    sbl_running running;
} sbl_loss;

/* What training is to reach: noisy means of one feature's blocks, per class, from a release
 * (after/train/target.h). */
typedef struct sbl_target {
    /* (C, width), or (1, width) of a feature that sums all classes together: noisy sums over n; all blocks of the
     * feature side by side */
    float *means;
    double deviation; /* of the noise on one of them */
    double weight;    /* of this feature's loss beside the others' */
    /* For a costly feature: the share of a class's rows that a step uses, and how much of the mean of earlier
     * steps is kept (the decay of a running mean, 0 to below 1), so that a few rows per step are
     * enough. 0: all rows, nothing kept. */
    double part, memory;
    sbl_distance distance;
} sbl_target;

/* The rows that a class's sum is divided by where `rows` are added up; 0: the class has no pull. That is one without
 * rows and, for the unbiased distance, one of a single row. usual: the loss's own. */
size_t sbl_target_divisor(const sbl_target *target, sbl_distance usual, size_t rows);
bool sbl_target_is_unbiased(const sbl_target *target, sbl_distance usual);

typedef struct sbl_loss_kind {
    const char *feature; /* its name, as it is in plans */
    size_t size;         /* of the loss, which begins with an sbl_loss; zeroed */
    /* Keeps nothing of target and batch; of made whatever it likes, which outlives it. The generated batch's
     * rows, classes, shares and weights are those of every step; its records are not there yet. */
    sbl_status (*init)(void *loss, const void *made, const sbl_target *target, const sbl_generated *generated,
                       sbl_error *err);
    /* The loss of the generated batch; adds its gradient. Allocates nothing; the same bits for any number of
     * threads. */
    double (*step)(void *loss, sbl_generated *generated);
    void (*clear)(void *loss); /* what is not the pool's; may be NULL */
    /* As sbl_loss_memory(), of a loss whose running means are not the one of its sbl_loss. May be NULL. */
    sbl_running *(*memory)(void *loss, size_t i);
    /* Tables: what the target says of the codes, for training to start from: expected (C, T), above 0,
     * adding up to about 1 in each column. NULL: nothing. */
    void (*start)(float *expected, const void *made, const sbl_target *target,
                  const sbl_generated *generated);
    bool costly;      /* it uses the target's share of rows and memory */
    bool any_backend; /* it is computed by the generated batch's backend; else that is the CPU */
} sbl_loss_kind;

/* The losses that there are; ends with NULL. */
extern const sbl_loss_kind *const sbl_loss_list[];
extern const sbl_loss_kind sbl_loss_rff, sbl_loss_onehot, sbl_loss_orthogonal, sbl_loss_hermite,
    sbl_loss_hermite_product, sbl_loss_perceptual, sbl_loss_moments, sbl_loss_signed_moments,
    sbl_loss_pooled_moments;

/* The loss of a feature; NULL: no network is trained against it. more (may be NULL, ends with NULL): losses beside the
 * list, such as a method brings. */
const sbl_loss_kind *sbl_loss_find(const char *feature, const sbl_loss_kind *const *more);

/* made: the feature.   Owner: the caller, sbl_loss_free(); NULL on failure */
sbl_status sbl_loss_new(void **loss, const sbl_loss_kind *kind, const void *made, const sbl_target *target,
                        const sbl_generated *generated, sbl_error *err);
void sbl_loss_free(const sbl_loss_kind *kind, void *loss);
/* Its running means, i = 0, 1, ...: what it remembers from step to step, for a training that goes on from
 * a checkpoint. NULL past the last. */
sbl_running *sbl_loss_memory(const sbl_loss_kind *kind, void *loss, size_t i);

#endif
