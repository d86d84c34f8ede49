/* [6] Fit a generator to noisy mean embeddings: DP-MERF (Harder, Adamczewski and Park 2021).
 *
 *     L = sum_c w_c ( (1/F) |E_c[cos, sin] - T_c|^2 + (v/K) |E_c[p] - O_c|^2 )
 * E_c: share of class c times the mean over a fresh batch of generated rows of that class, of the
 * Fourier features of the numbers and drawn codes, and of the softmax outputs p of the categorical
 * columns (expected one-hot codes); T, O: the target; w_c = share_c^-power.
 * The share, not the batch, weighs a class, so that rare classes can have enough rows in every
 * batch. Classes whose noisy count is not positive have share 0: no rows and no pull.
 * Deterministic for a seed and a number of threads. */
#ifndef SBL_TRAIN_MERF_H
#define SBL_TRAIN_MERF_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "features/plan.h"
#include "model/generator.h"
#include "train/merf_target.h"

/* Called after every step; non-zero stops the training. */
typedef int (*sbl_train_progress)(void *data, size_t step, size_t steps, double loss);

typedef struct sbl_train_options {
    size_t latent;                    /* default 16 */
    size_t depth;                     /* default 3 */
    size_t hidden[SBL_MLP_MAX_DEPTH]; /* default 256, 256, 256 */
    size_t steps;                     /* default 4000 */
    size_t batch;                     /* rows per step, default 1000 */
    double rate;                      /* Adam's, decays to zero as a cosine; default 5e-3 */
    double class_power;               /* power above; default 1 */
    double balance;     /* part of a batch shared evenly by the classes; default 1/2 */
    double onehot_loss; /* v above; default 1 */
    uint64_t seed;
    sbl_train_progress progress; /* may be NULL */
    void *progress_data;
} sbl_train_options;

void sbl_train_options_init(sbl_train_options *options);

/* Would sbl_train_merf refuse these options for this plan, or not have the memory? Asked before a
 * budget is charged for the release.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_train_merf_check(const sbl_merf_plan *plan, const sbl_train_options *options,
                                sbl_error *err);

/* Returns: SBL_OK; SBL_ESTOPPED when progress asked for it (generator is then empty); SBL_EARG,
 * SBL_EMEM. */
sbl_status sbl_train_merf(sbl_generator *generator, const sbl_merf_plan *plan,
                          const sbl_merf_target *target, const sbl_train_options *options,
                          sbl_error *err);

/* One step at a time, for tests and benches; sbl_train_merf is these in a row. */
typedef struct sbl_merf_trainer sbl_merf_trainer;
sbl_status sbl_merf_trainer_new(sbl_merf_trainer **trainer, sbl_generator *generator,
                                const sbl_merf_plan *plan, const sbl_merf_target *target,
                                const sbl_train_options *options, sbl_error *err);
void sbl_merf_trainer_free(sbl_merf_trainer *trainer);
/* Draw the latents of a step; loss and d loss / d weights at the generator's weights; an update.
 * Gradient: as generator->mlp.weights, owned by the trainer. */
void sbl_merf_trainer_draw(sbl_merf_trainer *trainer, size_t step);
double sbl_merf_trainer_loss(sbl_merf_trainer *trainer, float momentum);
void sbl_merf_trainer_update(sbl_merf_trainer *trainer, double rate);
const float *sbl_merf_trainer_gradient(const sbl_merf_trainer *trainer);
/* The batch: rows sorted by class, starts (C + 1); latents (rows, L). */
const size_t *sbl_merf_trainer_starts(const sbl_merf_trainer *trainer);
const float *sbl_merf_trainer_latents(const sbl_merf_trainer *trainer);
/* The codes that the last loss drew, one-hot (T, padded rows); NULL when no frequency sees codes.
 */
const float *sbl_merf_trainer_drawn(const sbl_merf_trainer *trainer);

#endif
