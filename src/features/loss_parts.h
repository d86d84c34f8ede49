/* What losses share: a mean over the steps of training, and rows of one class that one thread takes.
 *
 * The mean is the moving average that Harder et al. 2023 descend along in
 * place of a step's own difference. With m the memory and E_t the mean of step t,
 *     P_t = d_t P_{t-1} + (1 - d_t) E_t,   d_t = min(m, (1 + t) / (10 + t)), d_0 = 0:
 * early means forget faster, for the first records are random. The target is a constant, so P - target is
 * the moving average of E - target, which is what they train a vector to follow; its gradient has the
 * variance of a batch about (1 + m) / (1 - m) times as large, at the price of a mean that lags. */
#ifndef SBL_FEATURES_LOSS_PARTS_H
#define SBL_FEATURES_LOSS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"

typedef struct sbl_running {
    float *past; /* (count); NULL: nothing is remembered */
    size_t count, steps;
    double memory;
} sbl_running;

/* memory 0: nothing is remembered. What is remembered is the pool's.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_running_init(sbl_running *running, sbl_pool *pool, double memory, size_t count,
                            sbl_error *err);

/* d_t of the step at hand; the caller adds one to steps at its end. */
float sbl_running_decay(const sbl_running *running);

/* Number i of the mean that is matched, where a step's own is `own`: decay P + (1 - decay) own. What
 * is remembered is `plain`: a loss that takes a record's product with itself out of its mean (over
 * one record fewer) remembers the mean over all of them. */
static inline float sbl_running_mean(const sbl_running *running, size_t i, float decay, float own,
                                     float plain)
{
    if (running->past == NULL) return own;
    const float past = running->past[i];
    running->past[i] = decay * past + (1 - decay) * plain;
    return decay * past + (1 - decay) * own;
}

/* For checkpoints (features/feature.h): numbers to be kept, and both ways. */
size_t sbl_running_count(const sbl_running *running);
void sbl_running_save(float *memory, const sbl_running *running);
void sbl_running_load(sbl_running *running, const float *memory, size_t steps);

typedef struct sbl_row_piece {
    size_t first, count, class;
} sbl_row_piece;

/* The rows of a generated batch in pieces of one class and at most `most` rows, in order; classes and
 * starts as in sbl_generated.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_row_pieces(sbl_row_piece **pieces, size_t *count, sbl_pool *pool,
                          const size_t *starts, size_t classes, size_t most, sbl_error *err);

#endif
