#include "evaluate/image_utility.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/threads.h"
#include "evaluate/image_pictures.h"
#include "evaluate/scores.h"
#include "evaluate/utility_scores.h"

#define DEFAULT_LIMIT 20000
#define FRECHET_LIMIT 10000
#define NEAREST 4
#define MAX_SOUGHT 20

enum { SYNTHETIC, REAL, SIDES };

typedef struct study {
    const sbl_image_data *sides[SIDES]; /* REAL may be NULL */
    const sbl_image_data *test;
    uint32_t *index[SIDES]; /* the images to learn from */
    size_t rows[SIDES];
    double *scores; /* (test->count, classes) */
    const sbl_image_utility_options *options;
    size_t limit;
    unsigned threads;
} study;

static sbl_status fail_memory(sbl_error *err)
{
    return sbl_fail(err, SBL_EMEM, "out of memory for the evaluation of images");
}

static sbl_status set(json_t *object, const char *name, json_t *value, sbl_error *err)
{
    return json_object_set_new(object, name, value) == 0 ? SBL_OK : fail_memory(err);
}

/* Takes value. */
static sbl_status append(json_t *array, json_t *value, sbl_error *err)
{
    return json_array_append_new(array, value) == 0 ? SBL_OK : fail_memory(err);
}

static json_t *triple(double synthetic, double floor, double ceiling)
{
    return json_pack("{s:o,s:o,s:o}", "synthetic", sbl_utility_number(synthetic), "floor",
                     sbl_utility_number(floor), "ceiling", sbl_utility_number(ceiling));
}

/* --- models --- */

/* The chosen images as samples whose numbers are pixels. */
static sbl_status samples_of(sbl_samples *samples, const sbl_image_data *images,
                             const uint32_t *index, size_t rows, sbl_error *err)
{
    const size_t size = sbl_image_size(images->shape);
    *samples = (sbl_samples){
        .rows = rows, .number_count = size, .class_count = images->classes, .one_scale = true};
    samples->numbers = sbl_alloc_array(rows, size * sizeof *samples->numbers);
    samples->labels = sbl_alloc_array(rows, sizeof *samples->labels);
    if (samples->numbers == NULL || samples->labels == NULL) return fail_memory(err);
    sbl_image_floats(samples->numbers, images, index, 0, rows);
    for (size_t i = 0; i < rows; i++)
        samples->labels[i] = images->labels[index != NULL ? index[i] : i];
    return SBL_OK;
}

static void samples_free(sbl_samples *samples)
{
    sbl_free_wiped(samples->numbers,
                   samples->rows * samples->number_count * sizeof *samples->numbers);
    sbl_free_wiped(samples->labels, samples->rows * sizeof *samples->labels);
}

/* A learner of tables (learner.h), pixels being columns. */
static sbl_status learn_pixels(study *s, int side, const char *key, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_samples train = {0}, test = {0};
    size_t count;
    const sbl_learner *learner = sbl_learners(&count);
    const sbl_learner_options options = {.seed = s->options->seed, .threads = s->threads};
    while (strcmp(learner->key, key) != 0) learner++;
    SBL_TRY(samples_of(&train, s->sides[side], s->index[side], s->rows[side], err));
    SBL_TRY(samples_of(&test, s->test, NULL, s->test->count, err));
    SBL_TRY(sbl_learner_run(s->scores, learner, &train, &test, &options, err));
done:
    samples_free(&train);
    samples_free(&test);
    return status;
}

static sbl_status learn_logistic(study *s, int side, sbl_error *err)
{
    return learn_pixels(s, side, "logistic", err);
}

static sbl_status learn_mlp(study *s, int side, sbl_error *err)
{
    return learn_pixels(s, side, "mlp", err);
}

static sbl_status learn_cnn(study *s, int side, sbl_error *err)
{
    return sbl_image_learn_cnn(s->scores, s->sides[side], s->index[side], s->rows[side], s->test,
                               s->options->seed, err);
}

static const struct model {
    const char *key, *name;
    bool needs_liblinear;
    sbl_status (*learn)(study *s, int side, sbl_error *err);
} models[] = {{"logistic", "logistic regression", true, learn_logistic},
              {"mlp", "MLP", false, learn_mlp},
              {"cnn", "CNN", false, learn_cnn}};
#define MODEL_COUNT (sizeof models / sizeof *models)

static bool is_listed(const char *key, const char *list)
{
    return sbl_learner_listed(&(sbl_learner){.key = key}, list);
}

sbl_status sbl_image_check_models(const char *list, sbl_error *err)
{
    for (const char *item = list; item != NULL;) {
        const char *comma = strchr(item, ',');
        const size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        size_t i = 0;
        while (i < MODEL_COUNT &&
               (strlen(models[i].key) != length || memcmp(models[i].key, item, length) != 0))
            i++;
        if (i == MODEL_COUNT)
            return sbl_fail(err, SBL_EARG,
                            "there is no model '%.*s' of images: known are logistic, mlp, cnn",
                            length < 64 ? (int)length : 64, item);
        item = comma != NULL ? comma + 1 : NULL;
    }
    return SBL_OK;
}

static const char *unfit(const study *s, int side)
{
    for (size_t i = 1; i < s->rows[side]; i++)
        if (s->sides[side]->labels[s->index[side][i]] != s->sides[side]->labels[s->index[side][0]])
            return NULL;
    return "the training images have one class only";
}

/* NaN and *why where a side has too little, or the library behind a model gave up. */
static sbl_status accuracy_of(double *accuracy, const char **why, study *s, int side,
                              const struct model *model, sbl_error *err)
{
    sbl_class_scores found;
    *accuracy = NAN;
    if (s->sides[side] == NULL) return SBL_OK;
    const char *reason = unfit(s, side);
    if (reason != NULL) {
        *why = reason;
        return SBL_OK;
    }
    sbl_status status = model->learn(s, side, err);
    if (status == SBL_EINTERNAL) {
        *why = "the model could not be fitted";
        return SBL_OK;
    }
    if (status != SBL_OK) return status;
    const sbl_predictions predictions = {s->scores, s->test->labels, s->test->count,
                                         s->test->classes};
    status = sbl_score_classes(&found, &predictions, err);
    *accuracy = found.accuracy;
    return status;
}

static double most_frequent_share(const sbl_image_data *images, size_t *counts)
{
    size_t most = 0;
    for (size_t i = 0; i < images->count; i++) counts[images->labels[i]]++;
    for (size_t c = 0; c < images->classes; c++) most = counts[c] > most ? counts[c] : most;
    return (double)most / (double)images->count;
}

static sbl_status score_model(json_t *scores, study *s, const struct model *model, double floor,
                              sbl_error *err)
{
    sbl_status status = SBL_OK;
    double synthetic, real;
    const char *why = NULL;
    SBL_TRY(accuracy_of(&synthetic, &why, s, SYNTHETIC, model, err));
    SBL_TRY(accuracy_of(&real, &why, s, REAL, model, err));
    json_t *score = json_pack("{s:o,s:o}", "name", json_sprintf("accuracy of %s", model->name),
                              "value", triple(synthetic, floor, real));
    SBL_TRY(append(scores, score, err));
    if (why != NULL) SBL_TRY(set(score, "why", json_string(why), err));
done:
    return status;
}

static sbl_status score_models(json_t *result, study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    size_t learner_count;
    const char *linear_missing = sbl_learners(&learner_count)[0].missing;
    json_t *scores = json_array(), *missing = json_array();
    size_t *counts = sbl_alloc_array(s->test->classes, sizeof *counts);
    if (counts == NULL) SBL_TRY(fail_memory(err));
    const double floor = s->test->classes != 0 ? most_frequent_share(s->test, counts) : 0;
    for (size_t i = 0; i < MODEL_COUNT && s->test->classes >= 2; i++) {
        if (!is_listed(models[i].key, s->options->models)) continue;
        if (models[i].needs_liblinear && linear_missing != NULL)
            SBL_TRY(append(missing, json_sprintf("%s: %s", models[i].name, linear_missing), err));
        else
            SBL_TRY(score_model(scores, s, &models[i], floor, err));
    }
    SBL_TRY(set(result, "scores", json_incref(scores), err));
    SBL_TRY(set(result, "missing", json_incref(missing), err));
done:
    sbl_free(counts);
    json_decref(scores);
    json_decref(missing);
    return status;
}

/* --- the Frechet distance --- */

/* From equally many images on every side: it is biased by their number. */
static sbl_status measure_frechet(json_t *result, const study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_encoder own = {0};
    const sbl_image_encoder *encoder = s->options->encoder;
    double synthetic = NAN, ceiling = NAN;
    const uint64_t seed = s->options->seed;
    size_t count = s->test->count < FRECHET_LIMIT ? s->test->count : FRECHET_LIMIT;
    for (int side = 0; side < SIDES; side++)
        if (s->sides[side] != NULL && s->sides[side]->count < count) count = s->sides[side]->count;
    if (encoder == NULL) {
        SBL_TRY(sbl_image_encoder_random(&own, s->test->shape, err));
        encoder = &own;
    }
    if (count >= 2) {
        SBL_TRY(
            sbl_image_frechet(&synthetic, encoder, s->sides[SYNTHETIC], s->test, count, seed, err));
        if (s->sides[REAL] != NULL)
            SBL_TRY(
                sbl_image_frechet(&ceiling, encoder, s->sides[REAL], s->test, count, seed, err));
    }
    SBL_TRY(set(result, "frechet",
                json_pack("{s:s,s:I,s:o}", "encoder", encoder->name, "images", (json_int_t)count,
                          "distance", triple(synthetic, NAN, ceiling)),
                err));
done:
    if (own.free != NULL) own.free(own.state);
    return status;
}

/* --- neighbours and pictures --- */

static json_t *neighbour_entry(size_t synthetic, const uint32_t *index, const double *distance,
                               size_t count)
{
    json_t *real = json_array(), *distances = json_array();
    for (size_t k = 0; k < count; k++) {
        (void)json_array_append_new(real, json_integer((json_int_t)index[k]));
        (void)json_array_append_new(distances, json_real(distance[k]));
    }
    return json_pack("{s:I,s:o,s:o}", "synthetic", (json_int_t)synthetic, "real", real, "distance",
                     distances);
}

/* Synthetic images at even steps, each with its nearest real ones: a list and a grid. */
static sbl_status find_neighbours(json_t *result, json_t *grids, const study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_image_data *synthetic = s->sides[SYNTHETIC];
    const sbl_image_data *real = s->sides[REAL] != NULL ? s->sides[REAL] : s->test;
    sbl_picture places[MAX_SOUGHT * (NEAREST + 1)] = {0};
    size_t sought = s->options->neighbours;
    const size_t count = real->count < NEAREST ? real->count : NEAREST;
    json_t *list = json_array(), *grid = NULL;
    if (sought > synthetic->count) sought = synthetic->count;
    for (size_t i = 0; i < sought; i++) {
        const size_t image = i * (synthetic->count / sought);
        uint32_t index[NEAREST];
        double distance[NEAREST];
        sbl_picture *row = &places[i * (NEAREST + 1)];
        sbl_image_nearest(index, distance, count,
                          synthetic->pixels + image * sbl_image_size(synthetic->shape), real);
        row[0] = (sbl_picture){synthetic, image};
        for (size_t k = 0; k < count; k++) row[k + 1] = (sbl_picture){real, index[k]};
        SBL_TRY(append(list, neighbour_entry(image, index, distance, count), err));
    }
    if (sought != 0) {
        SBL_TRY(sbl_picture_grid(&grid, "Synthetic images, each followed by the nearest real ones",
                                 places, sought, NEAREST + 1, synthetic->shape, err));
        SBL_TRY(append(grids, grid, err));
    }
    SBL_TRY(set(result, "neighbours", json_incref(list), err));
done:
    json_decref(list);
    return status;
}

static sbl_status draw_pictures(json_t *result, const study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *grids = json_array(), *grid = NULL;
    SBL_TRY(sbl_picture_classes(&grid, "Synthetic images", s->sides[SYNTHETIC], err));
    SBL_TRY(append(grids, grid, err));
    SBL_TRY(sbl_picture_classes(&grid, "Real images", s->test, err));
    SBL_TRY(append(grids, grid, err));
    SBL_TRY(find_neighbours(result, grids, s, err));
    SBL_TRY(set(result, "grids", json_incref(grids), err));
done:
    json_decref(grids);
    return status;
}

/* --- all of it --- */

static sbl_status check_sets(const study *s, sbl_error *err)
{
    const sbl_image_data *test = s->test;
    if (test->count == 0) return sbl_fail(err, SBL_EINPUT, "there are no real images to test on");
    for (int side = 0; side < SIDES; side++) {
        const sbl_image_data *images = s->sides[side];
        const char *name = side == SYNTHETIC ? "synthetic" : "training";
        if (images == NULL) continue;
        if (images->count == 0) return sbl_fail(err, SBL_EINPUT, "there are no %s images", name);
        if (memcmp(&images->shape, &test->shape, sizeof test->shape) != 0)
            return sbl_fail(err, SBL_EINPUT,
                            "the %s images are %zu x %zu x %zu, the real ones "
                            "%zu x %zu x %zu",
                            name, images->shape.height, images->shape.width, images->shape.channels,
                            test->shape.height, test->shape.width, test->shape.channels);
        if (images->classes != test->classes)
            return sbl_fail(err, SBL_EINPUT, "the %s images have %zu classes, the real ones %zu",
                            name, images->classes, test->classes);
    }
    return s->options->neighbours <= MAX_SOUGHT
               ? SBL_OK
               : sbl_fail(err, SBL_EARG, "neighbours of at most %d images can be sought",
                          MAX_SOUGHT);
}

static sbl_status open_study(study *s, sbl_error *err)
{
    for (int side = 0; side < SIDES; side++) {
        if (s->sides[side] == NULL) continue;
        s->rows[side] = s->sides[side]->count < s->limit ? s->sides[side]->count : s->limit;
        s->index[side] = sbl_alloc_array(s->rows[side], sizeof *s->index[side]);
        if (s->index[side] == NULL) return fail_memory(err);
        sbl_image_choose(s->index[side], s->rows[side], s->sides[side], s->options->seed);
    }
    s->scores = sbl_alloc_array(s->test->count, (s->test->classes + 1) * sizeof *s->scores);
    return s->scores != NULL ? SBL_OK : fail_memory(err);
}

static json_t *side_rows(const study *s, int side)
{
    return s->sides[side] == NULL ? json_null()
                                  : json_pack("{s:I,s:I}", "used", (json_int_t)s->rows[side], "of",
                                              (json_int_t)s->sides[side]->count);
}

static sbl_status describe(json_t *result, const study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const sbl_image_shape shape = s->test->shape;
    SBL_TRY(set(result, "shape",
                json_pack("[I,I,I]", (json_int_t)shape.height, (json_int_t)shape.width,
                          (json_int_t)shape.channels),
                err));
    SBL_TRY(set(result, "classes", json_integer((json_int_t)s->test->classes), err));
    SBL_TRY(set(result, "rows",
                json_pack("{s:I,s:I,s:o,s:o}", "limit", (json_int_t)s->limit, "test",
                          (json_int_t)s->test->count, "synthetic", side_rows(s, SYNTHETIC), "real",
                          side_rows(s, REAL)),
                err));
done:
    return status;
}

sbl_status sbl_evaluate_images(json_t **result, const sbl_image_data *synthetic,
                               const sbl_image_data *train, const sbl_image_data *test,
                               const sbl_image_utility_options *options, sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *made = json_object();
    study s = {.sides = {synthetic, train},
               .test = test,
               .options = options,
               .limit = options->image_limit != 0 ? options->image_limit : DEFAULT_LIMIT,
               .threads = options->threads != 0 ? options->threads : (unsigned)sbl_thread_limit()};
    *result = NULL;
    SBL_TRY(sbl_image_check_models(options->models, err));
    SBL_TRY(check_sets(&s, err));
    SBL_TRY(open_study(&s, err));
    SBL_TRY(describe(made, &s, err));
    SBL_TRY(score_models(made, &s, err));
    SBL_TRY(measure_frechet(made, &s, err));
    SBL_TRY(draw_pictures(made, &s, err));
    *result = json_incref(made);
done:
    for (int side = 0; side < SIDES; side++) sbl_free(s.index[side]);
    sbl_free_wiped(s.scores, test->count * (test->classes + 1) * sizeof *s.scores);
    json_decref(made);
    return status;
}
