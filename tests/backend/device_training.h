/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings of a small generator of images on a backend, with all that a training can have: pixels, a
 * frozen network, through which classes go in parts, running means, an average of the weights, early stopping, checkpoints. */
#ifndef SBL_TESTS_DEVICE_TRAINING_H
#define SBL_TESTS_DEVICE_TRAINING_H

#include "after/train/trainer.h"
#include "train/train_kit.h"

typedef struct device_training {
    train_kit kit;
    void *moments, *points; /* the second feature and the third, made */
    void *hermite[2];       /* or both of hp */
    sbl_target validation_target;
    sbl_train_term validation;
    sbl_generator generator;
    sbl_train_options options;
} device_training;

/* on: NULL: the CPU. checkpoint: NULL: none. */
void device_training_begin(device_training *t, const sbl_backend *on, const char *checkpoint);
/* The features of hp instead: Hermite functions of pixels, plain and remembered, and products of them, unbiased. */
void device_training_begin_hermite(device_training *t, const sbl_backend *on, const char *checkpoint);
sbl_status device_training_run(device_training *t, sbl_error *err);
void device_training_end(device_training *t);

/* A whole training of each kind ends where that of the CPU does: what the generators make is as close as `tolerance` of
 * the distance that it went. Not the weights: a bias before a batch norm has no gradient but rounding, which
 * Adam makes a step of. */
void device_training_agrees(const sbl_backend *on, double tolerance);
/* Stopped and gone on from its checkpoint, in this folder: the bits of one that was not, so that the same
 * steps give the same bits. */
void device_training_resumes(const sbl_backend *on, const char *folder);

#endif
