/* SPDX-License-Identifier: Apache-2.0 */
/* How good predictions are: ranking scores (AUC, average precision), label scores, regression.
 *
 * Definitions are those of scikit-learn; ties in a score are one threshold. A score that does not
 * exist (one class only, a constant target) is NaN here and null in a document.
 *
 * NOT PRIVATE: labels and targets are those of real records. */
#ifndef SBL_LEARNERS_SCORES_H
#define SBL_LEARNERS_SCORES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Predictions of a classifier: row i scores class c with scores[i * classes + c], larger is more
 * likely. All finite. */
typedef struct sbl_predictions {
    const double *scores;   /* (rows, classes) */
    const uint32_t *labels; /* (rows): the truth, < classes */
    size_t rows;
    size_t classes; /* >= 2 */
} sbl_predictions;

typedef struct sbl_class_scores {
    double auc;               /* two classes: of class 1; more: mean of one class against the rest */
    double average_precision; /* over the classes that are in labels and are not all of them */
    double balanced_accuracy; /* mean recall over the classes in labels */
    double macro_f1;          /* mean F1 over the classes in labels or predicted */
    double accuracy;
} sbl_class_scores;

/* A predicted label is the first class with the largest score.   Returns: SBL_OK, SBL_EMEM */
sbl_status sbl_score_classes(sbl_class_scores *out, const sbl_predictions *predictions, sbl_error *err);

/* AUC = P(score of a positive > of a negative) + P(equal) / 2, and average precision = sum over
 * thresholds of (recall - recall before) precision, of class `positive` against the rest; NaN
 * unless there are both. */
sbl_status sbl_score_ranking(double *auc, double *average_precision, const sbl_predictions *predictions,
                             uint32_t positive, sbl_error *err);

/* The ROC curve of class `positive`: (false positive rate, true positive rate) from (0,0) to (1,1),
 * thinned evenly along the curve to at most limit >= 2 points.
 * Out:  points  (limit, 2);  count  0 where the curve does not exist */
sbl_status sbl_score_roc(double *points, size_t *count, size_t limit, const sbl_predictions *predictions,
                         uint32_t positive, sbl_error *err);

typedef struct sbl_regression_scores {
    double rmse;
    double r2; /* 1 - sum of squared errors / sum of squares around the mean */
} sbl_regression_scores;

void sbl_score_regression(sbl_regression_scores *out, const double *predicted, const double *targets,
                          size_t rows);

#endif
