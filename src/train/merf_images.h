/* [6] Fit a generator of images to noisy mean embeddings: DP-MERF (Harder, Adamczewski and Park
 * 2021) with structured orthogonal frequencies and a convolutional generator.
 *
 *     L = sum_c w_c (1/F) |E_c[cos, sin] - T_c|^2
 * E_c: share of class c times the sum over a fresh batch of B_c generated images of that class, of
 * their Fourier features, over B_c - 1; T: the target; w_c = 1 / share_c. An image's product with
 * itself is constant, so B_c - 1 in place of B_c makes the gradient that of the unbiased estimate
 * of the squared distance (Gretton, Borgwardt, Rasch, Schoelkopf and Smola 2012): small batches do
 * not draw the images together. Classes whose noisy count is not positive have share 0: no images
 * and no pull. The weights that are kept are an exponential moving average over the steps; the
 * running statistics of batch normalisation are then taken afresh under them. Deterministic for a
 * seed; the number of threads does not matter. */
#ifndef SBL_TRAIN_MERF_IMAGES_H
#define SBL_TRAIN_MERF_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "features/image_plan.h"
#include "model/image_generator.h"
#include "release/release.h"
#include "train/merf.h" /* sbl_train_progress */

/* What is trained towards; all of it from a release. */
typedef struct sbl_image_target {
    float *rff;     /* (C, D): noisy sums of (cos, sin) pairs over n */
    double *shares; /* (C): class shares, nonnegative, sum 1 */
    double rows;    /* n, or its noisy estimate */
} sbl_image_target;

/* Zeros of the plan's shape, equal shares. */
sbl_status sbl_image_target_init(sbl_image_target *target, const sbl_image_plan *plan,
                                 sbl_error *err);
/* From a release made by this plan.   Returns: SBL_OK, SBL_EINPUT, SBL_EMEM */
sbl_status sbl_image_target_from_release(sbl_image_target *target, const sbl_image_plan *plan,
                                         const sbl_release *release, sbl_error *err);
void sbl_image_target_clear(sbl_image_target *target);

typedef struct sbl_image_train_options {
    sbl_image_network network;
    size_t steps;
    size_t batch;   /* images per step */
    double rate;    /* Adam's, decays to zero as a cosine */
    double average; /* decay of the moving average of the weights; 0: none */
    uint64_t seed;
    sbl_train_progress progress; /* may be NULL */
    void *progress_data;
} sbl_image_train_options;

void sbl_image_train_options_init(sbl_image_train_options *options);

/* Would sbl_train_merf_images refuse these options for this plan, or not have the memory? Asked
 * before a budget is charged for the release.   Returns: SBL_OK, SBL_EARG, SBL_EMEM */
sbl_status sbl_train_merf_images_check(const sbl_image_plan *plan,
                                       const sbl_image_train_options *options, sbl_error *err);

/* Returns: SBL_OK; SBL_ESTOPPED when progress asked for it (generator is then empty); SBL_EARG,
 * SBL_EMEM. */
sbl_status sbl_train_merf_images(sbl_image_generator *generator, const sbl_image_plan *plan,
                                 const sbl_image_target *target,
                                 const sbl_image_train_options *options, sbl_error *err);

/* One step at a time, for tests and benches; sbl_train_merf_images is these in a row. */
typedef struct sbl_image_trainer sbl_image_trainer;
sbl_status sbl_image_trainer_new(sbl_image_trainer **trainer, sbl_image_generator *generator,
                                 const sbl_image_plan *plan, const sbl_image_target *target,
                                 const sbl_image_train_options *options, sbl_error *err);
void sbl_image_trainer_free(sbl_image_trainer *trainer);
/* Draw the latents of a step; loss and d loss / d weights at the generator's weights; an update. */
void sbl_image_trainer_draw(sbl_image_trainer *trainer, size_t step);
double sbl_image_trainer_loss(sbl_image_trainer *trainer);
void sbl_image_trainer_update(sbl_image_trainer *trainer, double rate);
/* The generator takes the averaged weights and its running statistics under them. */
void sbl_image_trainer_finish(sbl_image_trainer *trainer);
const float *sbl_image_trainer_gradient(const sbl_image_trainer *trainer);
/* The last batch: images (rows, d), sorted by class, starts (C + 1). */
const float *sbl_image_trainer_images(const sbl_image_trainer *trainer);
const size_t *sbl_image_trainer_starts(const sbl_image_trainer *trainer);

#endif
