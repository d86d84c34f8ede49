/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of image sets from request to document: loads them within fixed limits of memory,
 * checks that they are alike, halves the real ones where there is no training set. NOT PRIVATE. */
#include "owner/evaluate/image_evaluate.h"

#include <string.h>

#include "owner/evaluate/evaluation_text.h"
#include "owner/evaluate/image_study.h"
#include "semblance/version.h"

/* Room for images of every set, and for those that a model learns from, which become floats. */
#define TEST_LIMIT ((size_t)10000)
#define KEPT_LIMIT ((size_t)60000)
#define KEPT_BYTES ((size_t)256 << 20)
#define LEARN_LIMIT ((size_t)20000)
#define LEARN_BYTES ((size_t)64 << 20)
#define NEIGHBOURS 12
#define SHARES 10 /* of the time; reading takes about one */

enum { REAL, SYNTHETIC, TRAIN, SETS };

typedef struct evaluation {
    const sbl_image_request *request;
    sbl_image_place places[SETS];
    sbl_image_loaded sets[SETS];
    sbl_image_data train, test;
    bool has_train;
    sbl_progress_listener listener;
} evaluation;

static const sbl_hint hints[SETS] = {SBL_HINT_REAL_LABELS, SBL_HINT_SYNTHETIC_LABELS, SBL_HINT_TRAIN_LABELS};

/* Is this set of the same kind as the real one? */
static sbl_status check_alike(const evaluation *e, int which, sbl_error *err)
{
    const sbl_image_data *real = &e->sets[REAL].data, *other = &e->sets[which].data;
    const char *path = e->places[which].images, *real_path = e->places[REAL].images;
    if (memcmp(&real->shape, &other->shape, sizeof real->shape) != 0)
        return sbl_fail(err, SBL_EINPUT,
                        "%s: the images are %zu x %zu x %zu, those of %s are %zu x %zu x %zu", path,
                        other->shape.height, other->shape.width, other->shape.channels, real_path,
                        real->shape.height, real->shape.width, real->shape.channels);
    const sbl_hint hint = hints[real->classes == 0 ? REAL : which];
    if ((real->classes == 0) != (other->classes == 0))
        return sbl_fail_hint(err, SBL_EINPUT, hint, NULL,
                             "%s has no labels, but %s has: give labels for both, or for neither",
                             real->classes == 0 ? real_path : path, real->classes == 0 ? path : real_path);
    if (real->classes != other->classes)
        return sbl_fail(err, SBL_EINPUT, "%s: the images have %zu classes, those of %s have %zu", path,
                        other->classes, real_path, real->classes);
    for (size_t c = 0; c < real->classes; c++) {
        const char *name = sbl_image_reader_class_name(e->sets[which].reader, c);
        const char *real_name = sbl_image_reader_class_name(e->sets[REAL].reader, c);
        if (name != NULL && real_name != NULL && strcmp(name, real_name) != 0)
            return sbl_fail(err, SBL_EINPUT, "%s: the names of the classes differ from those of %s", path,
                            real_path);
    }
    return SBL_OK;
}

/* A classifier needs two classes to be trained on or tested with. */
static sbl_status check_classes(const sbl_image_data *images, const char *path, sbl_error *err)
{
    if (images->classes == 0) return SBL_OK;
    for (size_t i = 1; i < images->count; i++)
        if (images->labels[i] != images->labels[0]) return SBL_OK;
    return sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_NO_MODELS, path,
                         "%s: all images have one class, so no classifier can be trained: ask for no models "
                         "to get the other measures",
                         path);
}

/* Real images come first: their classes are those of the others, unless these say otherwise, and
 * PNG files are read as grey or RGB as they are. */
static sbl_status load_all(evaluation *e, const sbl_progress_span *progress, sbl_error *err)
{
    const sbl_image_request *request = e->request;
    const bool wanted = request->models == NULL || strcmp(request->models, "none") != 0;
    sbl_status status = SBL_OK;
    for (int i = 0; i < SETS; i++) {
        sbl_image_place *place = &e->places[i];
        if (i == TRAIN && !e->has_train) continue;
        const size_t parts = e->has_train ? 1 : 2;
        const sbl_image_room room = i == REAL ? (sbl_image_room){parts * TEST_LIMIT, parts * LEARN_BYTES}
                                              : (sbl_image_room){KEPT_LIMIT, KEPT_BYTES};
        if (i != REAL && place->classes == 0) place->classes = e->sets[REAL].data.classes;
        if (i != REAL) place->channels = e->sets[REAL].data.shape.channels;
        const sbl_progress_span part = sbl_progress_part(progress, (uint64_t)i, SETS);
        SBL_CHECK(sbl_image_load(&e->sets[i], place, room, request->seed, &part, err));
        if (i != REAL) SBL_CHECK(check_alike(e, i, err));
        if (wanted) SBL_CHECK(check_classes(&e->sets[i].data, place->images, err));
    }
    if (!e->has_train && e->sets[REAL].data.count < 4) {
        status = sbl_fail_hint(err, SBL_EINPUT, SBL_HINT_TRAIN_SET, NULL,
                               "%s: too few images to split into halves: give the training images too",
                               e->places[REAL].images);
        return status;
    }
    e->test = e->sets[REAL].data;
    e->train = e->sets[TRAIN].data;
    if (!e->has_train) sbl_image_halve(&e->train, &e->test, &e->sets[REAL], request->seed);
    return status;
}

static json_t *text_json(const char *text)
{
    if (text == NULL) return json_null();
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("(a path that is not text)");
}

static json_t *input_json(const evaluation *e, int which)
{
    if (e->places[which].images == NULL) return json_null();
    return json_pack("{s:o,s:o,s:I,s:I}", "path", text_json(e->places[which].images), "labels",
                     text_json(e->places[which].labels), "rows", (json_int_t)e->sets[which].there_are, "used",
                     (json_int_t)e->sets[which].data.count);
}

/* Takes images. */
static json_t *document_of(const evaluation *e, json_t *images)
{
    return json_pack("{s:s,s:i,s:s,s:s,s:s,s:I,s:{s:o,s:o,s:o},s:o}", "format", "semblance-evaluation",
                     "version", 1, "program", SBL_VERSION_STRING, "warning", SBL_EVALUATION_WARNING, "kind",
                     "images", "seed", (json_int_t)e->request->seed, "inputs", "real", input_json(e, REAL),
                     "synthetic", input_json(e, SYNTHETIC), "train", input_json(e, TRAIN), "images", images);
}

static sbl_status measure(json_t **document, const evaluation *e, const sbl_progress_span *progress,
                          sbl_error *err)
{
    const sbl_image_request *request = e->request;
    const size_t size = sbl_image_size(e->test.shape);
    const size_t limit = LEARN_LIMIT * size > LEARN_BYTES ? LEARN_BYTES / size : LEARN_LIMIT;
    sbl_image_encoder encoder = {0};
    sbl_image_utility_options options = {.seed = request->seed,
                                         .image_limit = limit,
                                         .neighbours = NEIGHBOURS,
                                         .threads = request->threads,
                                         .models = request->models,
                                         .progress = progress};
    json_t *images = NULL;
    sbl_status status = SBL_OK;
    if (request->encoder_path != NULL) {
        SBL_TRY(sbl_image_encoder_file(&encoder, request->encoder_path, e->test.shape, err));
        options.encoder = &encoder;
    }
    SBL_TRY(sbl_evaluate_images(&images, &e->sets[SYNTHETIC].data, &e->train, &e->test, &options, err));
    *document = document_of(e, images);
    if (*document == NULL) status = sbl_no_memory(err, "an evaluation");
done:
    if (encoder.free != NULL) encoder.free(encoder.state);
    return status;
}

sbl_status sbl_evaluate_image_files(json_t **document, const sbl_image_request *request, sbl_error *err)
{
    evaluation e = {.request = request,
                    .places = {request->real, request->synthetic, request->train},
                    .has_train = request->train.images != NULL,
                    .listener = {.progress = request->progress, .context = request->context}};
    const sbl_progress_span whole = sbl_progress_begin(&e.listener, "reading");
    const sbl_progress_span reading = sbl_progress_range(&whole, 0, 1, SHARES, NULL);
    const sbl_progress_span study = sbl_progress_range(&whole, 1, SHARES, SHARES, NULL);
    sbl_status status = SBL_OK;
    *document = NULL;
    SBL_TRY(sbl_image_check_models(request->models, err));
    SBL_TRY(load_all(&e, &reading, err));
    SBL_TRY(measure(document, &e, &study, err));
done:
    for (int i = 0; i < SETS; i++) sbl_image_unload(&e.sets[i]);
    return status;
}
