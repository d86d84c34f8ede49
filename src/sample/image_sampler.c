#include "sample/image_sampler.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "random/model_rng.h"

#define MOST_IMAGES (UINT64_C(1) << 56) /* streams of one use */

struct sbl_image_sampler {
    sbl_image_generator *generator; /* borrowed */
    sbl_net_work work;
    uint64_t seed;
    float *inputs;    /* (RUN, inputs) */
    float *pixels;    /* (RUN, size) */
    uint32_t *labels; /* (RUN) */
};

sbl_status sbl_image_sampler_new(sbl_image_sampler **sampler, sbl_image_generator *generator,
                                 uint64_t seed, sbl_error *err)
{
    const size_t size = sbl_image_facts_size(&generator->facts);
    sbl_status status = SBL_OK;
    *sampler = NULL;
    sbl_image_sampler *s = sbl_alloc_array(1, sizeof *s);
    if (!s) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    s->generator = generator;
    s->seed = seed;
    s->inputs =
        sbl_alloc_array(sbl_image_generator_inputs(generator), SBL_IMAGE_RUN * sizeof *s->inputs);
    s->pixels = sbl_alloc_array(size, SBL_IMAGE_RUN * sizeof *s->pixels);
    s->labels = sbl_alloc_array(SBL_IMAGE_RUN, sizeof *s->labels);
    if (!s->inputs || !s->pixels || !s->labels) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for sampling");
        goto done;
    }
    SBL_TRY(sbl_net_work_init(&s->work, &generator->net, SBL_IMAGE_RUN, SBL_NET_SAMPLE, err));
    *sampler = s;
    s = NULL;
done:
    sbl_image_sampler_free(s);
    return status;
}

void sbl_image_sampler_free(sbl_image_sampler *sampler)
{
    if (!sampler) return;
    sbl_net_work_clear(&sampler->work);
    sbl_free(sampler->inputs);
    sbl_free(sampler->pixels);
    sbl_free(sampler->labels);
    sbl_free(sampler);
}

/* Class and latents of an image. The class's draw is made also where the class is given, so that
 * the latents do not depend on it. */
static void draw_input(sbl_image_sampler *s, size_t row, uint64_t image, size_t wanted)
{
    const sbl_image_generator *generator = s->generator;
    const size_t groups = sbl_image_facts_groups(&generator->facts), latent = generator->latent;
    const size_t width = sbl_image_generator_inputs(generator);
    float *input = s->inputs + row * width;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, s->seed, SBL_RNG_SAMPLE_ROW, image);
    const size_t drawn = sbl_model_rng_categorical(&rng, generator->class_shares, groups);
    s->labels[row] = (uint32_t)(wanted == SBL_ANY_CLASS ? drawn : wanted);
    memset(input, 0, width * sizeof *input);
    sbl_model_rng_normals(&rng, input, latent);
    if (width > latent) input[latent + s->labels[row]] = 1;
}

/* One whole run into s->pixels and s->labels. */
static void draw_run(sbl_image_sampler *s, uint64_t first, size_t wanted)
{
    for (size_t r = 0; r < SBL_IMAGE_RUN; r++) draw_input(s, r, first + r, wanted);
    const float *outputs =
        sbl_net_forward(&s->generator->net, &s->work, s->inputs, SBL_IMAGE_RUN, false);
    sbl_image_generator_pixels(s->pixels, s->generator, outputs, SBL_IMAGE_RUN, false);
}

sbl_status sbl_image_sampler_draw(sbl_image_sampler *s, uint8_t *pixels, uint32_t *labels,
                                  uint64_t first, size_t count, size_t wanted, sbl_error *err)
{
    const size_t size = sbl_image_facts_size(&s->generator->facts);
    if (wanted != SBL_ANY_CLASS && wanted >= sbl_image_facts_groups(&s->generator->facts))
        return sbl_fail(err, SBL_EARG, "the model has no class of that number");
    if (first > MOST_IMAGES || count > MOST_IMAGES - first)
        return sbl_fail(err, SBL_EARG, "image numbers end at 2^56");
    for (size_t done = 0; done < count;) {
        const uint64_t image = first + done;
        const size_t skip = (size_t)(image % SBL_IMAGE_RUN);
        const size_t room = SBL_IMAGE_RUN - skip;
        const size_t take = count - done < room ? count - done : room;
        draw_run(s, image - skip, wanted);
        for (size_t i = 0; i < take * size; i++)
            pixels[done * size + i] = (uint8_t)lrintf(255 * s->pixels[skip * size + i]);
        if (labels) memcpy(labels + done, s->labels + skip, take * sizeof *labels);
        done += take;
    }
    return SBL_OK;
}
