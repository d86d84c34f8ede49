/* Scores of predictions as parts of the evaluation document. NOT PRIVATE. */
#ifndef SBL_EVALUATE_UTILITY_SCORES_H
#define SBL_EVALUATE_UTILITY_SCORES_H

#include <jansson.h>

#include "learners/learner.h"

#define SBL_ROC_POINTS 200

/* A number, or null where it does not exist. */
json_t *sbl_utility_number(double value);

/* The SCORES object of a task with every score null, and why. */
json_t *sbl_utility_no_scores(size_t classes, const char *why);

/* The SCORES object of predictions (sbl_learn) for test; where test says too little (one class, a
 * constant target) some scores are null and "why" says so.
 * Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_utility_scores(json_t **object, const double *scores, const sbl_samples *test,
                              sbl_error *err);

/* [[false positive rate, true positive rate], ...] of class 1 of two; null where there is none. */
sbl_status sbl_utility_roc(json_t **curve, const double *scores, const sbl_samples *test,
                           sbl_error *err);

#endif
