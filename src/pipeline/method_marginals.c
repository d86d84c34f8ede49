/* marginals: independent columns given the class, from noisy histograms. The floor that every other
 * method must beat. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "features/marginals.h"
#include "model/marginals_model.h"
#include "pipeline/method.h"
#include "sample/marginals_sampler.h"
#include "train/marginals_fit.h"

static const sbl_marginals_plan *plan_of(const sbl_recipe *recipe) { return recipe->plan; }

/* ---- the plan ---- */

static sbl_status plan(sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err)
{
    sbl_marginals_options plan_options;
    recipe->plan = sbl_alloc_array(1, sizeof(sbl_marginals_plan));
    if (recipe->plan == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    sbl_marginals_options_init(&plan_options, options->bins);
    return sbl_marginals_plan_build(recipe->plan, recipe->schema, &recipe->codec.heads,
                                    &plan_options, err);
}

static sbl_status parse(sbl_recipe *recipe, const char *text, const char *where, sbl_error *err)
{
    recipe->plan = sbl_alloc_array(1, sizeof(sbl_marginals_plan));
    if (recipe->plan == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a plan");
    return sbl_marginals_plan_parse(recipe->plan, text, where, err);
}

static sbl_status finish(sbl_recipe *recipe, sbl_error *err)
{
    const sbl_cells *cells = &plan_of(recipe)->cells;
    const sbl_heads *heads = &recipe->codec.heads;
    return cells->numeric_count == heads->numeric_count &&
                   cells->categorical_count == heads->categorical_count &&
                   cells->classes == recipe->classes
               ? SBL_OK
               : sbl_fail(err, SBL_EINPUT, "the plan is not one for its schema");
}

static const char *text(const sbl_recipe *recipe) { return plan_of(recipe)->json; }

static void describe(sbl_recipe *recipe, sbl_layout *layout)
{
    const sbl_marginals_block *planned = &plan_of(recipe)->block;
    sbl_block *block = &layout->blocks[0];
    layout->block_count = 1;
    (void)snprintf(block->name, sizeof block->name, "%s", planned->name);
    block->width = planned->width;
    block->per_class = planned->per_class;
    block->nonnegative = planned->nonnegative;
    block->bound2 = planned->bound2;
    block->bound1 = planned->bound1;
    block->scale = planned->scale;
    recipe->weights[0] = 1.0;
}

static void clear(sbl_recipe *recipe)
{
    if (recipe->plan != NULL) sbl_marginals_plan_clear(recipe->plan);
    sbl_free(recipe->plan);
}

/* ---- records ---- */

static size_t room_bytes(const sbl_recipe *recipe)
{
    return plan_of(recipe)->block.width * SBL_SLICE_ROWS * sizeof(float);
}

static sbl_status room_new(void **room, const sbl_recipe *recipe, sbl_error *err)
{
    *room = sbl_alloc_array(plan_of(recipe)->block.width, SBL_SLICE_ROWS * sizeof(float));
    return *room != NULL ? SBL_OK
                         : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few rows");
}

static void room_free(void *room, const sbl_recipe *recipe)
{
    sbl_free_wiped(room, room_bytes(recipe));
}

static sbl_status add_rows(sbl_sum *sum, void *room, const sbl_recipe *recipe,
                           const sbl_records *records, sbl_error *err)
{
    const size_t width = plan_of(recipe)->block.width;
    float *features = room;
    sbl_marginals_rows(features, plan_of(recipe), records->numeric, records->codes, records->rows);
    return sbl_sum_add_f32(sum, 0, 0, width, features, width, err);
}

/* ---- the model ---- */

static sbl_status make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                       const char *certificate, const sbl_synth_options *options, sbl_error *err)
{
    sbl_marginals_model model = {0};
    double rows;
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_marginals_fit(&model, &rows, plan_of(recipe), release, err));
    metadata = sbl_model_metadata(recipe, certificate, rows);
    if (metadata == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_marginals_model_save(&model, path, metadata, options->overwrite, err));
done:
    json_decref(metadata);
    sbl_marginals_model_clear(&model);
    return status;
}

typedef struct drawer {
    sbl_marginals_model model;
    sbl_marginals_sampler *sampler;
} drawer;

static sbl_status open_model(sbl_model *model, const char *path, uint64_t seed, sbl_error *err)
{
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    drawer *d = sbl_alloc_array(1, sizeof *d);
    model->state = d;
    if (d == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    SBL_TRY(sbl_marginals_model_load(&d->model, &metadata, path, err));
    SBL_TRY(sbl_model_read_metadata(model, metadata, path, err));
    if (strcmp(text(&model->recipe), d->model.plan) != 0) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the histograms are not those of its schema", path);
        goto done;
    }
    SBL_TRY(sbl_marginals_sampler_new(&d->sampler, &d->model, seed, err));
done:
    json_decref(metadata);
    return status;
}

static sbl_status draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                       size_t rows, size_t wanted, sbl_error *err)
{
    drawer *d = model->state;
    return sbl_marginals_sampler_draw(d->sampler, numeric, codes, first, rows, wanted, err);
}

static void close_model(sbl_model *model)
{
    drawer *d = model->state;
    if (d == NULL) return;
    sbl_marginals_sampler_free(d->sampler);
    sbl_marginals_model_clear(&d->model);
    sbl_free(d);
}

/* RFC 4180: a cell may hold line ends, so what is one record is said by the file's quotes. */
static const char *const also_public[] = {"how the file divides into records", "histogram bins"};

const sbl_method sbl_method_marginals = {
    .name = "marginals",
    .release_name = "marginals.histograms",
    .also_public = also_public,
    .also_public_count = sizeof also_public / sizeof also_public[0],
    .plan = plan,
    .parse = parse,
    .finish = finish,
    .text = text,
    .describe = describe,
    .clear = clear,
    .room_new = room_new,
    .room_free = room_free,
    .add_rows = add_rows,
    .make = make,
    .open = open_model,
    .draw = draw,
    .close = close_model,
};
