/* SPDX-License-Identifier: Apache-2.0 */
/* Models that learn from a table and predict a column: fit on one set of samples, score another.
 *
 * LIBLINEAR gives logistic regression and the linear support vector machine, XGBoost the boosted
 * trees; a build may lack the first (SBL_HAVE_LIBLINEAR), a machine both, and then
 * they say so by name. Naive Bayes, ridge regression and the perceptron are our own. Everything is a function of the samples and a
 * public seed.
 *
 * NOT PRIVATE: samples hold records, and what is learned from real ones is as sensitive. */
#ifndef SBL_LEARNERS_LEARNER_H
#define SBL_LEARNERS_LEARNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"

/* n rows of features and a target, owned by the caller. */
typedef struct sbl_samples {
    size_t rows;
    size_t number_count;         /* N */
    size_t category_count;       /* K */
    size_t class_count;          /* C >= 2, or 0: the target is a number */
    bool one_scale;              /* numbers are comparable as they are (pixels): not standardised */
    float *numbers;              /* (rows, N); NaN: missing */
    uint32_t *codes;             /* (rows, K) */
    const uint32_t *cardinality; /* (K): codes are below it */
    uint32_t *labels;            /* (rows), < C; where C is not 0 */
    double *targets;             /* (rows), in the column's own units; where C is 0 */
} sbl_samples;

typedef struct sbl_learner_options {
    uint64_t seed;
    unsigned threads;                  /* >= 1; of the trees */
    const sbl_progress_span *progress; /* asked repeatedly; NULL: no listener */
} sbl_learner_options;

/* Fit on train, then fill scores for the rows of test: (rows, C) with larger meaning more likely,
 * or (rows) predictions of the number.   Returns: SBL_OK, SBL_EMEM, SBL_EINTERNAL (the library
 * behind it gave up); when options->progress was told to stop, SBL_OK and scores of no worth */
typedef sbl_status sbl_learn(double *scores, const sbl_samples *train, const sbl_samples *test,
                             const sbl_learner_options *options, sbl_error *err);

typedef struct sbl_learner {
    const char *name;             /* in a document */
    const char *key;              /* in a list of models */
    const char *needs;            /* the library that it comes from; NULL: our own */
    const char *(*missing)(void); /* why it cannot run here, or NULL */
    sbl_learn *classify;          /* NULL: not for this task */
    sbl_learn *regress;
} sbl_learner;

/* All of them, in the order of a report; *count says how many. */
const sbl_learner *sbl_learners(size_t *count);

/* Whether XGBoost, or LIBLINEAR, can be used here: NULL, or why not. */
const char *sbl_trees_missing(void);
const char *sbl_linear_missing(void);

/* Is a key in a comma-separated list? NULL is the list of all. */
bool sbl_learner_listed(const char *key, const char *models);
/* Is every item of a list, which may be NULL, among the known keys ("a, b")? what: "to evaluate with"
 * Returns: SBL_OK; SBL_EARG naming the first unknown one and the known */
sbl_status sbl_learner_check_list(const char *models, const char *known, const char *what, sbl_error *err);

/* Why nothing can be learned from these samples (no rows, one class only), or NULL. */
const char *sbl_samples_unfit(const sbl_samples *samples);

/* Run a learner that is not missing. The score of a class that train does not have is
 * SBL_SCORE_OF_UNSEEN in every row: such a class is never predicted, and ranks nothing.
 * Returns: as a learner; SBL_ESTOPPED */
#define SBL_SCORE_OF_UNSEEN (-1e300)
sbl_status sbl_learner_run(double *scores, const sbl_learner *learner, const sbl_samples *train,
                           const sbl_samples *test, const sbl_learner_options *options, sbl_error *err);

/* The learners themselves. */
sbl_learn sbl_learn_logistic, sbl_learn_svm;          /* linear.c */
sbl_learn sbl_learn_trees;                            /* boosted_trees.c */
sbl_learn sbl_learn_bayes;                            /* bayes.c */
sbl_learn sbl_learn_perceptron;                       /* perceptron.c */
sbl_learn sbl_learn_ridge, sbl_learn_constant_number; /* ridge.c */

#endif
