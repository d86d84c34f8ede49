/* SPDX-License-Identifier: Apache-2.0 */
/* A table generator's network for sampling: batch norms with their running statistics folded into
 * the dense layers before them, and products in one fixed order without fused operations, so that
 * its outputs are the same bits on every platform and in any company. */
#include "after/sample/sampler.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "after/train/output_heads.h"
#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "base/compute/threads.h"
#include "base/error.h"
#include "base/nn/net.h"
#include "base/random/model_rng.h"

/* y = x W + u V + bias, where there is a ReLU held to y >= 0. */
typedef struct folded_layer {
    size_t in, out, codes; /* codes: numbers of u; 0: none */
    float *weight;         /* (in, out) */
    float *code_weight;    /* (codes, out) */
    float *bias;           /* (out) */
    bool relu;
} folded_layer;

typedef struct folded_net {
    folded_layer *layers;
    size_t count, inputs, widest; /* widest: of inputs and outputs */
    sbl_pool pool;                /* of all these */
} folded_net;

#define EPSILON 1e-5f /* of batch norm, as in base/nn/net_layers.h */

static sbl_status open_layer(folded_layer *to, sbl_pool *pool, const sbl_net *net, const sbl_net_layer *dense,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    to->in = sbl_volume_size(dense->in);
    to->out = dense->out.channels;
    SBL_POOL(pool, to->weight, dense->weight_count, 1, "sampling");
    SBL_POOL(pool, to->bias, to->out, 1, "sampling");
    for (size_t j = 0; j < to->out; j++)
        for (size_t i = 0; i < to->in; i++)
            to->weight[i * to->out + j] = net->weights[dense->weight + j * to->in + i];
    if (dense->bias_count) memcpy(to->bias, net->weights + dense->bias, to->out * sizeof *to->bias);
done:
    return status;
}

static sbl_status take_codes(folded_layer *to, sbl_pool *pool, const sbl_net *net, const sbl_net_layer *layer,
                             sbl_error *err)
{
    sbl_status status = SBL_OK;
    to->codes = layer->ask.inputs;
    SBL_POOL(pool, to->code_weight, layer->weight_count, 1, "sampling");
    for (size_t j = 0; j < to->out; j++)
        for (size_t i = 0; i < to->codes; i++)
            to->code_weight[i * to->out + j] = net->weights[layer->weight + j * to->codes + i];
done:
    return status;
}

/* gamma (x W + b - m) / sqrt(v + eps) + beta = x (s W) + s (b - m) + beta */
static void fold_norm(folded_layer *to, const sbl_net *net, const sbl_net_layer *norm)
{
    const float *gamma = net->weights + norm->weight, *beta = net->weights + norm->bias;
    const float *mean = net->running + norm->running, *variance = mean + to->out;
    for (size_t j = 0; j < to->out; j++) {
        const float scale = gamma[j] / sqrtf(variance[j] + EPSILON);
        for (size_t i = 0; i < to->in; i++) to->weight[i * to->out + j] *= scale;
        for (size_t i = 0; i < to->codes; i++) to->code_weight[i * to->out + j] *= scale;
        to->bias[j] = (to->bias[j] - mean[j]) * scale + beta[j];
    }
}

/* One layer of the network after the others; last: the folded layer that it belongs to. */
static sbl_status take_layer(folded_net *folded, const sbl_net *net, size_t l, sbl_error *err)
{
    const sbl_net_layer *layer = &net->layers[l];
    folded_layer *last = folded->count ? &folded->layers[folded->count - 1] : NULL;
    const sbl_layer_kind kind = layer->ask.kind;
    if (kind == SBL_LAYER_DENSE)
        return open_layer(&folded->layers[folded->count++], &folded->pool, net, layer, err);
    if (last && !last->relu) {
        if (kind == SBL_LAYER_ADD_INPUT && last->codes == 0)
            return take_codes(last, &folded->pool, net, layer, err);
        if (kind == SBL_LAYER_BATCH_NORM) {
            fold_norm(last, net, layer);
            return SBL_OK;
        }
        if (kind == SBL_LAYER_RELU) {
            last->relu = true;
            return SBL_OK;
        }
    }
    return sbl_fail(err, SBL_EINPUT, "layer %zu of the network cannot be used for tables", l);
}

/* Returns: SBL_OK; SBL_EINPUT when the network has other layers than dense ones, batch norms, ReLUs
 * and add_input; SBL_EMEM */
static sbl_status folded_init(folded_net *folded, const sbl_net *net, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *folded = (folded_net){.inputs = sbl_volume_size(net->input)};
    folded->widest = folded->inputs;
    SBL_POOL(&folded->pool, folded->layers, net->layer_count, 1, "sampling");
    for (size_t l = 0; l < net->layer_count; l++) {
        SBL_TRY(take_layer(folded, net, l, err));
        const size_t width = sbl_volume_size(net->layers[l].out);
        if (width > folded->widest) folded->widest = width;
    }
done:
    return status;
}

/* x (rows, in), u (rows of stride inputs) -> y (rows, out). What u holds is mostly zeros. */
static void run_layer(float *y, const float *x, const float *u, size_t u_stride, const folded_layer *l,
                      size_t rows)
{
    sbl_gemm_exact(y, x, l->weight, rows, l->out, l->in);
    for (size_t r = 0; r < rows; r++) {
        float *row = y + r * l->out;
        for (size_t i = 0; i < l->codes; i++) {
            const float code = u[r * u_stride + i];
            for (size_t j = 0; code != 0 && j < l->out; j++) row[j] += code * l->code_weight[i * l->out + j];
        }
        for (size_t j = 0; j < l->out; j++) {
            const float value = row[j] + l->bias[j];
            row[j] = l->relu && value < 0 ? 0 : value;
        }
    }
}

/* The outputs (rows, outputs) of inputs (rows, inputs), in one of the two buffers of (rows, widest)
 * each. */
static const float *folded_run(const folded_net *folded, float *buffers, const float *inputs, size_t rows)
{
    const float *x = inputs;
    float *y = buffers, *other = buffers + rows * folded->widest;
    for (size_t l = 0; l < folded->count; l++) {
        const folded_layer *layer = &folded->layers[l];
        run_layer(y, x, inputs + folded->inputs - layer->codes, folded->inputs, layer, rows);
        x = y;
        y = other;
        other = (float *)x;
    }
    return x;
}

/* [7] Tables go through the folded network in chunks of 32 rows, with exact exponentials; images
 * through the trained one in whole runs of 64 that begin at multiples of 64, so that any cut of
 * the rows gives the same images. */

#define CHUNK 32                      /* rows of a table through the network at a time */
#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */

struct sbl_sampler {
    sbl_generator *generator; /* borrowed */
    uint64_t seed;
    folded_net folded;      /* tables */
    sbl_net_workspace work; /* images, and all below */
    float *inputs;          /* (SBL_IMAGE_RUN, inputs) */
    float *pixels;          /* (SBL_IMAGE_RUN, size) */
    uint32_t run_labels[SBL_IMAGE_RUN];
    sbl_pool pool; /* of inputs and pixels */
};

static bool is_table(const sbl_sampler *s) { return s->generator->facts.kind == SBL_DATA_TABLE; }

static sbl_status open_images(sbl_sampler *s, sbl_error *err)
{
    const size_t size = s->generator->facts.shape.numeric;
    sbl_status status = SBL_OK;
    SBL_POOL(&s->pool, s->inputs, SBL_IMAGE_RUN, sbl_generator_inputs(s->generator), "sampling");
    SBL_POOL(&s->pool, s->pixels, SBL_IMAGE_RUN, size, "sampling");
    SBL_TRY(sbl_net_workspace_init(&s->work, &s->generator->net, SBL_IMAGE_RUN, SBL_NET_SAMPLE, err));
done:
    return status;
}

sbl_status sbl_sampler_new(sbl_sampler **sampler, sbl_generator *generator, uint64_t seed, sbl_error *err)
{
    sbl_status status = SBL_OK;
    *sampler = NULL;
    sbl_sampler *s;
    SBL_ALLOC(s, 1, "sampling");
    s->generator = generator;
    s->seed = seed;
    SBL_TRY(is_table(s) ? folded_init(&s->folded, &generator->net, err) : open_images(s, err));
    *sampler = s;
    s = NULL;
done:
    sbl_sampler_free(s);
    return status;
}

void sbl_sampler_free(sbl_sampler *sampler)
{
    if (!sampler) return;
    sbl_pool_clear(&sampler->folded.pool);
    sbl_net_workspace_clear(&sampler->work);
    sbl_pool_clear(&sampler->pool);
    sbl_free(sampler);
}

/* A cell of this class by their shares; any where all have share 0. */
static size_t draw_cell(const sbl_generator *generator, sbl_model_rng *rng, size_t class)
{
    const size_t cells = sbl_generator_cells(generator), first = class * cells;
    float total = 0;
    for (size_t k = 0; k < cells; k++) total += generator->class_shares[first + k];
    return first + (total > 0 ? sbl_model_rng_categorical(rng, generator->class_shares + first, cells)
                              : (size_t)sbl_model_rng_below(rng, cells));
}

/* A row's network input; returns its class. The class's draw is made also where the class is given,
 * so that the latents do not depend on it. */
static uint32_t draw_input(const sbl_sampler *s, float *input, sbl_model_rng *rng, uint64_t row,
                           size_t wanted)
{
    const sbl_generator *generator = s->generator;
    sbl_model_rng_init(rng, s->seed, SBL_RNG_SAMPLE_ROW, row);
    const size_t drawn = sbl_model_rng_categorical(rng, generator->class_shares, generator->facts.classes);
    const size_t cells = sbl_generator_cells(generator);
    size_t class = wanted == SBL_ANY_CLASS || cells > 1 ? drawn : wanted;
    sbl_model_rng_latents(rng, input, generator->latent, generator->signs);
    if (wanted != SBL_ANY_CLASS && cells > 1) class = draw_cell(generator, rng, wanted);
    sbl_generator_set_class(generator, input, class);
    return (uint32_t)(class / cells);
}

/* ---- tables ---- */

/* A category with probability proportional to exp(logit), never one whose exponential is 0. */
static uint32_t draw_category(const float *logits, size_t count, sbl_model_rng *rng)
{
    float largest = logits[0];
    double total = 0;
    for (size_t j = 1; j < count; j++) largest = logits[j] > largest ? logits[j] : largest;
    for (size_t j = 0; j < count; j++) total += sbl_exact_exp((double)logits[j] - (double)largest);
    double left = sbl_model_rng_uniform(rng) * total;
    size_t last = 0;
    for (size_t j = 0; j < count; j++) {
        const double part = sbl_exact_exp((double)logits[j] - (double)largest);
        if (!(part > 0)) continue;
        last = j;
        left -= part;
        if (left < 0) break;
    }
    return (uint32_t)last;
}

/* At most CHUNK rows from row `first` on, row `at` of out being the first. buffers: three of
 * (CHUNK, widest). */
static void draw_chunk(const sbl_sampler *s, const sbl_drawn *out, size_t at, float *buffers, uint64_t first,
                       size_t rows, size_t wanted)
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
    const float *outputs = folded_run(&s->folded, buffers, latents, rows);
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
    sbl_status status = SBL_OK;
    float *buffers;
    SBL_ALLOC(buffers, threads * each, "sampling");
    SBL_OMP(omp parallel for schedule(dynamic) num_threads((int)threads))
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const size_t at = chunk * CHUNK, left = rows - at;
        draw_chunk(s, out, at, buffers + (size_t)sbl_thread_index() * each, first + at,
                   left < CHUNK ? left : CHUNK, wanted);
    }
done:
    sbl_free(buffers);
    return status;
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
    const float *outputs = sbl_net_forward(&generator->net, &s->work, s->inputs, SBL_IMAGE_RUN, false);
    sbl_pixel_head_forward(&sbl_backend_cpu, s->pixels, &generator->facts.images, outputs,
                           generator->net.output, SBL_IMAGE_RUN, false);
}

static void draw_images(sbl_sampler *s, const sbl_drawn *out, uint64_t first, size_t rows, size_t wanted)
{
    const size_t size = s->generator->facts.shape.numeric;
    for (size_t done = 0; done < rows;) {
        const uint64_t image = first + done;
        const size_t skip = (size_t)(image % SBL_IMAGE_RUN);
        const size_t left = SBL_IMAGE_RUN - skip;
        const size_t take = rows - done < left ? rows - done : left;
        draw_run(s, image - skip, wanted);
        for (size_t i = 0; i < take * size; i++)
            out->pixels[done * size + i] = (uint8_t)lrintf(255 * s->pixels[skip * size + i]);
        if (out->labels) memcpy(out->labels + done, s->run_labels + skip, take * sizeof *out->labels);
        done += take;
    }
}

sbl_status sbl_sampler_draw(sbl_sampler *s, const sbl_drawn *out, uint64_t first, size_t rows, size_t wanted,
                            sbl_error *err)
{
    if (wanted != SBL_ANY_CLASS && wanted >= s->generator->facts.classes / sbl_generator_cells(s->generator))
        return sbl_fail(err, SBL_EARG, "the model has no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "a seed gives at most 2^56 rows: use another seed");
    if (is_table(s)) return draw_rows(s, out, first, rows, wanted, err);
    draw_images(s, out, first, rows, wanted);
    return SBL_OK;
}

/* ---- rows of a table ---- */

sbl_status sbl_row_buffer_hold(sbl_row_buffer *buffer, size_t rows, size_t codes, size_t numbers,
                               sbl_error *err)
{
    sbl_status status = SBL_OK;
    if (rows <= buffer->capacity) return SBL_OK;
    sbl_pool_clear(&buffer->pool);
    buffer->capacity = 0;
    SBL_POOL(&buffer->pool, buffer->labels, rows, 1, "a few rows");
    SBL_POOL(&buffer->pool, buffer->columns, rows, codes, "a few rows");
    SBL_POOL(&buffer->pool, buffer->numbers, rows, numbers, "a few rows");
    buffer->capacity = rows;
done:
    return status;
}

void sbl_row_buffer_place(const sbl_row_buffer *buffer, const sbl_facts *facts, uint32_t *codes, size_t rows)
{
    const size_t all = facts->heads.categorical_count, others = facts->shape.categorical;
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < others; k++)
            codes[r * all + facts->code_columns[k]] = buffer->columns[r * others + k];
        if (facts->label_column != SBL_NO_HEAD) codes[r * all + facts->label_column] = buffer->labels[r];
    }
}

/* A generator as a kind of model: of tables and of images. */

typedef struct generator_state {
    sbl_generator generator;
    sbl_sampler *sampler;
    sbl_row_buffer rows; /* of a table */
} generator_state;

static void free_state(void *data)
{
    generator_state *state = data;
    sbl_sampler_free(state->sampler);
    sbl_generator_clear(&state->generator);
    sbl_pool_clear(&state->rows.pool);
    sbl_free(state);
}

sbl_status sbl_model_of_generator(sbl_model *model, sbl_generator *generator, sbl_error *err)
{
    sbl_status status = SBL_OK;
    generator_state *state;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    state->generator = *generator;
    *generator = (sbl_generator){0};
done:
    sbl_generator_clear(generator);
    return status;
}

const sbl_generator *sbl_model_generator(const sbl_model *model)
{
    return &((const generator_state *)model->state)->generator;
}

static sbl_status save(const void *data, sbl_store_entry to, json_t *metadata, bool overwrite, sbl_error *err)
{
    const generator_state *state = data;
    return sbl_generator_save(&state->generator, to, metadata, overwrite, err);
}

/* Drawing trusts the facts' sizes. */
static bool fits(const sbl_facts *own, const sbl_facts *facts, size_t cells)
{
    bool same = own->kind == facts->kind && own->classes == facts->classes * cells &&
                own->shape.numeric == facts->shape.numeric &&
                own->shape.categorical == facts->shape.categorical &&
                own->images.height == facts->images.height && own->images.width == facts->images.width;
    for (size_t k = 0; same && k < facts->shape.categorical; k++)
        same = own->shape.cardinalities[k] == facts->shape.cardinalities[k];
    return same;
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err)
{
    sbl_generator generator = {0};
    const sbl_status status = sbl_generator_from_tensors(&generator, file, where, err);
    if (status != SBL_OK) return status;
    if (fits(&generator.facts, &model->facts, sbl_generator_cells(&generator)))
        return sbl_model_of_generator(model, &generator, err);
    sbl_generator_clear(&generator);
    return sbl_fail(err, SBL_EINPUT, "%s: the network does not match its %s", where,
                    model->facts.kind == SBL_DATA_IMAGES ? "images" : "schema");
}

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    generator_state *state = model->state;
    sbl_sampler_free(state->sampler);
    return sbl_sampler_new(&state->sampler, &state->generator, seed, err);
}

static sbl_status draw_table(generator_state *state, const sbl_facts *facts, const sbl_drawn *drawn,
                             uint64_t first, size_t rows, size_t wanted, sbl_error *err)
{
    SBL_CHECK(sbl_row_buffer_hold(&state->rows, rows, facts->shape.categorical, 0, err));
    const sbl_drawn out = {
        .numeric = drawn->numeric, .codes = state->rows.columns, .labels = state->rows.labels};
    SBL_CHECK(sbl_sampler_draw(state->sampler, &out, first, rows, wanted, err));
    sbl_row_buffer_place(&state->rows, facts, drawn->codes, rows);
    return SBL_OK;
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err)
{
    generator_state *state = model->state;
    return model->facts.kind == SBL_DATA_IMAGES
               ? sbl_sampler_draw(state->sampler, drawn, first, rows, wanted, err)
               : draw_table(state, &model->facts, drawn, first, rows, wanted, err);
}

const sbl_model_kind sbl_model_kind_generator = {
    .name = "generator",
    .trained = true,
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .free = free_state,
};
