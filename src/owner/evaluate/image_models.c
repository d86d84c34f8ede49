/* SPDX-License-Identifier: Apache-2.0 */
/* What models that learned from images are worth on real ones. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "owner/evaluate/image_study.h"
#include "owner/fidelity/compared_tables.h"
#include "owner/learners/learner.h"
#include "owner/learners/network.h"
#include "owner/learners/scores.h"

/* The chosen images as samples whose numbers are pixels. */
static sbl_status samples_of(sbl_samples *samples, const sbl_image_data *images, const uint32_t *index,
                             size_t rows, sbl_error *err)
{
    const size_t size = sbl_image_size(images->shape);
    *samples =
        (sbl_samples){.rows = rows, .number_count = size, .class_count = images->classes, .one_scale = true};
    samples->numbers = sbl_alloc_array(rows, size * sizeof *samples->numbers);
    samples->labels = sbl_alloc_array(rows, sizeof *samples->labels);
    if (samples->numbers == NULL || samples->labels == NULL) return sbl_no_memory(err, "images");
    sbl_image_floats(samples->numbers, images, index, 0, rows);
    for (size_t i = 0; i < rows; i++) samples->labels[i] = images->labels[index != NULL ? index[i] : i];
    return SBL_OK;
}

static void samples_free(sbl_samples *samples)
{
    sbl_free_wiped(samples->numbers, samples->rows * samples->number_count * sizeof *samples->numbers);
    sbl_free_wiped(samples->labels, samples->rows * sizeof *samples->labels);
}

/* A learner of tables (learner.h), pixels being columns. */
static sbl_status learn_pixels(double *scores, const sbl_image_study *s, int side, const char *key,
                               const sbl_progress_span *progress, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_samples train = {0}, test = {0};
    size_t count;
    const sbl_learner *learner = sbl_learners(&count);
    const sbl_learner_options options = {
        .seed = s->options->seed, .threads = s->threads, .progress = progress};
    while (strcmp(learner->key, key) != 0) learner++;
    SBL_TRY(samples_of(&train, s->sides[side].images, s->sides[side].index, s->sides[side].rows, err));
    SBL_TRY(samples_of(&test, s->test, NULL, s->test->count, err));
    SBL_TRY(sbl_learner_run(scores, learner, &train, &test, &options, err));
done:
    samples_free(&train);
    samples_free(&test);
    return status;
}

static void fill_images(float *inputs, const void *data, const uint32_t *rows, size_t first, size_t count)
{
    sbl_image_floats(inputs, data, rows, first, count);
}

static sbl_learner_task task_of(const sbl_image_data *images, const sbl_progress_span *progress)
{
    return (sbl_learner_task){.data = images,
                              .fill = fill_images,
                              .classes = images->classes,
                              .labels = images->labels,
                              .progress = progress};
}

sbl_status sbl_image_learn_cnn(double *scores, const sbl_image_data *train, const uint32_t *index,
                               size_t rows, const sbl_image_data *test, uint64_t seed,
                               const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_learner_task learned = task_of(train, progress), told = task_of(test, NULL);
    const sbl_image_shape shape = train->shape;
    return sbl_learn_cnn(scores, sbl_volume_of(shape.height, shape.width, shape.channels), &learned, index,
                         rows, &told, test->count, seed, err);
}

static const struct model {
    const char *key, *name;
} models[] = {{"logistic", "logistic regression"}, {"mlp", "MLP"}, {"cnn", "CNN"}};
#define MODEL_COUNT (sizeof models / sizeof *models)
enum { LOGISTIC, CNN = MODEL_COUNT - 1 };

static sbl_status learn(double *scores, const sbl_image_study *s, int side, const struct model *model,
                        const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_image_side *from = &s->sides[side];
    return model == &models[CNN] ? sbl_image_learn_cnn(scores, from->images, from->index, from->rows, s->test,
                                                       s->options->seed, progress, err)
                                 : learn_pixels(scores, s, side, model->key, progress, err);
}

sbl_status sbl_image_check_models(const char *list, sbl_error *err)
{
    if (list != NULL && strcmp(list, "none") == 0) return SBL_OK;
    return sbl_learner_check_list(list, "logistic, mlp, cnn", "of images", err);
}

static const char *unfit(const sbl_image_side *side)
{
    for (size_t i = 1; i < side->rows; i++)
        if (side->images->labels[side->index[i]] != side->images->labels[side->index[0]]) return NULL;
    return "the training images have one class only";
}

/* NaN and *why where a side has too little, or the library behind a model gave up.
 * scores (test->count, classes): work space */
static sbl_status accuracy_of(double *accuracy, const char **why, double *scores, const sbl_image_study *s,
                              int side, const struct model *model, const sbl_progress_span *progress,
                              sbl_error *err)
{
    sbl_class_scores found;
    *accuracy = NAN;
    if (s->sides[side].images == NULL) return SBL_OK;
    const char *reason = unfit(&s->sides[side]);
    if (reason != NULL) {
        *why = reason;
        return SBL_OK;
    }
    if (!sbl_progress_goes_on(progress, 0, 1)) return sbl_progress_fail(err);
    sbl_status status = learn(scores, s, side, model, progress, err);
    if (status == SBL_EINTERNAL) {
        *why = "the model could not be fitted";
        return SBL_OK;
    }
    if (status != SBL_OK) return status;
    const sbl_predictions predictions = {scores, s->test->labels, s->test->count, s->test->classes};
    status = sbl_score_classes(&found, &predictions, err);
    *accuracy = found.accuracy;
    return status;
}

/* The accuracy of saying the most frequent class of the images, always. */
static sbl_status most_frequent_share(double *share, const sbl_image_data *images, sbl_error *err)
{
    size_t most = 0, *counts = NULL;
    sbl_status status = SBL_OK;
    SBL_ALLOC(counts, images->classes, "classes");
    for (size_t i = 0; i < images->count; i++) counts[images->labels[i]]++;
    for (size_t c = 0; c < images->classes; c++) most = counts[c] > most ? counts[c] : most;
    *share = (double)most / (double)images->count;
done:
    sbl_free(counts);
    return status;
}

static sbl_status score_model(json_t **list, double *scores, const sbl_image_study *s,
                              const struct model *model, sbl_error *err)
{
    double values[SBL_SIDE_COUNT];
    const char *why = NULL;
    const sbl_progress_span progress =
        sbl_progress_part(&s->progress, (uint64_t)(model - models), MODEL_COUNT);
    for (int side = 0; side < SBL_SIDE_COUNT; side++) {
        const sbl_progress_span part = sbl_progress_part(&progress, (uint64_t)side, SBL_SIDE_COUNT);
        SBL_CHECK(accuracy_of(&values[side], &why, scores, s, side, model, &part, err));
    }
    json_t *score = json_pack("{s:o,s:o}", "name", json_sprintf("accuracy of %s", model->name), "value",
                              sbl_triple_json(values));
    if (why != NULL) score = sbl_json_put(score, "why", json_string(why));
    *list = sbl_json_append(*list, score);
    return SBL_OK;
}

static sbl_status score_each(json_t **list, json_t **missing, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t learner_count;
    const char *linear_missing = sbl_learners(&learner_count)[0].missing();
    const size_t size = s->test->count * s->test->classes;
    double *scores = sbl_alloc_array(s->test->count, s->test->classes * sizeof *scores);
    if (scores == NULL) return sbl_no_memory(err, "scores");
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        if (!sbl_learner_listed(models[i].key, s->options->models)) continue;
        if (i == LOGISTIC && linear_missing != NULL)
            *missing = sbl_json_append(*missing, json_sprintf("%s: %s", models[i].name, linear_missing));
        else
            SBL_TRY(score_model(list, scores, s, &models[i], err));
    }
done:
    sbl_free_wiped(scores, size * sizeof *scores);
    return status;
}

sbl_status sbl_image_score_models(json_t **result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    double chance = NAN;
    json_t *list = json_array(), *missing = json_array();
    if (s->test->classes >= 2) {
        SBL_TRY(score_each(&list, &missing, s, err));
        SBL_TRY(most_frequent_share(&chance, s->test, err));
    }
    *result = sbl_json_put(*result, "scores", json_incref(list));
    *result = sbl_json_put(*result, "missing", json_incref(missing));
    *result = sbl_json_put(*result, "chance", sbl_number_json(chance));
done:
    json_decref(list);
    json_decref(missing);
    return status;
}
