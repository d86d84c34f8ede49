/* A generator as a kind of model: of tables and of images. */
#include "base/memory.h"
#include "sample/sampler.h"

typedef struct generator_state {
    sbl_generator generator;
    sbl_sampler *sampler;
    /* Room for some rows of a table. */
    uint32_t *labels;
    uint32_t *columns; /* (rows, K): codes without the label */
    size_t room_rows;
} generator_state;

static void free_state(void *data)
{
    generator_state *state = data;
    sbl_sampler_free(state->sampler);
    sbl_generator_clear(&state->generator);
    sbl_free(state->labels);
    sbl_free(state->columns);
    sbl_free(state);
}

sbl_status sbl_model_of_generator(sbl_model *model, sbl_generator *generator, sbl_error *err)
{
    generator_state *state = model->state = sbl_alloc_array(1, sizeof *state);
    if (state == NULL) {
        sbl_generator_clear(generator);
        return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    }
    state->generator = *generator;
    *generator = (sbl_generator){0};
    return SBL_OK;
}

static sbl_status save(const void *data, sbl_item to, json_t *metadata, bool overwrite,
                       sbl_error *err)
{
    const generator_state *state = data;
    return sbl_generator_save(&state->generator, to, metadata, overwrite, err);
}

/* Drawing trusts the facts' sizes. */
static bool fits(const sbl_facts *own, const sbl_facts *facts)
{
    bool same = own->kind == facts->kind && own->classes == facts->classes &&
                own->shape.numeric == facts->shape.numeric &&
                own->shape.categorical == facts->shape.categorical &&
                own->images.height == facts->images.height &&
                own->images.width == facts->images.width;
    for (size_t k = 0; same && k < facts->shape.categorical; k++)
        same = own->shape.cardinalities[k] == facts->shape.cardinalities[k];
    return same;
}

static sbl_status load(sbl_model *model, const sbl_safetensors *file, const char *where,
                       sbl_error *err)
{
    sbl_generator generator = {0};
    const sbl_status status = sbl_generator_from_tensors(&generator, file, where, err);
    if (status != SBL_OK) return status;
    if (fits(&generator.facts, &model->facts))
        return sbl_model_of_generator(model, &generator, err);
    sbl_generator_clear(&generator);
    return sbl_fail(err, SBL_EINPUT, "%s: the network is not one for its %s", where,
                    model->facts.kind == SBL_DATA_IMAGES ? "images" : "schema");
}

static sbl_status seed_model(sbl_model *model, uint64_t seed, sbl_error *err)
{
    generator_state *state = model->state;
    sbl_sampler_free(state->sampler);
    return sbl_sampler_new(&state->sampler, &state->generator, seed, err);
}

static sbl_status make_room(generator_state *state, size_t rows, sbl_error *err)
{
    if (rows <= state->room_rows) return SBL_OK;
    sbl_free(state->labels);
    sbl_free(state->columns);
    state->room_rows = 0;
    state->labels = sbl_alloc_array(rows, sizeof *state->labels);
    state->columns =
        sbl_alloc_array(state->generator.facts.shape.categorical, rows * sizeof *state->columns);
    if (state->labels == NULL || state->columns == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    state->room_rows = rows;
    return SBL_OK;
}

/* The label is the class a row was drawn for; the other codes take their places around it. */
static sbl_status draw_table(generator_state *state, const sbl_facts *facts, const sbl_drawn *drawn,
                             uint64_t first, size_t rows, size_t wanted, sbl_error *err)
{
    const size_t all = facts->heads.categorical_count;
    const size_t others = facts->shape.categorical;
    sbl_status status = make_room(state, rows, err);
    if (status != SBL_OK) return status;
    const sbl_drawn out = {
        .numeric = drawn->numeric, .codes = state->columns, .labels = state->labels};
    status = sbl_sampler_draw(state->sampler, &out, first, rows, wanted, err);
    for (size_t r = 0; status == SBL_OK && r < rows; r++) {
        for (size_t k = 0; k < others; k++)
            drawn->codes[r * all + facts->code_columns[k]] = state->columns[r * others + k];
        if (facts->label_column != SBL_NO_HEAD)
            drawn->codes[r * all + facts->label_column] = state->labels[r];
    }
    return status;
}

static sbl_status draw(sbl_model *model, const sbl_drawn *drawn, uint64_t first, size_t rows,
                       size_t wanted, sbl_error *err)
{
    generator_state *state = model->state;
    return model->facts.kind == SBL_DATA_IMAGES
               ? sbl_sampler_draw(state->sampler, drawn, first, rows, wanted, err)
               : draw_table(state, &model->facts, drawn, first, rows, wanted, err);
}

const sbl_model_kind sbl_model_kind_generator = {
    .name = "generator",
    .save = save,
    .load = load,
    .seed = seed_model,
    .draw = draw,
    .free = free_state,
};
