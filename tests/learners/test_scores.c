/* SPDX-License-Identifier: Apache-2.0 */
/* Scores against scikit-learn's (utility_vectors.py), and where they do not exist. */
#include <math.h>
#include <stdlib.h>

#include "learners/learner_kit.h"
#include "owner/learners/scores.h"
#include "support/cmocka_all.h"
#include "support/fail_alloc.h"

#define TOLERANCE 1e-12

static double wanted(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    assert_non_null(member);
    return json_number_value(member);
}

static void check_near(double found, double expected)
{
    if (!(fabs(found - expected) <= TOLERANCE))
        fail_msg("found %.17g, scikit-learn has %.17g", found, expected);
}

typedef struct loaded {
    double *scores;
    uint32_t *labels;
    sbl_predictions predictions;
} loaded;

static loaded load(const json_t *object)
{
    loaded l;
    size_t rows, count;
    double *labels = kit_doubles(object, "labels", &rows);
    l.scores = kit_doubles(object, "scores", &count);
    l.labels = calloc(rows, sizeof *l.labels);
    for (size_t i = 0; i < rows; i++) l.labels[i] = (uint32_t)labels[i];
    free(labels);
    l.predictions = (sbl_predictions){l.scores, l.labels, rows, count / rows};
    return l;
}

static void unload(loaded *l)
{
    free(l->scores);
    free(l->labels);
}

TEST(class_scores_are_those_of_scikit_learn)
{
    json_auto_t *vectors = kit_vectors();
    const json_t *cases = json_object_get(vectors, "metrics");
    assert_true(json_array_size(cases) >= 7);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        loaded l = load(one);
        sbl_class_scores found;
        assert_ok(sbl_score_classes(&found, &l.predictions, NULL));
        check_near(found.auc, wanted(one, "auc"));
        check_near(found.average_precision, wanted(one, "average_precision"));
        check_near(found.balanced_accuracy, wanted(one, "balanced_accuracy"));
        check_near(found.macro_f1, wanted(one, "macro_f1"));
        check_near(found.accuracy, wanted(one, "accuracy"));
        unload(&l);
    }
}

TEST(regression_scores_are_those_of_scikit_learn)
{
    json_auto_t *vectors = kit_vectors();
    const json_t *one = json_object_get(vectors, "regression");
    size_t rows;
    FREED(free) double *targets = kit_doubles(one, "targets", &rows);
    FREED(free) double *predicted = kit_doubles(one, "predicted", &rows);
    sbl_regression_scores found;
    sbl_score_regression(&found, predicted, targets, rows);
    assert_true(fabs(found.rmse - wanted(one, "rmse")) <= 1e-12 * found.rmse);
    check_near(found.r2, wanted(one, "r2"));
}

TEST(roc_with_room_for_all_is_scikit_learns_curve)
{
    json_t *vectors = kit_vectors();
    const json_t *cases = json_object_get(vectors, "metrics");
    size_t curves = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        if (json_object_get(one, "roc") == NULL) continue;
        static double points[2 * 100000];
        size_t count, expected_count;
        double *expected = kit_doubles(one, "roc", &expected_count);
        loaded l = load(one);
        assert_ok(sbl_score_roc(points, &count, 100000, &l.predictions, 1, NULL));
        assert_int_equal(2 * count, expected_count);
        for (size_t j = 0; j < 2 * count; j++) check_near(points[j], expected[j]);
        free(expected);
        unload(&l);
        curves++;
    }
    assert_int_equal(curves, 3);
    json_decref(vectors);
}

/* 5000 rows whose scores tell a little about their class. */
static loaded long_case(void)
{
    loaded l;
    const size_t rows = 5000;
    uint32_t state = 12345;
    l.scores = calloc(2 * rows, sizeof *l.scores);
    l.labels = calloc(rows, sizeof *l.labels);
    for (size_t i = 0; i < rows; i++) {
        state = state * 1664525 + 1013904223;
        l.labels[i] = (uint32_t)(i % 3 == 0);
        l.scores[2 * i + 1] = (double)(state >> 8) / 16777216 + (l.labels[i] != 0 ? 0.3 : 0);
        l.scores[2 * i] = -l.scores[2 * i + 1];
    }
    l.predictions = (sbl_predictions){l.scores, l.labels, rows, 2};
    return l;
}

TEST(thinned_roc_keeps_ends_area_and_limit)
{
    loaded l = long_case();
    for (size_t limit = 2; limit <= 200; limit += 99) {
        double points[400], area = 0, auc, precision;
        size_t count;
        assert_ok(sbl_score_roc(points, &count, limit, &l.predictions, 1, NULL));
        assert_true(count >= 2 && count <= limit);
        assert_true(points[0] == 0 && points[1] == 0);
        assert_true(points[2 * count - 2] == 1 && points[2 * count - 1] == 1);
        for (size_t i = 1; i < count; i++) {
            assert_true(points[2 * i] >= points[2 * i - 2]);
            assert_true(points[2 * i + 1] >= points[2 * i - 1]);
            area += (points[2 * i] - points[2 * i - 2]) * (points[2 * i + 1] + points[2 * i - 1]) / 2;
        }
        assert_ok(sbl_score_ranking(&auc, &precision, &l.predictions, 1, NULL));
        if (limit == 200) assert_true(count > 150 && fabs(area - auc) < 1e-3);
        if (limit == 2) assert_true(fabs(area - 0.5) < 1e-12);
    }
    unload(&l);
}

TEST(one_class_in_the_truth_has_no_ranking_but_has_accuracy)
{
    const double scores[] = {0.2, 0.8, 0.6, 0.4, 0.1, 0.9};
    const uint32_t labels[] = {1, 1, 1};
    const sbl_predictions predictions = {scores, labels, 3, 2};
    sbl_class_scores found;
    double points[20];
    size_t count = 9;
    assert_ok(sbl_score_classes(&found, &predictions, NULL));
    assert_true(isnan(found.auc) && isnan(found.average_precision));
    assert_true(fabs(found.accuracy - 2.0 / 3) < 1e-15);
    assert_true(fabs(found.balanced_accuracy - 2.0 / 3) < 1e-15);
    assert_true(fabs(found.macro_f1 - 0.4) < 1e-15); /* 0 for class 0, 4 / 5 for class 1 */
    assert_ok(sbl_score_roc(points, &count, 10, &predictions, 1, NULL));
    assert_int_equal(count, 0);
}

TEST(no_rows_have_no_scores)
{
    const sbl_predictions predictions = {NULL, NULL, 0, 2};
    sbl_class_scores found;
    sbl_regression_scores numbers;
    assert_ok(sbl_score_classes(&found, &predictions, NULL));
    assert_true(isnan(found.auc) && isnan(found.accuracy) && isnan(found.macro_f1));
    sbl_score_regression(&numbers, NULL, NULL, 0);
    assert_true(isnan(numbers.rmse) && isnan(numbers.r2));
}

TEST(constant_target_has_an_error_but_no_r2)
{
    const double targets[] = {0.1, 0.1, 0.1}, predicted[] = {0.1, 0.1, 0.4};
    sbl_regression_scores found;
    sbl_score_regression(&found, predicted, targets, 3);
    assert_true(fabs(found.rmse - sqrt(0.03)) < 1e-15);
    assert_true(isnan(found.r2));
}

TEST(running_out_of_memory_is_reported)
{
    loaded l = long_case();
    for (long n = 0; sbl_test_fail_next(&n);) {
        double points[4];
        size_t count;
        sbl_class_scores found;
        sbl_status status = sbl_score_classes(&found, &l.predictions, NULL);
        if (status == SBL_OK) status = sbl_score_roc(points, &count, 2, &l.predictions, 1, NULL);
        sbl_test_no_memory(status);
    }
    unload(&l);
}
