/* SPDX-License-Identifier: Apache-2.0 */
/* [7] Cells by binary search in cumulated probabilities, a number evenly within its cell; every
 * row takes the same number of draws. Then the kind of model around it: its metadata hold two
 * numbers (bins, singles), from which the cells follow again. */
#include "after/sample/marginals_sampler.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

#define CELLS "semblance.cells"
#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */

struct sbl_marginals_sampler {
    const sbl_marginals_model *model;
    double *cumulative; /* (C, T): running sums of a column's probabilities */
    double *shares;     /* (C): running sums of the class shares */
    uint64_t seed;
    sbl_pool pool; /* of the arrays */
};

static void running_sums(double *sums, const float *values, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) sums[i] = total += (double)values[i];
}

sbl_status sbl_marginals_sampler_new(sbl_marginals_sampler **sampler, const sbl_marginals_model *model,
                                     uint64_t seed, sbl_error *err)
{
    const sbl_bins *cells = &model->cells;
    sbl_status status = SBL_OK;
    sbl_marginals_sampler *s;
    *sampler = NULL;
    SBL_ALLOC(s, 1, "sampling");
    s->model = model;
    s->seed = seed;
    SBL_POOL(&s->pool, s->cumulative, cells->classes, cells->total, "sampling");
    SBL_POOL(&s->pool, s->shares, cells->classes, 1, "sampling");
    for (size_t c = 0; c < cells->classes; c++)
        for (size_t k = 0; k < cells->count; k++) {
            size_t at = c * cells->total + cells->columns[k].offset;
            running_sums(s->cumulative + at, model->probabilities + at, cells->columns[k].count);
        }
    running_sums(s->shares, model->class_shares, cells->classes);
    *sampler = s;
    s = NULL;
done:
    sbl_marginals_sampler_free(s);
    return status;
}

void sbl_marginals_sampler_free(sbl_marginals_sampler *sampler)
{
    if (sampler == NULL) return;
    sbl_pool_clear(&sampler->pool);
    sbl_free(sampler);
}

/* The first entry above uniform * total: never one of probability 0. */
static size_t pick(const double *sums, size_t count, double uniform)
{
    double wanted = uniform * sums[count - 1];
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sums[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Every column takes the same number of draws whatever comes out of them. */
static void draw_row(const sbl_marginals_sampler *s, double *numeric, uint32_t *codes, uint64_t row,
                     size_t wanted)
{
    const sbl_bins *cells = &s->model->cells;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, s->seed, SBL_RNG_SAMPLE_ROW, row);
    size_t class = pick(s->shares, cells->classes, sbl_model_rng_uniform(&rng));
    if (wanted != SBL_ANY_CLASS) class = wanted;
    if (cells->label != SBL_NO_HEAD) codes[cells->label] = (uint32_t) class;
    for (size_t k = 0; k < cells->count; k++) {
        const sbl_bins_column *column = &cells->columns[k];
        size_t cell = pick(s->cumulative + class * cells->total + column->offset, column->count,
                           sbl_model_rng_uniform(&rng));
        if (column->kind == SBL_HEAD_CATEGORICAL) {
            codes[column->index] = (uint32_t)cell;
            continue;
        }
        numeric[column->index] = sbl_bins_place(column, cell, sbl_model_rng_uniform(&rng));
        if (column->indicator != SBL_NO_HEAD) codes[column->indicator] = sbl_bins_indicator(column, cell);
    }
}

sbl_status sbl_marginals_sampler_draw(const sbl_marginals_sampler *s, double *numeric, uint32_t *codes,
                                      uint64_t first, size_t rows, size_t wanted, sbl_error *err)
{
    const sbl_bins *cells = &s->model->cells;
    if (wanted != SBL_ANY_CLASS && wanted >= cells->classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "a seed gives at most 2^56 rows: use another seed");
    SBL_OMP(omp parallel for schedule(static))
    for (size_t r = 0; r < rows; r++)
        draw_row(s, numeric ? numeric + r * cells->numeric_count : NULL,
                 codes ? codes + r * cells->categorical_count : NULL, first + r, wanted);
    return SBL_OK;
}

/* ---- the kind of model ---- */

typedef struct marginals_state {
    sbl_marginals_model model;
    sbl_marginals_sampler *sampler;
} marginals_state;

static void free_state(void *data)
{
    marginals_state *state = data;
    sbl_marginals_sampler_free(state->sampler);
    sbl_marginals_model_clear(&state->model);
    sbl_free(state);
}

sbl_status sbl_model_of_marginals(sbl_model *model, sbl_marginals_model *marginals, sbl_error *err)
{
    sbl_status status = SBL_OK;
    marginals_state *state;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    state->model = *marginals;
    *marginals = (sbl_marginals_model){0};
done:
    sbl_marginals_model_clear(marginals);
    return status;
}

/* The bins follow from the schema, which is in the plan, and these two numbers: a file cannot
 * hold bins of another table. */
static json_t *cells_to_text(const sbl_bins *cells)
{
    char text[80];
    (void)snprintf(text, sizeof text, "{\"bins\":%zu,\"singles\":%zu}", cells->bins, cells->singles);
    return json_string(text);
}

static sbl_status save(const void *data, sbl_store_entry to, json_t *metadata, bool overwrite, sbl_error *err)
{
    const marginals_state *state = data;
    return json_object_set_new(metadata, CELLS, cells_to_text(&state->model.cells)) == 0
               ? sbl_marginals_model_save(&state->model, to, metadata, overwrite, err)
               : sbl_no_memory(err, "a model file");
}

static sbl_status read_cells(sbl_bins *cells, const sbl_model *model, const sbl_safetensors *file,
                             const char *where, sbl_error *err)
{
    const sbl_facts *facts = &model->facts;
    const char *text;
    uint64_t bins;
    uint64_t singles;
    json_t *object = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_json_get_string(&text, file->metadata, CELLS, where, err));
    SBL_TRY(sbl_json_parse(&object, text, strlen(text), where, err));
    SBL_TRY(sbl_json_get_u64(&bins, object, "bins", where, err));
    SBL_TRY(sbl_json_get_u64(&singles, object, "singles", where, err));
    if (facts->kind != SBL_DATA_TABLE || json_object_size(object) != 2)
        SBL_FAIL(err, SBL_EINPUT, "%s: the histograms do not match a table", where);
    SBL_TRY(sbl_bins_init(cells, facts->schema, &facts->heads, bins, singles, err));
done:
    if (status == SBL_EARG) status = SBL_EINPUT;
    json_decref(object);
    return status;
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err)
{
    sbl_bins cells = {0};
    sbl_marginals_model marginals = {0};
    sbl_status status = read_cells(&cells, model, file, where, err);
    if (status == SBL_OK) status = sbl_marginals_model_read(&marginals, &cells, file, where, err);
    return status == SBL_OK ? sbl_model_of_marginals(model, &marginals, err) : status;
}

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    marginals_state *state = model->state;
    sbl_marginals_sampler_free(state->sampler);
    return sbl_marginals_sampler_new(&state->sampler, &state->model, seed, err);
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err)
{
    const marginals_state *state = model->state;
    return sbl_marginals_sampler_draw(state->sampler, drawn->numeric, drawn->codes, first, rows, wanted, err);
}

const sbl_model_kind sbl_model_kind_marginals = {
    .name = "marginals",
    .independent = true,
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .free = free_state,
};
