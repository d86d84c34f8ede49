/* [7] Tables go through the folded network in chunks of 32 rows, with exact exponentials; images
 * through the trained one in whole runs of 64 that begin at multiples of 64, so that any cut of
 * the rows gives the same images. */
#include "sample/sampler.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compute/threads.h"
#include "nn/pixel_head.h"
#include "random/exact_math.h"
#include "random/model_rng.h"
#include "sample/folded.h"

#define CHUNK 32                      /* rows of a table through the network at a time */
#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */

struct sbl_sampler {
    sbl_generator *generator; /* borrowed */
    uint64_t seed;
    sbl_folded folded; /* tables */
    sbl_net_room work; /* images, and all below */
    float *inputs;     /* (SBL_IMAGE_RUN, inputs) */
    float *pixels;     /* (SBL_IMAGE_RUN, size) */
    uint32_t run_labels[SBL_IMAGE_RUN];
};

static bool is_table(const sbl_sampler *s) { return s->generator->facts.kind == SBL_DATA_TABLE; }

static sbl_status open_images(sbl_sampler *s, sbl_error *err)
{
    const size_t size = s->generator->facts.shape.numeric;
    s->inputs =
        sbl_alloc_array(sbl_generator_inputs(s->generator), SBL_IMAGE_RUN * sizeof *s->inputs);
    s->pixels = sbl_alloc_array(size, SBL_IMAGE_RUN * sizeof *s->pixels);
    if (!s->inputs || !s->pixels) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    return sbl_net_room_init(&s->work, &s->generator->net, SBL_IMAGE_RUN, SBL_NET_SAMPLE, err);
}

sbl_status sbl_sampler_new(sbl_sampler **sampler, sbl_generator *generator, uint64_t seed,
                           sbl_error *err)
{
    sbl_status status = SBL_OK;
    *sampler = NULL;
    sbl_sampler *s = sbl_alloc_array(1, sizeof *s);
    if (!s) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    s->generator = generator;
    s->seed = seed;
    SBL_TRY(is_table(s) ? sbl_folded_init(&s->folded, &generator->net, err) : open_images(s, err));
    *sampler = s;
    s = NULL;
done:
    sbl_sampler_free(s);
    return status;
}

void sbl_sampler_free(sbl_sampler *sampler)
{
    if (!sampler) return;
    sbl_folded_clear(&sampler->folded);
    sbl_net_room_clear(&sampler->work);
    sbl_free(sampler->inputs);
    sbl_free(sampler->pixels);
    sbl_free(sampler);
}

/* A row's network input; returns its class. The class's draw is made also where the class is given,
 * so that the latents do not depend on it. */
static uint32_t draw_input(const sbl_sampler *s, float *input, sbl_model_rng *rng, uint64_t row,
                           size_t wanted)
{
    const sbl_generator *generator = s->generator;
    sbl_model_rng_init(rng, s->seed, SBL_RNG_SAMPLE_ROW, row);
    const size_t drawn =
        sbl_model_rng_categorical(rng, generator->class_shares, generator->facts.classes);
    const size_t class = wanted == SBL_ANY_CLASS ? drawn : wanted;
    sbl_model_rng_latents(rng, input, generator->latent, generator->signs);
    sbl_generator_set_class(generator, input, class);
    return (uint32_t) class;
}

/* ---- tables ---- */

/* A category with probability proportional to exp(logit). */
static uint32_t draw_category(const float *logits, size_t count, sbl_model_rng *rng)
{
    float largest = logits[0];
    double total = 0;
    for (size_t j = 1; j < count; j++) largest = logits[j] > largest ? logits[j] : largest;
    for (size_t j = 0; j < count; j++) total += sbl_exact_exp((double)logits[j] - (double)largest);
    double left = sbl_model_rng_uniform(rng) * total;
    for (size_t j = 0; j + 1 < count; j++) {
        left -= sbl_exact_exp((double)logits[j] - (double)largest);
        if (left < 0) return (uint32_t)j;
    }
    return (uint32_t)(count - 1);
}

/* At most CHUNK rows from row `first` on, row `at` of out being the first. buffers: three of
 * (CHUNK, widest). */
static void draw_chunk(const sbl_sampler *s, const sbl_drawn *out, size_t at, float *buffers,
                       uint64_t first, size_t rows, size_t wanted)
{
    const sbl_record_shape *shape = &s->generator->facts.shape;
    const size_t d = shape->numeric, columns = shape->categorical, width = d + shape->onehot;
    const size_t inputs = sbl_generator_inputs(s->generator);
    sbl_model_rng rngs[CHUNK];
    float *latents = buffers + 2 * CHUNK * s->folded.widest;
    for (size_t r = 0; r < rows; r++) {
        const uint32_t class = draw_input(s, latents + r * inputs, &rngs[r], first + r, wanted);
        if (out->labels) out->labels[at + r] = class;
    }
    const float *outputs = sbl_folded_run(&s->folded, buffers, latents, rows);
    for (size_t r = 0; r < rows; r++) {
        const float *row = outputs + r * width;
        for (size_t i = 0; i < d; i++)
            out->numeric[(at + r) * d + i] = 1 / (1 + sbl_exact_exp(-(double)row[i]));
        for (size_t k = 0; k < columns; k++)
            out->codes[(at + r) * columns + k] =
                draw_category(row + d + shape->offsets[k], shape->cardinalities[k], &rngs[r]);
    }
}

static sbl_status draw_rows(const sbl_sampler *s, const sbl_drawn *out, uint64_t first, size_t rows,
                            size_t wanted, sbl_error *err)
{
    const size_t each = 3 * CHUNK * s->folded.widest, threads = (size_t)sbl_thread_limit();
    const size_t chunks = (rows + CHUNK - 1) / CHUNK;
    float *buffers = sbl_alloc_array(threads, each * sizeof *buffers);
    if (!buffers) return sbl_fail(err, SBL_EMEM, "out of memory for sampling");
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)threads))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t at = chunk * CHUNK, left = rows - at;
        draw_chunk(s, out, at, buffers + (size_t)sbl_thread_index() * each, first + at,
                   left < CHUNK ? left : CHUNK, wanted);
    }
    sbl_free(buffers);
    return SBL_OK;
}

/* ---- images ---- */

/* One whole run into s->pixels and s->run_labels. */
static void draw_run(sbl_sampler *s, uint64_t first, size_t wanted)
{
    sbl_generator *generator = s->generator;
    const size_t width = sbl_generator_inputs(generator);
    sbl_model_rng rng;
    for (size_t r = 0; r < SBL_IMAGE_RUN; r++)
        s->run_labels[r] = draw_input(s, s->inputs + r * width, &rng, first + r, wanted);
    const float *outputs =
        sbl_net_forward(&generator->net, &s->work, s->inputs, SBL_IMAGE_RUN, false);
    sbl_pixel_head_forward(s->pixels, &generator->facts.images, outputs, generator->net.output,
                           SBL_IMAGE_RUN, false);
}

static void draw_images(sbl_sampler *s, const sbl_drawn *out, uint64_t first, size_t rows,
                        size_t wanted)
{
    const size_t size = s->generator->facts.shape.numeric;
    for (size_t done = 0; done < rows;) {
        const uint64_t image = first + done;
        const size_t skip = (size_t)(image % SBL_IMAGE_RUN);
        const size_t room = SBL_IMAGE_RUN - skip;
        const size_t take = rows - done < room ? rows - done : room;
        draw_run(s, image - skip, wanted);
        for (size_t i = 0; i < take * size; i++)
            out->pixels[done * size + i] = (uint8_t)lrintf(255 * s->pixels[skip * size + i]);
        if (out->labels)
            memcpy(out->labels + done, s->run_labels + skip, take * sizeof *out->labels);
        done += take;
    }
}

sbl_status sbl_sampler_draw(sbl_sampler *s, const sbl_drawn *out, uint64_t first, size_t rows,
                            size_t wanted, sbl_error *err)
{
    if (wanted != SBL_ANY_CLASS && wanted >= s->generator->facts.classes)
        return sbl_fail(err, SBL_EARG, "the model has no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "row numbers end at 2^56");
    if (is_table(s)) return draw_rows(s, out, first, rows, wanted, err);
    draw_images(s, out, first, rows, wanted);
    return SBL_OK;
}
