/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every listed learner on the synthetic table, the real one and the floor, and scores each on
 * the same test rows. A learner that fails becomes a reason in the document, not the end of it; a score that does not exist is
 * null, with a reason. NOT PRIVATE. */
#include "owner/evaluate/utility.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/json.h"
#include "base/text.h"
#include "owner/fidelity/compared_tables.h"
#include "owner/learners/scores.h"

#define DEFAULT_ROW_LIMIT 50000
#define ROC_POINTS 200

/* The three tables that a model learns from. */
enum { SYNTHETIC, REAL, FLOOR, SIDES };
static const char *const side_names[SIDES] = {"synthetic", "real", "floor"};

typedef struct utility {
    sbl_frame_samples sides[SIDES];
    bool given[SIDES];
    sbl_frame_samples test;
    double *scores; /* of the test rows */
    sbl_learner_options options;
} utility;

static const char what_it_is_for[] = "the scores of models";

/* Takes value; 0 on success, as Jansson. */
static sbl_status set(json_t *object, const char *name, json_t *value, sbl_error *err)
{
    return json_object_set_new(object, name, value) == 0 ? SBL_OK : sbl_no_memory(err, what_it_is_for);
}

/* --- the list of models --- */

sbl_status sbl_utility_check_models(const char *models, sbl_error *err)
{
    size_t count;
    sbl_text known = {0};
    const sbl_learner *learners = sbl_learners(&count);
    for (size_t i = 0; i < count; i++) sbl_text_printf(&known, "%s%s", i == 0 ? "" : ", ", learners[i].key);
    sbl_status status = sbl_text_check(&known, what_it_is_for, err);
    if (status == SBL_OK) status = sbl_learner_check_list(models, known.data, "to evaluate with", err);
    sbl_text_clear(&known);
    return status;
}

/* --- scores --- */

static json_t *class_object(const sbl_class_scores *s)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "auc", sbl_number_json(s->auc), "average_precision",
                     sbl_number_json(s->average_precision), "balanced_accuracy",
                     sbl_number_json(s->balanced_accuracy), "macro_f1", sbl_number_json(s->macro_f1),
                     "accuracy", sbl_number_json(s->accuracy));
}

static json_t *regression_object(const sbl_regression_scores *s)
{
    return json_pack("{s:o,s:o}", "rmse", sbl_number_json(s->rmse), "r2", sbl_number_json(s->r2));
}

/* why may be NULL; takes the object. */
static json_t *with_reason(json_t *object, const char *why)
{
    return why != NULL ? sbl_json_put(object, "why", json_string(why)) : object;
}

static json_t *no_scores(size_t classes, const char *why)
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

static sbl_status scores_of(json_t **object, const double *scores, const sbl_samples *test, sbl_error *err)
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
    return *object != NULL ? SBL_OK : sbl_no_memory(err, what_it_is_for);
}

static sbl_status roc_of(json_t **curve, const double *scores, const sbl_samples *test, sbl_error *err)
{
    double points[2 * ROC_POINTS];
    size_t count = 0;
    *curve = json_null();
    if (test->class_count != 2) return SBL_OK;
    const sbl_predictions predictions = predictions_of(scores, test);
    const sbl_status status = sbl_score_roc(points, &count, ROC_POINTS, &predictions, 1, err);
    if (status != SBL_OK || count == 0) return status;
    *curve = json_array();
    for (size_t i = 0; i < count; i++)
        *curve = sbl_json_append(*curve, json_pack("[f,f]", points[2 * i], points[2 * i + 1]));
    return *curve != NULL ? SBL_OK : sbl_no_memory(err, what_it_is_for);
}

/* --- one model --- */

/* Learn from one side; *object gets its scores and *curve its ROC curve, null where there is none.
 * A library that gives up is a reason in the document, not the end of it. */
static sbl_status score_side(json_t **object, json_t **curve, utility *u, const sbl_learner *learner,
                             int side, sbl_error *err)
{
    const sbl_samples *train = &u->sides[side].samples, *test = &u->test.samples;
    sbl_error trouble = {0};
    *curve = json_null();
    *object = json_null();
    if (!u->given[side]) return SBL_OK;
    if (!sbl_progress_goes_on(u->options.progress, 0, 1)) return sbl_progress_fail(err);
    const char *why = sbl_samples_unfit(train);
    if (why == NULL && train->number_count + train->category_count == 0)
        why = "the table has no column beside its label";
    if (why == NULL) {
        const sbl_status status = sbl_learner_run(u->scores, learner, train, test, &u->options, &trouble);
        if (status == SBL_EMEM || status == SBL_ESTOPPED) return sbl_fail(err, status, "%s", trouble.message);
        if (status != SBL_OK) why = trouble.message;
    }
    if (why != NULL) {
        *object = no_scores(train->class_count, why);
        return *object != NULL ? SBL_OK : sbl_no_memory(err, what_it_is_for);
    }
    sbl_status status = scores_of(object, u->scores, test, err);
    if (status != SBL_OK) return status;
    status = roc_of(curve, u->scores, test, err);
    if (status != SBL_OK) json_decref(*object);
    return status;
}

static sbl_status score_model(json_t *models, utility *u, const sbl_learner *learner,
                              const sbl_progress_span *progress, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *model = json_pack("{s:s}", "name", learner->name), *roc = json_object();
    if (model == NULL || roc == NULL) SBL_TRY(sbl_no_memory(err, what_it_is_for));
    for (int side = 0; side < SIDES; side++) {
        json_t *scores, *curve;
        const sbl_progress_span part = sbl_progress_part(progress, (uint64_t)side, SIDES);
        u->options.progress = &part;
        SBL_TRY(score_side(&scores, &curve, u, learner, side, err));
        status = set(model, side_names[side], scores, err);
        if (side != FLOOR && status == SBL_OK)
            status = set(roc, side_names[side], curve, err);
        else
            json_decref(curve);
        SBL_TRY(status);
    }
    SBL_TRY(set(model, "roc", u->test.samples.class_count == 2 ? json_incref(roc) : json_null(), err));
    if (json_array_append(models, model) != 0) SBL_TRY(sbl_no_memory(err, what_it_is_for));
done:
    u->options.progress = NULL; /* the part's is gone */
    json_decref(roc);
    json_decref(model);
    return status;
}

/* --- all of them --- */

static sbl_status score_models(json_t *result, utility *u, const sbl_utility_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t count;
    const sbl_learner *learners = sbl_learners(&count);
    json_t *models = json_array(), *missing = json_array();
    const bool classes = u->test.samples.class_count != 0;
    for (size_t i = 0; i < count; i++) {
        const sbl_learner *learner = &learners[i];
        if ((classes ? learner->classify : learner->regress) == NULL) continue;
        const sbl_progress_span progress = sbl_progress_part(options->progress, i, count);
        if (!sbl_learner_listed(learner->key, options->models)) continue;
        if (learner->missing() == NULL)
            SBL_TRY(score_model(models, u, learner, &progress, err));
        else if (json_array_append_new(missing, json_sprintf("%s: %s", learner->name, learner->missing())) !=
                 0)
            SBL_TRY(sbl_no_memory(err, what_it_is_for));
    }
    SBL_TRY(set(result, "missing", json_incref(missing), err));
    SBL_TRY(set(result, "models", json_incref(models), err));
done:
    json_decref(models);
    json_decref(missing);
    return status;
}

/* {"synthetic": rows used to train, ..., "limit": most} */
static json_t *describe_rows(const utility *u, size_t limit)
{
    json_t *rows =
        json_pack("{s:I,s:I}", "limit", (json_int_t)limit, "test", (json_int_t)u->test.samples.rows);
    for (int side = 0; side < SIDES; side++) {
        const sbl_frame_samples *samples = &u->sides[side];
        json_t *count = u->given[side] ? json_pack("{s:I,s:I}", "used", (json_int_t)samples->samples.rows,
                                                   "of", (json_int_t)samples->labelled)
                                       : json_null();
        rows = sbl_json_put(rows, side_names[side], count);
    }
    return rows;
}

static json_t *describe_classes(const sbl_column *target, size_t count)
{
    json_t *classes = json_array();
    for (size_t i = 0; i < count; i++)
        classes = sbl_json_append(classes, json_string(target->categories.items[i]));
    return classes;
}

static sbl_status describe(json_t *result, const utility *u, const sbl_schema *schema, size_t limit,
                           sbl_error *err)
{
    const sbl_column *target = &schema->columns[schema->label];
    const size_t classes = u->test.samples.class_count;
    SBL_CHECK(set(result, "target", json_string(target->name), err));
    SBL_CHECK(set(result, "task", json_string(sbl_task_name(schema->task)), err));
    SBL_CHECK(set(result, "classes", describe_classes(target, classes), err));
    SBL_CHECK(
        set(result, "positive", classes == 2 ? json_string(target->categories.items[1]) : json_null(), err));
    return set(result, "rows", describe_rows(u, limit), err);
}

static sbl_status load(utility *u, const sbl_frame *const frames[SIDES], const sbl_frame *test, size_t limit,
                       sbl_error *err)
{
    const uint64_t seed = u->options.seed;
    for (int side = 0; side < SIDES; side++) {
        u->given[side] = frames[side] != NULL;
        if (u->given[side])
            SBL_CHECK(sbl_frame_samples_init(&u->sides[side], frames[side], limit, seed, err));
    }
    SBL_CHECK(sbl_frame_samples_init(&u->test, test, 0, seed, err));
    const size_t classes = u->test.samples.class_count;
    u->scores = sbl_alloc_array(u->test.samples.rows, (classes != 0 ? classes : 1) * sizeof(double));
    if (u->scores == NULL) return sbl_no_memory(err, what_it_is_for);
    return SBL_OK;
}

static void unload(utility *u)
{
    const size_t classes = u->test.samples.class_count;
    sbl_free_wiped(u->scores, u->test.samples.rows * (classes != 0 ? classes : 1) * sizeof(double));
    sbl_frame_samples_clear(&u->test);
    for (int side = 0; side < SIDES; side++) sbl_frame_samples_clear(&u->sides[side]);
}

sbl_status sbl_evaluate_utility(json_t **result, const sbl_frame *synthetic, const sbl_frame *train,
                                const sbl_frame *test, const sbl_frame *floor,
                                const sbl_utility_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t limit = options->row_limit != 0 ? options->row_limit : DEFAULT_ROW_LIMIT;
    const sbl_frame *const frames[SIDES] = {synthetic, train, floor};
    utility u = {.options = {.seed = options->seed, .threads = options->threads}};
    json_t *made = json_object();
    *result = NULL;
    if (u.options.threads == 0) u.options.threads = (unsigned)sbl_thread_limit();
    if (test->codec->heads.label == SBL_NO_HEAD)
        SBL_TRY(sbl_fail(err, SBL_EINPUT, "the schema has no label: add semblance.label to compare models"));
    SBL_TRY(sbl_utility_check_models(options->models, err));
    SBL_TRY(load(&u, frames, test, limit, err));
    SBL_TRY(describe(made, &u, test->codec->schema, limit, err));
    SBL_TRY(score_models(made, &u, options, err));
    *result = json_incref(made);
done:
    unload(&u);
    json_decref(made);
    return status;
}
