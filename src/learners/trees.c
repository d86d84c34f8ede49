/* Gradient-boosted trees of XGBoost (Chen and Guestrin 2016) with its own defaults: 100 rounds of
 * depth 6, histograms. A tree needs no scaling: it sees numbers in [0,1] and codes as they are, and
 * knows missing numbers. */
#include "learners/learner.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "learners/design.h"
#include "learners/xgboost.h"

#define ROUNDS 100
#define SEED_LIMIT 0x7fffffffU

/* XGBoost's own messages name source files and the time of day, so they are not passed on. */
#define TRY_LIBRARY(call)        \
    SBL_TRY((call) == 0 ? SBL_OK \
                        : sbl_fail(err, SBL_EINTERNAL, "XGBoost could not work on this table"))

/* The rows as XGBoost copies them: numbers, then codes. */
static sbl_status matrix_new(sbl_xgb_matrix *matrix, const sbl_xgboost *xgboost,
                             const sbl_samples *samples, int threads, sbl_error *err)
{
    const size_t n = samples->number_count, k = samples->category_count, width = n + k;
    sbl_status status = SBL_OK;
    float *cells = sbl_alloc_array(samples->rows, width * sizeof *cells);
    if (cells == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for trees over %zu rows", samples->rows);
    for (size_t i = 0; i < samples->rows; i++) {
        for (size_t j = 0; j < n; j++) cells[i * width + j] = samples->numbers[i * n + j];
        for (size_t j = 0; j < k; j++) cells[i * width + n + j] = (float)samples->codes[i * k + j];
    }
    TRY_LIBRARY(xgboost->matrix_new(cells, samples->rows, width, NAN, matrix, threads));
done:
    sbl_free_wiped(cells, samples->rows * width * sizeof *cells);
    return status;
}

/* Classes as they are; a number standardised, since XGBoost starts from a constant near zero. */
static sbl_status set_targets(sbl_xgb_matrix matrix, const sbl_xgboost *xgboost,
                              const sbl_samples *train, const sbl_design *design, sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *targets = sbl_alloc_array(train->rows, sizeof *targets);
    if (targets == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for trees over %zu rows", train->rows);
    for (size_t i = 0; i < train->rows; i++)
        targets[i] =
            train->class_count != 0
                ? (float)train->labels[i]
                : (float)((train->targets[i] - design->target_mean) / design->target_deviation);
    TRY_LIBRARY(xgboost->matrix_set(matrix, "label", targets, train->rows));
done:
    sbl_free_wiped(targets, train->rows * sizeof *targets);
    return status;
}

static sbl_status set_parameters(sbl_xgb_booster booster, const sbl_xgboost *xgboost,
                                 size_t classes, const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char seed[24], threads[24], class_count[24];
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)(options->seed & SEED_LIMIT));
    (void)snprintf(threads, sizeof threads, "%u", options->threads);
    (void)snprintf(class_count, sizeof class_count, "%zu", classes);
    const char *objective = classes == 0   ? "reg:squarederror"
                            : classes == 2 ? "binary:logistic"
                                           : "multi:softprob";
    TRY_LIBRARY(xgboost->booster_set(booster, "verbosity", "0"));
    TRY_LIBRARY(xgboost->booster_set(booster, "tree_method", "hist"));
    TRY_LIBRARY(xgboost->booster_set(booster, "objective", objective));
    TRY_LIBRARY(xgboost->booster_set(booster, "seed", seed));
    TRY_LIBRARY(xgboost->booster_set(booster, "nthread", threads));
    if (classes > 2) TRY_LIBRARY(xgboost->booster_set(booster, "num_class", class_count));
done:
    return status;
}

/* What there is to score with. */
typedef struct forest {
    const sbl_xgboost *xgboost;
    sbl_xgb_booster booster;
    const sbl_design *design;
} forest;

static sbl_status predict(double *scores, const forest *trees, sbl_xgb_matrix matrix,
                          size_t classes, size_t rows, sbl_error *err)
{
    const sbl_design *design = trees->design;
    sbl_status status = SBL_OK;
    uint64_t length = 0;
    const float *found = NULL;
    const size_t width = classes > 2 ? classes : 1;
    TRY_LIBRARY(trees->xgboost->booster_predict(trees->booster, matrix, 0, 0, 0, &length, &found));
    if (length != rows * width)
        return sbl_fail(err, SBL_EINTERNAL, "XGBoost gave %zu scores for %zu rows", (size_t)length,
                        rows);
    for (size_t i = 0; i < length; i++) {
        const double value = (double)found[i];
        if (classes == 0) {
            scores[i] = design->target_mean + value * design->target_deviation;
        } else if (classes == 2) {
            scores[2 * i] = 1 - value;
            scores[2 * i + 1] = value;
        } else {
            scores[i] = value;
        }
    }
done:
    return status;
}

sbl_status sbl_learn_trees(double *scores, const sbl_samples *train, const sbl_samples *test,
                           const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const int threads = (int)options->threads;
    sbl_xgboost xgboost;
    sbl_xgb_matrix train_matrix = NULL, test_matrix = NULL;
    sbl_design design = {0};
    forest trees = {.xgboost = &xgboost, .design = &design};
    SBL_TRY(sbl_xgboost_open(&xgboost, err));
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(matrix_new(&train_matrix, &xgboost, train, threads, err));
    SBL_TRY(set_targets(train_matrix, &xgboost, train, &design, err));
    SBL_TRY(matrix_new(&test_matrix, &xgboost, test, threads, err));
    TRY_LIBRARY(xgboost.booster_new(&train_matrix, 1, &trees.booster));
    SBL_TRY(set_parameters(trees.booster, &xgboost, train->class_count, options, err));
    for (int round = 0;
         round < ROUNDS && sbl_progress_goes_on(options->progress, (uint64_t)round, ROUNDS);
         round++)
        TRY_LIBRARY(xgboost.booster_update(trees.booster, round, train_matrix));
    SBL_TRY(predict(scores, &trees, test_matrix, train->class_count, test->rows, err));
done:
    if (trees.booster != NULL) (void)xgboost.booster_free(trees.booster);
    if (test_matrix != NULL) (void)xgboost.matrix_free(test_matrix);
    if (train_matrix != NULL) (void)xgboost.matrix_free(train_matrix);
    sbl_design_clear(&design);
    sbl_xgboost_close(&xgboost);
    return status;
}

const char *sbl_trees_missing(void)
{
    sbl_xgboost xgboost;
    const sbl_status status = sbl_xgboost_open(&xgboost, NULL);
    sbl_xgboost_close(&xgboost);
    return status == SBL_OK ? NULL : "XGBoost is not installed";
}
