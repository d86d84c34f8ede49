/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient-boosted trees of XGBoost (Chen and Guestrin 2016) with its own defaults: 100 rounds of
 * depth 6, histograms. A tree needs no scaling: it sees numbers in [0,1] and codes as they are, and
 * knows missing numbers.
 *
 * XGBoost's C library is found when it is asked for: it is large, and only `evaluate` knows it, so that
 * nothing of ours is linked with it. The functions are those of its xgboost/c_api.h, which are the
 * same from 1.0 to 3.x. */
#include "owner/learners/learner.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/library.h"
#include "owner/learners/design.h"

/* ---- the library ---- */

typedef void *xgb_matrix;
typedef void *xgb_booster;

/* Each returns 0, or -1 when it failed. */
typedef struct xgboost_calls {
    void *library;
    int (*matrix_new)(const float *cells, uint64_t rows, uint64_t columns, float missing, xgb_matrix *matrix,
                      int threads);
    int (*matrix_set)(xgb_matrix matrix, const char *field, const float *values, uint64_t count);
    int (*matrix_free)(xgb_matrix matrix);
    int (*booster_new)(const xgb_matrix *matrices, uint64_t count, xgb_booster *booster);
    int (*booster_set)(xgb_booster booster, const char *name, const char *value);
    int (*booster_update)(xgb_booster booster, int round, xgb_matrix matrix);
    int (*booster_predict)(xgb_booster booster, xgb_matrix matrix, int option, unsigned trees, int training,
                           uint64_t *length, const float **scores);
    int (*booster_free)(xgb_booster booster);
} xgboost_calls;

/* The system's; libxgboost.so is also what its Python package calls the one that it brings, which is
 * found by that name once it is loaded. */
static const char *const names[] = {"libxgboost.so.0", "libxgboost.so"};

static const sbl_library_call symbols[] = {
    {"XGDMatrixCreateFromMat_omp", offsetof(xgboost_calls, matrix_new)},
    {"XGDMatrixSetFloatInfo", offsetof(xgboost_calls, matrix_set)},
    {"XGDMatrixFree", offsetof(xgboost_calls, matrix_free)},
    {"XGBoosterCreate", offsetof(xgboost_calls, booster_new)},
    {"XGBoosterSetParam", offsetof(xgboost_calls, booster_set)},
    {"XGBoosterUpdateOneIter", offsetof(xgboost_calls, booster_update)},
    {"XGBoosterPredict", offsetof(xgboost_calls, booster_predict)},
    {"XGBoosterFree", offsetof(xgboost_calls, booster_free)},
};

static void xgboost_close(xgboost_calls *xgboost)
{
    /* Kept in memory: its threads outlive its work, and it is not made to be unloaded. */
    *xgboost = (xgboost_calls){0};
}

/* Load it, or count one more user of it.   Returns: SBL_OK; SBL_EARG where there is none on this machine */
static sbl_status xgboost_open(xgboost_calls *xgboost, sbl_error *err)
{
    *xgboost = (xgboost_calls){0};
    for (size_t i = 0; i < sizeof names / sizeof *names && xgboost->library == NULL; i++)
        xgboost->library = sbl_library_open(names[i]);
    if (xgboost->library == NULL)
        return sbl_fail(err, SBL_EARG, "XGBoost cannot be used: %s", sbl_library_why());
    const char *absent =
        sbl_library_find(xgboost, xgboost->library, symbols, sizeof symbols / sizeof *symbols);
    if (absent == NULL) return SBL_OK;
    xgboost_close(xgboost);
    return sbl_fail(err, SBL_EARG, "the XGBoost of this machine lacks %s", absent);
}

/* ---- learning ---- */

#define ROUNDS 100
#define SEED_LIMIT 0x7fffffffU

/* XGBoost's own messages name source files and the time of day, so they are not passed on. */
#define TRY_LIBRARY(call) \
    SBL_TRY((call) == 0   \
                ? SBL_OK  \
                : sbl_fail(err, SBL_EINTERNAL, "XGBoost failed on this table: leave it out of the models"))

/* The rows as XGBoost copies them: numbers, then codes. */
static sbl_status matrix_new(xgb_matrix *matrix, const xgboost_calls *xgboost, const sbl_samples *samples,
                             int threads, sbl_error *err)
{
    const size_t n = samples->number_count, k = samples->category_count, width = n + k;
    sbl_status status = SBL_OK;
    float *cells = sbl_alloc_array(samples->rows, width * sizeof *cells);
    if (cells == NULL) return sbl_no_memory(err, "trees");
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
static sbl_status set_targets(xgb_matrix matrix, const xgboost_calls *xgboost, const sbl_samples *train,
                              const sbl_design *design, sbl_error *err)
{
    sbl_status status = SBL_OK;
    float *targets = sbl_alloc_array(train->rows, sizeof *targets);
    if (targets == NULL) return sbl_no_memory(err, "trees");
    for (size_t i = 0; i < train->rows; i++)
        targets[i] = train->class_count != 0
                         ? (float)train->labels[i]
                         : (float)((train->targets[i] - design->target_mean) / design->target_deviation);
    TRY_LIBRARY(xgboost->matrix_set(matrix, "label", targets, train->rows));
done:
    sbl_free_wiped(targets, train->rows * sizeof *targets);
    return status;
}

static sbl_status set_parameters(xgb_booster booster, const xgboost_calls *xgboost, size_t classes,
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
    const xgboost_calls *xgboost;
    xgb_booster booster;
    const sbl_design *design;
} forest;

static sbl_status predict(double *scores, const forest *trees, xgb_matrix matrix, size_t classes, size_t rows,
                          sbl_error *err)
{
    const sbl_design *design = trees->design;
    sbl_status status = SBL_OK;
    uint64_t length = 0;
    const float *found = NULL;
    const size_t width = classes > 2 ? classes : 1;
    TRY_LIBRARY(trees->xgboost->booster_predict(trees->booster, matrix, 0, 0, 0, &length, &found));
    if (length != rows * width)
        return sbl_fail(err, SBL_EINTERNAL, "XGBoost gave %zu scores for %zu rows", (size_t)length, rows);
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
    xgboost_calls xgboost;
    xgb_matrix train_matrix = NULL, test_matrix = NULL;
    sbl_design design = {0};
    forest trees = {.xgboost = &xgboost, .design = &design};
    SBL_TRY(xgboost_open(&xgboost, err));
    SBL_TRY(sbl_design_init(&design, train, err));
    SBL_TRY(matrix_new(&train_matrix, &xgboost, train, threads, err));
    SBL_TRY(set_targets(train_matrix, &xgboost, train, &design, err));
    SBL_TRY(matrix_new(&test_matrix, &xgboost, test, threads, err));
    TRY_LIBRARY(xgboost.booster_new(&train_matrix, 1, &trees.booster));
    SBL_TRY(set_parameters(trees.booster, &xgboost, train->class_count, options, err));
    for (int round = 0; round < ROUNDS && sbl_progress_goes_on(options->progress, (uint64_t)round, ROUNDS);
         round++)
        TRY_LIBRARY(xgboost.booster_update(trees.booster, round, train_matrix));
    SBL_TRY(predict(scores, &trees, test_matrix, train->class_count, test->rows, err));
done:
    if (trees.booster != NULL) (void)xgboost.booster_free(trees.booster);
    if (test_matrix != NULL) (void)xgboost.matrix_free(test_matrix);
    if (train_matrix != NULL) (void)xgboost.matrix_free(train_matrix);
    sbl_design_clear(&design);
    xgboost_close(&xgboost);
    return status;
}

const char *sbl_trees_missing(void)
{
    xgboost_calls xgboost;
    const sbl_status status = xgboost_open(&xgboost, NULL);
    xgboost_close(&xgboost);
    return status == SBL_OK ? NULL : "XGBoost is not installed";
}
