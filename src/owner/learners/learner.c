/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all learners, and what holds for each: a score that is not finite is refused, and a
 * class that was never seen in training is never predicted. */
#include "owner/learners/learner.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static const char linear_library[] = "LIBLINEAR";

static const char *nothing_is_missing(void) { return NULL; }

static const sbl_learner learners[] = {
    {"logistic regression", "logistic", linear_library, sbl_linear_missing, sbl_learn_logistic, NULL},
    {"linear SVM", "svm", linear_library, sbl_linear_missing, sbl_learn_svm, NULL},
    {"naive Bayes", "bayes", NULL, nothing_is_missing, sbl_learn_bayes, NULL},
    {"constant", "constant", NULL, nothing_is_missing, NULL, sbl_learn_constant_number},
    {"ridge regression", "ridge", NULL, nothing_is_missing, NULL, sbl_learn_ridge},
    {"XGBoost", "xgboost", "XGBoost", sbl_trees_missing, sbl_learn_trees, sbl_learn_trees},
    {"MLP", "mlp", NULL, nothing_is_missing, sbl_learn_perceptron, sbl_learn_perceptron},
};

const sbl_learner *sbl_learners(size_t *count)
{
    *count = sizeof learners / sizeof *learners;
    return learners;
}

/* For a list with commas, and perhaps spaces after them. */
static bool has_item(const char *list, const char *item, size_t length)
{
    while (list != NULL) {
        const char *comma = strchr(list, ',');
        const size_t size = comma != NULL ? (size_t)(comma - list) : strlen(list);
        if (size == length && memcmp(list, item, size) == 0) return true;
        list = comma != NULL ? comma + 1 + (comma[1] == ' ') : NULL;
    }
    return false;
}

bool sbl_learner_listed(const char *key, const char *models)
{
    return models == NULL || has_item(models, key, strlen(key));
}

sbl_status sbl_learner_check_list(const char *models, const char *known, const char *what, sbl_error *err)
{
    for (const char *item = models; item != NULL;) {
        const char *comma = strchr(item, ',');
        const size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        if (!has_item(known, item, length))
            return sbl_fail(err, SBL_EARG, "model '%.*s' does not exist %s; choose from: %s",
                            length < 64 ? (int)length : 64, item, what, known);
        item = comma != NULL ? comma + 1 : NULL;
    }
    return SBL_OK;
}

const char *sbl_samples_unfit(const sbl_samples *samples)
{
    if (samples->rows == 0) return "the training table has no rows with a label";
    if (samples->class_count == 0) return NULL;
    for (size_t i = 1; i < samples->rows; i++)
        if (samples->labels[i] != samples->labels[0]) return NULL;
    return "the training table has one class only";
}

static sbl_status hide_unseen(double *scores, const sbl_samples *train, size_t rows, sbl_error *err)
{
    const size_t classes = train->class_count;
    bool *seen = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(seen, classes, "classes");
    for (size_t i = 0; i < train->rows; i++) seen[train->labels[i]] = true;
    for (size_t i = 0; i < rows * classes; i++)
        if (!seen[i % classes]) scores[i] = SBL_SCORE_OF_UNSEEN;
done:
    sbl_free(seen);
    return status;
}

sbl_status sbl_learner_run(double *scores, const sbl_learner *learner, const sbl_samples *train,
                           const sbl_samples *test, const sbl_learner_options *options, sbl_error *err)
{
    const size_t classes = train->class_count, count = test->rows * (classes != 0 ? classes : 1);
    sbl_learn *learn = classes != 0 ? learner->classify : learner->regress;
    const sbl_status status = learn(scores, train, test, options, err);
    if (status != SBL_OK) return status;
    if (sbl_progress_stopped(options->progress)) return sbl_progress_fail(err);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(scores[i]))
            return sbl_fail(err, SBL_EINTERNAL, "%s gave a score that is not finite", learner->name);
    return classes != 0 ? hide_unseen(scores, train, test->rows, err) : SBL_OK;
}
