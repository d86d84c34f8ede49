/* Gradient-boosted trees of XGBoost (Chen and Guestrin 2016) with its own defaults: 100 rounds of
 * depth 6, histograms. A tree needs no scaling: it sees numbers in [0,1] and codes as they are, and
 * knows missing numbers. */
#include "learners/learner.h"

#ifdef SBL_HAVE_XGBOOST

#include <math.h>
#include <stdio.h>

#include <xgboost/c_api.h>

#include "base/memory.h"
#include "learners/design.h"

#define ROUNDS 100
#define SEED_LIMIT 0x7fffffffU

/* XGBoost's own messages name source files and the time of day, so they are not passed on. */
#define TRY_LIBRARY(call)        \
    SBL_TRY((call) == 0 ? SBL_OK \
                        : sbl_fail(err, SBL_EINTERNAL, "XGBoost could not work on this table"))

/* The rows as XGBoost copies them: numbers, then codes. */
static sbl_status matrix_new(DMatrixHandle *matrix, const sbl_samples *samples, int threads,
                             sbl_error *err)
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
    TRY_LIBRARY(XGDMatrixCreateFromMat_omp(cells, samples->rows, width, NAN, matrix, threads));
done:
    sbl_free_wiped(cells, samples->rows * width * sizeof *cells);
    return status;
}

/* Classes as they are; a number standardised, since XGBoost starts from a constant near zero. */
static sbl_status set_targets(DMatrixHandle matrix, const sbl_samples *train,
                              const sbl_design *design, sbl_error *err)
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
    TRY_LIBRARY(XGDMatrixSetFloatInfo(matrix, "label", targets, train->rows));
done:
    sbl_free_wiped(targets, train->rows * sizeof *targets);
    return status;
}

static sbl_status set_parameters(BoosterHandle booster, size_t classes,
                                 const sbl_learner_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    char seed[24], threads[24], class_count[24];
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)(options->seed & SEED_LIMIT));
    (void)snprintf(threads, sizeof threads, "%u", options->threads);
    (void)snprintf(class_count, sizeof class_count, "%zu", classes);
    const char *objective = classes == 0   ? "reg:squarederror"
                            : classes == 2 ? "binary:logistic"
                                           : "multi:softprob";
    TRY_LIBRARY(XGBoosterSetParam(booster, "verbosity", "0"));
    TRY_LIBRARY(XGBoosterSetParam(booster, "tree_method", "hist"));
    TRY_LIBRARY(XGBoosterSetParam(booster, "objective", objective));
    TRY_LIBRARY(XGBoosterSetParam(booster, "seed", seed));
    TRY_LIBRARY(XGBoosterSetParam(booster, "nthread", threads));
    if (classes > 2) TRY_LIBRARY(XGBoosterSetParam(booster, "num_class", class_count));
done:
    return status;
}

static sbl_status predict(double *scores, BoosterHandle booster, DMatrixHandle matrix,
                          size_t classes, size_t rows, const sbl_design *design, sbl_error *err)
{
    sbl_status status = SBL_OK;
    bst_ulong length = 0;
    const float *found = NULL;
    const size_t width = classes > 2 ? classes : 1;
    TRY_LIBRARY(XGBoosterPredict(booster, matrix, 0, 0, 0, &length, &found));
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
    DMatrixHandle train_matrix = NULL, test_matrix = NULL;
    BoosterHandle booster = NULL;
    sbl_design design = {0};
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(matrix_new(&train_matrix, train, threads, err));
    SBL_TRY(set_targets(train_matrix, train, &design, err));
    SBL_TRY(matrix_new(&test_matrix, test, threads, err));
    TRY_LIBRARY(XGBoosterCreate(&train_matrix, 1, &booster));
    SBL_TRY(set_parameters(booster, train->class_count, options, err));
    for (int round = 0; round < ROUNDS; round++)
        TRY_LIBRARY(XGBoosterUpdateOneIter(booster, round, train_matrix));
    SBL_TRY(predict(scores, booster, test_matrix, train->class_count, test->rows, &design, err));
done:
    if (booster != NULL) (void)XGBoosterFree(booster);
    if (test_matrix != NULL) (void)XGDMatrixFree(test_matrix);
    if (train_matrix != NULL) (void)XGDMatrixFree(train_matrix);
    sbl_design_clear(&design);
    return status;
}

#else

sbl_status sbl_learn_trees(double *scores, const sbl_samples *train, const sbl_samples *test,
                           const sbl_learner_options *options, sbl_error *err)
{
    (void)scores, (void)train, (void)test, (void)options;
    return sbl_fail(err, SBL_EARG, "this build has no XGBoost");
}

#endif
