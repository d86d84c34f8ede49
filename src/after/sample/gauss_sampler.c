/* SPDX-License-Identifier: Apache-2.0 */
/* [7] One random stream per row: class, latents, a product with the class's factors, and back to
 * the columns. Rows go in chunks of 64 that share a worker's buffers. */
#include "after/sample/gauss_sampler.h"

#include <stdio.h>
#include <string.h>

#include "after/sample/sampler.h"
#include "base/alloc.h"
#include "base/compute/gemm.h"
#include "base/compute/threads.h"
#include "base/random/model_rng.h"

#define MOST_ROWS (UINT64_C(1) << 56) /* streams of one use */
#define CHUNK 64                      /* rows that share a worker's buffers */

/* One worker's buffers. */
typedef struct buffers {
    float *latents; /* (G) */
    float *point;   /* (W) */
    float *proportions;
} buffers;

static double to_unit(double value)
{
    const double unit = (1.0 + value) / 2.0;
    if (!(unit >= 0.0)) return 0.0;
    return unit <= 1.0 ? unit : 1.0;
}

static void write_projected(double *numeric, const sbl_gauss_model *model, const float *point)
{
    for (size_t i = 0; i < model->width; i++) {
        const double radius = i < model->targets ? model->record.target_radius : 1.0;
        numeric[i] = to_unit((double)point[i] / radius);
    }
}

static void draw_row(const sbl_gauss_model *model, double *numeric, uint32_t *codes, uint32_t *label,
                     buffers *own, uint64_t seed, uint64_t row, size_t wanted)
{
    const size_t width = model->width;
    const size_t latents = model->latents;
    sbl_model_rng rng;
    sbl_model_rng_init(&rng, seed, SBL_RNG_SAMPLE_ROW, row);
    size_t class = sbl_model_rng_categorical(&rng, model->shares, model->record.shape.classes);
    if (wanted != SBL_ANY_CLASS) class = wanted;
    *label = (uint32_t) class;
    sbl_model_rng_normals(&rng, own->latents, latents);
    sbl_gemm_exact(own->point, own->latents, model->factors + class * latents * width, 1, width, latents);
    for (size_t i = 0; i < width; i++) own->point[i] += model->means[class * width + i];
    if (model->projected) {
        write_projected(numeric, model, own->point);
        return;
    }
    float *x = own->point + model->targets;
    for (size_t i = model->targets; i < width; i++)
        own->point[i] = (float)((double)own->point[i] * model->stretch);
    sbl_unit_record_decode(&model->record, numeric, codes, x,
                           model->targets != 0 ? (double)own->point[0] : 0.0,
                           model->offsets + class * model->record.shape.onehot, own->proportions);
}

static sbl_status check(const sbl_gauss_model *model, uint64_t first, size_t rows, size_t wanted,
                        sbl_error *err)
{
    if (wanted != SBL_ANY_CLASS && wanted >= model->record.shape.classes)
        return sbl_fail(err, SBL_EARG, "there is no class number %zu", wanted);
    if (first > MOST_ROWS || rows > MOST_ROWS - first)
        return sbl_fail(err, SBL_EARG, "a seed gives at most 2^56 rows: use another seed");
    return SBL_OK;
}

sbl_status sbl_gauss_draw(const sbl_gauss_model *model, double *numeric, uint32_t *codes, uint32_t *labels,
                          uint64_t seed, uint64_t first, size_t rows, size_t wanted, sbl_error *err)
{
    const sbl_record_shape *shape = &model->record.shape;
    const size_t numbers = model->projected ? model->width : shape->numeric;
    const size_t categories = model->projected ? 0 : shape->categorical;
    const size_t floats = model->latents + model->width + sbl_record_shape_most(shape);
    const size_t threads = (size_t)sbl_thread_limit();
    const size_t chunks = (rows + CHUNK - 1) / CHUNK;
    sbl_status status = SBL_OK;
    float *all = NULL;
    SBL_TRY(check(model, first, rows, wanted, err));
    SBL_ALLOC(all, threads * floats, "sampling");
    SBL_OMP(omp parallel for schedule(static))
    for (size_t k = 0; k < chunks; k++) {
        float *start = all + (size_t)sbl_thread_index() * floats;
        buffers own = {start, start + model->latents, start + model->latents + model->width};
        const size_t end = (k + 1) * CHUNK < rows ? (k + 1) * CHUNK : rows;
        for (size_t r = k * CHUNK; r < end; r++)
            draw_row(model, numeric != NULL ? numeric + r * numbers : NULL,
                     codes != NULL ? codes + r * categories : NULL, &labels[r], &own, seed, first + r,
                     wanted);
    }
done:
    sbl_free(all);
    return status;
}

/* Gaussians as a kind of model: loading, and rows in the table's own columns or, of a projected
 * model, in a table of coordinates. */

typedef struct gauss_state {
    sbl_gauss_model model;
    uint64_t seed;
    sbl_facts output;    /* projected: of p1, p2, ... and the label */
    size_t target;       /* projected: its place among the numbers, or SBL_NO_HEAD */
    sbl_row_buffer rows; /* numbers (W): projected coordinates */
} gauss_state;

static void free_state(void *data)
{
    gauss_state *state = data;
    sbl_gauss_model_clear(&state->model);
    sbl_facts_clear(&state->output);
    sbl_pool_clear(&state->rows.pool);
    sbl_free(state);
}

/* ---- the projected table's schema ---- */

static json_t *coordinate_field(size_t number)
{
    char name[32];
    (void)snprintf(name, sizeof name, "p%zu", number);
    return json_pack("{s:s, s:s, s:{s:i, s:i, s:b}}", "name", name, "type", "number", "constraints",
                     "minimum", -1, "maximum", 1, "required", 1);
}

/* Is this the label's own field? */
static bool is_label(const json_t *field, const char *label)
{
    const char *name = json_string_value(json_object_get(field, "name"));
    return label != NULL && name != NULL && strcmp(name, label) == 0;
}

/* Coordinates within [-1, 1], then the label. NULL when out of memory. */
static json_t *projected_fields(const json_t *schema, const char *label, size_t coordinates)
{
    json_t *fields = json_array();
    json_t *field;
    size_t i;
    for (i = 1; i <= coordinates; i++) fields = sbl_json_append(fields, coordinate_field(i));
    json_array_foreach(json_object_get(schema, "fields"), i, field)
    {
        if (is_label(field, label)) fields = sbl_json_append(fields, json_incref(field));
    }
    return fields;
}

/* The label and its task. The unit, the order and the rules of a table are about columns that it does
 * not have. NULL when out of memory. */
static json_t *projected_options(const json_t *options)
{
    static const char *const kept[] = {"label", "task"};
    json_t *own = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        json_t *value = json_object_get(options, kept[i]);
        if (value != NULL) own = sbl_json_put(own, kept[i], json_incref(value));
    }
    return own;
}

static sbl_status projected_schema(sbl_schema **projected, const sbl_schema *schema, size_t coordinates,
                                   sbl_error *err)
{
    json_t *whole = sbl_schema_to_json(schema);
    const char *label = schema->label != SBL_NO_COLUMN ? schema->columns[schema->label].name : NULL;
    json_t *object = json_pack("{s:o, s:o}", "fields", projected_fields(whole, label, coordinates),
                               "semblance", projected_options(json_object_get(whole, "semblance")));
    char *written = object != NULL ? sbl_json_canonical(object) : NULL;
    sbl_status status = SBL_OK;
    if (written == NULL) SBL_TRY(sbl_no_memory(err, "a schema"));
    SBL_TRY(sbl_schema_parse(projected, written, strlen(written), "the projected schema", err));
done:
    sbl_free(written);
    json_decref(object);
    json_decref(whole);
    return status;
}

static sbl_status project(gauss_state *state, const sbl_facts *facts, sbl_error *err)
{
    sbl_schema *schema = NULL;
    const sbl_status status =
        projected_schema(&schema, facts->schema, state->model.width - state->model.targets, err);
    if (status != SBL_OK) return status;
    return sbl_facts_of_table(&state->output, schema, err);
}

static void find_target(gauss_state *state)
{
    const sbl_heads *heads = &state->output.heads;
    state->target = SBL_NO_HEAD;
    if (heads->label != SBL_NO_HEAD && heads->items[heads->label].kind == SBL_HEAD_NUMERIC)
        state->target = heads->items[heads->label].index;
}

sbl_status sbl_model_of_gauss(sbl_model *model, sbl_gauss_model *gauss, sbl_error *err)
{
    sbl_status status = SBL_OK;
    gauss_state *state;
    SBL_ALLOC(state, 1, "a model");
    model->state = state;
    state->model = *gauss;
    *gauss = (sbl_gauss_model){0};
    if (state->model.projected) {
        SBL_TRY(project(state, &model->facts, err));
        find_target(state);
    }
done:
    sbl_gauss_model_clear(gauss);
    return status;
}

/* ---- the file ---- */

static sbl_status save(const void *data, sbl_store_entry to, json_t *metadata, bool overwrite, sbl_error *err)
{
    const gauss_state *state = data;
    return sbl_gauss_model_save(&state->model, to, metadata, overwrite, err);
}

/* Drawing trusts the schema's sizes: the record must be that of the facts. */
static bool fits(const sbl_gauss_model *gauss, const sbl_facts *facts)
{
    const sbl_record_shape *own = &gauss->record.shape;
    const sbl_record_shape *shape = &facts->shape;
    bool same = facts->kind == SBL_DATA_TABLE && own->numeric == shape->numeric &&
                own->categorical == shape->categorical && own->classes == shape->classes &&
                (gauss->record.target == SBL_NO_TARGET || gauss->record.target < shape->numeric);
    for (size_t k = 0; same && k < shape->categorical; k++)
        same = own->cardinalities[k] == shape->cardinalities[k];
    return same;
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where, sbl_error *err)
{
    sbl_gauss_model gauss = {0};
    const sbl_status status = sbl_gauss_model_read(&gauss, file, where, err);
    if (status != SBL_OK) return status;
    if (fits(&gauss, &model->facts)) return sbl_model_of_gauss(model, &gauss, err);
    sbl_gauss_model_clear(&gauss);
    return sbl_fail(err, SBL_EINPUT, "%s: the Gaussians do not match its schema", where);
}

/* ---- drawing ---- */

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    gauss_state *state = model->state;
    (void)err;
    state->seed = seed;
    return SBL_OK;
}

static const sbl_facts *output(const sbl_model *model)
{
    const gauss_state *state = model->state;
    return state->model.projected ? &state->output : &model->facts;
}

/* Coordinates, then the label: a number that is the first of the model's, or the class. */
static void place_projected(const gauss_state *d, double *numeric, uint32_t *codes, size_t rows)
{
    const sbl_heads *heads = &d->output.heads;
    const size_t width = d->model.width;
    for (size_t r = 0; r < rows; r++) {
        const double *from = d->rows.numbers + r * width;
        double *to = numeric + r * heads->numeric_count;
        memcpy(to, from + d->model.targets, (width - d->model.targets) * sizeof *to);
        if (d->target != SBL_NO_HEAD) to[d->target] = from[0];
        for (size_t k = 0; k < heads->categorical_count; k++) codes[r * heads->categorical_count + k] = 0;
        if (heads->label != SBL_NO_HEAD && d->target == SBL_NO_HEAD)
            codes[r * heads->categorical_count + heads->items[heads->label].index] = d->rows.labels[r];
    }
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows, size_t wanted,
                       sbl_error *err)
{
    gauss_state *d = model->state;
    SBL_CHECK(sbl_row_buffer_hold(&d->rows, rows, d->model.record.shape.categorical, d->model.width, err));
    SBL_CHECK(sbl_gauss_draw(&d->model, d->model.projected ? d->rows.numbers : drawn->numeric,
                             d->rows.columns, d->rows.labels, d->seed, first, rows, wanted, err));
    if (d->model.projected)
        place_projected(d, drawn->numeric, drawn->codes, rows);
    else
        sbl_row_buffer_place(&d->rows, &model->facts, drawn->codes, rows);
    return SBL_OK;
}

const sbl_model_kind sbl_model_kind_gauss = {
    .name = "gauss",
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .output = output,
    .free = free_state,
};
