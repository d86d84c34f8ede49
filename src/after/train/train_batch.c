/* SPDX-License-Identifier: Apache-2.0 */
/* [6] Buffers of one training step, allocated once, and the two heads (tables, images) between
 * network and generated batch. Latents come from one stream for each 64 rows, so that the threads do not
 * matter. */
#include "after/train/train_batch.h"

#include <math.h>
#include <string.h>

#include "after/train/output_heads.h"
#include "base/alloc.h"
#include "base/compute/fourier.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

#define LATENT_CHUNK 64 /* rows that share a stream of latents */

size_t sbl_train_batch_starts(size_t *starts, const double *shares, size_t classes, size_t batch,
                              double balance, size_t least)
{
    size_t active = 0;
    for (size_t c = 0; c < classes; c++) active += shares[c] > 0;
    starts[0] = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t rows = 0;
        if (shares[c] > 0) {
            rows = (size_t)((double)batch * (balance / (double)active + (1 - balance) * shares[c]) + 0.5);
            if (rows < least) rows = least;
        }
        starts[c + 1] = starts[c] + rows;
    }
    return starts[classes];
}

#define ONE_SET 1024 /* floats: columns so far apart would fall on one set of the first cache */

/* One group more where columns would lie whole pages apart. */
static size_t padded_rows_of(size_t rows)
{
    const size_t padded = sbl_fourier_padded_rows(rows);
    return padded % ONE_SET == 0 ? padded + SBL_FOURIER_ROWS : padded;
}

static sbl_status allocate(sbl_train_batch *batch, const double *shares, size_t rows, double balance,
                           sbl_error *err)
{
    const sbl_record_shape *shape = &batch->generator->facts.shape;
    const size_t columns = shape->numeric + shape->onehot;
    const size_t classes = batch->generator->facts.classes;
    sbl_generated *generated = &batch->generated;
    sbl_status status = SBL_OK;
    SBL_POOL(&batch->pool, batch->starts, classes + 1, 1, "training");
    SBL_POOL(&batch->pool, batch->shares, classes, 1, "training");
    SBL_POOL(&batch->pool, batch->weights, classes, 1, "training");
    generated->rows = sbl_train_batch_starts(
        batch->starts, shares, classes, rows, balance,
        sbl_generator_cells(batch->generator) > 1 ? SBL_BATCH_LEAST_CELL : SBL_BATCH_LEAST);
    generated->padded_rows = padded_rows_of(generated->rows);
    SBL_POOL(&batch->pool, batch->network_inputs, generated->rows, sbl_generator_inputs(batch->generator),
             "training");
    batch->placed_inputs = batch->network_inputs;
    if (!generated->on->is_host)
        SBL_TENSOR(&batch->tensors, batch->placed_inputs, generated->rows,
                   sbl_generator_inputs(batch->generator), "training");
    if (batch->generator->facts.kind == SBL_DATA_IMAGES) {
        SBL_TENSOR(&batch->tensors, batch->pixels, generated->rows, shape->numeric, "training");
        SBL_TENSOR(&batch->tensors, generated->d_pixels, generated->rows, shape->numeric, "training");
        goto done;
    }
    SBL_POOL(&batch->pool, batch->inputs, columns, generated->padded_rows, "training");
    SBL_POOL(&batch->pool, batch->expected, generated->rows, shape->onehot, "training");
    SBL_POOL(&batch->pool, generated->d_inputs, columns, generated->padded_rows, "training");
    SBL_POOL(&batch->pool, generated->d_expected, shape->classes, shape->onehot, "training");
    SBL_POOL(&batch->pool, generated->own_expected, shape->classes, 1, "training");
done:
    return status;
}

static void set_classes(sbl_train_batch *batch, const double *shares, double power)
{
    const size_t width = sbl_generator_inputs(batch->generator);
    for (size_t c = 0; c < batch->generator->facts.classes; c++) {
        batch->shares[c] = shares[c];
        batch->weights[c] = shares[c] > 0 ? pow(shares[c], -power) : 0;
        for (size_t r = batch->starts[c]; r < batch->starts[c + 1]; r++)
            sbl_generator_set_class(batch->generator, batch->network_inputs + r * width, c);
    }
}

/* The cells of a class side by side are the class. */
static sbl_status join_cells(sbl_train_batch *batch, double power, sbl_error *err)
{
    const size_t cells = sbl_generator_cells(batch->generator);
    const size_t classes = batch->generator->facts.classes / cells;
    size_t *starts;
    double *shares, *weights;
    sbl_status status = SBL_OK;
    SBL_POOL(&batch->pool, starts, classes + 1, 1, "training");
    SBL_POOL(&batch->pool, shares, classes, 1, "training");
    SBL_POOL(&batch->pool, weights, classes, 1, "training");
    for (size_t c = 0; c < classes; c++) {
        for (size_t k = 0; k < cells; k++) shares[c] += batch->shares[c * cells + k];
        starts[c + 1] = batch->starts[(c + 1) * cells];
        weights[c] = shares[c] > 0 ? pow(shares[c], -power) : 0;
    }
    batch->whole_facts = batch->generator->facts;
    batch->whole_facts.classes = classes;
    batch->whole = batch->generated;
    batch->whole.facts = &batch->whole_facts;
    batch->whole.starts = starts;
    batch->whole.shares = shares;
    batch->whole.weights = weights;
done:
    return status;
}

sbl_status sbl_train_batch_init(sbl_train_batch *batch, const sbl_generator *generator, const sbl_backend *on,
                                const double *shares, size_t rows, double balance, double power,
                                sbl_error *err)
{
    sbl_status status = SBL_OK;
    *batch = (sbl_train_batch){
        .generator = generator,
        .generated = {.on = on,
                      .facts = &generator->facts,
                      .network_bytes = on->is_host ? SBL_BATCH_HOST_BYTES : SBL_BATCH_DEVICE_BYTES},
        .tensors = sbl_tensors_on(on)};
    SBL_TRY(allocate(batch, shares, rows, balance, err));
    batch->generated.starts = batch->starts;
    batch->generated.shares = batch->shares;
    batch->generated.weights = batch->weights;
    batch->generated.pixels = batch->pixels;
    batch->generated.inputs = batch->inputs;
    batch->generated.expected = batch->expected;
    set_classes(batch, shares, power);
    SBL_TRY(join_cells(batch, power, err));
done:
    if (status != SBL_OK) sbl_train_batch_clear(batch);
    return status;
}

void sbl_train_batch_clear(sbl_train_batch *batch)
{
    sbl_pool_clear(&batch->pool);
    sbl_tensors_clear(&batch->tensors);
    *batch = (sbl_train_batch){0};
}

static void draw(sbl_train_batch *batch, uint64_t seed, size_t step)
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

void sbl_train_batch_draw_latents(sbl_train_batch *batch, uint64_t seed, size_t step)
{
    const sbl_backend *on = batch->generated.on;
    if (batch->ahead != step + 1) draw(batch, seed, step);
    batch->ahead = 0;
    if (!on->is_host)
        on->write(on->device, batch->placed_inputs, batch->network_inputs,
                  batch->generated.rows * sbl_generator_inputs(batch->generator));
}

void sbl_train_batch_draw_ahead(sbl_train_batch *batch, uint64_t seed, size_t step)
{
    if (batch->generated.on->is_host) return;
    draw(batch, seed, step);
    batch->ahead = step + 1;
}

void sbl_train_batch_forward(sbl_train_batch *batch, const float *outputs, uint64_t seed, size_t step)
{
    const sbl_generator *generator = batch->generator;
    const sbl_record_shape *shape = &generator->facts.shape;
    sbl_generated *generated = &batch->generated;
    const size_t rows = generated->rows, padded = generated->padded_rows;
    if (generator->facts.kind == SBL_DATA_IMAGES) {
        const sbl_backend *on = generated->on;
        sbl_pixel_head_forward(on, batch->pixels, &generator->facts.images, outputs, generator->net.output,
                               rows, true);
        on->zero(on->device, generated->d_pixels, rows * shape->numeric);
        return;
    }
    sbl_output_heads_forward(batch->inputs, padded, batch->expected, outputs, shape, rows);
    if (shape->categorical > 0)
        sbl_output_heads_draw(batch->inputs + shape->numeric * padded, padded, batch->expected, shape, rows,
                              seed, step);
    generated->on->zero(generated->on->device, generated->d_inputs,
                        (shape->numeric + shape->onehot) * padded);
    memset(generated->d_expected, 0, shape->classes * shape->onehot * sizeof *generated->d_expected);
    memset(generated->own_expected, 0, shape->classes * sizeof *generated->own_expected);
}

void sbl_train_batch_backward(const sbl_train_batch *batch, float *d_outputs, const float *outputs)
{
    const sbl_generator *generator = batch->generator;
    const sbl_record_shape *shape = &generator->facts.shape;
    const sbl_generated *generated = &batch->generated;
    if (generator->facts.kind == SBL_DATA_IMAGES) {
        sbl_pixel_head_backward(generated->on, d_outputs, &generator->facts.images, generated->d_pixels,
                                outputs, generator->net.output, generated->rows);
        return;
    }
    const sbl_heads_gradient gradient = {
        .d_numbers = generated->d_inputs,
        .d_entries = generated->d_inputs + shape->numeric * generated->padded_rows,
        .d_class = generated->d_expected,
        .padded_rows = generated->padded_rows,
        .own = generated->own_expected};
    sbl_output_heads_backward(d_outputs, &gradient, batch->inputs, batch->expected, shape, generated->starts);
}
