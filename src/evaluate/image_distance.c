/* The Frechet distances of an evaluation of images. */
#include <math.h>

#include "base/memory.h"
#include "evaluate/image_frechet.h"
#include "evaluate/image_study.h"

#define FRECHET_LIMIT 5000

/* Equally many images on every side: the distance is biased by their number. */
static size_t images_of_each(const sbl_image_study *s)
{
    size_t count = s->test->count < FRECHET_LIMIT ? s->test->count : FRECHET_LIMIT;
    for (int side = 0; side < SBL_SIDE_COUNT; side++) {
        const sbl_image_data *images = s->sides[side].images;
        if (images != NULL && images->count < count) count = images->count;
    }
    return count;
}

static sbl_status measure(double distances[SBL_SIDE_COUNT], const sbl_image_study *s,
                          const sbl_image_encoder *encoder, size_t count, sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = count * encoder->width;
    float *real = sbl_alloc_array(count, encoder->width * sizeof *real);
    float *other = sbl_alloc_array(count, encoder->width * sizeof *other);
    if (real == NULL || other == NULL) SBL_TRY(sbl_image_fail_memory(err));
    const sbl_progress_span first = sbl_progress_part(&s->progress, 0, SBL_SIDE_COUNT + 1);
    SBL_TRY(sbl_image_encode_some(real, encoder, s->test, count, s->options->seed, &first, err));
    for (int side = 0; side < SBL_SIDE_COUNT; side++) {
        if (s->sides[side].images == NULL) continue;
        const sbl_progress_span part =
            sbl_progress_part(&s->progress, (uint64_t)side + 1, SBL_SIDE_COUNT + 1);
        SBL_TRY(sbl_image_encode_some(other, encoder, s->sides[side].images, count,
                                      s->options->seed, &part, err));
        SBL_TRY(
            sbl_frechet_distance(&distances[side], other, count, real, count, encoder->width, err));
    }
done:
    sbl_free_wiped(real, size * sizeof *real);
    sbl_free_wiped(other, size * sizeof *other);
    return status;
}

sbl_status sbl_image_measure_frechet(json_t *result, const sbl_image_study *s, sbl_error *err)
{
    sbl_status status = SBL_OK;
    sbl_image_encoder own = {0};
    const sbl_image_encoder *encoder = s->options->encoder;
    double distances[SBL_SIDE_COUNT] = {NAN, NAN, NAN};
    const size_t count = images_of_each(s);
    if (encoder == NULL) {
        SBL_TRY(sbl_image_encoder_random(&own, s->test->shape, err));
        encoder = &own;
    }
    if (count >= 2) SBL_TRY(measure(distances, s, encoder, count, err));
    SBL_TRY(sbl_image_set(result, "frechet",
                          json_pack("{s:s,s:I,s:I,s:o}", "encoder", encoder->name, "width",
                                    (json_int_t)encoder->width, "images", (json_int_t)count,
                                    "distance", sbl_image_triple(distances)),
                          err));
done:
    if (own.free != NULL) own.free(own.state);
    return status;
}
