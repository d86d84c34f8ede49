/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a set, wherever it is, and keeps a uniform
 * sample of it (selection sampling) where it is larger than the room for it. */
#include "owner/evaluate/image_load.h"

#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"
#include "base/text.h"

#define CHUNK_IMAGES ((size_t)256)
#define LOAD_STREAM 5
#define HALVES_STREAM 6

/* What is read on the way: a chunk of images, of which some are kept. */
typedef struct chunk {
    uint8_t *pixels;
    uint32_t *labels;
} chunk;

static sbl_status keep_some(sbl_image_loaded *set, const chunk *c, size_t wanted, uint64_t seed,
                            const sbl_progress_span *progress, sbl_error *err)
{
    const size_t size = sbl_image_size(set->data.shape);
    size_t seen = 0, kept = 0, got;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, LOAD_STREAM);
    for (;;) {
        if (!sbl_progress_goes_on(progress, seen, set->there_are)) SBL_CHECK(sbl_progress_fail(err));
        SBL_CHECK(sbl_image_read(set->reader, c->pixels, c->labels, &got, CHUNK_IMAGES, err));
        if (got == 0) break;
        /* Selection sampling (Knuth, volume 2, algorithm 3.4.2S). */
        for (size_t i = 0; i < got; i++, seen++) {
            if (sbl_model_rng_below(&rng, set->there_are - seen) >= wanted - kept) continue;
            memcpy(set->pixels + kept * size, c->pixels + i * size, size);
            set->labels[kept++] = c->labels[i];
        }
    }
    set->data.count = kept;
    return SBL_OK;
}

static sbl_status read_set(sbl_image_loaded *set, size_t wanted, uint64_t seed,
                           const sbl_progress_span *progress, sbl_error *err)
{
    const size_t size = sbl_image_size(set->data.shape);
    chunk c = {.pixels = sbl_alloc_array(CHUNK_IMAGES, size),
               .labels = sbl_alloc_array(CHUNK_IMAGES, sizeof *c.labels)};
    sbl_status status = SBL_OK;
    set->data.count = wanted; /* for wiping */
    set->pixels = sbl_alloc_array(wanted, size);
    set->labels = sbl_alloc_array(wanted, sizeof *set->labels);
    if (c.pixels == NULL || c.labels == NULL || set->pixels == NULL || set->labels == NULL)
        SBL_TRY(sbl_no_memory(err, "images"));
    SBL_TRY(keep_some(set, &c, wanted, seed, progress, err));
    set->data.pixels = set->pixels;
    set->data.labels = set->labels;
done:
    sbl_free_wiped(c.pixels, CHUNK_IMAGES * size);
    sbl_free_wiped(c.labels, CHUNK_IMAGES * sizeof *c.labels);
    return status;
}

sbl_status sbl_image_load(sbl_image_loaded *set, const sbl_image_place *place, sbl_image_room room,
                          uint64_t seed, const sbl_progress_span *progress, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *set = (sbl_image_loaded){0};
    SBL_TRY(sbl_image_place_open(&set->reader, place, err));
    set->data.shape = sbl_image_reader_shape(set->reader);
    set->data.classes = sbl_image_reader_classes(set->reader);
    set->there_are = sbl_image_reader_count(set->reader);
    if (set->there_are == 0) SBL_TRY(sbl_fail(err, SBL_EINPUT, "%s holds no images", place->images));
    size_t wanted = room.bytes / sbl_image_size(set->data.shape);
    if (wanted > room.images) wanted = room.images;
    if (wanted > set->there_are) wanted = set->there_are;
    SBL_TRY(read_set(set, wanted, seed, progress, err));
done:
    if (status != SBL_OK) sbl_image_unload(set);
    return status;
}

void sbl_image_unload(sbl_image_loaded *set)
{
    sbl_image_close(set->reader);
    sbl_free_wiped(set->pixels, set->data.count * sbl_image_size(set->data.shape));
    sbl_free_wiped(set->labels, set->data.count * sizeof *set->labels);
    *set = (sbl_image_loaded){0};
}

static void swap_images(sbl_image_loaded *set, size_t a, size_t b)
{
    const size_t size = sbl_image_size(set->data.shape);
    uint8_t *left = set->pixels + a * size, *right = set->pixels + b * size;
    const uint32_t label = set->labels[a];
    set->labels[a] = set->labels[b];
    set->labels[b] = label;
    for (size_t j = 0; j < size; j++) {
        const uint8_t pixel = left[j];
        left[j] = right[j];
        right[j] = pixel;
    }
}

void sbl_image_halve(sbl_image_data *first, sbl_image_data *second, sbl_image_loaded *set, uint64_t seed)
{
    const size_t half = set->data.count / 2, size = sbl_image_size(set->data.shape);
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, HALVES_STREAM);
    /* Fisher-Yates, as far as the first half goes. */
    for (size_t i = 0; i < half; i++)
        swap_images(set, i, i + (size_t)sbl_model_rng_below(&rng, set->data.count - i));
    *first = *second = set->data;
    first->count = half;
    second->count -= half;
    second->pixels += half * size;
    second->labels += half;
}
