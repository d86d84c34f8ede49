/* SPDX-License-Identifier: Apache-2.0 */
/* Learners against scikit-learn and XGBoost's own Python on generated data (utility_vectors.py),
 * and on samples that give little to learn from. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "learners/learner_kit.h"
#include "owner/learners/network.h"
#include "owner/learners/scores.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

static const sbl_learner_options options = {.seed = 7, .threads = 1};

typedef struct fixture {
    json_t *vectors;
    const json_t *learners;
    sbl_samples train, test;
    double *scores;
} fixture;

static fixture open_fixture(const char *label)
{
    fixture f = {.vectors = kit_vectors()};
    f.learners = json_object_get(f.vectors, "learners");
    f.train = kit_samples(f.learners, "train", label);
    f.test = kit_samples(f.learners, "test", label);
    f.scores = calloc(f.test.rows * 3, sizeof *f.scores);
    return f;
}

static void close_fixture(fixture *f)
{
    kit_samples_free(&f->train);
    kit_samples_free(&f->test);
    free(f->scores);
    json_decref(f->vectors);
}

static void run(fixture *f, const char *key)
{
    sbl_error err = {0};
    if (sbl_learner_run(f->scores, kit_learner(key), &f->train, &f->test, &options, &err) != SBL_OK)
        fail_msg("%s: %s", key, err.message);
}

static sbl_class_scores class_scores(const fixture *f)
{
    sbl_class_scores found;
    const sbl_predictions predictions = {f->scores, f->test.labels, f->test.rows, f->test.class_count};
    assert_ok(sbl_score_classes(&found, &predictions, NULL));
    return found;
}

static bool is_missing(const char *key)
{
    if (kit_learner(key)->missing() == NULL) return false;
    print_message("skipped: %s\n", kit_learner(key)->missing());
    return true;
}

/* AUC within .005 and accuracy within .02: the intercept is penalised here and not there, and the
 * solvers stop at different precision. */
static void check_like_scikit_learn(const char *key)
{
    static const char *const labels[] = {"binary", "three"};
    for (size_t i = 0; i < 2; i++) {
        CLEARED(close_fixture) fixture f = open_fixture(labels[i]);
        const json_t *wanted = json_object_get(json_object_get(f.learners, labels[i]), key);
        run(&f, key);
        const sbl_class_scores found = class_scores(&f);
        const double auc = json_number_value(json_object_get(wanted, "auc"));
        const double accuracy = json_number_value(json_object_get(wanted, "accuracy"));
        if (fabs(found.auc - auc) > 0.005 || fabs(found.accuracy - accuracy) > 0.02)
            fail_msg("%s, %s: auc %.5f (there %.5f), accuracy %.4f (there %.4f)", key, labels[i], found.auc,
                     auc, found.accuracy, accuracy);
        assert_true(auc > 0.8);
    }
}

TEST(logistic_regression_is_scikit_learns)
{
    if (is_missing("logistic")) skip();
    check_like_scikit_learn("logistic");
}

TEST(logistic_scores_are_probabilities)
{
    if (is_missing("logistic")) skip();
    CLEARED(close_fixture) fixture f = open_fixture("three");
    run(&f, "logistic");
    for (size_t i = 0; i < f.test.rows; i++) {
        const double *p = f.scores + 3 * i;
        assert_true(p[0] >= 0 && p[1] >= 0 && p[2] >= 0 && fabs(p[0] + p[1] + p[2] - 1) < 1e-9);
    }
}

TEST(linear_svm_is_scikit_learns)
{
    if (is_missing("svm")) skip();
    check_like_scikit_learn("svm");
}

static bool same_xgboost(const fixture *f)
{
    int major, minor, patch;
    char version[32];
    void (*there)(int *, int *, int *);
    void *library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = dlsym(library, "XGBoostVersion");
    assert_non_null(symbol);
    memcpy(&there, &symbol, sizeof there);
    there(&major, &minor, &patch);
    (void)snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
    return strcmp(version, json_string_value(json_object_get(f->vectors, "xgboost"))) == 0;
}

/* The same version gives the same trees; another one is held to the AUC only. */
TEST(xgboost_is_its_own_python)
{
    static const char *const labels[] = {"binary", "three"};
    if (is_missing("xgboost")) skip();
    for (size_t l = 0; l < 2; l++) {
        CLEARED(close_fixture) fixture f = open_fixture(labels[l]);
        const json_t *wanted = json_object_get(f.learners, labels[l]);
        const json_t *metrics = json_object_get(wanted, "xgboost");
        size_t count;
        FREED(free) double *there = kit_doubles(wanted, "xgboost_scores", &count);
        run(&f, "xgboost");
        const double auc = json_number_value(json_object_get(metrics, "auc"));
        assert_true(fabs(class_scores(&f).auc - auc) < (same_xgboost(&f) ? 1e-12 : 0.01));
        for (size_t i = 0; i < count && same_xgboost(&f); i++)
            assert_true(fabs(f.scores[l == 0 ? 2 * i + 1 : i] - there[i]) < 1e-7);
    }
}

TEST(xgboost_predicts_numbers_as_its_own_python)
{
    if (is_missing("xgboost")) skip();
    CLEARED(close_fixture) fixture f = open_fixture("target");
    size_t count;
    FREED(free) double *there = kit_doubles(json_object_get(f.learners, "target"), "xgboost_scores", &count);
    run(&f, "xgboost");
    assert_int_equal(count, f.test.rows);
    for (size_t i = 0; i < count && same_xgboost(&f); i++)
        assert_true(fabs(f.scores[i] - there[i]) < 1e-4); /* of a deviation of about 170 */
}

TEST(naive_bayes_posteriors_are_scikit_learns)
{
    static const char *const labels[] = {"binary", "three"};
    for (size_t l = 0; l < 2; l++) {
        CLEARED(close_fixture) fixture f = open_fixture(labels[l]);
        size_t count;
        FREED(free)
        double *there = kit_doubles(json_object_get(f.learners, labels[l]), "bayes_scores", &count);
        run(&f, "bayes");
        for (size_t i = 0; i < f.test.rows; i++) {
            if (l == 0) /* two classes: log odds */
                assert_true(fabs(f.scores[2 * i + 1] - (there[2 * i + 1] - there[2 * i])) < 1e-9);
            for (size_t c = 0; c < 3 && l == 1; c++)
                assert_true(fabs(f.scores[3 * i + c] - there[3 * i + c]) < 1e-9);
        }
    }
}

TEST(ridge_predictions_are_scikit_learns)
{
    CLEARED(close_fixture) fixture f = open_fixture("target");
    size_t count;
    FREED(free) double *there = kit_doubles(json_object_get(f.learners, "target"), "ridge_scores", &count);
    run(&f, "ridge");
    for (size_t i = 0; i < count; i++) assert_true(fabs(f.scores[i] - there[i]) < 1e-7);
}

TEST(constant_predicts_the_mean)
{
    CLEARED(close_fixture) fixture f = open_fixture("target");
    double sum = 0;
    for (size_t i = 0; i < f.train.rows; i++) sum += f.train.targets[i];
    run(&f, "constant");
    for (size_t i = 0; i < f.test.rows; i++)
        assert_true(fabs(f.scores[i] - sum / (double)f.train.rows) < 1e-9);
}

/* --- our perceptron --- */

/* Two numbers in [0,1]; the class is whether just one of them is above a half. */
static sbl_samples exclusive_or(size_t rows, uint64_t seed)
{
    sbl_samples samples = {.rows = rows, .number_count = 2, .class_count = 2};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, 5);
    samples.numbers = calloc(2 * rows, sizeof *samples.numbers);
    samples.labels = calloc(rows, sizeof *samples.labels);
    samples.targets = calloc(rows, sizeof *samples.targets);
    for (size_t i = 0; i < rows; i++) {
        const double a = sbl_model_rng_uniform(&rng), b = sbl_model_rng_uniform(&rng);
        samples.numbers[2 * i] = (float)a;
        samples.numbers[2 * i + 1] = (float)b;
        samples.labels[i] = (a > 0.5) != (b > 0.5);
        samples.targets[i] = 1000 + 300 * (a - 0.5) * (b - 0.5);
    }
    return samples;
}

TEST(mlp_learns_what_no_linear_model_can)
{
    CLEARED(close_fixture) fixture f = {.train = exclusive_or(2000, 1), .test = exclusive_or(1000, 2)};
    f.scores = calloc(2000, sizeof *f.scores);
    run(&f, "mlp");
    assert_true(class_scores(&f).auc > 0.99);
    assert_true(class_scores(&f).accuracy > 0.95);
}

TEST(mlp_predicts_a_curved_number_in_its_units)
{
    CLEARED(close_fixture) fixture f = {.train = exclusive_or(2000, 1), .test = exclusive_or(1000, 2)};
    sbl_regression_scores found;
    f.train.class_count = f.test.class_count = 0;
    f.scores = calloc(1000, sizeof *f.scores);
    run(&f, "mlp");
    sbl_score_regression(&found, f.scores, f.test.targets, f.test.rows);
    assert_true(found.r2 > 0.98);
    run(&f, "ridge");
    sbl_score_regression(&found, f.scores, f.test.targets, f.test.rows);
    assert_true(found.r2 < 0.1);
}

TEST(mlp_depends_on_its_seed_alone)
{
    CLEARED(close_fixture) fixture f = open_fixture("three");
    const size_t count = 3 * f.test.rows;
    const sbl_learner_options other = {.seed = 8, .threads = 1};
    FREED(free) double *first = calloc(count, sizeof *first);
    run(&f, "mlp");
    memcpy(first, f.scores, count * sizeof *first);
    run(&f, "mlp");
    assert_memory_equal(first, f.scores, count * sizeof *first);
    assert_ok(sbl_learner_run(f.scores, kit_learner("mlp"), &f.train, &f.test, &other, NULL));
    assert_memory_not_equal(first, f.scores, count * sizeof *first);
}

/* --- little to learn from --- */

typedef void case_of_learner(fixture *f, const char *key);

static void for_every_classifier(const char *label, case_of_learner *check)
{
    size_t count;
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++) {
        if (learners[i].missing() != NULL || learners[i].classify == NULL) continue;
        CLEARED(close_fixture) fixture f = open_fixture(label);
        check(&f, learners[i].key);
    }
}

static void check_unseen(fixture *f, const char *key)
{
    for (size_t i = 0; i < f->train.rows; i++)
        if (f->train.labels[i] == 1) f->train.labels[i] = 2;
    run(f, key);
    for (size_t i = 0; i < f->test.rows; i++) {
        assert_true(f->scores[3 * i + 1] == SBL_SCORE_OF_UNSEEN);
        assert_true(f->scores[3 * i] > SBL_SCORE_OF_UNSEEN);
        assert_true(f->scores[3 * i + 2] > SBL_SCORE_OF_UNSEEN);
    }
    const sbl_class_scores found = class_scores(f);
    assert_true(found.auc > 0.5 && found.auc < 1 && found.accuracy < 0.8);
}

TEST(class_unseen_in_training_is_never_predicted) { for_every_classifier("three", check_unseen); }

static void check_constant(fixture *f, const char *key)
{
    for (size_t i = 0; i < f->train.rows * f->train.number_count; i++) f->train.numbers[i] = 0.5f;
    for (size_t i = 0; i < f->train.rows * f->train.category_count; i++) f->train.codes[i] = 1;
    run(f, key);
    for (size_t i = 0; i < 2 * f->test.rows; i++) assert_true(isfinite(f->scores[i]));
}

TEST(constant_columns_give_finite_scores) { for_every_classifier("binary", check_constant); }

static void check_tiny(fixture *f, const char *key)
{
    f->train.rows = 2;
    f->train.labels[0] = 0;
    f->train.labels[1] = 1;
    run(f, key);
    for (size_t i = 0; i < 2 * f->test.rows; i++) assert_true(isfinite(f->scores[i]));
}

TEST(two_rows_are_enough_to_run) { for_every_classifier("binary", check_tiny); }

static void check_missing_numbers(fixture *f, const char *key)
{
    run(f, key);
    const double before = class_scores(f).auc;
    for (size_t i = 0; i < f->train.rows; i += 10) f->train.numbers[3 * i] = NAN;
    for (size_t i = 0; i < f->test.rows; i += 10) f->test.numbers[3 * i] = NAN;
    for (size_t i = 0; i < f->train.rows; i++) f->train.numbers[3 * i + 2] = NAN;
    run(f, key);
    assert_true(class_scores(f).auc > before - 0.05);
}

TEST(missing_numbers_cost_little) { for_every_classifier("binary", check_missing_numbers); }

TEST(one_class_or_no_rows_are_unfit_and_say_why)
{
    uint32_t labels[] = {1, 1, 1};
    sbl_samples samples = {.rows = 3, .class_count = 2, .labels = labels};
    assert_string_equal(sbl_samples_unfit(&samples), "the training table has one class only");
    labels[2] = 0;
    assert_null(sbl_samples_unfit(&samples));
    samples.rows = 0;
    assert_string_equal(sbl_samples_unfit(&samples), "the training table has no rows with a label");
}

TEST(list_of_models_holds_whole_keys)
{
    assert_true(sbl_learner_listed("svm", NULL));
    assert_true(sbl_learner_listed("svm", "svm"));
    assert_true(sbl_learner_listed("svm", "mlp,svm,bayes"));
    assert_false(sbl_learner_listed("svm", "mlp,svms"));
    assert_false(sbl_learner_listed("svm", ""));
}

static sbl_status learn_nothing_finite(double *scores, const sbl_samples *train, const sbl_samples *test,
                                       const sbl_learner_options *o, sbl_error *err)
{
    (void)train, (void)test, (void)o, (void)err;
    scores[0] = NAN;
    return SBL_OK;
}

TEST(score_that_is_not_finite_is_refused)
{
    const sbl_learner broken = {.name = "broken", .classify = learn_nothing_finite};
    CLEARED(close_fixture) fixture f = open_fixture("binary");
    assert_int_equal(sbl_learner_run(f.scores, &broken, &f.train, &f.test, &options, NULL), SBL_EINTERNAL);
}

TEST(running_out_of_memory_is_reported)
{
    size_t count;
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++) {
        if (learners[i].missing() != NULL) continue;
        CLEARED(close_fixture) fixture f = open_fixture(learners[i].classify != NULL ? "three" : "target");
        f.train.rows = f.test.rows = 20;
        for (long n = 0; sbl_test_fail_next(&n);)
            sbl_test_no_memory(sbl_learner_run(f.scores, &learners[i], &f.train, &f.test, &options, NULL));
    }
}

enum { ROWS = 30, NUMBERS = 4 };
#define DECAY 0.03

typedef struct problem {
    float numbers[ROWS * NUMBERS], targets[ROWS];
    uint32_t labels[ROWS], order[ROWS];
    sbl_learner_task task;
    sbl_network_learner learner;
} problem;

static void fill(float *inputs, const void *data, const uint32_t *rows, size_t first, size_t count)
{
    const float *numbers = data;
    for (size_t i = 0; i < count; i++)
        memcpy(inputs + i * NUMBERS, numbers + (rows != NULL ? rows[i] : first + i) * NUMBERS,
               NUMBERS * sizeof *inputs);
}

static void open_problem(problem *m, size_t classes)
{
    const sbl_learner_schedule schedule = {.batch = ROWS, .decay = DECAY};
    const sbl_layer layers[] = {sbl_layer_dense(10), sbl_layer_relu(),
                                sbl_layer_dense(classes != 0 ? classes : 1)};
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, 3, SBL_RNG_OTHER, 9);
    for (size_t i = 0; i < ROWS * NUMBERS; i++) m->numbers[i] = (float)sbl_model_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) {
        m->labels[i] = (uint32_t)sbl_model_rng_below(&rng, 3);
        m->targets[i] = (float)sbl_model_rng_normal(&rng);
        m->order[i] = (uint32_t)(ROWS - 1 - i);
    }
    m->task = (sbl_learner_task){
        .data = m->numbers, .fill = fill, .classes = classes, .labels = m->labels, .targets = m->targets};
    assert_ok(
        sbl_network_learner_init(&m->learner, sbl_volume_of(1, 1, NUMBERS), layers, 3, &schedule, 4, NULL));
}

/* Mean loss of the rows plus the decay of both weight matrices, as the header states it. */
static double loss(problem *m)
{
    const sbl_net *net = &m->learner.net;
    const float *o = sbl_network_learner_predict(&m->learner, &m->task, 0, ROWS);
    double sum = 0, squares = 0;
    for (size_t row = 0; row < ROWS; row++) {
        if (m->task.classes != 0) {
            double total = 0;
            for (size_t c = 0; c < 3; c++) total += exp((double)o[3 * row + c]);
            sum += log(total) - (double)o[3 * row + m->labels[row]];
        } else {
            sum += pow((double)o[row] - (double)m->targets[row], 2) / 2;
        }
    }
    for (size_t l = 0; l < 3; l += 2)
        for (size_t i = 0; i < net->layers[l].weight_count; i++)
            squares += pow((double)net->weights[net->layers[l].weight + i], 2);
    return (sum + DECAY * squares / 2) / ROWS;
}

/* Along the gradient of one block the loss must rise by that block's squared norm. */
static void check_block(problem *m, const float *gradient, size_t first, size_t count)
{
    float *weights = m->learner.net.weights, kept[256];
    double square = 0, sides[2];
    assert_true(m->learner.net.weight_count <= 256);
    memcpy(kept, weights, m->learner.net.weight_count * sizeof *kept);
    for (size_t i = first; i < first + count; i++) square += pow((double)gradient[i], 2);
    assert_true(square > 1e-6);
    const double h = 2e-3 / sqrt(square);
    for (int side = 0; side < 2; side++) {
        for (size_t i = first; i < first + count; i++)
            weights[i] = kept[i] + (float)(side ? h : -h) * gradient[i];
        sides[side] = loss(m);
    }
    memcpy(weights, kept, m->learner.net.weight_count * sizeof *kept);
    const double slope = (sides[1] - sides[0]) / (2 * h);
    if (fabs(slope / square - 1) > 5e-3) fail_msg("slope %g, squared norm %g", slope, square);
}

static void check_gradient(size_t classes)
{
    static problem m;
    float gradient[256];
    open_problem(&m, classes);
    const sbl_net *net = &m.learner.net;
    sbl_network_learner_gradient(&m.learner, &m.task, m.order, ROWS);
    memcpy(gradient, m.learner.workspace.d_weights, net->weight_count * sizeof *gradient);
    for (size_t l = 0; l < 3; l += 2) {
        check_block(&m, gradient, net->layers[l].weight, net->layers[l].weight_count);
        check_block(&m, gradient, net->layers[l].bias, net->layers[l].bias_count);
    }
    sbl_network_learner_clear(&m.learner);
}

TEST(gradient_of_cross_entropy_is_its_slope) { check_gradient(3); }

TEST(gradient_of_squared_error_is_its_slope) { check_gradient(0); }

TEST(passes_are_about_the_steps_within_bounds)
{
    const sbl_learner_schedule all = {.batch = 200, .steps = 4000, .least_passes = 10, .most_passes = 200};
    sbl_learner_schedule whole = all;
    whole.whole_batches = true;
    assert_int_equal(sbl_network_learner_passes(&all, 200), 200);
    assert_int_equal(sbl_network_learner_passes(&all, 20000), 40);
    assert_int_equal(sbl_network_learner_passes(&all, 200000), 10);
    assert_int_equal(sbl_network_learner_passes(&all, 19999), 40);
    assert_int_equal(sbl_network_learner_passes(&whole, 20199), 40);
    assert_int_equal(sbl_network_learner_passes(&whole, 7), 200);
}
