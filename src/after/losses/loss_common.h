/* What losses share: the generated batch, a mean over the steps of training, and rows of one class that one
 * thread takes. Only they know of backends: the way of records to sums (records/features/feature.h) does not.
 *
 * The mean is the moving average that Harder et al. 2023 descend along in
 * place of a step's own difference. With m the memory and E_t the mean of step t,
 *     P_t = d_t P_{t-1} + (1 - d_t) E_t,   d_t = min(m, (1 + t) / (10 + t)), d_0 = 0:
 * early means forget faster, for the first records are random. The target is a constant, so P - target is
 * the moving average of E - target, which is what they train a vector to follow; its gradient has the
 * variance of a batch about (1 + m) / (1 - m) times as large, at the price of a mean that lags. */
#ifndef SBL_LOSSES_LOSS_COMMON_H
#define SBL_LOSSES_LOSS_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/backend/backend.h"
#include "base/error.h"
#include "records/features/feature.h"

struct sbl_running {
    const sbl_backend *on;
    float *past; /* (count), a tensor; NULL: nothing is remembered */
    size_t count, steps;
    double memory;
};

/* memory 0: nothing is remembered. What is remembered is one of the tensors.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_running_init(sbl_running *running, sbl_tensors *tensors, double memory, size_t count,
                            sbl_error *err);

/* d_t of the step at hand; the caller adds one to steps at its end. */
float sbl_running_decay(const sbl_running *running);

/* Number i of the mean that is matched, where a step's own is `own`: decay P + (1 - decay) own, which is
 * remembered, too. On the host. */
static inline float sbl_running_mean(const sbl_running *running, size_t i, float decay, float own)
{
    if (running->past == NULL) return own;
    const float past = running->past[i];
    running->past[i] = decay * past + (1 - decay) * own;
    return running->past[i];
}

/* For checkpoints (records/features/feature.h): numbers to be kept, and both ways. */
size_t sbl_running_count(const sbl_running *running);
void sbl_running_save(float *memory, const sbl_running *running);
void sbl_running_load(sbl_running *running, const float *memory, size_t steps);

/* The rows of a generated batch in pieces of one class and at most `most` rows, in order; classes and
 * starts as in sbl_generated.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_pieces(sbl_row_piece **pieces, size_t *count, sbl_pool *pool, const size_t *starts,
                          size_t classes, size_t most, sbl_error *err);

/* Generated records of one step of training, sorted by class, and the gradient of the loss in
 * them. A table's lie as the Fourier kernels want them (base/compute/fourier.h), images by rows. */
struct sbl_generated {
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
     * (records/features/encoder_features.h); 0: whatever it takes. */
    double network_bytes;
    float *d_inputs;   /* each feature adds its part to these */
    float *d_expected; /* (C, T): the same for every row of a class */
    float *d_pixels;
};

/* What every loss begins with: the memory of its arrays, and its running mean (after/losses/loss_common.h),
 * empty where nothing is remembered. */
typedef struct sbl_loss {
    sbl_pool pool;
    sbl_tensors tensors; /* on the backend of the generated batch */
    sbl_running running;
} sbl_loss;

/* The loss of a feature that has one.   Owner: the caller, sbl_loss_free(); NULL on failure */
sbl_status sbl_loss_new(void **loss, const sbl_feature *feature, const void *made, const sbl_target *target,
                        const sbl_generated *generated, sbl_error *err);
void sbl_loss_free(const sbl_feature *feature, void *loss);
/* Its running means, i = 0, 1, ...: what it remembers from step to step, for a training that goes on from
 * a checkpoint. NULL past the last. */
sbl_running *sbl_loss_memory(const sbl_feature *feature, void *loss, size_t i);

#endif
