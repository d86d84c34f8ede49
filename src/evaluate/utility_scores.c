/* Scores as JSON objects with null, and a reason, where a score does not exist. */
#include "evaluate/utility_scores.h"

#include <math.h>

#include "learners/scores.h"

json_t *sbl_utility_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *class_object(const sbl_class_scores *s)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "auc", sbl_utility_number(s->auc),
                     "average_precision", sbl_utility_number(s->average_precision),
                     "balanced_accuracy", sbl_utility_number(s->balanced_accuracy), "macro_f1",
                     sbl_utility_number(s->macro_f1), "accuracy", sbl_utility_number(s->accuracy));
}

static json_t *regression_object(const sbl_regression_scores *s)
{
    return json_pack("{s:o,s:o}", "rmse", sbl_utility_number(s->rmse), "r2",
                     sbl_utility_number(s->r2));
}

/* why may be NULL; takes the object. */
static json_t *with_reason(json_t *object, const char *why)
{
    if (object != NULL && why != NULL &&
        json_object_set_new(object, "why", json_string(why)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *sbl_utility_no_scores(size_t classes, const char *why)
{
    return with_reason(classes != 0 ? class_object(&(sbl_class_scores){NAN, NAN, NAN, NAN, NAN})
                                    : regression_object(&(sbl_regression_scores){NAN, NAN}),
                       why);
}

static sbl_predictions predictions_of(const double *scores, const sbl_samples *test)
{
    return (sbl_predictions){scores, test->labels, test->rows, test->class_count};
}

static const char *class_reason(const sbl_class_scores *scores, const sbl_samples *test)
{
    if (test->rows == 0) return "the test table has no rows with a label";
    return isnan(scores->auc) ? "the test table has one class only" : NULL;
}

static const char *regression_reason(const sbl_regression_scores *scores, const sbl_samples *test)
{
    if (test->rows == 0) return "the test table has no rows with a label";
    return isnan(scores->r2) ? "the target is constant in the test table" : NULL;
}

sbl_status sbl_utility_scores(json_t **object, const double *scores, const sbl_samples *test,
                              sbl_error *err)
{
    *object = NULL;
    if (test->class_count != 0) {
        sbl_class_scores found;
        const sbl_predictions predictions = predictions_of(scores, test);
        const sbl_status status = sbl_score_classes(&found, &predictions, err);
        if (status != SBL_OK) return status;
        *object = with_reason(class_object(&found), class_reason(&found, test));
    } else {
        sbl_regression_scores found;
        sbl_score_regression(&found, scores, test->targets, test->rows);
        *object = with_reason(regression_object(&found), regression_reason(&found, test));
    }
    return *object != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for scores");
}

sbl_status sbl_utility_roc(json_t **curve, const double *scores, const sbl_samples *test,
                           sbl_error *err)
{
    double points[2 * SBL_ROC_POINTS];
    size_t count = 0;
    *curve = json_null();
    if (test->class_count != 2) return SBL_OK;
    const sbl_predictions predictions = predictions_of(scores, test);
    const sbl_status status = sbl_score_roc(points, &count, SBL_ROC_POINTS, &predictions, 1, err);
    if (status != SBL_OK || count == 0) return status;
    *curve = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(*curve, json_pack("[f,f]", points[2 * i], points[2 * i + 1])) !=
            0) {
            json_decref(*curve);
            *curve = NULL;
            return sbl_fail(err, SBL_EMEM, "out of memory for a curve");
        }
    return SBL_OK;
}
