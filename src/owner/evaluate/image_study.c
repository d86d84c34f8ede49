/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the sets, chooses the images to learn from, makes the floor, and runs the four parts
 * (models, Frechet, closest, pictures) by a table, each with its share of the progress. NOT
 * PRIVATE. */
#include "owner/evaluate/image_study.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "owner/fidelity/compared_tables.h"

static const char what_it_is_for[] = "the evaluation of images";

#define DEFAULT_LIMIT 20000

static sbl_status check_set(const sbl_image_data *images, const char *name, const sbl_image_data *test,
                            sbl_error *err)
{
    if (images->count == 0) return sbl_fail(err, SBL_EINPUT, "there are no %s images", name);
    if (memcmp(&images->shape, &test->shape, sizeof test->shape) != 0)
        return sbl_fail(err, SBL_EINPUT, "the %s images are %zu x %zu x %zu, the real ones %zu x %zu x %zu",
                        name, images->shape.height, images->shape.width, images->shape.channels,
                        test->shape.height, test->shape.width, test->shape.channels);
    if (images->classes != test->classes)
        return sbl_fail(err, SBL_EINPUT, "the %s images have %zu classes, the real ones %zu", name,
                        images->classes, test->classes);
    return SBL_OK;
}

static sbl_status check_sets(const sbl_image_study *s, sbl_error *err)
{
    const sbl_image_data *train = s->sides[SBL_SIDE_REAL].images;
    if (s->test->count == 0) return sbl_fail(err, SBL_EINPUT, "there are no real images to test on");
    SBL_CHECK(check_set(s->sides[SBL_SIDE_SYNTHETIC].images, "synthetic", s->test, err));
    if (train != NULL) SBL_CHECK(check_set(train, "training", s->test, err));
    if (s->options->neighbours > SBL_IMAGE_MAX_NEIGHBOURS)
        return sbl_fail(err, SBL_EARG, "nearest images can be found for at most %d images",
                        SBL_IMAGE_MAX_NEIGHBOURS);
    return SBL_OK;
}

static sbl_status choose(sbl_image_side *side, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (side->images == NULL) return SBL_OK;
    side->rows = side->images->count < s->limit ? side->images->count : s->limit;
    SBL_ALLOC(side->index, side->rows, what_it_is_for);
    sbl_image_choose(side->index, side->rows, side->images, s->options->seed);
done:
    return status;
}

/* The floor is made of the images that the ceiling learns from. */
static sbl_status open_study(sbl_image_study *s, sbl_image_data *floor, sbl_error *err)
{
    const sbl_image_side *real = &s->sides[SBL_SIDE_REAL];
    SBL_CHECK(choose(&s->sides[SBL_SIDE_SYNTHETIC], s, err));
    SBL_CHECK(choose(&s->sides[SBL_SIDE_REAL], s, err));
    if (real->images == NULL) return SBL_OK;
    SBL_CHECK(sbl_image_floor(floor, real->images, real->index, real->rows, s->options->seed, err));
    s->sides[SBL_SIDE_FLOOR].images = floor;
    return choose(&s->sides[SBL_SIDE_FLOOR], s, err);
}

static json_t *side_rows(const sbl_image_side *side)
{
    return side->images == NULL ? json_null()
                                : json_pack("{s:I,s:I}", "used", (json_int_t)side->rows, "of",
                                            (json_int_t)side->images->count);
}

static json_t *describe(const sbl_image_study *s)
{
    const sbl_image_shape shape = s->test->shape;
    return json_pack("{s:[I,I,I],s:I,s:{s:I,s:I,s:o,s:o}}", "shape", (json_int_t)shape.height,
                     (json_int_t)shape.width, (json_int_t)shape.channels, "classes",
                     (json_int_t)s->test->classes, "rows", "limit", (json_int_t)s->limit, "test",
                     (json_int_t)s->test->count, "synthetic", side_rows(&s->sides[SBL_SIDE_SYNTHETIC]),
                     "real", side_rows(&s->sides[SBL_SIDE_REAL]));
}

/* What takes time, with about what share of it. */
static const struct part {
    const char *what;
    uint64_t from, to; /* of SHARES */
    sbl_status (*measure)(json_t **result, const sbl_image_study *s, sbl_error *err);
} parts[] = {{"utility", 0, 7, sbl_image_score_models},
             {"frechet", 7, 8, sbl_image_measure_frechet},
             {"closest", 8, 9, sbl_image_measure_closest},
             {"pictures", 9, 10, sbl_image_draw_pictures}};
#define SHARES 10

static sbl_status measure_part(json_t **result, sbl_image_study *s, const struct part *part, sbl_error *err)
{
    s->progress = sbl_progress_range(s->options->progress, part->from, part->to, SHARES, part->what);
    if (!sbl_progress_goes_on(&s->progress, 0, 1)) return sbl_progress_fail(err);
    const sbl_status status = part->measure(result, s, err);
    return sbl_progress_stopped(&s->progress) ? sbl_progress_fail(err) : status;
}

sbl_status sbl_evaluate_images(json_t **result, const sbl_image_data *synthetic, const sbl_image_data *train,
                               const sbl_image_data *test, const sbl_image_utility_options *options,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    json_t *made = NULL;
    sbl_image_data floor = {0};
    sbl_image_study s = {.test = test,
                         .options = options,
                         .limit = options->image_limit != 0 ? options->image_limit : DEFAULT_LIMIT,
                         .threads = options->threads != 0 ? options->threads : (unsigned)sbl_thread_limit()};
    s.sides[SBL_SIDE_SYNTHETIC].images = synthetic;
    s.sides[SBL_SIDE_REAL].images = train;
    *result = NULL;
    SBL_TRY(sbl_image_check_models(options->models, err));
    SBL_TRY(check_sets(&s, err));
    SBL_TRY(open_study(&s, &floor, err));
    made = describe(&s);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        SBL_TRY(measure_part(&made, &s, &parts[i], err));
    if (made == NULL) SBL_TRY(sbl_no_memory(err, what_it_is_for));
    *result = json_incref(made);
done:
    for (int side = 0; side < SBL_SIDE_COUNT; side++) sbl_free(s.sides[side].index);
    sbl_image_floor_clear(&floor);
    json_decref(made);
    return status;
}
