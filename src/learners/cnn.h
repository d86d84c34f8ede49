/* A small convolutional network that learns classes of images: two blocks of 3 x 3 convolution,
 * batch normalisation, ReLU and 2 x 2 maximum, then a dense layer; Adam on batches of 100 with
 * softmax cross-entropy, about 1000 steps (3 to 50 passes) under cosine decay. Images come by a
 * task's `fill`, pixels in [0,1]. NOT PRIVATE where they are real. */
#ifndef SBL_LEARNERS_CNN_H
#define SBL_LEARNERS_CNN_H

#include "learners/network.h"

/* Out:     scores (test_rows, classes): log probabilities up to a constant
 * In:      train  learns from its rows index[0] .. index[rows - 1], which have labels
 *          test   its rows 0 .. test_rows - 1; needs no labels
 * Returns: SBL_OK, SBL_EMEM; SBL_ESTOPPED when train->watch says so */
sbl_status sbl_learn_cnn(double *scores, sbl_volume image, const sbl_learner_task *train,
                         const uint32_t *index, size_t rows, const sbl_learner_task *test,
                         size_t test_rows, uint64_t seed, sbl_error *err);

#endif
