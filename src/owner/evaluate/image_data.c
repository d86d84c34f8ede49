/* SPDX-License-Identifier: Apache-2.0 */
/* A random choice of images by selection sampling, bytes to floats, images of independent pixels, and noise. An independent
 * pixel is copied from another image of the same class: such images know every pixel's distribution and nothing else. */
#include "owner/evaluate/image_data.h"

#include <string.h>

#include "base/alloc.h"
#include "base/random/model_rng.h"

#define PIXEL_SCALE (1.0f / 255.0f)
#define CHOICE_STREAM 2

void sbl_image_choose(uint32_t *index, size_t count, const sbl_image_data *images, uint64_t seed)
{
    size_t taken = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, CHOICE_STREAM);
    /* Selection sampling (Knuth, volume 2, algorithm 3.4.2S). */
    for (size_t i = 0; i < images->count && taken < count; i++)
        if (sbl_model_rng_below(&rng, images->count - i) < count - taken) index[taken++] = (uint32_t)i;
}

void sbl_image_floats(float *out, const sbl_image_data *images, const uint32_t *index, size_t first,
                      size_t count)
{
    const size_t size = sbl_image_size(images->shape);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixels = images->pixels + (index != NULL ? (size_t)index[i] : first + i) * size;
        for (size_t j = 0; j < size; j++) out[i * size + j] = PIXEL_SCALE * (float)pixels[j];
    }
}

#define FLOOR_STREAM 4
#define NOISE_STREAM 7
#define FLOOR "images of independent pixels"

/* order (real->count): the images by class, in their order within one. first (classes + 1): where
 * each class begins. */
static void sort_by_class(uint32_t *order, size_t *first, const sbl_image_data *real)
{
    const size_t classes = real->classes != 0 ? real->classes : 1;
    for (size_t i = 0; i < real->count; i++)
        first[real->labels != NULL && real->classes != 0 ? real->labels[i] + 1 : 1]++;
    for (size_t c = 0; c < classes; c++) first[c + 1] += first[c];
    /* Filling moves each begin to its end; from behind, so that ends become begins again. */
    for (size_t i = real->count; i-- > 0;) {
        const size_t c = real->classes != 0 ? real->labels[i] : 0;
        order[--first[c + 1]] = (uint32_t)i;
    }
    memmove(first, first + 1, classes * sizeof *first);
    first[classes] = real->count;
}

static void draw_pixels(uint8_t *out, const sbl_image_data *real, const uint32_t *members,
                        size_t member_count, sbl_model_rng *rng)
{
    const size_t size = sbl_image_size(real->shape);
    for (size_t j = 0; j < size; j++)
        out[j] = real->pixels[members[sbl_model_rng_below(rng, member_count)] * size + j];
}

sbl_status sbl_image_floor(sbl_image_data *floor, const sbl_image_data *real, const uint32_t *index,
                           size_t rows, uint64_t seed, sbl_error *err)
{
    const size_t size = sbl_image_size(real->shape);
    sbl_model_rng rng;
    uint8_t *pixels = sbl_alloc_array(rows, size);
    uint32_t *labels = NULL, *order = NULL;
    size_t *first = NULL;
    sbl_status status = SBL_OK;
    *floor = (sbl_image_data){0};
    if (pixels == NULL) SBL_TRY(sbl_no_memory(err, FLOOR));
    SBL_ALLOC(labels, rows, FLOOR);
    SBL_ALLOC(order, real->count, FLOOR);
    SBL_ALLOC(first, real->classes + 2, FLOOR);
    sort_by_class(order, first, real);
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, FLOOR_STREAM);
    for (size_t i = 0; i < rows; i++) {
        const uint32_t class = real->classes != 0 ? real->labels[index[i]] : 0;
        labels[i] = class;
        draw_pixels(pixels + i * size, real, order + first[class], first[class + 1] - first[class], &rng);
    }
    *floor = (sbl_image_data){real->shape, rows, real->classes, pixels, labels};
    pixels = NULL;
    labels = NULL;
done:
    sbl_free(pixels);
    sbl_free(labels);
    sbl_free(order);
    sbl_free(first);
    return status;
}

sbl_status sbl_image_noise(sbl_image_data *noise, sbl_image_shape shape, size_t count, uint64_t seed,
                           sbl_error *err)
{
    sbl_status status = SBL_OK;
    const size_t size = count * sbl_image_size(shape);
    uint8_t *pixels = NULL;
    sbl_model_rng rng;
    *noise = (sbl_image_data){0};
    SBL_ALLOC(pixels, size, "images");
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, NOISE_STREAM);
    for (size_t i = 0; i < size; i++) pixels[i] = (uint8_t)sbl_model_rng_below(&rng, 256);
    *noise = (sbl_image_data){.shape = shape, .count = count, .pixels = pixels};
done:
    return status;
}

void sbl_image_floor_clear(sbl_image_data *floor)
{
    sbl_free_wiped((uint8_t *)(uintptr_t)floor->pixels, floor->count * sbl_image_size(floor->shape));
    sbl_free((uint32_t *)(uintptr_t)floor->labels);
    *floor = (sbl_image_data){0};
}
