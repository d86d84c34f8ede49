/* merf: random Fourier mean embeddings and a generator trained to match them (Harder, Adamczewski
 * and Park 2021). */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "features/onehot.h"
#include "features/plan.h"
#include "features/rff.h"
#include "model/generator_file.h"
#include "pipeline/method.h"
#include "sample/sampler.h"
#include "train/merf.h"

#define TILE_FREQUENCIES 512 /* Fourier features of a slice at a time, whole panels */

typedef struct merf_plan {
    sbl_merf_plan plan;
    sbl_rff rff; /* empty where the plan has no Fourier block */
} merf_plan;

static const merf_plan *plan_of(const sbl_recipe *recipe) { return recipe->plan; }

/* ---- the plan ---- */

static sbl_status plan_new(merf_plan **made, sbl_recipe *recipe, sbl_error *err)
{
    *made = recipe->plan = sbl_alloc_array(1, sizeof(merf_plan));
    return *made != NULL ? SBL_OK : sbl_fail(err, SBL_EMEM, "out of memory for a plan");
}

static sbl_status plan(sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err)
{
    merf_plan *made;
    sbl_record_shape shape = {0};
    sbl_merf_plan_options plan_options;
    sbl_status status = SBL_OK;
    SBL_TRY(plan_new(&made, recipe, err));
    SBL_TRY(sbl_recipe_shape(&shape, recipe, err));
    sbl_merf_plan_options_init(&plan_options, &shape);
    if (options->features != 0) plan_options.features = options->features;
    plan_options.seed = options->seed;
    /* Under add-remove n is not public: the counts are where it comes from. */
    plan_options.counts = recipe->classes > 1 || options->neighbours == SBL_ADD_REMOVE;
    SBL_TRY(sbl_merf_plan_build(&made->plan, &shape, &plan_options, err));
done:
    sbl_record_shape_clear(&shape);
    return status;
}

static sbl_status parse(sbl_recipe *recipe, const char *text, const char *where, sbl_error *err)
{
    merf_plan *made;
    const sbl_status status = plan_new(&made, recipe, err);
    return status != SBL_OK ? status : sbl_merf_plan_parse(&made->plan, text, where, err);
}

static bool same_shape(const sbl_record_shape *a, const sbl_record_shape *b)
{
    bool same =
        a->numeric == b->numeric && a->categorical == b->categorical && a->classes == b->classes;
    for (size_t k = 0; same && k < a->categorical; k++)
        same = a->cardinalities[k] == b->cardinalities[k];
    return same;
}

static sbl_status finish(sbl_recipe *recipe, sbl_error *err)
{
    merf_plan *made = recipe->plan;
    sbl_record_shape shape = {0};
    sbl_status status = SBL_OK;
    SBL_TRY(sbl_recipe_shape(&shape, recipe, err));
    if (!same_shape(&shape, &made->plan.shape)) {
        status = sbl_fail(err, SBL_EINPUT, "the plan is not one for its schema");
        goto done;
    }
    if (sbl_merf_plan_find(&made->plan, SBL_FEATURE_RFF) != NULL)
        SBL_TRY(sbl_merf_plan_rff(&made->rff, &made->plan, err));
done:
    sbl_record_shape_clear(&shape);
    return status;
}

static const char *text(const sbl_recipe *recipe) { return plan_of(recipe)->plan.json; }

/* A unit of feature b is scale_b grid units and m_b times that in the release: equal weights per
 * feature unit are multipliers in the proportion weight_b / scale_b. */
static void describe(sbl_recipe *recipe, sbl_layout *layout)
{
    const sbl_merf_plan *planned = &plan_of(recipe)->plan;
    layout->block_count = planned->block_count;
    layout->counts = planned->options.counts;
    for (size_t b = 0; b < planned->block_count; b++) {
        const sbl_feature_block *feature = &planned->blocks[b];
        sbl_block *block = &layout->blocks[b];
        (void)snprintf(block->name, sizeof block->name, "%s", feature->name);
        block->width = feature->width;
        block->group = feature->group;
        block->per_class = feature->per_class;
        block->nonnegative = feature->nonnegative;
        block->bound2 = feature->bound2;
        block->bound1 = feature->norm == 0.0 ? feature->bound2 : 0; /* ones: both norms are K */
        block->scale = feature->norm == 0.0
                           ? 1.0
                           : sbl_layout_scale(feature->width, feature->bound2, feature->norm);
        recipe->weights[b] = feature->weight / block->scale;
    }
    recipe->weights[planned->block_count] = planned->counts_weight;
}

static void clear(sbl_recipe *recipe)
{
    merf_plan *made = recipe->plan;
    if (made == NULL) return;
    sbl_rff_clear(&made->rff);
    sbl_merf_plan_clear(&made->plan);
    sbl_free(made);
}

/* ---- records ---- */

typedef struct merf_room {
    float *numbers;    /* (SBL_SLICE_ROWS, numeric) */
    float *features;   /* (SBL_SLICE_ROWS, feature_columns) */
    uint32_t *entries; /* (SBL_SLICE_ROWS, categorical columns but the label): one-hot places */
    size_t feature_columns;
} merf_room;

static size_t widest_tile(const sbl_merf_plan *planned)
{
    size_t widest = 2 * TILE_FREQUENCIES;
    for (size_t b = 0; b < planned->block_count; b++)
        if (planned->blocks[b].group == 0 && planned->blocks[b].width > widest)
            widest = planned->blocks[b].width;
    return widest;
}

static void room_free(void *data, const sbl_recipe *recipe)
{
    merf_room *room = data;
    const sbl_record_shape *shape = &plan_of(recipe)->plan.shape;
    if (room == NULL) return;
    sbl_free_wiped(room->numbers, shape->numeric * SBL_SLICE_ROWS * sizeof *room->numbers);
    sbl_free_wiped(room->features, room->feature_columns * SBL_SLICE_ROWS * sizeof *room->features);
    sbl_free_wiped(room->entries, shape->categorical * SBL_SLICE_ROWS * sizeof *room->entries);
    sbl_free(room);
}

static sbl_status room_new(void **data, const sbl_recipe *recipe, sbl_error *err)
{
    const sbl_record_shape *shape = &plan_of(recipe)->plan.shape;
    merf_room *room = sbl_alloc_array(1, sizeof *room);
    *data = room;
    if (room == NULL) return sbl_fail(err, SBL_EMEM, "out of memory");
    room->feature_columns = widest_tile(&plan_of(recipe)->plan);
    room->numbers = sbl_alloc_array(shape->numeric, SBL_SLICE_ROWS * sizeof *room->numbers);
    room->features =
        sbl_alloc_array(room->feature_columns, SBL_SLICE_ROWS * sizeof *room->features);
    room->entries = sbl_alloc_array(shape->categorical, SBL_SLICE_ROWS * sizeof *room->entries);
    return room->numbers != NULL && room->features != NULL && room->entries != NULL
               ? SBL_OK
               : sbl_fail(err, SBL_EMEM, "out of memory for the features of a few rows");
}

static sbl_status add_fourier(sbl_sum *sum, size_t block, merf_room *room, const sbl_recipe *recipe,
                              const sbl_records *records, sbl_error *err)
{
    const sbl_rff *rff = &plan_of(recipe)->rff;
    const sbl_fourier_rows rows = {room->numbers, rff->columns, room->entries, rff->codes,
                                   records->rows};
    for (size_t i = 0; i < records->rows * rff->columns; i++)
        room->numbers[i] = (float)records->numeric[i];
    sbl_onehot_entries(room->entries, &plan_of(recipe)->plan.shape, records->codes,
                       recipe->codec.heads.categorical_count, recipe->code_columns, records->rows);
    for (size_t first = 0; first < rff->frequencies; first += TILE_FREQUENCIES) {
        const size_t left = rff->frequencies - first;
        const size_t count = left < TILE_FREQUENCIES ? left : TILE_FREQUENCIES;
        sbl_rff_tile(rff, room->features, room->feature_columns, &rows, first, count);
        const sbl_status status = sbl_sum_add_f32(sum, block, 2 * first, 2 * count, room->features,
                                                  room->feature_columns, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

static sbl_status add_onehot(sbl_sum *sum, size_t block, merf_room *room, const sbl_recipe *recipe,
                             const sbl_records *records, sbl_error *err)
{
    const size_t width = recipe->layout.blocks[block].width;
    sbl_onehot_rows(room->features, &plan_of(recipe)->plan.shape, records->codes,
                    recipe->codec.heads.categorical_count, recipe->code_columns, records->rows);
    return sbl_sum_add_f32(sum, block, 0, width, room->features, width, err);
}

static sbl_status add_rows(sbl_sum *sum, void *room, const sbl_recipe *recipe,
                           const sbl_records *records, sbl_error *err)
{
    const sbl_merf_plan *planned = &plan_of(recipe)->plan;
    for (size_t b = 0; b < planned->block_count; b++) {
        const sbl_status status = planned->blocks[b].kind == SBL_FEATURE_RFF
                                      ? add_fourier(sum, b, room, recipe, records, err)
                                      : add_onehot(sum, b, room, recipe, records, err);
        if (status != SBL_OK) return status;
    }
    return SBL_OK;
}

/* ---- the model ---- */

static void choose_training(sbl_train_options *training, const sbl_synth_options *options)
{
    sbl_train_options_init(training);
    if (options->latent != 0) training->latent = options->latent;
    if (options->steps != 0) training->steps = options->steps;
    if (options->batch != 0) training->batch = options->batch;
    if (options->learning_rate != 0.0) training->rate = options->learning_rate;
    if (options->hidden_count != 0) {
        training->depth = options->hidden_count;
        for (size_t i = 0; i < options->hidden_count; i++) training->hidden[i] = options->hidden[i];
    }
    training->seed = options->seed;
}

static sbl_status check(const sbl_recipe *recipe, const sbl_synth_options *options, sbl_error *err)
{
    sbl_train_options training;
    choose_training(&training, options);
    return sbl_train_merf_check(&plan_of(recipe)->plan, &training, err);
}

/* The trainer's progress as ours. */
static int report_step(void *data, size_t step, size_t steps, double loss)
{
    const sbl_synth_options *options = data;
    return options->progress(options->context, "training", step, steps, loss);
}

static sbl_status make(const char *path, const sbl_release *release, const sbl_recipe *recipe,
                       const char *certificate, const sbl_synth_options *options, sbl_error *err)
{
    const sbl_merf_plan *planned = &plan_of(recipe)->plan;
    sbl_merf_target target = {0};
    sbl_generator generator = {0};
    sbl_train_options training;
    json_t *metadata = NULL;
    sbl_synth_options callbacks = *options;
    sbl_status status = SBL_OK;
    choose_training(&training, options);
    if (options->progress != NULL) {
        training.progress = report_step;
        training.progress_data = &callbacks;
    }
    SBL_TRY(sbl_merf_target_from_release(&target, planned, release, err));
    SBL_TRY(sbl_train_merf(&generator, planned, &target, &training, err));
    metadata = sbl_model_metadata(recipe, certificate, target.rows);
    if (metadata == NULL) {
        status = sbl_fail(err, SBL_EMEM, "out of memory for a model");
        goto done;
    }
    SBL_TRY(sbl_generator_save(&generator, path, metadata, options->overwrite, err));
done:
    json_decref(metadata);
    sbl_generator_clear(&generator);
    sbl_merf_target_clear(&target);
    return status;
}

typedef struct drawer {
    sbl_sampler *sampler;
    uint32_t *labels;  /* (room_rows) */
    uint32_t *columns; /* (room_rows, K): codes without the label */
    size_t room_rows;
} drawer;

static sbl_status open_model(sbl_model *model, const char *path, uint64_t seed, sbl_error *err)
{
    sbl_generator generator = {0};
    json_t *metadata = NULL;
    sbl_status status = SBL_OK;
    drawer *d = sbl_alloc_array(1, sizeof *d);
    model->state = d;
    if (d == NULL) return sbl_fail(err, SBL_EMEM, "out of memory for a model");
    SBL_TRY(sbl_generator_load(&generator, &metadata, path, err));
    SBL_TRY(sbl_model_read_metadata(model, metadata, path, err));
    if (!same_shape(&generator.shape, &plan_of(&model->recipe)->plan.shape)) {
        status = sbl_fail(err, SBL_EINPUT, "%s: the network is not one for its schema", path);
        goto done;
    }
    SBL_TRY(sbl_sampler_new(&d->sampler, &generator, seed, err));
done:
    json_decref(metadata);
    sbl_generator_clear(&generator);
    return status;
}

static sbl_status make_room(drawer *d, size_t rows, size_t columns, sbl_error *err)
{
    if (rows <= d->room_rows) return SBL_OK;
    sbl_free(d->labels);
    sbl_free(d->columns);
    d->room_rows = 0;
    d->labels = sbl_alloc_array(rows, sizeof *d->labels);
    d->columns = sbl_alloc_array(columns, rows * sizeof *d->columns);
    if (d->labels == NULL || d->columns == NULL)
        return sbl_fail(err, SBL_EMEM, "out of memory for a few rows");
    d->room_rows = rows;
    return SBL_OK;
}

/* The label is the class a row was drawn for; the other codes take their places around it. */
static sbl_status draw(sbl_model *model, double *numeric, uint32_t *codes, uint64_t first,
                       size_t rows, size_t wanted, sbl_error *err)
{
    drawer *d = model->state;
    const sbl_recipe *recipe = &model->recipe;
    const size_t all = recipe->codec.heads.categorical_count;
    const size_t others = plan_of(recipe)->plan.shape.categorical;
    sbl_status status = make_room(d, rows, others, err);
    if (status == SBL_OK)
        status =
            sbl_sampler_draw(d->sampler, numeric, d->columns, d->labels, first, rows, wanted, err);
    for (size_t r = 0; status == SBL_OK && r < rows; r++) {
        for (size_t k = 0; k < others; k++)
            codes[r * all + recipe->code_columns[k]] = d->columns[r * others + k];
        if (recipe->label_column != SBL_NO_HEAD)
            codes[r * all + recipe->label_column] = d->labels[r];
    }
    return status;
}

static void close_model(sbl_model *model)
{
    drawer *d = model->state;
    if (d == NULL) return;
    sbl_sampler_free(d->sampler);
    sbl_free(d->labels);
    sbl_free(d->columns);
    sbl_free(d);
}

/* RFC 4180: a cell may hold line ends, so what is one record is said by the file's quotes. */
static const char *const also_public[] = {"how the file divides into records",
                                          "kernel length scales (from the number of columns)"};

const sbl_method sbl_method_merf = {
    .name = "merf",
    .release_name = "merf.embedding",
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
    .check = check,
    .make = make,
    .open = open_model,
    .draw = draw,
    .close = close_model,
};
