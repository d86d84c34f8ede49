/* A random choice of images by selection sampling, and bytes to floats. */
#include "evaluate/image_data.h"

#include "random/model_rng.h"

#define PIXEL_SCALE (1.0f / 255.0f)
#define CHOICE_STREAM 2

void sbl_image_choose(uint32_t *index, size_t count, const sbl_image_data *images, uint64_t seed)
{
    size_t taken = 0;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_OTHER, CHOICE_STREAM);
    /* Selection sampling (Knuth, volume 2, algorithm 3.4.2S). */
    for (size_t i = 0; i < images->count && taken < count; i++)
        if (sbl_model_rng_below(&rng, images->count - i) < count - taken)
            index[taken++] = (uint32_t)i;
}

void sbl_image_floats(float *out, const sbl_image_data *images, const uint32_t *index, size_t first,
                      size_t count)
{
    const size_t size = sbl_image_size(images->shape);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pixels =
            images->pixels + (index != NULL ? (size_t)index[i] : first + i) * size;
        for (size_t j = 0; j < size; j++) out[i * size + j] = PIXEL_SCALE * (float)pixels[j];
    }
}
