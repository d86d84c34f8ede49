/* [6] Buffers of one training step, allocated once, and the two heads (tables, images) between
 * network and generated batch. Latents come from one stream for each 64 rows, so that the threads do not
 * matter. */
#include "train/batch.h"

#include <math.h>
#include <string.h>

#include "base/floats.h"
#include "base/memory.h"
#include "compute/fourier.h"
#include "compute/threads.h"
#include "nn/output_heads.h"
#include "random/model_rng.h"

#define LATENT_CHUNK 64 /* rows that share a stream of latents */

size_t sbl_batch_starts(size_t *starts, const double *shares, size_t classes, size_t batch,
                        double balance)
{
    size_t active = 0;
    for (size_t c = 0; c < classes; c++) active += shares[c] > 0;
    starts[0] = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t rows = 0;
        if (shares[c] > 0) {
            rows = (size_t)((double)batch * (balance / (double)active + (1 - balance) * shares[c]) +
                            0.5);
            if (rows < SBL_BATCH_LEAST) rows = SBL_BATCH_LEAST;
        }
        starts[c + 1] = starts[c] + rows;
    }
    return starts[classes];
}

static bool allocate_records(sbl_batch *batch)
{
    const sbl_record_shape *shape = &batch->generator->facts.shape;
    sbl_generated *generated = &batch->generated;
    const size_t columns = shape->numeric + shape->onehot;
    bool failed = false;
    batch->network_inputs =
        sbl_floats(generated->rows, sbl_generator_inputs(batch->generator), &failed);
    if (batch->generator->facts.kind == SBL_DATA_IMAGES) {
        generated->pixels = batch->pixels = sbl_floats(generated->rows, shape->numeric, &failed);
        generated->d_pixels = sbl_floats(generated->rows, shape->numeric, &failed);
        return !failed;
    }
    generated->inputs = batch->inputs = sbl_floats(columns, generated->padded_rows, &failed);
    generated->expected = batch->expected = sbl_floats(generated->rows, shape->onehot, &failed);
    generated->d_inputs = sbl_floats(columns, generated->padded_rows, &failed);
    generated->d_expected = sbl_floats(shape->classes, shape->onehot, &failed);
    return !failed;
}

static void set_classes(sbl_batch *batch, const double *shares, double power)
{
    const size_t width = sbl_generator_inputs(batch->generator);
    for (size_t c = 0; c < batch->generator->facts.classes; c++) {
        batch->shares[c] = shares[c];
        batch->weights[c] = shares[c] > 0 ? pow(shares[c], -power) : 0;
        for (size_t r = batch->starts[c]; r < batch->starts[c + 1]; r++)
            sbl_generator_set_class(batch->generator, batch->network_inputs + r * width, c);
    }
}

sbl_status sbl_batch_init(sbl_batch *batch, const sbl_generator *generator, const double *shares,
                          size_t rows, double balance, double power, sbl_error *err)
{
    const size_t classes = generator->facts.classes;
    *batch = (sbl_batch){.generator = generator, .generated = {.facts = &generator->facts}};
    batch->starts = sbl_alloc_array(classes + 1, sizeof *batch->starts);
    batch->shares = sbl_alloc_array(classes, sizeof *batch->shares);
    batch->weights = sbl_alloc_array(classes, sizeof *batch->weights);
    if (!batch->starts || !batch->shares || !batch->weights) goto failed;
    batch->generated.rows = sbl_batch_starts(batch->starts, shares, classes, rows, balance);
    batch->generated.padded_rows = sbl_fourier_padded_rows(batch->generated.rows);
    batch->generated.starts = batch->starts;
    batch->generated.shares = batch->shares;
    batch->generated.weights = batch->weights;
    if (!allocate_records(batch)) goto failed;
    set_classes(batch, shares, power);
    return SBL_OK;
failed:
    sbl_batch_clear(batch);
    return sbl_no_memory(err, "training");
}

void sbl_batch_clear(sbl_batch *batch)
{
    sbl_free(batch->network_inputs);
    sbl_free(batch->starts);
    sbl_free(batch->shares);
    sbl_free(batch->weights);
    sbl_free(batch->inputs);
    sbl_free(batch->expected);
    sbl_free(batch->pixels);
    sbl_free(batch->generated.d_inputs);
    sbl_free(batch->generated.d_expected);
    sbl_free(batch->generated.d_pixels);
    *batch = (sbl_batch){0};
}

void sbl_batch_draw_latents(sbl_batch *batch, uint64_t seed, size_t step)
{
    const size_t width = sbl_generator_inputs(batch->generator);
    const size_t latent = batch->generator->latent, signs = batch->generator->signs;
    const size_t rows = batch->generated.rows, chunks = (rows + LATENT_CHUNK - 1) / LATENT_CHUNK;
    SBL_OMP(omp parallel for schedule(static))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        sbl_model_rng rng;
        sbl_model_rng_init(&rng, seed, SBL_RNG_TRAIN_LATENT, (uint64_t)step << 24 | chunk);
        for (size_t r = chunk * LATENT_CHUNK; r < (chunk + 1) * LATENT_CHUNK && r < rows; r++)
            sbl_model_rng_latents(&rng, batch->network_inputs + r * width, latent, signs);
    }
}

void sbl_batch_forward(sbl_batch *batch, const float *outputs, uint64_t seed, size_t step)
{
    const sbl_generator *generator = batch->generator;
    const sbl_record_shape *shape = &generator->facts.shape;
    sbl_generated *generated = &batch->generated;
    const size_t rows = generated->rows, padded = generated->padded_rows;
    if (generator->facts.kind == SBL_DATA_IMAGES) {
        sbl_pixel_head_forward(batch->pixels, &generator->facts.images, outputs,
                               generator->net.output, rows, true);
        memset(generated->d_pixels, 0, rows * shape->numeric * sizeof *generated->d_pixels);
        return;
    }
    sbl_output_heads_forward(batch->inputs, padded, batch->expected, outputs, shape, rows);
    if (shape->categorical > 0)
        sbl_output_heads_draw(batch->inputs + shape->numeric * padded, padded, batch->expected,
                              shape, rows, seed, step);
    memset(generated->d_inputs, 0,
           (shape->numeric + shape->onehot) * padded * sizeof *generated->d_inputs);
    memset(generated->d_expected, 0,
           shape->classes * shape->onehot * sizeof *generated->d_expected);
}

void sbl_batch_backward(const sbl_batch *batch, float *d_outputs, const float *outputs)
{
    const sbl_generator *generator = batch->generator;
    const sbl_record_shape *shape = &generator->facts.shape;
    const sbl_generated *generated = &batch->generated;
    if (generator->facts.kind == SBL_DATA_IMAGES) {
        sbl_pixel_head_backward(d_outputs, &generator->facts.images, generated->d_pixels, outputs,
                                generator->net.output, generated->rows);
        return;
    }
    const sbl_heads_gradient gradient = {
        .d_numbers = generated->d_inputs,
        .d_entries = generated->d_inputs + shape->numeric * generated->padded_rows,
        .d_class = generated->d_expected,
        .padded_rows = generated->padded_rows};
    sbl_output_heads_backward(d_outputs, &gradient, batch->inputs, batch->expected, shape,
                              generated->starts);
}
